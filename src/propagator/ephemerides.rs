//! What a run keeps for ephemeris files: states as they are published, and what ends a segment.
//!
//! Nothing in ordinary sweeps: a propagator that is not recording has no buffers.

use super::Flight;
use super::lane::Lane;
use super::leg::array;
use crate::astro::ephemeris::Body;
use crate::base::run::EphemerisEvent;
use crate::mission::program::Command;
use crate::mission::target::SolverRows;

impl Lane {
    /// Records from now on.
    pub(super) fn record(&mut self, flight: &Flight) {
        self.ephemerides = vec![Vec::new(); flight.mission.ephemerides.len()];
    }

    /// The spacecraft of the leg are published.
    #[inline]
    pub(super) fn record_states(&mut self, flight: &Flight) {
        if !self.ephemerides.is_empty() {
            self.keep_states(flight);
        }
    }

    #[cold]
    fn keep_states(&mut self, flight: &Flight) {
        if !self.is_told(flight) {
            return;
        }
        let backwards = flight.mission.legs[self.leg.number].backwards;
        for reached in &self.leg.reached {
            let live = &self.spacecraft[reached.spacecraft];
            let state = flight.mission.world.moved(live.state, live.center, Body::Earth, live.now());
            let event = EphemerisEvent::State {
                days: live.date(),
                state: array(&state),
                backwards,
                propagator: self.leg.parts[reached.part].propagator,
            };
            tell(flight, &mut self.ephemerides, reached.spacecraft, event);
        }
    }

    /// A command that a file may begin a new segment for, by its place in the program.
    pub(super) fn record_command(&mut self, flight: &Flight, command: &Command, place: usize) {
        if self.ephemerides.is_empty() {
            return;
        }
        let (spacecraft, told) = match *command {
            Command::ToggleEphemeris { file, on } => return self.ephemerides[file].push(EphemerisEvent::Toggle(on)),
            // an assignment counts in the trial passes of a solver as well
            Command::Changed { spacecraft, by_vary, .. } => (spacecraft, !by_vary || self.is_told(flight)),
            Command::Maneuver { spacecraft, .. } => (spacecraft, self.is_told(flight)),
            Command::FiniteBurn { firing, .. } => (flight.mission.firings[firing].spacecraft, self.is_told(flight)),
            _ => return,
        };
        let days = self.spacecraft[spacecraft].date();
        let event = match *command {
            Command::Changed { .. } => EphemerisEvent::Changed { days, command: place },
            Command::FiniteBurn { on, .. } => EphemerisEvent::Burn { days, on },
            _ => EphemerisEvent::Impulse(days),
        };
        if told {
            tell(flight, &mut self.ephemerides, spacecraft, event);
        }
    }

    /// Not in the trial passes of a solver.
    fn is_told(&self, flight: &Flight) -> bool {
        self.takes_steps(flight, SolverRows::Current)
    }
}

fn tell(flight: &Flight, all: &mut [Vec<EphemerisEvent>], spacecraft: usize, event: EphemerisEvent) {
    for (file, events) in flight.mission.ephemerides.iter().zip(all) {
        if file.spacecraft == spacecraft {
            events.push(event);
        }
    }
}

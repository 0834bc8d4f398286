//! The leg that a lane flies: which spacecraft, in which propagators, and what is watched.
//!
//! A leg has *parts*, one for each propagator. Usually there is one; the spacecraft of a part share its steps. Parts fly
//! in turn: every part takes its own step, or the followers of a synchronized leg the leader's, and then the
//! conditions are looked at. What flies in the trial is one part.

use super::Flight;
use super::bundle::Bundle;
use super::lane::{Lane, Outcome};
use super::watch::{Count, Watch};
use crate::astro::constants::DAY;
use crate::astro::coordinates::nobody;
use crate::astro::elements::Cartesian;
use crate::astro::parameters::stops::STOPS;
use crate::base::outcome::Failure;
use crate::integrators::method::Method;
use crate::integrators::stepper::Carry;
use crate::integrators::trial::TrialStep;
use crate::mission::program::{Condition, Watched};

use super::search::Phase;

/// A time that is this near to its goal has been met before, s.
const TIME_TOLERANCE: f64 = 1e-6;
/// How far apart the epochs of spacecraft may be that fly in one propagator, days: GMAT's.
const EPOCH_TOLERANCE: f64 = 5e-11;

/// The leg that a lane flies.
#[derive(Clone, Debug, Default)]
pub(super) struct Leg {
    /// Which one of the mission's legs.
    pub(super) number: usize,
    /// One for each propagator.
    pub(super) parts: Vec<Part>,
    /// The part that is in the trial.
    pub(super) part: usize,
    /// What all parts are doing.
    pub(super) action: Action,
    /// The followers of a synchronized leg fly the step that the leader has taken.
    pub(super) led: bool,
    /// Where the trials have led: the spacecraft of the first part, of the second, ...
    pub(super) reached: Vec<Reached>,
    pub(super) watches: Vec<Watch>,
    pub(super) phase: Phase,
    /// The longest step that passed a condition, s.
    pub(super) step: f64,
    /// The conditions that were met in it, and for those looked at already the time, s.
    pub(super) met: Vec<(usize, f64)>,
    /// How many of them have been looked at.
    pub(super) looked_at: usize,
}

/// One propagator of a leg.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) propagator: usize,
    /// Its spacecraft among those of the leg: where they begin, and how many there are.
    pub(super) first: usize,
    pub(super) count: usize,
    /// Seconds of trials accepted since the last whole step, and before the last of them.
    pub(super) flown: f64,
    pub(super) flown_before: f64,
    /// The last of them.
    pub(super) last: f64,
    /// The step that it goes on with, while another part flies.
    carry: Carry,
}

/// What the parts of a leg are doing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Action {
    /// A step, as long as the accuracy allows.
    #[default]
    Free,
    /// So many seconds, in as many steps as it takes.
    Span(f64),
}

/// Where a trial has led a spacecraft.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached {
    pub(super) spacecraft: usize,
    pub(super) part: usize,
    pub(super) state: [f64; 6],
}

pub(super) fn array(state: &Cartesian) -> [f64; 6] {
    let ([x, y, z], [vx, vy, vz]) = (state.r, state.v);
    [x, y, z, vx, vy, vz]
}

pub(super) fn cartesian([x, y, z, vx, vy, vz]: [f64; 6]) -> Cartesian {
    Cartesian { r: [x, y, z], v: [vx, vy, vz] }
}

impl Leg {
    /// The propagator that is in the trial.
    pub(super) fn propagator(&self) -> usize {
        self.parts.get(self.part).map_or(0, |part| part.propagator)
    }
}

impl Lane {
    /// Begins a leg; false if it ends where it starts.
    #[allow(clippy::float_cmp)] // at its goal to the bit
    pub(super) fn begin(
        &mut self,
        flight: &Flight,
        number: usize,
        trial: &mut TrialStep,
        bundle: &mut Bundle,
        index: usize,
    ) -> Result<bool, Failure> {
        let mission = &flight.mission;
        let leg = &mission.legs[number];
        let direction = if leg.backwards { -1.0 } else { 1.0 };
        self.first_row(flight, leg.parts[0].spacecraft[0]);
        self.leg.number = number;
        self.leg.parts.clear();
        self.leg.reached.clear();
        for (place, part) in leg.parts.iter().enumerate() {
            let first_step = direction * self.objects.steps[part.propagator].initial_step;
            let carry = self.carries[leg.first_part + place].unwrap_or(Carry::new(first_step));
            let (first, count) = (self.leg.reached.len(), part.spacecraft.len());
            let (propagator, zero) = (part.propagator, 0.0);
            self.leg.parts.push(Part { propagator, first, count, flown: zero, flown_before: zero, last: zero, carry });
            self.gather(flight, place, number)?;
        }
        self.record_states(flight);
        let mut watches = std::mem::take(&mut self.leg.watches);
        watches.clear();
        let mut at_its_end = false;
        for condition in &leg.conditions {
            let watch = self.watch(flight, number, condition, direction)?;
            // one that ended the last leg rests, unless it stands alone
            let rests = watch.resting && leg.conditions.len() > 1;
            at_its_end |= matches!(condition.watched, Watched::Elapsed { .. }) && watch.goal == watch.before && !rests;
            watches.push(watch);
        }
        self.leg.watches = watches;
        if at_its_end {
            self.remember_end(flight, None);
            return Ok(false); // met where it starts: GMAT takes no step
        }
        self.leg.phase = if leg.conditions.is_empty() { Phase::Single } else { Phase::Free };
        (self.leg.action, self.leg.led, self.leg.part) = (Action::Free, false, 0);
        if !self.tanks.is_empty() {
            self.tanks.clone_from(&self.objects.tanks);
        }
        self.enter(flight, trial, bundle, index);
        Ok(true)
    }

    /// Brings the spacecraft of a part together: to the centre of its forces, and to one epoch.
    #[inline]
    fn gather(&mut self, flight: &Flight, place: usize, number: usize) -> Outcome {
        let mission = &flight.mission;
        let part = &mission.legs[number].parts[place];
        let dynamics = &mission.dynamics[mission.dynamics_of[part.propagator]];
        let leader = self.spacecraft[part.spacecraft[0]];
        for &spacecraft in &part.spacecraft {
            if self.burns(flight, spacecraft) {
                let depletes = self.depletes(flight, spacecraft);
                match *dynamics.method {
                    Method::RungeKutta(_) => {}
                    Method::Nystrom(_) if !depletes => {}
                    Method::Nystrom(_) | Method::Multistep(_) => return Err(Failure::BurnIntegrator),
                }
            }
            let live = &mut self.spacecraft[spacecraft];
            if (live.date() - leader.date()).abs() > EPOCH_TOLERANCE {
                return Err(Failure::EpochsApart);
            }
            (live.epoch, live.t, live.gmat_mjd) = (leader.epoch, leader.t, leader.gmat_mjd);
            if live.center != dynamics.model.center {
                live.state = mission.world.moved(live.state, live.center, dynamics.model.center, live.now());
                live.center = dynamics.model.center;
            }
            let state = array(&live.state);
            self.leg.reached.push(Reached { spacecraft, part: place, state });
        }
        Ok(())
    }

    /// Puts the part of the leg into the trial, from where its trials have led.
    pub(super) fn enter(&self, flight: &Flight, trial: &mut TrialStep, bundle: &mut Bundle, index: usize) {
        let mission = &flight.mission;
        let part = &self.leg.parts[self.leg.part];
        let settings = &self.objects.steps[part.propagator];
        let method = &mission.dynamics[mission.dynamics_of[part.propagator]].method;
        trial.fly_together(index, part.count);
        for slot in 0..part.count {
            let Reached { spacecraft, state, .. } = &self.leg.reached[part.first + slot];
            let spacecraft = *spacecraft;
            trial.set_state(index, slot, state);
            let mass = self.load(flight, bundle, index, slot, spacecraft);
            trial.set_mass(index, slot, mass);
            if slot == 0 {
                let live = &self.spacecraft[spacecraft];
                bundle.start[index] = live.epoch.plus(live.t + part.flown);
            }
        }
        trial.start(index, method, settings, part.carry);
        if let Action::Span(seconds) = self.leg.action {
            trial.span(index, method, settings, seconds);
        }
    }

    /// The part in the trial rests; it goes on with the step that it has come to.
    pub(super) fn rest(&mut self, trial: &TrialStep, index: usize) {
        self.leg.parts[self.leg.part].carry = trial.carry(index);
    }

    /// The steps that the parts go on with when the same Propagate is flown again.
    pub(super) fn keep_carries(&mut self, flight: &Flight) {
        let first = flight.mission.legs[self.leg.number].first_part;
        for (kept, part) in self.carries[first..].iter_mut().zip(&self.leg.parts) {
            *kept = Some(part.carry);
        }
    }

    /// What is remembered of a condition at the start of a leg.
    #[allow(clippy::float_cmp)] // see the module: GMAT's own comparisons
    fn watch(
        &mut self,
        flight: &Flight,
        number: usize,
        condition: &Condition,
        direction: f64,
    ) -> Result<Watch, Failure> {
        let watched = &condition.watched;
        let before = self.watched(flight, condition);
        let mut goal = self.formula(flight, condition.goal);
        let count = match *watched {
            Watched::Elapsed { unit } => {
                if goal.is_nan() || goal * direction < 0.0 {
                    return Err(Failure::StopBehind);
                }
                goal += before;
                Count::Time { unit }
            }
            Watched::Date(_) => {
                if goal.is_nan() || (goal - before) * direction < 0.0 {
                    return Err(Failure::StopBehind);
                }
                Count::Time { unit: DAY }
            }
            Watched::Apsis { stop, .. } => {
                Count::Apsis { from: if STOPS[stop].rises { -direction } else { direction } }
            }
            Watched::Input { cycle, .. } => {
                // an angle's goal is taken into its range
                if let Some((low, high)) = cycle.range() {
                    let range = high - low;
                    goal -= range * ((goal - low) / range).floor();
                }
                Count::Plain(cycle)
            }
        };
        let mut watch = Watch { goal, before, resting: false, count };
        let near = match count {
            Count::Time { unit } => (goal - before).abs() * unit < TIME_TOLERANCE,
            _ => (goal - watch.wrapped(before)).abs() < self.first_tolerances[number],
        };
        watch.resting = near && self.ended[condition.spacecraft].contains(watched);
        Ok(watch)
    }

    /// The value of what a condition watches, now.
    #[inline]
    pub(super) fn watched(&self, flight: &Flight, condition: &Condition) -> f64 {
        let live = &self.spacecraft[condition.spacecraft];
        match condition.watched {
            Watched::Elapsed { unit } => live.gmat_elapsed(unit),
            Watched::Date(scale) => {
                if scale == crate::astro::epoch::Scale::A1 {
                    live.date()
                } else {
                    live.now().mjd(scale)
                }
            }
            Watched::Apsis { stop, system } => {
                let system = &flight.mission.names.systems[system];
                let state = system.of_inertial(&flight.mission.world, live.state, live.center, live.now(), &nobody);
                (STOPS[stop].value)(&state)
            }
            Watched::Input { input, .. } => self.value(flight, flight.mission.formulas.inputs[input]),
        }
    }
}

//! The persistent propagator: flies the runs of a chunk, several at once, each in a lane of its own.
//!
//! Made once a thread and used for every run; once its buffers have grown it allocates nothing (test:
//! `prop_no_allocation_in_flight`). A lane holds one run: its objects, its place in the mission
//! sequence, its time and step. Each round tries one step of every lane; a lane whose run has ended is
//! loaded with the next run of the chunk. Lanes never look at each other, and the arithmetic of a lane
//! is the same in every position and width, so a run's bits depend on its number alone (test:
//! `prop_a_run_has_the_same_bits_in_any_lane`).

mod bundle;
mod burning;
mod commands;
mod ephemerides;
mod judge;
mod lane;
mod leg;
mod matrices;
mod random;
mod rows;
mod search;
mod target;
mod texts;
mod watch;

pub use bundle::Bundle;

use std::ops::Range;
use std::time::{Duration, Instant};

use crate::base::lanes::{Vectors, WIDTH};
use crate::base::outcome::Failure;
use crate::base::run::FinishedRun;
use crate::integrators::trial::TrialStep;
use crate::mission::settings::Swept;
use crate::mission::{Column, Mission};
use lane::Lane;

/// How many rounds are flown between two looks at the clock.
const ROUNDS: u32 = 64;

/// What is flown and kept: a mission, what every run sets in it, and what every run leaves.
pub struct Flight {
    /// The mission.
    pub mission: Mission,
    /// What every run sets.
    pub swept: Vec<Swept>,
    /// The final values that are kept.
    pub outputs: Vec<Column>,
    /// The most rows of each report that are kept; 0 keeps no rows.
    pub rows_max: usize,
    /// The most trial steps of a run.
    pub steps_max: u64,
    /// The most wall time of a run; the clock is looked at every few steps.
    pub wall_max: Option<Duration>,
}

/// Flies runs of a [`Flight`], up to eight at once.
pub struct Propagator {
    vectors: Vectors,
    trial: TrialStep,
    bundle: Bundle,
    lanes: Vec<Lane>,
    /// The run of each lane, and when the clock was first looked at while it flew.
    clocks: Vec<(Option<u64>, Instant)>,
    values: Vec<f64>,
}

impl Propagator {
    /// A propagator for flights like this one.
    pub fn new(flight: &Flight, vectors: Vectors) -> Self {
        Propagator {
            vectors,
            trial: TrialStep::default(),
            bundle: Bundle::default(),
            lanes: (0..vectors.width()).map(|_| Lane::new(flight)).collect(),
            clocks: vec![(None, Instant::now()); vectors.width()],
            values: vec![0.0; flight.swept.len()],
        }
    }

    /// The same that keeps what ephemeris files are made from; these buffers grow with the flight.
    #[must_use]
    pub fn recording(mut self, flight: &Flight) -> Self {
        self.lanes.iter_mut().for_each(|lane| lane.record(flight));
        self
    }

    /// Flies the runs of a chunk; `values` gives a run's swept values, `finished` gets every run once, in
    /// the order in which they end.
    pub fn fly(
        &mut self,
        flight: &Flight,
        runs: Range<u64>,
        values: impl Fn(u64, &mut [f64]),
        finished: impl FnMut(FinishedRun),
    ) {
        self.fly_while(flight, runs, values, finished, || true);
    }

    /// The same as long as `goes_on` says so, which is asked every few steps; then the runs that have not
    /// ended are given up.
    pub fn fly_while(
        &mut self,
        flight: &Flight,
        mut runs: Range<u64>,
        values: impl Fn(u64, &mut [f64]),
        mut finished: impl FnMut(FinishedRun),
        goes_on: impl Fn() -> bool,
    ) {
        for index in 0..self.lanes.len() {
            self.clocks[index].0 = None;
            self.refill(flight, index, &mut runs, &values, &mut finished);
        }
        let mut round = 0_u32;
        while self.lanes.iter().any(|lane| lane.run.is_some()) {
            round = round.wrapping_add(1);
            if round.is_multiple_of(ROUNDS) {
                if !goes_on() {
                    self.give_up();
                    return;
                }
                if let Some(most) = flight.wall_max {
                    for index in self.past(most) {
                        self.lanes[index].finish(flight, Err(Failure::WallLimit), &mut finished);
                        self.refill(flight, index, &mut runs, &values, &mut finished);
                    }
                }
            }
            // One round for each dynamics that a lane flies; nearly always one.
            for (dynamics_index, dynamics) in flight.mission.dynamics.iter().enumerate() {
                let here: [bool; WIDTH] = std::array::from_fn(|index| {
                    self.lanes.get(index).is_some_and(|lane| {
                        lane.run.is_some() && flight.mission.dynamics_of[lane.leg.propagator()] == dynamics_index
                    })
                });
                if !here.contains(&true) {
                    continue;
                }
                let mut motion = self.bundle.flying(&dynamics.model, &flight.mission, here);
                self.trial.attempt(self.vectors, &dynamics.method, &mut motion, dynamics.error_control);
                drop(motion);
                for index in (0..self.lanes.len()).filter(|&index| here[index]) {
                    let outcome = self.lanes[index].judge(flight, &mut self.trial, &mut self.bundle, index);
                    if let Some(outcome) = outcome {
                        self.lanes[index].finish(flight, outcome, &mut finished);
                        self.refill(flight, index, &mut runs, &values, &mut finished);
                    }
                }
            }
        }
    }

    /// The lanes whose run has flown for longer than so much wall time.
    fn past(&mut self, most: Duration) -> impl Iterator<Item = usize> + use<> {
        let now = Instant::now();
        let mut past = [false; WIDTH];
        for ((lane, clock), past) in self.lanes.iter().zip(&mut self.clocks).zip(&mut past) {
            if clock.0 == lane.run {
                *past = lane.run.is_some() && now - clock.1 > most;
            } else {
                *clock = (lane.run, now);
            }
        }
        past.into_iter().enumerate().filter_map(|(index, past)| past.then_some(index))
    }

    /// Empties all lanes.
    fn give_up(&mut self) {
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            lane.run = None;
            self.trial.idle(index);
        }
    }

    /// Loads a lane with the next run that is not over at its start, or leaves it idle.
    fn refill(
        &mut self,
        flight: &Flight,
        index: usize,
        runs: &mut Range<u64>,
        values: &impl Fn(u64, &mut [f64]),
        finished: &mut impl FnMut(FinishedRun),
    ) {
        let lane = &mut self.lanes[index];
        for run in runs {
            values(run, &mut self.values);
            match lane.start(flight, run, &self.values, &mut self.trial, &mut self.bundle, index) {
                None => return,
                Some(outcome) => lane.finish(flight, outcome, finished),
            }
        }
        lane.run = None;
        self.trial.idle(index);
    }
}

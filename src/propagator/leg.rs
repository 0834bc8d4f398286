//! The flight of one leg, as GMAT flies it: free steps until one passes a condition; that one is taken back,
//! the time of the condition is sought along it ([`super::search`]), and the rest of the way is flown to the
//! microsecond.

use super::Flight;
use super::bundle::Bundle;
use super::lane::{Lane, Outcome};
use super::watch::{Count, Ring, Watch};
use crate::astro::constants::DAY;
use crate::astro::coordinates::nobody;
use crate::astro::elements::Cartesian;
use crate::astro::parameters::stops::STOPS;
use crate::base::outcome::Failure;
use crate::integrators::step_control::StepSettings;
use crate::integrators::stepper::{Carry, Progress, StepFailure};
use crate::integrators::trial::TrialStep;
use crate::mission::program::Watched;

/// GMAT's grain of the last step, s.
const TIME_GRAIN: f64 = 1e-6;
/// A time that is this near to its goal has been met before, s.
const TIME_TOLERANCE: f64 = 1e-6;
/// The leg that a lane flies.
#[derive(Clone, Debug, Default)]
pub(super) struct Leg {
    /// Which one of the mission's legs.
    pub(super) number: usize,
    /// Which propagator.
    pub(super) propagator: usize,
    pub(super) spacecraft: usize,
    pub(super) settings: StepSettings,
    pub(super) watches: Vec<Watch>,
    pub(super) phase: Phase,
    /// Seconds of trials accepted since the last whole step, and before the last of them.
    pub(super) flown: f64,
    flown_before: f64,
    /// The last of them.
    last: f64,
    /// The step that passed a condition, s.
    pub(super) step: f64,
    /// The conditions that were met in it, and for those looked at already the time, s.
    pub(super) met: Vec<(usize, f64)>,
    /// How many of them have been looked at.
    pub(super) looked_at: usize,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Phase {
    /// One step, as long as the accuracy allows.
    Single,
    /// Steps as long as the accuracy allows, until one passes a goal.
    #[default]
    Free,
    /// Quarters of the step that passed a goal, in search of it.
    Ring { ring: Ring, steps: u32 },
    /// The first flight to the time of a condition.
    First { watch: usize, seconds: f64 },
    /// Secants from two places (s, value).
    Secant { watch: usize, old: (f64, f64), new: f64, trials: u32 },
    /// Halves of a stretch: its ends (s), the value at its start.
    Halving { watch: usize, start: (f64, f64), end: f64, trials: u32 },
    /// The last flight, which is published.
    Last { watch: usize },
}

/// A condition that ends a leg.
pub(super) enum Step {
    /// The leg goes on.
    On,
    /// The leg has ended where the spacecraft is now.
    Done,
}

pub(super) fn rounded(seconds: f64) -> f64 {
    (seconds / TIME_GRAIN + 0.5).floor() * TIME_GRAIN
}

fn array(state: &Cartesian) -> [f64; 6] {
    let ([x, y, z], [vx, vy, vz]) = (state.r, state.v);
    [x, y, z, vx, vy, vz]
}

fn cartesian([x, y, z, vx, vy, vz]: [f64; 6]) -> Cartesian {
    Cartesian { r: [x, y, z], v: [vx, vy, vz] }
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
        let dynamics = &mission.dynamics[mission.dynamics_of[leg.propagator]];
        self.first_row(flight, leg.spacecraft);
        let live = &mut self.spacecraft[leg.spacecraft];
        if live.center != dynamics.model.center {
            live.state = mission.world.moved(live.state, live.center, dynamics.model.center, live.epoch);
            live.center = dynamics.model.center;
        }
        let direction = if leg.backwards { -1.0 } else { 1.0 };
        self.leg.number = number;
        self.leg.spacecraft = leg.spacecraft;
        let mut watches = std::mem::take(&mut self.leg.watches);
        watches.clear();
        let mut at_its_end = false;
        for condition in &leg.conditions {
            let watch = self.watch(flight, number, &condition.watched, condition.goal, direction)?;
            at_its_end |= matches!(condition.watched, Watched::Elapsed { .. }) && watch.goal == watch.before;
            watches.push(watch);
        }
        self.leg.watches = watches;
        if at_its_end {
            self.remember_end(flight, None);
            return Ok(false); // met where it starts: GMAT takes no step
        }
        let settings = self.objects.steps[leg.propagator];
        let carry = self.carries[number].unwrap_or(Carry::new(direction * settings.initial_step));
        self.leg.propagator = leg.propagator;
        self.leg.settings = settings;
        self.leg.phase = if leg.conditions.is_empty() { Phase::Single } else { Phase::Free };
        (self.leg.flown, self.leg.flown_before) = (0.0, 0.0);
        let live = &self.spacecraft[leg.spacecraft];
        trial.begin(index, &dynamics.method, &settings, &array(&live.state), carry);
        bundle.start[index] = live.epoch;
        bundle.load(index, &self.objects.spacecraft[leg.spacecraft]);
        Ok(true)
    }

    /// What is remembered of a condition at the start of a leg.
    #[allow(clippy::float_cmp)] // see the module: GMAT's own comparisons
    fn watch(
        &mut self,
        flight: &Flight,
        number: usize,
        watched: &Watched,
        goal: usize,
        direction: f64,
    ) -> Result<Watch, Failure> {
        let spacecraft = flight.mission.legs[number].spacecraft;
        let before = self.watched(flight, watched);
        let mut goal = self.formula(flight, goal);
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
        watch.resting = near && self.ended[spacecraft].contains(watched);
        Ok(watch)
    }

    /// The value of what a condition watches, now.
    fn watched(&self, flight: &Flight, watched: &Watched) -> f64 {
        let live = &self.spacecraft[self.leg.spacecraft];
        match *watched {
            Watched::Elapsed { unit } => live.gmat_elapsed(unit),
            Watched::Date(scale) => {
                if scale == crate::astro::epoch::Scale::A1 {
                    live.date()
                } else {
                    live.now().mjd(scale)
                }
            }
            Watched::Apsis { stop, system } => {
                let state = flight.mission.systems[system].of_inertial(
                    &flight.mission.world,
                    live.state,
                    live.center,
                    live.now(),
                    &nobody,
                );
                (STOPS[stop].value)(&state)
            }
            Watched::Input { input, .. } => self.value(flight, flight.mission.formulas.inputs[input]),
        }
    }

    /// The values of conditions where a trial has led, `seconds` after the last whole step; the spacecraft stays.
    pub(super) fn trial_value(&mut self, flight: &Flight, watch: usize, state: [f64; 6], seconds: f64) -> f64 {
        let spacecraft = self.leg.spacecraft;
        let kept = self.spacecraft[spacecraft];
        let live = &mut self.spacecraft[spacecraft];
        live.state = cartesian(state);
        live.t += seconds;
        let value = self.watched(flight, &flight.mission.legs[self.leg.number].conditions[watch].watched);
        self.spacecraft[spacecraft] = kept;
        value
    }

    /// Judges the trial step of this lane; `Some` when the run is over.
    pub(super) fn judge(
        &mut self,
        flight: &Flight,
        trial: &mut TrialStep,
        bundle: &mut Bundle,
        index: usize,
    ) -> Option<Outcome> {
        if self.steps >= flight.steps_max {
            return Some(Err(Failure::StepLimit));
        }
        self.steps += 1;
        if bundle.outside & (1 << index) != 0 {
            return Some(Err(Failure::EphemerisSpan));
        }
        if !trial.is_finite(index) {
            let below = bundle.below & (1 << index) != 0;
            return Some(Err(if below { Failure::BelowAtmosphere } else { Failure::NotFinite }));
        }
        let method = &flight.mission.dynamics[flight.mission.dynamics_of[self.leg.propagator]].method;
        let step = match trial.judge(index, method, &self.leg.settings) {
            Progress::Rejected => Step::On,
            Progress::Moved { taken } => {
                self.leg.flown += taken;
                self.leg.flown_before = self.leg.flown;
                Step::On
            }
            Progress::Whole { taken } => {
                self.leg.flown_before = self.leg.flown;
                self.leg.flown += taken;
                self.leg.last = taken;
                self.whole(flight, trial, index)
            }
            Progress::Failed(StepFailure::AccuracyViolated) => return Some(Err(Failure::AccuracyViolated)),
            Progress::Failed(StepFailure::StepAttempts) => return Some(Err(Failure::StepAttempts)),
        };
        if let Step::Done = step {
            self.carries[self.leg.number] = Some(trial.carry(index));
            let live = &mut self.spacecraft[self.leg.spacecraft];
            live.epoch = live.epoch.plus(live.t);
            live.gmat_mjd += live.t / DAY;
            live.t = 0.0;
            return self.go_on(flight, trial, bundle, index);
        }
        let live = &self.spacecraft[self.leg.spacecraft];
        bundle.start[index] = live.epoch.plus(live.t + self.leg.flown);
        None
    }

    /// A step or a span is whole: the trial's state is `flown` seconds after the spacecraft's.
    fn whole(&mut self, flight: &Flight, trial: &mut TrialStep, index: usize) -> Step {
        let flown = self.leg.flown;
        match self.leg.phase {
            Phase::Single => {
                self.publish(flight, trial, index);
                self.ended[self.leg.spacecraft].clear();
                Step::Done
            }
            Phase::Free => self.free_step(flight, trial, index),
            Phase::Ring { ring, steps } => self.ring_step(flight, trial, index, ring, steps),
            Phase::First { watch, seconds } => {
                if let Count::Time { .. } = self.leg.watches[watch].count {
                    return self.arrive(flight, trial, index, watch);
                }
                let value = self.value_near(flight, watch, trial.state_of(index), flown);
                if (self.leg.watches[watch].goal - value).abs() <= self.tolerance(flight) {
                    return self.arrive(flight, trial, index, watch);
                }
                let before = self.leg.watches[watch].wrapped(self.leg.watches[watch].before);
                self.secant(flight, trial, index, watch, (0.0, before), (seconds, value), 0)
            }
            Phase::Secant { watch, old, new, trials } => {
                let value = self.value_near(flight, watch, trial.state_of(index), flown);
                if (self.leg.watches[watch].goal - value).abs() < self.tolerance(flight) {
                    return self.last(flight, trial, index, watch, new);
                }
                self.secant(flight, trial, index, watch, old, (new, value), trials)
            }
            Phase::Halving { watch, start, end, trials } => self.halve(flight, trial, index, watch, start, end, trials),
            Phase::Last { watch } => self.arrive(flight, trial, index, watch),
        }
    }

    pub(super) fn tolerance(&self, flight: &Flight) -> f64 {
        flight.mission.legs[self.leg.number].tolerance
    }

    pub(super) fn value_near(&mut self, flight: &Flight, watch: usize, state: [f64; 6], seconds: f64) -> f64 {
        let value = self.trial_value(flight, watch, state, seconds);
        self.leg.watches[watch].wrapped(value)
    }

    fn free_step(&mut self, flight: &Flight, trial: &mut TrialStep, index: usize) -> Step {
        let (flown, state) = (self.leg.flown, trial.state_of(index));
        let tolerance = self.first_tolerances[self.leg.number];
        self.leg.met.clear();
        for watch in 0..self.leg.watches.len() {
            let value = self.trial_value(flight, watch, state, flown);
            if self.leg.watches[watch].is_met(value, tolerance) {
                self.leg.met.push((watch, f64::NAN));
            }
        }
        if self.leg.met.is_empty() {
            self.publish(flight, trial, index);
            return Step::On;
        }
        // values of the conditions that were not met are those after the step that is taken back: they are
        // looked at no more
        self.leg.step = flown;
        self.leg.looked_at = 0;
        // where a step was made of several trials GMAT takes the clock back by the last of them only
        self.spacecraft[self.leg.spacecraft].t += self.leg.flown_before;
        self.back(trial, index);
        self.look(flight, trial, index)
    }

    /// The spacecraft is where the trial has led, and a row is written.
    fn publish(&mut self, flight: &Flight, trial: &TrialStep, index: usize) {
        let live = &mut self.spacecraft[self.leg.spacecraft];
        live.state = cartesian(trial.state_of(index));
        // one addition a trial, as GMAT's clock
        live.t += self.leg.flown_before;
        live.t += self.leg.last;
        (self.leg.flown, self.leg.flown_before) = (0.0, 0.0);
        let date = live.date();
        self.row(flight, date);
    }

    /// Back to before the step that passed a condition.
    pub(super) fn back(&mut self, trial: &mut TrialStep, index: usize) {
        let live = &self.spacecraft[self.leg.spacecraft];
        trial.take_back(index, &array(&live.state));
        (self.leg.flown, self.leg.flown_before) = (0.0, 0.0);
    }

    pub(super) fn span(
        &mut self,
        flight: &Flight,
        trial: &mut TrialStep,
        index: usize,
        seconds: f64,
        phase: Phase,
    ) -> Step {
        let method = &flight.mission.dynamics[flight.mission.dynamics_of[self.leg.propagator]].method;
        self.leg.phase = phase;
        trial.span(index, method, &self.leg.settings, seconds);
        Step::On
    }

    /// The condition is met here.
    fn arrive(&mut self, flight: &Flight, trial: &mut TrialStep, index: usize, watch: usize) -> Step {
        self.publish(flight, trial, index);
        self.remember_end(flight, Some(watch));
        Step::Done
    }

    /// Remembers which conditions ended the leg: the one that did, and all that stand at their goals.
    pub(super) fn remember_end(&mut self, flight: &Flight, ended_by: Option<usize>) {
        let (number, spacecraft) = (self.leg.number, self.leg.spacecraft);
        let tolerance = self.tolerance(flight);
        self.ended[spacecraft].clear();
        for watch in 0..self.leg.watches.len() {
            let watched = flight.mission.legs[number].conditions[watch].watched;
            let value = self.watched(flight, &watched);
            let Watch { goal, .. } = self.leg.watches[watch];
            let distance = (goal - self.leg.watches[watch].wrapped(value)).abs();
            if ended_by == Some(watch) {
                self.first_tolerances[number] = 10.0 * distance.max(tolerance);
            }
            if ended_by == Some(watch) || distance <= tolerance {
                self.ended[spacecraft].push(watched);
            }
        }
    }
}

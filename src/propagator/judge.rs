//! The flight of one leg, as GMAT flies it: free steps until one passes a condition; that one is taken back,
//! the time of the condition is sought along it ([`super::search`]), and the rest of the way is flown to the
//! microsecond.

use super::Flight;
use super::bundle::Bundle;
use super::lane::{Lane, Outcome};
use super::leg::{Action, Part, Reached, array, cartesian};
use super::search::Phase;
use super::watch::{Count, Watch};
use crate::astro::constants::DAY;
use crate::base::outcome::Failure;
use crate::integrators::stepper::{Progress, StepFailure};
use crate::integrators::trial::TrialStep;

/// What a whole step has come to.
pub(super) enum Step {
    /// The leg goes on: with another trial of what is under way, or with what [`Lane::fly`] was told.
    On,
    /// The leg has ended where the spacecraft are now.
    Done,
}

impl Lane {
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
        if let Some(failure) = bundle.burn_failure(index) {
            return Some(Err(failure));
        }
        if !trial.is_finite(index) {
            let below = bundle.below & (1 << index) != 0;
            return Some(Err(if below { Failure::BelowAtmosphere } else { Failure::NotFinite }));
        }
        let method = &flight.mission.dynamics[flight.mission.dynamics_of[self.leg.propagator()]].method;
        let progress = trial.judge(index, method, &self.objects.steps[self.leg.propagator()]);
        let part = &mut self.leg.parts[self.leg.part];
        let step = match progress {
            Progress::Rejected => Step::On,
            Progress::Moved { taken } => {
                part.flown += taken;
                part.flown_before = part.flown;
                Step::On
            }
            Progress::Whole { taken } => {
                part.flown_before = part.flown;
                part.flown += taken;
                part.last = taken;
                self.part_whole(flight, trial, bundle, index)
            }
            Progress::Failed(StepFailure::AccuracyViolated) => return Some(Err(Failure::AccuracyViolated)),
            Progress::Failed(StepFailure::StepAttempts) => return Some(Err(Failure::StepAttempts)),
        };
        if let Step::Done = step {
            self.rest(trial, index);
            self.keep_carries(flight);
            self.synchronize(flight);
            for reached in &self.leg.reached {
                let live = &mut self.spacecraft[reached.spacecraft];
                live.epoch = live.epoch.plus(live.t);
                live.gmat_mjd += live.t / DAY;
                live.t = 0.0;
            }
            return self.go_on(flight, trial, bundle, index);
        }
        let part = &self.leg.parts[self.leg.part];
        let live = &self.spacecraft[self.leg.reached[part.first].spacecraft];
        bundle.start[index] = live.epoch.plus(live.t + part.flown);
        bundle.follow_masses(index, trial, part.count);
        None
    }

    /// The followers of a synchronized leg have flown as long as the leader, by its clock.
    fn synchronize(&mut self, flight: &Flight) {
        if flight.mission.legs[self.leg.number].synchronized {
            let leader = self.spacecraft[self.leg.reached[0].spacecraft].t;
            for reached in &self.leg.reached[1..] {
                self.spacecraft[reached.spacecraft].t = leader;
            }
        }
    }

    /// A part has done what the leg is doing: the next part does, and after the last of them the leg goes on.
    #[inline(always)]
    fn part_whole(&mut self, flight: &Flight, trial: &mut TrialStep, bundle: &mut Bundle, index: usize) -> Step {
        let number = self.leg.part;
        let Part { first, count, flown, .. } = self.leg.parts[number];
        for (slot, reached) in self.leg.reached[first..first + count].iter_mut().enumerate() {
            reached.state = trial.state_in(index, slot);
        }
        bundle.follow_masses(index, trial, count);
        self.keep_tanks(flight, bundle, index);
        let alone = self.leg.parts.len() == 1;
        if alone {
            return self.whole(flight, trial, index);
        }
        self.rest(trial, index);
        let synchronized = flight.mission.legs[self.leg.number].synchronized;
        if number + 1 < self.leg.parts.len() {
            if number == 0 && self.leg.action == Action::Free && synchronized {
                (self.leg.action, self.leg.led) = (Action::Span(flown), true);
            }
            self.leg.part += 1;
            self.enter(flight, trial, bundle, index);
            return Step::On;
        }
        if self.leg.led {
            (self.leg.action, self.leg.led) = (Action::Free, false);
        }
        let step = self.whole(flight, trial, index);
        if let Step::On = step {
            self.leg.part = 0;
            self.enter(flight, trial, bundle, index);
        }
        step
    }

    /// A step or a span of all parts is whole.
    #[inline(always)]
    fn whole(&mut self, flight: &Flight, trial: &mut TrialStep, index: usize) -> Step {
        match self.leg.phase {
            Phase::Single => {
                self.publish(flight);
                for reached in &self.leg.reached {
                    self.ended[reached.spacecraft].clear();
                }
                Step::Done
            }
            Phase::Free => self.free_step(flight, trial, index),
            Phase::Ring { ring, steps } => self.ring_step(flight, trial, index, ring, steps),
            Phase::First { watch, seconds } => {
                if let Count::Time { .. } = self.leg.watches[watch].count {
                    return self.arrive(flight, watch);
                }
                let value = self.value_near(flight, watch);
                if (self.leg.watches[watch].goal - value).abs() <= self.tolerance(flight) {
                    return self.arrive(flight, watch);
                }
                let before = self.leg.watches[watch].wrapped(self.leg.watches[watch].before);
                self.secant(flight, trial, index, watch, (0.0, before), (seconds, value), 0)
            }
            Phase::Secant { watch, old, new, trials } => {
                let value = self.value_near(flight, watch);
                if (self.leg.watches[watch].goal - value).abs() < self.tolerance(flight) {
                    return self.last(flight, trial, index, watch, new);
                }
                self.secant(flight, trial, index, watch, old, (new, value), trials)
            }
            Phase::Halving { watch, start, end, trials } => self.halve(flight, trial, index, watch, start, end, trials),
            Phase::Last { watch } => self.arrive(flight, watch),
        }
    }

    pub(super) fn tolerance(&self, flight: &Flight) -> f64 {
        flight.mission.legs[self.leg.number].tolerance
    }

    /// The value of a condition where the trials have led; the spacecraft stay.
    #[inline]
    pub(super) fn trial_value(&mut self, flight: &Flight, watch: usize) -> f64 {
        if let [Reached { spacecraft, part, state }] = self.leg.reached[..]
            && self.tanks.is_empty()
        {
            // one spacecraft without fuel: nearly always
            let live = &mut self.spacecraft[spacecraft];
            let before = (live.state, live.t);
            live.state = cartesian(state);
            live.t += self.leg.parts[part].flown;
            let value = self.watched(flight, &flight.mission.legs[self.leg.number].conditions[watch]);
            let live = &mut self.spacecraft[spacecraft];
            (live.state, live.t) = before;
            return value;
        }
        let mut kept = std::mem::take(&mut self.kept);
        kept.clear();
        for reached in &self.leg.reached {
            let live = &mut self.spacecraft[reached.spacecraft];
            kept.push(*live);
            live.state = cartesian(reached.state);
            live.t += self.leg.parts[reached.part].flown;
        }
        std::mem::swap(&mut self.objects.tanks, &mut self.tanks);
        let value = self.watched(flight, &flight.mission.legs[self.leg.number].conditions[watch]);
        std::mem::swap(&mut self.objects.tanks, &mut self.tanks);
        for (reached, kept) in self.leg.reached.iter().zip(&kept) {
            self.spacecraft[reached.spacecraft] = *kept;
        }
        self.kept = kept;
        value
    }

    pub(super) fn value_near(&mut self, flight: &Flight, watch: usize) -> f64 {
        let value = self.trial_value(flight, watch);
        self.leg.watches[watch].wrapped(value)
    }

    #[inline(always)]
    fn free_step(&mut self, flight: &Flight, trial: &mut TrialStep, index: usize) -> Step {
        let tolerance = self.first_tolerances[self.leg.number];
        self.leg.met.clear();
        for watch in 0..self.leg.watches.len() {
            let value = self.trial_value(flight, watch);
            if self.leg.watches[watch].is_met(value, tolerance) {
                self.leg.met.push((watch, f64::NAN));
            }
        }
        if self.leg.met.is_empty() {
            self.publish(flight);
            return Step::On;
        }
        // values of the conditions that were not met are those after the step that is taken back: they are
        // looked at no more
        self.leg.step = 0.0;
        for part in &self.leg.parts {
            if part.flown.abs() > self.leg.step.abs() {
                self.leg.step = part.flown;
            }
        }
        self.leg.looked_at = 0;
        // where a step was made of several trials GMAT takes the clock back by the last of them only
        for reached in &self.leg.reached {
            self.spacecraft[reached.spacecraft].t += self.leg.parts[reached.part].flown_before;
        }
        self.back(flight, trial, index);
        self.look(flight, trial, index)
    }

    /// The spacecraft are where the trials have led, and a row is written.
    #[inline(always)]
    fn publish(&mut self, flight: &Flight) {
        for reached in &self.leg.reached {
            let part = &self.leg.parts[reached.part];
            let live = &mut self.spacecraft[reached.spacecraft];
            live.state = cartesian(reached.state);
            // one addition a trial, as GMAT's clock
            live.t += part.flown_before;
            live.t += part.last;
        }
        if !self.tanks.is_empty() {
            self.objects.tanks.clone_from(&self.tanks);
        }
        for part in &mut self.leg.parts {
            (part.flown, part.flown_before) = (0.0, 0.0);
        }
        let date = self.spacecraft[self.leg.reached[0].spacecraft].date();
        self.row(flight, date);
        self.record_states(flight);
    }

    /// Back to before the step that passed a condition.
    pub(super) fn back(&mut self, flight: &Flight, trial: &mut TrialStep, index: usize) {
        for part in &mut self.leg.parts {
            (part.flown, part.flown_before) = (0.0, 0.0);
        }
        if !self.tanks.is_empty() {
            self.tanks.clone_from(&self.objects.tanks);
        }
        for reached in &mut self.leg.reached {
            reached.state = array(&self.spacecraft[reached.spacecraft].state);
        }
        if let [part] = self.leg.parts[..] {
            for slot in 0..part.count {
                let spacecraft = self.leg.reached[part.first + slot].spacecraft;
                trial.set_state(index, slot, &self.leg.reached[part.first + slot].state);
                trial.set_mass(index, slot, self.total_mass(flight, spacecraft));
            }
            let method = &flight.mission.dynamics[flight.mission.dynamics_of[part.propagator]].method;
            trial.forget_step(index, method);
        }
    }

    /// All parts fly so many seconds next.
    pub(super) fn span(
        &mut self,
        flight: &Flight,
        trial: &mut TrialStep,
        index: usize,
        seconds: f64,
        phase: Phase,
    ) -> Step {
        self.leg.phase = phase;
        self.leg.action = Action::Span(seconds);
        if let [part] = self.leg.parts[..] {
            let method = &flight.mission.dynamics[flight.mission.dynamics_of[part.propagator]].method;
            trial.span(index, method, &self.objects.steps[part.propagator], seconds);
        }
        Step::On
    }

    /// The condition is met here.
    #[inline]
    fn arrive(&mut self, flight: &Flight, watch: usize) -> Step {
        self.publish(flight);
        self.remember_end(flight, Some(watch));
        Step::Done
    }

    /// Remembers which conditions ended the leg: the one that did, and all that stand at their goals.
    pub(super) fn remember_end(&mut self, flight: &Flight, ended_by: Option<usize>) {
        let number = self.leg.number;
        let tolerance = self.tolerance(flight);
        for reached in &self.leg.reached {
            self.ended[reached.spacecraft].clear();
        }
        for watch in 0..self.leg.watches.len() {
            let condition = &flight.mission.legs[number].conditions[watch];
            let value = self.watched(flight, condition);
            let Watch { goal, .. } = self.leg.watches[watch];
            let distance = (goal - self.leg.watches[watch].wrapped(value)).abs();
            if ended_by == Some(watch) {
                self.first_tolerances[number] = 10.0 * distance.max(tolerance);
            }
            if ended_by == Some(watch) || distance <= tolerance {
                self.ended[condition.spacecraft].push(condition.watched);
            }
        }
    }
}

//! The search for the time of a condition along the step that has passed it, as GMAT does it.
//!
//! A condition that is a time is met exactly. Any other is first found by a spline through its values at
//! quarters of the step ([`Ring`]), then, where that is not within the tolerance, by secants, each trial flown from
//! before the step; beyond 1.1 steps by halving. Trials are steps of the bundle like all others: while one lane
//! searches, its neighbours fly on.

use super::Flight;
use super::judge::Step;
use super::lane::Lane;
use super::watch::{Count, Ring, Watch};
use crate::integrators::trial::TrialStep;

/// GMAT's grain of the last step, s.
const TIME_GRAIN: f64 = 1e-6;
/// How many quarters of a step the search for a condition may fly.
const RING_STEPS: u32 = 8;
/// How many trials a search may take.
const TRIALS: u32 = 50;
/// How far a secant may go, in steps.
const BRACKET: f64 = 1.1;

/// What a leg is about.
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

fn rounded(seconds: f64) -> f64 {
    (seconds / TIME_GRAIN + 0.5).floor() * TIME_GRAIN
}

impl Lane {
    /// Looks for the time of the next condition that was met; after the last of them flies to the first one.
    pub(super) fn look(&mut self, flight: &Flight, trial: &mut TrialStep, index: usize) -> Step {
        while let Some(&(watch, _)) = self.leg.met.get(self.leg.looked_at) {
            let Watch { goal, before, count, .. } = self.leg.watches[watch];
            if let Count::Time { unit } = count {
                self.leg.met[self.leg.looked_at].1 = (goal - before) * unit;
                self.leg.looked_at += 1;
                continue;
            }
            let mut ring = Ring::default();
            ring.push(0.0, self.leg.watches[watch].wrapped(before));
            return self.span(flight, trial, index, self.leg.step / 4.0, Phase::Ring { ring, steps: 0 });
        }
        let mut first = self.leg.met[0];
        for &candidate in &self.leg.met[1..] {
            if candidate.1.abs() < first.1.abs() {
                first = candidate;
            }
        }
        let (watch, time) = first;
        let seconds = rounded(time);
        if seconds == 0.0 {
            self.remember_end(flight, Some(watch));
            return Step::Done;
        }
        self.span(flight, trial, index, seconds, Phase::First { watch, seconds })
    }

    pub(super) fn ring_step(
        &mut self,
        flight: &Flight,
        trial: &mut TrialStep,
        index: usize,
        mut ring: Ring,
        steps: u32,
    ) -> Step {
        let (watch, _) = self.leg.met[self.leg.looked_at];
        let flown = self.leg.parts[0].flown;
        let value = self.trial_value(flight, watch);
        if let Some(near) = self.leg.watches[watch].near(value) {
            ring.push(flown, near);
        }
        let steps = steps + 1;
        let time = ring.time_of(self.leg.watches[watch].goal);
        if time.is_none() && steps < RING_STEPS {
            return self.span(flight, trial, index, self.leg.step / 4.0, Phase::Ring { ring, steps });
        }
        // where no spline has found it, the whole step is a start for the secants
        self.leg.met[self.leg.looked_at].1 = time.unwrap_or(self.leg.step);
        self.leg.looked_at += 1;
        self.back(flight, trial, index);
        self.look(flight, trial, index)
    }

    #[allow(clippy::too_many_arguments)] // the two places of a secant
    pub(super) fn secant(
        &mut self,
        flight: &Flight,
        trial: &mut TrialStep,
        index: usize,
        watch: usize,
        old: (f64, f64),
        new: (f64, f64),
        trials: u32,
    ) -> Step {
        self.back(flight, trial, index);
        let goal = self.leg.watches[watch].goal;
        let next = new.0 + (goal - new.1) * (new.0 - old.0) / (new.1 - old.1);
        if trials >= TRIALS {
            return self.last_flight(flight, trial, index, watch, new.0);
        }
        if !next.is_finite() || next.abs() > (BRACKET * self.leg.step).abs() {
            let before = self.leg.watches[watch].wrapped(self.leg.watches[watch].before);
            let end = BRACKET * self.leg.step;
            let phase = Phase::Halving { watch, start: (0.0, before), end, trials: 0 };
            return self.span(flight, trial, index, end / 2.0, phase);
        }
        if next == 0.0 {
            return self.last_flight(flight, trial, index, watch, 0.0);
        }
        self.span(flight, trial, index, next, Phase::Secant { watch, old: new, new: next, trials: trials + 1 })
    }

    #[allow(clippy::too_many_arguments)] // the stretch that is halved
    pub(super) fn halve(
        &mut self,
        flight: &Flight,
        trial: &mut TrialStep,
        index: usize,
        watch: usize,
        start: (f64, f64),
        end: f64,
        trials: u32,
    ) -> Step {
        let middle = f64::midpoint(start.0, end);
        let value = self.value_near(flight, watch);
        let goal = self.leg.watches[watch].goal;
        if (goal - value).abs() < self.tolerance(flight) || trials >= TRIALS {
            return self.last(flight, trial, index, watch, middle);
        }
        let (start, end) =
            if (start.1 - goal) * (value - goal) < 0.0 { (start, middle) } else { ((middle, value), end) };
        self.back(flight, trial, index);
        let phase = Phase::Halving { watch, start, end, trials: trials + 1 };
        self.span(flight, trial, index, f64::midpoint(start.0, end), phase)
    }

    pub(super) fn last(
        &mut self,
        flight: &Flight,
        trial: &mut TrialStep,
        index: usize,
        watch: usize,
        seconds: f64,
    ) -> Step {
        self.back(flight, trial, index);
        self.last_flight(flight, trial, index, watch, seconds)
    }

    fn last_flight(
        &mut self,
        flight: &Flight,
        trial: &mut TrialStep,
        index: usize,
        watch: usize,
        seconds: f64,
    ) -> Step {
        let seconds = rounded(seconds);
        if seconds == 0.0 {
            self.remember_end(flight, Some(watch));
            return Step::Done;
        }
        self.span(flight, trial, index, seconds, Phase::Last { watch })
    }
}

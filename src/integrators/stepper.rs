//! What becomes of a trial step of one lane: GMAT's loops around its integrators, as a state machine.
//!
//! A *step* is what GMAT's `Propagator::Step()` takes: one accepted trial, but for the start of a multistep
//! method, where the starter may need several. A *span* is a flight of a given length, `Step(dt)`: GMAT's
//! last step to a stop condition. No numbers of the orbit pass through here; the state lives in
//! [`super::trial::TrialStep`].
//!
//! GMAT's rules beyond those of [`StepSettings`], all measured on it or read in it:
//! - Error 0: the step is kept as long as it is; `RungeKutta68` alone goes to the longest.
//! - A span of a Runge-Kutta method tries all that is left each time, and may take `MaxStepAttempts` + 1
//!   steps; one of `RungeKutta68` ends only when nothing is left, to the bit.
//! - `AdamsBashforthMoulton`: the first three steps, and those after each change of the step size, are flown
//!   by `RungeKutta89` in spans of the step size, with `MinStep` holding even at the end and 50 attempts
//!   each. A running step is rejected where error > accuracy; it changes the step size where error >
//!   accuracy or error < `LowerError`: h <- h (target/error)^(1/4), at most doubled after an accepted step.
//!   In a span, of n equal steps, h is halved until it is not longer than that, or doubled if an even number
//!   of steps is left. At `MinStep` both too large and too small an error violate the accuracy.

use super::method::Method;
use super::multistep::Change;
use super::root::root;
use super::step_control::{SAFETY, StepSettings, Verdict};

/// What may be left of a span, s.
const TIME_LEFT_MIN: f64 = 1e-12;
/// GMAT never tells the starter of a multistep method the script's `MaxStepAttempts`.
const STARTER_ATTEMPTS: u32 = 50;
/// Steps that a multistep method leaves to its starter.
const STARTER_STEPS: usize = 3;
/// Tolerance of GMAT's comparison with the smallest step.
const SAME: f64 = 1e-15;

/// What a Propagate hands to the next time the same command is flown (in a loop), and how it begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carry {
    /// The step size to begin with, s; negative backwards.
    pub step: f64,
    /// Trials that were not followed by a good step; they count on.
    attempts: u32,
}

impl Carry {
    /// The first time: `InitialStepSize`, negative backwards.
    pub fn new(initial_step: f64) -> Self {
        Carry { step: initial_step, attempts: 0 }
    }
}

/// What became of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// Nothing has changed; the next trial is another one.
    Rejected,
    /// The state has moved by `taken` s, but the step or the span is not whole yet.
    Moved {
        /// Seconds flown by this trial.
        taken: f64,
    },
    /// The state has moved by `taken` s, and the step or the span is whole.
    Whole {
        /// Seconds flown by this trial.
        taken: f64,
    },
    /// The run cannot go on.
    Failed(StepFailure),
}

/// Why a lane cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepFailure {
    /// At the smallest step the error is outside its bounds, and the script says to stop there.
    #[error("the accuracy cannot be met with the smallest step")]
    AccuracyViolated,
    /// `MaxStepAttempts` trials without a good step.
    #[error("too many attempts at one step")]
    StepAttempts,
}

/// A decision: what became of the trial, and what the history of the lane does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Decision {
    pub(super) progress: Progress,
    pub(super) change: Change,
}

/// A trial, as it is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Trial {
    /// Its length, s.
    pub(super) h: f64,
    pub(super) error: f64,
    /// (accuracy / error)^(1/order).
    pub(super) growth: f64,
}

/// The start of a multistep method.
#[derive(Clone, Copy, Debug)]
struct Start {
    /// Steps made so far.
    count: usize,
    /// What is left of the one that is made.
    left: f64,
    /// Its trial's length.
    h: f64,
    /// Accepted trials of it.
    trials: u32,
    attempts: u32,
}

/// The step control of one lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stepper {
    /// GMAT's step size: that of the next step, before it is bounded.
    h: f64,
    /// What is left of a span; none in free flight.
    left: Option<f64>,
    /// +1 or -1: the direction of the span.
    sign: f64,
    /// Accepted trials of the span.
    trials: u32,
    attempts: u32,
    /// While a multistep method starts.
    start: Option<Start>,
}

impl Stepper {
    /// A lane that flies nothing.
    pub(super) const IDLE: Stepper = Stepper { h: 0.0, left: None, sign: 1.0, trials: 0, attempts: 0, start: None };

    /// A lane at the begin of a Propagate, in free flight.
    pub(super) fn new(method: &Method, carry: Carry) -> Self {
        let mut stepper = Stepper { h: carry.step, attempts: carry.attempts, ..Stepper::IDLE };
        if let Method::Multistep(_) = method {
            stepper.restart();
        }
        stepper
    }

    /// What the next Propagate of the same command begins with.
    pub(super) fn carry(&self) -> Carry {
        Carry { step: self.h, attempts: self.attempts }
    }

    /// Whether the next trial belongs to the starter.
    pub(super) fn is_starting(&self) -> bool {
        self.start.is_some()
    }

    /// From here on exactly `seconds`, not zero.
    #[allow(clippy::float_cmp)] // GMAT's own comparison: any difference restarts
    pub(super) fn span(&mut self, method: &Method, seconds: f64) {
        self.left = Some(seconds);
        self.trials = 0;
        if let Method::Multistep(_) = method {
            if seconds.abs() < self.h.abs() {
                self.h = seconds;
                self.restart();
            } else if seconds.abs() != self.h.abs() {
                let steps = (seconds / self.h).abs();
                if (steps - steps.trunc()).abs() > TIME_LEFT_MIN {
                    self.h = seconds / (steps + 1.0).trunc();
                    self.restart();
                }
            }
            self.sign = if self.h > 0.0 { 1.0 } else { -1.0 };
        } else {
            self.h = seconds;
        }
    }

    /// The length of the next trial; that of a running multistep method is not bounded.
    pub(super) fn trial(&self, method: &Method, settings: &StepSettings) -> f64 {
        match (method, self.start, self.left) {
            (_, Some(start), _) => settings.bounded(start.h),
            (Method::Multistep(_), None, _) => self.h,
            (_, None, Some(_)) => settings.not_too_long(self.h),
            (_, None, None) => settings.bounded(self.h),
        }
    }

    /// Judges a trial; `growth` counts for single-step methods, and is (accuracy / error)^(1/order) there.
    pub(super) fn judge(&mut self, method: &Method, settings: &StepSettings, trial: Trial) -> Decision {
        let Trial { h, error, .. } = trial;
        match (method, self.start) {
            (Method::Multistep(multistep), Some(start)) => {
                self.judge_start(settings, start, h, error, multistep.starter.order)
            }
            (Method::Multistep(_), None) => self.judge_running(settings, h, error, method.order()),
            _ => Decision { progress: self.judge_single(method, settings, trial), change: Change::Keep },
        }
    }

    #[allow(clippy::float_cmp)] // RungeKutta68 asks for nothing left at all
    fn judge_single(&mut self, method: &Method, settings: &StepSettings, trial: Trial) -> Progress {
        let Trial { h, error, growth } = trial;
        let nystrom = matches!(method, Method::Nystrom(_));
        match settings.judge(h, error, growth, method.order()) {
            Verdict::Violated => return Progress::Failed(StepFailure::AccuracyViolated),
            Verdict::Rejected(shorter) => {
                self.h = shorter;
                self.attempts += 1;
                let last = self.attempts >= settings.max_attempts;
                return if last { Progress::Failed(StepFailure::StepAttempts) } else { Progress::Rejected };
            }
            Verdict::Accepted(next) => {
                self.h = if nystrom && error == 0.0 { SAFETY * h * growth } else { next };
            }
        }
        self.attempts = 0;
        let Some(left) = self.left else { return Progress::Whole { taken: h } };
        if left == h || !nystrom && (left - h).abs() <= TIME_LEFT_MIN {
            self.left = None;
            return Progress::Whole { taken: h };
        }
        if !nystrom && self.trials >= settings.max_attempts {
            return Progress::Failed(StepFailure::StepAttempts);
        }
        self.trials += 1;
        self.left = Some(left - h);
        self.h = left - h;
        Progress::Moved { taken: h }
    }

    /// A trial of the starter.
    fn judge_start(
        &mut self,
        settings: &StepSettings,
        mut start: Start,
        h: f64,
        error: f64,
        starter_order: u32,
    ) -> Decision {
        // the derivative at the begin of the step is remembered, not those at the starter's own steps
        let change = if start.trials == 0 { Change::Start(start.count) } else { Change::Keep };
        let failed = |failure| Decision { progress: Progress::Failed(failure), change };
        // the starter's next step is never asked for
        match settings.judge(h, error, 1.0, starter_order) {
            Verdict::Violated => failed(StepFailure::AccuracyViolated),
            Verdict::Rejected(shorter) => {
                start.h = shorter;
                start.attempts += 1;
                self.start = Some(start);
                if start.attempts >= STARTER_ATTEMPTS {
                    return failed(StepFailure::StepAttempts);
                }
                Decision { progress: Progress::Rejected, change }
            }
            Verdict::Accepted(_) => {
                let whole = (start.left - h).abs() <= TIME_LEFT_MIN;
                start.left -= h;
                start.h = start.left;
                start.attempts = 0;
                start.trials += 1;
                self.start = Some(start);
                if !whole {
                    if start.trials > STARTER_ATTEMPTS {
                        return failed(StepFailure::StepAttempts);
                    }
                    return Decision { progress: Progress::Moved { taken: h }, change };
                }
                let count = start.count + 1;
                self.start = (count < STARTER_STEPS).then(|| Start::new(count, self.h));
                let progress = self.multistep_taken(self.h, h);
                if let Progress::Whole { .. } = progress {
                    self.left = None;
                }
                Decision { progress, change }
            }
        }
    }

    /// A trial of a running multistep method.
    fn judge_running(&mut self, settings: &StepSettings, h: f64, error: f64, order: u32) -> Decision {
        self.attempts += 1;
        let accepted = error <= settings.accuracy;
        let mut progress = if accepted { self.multistep_taken(h, h) } else { Progress::Rejected };
        if (!accepted || error < settings.lower_error) && error != 0.0 {
            let left = self.left.unwrap_or(0.0);
            if let Err(failure) = self.adapt(settings, error, order, left) {
                progress = Progress::Failed(failure);
            }
        }
        if self.attempts >= settings.max_attempts {
            progress = Progress::Failed(StepFailure::StepAttempts);
        }
        if self.start.is_none() && accepted {
            self.attempts = 0;
        }
        if let Progress::Whole { .. } = progress {
            self.left = None;
        }
        Decision { progress, change: Change::Push }
    }

    /// A step of length `step` was taken, the last trial of it `taken`.
    fn multistep_taken(&mut self, step: f64, taken: f64) -> Progress {
        let Some(left) = self.left else { return Progress::Whole { taken } };
        let left = left - step;
        self.left = Some(left);
        if left * self.sign > TIME_LEFT_MIN { Progress::Moved { taken } } else { Progress::Whole { taken } }
    }

    /// A new step size for a multistep method.
    #[allow(clippy::float_cmp)] // GMAT compares so
    fn adapt(&mut self, settings: &StepSettings, error: f64, order: u32, left: f64) -> Result<(), StepFailure> {
        let (smallest, longest) = (settings.min_step, settings.max_step);
        if self.h.abs() == smallest {
            return if settings.stop_if_accuracy_is_violated { Err(StepFailure::AccuracyViolated) } else { Ok(()) };
        }
        let mut new = self.h * root(settings.target_error / error, order);
        // positive even backwards, as in GMAT
        if new.abs() < smallest {
            new = smallest;
        }
        if new.abs() > longest {
            new = longest;
        }
        if self.left.is_some() {
            if new.abs() < self.h.abs() {
                while self.h.abs() > new.abs() {
                    self.h /= 2.0;
                }
            } else if new.abs() >= (2.0 * self.h).abs() && (left / (2.0 * self.h)).fract() == 0.0 {
                self.h *= 2.0;
            } else {
                return Ok(());
            }
            while self.h.abs() < smallest {
                self.h *= 2.0;
            }
        } else if error > settings.accuracy {
            if (self.h.abs() - smallest).abs() < SAME {
                return Err(if settings.stop_if_accuracy_is_violated {
                    StepFailure::AccuracyViolated
                } else {
                    StepFailure::StepAttempts
                });
            }
            self.h = new;
            self.attempts += 1;
        } else {
            self.h = if new >= 2.0 * self.h { 2.0 * self.h } else { new };
            self.attempts = 0;
        }
        self.restart();
        Ok(())
    }

    fn restart(&mut self) {
        self.start = Some(Start::new(0, self.h));
    }
}

impl Start {
    fn new(count: usize, step: f64) -> Self {
        Start { count, left: step, h: step, trials: 0, attempts: 0 }
    }
}

#[cfg(test)]
mod tests;

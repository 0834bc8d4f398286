//! The size of the next step: GMAT's rules, lane by lane.
//!
//! Rejected if error > accuracy: h <- 0.9 h (accuracy/error)^(1/(order-1)), not below the minimum.
//! Accepted: h <- 0.9 h (accuracy/error)^(1/order), no growth limit but the maximum. At the minimum a
//! step with too large an error is an error of the run, or is taken where the script says so. An error
//! of exactly zero leaves the step as it is.
//!
//! # References
//! GMAT Mathematical Specification, "Integrators", adaptive step control. Tests: `val_rules_by_hand` here,
//! tests/integrators. What each method does beyond these rules: [`super::stepper`].

use super::root::root;

/// The step settings of a propagator, times in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepSettings {
    /// First step of each Propagate.
    pub initial_step: f64,
    /// Accepted relative error.
    pub accuracy: f64,
    /// Smallest step.
    pub min_step: f64,
    /// Largest step.
    pub max_step: f64,
    /// Trials before a step is given up.
    pub max_attempts: u32,
    /// Whether too large an error at the smallest step ends the run.
    pub stop_if_accuracy_is_violated: bool,
    /// `AdamsBashforthMoulton`: a step with a smaller error makes the next ones longer.
    pub lower_error: f64,
    /// `AdamsBashforthMoulton`: the error that a new step size aims at.
    pub target_error: f64,
}

/// GMAT's defaults; the accuracy is the double that GMAT prints as 9.999999999999999e-12.
impl Default for StepSettings {
    fn default() -> Self {
        StepSettings {
            initial_step: 60.0,
            accuracy: 1e-11,
            min_step: 0.001,
            max_step: 2700.0,
            max_attempts: 50,
            stop_if_accuracy_is_violated: true,
            lower_error: 1e-13,
            target_error: 1e-11,
        }
    }
}

/// What became of a trial step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// It stands; the next step is this long.
    Accepted(f64),
    /// Again, with this length.
    Rejected(f64),
    /// The smallest step is too long for the accuracy.
    Violated,
}

/// The safety factor of both rules.
pub(super) const SAFETY: f64 = 0.9;

impl StepSettings {
    /// LowerError < TargetError < Accuracy: `AdamsBashforthMoulton` flies nothing else.
    pub fn suits_multistep(&self) -> bool {
        self.lower_error < self.target_error && self.target_error < self.accuracy
    }

    /// The length that a free step really starts with.
    pub fn bounded(&self, h: f64) -> f64 {
        let h = if h.abs() < self.min_step { self.min_step.copysign(h) } else { h };
        self.not_too_long(h)
    }

    /// The length that a step to a given end starts with: the minimum does not hold for it.
    pub fn not_too_long(&self, h: f64) -> f64 {
        if h.abs() > self.max_step { self.max_step.copysign(h) } else { h }
    }

    /// Judges a trial step of length `h` with the given error, for a method of the given order; `growth` is
    /// (accuracy / error)^(1/order).
    #[allow(clippy::float_cmp)] // both are meant exactly: no error at all, and the minimum itself
    pub fn judge(&self, h: f64, error: f64, growth: f64, order: u32) -> Verdict {
        if error == 0.0 {
            return Verdict::Accepted(h);
        }
        if error > self.accuracy {
            if h.abs() == self.min_step {
                return if self.stop_if_accuracy_is_violated { Verdict::Violated } else { Verdict::Accepted(h) };
            }
            let shorter = SAFETY * h * root(self.accuracy / error, order - 1);
            return Verdict::Rejected(if shorter.abs() < self.min_step { self.min_step.copysign(h) } else { shorter });
        }
        Verdict::Accepted(SAFETY * h * growth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn val_rules_by_hand() {
        let settings = StepSettings { accuracy: 1e-9, ..StepSettings::default() };
        let judge = |settings: &StepSettings, h: f64, error: f64| {
            settings.judge(h, error, root(settings.accuracy / error, 9), 9)
        };
        // (1e-9 / 2.56e-7)^(1/8) = 1/2
        let Verdict::Rejected(h) = judge(&settings, 60.0, 2.56e-7) else { panic!() };
        assert!((h - 27.0).abs() < 1e-12);
        // (1e-9 / 1.953125e-12)^(1/9) = 2
        let Verdict::Accepted(h) = judge(&settings, -60.0, 1.953_125e-12) else { panic!() };
        assert!((h + 108.0).abs() < 1e-11);
        assert_eq!(judge(&settings, 60.0, 0.0), Verdict::Accepted(60.0));
        assert_eq!(judge(&settings, 0.001, 1.0), Verdict::Violated);
        assert_eq!(judge(&settings, 0.002, 1.0), Verdict::Rejected(0.001));
        let lenient = StepSettings { stop_if_accuracy_is_violated: false, ..settings };
        assert_eq!(judge(&lenient, -0.001, 1.0), Verdict::Accepted(-0.001));
        assert!((settings.bounded(1e-9) - 0.001).abs() == 0.0);
        assert!((settings.bounded(-1e9) + 2700.0).abs() == 0.0);
        assert!((settings.not_too_long(1e-9) - 1e-9).abs() == 0.0);
    }
}

//! What a script says about a differential corrector: the object's fields, the options of Target and Vary.

use thiserror::Error;

/// `DerivativeMethod`: how the sensitivity of a goal to a variable is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Derivative {
    /// (g(x + p) - g(x)) / p.
    #[default]
    Forward,
    /// (g(x + p) - g(x - p)) / 2p, two passes for each variable.
    Central,
    /// (g(x) - g(x - p)) / p.
    Backward,
}

/// `Algorithm`: where the inverse Jacobian comes from after the first iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// Measured anew in each iteration.
    #[default]
    NewtonRaphson,
    /// The Jacobian is measured once, then updated by Broyden's rank-one formula and inverted.
    Broyden,
    /// The inverse Jacobian is measured once, then updated itself.
    ModifiedBroyden,
}

/// `SolveMode` of a Target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SolveMode {
    /// Iterates until the goals are met.
    #[default]
    Solve,
    /// Flies the initial values twice, without any check.
    RunInitialGuess,
}

/// `ExitMode` of a Target: what its next entry starts from, or that there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExitMode {
    /// The next entry starts from the initial values of the Vary commands, read again.
    #[default]
    DiscardAndContinue,
    /// The next entry starts from the values that this one ended with.
    SaveAndContinue,
    /// The mission ends after the Target.
    Stop,
}

/// A differential corrector and the options of the Target command that uses it; the defaults are those of GMAT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `Algorithm`.
    pub algorithm: Algorithm,
    /// `DerivativeMethod`.
    pub derivative: Derivative,
    /// `MaximumIterations`: how many nominal passes there are at most, 1 or more.
    pub max_iterations: u32,
    /// `SolveMode`.
    pub solve_mode: SolveMode,
    /// `ExitMode`.
    pub exit_mode: ExitMode,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            algorithm: Algorithm::NewtonRaphson,
            derivative: Derivative::Forward,
            max_iterations: 25,
            solve_mode: SolveMode::Solve,
            exit_mode: ExitMode::DiscardAndContinue,
        }
    }
}

/// The scale of a variable: the corrector works with x = (value + additive) multiplicative.
///
/// Domain: multiplicative > 0; anything else is refused at registration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling {
    /// `AdditiveScaleFactor`, in the unit of the variable.
    pub additive: f64,
    /// `MultiplicativeScaleFactor`.
    pub multiplicative: f64,
}

impl Default for Scaling {
    fn default() -> Self {
        Scaling { additive: 0.0, multiplicative: 1.0 }
    }
}

impl Scaling {
    /// value = x / multiplicative - additive.
    pub fn unscaled(&self, x: f64) -> f64 {
        x / self.multiplicative - self.additive
    }
}

/// The numbers of a Vary command, all in the unit of the variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VaryOptions {
    /// The value that the first pass is flown with.
    pub initial: f64,
    /// `Perturbation`; may be negative.
    pub perturbation: f64,
    /// `Lower`.
    pub lower: f64,
    /// `Upper`.
    pub upper: f64,
    /// `MaxStep`: the largest change in one iteration.
    pub max_step: f64,
    /// `AdditiveScaleFactor` and `MultiplicativeScaleFactor`.
    pub scaling: Scaling,
}

impl Default for VaryOptions {
    fn default() -> Self {
        VaryOptions {
            initial: 0.0,
            perturbation: 0.001,
            lower: -9.999_999e300,
            upper: 9.999_999e300,
            max_step: 9.999_999e300,
            scaling: Scaling::default(),
        }
    }
}

/// Tolerance of an Achieve command that gives none.
pub const DEFAULT_TOLERANCE: f64 = 0.1;

/// Why a Target cannot go on; variables and goals are counted from 0 in the order of their commands.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SolverError {
    /// A scale that is not positive.
    #[error("MultiplicativeScaleFactor of variable {variable} is {factor}: it must be greater than 0")]
    Scale {
        /// Which Vary.
        variable: usize,
        /// Its factor.
        factor: f64,
    },
    /// No room between the limits.
    #[error("Lower of variable {variable} must be less than Upper: {lower} and {upper}, scaled")]
    Limits {
        /// Which Vary.
        variable: usize,
        /// The scaled lower limit.
        lower: f64,
        /// The scaled upper limit.
        upper: f64,
    },
    /// No step allowed.
    #[error("MaxStep of variable {variable} is {max_step}, scaled: it must be greater than 0")]
    MaxStep {
        /// Which Vary.
        variable: usize,
        /// The scaled largest step.
        max_step: f64,
    },
    /// A goal that cannot be met.
    #[error("Tolerance of goal {goal} is {tolerance}: it must be greater than 0")]
    Tolerance {
        /// Which Achieve.
        goal: usize,
        /// Its tolerance.
        tolerance: f64,
    },
    /// A pass that came to nothing.
    #[error("the achieved value of goal {goal} is {achieved}: it must be finite")]
    NotFinite {
        /// Which Achieve.
        goal: usize,
        /// What it met.
        achieved: f64,
    },
    /// An update that has no result: a perturbation of 0, or values that do not change any more (Broyden).
    #[error("the new value of variable {variable} is not a number")]
    NotANumber {
        /// Which Vary.
        variable: usize,
    },
    /// The Jacobian has no inverse.
    #[error("the Jacobian is singular: the variables do not move the goals, or not independently of each other")]
    Singular,
}

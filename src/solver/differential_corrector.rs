//! GMAT's `DifferentialCorrector` as a state machine: the values with which the commands between `Target` and
//! `EndTarget` are flown, pass after pass, until the goals are met.
//!
//! Theory: Newton's method. A nominal pass gives the goals, one pass (two for central differences) for each variable
//! its effect on them; `solver::iteration` makes new values of them, and so on. Broyden's methods perturb in the
//! first iteration only. Met: |achieved - desired| <= tolerance for every goal. After that, or after
//! `MaximumIterations` nominal passes, the last nominal values are flown once more (the final pass).
//!
//! How a program drives it (one machine for each Target command and each run in flight):
//! - `Target`: [`DifferentialCorrector::enter`]; keep a copy of all spacecraft. Then registration: in the order of
//!   the commands, [`DifferentialCorrector::register_variable`] for each Vary,
//!   [`DifferentialCorrector::register_goal`] for each Achieve, and each inner Target is flown whole; nothing else
//!   is carried out. Then [`DifferentialCorrector::advance`].
//! - Before each pass: restore all spacecraft, but neither numbers nor burns; forget the step sizes of the
//!   Propagate commands inside.
//! - `Vary`: the variable becomes [`DifferentialCorrector::value`]. `Achieve`: [`DifferentialCorrector::achieve`].
//! - `EndTarget`: [`DifferentialCorrector::advance`] says whether the body is flown again.
//!
//! Domain: one variable and one goal at least; goals that are not finite end the run. Goals and tolerances are
//! those of the nominal pass, so a goal that moves with the variables does not enter J.
//!
//! # References
//! GMAT User Guide, "DifferentialCorrector", "Target", "Vary", "Achieve". Tests: `solver::tests`, against GMAT.

use super::iteration::{Goal, Iteration, Variable, within};
use super::settings::{Algorithm, Derivative, ExitMode, Scaling, Settings, SolveMode, SolverError, VaryOptions};

/// What is flown now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    Registration,
    Nominal,
    /// One variable is away from its nominal value.
    Perturbed {
        variable: usize,
        /// The second pass of a central difference.
        second: bool,
    },
    Final,
}

/// How the Vary commands are to be read at an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The first one of the run: options are read, the variables are left as they are.
    First,
    /// A later one that starts from saved values: the variables are set, options are not read.
    Saved,
    /// A later one that starts afresh: the variables are set to the old values, then options are read.
    Afresh,
}

/// How an entry ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All goals were met.
    Converged,
    /// `MaximumIterations` were not enough; for GMAT no error.
    NotConverged,
    /// `RunInitialGuess`: nothing was checked.
    Unchecked,
}

/// What comes after a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The body again, from the restored spacecraft.
    Fly,
    /// The command after EndTarget.
    Leave,
    /// The end of the mission (`ExitMode = Stop`).
    Stop,
}

/// The state of one Target command in one run. Takes memory in `new` only.
#[derive(Clone, Debug)]
pub struct DifferentialCorrector {
    settings: Settings,
    iteration: Iteration,
    pass: Pass,
    entry: Entry,
    /// Whether the Target has been met in this run.
    entered: bool,
    /// Nominal passes of this entry that were checked.
    iterations: u32,
    /// The nominal value of the variable that is perturbed.
    unperturbed: f64,
    outcome: Outcome,
}

impl DifferentialCorrector {
    /// A corrector for a Target with so many Vary and Achieve commands.
    pub fn new(settings: Settings, variables: usize, goals: usize) -> Self {
        DifferentialCorrector {
            settings,
            iteration: Iteration::new(variables, goals),
            pass: Pass::Registration,
            entry: Entry::First,
            entered: false,
            iterations: 0,
            unperturbed: 0.0,
            outcome: Outcome::Unchecked,
        }
    }

    /// Makes it ready for another run.
    pub fn clear(&mut self) {
        self.entered = false;
    }

    /// The Target command: a new entry, in registration. Says how the Vary commands are read.
    pub fn enter(&mut self) -> Entry {
        self.entry = match (self.entered, self.settings.solve_mode, self.settings.exit_mode) {
            (false, ..) => Entry::First,
            (true, SolveMode::Solve, ExitMode::DiscardAndContinue | ExitMode::Stop) => Entry::Afresh,
            (true, ..) => Entry::Saved,
        };
        self.entered = true;
        self.pass = Pass::Registration;
        self.iterations = 0;
        self.outcome = Outcome::Unchecked;
        self.entry
    }

    /// How the Vary commands are read at this entry.
    pub fn entry(&self) -> Entry {
        self.entry
    }

    /// Vary in registration, where its options are read ([`Entry::First`] and [`Entry::Afresh`]); in the first entry
    /// the initial value is put within the limits.
    pub fn register_variable(&mut self, variable: usize, options: &VaryOptions) -> Result<(), SolverError> {
        let mut options = *options;
        if self.entry == Entry::First {
            options.initial = within(options.initial, options.lower, options.upper);
        }
        self.iteration.variables[variable] = Variable::new(variable, &options)?;
        Ok(())
    }

    /// Achieve in registration: in the first entry the tolerance must be positive, in later ones the value that
    /// stands there must be finite.
    pub fn register_goal(&mut self, goal: usize, achieved: f64, tolerance: f64) -> Result<(), SolverError> {
        match self.entry {
            Entry::First if tolerance <= 0.0 => Err(SolverError::Tolerance { goal, tolerance }),
            Entry::First => Ok(()),
            Entry::Saved | Entry::Afresh => finite(goal, achieved),
        }
    }

    /// Vary: the value of its variable in this pass, with its scale factors as they are now. In registration it is
    /// what the entry before ended with.
    pub fn value(&self, variable: usize, scaling: &Scaling) -> f64 {
        scaling.unscaled(self.iteration.variables[variable].x)
    }

    /// Achieve: what the pass came to.
    pub fn achieve(&mut self, goal: usize, achieved: f64, desired: f64, tolerance: f64) -> Result<(), SolverError> {
        finite(goal, achieved)?;
        match self.pass {
            Pass::Nominal => self.iteration.keep_nominal(goal, achieved, desired, tolerance),
            Pass::Perturbed { variable, second } => self.iteration.keep_perturbed(variable, second, goal, achieved),
            Pass::Registration | Pass::Final => {}
        }
        Ok(())
    }

    /// The end of registration, and EndTarget: what comes now.
    pub fn advance(&mut self) -> Result<Next, SolverError> {
        match self.pass {
            Pass::Registration => self.pass = Pass::Nominal,
            Pass::Nominal => self.check()?,
            Pass::Perturbed { variable, second } => self.after_perturbation(variable, second)?,
            Pass::Final if self.settings.exit_mode == ExitMode::Stop => return Ok(Next::Stop),
            Pass::Final => return Ok(Next::Leave),
        }
        Ok(Next::Fly)
    }

    /// Whether this pass is the last one: steps go into reports (`SolverIterations = Current`) in this one only.
    pub fn is_final_pass(&self) -> bool {
        self.pass == Pass::Final
    }

    /// Nominal passes of this entry that were checked against the goals.
    pub fn iterations(&self) -> u32 {
        self.iterations
    }

    /// How the entry ended, once the final pass has begun.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// After the nominal pass: met, given up, or another iteration.
    fn check(&mut self) -> Result<(), SolverError> {
        self.pass = Pass::Final;
        if self.settings.solve_mode == SolveMode::RunInitialGuess {
            return Ok(());
        }
        self.iterations += 1;
        let missed = self.iteration.goals.iter().any(Goal::is_missed);
        self.outcome = if missed { Outcome::NotConverged } else { Outcome::Converged };
        if !missed || self.iterations >= self.settings.max_iterations {
            return Ok(());
        }
        if self.iterations == 1 || self.settings.algorithm == Algorithm::NewtonRaphson {
            self.perturb(0, false);
            Ok(())
        } else {
            self.update()
        }
    }

    /// After a perturbed pass: its second one, the next variable, or the new values.
    fn after_perturbation(&mut self, variable: usize, second: bool) -> Result<(), SolverError> {
        self.iteration.variables[variable].x = self.unperturbed;
        if self.settings.derivative == Derivative::Central && !second {
            self.perturb(variable, true);
        } else if variable + 1 < self.iteration.variables.len() {
            self.perturb(variable + 1, false);
        } else {
            self.update()?;
        }
        Ok(())
    }

    /// Moves one variable away from its nominal value.
    fn perturb(&mut self, variable: usize, second: bool) {
        let moved = &mut self.iteration.variables[variable];
        self.unperturbed = moved.x;
        moved.perturb(self.settings.derivative, second);
        self.pass = Pass::Perturbed { variable, second };
    }

    /// New values for the next nominal pass.
    fn update(&mut self) -> Result<(), SolverError> {
        let Settings { algorithm, derivative, .. } = self.settings;
        self.pass = Pass::Nominal;
        self.iteration.update(algorithm, derivative, self.iterations == 1)
    }
}

/// Refuses what is not finite.
fn finite(goal: usize, achieved: f64) -> Result<(), SolverError> {
    if achieved.is_finite() { Ok(()) } else { Err(SolverError::NotFinite { goal, achieved }) }
}

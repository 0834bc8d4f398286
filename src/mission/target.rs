//! `Target` to `EndTarget`: what is varied, and what is to be reached.

use super::settings::Setting;
use crate::solver::settings::Settings;
use std::ops::Range;

/// One Target command.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The solver, by its place in [`Names::solvers`](super::names::Names::solvers).
    pub solver: usize,
    /// How it is solved.
    pub settings: Settings,
    /// Its Vary commands.
    pub variables: Vec<Vary>,
    /// Its Achieve commands.
    pub goals: Vec<Achieve>,
    /// The legs of its body, inner blocks among them, by their places in [`Mission::legs`](super::Mission::legs).
    pub legs: Range<usize>,
    /// Whether another Target stands directly inside; GMAT then writes the steps of every pass into reports.
    pub holds_target: bool,
}

/// A Vary command; its numbers are formulas.
#[derive(Clone, Debug, PartialEq)]
pub struct Vary {
    /// What is varied.
    pub variable: Setting,
    /// Initial value.
    pub initial: usize,
    /// `Perturbation`.
    pub perturbation: usize,
    /// `Lower`.
    pub lower: usize,
    /// `Upper`.
    pub upper: usize,
    /// `MaxStep`.
    pub max_step: usize,
    /// `AdditiveScaleFactor`.
    pub additive: usize,
    /// `MultiplicativeScaleFactor`.
    pub multiplicative: usize,
}

/// An Achieve command; its numbers are formulas.
#[derive(Clone, Debug, PartialEq)]
pub struct Achieve {
    /// What is to reach a value.
    pub achieved: usize,
    /// The value.
    pub desired: usize,
    /// `Tolerance`.
    pub tolerance: usize,
}

/// Which rows of `Add` a report gets while a Target is solved: `SolverIterations`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SolverRows {
    /// Those of the final pass.
    #[default]
    Current,
    /// Those of every pass.
    All,
    /// The last one of the final pass.
    Last,
}

/// What a run tells of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolverResult {
    /// 1 if every Target that the run flew with it met its goals, else 0.
    Converged,
    /// Nominal passes, of all Targets that the run flew with it.
    Iterations,
}

impl SolverResult {
    /// The names in columns.
    pub const NAMES: [(&str, SolverResult); 2] =
        [("Converged", SolverResult::Converged), ("Iterations", SolverResult::Iterations)];

    /// One line about it.
    pub fn long_name(self) -> &'static str {
        match self {
            SolverResult::Converged => "1 if every Target met its goals",
            SolverResult::Iterations => "iterations of all Targets",
        }
    }
}

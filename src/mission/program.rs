//! The mission sequence as a flat program: commands with jumps, over numbers that have indices.
//!
//! A run's place in the mission is one number, the command that comes next; so lanes of one bundle may stand
//! at different commands.

use crate::astro::epoch::Scale;
use crate::astro::parameters::Cycle;
use crate::gmat::formula::Formula;

/// A command of the flat program.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Flies a leg, by its place in [`Mission::legs`](super::Mission::legs).
    Propagate(usize),
    /// A row of a report, with the columns of one of its kinds.
    Report {
        /// Which report.
        report: usize,
        /// Which of its kinds of rows.
        kind: usize,
    },
    /// Variable = formula.
    Set {
        /// Which variable.
        variable: usize,
        /// Which formula.
        formula: usize,
    },
    /// Goes on elsewhere unless a formula is true (not 0).
    Unless {
        /// Which formula.
        formula: usize,
        /// The command to go on with.
        target: usize,
    },
    /// Goes on elsewhere.
    Goto(usize),
    /// The end of the mission.
    Stop,
}

/// What one Propagate flies.
#[derive(Clone, Debug, PartialEq)]
pub struct Leg {
    /// Which propagator.
    pub propagator: usize,
    /// Which spacecraft.
    pub spacecraft: usize,
    /// Towards the past.
    pub backwards: bool,
    /// What ends it; the first that is met. None: a single step.
    pub conditions: Vec<Condition>,
    /// How close a condition that is no time is met, in its unit.
    pub tolerance: f64,
}

/// What ends a leg.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// What is watched.
    pub watched: Watched,
    /// The value that it is to reach: a formula by its place in [`Mission::formulas`](super::Mission::formulas).
    pub goal: usize,
}

/// What a condition watches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Watched {
    /// Time since the start of the leg, in a unit of so many seconds.
    Elapsed {
        /// 1 for `ElapsedSecs`, 86400 for `ElapsedDays`.
        unit: f64,
    },
    /// The modified Julian date in a time scale.
    Date(Scale),
    /// An apsis.
    Apsis {
        /// Its place in [`STOPS`](crate::astro::parameters::stops::STOPS).
        stop: usize,
        /// The coordinate system at its body.
        system: usize,
    },
    /// An input of the formulas: a parameter of the spacecraft.
    Input {
        /// Which input.
        input: usize,
        /// How it counts.
        cycle: Cycle,
    },
}

/// Formulas with what they are made from.
#[derive(Default)]
pub struct Formulas {
    /// Where the inputs come from.
    pub inputs: Vec<super::Source>,
    /// The formulas.
    pub all: Vec<Formula>,
}

impl Formulas {
    /// The index of an input, the same for equal ones.
    pub fn input(&mut self, source: super::Source) -> usize {
        let place = self.inputs.iter().position(|known| known.is(source));
        place.unwrap_or_else(|| {
            self.inputs.push(source);
            self.inputs.len() - 1
        })
    }

    /// The index of a new formula.
    pub fn add(&mut self, formula: Formula) -> usize {
        self.all.push(formula);
        self.all.len() - 1
    }
}

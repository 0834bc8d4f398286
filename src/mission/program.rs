//! The mission sequence as a flat program: commands with jumps, over numbers that have indices.
//!
//! A run's place in the mission is one number, the command that comes next; so lanes of one bundle may stand
//! at different commands.

use super::report::ReportField;
use super::settings::Setting;
use super::text::{Making, Measure, Word};
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
    /// A number of an object = formula.
    Set {
        /// Which number.
        target: Setting,
        /// Which formula.
        formula: usize,
    },
    /// An element of an Array = formula, its place computed.
    SetElement {
        /// Which one of [`Names::values`](super::names::Names::values).
        array: usize,
        /// The formulas of one or two indices.
        indices: Vec<usize>,
        /// Which formula.
        formula: usize,
    },
    /// A String = a text.
    MakeText {
        /// The place of the String's number.
        slot: usize,
        /// Which text.
        text: Making,
    },
    /// A number = what is taken from texts.
    MeasureText {
        /// The number's place.
        slot: usize,
        /// What is taken.
        measure: Measure,
    },
    /// The epoch of a spacecraft = a date that a text holds; it stays where it is.
    SetDate {
        /// Which spacecraft.
        spacecraft: usize,
        /// The time scale of the date.
        scale: Scale,
        /// The text.
        date: Word,
    },
    /// `Sat.Epoch`: a date in the spacecraft's own format; it stays where it is in its coordinate system.
    SetEpoch {
        /// Which spacecraft.
        spacecraft: usize,
        /// The date.
        date: Word,
    },
    /// `Sat.DateFormat`.
    SetDateFormat {
        /// Which spacecraft.
        spacecraft: usize,
        /// The name of the format.
        format: Word,
    },
    /// `Sat.CoordinateSystem`: the spacecraft stays where it is.
    SetSystem {
        /// Which spacecraft.
        spacecraft: usize,
        /// Which system.
        system: usize,
    },
    /// A matrix = the inverse of another one.
    Invert {
        /// The place of its first element.
        to: usize,
        /// That of the other one.
        from: usize,
        /// Rows of both.
        rows: usize,
    },
    /// A number = the determinant of a matrix.
    Determinant {
        /// The number's place.
        to: usize,
        /// The place of the matrix's first element.
        from: usize,
        /// Its rows.
        rows: usize,
    },
    /// The sequence of random numbers begins anew.
    SetSeed(usize),
    /// A setting of a report changes.
    ChangeReport {
        /// Which report.
        report: usize,
        /// Which setting.
        field: ReportField,
        /// The formula of its value.
        formula: usize,
    },
    /// An impulsive burn becomes equal to another one.
    CopyBurn {
        /// Which.
        to: usize,
        /// The other one.
        from: usize,
    },
    /// A spacecraft becomes equal to another one.
    Copy {
        /// Which.
        to: usize,
        /// The other one.
        from: usize,
    },
    /// An impulsive burn.
    Maneuver {
        /// Which burn.
        burn: usize,
        /// Which spacecraft.
        spacecraft: usize,
        /// Taken back rather than made.
        backwards: bool,
    },
    /// A finite burn of a spacecraft begins or ends.
    FiniteBurn {
        /// Which one of [`Mission::firings`](super::Mission::firings).
        firing: usize,
        /// On.
        on: bool,
    },
    /// Rows of a report are written, or not.
    Toggle {
        /// Which report.
        report: usize,
        /// Written.
        on: bool,
    },
    /// States go into an ephemeris file, or not.
    ToggleEphemeris {
        /// Which file.
        file: usize,
        /// They do.
        on: bool,
    },
    /// The command before has set a field of a spacecraft: its ephemeris files begin a new segment.
    Changed {
        /// Which spacecraft.
        spacecraft: usize,
        /// The command as written.
        text: String,
        /// It was a Vary, which counts in the last pass alone.
        by_vary: bool,
    },
    /// The begin of a Target: the spacecraft are kept.
    Target(usize),
    /// What a Target learns of a Vary before the first pass.
    RegisterVary {
        /// Which Target.
        target: usize,
        /// Which of its Vary commands.
        variable: usize,
    },
    /// What a Target learns of an Achieve before the first pass.
    RegisterAchieve {
        /// Which Target.
        target: usize,
        /// Which of its Achieve commands.
        goal: usize,
    },
    /// The first pass of a Target comes.
    EndRegistration(usize),
    /// The begin of a pass: the spacecraft are those that the Target kept.
    Pass(usize),
    /// A variable gets its value of this pass.
    Vary {
        /// Which Target.
        target: usize,
        /// Which of its Vary commands.
        variable: usize,
    },
    /// A goal is compared.
    Achieve {
        /// Which Target.
        target: usize,
        /// Which of its Achieve commands.
        goal: usize,
    },
    /// The end of a pass: another one, or on.
    EndTarget {
        /// Which Target.
        target: usize,
        /// The command that begins a pass.
        pass: usize,
    },
    /// Goes on elsewhere, and comes back behind here at the next [`Command::Return`].
    Call(usize),
    /// Back behind the last call.
    Return,
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
    /// Propagators with their spacecraft, one or more.
    pub parts: Vec<LegPart>,
    /// How many propagators the legs before it have: the place of what is kept for its own.
    pub first_part: usize,
    /// The later propagators fly the steps of the first one; else each flies its own.
    pub synchronized: bool,
    /// Towards the past.
    pub backwards: bool,
    /// What ends it; the first that is met. None: a single step.
    pub conditions: Vec<Condition>,
    /// How close a condition that is no time is met, in its unit.
    pub tolerance: f64,
}

/// A propagator with the spacecraft that share its steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegPart {
    /// Which propagator.
    pub propagator: usize,
    /// Which spacecraft, one or more.
    pub spacecraft: Vec<usize>,
}

/// What ends a leg.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The spacecraft of what is watched.
    pub spacecraft: usize,
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
    /// The place of an input, the same for equal ones.
    pub fn place(inputs: &mut Vec<super::Source>, source: super::Source) -> usize {
        inputs.iter().position(|known| known.is(source)).unwrap_or_else(|| {
            inputs.push(source);
            inputs.len() - 1
        })
    }

    /// The index of an input, the same for equal ones.
    pub fn input(&mut self, source: super::Source) -> usize {
        Self::place(&mut self.inputs, source)
    }

    /// The index of a new formula.
    pub fn add(&mut self, formula: Formula) -> usize {
        self.all.push(formula);
        self.all.len() - 1
    }
}

/// The most rows of a matrix that `inv` takes.
pub const INVERSE_MAX: usize = 100;
/// The most rows of a matrix that `det` takes.
pub const DETERMINANT_MAX: usize = 9;

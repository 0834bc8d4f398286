//! A mission: a script compiled to typed objects and a small program, and what a run changes in it.
//!
//! Compiled once on every rank from the same bytes. A run starts from the pristine objects, sets its
//! swept values as if they stood in the last lines before `BeginMissionSequence`, and flies.

use std::sync::Arc;

use crate::astro::constants::EARTH_MU;
use crate::astro::elements::{Cartesian, ElementsError, Keplerian};
use crate::astro::epoch::{Epoch, Scale};
use crate::astro::parameters::{Parameter, View};
use crate::base::outcome::Failure;
use crate::forces::Force;
use crate::integrators::runge_kutta::Tableau;
use crate::integrators::step_control::{ErrorControl, StepSettings};

pub mod columns;
pub mod compile;
pub mod fields;
pub mod program;
pub mod settings;

use program::{Command, Formulas, Leg};
use settings::Swept;

/// A compiled mission.
pub struct Mission {
    /// The objects as the script leaves them at `BeginMissionSequence`.
    pub pristine: Objects,
    /// The names of the spacecraft, in the order of `pristine.spacecraft`.
    pub spacecraft: Vec<String>,
    /// The names of the propagators, in the order of `pristine.steps`.
    pub propagators: Vec<String>,
    /// The names of the variables, in the order of `pristine.variables`, which has some without a name
    /// behind them: the ends of loops.
    pub variables: Vec<String>,
    /// Which dynamics each propagator flies.
    pub dynamics_of: Vec<usize>,
    /// Forces and integrators.
    pub dynamics: Vec<Dynamics>,
    /// The mission sequence.
    pub program: Vec<Command>,
    /// What its Propagates fly.
    pub legs: Vec<Leg>,
    /// The numbers that it computes with.
    pub formulas: Formulas,
    /// The reports that keep rows.
    pub reports: Vec<Report>,
    /// What the script says that has no effect on the numbers, for the log.
    pub ignored: Vec<String>,
}

/// What a run may change: plain numbers, copied without an allocation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Objects {
    /// Spacecraft.
    pub spacecraft: Vec<Spacecraft>,
    /// Step settings of each propagator.
    pub steps: Vec<StepSettings>,
    /// Values of the variables.
    pub variables: Vec<f64>,
}

impl Objects {
    /// Makes these objects equal to others of the same mission, without an allocation.
    pub fn copy_from(&mut self, other: &Objects) {
        self.spacecraft.clone_from(&other.spacecraft);
        self.steps.clone_from(&other.steps);
        self.variables.clone_from(&other.variables);
    }
}

/// A spacecraft before the mission starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spacecraft {
    /// The scale and format that dates are written in.
    pub date_format: DateFormat,
    /// Epoch of the state.
    pub epoch: Epoch,
    /// The state, in the representation that was set last.
    pub state: StateInput,
    /// Mass without fuel, kg.
    pub dry_mass: f64,
}

/// `UTCGregorian`, `TAIModJulian` and their like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateFormat {
    /// The time scale.
    pub scale: Scale,
    /// A calendar date rather than a modified Julian date.
    pub gregorian: bool,
}

/// A state in the representation that was set last: GMAT's fields act one by one on a live state, so
/// setting an element of the other representation converts first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StateInput {
    /// km, km/s.
    Cartesian([f64; 6]),
    /// km, degrees: SMA ECC INC RAAN AOP TA.
    Keplerian([f64; 6]),
}

impl StateInput {
    /// Sets one Cartesian component (x, y, z, vx, vy, vz).
    pub fn set_cartesian(&mut self, component: usize, value: f64) {
        let mut numbers = match *self {
            StateInput::Cartesian(numbers) => numbers,
            StateInput::Keplerian(_) => self.to_cartesian().map_or([f64::NAN; 6], |state| {
                let ([x, y, z], [vx, vy, vz]) = (state.r, state.v);
                [x, y, z, vx, vy, vz]
            }),
        };
        numbers[component] = value;
        *self = StateInput::Cartesian(numbers);
    }

    /// Sets one Keplerian element (SMA, ECC, INC, RAAN, AOP, TA; km and degrees).
    pub fn set_keplerian(&mut self, element: usize, value: f64) {
        let mut numbers = match *self {
            StateInput::Keplerian(numbers) => numbers,
            StateInput::Cartesian([x, y, z, vx, vy, vz]) => {
                let k = Cartesian { r: [x, y, z], v: [vx, vy, vz] }.to_keplerian(EARTH_MU);
                let degrees = [k.inc, k.raan, k.aop, k.ta].map(f64::to_degrees);
                [k.sma, k.ecc, degrees[0], degrees[1], degrees[2], degrees[3]]
            }
        };
        numbers[element] = value;
        *self = StateInput::Keplerian(numbers);
    }

    /// The Cartesian state, km and km/s.
    pub fn to_cartesian(&self) -> Result<Cartesian, Failure> {
        match *self {
            StateInput::Cartesian(numbers) => {
                let [x, y, z, vx, vy, vz] = numbers;
                if numbers.iter().all(|number| number.is_finite()) {
                    Ok(Cartesian { r: [x, y, z], v: [vx, vy, vz] })
                } else {
                    Err(Failure::ElementsNotFinite)
                }
            }
            StateInput::Keplerian([sma, ecc, inc, raan, aop, ta]) => {
                let [inc, raan, aop, ta] = [inc, raan, aop, ta].map(f64::to_radians);
                Ok(Keplerian { sma, ecc, inc, raan, aop, ta }.to_cartesian(EARTH_MU)?)
            }
        }
    }
}

/// Forces with an integrator.
pub struct Dynamics {
    /// The integrator.
    pub tableau: Arc<Tableau>,
    /// The forces.
    pub forces: Vec<Box<dyn Force>>,
    /// How the error of a step is measured.
    pub error_control: ErrorControl,
}

/// A report that keeps rows.
pub struct Report {
    /// The `ReportFile`'s name.
    pub name: String,
    /// Its columns, each once.
    pub columns: Vec<Column>,
    /// The kinds of rows, as places of their columns: first that of `Add`, which may have none, then those
    /// of the Report commands.
    pub kinds: Vec<Vec<usize>>,
    /// How GMAT writes it as a text.
    pub text: ReportText,
}

/// How a report is written as a text.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::struct_excessive_bools)] // GMAT's own switches
pub struct ReportText {
    /// The file's name as the script has it.
    pub file: String,
    /// Significant digits.
    pub precision: usize,
    /// A line with the columns' names first.
    pub headers: bool,
    /// Numbers begin at the left of their columns, rather than end at the right.
    pub left: bool,
    /// Zeros behind the last digit, up to the precision.
    pub zero_fill: bool,
    /// Columns of one width, rather than parted by the delimiter.
    pub fixed_width: bool,
    /// What parts columns that have no fixed width.
    pub delimiter: char,
    /// The width of a column.
    pub width: usize,
}

/// GMAT's defaults.
impl Default for ReportText {
    fn default() -> Self {
        ReportText {
            file: String::new(),
            precision: 16,
            headers: true,
            left: true,
            zero_fill: false,
            fixed_width: true,
            delimiter: ' ',
            width: 23,
        }
    }
}

/// Something that a run leaves: a parameter of a spacecraft, or a variable.
#[derive(Clone)]
pub struct Column {
    /// As the script or the config names it.
    pub path: String,
    /// Where the number comes from.
    pub source: Source,
}

/// Where a column's number comes from.
#[derive(Clone, Copy)]
pub enum Source {
    /// A parameter of a spacecraft.
    Parameter {
        /// Which spacecraft.
        spacecraft: usize,
        /// Which parameter.
        parameter: &'static Parameter,
    },
    /// A variable.
    Variable(usize),
}

impl Source {
    /// The source in words, for the hash of the plan.
    pub fn describe(self) -> String {
        match self {
            Source::Parameter { spacecraft, parameter } => format!("{spacecraft}.{}", parameter.name),
            Source::Variable(variable) => format!("variable {variable}"),
        }
    }

    /// Whether two are the same.
    pub fn is(self, other: Source) -> bool {
        match (self, other) {
            (Source::Variable(a), Source::Variable(b)) => a == b,
            (Source::Parameter { spacecraft: a, parameter: p }, Source::Parameter { spacecraft: b, parameter: q }) => {
                a == b && std::ptr::eq(p, q)
            }
            _ => false,
        }
    }

    /// The number of a run at one instant.
    pub fn value(self, views: impl Fn(usize) -> View, variables: &[f64]) -> f64 {
        match self {
            Source::Parameter { spacecraft, parameter } => (parameter.value)(&views(spacecraft)),
            Source::Variable(variable) => variables[variable],
        }
    }
}

impl Mission {
    /// Makes `objects` those of a run: the pristine ones with the swept values set.
    ///
    /// `values` are the design's numbers; `columns` gets those of the result file's parameter columns, see
    /// [`Swept::column_value`].
    pub fn load(
        &self,
        swept: &[Swept],
        values: &[f64],
        columns: &mut [f64],
        objects: &mut Objects,
    ) -> Result<(), Failure> {
        objects.copy_from(&self.pristine);
        let mut outcome = Ok(());
        for ((swept, &value), column) in swept.iter().zip(values).zip(columns) {
            *column = swept.column_value(value);
            outcome = outcome.and(swept.set(value, objects));
        }
        outcome
    }
}

impl From<ElementsError> for Failure {
    fn from(error: ElementsError) -> Self {
        match error {
            ElementsError::NotFinite => Failure::ElementsNotFinite,
            ElementsError::SmaZero => Failure::SmaZero,
            ElementsError::EccNegative => Failure::EccNegative,
            ElementsError::Parabolic => Failure::Parabolic,
            ElementsError::ConicContradiction => Failure::ConicContradiction,
            ElementsError::Singular => Failure::SingularConic,
            ElementsError::BeyondAsymptote => Failure::BeyondAsymptote,
            ElementsError::IncOutOfRange => Failure::IncOutOfRange,
        }
    }
}

//! A mission: a script compiled to typed objects and a small program, and what a run changes in it.
//!
//! Compiled once on every rank from the same bytes. A run starts from the pristine objects, sets its
//! swept values as if they stood in the last lines before `BeginMissionSequence`, and flies.

use std::sync::Arc;

use crate::astro::bodies::Bodies;
use crate::astro::coordinates::Fleet;
use crate::astro::elements::{Cartesian, ElementsError};
use crate::astro::ephemeris::Body;
use crate::astro::epoch::{Epoch, Scale};
use crate::astro::parameters::{Needs as ParameterNeeds, Parameter, View};
use crate::astro::representations::RepresentationError;
use crate::astro::representations::state_input::StateInput;
use crate::astro::world::World;
use crate::base::outcome::Failure;
use crate::forces::ForceModel;
use crate::integrators::error_control::ErrorControl;
use crate::integrators::method::Method;
use crate::integrators::step_control::StepSettings;
use crate::propulsion::Tank;

pub mod burn;
pub mod columns;
pub mod compile;
pub mod ephemeris;
pub mod fields;
pub mod hardware;
pub mod names;
pub mod numbers;
pub mod power;
pub mod program;
pub mod readings;
pub mod report;
pub mod settings;
pub mod target;
pub mod text;

use burn::ImpulsiveBurn;
use ephemeris::EphemerisFile;
use hardware::{Firing, FiringState, Hardware, ThrusterState};
use names::Names;
use numbers::Number;
use power::PowerState;
use program::{Command, Formulas, Leg};
use readings::Reading;
use report::Report;
use settings::Swept;
use target::{SolverResult, Target};

/// A compiled mission.
pub struct Mission {
    /// The objects as the script leaves them at `BeginMissionSequence`.
    pub pristine: Objects,
    /// Where the bodies are and how the Earth turns.
    pub world: Arc<World>,
    /// The constants of the bodies.
    pub bodies: Bodies,
    /// The objects by name.
    pub names: Names,
    /// The hardware of each spacecraft.
    pub hardware: Vec<Hardware>,
    /// The finite burns of spacecraft that its commands begin and end.
    pub firings: Vec<Firing>,
    /// Which dynamics each propagator flies.
    pub dynamics_of: Vec<usize>,
    /// Forces and integrators.
    pub dynamics: Vec<Dynamics>,
    /// The mission sequence.
    pub program: Vec<Command>,
    /// What its Propagates fly.
    pub legs: Vec<Leg>,
    /// What its Targets solve.
    pub targets: Vec<Target>,
    /// The numbers that it computes with.
    pub formulas: Formulas,
    /// The reports that keep rows.
    pub reports: Vec<Report>,
    /// The ephemeris files that can be written.
    pub ephemerides: Vec<EphemerisFile>,
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
    /// Impulsive burns.
    pub burns: Vec<ImpulsiveBurn>,
    /// Tanks, those of one spacecraft together.
    pub tanks: Vec<Tank>,
    /// Thrusters, those of one spacecraft together.
    pub thrusters: Vec<ThrusterState>,
    /// Power systems, one of a spacecraft.
    pub powers: Vec<PowerState>,
    /// Finite burns of spacecraft, by their places in [`Mission::firings`].
    pub firings: Vec<FiringState>,
    /// Variables, elements of Arrays and texts of Strings; behind those that have names some without: ends of loops,
    /// matrices on the way.
    pub values: Vec<f64>,
}

impl Objects {
    /// Makes these objects equal to others of the same mission, without an allocation.
    pub fn copy_from(&mut self, other: &Objects) {
        copy(&mut self.spacecraft, &other.spacecraft);
        copy(&mut self.steps, &other.steps);
        copy(&mut self.burns, &other.burns);
        copy(&mut self.tanks, &other.tanks);
        copy(&mut self.thrusters, &other.thrusters);
        copy(&mut self.powers, &other.powers);
        copy(&mut self.firings, &other.firings);
        copy(&mut self.values, &other.values);
    }
}

/// Most kinds of objects have none in most missions.
#[inline]
fn copy<T: Copy>(to: &mut [T], from: &[T]) {
    if !from.is_empty() {
        to.copy_from_slice(from);
    }
}

/// A spacecraft before the mission starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spacecraft {
    /// The scale and format that dates are written in.
    pub date_format: DateFormat,
    /// Epoch of the state.
    pub epoch: Epoch,
    /// The state as the script gives it.
    pub state: StateInput,
    /// The coordinate system that it is given in, by its place in [`Names::systems`].
    pub system: usize,
    /// Mass without fuel, kg.
    pub dry_mass: f64,
    /// Drag coefficient.
    pub cd: f64,
    /// Coefficient of reflectivity.
    pub cr: f64,
    /// Area for drag, m^2.
    pub drag_area: f64,
    /// Area for solar radiation pressure, m^2.
    pub srp_area: f64,
    /// `AtmosDensityScaleFactor`: what the density of the air is multiplied by.
    pub density_scale: f64,
}

/// `UTCGregorian`, `TAIModJulian` and their like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateFormat {
    /// The time scale.
    pub scale: Scale,
    /// A calendar date rather than a modified Julian date.
    pub gregorian: bool,
}

/// Forces with an integrator.
pub struct Dynamics {
    /// The integrator.
    pub method: Arc<Method>,
    /// The forces.
    pub model: ForceModel,
    /// How the error of a step is measured.
    pub error_control: ErrorControl,
}

/// A spacecraft at an instant, as it is flown.
#[derive(Clone, Copy, Debug)]
pub struct Instant {
    /// The instant.
    pub epoch: Epoch,
    /// Seconds since the start of the mission.
    pub elapsed: f64,
    /// State relative to `center`, `MJ2000Eq` axes.
    pub state: Cartesian,
    /// The body that it is flown about.
    pub center: Body,
    /// Mass without fuel, kg.
    pub dry_mass: f64,
    /// Mass with fuel, kg.
    pub total_mass: f64,
}

/// Something that a run leaves: a parameter of a spacecraft, or a number of an object.
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
        /// Its coordinate system, or one at its body, by its place in [`Names::systems`].
        system: usize,
    },
    /// A number of an object.
    Number(Number),
    /// What hardware or a burn tells of itself.
    Reading(Reading),
    /// What a solver came to.
    Solver {
        /// Which solver.
        solver: usize,
        /// What of it.
        result: SolverResult,
    },
}

impl Source {
    /// The source in words, for the hash of the plan.
    pub fn describe(self) -> String {
        match self {
            Source::Parameter { spacecraft, parameter, system } => format!("{spacecraft}.{system}.{}", parameter.name),
            Source::Number(number) => format!("{number:?}"),
            Source::Reading(reading) => format!("{reading:?}"),
            Source::Solver { solver, result } => format!("{solver}.{result:?}"),
        }
    }

    /// Whether two are the same.
    pub fn is(self, other: Source) -> bool {
        match (self, other) {
            (Source::Number(a), Source::Number(b)) => a == b,
            (Source::Reading(a), Source::Reading(b)) => a == b,
            (Source::Solver { solver: a, result: x }, Source::Solver { solver: b, result: y }) => (a, x) == (b, y),
            (
                Source::Parameter { spacecraft: a, parameter: p, system: s },
                Source::Parameter { spacecraft: b, parameter: q, system: t },
            ) => a == b && std::ptr::eq(p, q) && s == t,
            _ => false,
        }
    }
}

impl Mission {
    /// What a parameter is computed from, as far as it needs it.
    pub fn view(&self, at: &Instant, needs: ParameterNeeds, system: usize, fleet: Fleet) -> View {
        let system = &self.names.systems[system];
        // of a system at a spacecraft there are Cartesian numbers alone, which need no body
        let origin = system.origin.body().unwrap_or(Body::Earth);
        let nowhere = [f64::NAN; 3];
        let state = match needs {
            ParameterNeeds::Nothing | ParameterNeeds::HourAngle => at.state,
            _ => system.of_inertial(&self.world, at.state, at.center, at.epoch, fleet),
        };
        let fixed = match needs {
            ParameterNeeds::Fixed | ParameterNeeds::FixedAndHourAngle => {
                self.world.fixed(origin, at.epoch).map_or(nowhere, |rotation| rotation.apply_vector(state.r))
            }
            _ => nowhere,
        };
        let sun = match needs {
            ParameterNeeds::StateAndSun => self.world.state(Body::Sun, origin, at.epoch).r,
            _ => nowhere,
        };
        let hour_angle = match needs {
            ParameterNeeds::HourAngle | ParameterNeeds::FixedAndHourAngle => self.world.hour_angle(origin, at.epoch),
            _ => f64::NAN,
        };
        View {
            epoch: at.epoch,
            elapsed: at.elapsed,
            state,
            centre: self.bodies.of(origin),
            fixed,
            sun,
            hour_angle,
            dry_mass: at.dry_mass,
            total_mass: at.total_mass,
        }
    }

    /// Where a spacecraft starts: its state in `MJ2000Eq` axes relative to the origin of its coordinate system.
    pub fn initial(&self, spacecraft: &Spacecraft) -> Result<(Cartesian, Body), Failure> {
        let system = &self.names.systems[spacecraft.system];
        let origin = system.origin.body().ok_or(Failure::StateUndefined)?;
        let state = spacecraft.state.to_cartesian(&self.bodies.of(origin))?;
        let inertial = system.to_inertial(&self.world, state, spacecraft.epoch);
        if inertial.r.iter().chain(&inertial.v).all(|number| number.is_finite()) {
            Ok((inertial, origin))
        } else {
            Err(Failure::StateUndefined)
        }
    }

    /// Why a run is not ok, for a person.
    pub fn sentence(&self, failure: Failure) -> String {
        match failure {
            Failure::EphemerisSpan => format!("{}, {}", failure.sentence(), self.world.ephemeris.span()),
            _ => failure.sentence().to_owned(),
        }
    }

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

impl From<RepresentationError> for Failure {
    fn from(error: RepresentationError) -> Self {
        match error {
            RepresentationError::Elements(error) => error.into(),
            RepresentationError::NotFinite => Failure::ElementsNotFinite,
            RepresentationError::OutOfRange { field: "INC", .. } => Failure::IncOutOfRange,
            _ => Failure::StateUndefined,
        }
    }
}

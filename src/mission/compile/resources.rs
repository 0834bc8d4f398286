//! The resources of a script: what `Create` makes, and which of them a field belongs to.

use std::collections::BTreeMap;

use super::burns::BurnResource;
use super::coordinate_system::CoordinateSystemResource;
use super::ephemeris_file::EphemerisResource;
use super::force_model::ForceModel;
use super::hardware::{FiniteBurnResource, TankResource, ThrusterResource};
use super::notes::Notes;
use super::power::PowerResource;
use super::propagator::Propagator;
use super::report_file::ReportFile;
use super::spacecraft::SpacecraftResource;
use super::target;
use super::variables::ValueResource;
use crate::astro::bodies::{self, Bodies};
use crate::astro::coordinates::CoordinateSystem;
use crate::astro::ephemeris::Body;
use crate::base::nearest::did_you_mean;
use crate::gmat::tree::{Created, Expression, Name, Reference, Statement, StatementKind};
use crate::mission::fields::{self, BUILT_IN, GUI_RESOURCES, RESOURCES, SOLAR_SYSTEM};
use crate::propulsion::PowerSource;
use crate::solver::settings::Settings;

/// An object of the script.
pub(super) enum Resource {
    /// With its state.
    Spacecraft(Box<SpacecraftResource>),
    /// With its gravity.
    ForceModel(ForceModel),
    /// With its step settings.
    Propagator(Propagator),
    /// With its axes.
    CoordinateSystem(CoordinateSystemResource),
    /// With its columns.
    ReportFile(ReportFile),
    /// With its window.
    EphemerisFile(Box<EphemerisResource>),
    /// A Variable, an Array or a String.
    Value(ValueResource),
    /// With its axes.
    ImpulsiveBurn(BurnResource),
    /// With its fuel.
    Tank(TankResource),
    /// With its engine.
    Thruster(Box<ThrusterResource>),
    /// With its coefficients.
    Power(Box<PowerResource>),
    /// With its thrusters.
    FiniteBurn(FiniteBurnResource),
    /// With its algorithm.
    DifferentialCorrector(Settings),
    /// Of the graphical interface.
    Gui,
    /// Refused where it is made: nothing more is said about it.
    Refused,
}

/// The most objects of a script.
const OBJECTS_MAX: usize = 10_000;
/// The most numbers in all Variables and Arrays of a script.
const ELEMENTS_MAX: usize = 1_000_000;

/// All objects of the script, in the order in which they are made.
#[derive(Default)]
pub(super) struct Resources {
    made: Vec<(String, Resource)>,
    places: BTreeMap<String, usize>,
    /// Numbers in all Variables and Arrays.
    elements: usize,
    /// The constants of the bodies.
    pub(super) bodies: Bodies,
}

/// `[GMAT] object.field = value`.
pub(super) struct Assignment<'s> {
    /// The left side.
    pub(super) target: &'s Reference,
    /// The right side.
    pub(super) value: &'s Expression,
    /// The left side as a text.
    pub(super) path: String,
    /// The left side without the object; empty where the object stands alone.
    pub(super) field: String,
}

impl Assignment<'_> {
    /// The object's name.
    pub(super) fn object(&self) -> &str {
        &self.target.parts[0].text
    }
}

impl Resources {
    /// The objects with their names.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Resource)> {
        self.made.iter().map(|(name, resource)| (name.as_str(), resource))
    }

    /// The object of a name.
    pub(super) fn get(&self, name: &str) -> Option<&Resource> {
        self.places.get(name).map(|&place| &self.made[place].1)
    }

    /// Whether a name is that of an object that is refused where it is made.
    pub(super) fn is_refused(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Resource::Refused))
    }

    /// Whether what is wrong with a path is told elsewhere: its object, or its coordinate system, is refused.
    pub(super) fn is_told(&self, path: &str, systems: &[CoordinateSystem]) -> bool {
        let mut parts = path.split(['.', '(']);
        let refused_system = |name: &str| {
            matches!(self.get(name), Some(Resource::Refused | Resource::CoordinateSystem(_)))
                && !systems.iter().any(|system| system.name == name)
        };
        parts.next().is_some_and(|object| self.is_refused(object)) || parts.next().is_some_and(refused_system)
    }

    /// Carries a statement out.
    pub(super) fn statement(&mut self, statement: &Statement, notes: &mut Notes) {
        match &statement.kind {
            StatementKind::Create { kind, objects } => {
                for object in objects {
                    self.create(kind, object, notes);
                }
            }
            StatementKind::Assign { target, value } => {
                let names: Vec<&str> = target.parts[1..].iter().map(|part| part.text.as_str()).collect();
                self.assign(&Assignment { target, value, path: target.path(), field: names.join(".") }, notes);
            }
            StatementKind::CallFunction { function, .. } => {
                let message = format!("the call of `{}` is not supported", function.path());
                notes.refuse(
                    statement.span,
                    message,
                    "before BeginMissionSequence: Create, and fields set to literals",
                );
            }
            // The parser puts nothing else here.
            _ => notes.refuse(statement.span, "this is no resource", "Create, and fields set to literals"),
        }
    }

    fn create(&mut self, kind: &Name, created: &Created, notes: &mut Notes) {
        let name = &created.name;
        if self.places.contains_key(&name.text) {
            notes.ignore(name.span, format_args!("`{}` is made a second time: the first one counts", name.text));
            return;
        }
        if self.made.len() >= OBJECTS_MAX {
            let help = format!("at most {OBJECTS_MAX} objects in a script");
            notes.refuse(name.span, format!("`{}` is one object too many", name.text), help);
            return;
        }
        let resource = match kind.text.as_str() {
            "Spacecraft" => Resource::Spacecraft(Box::default()),
            "ForceModel" => Resource::ForceModel(ForceModel::new(name.span)),
            "Propagator" => Resource::Propagator(Propagator::new(name.span)),
            "CoordinateSystem" => Resource::CoordinateSystem(CoordinateSystemResource::new(name.span)),
            "ReportFile" => Resource::ReportFile(ReportFile::default()),
            "EphemerisFile" => Resource::EphemerisFile(Box::new(EphemerisResource::new(name.span))),
            "Variable" | "Array" | "String" => match ValueResource::new(&kind.text, created, notes) {
                Some(value) if self.elements + value.count() <= ELEMENTS_MAX => {
                    self.elements += value.count();
                    Resource::Value(value)
                }
                Some(_) => {
                    let message = format!("`{}` has more elements than there is room for", name.text);
                    notes.refuse(name.span, message, format!("at most {ELEMENTS_MAX} elements in all Arrays"));
                    Resource::Refused
                }
                None => Resource::Refused,
            },
            "ImpulsiveBurn" => Resource::ImpulsiveBurn(BurnResource::default()),
            "ChemicalTank" | "FuelTank" => Resource::Tank(TankResource::chemical(name.span)),
            "ChemicalThruster" | "Thruster" => Resource::Thruster(Box::new(ThrusterResource::chemical(name.span))),
            "ElectricTank" => Resource::Tank(TankResource::electric(name.span)),
            "ElectricThruster" => Resource::Thruster(Box::new(ThrusterResource::electric(name.span))),
            "SolarPowerSystem" => Resource::Power(Box::new(PowerResource::new(PowerSource::DEFAULT_SOLAR))),
            "NuclearPowerSystem" => Resource::Power(Box::new(PowerResource::new(PowerSource::Nuclear))),
            "FiniteBurn" => Resource::FiniteBurn(FiniteBurnResource::default()),
            "DifferentialCorrector" => Resource::DifferentialCorrector(Settings::default()),
            gui if GUI_RESOURCES.contains(&gui) => {
                notes.ignore(name.span, format_args!("{gui} `{}` (graphical interface)", name.text));
                Resource::Gui
            }
            other => {
                let message = format!("resource `{other}` ({}) is not supported", name.text);
                notes.refuse(kind.span, message, format!("supported: {}", fields::names(RESOURCES)));
                Resource::Refused
            }
        };
        if !created.sizes.is_empty() && !matches!(resource, Resource::Refused) && kind.text != "Array" {
            let message = format!("`{}` has sizes, and {} has none", name.text, kind.text);
            notes.refuse(name.span, message, format!("written as Create {} {}", kind.text, name.text));
        }
        self.places.insert(name.text.clone(), self.made.len());
        self.made.push((name.text.clone(), resource));
    }

    fn assign(&mut self, assignment: &Assignment, notes: &mut Notes) {
        let (object, field) = (assignment.object(), assignment.field.as_str());
        let Some(&place) = self.places.get(object) else {
            self.assign_unmade(assignment, notes);
            return;
        };
        let resource = &mut self.made[place].1;
        if matches!(resource, Resource::Gui | Resource::Refused) {
            return;
        }
        if let Resource::Value(value) = resource {
            return value.set(assignment, notes);
        }
        if !assignment.target.indices.is_empty() {
            let message = format!("`{}` is no array: it takes no indices", assignment.path);
            notes.refuse(assignment.target.span, message, "written without parentheses");
            return;
        }
        if field.is_empty() {
            let message = format!("`{object}` can not be set as a whole");
            notes.refuse(assignment.target.span, message, format!("field by field, as in {object}.Field = value"));
            return;
        }
        match resource {
            Resource::Spacecraft(spacecraft) => spacecraft.set(assignment, notes),
            Resource::ForceModel(model) => model.set(assignment, notes),
            Resource::Propagator(propagator) => propagator.set(assignment, notes),
            Resource::CoordinateSystem(system) => system.set(assignment, notes),
            Resource::ReportFile(report) => report.set(assignment, notes),
            Resource::EphemerisFile(file) => file.set(assignment, notes),
            Resource::ImpulsiveBurn(burn) => burn.set(assignment, notes),
            Resource::Tank(tank) => tank.set(assignment, notes),
            Resource::Thruster(thruster) => thruster.set(assignment, notes),
            Resource::Power(power) => power.set(assignment, notes),
            Resource::FiniteBurn(burn) => burn.set(assignment, notes),
            Resource::DifferentialCorrector(settings) => target::set(settings, assignment, notes),
            Resource::Value(_) | Resource::Gui | Resource::Refused => {}
        }
    }

    /// A field of something that no `Create` has made: GMAT's own objects, or a slip.
    fn assign_unmade(&mut self, assignment: &Assignment, notes: &mut Notes) {
        let (object, field) = (assignment.object(), assignment.field.as_str());
        let place = assignment.target.parts[0].span;
        if object == "SolarSystem" && SOLAR_SYSTEM.contains(&field) {
            let Assignment { value, path, .. } = assignment;
            match field {
                "EphemerisSource" => {
                    notes.word(value, path, ["DE405"]);
                }
                "UseTTForEphemeris" => {
                    if notes.flag(value, path) == Some(true) {
                        notes.refuse(value.span, format!("`{path}` = true is not supported"), "supported: false");
                    }
                }
                "EphemerisUpdateInterval" => {
                    if notes.number(value, path).is_some_and(|interval| interval > 0.0) {
                        notes.refuse(value.span, format!("`{path}` above 0 is not supported"), "supported: 0");
                    }
                }
                _ => notes.ignore(place, format_args!("`{path}` has no effect here: DE405 comes with the program")),
            }
        } else if object == "SolarSystem" {
            notes.unknown_field(assignment, "the", SOLAR_SYSTEM.iter().copied());
        } else if let Some(body) = Body::of_name(object)
            && bodies::FIELDS.contains(&field)
        {
            self.constant(body, assignment, notes);
        } else if BUILT_IN.contains(&object) {
            let message = format!("`{}` can not be set", assignment.path);
            let help = if Body::of_name(object).is_some() {
                format!("supported of {object}: {}", bodies::FIELDS.join(", "))
            } else {
                format!("supported without this line: {object} as GMAT has it")
            };
            notes.refuse(assignment.target.span, message, help);
        } else {
            let names: Vec<&str> = self.iter().map(|(name, _)| name).collect();
            let help = match names[..] {
                [] => "objects are made by Create, above the lines that set their fields".to_owned(),
                _ => did_you_mean(object, names),
            };
            notes.refuse(place, format!("the script has no object `{object}` up to here"), help);
        }
    }

    /// A constant of a body.
    fn constant(&mut self, body: Body, assignment: &Assignment, notes: &mut Notes) {
        let Assignment { value, path, field, .. } = assignment;
        let Some(number) = notes.number(value, path) else { return };
        let (allowed, help) = match field.as_str() {
            "Flattening" => ((0.0..1.0).contains(&number), "at least 0 and below 1"),
            _ => (number > 0.0, "above 0"),
        };
        if !allowed {
            notes.refuse(value.span, format!("`{path}` = {number} is out of range"), help);
        } else if let Some(constant) = self.bodies.field(body, field) {
            *constant = number;
        }
    }
}

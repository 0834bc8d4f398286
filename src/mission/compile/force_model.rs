//! `ForceModel`: a point-mass Earth, and what must be switched off to fly by it.
//!
//! As measured on GMAT: a new model has the field JGM2 4x4. `PrimaryBodies = {Earth}` puts a fresh 4x4
//! field in its place, so that fields of it that were set above are lost; a second one is refused.
//! `PointMasses = {Earth}` takes the place of the default field, not of one that `PrimaryBodies` asked for.
//! An empty `PrimaryBodies` changes nothing. Degree 0 is a point mass, whatever the order says.

use super::notes::Notes;
use super::resources::Assignment;
use super::values::{items, shown, text_of};
use crate::base::problem::Span;
use crate::integrators::step_control::ErrorControl;
use crate::mission::columns::ORIGIN;

/// The potential files whose gravitational parameter is the Earth's default, so that degree 0 needs no file.
const EARTH_POTENTIALS: &[&str] = &["JGM2.cof", "JGM3.cof", "EGM96.cof", "JGM2", "JGM3", "EGM96"];

/// The fields that are supported.
const FIELDS: &[&str] = &[
    "CentralBody",
    "PrimaryBodies",
    "PointMasses",
    "GravityField.Earth.Degree",
    "GravityField.Earth.Order",
    "GravityField.Earth.PotentialFile",
    "Drag.AtmosphereModel",
    "SRP",
    "RelativisticCorrection",
    "ErrorControl",
];

/// A force model under construction.
pub(super) struct ForceModel {
    gravity: Gravity,
    /// How the error of a step is measured.
    pub(super) error_control: ErrorControl,
    /// Where it is made.
    place: Span,
    /// Its gravity is refused where it is set: nothing more is said about it.
    told: bool,
}

/// The gravity of the Earth.
#[derive(Clone, Copy)]
enum Gravity {
    Field(Field),
    PointMass,
    None,
}

/// A gravity field.
#[derive(Clone, Copy)]
struct Field {
    /// The line of `PrimaryBodies` that asked for it; GMAT's own where there is none.
    asked: Option<Span>,
    /// Degree 0; otherwise the default of 4.
    point: bool,
    /// The degree was 0 before `PrimaryBodies` made a fresh field.
    lost: bool,
}

impl ForceModel {
    /// GMAT's defaults, made at a place.
    pub(super) fn new(place: Span) -> Self {
        let field = Field { asked: None, point: false, lost: false };
        ForceModel { gravity: Gravity::Field(field), error_control: ErrorControl::RssStep, place, told: false }
    }

    /// Sets a field.
    pub(super) fn set(&mut self, assignment: &Assignment, notes: &mut Notes) {
        let Assignment { value, path, field, .. } = assignment;
        match field.as_str() {
            "CentralBody" => {
                notes.word(value, path, [ORIGIN]);
            }
            "PrimaryBodies" => self.primary_bodies(assignment, notes),
            "PointMasses" => self.point_masses(assignment, notes),
            "Drag" | "Drag.AtmosphereModel" => {
                notes.word(value, path, ["None"]);
            }
            "SRP" | "RelativisticCorrection" => notes.off(value, path),
            "ErrorControl" => {
                notes.word(value, path, ["RSSStep"]);
            }
            field if field.starts_with("Drag.") || field.starts_with("SRP.") => notes.without_effect(assignment),
            field => match field.strip_prefix("GravityField.Earth.") {
                Some(field) => self.gravity_field(field, assignment, notes),
                None => notes.unknown_field(assignment, "ForceModel", FIELDS.iter().copied()),
            },
        }
    }

    /// Whether a list of bodies holds the Earth; every other body is refused.
    fn has_earth(&mut self, assignment: &Assignment, notes: &mut Notes) -> bool {
        let mut earth = false;
        for item in items(assignment.value) {
            let body = text_of(item);
            if body != ORIGIN {
                self.told = true;
                let message = format!("`{}`: body `{}` is not supported yet", assignment.path, shown(item));
                notes.refuse(item.span, message, "supported: Earth");
            } else if std::mem::replace(&mut earth, true) {
                notes.refuse(item.span, format!("`{}` names the Earth twice", assignment.path), "supported: {Earth}");
            }
        }
        earth
    }

    fn primary_bodies(&mut self, assignment: &Assignment, notes: &mut Notes) {
        let place = assignment.target.span;
        if !self.has_earth(assignment, notes) {
            return;
        }
        match self.gravity {
            Gravity::PointMass => earth_twice(place, assignment, notes),
            Gravity::Field(Field { asked: Some(_), .. }) => {
                let message = format!("`{}` names the Earth a second time", assignment.path);
                notes.refuse(place, message, "GMAT takes it once");
            }
            Gravity::Field(Field { point, .. }) => {
                self.gravity = Gravity::Field(Field { asked: Some(place), point: false, lost: point });
            }
            Gravity::None => self.gravity = Gravity::Field(Field { asked: Some(place), point: false, lost: false }),
        }
    }

    fn point_masses(&mut self, assignment: &Assignment, notes: &mut Notes) {
        if !self.has_earth(assignment, notes) {
            if matches!(self.gravity, Gravity::PointMass) {
                self.gravity = Gravity::None;
            }
            return;
        }
        match self.gravity {
            Gravity::Field(Field { asked: Some(_), .. }) => earth_twice(assignment.target.span, assignment, notes),
            _ => self.gravity = Gravity::PointMass,
        }
    }

    /// A field behind `GravityField.Earth.`
    fn gravity_field(&mut self, field: &str, assignment: &Assignment, notes: &mut Notes) {
        let Assignment { target, value, path, .. } = assignment;
        let Gravity::Field(gravity) = &mut self.gravity else {
            let message = format!("`{path}`: the Earth of `{}` is a point mass, it has no field", assignment.object());
            notes.refuse(target.span, message, "PrimaryBodies = {Earth} instead of PointMasses, or without this line");
            return;
        };
        match field {
            "Degree" => match notes.number(value, path) {
                Some(0.0) => gravity.point = true,
                number => {
                    self.told = true;
                    if let Some(degree) = number {
                        let message = format!("`{path}` = {degree} is not supported yet");
                        notes.refuse(value.span, message, "supported: 0, a point mass");
                    }
                }
            },
            "Order" => {
                if notes.not_negative(value, path).is_some_and(|order| order > 0.0) {
                    notes.ignore(target.span, format_args!("`{path}` has no effect at degree 0"));
                }
            }
            "PotentialFile" | "Model" => {
                let file = text_of(value);
                let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
                if !EARTH_POTENTIALS.contains(&name) {
                    let message = format!("`{path}` = `{}`: its gravitational parameter is not known", shown(value));
                    notes.refuse(
                        value.span,
                        message,
                        format!("supported at degree 0: {}", EARTH_POTENTIALS.join(", ")),
                    );
                }
            }
            "TideModel" | "EarthTideModel" => {
                notes.word(value, path, ["None"]);
            }
            "StmLimit" | "TideFile" => notes.without_effect(assignment),
            _ => notes.unknown_field(assignment, "ForceModel", FIELDS.iter().copied()),
        }
    }

    /// Refuses a model that is flown and has a gravity that is not supported.
    pub(super) fn check(&self, name: &str, notes: &mut Notes) {
        if self.told {
            return;
        }
        let degree = format!("{name}.GravityField.Earth.Degree = 0");
        match self.gravity {
            Gravity::PointMass | Gravity::Field(Field { point: true, .. }) => {}
            Gravity::Field(Field { asked: Some(place), lost: true, .. }) => {
                let message = format!(
                    "`{name}.PrimaryBodies` puts GMAT's default gravity field JGM2 4x4 in place of the one set above it, and that is not supported yet"
                );
                notes.refuse(place, message, format!("supported: PrimaryBodies above {degree}"));
            }
            Gravity::Field(_) => {
                let message = format!("`{name}` has GMAT's default gravity field JGM2 4x4, which is not supported yet");
                notes.refuse(self.place, message, format!("supported: {degree}"));
            }
            Gravity::None => {
                let help = format!("supported: {name}.PointMasses = {{Earth}}, or PrimaryBodies and {degree}");
                notes.refuse(self.place, format!("`{name}` has no force"), help);
            }
        }
    }
}

fn earth_twice(place: Span, assignment: &Assignment, notes: &mut Notes) {
    let message = format!("`{}`: `{}` has the Earth already", assignment.path, assignment.object());
    notes.refuse(place, message, "PrimaryBodies or PointMasses, not both");
}

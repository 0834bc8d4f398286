//! `Spacecraft`: epoch and state, set field by field.

use super::notes::Notes;
use super::resources::Assignment;
use super::values::{items, shown, text_of};
use crate::astro::coordinates::{CoordinateSystem, nobody};
use crate::astro::ephemeris::Body;
use crate::astro::epoch::{Epoch, SCALES, Scale};
use crate::astro::representations::fields::{Field, FieldError};
use crate::astro::representations::state_input::StateInput;
use crate::astro::representations::{Centre, REPRESENTATIONS};
use crate::base::nearest::did_you_mean;
use crate::gmat::tree::{Expression, Name};
use crate::mission::fields::{CRAFT, SPACECRAFT_WITHOUT_EFFECT};
use crate::mission::{DateFormat, Mission, Spacecraft};

/// GMAT's default epoch: TAI modified Julian date 21545.
const DEFAULT_TAI_MJD: f64 = 21_545.0;

/// Fields that are neither numbers of the state nor without effect.
const OTHER_FIELDS: &[&str] = &[
    "DateFormat",
    "Epoch",
    "Id",
    "CoordinateSystem",
    "DisplayStateType",
    "AnomalyType",
    "Tanks",
    "Thrusters",
    "PowerSystem",
];

/// A spacecraft under construction.
pub(super) struct SpacecraftResource {
    /// As far as it is set.
    pub(super) spacecraft: Spacecraft,
    /// The coordinate system that it names.
    system: Option<Name>,
    /// The tanks that it names.
    pub(super) tanks: Vec<Name>,
    /// The thrusters that it names.
    pub(super) thrusters: Vec<Name>,
    /// The power system that it names.
    pub(super) power: Option<Name>,
    /// A field that turns it away from the axes of `MJ2000Eq`, as the script writes it.
    pub(super) turned: Option<String>,
    /// What files call it.
    pub(super) id: String,
    /// Fields of two representations have been told already.
    mixed: bool,
}

/// GMAT's defaults.
impl Default for SpacecraftResource {
    fn default() -> Self {
        // The literal date is inside the span that from_mjd accepts.
        let epoch = Epoch::from_mjd(Scale::Tai, DEFAULT_TAI_MJD).unwrap_or_else(|_| unreachable!("J2000 is an epoch"));
        let spacecraft = Spacecraft {
            date_format: DateFormat { scale: Scale::Tai, gregorian: false },
            epoch,
            state: StateInput::default(),
            system: 0,
            dry_mass: 850.0,
            cd: 2.2,
            cr: 1.8,
            drag_area: 15.0,
            srp_area: 1.0,
            density_scale: 1.0,
        };
        SpacecraftResource {
            spacecraft,
            system: None,
            tanks: Vec::new(),
            thrusters: Vec::new(),
            power: None,
            turned: None,
            id: "SatId".to_owned(),
            mixed: false,
        }
    }
}

impl SpacecraftResource {
    /// Sets a field.
    pub(super) fn set(&mut self, assignment: &Assignment, notes: &mut Notes) {
        let Assignment { value, path, field, .. } = assignment;
        match Field::find(field) {
            Ok(field) => return self.set_state(&field, assignment, notes),
            Err(FieldError::Unknown) => {}
            Err(error) => {
                return notes.refuse(assignment.target.span, format!("`{path}`: {error}"), "a field of the state");
            }
        }
        if let Some((_, craft)) = CRAFT.iter().find(|(known, _)| known.name == field) {
            if let Some(number) = notes.not_negative(value, path) {
                craft.set(&mut self.spacecraft, number);
            }
            return;
        }
        match field.as_str() {
            "DateFormat" => {
                self.spacecraft.date_format = date_format(value, path, notes).unwrap_or(self.spacecraft.date_format);
            }
            "Tanks" => self.tanks = named(value),
            "Thrusters" => self.thrusters = named(value),
            "PowerSystem" => self.power = Some(Name { text: text_of(value), span: value.span }),
            "Id" => self.id = text_of(value),
            "Epoch" => {
                let format = self.spacecraft.date_format;
                self.spacecraft.epoch = epoch(assignment, format, "DateFormat", notes).unwrap_or(self.spacecraft.epoch);
            }
            "CoordinateSystem" => self.system = Some(Name { text: text_of(value), span: value.span }),
            // They say how GMAT shows a state, not what the fields mean: those have names of their own.
            "DisplayStateType" | "StateType" => {
                notes.word(value, path, REPRESENTATIONS.iter().map(|representation| representation.name));
            }
            "AnomalyType" => {
                notes.word(value, path, ["TA", "MA", "EA", "HA"]);
            }
            field if SPACECRAFT_WITHOUT_EFFECT.contains(&field) => {
                if turns(field, &text_of(value)) {
                    self.turned = Some(path.clone());
                }
                notes.without_effect(assignment);
            }
            _ => {
                let numbers = Field::all().map(|field| field.name).chain(CRAFT.iter().map(|(field, _)| field.name));
                notes.unknown_field(assignment, "Spacecraft", numbers.chain(OTHER_FIELDS.iter().copied()));
            }
        }
    }

    /// As in GMAT, a script sets the fields of one representation; a sweep may set those of another, as a
    /// line of the mission sequence may.
    fn set_state(&mut self, field: &Field, assignment: &Assignment, notes: &mut Notes) {
        let Assignment { value, path, .. } = assignment;
        let Some(number) = notes.number(value, path) else { return };
        if !self.spacecraft.state.accepts(field) {
            if !self.mixed {
                self.mixed = true;
                let is = self.spacecraft.state.representation();
                let message = format!("`{path}` is no field of the {} state that the lines above it set", is.name);
                let help = format!("GMAT takes the fields of one representation: {}", is.fields.join(" "));
                notes.refuse(assignment.target.span, message, help);
            }
            return;
        }
        // the limits of a field depend on no body; the sign of the orbit's energy is looked at by the run
        if let Err(error) = self.spacecraft.state.set(field, number, &Centre::EARTH) {
            notes.refuse(value.span, format!("`{path}` = {number}: {error}"), "see the limits of the field");
        }
    }

    /// The spacecraft with its coordinate system; `is_refused` tells the names that are refused elsewhere.
    pub(super) fn link(
        &self,
        systems: &[CoordinateSystem],
        is_refused: impl Fn(&str) -> bool,
        notes: &mut Notes,
    ) -> Spacecraft {
        let Some(name) = &self.system else { return self.spacecraft };
        let Some(system) = systems.iter().position(|system| system.name == name.text) else {
            if !is_refused(&name.text) {
                let help = did_you_mean(&name.text, CoordinateSystem::names(systems));
                notes.refuse(name.span, format!("the script has no CoordinateSystem `{}`", name.text), help);
            }
            return self.spacecraft;
        };
        if systems[system].moves_with_spacecraft() {
            let message = format!("`{}` moves with spacecraft: no state can be given in it", name.text);
            notes.refuse(name.span, message, "supported: coordinate systems of bodies");
            return self.spacecraft;
        }
        Spacecraft { system, ..self.spacecraft }
    }
}

/// What a script does not say of a state is that of the default spacecraft, which stands in `EarthMJ2000Eq`: here it is
/// brought into the coordinate systems of the spacecraft.
pub(super) fn complete_states(mission: &mut Mission) {
    for spacecraft in &mut mission.pristine.spacecraft {
        let system = &mission.names.systems[spacecraft.system];
        let default = spacecraft.state.base();
        let base = system.of_inertial(&mission.world, default, Body::Earth, spacecraft.epoch, &nobody);
        if base.r.iter().chain(&base.v).all(|number| number.is_finite()) {
            spacecraft.state.rebase(base);
        }
    }
}

/// The format of dates that a word names.
pub(super) fn date_format(value: &Expression, path: &str, notes: &mut Notes) -> Option<DateFormat> {
    let formats = date_formats();
    let word = notes.word(value, path, formats.iter().map(|(name, _)| name.as_str()))?;
    formats.iter().find(|format| format.0 == word).map(|format| format.1)
}

/// The epoch that a field is set to in a format, which `format_field` names.
pub(super) fn epoch(
    assignment: &Assignment,
    format: DateFormat,
    format_field: &str,
    notes: &mut Notes,
) -> Option<Epoch> {
    let Assignment { value, path, .. } = assignment;
    let text = text_of(value);
    let DateFormat { scale, gregorian } = format;
    let name = date_formats().into_iter().find(|f| f.1 == format).map_or(String::new(), |f| f.0);
    let help = format!("{format_field} is {name} here");
    let epoch = if gregorian {
        Epoch::from_gregorian(scale, &text)
    } else if let Ok(mjd) = text.trim().parse() {
        Epoch::from_mjd(scale, mjd)
    } else {
        let field = &assignment.field;
        let help =
            format!("{help}: a number of days, JD - 2430000; set {format_field} before {field} for a calendar date");
        notes.refuse(value.span, format!("`{path}` = `{}` is no number", shown(value)), help);
        return None;
    };
    if let Err(error) = epoch {
        notes.refuse(value.span, format!("`{path}` = `{}`: {error}", shown(value)), help);
    }
    epoch.ok()
}

/// Whether a field of the attitude turns a spacecraft away from the axes of `MJ2000Eq`, those of GMAT's default.
fn turns(field: &str, value: &str) -> bool {
    let other_than = |number: f64| value.trim().parse().is_ok_and(|value: f64| (value - number).abs() > 0.0);
    match field {
        "Attitude" => value != "CoordinateSystemFixed",
        "AttitudeCoordinateSystem" => value != "EarthMJ2000Eq",
        "Q4" | "DCM11" | "DCM22" | "DCM33" => other_than(1.0),
        "Q1" | "Q2" | "Q3" => other_than(0.0),
        _ => {
            ["EulerAngle", "AngularVelocity", "MRP", "DCM"].iter().any(|start| field.starts_with(start))
                && field != "EulerAngleSequence"
                && other_than(0.0)
        }
    }
}

/// The names of a list.
fn named(value: &Expression) -> Vec<Name> {
    items(value).iter().map(|item| Name { text: text_of(item), span: item.span }).collect()
}

/// `A1Gregorian` to `UTCModJulian`.
pub(super) fn date_formats() -> Vec<(String, DateFormat)> {
    [(true, "Gregorian"), (false, "ModJulian")]
        .into_iter()
        .flat_map(|(gregorian, format)| {
            SCALES.iter().map(move |&(scale, name)| (format!("{name}{format}"), DateFormat { scale, gregorian }))
        })
        .collect()
}

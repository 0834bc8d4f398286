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
const OTHER_FIELDS: &[&str] =
    &["DateFormat", "Epoch", "CoordinateSystem", "DisplayStateType", "AnomalyType", "Tanks", "Thrusters"];

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
        SpacecraftResource { spacecraft, system: None, tanks: Vec::new(), thrusters: Vec::new(), mixed: false }
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
                let formats = date_formats();
                let names = formats.iter().map(|(name, _)| name.as_str());
                if let Some(word) = notes.word(value, path, names) {
                    self.spacecraft.date_format =
                        formats.iter().find(|f| f.0 == word).map_or(self.spacecraft.date_format, |f| f.1);
                }
            }
            "Tanks" => self.tanks = named(value),
            "Thrusters" => self.thrusters = named(value),
            "Epoch" => self.set_epoch(assignment, notes),
            "CoordinateSystem" => self.system = Some(Name { text: text_of(value), span: value.span }),
            // They say how GMAT shows a state, not what the fields mean: those have names of their own.
            "DisplayStateType" | "StateType" => {
                notes.word(value, path, REPRESENTATIONS.iter().map(|representation| representation.name));
            }
            "AnomalyType" => {
                notes.word(value, path, ["TA", "MA", "EA", "HA"]);
            }
            field if SPACECRAFT_WITHOUT_EFFECT.contains(&field) => notes.without_effect(assignment),
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

    fn set_epoch(&mut self, assignment: &Assignment, notes: &mut Notes) {
        let Assignment { value, path, .. } = assignment;
        let text = text_of(value);
        let DateFormat { scale, gregorian } = self.spacecraft.date_format;
        let format =
            date_formats().into_iter().find(|f| f.1 == self.spacecraft.date_format).map_or(String::new(), |f| f.0);
        let help = format!("DateFormat is {format} here");
        let epoch = if gregorian {
            Epoch::from_gregorian(scale, &text)
        } else if let Ok(mjd) = text.trim().parse() {
            Epoch::from_mjd(scale, mjd)
        } else {
            let help =
                format!("{help}: a number of days, JD - 2430000; set DateFormat before Epoch for a calendar date");
            notes.refuse(value.span, format!("`{path}` = `{}` is no number", shown(value)), help);
            return;
        };
        match epoch {
            Ok(epoch) => self.spacecraft.epoch = epoch,
            Err(error) => notes.refuse(value.span, format!("`{path}` = `{}`: {error}", shown(value)), help),
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

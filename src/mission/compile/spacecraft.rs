//! `Spacecraft`: epoch and state, set field by field.

use super::notes::Notes;
use super::resources::Assignment;
use super::values::{shown, text_of};
use crate::astro::epoch::{Epoch, SCALES, Scale};
use crate::mission::fields::{CARTESIAN, INERT, KEPLERIAN, SPACECRAFT_WITHOUT_EFFECT};
use crate::mission::{DateFormat, Spacecraft, StateInput, columns};

/// GMAT's default epoch: TAI modified Julian date 21545.
const DEFAULT_TAI_MJD: f64 = 21_545.0;

/// Fields that are neither numbers of the state nor without effect.
const OTHER_FIELDS: &[&str] =
    &["DateFormat", "Epoch", "CoordinateSystem", "DisplayStateType", "AnomalyType", "DryMass"];

/// A spacecraft under construction.
pub(super) struct SpacecraftResource {
    /// As far as it is set.
    pub(super) spacecraft: Spacecraft,
    /// The state type whose fields the script sets, once it has set one.
    state_type: Option<StateType>,
}

#[derive(Clone, Copy, PartialEq)]
enum StateType {
    Cartesian,
    Keplerian,
    /// Both, which is told once.
    Mixed,
}

/// GMAT's defaults.
impl Default for SpacecraftResource {
    fn default() -> Self {
        // The literal date is inside the span that from_mjd accepts.
        let epoch = Epoch::from_mjd(Scale::Tai, DEFAULT_TAI_MJD).unwrap_or_else(|_| unreachable!("J2000 is an epoch"));
        let spacecraft = Spacecraft {
            date_format: DateFormat { scale: Scale::Tai, gregorian: false },
            epoch,
            state: StateInput::Cartesian([7100.0, 0.0, 1300.0, 0.0, 7.35, 1.0]),
            dry_mass: 850.0,
        };
        SpacecraftResource { spacecraft, state_type: None }
    }
}

impl SpacecraftResource {
    /// Sets a field.
    pub(super) fn set(&mut self, assignment: &Assignment, notes: &mut Notes) {
        let Assignment { value, path, field, .. } = assignment;
        if let Some(element) = KEPLERIAN.iter().position(|f| f.name == field) {
            self.check_state_type(StateType::Keplerian, assignment, notes);
            if let Some(number) = notes.number(value, path) {
                self.spacecraft.state.set_keplerian(element, number);
            }
            return;
        }
        if let Some(component) = CARTESIAN.iter().position(|f| f.name == field) {
            self.check_state_type(StateType::Cartesian, assignment, notes);
            if let Some(number) = notes.number(value, path) {
                self.spacecraft.state.set_cartesian(component, number);
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
            "Epoch" => self.set_epoch(assignment, notes),
            "CoordinateSystem" => {
                notes.word(value, path, [columns::COORDINATE_SYSTEM]);
            }
            // They say how GMAT shows a state, not what the fields mean: those have names of their own.
            "DisplayStateType" | "StateType" => {
                notes.word(value, path, ["Cartesian", "Keplerian"]);
            }
            "AnomalyType" => {
                notes.word(value, path, ["TA"]);
            }
            "DryMass" => {
                self.spacecraft.dry_mass = notes.not_negative(value, path).unwrap_or(self.spacecraft.dry_mass);
            }
            field if INERT.iter().any(|f| f.name == field) => {
                notes.number(value, path);
            }
            field if SPACECRAFT_WITHOUT_EFFECT.contains(&field) => notes.without_effect(assignment),
            _ => {
                let numbers = KEPLERIAN.iter().chain(CARTESIAN).chain(INERT).map(|f| f.name);
                notes.unknown_field(assignment, "Spacecraft", numbers.chain(OTHER_FIELDS.iter().copied()));
            }
        }
    }

    /// As in GMAT, a script sets the elements of one state type; a sweep may set those of the other, as a
    /// line of the mission sequence may.
    fn check_state_type(&mut self, new: StateType, assignment: &Assignment, notes: &mut Notes) {
        let old = *self.state_type.get_or_insert(new);
        if old == new || old == StateType::Mixed {
            return;
        }
        self.state_type = Some(StateType::Mixed);
        let (new, old) = match new {
            StateType::Keplerian => ("Keplerian", "Cartesian"),
            _ => ("Cartesian", "Keplerian"),
        };
        let message = format!("`{}` is {new}, and the lines above it set the {old} state", assignment.path);
        let help = "GMAT takes the elements of one state type: SMA ECC INC RAAN AOP TA, or X Y Z VX VY VZ";
        notes.refuse(assignment.target.span, message, help);
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
}

/// `A1Gregorian` to `UTCModJulian`.
fn date_formats() -> Vec<(String, DateFormat)> {
    [(true, "Gregorian"), (false, "ModJulian")]
        .into_iter()
        .flat_map(|(gregorian, format)| {
            SCALES.iter().map(move |&(scale, name)| (format!("{name}{format}"), DateFormat { scale, gregorian }))
        })
        .collect()
}

//! `EphemerisFile`: which states of a spacecraft it has, and in what coordinate system.

use super::notes::Notes;
use super::resources::{Assignment, Resource, Resources};
use super::spacecraft::date_formats;
use super::values::{shown, text_of};
use crate::astro::coordinates::CoordinateSystem;
use crate::astro::epoch::{Epoch, Scale};
use crate::base::nearest::did_you_mean;
use crate::base::problem::Span;
use crate::gmat::tree::{Expression, Name};
use crate::mission::ephemeris::{EphemerisFile, needs_others, reference_frame};
use crate::mission::{DateFormat, Mission};

/// The form that is written.
const OEM: &str = "CCSDS-OEM";
/// GMAT's forms.
const FORMATS: [&str; 5] = [OEM, "SPK", "CK", "Code-500", "STK-TimePosVel"];

/// The fields.
const FIELDS: [&str; 15] = [
    "Spacecraft",
    "Filename",
    "FileFormat",
    "EpochFormat",
    "InitialEpoch",
    "FinalEpoch",
    "StepSize",
    "Interpolator",
    "InterpolationOrder",
    "StateType",
    "CoordinateSystem",
    "OutputFormat",
    "WriteEphemeris",
    "IncludeCovariance",
    "DistanceUnit",
];

/// Those that say nothing to this form, or where a window stands.
const WITHOUT_EFFECT: [&str; 6] =
    ["DistanceUnit", "IncludeEventBoundaries", "UpperLeft", "Size", "RelativeZOrder", "Maximized"];

/// An ephemeris file under construction.
pub(super) struct EphemerisResource {
    spacecraft: Option<Name>,
    system: Option<Name>,
    format: &'static str,
    epochs: DateFormat,
    first: Option<(Epoch, Span)>,
    last: Option<(Epoch, Span)>,
    step: Option<f64>,
    interpolator: (&'static str, Span),
    order: usize,
    on: bool,
    /// Values that other forms have: where, and what is wrong.
    not_oem: Vec<(Span, String, &'static str)>,
    place: Span,
}

impl EphemerisResource {
    /// GMAT's defaults, made at a place.
    pub(super) fn new(place: Span) -> Self {
        EphemerisResource {
            spacecraft: None,
            system: None,
            format: OEM,
            epochs: DateFormat { scale: Scale::Utc, gregorian: true },
            first: None,
            last: None,
            step: None,
            interpolator: ("Lagrange", place),
            order: 7,
            on: true,
            not_oem: Vec::new(),
            place,
        }
    }

    /// Sets a field.
    pub(super) fn set(&mut self, assignment: &Assignment, notes: &mut Notes) {
        let Assignment { value, path, field, .. } = assignment;
        match field.as_str() {
            "Spacecraft" => self.spacecraft = Some(Name { text: text_of(value), span: value.span }),
            "CoordinateSystem" => self.system = Some(Name { text: text_of(value), span: value.span }),
            // the program names the files that it writes after the objects
            "Filename" | "FileName" => {}
            "FileFormat" => {
                self.format = notes.word(value, path, FORMATS).unwrap_or(self.format);
            }
            "EpochFormat" => {
                let formats: Vec<_> =
                    date_formats().into_iter().filter(|format| format.1.scale != Scale::Tdb).collect();
                if let Some(word) = notes.word(value, path, formats.iter().map(|(name, _)| name.as_str())) {
                    self.epochs = formats.iter().find(|format| format.0 == word).map_or(self.epochs, |format| format.1);
                }
            }
            "InitialEpoch" => self.first = self.epoch("InitialSpacecraftEpoch", value, path, notes),
            "FinalEpoch" => self.last = self.epoch("FinalSpacecraftEpoch", value, path, notes),
            "StepSize" => {
                self.step = if text_of(value) == "IntegratorSteps" { None } else { positive(value, path, notes) };
            }
            "Interpolator" => {
                let word = notes.word(value, path, ["Lagrange", "Hermite", "Linear"]);
                self.interpolator = (word.unwrap_or(self.interpolator.0), value.span);
            }
            "InterpolationOrder" => self.set_order(value, path, notes),
            "StateType" => self.only("Cartesian", &["Quaternion"], value, path, notes),
            "IncludeCovariance" => self.only("None", &["Position", "PositionAndVelocity"], value, path, notes),
            "OutputFormat" => {
                notes.word(value, path, ["LittleEndian", "BigEndian", "PC", "UNIX"]);
            }
            "WriteEphemeris" => self.on = notes.flag(value, path).unwrap_or(self.on),
            field if WITHOUT_EFFECT.contains(&field) => {}
            _ => notes.unknown_field(assignment, "EphemerisFile", FIELDS),
        }
    }

    /// One of the words of all forms, of which this form has the first.
    fn only(&mut self, word: &'static str, others: &[&'static str], value: &Expression, path: &str, notes: &mut Notes) {
        let words = std::iter::once(word).chain(others.iter().copied());
        self.not_oem.retain(|(_, told, _)| !told.starts_with(&format!("`{path}`")));
        if notes.word(value, path, words).is_some_and(|found| found != word) {
            let message = format!("`{path}` = `{}` is not supported in {OEM}", shown(value));
            self.not_oem.push((value.span, message, word));
        }
    }

    fn set_order(&mut self, value: &Expression, path: &str, notes: &mut Notes) {
        let Some(number) = notes.number(value, path) else { return };
        let odd = self.interpolator.0 == "Hermite";
        if number.fract() != 0.0 || !(1.0..=10.0).contains(&number) {
            notes.refuse(value.span, format!("`{path}` = {number} is out of range"), "a whole number from 1 to 10");
        } else if odd && number % 2.0 == 0.0 {
            notes.refuse(value.span, format!("`{path}` = {number} is even"), "an odd number, as Hermite needs it");
        } else {
            self.order = number as usize;
        }
    }

    /// An epoch in `EpochFormat`; none for the word.
    fn epoch(&self, word: &str, value: &Expression, path: &str, notes: &mut Notes) -> Option<(Epoch, Span)> {
        let text = text_of(value);
        if text == word {
            return None;
        }
        let DateFormat { scale, gregorian } = self.epochs;
        let format = date_formats().into_iter().find(|format| format.1 == self.epochs).map_or(String::new(), |f| f.0);
        let help = format!("{word}, or an epoch; EpochFormat is {format} here");
        let epoch = if gregorian {
            Epoch::from_gregorian(scale, &text)
        } else if let Ok(mjd) = text.trim().parse() {
            Epoch::from_mjd(scale, mjd)
        } else {
            notes.refuse(value.span, format!("`{path}` = `{}` is no number", shown(value)), help);
            return None;
        };
        match epoch {
            Ok(epoch) => Some((epoch, value.span)),
            Err(error) => {
                notes.refuse(value.span, format!("`{path}` = `{}`: {error}", shown(value)), help);
                None
            }
        }
    }

    /// The file, or nothing where it is refused or of another form.
    pub(super) fn build(
        &self,
        name: &str,
        resources: &Resources,
        mission: &Mission,
        notes: &mut Notes,
    ) -> Option<EphemerisFile> {
        if self.format != OEM {
            notes.ignored.push(format!("EphemerisFile `{name}`: FileFormat {} is not written", self.format));
            return None;
        }
        for (place, message, word) in &self.not_oem {
            notes.refuse(*place, message.as_str(), format!("supported: {word}"));
        }
        let (spacecraft, object_id) = self.find_spacecraft(name, resources, mission, notes)?;
        let system = self.find_system(resources, mission, notes)?;
        let place = self.system.as_ref().map_or(self.place, |system| system.span);
        let known = &mission.names.systems[system];
        let Some(frame) = reference_frame(known) else {
            let message = format!("the axes of `{}` have no name in {OEM}", known.name);
            let help = "supported: MJ2000Eq, ObjectReferenced; about the Earth also TODEq, ICRF, BodyFixed, MJ2000Ec";
            notes.refuse(place, message, help);
            return None;
        };
        if needs_others(known, spacecraft) {
            let message = format!("`{}` moves with other spacecraft than that of `{name}`", known.name);
            notes.refuse(place, message, "supported: origins at bodies, axes by bodies and by this spacecraft");
        } else if self.step.is_some() && frame == "ObjectReferenced" {
            let message = format!("`{}` has ObjectReferenced axes, and `{name}` a fixed StepSize", known.name);
            notes.refuse(place, message, "supported: StepSize = IntegratorSteps, as in GMAT");
        }
        let (interpolator, place) = self.interpolator;
        if self.step.is_some() && interpolator != "Lagrange" {
            let message = format!("the Interpolator {interpolator} with a fixed StepSize is not supported");
            notes.refuse(place, message, "supported: Lagrange, as in GMAT");
        }
        if let Some((first, place)) = self.first {
            if first.since(mission.pristine.spacecraft[spacecraft].epoch) < 0.0 {
                notes.refuse(place, "InitialEpoch lies before the spacecraft's epoch", "that epoch or later");
            } else if self.last.is_some_and(|(last, _)| last.since(first) < 0.0) {
                notes.refuse(place, "InitialEpoch lies after FinalEpoch", "an epoch before FinalEpoch");
            }
        }
        Some(EphemerisFile {
            name: name.to_owned(),
            spacecraft,
            object_id,
            system,
            step: self.step,
            interpolator,
            order: self.order,
            scale: self.epochs.scale,
            first: self.first.map(|first| first.0),
            last: self.last.map(|last| last.0),
            on: self.on,
        })
    }

    /// Its spacecraft, and the `Id` of that.
    fn find_spacecraft(
        &self,
        file: &str,
        resources: &Resources,
        mission: &Mission,
        notes: &mut Notes,
    ) -> Option<(usize, String)> {
        let names = &mission.names.spacecraft;
        let Some(name) = &self.spacecraft else {
            notes.refuse(
                self.place,
                format!("EphemerisFile `{file}` needs a Spacecraft"),
                format!("as in {file}.Spacecraft = Sat"),
            );
            return None;
        };
        match resources.get(&name.text) {
            Some(Resource::Spacecraft(craft)) => {
                names.iter().position(|known| *known == name.text).map(|place| (place, craft.id.clone()))
            }
            Some(Resource::Refused) => None,
            _ => {
                let message = format!("the script has no Spacecraft `{}`", name.text);
                notes.refuse(name.span, message, did_you_mean(&name.text, names.iter().map(String::as_str)));
                None
            }
        }
    }

    fn find_system(&self, resources: &Resources, mission: &Mission, notes: &mut Notes) -> Option<usize> {
        let systems = &mission.names.systems;
        let name = self.system.as_ref().map_or("EarthMJ2000Eq", |name| &name.text);
        let found = systems.iter().position(|known| known.name == name);
        let told = matches!(resources.get(name), Some(Resource::Refused | Resource::CoordinateSystem(_)));
        if let (None, Some(place), false) = (found, &self.system, told) {
            let help = did_you_mean(name, CoordinateSystem::names(systems));
            notes.refuse(place.span, format!("the script has no CoordinateSystem `{name}`"), help);
        }
        found
    }
}

fn positive(value: &Expression, path: &str, notes: &mut Notes) -> Option<f64> {
    let text = text_of(value);
    let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    if number.is_none() {
        let message = format!("`{path}` = `{}` is no step", shown(value));
        notes.refuse(value.span, message, "IntegratorSteps, or seconds above 0");
    }
    number
}

//! `ForceModel`: which forces act.
//!
//! Its gravity is in `gravity.rs`.

use std::sync::Arc;

use super::gravity::{Gravity, bodies, body};
use super::notes::Notes;
use super::resources::Assignment;
use super::values::text_of;
use crate::astro::bodies::Bodies;
use crate::astro::ephemeris::Body;
use crate::base::problem::Span;
use crate::forces::drag::exponential::Exponential;
use crate::forces::drag::jacchia_roberts::JacchiaRoberts;
use crate::forces::drag::msise::Msise90;
use crate::forces::drag::nrlmsise::Nrlmsise00;
use crate::forces::drag::space_weather::{Activity, SpaceWeather, Weather};
use crate::forces::radiation_pressure::{FLUX, LIGHT, NOMINAL_SUN};
use crate::forces::terms::{DragTerm, RadiationTerm, RelativityTerm};
use crate::forces::{self, Force, Needs};
use crate::gmat::collector::shorten;
use crate::gmat::tree::Name;
use crate::integrators::error_control::{ERROR_CONTROLS, ErrorControl};

/// The atmospheres, none first.
const ATMOSPHERES: [&str; 5] = ["None", "Exponential", "JacchiaRoberts", "MSISE90", "NRLMSISE00"];

/// Where the weather can come from.
const WEATHER_SOURCES: [&str; 2] = ["ConstantFluxAndGeoMag", "CSSISpaceWeatherFile"];

/// The fields that are supported.
const FIELDS: &[&str] = &[
    "CentralBody",
    "PrimaryBodies",
    "PointMasses",
    "GravityField.Earth.Degree",
    "GravityField.Earth.Order",
    "GravityField.Earth.PotentialFile",
    "Drag.AtmosphereModel",
    "Drag.F107",
    "Drag.F107A",
    "Drag.MagneticIndex",
    "Drag.HistoricWeatherSource",
    "Drag.PredictedWeatherSource",
    "Drag.CSSISpaceWeatherFile",
    "SRP",
    "SRP.Flux",
    "SRP.Flux_Pressure",
    "SRP.Nominal_Sun",
    "SRP.ExtraShadowBodies",
    "RelativisticCorrection",
    "ErrorControl",
];

/// A force model under construction.
#[allow(clippy::struct_excessive_bools)] // switches of the script
pub(super) struct ForceModel {
    center: Body,
    gravity: Gravity,
    atmosphere: &'static str,
    f107: f64,
    f107a: f64,
    kp: f64,
    /// Whether the weather of the past and of the future comes from the file.
    historic: bool,
    predicted: bool,
    weather_file: Option<Name>,
    srp: bool,
    /// W/m^2 at the nominal distance, and that distance, km.
    flux: f64,
    nominal_sun: f64,
    /// What casts shadows besides the central body.
    shadows: Vec<Body>,
    relativity: bool,
    /// How the error of a step is measured.
    pub(super) error_control: ErrorControl,
    /// Where it is made.
    place: Span,
    /// Something of it is refused where it is set: nothing more is said about it.
    told: bool,
}

impl ForceModel {
    /// GMAT's defaults, made at a place.
    pub(super) fn new(place: Span) -> Self {
        ForceModel {
            center: Body::Earth,
            gravity: Gravity::default(),
            atmosphere: ATMOSPHERES[0],
            f107: 150.0,
            f107a: 150.0,
            kp: 3.0,
            historic: false,
            predicted: false,
            weather_file: None,
            srp: false,
            flux: FLUX,
            nominal_sun: NOMINAL_SUN,
            shadows: Vec::new(),
            relativity: false,
            error_control: ErrorControl::RssStep,
            place,
            told: false,
        }
    }

    /// Sets a field.
    pub(super) fn set(&mut self, assignment: &Assignment, notes: &mut Notes) {
        let Assignment { value, path, field, .. } = assignment;
        let within = |low: f64, high: f64, notes: &mut Notes| {
            let number = notes.number(value, path)?;
            if number <= low || number >= high {
                let help = format!("a number between {low:e} and {high:e}, as in GMAT");
                notes.refuse(value.span, format!("`{path}` = {number} is out of range"), help);
                return None;
            }
            Some(number)
        };
        match field.as_str() {
            "CentralBody" => match body(value, path, notes) {
                Some(body) => self.center = body,
                None => self.told = true,
            },
            "PrimaryBodies" => {
                let bodies = bodies(assignment, notes, &mut self.told);
                self.gravity.primary_bodies(&bodies, assignment, notes);
            }
            "PointMasses" => {
                let bodies = bodies(assignment, notes, &mut self.told);
                self.gravity.point_masses(bodies, assignment, notes);
            }
            "Drag" | "Drag.AtmosphereModel" => match notes.word(value, path, ATMOSPHERES) {
                Some(word) => self.atmosphere = ATMOSPHERES.iter().find(|name| **name == word).unwrap_or(&"None"),
                None => self.told = true,
            },
            "Drag.F107" => self.f107 = weather(assignment, 0.0..=1000.0, notes).unwrap_or(self.f107),
            "Drag.F107A" => self.f107a = weather(assignment, 0.0..=1000.0, notes).unwrap_or(self.f107a),
            "Drag.MagneticIndex" => self.kp = weather(assignment, 0.0..=9.0, notes).unwrap_or(self.kp),
            "Drag.HistoricWeatherSource" | "Drag.PredictedWeatherSource" => {
                let word = notes.word(value, path, WEATHER_SOURCES);
                self.told |= word.is_none();
                let of_file = word == Some(WEATHER_SOURCES[1]);
                *(if field.ends_with("HistoricWeatherSource") { &mut self.historic } else { &mut self.predicted }) =
                    of_file;
            }
            "Drag.CSSISpaceWeatherFile" => self.weather_file = Some(Name { text: text_of(value), span: value.span }),
            "SRP" => self.srp = notes.flag(value, path).unwrap_or(self.srp),
            "SRP.SRPModel" | "Drag.DragModel" => self.told |= notes.word(value, path, ["Spherical"]).is_none(),
            "SRP.Flux" => self.flux = within(1200.0, 1450.0, notes).unwrap_or(self.flux),
            "SRP.Flux_Pressure" => self.flux = within(4.33e-6, 4.84e-6, notes).map_or(self.flux, |p| p * LIGHT),
            "SRP.Nominal_Sun" => self.nominal_sun = within(135e6, 165e6, notes).unwrap_or(self.nominal_sun),
            "SRP.ExtraShadowBodies" => self.shadows = bodies(assignment, notes, &mut self.told),
            "RelativisticCorrection" => self.relativity = notes.flag(value, path).unwrap_or(self.relativity),
            "ErrorControl" => {
                let names = ERROR_CONTROLS.iter().map(|(name, _)| *name);
                if let Some(control) = notes.word(value, path, names).and_then(ErrorControl::find) {
                    self.error_control = control;
                }
            }
            "Drag.SchattenFile"
            | "Drag.SchattenErrorModel"
            | "Drag.SchattenTimingModel"
            | "Drag.DensityModel"
            | "Drag.InputFile" => {
                notes.without_effect(assignment);
            }
            field => {
                let gravity = field.strip_prefix("GravityField.");
                if !gravity.is_some_and(|rest| self.gravity.set(rest, assignment, notes, &mut self.told)) {
                    notes.unknown_field(assignment, "ForceModel", FIELDS.iter().copied());
                }
            }
        }
    }

    /// The forces; none where something of the model is refused.
    pub(super) fn build(&self, name: &str, constants: &Bodies, notes: &mut Notes) -> Option<forces::ForceModel> {
        if self.told {
            return None;
        }
        let mut needs = Needs::default();
        let mut all = self.gravity.build(self.center, (name, self.place), constants, &mut needs, notes)?;
        if self.atmosphere != ATMOSPHERES[0] {
            if self.center != Body::Earth {
                let message = format!("`{name}`: drag about {} is not supported", self.center.name());
                notes.refuse(self.place, message, "supported: CentralBody = Earth");
                return None;
            }
            let (earth, gmat) = (constants.of(Body::Earth), Bodies::default().of(Body::Earth));
            if (earth.radius, earth.flattening) != (gmat.radius, gmat.flattening) {
                let message = format!("`{name}`: drag above an Earth of another shape than GMAT's is not supported");
                notes.refuse(
                    self.place,
                    message,
                    "without drag, or without Earth.EquatorialRadius and Earth.Flattening",
                );
                return None;
            }
            let weather = self.space_weather(name, notes)?;
            let atmosphere: Box<dyn Force> = match self.atmosphere {
                "Exponential" => Box::new(DragTerm::new(Box::new(Exponential), &mut needs)),
                "JacchiaRoberts" => Box::new(DragTerm::new(Box::new(JacchiaRoberts::new(weather)), &mut needs)),
                "MSISE90" => {
                    // GMAT goes over to the 3-hourly formula at the first observed day and never back
                    let model = Msise90::new(weather);
                    let model = if self.historic { model.always_three_hourly() } else { model };
                    Box::new(DragTerm::new(Box::new(model), &mut needs))
                }
                // as GMAT's plugin: without anomalous oxygen
                _ => {
                    let model = Nrlmsise00::new(weather).without_anomalous_oxygen();
                    Box::new(DragTerm::new(Box::new(model), &mut needs))
                }
            };
            all.push(atmosphere);
        }
        if self.srp {
            all.push(RadiationTerm::boxed(
                self.flux,
                self.nominal_sun,
                self.center,
                &self.shadows,
                constants,
                &mut needs,
            ));
        }
        if self.relativity {
            all.push(RelativityTerm::boxed(self.center, constants, &mut needs));
        }
        Some(forces::ForceModel { forces: all, center: self.center, needs })
    }

    /// Constant, or by the file.
    fn space_weather(&self, name: &str, notes: &mut Notes) -> Option<Weather> {
        let constant = Activity::constant(self.f107, self.f107a, self.kp);
        if !self.historic && !self.predicted {
            return Some(Weather::constant(constant));
        }
        let Some(file) = &self.weather_file else {
            let message = format!("`{name}` takes its weather from a file, and names none");
            notes.refuse(
                self.place,
                message,
                format!("write: {name}.Drag.CSSISpaceWeatherFile = 'path from the script'"),
            );
            return None;
        };
        let message = match notes.files.read(&file.text) {
            Err(error) => format!("the weather file `{}` cannot be read: {error}", shorten(&file.text)),
            Ok(bytes) => match SpaceWeather::parse(&String::from_utf8_lossy(&bytes)) {
                Ok(weather) => {
                    return Some(Weather::from_file(constant, Arc::new(weather), self.historic, self.predicted));
                }
                Err(error) => format!("the weather file `{}`: {error}", shorten(&file.text)),
            },
        };
        notes.refuse(file.span, message, "a file in the format of CSSI (SpaceWeather-All-v1.2.txt)");
        None
    }
}

/// A number of the Sun's or the Earth's activity; GMAT takes 0 for its default.
fn weather(assignment: &Assignment, allowed: std::ops::RangeInclusive<f64>, notes: &mut Notes) -> Option<f64> {
    let Assignment { value, path, .. } = assignment;
    let number = notes.number(value, path)?;
    if !allowed.contains(&number) {
        let help = format!("a number from {} to {}", allowed.start(), allowed.end());
        notes.refuse(value.span, format!("`{path}` = {number} is out of range"), help);
        return None;
    }
    if number == 0.0 {
        notes.ignore(value.span, format_args!("`{path}` = 0: GMAT takes its default instead"));
        return None;
    }
    Some(number)
}

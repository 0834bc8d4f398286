//! `ForceModel`: which forces act.
//!
//! As measured on GMAT: a new model has the Earth's field JGM2 4x4. `PrimaryBodies = {Earth}` puts a fresh 4x4
//! field in its place, so that fields of it that were set above are lost; a second one is refused.
//! `PointMasses = {Earth}` takes the place of the default field, not of one that `PrimaryBodies` asked for.
//! An empty `PrimaryBodies` changes nothing. Degree 0 is a point mass, whatever the order says.

use std::sync::Arc;

use super::notes::Notes;
use super::resources::Assignment;
use super::values::{items, shown, text_of};
use crate::astro::ephemeris::Body;
use crate::base::nearest::did_you_mean;
use crate::base::problem::Span;
use crate::forces::drag::exponential::Exponential;
use crate::forces::drag::jacchia_roberts::JacchiaRoberts;
use crate::forces::drag::msise::Msise90;
use crate::forces::drag::nrlmsise::Nrlmsise00;
use crate::forces::drag::space_weather::{Activity, SpaceWeather, Weather};
use crate::forces::harmonics::{Field as HarmonicField, Harmonics};
use crate::forces::point_mass::PointMass;
use crate::forces::radiation_pressure::{FLUX, LIGHT, NOMINAL_SUN};
use crate::forces::terms::{DragTerm, FieldTerm, RadiationTerm, RelativityTerm, ThirdBodyTerm};
use crate::forces::{self, Force, Needs};
use crate::gmat::collector::shorten;
use crate::gmat::tree::Name;
use crate::integrators::error_control::{ERROR_CONTROLS, ErrorControl};

/// The gravity fields that come with the program.
const POTENTIALS: &[&str] = &["JGM2.cof", "JGM3.cof", "EGM96.cof"];
/// The highest degree that is flown.
const DEGREE_MAX: f64 = Harmonics::LARGEST_DEGREE as f64;
/// GMAT's default degree and order.
const DEGREE: usize = 4;
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
    /// Point masses besides that of the Earth's own gravity.
    points: Vec<Body>,
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

/// The gravity of the Earth.
#[derive(Clone)]
enum Gravity {
    Field(Field),
    PointMass,
    None,
}

/// A gravity field.
#[derive(Clone)]
struct Field {
    /// The line of `PrimaryBodies` that asked for it; GMAT's own where there is none.
    asked: Option<Span>,
    degree: usize,
    order: usize,
    /// One that comes with the program, or a path; and where it stands.
    file: Name,
}

impl Field {
    fn fresh(asked: Option<Span>) -> Gravity {
        let file = Name { text: POTENTIALS[0].to_owned(), span: Span { line: 1, column: 1, length: 1 } };
        Gravity::Field(Field { asked, degree: DEGREE, order: DEGREE, file })
    }

    /// The coefficients; a file that cannot be read or used is told.
    fn read(&self, notes: &mut Notes) -> Option<HarmonicField> {
        if let Some(field) = HarmonicField::embedded(&self.file.text) {
            return Some(field);
        }
        let path = &self.file.text;
        let message = match notes.files.read(path) {
            Err(error) => format!("the potential file `{}` cannot be read: {error}", shorten(path)),
            Ok(bytes) => match HarmonicField::parse(path, &bytes) {
                Ok(field) => return Some(field),
                Err(error) => format!("the potential file `{}`: {error}", shorten(path)),
            },
        };
        let help = format!("a .cof or .gfc file by its path from the script, or {}", POTENTIALS.join(", "));
        notes.refuse(self.file.span, message, help);
        None
    }
}

impl ForceModel {
    /// GMAT's defaults, made at a place.
    pub(super) fn new(place: Span) -> Self {
        ForceModel {
            center: Body::Earth,
            gravity: Field::fresh(None),
            points: Vec::new(),
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
            "CentralBody" => self.center = self.body(value, path, notes).unwrap_or(self.center),
            "PrimaryBodies" => self.primary_bodies(assignment, notes),
            "PointMasses" => self.point_masses(assignment, notes),
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
            "SRP.ExtraShadowBodies" => self.shadows = self.bodies(assignment, notes),
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
            field => match field.strip_prefix("GravityField.Earth.") {
                Some(field) => self.gravity_field(field, assignment, notes),
                None => notes.unknown_field(assignment, "ForceModel", FIELDS.iter().copied()),
            },
        }
    }

    fn body(&mut self, value: &crate::gmat::tree::Expression, path: &str, notes: &mut Notes) -> Option<Body> {
        let name = text_of(value);
        let body = Body::of_name(&name);
        if body.is_none() {
            self.told = true;
            let message = format!("`{path}`: `{}` is no body that is supported", shown(value));
            notes.refuse(value.span, message, did_you_mean(&name, Body::all().map(Body::name)));
        }
        body
    }

    fn bodies(&mut self, assignment: &Assignment, notes: &mut Notes) -> Vec<Body> {
        let mut bodies = Vec::new();
        for item in items(assignment.value) {
            let Some(body) = self.body(item, &assignment.path, notes) else { continue };
            if bodies.contains(&body) {
                let message = format!("`{}` names {} twice", assignment.path, body.name());
                notes.refuse(item.span, message, "each body once");
            } else {
                bodies.push(body);
            }
        }
        bodies
    }

    fn primary_bodies(&mut self, assignment: &Assignment, notes: &mut Notes) {
        let place = assignment.target.span;
        let bodies = self.bodies(assignment, notes);
        if let Some(body) = bodies.iter().find(|body| **body != Body::Earth) {
            self.told = true;
            let message = format!("`{}`: the gravity field of {} is not supported yet", assignment.path, body.name());
            let name = body.name();
            let item = items(assignment.value).iter().find(|item| text_of(item) == name);
            let span = item.map_or(place, |item| item.span);
            notes.refuse(span, message, format!("supported: Earth; as a point: PointMasses = {{{name}}}"));
            return;
        }
        if bodies.is_empty() {
            return;
        }
        match self.gravity {
            Gravity::PointMass => earth_twice(place, assignment, notes),
            Gravity::Field(Field { asked: Some(_), .. }) => {
                let message = format!("`{}` names the Earth a second time", assignment.path);
                notes.refuse(place, message, "GMAT takes it once");
            }
            Gravity::Field(_) | Gravity::None => self.gravity = Field::fresh(Some(place)),
        }
    }

    fn point_masses(&mut self, assignment: &Assignment, notes: &mut Notes) {
        let bodies = self.bodies(assignment, notes);
        let earth = bodies.contains(&Body::Earth);
        self.points = bodies.into_iter().filter(|body| *body != Body::Earth).collect();
        match (&self.gravity, earth) {
            (Gravity::PointMass, false) => self.gravity = Gravity::None,
            (Gravity::Field(Field { asked: Some(_), .. }), true) => {
                earth_twice(assignment.target.span, assignment, notes);
            }
            (_, true) => self.gravity = Gravity::PointMass,
            (_, false) => {}
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
            "Degree" | "Order" => match notes.number(value, path) {
                Some(number) if number.fract() == 0.0 && (0.0..=DEGREE_MAX).contains(&number) => {
                    *(if field == "Degree" { &mut gravity.degree } else { &mut gravity.order }) = number as usize;
                }
                number => {
                    self.told = true;
                    if let Some(number) = number {
                        let message = format!("`{path}` = {number} is not supported");
                        notes.refuse(value.span, message, "a whole number from 0 to 720");
                    }
                }
            },
            "PotentialFile" | "Model" => {
                // the fields that come with the program are known by their names, wherever the script has them
                let path = text_of(value);
                let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
                let embedded = HarmonicField::embedded(name).is_some();
                gravity.file = Name { text: if embedded { name.to_owned() } else { path }, span: value.span };
            }
            "TideModel" | "EarthTideModel" => {
                notes.word(value, path, ["None"]);
            }
            "StmLimit" | "TideFile" => notes.without_effect(assignment),
            _ => notes.unknown_field(assignment, "ForceModel", FIELDS.iter().copied()),
        }
    }

    /// The forces; none where something of the model is refused.
    pub(super) fn build(&self, name: &str, notes: &mut Notes) -> Option<forces::ForceModel> {
        if self.told {
            return None;
        }
        let mut needs = Needs::default();
        let mut all: Vec<Box<dyn Force>> = Vec::new();
        if self.center == Body::Earth {
            self.gravity_of_the_earth(name, &mut needs, &mut all, notes)?;
        } else if self.points.contains(&self.center) {
            all.push(Box::new(PointMass::new(self.center.mu())));
            match &self.gravity {
                Gravity::PointMass => all.push(ThirdBodyTerm::boxed(Body::Earth, &mut needs)),
                Gravity::None => {}
                Gravity::Field(_) => {
                    let message = format!(
                        "`{name}`: the gravity field of the Earth about {} is not supported",
                        self.center.name()
                    );
                    notes.refuse(self.place, message, "supported: the Earth among the PointMasses");
                    return None;
                }
            }
        } else {
            let center = self.center.name();
            let message = format!("`{name}` has no gravity of its central body {center}");
            notes.refuse(self.place, message, format!("supported: {name}.PointMasses = {{{center}, ...}}"));
            return None;
        }
        for &body in self.points.iter().filter(|body| **body != self.center) {
            all.push(ThirdBodyTerm::boxed(body, &mut needs));
        }
        let only_earth = |what: &str, notes: &mut Notes| {
            if self.center == Body::Earth {
                return true;
            }
            let message = format!("`{name}`: {what} about {} is not supported", self.center.name());
            notes.refuse(self.place, message, "supported: CentralBody = Earth");
            false
        };
        if self.atmosphere != ATMOSPHERES[0] {
            if !only_earth("drag", notes) {
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
            all.push(RadiationTerm::boxed(self.flux, self.nominal_sun, self.center, &self.shadows, &mut needs));
        }
        if self.relativity {
            if !only_earth("the relativistic correction", notes) {
                return None;
            }
            all.push(RelativityTerm::boxed(self.center, &mut needs));
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

    fn gravity_of_the_earth(
        &self,
        name: &str,
        needs: &mut Needs,
        all: &mut Vec<Box<dyn Force>>,
        notes: &mut Notes,
    ) -> Option<()> {
        match &self.gravity {
            Gravity::PointMass => all.push(Box::new(PointMass::new(Body::Earth.mu()))),
            Gravity::Field(field) => {
                let whole = field.read(notes)?;
                if field.degree == 0 {
                    all.push(Box::new(PointMass::new(whole.mu_km3_s2)));
                    return Some(());
                }
                if field.order > field.degree {
                    notes.ignored.push(format!("ForceModel `{name}`: the order of the field is cut to its degree"));
                }
                let gravity = whole.cut(field.degree, field.order).and_then(|field| FieldTerm::new(&field));
                match gravity {
                    Ok(gravity) => all.push(Box::new(gravity)),
                    Err(error) => {
                        notes.refuse(field.file.span, format!("`{name}`: {error}"), "a degree and order of the file");
                        return None;
                    }
                }
                needs.rotation = true;
            }
            Gravity::None => {
                let help = format!("supported: {name}.PointMasses = {{Earth}}, or PrimaryBodies");
                notes.refuse(self.place, format!("`{name}` has no gravity of its central body Earth"), help);
                return None;
            }
        }
        Some(())
    }
}

fn earth_twice(place: Span, assignment: &Assignment, notes: &mut Notes) {
    let message = format!("`{}`: `{}` has the Earth already", assignment.path, assignment.object());
    notes.refuse(place, message, "PrimaryBodies or PointMasses, not both");
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

//! `CoordinateSystem`: an origin with axes.

use super::notes::Notes;
use super::resources::Assignment;
use super::values::{shown, text_of};
use crate::astro::coordinates::{Axes, CoordinateSystem, Object};
use crate::astro::ephemeris::Body;
use crate::astro::epoch::{Epoch, Scale};
use crate::astro::frames::{BodyAxes, Direction, EarthAxes, ObjectAxes};
use crate::base::nearest::did_you_mean;
use crate::base::problem::Span;
use crate::gmat::collector::shorten;
use crate::gmat::tree::Name;

/// The axes that a script can name.
const AXES: &[(&str, Kind)] = &[
    ("MJ2000Eq", Kind::Earth(EarthAxes::J2000)),
    ("MJ2000Ec", Kind::Earth(EarthAxes::J2000Ecliptic)),
    ("MODEq", Kind::Earth(EarthAxes::MeanEquator)),
    ("MODEc", Kind::Earth(EarthAxes::MeanEcliptic)),
    ("TODEq", Kind::Earth(EarthAxes::TrueEquator)),
    ("TODEc", Kind::Earth(EarthAxes::TrueEcliptic)),
    ("MOEEq", Kind::EarthAt(EarthAxes::MeanEquator)),
    ("MOEEc", Kind::EarthAt(EarthAxes::MeanEcliptic)),
    ("TOEEq", Kind::EarthAt(EarthAxes::TrueEquator)),
    ("TOEEc", Kind::EarthAt(EarthAxes::TrueEcliptic)),
    ("TEME", Kind::Earth(EarthAxes::TrueEquatorMeanEquinox)),
    ("ICRF", Kind::Icrf),
    ("BodyFixed", Kind::Body(BodyAxes::Fixed)),
    ("BodyInertial", Kind::Body(BodyAxes::Inertial)),
    ("Equator", Kind::Body(BodyAxes::Equator)),
    ("ObjectReferenced", Kind::Objects),
];

const FIELDS: [&str; 8] = ["Origin", "Axes", "Primary", "Secondary", "XAxis", "YAxis", "ZAxis", "Epoch"];

/// GMAT's default epoch of axes of an epoch: A1 modified Julian date 21545.
const DEFAULT_A1_MJD: f64 = 21_545.0;

#[derive(Clone, Copy)]
enum Kind {
    Earth(EarthAxes),
    EarthAt(EarthAxes),
    Icrf,
    Body(BodyAxes),
    Objects,
}

/// A body, or a name to be found among the spacecraft.
#[derive(Clone)]
enum Place {
    Body(Body),
    Named { path: String, name: Name },
}

impl Place {
    fn of(assignment: &Assignment) -> Place {
        let text = text_of(assignment.value);
        match Body::of_name(&text) {
            Some(body) => Place::Body(body),
            None => Place::Named { path: assignment.path.clone(), name: Name { text, span: assignment.value.span } },
        }
    }

    /// The object; a name that is none is told.
    fn find(&self, spacecraft: &[&str], notes: &mut Notes) -> Option<Object> {
        let (path, name) = match self {
            Place::Body(body) => return Some(Object::Body(*body)),
            Place::Named { path, name } => (path, name),
        };
        let found = spacecraft.iter().position(|other| *other == name.text);
        if found.is_none() {
            let message = format!("`{path}` = `{}` is no body or Spacecraft", shorten(&name.text));
            let mut known = spacecraft.to_vec();
            known.extend(Body::all().map(|body| body.name() as &str));
            notes.refuse(name.span, message, did_you_mean(&name.text, known));
        }
        found.map(Object::Spacecraft)
    }
}

/// A coordinate system under construction.
pub(super) struct CoordinateSystemResource {
    origin: Place,
    axes: Kind,
    primary: Place,
    secondary: Option<Place>,
    /// The named axes.
    named: [Option<Direction>; 3],
    epoch: f64,
    place: Span,
    /// Something of it is refused where it is set.
    told: bool,
}

impl CoordinateSystemResource {
    /// GMAT's defaults, made at a place.
    pub(super) fn new(place: Span) -> Self {
        CoordinateSystemResource {
            origin: Place::Body(Body::Earth),
            axes: Kind::Earth(EarthAxes::J2000),
            primary: Place::Body(Body::Earth),
            secondary: None,
            named: [None; 3],
            epoch: DEFAULT_A1_MJD,
            place,
            told: false,
        }
    }

    /// Sets a field.
    pub(super) fn set(&mut self, assignment: &Assignment, notes: &mut Notes) {
        let Assignment { value, path, field, .. } = assignment;
        match field.as_str() {
            "Origin" => self.origin = Place::of(assignment),
            "Primary" => self.primary = Place::of(assignment),
            "Secondary" => self.secondary = Some(Place::of(assignment)),
            "Axes" => {
                let word = notes.word(value, path, AXES.iter().map(|(name, _)| *name));
                match AXES.iter().find(|(name, _)| Some(*name) == word) {
                    Some((_, kind)) => self.axes = *kind,
                    None => self.told = true,
                }
            }
            "XAxis" | "YAxis" | "ZAxis" => {
                let axis = ["XAxis", "YAxis", "ZAxis"].iter().position(|name| name == field).unwrap_or(0);
                let direction = Direction::parse(&text_of(value));
                if direction.is_none() {
                    self.told = true;
                    let message = format!("`{path}` = `{}` is no direction", shown(value));
                    notes.refuse(value.span, message, "supported: R, -R, V, -V, N, -N");
                }
                self.named[axis] = direction;
            }
            "Epoch" => self.epoch = notes.number(value, path).unwrap_or(self.epoch),
            "UpdateInterval" | "OverrideOriginInterval" => notes.without_effect(assignment),
            _ => notes.unknown_field(assignment, "CoordinateSystem", FIELDS),
        }
    }

    /// The system, or nothing where it is refused.
    pub(super) fn build(&self, name: &str, spacecraft: &[&str], notes: &mut Notes) -> Option<CoordinateSystem> {
        if self.told {
            return None;
        }
        let origin = self.origin.find(spacecraft, notes)?;
        let primary = self.primary.find(spacecraft, notes)?;
        let secondary = match &self.secondary {
            Some(secondary) => Some(secondary.find(spacecraft, notes)?),
            None => None,
        };
        let mut refuse = |message: String, help: &str| {
            notes.refuse(self.place, message, help);
            None
        };
        let axes = match self.axes {
            Kind::Earth(axes) => Axes::Earth(axes),
            Kind::Icrf => Axes::Icrf,
            Kind::Body(_) if origin.body().is_none() => {
                return refuse(
                    format!("`{name}` has the axes of a body, and its Origin is none"),
                    "an Origin that is a body",
                );
            }
            Kind::Body(axes) => Axes::Body(axes),
            Kind::EarthAt(axes) => match Epoch::from_mjd(Scale::A1, self.epoch) {
                Ok(epoch) => Axes::EarthAt(axes, epoch),
                Err(error) => {
                    return refuse(format!("`{name}`.Epoch = {}: {error}", self.epoch), "A1 days, JD - 2430000");
                }
            },
            Kind::Objects => {
                let Some(secondary) = secondary.filter(|object| *object != primary) else {
                    return refuse(
                        format!("`{name}` needs a Secondary other than its Primary"),
                        "supported: a body or a Spacecraft",
                    );
                };
                match ObjectAxes::new(self.named) {
                    Ok(axes) => Axes::ObjectReferenced { axes, primary, secondary },
                    Err(error) => return refuse(format!("`{name}`: {error}"), "as in XAxis = R, ZAxis = N"),
                }
            }
        };
        Some(CoordinateSystem { name: name.to_owned(), origin, axes })
    }
}

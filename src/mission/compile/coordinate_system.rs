//! `CoordinateSystem`: an origin with axes.

use super::notes::Notes;
use super::resources::Assignment;
use super::values::{shown, text_of};
use crate::astro::coordinates::{Axes, CoordinateSystem};
use crate::astro::ephemeris::Body;
use crate::astro::epoch::{Epoch, Scale};
use crate::astro::frames::{BodyAxes, Direction, EarthAxes, ObjectAxes};
use crate::base::nearest::did_you_mean;
use crate::base::problem::Span;

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

/// A coordinate system under construction.
pub(super) struct CoordinateSystemResource {
    origin: Body,
    axes: Kind,
    primary: Body,
    secondary: Option<Body>,
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
            origin: Body::Earth,
            axes: Kind::Earth(EarthAxes::J2000),
            primary: Body::Earth,
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
            "Origin" => self.origin = self.body(assignment, notes).unwrap_or(self.origin),
            "Primary" => self.primary = self.body(assignment, notes).unwrap_or(self.primary),
            "Secondary" => self.secondary = self.body(assignment, notes).or(self.secondary),
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

    fn body(&mut self, assignment: &Assignment, notes: &mut Notes) -> Option<Body> {
        let name = text_of(assignment.value);
        let body = Body::of_name(&name);
        if body.is_none() {
            self.told = true;
            let message = format!("`{}` = `{}` is no body that is supported", assignment.path, shown(assignment.value));
            notes.refuse(assignment.value.span, message, did_you_mean(&name, Body::all().map(Body::name)));
        }
        body
    }

    /// The system, or nothing where it is refused.
    pub(super) fn build(&self, name: &str, notes: &mut Notes) -> Option<CoordinateSystem> {
        if self.told {
            return None;
        }
        let mut refuse = |message: String, help: &str| {
            notes.refuse(self.place, message, help);
            None
        };
        let axes = match self.axes {
            Kind::Earth(axes) => Axes::Earth(axes),
            Kind::Icrf => Axes::Icrf,
            Kind::Body(axes) => Axes::Body(axes),
            Kind::EarthAt(axes) => match Epoch::from_mjd(Scale::A1, self.epoch) {
                Ok(epoch) => Axes::EarthAt(axes, epoch),
                Err(error) => {
                    return refuse(format!("`{name}`.Epoch = {}: {error}", self.epoch), "A1 days, JD - 2430000");
                }
            },
            Kind::Objects => {
                let Some(secondary) = self.secondary.filter(|body| *body != self.primary) else {
                    return refuse(format!("`{name}` needs a Secondary other than its Primary"), "supported: bodies");
                };
                match ObjectAxes::new(self.named) {
                    Ok(axes) => Axes::ObjectReferenced { axes, primary: self.primary, secondary },
                    Err(error) => return refuse(format!("`{name}`: {error}"), "as in XAxis = R, ZAxis = N"),
                }
            }
        };
        Some(CoordinateSystem { name: name.to_owned(), origin: self.origin, axes })
    }
}

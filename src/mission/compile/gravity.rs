//! What attracts: `PrimaryBodies`, `PointMasses` and `GravityField` of a `ForceModel`.
//!
//! As measured on GMAT: a new model has the Earth's field JGM2 4x4. `PrimaryBodies = {Earth}` puts a fresh 4x4
//! field in its place, so that fields of it that were set above are lost; a second one is refused.
//! `PointMasses = {Earth}` takes the place of the default field, not of one that `PrimaryBodies` asked for.
//! An empty `PrimaryBodies` changes nothing. Degree 0 is a point mass, whatever the order says. About another
//! central body the default field of the Earth does not act. A body of which no field comes with the program
//! needs a `PotentialFile`.

use super::notes::Notes;
use super::resources::Assignment;
use super::values::{items, shown, text_of};
use crate::astro::bodies::Bodies;
use crate::astro::ephemeris::Body;
use crate::base::nearest::did_you_mean;
use crate::base::problem::Span;
use crate::forces::harmonics::{Field as HarmonicField, Harmonics};
use crate::forces::point_mass::PointMass;
use crate::forces::terms::{FieldTerm, ThirdBodyTerm, TideTerm};
use crate::forces::{Force, Needs};
use crate::gmat::collector::shorten;
use crate::gmat::tree::{Expression, Name};

/// The gravity fields that come with the program.
const POTENTIALS: &[&str] = &["JGM2.cof", "JGM3.cof", "EGM96.cof"];
/// The highest degree that is flown.
const DEGREE_MAX: f64 = Harmonics::LARGEST_DEGREE as f64;
/// GMAT's default degree and order.
const DEGREE: usize = 4;
/// How far the radius of a field may be from that of its body: a field of another body is further off.
const RADIUS_TOLERANCE: f64 = 0.05;

/// Fields and point masses, a body in one of them at most.
pub(super) struct Gravity {
    fields: Vec<Field>,
    points: Vec<Body>,
}

/// A gravity field.
struct Field {
    body: Body,
    /// The line of `PrimaryBodies` that asked for it; GMAT's own where there is none.
    asked: Option<Span>,
    degree: usize,
    order: usize,
    /// Whether it yields to the Sun and the Moon.
    tides: bool,
    /// One that comes with the program, or a path; and where it stands.
    file: Option<Name>,
}

/// A body's name in a sentence.
fn the(body: Body) -> String {
    let article = if matches!(body, Body::Earth | Body::Sun) { "the " } else { "" };
    format!("{article}{}", body.name())
}

/// A body of a script; another one is told.
pub(super) fn body(value: &Expression, path: &str, notes: &mut Notes) -> Option<Body> {
    let name = text_of(value);
    let body = Body::of_name(&name);
    if body.is_none() {
        let message = format!("`{path}`: `{}` is no body that is supported", shown(value));
        notes.refuse(value.span, message, did_you_mean(&name, Body::all().map(Body::name)));
    }
    body
}

/// The bodies of a list, each once; `told` where an item is refused.
pub(super) fn bodies(assignment: &Assignment, notes: &mut Notes, told: &mut bool) -> Vec<Body> {
    let mut bodies = Vec::new();
    for item in items(assignment.value) {
        let Some(body) = body(item, &assignment.path, notes) else {
            *told = true;
            continue;
        };
        if bodies.contains(&body) {
            let message = format!("`{}` names {} twice", assignment.path, body.name());
            notes.refuse(item.span, message, "each body once");
        } else {
            bodies.push(body);
        }
    }
    bodies
}

impl Default for Gravity {
    fn default() -> Self {
        Gravity { fields: vec![Field::fresh(Body::Earth, None)], points: Vec::new() }
    }
}

impl Gravity {
    pub(super) fn primary_bodies(&mut self, bodies: &[Body], assignment: &Assignment, notes: &mut Notes) {
        let place = assignment.target.span;
        for &body in bodies {
            if self.points.contains(&body) {
                twice(body, assignment, notes);
            } else if self.fields.iter().any(|field| field.body == body && field.asked.is_some()) {
                let message = format!("`{}` names {} a second time", assignment.path, the(body));
                notes.refuse(place, message, "GMAT takes it once");
            } else {
                self.fields.retain(|field| field.body != body);
                self.fields.push(Field::fresh(body, Some(place)));
            }
        }
    }

    pub(super) fn point_masses(&mut self, bodies: Vec<Body>, assignment: &Assignment, notes: &mut Notes) {
        for &body in &bodies {
            if self.fields.iter().any(|field| field.body == body && field.asked.is_some()) {
                twice(body, assignment, notes);
            } else {
                self.fields.retain(|field| field.body != body);
            }
        }
        self.points = bodies;
    }

    /// What stands behind `GravityField.`, such as `Luna.Degree`; false where it is unknown. `told` where it is refused.
    pub(super) fn set(&mut self, rest: &str, assignment: &Assignment, notes: &mut Notes, told: &mut bool) -> bool {
        let Assignment { target, value, path, .. } = assignment;
        let Some((body, field)) = rest.split_once('.') else { return false };
        let Some(body) = Body::of_name(body) else { return false };
        let known =
            ["Degree", "Order", "PotentialFile", "Model", "TideModel", "EarthTideModel", "StmLimit", "TideFile"];
        if !known.contains(&field) {
            return false;
        }
        let Some(gravity) = self.fields.iter_mut().find(|field| field.body == body) else {
            let (model, name) = (assignment.object(), body.name());
            let (message, help) = if self.points.contains(&body) {
                let help = format!("PrimaryBodies = {{{name}}} instead of PointMasses, or without this line");
                (format!("`{path}`: {} of `{model}` is a point mass, it has no field", the(body)), help)
            } else {
                let help = format!("above this line: {model}.PrimaryBodies = {{{name}}}");
                (format!("`{path}`: `{model}` has no field of {}", the(body)), help)
            };
            notes.refuse(target.span, message, help);
            return true;
        };
        match field {
            "Degree" | "Order" => match notes.number(value, path) {
                Some(number) if number.fract() == 0.0 && (0.0..=DEGREE_MAX).contains(&number) => {
                    *(if field == "Degree" { &mut gravity.degree } else { &mut gravity.order }) = number as usize;
                }
                number => {
                    *told = true;
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
                gravity.file = Some(Name { text: if embedded { name.to_owned() } else { path }, span: value.span });
            }
            "TideModel" | "EarthTideModel" => {
                // the Love numbers are those of the Earth
                let known: &[&str] = if body == Body::Earth { &["None", "Solid"] } else { &["None"] };
                match notes.word(value, path, known.iter().copied()) {
                    Some(word) => gravity.tides = word == "Solid",
                    None => *told = true,
                }
            }
            _ => notes.without_effect(assignment),
        }
        true
    }

    /// The forces about a central body, in a model of that name made at a place; none where something is refused.
    pub(super) fn build(
        &self,
        center: Body,
        (name, place): (&str, Span),
        constants: &Bodies,
        needs: &mut Needs,
        notes: &mut Notes,
    ) -> Option<Vec<Box<dyn Force>>> {
        let mut forces: Vec<Box<dyn Force>> = Vec::new();
        if let Some((field, asked)) =
            self.fields.iter().filter(|field| field.body != center).find_map(|field| Some((field, field.asked?)))
        {
            let message =
                format!("`{name}`: the gravity field of {} about {} is not supported", the(field.body), the(center));
            let help = format!("supported: a field of the central body; {} among the PointMasses", the(field.body));
            notes.refuse(asked, message, help);
            return None;
        }
        match self.fields.iter().find(|field| field.body == center) {
            Some(field) => forces.extend(field.build(name, place, constants, needs, notes)?),
            None if self.points.contains(&center) => forces.push(Box::new(PointMass::new(constants.of(center).mu))),
            None => {
                let of = center.name();
                let help = format!("supported: {name}.PointMasses = {{{of}}}, or PrimaryBodies");
                notes.refuse(place, format!("`{name}` has no gravity of its central body {of}"), help);
                return None;
            }
        }
        forces.extend(
            self.points
                .iter()
                .filter(|body| **body != center)
                .map(|body| ThirdBodyTerm::boxed(*body, constants, needs) as _),
        );
        Some(forces)
    }
}

impl Field {
    fn fresh(body: Body, asked: Option<Span>) -> Field {
        let default =
            || Name { text: POTENTIALS[0].to_owned(), span: Span { source: 0, line: 1, column: 1, length: 1 } };
        let file = (body == Body::Earth).then(default);
        Field { body, asked, degree: DEGREE, order: DEGREE, tides: false, file }
    }

    /// The field, and its tides.
    fn build(
        &self,
        model: &str,
        place: Span,
        constants: &Bodies,
        needs: &mut Needs,
        notes: &mut Notes,
    ) -> Option<Vec<Box<dyn Force>>> {
        let name = self.body.name();
        let Some(file) = &self.file else {
            let message = format!("`{model}`: no gravity field of {} comes with the program", the(self.body));
            let help = format!("write: {model}.GravityField.{name}.PotentialFile = 'path from the script'");
            notes.refuse(self.asked.unwrap_or(place), message, help);
            return None;
        };
        let whole = read(file, notes)?;
        if (whole.radius_km / self.body.equatorial_radius() - 1.0).abs() > RADIUS_TOLERANCE {
            let (file, radius) = (shorten(&file.text), whole.radius_km);
            let message = format!("`{model}`: the field `{file}` is of a body of {radius} km, no field of {name}");
            notes.refuse(self.file.as_ref()?.span, message, format!("{name} has {} km", self.body.equatorial_radius()));
            return None;
        }
        if self.degree == 0 {
            return Some(vec![Box::new(PointMass::new(whole.mu_km3_s2))]);
        }
        if self.order > self.degree {
            notes.ignored.push(format!("ForceModel `{model}`: the order of the field is cut to its degree"));
        }
        let cut = whole.cut(self.degree, self.order);
        match cut.and_then(|field| Ok((FieldTerm::new(&field)?, field))) {
            Ok((gravity, field)) => {
                needs.rotation = true;
                let mut forces: Vec<Box<dyn Force>> = vec![Box::new(gravity)];
                forces.extend(self.tides.then(|| TideTerm::boxed(&field, constants, needs)));
                Some(forces)
            }
            Err(error) => {
                notes.refuse(file.span, format!("`{model}`: {error}"), "a degree and order of the file");
                None
            }
        }
    }
}

/// The coefficients; a file that cannot be read or used is told.
fn read(file: &Name, notes: &mut Notes) -> Option<HarmonicField> {
    if let Some(field) = HarmonicField::embedded(&file.text) {
        return Some(field);
    }
    let path = &file.text;
    let message = match notes.files.read(path) {
        Err(error) => format!("the potential file `{}` cannot be read: {error}", shorten(path)),
        Ok(bytes) => match HarmonicField::parse(path, &bytes) {
            Ok(field) => return Some(field),
            Err(error) => format!("the potential file `{}`: {error}", shorten(path)),
        },
    };
    let help = format!("a .cof or .gfc file by its path from the script, or {}", POTENTIALS.join(", "));
    notes.refuse(file.span, message, help);
    None
}

fn twice(body: Body, assignment: &Assignment, notes: &mut Notes) {
    let message = format!("`{}`: `{}` has {} already", assignment.path, assignment.object(), the(body));
    notes.refuse(assignment.target.span, message, "PrimaryBodies or PointMasses, not both");
}

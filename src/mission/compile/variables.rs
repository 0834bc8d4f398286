//! `Variable`, `Array`, `String`: the numbers and texts that a script computes with.

use super::notes::Notes;
use super::resources::Assignment;
use super::values::{text_of, written};
use crate::gmat::tree::{Created, Expression, ExpressionKind};
use crate::mission::names::{Names, Shape, Value};

/// The most elements of an Array.
const ELEMENTS_MAX: f64 = 10_000.0;

/// A Variable, an Array or a String under construction.
pub(super) struct ValueResource {
    shape: Shape,
    numbers: Vec<f64>,
    text: String,
}

impl ValueResource {
    /// As `Create` makes it, or nothing where that is refused.
    pub(super) fn new(kind: &str, created: &Created, notes: &mut Notes) -> Option<Self> {
        let shape = match kind {
            "Variable" => Shape::Number,
            "String" => Shape::Text,
            _ => {
                let (rows, columns) = sizes(created, notes)?;
                Shape::Array { rows, columns }
            }
        };
        let count = if let Shape::Array { rows, columns } = shape { rows * columns } else { 1 };
        Some(ValueResource { shape, numbers: vec![0.0; count], text: String::new() })
    }

    /// How many numbers it has.
    pub(super) fn count(&self) -> usize {
        self.numbers.len()
    }

    /// Sets it, or an element.
    pub(super) fn set(&mut self, assignment: &Assignment, notes: &mut Notes) {
        let Assignment { target, value, path, field } = assignment;
        if !matches!(field.as_str(), "" | "Value") {
            return notes.unknown_field(assignment, "Variable", ["Value"]);
        }
        if self.shape == Shape::Text {
            self.text = match value.kind {
                ExpressionKind::Number(_) => notes.written(value.span), // 1.50 stays 1.50
                _ => text_of(value),
            };
            return;
        }
        let whole = |index: &Expression| match index.kind {
            ExpressionKind::Number(number) if number >= 1.0 && number.fract() == 0.0 => number as usize,
            _ => 0,
        };
        let indices: Vec<usize> = target.indices.iter().map(whole).collect();
        let known = Value { name: path.clone(), slot: 0, shape: self.shape };
        let Some(place) = known.element(&indices) else {
            let message = format!("`{}` is no number of it", written(target));
            let help = match self.shape {
                Shape::Array { rows, columns } => format!("{path}(1,1) to {path}({rows},{columns})"),
                Shape::Number | Shape::Text => format!("{path} takes no indices"),
            };
            return notes.refuse(target.span, message, help);
        };
        if let Some(number) = notes.number(value, path) {
            self.numbers[place] = number;
        }
    }

    /// Adds it to the objects of a mission.
    pub(super) fn make(&self, name: &str, names: &mut Names, numbers: &mut Vec<f64>) {
        names.values.push(Value { name: name.to_owned(), slot: numbers.len(), shape: self.shape });
        if self.shape == Shape::Text {
            numbers.push(names.text(&self.text) as f64);
        } else {
            numbers.extend_from_slice(&self.numbers);
        }
    }
}

/// `A[2,3]`, `A[3]` (a row of three).
fn sizes(created: &Created, notes: &mut Notes) -> Option<(usize, usize)> {
    let name = &created.name;
    let numbers: Vec<f64> = created
        .sizes
        .iter()
        .map(|size| if let ExpressionKind::Number(number) = size.kind { number } else { f64::NAN })
        .collect();
    let fits = numbers.iter().all(|number| *number >= 1.0 && number.fract() == 0.0);
    match numbers[..] {
        [columns] if fits && columns <= ELEMENTS_MAX => Some((1, columns as usize)),
        [rows, columns] if fits && rows * columns <= ELEMENTS_MAX => Some((rows as usize, columns as usize)),
        _ => {
            let message = format!("Array `{}` needs its sizes", name.text);
            notes.refuse(
                name.span,
                message,
                format!("as in Create Array {}[2,3]; at most {ELEMENTS_MAX} elements", name.text),
            );
            None
        }
    }
}

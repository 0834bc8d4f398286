//! `ReportFile`: which columns it has, and how it is written.

use super::notes::Notes;
use super::resources::Assignment;
use super::values::{items, text_of};
use crate::gmat::tree::Name;
use crate::mission::fields::REPORT_WITHOUT_EFFECT;
use crate::mission::report::{ReportSettings, SIZE_MAX};
use crate::mission::target::SolverRows;

/// The fields that have an effect.
const TEXT_FIELDS: [&str; 11] = [
    "Add",
    "WriteReport",
    "SolverIterations",
    "Filename",
    "Precision",
    "ColumnWidth",
    "WriteHeaders",
    "LeftJustify",
    "ZeroFill",
    "FixedWidth",
    "Delimiter",
];

/// A report under construction.
pub(super) struct ReportFile {
    /// What `Add` names, each once.
    pub(super) columns: Vec<Name>,
    /// Whether it is written at all.
    pub(super) written: bool,
    /// Which rows of `Add` it gets while a Target is solved.
    pub(super) solver_rows: SolverRows,
    /// How it is written.
    pub(super) text: ReportSettings,
}

impl Default for ReportFile {
    fn default() -> Self {
        ReportFile {
            columns: Vec::new(),
            written: true,
            solver_rows: SolverRows::default(),
            text: ReportSettings::default(),
        }
    }
}

impl ReportFile {
    /// Sets a field.
    pub(super) fn set(&mut self, assignment: &Assignment, notes: &mut Notes) {
        match assignment.field.as_str() {
            "Add" => {
                for item in items(assignment.value) {
                    let text = text_of(item);
                    if self.columns.iter().any(|column| column.text == text) {
                        notes.ignore(item.span, format_args!("`{text}` stands twice in {}", assignment.path));
                    } else {
                        self.columns.push(Name { text, span: item.span });
                    }
                }
            }
            // the program names the files that it writes after the objects
            "Filename" => {}
            "Precision" => self.text.precision = size(assignment, 1..=SIZE_MAX, notes).unwrap_or(self.text.precision),
            "ColumnWidth" => self.text.width = size(assignment, 1..=SIZE_MAX, notes).unwrap_or(self.text.width),
            "WriteHeaders" => switch(&mut self.text.headers, assignment, notes),
            "LeftJustify" => switch(&mut self.text.left, assignment, notes),
            "ZeroFill" => switch(&mut self.text.zero_fill, assignment, notes),
            "FixedWidth" => switch(&mut self.text.fixed_width, assignment, notes),
            // GMAT takes the first character of the text, `C` of 'Comma' as well
            "Delimiter" => self.text.delimiter = text_of(assignment.value).chars().next().unwrap_or(' '),
            "WriteReport" => {
                self.written = notes.flag(assignment.value, &assignment.path).unwrap_or(self.written);
            }
            "SolverIterations" => {
                let word = notes.word(assignment.value, &assignment.path, ["Current", "All", "None"]);
                self.solver_rows = match word {
                    Some("All") => SolverRows::All,
                    Some("None") => SolverRows::Last,
                    _ => SolverRows::Current,
                };
            }
            field if REPORT_WITHOUT_EFFECT.contains(&field) => {}
            _ => {
                let known = REPORT_WITHOUT_EFFECT.iter().copied().chain(TEXT_FIELDS);
                notes.unknown_field(assignment, "ReportFile", known);
            }
        }
    }
}

fn switch(field: &mut bool, assignment: &Assignment, notes: &mut Notes) {
    *field = notes.flag(assignment.value, &assignment.path).unwrap_or(*field);
}

/// A whole number within bounds.
fn size(assignment: &Assignment, bounds: std::ops::RangeInclusive<usize>, notes: &mut Notes) -> Option<usize> {
    let Assignment { value, path, .. } = assignment;
    let number = notes.number(value, path)?;
    let size = number as usize;
    if number.fract() == 0.0 && number >= 0.0 && bounds.contains(&size) {
        return Some(size);
    }
    let help = format!("a whole number from {} to {}", bounds.start(), bounds.end());
    notes.refuse(value.span, format!("`{path}` = {number} is out of range"), help);
    None
}

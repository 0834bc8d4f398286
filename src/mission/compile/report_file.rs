//! `ReportFile`: which columns it has.

use super::notes::Notes;
use super::resources::Assignment;
use super::values::{items, text_of};
use crate::gmat::tree::Name;
use crate::mission::fields::REPORT_WITHOUT_EFFECT;

/// A report under construction.
pub(super) struct ReportFile {
    /// What `Add` names, each once.
    pub(super) columns: Vec<Name>,
    /// Whether it is written at all.
    pub(super) written: bool,
}

impl Default for ReportFile {
    fn default() -> Self {
        ReportFile { columns: Vec::new(), written: true }
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
            "WriteReport" => {
                self.written = notes.flag(assignment.value, &assignment.path).unwrap_or(self.written);
            }
            field if REPORT_WITHOUT_EFFECT.contains(&field) => {}
            _ => {
                let known = REPORT_WITHOUT_EFFECT.iter().copied().chain(["Add", "WriteReport"]);
                notes.unknown_field(assignment, "ReportFile", known);
            }
        }
    }
}

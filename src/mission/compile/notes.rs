//! What there is to say about a script: its problems, and what in it has no effect.

use std::fmt::Display;

use super::resources::Assignment;
use crate::base::files::Files;
use crate::base::nearest::did_you_mean;
use crate::base::problem::{Problems, Span};
use crate::gmat::collector::{Collector, Fault};

/// The problems and the ignored lines found so far.
pub(super) struct Notes<'a> {
    problems: Collector<'a>,
    /// What has no effect on the numbers, a line each, for the log.
    pub(super) ignored: Vec<String>,
    /// Where the files are that the script names.
    pub(super) files: &'a dyn Files,
}

impl<'a> Notes<'a> {
    /// Nothing to say yet about a file and its text.
    pub(super) fn new(file: &'a str, text: &'a str, files: &'a dyn Files) -> Self {
        Notes { problems: Collector::new(file, text), ignored: Vec::new(), files }
    }

    /// Adds a problem: where, what is wrong, what is supported or meant.
    pub(super) fn refuse(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.problems.add(Fault::new(span, message, help));
    }

    /// Refuses a field that a kind of resource does not have, or not yet.
    pub(super) fn unknown_field<'n>(
        &mut self,
        assignment: &Assignment,
        kind: &str,
        known: impl IntoIterator<Item = &'n str>,
    ) {
        let message = format!("field `{}` of {kind} `{}` is not supported", assignment.field, assignment.object());
        self.refuse(assignment.target.span, message, did_you_mean(&assignment.field, known));
    }

    /// Notes that something at a place has no effect.
    pub(super) fn ignore(&mut self, place: Span, what: impl Display) {
        self.ignored.push(format!("line {}: {what}", place.line));
    }

    /// Notes that a field has no effect on the numbers.
    pub(super) fn without_effect(&mut self, assignment: &Assignment) {
        self.ignore(assignment.target.span, format_args!("`{}` has no effect here", assignment.path));
    }

    /// The ignored lines, or the problems in the order of their places if there are any.
    pub(super) fn finish(self) -> Result<Vec<String>, Problems> {
        self.problems.finish().map_or(Ok(self.ignored), Err)
    }
}

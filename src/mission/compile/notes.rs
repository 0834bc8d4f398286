//! What there is to say about a script: its problems, and what in it has no effect.

use std::fmt::Display;

use super::resources::Assignment;
use crate::base::files::Files;
use crate::base::nearest::did_you_mean;
use crate::base::problem::{Problems, Span, lines};
use crate::gmat::collector::{Collector, Fault};
use crate::gmat::include::Included;
use crate::gmat::signs;
use crate::gmat::tree::{Expression, ExpressionKind};

/// The problems and the ignored lines found so far.
pub(super) struct Notes<'a> {
    problems: Collector<'a>,
    included: &'a [Included],
    /// The lines of the script and of the files that it includes.
    lines: Vec<Vec<&'a str>>,
    /// What has no effect on the numbers, a line each, for the log.
    pub(super) ignored: Vec<String>,
    /// Where the files are that the script names.
    pub(super) files: &'a dyn Files,
}

impl<'a> Notes<'a> {
    /// Nothing to say yet about a file and its text.
    pub(super) fn new(file: &'a str, text: &'a str, included: &'a [Included], files: &'a dyn Files) -> Self {
        let texts = std::iter::once(text).chain(included.iter().map(|included| included.text.as_str()));
        let lines = texts.map(|text| lines(text).collect()).collect();
        Notes { problems: Collector::with_included(file, text, included), included, lines, ignored: Vec::new(), files }
    }

    /// Adds a problem: where, what is wrong, what is supported or meant.
    pub(super) fn refuse(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.problems.add(Fault::new(span, message, help));
    }

    /// Whether there are so many problems that no more need be looked for.
    pub(super) fn is_full(&self) -> bool {
        self.problems.is_full()
    }

    /// The text of the script at a place.
    pub(super) fn written(&self, Span { source, line, column, length }: Span) -> String {
        let lines = self.lines.get(usize::from(source)).map_or(&[][..], Vec::as_slice);
        let line = lines.get((line as usize).wrapping_sub(1)).copied().unwrap_or("");
        line.chars().skip((column as usize).saturating_sub(1)).take(length as usize).collect()
    }

    /// Refuses the first sign of a formula that GMAT misreads.
    pub(super) fn refuse_misread(&mut self, formula: &Expression) {
        if !matches!(formula.kind, ExpressionKind::Binary(..) | ExpressionKind::Unary(..)) {
            return;
        }
        let Some(found) = signs::misread(&self.written(formula.span)) else { return };
        let span = Span { column: formula.span.column + found.at as u32, length: 1, ..formula.span };
        let (message, help) = match found.behind {
            '+' | '-' => {
                ("GMAT takes the sign for a part of what stands under `^`".to_owned(), "write -(x^(2)) or (-x)^(2)")
            }
            behind => (
                format!("GMAT misreads the sign behind `{behind}`"),
                "write the sign with its number in parentheses: (-3)",
            ),
        };
        self.refuse(span, message, help);
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
        let number = usize::from(place.source).checked_sub(1);
        let file = number.and_then(|number| self.included.get(number)).map(|included| &included.file);
        self.ignored.push(match file {
            Some(file) => format!("{file}, line {}: {what}", place.line),
            None => format!("line {}: {what}", place.line),
        });
    }

    /// Notes that a field has no effect on the numbers.
    pub(super) fn without_effect(&mut self, assignment: &Assignment) {
        self.ignore(assignment.target.span, format_args!("`{}` has no effect here", assignment.path));
    }

    /// The problems in the order of their places if there are any, and the ignored lines.
    pub(super) fn finish(self) -> (Option<Problems>, Vec<String>) {
        (self.problems.finish(), self.ignored)
    }
}

//! Collects the problems of one script, up to a limit.

use super::MAX_PROBLEMS;
use super::include::Included;
use crate::base::problem::{Problem, Problems, Span, bounded};

/// How many problems are counted before it is not worth while to go on.
const COUNTED: usize = 900;

/// What is wrong with a statement, before the file's name and line are added.
#[derive(Debug)]
pub(crate) struct Fault {
    /// Where.
    pub(crate) span: Span,
    /// What is wrong.
    pub(crate) message: String,
    /// What is allowed.
    pub(crate) help: String,
}

impl Fault {
    /// A fault at a place.
    pub(crate) fn new(span: Span, message: impl Into<String>, help: impl Into<String>) -> Self {
        Fault { span, message: bounded(message.into()), help: bounded(help.into()) }
    }
}

/// The beginning of a text that may be long, for a message.
pub(crate) fn shorten(text: &str) -> String {
    const MOST: usize = 80;
    let text = text.trim_end();
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// The problems found so far.
pub(crate) struct Collector<'a> {
    file: &'a str,
    text: &'a str,
    /// Names and texts of the files that the text includes, by [`Span::source`] from 1.
    included: &'a [Included],
    faults: Vec<Fault>,
    more: usize,
}

impl<'a> Collector<'a> {
    /// No problems yet.
    pub(crate) fn new(file: &'a str, text: &'a str) -> Self {
        Self::with_included(file, text, &[])
    }

    /// No problems yet of a text that includes others.
    pub(crate) fn with_included(file: &'a str, text: &'a str, included: &'a [Included]) -> Self {
        Collector { file, text, included, faults: Vec::new(), more: 0 }
    }

    /// Keeps a fault, or counts it where there are too many.
    pub(crate) fn add(&mut self, fault: Fault) {
        if self.faults.len() < MAX_PROBLEMS {
            self.faults.push(fault);
        } else {
            self.more += 1;
        }
    }

    /// Whether there are so many problems that no more need be looked for.
    pub(crate) fn is_full(&self) -> bool {
        self.more >= COUNTED
    }

    /// The problems in the order of their places; `None` where there is none.
    pub(crate) fn finish(mut self) -> Option<Problems> {
        if self.faults.is_empty() {
            return None;
        }
        self.faults.sort_by_key(|fault| fault.span);
        let problem = |fault: Fault| {
            // a text that is read alone may have any number
            let number = usize::from(fault.span.source).checked_sub(1);
            let included = number.and_then(|number| self.included.get(number));
            let (file, text) = included.map_or((self.file, self.text), |included| (&included.file, &included.text));
            Problem::at(file, text, fault.span, fault.message).help(fault.help)
        };
        let faults = std::mem::take(&mut self.faults);
        let mut problems: Vec<_> = faults.into_iter().map(problem).collect();
        if self.more > 0 {
            let least = if self.is_full() { "at least " } else { "" };
            problems.push(Problem::of(self.file, format!("and {least}{} more problems", self.more)));
        }
        Some(Problems(problems))
    }
}

//! A problem in something the user wrote: where it stands, what is wrong, what is allowed.
//!
//! Readers collect problems instead of stopping at the first, so that one look at the terminal is
//! enough to mend a file. Printed like this:
//!
//! ```text
//! leo.script:12:5: `Sat.SMAA` is not a field of Spacecraft
//!     Sat.SMAA = 7000;
//!     ^^^^^^^^
//!     did you mean `Sat.SMA`?
//! ```

use std::fmt;

/// A line longer than this (bytes) is not shown beneath its problem.
const SHOWN_MAX: usize = 240;
/// The most bytes of a message or a help that are kept: a word may be as long as its file.
const MESSAGE_MAX: usize = 4000;

/// A place in a text: line and column count from 1, the column and the length in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Which text: 0 the file itself, then those that it includes, in the order in which they are read.
    pub source: u16,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Length in characters, within the line.
    pub length: u32,
}

/// One problem of a text that the user wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file's name as the user wrote it, or `--set` and its like for an argument.
    pub file: String,
    /// Where in the file, if it has a place there.
    pub span: Option<Span>,
    /// The whole line of the text, without its end.
    pub line_text: String,
    /// What is wrong, with the offending text in backquotes.
    pub message: String,
    /// What is supported or meant; may be empty.
    pub help: String,
}

impl Problem {
    /// A problem at a place of a text.
    pub fn at(file: &str, text: &str, span: Span, message: impl Into<String>) -> Self {
        let line = lines(text).nth(span.line.saturating_sub(1) as usize).filter(|line| line.len() <= SHOWN_MAX);
        let line_text = line.unwrap_or("").to_owned();
        Problem { span: Some(span), line_text, ..Problem::of(file, message) }
    }

    /// A problem of a file as a whole, or of an argument.
    pub fn of(file: &str, message: impl Into<String>) -> Self {
        Problem {
            file: file.to_owned(),
            span: None,
            line_text: String::new(),
            message: bounded(message.into()),
            help: String::new(),
        }
    }

    /// Adds what is supported or meant.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = bounded(help.into());
        self
    }
}

/// The lines of a text with LF, CRLF or CR at their ends.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        if let Some(end) = text.find(['\n', '\r']) {
            let after = if text[end..].starts_with("\r\n") { end + 2 } else { end + 1 };
            rest = Some(&text[after..]);
            Some(&text[..end])
        } else {
            rest = None;
            Some(text)
        }
    })
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.span {
            Some(span) => {
                write!(f, "{}:{}:{}: {}", printable(&self.file), span.line, span.column, printable(&self.message))?;
            }
            None => write!(f, "{}: {}", printable(&self.file), printable(&self.message))?,
        }
        if let Some(span) = self.span.filter(|_| !self.line_text.trim().is_empty()) {
            write!(f, "\n    {}", printable(&self.line_text))?;
            let before = span.column.saturating_sub(1) as usize;
            let room = self.line_text.chars().count().saturating_sub(before);
            let carets = (span.length.max(1) as usize).min(room.max(1));
            write!(f, "\n    {}{}", " ".repeat(before), "^".repeat(carets))?;
        }
        if !self.help.is_empty() {
            write!(f, "\n    {}", printable(&self.help))?;
        }
        Ok(())
    }
}

/// Control characters become spaces: a hostile file must not steer the terminal.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A message, cut where it is longer than anybody reads.
pub(crate) fn bounded(mut message: String) -> String {
    if message.len() > MESSAGE_MAX {
        let end = (0..=MESSAGE_MAX).rev().find(|&end| message.is_char_boundary(end));
        message.truncate(end.unwrap_or(0));
        message.push_str("...");
        message.shrink_to_fit();
    }
    message
}

/// All problems of a file at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Problems(vec![problem])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carets_stand_under_the_text() {
        let problem = Problem::at(
            "a.script",
            "x\r\n  Sat.SMAA = 1\n",
            Span { source: 0, line: 2, column: 3, length: 8 },
            "no `Sat.SMAA`",
        )
        .help("did you mean `Sat.SMA`?");
        assert_eq!(
            problem.to_string(),
            "a.script:2:3: no `Sat.SMAA`\n      Sat.SMAA = 1\n      ^^^^^^^^\n    did you mean `Sat.SMA`?"
        );
    }

    #[test]
    fn every_line_end_counts_once() {
        assert_eq!(lines("a\r\nb\rc\n\nd").collect::<Vec<_>>(), ["a", "b", "c", "", "d"]);
    }

    #[test]
    fn messages_are_bounded() {
        let long = "é".repeat(100_000);
        let problem = Problem::of("f", &long).help(&long);
        assert_eq!((problem.message.len(), problem.help.len()), (MESSAGE_MAX + 3, MESSAGE_MAX + 3));
        assert!(problem.to_string().len() < 3 * MESSAGE_MAX);
        assert_eq!(bounded("short".to_owned()), "short");
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(Problem::of("f", "\u{1b}[31mred").to_string(), "f:  [31mred");
    }
}

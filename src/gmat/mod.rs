//! GMAT mission scripts: from bytes to a syntax tree in which every node knows its place.
//!
//! The reader accepts the grammar of the language, not only what can be flown, and a little more than
//! GMAT itself where the meaning is beyond doubt (several statements on a line, parentheses in a
//! condition, `ElseIf`, commas between reported items). It refuses what GMAT would read in a way that
//! the writer did not mean, such as a comment that takes the next line with it.

pub(crate) mod collector;
pub mod formula;
mod functions;
pub mod include;
mod lexer;
mod parser;
pub(crate) mod signs;
pub mod tree;

use crate::base::problem::{Problem, Problems};
use collector::Collector;
use lexer::Source;

/// The largest script that is read, in bytes.
pub const MAX_BYTES: usize = 4 << 20;

/// How deep blocks, and parentheses and lists within one expression, may stand inside one another.
pub const MAX_NESTING: usize = 100;

/// How many operators one expression may have.
pub const MAX_OPERATORS: usize = 1000;

/// How many words, numbers and signs one statement may have.
pub const MAX_TOKENS: usize = 100_000;

/// How many words, numbers and signs a script may have.
pub const MAX_SCRIPT_TOKENS: usize = 1_000_000;

/// How many statements a script may have.
pub const MAX_STATEMENTS: usize = 100_000;

/// How many problems are told one by one; the rest is counted.
pub const MAX_PROBLEMS: usize = 100;

/// Parses a script; `file` is the name printed in messages.
///
/// What stands behind `BeginMissionSequence` is the mission. Before it, or where it is missing, commands
/// belong to the mission and assignments of literals to the resources, in whatever order they stand:
/// GMAT carries such assignments out while it reads, before the first command. So does it with one
/// inside a block, which is refused here, since the writer can not have meant it. Where
/// `BeginMissionSequence` is missing, formulas belong to the mission (GMAT refuses them).
///
/// # Errors
/// All problems of the text in the order of their places, at most [`MAX_PROBLEMS`] and a line that counts the rest.
pub fn parse(file: &str, bytes: &[u8]) -> Result<tree::Script, Problems> {
    read(file, bytes, Begun::Never, 0)
}

/// What is known of `BeginMissionSequence` before a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begun {
    /// It stands in the text, or nowhere.
    Never,
    /// It stands in a file that the `#Include` on a line names: what follows is the mission.
    OnLine(u32),
    /// It stands before the text, so that every statement is one of the mission.
    Before,
}

fn read(file: &str, bytes: &[u8], begun: Begun, number: u16) -> Result<tree::Script, Problems> {
    let text = decode(file, bytes)?;
    let source = Source::new(&text, number);
    let mut collector = Collector::new(file, &text);
    let script = parser::script(&source, &mut collector, begun);
    match collector.finish() {
        Some(problems) => Err(problems),
        None => Ok(script),
    }
}

/// The text of a file without its byte order mark; bytes that are not UTF-8 become U+FFFD, which the
/// lexer lets pass inside comments only.
fn decode(file: &str, bytes: &[u8]) -> Result<String, Problem> {
    const SAVE_AS: &str = "save the script as plain text (ASCII or UTF-8)";
    if bytes.len() > MAX_BYTES {
        let message = format!("the script has {} bytes, more than the {MAX_BYTES} that are read", bytes.len());
        return Err(Problem::of(file, message).help("a script is a text of a few kilobytes: is this the right file?"));
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Problem::of(file, "the script is UTF-16 text").help(SAVE_AS));
    }
    if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
        return Err(
            Problem::of(file, format!("the script has a NUL byte at byte {}: it is not text", at + 1)).help(SAVE_AS)
        );
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

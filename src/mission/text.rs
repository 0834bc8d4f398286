//! What a mission does with texts: makes them for Strings, measures them, reads dates from them.
//!
//! A String is the place of a text: one of the script's, or, behind those, the text that the run has made for the
//! String of that number. Places and positions within texts count bytes, as in GMAT.

use super::DateFormat;
use crate::astro::epoch::Scale;

/// A text that a command takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Word {
    /// One of the script's, by its place in [`Names::texts`](super::names::Names::texts).
    Text(usize),
    /// That of a String, by the place of its number in [`Objects::values`](super::Objects::values).
    Of(usize),
    /// A date, by the input of the formulas that is its modified Julian date.
    Date {
        /// Which input.
        input: usize,
        /// Its time scale.
        scale: Scale,
    },
    /// A number, by its formula; as a text `%.16g`.
    Number(usize),
}

/// A text that is made for a String.
#[derive(Clone, Debug, PartialEq)]
pub enum Making {
    /// The same text.
    Same(Word),
    /// `strcat`.
    Joined(Vec<Word>),
    /// `strrep`.
    Replaced {
        /// The text.
        text: Word,
        /// What is replaced, everywhere.
        from: Word,
        /// By what.
        to: Word,
    },
    /// `substr`.
    Part {
        /// The text.
        text: Word,
        /// The formula of the first place, from 0.
        first: usize,
        /// The formula of the place behind the last one; none: to the end.
        end: Option<usize>,
    },
    /// `sprintf`, `num2str`.
    Printed {
        /// The format.
        format: Word,
        /// What it prints.
        arguments: Vec<Word>,
    },
    /// `ConvertTime`.
    Converted {
        /// How the time is written.
        from: DateFormat,
        /// How the result is.
        to: DateFormat,
        /// The time.
        time: Word,
    },
}

/// A number that is taken from texts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// `strlen`.
    Length(Word),
    /// `strfind`: the place of the second text in the first one from 1, or -1.
    Place(Word, Word),
    /// `strcmp`: 1 or 0.
    Equality(Word, Word),
    /// `str2num`.
    Number(Word),
}

/// The functions that make a text.
pub const MAKERS: [&str; 6] = ["strcat", "strrep", "substr", "sprintf", "num2str", "convertTime"];
/// The functions that measure one.
pub const MEASURES: [&str; 4] = ["strlen", "strfind", "strcmp", "str2num"];

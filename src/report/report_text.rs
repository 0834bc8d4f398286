//! The text of a ReportFile, byte for byte as GMAT R2026a writes it: rows in, text out.
//!
//! Headers: rows of `ReportFile.Add` get one line of names before the first of them; each Report command gets its own
//! before the first row that it writes, even where an earlier command wrote the same names. Setting WriteHeaders to
//! true during the mission asks for one more line, before whichever row comes next.
//!
//! Widths, in bytes: a column is as wide as ColumnWidth or, where headers are on, its name if that is longer, and at
//! least 24 where the name holds `Gregorian`. Three more are added where headers are on or a command writes the row.
//! A text that is wider is never cut, and nothing then parts it from the next one. An Array takes a line for each of
//! its rows, and is as wide as the longest of them where there are no headers; the other columns of those lines are
//! blank. With ZeroFill its elements are written as `%e`.
//!
//! | quirk of GMAT that is kept | consequence |
//! |---|---|
//! | a command's header pads each name to ColumnWidth and adds three blanks | right-justified names end three before their numbers; FixedWidth and Delimiter are ignored |
//! | Add's header leaves the delimiter behind as the character that fills fixed columns | with FixedWidth on and a Delimiter, all rows after that header are filled with it |
//! | once a row was written with LeftJustify on, rows and Add's headers stay left | only the headers of commands follow a later change |
//!
//! # References
//! GMAT R2026a User Guide, ReportFile and Report. Reports of the engine: `tests/reference/gmat/report_*`.

use std::collections::BTreeSet;

use crate::base::printf;
use crate::mission::report::ReportSettings;

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A number, in the unit of its column.
    Number(f64),
    /// A Gregorian date as GMAT writes it, `01 Jan 2000 11:59:28.000`.
    Date(String),
    /// Any other text.
    Text(String),
    /// An Array, row by row: a line for each row.
    Array {
        /// Its elements.
        elements: Vec<f64>,
        /// How many stand in a row, 1 or more.
        columns: usize,
    },
}

impl Cell {
    /// The lines of the cell.
    fn lines(&self, settings: &ReportSettings) -> Vec<String> {
        match self {
            Cell::Number(value) => vec![number(settings, *value)],
            Cell::Date(text) | Cell::Text(text) => vec![text.clone()],
            Cell::Array { elements, columns } => elements.chunks(*columns).map(|row| row_text(settings, row)).collect(),
        }
    }
}

/// A row of an Array: each element with one blank behind.
fn row_text(settings: &ReportSettings, row: &[f64]) -> String {
    let precision = settings.precision;
    let mut text = String::new();
    for &element in row {
        let start = text.len();
        if element.is_nan() {
            text.push_str("nan");
        } else if settings.zero_fill {
            printf::scientific(element, precision, false, &mut text);
            pad(start, precision + 4, ' ', false, &mut text);
        } else {
            printf::general(element, precision, false, &mut text);
        }
        text.push(' ');
    }
    text
}

/// What asked for a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowSource {
    /// `ReportFile.Add`.
    Add,
    /// A Report command, by a number of its own: its place in the script, the same at each turn of a loop.
    Command(usize),
}

/// Writes the rows of one ReportFile in one run. A new run needs a new writer.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // what the engine remembers, one by one
pub struct ReportWriter {
    settings: ReportSettings,
    /// No row of Add was written yet.
    add_is_new: bool,
    /// No command wrote a header yet.
    commands_are_new: bool,
    /// WriteHeaders was set to true and no header was written since.
    header_is_due: bool,
    /// The commands that have written a row.
    written: BTreeSet<usize>,
    /// What fills a column of fixed width.
    fill: char,
    /// A row was written with LeftJustify on.
    stays_left: bool,
}

impl ReportWriter {
    /// A writer that has written nothing yet. Test: `val_layouts`.
    pub fn new(settings: ReportSettings) -> Self {
        ReportWriter {
            settings,
            add_is_new: true,
            commands_are_new: true,
            header_is_due: false,
            written: BTreeSet::new(),
            fill: ' ',
            stays_left: false,
        }
    }

    /// The settings, for a mission that changes them on its way. WriteHeaders goes through [`Self::set_headers`].
    pub fn settings_mut(&mut self) -> &mut ReportSettings {
        &mut self.settings
    }

    /// WriteHeaders was set during the mission: `true` asks for one more header. Test: `val_headers`.
    pub fn set_headers(&mut self, on: bool) {
        self.settings.headers = on;
        self.header_is_due = on;
    }

    /// Appends a row to `out`, and before it the header that it needs.
    ///
    /// `names` are the columns as the script writes them (GMAT takes the blanks out of `A(1, 2)` for Add, and leaves
    /// them for a command), `cells` as many values. A row without columns writes nothing. Tests: `val_layouts`,
    /// `val_headers`.
    pub fn row(&mut self, names: &[&str], cells: &[Cell], source: RowSource, out: &mut String) {
        debug_assert_eq!(names.len(), cells.len(), "a value for each name");
        if names.is_empty() {
            return;
        }
        match source {
            RowSource::Add => {
                if self.add_is_new || self.header_is_due {
                    self.add_header(names, out);
                }
            }
            RowSource::Command(command) => {
                let first = self.written.insert(command);
                if self.header_is_due || self.settings.headers && (first || self.commands_are_new) {
                    self.command_header(names, out);
                }
            }
        }
        self.stays_left |= self.settings.left;
        let widened = if self.settings.headers || source != RowSource::Add { 3 } else { 0 };
        let cells: Vec<(&Cell, Vec<String>)> = cells.iter().map(|cell| (cell, cell.lines(&self.settings))).collect();
        let height = cells.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0);
        for line in 0..height {
            for (index, (name, (cell, lines))) in names.iter().zip(&cells).enumerate() {
                let start = self.start_column(index, out);
                match lines.get(line) {
                    Some(text) => out.push_str(text),
                    None if self.settings.fixed_width => out.push_str("  "),
                    None => {}
                }
                let ordinary = if self.settings.headers { self.width_with_name(name) } else { self.settings.width };
                let longest = lines.iter().map(String::len).max().unwrap_or(0);
                let width = match cell {
                    Cell::Array { .. } if self.settings.headers => longest.max(ordinary),
                    Cell::Array { .. } => longest,
                    _ => ordinary,
                };
                self.end_column(start, width + widened, out);
            }
            out.push('\n');
        }
    }

    /// The line of names before the rows of Add, where there are headers at all.
    fn add_header(&mut self, names: &[&str], out: &mut String) {
        self.add_is_new = false;
        self.header_is_due = false;
        if !self.settings.headers {
            return;
        }
        self.fill = self.settings.delimiter;
        self.stays_left |= self.settings.left;
        for (index, name) in names.iter().enumerate() {
            let start = self.start_column(index, out);
            out.push_str(name);
            self.end_column(start, self.width_with_name(name) + 3, out);
        }
        out.push('\n');
    }

    /// The line of names before a row of a command.
    fn command_header(&mut self, names: &[&str], out: &mut String) {
        self.commands_are_new = false;
        self.header_is_due = false;
        for name in names {
            let start = out.len();
            out.push_str(name);
            pad(start, self.settings.width, ' ', self.settings.left, out);
            out.push_str("   ");
        }
        out.push('\n');
    }

    /// The width of a column whose name must fit.
    fn width_with_name(&self, name: &str) -> usize {
        let date = if name.contains("Gregorian") { 24 } else { 0 };
        self.settings.width.max(name.len()).max(date)
    }

    /// Parts a column without fixed width from the one before; returns where the column starts.
    fn start_column(&self, index: usize, out: &mut String) -> usize {
        if index > 0 && !self.settings.fixed_width {
            out.push(self.settings.delimiter);
        }
        out.len()
    }

    /// Fills a column of fixed width.
    fn end_column(&self, start: usize, width: usize, out: &mut String) {
        if self.settings.fixed_width {
            pad(start, width, self.fill, self.stays_left, out);
        }
    }
}

/// Fills what `out` has from `start` up to `width` bytes, behind the text (`left`) or before it.
fn pad(start: usize, width: usize, fill: char, left: bool, out: &mut String) {
    let missing = width.saturating_sub(out.len() - start);
    if left {
        out.extend(std::iter::repeat_n(fill, missing));
    } else if missing > 0 {
        let text = out.split_off(start);
        out.extend(std::iter::repeat_n(fill, missing));
        out.push_str(&text);
    }
}

/// GMAT's mark of a value that is not set. Its other mark, -9.876543210123e-37, is written as the number it is.
const NOT_SET: f64 = -9_876_543_210.123_4;

/// The number as GMAT writes it: `%.{precision}g` of C, `%#.{precision}g` with ZeroFill, see [`printf::general`].
///
/// Not a number is `NaN`, and so is -9876543210.1234, GMAT's mark of a value that is not set; infinity is `inf`; -0
/// keeps its sign. Tests: `val_numbers`, `prop_seventeen_digits_give_the_number_back`.
#[allow(clippy::float_cmp)] // the mark is one value
pub fn number(settings: &ReportSettings, value: f64) -> String {
    if value.is_nan() || value == NOT_SET {
        return "NaN".to_owned();
    }
    let mut text = String::new();
    printf::general(value, settings.precision, settings.zero_fill, &mut text);
    text
}

#[cfg(test)]
mod tests;

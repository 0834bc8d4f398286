//! The text of a ReportFile, byte for byte as GMAT R2026a writes it: rows in, text out.
//!
//! Headers: rows of `ReportFile.Add` get one line of names before the first of them; each Report command gets its own
//! before the first row that it writes, even where an earlier command wrote the same names. Setting WriteHeaders to
//! true during the mission asks for one more line, before whichever row comes next.
//!
//! Widths, in bytes: a column is as wide as ColumnWidth or, where headers are on, its name if that is longer, and at
//! least 24 where the name holds `Gregorian`. Three more are added where headers are on or a command writes the row.
//! A text that is wider is never cut, and nothing then parts it from the next one.
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
use std::fmt::Write as _;

use crate::mission::ReportSettings;

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A number, in the unit of its column.
    Number(f64),
    /// A Gregorian date as GMAT writes it, `01 Jan 2000 11:59:28.000`.
    Date(String),
    /// Any other text.
    Text(String),
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
        for (index, (name, cell)) in names.iter().zip(cells).enumerate() {
            let start = self.start_column(index, out);
            match cell {
                Cell::Number(value) => append_number(&self.settings, *value, out),
                Cell::Date(text) | Cell::Text(text) => out.push_str(text),
            }
            let width = if self.settings.headers { self.width_with_name(name) } else { self.settings.width };
            self.end_column(start, width + widened, out);
        }
        out.push('\n');
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

/// The number as GMAT writes it: `%.{precision}g` of C, `%#.{precision}g` with ZeroFill.
///
/// With P significant digits, rounded from the exact binary value (ties to the even digit), and the decimal exponent X
/// after rounding: P - 1 - X decimals where -4 <= X < P, else one digit before the point and an exponent of at least
/// two digits. Without ZeroFill the zeros at the end of the decimals go, and a bare point with them. Not a number is
/// `NaN`, and so is -9876543210.1234, GMAT's mark of a value that is not set; infinity is `inf`; -0 keeps its sign.
///
/// One departure from the standard of C is kept, since the C library under the engine (glibc 2.36) has it: with
/// ZeroFill, a value below 10^P that is rounded up to it loses its zeros (999.9995 with P = 3 is `1.e+03`).
/// Tests: `val_numbers`, `prop_seventeen_digits_give_the_number_back`.
pub fn number(settings: &ReportSettings, value: f64) -> String {
    let mut text = String::new();
    append_number(settings, value, &mut text);
    text
}

/// GMAT's mark of a value that is not set. Its other mark, -9.876543210123e-37, is written as the number it is.
const NOT_SET: f64 = -9_876_543_210.123_4;

/// More digits than the longest exact value of a double has (767): the rest are zeros.
const ALL_DIGITS: usize = 800;

/// [`number`] behind what `out` holds.
#[allow(clippy::float_cmp)] // the mark is one value
fn append_number(settings: &ReportSettings, value: f64, out: &mut String) {
    if value.is_nan() || value == NOT_SET {
        return out.push_str("NaN");
    }
    if value.is_sign_negative() {
        out.push('-');
    }
    if value.is_infinite() {
        return out.push_str("inf");
    }
    let precision = settings.precision.max(1);
    let (mut digits, exponent) = round(value.abs(), precision);
    if settings.zero_fill {
        digits.extend(std::iter::repeat_n('0', precision - digits.len()));
    } else {
        digits.truncate(digits.trim_end_matches('0').len().max(1));
    }
    if settings.zero_fill && exponent == precision as i64 && round(value.abs(), ALL_DIGITS).1 < exponent {
        digits.truncate(1);
    }
    if exponent < -4 || exponent >= precision as i64 {
        append_pointed(&digits, 1, settings.zero_fill, out);
        let _ = write!(out, "e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs());
    } else if exponent < 0 {
        out.push_str("0.");
        out.extend(std::iter::repeat_n('0', (-1 - exponent) as usize));
        out.push_str(&digits);
    } else {
        let whole = 1 + exponent as usize;
        // the zeros before the point stay
        digits.extend(std::iter::repeat_n('0', whole.saturating_sub(digits.len())));
        append_pointed(&digits, whole, settings.zero_fill, out);
    }
}

/// The digits with a point behind the first `whole` of them, where decimals follow or it is asked for.
fn append_pointed(digits: &str, whole: usize, bare_point: bool, out: &mut String) {
    let (whole, decimals) = digits.split_at(whole);
    out.push_str(whole);
    if !decimals.is_empty() || bare_point {
        out.push('.');
        out.push_str(decimals);
    }
}

/// The significant digits of a finite value >= 0, rounded to `precision` of them (or all there are), and its exponent.
fn round(value: f64, precision: usize) -> (String, i64) {
    let mut digits = format!("{value:.*e}", precision.min(ALL_DIGITS) - 1);
    let mark = digits.find('e').unwrap_or(digits.len());
    let exponent = digits.get(mark + 1..).and_then(|text| text.parse().ok()).unwrap_or(0);
    digits.truncate(mark);
    if digits.len() > 1 {
        digits.remove(1);
    }
    (digits, exponent)
}

#[cfg(test)]
mod tests;

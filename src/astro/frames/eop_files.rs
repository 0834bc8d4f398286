//! Files of Earth orientation parameters: C04 and finals2000A, as the IERS gives them.
//!
//! C04 in its two layouts, `year month day MJD x y UT1-UTC LOD ...` (GMAT's) and
//! `year month day hour MJD x y UT1-UTC dX dY x' y' LOD ...`; finals2000A by its columns, up to the last day with a
//! prediction. Where a prediction gives no length of day, it is the loss of UT1 to the next day.
//! Test: `val_files_of_the_iers`, `prop_hostile_files_are_refused`.

use super::ARC_SECOND;
use super::eop::{EarthTable, Row};
use crate::astro::constants::DAY;

/// The largest file that is read, bytes.
const SIZE_MAX: usize = 32 << 20;

/// The days that a file may hold, from JD 2400000.5: 1858 to 2268.
const DAYS: std::ops::Range<i32> = 1..150_000;

/// Why a file is no table of Earth orientation parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EarthTableError {
    /// More than 32 MiB.
    #[error("the Earth orientation file is larger than 32 MiB")]
    TooLarge,
    /// Nothing that looks like a day.
    #[error("the Earth orientation file holds no day")]
    Empty,
    /// A line that is no row of the format.
    #[error("line {line}: the {what} is no number, or out of range")]
    Number {
        /// Counted from 1.
        line: usize,
        /// What should stand there.
        what: &'static str,
    },
    /// A day is left out, twice there or before the one above.
    #[error("line {line}: day {day} (MJD) does not follow the day of the line above")]
    Order {
        /// Counted from 1.
        line: usize,
        /// From JD 2400000.5.
        day: i32,
    },
}

/// A row as read: its line, its day, and what stands in it; no length of day is `None`.
struct Entry {
    line: usize,
    day: i32,
    row: Row,
    lod: Option<f64>,
}

impl EarthTable {
    /// Reads a file in C04 or finals2000A format, told apart by the length of its first line.
    pub fn parse(text: &str) -> Result<Self, EarthTableError> {
        // a line of finals2000A has 185 characters or more, one of C04 at most 160
        if text.lines().next().is_some_and(|line| line.len() > 170) {
            EarthTable::from_finals(text)
        } else {
            EarthTable::from_c04(text)
        }
    }

    /// Reads a file in C04 format.
    pub fn from_c04(text: &str) -> Result<Self, EarthTableError> {
        check_size(text)?;
        let mut entries = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let fields: Vec<&str> = line.split_whitespace().take(13).collect();
            let year = fields.first().and_then(|field| field.parse::<u32>().ok());
            let is_row = year.is_some_and(|year| (1800..2300).contains(&year)) && fields.len() >= 8;
            if !is_row && (entries.is_empty() || fields.is_empty() || line.starts_with('#')) {
                continue;
            }
            let with_hour = fields.get(3).and_then(|field| field.parse().ok()).is_none_or(|day: f64| day < 24.0);
            let columns = if with_hour { [4, 5, 6, 7, 12] } else { [3, 4, 5, 6, 7] };
            let texts = columns.map(|column| fields.get(column).copied().unwrap_or_default());
            entries.push(entry(index + 1, texts, 1.0)?);
        }
        table(entries)
    }

    /// Reads a file in finals2000A format, `finals2000A.all` or `.data`.
    pub fn from_finals(text: &str) -> Result<Self, EarthTableError> {
        check_size(text)?;
        let mut entries = Vec::new();
        for (index, line) in text.lines().enumerate() {
            // columns as the format counts them, from 1; text of other than 7 bits has none of them
            let field = |first: usize, last: usize| line.get(first - 1..last.min(line.len())).unwrap_or("").trim();
            let texts = [field(8, 15), field(19, 27), field(38, 46), field(59, 68), field(80, 86)];
            if texts[1].is_empty() || texts[3].is_empty() {
                if line.trim().is_empty() || !texts[0].is_empty() {
                    break; // the days after the last prediction
                }
                return Err(EarthTableError::Number { line: index + 1, what: "day" });
            }
            entries.push(entry(index + 1, texts, 1e-3)?);
        }
        table(entries)
    }
}

fn check_size(text: &str) -> Result<(), EarthTableError> {
    if text.len() > SIZE_MAX { Err(EarthTableError::TooLarge) } else { Ok(()) }
}

/// Day, x, y (arc seconds), UT1 - UTC (s) and length of day (in a unit of so many seconds, or left out).
fn entry(line: usize, texts: [&str; 5], lod_unit: f64) -> Result<Entry, EarthTableError> {
    let number = |index: usize, what: &'static str, limit: f64| -> Result<f64, EarthTableError> {
        let number = texts[index].parse::<f64>().ok().filter(|number| number.abs() <= limit);
        number.ok_or(EarthTableError::Number { line, what })
    };
    let day = number(0, "day", f64::from(DAYS.end))?;
    if day.fract() != 0.0 || !DAYS.contains(&(day as i32)) {
        return Err(EarthTableError::Number { line, what: "day" });
    }
    let row = Row {
        x: number(1, "pole's x", 10.0)? * ARC_SECOND,
        y: number(2, "pole's y", 10.0)? * ARC_SECOND,
        ut1_minus_utc: number(3, "UT1 - UTC", DAY)?,
        lod: 0.0,
    };
    let lod = if texts[4].is_empty() { None } else { Some(number(4, "length of day", DAY)? * lod_unit) };
    Ok(Entry { line, day: day as i32, row, lod })
}

fn table(entries: Vec<Entry>) -> Result<EarthTable, EarthTableError> {
    let first = entries.first().ok_or(EarthTableError::Empty)?.day;
    let mut rows: Vec<Row> = Vec::with_capacity(entries.len());
    let losses: Vec<f64> = entries.windows(2).map(|pair| loss_of_ut1(&pair[0].row, &pair[1].row)).collect();
    for (index, entry) in entries.into_iter().enumerate() {
        if entry.day != first + index as i32 {
            return Err(EarthTableError::Order { line: entry.line, day: entry.day });
        }
        let lod = entry.lod.or(losses.get(index).copied()).unwrap_or_default();
        rows.push(Row { lod, ..entry.row });
    }
    Ok(EarthTable::of_rows(first, rows))
}

/// What UT1 loses against atomic time from one day to the next (s): their difference less a leap second.
fn loss_of_ut1(day: &Row, next: &Row) -> f64 {
    let loss = day.ut1_minus_utc - next.ut1_minus_utc;
    loss - loss.round()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::astro::epoch::{Epoch, Scale};

    /// Head and rows of GMAT's eopc04_08.62-now.
    const C04: &str = "\
      Date      MJD      x          y        UT1-UTC       LOD         dPsi      dEps
     (0h UTC)

2016  12  31  57753   0.081440   0.263099  -0.4077697   0.0008920  -0.098958  -0.011
2017   1   1  57754   0.080549   0.263128   0.5912870   0.0009962  -0.098775  -0.011
";

    /// The same days as the IERS lays them out today.
    const C04_WITH_HOURS: &str = "\
# YR  MM  DD  HH       MJD        x(\")        y(\")  UT1-UTC(s)       dX(\")      dY(\")       xrt(\")      yrt(\")      LOD(s)
2016  12  31   0  57753.00    0.081440    0.263099  -0.4077697    0.000101   -0.000052   -0.000825   -0.000026   0.0008920
2017   1   1   0  57754.00    0.080549    0.263128   0.5912870    0.000106   -0.000050   -0.000938    0.000105   0.0009962
";

    #[test]
    fn val_files_of_the_iers() {
        let embedded = EarthTable::embedded();
        let finals = FINALS.join("\n");
        let tables = [
            EarthTable::from_c04(C04).unwrap(),
            EarthTable::from_c04(C04_WITH_HOURS).unwrap(),
            EarthTable::from_finals(&finals).unwrap(),
        ];
        for (table, tolerance) in tables.iter().zip([0.0, 0.0, 3e-4]) {
            assert_eq!(table.span(), (57_753, 57_754));
            let epoch = Epoch::from_gregorian(Scale::Utc, "31 Dec 2016 18:00:00.000").unwrap();
            let (got, expected) = (table.at(epoch), embedded.at(epoch));
            // two solutions of the IERS differ by some 1e-4 s and arc seconds
            assert!((got.ut1_minus_tai - expected.ut1_minus_tai).abs() <= tolerance, "{got:?} {expected:?}");
            assert!((got.x - expected.x).abs() <= tolerance * ARC_SECOND);
            assert!((got.y - expected.y).abs() <= tolerance * ARC_SECOND);
            assert!((got.lod - expected.lod).abs() <= tolerance);
        }
    }

    /// Lines of finals2000A.all: 2016-12-31, 2017-01-01, and a day for which nothing is predicted.
    const FINALS: [&str; 3] = [
        "161231 57753.00 I  0.081400 0.000052  0.263094 0.000039  I-0.4077601 0.0000078  0.8842",
        "17 1 1 57754.00 I  0.080504 0.000028  0.263145 0.000028  I 0.5912821 0.0000077  1.0342",
        "271030 61708.00",
    ];

    #[test]
    fn prop_hostile_files_are_refused() {
        let number = |line, what| Err(EarthTableError::Number { line, what });
        let row = "2016  12  31  57753   0.081440   0.263099  -0.4077697   0.0008920\n";
        assert_eq!(EarthTable::from_c04(""), Err(EarthTableError::Empty));
        assert_eq!(EarthTable::from_c04(&row.replace("0.08", "NaN ")), number(1, "pole's x"));
        assert_eq!(EarthTable::from_c04(&row.replace("57753", "57753.5")), number(1, "day"));
        assert_eq!(EarthTable::from_c04(&row.replace("0.2630", "99.")), number(1, "pole's y"));
        assert_eq!(EarthTable::from_c04(&format!("{row}and so on")), number(2, "day"));
        let twice = EarthTable::from_c04(&format!("{row}{row}"));
        assert_eq!(twice, Err(EarthTableError::Order { line: 2, day: 57_753 }));
        assert_eq!(EarthTable::from_finals(""), Err(EarthTableError::Empty));
        assert_eq!(EarthTable::from_finals("<html>"), number(1, "day"));
        assert_eq!(EarthTable::from_finals(&"\u{e9}".repeat(90)), number(1, "day"));
        assert_eq!(EarthTable::from_finals(&FINALS[0].replace("57753.00", "57753.x0")), number(1, "day"));
        assert_eq!(EarthTable::from_finals(&" ".repeat(SIZE_MAX + 1)), Err(EarthTableError::TooLarge));
    }
}

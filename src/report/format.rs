//! Numbers for people.

use std::fmt;
use std::io::Write as _;
use std::ops::Range;
use std::time::Duration;

/// Prints a text to standard output; a reader that has gone away (`| head`) is no error.
pub fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Runs that are named to a person: how many, and the first stretches of them, `12-15, 77, 90`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunList {
    count: u64,
    stretches: Vec<Range<u64>>,
    has_more: bool,
}

impl RunList {
    /// Adds a run behind all others.
    pub fn push(&mut self, run: u64) {
        const SHOWN: usize = 20;
        self.count += 1;
        let has_room = self.stretches.len() < SHOWN;
        match self.stretches.last_mut() {
            Some(last) if last.end == run && !self.has_more => last.end += 1,
            _ if has_room => self.stretches.push(run..run + 1),
            _ => self.has_more = true,
        }
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }
}

impl fmt::Display for RunList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, stretch) in self.stretches.iter().enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            match stretch.end - stretch.start {
                1 => write!(f, "{comma}{}", stretch.start)?,
                _ => write!(f, "{comma}{}-{}", stretch.start, stretch.end - 1)?,
            }
        }
        if self.has_more { f.write_str(", ...") } else { Ok(()) }
    }
}

/// 1234567 as `1 234 567`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// Bytes in the largest unit that keeps a digit before the point: `48.3 MB`.
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 6] = ["B", "kB", "MB", "GB", "TB", "PB"];
    let mut value = number as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{number} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// `0.12 s`, `12.3 s`, `5 min 03 s`, `2 h 05 min`.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let whole = time.as_secs();
    match seconds {
        s if s < 9.995 => format!("{s:.2} s"),
        s if s < 119.95 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole / 60 % 60),
    }
}

/// Runs a second: `315 000`, `79.1`.
pub fn rate(runs: u64, time: Duration) -> String {
    let rate = runs as f64 / time.as_secs_f64().max(1e-9);
    if rate < 99.95 {
        return format!("{rate:.1}");
    }
    // three digits: a rate is no better known
    let grain = 10_f64.powi((rate.log10().floor() as i32 - 2).max(0));
    count(((rate / grain).round() * grain) as u64)
}

/// A number of a column with as many digits as are worth reading.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-4..1e7).contains(&size) {
        let text = format!("{value:.6}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else if value.is_nan() {
        "-".to_owned()
    } else {
        format!("{value:.6e}")
    }
}

/// Rows of words as a table, the columns aligned; numbers stand to the right.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|word| word.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let is_number = |word: &str| word == "-" || word.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let numeric: Vec<bool> = (0..columns)
        .map(|column| {
            rows.len() > 1 && rows.iter().skip(1).filter_map(|row| row.get(column)).all(|word| is_number(word))
        })
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, word) in row.iter().enumerate() {
            let pad = " ".repeat(widths[column] - word.chars().count());
            let (first, second) =
                if numeric[column] { (pad.as_str(), word.as_str()) } else { (word.as_str(), pad.as_str()) };
            line.extend([first, second, "  "]);
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(count(0), "0");
        assert_eq!(count(1_234_567), "1 234 567");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(48_300_000), "48.3 MB");
        assert_eq!(bytes(999_960), "1.0 MB");
        assert_eq!(duration(Duration::from_millis(123)), "0.12 s");
        assert_eq!(duration(Duration::from_secs(303)), "5 min 03 s");
        assert_eq!(duration(Duration::from_secs(7500)), "2 h 05 min");
        assert_eq!(rate(1000, Duration::from_secs(10)), "100");
        assert_eq!(rate(791, Duration::from_secs(10)), "79.1");
        assert_eq!(rate(1_000_000, Duration::from_millis(3170)), "315 000");
        assert_eq!(number(7000.0), "7000");
        assert_eq!(number(f64::NAN), "-");
        assert_eq!(number(-1.5e-9), "-1.500000e-9");
    }

    #[test]
    fn runs_are_named_by_stretches() {
        let list = |runs: &[u64]| {
            let mut list = RunList::default();
            for &run in runs {
                list.push(run);
            }
            (list.count(), list.to_string())
        };
        assert_eq!(list(&[]), (0, String::new()));
        assert_eq!(list(&[12, 13, 14, 15, 77, 90]), (6, "12-15, 77, 90".to_owned()));
        let many: Vec<u64> = (0..25).map(|run| 2 * run).chain([49]).collect();
        let (count, text) = list(&many);
        assert!(count == 26 && text.starts_with("0, 2, 4,") && text.ends_with(" 36, 38, ..."), "{text}");
    }

    #[test]
    fn tables_are_aligned() {
        let rows = [["name", "mean"], ["Sat_SMA", "7500"], ["X", "-3"]].map(|row| row.map(String::from).to_vec());
        assert_eq!(table(&rows), "name     mean\nSat_SMA  7500\nX          -3\n");
    }
}

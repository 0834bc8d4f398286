//! Numbers for people.

use std::io::Write as _;
use std::time::Duration;

/// Prints a text to standard output; a reader that has gone away (`| head`) is no error.
pub fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
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
    fn tables_are_aligned() {
        let rows = [["name", "mean"], ["Sat_SMA", "7500"], ["X", "-3"]].map(|row| row.map(String::from).to_vec());
        assert_eq!(table(&rows), "name     mean\nSat_SMA  7500\nX          -3\n");
    }
}

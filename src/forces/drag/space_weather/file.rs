//! The CSSI space weather file: one line a day, observed, then predicted daily, then monthly.

use std::fmt;

use super::Activity;

/// More text than any such file has, bytes.
const LARGEST: usize = 64 << 20;
/// Where a checksum begins, and what it is multiplied by at each byte.
const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x100_0000_01b3;
/// Where the flux columns of a line begin.
const FLUX_COLUMN: usize = 92;
/// Fewer characters than this is no record.
const SHORTEST: usize = 118;
/// The day when the solar radio telescope moved, 31 May 1991, as GMAT's modified Julian date.
const MOVE: f64 = 18_408.0;
/// From this hour on a day's own measurement counts, before and after the move, days.
const F107_HOURS: [f64; 2] = [5.0 / 24.0, 8.0 / 24.0];
/// The air answers to Kp this much later, days.
const KP_LAG: f64 = 6.7 / 24.0;

/// Why a text is no space weather file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpaceWeatherError {
    /// Longer than any such file.
    #[error("the file is larger than {LARGEST} bytes")]
    TooLarge,
    /// The first section is missing.
    #[error("no line 'BEGIN OBSERVED': this is not a CSSI space weather file")]
    NotCssi,
    /// A section does not end.
    #[error("the section '{0}' has no end")]
    Unfinished(&'static str),
    /// A line is too short.
    #[error("line {line}: {length} characters, a record has at least {SHORTEST}")]
    Short {
        /// Line number from 1.
        line: usize,
        /// Its length.
        length: usize,
    },
    /// A column is not a number.
    #[error("line {line}: {what} is not a number in its range")]
    Number {
        /// Line number from 1.
        line: usize,
        /// Which column.
        what: &'static str,
    },
    /// Observed days must follow each other.
    #[error("line {line}: not the day after the line before")]
    Gap {
        /// Line number from 1.
        line: usize,
    },
    /// The section is empty.
    #[error("no observed days")]
    Empty,
}

/// One line of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Record {
    /// Its midnight, GMAT's modified Julian date.
    day: f64,
    kp: [f64; 8],
    ap: [f64; 8],
    daily_ap: f64,
    f107: f64,
    f107a: f64,
}

/// The days of a space weather file. Its `Debug` text is short: how many days, and a checksum.
#[derive(Clone, PartialEq)]
pub struct SpaceWeather {
    observed: Vec<Record>,
    predicted: Vec<Record>,
}

impl fmt::Debug for SpaceWeather {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (observed, predicted) = (self.observed.len(), self.predicted.len());
        write!(f, "SpaceWeather({observed} days, {predicted} predicted, checksum {:016x})", self.checksum())
    }
}

impl SpaceWeather {
    /// A checksum of all numbers that a density can depend on: FNV-1a, 64 bits, of their bits in the order of the file.
    ///
    /// Comments, blanks and columns that no model reads do not count.
    pub fn checksum(&self) -> u64 {
        let lengths = [self.observed.len() as u64, self.predicted.len() as u64];
        let records = self.observed.iter().chain(&self.predicted).flat_map(Record::numbers).map(f64::to_bits);
        lengths.into_iter().chain(records).flat_map(u64::to_le_bytes).fold(FNV_BASIS, |hash, byte| {
            // hash = (hash xor byte) * prime
            (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME)
        })
    }

    /// Reads the text of a CSSI space weather file (version 1.2).
    pub fn parse(text: &str) -> Result<Self, SpaceWeatherError> {
        if text.len() > LARGEST {
            return Err(SpaceWeatherError::TooLarge);
        }
        let mut lines = text.lines().enumerate().map(|(number, line)| (number + 1, line));
        let mut observed: Vec<Record> = Vec::new();
        if !lines.any(|(_, line)| line.contains("BEGIN OBSERVED")) {
            return Err(SpaceWeatherError::NotCssi);
        }
        let mut ended = false;
        for (number, line) in lines.by_ref() {
            if line.contains("END OBSERVED") {
                ended = true;
                break;
            }
            if line.trim().is_empty() {
                continue;
            }
            let record = Record::parse(number, line)?;
            if observed.last().is_some_and(|last| (record.day - last.day - 1.0).abs() > 0.01) {
                return Err(SpaceWeatherError::Gap { line: number });
            }
            observed.push(record);
        }
        if !ended {
            return Err(SpaceWeatherError::Unfinished("OBSERVED"));
        }
        if observed.is_empty() {
            return Err(SpaceWeatherError::Empty);
        }
        // the predicted sections follow each other; a day that is not later than the last is left out
        let mut predicted: Vec<Record> = Vec::new();
        if lines.any(|(_, line)| line.contains("BEGIN DAILY_PREDICTED")) {
            for (number, line) in lines {
                if line.contains("END MONTHLY_FIT") {
                    break;
                }
                if line.len() > 60 {
                    let record = Record::parse(number, line)?;
                    if predicted.last().is_none_or(|last| record.day > last.day) {
                        predicted.push(record);
                    }
                }
            }
        }
        Ok(SpaceWeather { observed, predicted })
    }

    /// The same predictions after a past that is always the same.
    pub(super) fn with_constant_past(&self, past: &Activity) -> Self {
        let Activity { f107, f107a, kp, ap } = *past;
        let record = Record { day: 0.0, kp: [kp; 8], ap: [ap[0]; 8], daily_ap: ap[0], f107, f107a };
        SpaceWeather { observed: vec![record], predicted: self.predicted.clone() }
    }

    /// The midnight after the last observed day (days).
    pub(super) fn observed_end(&self) -> f64 {
        self.observed[self.observed.len() - 1].day + 1.0
    }

    /// The first predicted midnight (days); far away if there is none.
    pub(super) fn predicted_start(&self) -> f64 {
        self.predicted.first().map_or(f64::INFINITY, |record| record.day)
    }

    /// The observed day of a date; the last one for later dates.
    fn observed_at(&self, utc: f64) -> Option<usize> {
        let days = utc - self.observed[0].day;
        (days >= 0.0).then(|| (days as usize).min(self.observed.len() - 1))
    }

    /// The record of a date, predicted or observed.
    fn record(&self, utc: f64) -> Option<&Record> {
        if utc < self.predicted_start() {
            return self.observed_at(utc).map(|day| &self.observed[day]);
        }
        let after = self.predicted.partition_point(|record| record.day <= utc);
        // the last record is only the end of the one before
        if after < self.predicted.len() { self.predicted.get(after.checked_sub(1)?) } else { None }
    }

    /// F10.7, its mean and Kp, as the Jacchia-Roberts model takes them.
    pub(super) fn kp_activity(&self, utc: f64, past: bool) -> Option<Activity> {
        let day = self.observed_at(utc)?;
        let now = if past { &self.observed[day] } else { self.record(utc)? };
        let step = ((utc - now.day - KP_LAG) * 8.0).floor();
        let kp = if step >= 0.0 {
            now.kp[(step as usize).min(7)]
        } else {
            let before = if past { self.observed.get(day.checked_sub(1)?) } else { self.record(utc - 1.0) };
            before?.kp[(step + 8.0) as usize]
        };
        let late = utc - now.day >= f107_hour(utc);
        let (flux, mean) = if past {
            let source = &self.observed[day.checked_sub(if late { 1 } else { 2 })?];
            (source.f107, source.f107a)
        } else if late {
            (self.record(utc - 1.0)?.f107, now.f107a)
        } else {
            (self.record(utc - 2.0)?.f107, self.record(utc - 1.0)?.f107a)
        };
        Some(Activity { f107: flux, f107a: mean, kp, ap: [f64::NAN; 7] })
    }

    /// F10.7, its mean and the seven ap, as MSISE90 takes them.
    pub(super) fn ap_activity(&self, utc: f64, past: bool) -> Option<Activity> {
        let hour = f107_hour(utc);
        if !past {
            let now = self.record(utc)?;
            let source = if utc - now.day < hour { utc - 1.0 } else { utc };
            return Some(Activity {
                f107: self.record(source - 1.0)?.f107,
                f107a: self.record(source)?.f107a,
                kp: f64::NAN,
                // GMAT takes the day before for today and for all days before it
                ap: packed(self.record(utc - 1.0)?.daily_ap, step_of(utc - now.day), |_| self.record(utc - 1.0))?,
            });
        }
        let day = self.observed_at(utc)?;
        let now = &self.observed[day];
        let mean = self.observed[if utc - now.day < hour { day.checked_sub(1)? } else { day }].f107a;
        // the line from one measurement to the next, one day late
        let measured = |day: usize| self.observed[day].day + hour + 0.5;
        let from = if measured(day) > utc { day.checked_sub(1)? } else { day };
        let next = if from + 1 < self.observed.len() { measured(from + 1) } else { measured(from) + 1.0 };
        let first = self.observed[from.checked_sub(1)?].f107;
        let second = if from + 1 < self.observed.len() { self.observed[from].f107 } else { first };
        let portion = (utc - measured(from)) / (next - measured(from));
        let ap = packed(now.daily_ap, step_of(utc - now.day), |before| self.observed.get(day.checked_sub(before)?))?;
        Some(Activity { f107: first + portion * (second - first), f107a: mean, kp: f64::NAN, ap })
    }
}

/// From this part of the day on its own flux counts.
fn f107_hour(utc: f64) -> f64 {
    F107_HOURS[usize::from(utc >= MOVE)]
}

/// Which three hours of its day, 0 to 7; the last for later dates.
fn step_of(days: f64) -> usize {
    ((days * 8.0) as usize).min(7)
}

/// The seven ap of a date in step `step` of a day; `day(n)` is the record of the n-th day before.
fn packed<'a>(daily: f64, step: usize, day: impl Fn(usize) -> Option<&'a Record>) -> Option<[f64; 7]> {
    let mut values = [0.0; 20];
    for (before, value) in values.iter_mut().enumerate() {
        // steps from the last midnight to the value, backwards
        let days = (before + 7 - step) / 8;
        *value = day(days)?.ap[step + 8 * days - before];
    }
    let mean = |from: usize| values[from..from + 8].iter().sum::<f64>() / 8.0;
    Some([daily, values[0], values[1], values[2], values[3], mean(4), mean(12)])
}

impl Record {
    fn numbers(&self) -> impl Iterator<Item = f64> {
        let Record { day, kp, ap, daily_ap, f107, f107a } = *self;
        kp.into_iter().chain(ap).chain([day, daily_ap, f107, f107a])
    }

    fn parse(line: usize, text: &str) -> Result<Self, SpaceWeatherError> {
        let bad = |what| SpaceWeatherError::Number { line, what };
        if text.len() < SHORTEST || !text.is_ascii() {
            return Err(SpaceWeatherError::Short { line, length: text.len() });
        }
        let mut words = text.split_ascii_whitespace();
        let mut number = |what: &'static str, range: std::ops::RangeInclusive<f64>| {
            let value = words.next().and_then(|word| word.parse::<f64>().ok()).ok_or(bad(what))?;
            if range.contains(&value) { Ok(value) } else { Err(bad(what)) }
        };
        let year = number("the year", 1900.0..=2300.0)?;
        let month = number("the month", 1.0..=12.0)?;
        let day = number("the day", 1.0..=31.0)?;
        number("the Bartels rotation", 0.0..=1e5)?;
        number("the day of the rotation", 0.0..=100.0)?;
        let mut kp = [0.0; 8];
        for value in &mut kp {
            *value = number("Kp", 0.0..=90.0)? / 10.0;
        }
        number("the sum of Kp", 0.0..=1000.0)?;
        let mut ap = [0.0; 8];
        for value in &mut ap {
            *value = number("ap", 0.0..=400.0)?;
        }
        let daily_ap = number("the mean ap", 0.0..=400.0)?;
        let mut fluxes = text[FLUX_COLUMN..].split_ascii_whitespace().map(str::parse::<f64>);
        // adjusted, flag, adjusted centred, adjusted last, observed, observed centred
        let mut flux = |skip: usize, what| {
            fluxes.nth(skip).and_then(Result::ok).filter(|x| (0.0..1000.0).contains(x)).ok_or(bad(what))
        };
        let f107 = flux(4, "the observed F10.7")?;
        let f107a = flux(0, "the observed centred mean of F10.7")?;
        Ok(Record { day: midnight(year, month, day), kp, ap, daily_ap, f107, f107a })
    }
}

/// GMAT's modified Julian date of a Gregorian day at 0:00.
fn midnight(year: f64, month: f64, day: f64) -> f64 {
    // months from March, so that the leap day is the last of its year
    let (y, m) = if month > 2.0 { (year, month - 3.0) } else { (year - 1.0, month + 9.0) };
    let leaps = (y / 4.0).floor() - (y / 100.0).floor() + (y / 400.0).floor();
    // JD of 1 March of the year 0 at 0:00 is 1721119.5 - 1
    365.0 * y + leaps + ((153.0 * m + 2.0) / 5.0).floor() + day + 1_721_118.5 - 2_430_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = include_str!("../../../../tests/reference/density/space_weather.txt");

    #[test]
    fn val_days() {
        assert!((midnight(2000.0, 1.0, 1.0) - 21_544.5).abs() < 1e-9);
        assert!((midnight(2020.0, 2.0, 29.0) - 28_908.5).abs() < 1e-9);
        assert!((midnight(2020.0, 3.0, 1.0) - 28_909.5).abs() < 1e-9);
    }

    #[test]
    fn prop_checksum_sees_every_number() {
        let file = SpaceWeather::parse(TEXT).unwrap();
        let lines: Vec<&str> = TEXT.lines().collect();
        let first = lines.iter().position(|line| line.contains("BEGIN OBSERVED")).unwrap() + 1;
        let changed = |at: usize, column: usize, word: &str| {
            let mut lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
            lines[at].replace_range(column..column + word.len(), word);
            SpaceWeather::parse(&lines.join("\n")).unwrap().checksum()
        };
        assert_eq!(file.checksum(), SpaceWeather::parse(&format!("# a comment\n{TEXT}")).unwrap().checksum());
        // a Kp, an ap, the mean ap, the observed flux and its mean; the sums and the adjusted flux do not count
        for (column, word) in [(19, " 7"), (47, "  9"), (79, "  9"), (113, "199.9"), (119, "188.8")] {
            assert_ne!(file.checksum(), changed(first, column, word), "column {column}");
        }
        assert_eq!(file.checksum(), changed(first, 43, "  9"), "the sum of Kp");
        let mut fewer = file.clone();
        fewer.predicted.pop();
        assert_ne!(file.checksum(), fewer.checksum());
        let text = format!("{file:?}");
        assert!(text.len() < 100 && text.contains(&format!("{:016x}", file.checksum())), "{text}");
    }

    #[test]
    fn prop_every_cut_of_the_file_is_read_or_refused() {
        for length in (0..TEXT.len()).step_by(37) {
            let _ = SpaceWeather::parse(&TEXT[..length]);
        }
    }

    #[test]
    fn every_bad_file_is_refused() {
        assert_eq!(SpaceWeather::parse("hello"), Err(SpaceWeatherError::NotCssi));
        assert_eq!(SpaceWeather::parse("BEGIN OBSERVED\n"), Err(SpaceWeatherError::Unfinished("OBSERVED")));
        assert_eq!(SpaceWeather::parse("BEGIN OBSERVED\nEND OBSERVED"), Err(SpaceWeatherError::Empty));
        assert_eq!(
            SpaceWeather::parse("BEGIN OBSERVED\n2020 01\n"),
            Err(SpaceWeatherError::Short { line: 2, length: 7 })
        );
        let first = TEXT.lines().position(|line| line.contains("BEGIN OBSERVED")).unwrap() + 1;
        let spoil = |at: usize, column: usize, word: &str| {
            let mut lines: Vec<String> = TEXT.lines().map(str::to_owned).collect();
            lines[at].replace_range(column..column + word.len(), word);
            SpaceWeather::parse(&lines.join("\n"))
        };
        let line = first + 1;
        assert_eq!(spoil(first, 0, "x"), Err(SpaceWeatherError::Number { line, what: "the year" }));
        assert_eq!(spoil(first, 19, "xx"), Err(SpaceWeatherError::Number { line, what: "Kp" }));
        assert_eq!(spoil(first + 1, 8, "09"), Err(SpaceWeatherError::Gap { line: line + 1 }));
        let what = "the observed F10.7";
        assert_eq!(spoil(first, 113, "nan  "), Err(SpaceWeatherError::Number { line, what }));
    }
}

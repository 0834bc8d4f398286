//! Calendar dates of epochs, as GMAT reads and writes them: `15 Mar 2004 06:30:15.250`.
//!
//! Written to the nearest millisecond from GMAT's own chain of doubles of days (A1, then TAI, then the
//! scale), carried into minutes, days and years; 23:59:60 within a leap second. One case differs from
//! GMAT: in the last half millisecond of a leap second GMAT writes 00:00:01.000 of the next day, we 00:00:00.000.
//! Read: up to nine digits of seconds (GMAT: three); 23:59:60 only on the days that have it, and there
//! as the leap second itself (GMAT takes 23:59:60.5 of any day for 00:00:00.5 of the next).
//! The calendar is the Gregorian one, also after 28 Feb 2100, where GMAT's scripts end.
//!
//! # References
//! Meeus, *Astronomical Algorithms*, chapter 7. Tests: `val_dates_of_gmat`, `prop_dates_both_ways`.

use super::constants::{A1_MINUS_TAI, DAY, TT_MINUS_TAI};
use super::epoch::{Epoch, EpochError, Scale, tdb_minus_tt};

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// GMAT's modified Julian date of 0000-03-01 00:00 less 0.5, the day number from which the calendar counts.
const MARCH_OF_YEAR_0: i64 = -708_881;

impl Epoch {
    /// The instant of a calendar date in a scale, `01 Jan 2026 00:00:00.000`; 23:59:60 is taken in UTC on
    /// the days that have it.
    pub fn from_gregorian(scale: Scale, text: &str) -> Result<Self, EpochError> {
        let date = Date::parse(text).ok_or(EpochError::Form)?;
        if date.day == 0 || date.day > days_in_month(date.year, date.month) {
            return Err(EpochError::NoSuchDate);
        }
        let leap = date.second == 60;
        let second = if leap { 59 } else { date.second };
        let of_day = 3600 * i64::from(date.hour) + 60 * i64::from(date.minute) + i64::from(second);
        // GMAT's days begin at noon: midnight is half a day into the one before
        let seconds = 43_200.0 + of_day as f64 + f64::from(date.nanosecond) * 1e-9;
        let written = Epoch::from_scale(scale, day_number(date.year, date.month, date.day) as f64, seconds)?;
        if !leap {
            return Ok(written);
        }
        let within = written.plus(1.0);
        let inserted = scale == Scale::Utc && within.in_leap_second();
        if inserted { Ok(within) } else { Err(EpochError::NoSuchDate) }
    }

    /// The calendar date in a scale as GMAT's reports have it.
    pub fn gregorian(self, scale: Scale) -> String {
        let a1 = self.mjd(Scale::A1);
        let tai = a1 - A1_MINUS_TAI / DAY;
        let leap = scale == Scale::Utc && self.in_leap_second();
        let mjd = match scale {
            Scale::A1 => a1,
            Scale::Tai => tai,
            Scale::Tt => tai + TT_MINUS_TAI / DAY,
            Scale::Tdb => tai + TT_MINUS_TAI / DAY + tdb_minus_tt(tai) / DAY,
            Scale::Utc => tai - self.tai_minus_utc() / DAY,
        };
        // a leap second is written as the second before it, one higher
        let from_midnight = if leap { mjd + 0.5 - 1.0 / DAY } else { mjd + 0.5 };
        let mut day = from_midnight.floor();
        let mut milliseconds = ((from_midnight - day) * DAY * 1000.0 + 0.5).floor() as i64;
        let full = leap && milliseconds >= 86_400_000;
        if milliseconds >= 86_400_000 {
            milliseconds -= 86_400_000;
            day += 1.0;
        }
        let (year, month, of_month) = date_of_day_number(day as i64 - 1);
        let (minutes, rest) = (milliseconds / 60_000, milliseconds % 60_000 + if leap && !full { 1000 } else { 0 });
        format!(
            "{of_month:02} {} {year:04} {:02}:{:02}:{:02}.{:03}",
            MONTHS[month - 1],
            minutes / 60,
            minutes % 60,
            rest / 1000,
            rest % 1000
        )
    }
}

/// The whole day of GMAT's modified Julian date in the middle of which a date begins.
///
/// Years count from March, so that the leap day is the last: 365 y + y/4 - y/100 + y/400 days.
fn day_number(year: i64, month: usize, day: i64) -> i64 {
    let (y, m) = if month > 2 { (year, month as i64 - 3) } else { (year - 1, month as i64 + 9) };
    MARCH_OF_YEAR_0 + 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1
}

/// The inverse of [`day_number`]: year, month, day of the month.
fn date_of_day_number(number: i64) -> (i64, usize, i64) {
    let days = number - MARCH_OF_YEAR_0;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let y = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * y + y / 4 - y / 100);
    let m = (5 * of_year + 2) / 153;
    let day = of_year - (153 * m + 2) / 5 + 1;
    let month = if m < 10 { m + 3 } else { m - 9 };
    (400 * era + y + i64::from(month <= 2), month as usize, day)
}

fn days_in_month(year: i64, month: usize) -> i64 {
    let (next_year, next) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    day_number(next_year, next, 1) - day_number(year, month, 1)
}

/// A calendar date as written.
struct Date {
    year: i64,
    month: usize,
    day: i64,
    hour: u32,
    minute: u32,
    second: u32,
    nanosecond: u32,
}

impl Date {
    /// `01 Jan 2026 00:00:00.000`; the fraction may be left out or have up to nine digits.
    fn parse(text: &str) -> Option<Date> {
        let mut words = text.split_whitespace();
        let (day, month, year, time) = (words.next()?, words.next()?, words.next()?, words.next()?);
        if words.next().is_some() || year.len() != 4 {
            return None;
        }
        let mut clock = time.split(':');
        let (hour, minute, second) = (clock.next()?, clock.next()?, clock.next()?);
        if clock.next().is_some() {
            return None;
        }
        let (second, fraction) = second.split_once('.').unwrap_or((second, "0"));
        let number = |digits: &str, most: usize| -> Option<u32> {
            let fits = (1..=most).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
            if fits { digits.parse().ok() } else { None }
        };
        let date = Date {
            year: i64::from(number(year, 4)?),
            month: MONTHS.iter().position(|name| *name == month)? + 1,
            day: i64::from(number(day, 2)?),
            hour: number(hour, 2)?,
            minute: number(minute, 2)?,
            second: number(second, 2)?,
            nanosecond: number(fraction, 9)? * 10_u32.pow(9 - fraction.len() as u32),
        };
        (date.hour < 24 && date.minute < 60 && date.second <= 60).then_some(date)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::astro::epoch::SCALES;
    use proptest::prelude::*;

    /// Each line: scale and number or date that a script gave, then A1, TAI, TT, TDB, UTC as modified
    /// Julian dates and as dates.
    #[test]
    fn val_dates_of_gmat() {
        let mut compared = 0;
        for line in include_str!("../../tests/reference/gmat/dates.txt").lines().filter(|l| !l.starts_with('#')) {
            let parts: Vec<&str> = line.split('|').map(str::trim).collect();
            let scale = |name: &str| SCALES.iter().find(|(_, n)| name.starts_with(n)).unwrap().0;
            let epoch = if parts[0].ends_with("Gregorian") {
                Epoch::from_gregorian(scale(parts[0]), parts[1]).unwrap()
            } else {
                Epoch::from_mjd(scale(parts[0]), parts[1].parse().unwrap()).unwrap()
            };
            for (i, &(scale, name)) in SCALES.iter().enumerate() {
                let mjd: f64 = parts[2 + i].parse().unwrap();
                // GMAT's double of days after two or three operations: two or three times its grain of 3.6e-12 d
                // (7.3e-12 d after 2059)
                assert!((epoch.mjd(scale) - mjd).abs() < 2e-11, "{line}: {name} {}", epoch.mjd(scale));
                assert_eq!(epoch.gregorian(scale), parts[7 + i], "{line}: {name}");
            }
            compared += 1;
        }
        assert!(compared > 150, "{compared}");
    }

    #[test]
    fn val_calendar() {
        assert_eq!(day_number(2000, 1, 1), 21_544); // 2000-01-01 12:00 is JD 2451545
        assert_eq!(day_number(1957, 10, 4), 6115);
        assert_eq!(days_in_month(2100, 2), 28);
        assert_eq!(days_in_month(2000, 2), 29);
        assert_eq!(days_in_month(2023, 12), 31);
        for number in 6000..95_000 {
            let (year, month, day) = date_of_day_number(number);
            assert_eq!(day_number(year, month, day), number);
            assert!((1..=days_in_month(year, month)).contains(&day));
        }
    }

    #[test]
    fn val_leap_second_is_written() {
        let before = Epoch::from_gregorian(Scale::Utc, "31 Dec 2016 23:59:59.250").unwrap();
        assert_eq!(before.gregorian(Scale::Utc), "31 Dec 2016 23:59:59.250");
        assert_eq!(before.plus(1.0).gregorian(Scale::Utc), "31 Dec 2016 23:59:60.250");
        assert_eq!(before.plus(2.0).gregorian(Scale::Utc), "01 Jan 2017 00:00:00.250");
        assert_eq!(before.plus(1.7497).gregorian(Scale::Utc), "01 Jan 2017 00:00:00.000");
        assert_eq!(before.plus(1.0).gregorian(Scale::Tai), "01 Jan 2017 00:00:36.250");
    }

    proptest! {
        #[test]
        fn prop_dates_both_ways(day in 6117.0..94_000.0_f64, millisecond in 0_u32..86_400_000, which in 0..SCALES.len()) {
            let scale = SCALES[which].0;
            let (day, seconds) = (day.floor(), f64::from(millisecond) * 1e-3);
            let epoch = Epoch::from_scale(scale, day, seconds).unwrap();
            let text = epoch.gregorian(scale);
            let back = Epoch::from_gregorian(scale, &text).unwrap();
            prop_assert!(back.since(epoch).abs() < 1e-9, "{text} {:e}", back.since(epoch));
        }
    }
}

//! Instants, and the time scales that GMAT writes them in.
//!
//! An instant is a whole TAI day and the seconds into it, so it resolves 1e-11 s over any number of
//! centuries; one double of days would resolve 3e-7 s. Calendars and leap seconds come from hifitime.
//!
//! GMAT's modified Julian date is JD - 2430000. A1 - TAI = 0.0343817 s, TT - TAI = 32.184 s, and
//! TDB - TT = 0.001658 s sin g + 0.00001385 s sin 2g with g = 357.5277233 deg + 35999.05034 deg T.
//!
//! # References
//! GMAT Mathematical Specification, "Time systems". Test: `val_scales_of_gmat`, `val_leap_second`.

use std::sync::OnceLock;

use hifitime::leap_seconds::LatestLeapSeconds;

use super::constants::{A1_MINUS_TAI, DAY, TT_MINUS_TAI};

/// GMAT's modified Julian date of 1900-01-01 00:00, from which hifitime counts.
const MJD_OF_1900: f64 = -14_979.5;

/// The first UTC day with whole leap seconds, 1972-01-01, as GMAT's modified Julian date.
const MJD_OF_1972: f64 = 11_317.5;

/// The end of what is accepted, 2200-01-01, as GMAT's modified Julian date.
const MJD_OF_2200: f64 = 94_595.5;

/// A time scale of GMAT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Atomic time of the US Naval Observatory.
    A1,
    /// International atomic time.
    Tai,
    /// Terrestrial time.
    Tt,
    /// Barycentric dynamical time, by GMAT's two terms.
    Tdb,
    /// Coordinated universal time.
    Utc,
}

/// All scales with GMAT's names for them.
pub const SCALES: &[(Scale, &str)] =
    &[(Scale::A1, "A1"), (Scale::Tai, "TAI"), (Scale::Tt, "TT"), (Scale::Tdb, "TDB"), (Scale::Utc, "UTC")];

/// An instant: whole TAI days of GMAT's modified Julian date and the seconds into the day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    day: f64,
    seconds: f64,
}

/// Why a text or a number is not an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EpochError {
    /// Not GMAT's calendar format.
    #[error("not a date of the form '01 Jan 2026 00:00:00.000'")]
    Form,
    /// The 31st of February.
    #[error("there is no such date")]
    NoSuchDate,
    /// Before 1972, when UTC ran at other rates, or after 2200.
    #[error("an epoch lies between 1972 and 2200")]
    OutOfSpan,
}

impl Epoch {
    /// The instant of a modified Julian date (days) in a scale.
    pub fn from_mjd(scale: Scale, mjd: f64) -> Result<Self, EpochError> {
        if !(MJD_OF_1972..MJD_OF_2200).contains(&mjd) {
            return Err(EpochError::OutOfSpan);
        }
        let day = mjd.floor();
        let seconds = (mjd - day) * DAY;
        let written = Epoch { day, seconds };
        Ok(match scale {
            Scale::A1 => written.plus(-A1_MINUS_TAI),
            Scale::Tai => written,
            Scale::Tt => written.plus(-TT_MINUS_TAI),
            // The difference is taken at TDB instead of TT, as GMAT does: 2 ms change it by 4e-13 s.
            Scale::Tdb => written.plus(-TT_MINUS_TAI - tdb_minus_tt(mjd)),
            Scale::Utc => written.plus(tai_minus_utc_of_utc(mjd)),
        })
    }

    /// The instant of a calendar date in a scale, `01 Jan 2026 00:00:00.000`; 23:59:60 is taken in UTC on
    /// the days that have it.
    pub fn from_gregorian(scale: Scale, text: &str) -> Result<Self, EpochError> {
        let date = Date::parse(text).ok_or(EpochError::Form)?;
        if !(1972..2200).contains(&date.year) {
            return Err(EpochError::OutOfSpan);
        }
        if scale != Scale::Utc {
            if date.second >= 60 {
                return Err(EpochError::NoSuchDate);
            }
            let calendar = date.in_scale(hifitime::TimeScale::TAI).ok_or(EpochError::NoSuchDate)?;
            let written = Epoch::from_hifitime(calendar);
            return Ok(match scale {
                Scale::A1 => written.plus(-A1_MINUS_TAI),
                Scale::Tt => written.plus(-TT_MINUS_TAI),
                Scale::Tdb => written.plus(-TT_MINUS_TAI - tdb_minus_tt(written.day + written.seconds / DAY)),
                Scale::Tai | Scale::Utc => written,
            });
        }
        let leap = date.second == 60;
        let date = if leap { Date { second: 59, ..date } } else { date };
        let utc = Epoch::from_hifitime(date.in_scale(hifitime::TimeScale::UTC).ok_or(EpochError::NoSuchDate)?);
        if !leap {
            return Ok(utc);
        }
        let next = utc.plus(2.0);
        let inserted = next.tai_minus_utc() > utc.tai_minus_utc();
        if inserted && date.hour == 23 && date.minute == 59 { Ok(utc.plus(1.0)) } else { Err(EpochError::NoSuchDate) }
    }

    fn from_hifitime(epoch: hifitime::Epoch) -> Self {
        let nanoseconds = epoch.to_tai_duration().total_nanoseconds();
        let half_day = 43_200_000_000_000_i128;
        let since = nanoseconds + half_day; // from 1899-12-31 12:00, where a GMAT day begins
        let day_length = 2 * half_day;
        Epoch {
            day: since.div_euclid(day_length) as f64 + MJD_OF_1900 - 0.5,
            seconds: since.rem_euclid(day_length) as f64 * 1e-9,
        }
    }

    /// The instant `seconds` later.
    #[must_use]
    pub fn plus(self, seconds: f64) -> Self {
        let total = self.seconds + seconds;
        if (0.0..DAY).contains(&total) {
            return Epoch { day: self.day, seconds: total };
        }
        let days = (total / DAY).floor();
        let rest = total - days * DAY;
        // a tiny negative number of seconds rounds to a whole day
        if rest >= DAY {
            Epoch { day: self.day + days + 1.0, seconds: 0.0 }
        } else {
            Epoch { day: self.day + days, seconds: rest }
        }
    }

    /// Seconds from another instant to this one.
    pub fn since(self, other: Epoch) -> f64 {
        (self.day - other.day) * DAY + (self.seconds - other.seconds)
    }

    /// The modified Julian date (days) in a scale; resolves 3e-7 s.
    pub fn mjd(self, scale: Scale) -> f64 {
        let offset = match scale {
            Scale::A1 => A1_MINUS_TAI,
            Scale::Tai => 0.0,
            Scale::Tt => TT_MINUS_TAI,
            Scale::Tdb => TT_MINUS_TAI + tdb_minus_tt(self.day + (self.seconds + TT_MINUS_TAI) / DAY),
            Scale::Utc => -self.tai_minus_utc(),
        };
        self.day + (self.seconds + offset) / DAY
    }

    /// TAI - UTC at this instant, s.
    pub fn tai_minus_utc(self) -> f64 {
        leap_seconds()
            .iter()
            .rev()
            .find(|leap| (self.day, self.seconds) >= (leap.tai_day, leap.tai_seconds))
            .map_or(10.0, |leap| leap.tai_minus_utc)
    }
}

/// TDB - TT (s) at a TT modified Julian date.
fn tdb_minus_tt(mjd: f64) -> f64 {
    let centuries = (mjd - 21_545.0) / 36_525.0; // from J2000, JD 2451545
    let g = (357.527_723_3 + 35_999.050_34 * centuries).to_radians();
    0.001_658 * libm::sin(g) + 0.000_013_85 * libm::sin(2.0 * g)
}

/// From this TAI instant on, TAI - UTC is this (s).
struct LeapSecond {
    tai_day: f64,
    tai_seconds: f64,
    utc_mjd: f64,
    tai_minus_utc: f64,
}

fn leap_seconds() -> &'static [LeapSecond] {
    static TABLE: OnceLock<Vec<LeapSecond>> = OnceLock::new();
    TABLE.get_or_init(|| {
        LatestLeapSeconds::default()
            .filter(|leap| leap.announced_by_iers)
            .map(|leap| {
                // the table counts UTC seconds from 1900 as if no leap second had ever been
                let utc = Epoch { day: MJD_OF_1900 - 0.5, seconds: 0.0 }.plus(0.5 * DAY + leap.timestamp_tai_s);
                let tai = utc.plus(leap.delta_at);
                LeapSecond {
                    tai_day: tai.day,
                    tai_seconds: tai.seconds,
                    utc_mjd: utc.day + utc.seconds / DAY,
                    tai_minus_utc: leap.delta_at,
                }
            })
            .collect()
    })
}

fn tai_minus_utc_of_utc(utc_mjd: f64) -> f64 {
    leap_seconds().iter().rev().find(|leap| utc_mjd >= leap.utc_mjd).map_or(10.0, |leap| leap.tai_minus_utc)
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A calendar date as written.
#[derive(Clone, Copy)]
struct Date {
    year: i32,
    month: u8,
    day: u8,
    hour: u8,
    minute: u8,
    second: u8,
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
            year: number(year, 4)? as i32,
            month: MONTHS.iter().position(|name| *name == month)? as u8 + 1,
            day: number(day, 2)? as u8,
            hour: number(hour, 2)? as u8,
            minute: number(minute, 2)? as u8,
            second: number(second, 2)? as u8,
            nanosecond: number(fraction, 9)? * 10_u32.pow(9 - fraction.len() as u32),
        };
        (date.hour < 24 && date.minute < 60 && date.second <= 60).then_some(date)
    }

    fn in_scale(self, scale: hifitime::TimeScale) -> Option<hifitime::Epoch> {
        hifitime::Epoch::maybe_from_gregorian(
            self.year,
            self.month,
            self.day,
            self.hour,
            self.minute,
            self.second,
            self.nanosecond,
            scale,
        )
        .ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn val_scales_of_gmat() {
        // oracle parameters_leo, first row: A1, TAI, TT, TDB, UTC of one instant
        let text = include_str!("../../tests/reference/gmat/parameters_leo.txt");
        let row: Vec<f64> =
            text.lines().next().unwrap().split_whitespace().take(5).map(|x| x.parse().unwrap()).collect();
        let epoch = Epoch::from_mjd(Scale::Utc, row[4]).unwrap();
        for ((scale, name), expected) in
            [(Scale::A1, "A1"), (Scale::Tai, "TAI"), (Scale::Tt, "TT"), (Scale::Tdb, "TDB"), (Scale::Utc, "UTC")]
                .into_iter()
                .zip(row)
        {
            // one unit in the last place of a double of 3e4 days is 3.6e-12 d
            assert!((epoch.mjd(scale) - expected).abs() < 8e-12, "{name} {} {expected}", epoch.mjd(scale));
            let back = Epoch::from_mjd(scale, expected).unwrap();
            assert!(back.since(epoch).abs() < 1e-6, "{name}");
        }
    }

    #[test]
    fn val_gregorian_is_exact() {
        let epoch = Epoch::from_gregorian(Scale::Utc, "01 Jan 2026 00:00:00.000").unwrap();
        assert_eq!(epoch, Epoch { day: 31_041.0, seconds: 43_237.0 }); // TAI - UTC = 37 s
        assert_eq!(epoch.mjd(Scale::Utc).to_bits(), 31_041.5_f64.to_bits());
        let later = Epoch::from_gregorian(Scale::Utc, "1 Jan 2026 00:00:00.123").unwrap();
        assert!((later.since(epoch) - 0.123).abs() < 1e-10);
        let j2000 = Epoch::from_gregorian(Scale::Tt, "01 Jan 2000 12:00:00.000").unwrap();
        assert!((j2000.mjd(Scale::Tt) - 21_545.0).abs() < 1e-11);
    }

    #[test]
    fn val_leap_second() {
        let utc = |text| Epoch::from_gregorian(Scale::Utc, text);
        let before = utc("31 Dec 2016 23:59:59.000").unwrap();
        let within = utc("31 Dec 2016 23:59:60.500").unwrap();
        let after = utc("01 Jan 2017 00:00:00.000").unwrap();
        assert!((within.since(before) - 1.5).abs() < 1e-10);
        assert!((after.since(before) - 2.0).abs() < 1e-10);
        assert!((before.tai_minus_utc() - 36.0).abs() < 1e-9);
        assert!((after.tai_minus_utc() - 37.0).abs() < 1e-9);
        assert_eq!(utc("31 Dec 2015 23:59:60.000"), Err(EpochError::NoSuchDate));
        assert!((utc("01 Jan 1972 00:00:00.000").unwrap().tai_minus_utc() - 10.0).abs() < 1e-9);
    }

    #[test]
    fn prop_microseconds_over_centuries() {
        let start = Epoch::from_gregorian(Scale::Tai, "01 Jan 1980 00:00:00.000").unwrap();
        let mut epoch = start;
        for _ in 0..100_000 {
            epoch = epoch.plus(63_113.851_999_3); // about two hundred years in all
        }
        assert!((epoch.since(start) - 6_311_385_199.93).abs() < 1e-6);
        assert!((start.plus(-1e-13).since(start)).abs() < 1e-11);
    }

    #[test]
    fn every_bad_date_is_refused() {
        for (text, error) in [
            ("2026-01-01", EpochError::Form),
            ("01 jan 2026 00:00:00.000", EpochError::Form),
            ("01 Jan 2026 24:00:00.000", EpochError::Form),
            ("01 Jan 2026 00:00:00.0000000001", EpochError::Form),
            ("31 Feb 2026 00:00:00.000", EpochError::NoSuchDate),
            ("01 Jan 1971 00:00:00.000", EpochError::OutOfSpan),
            ("", EpochError::Form),
        ] {
            assert_eq!(Epoch::from_gregorian(Scale::Utc, text), Err(error), "{text}");
        }
        for mjd in [f64::NAN, f64::INFINITY, 0.0, 1e9] {
            assert_eq!(Epoch::from_mjd(Scale::Tai, mjd), Err(EpochError::OutOfSpan));
        }
    }
}

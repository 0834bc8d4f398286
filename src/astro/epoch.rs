//! Instants, and the time scales that GMAT writes them in.
//!
//! An instant is a whole TAI day and the seconds into it, so it resolves 1e-11 s over any number of
//! centuries; one double of days would resolve 3e-7 s. A day of GMAT begins at noon.
//!
//! GMAT's modified Julian date is JD - 2430000. A1 - TAI = 0.0343817 s, TT - TAI = 32.184 s, and
//! TDB - TT = 0.001658 s sin g + 0.00001385 s sin 2g with g = 357.5277233 deg + 35999.05034 deg T, T in
//! centuries of TAI from J2000, as in GMAT. UTC has its leap seconds in leap_seconds.rs, calendar dates
//! are in gregorian.rs.
//!
//! # References
//! GMAT Mathematical Specification, "Time systems". Test: `val_scales_of_gmat`, `val_leap_second`.

use super::constants::{A1_MINUS_TAI, DAY, TT_MINUS_TAI};
use super::leap_seconds::{inserted_second, tai_minus_utc_at_tai, tai_minus_utc_at_utc};

/// GMAT's first epoch, 1957-10-04 12:00, as its modified Julian date.
const FIRST: f64 = 6116.0;

/// The end of what is accepted, 2200-01-01, as GMAT's modified Julian date (GMAT's scripts end at 2100-02-28).
const END: f64 = 94_593.5;

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
    /// Before GMAT's first epoch, or after 2200.
    #[error("an epoch lies between 04 Oct 1957 12:00:00.000 and the year 2200")]
    OutOfSpan,
}

impl Epoch {
    /// The instant of a modified Julian date (days) in a scale.
    pub fn from_mjd(scale: Scale, mjd: f64) -> Result<Self, EpochError> {
        if !(FIRST..END).contains(&mjd) {
            return Err(EpochError::OutOfSpan);
        }
        let day = mjd.floor();
        Epoch::from_scale(scale, day, (mjd - day) * DAY)
    }

    /// The instant of whole days of GMAT's modified Julian date in a scale, and the seconds into the day:
    /// the full precision of [`Epoch::in_scale`].
    pub fn from_scale(scale: Scale, day: f64, seconds: f64) -> Result<Self, EpochError> {
        if !(FIRST..END).contains(&(day + seconds / DAY)) {
            return Err(EpochError::OutOfSpan);
        }
        let written = Epoch { day, seconds }.plus(0.0);
        Ok(match scale {
            Scale::A1 => written.plus(-A1_MINUS_TAI),
            Scale::Tai => written,
            Scale::Tt => written.plus(-TT_MINUS_TAI),
            // T is taken 2 ms off here, which changes the difference by 4e-13 s
            Scale::Tdb => written.plus(-TT_MINUS_TAI - tdb_minus_tt(day + (seconds - TT_MINUS_TAI) / DAY)),
            Scale::Utc => written.plus(tai_minus_utc_at_utc(written.day, written.seconds)),
        })
    }

    /// Whole days of GMAT's modified Julian date in a scale and the seconds into the day, in [0, 86400).
    ///
    /// During a leap second UTC counts as GMAT has it: the first second of the next day, which then comes twice.
    pub fn in_scale(self, scale: Scale) -> (f64, f64) {
        let shifted = self.plus(match scale {
            Scale::A1 => A1_MINUS_TAI,
            Scale::Tai => 0.0,
            Scale::Tt => TT_MINUS_TAI,
            Scale::Tdb => TT_MINUS_TAI + tdb_minus_tt(self.day + self.seconds / DAY),
            Scale::Utc => -self.tai_minus_utc(),
        });
        (shifted.day, shifted.seconds)
    }

    /// The whole TAI days of GMAT's modified Julian date, and the seconds into the day: 0 <= s < 86400.
    pub fn day_and_seconds(self) -> (f64, f64) {
        (self.day, self.seconds)
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
        let (day, seconds) = self.in_scale(scale);
        day + seconds / DAY
    }

    /// TAI - UTC at this instant, s; 0 before 1961, as GMAT has it.
    pub fn tai_minus_utc(self) -> f64 {
        tai_minus_utc_at_tai(self.day, self.seconds)
    }

    /// Whether UTC stands at 23:59:60.
    pub fn in_leap_second(self) -> bool {
        inserted_second(self.day, self.seconds)
    }
}

/// TDB - TT (s) at a TAI modified Julian date.
pub(super) fn tdb_minus_tt(tai_mjd: f64) -> f64 {
    let centuries = (tai_mjd - 21_545.0) / 36_525.0; // from J2000, JD 2451545
    let g = (357.527_723_3 + 35_999.050_34 * centuries).to_radians();
    0.001_658 * libm::sin(g) + 0.000_013_85 * libm::sin(2.0 * g)
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
    fn val_before_1972() {
        // GMAT's UTC runs by its tai-utc.dat from 1961 on and is TAI before; its own grain is 3e-7 s
        for (text, tai) in [
            ("31 Dec 1960 23:59:59.000", 7_300.499_988_425_926),
            ("01 Jan 1961 00:00:00.000", 7_300.500_016_467_801),
            ("01 Jan 1962 00:00:00.000", 7_665.500_021_364_097),
            ("15 Jun 1966 12:00:00.000", 9_292.000_054_885_95),
            ("31 Jan 1968 23:59:59.999", 9_887.500_072_739_374),
            ("01 Feb 1968 00:00:00.000", 9_887.500_071_593_542),
            ("31 Dec 1971 23:59:59.999", 11_317.500_114_481_97),
            ("01 Jan 1972 00:00:00.000", 11_317.500_115_740_74),
        ] {
            let epoch = Epoch::from_gregorian(Scale::Utc, text).unwrap();
            assert!((epoch.mjd(Scale::Tai) - tai).abs() < 4e-12, "{text} {}", epoch.mjd(Scale::Tai));
        }
    }

    #[test]
    fn prop_scales_both_ways_to_1e_10_s() {
        let mut epoch = Epoch::from_mjd(Scale::Tai, 6117.25).unwrap();
        while epoch.mjd(Scale::Tai) < 94_000.0 {
            epoch = epoch.plus(1_000_000.123_456_7);
            for &(scale, name) in SCALES {
                let (day, seconds) = epoch.in_scale(scale);
                let back = Epoch::from_scale(scale, day, seconds).unwrap();
                assert!(back.since(epoch).abs() < 1e-10, "{name} {epoch:?} {:e}", back.since(epoch));
                assert!((0.0..DAY).contains(&seconds) && day.fract() == 0.0);
            }
        }
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
            ("04 Oct 1957 11:59:59.999", EpochError::OutOfSpan),
            ("01 Jan 2200 00:00:00.000", EpochError::OutOfSpan),
            ("29 Feb 2100 00:00:00.000", EpochError::NoSuchDate),
            ("", EpochError::Form),
        ] {
            assert_eq!(Epoch::from_gregorian(Scale::Utc, text), Err(error), "{text}");
        }
        for mjd in [f64::NAN, f64::INFINITY, 0.0, 1e9] {
            assert_eq!(Epoch::from_mjd(Scale::Tai, mjd), Err(EpochError::OutOfSpan));
        }
    }
}

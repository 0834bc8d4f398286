//! Earth orientation parameters by the day, and between the days.
//!
//! UT1 - TAI and the pole are linear in TAI from one UTC midnight to the next; for UT1 that is what GMAT's UT1 - UTC
//! amounts to on every day, with or without a leap second, and for the pole GMAT counts in UTC, which on the day of a
//! leap second differs by 5e-14 rad. The length of day is that of the midnight before. Outside the table the first
//! and the last row hold, as in GMAT. No diurnal or semidiurnal tides.
//!
//! # References
//! GMAT Mathematical Specification, "Earth orientation parameters"; `EopFile` in GMAT's source.
//! Test: `val_axes_of_gmat` in tests.rs, `prop_continuous_but_for_the_length_of_day`.

use super::packed::Reader;
use super::{ARC_SECOND, J2000};
use crate::astro::constants::DAY;
use crate::astro::epoch::{Epoch, Scale};

/// The table that comes with the program, made by `scripts/make-eop`.
const EMBEDDED: &[u8] = include_bytes!("../../../data/earth/eop.bin");

/// JD - 2430000 less JD - 2400000.5.
const MJD_OF_GMAT: f64 = -29_999.5;

/// 1972-01-01, the first day of whole leap seconds, and the last day that an epoch may have (MJD).
const DAYS_OF_UTC: (i32, i32) = (41_317, 124_590);

/// One midnight (0 h UTC): rad and s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Row {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) ut1_minus_utc: f64,
    pub(super) lod: f64,
}

/// Earth orientation parameters at UTC midnights, one a day.
#[derive(Clone, Debug, PartialEq)]
pub struct EarthTable {
    /// The first midnight, days from JD 2400000.5.
    first: i32,
    rows: Vec<Row>,
}

/// The parameters of an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EarthParameters {
    /// UT1 - TAI, s.
    pub ut1_minus_tai: f64,
    /// The pole's coordinate along the Greenwich meridian, rad.
    pub x: f64,
    /// The pole's coordinate along 90 degrees west, rad.
    pub y: f64,
    /// Excess of the length of day over 86400 s, s.
    pub lod: f64,
}

/// A UTC day: where it begins, and the parameters over it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Day {
    /// Days from JD 2400000.5.
    pub(super) number: i32,
    /// 0 h UTC.
    pub(super) start: Epoch,
    /// To the next midnight, s: 86400, or 86401 where a leap second is put in.
    pub(super) length: f64,
    /// At the start, with the length of the day.
    pub(super) parameters: EarthParameters,
    /// Change over the day, s.
    pub(super) ut1_change: f64,
    /// Change over the day, rad.
    pub(super) x_change: f64,
    /// Change over the day, rad.
    pub(super) y_change: f64,
}

impl EarthTable {
    /// The table that comes with the program: 1962-01-01 to 2026-09-14.
    pub fn embedded() -> Self {
        Self::unpack(EMBEDDED).unwrap_or(EarthTable { first: 0, rows: Vec::new() })
    }

    fn unpack(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes, *b"EOP1")?;
        let (first, count) = (reader.word()? as i32, reader.word()? as usize);
        let (x, y) = (reader.column(count)?, reader.column(count)?);
        let (ut1_minus_utc, lod) = (reader.column(count)?, reader.column(count)?);
        let rows = (0..count)
            .map(|k| Row {
                x: x[k] as f64 / 1e6 * ARC_SECOND,
                y: y[k] as f64 / 1e6 * ARC_SECOND,
                ut1_minus_utc: ut1_minus_utc[k] as f64 / 1e7,
                lod: lod[k] as f64 / 1e7,
            })
            .collect();
        Some(EarthTable { first, rows })
    }

    /// A table of consecutive days, of which there is one at least.
    pub(super) fn of_rows(first: i32, rows: Vec<Row>) -> Self {
        EarthTable { first, rows }
    }

    /// The first and the last midnight, days from JD 2400000.5; outside, their rows hold.
    pub fn span(&self) -> (i32, i32) {
        (self.first, self.first + self.rows.len() as i32 - 1)
    }

    /// The parameters of an instant.
    pub fn at(&self, epoch: Epoch) -> EarthParameters {
        self.day(utc_day(epoch)).at(epoch)
    }

    /// A UTC day.
    pub(super) fn day(&self, number: i32) -> Day {
        let (first, last) = self.span();
        let row = |number: i32| {
            let index = number.clamp(first, last.max(first)) - first;
            self.rows.get(index as usize).copied().unwrap_or_default()
        };
        let (start, end) = (midnight(number), midnight(number + 1));
        let (from, to) = (row(number), row(number + 1));
        let ut1_minus_tai = from.ut1_minus_utc - start.tai_minus_utc();
        let inside = (first..last).contains(&number);
        let ut1_change = if inside { to.ut1_minus_utc - end.tai_minus_utc() - ut1_minus_tai } else { 0.0 };
        Day {
            number,
            start,
            length: end.since(start),
            parameters: EarthParameters { ut1_minus_tai, x: from.x, y: from.y, lod: from.lod },
            ut1_change,
            x_change: to.x - from.x,
            y_change: to.y - from.y,
        }
    }

    /// A number that stands for the table, by which a cache knows its own.
    pub(super) fn fingerprint(&self) -> u64 {
        let numbers = self.rows.iter().flat_map(|row| [row.x, row.y, row.ut1_minus_utc, row.lod]);
        numbers.fold(u64::from(self.first.unsigned_abs()), |hash, number| {
            (hash ^ number.to_bits()).wrapping_mul(0x0100_0000_01b3).rotate_left(17)
        })
    }
}

impl Day {
    /// The parameters of an instant of this day.
    pub(super) fn at(&self, epoch: Epoch) -> EarthParameters {
        let share = epoch.since(self.start) / self.length;
        EarthParameters {
            ut1_minus_tai: self.parameters.ut1_minus_tai + share * self.ut1_change,
            x: self.parameters.x + share * self.x_change,
            y: self.parameters.y + share * self.y_change,
            lod: self.parameters.lod,
        }
    }
}

/// The UTC day of an instant, counted from JD 2400000.5.
pub(super) fn utc_day(epoch: Epoch) -> i32 {
    let number = (epoch.mjd(Scale::Utc) - MJD_OF_GMAT).floor().clamp(-1e6, 1e6) as i32;
    // a modified Julian date resolves 3e-7 s only, and a leap second belongs to the day that it ends
    if epoch.since(midnight(number)) < 0.0 {
        number - 1
    } else if epoch.since(midnight(number + 1)) >= 0.0 {
        number + 1
    } else {
        number
    }
}

/// 0 h UTC of a day from JD 2400000.5; days of 86400 s outside the span of UTC.
fn midnight(number: i32) -> Epoch {
    let (first, last) = DAYS_OF_UTC;
    let within = number.clamp(first, last);
    let beyond = f64::from(number - within) * DAY;
    match Epoch::from_mjd(Scale::Utc, f64::from(within) + MJD_OF_GMAT) {
        Ok(epoch) if beyond == 0.0 => epoch,
        Ok(epoch) => epoch.plus(beyond),
        // cannot be: the days are those of UTC
        Err(_) => j2000(),
    }
}

/// 2000-01-01 12:00 TAI.
fn j2000() -> Epoch {
    #[allow(clippy::expect_used)]
    Epoch::from_mjd(Scale::Tai, J2000).expect("J2000 lies between 1972 and 2200")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utc(text: &str) -> Epoch {
        Epoch::from_gregorian(Scale::Utc, text).unwrap()
    }

    #[test]
    fn val_rows_of_the_file() {
        // lines of eopc04_08.62-now: 1962-01-01, 2016-12-31, 2017-01-01, 2026-09-14
        let table = EarthTable::embedded();
        assert_eq!(table.span(), (37_665, 61_297));
        assert!((table.rows[0].y / ARC_SECOND - 0.213).abs() < 1e-15);
        let before = table.at(utc("31 Dec 2016 00:00:00.000"));
        let after = table.at(utc("01 Jan 2017 00:00:00.000"));
        assert!((before.ut1_minus_tai + 36.0 - LINES[0][2]).abs() < 1e-14, "{before:?}");
        assert!((after.ut1_minus_tai + 37.0 - LINES[1][2]).abs() < 1e-14, "{after:?}");
        for (got, line) in [(before, LINES[0]), (after, LINES[1])] {
            assert!((got.x / ARC_SECOND - line[0]).abs() < 1e-15);
            assert!((got.y / ARC_SECOND - line[1]).abs() < 1e-15);
            assert!((got.lod - line[3]).abs() < 1e-18);
        }
        let last = table.at(utc("01 Jan 2040 00:00:00.000"));
        assert!((last.ut1_minus_tai + 37.0 - 0.091_526_2).abs() < 1e-14);
        assert!((last.lod + 0.000_073_2).abs() < 1e-18);
    }

    /// x, y (arc seconds), UT1 - UTC, length of day (s) of 2016-12-31 and 2017-01-01.
    const LINES: [[f64; 4]; 2] =
        [[0.081_440, 0.263_099, -0.407_769_7, 0.000_892], [0.080_549, 0.263_128, 0.591_287, 0.000_996_2]];

    #[test]
    fn prop_continuous_but_for_the_length_of_day() {
        let table = EarthTable::embedded();
        for text in ["31 Dec 2016 23:59:60.999", "15 Mar 2004 23:59:59.999", "13 Sep 2026 23:59:59.999"] {
            let (before, after) = (table.at(utc(text)), table.at(utc(text).plus(0.002)));
            assert!((after.ut1_minus_tai - before.ut1_minus_tai).abs() < 1e-10, "{text}"); // 4e-8 s/s at most
            assert!((after.x - before.x).abs() < 1e-15, "{text}"); // 1e-13 rad/s
            assert!((after.y - before.y).abs() < 1e-15, "{text}");
        }
        // whatever day an instant is put in, it lies in it
        for seconds in 0..200_000 {
            let epoch = utc("30 Dec 2016 00:00:00.000").plus(f64::from(seconds) * 3.17);
            let day = table.day(utc_day(epoch));
            assert!((0.0..day.length).contains(&epoch.since(day.start)));
        }
    }
}

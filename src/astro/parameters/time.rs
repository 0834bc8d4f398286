//! Dates, elapsed time and masses.

use super::{Cycle, Dependence, Needs, Parameter, View};
use crate::astro::constants::DAY;
use crate::astro::epoch::Scale;

const fn date(
    name: &'static str,
    scale: &'static str,
    format: &'static str,
    long_name: &'static str,
    value: fn(&View) -> f64,
) -> Parameter {
    Parameter {
        name,
        units: "d",
        dependence: Dependence::None,
        needs: Needs::Nothing,
        cycle: Cycle::None,
        long_name,
        date: Some((scale, format)),
        value,
    }
}

pub(super) const PARAMETERS: &[Parameter] = &[
    date("A1ModJulian", "A1", "ModJulian", "modified Julian date, A1 (JD - 2430000)", |s| s.epoch.mjd(Scale::A1)),
    date("TAIModJulian", "TAI", "ModJulian", "modified Julian date, TAI (JD - 2430000)", |s| s.epoch.mjd(Scale::Tai)),
    date("TTModJulian", "TT", "ModJulian", "modified Julian date, TT (JD - 2430000)", |s| s.epoch.mjd(Scale::Tt)),
    date("TDBModJulian", "TDB", "ModJulian", "modified Julian date, TDB (JD - 2430000)", |s| s.epoch.mjd(Scale::Tdb)),
    date("UTCModJulian", "UTC", "ModJulian", "modified Julian date, UTC (JD - 2430000)", |s| s.epoch.mjd(Scale::Utc)),
    date("A1Gregorian", "A1", "Gregorian", "date, A1, as modified Julian date (JD - 2430000)", |s| {
        s.epoch.mjd(Scale::A1)
    }),
    date("TAIGregorian", "TAI", "Gregorian", "date, TAI, as modified Julian date (JD - 2430000)", |s| {
        s.epoch.mjd(Scale::Tai)
    }),
    date("TTGregorian", "TT", "Gregorian", "date, TT, as modified Julian date (JD - 2430000)", |s| {
        s.epoch.mjd(Scale::Tt)
    }),
    date("TDBGregorian", "TDB", "Gregorian", "date, TDB, as modified Julian date (JD - 2430000)", |s| {
        s.epoch.mjd(Scale::Tdb)
    }),
    date("UTCGregorian", "UTC", "Gregorian", "date, UTC, as modified Julian date (JD - 2430000)", |s| {
        s.epoch.mjd(Scale::Utc)
    }),
    Parameter::free("ElapsedSecs", "s", "seconds since the start of the mission", |s| s.elapsed),
    Parameter::free("ElapsedDays", "d", "days since the start of the mission", |s| s.elapsed / DAY),
    Parameter::free("DryMass", "kg", "mass without fuel", |s| s.dry_mass),
    Parameter::free("TotalMass", "kg", "mass", |s| s.total_mass),
];

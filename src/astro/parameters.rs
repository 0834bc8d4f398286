//! The parameters that a report, an output or a stop condition can name: one line each in [`REGISTRY`].
//!
//! Angles are degrees, times days or seconds, as GMAT reports them. Test: `val_orbits_of_gmat`.

use std::f64::consts::TAU;

use super::constants::DAY;
use super::elements::{Cartesian, Keplerian, dot, eccentric_anomaly, hyperbolic_anomaly, mean_anomaly, norm, turn};
use super::epoch::{Epoch, Scale};

/// What a parameter is computed from: one spacecraft at one instant.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Now.
    pub epoch: Epoch,
    /// Seconds since the start of the mission.
    pub elapsed: f64,
    /// State in `EarthMJ2000Eq`, km and km/s.
    pub state: Cartesian,
    /// Gravitational parameter of the origin, km^3/s^2.
    pub mu: f64,
    /// Mass without fuel, kg.
    pub dry_mass: f64,
}

impl View {
    fn keplerian(&self) -> Keplerian {
        self.state.to_keplerian(self.mu)
    }
    fn periapsis(&self) -> f64 {
        self.state.sma(self.mu) * (1.0 - self.state.ecc(self.mu))
    }
    fn apoapsis(&self) -> f64 {
        self.state.sma(self.mu) * (1.0 + self.state.ecc(self.mu))
    }
    /// Speed at a distance on this orbit, by the energy.
    fn speed_at(&self, r: f64) -> f64 {
        (2.0 * (self.state.energy(self.mu) + self.mu / r)).sqrt()
    }
    fn momentum(&self) -> f64 {
        norm(self.state.angular_momentum())
    }
}

/// What may stand between the spacecraft and the parameter's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependence {
    /// Nothing: `Sat.ElapsedSecs`.
    None,
    /// A celestial body: `Sat.Earth.SMA`.
    Origin,
    /// A coordinate system: `Sat.EarthMJ2000Eq.X`.
    CoordinateSystem,
}

/// A parameter.
pub struct Parameter {
    /// GMAT's name.
    pub name: &'static str,
    /// Unit of the number, as written into the result file.
    pub units: &'static str,
    /// What may stand before the name.
    pub dependence: Dependence,
    /// One line about it.
    pub long_name: &'static str,
    /// For dates: GMAT's name of the time scale and of the format.
    pub date: Option<(&'static str, &'static str)>,
    /// The value.
    pub value: fn(&View) -> f64,
}

const fn parameter(
    name: &'static str,
    units: &'static str,
    dependence: Dependence,
    long_name: &'static str,
    value: fn(&View) -> f64,
) -> Parameter {
    Parameter { name, units, dependence, long_name, date: None, value }
}

const fn date(
    name: &'static str,
    scale: &'static str,
    format: &'static str,
    long_name: &'static str,
    value: fn(&View) -> f64,
) -> Parameter {
    Parameter { name, units: "d", dependence: Dependence::None, long_name, date: Some((scale, format)), value }
}

use Dependence::{CoordinateSystem, None as Free, Origin};

/// All parameters.
pub const REGISTRY: &[Parameter] = &[
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
    parameter("ElapsedSecs", "s", Free, "seconds since the start of the mission", |s| s.elapsed),
    parameter("ElapsedDays", "d", Free, "days since the start of the mission", |s| s.elapsed / DAY),
    parameter("X", "km", CoordinateSystem, "position, x", |s| s.state.r[0]),
    parameter("Y", "km", CoordinateSystem, "position, y", |s| s.state.r[1]),
    parameter("Z", "km", CoordinateSystem, "position, z", |s| s.state.r[2]),
    parameter("VX", "km/s", CoordinateSystem, "velocity, x", |s| s.state.v[0]),
    parameter("VY", "km/s", CoordinateSystem, "velocity, y", |s| s.state.v[1]),
    parameter("VZ", "km/s", CoordinateSystem, "velocity, z", |s| s.state.v[2]),
    parameter("RMAG", "km", Origin, "distance from the centre", |s| norm(s.state.r)),
    parameter("VMAG", "km/s", CoordinateSystem, "speed", |s| norm(s.state.v)),
    parameter("SMA", "km", Origin, "semi-major axis", |s| s.state.sma(s.mu)),
    parameter("ECC", "1", Origin, "eccentricity", |s| s.state.ecc(s.mu)),
    parameter("INC", "degree", CoordinateSystem, "inclination", |s| s.keplerian().inc.to_degrees()),
    parameter("RAAN", "degree", CoordinateSystem, "right ascension of the ascending node", |s| {
        s.keplerian().raan.to_degrees()
    }),
    parameter("AOP", "degree", CoordinateSystem, "argument of periapsis", |s| s.keplerian().aop.to_degrees()),
    parameter("TA", "degree", Origin, "true anomaly", |s| s.keplerian().ta.to_degrees()),
    parameter("MA", "degree", Origin, "mean anomaly", |s| {
        let k = s.keplerian();
        mean_anomaly(k.ta, k.ecc).to_degrees()
    }),
    parameter("EA", "degree", Origin, "eccentric anomaly, 0 on a hyperbola", |s| {
        let k = s.keplerian();
        if k.ecc < 1.0 { eccentric_anomaly(k.ta, k.ecc).to_degrees() } else { 0.0 }
    }),
    parameter("HA", "degree", Origin, "hyperbolic anomaly, 0 on an ellipse", |s| {
        let k = s.keplerian();
        if k.ecc > 1.0 { hyperbolic_anomaly(k.ta, k.ecc).to_degrees() } else { 0.0 }
    }),
    parameter("MM", "rad/s", Origin, "mean motion", |s| (s.mu / s.state.sma(s.mu).abs().powi(3)).sqrt()),
    parameter("OrbitPeriod", "s", Origin, "period, 0 on a hyperbola", |s| {
        let sma = s.state.sma(s.mu);
        if sma > 0.0 { TAU * (sma * sma * sma / s.mu).sqrt() } else { 0.0 }
    }),
    parameter("RadApo", "km", Origin, "radius of apoapsis, 0 on a hyperbola", |s| {
        if s.state.sma(s.mu) > 0.0 { s.apoapsis() } else { 0.0 }
    }),
    parameter("RadPer", "km", Origin, "radius of periapsis", View::periapsis),
    parameter("VelApoapsis", "km/s", Origin, "speed at apoapsis, 0 on a hyperbola", |s| {
        if s.state.sma(s.mu) > 0.0 { s.speed_at(s.apoapsis()) } else { 0.0 }
    }),
    parameter("VelPeriapsis", "km/s", Origin, "speed at periapsis", |s| s.speed_at(s.periapsis())),
    parameter("C3Energy", "km^2/s^2", Origin, "twice the specific energy", |s| 2.0 * s.state.energy(s.mu)),
    parameter("Energy", "km^2/s^2", Origin, "specific energy", |s| s.state.energy(s.mu)),
    parameter("SemilatusRectum", "km", Origin, "semilatus rectum", |s| s.momentum().powi(2) / s.mu),
    parameter("HX", "km^2/s", CoordinateSystem, "specific angular momentum, x", |s| s.state.angular_momentum()[0]),
    parameter("HY", "km^2/s", CoordinateSystem, "specific angular momentum, y", |s| s.state.angular_momentum()[1]),
    parameter("HZ", "km^2/s", CoordinateSystem, "specific angular momentum, z", |s| s.state.angular_momentum()[2]),
    parameter("HMAG", "km^2/s", Origin, "specific angular momentum", View::momentum),
    parameter("RA", "degree", CoordinateSystem, "right ascension", |s| {
        turn(libm::atan2(s.state.r[1], s.state.r[0])).to_degrees()
    }),
    parameter("DEC", "degree", CoordinateSystem, "declination", |s| {
        libm::atan2(s.state.r[2], libm::hypot(s.state.r[0], s.state.r[1])).to_degrees()
    }),
    parameter("FPA", "degree", CoordinateSystem, "flight path angle, from the zenith", |s| {
        libm::atan2(s.momentum(), dot(s.state.r, s.state.v)).to_degrees()
    }),
    parameter("DryMass", "kg", Free, "mass without fuel", |s| s.dry_mass),
    parameter("TotalMass", "kg", Free, "mass", |s| s.dry_mass),
];

/// The parameter of a name.
pub fn find(name: &str) -> Option<&'static Parameter> {
    REGISTRY.iter().find(|parameter| parameter.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::astro::constants::EARTH_MU;

    /// The first row of each oracle is the script's own state: every parameter we have, against GMAT.
    #[test]
    fn val_orbits_of_gmat() {
        let cases = [
            (
                include_str!("../../tests/reference/gmat/parameters_leo.script"),
                include_str!("../../tests/reference/gmat/parameters_leo.txt"),
            ),
            (
                include_str!("../../tests/reference/gmat/parameters_heo.script"),
                include_str!("../../tests/reference/gmat/parameters_heo.txt"),
            ),
            (
                include_str!("../../tests/reference/gmat/parameters_geo.script"),
                include_str!("../../tests/reference/gmat/parameters_geo.txt"),
            ),
        ];
        for (script, report) in cases {
            let names: Vec<&str> = script
                .lines()
                .find_map(|l| l.strip_prefix("Report RF "))
                .unwrap()
                .trim_end_matches(';')
                .split(' ')
                .collect();
            let first: Vec<f64> =
                report.lines().next().unwrap().split_whitespace().map(|x| x.parse().unwrap()).collect();
            // every row gives a state of its own: take epoch and Cartesian state, compare the rest
            for row in report.lines() {
                let row: Vec<f64> = row.split_whitespace().map(|x| x.parse().unwrap()).collect();
                let get = |name: &str| row[names.iter().position(|n| *n == name).unwrap()];
                let k = Keplerian {
                    sma: get("Sat.Earth.SMA"),
                    ecc: get("Sat.Earth.ECC"),
                    inc: get("Sat.EarthMJ2000Eq.INC").to_radians(),
                    raan: get("Sat.EarthMJ2000Eq.RAAN").to_radians(),
                    aop: get("Sat.EarthMJ2000Eq.AOP").to_radians(),
                    ta: get("Sat.Earth.TA").to_radians(),
                };
                let epoch = Epoch::from_mjd(Scale::A1, row[0]).unwrap();
                let elapsed = epoch.since(Epoch::from_mjd(Scale::A1, first[0]).unwrap());
                let view =
                    View { epoch, elapsed, state: k.to_cartesian(EARTH_MU).unwrap(), mu: EARTH_MU, dry_mass: 850.0 };
                let mut compared = 0;
                for (name, expected) in names.iter().zip(&row) {
                    let supported = ["Earth.", "EarthMJ2000Eq.", ""]
                        .iter()
                        .find_map(|middle| find(name.strip_prefix("Sat.")?.strip_prefix(middle)?));
                    let Some(parameter) = supported else { continue };
                    let value = (parameter.value)(&view);
                    // acos loses half the digits near 0 and 180 degrees, so GMAT's own angles are good to
                    // 1e-6 there; times carry the grain of a double of days, 3e-7 s; lengths and momenta are
                    // good to some last bits of the vector's length, as the report has 16 digits.
                    let tolerance = match parameter.units {
                        "degree" => 2e-6,
                        "s" => 1e-6,
                        "km" => 1e-11 * get("Sat.Earth.RadApo"),
                        "km^2/s" => 1e-11 * get("Sat.Earth.HMAG"),
                        _ => 1e-11 * (1.0 + expected.abs()),
                    };
                    let difference = (value - expected).abs();
                    let difference = if parameter.units == "degree" {
                        difference.min((360.0 - difference).abs())
                    } else {
                        difference
                    };
                    assert!(difference < tolerance, "{name}: {value} {expected}");
                    compared += 1;
                }
                assert!(compared > 30, "only {compared} parameters were compared");
            }
        }
    }
}

//! What depends on the body's rotation, shape and Sun: geodetic place, hour angles, beta angle.
//!
//! The ellipsoid is that of the body in GMAT (radius and flattening of the body, whatever the potential file
//! says). Latitude and altitude follow GMAT's iteration, from the geocentric latitude until two values are
//! within 1e-7 rad, since its rest (up to 1e-9 rad, some mm of altitude) is part of GMAT's numbers.
//!
//! # References
//! GMAT Mathematical Specification, "Geodetic parameters". Vallado, eq. 3-45 (mean sidereal time).
//! Tests: `val_orbits_of_gmat`, `val_hour_angle_of_gmat`, `prop_altitude_is_continuous_at_the_poles`.

use super::Cycle::{HalfBothWays, Turn};
use super::{Needs, Parameter, View};
use crate::astro::elements::{cross, dot, norm};
use crate::astro::representations::planetodetic;

/// Latitudes are iterated until they move by no more than this, rad.
const LATITUDE_STEP: f64 = 1e-7;
/// Below this cosine of the latitude GMAT's altitude, rho / cos(latitude) - N, loses its digits.
const POLE: f64 = 1e-3;

const fn fixed(name: &'static str, units: &'static str, long_name: &'static str, value: fn(&View) -> f64) -> Parameter {
    Parameter::of_body(name, units, long_name, value).needs(Needs::Fixed)
}

const fn body_fixed(
    name: &'static str,
    units: &'static str,
    long_name: &'static str,
    value: fn(&View) -> f64,
) -> Parameter {
    Parameter::of_axes(name, units, long_name, value).needs(Needs::FixedState)
}

pub(super) const PARAMETERS: &[Parameter] = &[
    fixed("Altitude", "km", "height above the ellipsoid", altitude),
    fixed("Latitude", "degree", "geodetic latitude", |s| latitude(s).to_degrees()).cycle(Turn),
    fixed("Longitude", "degree", "longitude, from -180 to 180", longitude).cycle(HalfBothWays),
    fixed("LST", "degree", "local sidereal time, from 0 to 360", |s| {
        into_turn(s.hour_angle.to_degrees() + longitude(s))
    })
    .needs(Needs::FixedAndHourAngle)
    .cycle(Turn),
    Parameter::of_body("MHA", "degree", "hour angle of the prime meridian, from 0 to 360", |s| {
        into_turn(s.hour_angle.to_degrees())
    })
    .needs(Needs::HourAngle)
    .cycle(Turn),
    Parameter::of_body("BetaAngle", "degree", "angle from the orbit's plane to the Sun", beta_angle)
        .needs(Needs::StateAndSun),
    body_fixed("PlanetodeticRMAG", "km", "distance from the centre", |s| planetodetic_number(s, 0)),
    body_fixed("PlanetodeticLON", "degree", "longitude", |s| planetodetic_number(s, 1)),
    body_fixed("PlanetodeticLAT", "degree", "geodetic latitude", |s| planetodetic_number(s, 2)),
    body_fixed("PlanetodeticVMAG", "km/s", "speed in the body-fixed system", |s| planetodetic_number(s, 3)),
    body_fixed("PlanetodeticAZI", "degree", "azimuth of the body-fixed velocity", |s| planetodetic_number(s, 4)),
    body_fixed("PlanetodeticHFPA", "degree", "flight path angle, from the horizon", |s| planetodetic_number(s, 5)),
];

fn planetodetic_number(s: &View, place: usize) -> f64 {
    planetodetic::from_cartesian(&s.state, &s.centre).map_or(f64::NAN, |numbers| numbers[place])
}

/// Geodetic latitude, rad.
fn latitude(s: &View) -> f64 {
    let [x, y, z] = s.fixed;
    let rho = (x * x + y * y).sqrt();
    let mut latitude = libm::atan2(z, rho);
    for _ in 0..100 {
        let before = latitude;
        latitude = planetodetic::next_latitude(before, rho, z, &s.centre);
        if (latitude - before).abs() <= LATITUDE_STEP {
            break;
        }
    }
    latitude
}

/// rho / cos(latitude) - N, near the poles z / sin(latitude) - N (1 - e^2) instead.
fn altitude(s: &View) -> f64 {
    let [x, y, z] = s.fixed;
    let (sin_latitude, cos_latitude) = libm::sincos(latitude(s));
    let n = planetodetic::prime_vertical(sin_latitude, &s.centre);
    if cos_latitude > POLE {
        (x * x + y * y).sqrt() / cos_latitude - n
    } else {
        let polar = 1.0 - s.centre.flattening;
        z / sin_latitude - n * polar * polar
    }
}

/// Degrees in [-180, 180].
fn longitude(s: &View) -> f64 {
    libm::atan2(s.fixed[1], s.fixed[0]).to_degrees()
}

/// An angle in [0, 360], degrees; 360 itself is left, as GMAT does.
fn into_turn(degrees: f64) -> f64 {
    if (0.0..=360.0).contains(&degrees) {
        return degrees;
    }
    let rest = libm::fmod(degrees, 360.0);
    if rest < 0.0 { rest + 360.0 } else { rest }
}

/// sin(beta) = h . s / (|h| |s|), degrees
fn beta_angle(s: &View) -> f64 {
    let h = s.state.angular_momentum();
    libm::atan2(dot(h, s.sun), norm(cross(h, s.sun))).to_degrees()
}

/// The hour angle of the Earth in GMAT, rad in [0, 2 pi]: mean sidereal time at a UT1 modified Julian date
/// (JD - 2430000).
///
/// theta = 67310.54841 s + (876600 h + 8640184.812866 s) T + 0.093104 s T^2 - 6.2e-6 s T^3, T in Julian
/// centuries of UT1 from J2000. GMAT forms the Julian date in one double, whose grain of 4e-5 s is 1.7e-7
/// degrees of angle; the same is done here.
pub fn earth_hour_angle(ut1_mjd: f64) -> f64 {
    let julian_date = ut1_mjd + 2_430_000.0;
    let t = (julian_date - 2_451_545.0) / 36_525.0;
    // 1 s of time is 1/240 degree
    let degrees =
        67_310.548_41 / 240.0 + (876_600.0 * 15.0 + 8_640_184.812_866 / 240.0) * t + 0.093_104 / 240.0 * t * t
            - 6.2e-6 / 240.0 * t * t * t;
    into_turn(degrees).to_radians()
}

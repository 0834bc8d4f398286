//! Planetodetic states: distance from the centre, longitude, geodetic latitude, size of the velocity in the
//! body-fixed system, its azimuth, and its flight path angle from the horizon (geocentric both).
//!
//! The way from the geodetic to the geocentric latitude is GMAT's series to second order in the
//! flattening, so a state that goes there and back moves by up to about 4e-8 rad in latitude.
//!
//! # References
//! GMAT Mathematical Specification, "Planetodetic". Test: `val_states_of_gmat`.

use super::{Centre, RepresentationError, spherical};
use crate::astro::elements::Cartesian;

/// Latitudes are iterated until they move by less than this, rad.
const LATITUDE_STEP: f64 = 1e-13;
/// Nearer to a pole than this (rad) geodetic and geocentric latitude are one.
const POLE: f64 = 0.001 * std::f64::consts::PI / 180.0;

/// RMAG LON LAT VMAG AZI HFPA of a body-fixed state: km, km/s, degrees.
pub fn from_cartesian(state: &Cartesian, centre: &Centre) -> Result<[f64; 6], RepresentationError> {
    let [r, longitude, declination, v, azimuth, from_zenith] = spherical::azfpa_from_cartesian(state)?;
    let [x, y, z] = state.r;
    let rho = libm::hypot(x, y);
    let mut latitude = declination.to_radians();
    for _ in 0..100 {
        let before = latitude;
        latitude = next_latitude(before, rho, z, centre);
        if (latitude - before).abs() < LATITUDE_STEP {
            break;
        }
    }
    Ok([r, longitude, latitude.to_degrees(), v, azimuth, 90.0 - from_zenith])
}

/// tan(latitude) = (z + N e^2 sin(latitude)) / rho, N = R / sqrt(1 - e^2 sin^2(latitude)), e^2 = 2 f - f^2
pub(crate) fn next_latitude(latitude: f64, rho: f64, z: f64, centre: &Centre) -> f64 {
    let sin_latitude = libm::sin(latitude);
    let e2 = eccentricity_squared(centre);
    libm::atan2(z + prime_vertical(sin_latitude, centre) * e2 * sin_latitude, rho)
}

/// Radius of curvature in the prime vertical, km: N = R / sqrt(1 - e^2 sin^2(latitude))
pub(crate) fn prime_vertical(sin_latitude: f64, centre: &Centre) -> f64 {
    centre.radius / (1.0 - eccentricity_squared(centre) * sin_latitude * sin_latitude).sqrt()
}

/// e^2 = 2 f - f^2
fn eccentricity_squared(centre: &Centre) -> f64 {
    2.0 * centre.flattening - centre.flattening * centre.flattening
}

/// The body-fixed state of RMAG LON LAT VMAG AZI HFPA: km, km/s, degrees.
pub fn to_cartesian(numbers: &[f64; 6], centre: &Centre) -> Cartesian {
    let [r, longitude, latitude, v, azimuth, from_horizon] = *numbers;
    let declination = geocentric_latitude(latitude.to_radians(), r, centre).to_degrees();
    spherical::azfpa_to_cartesian(&[r, longitude, declination, v, azimuth, 90.0 - from_horizon])
}

/// The geocentric latitude (rad) at a geodetic latitude (rad) and a distance from the centre (km):
/// a series in the flattening whose coefficients need the altitude, hence the loop.
fn geocentric_latitude(latitude: f64, r: f64, centre: &Centre) -> f64 {
    let f = centre.flattening;
    let (sin_latitude, cos_latitude) = libm::sincos(latitude);
    let (sin_2, sin_4) = (libm::sin(2.0 * latitude), libm::sin(4.0 * latitude));
    let mut geocentric = latitude;
    for _ in 0..100 {
        if std::f64::consts::FRAC_PI_2 - geocentric.abs() < POLE {
            break;
        }
        let before = geocentric;
        let rho = r * libm::cos(before);
        let altitude = rho / cos_latitude - prime_vertical(sin_latitude, centre);
        let d = altitude / centre.radius + 1.0;
        let second = -sin_2 / (2.0 * d * d) + (1.0 / (4.0 * d * d) + 1.0 / (4.0 * d)) * sin_4;
        geocentric = latitude - sin_2 / d * f + second * f * f;
        if (geocentric - before).abs() < LATITUDE_STEP {
            break;
        }
    }
    geocentric
}

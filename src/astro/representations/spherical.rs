//! Spherical states: distance, right ascension and declination of the position; of the velocity its
//! size with either azimuth and flight path angle, or right ascension and declination.
//!
//! The azimuth is counted from north through east in the local horizon, the flight path angle from the
//! zenith (90 degrees on a circle), as GMAT does. Domain: |r| and |v| of at least 1e-10. At the poles
//! the right ascension is 0, and north and east are those of the meridian of right ascension 0.
//!
//! # References
//! GMAT Mathematical Specification, "Spherical elements". Test: `val_states_of_gmat`.

use super::RepresentationError;
use crate::astro::elements::{Cartesian, cross, dot, norm};

/// Lengths below this (km, km/s) are zero.
const LENGTH_MIN: f64 = 1e-10;

/// RMAG RA DEC VMAG AZI FPA of a state: km, km/s, degrees; RA and AZI in (-180, 180].
pub fn azfpa_from_cartesian(state: &Cartesian) -> Result<[f64; 6], RepresentationError> {
    let (r, v) = lengths(state)?;
    let (ra, dec) = direction(state.r);
    Ok([r, ra, dec, v, azimuth(state).to_degrees(), flight_path_angle(state).to_degrees()])
}

/// RMAG RA DEC VMAG RAV DECV of a state: km, km/s, degrees; RA and RAV in (-180, 180].
pub fn radec_from_cartesian(state: &Cartesian) -> Result<[f64; 6], RepresentationError> {
    let (r, v) = lengths(state)?;
    let (ra, dec) = direction(state.r);
    let (rav, decv) = direction(state.v);
    Ok([r, ra, dec, v, rav, decv])
}

/// The state of RMAG RA DEC VMAG AZI FPA: km, km/s, degrees.
pub fn azfpa_to_cartesian(numbers: &[f64; 6]) -> Cartesian {
    let [r, ra, dec, v, azi, fpa] = *numbers;
    let (sin_ra, cos_ra) = libm::sincos(ra.to_radians());
    let (sin_dec, cos_dec) = libm::sincos(dec.to_radians());
    let (sin_azi, cos_azi) = libm::sincos(azi.to_radians());
    let (sin_fpa, cos_fpa) = libm::sincos(fpa.to_radians());
    let [up, east, north] = [v * cos_fpa, v * sin_fpa * sin_azi, v * sin_fpa * cos_azi];
    let meridian = up * cos_dec - north * sin_dec;
    Cartesian {
        r: [r * cos_dec * cos_ra, r * cos_dec * sin_ra, r * sin_dec],
        v: [meridian * cos_ra - east * sin_ra, meridian * sin_ra + east * cos_ra, up * sin_dec + north * cos_dec],
    }
}

/// The state of RMAG RA DEC VMAG RAV DECV: km, km/s, degrees.
pub fn radec_to_cartesian(numbers: &[f64; 6]) -> Cartesian {
    let [r, ra, dec, v, rav, decv] = *numbers;
    Cartesian { r: vector(r, ra, dec), v: vector(v, rav, decv) }
}

/// Azimuth of the velocity, rad in (-pi, pi]: tan(azimuth) = v_east / v_north
pub fn azimuth(state: &Cartesian) -> f64 {
    let [x, y, z] = state.r;
    let [vx, vy, vz] = state.v;
    let (rho, r) = (libm::hypot(x, y), norm(state.r));
    let (cos_ra, sin_ra) = if rho > 0.0 { (x / rho, y / rho) } else { (1.0, 0.0) };
    let east = vy * cos_ra - vx * sin_ra;
    let north = vz * (rho / r) - (vx * cos_ra + vy * sin_ra) * (z / r);
    libm::atan2(east, north)
}

/// Angle between velocity and zenith, rad in [0, pi]: tan(angle) = |r x v| / (r . v)
pub fn flight_path_angle(state: &Cartesian) -> f64 {
    libm::atan2(norm(cross(state.r, state.v)), dot(state.r, state.v))
}

/// Right ascension in (-180, 180] and declination of a vector, degrees.
pub fn direction(vector: [f64; 3]) -> (f64, f64) {
    let [x, y, z] = vector;
    (libm::atan2(y, x).to_degrees(), libm::atan2(z, libm::hypot(x, y)).to_degrees())
}

fn vector(length: f64, ra: f64, dec: f64) -> [f64; 3] {
    let (sin_ra, cos_ra) = libm::sincos(ra.to_radians());
    let (sin_dec, cos_dec) = libm::sincos(dec.to_radians());
    [length * cos_dec * cos_ra, length * cos_dec * sin_ra, length * sin_dec]
}

fn lengths(state: &Cartesian) -> Result<(f64, f64), RepresentationError> {
    let (r, v) = (norm(state.r), norm(state.v));
    if !(r.is_finite() && v.is_finite()) {
        Err(RepresentationError::NotFinite)
    } else if r < LENGTH_MIN || v < LENGTH_MIN {
        Err(RepresentationError::ZeroVector)
    } else {
        Ok((r, v))
    }
}

//! Delaunay's elements: l = mean anomaly, g = argument of periapsis, h = right ascension of the node,
//! L = sqrt(mu a), G = L sqrt(1 - e^2), H = G cos i. Only ellipses.
//!
//! # References
//! GMAT Mathematical Specification, "Delaunay elements". Test: `val_states_of_gmat`.

use std::f64::consts::PI;

use super::equinoctial::eccentric_longitude;
use super::{Centre, RepresentationError, keplerian};
use crate::astro::elements::{Cartesian, mean_anomaly, turn};

/// l g h (degrees) L G H (km^2/s) of a state.
pub fn from_cartesian(state: &Cartesian, centre: &Centre) -> Result<[f64; 6], RepresentationError> {
    let k = keplerian::elements(state, centre)?;
    if k.ecc > 1.0 {
        return Err(RepresentationError::NotElliptic);
    }
    let l = (centre.mu * k.sma).sqrt();
    let g = l * (1.0 - k.ecc * k.ecc).sqrt();
    let mean = mean_anomaly(k.ta, k.ecc);
    Ok([mean.to_degrees(), k.aop.to_degrees(), k.raan.to_degrees(), l, g, g * libm::cos(k.inc)])
}

/// The state of l g h (degrees) L G H (km^2/s): a = L^2 / mu, e = sqrt(1 - G^2/L^2), cos i = H / G
pub fn to_cartesian(numbers: &[f64; 6], centre: &Centre) -> Result<Cartesian, RepresentationError> {
    let [mean, aop, raan, l, g, h] = *numbers;
    if !numbers.iter().all(|x| x.is_finite()) {
        return Err(RepresentationError::NotFinite);
    }
    if l <= 0.0 || g <= 0.0 || h.abs() > g || g > l {
        return Err(RepresentationError::DelaunayOrder);
    }
    let ecc = ((1.0 - g / l) * (1.0 + g / l)).sqrt();
    let inc = libm::acos(h / g).to_degrees();
    let ta = true_anomaly(mean.to_radians(), ecc).to_degrees();
    keplerian::to_cartesian(&[l * l / centre.mu, ecc, inc, raan, aop, ta], centre)
}

/// The true anomaly in [0, 2 pi) of a mean anomaly on an ellipse, rad.
///
/// E - e sin E = M, tan(nu/2) = sqrt((1 + e) / (1 - e)) tan(E/2)
pub fn true_anomaly(mean: f64, ecc: f64) -> f64 {
    let mean = libm::remainder(mean, 2.0 * PI);
    let (sin_half, cos_half) = libm::sincos(0.5 * eccentric_longitude(mean, 0.0, ecc));
    turn(2.0 * libm::atan2((1.0 + ecc).sqrt() * sin_half, (1.0 - ecc).sqrt() * cos_half))
}

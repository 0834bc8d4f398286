//! Classical elements in degrees, and with the radii of periapsis and apoapsis in place of a and e.
//!
//! r_p = a (1 - e), r_a = a (1 + e), negative on a hyperbola; back: e = (1 - r_p/r_a) / (1 + r_p/r_a),
//! a = r_p / (1 - e).
//!
//! # References
//! GMAT Mathematical Specification, "Modified Keplerian". Test: `val_states_of_gmat`.

use super::{Centre, RepresentationError};
use crate::astro::elements::{Cartesian, ElementsError, Keplerian, norm};

/// |1 - e| up to this is a parabola.
const PARABOLA: f64 = 1e-7;
/// Radii up to this (km) are zero.
const RADIUS_MIN: f64 = 0.001;

/// SMA ECC INC RAAN AOP TA of a state: km and degrees.
///
/// Errors where GMAT has no elements: r = 0, r x v = 0, a parabola, a periapsis within 1 m of the centre.
pub fn from_cartesian(state: &Cartesian, centre: &Centre) -> Result<[f64; 6], RepresentationError> {
    let mut k = elements(state, centre)?;
    k.ta = state.apsis(centre.mu).unwrap_or(k.ta);
    Ok([k.sma, k.ecc, k.inc.to_degrees(), k.raan.to_degrees(), k.aop.to_degrees(), k.ta.to_degrees()])
}

/// The classical elements of a state, or why it has none.
pub(crate) fn elements(state: &Cartesian, centre: &Centre) -> Result<Keplerian, RepresentationError> {
    if !super::numbers_of(state).iter().all(|x| x.is_finite()) {
        return Err(RepresentationError::NotFinite);
    }
    if norm(state.r) <= 0.0 {
        return Err(RepresentationError::ZeroVector);
    }
    if norm(state.angular_momentum()) <= 0.0 {
        return Err(RepresentationError::Rectilinear);
    }
    let k = state.to_keplerian(centre.mu);
    if !k.sma.is_finite() || (1.0 - k.ecc).abs() <= PARABOLA {
        Err(ElementsError::Parabolic.into())
    } else if (k.sma * (1.0 - k.ecc)).abs() < RADIUS_MIN {
        Err(ElementsError::Singular.into())
    } else {
        Ok(k)
    }
}

/// The state of SMA ECC INC RAAN AOP TA: km and degrees.
pub fn to_cartesian(numbers: &[f64; 6], centre: &Centre) -> Result<Cartesian, RepresentationError> {
    let [sma, ecc, inc, raan, aop, ta] = *numbers;
    let [inc, raan, aop, ta] = [inc, raan, aop, ta].map(f64::to_radians);
    Ok(Keplerian { sma, ecc, inc, raan, aop, ta }.to_cartesian(centre.mu)?)
}

/// RadPer RadApo INC RAAN AOP TA of a state: km and degrees; RadApo is negative on a hyperbola.
pub fn modified_from_cartesian(state: &Cartesian, centre: &Centre) -> Result<[f64; 6], RepresentationError> {
    let [sma, ecc, inc, raan, aop, ta] = from_cartesian(state, centre)?;
    Ok([sma * (1.0 - ecc), sma * (1.0 + ecc), inc, raan, aop, ta])
}

/// The state of RadPer RadApo INC RAAN AOP TA: km and degrees.
pub fn modified_to_cartesian(numbers: &[f64; 6], centre: &Centre) -> Result<Cartesian, RepresentationError> {
    let [periapsis, apoapsis, inc, raan, aop, ta] = *numbers;
    if !(periapsis.is_finite() && apoapsis.is_finite()) {
        return Err(RepresentationError::NotFinite);
    }
    if apoapsis.abs() < RADIUS_MIN {
        return Err(RepresentationError::ApoapsisZero);
    }
    if apoapsis > 0.0 && apoapsis < periapsis {
        return Err(RepresentationError::ApoapsisBelowPeriapsis);
    }
    if periapsis <= RADIUS_MIN {
        return Err(RepresentationError::PeriapsisNotPositive);
    }
    let ratio = periapsis / apoapsis;
    let ecc = (1.0 - ratio) / (1.0 + ratio);
    to_cartesian(&[periapsis / (1.0 - ecc), ecc, inc, raan, aop, ta], centre)
}

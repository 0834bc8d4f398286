//! Elements of a hyperbola by its incoming or outgoing asymptote: radius of periapsis, C3, right ascension
//! and declination of the asymptote, azimuth of the B vector at infinity, true anomaly.
//!
//! On an ellipse GMAT takes the direction of apoapsis in place of the asymptote. Domain: |C3| of at least
//! 1e-7, e of at least 1e-7, the asymptote not along the z axis.
//!
//! # References
//! GMAT Mathematical Specification, "Hyperbolic asymptote". Test: `val_states_of_gmat`.

use super::{Centre, RepresentationError, combine, eccentricity_vector, unit};
use crate::astro::elements::{Cartesian, ElementsError, cross, dot, norm, turn};

/// Below these C3 (km^2/s^2), e and angles (rad) the elements are not defined.
const TINY: f64 = 1e-7;

/// Which asymptote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The one the spacecraft comes along.
    Incoming,
    /// The one it leaves along.
    Outgoing,
}

/// RadPer C3Energy RHA DHA BVAZI TA of a state: km, km^2/s^2, degrees; RHA, BVAZI and TA in [0, 360).
pub fn from_cartesian(state: &Cartesian, centre: &Centre, side: Side) -> Result<[f64; 6], RepresentationError> {
    let c3 = 2.0 * state.energy(centre.mu);
    let h = state.angular_momentum();
    if !c3.is_finite() || !norm(h).is_finite() {
        return Err(RepresentationError::NotFinite);
    }
    if c3.abs() < TINY {
        return Err(RepresentationError::Parabolic);
    }
    if norm(h) <= 0.0 {
        return Err(RepresentationError::Rectilinear);
    }
    let ecc_vector = eccentricity_vector(state, centre.mu);
    let ecc = norm(ecc_vector);
    if ecc <= TINY {
        return Err(RepresentationError::Circular);
    }
    let s = asymptote(h, ecc_vector, c3, centre.mu, side);
    let (east, north) = horizon(s)?;
    let b = cross(unit(h), s);
    let bvazi = turn(libm::atan2(dot(b, east), -dot(b, north)));
    let (rha, dha) = super::spherical::direction(s);
    let ta = libm::atan2(dot(cross(ecc_vector, state.r), unit(h)), dot(ecc_vector, state.r));
    Ok([
        -centre.mu / c3 * (1.0 - ecc),
        c3,
        if rha < 0.0 { rha + 360.0 } else { rha },
        dha,
        bvazi.to_degrees(),
        turn(ta).to_degrees(),
    ])
}

/// The direction of an asymptote: s = (+- sqrt(C3) / mu h x e - e) / (1 + C3 h^2 / mu^2), + for the
/// outgoing one; on an ellipse the direction of apoapsis.
pub(crate) fn asymptote(h: [f64; 3], ecc_vector: [f64; 3], c3: f64, mu: f64, side: Side) -> [f64; 3] {
    if c3 < 0.0 {
        return unit(ecc_vector).map(|x| -x);
    }
    let scale = 1.0 / (1.0 + c3 * (norm(h) / mu) * (norm(h) / mu));
    let sign = if side == Side::Outgoing { 1.0 } else { -1.0 };
    combine(sign * scale * c3.sqrt() / mu, cross(h, ecc_vector), -scale, ecc_vector)
}

/// The state of RadPer C3Energy RHA DHA BVAZI TA: km, km^2/s^2, degrees.
pub fn to_cartesian(numbers: &[f64; 6], centre: &Centre, side: Side) -> Result<Cartesian, RepresentationError> {
    let [periapsis, c3, rha, dha, bvazi, ta] = *numbers;
    if !numbers.iter().all(|x| x.is_finite()) {
        return Err(RepresentationError::NotFinite);
    }
    if c3.abs() < TINY {
        return Err(RepresentationError::Parabolic);
    }
    if periapsis <= 0.001 {
        return Err(RepresentationError::PeriapsisNotPositive);
    }
    let ecc = 1.0 + periapsis * c3 / centre.mu;
    if ecc < TINY {
        return Err(RepresentationError::Circular);
    }
    let (sin_rha, cos_rha) = libm::sincos(rha.to_radians());
    let (sin_dha, cos_dha) = libm::sincos(dha.to_radians());
    let s = [cos_dha * cos_rha, cos_dha * sin_rha, sin_dha];
    let (east, north) = horizon(s)?;
    let (sin_b, cos_b) = libm::sincos(bvazi.to_radians());
    let normal = combine(cos_b, east, sin_b, north);
    // cos(nu) = -1 / e on the asymptotes
    let to_periapsis = if c3 < 0.0 {
        s.map(|x| -x)
    } else {
        let sin_max = (1.0 - 1.0 / (ecc * ecc)).sqrt();
        let sign = if side == Side::Outgoing { -1.0 } else { 1.0 };
        combine(sign * sin_max, cross(normal, s), -1.0 / ecc, s)
    };
    let ahead = cross(normal, to_periapsis);
    let (sin_ta, cos_ta) = libm::sincos(ta.to_radians());
    let w = 1.0 + ecc * cos_ta;
    if w <= 0.0 {
        return Err(ElementsError::BeyondAsymptote.into());
    }
    let p = periapsis * (1.0 + ecc);
    let (r, speed) = (p / w, (centre.mu / p).sqrt());
    Ok(Cartesian {
        r: combine(r * cos_ta, to_periapsis, r * sin_ta, ahead),
        v: combine(-speed * sin_ta, to_periapsis, speed * (ecc + cos_ta), ahead),
    })
}

/// East and north at a direction.
fn horizon(s: [f64; 3]) -> Result<([f64; 3], [f64; 3]), RepresentationError> {
    if libm::hypot(s[0], s[1]) < TINY {
        return Err(RepresentationError::AsymptoteAlongPole);
    }
    let east = unit([-s[1], s[0], 0.0]);
    Ok((east, cross(s, east)))
}

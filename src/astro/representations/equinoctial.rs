//! Equinoctial elements: free of the singularities at e = 0 and i = 0.
//!
//! With f, g in the orbit's plane, f counted from the x axis by way of the node:
//! h = e . g, k = e . f, p = tan(i/2) sin(raan), q = tan(i/2) cos(raan). The modified set takes the
//! semilatus rectum and the true longitude in place of a and the mean longitude, and names
//! f = e . f, g = e . g, h = q, k = p; the alternate set has sin(i/2) in place of tan(i/2).
//! Domain: i < 180 degrees; the first and the last set only e < 1.
//!
//! # References
//! GMAT Mathematical Specification, "Equinoctial elements". Broucke, Cefola, Celestial Mechanics 5 (1972).
//! Walker, Ireland, Owens, Celestial Mechanics 36 (1985). Test: `val_states_of_gmat`.

use super::{Centre, RepresentationError, combine, eccentricity_vector, unit};
use crate::astro::elements::{Cartesian, ElementsError, cross, dot, norm, turn};

/// 1 - e up to this is no ellipse.
const PARABOLA: f64 = 1e-7;
/// The largest e that can be given.
const ECC_MAX: f64 = 0.999_99;
/// A periapsis below this (km) is a line through the centre.
const PERIAPSIS_MIN: f64 = 0.001;
/// 1 + cos i below this is i = 180 degrees for the modified set.
const RETROGRADE: f64 = 1e-7;

/// SMA EquinoctialH EquinoctialK EquinoctialP EquinoctialQ MLONG of a state: km and degrees.
///
/// Kepler's equation for the eccentric longitude F: MLONG = F + h cos F - k sin F, F in [0, 2 pi).
pub fn from_cartesian(state: &Cartesian, centre: &Centre) -> Result<[f64; 6], RepresentationError> {
    let plane = Plane::of(state)?;
    let ecc_vector = eccentricity_vector(state, centre.mu);
    let ecc = norm(ecc_vector);
    if ecc.is_nan() || ecc > 1.0 - PARABOLA {
        return Err(RepresentationError::NotElliptic);
    }
    let sma = state.sma(centre.mu);
    if (sma * (1.0 - ecc)).abs() < PERIAPSIS_MIN {
        return Err(ElementsError::Singular.into());
    }
    if plane.normal[2] <= -1.0 {
        return Err(RepresentationError::RetrogradeEquatorial);
    }
    let (h, k) = (dot(ecc_vector, plane.g), dot(ecc_vector, plane.f));
    let (x, y) = (dot(state.r, plane.f), dot(state.r, plane.g));
    let root = (1.0 - h * h - k * k).sqrt();
    let beta = 1.0 / (1.0 + root);
    let cos_f = k + ((1.0 - k * k * beta) * x - h * k * beta * y) / (sma * root);
    let sin_f = h + ((1.0 - h * h * beta) * y - h * k * beta * x) / (sma * root);
    let mlong = turn(libm::atan2(sin_f, cos_f)) + h * cos_f - k * sin_f;
    Ok([sma, h, k, plane.p, plane.q, mlong.to_degrees()])
}

/// The state of SMA EquinoctialH EquinoctialK EquinoctialP EquinoctialQ MLONG: km and degrees.
pub fn to_cartesian(numbers: &[f64; 6], centre: &Centre) -> Result<Cartesian, RepresentationError> {
    let [sma, h, k, p, q, mlong] = *numbers;
    if !numbers.iter().all(|x| x.is_finite()) {
        return Err(RepresentationError::NotFinite);
    }
    if libm::hypot(h, k) > ECC_MAX {
        return Err(RepresentationError::EquinoctialEccentricity);
    }
    if sma <= 0.0 {
        return Err(RepresentationError::NotElliptic);
    }
    let (sin_f, cos_f) = libm::sincos(eccentric_longitude(mlong.to_radians(), h, k));
    let beta = 1.0 / (1.0 + (1.0 - h * h - k * k).sqrt());
    let r = sma * (1.0 - k * cos_f - h * sin_f);
    let speed = (centre.mu * sma).sqrt() / r; // n a^2 / r
    let x = sma * ((1.0 - h * h * beta) * cos_f + h * k * beta * sin_f - k);
    let y = sma * ((1.0 - k * k * beta) * sin_f + h * k * beta * cos_f - h);
    let x_dot = speed * (h * k * beta * cos_f - (1.0 - h * h * beta) * sin_f);
    let y_dot = speed * ((1.0 - k * k * beta) * cos_f - h * k * beta * sin_f);
    let (f, g) = axes(p, q);
    Ok(Cartesian { r: combine(x, f, y, g), v: combine(x_dot, f, y_dot, g) })
}

/// SemilatusRectum ModEquinoctialF G H K TLONG of a state: km and degrees, TLONG in [0, 360).
pub fn modified_from_cartesian(state: &Cartesian, centre: &Centre) -> Result<[f64; 6], RepresentationError> {
    let plane = Plane::of(state)?;
    if 1.0 + plane.normal[2] < RETROGRADE {
        return Err(RepresentationError::RetrogradeEquatorial);
    }
    let ecc_vector = eccentricity_vector(state, centre.mu);
    let along = unit(state.r);
    let across = cross(plane.normal, along);
    let tlong = turn(libm::atan2(along[1] - across[0], along[0] + across[1]));
    Ok([
        plane.momentum * plane.momentum / centre.mu,
        dot(ecc_vector, plane.f),
        dot(ecc_vector, plane.g),
        plane.q,
        plane.p,
        tlong.to_degrees(),
    ])
}

/// The state of SemilatusRectum ModEquinoctialF G H K TLONG: km and degrees.
///
/// r = p / (1 + f cos L + g sin L); a hyperbola beyond its asymptotes is an error (GMAT returns a state
/// of negative r there).
pub fn modified_to_cartesian(numbers: &[f64; 6], centre: &Centre) -> Result<Cartesian, RepresentationError> {
    let [p, ecc_f, ecc_g, h, k, tlong] = *numbers;
    if !numbers.iter().all(|x| x.is_finite()) {
        return Err(RepresentationError::NotFinite);
    }
    if p <= 0.0 {
        return Err(ElementsError::Singular.into());
    }
    let (sin_l, cos_l) = libm::sincos(tlong.to_radians());
    let w = 1.0 + ecc_f * cos_l + ecc_g * sin_l;
    if w <= 0.0 {
        return Err(ElementsError::BeyondAsymptote.into());
    }
    let r = p / w;
    let speed = (centre.mu / p).sqrt();
    let (f, g) = axes(k, h);
    Ok(Cartesian {
        r: combine(r * cos_l, f, r * sin_l, g),
        v: combine(-speed * (ecc_g + sin_l), f, speed * (ecc_f + cos_l), g),
    })
}

/// SMA EquinoctialH EquinoctialK AltEquinoctialP AltEquinoctialQ MLONG of a state: km and degrees.
///
/// sin(i/2) = tan(i/2) / sqrt(1 + tan^2(i/2))
pub fn alternate_from_cartesian(state: &Cartesian, centre: &Centre) -> Result<[f64; 6], RepresentationError> {
    let [sma, h, k, p, q, mlong] = from_cartesian(state, centre)?;
    let cos_half = 1.0 / (1.0 + p * p + q * q).sqrt();
    Ok([sma, h, k, p * cos_half, q * cos_half, mlong])
}

/// The state of SMA EquinoctialH EquinoctialK AltEquinoctialP AltEquinoctialQ MLONG: km and degrees.
pub fn alternate_to_cartesian(numbers: &[f64; 6], centre: &Centre) -> Result<Cartesian, RepresentationError> {
    let [sma, h, k, p, q, mlong] = *numbers;
    let sin_half_squared = p * p + q * q;
    if sin_half_squared >= 1.0 {
        return Err(RepresentationError::RetrogradeEquatorial);
    }
    let cos_half = (1.0 - sin_half_squared).sqrt();
    to_cartesian(&[sma, h, k, p / cos_half, q / cos_half, mlong], centre)
}

/// The orbit's plane with the equinoctial axes in it.
struct Plane {
    momentum: f64,
    normal: [f64; 3],
    f: [f64; 3],
    g: [f64; 3],
    p: f64,
    q: f64,
}

impl Plane {
    /// f = (1 - n_x^2 / c, -n_x n_y / c, -n_x), p = n_x / c, q = -n_y / c, with c = 1 + n_z
    fn of(state: &Cartesian) -> Result<Plane, RepresentationError> {
        let h = state.angular_momentum();
        let momentum = norm(h);
        if !momentum.is_finite() {
            return Err(RepresentationError::NotFinite);
        }
        if momentum <= 0.0 {
            return Err(RepresentationError::Rectilinear);
        }
        let normal = h.map(|x| x / momentum);
        let [x, y, z] = normal;
        let c = 1.0 + z;
        let f = unit([1.0 - x * x / c, -x * y / c, -x]);
        Ok(Plane { momentum, normal, f, g: unit(cross(normal, f)), p: x / c, q: -y / c })
    }
}

/// The axes f and g of p = tan(i/2) sin(raan) and q = tan(i/2) cos(raan).
fn axes(p: f64, q: f64) -> ([f64; 3], [f64; 3]) {
    let s = 1.0 / (1.0 + p * p + q * q);
    let f = [(1.0 - p * p + q * q) * s, 2.0 * p * q * s, -2.0 * p * s];
    let g = [2.0 * p * q * s, (1.0 + p * p - q * q) * s, 2.0 * q * s];
    (f, g)
}

/// F of F + h cos F - k sin F = mean longitude (rad), for h^2 + k^2 < 1: Newton's method, kept inside the
/// bracket that the law |F - mean| <= e gives.
pub(crate) fn eccentric_longitude(mean: f64, h: f64, k: f64) -> f64 {
    let ecc = libm::hypot(h, k);
    let (mut low, mut high) = (mean - ecc, mean + ecc);
    let mut f = mean;
    for _ in 0..100 {
        let (sin_f, cos_f) = libm::sincos(f);
        let rest = f + h * cos_f - k * sin_f - mean;
        if rest > 0.0 {
            high = f;
        } else {
            low = f;
        }
        let newton = f - rest / (1.0 - h * sin_f - k * cos_f);
        let next = if (low..=high).contains(&newton) { newton } else { 0.5 * (low + high) };
        let done = (next - f).abs() < 1e-10 && next.to_bits() == newton.to_bits();
        f = next;
        if done {
            break;
        }
    }
    f
}

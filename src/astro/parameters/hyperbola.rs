//! The B plane and the outgoing asymptote of a hyperbola; NaN on an ellipse, as GMAT reports.
//!
//! S is the direction of the incoming asymptote, T = S x k / |S x k| with k the z axis of the coordinate
//! system, R = S x T, and B points from the centre to the incoming asymptote, at right angles to it.
//!
//! # References
//! GMAT Mathematical Specification, "B-plane parameters". Kizner, JPL External Publication 674 (1959).
//! Test: `val_shapes_of_gmat`.

use super::{Parameter, View};
use crate::astro::elements::{cross, dot, norm};
use crate::astro::representations::asymptotes::{Side, asymptote};
use crate::astro::representations::{combine, eccentricity_vector, unit};

/// e up to 1 + this has no asymptote of its own for DLA and RLA.
const PARABOLA: f64 = 1e-7;

const fn axes(name: &'static str, units: &'static str, long_name: &'static str, value: fn(&View) -> f64) -> Parameter {
    Parameter::of_axes(name, units, long_name, value)
}

pub(super) const PARAMETERS: &[Parameter] = &[
    axes("BdotT", "km", "B vector, along T", |s| b_plane(s).0),
    axes("BdotR", "km", "B vector, along R", |s| b_plane(s).1),
    axes("BVectorMag", "km", "B vector, length", |s| {
        let (t, r) = b_plane(s);
        (t * t + r * r).sqrt()
    }),
    axes("BVectorAngle", "degree", "B vector, angle from T to R", |s| {
        let (t, r) = b_plane(s);
        libm::atan2(r, t).to_degrees()
    }),
    axes("DLA", "degree", "declination of the outgoing asymptote", |s| {
        let [x, y, z] = outgoing(s);
        libm::atan2(z, libm::hypot(x, y)).to_degrees()
    }),
    axes("RLA", "degree", "right ascension of the outgoing asymptote", |s| {
        let [x, y, _] = outgoing(s);
        libm::atan2(y, x).to_degrees()
    }),
];

/// (B . T, B . R), km.
///
/// With e and n = h x e (unit vectors), b = h^2 / (mu sqrt(e^2 - 1)):
/// S = e / |e| + sqrt(1 - 1/|e|^2) n, B = b (sqrt(1 - 1/|e|^2) e - n / |e|)
fn b_plane(s: &View) -> (f64, f64) {
    let ecc_vector = eccentricity_vector(&s.state, s.centre.mu);
    let ecc = norm(ecc_vector);
    if ecc.is_nan() || ecc <= 1.0 {
        return (f64::NAN, f64::NAN);
    }
    let h = s.state.angular_momentum();
    let along = unit(ecc_vector);
    let ahead = cross(unit(h), along);
    let b = norm(h) * norm(h) / (s.centre.mu * (ecc * ecc - 1.0).sqrt());
    let sine = (1.0 - 1.0 / ecc * (1.0 / ecc)).sqrt();
    let asymptote = combine(1.0 / ecc, along, sine, ahead);
    let b_vector = combine(b * sine, along, -b / ecc, ahead);
    let t = unit([asymptote[1], -asymptote[0], 0.0]);
    let r = cross(asymptote, t);
    (dot(b_vector, t), dot(b_vector, r))
}

fn outgoing(s: &View) -> [f64; 3] {
    let ecc_vector = eccentricity_vector(&s.state, s.centre.mu);
    let c3 = 2.0 * s.state.energy(s.centre.mu);
    if norm(ecc_vector) < 1.0 + PARABOLA || c3 <= 0.0 {
        return [f64::NAN; 3];
    }
    asymptote(s.state.angular_momentum(), ecc_vector, c3, s.centre.mu, Side::Outgoing)
}

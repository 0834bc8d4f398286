//! Classical elements and what follows from a and e.
//!
//! The angles follow GMAT's parameters, which differ from its conversions (elements.rs) in degenerate
//! cases: an orbit is equatorial where h_z / |h| rounds to 1 or -1 (i below about 1e-8 rad); then INC is 0 or
//! 180 and RAAN is 0, and AOP (of an ellipse) or TA (of a circle, e < 1e-11) is counted from the x axis
//! eastward, also on a retrograde orbit. Where the cosine of TA rounds to 1 or -1 (within about 1e-8 rad of an
//! apsis), TA is 0 or 180, so that a script's decisions there are GMAT's. Anomalies on a hyperbola are negative before periapsis, but TA is
//! in [0, 360).
//!
//! # References
//! GMAT Mathematical Specification, "Keplerian parameters". Vallado, algorithm 9.

use std::f64::consts::{PI, TAU};

use super::Cycle::{HalfTurn, Turn};
use super::{Parameter, View};
use crate::astro::elements::{Keplerian, cross, dot, eccentric_anomaly, hyperbolic_anomaly, mean_anomaly, norm, turn};
use crate::astro::representations::eccentricity_vector;

/// e below this is a circle.
const CIRCLE: f64 = 1e-11;
/// 1 - e up to this is a parabola.
const PARABOLA: f64 = 1e-7;

const fn body(name: &'static str, units: &'static str, long_name: &'static str, value: fn(&View) -> f64) -> Parameter {
    Parameter::of_body(name, units, long_name, value)
}

pub(super) const PARAMETERS: &[Parameter] = &[
    body("SMA", "km", "semi-major axis", |s| s.state.sma(s.centre.mu)),
    body("ECC", "1", "eccentricity", |s| s.state.ecc(s.centre.mu)),
    Parameter::of_axes("INC", "degree", "inclination", |s| classical(s).inc.to_degrees()).cycle(HalfTurn),
    Parameter::of_axes("RAAN", "degree", "right ascension of the ascending node", |s| classical(s).raan.to_degrees())
        .cycle(Turn),
    Parameter::of_axes("RADN", "degree", "right ascension of the descending node", |s| {
        let node = classical(s).raan.to_degrees() + 180.0;
        if node > 360.0 { node - 360.0 } else { node }
    }),
    Parameter::of_axes("AOP", "degree", "argument of periapsis", |s| classical(s).aop.to_degrees()).cycle(Turn),
    body("TA", "degree", "true anomaly", |s| classical(s).ta.to_degrees()).cycle(Turn),
    body("MA", "degree", "mean anomaly", |s| {
        let k = classical(s);
        mean_anomaly(k.ta, k.ecc).to_degrees()
    })
    .cycle(Turn),
    body("EA", "degree", "eccentric anomaly, 0 on a hyperbola", |s| {
        let k = classical(s);
        if k.ecc < 1.0 { eccentric_anomaly(k.ta, k.ecc).to_degrees() } else { 0.0 }
    })
    .cycle(Turn),
    body("HA", "degree", "hyperbolic anomaly, 0 on an ellipse", |s| {
        let k = classical(s);
        if k.ecc > 1.0 { hyperbolic_anomaly(k.ta, k.ecc).to_degrees() } else { 0.0 }
    })
    .cycle(Turn),
    body("MM", "rad/s", "mean motion", |s| (s.centre.mu / cube(s.state.sma(s.centre.mu).abs())).sqrt()),
    body("OrbitPeriod", "s", "period, 0 on a hyperbola", |s| {
        let sma = s.state.sma(s.centre.mu);
        if sma > 0.0 { TAU * (cube(sma) / s.centre.mu).sqrt() } else { 0.0 }
    }),
    body("RadApo", "km", "radius of apoapsis, a (1 + e): negative on a hyperbola", |s| {
        let (sma, ecc) = shape(s);
        if parabolic(ecc) { 0.0 } else { sma * (1.0 + ecc) }
    }),
    body("RadPer", "km", "radius of periapsis, a (1 - e)", |s| {
        let (sma, ecc) = shape(s);
        sma * (1.0 - ecc)
    }),
    body("VelApoapsis", "km/s", "speed at apoapsis, sqrt(mu / a (1 - e) / (1 + e))", |s| {
        let (sma, ecc) = shape(s);
        if parabolic(ecc) { 0.0 } else { (s.centre.mu / sma * ((1.0 - ecc) / (1.0 + ecc))).sqrt() }
    }),
    body("VelPeriapsis", "km/s", "speed at periapsis, sqrt(mu / a (1 + e) / (1 - e))", |s| {
        let (sma, ecc) = shape(s);
        (s.centre.mu / sma * ((1.0 + ecc) / (1.0 - ecc))).sqrt()
    }),
    body("C3Energy", "km^2/s^2", "twice the specific energy", |s| 2.0 * s.state.energy(s.centre.mu)),
    body("Energy", "km^2/s^2", "specific energy", |s| s.state.energy(s.centre.mu)),
    body("SemilatusRectum", "km", "semilatus rectum", |s| s.momentum() * (s.momentum() / s.centre.mu)),
];

fn shape(s: &View) -> (f64, f64) {
    (s.state.sma(s.centre.mu), s.state.ecc(s.centre.mu))
}

fn parabolic(ecc: f64) -> bool {
    (1.0 - ecc).abs() <= PARABOLA
}

fn cube(x: f64) -> f64 {
    x * x * x
}

/// The classical elements by the rules of GMAT's parameters, rad.
fn classical(s: &View) -> Keplerian {
    let (r, h) = (s.state.r, s.state.angular_momentum());
    let ecc_vector = eccentricity_vector(&s.state, s.centre.mu);
    let ecc = norm(ecc_vector);
    let cos_inc = h[2] / norm(h);
    let equatorial = cos_inc.abs() >= 1.0;
    let circular = ecc < CIRCLE;
    let (inc, raan) = if equatorial {
        (if cos_inc > 0.0 { 0.0 } else { PI }, 0.0)
    } else {
        (libm::atan2(libm::hypot(h[0], h[1]), h[2]), turn(libm::atan2(h[0], -h[1])))
    };
    let node = [-h[1], h[0], 0.0];
    let aop = match (circular, equatorial) {
        (true, _) => 0.0,
        (false, true) => turn(libm::atan2(ecc_vector[1], ecc_vector[0])),
        (false, false) => turn(angle(node, ecc_vector, h)),
    };
    let ta = match (circular, equatorial) {
        (true, true) => turn(libm::atan2(r[1], r[0])),
        (true, false) => turn(angle(node, r, h)),
        (false, _) => {
            let cos_ta = dot(ecc_vector, r) / (ecc * norm(r));
            if cos_ta >= 1.0 {
                0.0
            } else if cos_ta <= -1.0 {
                PI
            } else {
                turn(angle(ecc_vector, r, h))
            }
        }
    };
    Keplerian { sma: s.state.sma(s.centre.mu), ecc, inc, raan, aop, ta }
}

/// The angle from `a` to `b`, counted around `axis`, in (-pi, pi].
fn angle(a: [f64; 3], b: [f64; 3], axis: [f64; 3]) -> f64 {
    libm::atan2(dot(cross(a, b), axis) / norm(axis), dot(a, b))
}

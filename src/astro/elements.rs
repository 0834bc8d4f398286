//! Keplerian elements and Cartesian states of two-body orbits: km, km/s, rad.
//!
//! Ellipses and hyperbolas; not parabolas (|1 - e| < 1e-7), as GMAT. Circular (e < 1e-11) and
//! equatorial (i within 1e-11 of 0 or pi) orbits have their undefined angles set to zero and the others
//! counted from the node or from the x axis, as GMAT does.
//!
//! # References
//! Vallado, *Fundamentals of Astrodynamics and Applications*, 4th ed., algorithms 9 and 10.
//! Tests: `val_orbits_of_gmat` in parameters.rs, `prop_round_trip` here.

use std::f64::consts::{PI, TAU};

/// e below this is a circle, i below this is equatorial.
const TINY: f64 = 1e-11;
/// |1 - e| below this is a parabola.
const PARABOLA: f64 = 1e-7;
/// A periapsis below this (km) is a line through the centre.
const PERIAPSIS_MIN: f64 = 0.001;

/// Classical elements: km and rad; `sma` is negative on a hyperbola.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Keplerian {
    /// Semi-major axis.
    pub sma: f64,
    /// Eccentricity.
    pub ecc: f64,
    /// Inclination.
    pub inc: f64,
    /// Right ascension of the ascending node.
    pub raan: f64,
    /// Argument of periapsis.
    pub aop: f64,
    /// True anomaly.
    pub ta: f64,
}

/// Position (km) and velocity (km/s).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cartesian {
    /// Position.
    pub r: [f64; 3],
    /// Velocity.
    pub v: [f64; 3],
}

/// Why elements are no orbit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ElementsError {
    /// NaN or infinite.
    #[error("an element is not a finite number")]
    NotFinite,
    /// a = 0.
    #[error("the semi-major axis is zero")]
    SmaZero,
    /// e < 0.
    #[error("the eccentricity is negative")]
    EccNegative,
    /// |1 - e| < 1e-7.
    #[error("the eccentricity is 1: parabolic orbits are not supported")]
    Parabolic,
    /// a > 0 with e > 1, or a < 0 with e < 1.
    #[error("the semi-major axis and the eccentricity contradict: SMA > 0 needs ECC < 1, SMA < 0 needs ECC > 1")]
    ConicContradiction,
    /// |a (1 - e)| < 1 m.
    #[error("the periapsis is less than 1 m from the centre")]
    Singular,
    /// The true anomaly lies beyond the asymptotes.
    #[error("the true anomaly is not on the hyperbola")]
    BeyondAsymptote,
    /// i < 0 or i > 180 degrees.
    #[error("the inclination is not between 0 and 180 degrees")]
    IncOutOfRange,
}

impl Keplerian {
    /// Whether these elements are an orbit.
    pub fn check(&self) -> Result<(), ElementsError> {
        let Keplerian { sma, ecc, inc, raan, aop, ta } = *self;
        if ![sma, ecc, inc, raan, aop, ta].iter().all(|x| x.is_finite()) {
            Err(ElementsError::NotFinite)
        } else if sma.abs() < PERIAPSIS_MIN {
            Err(ElementsError::SmaZero)
        } else if ecc < 0.0 {
            Err(ElementsError::EccNegative)
        } else if (1.0 - ecc).abs() < PARABOLA {
            Err(ElementsError::Parabolic)
        } else if (sma > 0.0) != (ecc < 1.0) {
            Err(ElementsError::ConicContradiction)
        } else if (sma * (1.0 - ecc)).abs() < PERIAPSIS_MIN {
            Err(ElementsError::Singular)
        } else if !(0.0..=PI).contains(&inc) {
            Err(ElementsError::IncOutOfRange)
        } else if 1.0 + ecc * libm::cos(ta) <= 0.0 {
            Err(ElementsError::BeyondAsymptote)
        } else {
            Ok(())
        }
    }

    /// Position and velocity about a centre of gravitational parameter `mu` (km^3/s^2).
    ///
    /// p = a (1 - e^2), r = p / (1 + e cos nu)
    pub fn to_cartesian(&self, mu: f64) -> Result<Cartesian, ElementsError> {
        self.check()?;
        let Keplerian { sma, ecc, inc, raan, aop, ta } = *self;
        let p = sma * (1.0 - ecc * ecc);
        let cos_ta = libm::cos(ta);
        let (sin_u, cos_u) = libm::sincos(aop + ta);
        let (sin_inc, cos_inc) = libm::sincos(inc);
        let (sin_raan, cos_raan) = libm::sincos(raan);
        let (sin_aop, cos_aop) = libm::sincos(aop);
        let r = p / (1.0 + ecc * cos_ta);
        let speed = (mu / p).sqrt();
        let radial = -(sin_u + ecc * sin_aop); // along the node
        let transverse = cos_u + ecc * cos_aop; // a quarter turn ahead of it
        Ok(Cartesian {
            r: [
                r * (cos_u * cos_raan - sin_u * cos_inc * sin_raan),
                r * (cos_u * sin_raan + sin_u * cos_inc * cos_raan),
                r * (sin_u * sin_inc),
            ],
            v: [
                speed * (radial * cos_raan - transverse * cos_inc * sin_raan),
                speed * (radial * sin_raan + transverse * cos_inc * cos_raan),
                speed * (transverse * sin_inc),
            ],
        })
    }
}

impl Cartesian {
    /// The classical elements about a centre of gravitational parameter `mu` (km^3/s^2); angles in
    /// [0, 2 pi). NaN where the state is no orbit (r = 0, or a straight line).
    ///
    /// h = r x v, e = ((v^2 - mu/r) r - (r.v) v) / mu, a = -mu / (2 E)
    pub fn to_keplerian(&self, mu: f64) -> Keplerian {
        let (r, v) = (self.r, self.v);
        let h = cross(r, v);
        let ecc_vector = self.eccentricity_vector(mu);
        let ecc = norm(ecc_vector);
        let inc = libm::atan2(libm::hypot(h[0], h[1]), h[2]);
        let equatorial = !(TINY..=PI - TINY).contains(&inc);
        let raan = if equatorial { 0.0 } else { turn(libm::atan2(h[0], -h[1])) };
        let (sin_raan, cos_raan) = libm::sincos(raan);
        let node = [cos_raan, sin_raan, 0.0];
        let circular = ecc < TINY;
        let periapsis = if circular { node } else { ecc_vector };
        let aop = if circular { 0.0 } else { turn(angle(node, periapsis, h)) };
        Keplerian { sma: self.sma(mu), ecc, inc, raan, aop, ta: turn(angle(periapsis, r, h)) }
    }

    /// 0 or pi where the cosine of the true anomaly rounds to 1 or -1, within about 1e-8 rad of an apsis: there GMAT's
    /// acos knows no other angle, and a script's elements are kept by it.
    pub fn apsis(&self, mu: f64) -> Option<f64> {
        let ecc_vector = self.eccentricity_vector(mu);
        let ecc = norm(ecc_vector);
        let cosine = dot(ecc_vector, self.r) / (ecc * norm(self.r));
        match cosine {
            cosine if ecc < TINY || cosine.abs() < 1.0 => None,
            cosine => Some(if cosine > 0.0 { 0.0 } else { PI }),
        }
    }

    /// Semi-major axis, km.
    pub fn sma(&self, mu: f64) -> f64 {
        -mu / (2.0 * self.energy(mu))
    }

    /// Specific energy, km^2/s^2.
    pub fn energy(&self, mu: f64) -> f64 {
        0.5 * dot(self.v, self.v) - mu / norm(self.r)
    }

    /// Eccentricity.
    pub fn ecc(&self, mu: f64) -> f64 {
        norm(self.eccentricity_vector(mu))
    }

    fn eccentricity_vector(&self, mu: f64) -> [f64; 3] {
        let (r, v) = (self.r, self.v);
        let along_r = dot(v, v) - mu / norm(r);
        let along_v = dot(r, v);
        std::array::from_fn(|i| (along_r * r[i] - along_v * v[i]) / mu)
    }

    /// Specific angular momentum, km^2/s.
    pub fn angular_momentum(&self) -> [f64; 3] {
        cross(self.r, self.v)
    }
}

/// The angle from `a` to `b`, counted around `axis`, in (-pi, pi].
fn angle(a: [f64; 3], b: [f64; 3], axis: [f64; 3]) -> f64 {
    libm::atan2(dot(cross(a, b), axis) / norm(axis), dot(a, b))
}

/// An angle in [0, 2 pi).
pub fn turn(angle: f64) -> f64 {
    let positive = if angle < 0.0 { angle + TAU } else { angle };
    if positive >= TAU { positive - TAU } else { positive }
}

/// Scalar product.
pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Vector product.
pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Length.
pub fn norm(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

/// Eccentric anomaly (ellipse) of a true anomaly, rad.
pub fn eccentric_anomaly(ta: f64, ecc: f64) -> f64 {
    let (sin_ta, cos_ta) = libm::sincos(ta);
    turn(libm::atan2((1.0 - ecc * ecc).sqrt() * sin_ta, ecc + cos_ta))
}

/// Hyperbolic anomaly of a true anomaly, rad.
pub fn hyperbolic_anomaly(ta: f64, ecc: f64) -> f64 {
    let (sin_ta, cos_ta) = libm::sincos(ta);
    libm::asinh((ecc * ecc - 1.0).sqrt() * sin_ta / (1.0 + ecc * cos_ta))
}

/// Mean anomaly of a true anomaly, rad; Kepler's equation, for a hyperbola e sinh H - H.
pub fn mean_anomaly(ta: f64, ecc: f64) -> f64 {
    if ecc < 1.0 {
        let e = eccentric_anomaly(ta, ecc);
        turn(e - ecc * libm::sin(e))
    } else {
        let h = hyperbolic_anomaly(ta, ecc);
        ecc * libm::sinh(h) - h
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::astro::constants::EARTH_MU;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn prop_round_trip(sma in 6600.0..50_000.0_f64, ecc in 0.0..0.9_f64, inc in 0.0..PI, raan in 0.0..TAU, aop in 0.0..TAU,
                           ta in 0.0..TAU, hyperbola in any::<bool>()) {
            let (sma, ecc) = if hyperbola { (-sma, ecc + 1.05) } else { (sma, ecc) };
            let elements = Keplerian { sma, ecc, inc, raan, aop, ta };
            prop_assume!(elements.check().is_ok() && 1.0 + ecc * ta.cos() > 0.05);
            let state = elements.to_cartesian(EARTH_MU).unwrap();
            let again = state.to_keplerian(EARTH_MU).to_cartesian(EARTH_MU).unwrap();
            for i in 0..3 {
                // conditioning: an element's last bit moves the state by about r / 2^52 / (1 - e)
                prop_assert!((again.r[i] - state.r[i]).abs() < 1e-8 * (norm(state.r) / 1e4), "{:?} {:?}", again, state);
                prop_assert!((again.v[i] - state.v[i]).abs() < 1e-11, "{:?} {:?}", again, state);
            }
        }

        #[test]
        fn prop_never_nan_near_circles_and_equators(ecc in prop::sample::select(vec![0.0, 1e-16, 1e-12, 1e-11, 1e-9]),
                                                    inc in prop::sample::select(vec![0.0, 1e-16, 1e-11, PI, PI - 1e-12]),
                                                    ta in 0.0..TAU) {
            let state = Keplerian { sma: 7000.0, ecc, inc, raan: 0.0, aop: 0.0, ta }.to_cartesian(EARTH_MU).unwrap();
            let k = state.to_keplerian(EARTH_MU);
            prop_assert!([k.sma, k.ecc, k.inc, k.raan, k.aop, k.ta].iter().all(|x| x.is_finite()), "{:?}", k);
            let again = k.to_cartesian(EARTH_MU).unwrap();
            for i in 0..3 {
                // angles below the thresholds are dropped: 1e-11 rad is 7e-8 km
                prop_assert!((again.r[i] - state.r[i]).abs() < 3e-7, "{:?} {:?}", again, state);
            }
        }
    }

    #[test]
    fn every_contradiction_is_named() {
        let orbit = Keplerian { sma: 7000.0, ecc: 0.1, inc: 0.5, raan: 1.0, aop: 2.0, ta: 3.0 };
        for (elements, error) in [
            (Keplerian { sma: 0.0, ..orbit }, ElementsError::SmaZero),
            (Keplerian { sma: f64::NAN, ..orbit }, ElementsError::NotFinite),
            (Keplerian { ecc: -0.1, ..orbit }, ElementsError::EccNegative),
            (Keplerian { ecc: 1.0, ..orbit }, ElementsError::Parabolic),
            (Keplerian { ecc: 1.5, ..orbit }, ElementsError::ConicContradiction),
            (Keplerian { sma: -7000.0, ..orbit }, ElementsError::ConicContradiction),
            (Keplerian { sma: 0.005, ecc: 0.9, ..orbit }, ElementsError::Singular),
            (Keplerian { sma: -7000.0, ecc: 1.5, ta: PI, ..orbit }, ElementsError::BeyondAsymptote),
            (Keplerian { inc: -0.1, ..orbit }, ElementsError::IncOutOfRange),
            (Keplerian { inc: 3.2, ..orbit }, ElementsError::IncOutOfRange),
        ] {
            assert_eq!(elements.to_cartesian(EARTH_MU), Err(error), "{elements:?}");
        }
    }
}

//! Nutation: the IAU 1980 series of 106 terms, without planetary terms or corrections, as GMAT uses it.
//!
//! Domain: a few centuries about J2000. Argument: Julian centuries of TT, which GMAT takes for TDB. In a force
//! GMAT keeps the last nutation until `NutationUpdateInterval` (60 s) has passed, which is up to 4e-10 rad and makes
//! 5e-9 km in a day of a low orbit; its reports have that of the epoch. Here it is always that of the epoch, since
//! a result may not depend on what was asked before.
//!
//! # References
//! Seidelmann, *Celest. Mech.* 27 (1982). Vallado, 2nd ed., eq. 3-54, 3-60 to 3-64; the arguments are those of the
//! *Supplement to the Astronomical Almanac*. Test: `val_axes_of_gmat` in tests.rs, `val_published_nutation`.

use std::f64::consts::TAU;

use super::ARC_SECOND;
use super::precession::mean_obliquity;
use super::rotation::{Matrix, about_x, about_z, product};

/// The series as `scripts/make-eop` wrote it.
const TABLE: &str = include_str!("../../../data/earth/nutation_1980.txt");

/// One term: multiples of the five arguments; 1e-5 arc seconds, and 1e-5 arc seconds a century.
#[derive(Clone, Copy, Debug)]
struct Term {
    multiples: [f64; 5],
    longitude: f64,
    longitude_rate: f64,
    obliquity: f64,
    obliquity_rate: f64,
}

/// The series of nutation.
#[derive(Clone, Debug)]
pub struct NutationSeries {
    terms: Vec<Term>,
}

/// The nutation of an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nutation {
    /// Nutation in longitude, rad.
    pub longitude: f64,
    /// Nutation in obliquity, rad.
    pub obliquity: f64,
    /// Mean obliquity of date, rad.
    pub mean_obliquity: f64,
    /// Longitude of the Moon's ascending node, rad.
    pub node: f64,
}

impl Default for NutationSeries {
    fn default() -> Self {
        let terms = TABLE.lines().filter(|line| !line.starts_with('#')).map(|line| {
            let mut fields = line.split_whitespace().map(|field| field.parse().unwrap_or(f64::NAN));
            let mut next = || fields.next().unwrap_or(f64::NAN);
            Term {
                multiples: std::array::from_fn(|_| next()),
                longitude: next(),
                longitude_rate: next(),
                obliquity: next(),
                obliquity_rate: next(),
            }
        });
        // GMAT adds the small terms, which stand last, first
        NutationSeries { terms: terms.rev().collect() }
    }
}

impl NutationSeries {
    /// The nutation at `t` Julian centuries from J2000.
    ///
    /// dpsi = sum (A + A' t) sin(n . F), deps = sum (B + B' t) cos(n . F)
    pub fn at(&self, t: f64) -> Nutation {
        let arguments = arguments(t);
        let (mut longitude, mut obliquity) = (0.0, 0.0);
        for term in &self.terms {
            let angle = term.multiples.iter().zip(&arguments).map(|(n, argument)| n * argument).sum();
            let (sin, cos) = libm::sincos(angle);
            longitude += (term.longitude + term.longitude_rate * t) * sin;
            obliquity += (term.obliquity + term.obliquity_rate * t) * cos;
        }
        Nutation {
            longitude: longitude * 1e-5 * ARC_SECOND,
            obliquity: obliquity * 1e-5 * ARC_SECOND,
            mean_obliquity: mean_obliquity(t),
            node: arguments[4],
        }
    }
}

impl Nutation {
    /// From the mean equator and equinox of date to the true ones.
    ///
    /// N = R1(-(eps + deps)) R3(-dpsi) R1(eps)
    pub fn matrix(&self) -> Matrix {
        let true_obliquity = self.mean_obliquity + self.obliquity;
        product(&about_x(-true_obliquity), &product(&about_z(-self.longitude), &about_x(self.mean_obliquity)))
    }

    /// Equation of the equinoxes, rad: dpsi cos eps, and since 1997 two terms of the node besides.
    pub fn equation_of_equinoxes(&self, since_1997: bool) -> f64 {
        let geometric = self.longitude * libm::cos(self.mean_obliquity);
        let node_terms = 0.002_64 * libm::sin(self.node) + 0.000_063 * libm::sin(2.0 * self.node);
        if since_1997 { geometric + node_terms * ARC_SECOND } else { geometric }
    }
}

/// Mean anomaly of the Moon and of the Sun, the Moon's argument of latitude, its elongation, its node (rad).
fn arguments(t: f64) -> [f64; 5] {
    let angle =
        |degrees: f64, a: f64, b: f64, c: f64| (degrees.to_radians() + t * (a + t * (b + t * c)) * ARC_SECOND) % TAU;
    [
        angle(134.962_981_39, 1_717_915_922.633, 31.31, 0.064),
        angle(357.527_723_33, 129_596_581.224, -0.577, -0.012),
        angle(93.271_910_28, 1_739_527_263.137, -13.257, 0.011),
        angle(297.850_363_06, 1_602_961_601.328, -6.891, 0.019),
        angle(125.044_522_22, -6_962_890.539, 7.455, 0.008),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn val_published_nutation() {
        // Vallado, example 3-15, 2004-04-06: dpsi -0.0034108, deps 0.0020316, mean obliquity 23.4387368 degrees, printed to
        // 1e-7; the coefficients of the arguments were corrected since
        let series = NutationSeries::default();
        assert_eq!(series.terms.len(), 106);
        assert!(series.terms.iter().all(|term| term.longitude_rate.is_finite() && term.obliquity_rate.is_finite()));
        let nutation = series.at(0.042_623_631_9);
        assert!((nutation.longitude.to_degrees() + 0.003_410_8).abs() < 1e-6, "{}", nutation.longitude.to_degrees());
        assert!((nutation.obliquity.to_degrees() - 0.002_031_6).abs() < 1e-6, "{}", nutation.obliquity.to_degrees());
        assert!((nutation.mean_obliquity.to_degrees() - 23.438_736_8).abs() < 1e-6);
    }
}

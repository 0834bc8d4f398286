//! Precession of the equator: the IAU 1976 model.
//!
//! Domain: a few centuries about J2000. Argument: Julian centuries of TT, which GMAT takes for TDB.
//!
//! # References
//! Lieske et al., *Astron. Astrophys.* 58 (1977). Vallado, 2nd ed., eq. 3-52, 3-56, 3-57.
//! Test: `val_axes_of_gmat` in tests.rs.

use super::ARC_SECOND;
use super::rotation::{Matrix, about_y, about_z, product};

/// From the mean equator and equinox of J2000 to those of date; `t` in Julian centuries from J2000.
///
/// P = R3(-z) R2(theta) R3(-zeta)
pub fn precession(t: f64) -> Matrix {
    let angle = |a: f64, b: f64, c: f64| t * (a + t * (b + t * c)) * ARC_SECOND;
    let zeta = angle(2306.2181, 0.301_88, 0.017_998);
    let theta = angle(2004.3109, -0.426_65, -0.041_833);
    let z = angle(2306.2181, 1.094_68, 0.018_203);
    product(&about_z(-z), &product(&about_y(theta), &about_z(-zeta)))
}

/// Mean obliquity of the ecliptic of date, rad; `t` in Julian centuries from J2000.
pub fn mean_obliquity(t: f64) -> f64 {
    (84_381.448 + t * (-46.8150 + t * (-0.000_59 + t * 0.001_813))) * ARC_SECOND
}

//! Gravity of a point mass at the origin.
//!
//! Theory: Newton's law of gravitation. Domain: r > 0; at r = 0 the acceleration is not finite and
//! the run ends as diverged.
//!
//! # References
//! Vallado, *Fundamentals of Astrodynamics and Applications*, 4th ed., eq. 1-14.

use super::{Force, Stage};
use crate::base::lanes::{Lanes, Real, Vectors};
use crate::lane_kernel;

/// The central body as a point.
#[derive(Clone, Copy, Debug)]
pub struct PointMass {
    /// Gravitational parameter, km^3/s^2.
    mu: f64,
}

impl PointMass {
    /// A point mass with gravitational parameter `mu` (km^3/s^2).
    pub fn new(mu: f64) -> Self {
        PointMass { mu }
    }

    /// Adds the acceleration (km/s^2) at `r` (km) from the body.
    pub fn add_at(&self, vectors: Vectors, r: &[Lanes; 3], a: &mut [Lanes; 3]) {
        point_mass(vectors, self.mu, r, a);
    }
}

impl Force for PointMass {
    fn add_acceleration(&self, stage: &Stage, a: &mut [Lanes; 3]) {
        self.add_at(stage.vectors, stage.r, a);
    }

    fn describe(&self) -> String {
        format!("{self:?}")
    }
}

lane_kernel!(fn point_mass(mu: f64, r: &[Lanes; 3], a: &mut [Lanes; 3]) = acceleration);

/// a = -mu r / |r|^3; the same operations in the same order as GMAT's `PointMasses`, and so the same bits.
#[inline(always)]
fn acceleration<T: Real>(first: usize, mu: f64, r: &[Lanes; 3], a: &mut [Lanes; 3]) {
    let [x, y, z] = [T::load(&r[0], first), T::load(&r[1], first), T::load(&r[2], first)];
    let r_squared = x * x + y * y + z * z;
    let minus_mu_over_r_cubed = T::splat(-mu) / (r_squared * r_squared.sqrt());
    for (component, acceleration) in [x, y, z].into_iter().zip(a) {
        (T::load(acceleration, first) + component * minus_mu_over_r_cubed).store(acceleration, first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::lanes::Isa;

    #[test]
    fn val_acceleration_of_a_known_place() {
        // mu / r^2 with r = 7000 km: 398600.4415 / 49e6
        let r = [Lanes::splat(0.0), Lanes::splat(-7000.0), Lanes::splat(0.0)];
        let mut a = [Lanes::splat(1.0), Lanes::splat(0.0), Lanes::splat(0.0)];
        PointMass::new(398_600.441_5).add_at(Vectors::new(Isa::best(), 8), &r, &mut a);
        for lane in 0..8 {
            assert!((a[0].0[lane] - 1.0).abs() == 0.0, "adds to what is there");
            assert!((a[1].0[lane] - 8.134_702_887_755_102e-3).abs() < 1e-17);
            assert!(a[2].0[lane] == 0.0);
        }
    }
}

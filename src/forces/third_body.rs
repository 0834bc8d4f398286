//! Gravity of another body, as a point mass, seen from the central body of the force model.
//!
//! Theory: the axes do not turn but their origin falls with the central body, so the acceleration that the
//! other body gives to the centre (indirect term) is subtracted from the one that it gives to the craft
//! (direct term):
//!
//! a = mu d / |d|^3 - mu s / |s|^3, d = s - r,
//!
//! with s the place of the other body and r that of the craft, both from the centre. Where the body is the
//! centre itself, s = 0, the indirect term is zero and the first is -mu r / |r|^3.
//!
//! The difference of two nearly equal terms costs |s| / |r| of the digits of a; GMAT forms it so, and so do we:
//! every operation is GMAT's in GMAT's order, and the result has its bits.
//!
//! Domain: d != 0; at d = 0 the acceleration is not finite and the run ends as diverged.
//! Against the engine: `val_accelerations_of_gmat`.
//!
//! # References
//! Vallado, *Fundamentals of Astrodynamics and Applications*, 4th ed., eq. 1-35.

use crate::base::lanes::{Lanes, Real, Vectors};
use crate::lane_kernel;

/// A body that attracts from outside of the centre.
#[derive(Clone, Debug, PartialEq)]
pub struct ThirdBody {
    name: String,
    mu: f64,
}

impl ThirdBody {
    /// The body with its name in GMAT and its gravitational parameter `mu` (km^3/s^2).
    pub fn new(name: impl Into<String>, mu: f64) -> Self {
        ThirdBody { name: name.into(), mu }
    }

    /// The name of the body in GMAT.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Gravitational parameter, km^3/s^2.
    pub fn mu(&self) -> f64 {
        self.mu
    }

    /// Adds the acceleration (km/s^2) at `r` (km), with the `body` at its place (km); both from the central
    /// body in `MJ2000Eq` axes.
    pub fn add_acceleration(&self, vectors: Vectors, body: &[Lanes; 3], r: &[Lanes; 3], a: &mut [Lanes; 3]) {
        third_body(vectors, self.mu, body, r, a);
    }

    /// The force and all its numbers, for the hash of the plan.
    pub fn describe(&self) -> String {
        format!("{self:?}")
    }
}

lane_kernel!(fn third_body(mu: f64, body: &[Lanes; 3], r: &[Lanes; 3], a: &mut [Lanes; 3]) = acceleration);

#[inline(always)]
fn acceleration<T: Real>(first: usize, mu: f64, body: &[Lanes; 3], r: &[Lanes; 3], a: &mut [Lanes; 3]) {
    let s = [T::load(&body[0], first), T::load(&body[1], first), T::load(&body[2], first)];
    let d = [s[0] - T::load(&r[0], first), s[1] - T::load(&r[1], first), s[2] - T::load(&r[2], first)];
    // mu / |s|^3, and zero for the centre
    let s_squared = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    let elsewhere = T::splat(0.0).less_than(s_squared);
    let indirect = T::splat(mu) / (s_squared * s_squared * s_squared).sqrt();
    let indirect = T::select(elsewhere, indirect, T::splat(0.0));
    // mu / |d|^3
    let d_squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    let direct = T::splat(mu) / (d_squared * d_squared.sqrt());
    for axis in 0..3 {
        let sum = T::load(&a[axis], first) + (d[axis] * direct - indirect * s[axis]);
        sum.store(&mut a[axis], first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::lanes::{Isa, WIDTH};

    const REFERENCE: &str = include_str!("../../tests/reference/gmat/forces_third_body.txt");

    fn best() -> Vectors {
        Vectors::new(Isa::best(), WIDTH)
    }

    type Vector = [f64; 3];

    /// mu, body, place, acceleration of the engine.
    fn samples() -> Vec<(f64, Vector, Vector, Vector)> {
        let lines = REFERENCE.lines().filter(|line| !line.starts_with('#'));
        lines
            .map(|line| {
                let n: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
                assert_eq!(n.len(), 10, "{line}");
                (n[0], [n[1], n[2], n[3]], [n[4], n[5], n[6]], [n[7], n[8], n[9]])
            })
            .collect()
    }

    fn at(mu: f64, body: [f64; 3], r: [f64; 3]) -> [f64; 3] {
        let mut a = [Lanes::splat(0.0); 3];
        ThirdBody::new("Body", mu).add_acceleration(best(), &body.map(Lanes::splat), &r.map(Lanes::splat), &mut a);
        a.map(|lanes| lanes.0[0])
    }

    #[test]
    fn val_accelerations_of_gmat() {
        // Same operations, same order, all correctly rounded: the same bits, for a body near and far and the centre.
        let samples = samples();
        assert!(samples.len() > 20);
        for (mu, body, r, expected) in samples {
            let a = at(mu, body, r);
            for axis in 0..3 {
                assert!((a[axis] - expected[axis]).abs() == 0.0, "{a:?} is not {expected:?}");
            }
        }
    }

    #[test]
    fn prop_adds_to_what_is_there() {
        let mut a = [Lanes::splat(1.0); 3];
        let (body, r) = ([1e5, 0.0, 0.0].map(Lanes::splat), [0.0, 7e3, 0.0].map(Lanes::splat));
        ThirdBody::new("Luna", 0.0).add_acceleration(best(), &body, &r, &mut a);
        assert_eq!(a, [Lanes::splat(1.0); 3]);
    }

    #[test]
    fn prop_the_field_has_no_curl_and_no_divergence() {
        // Central differences with a step of 1 km at 2e4 km from a body of the Moon's mass: the truncation is
        // about (h / d)^2 = 2.5e-9 of a gradient, the rounding 1e-16 a / h = 1e-15 of 1e-9.
        let (mu, body, r, h) = (4902.8, [60_000.0, -20_000.0, 5_000.0], [45_000.0, -9_000.0, 1_000.0], 1.0);
        let mut gradient = [[0.0; 3]; 3];
        for (axis, row) in gradient.iter_mut().enumerate() {
            let (mut up, mut down) = (r, r);
            up[axis] += h;
            down[axis] -= h;
            let (up, down) = (at(mu, body, up), at(mu, body, down));
            *row = std::array::from_fn(|component| (up[component] - down[component]) / (2.0 * h));
        }
        let size = gradient.iter().flatten().fold(0.0_f64, |size, number| size.max(number.abs()));
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            assert!((gradient[i][j] - gradient[j][i]).abs() < 2e-8 * size);
        }
        assert!((gradient[0][0] + gradient[1][1] + gradient[2][2]).abs() < 2e-8 * size);
    }

    #[test]
    fn prop_nothing_is_felt_at_the_centre() {
        let a = at(4902.8, [60_000.0, -20_000.0, 5_000.0], [0.0; 3]);
        assert!(a.iter().all(|number| number.abs() < 1e-21), "{a:?}");
    }

    #[test]
    fn prop_lanes_give_the_same_bits_on_every_instruction_set() {
        let samples = samples();
        let mu = 4902.8;
        for start in 0..samples.len() - WIDTH {
            let (mut body, mut r) = ([Lanes::default(); 3], [Lanes::default(); 3]);
            for lane in 0..WIDTH {
                for axis in 0..3 {
                    body[axis].0[lane] = samples[start + lane].1[axis];
                    r[axis].0[lane] = samples[start + lane].2[axis];
                }
            }
            for isa in Isa::available() {
                for width in [1, 4, 8] {
                    let mut a = [Lanes::default(); 3];
                    ThirdBody::new("Body", mu).add_acceleration(Vectors::new(isa, width), &body, &r, &mut a);
                    for lane in 0..width {
                        let alone = at(mu, samples[start + lane].1, samples[start + lane].2);
                        for axis in 0..3 {
                            assert_eq!(a[axis].0[lane].to_bits(), alone[axis].to_bits(), "{isa:?} {width} {lane}");
                        }
                    }
                }
            }
        }
    }
}

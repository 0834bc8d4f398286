//! The relativistic correction of the motion about a body, after general relativity to the order 1/c^2.
//!
//! Three terms, with r and v of the craft from the centre (mu, equatorial radius R), s and u of the Sun from
//! the centre (gravitational parameter M), e the pole of the centre and w its rate of turn:
//!
//! Schwarzschild: mu / (c^2 r^3) ((4 mu / r - v^2) r + 4 (r . v) v)
//!
//! Lense-Thirring: 2 mu / (c^2 r^3) (3 / r^2 (r . J) (r x v) + v x J), J = 2/5 R^2 w e
//!
//! Geodesic precession: 2 W x v, W = 3/2 u x (-M s / (c^2 s^3)); not about the Sun.
//!
//! J is the angular momentum per mass of a uniform ball, as in GMAT (the IERS gives 9.8e8 m^2/s for the
//! Earth; this is 20 % more). GMAT takes mu and R of the body, whatever the potential file says.
//!
//! Domain: r > 0, s > 0. Against the engine: `val_accelerations_of_gmat`.
//!
//! # References
//! IERS Conventions (2010), TN 36, eq. 10.12. GMAT R2026a.

use crate::base::lanes::{Lanes, Real, Vectors};
use crate::lane_kernel;

/// Speed of light, km/s.
const LIGHT: f64 = 299_792_458.0 * 0.001;

/// The relativistic correction about a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relativity {
    mu: f64,
    /// 2/5 R^2, km^2: J for a rate of turn of 1 rad/s.
    inertia: f64,
    /// Gravitational parameter of the Sun, zero about the Sun itself.
    sun_mu: f64,
}

/// What moves around the centre, each from the centre in `MJ2000Eq` axes.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a> {
    /// The Sun, km; not read about the Sun.
    pub sun: &'a [Lanes; 3],
    /// Its velocity, km/s; not read about the Sun.
    pub sun_velocity: &'a [Lanes; 3],
    /// The pole of the centre, a unit vector: the third row of the rotation to its fixed axes.
    pub pole: &'a [Lanes; 3],
    /// Its rate of turn, rad/s; see [`spin_rate`].
    pub spin_rate: &'a Lanes,
}

impl Relativity {
    /// The correction about a body with gravitational parameter `mu` (km^3/s^2) and equatorial `radius` (km);
    /// `sun_mu` of the Sun (km^3/s^2), `None` if the body is the Sun.
    pub fn new(mu: f64, radius: f64, sun_mu: Option<f64>) -> Self {
        Relativity { mu, inertia: (2.0 / 5.0) * radius * radius, sun_mu: sun_mu.unwrap_or(0.0) }
    }

    /// Adds the acceleration (km/s^2) at `r` (km) and `v` (km/s).
    pub fn add_acceleration(
        &self,
        vectors: Vectors,
        motion: &Motion,
        r: &[Lanes; 3],
        v: &[Lanes; 3],
        a: &mut [Lanes; 3],
    ) {
        relativity(vectors, self, motion, r, v, a);
    }

    /// The force and all its numbers, for the hash of the plan.
    pub fn describe(&self) -> String {
        format!("{self:?}")
    }
}

/// The rate of turn (rad/s) of a rotation from fixed to inertial axes and its derivative (1/s).
///
/// The vector of the turn has the components -(A^T dA/dt)12, (A^T dA/dt)02, -(A^T dA/dt)01. Test:
/// `val_accelerations_of_gmat`, `val_rate_of_the_earth`.
pub fn spin_rate(to_inertial: &[[f64; 3]; 3], rate: &[[f64; 3]; 3]) -> f64 {
    let product = |i: usize, j: usize| {
        to_inertial[0][i] * rate[0][j] + to_inertial[1][i] * rate[1][j] + to_inertial[2][i] * rate[2][j]
    };
    let (x, y, z) = (product(2, 1), product(2, 0), product(1, 0));
    (x * x + y * y + z * z).sqrt()
}

lane_kernel!(
    fn relativity(force: &Relativity, motion: &Motion, r: &[Lanes; 3], v: &[Lanes; 3], a: &mut [Lanes; 3]) = acceleration
);

#[inline(always)]
fn load<T: Real>(vector: &[Lanes; 3], first: usize) -> [T; 3] {
    [T::load(&vector[0], first), T::load(&vector[1], first), T::load(&vector[2], first)]
}

#[inline(always)]
fn dot<T: Real>(a: &[T; 3], b: &[T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross<T: Real>(a: &[T; 3], b: &[T; 3]) -> [T; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
fn scaled<T: Real>(factor: T, a: &[T; 3]) -> [T; 3] {
    [factor * a[0], factor * a[1], factor * a[2]]
}

#[inline(always)]
fn acceleration<T: Real>(
    first: usize,
    force: &Relativity,
    motion: &Motion,
    r: &[Lanes; 3],
    v: &[Lanes; 3],
    a: &mut [Lanes; 3],
) {
    let (r, v, light_squared) = (load::<T>(r, first), load::<T>(v, first), T::splat(LIGHT * LIGHT));
    let distance = dot(&r, &r).sqrt();
    // GMAT squares the root
    let speed = dot(&v, &v).sqrt();
    let scale = T::splat(force.mu) / (light_squared * distance * distance * distance);

    // 4 mu / r - v^2 and 4 (r . v)
    let along_r = T::splat(4.0 * force.mu) / distance - speed * speed;
    let along_v = T::splat(4.0) * dot(&r, &v);

    // J = 2/5 R^2 w e
    let spin = T::splat(force.inertia) * T::load(motion.spin_rate, first);
    let momentum = scaled(spin, &load::<T>(motion.pole, first));
    let (plane, drag) = (cross(&r, &v), cross(&v, &momentum));
    let across = T::splat(3.0) / (distance * distance) * dot(&r, &momentum);
    let twice = T::splat(2.0) * scale;

    // 2 W x v
    let geodesic = if force.sun_mu > 0.0 {
        let (s, u) = (load::<T>(motion.sun, first), load::<T>(motion.sun_velocity, first));
        let far = dot(&s, &s).sqrt();
        let field = T::splat(-force.sun_mu) / (light_squared * far * far * far);
        cross(&cross(&scaled(T::splat(1.5), &u), &scaled(field, &s)), &v)
    } else {
        [T::splat(0.0); 3]
    };

    for axis in 0..3 {
        let schwarzschild = scale * (along_r * r[axis] + along_v * v[axis]);
        let lense_thirring = twice * (across * plane[axis] + drag[axis]);
        let sum = schwarzschild + T::splat(2.0) * geodesic[axis] + lense_thirring;
        (T::load(&a[axis], first) + sum).store(&mut a[axis], first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::lanes::{Isa, WIDTH};

    const REFERENCE: &str = include_str!("../../tests/reference/gmat/forces_relativity.txt");

    struct Sample {
        force: Relativity,
        sun: [f64; 3],
        sun_velocity: [f64; 3],
        to_inertial: [[f64; 3]; 3],
        rate: [[f64; 3]; 3],
        r: [f64; 3],
        v: [f64; 3],
        expected: [f64; 3],
    }

    fn three(numbers: &[f64]) -> [f64; 3] {
        [numbers[0], numbers[1], numbers[2]]
    }

    fn nine(numbers: &[f64]) -> [[f64; 3]; 3] {
        [three(numbers), three(&numbers[3..]), three(&numbers[6..])]
    }

    fn samples() -> Vec<Sample> {
        let lines = REFERENCE.lines().filter(|line| !line.starts_with('#'));
        lines
            .map(|line| {
                let n: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
                assert_eq!(n.len(), 35, "{line}");
                let sun_mu = (!line.starts_with("Sun")).then_some(132_712_440_017.99);
                Sample {
                    force: Relativity::new(n[0], n[1], sun_mu),
                    sun: three(&n[2..]).map(|number| -number),
                    sun_velocity: three(&n[5..]).map(|number| -number),
                    to_inertial: nine(&n[8..]),
                    rate: nine(&n[17..]),
                    r: three(&n[26..]),
                    v: three(&n[29..]),
                    expected: three(&n[32..]),
                }
            })
            .collect()
    }

    fn fly(vectors: Vectors, force: &Relativity, samples: &[&Sample]) -> [Lanes; 3] {
        let gather = |of: &dyn Fn(&Sample) -> [f64; 3]| -> [Lanes; 3] {
            std::array::from_fn(|axis| Lanes(std::array::from_fn(|lane| of(samples[lane % samples.len()])[axis])))
        };
        let mut a = [Lanes::splat(0.0); 3];
        let motion = Motion {
            sun: &gather(&|s| s.sun),
            sun_velocity: &gather(&|s| s.sun_velocity),
            pole: &gather(&|s| s.to_inertial.map(|row| row[2])),
            spin_rate: &gather(&|s| [spin_rate(&s.to_inertial, &s.rate); 3])[0],
        };
        force.add_acceleration(vectors, &motion, &gather(&|s| s.r), &gather(&|s| s.v), &mut a);
        a
    }

    fn norm(a: [f64; 3]) -> f64 {
        (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt()
    }

    #[test]
    fn val_accelerations_of_gmat() {
        // The same operations in the same order, and so the same bits, given the engine's own rotation.
        let samples = samples();
        assert!(samples.len() >= 15);
        for sample in samples {
            let a = fly(Vectors::new(Isa::best(), WIDTH), &sample.force, &[&sample]).map(|lanes| lanes.0[0]);
            let difference = norm(std::array::from_fn(|axis| a[axis] - sample.expected[axis]));
            assert!(difference == 0.0, "{a:?} is not {:?}", sample.expected);
        }
    }

    #[test]
    fn val_rate_of_the_earth() {
        // 7.29211514670698e-5 rad/s less the excess of the length of day, at most 4 ms: 5e-8 of it
        for sample in samples().iter().take(8) {
            let relative = spin_rate(&sample.to_inertial, &sample.rate) / 7.292_115_146_706_98e-5 - 1.0;
            assert!(relative.abs() < 5e-8, "{relative:e}");
        }
    }

    #[test]
    fn prop_schwarzschild_on_a_circle() {
        // On a circle r . v = 0 and v^2 = mu / r, so a = 3 mu^2 / (c^2 r^3) outwards, exactly.
        let (mu, r) = (398_600.441_5, 7000.0);
        let v = f64::sqrt(mu / r);
        let nothing = [Lanes::splat(0.0); 3];
        let still = Lanes::splat(0.0);
        let motion = Motion { sun: &nothing, sun_velocity: &nothing, pole: &nothing, spin_rate: &still };
        let mut a = nothing;
        let (place, velocity) = ([r, 0.0, 0.0].map(Lanes::splat), [0.0, v, 0.0].map(Lanes::splat));
        let vectors = Vectors::new(Isa::best(), WIDTH);
        Relativity::new(mu, 6378.0, None).add_acceleration(vectors, &motion, &place, &velocity, &mut a);
        let expected = 3.0 * mu * mu / (LIGHT * LIGHT * r * r * r);
        assert!((a[0].0[0] / expected - 1.0).abs() < 1e-15);
        assert!(a[1].0[0].abs() + a[2].0[0].abs() < 1e-30);
    }

    #[test]
    fn prop_frame_dragging_and_precession_do_no_work() {
        // Both are of the form B x v, so v . a has the Schwarzschild term only: a is the same with spin and Sun or without.
        for sample in samples() {
            let without = Sample { to_inertial: [[0.0; 3]; 3], ..sample };
            let vectors = Vectors::new(Isa::best(), WIDTH);
            let quiet = Relativity { sun_mu: 0.0, ..sample.force };
            let with = fly(vectors, &sample.force, &[&sample]).map(|lanes| lanes.0[0]);
            let bare = fly(vectors, &quiet, &[&without]).map(|lanes| lanes.0[0]);
            let work: f64 = (0..3).map(|axis| sample.v[axis] * (with[axis] - bare[axis])).sum();
            assert!(work.abs() < 1e-14 * norm(bare) * norm(sample.v), "{work:e}");
        }
    }

    #[test]
    fn prop_lanes_give_the_same_bits_on_every_instruction_set() {
        let samples = samples();
        let force = samples[0].force;
        let eight: Vec<&Sample> = samples.iter().take(WIDTH).collect();
        for isa in Isa::available() {
            for width in [1, 4, 8] {
                let a = fly(Vectors::new(isa, width), &force, &eight);
                for (lane, sample) in eight.iter().enumerate().take(width) {
                    let alone = fly(Vectors::new(Isa::best(), WIDTH), &force, &[*sample]);
                    for axis in 0..3 {
                        assert_eq!(a[axis].0[lane].to_bits(), alone[axis].0[0].to_bits(), "{isa:?} {width} {lane}");
                    }
                }
            }
        }
    }
}

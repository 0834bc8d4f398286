//! Impulsive burns: what a velocity change costs, and how one is taken back.
//!
//! dm = M (exp(-1000 |dv| / (Isp g)) - 1)
//!
//! with the total mass M before the burn (kg), the length |dv| of the burn's elements (km/s), the specific impulse (s)
//! and the gravitational acceleration (m/s^2). One tank takes it all; GMAT refuses burns with several.
//!
//! Backwards the sign in the exponent is +, and the velocity before the burn is sought: the elements are in axes
//! that may depend on it.
//!
//! # References
//! GMAT Mathematical Specification, "Impulsive burns"; GMAT R2026a, `ImpulsiveBurn`.
//! Tests: `val_masses_of_gmat`, `val_taken_back_by_gmat`, `val_search_without_end_of_gmat`,
//! `prop_taken_back`.

use super::METRES;

/// GMAT's `Isp` of an `ImpulsiveBurn` where a script sets none, s.
pub const SPECIFIC_IMPULSE: f64 = 300.0;

/// The search for the velocity before a burn has converged where the components' errors add up to this, km/s.
const PRECISION: f64 = 1e-15;
/// The most trials of that search.
const TRIALS: u32 = 50;

/// Which way in time a burn is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// As it happens.
    Forward,
    /// `Maneuver BackProp`.
    Backward,
}

/// The change of the fuel mass (kg): negative forward, positive backward.
pub fn mass_change(way: Way, mass: f64, elements: [f64; 3], specific_impulse: f64, gravity: f64) -> f64 {
    let speed = length(elements);
    let speed = if way == Way::Forward { -speed } else { speed };
    mass * (libm::exp(speed * METRES / (specific_impulse * gravity)) - 1.0)
}

/// A velocity from which a burn was taken back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TakenBack {
    /// Velocity before the burn, km/s.
    pub velocity: [f64; 3],
    /// Whether the search ended; where not, the burn is that of the last trial (GMAT warns and goes on).
    pub converged: bool,
}

/// The velocity (km/s) before a burn that leads to `velocity`: `rotate` turns the elements into inertial axes, for a
/// spacecraft with the velocity that it is given.
///
/// GMAT's search: the trial burn w starts with -R(v) dv; then, with the error e = v - (v + w + R(v + w) dv) of the round
/// trip, w <- (w + e) |dv| / |w + e|, where the scale repairs rounding only: w + e is -R dv.
pub fn take_back<E>(
    velocity: [f64; 3],
    elements: [f64; 3],
    mut rotate: impl FnMut([f64; 3]) -> Result<[f64; 3], E>,
) -> Result<TakenBack, E> {
    let mut trial = rotate(velocity)?.map(|x| -x);
    let speed = length(elements);
    let mut count = 0;
    loop {
        let before = sum(velocity, trial);
        let burn = rotate(before)?;
        let after = sum(before, burn);
        let error = difference(velocity, after);
        count += 1;
        if count == TRIALS {
            return Ok(TakenBack { velocity: difference(velocity, burn), converged: false });
        }
        let all = error.iter().fold(0.0, |all, e| all + e.abs());
        if all <= PRECISION || all.is_nan() {
            return Ok(TakenBack { velocity: before, converged: true });
        }
        trial = sum(trial, error);
        let scale = speed / length(trial);
        trial = trial.map(|x| x * scale);
    }
}

fn length([x, y, z]: [f64; 3]) -> f64 {
    (x * x + y * y + z * z).sqrt()
}

fn sum(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn difference(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    const ELEMENTS: [f64; 3] = [0.4, -0.25, 0.3];

    fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }

    fn along(a: [f64; 3]) -> [f64; 3] {
        let size = length(a);
        a.map(|x| x / size)
    }

    fn turned(axes: [[f64; 3]; 3], elements: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|i| elements[0] * axes[0][i] + elements[1] * axes[1][i] + elements[2] * axes[2][i])
    }

    fn vnb(r: [f64; 3], v: [f64; 3]) -> [[f64; 3]; 3] {
        let (x, y) = (along(v), along(cross(r, v)));
        [x, y, cross(x, y)]
    }

    fn lvlh(r: [f64; 3], v: [f64; 3]) -> [[f64; 3]; 3] {
        let (x, z) = (along(r), along(cross(r, v)));
        [x, cross(z, x), z]
    }

    #[test]
    fn val_masses_of_gmat() {
        // Sat.TotalMass and Sat.Tank.FuelMass around Maneuver: 16 digits printed
        let change = mass_change(Way::Forward, 1250.0, [0.35, 0.0, 0.0], 310.0, 9.81);
        assert!((400.0 + change - 264.107_478_608_435_4).abs() < 1e-13);
        let change = mass_change(Way::Forward, 870.0, [0.35, 0.0, 0.0], 310.0, 9.81);
        assert!((20.0 + change + 74.581_194_888_528_97).abs() < 3e-14);
        let change = mass_change(Way::Backward, 950.0, ELEMENTS, 3000.0, 9.81);
        assert!((100.0 + change - 118.217_532_441_589_2).abs() < 3e-14);
    }

    #[test]
    fn val_taken_back_by_gmat() {
        // cases/burn_backprop, Maneuver BackProp in VNB, LVLH and MJ2000Eq: 16 digits of the states; in VNB the 50 trials
        // stop where rounding leaves them, an ulp or two of 6 km/s off
        let r = [-777.580_684_930_256_1, 4_582.141_250_210_672, 5_059.289_028_542_374];
        let v = [-6.527_350_523_501_169, -3.362_208_515_164_782, 2.044_056_086_749_982];
        let back = take_back(v, ELEMENTS, |v| Ok::<_, Infallible>(turned(vnb(r, v), ELEMENTS))).unwrap();
        near(back.velocity, [-6.016_927_566_602_779, -3.508_515_813_720_401, 1.869_234_522_117_75]);

        let r = [-4_878.520_294_831_145, -238.929_468_683_177_4, 4_001.323_245_359_635];
        let v = [-2.068_819_871_863_731, -6.311_857_255_368_514, -4.257_066_596_153_281];
        let back = take_back(v, ELEMENTS, |v| Ok::<_, Infallible>(turned(lvlh(r, v), ELEMENTS))).unwrap();
        near(back.velocity, [-2.006_976_509_026_853, -6.308_080_089_861_17, -4.812_639_392_007_934]);

        let v = [6.090_960_127_345_98, -1.282_563_190_601_417, -6.641_919_522_710_897];
        let back = take_back(v, ELEMENTS, |_| Ok::<_, Infallible>(ELEMENTS)).unwrap();
        near(back.velocity, [5.690_960_127_345_98, -1.032_563_190_601_417, -6.941_919_522_710_897]);
    }

    #[test]
    fn val_search_without_end_of_gmat() {
        // cases/burn_backprop_wild, a burn nearly as large as the velocity: the numbers of the fiftieth trial. A search that
        // does not end forgets no rounding, and yet keeps 12 digits here.
        let r = [-125_526.156_112_553_7, -303_477.500_597_561_2, -191_512.068_533_904];
        let v = [0.651_710_179_977_042_8, -0.056_738_204_367_009_24, -0.583_372_334_735_448_6];
        let back = take_back(v, ELEMENTS, |v| Ok::<_, Infallible>(turned(vnb(r, v), ELEMENTS))).unwrap();
        assert!(!back.converged);
        let expected = [0.422_782_132_352_037_7, -0.158_678_397_084_336_1, -0.083_672_278_582_402_23];
        assert!(length(difference(back.velocity, expected)) < 1e-12, "{:?}", back.velocity);
    }

    fn near(velocity: [f64; 3], expected: [f64; 3]) {
        for i in 0..3 {
            assert!((velocity[i] - expected[i]).abs() < 4e-15, "{velocity:?} {expected:?}");
        }
    }

    #[test]
    fn prop_taken_back() {
        let r = [-4878.0, 300.0, 4001.0];
        for v in [[-2.0, -6.3, -4.2], [1.0, 7.0, 2.0], [4.0, -3.0, 2.0]] {
            for axes in [vnb, lvlh] {
                let burn = |v| turned(axes(r, v), ELEMENTS);
                let back = take_back(v, ELEMENTS, |v| Ok::<_, Infallible>(burn(v))).unwrap();
                let again = sum(back.velocity, burn(back.velocity));
                assert!(length(difference(again, v)) < 4e-15, "{v:?} {again:?}");
            }
        }
        // an axis system that cannot be had ends it
        assert_eq!(take_back([0.0; 3], ELEMENTS, |_| Err::<[f64; 3], _>("none")), Err("none"));
        // the mass comes back
        let spent = mass_change(Way::Forward, 1000.0, ELEMENTS, 300.0, 9.81);
        let back = mass_change(Way::Backward, 1000.0 + spent, ELEMENTS, 300.0, 9.81);
        assert!((spent + back).abs() < 1e-12);
    }
}

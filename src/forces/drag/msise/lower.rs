//! The air below 72.5 km: mixed air over two splines of 1/T.
//!
//! Theory: nitrogen falls off from its mixed density at 72.5 km by n T = const exp(-M g / R integral dzeta / T) with the
//! mean molar mass M; He, O2 and Ar keep their ratio at the ground; there is no O, H or N. Between 62.5 and
//! 72.5 km the ratios run over to those of the thermosphere.

use super::coefficients::Coefficients;
use super::harmonics::Harmonics;
use super::profile::{Gravity, Spline};
use super::thermosphere::{Air, BOTTOM, UNIT_MASS, thermosphere};

/// All air is mixed from here down, km.
const MIXED: f64 = 62.5;
/// Nodes of the upper and of the lower spline, km.
const UPPER: [f64; 4] = [BOTTOM, 55.0, 45.0, 32.5];
const LOWER: [f64; 5] = [32.5, 20.0, 15.0, 10.0, 0.0];
/// He, O2 and Ar: their places in the list of gases and in `pdm`, and molar masses.
const KEPT: [(usize, usize, f64); 3] = [(0, 0, 4.0), (2, 3, 32.0), (3, 4, 40.0)];

/// Mass density below 72.5 km, g/cm^3.
pub(crate) fn density(c: &Coefficients, harmonics: Harmonics) -> f64 {
    let height = harmonics.question().height;
    let harmonics = harmonics.at_height(BOTTOM);
    let Air { nitrogen, mixed_nitrogen, others, bottom, .. } = thermosphere(c, &harmonics);
    // the activity of the last gas that the model's source has computed
    let activity = harmonics.activity(&c.pd[c.constants.last_gas[usize::from(height >= MIXED)]]);
    let variation = |at: usize| harmonics.lower(&c.pma[at], activity);
    // T = T_mean p_0 / (1 - G)
    let node = |at: usize| c.pma[at].p[0] * c.pavgm[at] / (1.0 - variation(at));
    let gradient = |mean: usize, at: usize, temperature: f64, over: usize| {
        let ratio = temperature / (c.pma[over].p[0] * c.pavgm[over]);
        c.pavgm[mean] * c.pma[at].p[0] * (1.0 + variation(at)) * ratio * ratio
    };
    let gravity = Gravity::new(harmonics.question().latitude, c.constants.gas);
    let mean_mass = c.pdm[2][4];
    let fall = |(log_temperature, integral): (f64, f64), top: f64| {
        log_temperature - mean_mass * gravity.at(top) / gravity.gas * integral
    };

    let upper = [bottom[0], node(0), node(1), node(2)];
    let middle = gradient(8, 9, upper[3], 2);
    let mut log_ratio = fall(Spline::new(gravity, &UPPER, &upper, [bottom[1], middle]).descend(height), UPPER[0]);
    if height <= LOWER[0] {
        let lower = [upper[3], node(3), node(4), node(5), node(6)];
        let ground = gradient(7, 7, lower[4], 6);
        log_ratio += fall(Spline::new(gravity, &LOWER, &lower, [middle, ground]).descend(height), LOWER[0]);
    }

    let unmixed = if height > MIXED { 1.0 - (BOTTOM - height) / (BOTTOM - MIXED) } else { 0.0 };
    let towards = |actual: f64, mixed: f64| 1.0 + (actual / mixed - 1.0) * unmixed;
    let n2 = mixed_nitrogen * libm::exp(log_ratio) * towards(nitrogen, mixed_nitrogen);
    let mut sum = 28.0 * n2;
    for (gas, pdm, mass) in KEPT {
        let ratio = c.pdm[pdm][1];
        sum += mass * n2 * ratio * towards(others[gas], nitrogen * ratio);
    }
    UNIT_MASS * sum
}

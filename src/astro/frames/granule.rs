//! The Earth's orientation over one UTC day, as polynomials.
//!
//! N P = R3(s) Q(X, Y), where (X, Y) are the true pole's coordinates in J2000 and s varies slowly, so that
//!
//! W S N P = W R3(theta) Q(X, Y), theta = GMST + equation of the equinoxes + s
//!
//! X, Y and theta, less its linear part, are interpolated over the day at 7 Chebyshev points: the fastest term
//! that matters (5 days, 1e-8 rad) leaves 1e-15 rad. The pole's motion and UT1 are linear by themselves. A granule is
//! a pure function of its day, its table and of the side of 1997 that it lies on.
//! Test: `prop_lanes_are_the_exact_rotation` in lanes.rs.

use std::f64::consts::{PI, TAU};

use super::earth::{EarthOrientation, SIDEREAL_GAIN, sidereal_curve, sidereal_line};
use super::precession::precession;
use super::rotation::product;
use crate::astro::constants::DAY;
use crate::astro::epoch::Epoch;

/// Coefficients of a polynomial.
pub(super) const ORDER: usize = 7;
/// Where a polynomial's coefficients stand in the columns: the pole's X and Y, and theta in turns.
pub(super) const POLE_X: usize = 0;
pub(super) const POLE_Y: usize = POLE_X + ORDER;
pub(super) const THETA: usize = POLE_Y + ORDER;
/// The motion of the pole (rad): two coefficients of x and two of y.
pub(super) const MOTION: usize = THETA + ORDER;
/// 2 / length of the day, 1/s.
pub(super) const SCALE: usize = MOTION + 4;
/// How many numbers a granule holds.
pub(super) const COLUMNS: usize = SCALE + 1;

/// One UTC day.
#[derive(Clone, Copy, Debug)]
pub(super) struct Granule {
    /// Days from JD 2400000.5.
    pub(super) number: i32,
    /// Whether the terms of the node count.
    pub(super) node_terms: bool,
    /// 0 h UTC.
    pub(super) start: Epoch,
    /// The seconds from the start over which it holds without a further look.
    pub(super) holds: (f64, f64),
    /// In powers of tau = 2 (seconds / length) - 1, the lowest first.
    pub(super) columns: [f64; COLUMNS],
}

impl Granule {
    /// The granule of a day.
    pub(super) fn new(earth: &EarthOrientation, number: i32, node_terms: bool) -> Self {
        let day = earth.table.day(number);
        let half = 0.5 * day.length;
        let noon = day.start.plus(half);
        let ut1_minus_utc = day.parameters.ut1_minus_tai + day.start.tai_minus_utc();

        let mut samples = [[0.0; ORDER]; 3];
        for (k, angle) in chebyshev_angles().into_iter().enumerate() {
            let seconds = half * (1.0 + libm::cos(angle));
            let t = earth.centuries(noon) + (seconds - half) / (DAY * super::CENTURY);
            let nutation = earth.series.at(t);
            let [first, _, pole] = product(&nutation.matrix(), &precession(t));
            let [x, y] = [pole[0], pole[1]];
            // the first row of Q and the second; the first row of N P is turned from them by s
            let a = 1.0 / (1.0 + pole[2]);
            let along = first[0] * (1.0 - a * x * x) - first[1] * a * x * y - first[2] * x;
            let across = first[1] * (1.0 - a * y * y) - first[0] * a * x * y - first[2] * y;
            let s = libm::atan2(across, along);
            let curve = sidereal_curve(number, seconds + ut1_minus_utc);
            samples[0][k] = x;
            samples[1][k] = y;
            samples[2][k] = (nutation.equation_of_equinoxes(node_terms) + s) / TAU + curve;
        }
        let [x, y, mut theta] = samples.map(|sample| polynomial(&sample));

        // what is left of sidereal time is linear in UT1, and UT1 in the time of the day
        let at_noon = sidereal_line(number, half + ut1_minus_utc + 0.5 * day.ut1_change);
        theta[0] += at_noon % 1.0;
        theta[1] += (half + 0.5 * day.ut1_change) * (1.0 + SIDEREAL_GAIN) / DAY;

        let mut columns = [0.0; COLUMNS];
        columns[POLE_X..][..ORDER].copy_from_slice(&x);
        columns[POLE_Y..][..ORDER].copy_from_slice(&y);
        columns[THETA..][..ORDER].copy_from_slice(&theta);
        let (x_half, y_half) = (0.5 * day.x_change, 0.5 * day.y_change);
        columns[MOTION..][..4].copy_from_slice(&[day.parameters.x + x_half, x_half, day.parameters.y + y_half, y_half]);
        columns[SCALE] = 1.0 / half;

        // near the moment from which the terms of the node count, each instant is looked up
        let change = earth.start_of_1997.since(day.start);
        let holds = match (change > 0.0 && change < day.length, node_terms) {
            (false, _) => (0.0, day.length),
            (true, false) => (0.0, change - 1e-3),
            (true, true) => (change + 1e-3, day.length),
        };
        Granule { number, node_terms, start: day.start, holds, columns }
    }
}

/// Where the Chebyshev polynomial of degree `ORDER` is zero: tau is the cosine.
fn chebyshev_angles() -> [f64; ORDER] {
    std::array::from_fn(|k| PI * (k as f64 + 0.5) / ORDER as f64)
}

/// The polynomial through samples at the Chebyshev points, in powers of tau.
fn polynomial(samples: &[f64; ORDER]) -> [f64; ORDER] {
    let mut powers = [0.0; ORDER];
    // T_0 = 1, T_1 = tau, T_(n+1) = 2 tau T_n - T_(n-1)
    let (mut before, mut term) = ([0.0; ORDER], [0.0; ORDER]);
    term[0] = 1.0;
    for degree in 0..ORDER {
        let weighted = chebyshev_angles().into_iter().zip(samples);
        let sum: f64 = weighted.map(|(angle, sample)| sample * libm::cos(degree as f64 * angle)).sum();
        let coefficient = sum * if degree == 0 { 1.0 } else { 2.0 } / ORDER as f64;
        for (power, part) in powers.iter_mut().zip(&term) {
            *power += coefficient * part;
        }
        let factor = if degree == 0 { 1.0 } else { 2.0 };
        let next = std::array::from_fn(|k| if k == 0 { -before[0] } else { factor * term[k - 1] - before[k] });
        (before, term) = (term, next);
    }
    powers
}

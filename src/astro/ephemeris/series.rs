//! A Chebyshev series of an ephemeris: the path of one body, granule by granule, and its sums.
//!
//! In a granule of `d` days that begins at `t0`, tau = 2 (t - t0) / d - 1, and each coordinate is the sum of
//! c_k T_k(tau), with T_0 = 1, T_1 = tau, T_k = 2 tau T_(k-1) - T_(k-2). The velocity is the derivative:
//! T'_k = 2 tau T'_(k-1) + 2 T_(k-1) - T'_(k-2). The T_k serve all coordinates, and all bodies with granules of
//! the same length, so this takes fewer operations than a Clenshaw sum of each; the smallest terms are
//! added first.
//!
//! Domain: |tau| <= 1. Tests: `prop_velocity_is_the_derivative`, `prop_continuity_across_granules`.
//!
//! # References
//! Newhall, "Numerical representation of planetary ephemerides", Celestial Mechanics 45 (1989).

use crate::astro::constants::DAY;
use crate::base::lanes::{Lanes, Real};
use crate::lane_kernel;

/// The most coefficients of one coordinate; the planetary ephemerides have 6 to 15.
pub(super) const TERMS_MAX: usize = 40;

/// When the granules of a series begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Clock {
    /// The beginning of the first granule, TDB as GMAT's modified Julian date.
    pub(super) first_day: f64,
    /// The length of a granule, days.
    pub(super) granule_days: f64,
    granules_per_day: f64,
}

impl Clock {
    pub(super) fn new(first_day: f64, granule_days: f64) -> Self {
        Clock { first_day, granule_days, granules_per_day: 1.0 / granule_days }
    }

    /// The granule of an instant (TDB) that is not before the first; the caller knows how many there are.
    #[inline]
    pub(super) fn granule(&self, day: f64, seconds: f64) -> u32 {
        (((day - self.first_day) + seconds * (1.0 / DAY)) * self.granules_per_day) as u32
    }

    /// The beginning of a granule, TDB as GMAT's modified Julian date.
    pub(super) fn start(&self, granule: u32) -> f64 {
        self.first_day + f64::from(granule) * self.granule_days
    }
}

/// The coefficients: of each granule in turn those of x, of y, of z (km), the lowest order first.
#[derive(Clone)]
pub(super) enum Numbers {
    /// Little-endian doubles in the program itself.
    Embedded(&'static [u8]),
    /// Read from a kernel.
    Loaded(Vec<f64>),
}

/// The path of one body.
#[derive(Clone)]
pub(super) struct Series {
    pub(super) clock: Clock,
    /// Coefficients of one coordinate.
    pub(super) terms: usize,
    pub(super) granules: u32,
    pub(super) numbers: Numbers,
}

impl Series {
    /// The end of the last granule, TDB as GMAT's modified Julian date.
    pub(super) fn end(&self) -> f64 {
        self.clock.start(self.granules)
    }

    /// Puts the coefficients of a granule, one of those that there are, into one lane of the columns.
    pub(super) fn fill(&self, granule: u32, lane: usize, columns: &mut [Lanes]) {
        let count = 3 * self.terms;
        let begin = granule as usize * count;
        match &self.numbers {
            Numbers::Loaded(numbers) => {
                for (column, number) in columns.iter_mut().zip(&numbers[begin..begin + count]) {
                    column.0[lane] = *number;
                }
            }
            Numbers::Embedded(bytes) => {
                let (words, _) = bytes[begin * 8..(begin + count) * 8].as_chunks::<8>();
                for (column, word) in columns.iter_mut().zip(words) {
                    column.0[lane] = f64::from_le_bytes(*word);
                }
            }
        }
    }
}

lane_kernel!(
    /// T_k at an instant (TDB day and seconds) in the granules that begin at `start`, for all k of `values`.
    pub(super) fn polynomials(
        day: &Lanes,
        seconds: &Lanes,
        start: &Lanes,
        two_over_days: f64,
        values: &mut [Lanes],
    ) = chebyshev
);

#[inline(always)]
fn chebyshev<T: Real>(
    first: usize,
    day: &Lanes,
    seconds: &Lanes,
    start: &Lanes,
    two_over_days: f64,
    values: &mut [Lanes],
) {
    let whole = T::load(day, first) - T::load(start, first);
    let days = T::load(seconds, first).mul_add(T::splat(1.0 / DAY), whole);
    let tau = days.mul_add(T::splat(two_over_days), T::splat(-1.0));
    let two_tau = tau + tau;
    let (mut before, mut last) = (tau, T::splat(1.0)); // T_(-1) = T_1
    for value in values {
        last.store(value, first);
        // T_1 = 2 tau - tau is exact
        (before, last) = (last, two_tau.mul_add(last, -before));
    }
}

lane_kernel!(
    /// T'_k, from T_k, times `scale`, the change of tau in a second.
    pub(super) fn slopes(scale: f64, values: &[Lanes], slopes: &mut [Lanes]) = chebyshev_slopes
);

#[inline(always)]
fn chebyshev_slopes<T: Real>(first: usize, scale: f64, values: &[Lanes], slopes: &mut [Lanes]) {
    let tau = if values.len() > 1 { T::load(&values[1], first) } else { T::splat(0.0) };
    let two_tau = tau + tau;
    let (mut before, mut last) = (T::splat(1.0), T::splat(0.0)); // T'_(-1) = T'_1
    for (slope, value) in slopes.iter_mut().zip(values) {
        (last * T::splat(scale)).store(slope, first);
        let value = T::load(value, first);
        (before, last) = (last, two_tau.mul_add(last, (value + value) - before));
    }
}

lane_kernel!(
    /// The three sums of `columns` (x, y, z one after the other) with the T_k or T'_k.
    pub(super) fn sums(values: &[Lanes], columns: &[Lanes], out: &mut [Lanes; 3]) = products
);

#[inline(always)]
fn products<T: Real>(first: usize, values: &[Lanes], columns: &[Lanes], out: &mut [Lanes; 3]) {
    let terms = columns.len() / 3;
    let values = &values[..terms];
    let (x, rest) = columns.split_at(terms);
    let (y, z) = rest.split_at(terms);
    let z = &z[..terms];
    let mut sum = [T::splat(0.0); 3];
    for k in (0..terms).rev() {
        let value = T::load(&values[k], first);
        sum = [
            T::load(&x[k], first).mul_add(value, sum[0]),
            T::load(&y[k], first).mul_add(value, sum[1]),
            T::load(&z[k], first).mul_add(value, sum[2]),
        ];
    }
    for (coordinate, total) in out.iter_mut().zip(sum) {
        total.store(coordinate, first);
    }
}

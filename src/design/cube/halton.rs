//! The Halton sequence, plain or with its digits permuted.
//!
//! Coordinate d of point i has the digits of i in base p_d, the prime number d, mirrored at the
//! point. Scrambled, each digit goes through a random permutation of its own for its place and dimension;
//! the zeros that follow do so too. Any b^k points in a row have one in each interval of length b^-k.
//!
//! # References
//! J. H. Halton, Numerische Mathematik 2 (1960), 84-90; A. B. Owen: A Randomized Halton Algorithm in R
//! (2017), arXiv:1706.02808. Tests: `val_halton_is_scipys`, `prop_halton_fills_every_interval`.

use super::MAX_POINTS;
use crate::design::random::Key;

/// A Halton sequence.
#[derive(Clone, Debug)]
pub struct Halton {
    skip: u64,
    dimensions: Vec<Dimension>,
}

#[derive(Clone, Debug)]
struct Dimension {
    base: u64,
    /// base^places, at least 2^53.
    all: u64,
    places: usize,
    /// For each place, first digit first, where each digit goes; empty if the sequence is plain.
    orders: Vec<u16>,
}

impl Halton {
    /// The most dimensions: beyond, other sequences are better anyway, and orders cost 10 kB a dimension.
    pub const MAX_DIMENSIONS: usize = 256;

    /// The plain sequence without its first `skip` points. Its very first point is 0 in every dimension, which
    /// no distribution takes; all others are strictly between 0 and 1.
    pub fn plain(dimensions: usize, skip: u64) -> Self {
        assert!(dimensions <= Self::MAX_DIMENSIONS && skip < MAX_POINTS, "{dimensions} dimensions, skip {skip}");
        Halton { skip, dimensions: primes().take(dimensions).map(Dimension::plain).collect() }
    }

    /// The sequence with permuted digits, a dimension for each key.
    pub fn scrambled(keys: &[Key], skip: u64) -> Self {
        let mut plain = Halton::plain(keys.len(), skip);
        for (dimension, key) in plain.dimensions.iter_mut().zip(keys) {
            let key = key.part("scrambling");
            let places = 0..dimension.places as u64;
            dimension.orders = places.flat_map(|place| order(key, place, dimension.base)).collect();
        }
        plain
    }

    /// One coordinate of point number `run` after the skipped ones.
    ///
    /// A plain one may be 0; a scrambled one is strictly between 0 and 1.
    #[inline]
    pub fn coordinate(&self, run: u64, dimension: usize) -> f64 {
        let number = self.skip + run;
        assert!(number < MAX_POINTS, "point {number} of a Halton sequence");
        self.dimensions[dimension].coordinate(number)
    }
}

impl Dimension {
    fn plain(base: u64) -> Self {
        let (mut places, mut all) = (0, 1);
        while all < MAX_POINTS {
            all *= base; // below 2^53 times 1619, the last of the primes
            places += 1;
        }
        Dimension { base, all, places, orders: Vec::new() }
    }

    #[inline]
    fn coordinate(&self, number: u64) -> f64 {
        let mut rest = number;
        let mut mirrored = 0;
        if self.orders.is_empty() {
            let mut all = 1;
            while rest > 0 {
                mirrored = mirrored * self.base + rest % self.base;
                rest /= self.base;
                all *= self.base;
            }
            return mirrored as f64 / all as f64;
        }
        for order in self.orders.chunks_exact(self.base as usize) {
            mirrored = mirrored * self.base + u64::from(order[(rest % self.base) as usize]);
            rest /= self.base;
        }
        middle(mirrored, self.all)
    }
}

/// The middle of interval number `mirrored` of `all`, not rounded to 1.
#[inline]
pub(super) fn middle(mirrored: u64, all: u64) -> f64 {
    ((mirrored as f64 + 0.5) / all as f64).min(1.0 - f64::EPSILON / 2.0)
}

/// The digits in a random order, every order equally likely within 2^-53: Fisher and Yates.
fn order(key: Key, place: u64, base: u64) -> Vec<u16> {
    let mut digits: Vec<u16> = (0..base as u16).collect();
    for last in (1..digits.len()).rev() {
        let other = ((u128::from(key.bits(place, last as u64)) * (last as u128 + 1)) >> 64) as usize;
        digits.swap(last, other);
    }
    digits
}

fn primes() -> impl Iterator<Item = u64> {
    let is_prime = |n: &u64| (2..=n.isqrt()).all(|d| !n.is_multiple_of(d));
    (2..).filter(is_prime)
}

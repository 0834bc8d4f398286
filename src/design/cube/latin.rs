//! Latin hypercube: each dimension is cut into as many strata as there are points, each has one point.
//!
//! # References
//! McKay, Beckman, Conover: A Comparison of Three Methods for Selecting Values of Input Variables,
//! Technometrics 21 (1979), 239-245. Tests: `prop_every_stratum_has_one_point`.

use super::Permutation;
use crate::design::random::Key;

/// A Latin hypercube of n points.
#[derive(Clone, Debug, PartialEq)]
pub struct LatinHypercube {
    count: u64,
    centred: bool,
    /// For each dimension the order of the strata and the source of the places within them.
    dimensions: Vec<(Permutation, Key)>,
}

impl LatinHypercube {
    /// n = `count` points from 1 to 2^53, a dimension for each key; `centred` ones stand in the middle
    /// of their stratum, others anywhere in it.
    pub fn new(keys: &[Key], count: u64, centred: bool) -> Self {
        let dimension = |key: &Key| (Permutation::new(key.part("stratum"), count), key.part("place"));
        LatinHypercube { count, centred, dimensions: keys.iter().map(dimension).collect() }
    }

    /// The number of points.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// One coordinate of point number `run`, strictly between 0 and 1.
    #[inline]
    pub fn coordinate(&self, run: u64, dimension: usize) -> f64 {
        let (order, place) = &self.dimensions[dimension];
        let within = if self.centred { 0.5 } else { place.uniform(run, 0) };
        in_stratum(order.at(run), within, self.count)
    }
}

/// (stratum + within) / n, not rounded out of the stratum.
#[inline]
pub(super) fn in_stratum(stratum: u64, within: f64, count: u64) -> f64 {
    let n = count as f64;
    let value = (stratum as f64 + within) / n;
    let end = (stratum + 1) as f64 / n;
    if value < end { value } else { end.next_down() }
}

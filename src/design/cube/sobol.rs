//! The Sobol sequence, plain or with Owen's scrambling.
//!
//! Point i is the XOR of the direction numbers of the bits of i's Gray code. Scrambled, each binary digit
//! of a coordinate is flipped or not by a random bit of its own for every value of the digits before it
//! (nested uniform scrambling): each point is then uniform in the cube, and every elementary interval keeps
//! its exact number of points. The random bits of six digits come from one word: digit k below the
//! leading digits p of the group reads bit number 2^k + (the k digits between) of the word of p.
//!
//! # References
//! S. Joe, F. Y. Kuo: Constructing Sobol Sequences with Better Two-Dimensional Projections, SIAM J. Sci.
//! Comput. 30 (2008), 2635-2654, direction numbers new-joe-kuo-6; A. B. Owen: Randomly Permuted (t,m,s)-Nets
//! and (t,s)-Sequences, LNS 106 (1995), 299-317. Tests: `val_sobol_is_scipys`,
//! `prop_scrambled_sobol_keeps_every_elementary_interval`.

use super::MAX_POINTS;
use crate::design::random::{Key, uniform};

/// Lines "d s a m_1 ... m_s" from d = 2 on, as the authors publish them.
const DIRECTIONS: &str = include_str!("../../../data/sobol/new-joe-kuo-6.1111");
/// Binary digits of a point's number, and of its coordinates.
const NUMBER_DIGITS: usize = 54;
const DIGITS: u32 = 64;
/// Digits that share a random word: 2^6 - 1 bits of it are used.
const GROUP: u32 = 6;

/// A Sobol sequence.
#[derive(Clone, Debug)]
pub struct Sobol {
    skip: u64,
    /// For each dimension the direction numbers, highest digit first.
    directions: Vec<[u64; NUMBER_DIGITS]>,
    /// The keys of the scrambling; none of a plain sequence.
    keys: Vec<Key>,
}

impl Sobol {
    /// The most dimensions.
    pub const MAX_DIMENSIONS: usize = 1111;

    /// The plain sequence without its first `skip` points. Its very first point is 0 in every dimension, which
    /// no distribution takes; all others are strictly between 0 and 1.
    pub fn plain(dimensions: usize, skip: u64) -> Self {
        assert!(dimensions <= Self::MAX_DIMENSIONS && skip < MAX_POINTS, "{dimensions} dimensions, skip {skip}");
        let lines = DIRECTIONS.lines().skip(1).map(directions);
        let first = std::array::from_fn(|i| 1 << (63 - i));
        Sobol { skip, directions: std::iter::once(first).chain(lines).take(dimensions).collect(), keys: Vec::new() }
    }

    /// The sequence with a scrambling of its own for each key, that is for each dimension.
    pub fn scrambled(keys: &[Key], skip: u64) -> Self {
        let keys: Vec<Key> = keys.iter().map(|key| key.part("scrambling")).collect();
        let plain = Sobol::plain(keys.len(), skip);
        Sobol { keys, ..plain }
    }

    /// One coordinate of point number `run` after the skipped ones.
    ///
    /// A plain one is exact to 2^-53 and may be 0; a scrambled one is strictly between 0 and 1.
    #[inline]
    pub fn coordinate(&self, run: u64, dimension: usize) -> f64 {
        let digits = self.digits(run, dimension);
        match self.keys.get(dimension) {
            Some(key) => uniform(scramble(digits, *key)),
            None => (digits >> 11) as f64 / (1_u64 << 53) as f64,
        }
    }

    /// The binary digits of a coordinate before scrambling, the first in the highest bit.
    #[inline]
    fn digits(&self, run: u64, dimension: usize) -> u64 {
        let number = self.skip + run;
        assert!(number < MAX_POINTS, "point {number} of a Sobol sequence");
        let directions = &self.directions[dimension];
        let mut gray = number ^ (number >> 1);
        let mut digits = 0;
        while gray != 0 {
            digits ^= directions[gray.trailing_zeros() as usize];
            gray &= gray - 1;
        }
        digits
    }
}

/// The direction numbers of a line of the file: m_k / 2^k, continued by the recurrence of its polynomial
/// x^s + a_1 x^(s-1) + ... + a_(s-1) x + 1, a = the digits a_1 ... a_(s-1).
fn directions(line: &str) -> [u64; NUMBER_DIGITS] {
    let mut words = line.split_ascii_whitespace().map(|word| word.parse::<u64>().unwrap_or_default()).skip(1);
    let (s, a) = (words.next().unwrap_or_default() as usize, words.next().unwrap_or_default());
    let mut v = [0; NUMBER_DIGITS];
    for (i, m) in words.enumerate() {
        v[i] = m << (63 - i);
    }
    for i in s..NUMBER_DIGITS {
        v[i] = v[i - s] ^ (v[i - s] >> s);
        for k in 1..s {
            if a >> (s - 1 - k) & 1 == 1 {
                v[i] ^= v[i - k];
            }
        }
    }
    v
}

/// Owen's scrambling of the first 54 digits; those after are random bits.
#[inline]
pub(super) fn scramble(digits: u64, key: Key) -> u64 {
    let mut flips = 0;
    for group in 0..NUMBER_DIGITS as u32 / GROUP {
        let before = group * GROUP;
        let leading = digits.checked_shr(DIGITS - before).unwrap_or(0);
        let word = key.bits(leading, u64::from(group));
        for k in 0..GROUP {
            let between = (digits << before).checked_shr(DIGITS - k).unwrap_or(0);
            flips |= (word >> ((1 << k) + between) & 1) << (DIGITS - 1 - before - k);
        }
    }
    digits ^ flips
}

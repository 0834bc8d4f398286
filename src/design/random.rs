//! Random numbers that are computed, not drawn: each from (seed, name, run, number of the draw) alone.
//!
//! A [`Key`] is the seed together with a name, mostly a parameter's path. Its random bits for a run
//! come from a counter-based generator, so that any rank may compute any run in any order, and so
//! that another parameter or another number of runs changes no draw.
//!
//! # References
//! Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3, SC11 (2011), Philox4x64-10.
//! Tests: `val_philox_is_numpys`, `val_keys_are_sha256`.

use sha2::{Digest, Sha256};

/// The two multipliers of a round.
const MULTIPLIERS: [u64; 2] = [0xD2E7_470E_E14C_6C93, 0xCA5A_8263_9512_1157];
/// What is added to the key from round to round: the golden ratio and the square root of 3, less 1.
const WEYL: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xBB67_AE85_84CA_A73B];
const ROUNDS: usize = 10;

/// Four random words for a counter: a permutation of all counters, chosen by the key.
#[inline]
pub fn philox(mut key: [u64; 2], counter: [u64; 4]) -> [u64; 4] {
    let [mut a, mut b, mut c, mut d] = counter;
    for round in 0..ROUNDS {
        if round > 0 {
            key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
        }
        let left = u128::from(a) * u128::from(MULTIPLIERS[0]);
        let right = u128::from(c) * u128::from(MULTIPLIERS[1]);
        a = (right >> 64) as u64 ^ b ^ key[0];
        b = right as u64;
        c = (left >> 64) as u64 ^ d ^ key[1];
        d = left as u64;
    }
    [a, b, c, d]
}

/// A double strictly between 0 and 1 from random bits: (k + 1/2) / 2^52, where k are the first 52 bits.
///
/// One bit more would round the largest to 1. The smallest is 2^-53, the largest 1 - 2^-53; u and
/// 1 - u are equally likely and both exact.
#[inline]
pub fn uniform(bits: u64) -> f64 {
    ((bits >> 12) as f64 + 0.5) * (1.0 / (1_u64 << 52) as f64)
}

/// A seed and a name: the source of the random numbers of one parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key([u64; 2]);

impl Key {
    /// The key of a name under a seed: the first 128 bits of SHA-256 of the seed and the name.
    ///
    /// Hashed are the 8 bytes of the seed, lowest first, then the name in UTF-8; the words of the key
    /// are read from the hash lowest byte first.
    pub fn new(seed: u64, name: &str) -> Self {
        Key::hashed(&seed.to_le_bytes(), name)
    }

    /// The key of something else that is random about the same parameter, such as the place in a stratum.
    #[must_use]
    pub fn part(self, name: &str) -> Self {
        let [low, high] = self.0.map(u64::to_le_bytes);
        Key::hashed(&[low, high].concat(), name)
    }

    fn hashed(bytes: &[u8], name: &str) -> Self {
        let hash = Sha256::new().chain_update(bytes).chain_update(name.as_bytes()).finalize();
        let word = |at: usize| hash[at..at + 8].iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        Key([word(0), word(8)])
    }

    /// 64 random bits: draw number `draw` of a run.
    #[inline]
    pub fn bits(self, run: u64, draw: u64) -> u64 {
        philox(self.0, [run, draw, 0, 0])[0]
    }

    /// A double strictly between 0 and 1, see [`uniform`].
    #[inline]
    pub fn uniform(self, run: u64, draw: u64) -> f64 {
        uniform(self.bits(run, draw))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VECTORS: &str = include_str!("../../tests/reference/random/philox.txt");

    fn words(text: &str) -> Vec<u64> {
        text.split_whitespace().map(|word| u64::from_str_radix(word, 16).unwrap()).collect()
    }

    #[test]
    fn val_philox_is_numpys() {
        let mut seen = 0;
        for line in VECTORS.lines().filter_map(|line| line.strip_prefix("philox ")) {
            let line = words(line);
            let ([k0, k1, c0, c1, c2, c3], expected) = (&line[..6], &line[6..]) else { panic!("{line:?}") };
            assert_eq!(philox([*k0, *k1], [*c0, *c1, *c2, *c3]), expected, "{line:x?}");
            seen += 1;
        }
        assert_eq!(seen, 12);
    }

    #[test]
    fn val_keys_are_sha256() {
        let mut seen = 0;
        for line in VECTORS.lines().filter_map(|line| line.strip_prefix("key ")) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let [seed, name, run, draw, rest @ ..] = fields.as_slice() else { panic!("{line}") };
            let number = |text: &str| text.parse::<u64>().unwrap();
            let expected = words(&rest.join(" "));
            let key = Key::new(number(seed), name);
            assert_eq!([key.0[0], key.0[1], key.bits(number(run), number(draw))], *expected, "{line}");
            seen += 1;
        }
        assert_eq!(seen, 6);
    }

    #[test]
    #[expect(clippy::float_cmp)] // exact
    fn doubles_stay_between_0_and_1() {
        assert_eq!(uniform(0), f64::EPSILON / 2.0);
        assert_eq!(uniform(u64::MAX), 1.0 - f64::EPSILON / 2.0);
        assert_eq!(uniform(u64::MAX / 2), 0.5 - f64::EPSILON / 2.0);
        assert_eq!(uniform(1 << 63), 0.5 + f64::EPSILON / 2.0);
        for bits in [0, 1, 0x1234_5678_9abc_def0, u64::MAX / 3, u64::MAX] {
            assert_eq!(uniform(bits) + uniform(!bits), 1.0);
        }
    }

    #[test]
    fn names_seeds_runs_draws_and_parts_all_count() {
        let key = Key::new(1, "Sat.SMA");
        let others = [Key::new(2, "Sat.SMA"), Key::new(1, "Sat.ECC"), Key::new(1, ""), key.part("a"), key.part("b")];
        let mut all: Vec<u64> = others.iter().map(|other| other.bits(7, 0)).collect();
        all.extend([key.bits(7, 0), key.bits(8, 0), key.bits(7, 1), key.bits(0, 7), key.bits(7 + (1 << 40), 0)]);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 10);
    }

    /// 2^16 draws of a parameter: counts of 256 boxes by chi square (255 degrees of freedom), neighbours
    /// in run, draw and name without correlation. Each bound is 5 standard deviations.
    #[test]
    fn prop_draws_are_uniform_and_independent() {
        const COUNT: u64 = 1 << 16;
        let key = Key::new(20, "Sat.SMA");
        let other = Key::new(20, "Sat.ECC");
        let mut boxes = [0_u32; 256];
        let mut products = [0.0; 3];
        for run in 0..COUNT {
            let u = key.uniform(run, 0) - 0.5;
            boxes[((u + 0.5) * 256.0) as usize] += 1;
            let others = [key.uniform(run + 1, 0), key.uniform(run, 1), other.uniform(run, 0)];
            for (sum, v) in products.iter_mut().zip(others) {
                *sum += u * (v - 0.5);
            }
        }
        let expected = COUNT as f64 / 256.0;
        let chi: f64 = boxes.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
        assert!((chi - 255.0).abs() < 5.0 * (2.0 * 255.0_f64).sqrt(), "{chi}");
        for sum in products {
            // A product of two has the variance 1/144.
            assert!(sum.abs() < 5.0 * (COUNT as f64 / 144.0).sqrt(), "{products:?}");
        }
    }
}

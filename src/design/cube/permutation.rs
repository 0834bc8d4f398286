//! A random order of 0, 1, ..., n - 1 that is computed, not stored.
//!
//! i is written as (left, right) in a rectangle of about sqrt(n) x sqrt(n) places; each round moves
//! left by a random number that hangs on right, or right by one that hangs on left. Every
//! round can be undone, so no two i end in one place. The few places beyond n - 1 are walked through.
//!
//! # References
//! J. Black, P. Rogaway: Ciphers with Arbitrary Finite Domains, CT-RSA 2002 (the generalised Feistel
//! cipher and the walk); D. Stafford's variant 13 of the finalizer of MurmurHash3 mixes within a round.
//! Tests: `prop_permutations_are_exact`, `prop_all_orders_are_equally_likely`.

use crate::design::random::Key;

/// Rounds on each side, for more than [`FEW`] numbers and for few: these need more until all orders are
/// equally likely.
const ROUNDS: [usize; 2] = [6, 20];
const FEW: u64 = 256;

/// A permutation of 0, 1, ..., n - 1, chosen by a key.
#[derive(Clone, Debug, PartialEq)]
pub struct Permutation {
    count: u64,
    /// Places of left and right: left * right >= count.
    sides: [u64; 2],
    keys: Vec<[u64; 2]>,
}

impl Permutation {
    /// The permutation of n = `count` numbers that belongs to a key, n from 1 to 2^53.
    pub fn new(key: Key, count: u64) -> Self {
        assert!((1..=super::MAX_POINTS).contains(&count), "a permutation of {count}");
        let root = count.isqrt();
        let left = if root * root < count { root + 1 } else { root };
        let rounds = 0..ROUNDS[usize::from(count <= FEW)] as u64;
        let keys = rounds.map(|round| [key.bits(round, 0), key.bits(round, 1)]).collect();
        Permutation { count, sides: [left, count.div_ceil(left)], keys }
    }

    /// Where number i goes.
    #[inline]
    pub fn at(&self, index: u64) -> u64 {
        assert!(index < self.count, "number {index} of a permutation of {}", self.count);
        let [lefts, rights] = self.sides;
        let mut place = index;
        loop {
            let (mut left, mut right) = (place / rights, place % rights);
            for keys in &self.keys {
                left = moved(left, lefts, mixed(right, keys[0]));
                right = moved(right, rights, mixed(left, keys[1]));
            }
            place = left * rights + right;
            if place < self.count {
                return place;
            }
        }
    }
}

/// `place` moved on within `places` by a number that random bits choose, evenly within 2^-37.
#[inline]
fn moved(place: u64, places: u64, bits: u64) -> u64 {
    let sum = place + ((u128::from(bits) * u128::from(places)) >> 64) as u64;
    if sum < places { sum } else { sum - places }
}

#[inline]
fn mixed(place: u64, key: u64) -> u64 {
    let mut bits = place.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(key);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

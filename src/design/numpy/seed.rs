//! Seeds as numpy's `SeedSequence` makes them: whole numbers mixed into 128 bits, and words drawn from these.
//!
//! Only addition, multiplication, shift and exclusive or of 32-bit words: the same on every machine.
//!
//! # References
//! - M. E. O'Neill, Developing a seed_seq alternative (2015), pcg-random.org; numpy NEP 19 and `bit_generator.pyx`
//!   (MIT) for the constants and for how spawn keys are appended.

use sha2::{Digest, Sha256};

/// The most decimal digits of a seed: a limit against a hostile config, far above the 39 of 128 random bits.
const MAX_DIGITS: usize = 1000;

/// A whole number >= 0 of any size, as the words that numpy mixes: 32 bits each, the lowest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    words: Vec<u32>,
}

impl From<u64> for Seed {
    fn from(number: u64) -> Self {
        let (low, high) = words_of(number);
        let mut words = vec![low];
        words.extend(high);
        Self { words }
    }
}

impl Seed {
    /// Reads decimal digits, at most 1000 of them; anything else gives none.
    pub fn from_decimal(text: &str) -> Option<Self> {
        if text.is_empty() || text.len() > MAX_DIGITS || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let mut words = vec![0_u32];
        for byte in text.bytes() {
            let mut carry = u64::from(byte - b'0');
            for word in &mut words {
                let sum = u64::from(*word) * 10 + carry;
                *word = sum as u32;
                carry = sum >> 32;
            }
            if carry > 0 {
                words.push(carry as u32);
            }
        }
        Some(Self { words })
    }

    /// The words, the lowest first: one for 0, none of the others ends in 0.
    pub(super) fn words(&self) -> &[u32] {
        &self.words
    }
}

/// The words of a number: one below 2^32, else two.
fn words_of(number: u64) -> (u32, Option<u32>) {
    (number as u32, (number >> 32 > 0).then_some((number >> 32) as u32))
}

/// The 128 bits that a seed was mixed into. More words can be mixed in: those of a spawn key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pool {
    words: [u32; 4],
    factor: u32,
}

impl Pool {
    /// Mixes the words of a seed; fewer than four are filled up with 0.
    pub(super) fn new(seed: &[u32]) -> Self {
        let mut pool = Self { words: [0; 4], factor: 0x43b0_d7e5 };
        for at in 0..4 {
            pool.words[at] = pool.hash(seed.get(at).copied().unwrap_or(0));
        }
        for from in 0..4 {
            for to in (0..4).filter(|&to| to != from) {
                pool.words[to] = mix(pool.words[to], pool.hash(pool.words[from]));
            }
        }
        seed.iter().skip(4).fold(pool, |pool, &word| pool.with(word))
    }

    /// Mixes one more word in.
    fn with(mut self, word: u32) -> Self {
        for to in 0..4 {
            self.words[to] = mix(self.words[to], self.hash(word));
        }
        self
    }

    /// The pool of the child that `spawn` numbers so: its number is one or two more words.
    pub(super) fn child(self, number: u64) -> Self {
        let (low, high) = words_of(number);
        let child = self.with(low);
        high.map_or(child, |word| child.with(word))
    }

    /// The first `N` words of 32 bits that numpy's `generate_state` gives.
    pub(super) fn state<const N: usize>(&self) -> [u32; N] {
        let mut factor = 0x8b51_f9dd_u32;
        std::array::from_fn(|at| {
            let word = self.words[at % 4] ^ factor;
            factor = factor.wrapping_mul(0x58f3_8ded);
            fold(word.wrapping_mul(factor))
        })
    }

    /// Scrambles a word with a factor that is another for every call.
    fn hash(&mut self, word: u32) -> u32 {
        let word = word ^ self.factor;
        self.factor = self.factor.wrapping_mul(0x931e_8875);
        fold(word.wrapping_mul(self.factor))
    }
}

/// Joins two scrambled words.
fn mix(one: u32, other: u32) -> u32 {
    fold(one.wrapping_mul(0xca01_f9dd).wrapping_sub(other.wrapping_mul(0x4973_f715)))
}

/// Brings the upper half of a word into its lower half.
fn fold(word: u32) -> u32 {
    word ^ (word >> 16)
}

/// What stands for a parameter's name in its seed: the first four bytes of its SHA-256, big-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameWord(pub(super) u32);

impl NameWord {
    /// The word of a name, taken in UTF-8.
    pub fn of(name: &str) -> Self {
        let digest = Sha256::digest(name.as_bytes());
        Self(u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_the_same_from_a_number_and_from_its_digits() {
        for number in [0, 1, 42, u64::from(u32::MAX), 1 << 32, u64::MAX] {
            assert_eq!(Seed::from_decimal(&number.to_string()), Some(Seed::from(number)), "{number}");
        }
        // The number and its words stand in the documentation of numpy's own function.
        let large = Seed::from_decimal("1234567890123456789012345678901234567890").unwrap();
        assert_eq!(large.words(), [3_460_238_034, 2_898_026_390, 3_235_640_248, 2_697_535_605, 3]);
        assert_eq!(Seed::from_decimal("007"), Some(Seed::from(7)));
    }

    #[test]
    fn what_is_no_decimal_number_is_no_seed() {
        for text in ["", "-1", "+1", "1.0", " 1", "0x10", "1e3", "\u{0661}", &"9".repeat(1001)] {
            assert_eq!(Seed::from_decimal(text), None, "{text}");
        }
        assert!(Seed::from_decimal(&"9".repeat(1000)).is_some());
    }
}

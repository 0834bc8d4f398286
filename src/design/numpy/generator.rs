//! numpy's default generator: PCG64, and what is made of its words without a function of the C library.
//!
//! # References
//! - M. E. O'Neill, PCG: a family of simple fast space-efficient statistically good algorithms for random number
//!   generation, HMC-CS-2014-0905: the member XSL RR 128/64.

use super::seed::Pool;

/// The multiplier of the 128-bit congruential generator.
const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

/// A generator of 64-bit words, seeded as `numpy.random.default_rng` does.
#[derive(Clone, Debug)]
pub(super) struct Generator {
    state: u128,
    increment: u128,
    /// The upper half of a word whose lower half was taken.
    half: Option<u32>,
}

impl Generator {
    /// The generator of a mixed seed.
    pub(super) fn new(pool: &Pool) -> Self {
        let words = pool.state::<8>();
        let [start, sequence] = [0, 4].map(|at| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|next| u128::from(words[at + next]));
            (b << 96) | (a << 64) | (d << 32) | c
        });
        let mut generator = Self { state: 0, increment: (sequence << 1) | 1, half: None };
        generator.step();
        generator.state = generator.state.wrapping_add(start);
        generator.step();
        generator
    }

    fn step(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }

    /// The next 64 bits.
    pub(super) fn word(&mut self) -> u64 {
        self.step();
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        folded.rotate_right((self.state >> 122) as u32)
    }

    /// The next 32 bits: both halves of a word are used, the lower one first.
    fn half_word(&mut self) -> u32 {
        self.half.take().unwrap_or_else(|| {
            let word = self.word();
            self.half = Some((word >> 32) as u32);
            word as u32
        })
    }

    /// The next number in [0, 1): a multiple of 2^-53.
    pub(super) fn uniform(&mut self) -> f64 {
        (self.word() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// A whole number from 0 to `last`: bits are drawn until they are no larger.
    fn up_to(&mut self, last: u32) -> u32 {
        if last == 0 {
            return 0;
        }
        let mask = u32::MAX >> last.leading_zeros();
        loop {
            let number = self.half_word() & mask;
            if number <= last {
                return number;
            }
        }
    }

    /// Shuffles as numpy does: from the last place down, each with a place not above it.
    pub(super) fn shuffle(&mut self, items: &mut [u32]) {
        for last in (1..items.len()).rev() {
            let other = self.up_to(last as u32) as usize;
            items.swap(last, other);
        }
    }
}

//! The seeded random numbers of .NET's `System.Random`: Knuth's subtractive generator.
//!
//! # References
//! Knuth, The Art of Computer Programming, volume 2, section 3.2.2; the documentation of
//! `System.Random` names it and keeps its numbers for a given seed.

const BIG: i32 = i32::MAX;
const SEED: i32 = 161_803_398;
const LAGS: (usize, usize) = (55, 21);

/// The generator that `new Random(seed)` makes.
#[derive(Clone, Debug)]
pub struct Random {
    /// Places 1 to 55; place 0 stays unused, as in the book.
    state: [i32; LAGS.0 + 1],
    next: usize,
    back: usize,
}

impl Random {
    /// The generator of this seed; a seed and its negative give the same numbers.
    pub fn new(seed: i32) -> Self {
        let (long, short) = LAGS;
        let mut state = [0; LAGS.0 + 1];
        let mut last = SEED.wrapping_sub(seed.checked_abs().unwrap_or(BIG));
        let mut value = 1;
        state[long] = last;
        for i in 1..long {
            let place = short * i % long;
            state[place] = value;
            value = up(last.wrapping_sub(value));
            last = state[place];
        }
        for _ in 0..4 {
            for i in 1..=long {
                state[i] = up(state[i].wrapping_sub(state[1 + (i + 30) % long]));
            }
        }
        Random { state, next: 0, back: short }
    }

    /// An integer in `0 ..= 2^31 - 2`.
    pub fn next_int(&mut self) -> i32 {
        self.next = step(self.next);
        self.back = step(self.back);
        let mut value = self.state[self.next].wrapping_sub(self.state[self.back]);
        if value == BIG {
            value -= 1;
        }
        let value = up(value);
        self.state[self.next] = value;
        value
    }

    /// A double in `0 <= x < 1`: the integer over `2^31 - 1`, as a product with the reciprocal.
    pub fn next_double(&mut self) -> f64 {
        f64::from(self.next_int()) * (1.0 / f64::from(BIG))
    }

    /// Fills a buffer; every byte takes one integer, of which it is the lowest eight bits.
    pub fn next_bytes(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte = self.next_int() as u8;
        }
    }
}

fn up(value: i32) -> i32 {
    if value < 0 { value.wrapping_add(BIG) } else { value }
}

fn step(place: usize) -> usize {
    if place == LAGS.0 { 1 } else { place + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn val_first_numbers_of_known_seeds() {
        // Widely printed: new Random(42) and new Random(0) of .NET.
        let mut random = Random::new(42);
        let first: Vec<i32> = (0..3).map(|_| random.next_int()).collect();
        assert_eq!(first, [1_434_747_710, 302_596_119, 269_548_474]);
        let mut random = Random::new(0);
        assert_eq!(random.next_int(), 1_559_595_546);
        let mut random = Random::new(0);
        assert!((random.next_double() - 0.726_243_269_967_959_8).abs() < 1e-15);
    }

    #[test]
    fn prop_range_bytes_and_negative_seeds() {
        for seed in [0, 1, -1, 161_803_398, i32::MAX, i32::MIN, i32::MIN + 1] {
            let mut random = Random::new(seed);
            let mut again = random.clone();
            let mut negative = Random::new(seed.checked_neg().unwrap_or(i32::MAX));
            let mut bytes = [0; 1000];
            again.next_bytes(&mut bytes);
            for byte in bytes {
                let value = random.next_int();
                assert!((0..i32::MAX).contains(&value), "{value}");
                assert_eq!(value as u8, byte);
                assert_eq!(value, negative.next_int());
            }
        }
    }
}

//! `rand` and `randn` behind `SetSeed`: the Mersenne twister, as GMAT draws from it.
//!
//! rand = (a + b 2^32) / 2^64 of two numbers of 32 bits. randn is the polar method of Marsaglia,
//! y sqrt(-2 ln r / r) with x and y evenly in (-1, 1) and r = x^2 + y^2 in (0, 1]; its second number is thrown away.
//!
//! # References
//! Matsumoto, Nishimura, *Mersenne Twister*, ACM TOMACS 8 (1998), 3. Test: `val_random_numbers_of_gmat`.

const SIZE: usize = 624;
const SHIFT: usize = 397;

/// A generator; without numbers before it gets a seed.
#[derive(Clone, Debug, Default)]
pub(super) struct Random {
    state: Vec<u32>,
    next: usize,
}

impl Random {
    /// No seed.
    pub(super) fn clear(&mut self) {
        self.state.clear();
    }

    /// Begins anew.
    pub(super) fn seed(&mut self, seed: u32) {
        self.state.clear();
        let mut word = seed;
        self.state.push(word);
        for place in 1..SIZE as u32 {
            word = (word ^ (word >> 30)).wrapping_mul(1_812_433_253).wrapping_add(place);
            self.state.push(word);
        }
        self.next = SIZE;
    }

    /// Evenly distributed from 0 to 1; NaN without a seed.
    pub(super) fn even(&mut self) -> f64 {
        if self.state.is_empty() {
            return f64::NAN;
        }
        let (low, high) = (self.word(), self.word());
        (f64::from(low) + f64::from(high) * 4_294_967_296.0) / 18_446_744_073_709_551_616.0
    }

    /// Normally distributed; NaN without a seed.
    pub(super) fn normal(&mut self) -> f64 {
        loop {
            let x = 2.0 * self.even() - 1.0;
            let y = 2.0 * self.even() - 1.0;
            let r = x * x + y * y;
            if r.is_nan() || r > 0.0 && r <= 1.0 {
                return y * (-2.0 * libm::log(r) / r).sqrt();
            }
        }
    }

    fn word(&mut self) -> u32 {
        if self.next == SIZE {
            self.next = 0;
            for place in 0..SIZE {
                let upper = self.state[place] & 0x8000_0000 | self.state[(place + 1) % SIZE] & 0x7fff_ffff;
                let turn = if upper & 1 == 0 { 0 } else { 0x9908_b0df };
                self.state[place] = self.state[(place + SHIFT) % SIZE] ^ (upper >> 1) ^ turn;
            }
        }
        let mut word = self.state[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::printf;

    #[test]
    fn val_random_numbers_of_gmat() {
        // SetSeed(1) of the engine
        let mut random = Random::default();
        assert!(random.even().is_nan() && random.normal().is_nan());
        let written = |number: f64| {
            let mut text = String::new();
            printf::general(number, 16, false, &mut text);
            text
        };
        random.seed(1);
        assert_eq!([0; 2].map(|_| written(random.even())), ["0.9971848082302656", "0.9325573613681655"]);
        random.seed(1);
        assert_eq!([0; 2].map(|_| written(random.normal())), ["-0.5497461789554496", "1.58275229197514"]);
    }
}

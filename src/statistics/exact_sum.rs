//! A sum of doubles without rounding.
//!
//! The sum is a fixed-point number wide enough for every double: chunk i counts units of 2^(32 i - 1074). A double
//! adds to two or three chunks; chunks are 64 bits wide and carry into each other only every 2^30 sums.
//!
//! # References
//! Neal: Fast exact summation using small and large superaccumulators (2015), the small one.

use std::cmp::Ordering;

/// Chunks for 2^-1074 to 2^1024, and for the carries of 2^64 sums.
const CHUNKS: usize = 68;
/// Bits from one chunk to the next.
const BITS: u32 = 32;
/// So many doubles can be added before the chunks may be full: each adds less than 2^32 to a chunk.
const ROOM: u32 = 1 << 30;

/// A sum of doubles; adding has no rounding, so the order does not count.
#[derive(Clone, Debug)]
pub struct ExactSum {
    chunks: [i64; CHUNKS],
    /// Sums that still fit without carrying.
    room: u32,
}

impl Default for ExactSum {
    fn default() -> Self {
        ExactSum { chunks: [0; CHUNKS], room: ROOM }
    }
}

impl ExactSum {
    /// Adds a finite number.
    ///
    /// # Panics
    /// If it is not finite.
    #[inline]
    pub fn add(&mut self, x: f64) {
        assert!(x.is_finite(), "an exact sum of {x}");
        if self.room == 0 {
            self.carry();
        }
        self.room -= 1;
        let bits = x.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as u32;
        let fraction = bits & ((1 << 52) - 1);
        // x = mantissa 2^(shift - 1074); subnormal numbers have no leading one
        let (mantissa, shift) = if exponent == 0 { (fraction, 0) } else { (fraction | 1 << 52, exponent - 1) };
        let (chunk, within) = ((shift / BITS) as usize, shift % BITS);
        let wide = u128::from(mantissa) << within;
        let parts = [wide as u32, (wide >> 32) as u32, (wide >> 64) as u32];
        let negative = bits >> 63 != 0;
        for (sum, part) in self.chunks[chunk..chunk + 3].iter_mut().zip(parts) {
            *sum += if negative { -i64::from(part) } else { i64::from(part) };
        }
    }

    /// Adds a product of two numbers without rounding.
    ///
    /// Where the product's last bits are below 2^-1074 they are lost, the same in any order.
    #[inline]
    pub fn add_product(&mut self, x: f64, y: f64) {
        let (product, rest) = product(x, y);
        self.add(product);
        self.add(rest);
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &ExactSum) {
        let mut other = other.clone();
        other.carry();
        self.carry();
        self.room -= 1;
        for (sum, part) in self.chunks.iter_mut().zip(other.chunks) {
            *sum += part;
        }
    }

    /// Takes carries along, so that every chunk but the last is between 0 and 2^32: one number has one form.
    fn carry(&mut self) {
        let mut carried = 0;
        for chunk in &mut self.chunks[..CHUNKS - 1] {
            let sum = *chunk + carried;
            carried = sum >> BITS;
            *chunk = sum & ((1 << BITS) - 1);
        }
        self.chunks[CHUNKS - 1] += carried;
        self.room = ROOM;
    }

    /// The sum, rounded once to the nearest double, ties to even; infinite where it is beyond all doubles.
    pub fn value(&self) -> f64 {
        let mut sum = self.clone();
        sum.carry();
        let negative = sum.chunks[CHUNKS - 1] < 0;
        if negative {
            sum.chunks.iter_mut().for_each(|chunk| *chunk = -*chunk);
            sum.carry();
        }
        let Some(top) = sum.chunks.iter().rposition(|&chunk| chunk != 0) else { return 0.0 };
        // the upper 96 to 128 bits, and whether anything is below them
        let at = |chunk: usize| sum.chunks.get(chunk).map_or(0, |&chunk| chunk as u128);
        let lowest = top.saturating_sub(3);
        let wide = (lowest..=top).rev().fold(0_u128, |wide, chunk| wide << BITS | at(chunk));
        let below = sum.chunks[..lowest].iter().any(|&chunk| chunk != 0);
        let size = scaled(wide, below, lowest as i32 * BITS as i32 - 1074);
        if negative { -size } else { size }
    }

    /// The sum as doubles that add up to it exactly, the largest first; each is the rest rounded to nearest.
    pub fn expansion(&self) -> Vec<f64> {
        let (mut rest, mut parts) = (self.clone(), Vec::new());
        loop {
            let part = rest.value();
            if part == 0.0 || !part.is_finite() {
                return parts;
            }
            parts.push(part);
            rest.add(-part);
        }
    }

    /// The whole numbers that it consists of: those of two sums may be added where they are merged.
    pub fn words(&self) -> Vec<i64> {
        let mut sum = self.clone();
        sum.carry();
        sum.chunks.to_vec()
    }

    /// A sum from the added words of up to 2^30 sums; none where their number is wrong.
    pub fn from_words(words: &[i64]) -> Option<ExactSum> {
        let mut sum = ExactSum { chunks: words.try_into().ok()?, room: 0 };
        sum.carry();
        Some(sum)
    }
}

/// x y = product + rest.
#[inline]
pub(super) fn product(x: f64, y: f64) -> (f64, f64) {
    let product = x * y;
    (product, x.mul_add(y, -product)) // a fused multiply-add has one result on every machine
}

/// wide 2^exponent, rounded once to nearest, ties to even; `below` says that the number is a little larger.
fn scaled(wide: u128, below: bool, exponent: i32) -> f64 {
    let bits = 128 - wide.leading_zeros();
    // bits that do not fit a double; chunks end at 2^-1074, so that subnormal numbers need no rounding
    let drop = bits.saturating_sub(53);
    let mut mantissa = wide >> drop;
    if drop > 0 {
        let rest = wide & ((1 << drop) - 1);
        let up = match rest.cmp(&(1 << (drop - 1))) {
            Ordering::Less => false,
            Ordering::Equal => below || mantissa & 1 == 1,
            Ordering::Greater => true,
        };
        mantissa += u128::from(up);
    }
    libm::scalbn(mantissa as f64, exponent + drop as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::random::Key;

    fn sum(numbers: &[f64]) -> ExactSum {
        let mut sum = ExactSum::default();
        for &x in numbers {
            sum.add(x);
        }
        sum
    }

    /// The doubles of an exact sum by Shewchuk's algorithm, then rounded as Python's `math.fsum` does.
    fn fsum(numbers: &[f64]) -> f64 {
        let mut parts: Vec<f64> = Vec::new();
        for &number in numbers {
            let (mut x, mut kept) = (number, Vec::new());
            for &y in &parts {
                let (large, small) = if x.abs() < y.abs() { (y, x) } else { (x, y) };
                let high = large + small;
                let low = small - (high - large);
                if low != 0.0 {
                    kept.push(low);
                }
                x = high;
            }
            kept.push(x);
            parts = kept;
        }
        let mut rest = parts.into_iter().rev();
        let (mut high, mut low) = (rest.next().unwrap_or(0.0), 0.0);
        for y in rest.by_ref() {
            let x = high;
            high = x + y;
            low = y - (high - x);
            if low != 0.0 {
                break;
            }
        }
        // half way between two doubles the next part decides
        if let Some(next) = rest.next()
            && ((low < 0.0 && next < 0.0) || (low > 0.0 && next > 0.0))
        {
            let (twice, up) = (2.0 * low, high + 2.0 * low);
            if twice.to_bits() == (up - high).to_bits() {
                high = up;
            }
        }
        high
    }

    /// Doubles of all sizes and both signs, many of them nearly opposite.
    fn numbers(key: Key, count: u64, exponents: u64) -> Vec<f64> {
        let mut all: Vec<f64> = Vec::new();
        for run in 0..count {
            let bits = key.bits(run, 0);
            let exponent = 1023 - exponents / 2 + key.bits(run, 1) % exponents;
            all.push(f64::from_bits(bits & !(0x7ff << 52) | exponent << 52));
            if run % 3 == 0 {
                all.push(-all[all.len() - 1]);
                all.push(f64::from_bits(all[all.len() - 1].to_bits() ^ 1));
            }
        }
        all
    }

    #[test]
    fn prop_rounded_once_in_any_order() {
        for (case, exponents) in [4, 40, 120, 400, 2000].into_iter().enumerate() {
            let mut all = numbers(Key::new(case as u64, "exact"), 400, exponents);
            let expected = fsum(&all);
            assert_eq!(sum(&all).value().to_bits(), expected.to_bits(), "{exponents} exponents");
            all.reverse();
            assert_eq!(sum(&all).value().to_bits(), expected.to_bits());
            let (front, back) = all.split_at(all.len() / 3);
            let mut merged = sum(front);
            merged.merge(&sum(back));
            assert_eq!(merged.value().to_bits(), expected.to_bits());
            let added: Vec<i64> = sum(front).words().iter().zip(sum(back).words()).map(|(a, b)| a + b).collect();
            let added = ExactSum::from_words(&added).unwrap();
            assert_eq!((added.value().to_bits(), added.words()), (expected.to_bits(), merged.words()));
        }
        assert!(ExactSum::from_words(&[1]).is_none());
    }

    #[test]
    fn val_ties_ends_and_what_cancels() {
        let half = f64::EPSILON / 2.0;
        for (all, expected) in [
            (&[][..], 0.0),
            (&[-0.0], 0.0),
            (&[1.0, half], 1.0),
            (&[1.0, half, 5e-324], 1.0 + f64::EPSILON),
            (&[1.0 + f64::EPSILON, half], 1.0 + 2.0 * f64::EPSILON),
            (&[-1.0, -half, -5e-324], -1.0 - f64::EPSILON),
            (&[5e-324, 5e-324, -1e-320], 1e-323 - 1e-320),
            (&[f64::MAX, f64::MAX, -f64::MAX], f64::MAX),
            (&[f64::MAX, f64::MAX], f64::INFINITY),
            (&[-f64::MAX, -f64::MAX], f64::NEG_INFINITY),
            (&[1e16, 1.0, -1e16], 1.0),
            (&[f64::MAX, 5e-324, -f64::MAX], 5e-324),
        ] {
            assert_eq!(sum(all).value().to_bits(), expected.to_bits(), "{all:?}");
        }
    }

    #[test]
    fn prop_an_expansion_is_the_sum() {
        let all = numbers(Key::new(9, "expansion"), 300, 300);
        let parts = sum(&all).expansion();
        assert!(parts.len() > 2 && parts.windows(2).all(|pair| pair[0].abs() > pair[1].abs()), "{parts:?}");
        assert_eq!(sum(&parts).words(), sum(&all).words());
        let mut product = ExactSum::default();
        product.add_product(1.0 + f64::EPSILON, 1.0 + f64::EPSILON);
        assert_eq!(product.expansion(), [1.0 + 2.0 * f64::EPSILON, f64::EPSILON * f64::EPSILON]);
    }

    #[test]
    fn carries_come_in_time() {
        let mut sum = ExactSum { room: 3, ..ExactSum::default() };
        (0..10).for_each(|_| sum.add(f64::from_bits((1023 << 52) - 1)));
        let expected = 10.0 * f64::from_bits((1023 << 52) - 1);
        assert_eq!(sum.value().to_bits(), expected.to_bits());
        assert_eq!(sum.room, ROOM - 7);
    }

    #[test]
    #[should_panic(expected = "an exact sum of NaN")]
    fn not_a_number_is_no_summand() {
        ExactSum::default().add(f64::NAN);
    }
}

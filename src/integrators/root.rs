//! x^(1/n) in lanes, to the last bit: what the step control multiplies step sizes with.
//!
//! The last bit of a step decides how long the next ones are where errors are of rounding only, as they are at
//! the begin of a flight. GMAT computes pow(x, p) with p = 1/n rounded, and the power function of its C library
//! is correctly rounded but for one case in a thousand. So is this one: z = x^(-1/n) by Newton's method,
//! y = x z^(n-1), and one more step of it in twice the precision,
//!
//! y (1 + ((x - y^n) / x + (n p - 1) ln x) / n).
//!
//! Domain: 1e-200 to 1e200; elsewhere `libm::pow`. Test: `val_roots_to_the_last_bit`.
//!
//! # References
//! T. J. Dekker, "A floating-point technique for extending the available precision", Numer. Math. 18, 1971.

use crate::base::lanes::{Isa, Lanes, Real, Vectors};
use crate::lane_kernel;

/// log2(1 + m) = m + 0.344 m (1 - m) and 2^f = 1 + f - 0.344 f (1 - f), to 0.008 and 0.003.
const BEND: f64 = 0.344;

/// x^(1/n) of every lane.
pub(super) fn roots(vectors: Vectors, x: &Lanes, n: u32, y: &mut Lanes) {
    let inside = x.0.map(|x| (1e-200..1e200).contains(&x));
    let kept = Lanes(std::array::from_fn(|lane| if inside[lane] { x.0[lane] } else { 1.0 }));
    let (mut logarithm, mut guess) = (Lanes::default(), Lanes::default());
    for lane in 0..vectors.width() {
        let bits = kept.0[lane].to_bits();
        let exponent = f64::from((bits >> 52) as i32 - 1023);
        let mantissa = f64::from_bits(bits & 0x000f_ffff_ffff_ffff | 0x3ff0_0000_0000_0000) - 1.0;
        let log2 = exponent + mantissa + BEND * mantissa * (1.0 - mantissa);
        logarithm.0[lane] = log2 * std::f64::consts::LN_2;
        let power = 2000.0 - log2 / f64::from(n); // positive, so that the cast is the floor
        let whole = power as u64;
        let fraction = power - whole as f64;
        let scale = f64::from_bits((whole + 1023 - 2000) << 52);
        guess.0[lane] = scale * (1.0 + fraction - BEND * fraction * (1.0 - fraction));
    }
    newton(vectors, &kept, &guess, &logarithm, n, y);
    for lane in (0..vectors.width()).filter(|&lane| !inside[lane]) {
        y.0[lane] = libm::pow(x.0[lane], 1.0 / f64::from(n));
    }
}

/// x^(1/n), with the same bits.
pub(super) fn root(x: f64, n: u32) -> f64 {
    let mut y = Lanes::default();
    roots(Vectors::new(Isa::best(), 1), &Lanes::splat(x), n, &mut y);
    y.0[0]
}

lane_kernel!(fn newton(x: &Lanes, guess: &Lanes, logarithm: &Lanes, n: u32, y: &mut Lanes) = refined);

#[inline(always)]
fn refined<T: Real>(first: usize, x: &Lanes, guess: &Lanes, logarithm: &Lanes, n: u32, y: &mut Lanes) {
    let (x, mut z) = (T::load(x, first), T::load(guess, first));
    let part = T::splat(1.0 / f64::from(n));
    for _ in 0..3 {
        z = z + z * part * (T::splat(1.0) - x * power(z, n));
    }
    let root = x * power(z, n - 1);
    // root^n as the sum of two numbers
    let (mut high, mut low) = (root, T::splat(0.0));
    for _ in 1..n {
        let product = high * root;
        low = high.mul_add(root, -product) + low * root;
        high = product;
    }
    // n p - 1, exact
    let excess = f64::mul_add(1.0 / f64::from(n), f64::from(n), -1.0);
    let miss = ((x - high) - low) / x + T::splat(excess) * T::load(logarithm, first);
    (root + root * (miss * part)).store(y, first);
}

/// z^n for n > 0.
#[inline(always)]
fn power<T: Real>(z: T, n: u32) -> T {
    let (mut result, mut square, mut left) = (z, z, n - 1);
    while left > 0 {
        if left & 1 == 1 {
            result = result * square;
        }
        left >>= 1;
        if left > 0 {
            square = square * square;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers are made with 60 digits (Python's decimal), for p = 1/n rounded.
    #[test]
    fn val_roots_to_the_last_bit() {
        for &(x, n, expected) in CASES {
            assert_eq!(root(x, n).to_bits(), f64::to_bits(expected), "{x} {n}");
        }
        assert!(root(f64::NAN, 9).is_nan() && root(f64::INFINITY, 9) == f64::INFINITY && root(0.0, 9) == 0.0);
        assert!((root(1e-300, 4) / 1e-75 - 1.0).abs() < 1e-15);
    }

    #[rustfmt::skip]
    #[allow(clippy::unreadable_literal)] // a table of digits
    const CASES: &[(f64, u32, f64)] = &[
        (0.0299678, 3, 0.31061204092343936), (1.03988e-05, 3, 0.02182701809594335), (104397.0, 3, 47.086456228153594),
        (2.81013e-07, 3, 0.006550012625502538), (521.963, 3, 8.051557637450506), (0.205958, 3, 0.5905539181740743),
        (1.44537e-07, 4, 0.019498210697954863), (140.836, 4, 3.4449142851589043), (5.62229e-08, 4, 0.015398496219221108),
        (4.70884, 4, 1.4730872937715431), (2.49522e-07, 4, 0.022349983697920406), (6.52019e-07, 4, 0.028416138630276668),
        (3.09303, 5, 1.2533628745747978), (344384000.0, 5, 50.98102855319945), (2.99253e-06, 5, 0.07856112656127034),
        (0.000291594, 5, 0.1963160090875861), (35372.4, 5, 8.123307727272328), (89986800000.0, 5, 155.18000504410696),
        (3483.85, 6, 3.8935274537331943), (0.858241, 6, 0.9748434462172146), (335044000000.0, 6, 83.33938811252735),
        (8.54385e-08, 6, 0.06636548448126044), (1476960000.0, 6, 33.74645224188974), (0.00619706, 6, 0.4285790621664421),
        (7.67541e-06, 7, 0.18590891927266162), (2.26905e-06, 7, 0.15620394911540833), (0.0147787, 7, 0.5476706429963231),
        (210149000.0, 7, 15.450142002688418), (4.1165e-05, 7, 0.23632192581934977), (4285.52, 7, 3.302612699890017),
        (60016.3, 8, 3.9562493154171876), (0.280512, 8, 0.85308819172256), (901.341, 8, 2.3407829251276766),
        (1.8021e-07, 8, 0.14353980795124227), (1.55605e-07, 8, 0.140929835009601), (0.000131575, 8, 0.327262823003025),
        (405508.0, 9, 4.198663284379352), (3.56325, 9, 1.1516387112943718), (0.0191842, 9, 0.6444896776295314),
        (5143.25, 9, 2.5844000287263182), (11.5794, 9, 1.3127660587514196), (0.00989327, 9, 0.5987699334726839),
    ];

    #[test]
    fn prop_same_bits_in_every_lane() {
        let x = Lanes(std::array::from_fn(|lane| libm::exp(7.3 * lane as f64 - 20.0)));
        for n in 3..10 {
            for vectors in Isa::available().into_iter().flat_map(|isa| [1, 4, 8].map(|w| Vectors::new(isa, w))) {
                let mut y = Lanes::default();
                roots(vectors, &x, n, &mut y);
                for lane in 0..vectors.width() {
                    assert_eq!(y.0[lane].to_bits(), root(x.0[lane], n).to_bits());
                    let miss = y.0[lane] / libm::pow(x.0[lane], 1.0 / f64::from(n)) - 1.0;
                    assert!(miss.abs() < 3e-16, "one unit in the last place: {miss:e}");
                }
            }
        }
    }
}

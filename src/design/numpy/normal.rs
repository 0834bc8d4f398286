//! The standard normal: numpy's draw from a generator, and scipy's quantile.
//!
//! # References
//! - G. Marsaglia and W. W. Tsang, J. Stat. Softw. 5 (2000) 8; J. A. Doornik, Oxford (2005): the ziggurat.
//! - S. L. Moshier, Cephes Math Library, `ndtri` (1989): the rational approximations of the quantile.

use super::elementary::{exp, log, log1p};
use super::generator::Generator;
use super::ziggurat::{DENSITY, INSIDE, INVERSE_TAIL, TAIL, WIDTH};

/// exp(-2): below it, and as far from 1, the quantile is a function of sqrt(-2 log q).
const OUTER: f64 = f64::from_bits(0x3fc1_52aa_a3bf_81cc);
/// The square root of 2 pi.
const SQRT_2PI: f64 = f64::from_bits(0x4004_0d93_1ff6_2706);

/// A draw from the standard normal.
///
/// Of one word, 8 bits choose a layer, 1 the sign, 52 the place in it. Most places lie under the density; the others
/// are kept with its probability there, or come from the tail beyond 3.654.
pub(super) fn draw(generator: &mut Generator) -> f64 {
    loop {
        let word = generator.word();
        let layer = (word & 0xff) as usize;
        let negative = word & 0x100 != 0;
        let place = (word >> 9) & 0x000f_ffff_ffff_ffff;
        let size = place as f64 * f64::from_bits(WIDTH[layer]);
        let x = if negative { -size } else { size };
        if place < INSIDE[layer] {
            return x;
        }
        if layer == 0 {
            // The sign is that of another bit here.
            return if place & 0x100 != 0 { -beyond(generator) } else { beyond(generator) };
        }
        let [upper, lower] = [layer - 1, layer].map(|at| f64::from_bits(DENSITY[at]));
        if (upper - lower) * generator.uniform() + lower < exp(-0.5 * x * x) {
            return x;
        }
    }
}

/// A draw from the tail, by Marsaglia's method.
fn beyond(generator: &mut Generator) -> f64 {
    loop {
        let x = -INVERSE_TAIL * log1p(-generator.uniform());
        let y = -log1p(-generator.uniform());
        if y + y > x * x {
            return TAIL + x;
        }
    }
}

/// The x below which a standard normal lies with probability `q`, 0 <= q <= 1; infinite at the ends.
///
/// From exp(-2) to 1 - exp(-2) a rational function of (q - 1/2)^2; outside, with z = sqrt(-2 log q),
/// z - log(z)/z - P(1/z)/(z Q(1/z)). Relative error below 8e-16.
pub(super) fn quantile(q: f64) -> f64 {
    if q <= 0.0 || q >= 1.0 {
        return if q <= 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    let (upper, q) = if q > 1.0 - OUTER { (true, 1.0 - q) } else { (false, q) };
    if q > OUTER {
        let w = q - 0.5;
        let square = w * w;
        return (w + w * (square * polynomial(square, &P0) / monic(square, &Q0))) * SQRT_2PI;
    }
    let z = (-2.0 * log(q)).sqrt();
    let inverse = 1.0 / z;
    let correction = if z < 8.0 {
        inverse * polynomial(inverse, &P1) / monic(inverse, &Q1)
    } else {
        inverse * polynomial(inverse, &P2) / monic(inverse, &Q2)
    };
    let x = (z - log(z) / z) - correction;
    if upper { x } else { -x }
}

/// A polynomial by Horner's rule, the highest coefficient first.
fn polynomial(x: f64, coefficients: &[f64]) -> f64 {
    coefficients[1..].iter().fold(coefficients[0], |sum, c| sum * x + c)
}

/// The same with a leading coefficient of 1 that is not listed.
fn monic(x: f64, coefficients: &[f64]) -> f64 {
    coefficients[1..].iter().fold(x + coefficients[0], |sum, c| sum * x + c)
}

/// Numerator between exp(-2) and 1 - exp(-2).
const P0: [f64; 5] = [
    -59.963_350_101_410_79,
    98.001_075_418_599_97,
    -56.676_285_746_907_03,
    13.931_260_938_727_968,
    -1.239_165_838_673_812_5,
];
/// Denominator between exp(-2) and 1 - exp(-2).
const Q0: [f64; 8] = [
    1.954_488_583_381_417_6,
    4.676_279_128_988_815,
    86.360_242_139_089_05,
    -225.462_687_854_119_37,
    200.260_212_380_060_66,
    -82.037_225_616_833_34,
    15.905_622_512_621_17,
    -1.183_316_211_213_3,
];
/// Numerator for z from 2 to 8.
const P1: [f64; 9] = [
    4.055_448_923_059_624_5,
    31.525_109_459_989_388,
    57.162_819_224_642_13,
    44.080_507_389_320_08,
    14.684_956_192_885_803,
    2.186_633_068_507_902_5,
    -0.140_256_079_171_354_5,
    -0.035_042_462_682_784_82,
    -0.000_857_456_785_154_685_4,
];
/// Denominator for z from 2 to 8.
const Q1: [f64; 8] = [
    15.779_988_325_646_675,
    45.390_763_512_887_92,
    41.317_203_825_467_2,
    15.042_538_569_290_75,
    2.504_649_462_083_094,
    -0.142_182_922_854_787_79,
    -0.038_080_640_769_157_83,
    -0.000_933_259_480_895_457_4,
];
/// Numerator for z from 8 to 64.
const P2: [f64; 9] = [
    3.237_748_917_769_460_3,
    6.915_228_890_689_842,
    3.938_810_252_924_744_4,
    1.333_034_608_158_075_5,
    0.201_485_389_549_179_08,
    0.012_371_663_481_782_003,
    0.000_301_581_553_508_235_43,
    2.658_069_746_867_375_5e-6,
    6.239_745_391_849_833e-9,
];
/// Denominator for z from 8 to 64.
const Q2: [f64; 8] = [
    6.024_270_393_647_42,
    3.679_835_638_561_608_7,
    1.377_020_994_890_813_2,
    0.216_236_993_594_496_63,
    0.013_420_400_608_854_318,
    0.000_328_014_464_682_127_74,
    2.892_478_647_453_806_8e-6,
    6.790_194_080_099_813e-9,
];

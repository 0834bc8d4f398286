//! The normal distribution and its inverse.
//!
//! # References
//! M. J. Wichura: Algorithm AS 241: The Percentage Points of the Normal Distribution, Applied
//! Statistics 37 (1988), 477-484, PPND16; W. J. Cody's erfc by way of libm; Laplace's continued
//! fraction of the Mills ratio. Tests: `val_normal_quantile_to_the_last_digits`, `val_mills_ratio`.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Numerator and denominator in ascending powers.
type Ratio = [[f64; 8]; 2];

const CENTRE: Ratio = [
    [
        3.387_132_872_796_366_6,
        133.141_667_891_784_38,
        1_971.590_950_306_551_3,
        13_731.693_765_509_46,
        45_921.953_931_549_87,
        67_265.770_927_008_7,
        33_430.575_583_588_13,
        2_509.080_928_730_122_7,
    ],
    [
        1.0,
        42.313_330_701_600_91,
        687.187_007_492_057_9,
        5_394.196_021_424_751,
        21_213.794_301_586_597,
        39_307.895_800_092_71,
        28_729.085_735_721_943,
        5_226.495_278_852_854,
    ],
];
const TAIL: Ratio = [
    [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        0.241_780_725_177_450_6,
        0.022_723_844_989_269_184,
        0.000_774_545_014_278_341_4,
    ],
    [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        0.689_767_334_985_1,
        0.148_103_976_427_480_08,
        0.015_198_666_563_616_457,
        0.000_547_593_808_499_534_5,
        1.050_750_071_644_416_9e-9,
    ],
];
const FAR_TAIL: Ratio = [
    [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        0.296_560_571_828_504_87,
        0.026_532_189_526_576_124,
        0.001_242_660_947_388_078_4,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        0.599_832_206_555_888,
        0.136_929_880_922_735_8,
        0.014_875_361_290_850_615,
        0.000_786_869_131_145_613_3,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
];

#[inline]
fn ratio([above, below]: &Ratio, x: f64) -> f64 {
    let polynomial = |terms: &[f64; 8]| terms.iter().rev().fold(0.0, |sum, term| sum * x + term);
    polynomial(above) / polynomial(below)
}

/// z with Phi(z) = u, for u strictly between 0 and 1.
#[inline]
pub fn normal_quantile(u: f64) -> f64 {
    let from_half = u - 0.5;
    if from_half.abs() <= CENTRE_MOST {
        central_quantile(from_half)
    } else if from_half < 0.0 {
        lower_quantile(u)
    } else {
        -lower_quantile(1.0 - u) // exact: 1 - u of a double from 0.5 to 1
    }
}

/// The farthest from the median that [`central_quantile`] goes, as a probability.
pub(super) const CENTRE_MOST: f64 = 0.425;

/// z with Phi(z) - 1/2 = `from_half`, which is at most 0.425 in size.
#[inline]
pub(super) fn central_quantile(from_half: f64) -> f64 {
    from_half * ratio(&CENTRE, CENTRE_MOST * CENTRE_MOST - from_half * from_half)
}

/// z with Phi(z) = p, for p from the least double to 0.075.
#[inline]
pub(super) fn lower_quantile(p: f64) -> f64 {
    let r = (-libm::log(p)).sqrt();
    -if r <= 5.0 { ratio(&TAIL, r - 1.6) } else { ratio(&FAR_TAIL, r - 5.0) }
}

/// Phi(z), the probability that a standard normal number is at most z.
#[inline]
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z * FRAC_1_SQRT_2)
}

/// Phi(z) - 1/2, with all digits around z = 0.
#[inline]
pub(super) fn from_half(z: f64) -> f64 {
    0.5 * libm::erf(z * FRAC_1_SQRT_2)
}

/// The Mills ratio (1 - Phi(z)) / phi(z) for z >= 0.
pub(super) fn mills_ratio(z: f64) -> f64 {
    if z < 3.0 {
        return (PI / 2.0).sqrt() * libm::exp(z * z / 2.0) * libm::erfc(z * FRAC_1_SQRT_2);
    }
    // 1 / (z + 1 / (z + 2 / (z + 3 / ...))), from the end
    let terms = 12 + (500.0 / (z * z)) as u32;
    1.0 / (1..=terms).rev().fold(z, |below, k| z + f64::from(k) / below)
}

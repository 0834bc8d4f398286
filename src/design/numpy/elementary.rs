//! exp, log and log1p with the bits of glibc, on any machine.
//!
//! numpy and scipy take these from the C library, so their last bits are part of the contract. Here they are computed
//! as glibc 2.36 does on a processor with fused multiply-add (x86-64 since 2013). Calling the platform's own would make
//! the draws depend on it; the crate libm has other last bits in one exp of 10. Compared with glibc itself on 2 * 10^7
//! random arguments of each range (exp up to +-760, log of every exponent, log1p from -1 to -1e-16): no bit differed.
//!
//! # References
//! - P. T. P. Tang, Table-driven implementation of the exponential function, ACM TOMS 15 (1989) 144.
//! - Arm's optimized routines, `math/exp.c` and `math/log.c` (MIT): the constants and the order of operations.
//! - FDLIBM, `s_log1p.c` (Sun Microsystems, 1993): the constants of log1p.

use super::steps::{CENTRE, POWER};

/// Adding 1.5 * 2^52 leaves the nearest integer in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two parts, the first short enough for exact multiples.
const LN2: [f64; 2] = [f64::from_bits(0x3fe6_2e42_fefa_3800), f64::from_bits(0x3d2e_f357_93c7_6730)];

/// exp(x), as glibc has it.
///
/// With x = k ln2/128 + r: 2^(k/128) from a table times a polynomial of degree 5 in r. Error below 0.511 units in the
/// last place.
pub(super) fn exp(x: f64) -> f64 {
    const STEPS: f64 = f64::from_bits(0x4067_1547_652b_82fe); // 128 / ln 2
    const STEP: [f64; 2] = [f64::from_bits(0xbf76_2e42_fefa_0000), f64::from_bits(0xbd0c_f79a_bc9e_3b3a)];
    const C: [f64; 4] = [
        f64::from_bits(0x3fdf_ffff_ffff_fdbd),
        f64::from_bits(0x3fc5_5555_5555_543c),
        f64::from_bits(0x3fa5_5555_cf17_2b91),
        f64::from_bits(0x3f81_1111_67a4_d017),
    ];
    if x.abs() < f64::from_bits(0x3c90_0000_0000_0000) {
        return 1.0 + x; // below 2^-54
    }
    if x.is_nan() || x >= 1024.0 {
        return x + f64::INFINITY;
    }
    if x <= -1024.0 {
        return 0.0;
    }
    let shifted = STEPS.mul_add(x, ROUND);
    let steps = shifted.to_bits();
    let k = shifted - ROUND;
    let r = k.mul_add(STEP[1], k.mul_add(STEP[0], x));
    let row = 2 * (steps % 128) as usize;
    let lacking = f64::from_bits(POWER[row]);
    let power = POWER[row + 1].wrapping_add(steps << 45);
    let square = r * r;
    let low = square.mul_add(r.mul_add(C[1], C[0]), lacking + r);
    let more = (square * square).mul_add(r.mul_add(C[3], C[2]), low);
    if x.abs() < 512.0 {
        let power = f64::from_bits(power);
        return power.mul_add(more, power);
    }
    at_the_edge(power, more, k > 0.0)
}

/// 2^(k/128) (1 + more) where 2^(k/128), or the result, is not a normal double.
fn at_the_edge(power: u64, more: f64, large: bool) -> f64 {
    if large {
        let power = f64::from_bits(power.wrapping_sub(1009 << 52));
        return power.mul_add(more, power) * f64::from_bits((1009 + 1023) << 52);
    }
    let power = f64::from_bits(power.wrapping_add(1022 << 52));
    let product = power * more;
    let mut result = power + product;
    if result < 1.0 {
        // Rounded to the bits that a subnormal keeps before it becomes one: rounding twice would err.
        let low = power - result + product;
        let high = 1.0 + result;
        result = (high + (1.0 - high + result + low)) - 1.0;
    }
    result * f64::MIN_POSITIVE
}

/// log(x), as glibc has it, for x > 0.
///
/// With x = 2^k z and c near z: log x = k ln2 + log c + log(z/c), c from a table, the last a polynomial of degree 6;
/// close to 1 a polynomial of degree 12 in x - 1. Error below 0.52 units in the last place.
pub(super) fn log(x: f64) -> f64 {
    const A: [f64; 5] = [
        f64::from_bits(0xbfe0_0000_0000_0001),
        f64::from_bits(0x3fd5_5555_5551_305b),
        f64::from_bits(0xbfcf_ffff_ffeb_4590),
        f64::from_bits(0x3fc9_99b3_24f1_0111),
        f64::from_bits(0xbfc5_5575_e506_c89f),
    ];
    const LOWEST: u64 = 0x3fe6_0000_0000_0000; // 0.6875
    let mut bits = x.to_bits();
    if (0x3fee_0000_0000_0000..0x3ff1_0900_0000_0000).contains(&bits) {
        return log_close_to_one(x);
    }
    if x.is_nan() || x <= 0.0 || x.is_infinite() {
        return match x {
            0.0 => f64::NEG_INFINITY,
            f64::INFINITY => x,
            _ => f64::NAN,
        };
    }
    if x < f64::MIN_POSITIVE {
        bits = (x * 4_503_599_627_370_496.0).to_bits().wrapping_sub(52 << 52);
    }
    let above = bits.wrapping_sub(LOWEST);
    let row = 2 * ((above >> 45) % 128) as usize;
    let k = (above.cast_signed() >> 52) as f64;
    let z = f64::from_bits(bits.wrapping_sub(above & (0xfff << 52)));
    let (inverse, centre) = (f64::from_bits(CENTRE[row]), f64::from_bits(CENTRE[row + 1]));
    let r = z.mul_add(inverse, -1.0);
    let base = k.mul_add(LN2[0], centre);
    let high = base + r;
    let low = k.mul_add(LN2[1], base - high + r);
    let square = r * r;
    let cubic = square.mul_add(r.mul_add(A[4], A[3]), r.mul_add(A[2], A[1]));
    (r * square).mul_add(cubic, square.mul_add(A[0], low)) + high
}

/// log(x) for x from 1 - 2^-4 to 1 + 1.09 * 2^-4 (hexadecimal).
fn log_close_to_one(x: f64) -> f64 {
    const B: [f64; 11] = [
        -0.5,
        f64::from_bits(0x3fd5_5555_5555_5577),
        f64::from_bits(0xbfcf_ffff_ffff_fdcb),
        f64::from_bits(0x3fc9_9999_9995_dd0c),
        f64::from_bits(0xbfc5_5555_5567_45a7),
        f64::from_bits(0x3fc2_4924_a344_de30),
        f64::from_bits(0xbfbf_ffff_a442_3d65),
        f64::from_bits(0x3fbc_7184_282a_d6ca),
        f64::from_bits(0xbfb9_99eb_43b0_68ff),
        f64::from_bits(0x3fb7_8182_f7af_d085),
        f64::from_bits(0xbfb5_5213_75d1_45cd),
    ];
    let r = x - 1.0;
    if r == 0.0 {
        return 0.0;
    }
    let square = r * r;
    let cube = r * square;
    let last = cube.mul_add(B[10], square.mul_add(B[9], r.mul_add(B[8], B[7])));
    let middle = cube.mul_add(last, square.mul_add(B[6], r.mul_add(B[5], B[4])));
    let first = cube.mul_add(middle, square.mul_add(B[3], r.mul_add(B[2], B[1])));
    // r - r^2/2 in two doubles: the square of the upper half of r is exact.
    let wide = r * 134_217_728.0;
    let upper = r + wide - wide;
    let lower = r - upper;
    let half = upper * upper * B[0];
    let high = r + half;
    let low = (B[0] * lower).mul_add(upper + r, r - high + half);
    cube.mul_add(first, low) + high
}

/// log(1 + x), as glibc has it up to 2.38, for -1 < x <= 0: numpy asks for no other.
///
/// With 1 + x = 2^k (1 + f), s = f / (2 + f): log(1 + f) = f - (f^2/2 - s (f^2/2 + R(s^2))). Error below one unit in
/// the last place.
pub(super) fn log1p(x: f64) -> f64 {
    const L: [f64; 7] = [
        f64::from_bits(0x3fe5_5555_5555_5593),
        f64::from_bits(0x3fd9_9999_9997_fa04),
        f64::from_bits(0x3fd2_4924_9422_9359),
        f64::from_bits(0x3fcc_71c5_1d8e_78af),
        f64::from_bits(0x3fc7_4664_96cb_03de),
        f64::from_bits(0x3fc3_9a09_d078_c69f),
        f64::from_bits(0x3fc2_f112_df3e_5244),
    ];
    const LN2: [f64; 2] = [f64::from_bits(0x3fe6_2e42_fee0_0000), f64::from_bits(0x3dea_39ef_3579_3c76)];
    debug_assert!(x > -1.0 && x <= 0.0);
    let size = x.to_bits() << 1 >> 33; // the upper half of |x|
    if size < 0x3e20_0000 {
        return if size < 0x3c90_0000 { x } else { (x * x).mul_add(-0.5, x) };
    }
    let (mut k, mut f, mut rest, mut fraction) = (0.0, x, 0.0, 1);
    if size > 0x3fd2_bec3 {
        let u = 1.0 + x;
        let bits = u.to_bits();
        let mut exponent = (bits >> 52).cast_signed() - 1023;
        rest = if exponent > 0 { 1.0 - (u - x) } else { x - (u - 1.0) } / u;
        fraction = (bits >> 32) & 0x000f_ffff;
        let mut scale = 1023_u64;
        if fraction >= 0x6a09e {
            exponent += 1;
            scale = 1022;
            fraction = (0x0010_0000 - fraction) >> 2;
        }
        f = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | (scale << 52)) - 1.0;
        k = exponent as f64;
    }
    let half = 0.5 * f * f;
    let rest = k.mul_add(LN2[1], rest);
    if fraction == 0 {
        if f == 0.0 {
            return k.mul_add(LN2[0], rest);
        }
        let tail = half * (-0.666_666_666_666_666_6_f64).mul_add(f, 1.0);
        return k.mul_add(LN2[0], -((tail - rest) - f));
    }
    let s = f / (2.0 + f);
    let z = s * s;
    let square = z * z;
    let fourth = square * square;
    let low = z.mul_add(L[0], square * z.mul_add(L[2], L[1]));
    let middle = fourth.mul_add(z.mul_add(L[4], L[3]), low);
    let series = (square * fourth).mul_add(z.mul_add(L[6], L[5]), middle);
    let correction = s * (half + series);
    if k == 0.0 { f - (half - correction) } else { k.mul_add(LN2[0], -((half - (rest + correction)) - f)) }
}

//! The regularised incomplete beta function and its inverse.
//!
//! I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) K, K a continued fraction that converges well for
//! x <= (a + 1) / (a + b + 2). Beyond, 1 - I is the same function of 1 - x with a and b exchanged;
//! both x and 1 - x are carried along, so that neither loses digits.
//!
//! # References
//! DLMF 8.17.22 (the continued fraction), 5.11.1 (Stirling's series); C. Loader: Fast and Accurate
//! Computation of Binomial Probabilities (2000), for the size of x^a (1 - x)^b / B(a, b) where a and b are
//! large. Test: `val_quantiles`.

use std::f64::consts::PI;

/// From here on Stirling's series is used instead of the logarithm of the gamma function.
const LARGE: f64 = 10.0;
/// The most terms of the continued fraction: about 5 sqrt(a) are needed.
const MOST_TERMS: u32 = 100_000;

/// The probability of at most x; `rest` is 1 - x.
pub(super) fn cdf(a: f64, b: f64, x: f64, rest: f64) -> f64 {
    if x <= (a + 1.0) / (a + b + 2.0) {
        libm::exp(ln_lower(a, b, x, rest).0)
    } else {
        -libm::expm1(ln_lower(b, a, rest, x).0)
    }
}

/// x with I_x(a, b) = u, and 1 - x.
pub(super) fn quantile(a: f64, b: f64, u: f64) -> (f64, f64) {
    let (split, rest) = ((a + 1.0) / (a + b + 2.0), (b + 1.0) / (a + b + 2.0));
    if libm::log(u) <= ln_lower(a, b, split, rest).0 {
        let x = lower_quantile(a, b, libm::log(u), split);
        (x, 1.0 - x)
    } else {
        let rest = lower_quantile(b, a, libm::log1p(-u), rest);
        (1.0 - rest, rest)
    }
}

/// x from 0 to `most` with ln I_x(a, b) = `ln_p`, where the continued fraction holds.
///
/// ln I is a concave function of ln x and nearly a line for small x: Newton's method in these
/// variables comes from the left without passing the root; a bracket guards it all the same.
fn lower_quantile(a: f64, b: f64, ln_p: f64, most: f64) -> f64 {
    let (mut low, mut high) = (0.0, most);
    // I = x^a / (a B) (1 + ...)
    let mut x = libm::exp((ln_p + libm::log(a) + ln_beta(a, b)) / a).min(most);
    for _ in 0..200 {
        if x < f64::MIN_POSITIVE {
            return x;
        }
        let (ln_i, slope) = ln_lower(a, b, x, 1.0 - x);
        let off = ln_i - ln_p;
        if off > 0.0 {
            high = x;
        } else {
            low = x;
        }
        let step = -off / slope;
        let mut next = x * libm::exp(step);
        if !(low..=high).contains(&next) {
            // Halve in x, or in ln x where that is far to go.
            next = if low > 0.0 { (low * high).sqrt() } else { f64::midpoint(low, high) };
        }
        let done = step.abs() < 1e-9 || next.to_bits() == x.to_bits();
        x = next;
        if done {
            break;
        }
    }
    x
}

/// ln I_x(a, b) and its derivative by ln x, for x up to (a + 1) / (a + b + 2).
fn ln_lower(a: f64, b: f64, x: f64, rest: f64) -> (f64, f64) {
    let fraction = continued_fraction(a, b, x);
    (ln_power(a, b, x, rest) - libm::log(a) + libm::log(fraction), a / (rest * fraction))
}

/// 1 / (1 + d1 / (1 + d2 / ...)), by the modified Lentz method.
fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    let not_zero = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / not_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for m in 1..MOST_TERMS {
        let m = f64::from(m);
        let at = a + 2.0 * m;
        let even = m * (b - m) * x / ((at - 1.0) * at);
        d = 1.0 / not_zero(1.0 + even * d);
        c = not_zero(1.0 + even / c);
        fraction *= d * c;
        let odd = -(a + m) * (a + b + m) * x / (at * (at + 1.0));
        d = 1.0 / not_zero(1.0 + odd * d);
        c = not_zero(1.0 + odd / c);
        let change = d * c;
        fraction *= change;
        if (change - 1.0).abs() <= f64::EPSILON {
            break;
        }
    }
    fraction
}

/// ln(x^a (1 - x)^b / B(a, b)).
fn ln_power(a: f64, b: f64, x: f64, rest: f64) -> f64 {
    if a < LARGE || b < LARGE {
        // The logarithm of the larger of the two.
        let ln_rest = if rest < 0.5 { libm::log(rest) } else { libm::log1p(-x) };
        return a * libm::log(x) + b * ln_rest - ln_beta(a, b);
    }
    let sum = a + b;
    0.5 * libm::log(a / sum * b / (2.0 * PI)) + stirling_rest(sum)
        - stirling_rest(a)
        - stirling_rest(b)
        - deviance(a, sum * x)
        - deviance(b, sum * rest)
}

/// ln B(a, b) = ln(Gamma(a) Gamma(b) / Gamma(a + b)).
fn ln_beta(a: f64, b: f64) -> f64 {
    let (small, large) = (a.min(b), a.max(b));
    let sum = a + b;
    if large < LARGE {
        return libm::lgamma(small) + libm::lgamma(large) - libm::lgamma(sum);
    }
    // ln(Gamma(large + small) / Gamma(large)), without the difference of large numbers
    let growth = small * libm::log(large) + (sum - 0.5) * libm::log1p(small / large) - small + stirling_rest(sum)
        - stirling_rest(large);
    libm::lgamma(small) - growth
}

/// What Stirling's formula leaves of ln Gamma(z), for z >= 10: 1/(12 z) - 1/(360 z^3) + ...
pub(super) fn stirling_rest(z: f64) -> f64 {
    const TERMS: [f64; 7] =
        [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0, 1.0 / 156.0];
    let square = 1.0 / (z * z);
    TERMS.iter().rev().fold(0.0, |sum, term| sum * square + term) / z
}

/// a ln(a / m) + m - a, without the loss of digits for m near a.
fn deviance(a: f64, m: f64) -> f64 {
    let off = a - m;
    if off.abs() >= 0.1 * (a + m) {
        return a * libm::log(a / m) - off;
    }
    let v = off / (a + m);
    let square = v * v;
    let mut sum = off * v;
    let mut power = 2.0 * a * v;
    for j in 1..100 {
        power *= square;
        let next = sum + power / f64::from(2 * j + 1);
        if next.to_bits() == sum.to_bits() {
            break;
        }
        sum = next;
    }
    sum
}

//! The normal distribution between two ends, right also where both lie far out in one tail.
//!
//! With both ends on one side of the mean the nearer one is the origin: t sigmas from there, at a
//! sigmas from the mean, the cumulative hazard is
//!
//! H(t) = -ln(Q(a + t) / Q(a)) = a t + t^2 / 2 + ln(R(a) / R(a + t)), R the Mills ratio,
//!
//! and F(t) = (1 - exp(-H(t))) / (1 - exp(-H(w))): nothing underflows, the digits of t are kept.

use std::f64::consts::FRAC_PI_2;

use super::normal::{CENTRE_MOST, central_quantile, from_half, lower_quantile, mills_ratio, normal_cdf};

/// Narrower than this many sigmas, the logarithm of the density is a straight line within 1e-15.
const NARROW: f64 = 1e-7;

/// The value that is not exceeded with probability u.
pub(super) fn quantile(mean: f64, sigma: f64, low: f64, high: f64, u: f64) -> f64 {
    let (a, b) = ((low - mean) / sigma, (high - mean) / sigma);
    let width = (high - low) / sigma;
    let value = if a >= 0.0 {
        low + sigma * tail_quantile(a, width, u)
    } else if b <= 0.0 {
        high - sigma * tail_quantile(-b, width, 1.0 - u)
    } else {
        mean + sigma * middle_quantile(a, b, u)
    };
    value.clamp(low, high)
}

/// The probability of at most x.
pub(super) fn cdf(mean: f64, sigma: f64, low: f64, high: f64, x: f64) -> f64 {
    if x <= low || x >= high {
        return f64::from(u8::from(x > low));
    }
    let (a, b) = ((low - mean) / sigma, (high - mean) / sigma);
    let width = (high - low) / sigma;
    if a >= 0.0 {
        return tail_cdf(a, width, (x - low) / sigma);
    }
    if b <= 0.0 {
        return 1.0 - tail_cdf(-b, width, (high - x) / sigma);
    }
    let z = (x - mean) / sigma;
    let all = from_half(b) - from_half(a);
    let below = if z.abs() < 0.5 {
        from_half(z) - from_half(a)
    } else if z < 0.0 {
        normal_cdf(z) - normal_cdf(a)
    } else {
        return 1.0 - (normal_cdf(-z) - normal_cdf(-b)) / all;
    };
    below / all
}

/// z between a < 0 and b > 0.
fn middle_quantile(a: f64, b: f64, u: f64) -> f64 {
    let from_median = (1.0 - u) * from_half(a) + u * from_half(b);
    if from_median.abs() <= CENTRE_MOST {
        central_quantile(from_median)
    } else if from_median < 0.0 {
        lower_quantile((1.0 - u) * normal_cdf(a) + u * normal_cdf(b))
    } else {
        -lower_quantile((1.0 - u) * normal_cdf(-a) + u * normal_cdf(-b))
    }
}

/// H(t) above.
fn hazard(a: f64, t: f64) -> f64 {
    a * t + t * t / 2.0 + libm::log(mills_ratio(a) / mills_ratio(a + t))
}

fn tail_cdf(a: f64, width: f64, t: f64) -> f64 {
    if width < NARROW {
        let slope = a + width / 2.0;
        return if slope * width < NARROW * NARROW {
            t / width
        } else {
            libm::expm1(-slope * t) / libm::expm1(-slope * width)
        };
    }
    libm::expm1(-hazard(a, t)) / libm::expm1(-hazard(a, width))
}

/// t from 0 to the width of an interval that begins a >= 0 sigmas above the mean.
fn tail_quantile(a: f64, width: f64, u: f64) -> f64 {
    if width < NARROW {
        let slope = a + width / 2.0;
        let fall = slope * width;
        return if fall < NARROW * NARROW { u * width } else { -libm::log1p(u * libm::expm1(-fall)) / slope };
    }
    let needed = -libm::log1p(u * libm::expm1(-hazard(a, width)));
    // H is convex and above a t + t^2 / 2, whose root is where Newton starts: it comes down to the
    // root of H without passing it.
    let mut t = 2.0 * needed / (a + (a * a + 2.0 * needed).sqrt());
    for _ in 0..40 {
        let step = (hazard(a, t) - needed) * mills_ratio(a + t);
        t -= step;
        if step.abs() <= 1e-10 * t {
            break;
        }
    }
    t.clamp(0.0, width)
}

/// Mean and variance, by the double exponential rule over where the density is not nothing.
pub(super) fn moments(mean: f64, sigma: f64, low: f64, high: f64) -> (f64, f64) {
    // t counts sigmas from the point of highest density; beyond 40, or 750 lengths of the fall in a
    // tail like exp(-|a| t), nothing is left.
    let peak = mean.clamp(low, high);
    let a = (peak - mean) / sigma;
    let reach = 40.0_f64.min(750.0 / a.abs());
    let (first, last) = (((low - peak) / sigma).max(-reach), ((high - peak) / sigma).min(reach));
    let sum = |of: &dyn Fn(f64) -> f64| -> f64 {
        let terms = (-3600..=3600).map(|k| {
            let s = f64::from(k) * 0.001;
            let bend = FRAC_PI_2 * libm::sinh(s);
            // Counted from the end where t is 0, if it is an end.
            let part = |bend: f64| (last - first) / (1.0 + libm::exp(-2.0 * bend));
            let t = if last > 0.0 { first + part(bend) } else { last - part(-bend) };
            let weight = libm::cosh(s) / (libm::cosh(bend) * libm::cosh(bend));
            weight * libm::exp(-(a * t + t * t / 2.0)) * of(t)
        });
        terms.sum()
    };
    let all = sum(&|_| 1.0);
    let first = sum(&|t| t) / all;
    (peak + sigma * first, sigma * sigma * (sum(&|t| (t - first) * (t - first)) / all))
}

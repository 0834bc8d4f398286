//! How a parameter scatters: distributions as the inverse of their cumulative distribution.
//!
//! A draw is `quantile(u)` of a number u strictly between 0 and 1, wherever that comes from: one
//! random number, one coordinate of a point of a Latin hypercube or of a Sobol sequence. More u
//! never gives less. All transcendental functions are those of libm, so that the draws have the same
//! bits on every machine.

mod beta;
mod choice;
mod normal;
mod read;
#[cfg(test)]
mod read_tests;
#[cfg(test)]
mod tests;
mod truncated;

pub use choice::Choice;
pub use normal::{normal_cdf, normal_quantile};
pub use read::{KINDS, read};

use serde_json::json;

/// A distribution of numbers, in the unit of the parameter. Made by [`read()`], which checks the numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// `normal = [mean, sigma]`.
    Normal {
        /// The mean.
        mean: f64,
        /// The standard deviation, above 0.
        sigma: f64,
    },
    /// `uniform = [low, high]`.
    Uniform {
        /// The least value.
        low: f64,
        /// The largest value, above `low`.
        high: f64,
    },
    /// `lognormal = [mu, sigma]`: the natural logarithm is normal.
    Lognormal {
        /// The mean of the logarithm.
        mu: f64,
        /// The standard deviation of the logarithm, above 0.
        sigma: f64,
    },
    /// `truncated_normal = [mean, sigma, low, high]`: normal, what is not between low and high left out.
    TruncatedNormal {
        /// The mean before the cut.
        mean: f64,
        /// The standard deviation before the cut, above 0.
        sigma: f64,
        /// The least value.
        low: f64,
        /// The largest value, above `low`.
        high: f64,
    },
    /// `triangular = [low, mode, high]`: the density rises and falls in straight lines.
    Triangular {
        /// The least value.
        low: f64,
        /// The most likely value, from `low` to `high`.
        mode: f64,
        /// The largest value, above `low`.
        high: f64,
    },
    /// `beta = [alpha, beta, low, high]`: density x^(alpha-1) (1-x)^(beta-1), stretched from 0..1.
    Beta {
        /// The exponent at the low end plus 1, above 0.
        alpha: f64,
        /// The exponent at the high end plus 1, above 0.
        beta: f64,
        /// The least value.
        low: f64,
        /// The largest value, above `low`.
        high: f64,
    },
    /// `exponential = [mean]` or `[mean, from]`.
    Exponential {
        /// The mean distance from `from`, above 0.
        mean: f64,
        /// The least value.
        from: f64,
    },
    /// `weibull = [shape, scale]` or `[shape, scale, from]`.
    Weibull {
        /// The exponent, above 0.
        shape: f64,
        /// The distance from `from` that 1 - 1/e do not exceed, above 0.
        scale: f64,
        /// The least value.
        from: f64,
    },
    /// `choice = [a, b, c], weights = [1, 2, 1]`.
    Choice(Choice),
    /// `constant = x`.
    Constant(f64),
}

use Distribution as D;

impl Distribution {
    /// The number that a draw does not exceed with probability u; u is strictly between 0 and 1.
    ///
    /// Right within 1e-14 of the value, or what a change of u by its spacing of 2^-53 makes; a beta
    /// within 2e-16 of its width. Test: `val_quantiles`.
    pub fn quantile(&self, u: f64) -> f64 {
        debug_assert!(0.0 < u && u < 1.0, "quantile({u})");
        match *self {
            D::Normal { mean, sigma } => mean + sigma * normal_quantile(u),
            D::Uniform { low, high } => (low + u * (high - low)).min(high),
            D::Lognormal { mu, sigma } => libm::exp(mu + sigma * normal_quantile(u)),
            D::TruncatedNormal { mean, sigma, low, high } => truncated::quantile(mean, sigma, low, high, u),
            D::Triangular { low, mode, high } => {
                let width = high - low;
                let (rise, fall) = ((mode - low) / width, (high - mode) / width);
                if u < rise {
                    (low + width * (u * rise).sqrt()).min(mode)
                } else {
                    (high - width * ((1.0 - u) * fall).sqrt()).max(mode)
                }
            }
            D::Beta { alpha, beta, low, high } => {
                let (x, rest) = beta::quantile(alpha, beta, u);
                // From the nearer end, so that the digits there are kept.
                let value = if x < rest { low + x * (high - low) } else { high - rest * (high - low) };
                value.clamp(low, high)
            }
            D::Exponential { mean, from } => from + mean * -libm::log1p(-u),
            D::Weibull { shape, scale, from } => from + scale * libm::pow(-libm::log1p(-u), 1.0 / shape),
            D::Choice(ref choice) => choice.quantile(u),
            D::Constant(value) => value,
        }
    }

    /// The probability that a draw is at most x.
    pub fn cdf(&self, x: f64) -> f64 {
        match *self {
            D::Normal { mean, sigma } => normal_cdf((x - mean) / sigma),
            D::Uniform { low, high } => ((x - low) / (high - low)).clamp(0.0, 1.0),
            D::Lognormal { .. } if x <= 0.0 => 0.0,
            D::Lognormal { mu, sigma } => normal_cdf((libm::log(x) - mu) / sigma),
            D::TruncatedNormal { mean, sigma, low, high } => truncated::cdf(mean, sigma, low, high, x),
            D::Triangular { low, mode, high } => {
                let width = high - low;
                if x <= low {
                    0.0
                } else if x < mode {
                    (x - low) / width * ((x - low) / (mode - low))
                } else if x < high {
                    1.0 - (high - x) / width * ((high - x) / (high - mode))
                } else {
                    1.0
                }
            }
            D::Beta { alpha, beta, low, high } => {
                let width = high - low;
                if x <= low {
                    0.0
                } else if x < high {
                    beta::cdf(alpha, beta, (x - low) / width, (high - x) / width)
                } else {
                    1.0
                }
            }
            D::Exponential { mean, from } => -libm::expm1(-((x - from) / mean).max(0.0)),
            D::Weibull { shape, scale, from } => -libm::expm1(-libm::pow(((x - from) / scale).max(0.0), shape)),
            D::Choice(ref choice) => choice.cdf(x),
            D::Constant(value) => f64::from(u8::from(x >= value)),
        }
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        match *self {
            D::Normal { mean, .. } => mean,
            D::Uniform { low, high } => low + (high - low) / 2.0,
            D::Lognormal { mu, sigma } => libm::exp(mu + sigma * sigma / 2.0),
            D::TruncatedNormal { mean, sigma, low, high } => truncated::moments(mean, sigma, low, high).0,
            D::Triangular { low, mode, high } => low / 3.0 + mode / 3.0 + high / 3.0,
            D::Beta { alpha, beta, low, high } => low + (high - low) * (alpha / (alpha + beta)),
            D::Exponential { mean, from } => from + mean,
            D::Weibull { shape, scale, from } => from + scale * libm::tgamma(1.0 + 1.0 / shape),
            D::Choice(ref choice) => choice.moments().0,
            D::Constant(value) => value,
        }
    }

    /// The variance: the square of the standard deviation.
    pub fn variance(&self) -> f64 {
        match *self {
            D::Normal { sigma, .. } => sigma * sigma,
            D::Uniform { low, high } => (high - low) * (high - low) / 12.0,
            D::Lognormal { mu, sigma } => libm::expm1(sigma * sigma) * libm::exp(2.0 * mu + sigma * sigma),
            D::TruncatedNormal { mean, sigma, low, high } => truncated::moments(mean, sigma, low, high).1,
            D::Triangular { low, mode, high } => {
                let (rise, fall) = (mode - low, high - mode);
                (rise * rise + rise * fall + fall * fall) / 18.0
            }
            D::Beta { alpha, beta, low, high } => {
                let sum = alpha + beta;
                let width = high - low;
                width * width * (alpha / sum) * (beta / sum) / (sum + 1.0)
            }
            D::Exponential { mean, .. } => mean * mean,
            D::Weibull { shape, scale, .. } => {
                let first = libm::tgamma(1.0 + 1.0 / shape);
                scale * scale * (libm::tgamma(1.0 + 2.0 / shape) - first * first)
            }
            D::Choice(ref choice) => choice.moments().1,
            D::Constant(_) => 0.0,
        }
    }

    /// The distribution and its numbers as JSON, for the hash of the plan; what may be left out is there.
    pub fn canonical(&self) -> serde_json::Value {
        match self {
            D::Normal { mean, sigma } => json!({ "normal": [mean, sigma] }),
            D::Uniform { low, high } => json!({ "uniform": [low, high] }),
            D::Lognormal { mu, sigma } => json!({ "lognormal": [mu, sigma] }),
            D::TruncatedNormal { mean, sigma, low, high } => json!({ "truncated_normal": [mean, sigma, low, high] }),
            D::Triangular { low, mode, high } => json!({ "triangular": [low, mode, high] }),
            D::Beta { alpha, beta, low, high } => json!({ "beta": [alpha, beta, low, high] }),
            D::Exponential { mean, from } => json!({ "exponential": [mean, from] }),
            D::Weibull { shape, scale, from } => json!({ "weibull": [shape, scale, from] }),
            D::Choice(choice) => json!({ "choice": choice.values(), "weights": choice.weights() }),
            D::Constant(value) => json!({ "constant": value }),
        }
    }
}

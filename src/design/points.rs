//! The values of one parameter: listed, or computed from their index by a rule.
//!
//! # References
//! The rules are those of `numpy.linspace`, `logspace` and `geomspace`; `linspace` agrees with
//! numpy to the last bit, powers of ten are taken with libm so that every machine has the same.

use serde_json::json;

/// The values of one parameter, by index.
#[derive(Clone, Debug, PartialEq)]
pub enum Points {
    /// `linspace = [start, stop, n]`.
    Linspace(Linspace),
    /// `range = [start, stop, step]`: start + i step, and stop itself if it is hit within rounding.
    Range {
        /// The first value.
        start: f64,
        /// The bound.
        stop: f64,
        /// The distance of two values.
        step: f64,
        /// The number of values.
        count: u64,
        /// Whether the last value is `stop`.
        hits: bool,
    },
    /// `logspace = [start, stop, n]`: 10 to the power of a linspace.
    Logspace(Linspace),
    /// `geomspace = [start, stop, n]`: equal ratios, the ends exact.
    Geomspace {
        /// The first value.
        start: f64,
        /// The last value.
        stop: f64,
        /// The base 10 logarithms of the values' sizes.
        exponents: Linspace,
    },
    /// Numbers as listed.
    Values(Vec<f64>),
    /// Texts as listed; their values are their indices.
    Texts(Vec<String>),
}

/// Equal steps from start to stop, both included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linspace {
    /// The first value.
    pub start: f64,
    /// The last value.
    pub stop: f64,
    /// The number of values, at least 1.
    pub count: u64,
}

impl Linspace {
    /// Value i: i step + start with step = (stop - start) / (n - 1); the last is stop, one alone is
    /// start. Tests: `val_linspace_is_numpys_to_the_last_bit`.
    #[inline]
    fn value(self, index: u64) -> f64 {
        let Linspace { start, stop, count } = self;
        if count < 2 {
            return index as f64 * (stop - start) + start;
        }
        if index == count - 1 {
            return stop;
        }
        let intervals = (count - 1) as f64;
        let step = (stop - start) / intervals;
        // A step too small for a double: divide first, as numpy does.
        let along = if step == 0.0 { index as f64 / intervals * (stop - start) } else { index as f64 * step };
        along + start
    }

    fn canonical(self) -> serde_json::Value {
        json!([self.start, self.stop, self.count])
    }
}

impl Points {
    /// How many there are.
    pub fn count(&self) -> u64 {
        match self {
            Points::Linspace(linspace) | Points::Logspace(linspace) => linspace.count,
            Points::Geomspace { exponents, .. } => exponents.count,
            Points::Range { count, .. } => *count,
            Points::Values(values) => values.len() as u64,
            Points::Texts(texts) => texts.len() as u64,
        }
    }

    /// Value `index`, counted from 0; texts give the index itself.
    ///
    /// Panics if a list has no such index; the rules go on beyond their end.
    #[inline]
    pub fn value(&self, index: u64) -> f64 {
        match self {
            Points::Linspace(linspace) => linspace.value(index),
            Points::Range { start, stop, step, count, hits } => {
                if *hits && index == count - 1 {
                    *stop
                } else {
                    start + index as f64 * step
                }
            }
            Points::Logspace(exponents) => power_of_ten(exponents.value(index)),
            Points::Geomspace { start, stop, exponents } => {
                if index == 0 {
                    *start
                } else if index == exponents.count - 1 {
                    *stop
                } else {
                    power_of_ten(exponents.value(index)).copysign(*start)
                }
            }
            Points::Values(values) => values[index as usize],
            Points::Texts(_) => index as f64,
        }
    }

    /// The rule and its numbers as JSON, for the hash of the plan.
    pub(super) fn canonical(&self) -> serde_json::Value {
        match self {
            Points::Linspace(linspace) => json!({ "linspace": linspace.canonical() }),
            Points::Logspace(exponents) => json!({ "logspace": exponents.canonical() }),
            Points::Geomspace { start, stop, exponents } => json!({ "geomspace": [start, stop, exponents.count] }),
            Points::Range { start, stop, step, .. } => json!({ "range": [start, stop, step] }),
            Points::Values(values) => json!({ "values": values }),
            Points::Texts(texts) => json!({ "values": texts }),
        }
    }
}

/// 10^x, exact wherever that is a double: whole powers from -22 to 22 come from exact products.
fn power_of_ten(exponent: f64) -> f64 {
    if exponent.fract() == 0.0 && exponent.abs() <= 22.0 {
        let power = (0..exponent.abs() as u32).fold(1.0, |power, _| power * 10.0);
        return if exponent < 0.0 { 1.0 / power } else { power };
    }
    libm::pow(10.0, exponent)
}

//! One of several numbers, each with its weight.

/// Numbers and how likely each is. Draws ascend with u, whatever the order of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    values: Vec<f64>,
    weights: Vec<f64>,
    /// The values in ascending order, each with the sum of the weights up to it.
    ascending: Vec<(f64, f64)>,
}

impl Choice {
    /// Numbers and weights as listed; none if the lists differ in length, a weight is negative or
    /// none is above 0, or a number or the sum of the weights is not finite.
    pub fn new(values: Vec<f64>, weights: Vec<f64>) -> Option<Self> {
        let mut ascending: Vec<(f64, f64)> = values.iter().copied().zip(weights.iter().copied()).collect();
        ascending.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut sum = 0.0;
        for (_, weight) in &mut ascending {
            sum += *weight;
            *weight = sum;
        }
        let good = values.len() == weights.len()
            && values.iter().all(|value| value.is_finite())
            && weights.iter().all(|weight| *weight >= 0.0)
            && sum.is_finite()
            && sum > 0.0;
        good.then_some(Choice { values, weights, ascending })
    }

    /// The numbers as listed.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The weights as listed.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    fn sum(&self) -> f64 {
        self.ascending.last().map_or(0.0, |last| last.1)
    }

    /// The first value whose weights up to it reach u of all; one without weight is never taken.
    pub(super) fn quantile(&self, u: f64) -> f64 {
        let wanted = u * self.sum();
        self.ascending[self.ascending.partition_point(|(_, upto)| *upto < wanted)].0
    }

    pub(super) fn cdf(&self, x: f64) -> f64 {
        match self.ascending.partition_point(|(value, _)| *value <= x) {
            0 => 0.0,
            below => self.ascending[below - 1].1 / self.sum(),
        }
    }

    /// Mean and variance.
    pub(super) fn moments(&self) -> (f64, f64) {
        let weighted = |of: &dyn Fn(f64) -> f64| -> f64 {
            let terms = self.values.iter().zip(&self.weights).map(|(value, weight)| of(*value) * (weight / self.sum()));
            terms.sum()
        };
        let mean = weighted(&|value| value);
        (mean, weighted(&|value| (value - mean) * (value - mean)))
    }
}

//! Count, mean, variance, skewness, least and greatest of a number of each run; the covariance of two.

use super::ExactSum;
use super::exact_sum::product;

/// What is kept of one number of all runs.
#[derive(Clone, Debug)]
pub struct Moments {
    /// How many finite numbers there were.
    pub count: u64,
    /// How many were not finite; they count nowhere else.
    pub not_finite: u64,
    /// The least of them, +infinity without any.
    pub least: f64,
    /// The greatest of them, -infinity without any.
    pub greatest: f64,
    /// Sums of x, x^2 and x^3.
    sums: [ExactSum; 3],
}

impl Default for Moments {
    fn default() -> Self {
        let (least, greatest) = (f64::INFINITY, f64::NEG_INFINITY);
        Moments { count: 0, not_finite: 0, least, greatest, sums: std::array::from_fn(|_| ExactSum::default()) }
    }
}

impl Moments {
    /// Adds a number.
    pub fn add(&mut self, x: f64) {
        let (square, square_rest) = product(x, x);
        let (cube, cube_rest) = product(square, x);
        if !(x.is_finite() && cube.is_finite()) {
            self.not_finite += 1;
            return;
        }
        self.count += 1;
        self.least = self.least.min(x);
        self.greatest = self.greatest.max(x);
        let [one, two, three] = &mut self.sums;
        one.add(x);
        two.add(square);
        two.add(square_rest);
        three.add(cube);
        three.add(cube_rest);
        three.add(square_rest * x);
    }

    /// Adds what was kept elsewhere of other numbers.
    pub fn merge(&mut self, other: &Moments) {
        self.count += other.count;
        self.not_finite += other.not_finite;
        self.least = self.least.min(other.least);
        self.greatest = self.greatest.max(other.greatest);
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, other)| sum.merge(other));
    }

    /// The sum.
    pub fn sum(&self) -> &ExactSum {
        &self.sums[0]
    }

    /// The mean; NaN of nothing.
    pub fn mean(&self) -> f64 {
        self.sums[0].value() / self.count as f64
    }

    /// The variance with n - 1 below; NaN of less than two numbers.
    pub fn variance(&self) -> f64 {
        if self.count < 2 {
            return f64::NAN;
        }
        // the mean is rounded: the sum about it is a little larger, by n (mean - m)^2
        let shift = self.offset_of_mean();
        (self.central_two() - self.count as f64 * shift * shift).max(0.0) / (self.count - 1) as f64
    }

    /// The skewness, m3 / m2^(3/2) with central moments over n; NaN where all numbers are the same.
    pub fn skewness(&self) -> f64 {
        let (n, shift) = (self.count as f64, self.offset_of_mean());
        let (two, three) = (self.central_two() / n, self.central_three() / n);
        let (second, third) = (two - shift * shift, three - 3.0 * shift * two + 2.0 * shift * shift * shift);
        third / (second * second.sqrt())
    }

    /// The true mean less its rounded value.
    fn offset_of_mean(&self) -> f64 {
        let mut rest = self.sums[0].clone();
        rest.add_product(-(self.count as f64), self.mean());
        rest.value() / self.count as f64
    }

    /// Sum of (x - m)^2 about the rounded mean m, rounded once.
    fn central_two(&self) -> f64 {
        let (m, n) = (self.mean(), self.count as f64);
        let mut sum = self.sums[1].clone();
        add_multiples(&mut sum, &self.sums[0], -2.0 * m);
        let (square, rest) = product(m, m);
        sum.add_product(n, square);
        sum.add_product(n, rest);
        sum.value()
    }

    /// Sum of (x - m)^3 about the rounded mean m; the cubes were rounded to 106 bits.
    fn central_three(&self) -> f64 {
        let (m, n) = (self.mean(), self.count as f64);
        let mut sum = self.sums[2].clone();
        let (square, rest) = product(m, m);
        for _ in 0..3 {
            // three times, since 3 m would be rounded
            add_multiples(&mut sum, &self.sums[1], -m);
            add_multiples(&mut sum, &self.sums[0], square);
            add_multiples(&mut sum, &self.sums[0], rest);
        }
        let (cube, cube_rest) = product(square, m);
        for part in [cube, cube_rest, rest * m] {
            sum.add_product(-n, part);
        }
        sum.value()
    }
}

/// sum += factor * other, exactly where the factor is exact.
fn add_multiples(sum: &mut ExactSum, other: &ExactSum, factor: f64) {
    for part in other.expansion() {
        sum.add_product(factor, part);
    }
}

/// The covariance with n - 1 below, of two numbers of the same n runs: from their sums and the sum of their products.
pub fn covariance(x: &ExactSum, y: &ExactSum, products: &ExactSum, count: u64) -> f64 {
    if count < 2 {
        return f64::NAN;
    }
    // sum (x - mx)(y - my) = sum xy - my sum x - mx sum y + n mx my, with rounded means
    let n = count as f64;
    let (mx, my) = (x.value() / n, y.value() / n);
    let mut sum = products.clone();
    add_multiples(&mut sum, x, -my);
    add_multiples(&mut sum, y, -mx);
    let (mean, rest) = product(mx, my);
    sum.add_product(n, mean);
    sum.add_product(n, rest);
    let offset = |all: &ExactSum, mean: f64| {
        let mut rest = all.clone();
        rest.add_product(-n, mean);
        rest.value() / n
    };
    (sum.value() - n * offset(x, mx) * offset(y, my)) / (n - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::random::Key;

    fn moments(numbers: impl IntoIterator<Item = f64>) -> Moments {
        let mut moments = Moments::default();
        numbers.into_iter().for_each(|x| moments.add(x));
        moments
    }

    fn near(a: f64, b: f64, relative: f64) {
        assert!((a - b).abs() <= relative * b.abs(), "{a} instead of {b}");
    }

    #[test]
    fn val_small_samples() {
        let all = moments([1.0, 2.0, 3.0, 4.0, 10.0, f64::NAN, f64::INFINITY]);
        assert_eq!((all.count, all.not_finite, all.least, all.greatest), (5, 2, 1.0, 10.0));
        assert_eq!((all.mean(), all.variance()), (4.0, 12.5));
        // m2 = 10, m3 = 36
        near(all.skewness(), 36.0 / 10_f64.powf(1.5), 1e-15);
        let one = moments([7.0]);
        assert!((one.mean(), one.variance().is_nan(), one.skewness().is_nan()) == (7.0, true, true));
        assert!(moments([]).mean().is_nan() && moments([3.0, 3.0]).skewness().is_nan());
        assert_eq!(moments([0.1; 30]).variance().to_bits(), 0);
    }

    /// Numbers that differ in their last digits alone: a sum of squares in doubles would leave nothing.
    #[test]
    fn val_a_spread_far_below_the_mean() {
        let at = |i: u64| 7e6 + f64::from(i as u32) * 1e-9; // one last bit is 0.93e-9
        let exact: Vec<f64> = (0..1000).map(|i| at(i) - 7e6).collect(); // exact differences
        let (far, near_zero) = (moments((0..1000).map(at)), moments(exact));
        near(far.variance(), near_zero.variance(), 1e-12);
        near(far.variance(), 1e-18 * 1000.0 * 1001.0 / 12.0, 1e-2);
    }

    #[test]
    fn prop_the_order_does_not_count() {
        let key = Key::new(3, "moments");
        let x = |run: u64| 1000.0 + libm::exp(3.0 * key.uniform(run, 0));
        let all = moments((0..5000).map(x));
        let mut other = moments((0..1700).rev().map(x));
        other.merge(&moments((1700..5000).map(x)));
        let numbers = |m: &Moments| [m.mean(), m.variance(), m.skewness(), m.least, m.greatest].map(f64::to_bits);
        assert_eq!(numbers(&all), numbers(&other));
        // against plain sums about the mean
        let mean = (0..5000).map(x).sum::<f64>() / 5000.0;
        let central = |k: i32| (0..5000).map(|run| (x(run) - mean).powi(k)).sum::<f64>() / 5000.0;
        near(all.variance(), central(2) * 5000.0 / 4999.0, 1e-12);
        near(all.skewness(), central(3) / central(2).powf(1.5), 1e-11);
    }

    #[test]
    fn val_covariance() {
        let key = Key::new(4, "covariance");
        let (mut sums, mut products) = ([ExactSum::default(), ExactSum::default()], ExactSum::default());
        let pair = |run: u64| {
            let x = 7000.0 + key.uniform(run, 0);
            (x, -2.0 * x + 0.1 * key.uniform(run, 1))
        };
        for run in 0..2000 {
            let (x, y) = pair(run);
            sums[0].add(x);
            sums[1].add(y);
            products.add_product(x, y);
        }
        let mean = |f: &dyn Fn(u64) -> f64| (0..2000).map(f).sum::<f64>() / 2000.0;
        let (mx, my) = (mean(&|run| pair(run).0), mean(&|run| pair(run).1));
        let expected = (0..2000).map(|run| (pair(run).0 - mx) * (pair(run).1 - my)).sum::<f64>() / 1999.0;
        near(covariance(&sums[0], &sums[1], &products, 2000), expected, 1e-11);
        assert!(covariance(&sums[0], &sums[1], &products, 1).is_nan());
    }
}

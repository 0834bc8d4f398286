//! The lengths of HtcMock's tasks: a table of Beta-distributed samples.
//!
//! ```text
//! duration = trunc(min + (max - min) Beta(a, b)),  b = 5,  a = b q/(1 - q),  q = (avg - min)/(max - min)
//! Beta(a, b) = X/(X + Y),  X ~ Gamma(a), Y ~ Gamma(b), drawn in this order
//! ```
//!
//! How many random numbers each draw takes decides what the next one gets, so the order of the draws
//! is part of the definition: the tree is grown from the number that follows the last sample.
//!
//! # References
//! Marsaglia and Tsang, A simple method for generating gamma variables, ACM TOMS 26 (2000) 363;
//! Box and Muller, Ann. Math. Statist. 29 (1958) 610.

use std::f64::consts::TAU;

use super::random::Random;

const B: f64 = 5.0;

/// Draws durations between a least and a greatest one, with a given mean.
#[derive(Clone, Copy, Debug)]
pub struct Durations {
    min: f64,
    width: f64,
    a: f64,
}

impl Durations {
    /// Durations in ms, `min < average < max`.
    pub fn new(min: i32, average: f64, max: i32) -> Self {
        let (min, width) = (f64::from(min), f64::from(max - min));
        let q = (average - min) / width;
        Durations { min, width, a: B * q / (1.0 - q) }
    }

    /// One duration, ms.
    pub fn sample(&self, random: &mut Random) -> i32 {
        let x = gamma(random, self.a);
        let y = gamma(random, B);
        (x / (x + y) * self.width + self.min) as i32
    }
}

/// A normal number: the cosine branch of Box and Muller alone; a first uniform of zero is drawn again.
fn normal(random: &mut Random) -> f64 {
    let mut u = 0.0;
    while u <= 0.0 {
        u = random.next_double();
    }
    let angle = TAU * random.next_double();
    libm::sqrt(-2.0 * libm::log(u)) * libm::cos(angle)
}

/// A Gamma number of this shape, by Marsaglia and Tsang: for a shape below 1 the uniform of the boost
/// comes first; a try takes normals until `1 + c x > 0` and then one uniform.
fn gamma(random: &mut Random, shape: f64) -> f64 {
    let (shape, boost) =
        if shape < 1.0 { (shape + 1.0, libm::pow(random.next_double(), 1.0 / shape)) } else { (shape, 1.0) };
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / libm::sqrt(9.0 * d);
    loop {
        let mut x = normal(random);
        let mut root = 1.0 + c * x;
        while root <= 0.0 {
            x = normal(random);
            root = 1.0 + c * x;
        }
        let v = root * root * root;
        let u = random.next_double();
        let x2 = x * x;
        let squeezed = u < 1.0 - 0.0331 * x2 * x2;
        if squeezed || libm::log(u) < 0.5 * x2 + d * (1.0 - v + libm::log(v)) {
            return boost * d * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn val_gamma_moments() {
        // Mean and variance of Gamma(shape) are both its shape; 200 000 samples put the mean within
        // 5 sqrt(shape / 200 000) and the variance within 5 % (a 5-sigma bound for these shapes).
        for shape in [0.17, 1.0, 5.0] {
            let mut random = Random::new(7);
            let samples: Vec<f64> = (0..200_000).map(|_| gamma(&mut random, shape)).collect();
            let mean = samples.iter().sum::<f64>() / 2e5;
            let variance = samples.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 2e5;
            assert!((mean - shape).abs() < 5.0 * (shape / 2e5_f64).sqrt(), "{shape}: mean {mean}");
            assert!((variance / shape - 1.0).abs() < 0.05, "{shape}: variance {variance}");
        }
    }

    #[test]
    fn val_mean_of_the_durations() {
        // Truncation takes half a millisecond off the mean of 100 ms.
        let durations = Durations::new(33, 100.0, 3000);
        let mut random = Random::new(0);
        let samples: Vec<i32> = (0..100_000).map(|_| durations.sample(&mut random)).collect();
        let mean = samples.iter().map(|&x| f64::from(x)).sum::<f64>() / 1e5;
        assert!((mean - 99.5).abs() < 3.0, "{mean}");
        assert!(samples.iter().all(|x| (33..=3000).contains(x)));
    }
}

//! The draws of gmat-sweep, bit for bit: what `seed_contract = "gmat-sweep"` stands for.
//!
//! A run's seed is the first word of the child of `numpy.random.SeedSequence(seed)` with the run's number; a parameter's
//! seed is the first word of `SeedSequence([run's seed, first 32 bits of the name's SHA-256])`; one number is drawn with
//! `default_rng` of that by `scipy.stats`. So a draw follows from (seed, name, run) alone. A Latin hypercube is that of
//! `scipy.stats.qmc`, its columns in the order of the names.
//!
//! # Equal bits
//! The numbers are those of numpy on x86-64 Linux with fused multiply-add and without AVX-512 (compared: numpy 1.26.4
//! with scipy 1.11.4, numpy 2.5.5 with scipy 1.18.1), and here they are the same on every machine. numpy's own are not:
//! - AVX-512: numpy takes exp from Intel's vector library then, another one in each of these versions. 50 and 326 of
//!   1365 lognormal numbers have another last bit or two, no other number has. `NPY_DISABLE_CPU_FEATURES` as in
//!   `tests/reference/numpy/make.py` makes numpy draw what is drawn here.
//! - Without fused multiply-add: 700 in a million exps and 5 in a million normal quantiles have another last bit.
//! - log1p of the C library enters one normal or lognormal draw in 3900, the tail of the ziggurat; of 1019 such draws
//!   none differed for want of fused multiply-add, but another C library may round some otherwise.
//! - ARM: its compilers fuse operations in scipy's normal quantile, so a hypercube's last bits may differ (not tried).
//!
//! # Reference
//! gmat-sweep 0.6.0, `distributions.py` and `grids.py` (MIT). Tested in `tests.rs` beside this file against its own output.

mod elementary;
mod generator;
mod hypercube;
mod normal;
mod seed;
mod steps;
mod ziggurat;

pub use hypercube::{LatinHypercube, MAX_NUMBERS, SizeError};
pub use seed::{NameWord, Seed};

use generator::Generator;
use seed::Pool;

/// How a parameter is distributed: the three kinds that gmat-sweep has.
///
/// gmat-sweep refuses sigma <= 0, high <= low, what is not finite, and a mu whose exp overflows (above 709.78).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Marginal {
    /// The normal distribution.
    Normal {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        sigma: f64,
    },
    /// The uniform distribution on [low, high].
    Uniform {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// The distribution whose logarithm is normal.
    Lognormal {
        /// The mean of the logarithm.
        mu: f64,
        /// The standard deviation of the logarithm.
        sigma: f64,
    },
}

impl Marginal {
    /// What the standard variate is multiplied with, and what is added to the product.
    fn scale_and_shift(self) -> (f64, f64) {
        match self {
            Self::Normal { mean, sigma } => (sigma, mean),
            Self::Uniform { low, high } => (high - low, low),
            Self::Lognormal { mu, .. } => (elementary::exp(mu), 0.0),
        }
    }

    /// One number from a generator: `rvs(size=1)` of the frozen distribution.
    fn draw(self, generator: &mut Generator) -> f64 {
        let (scale, shift) = self.scale_and_shift();
        if scale == 0.0 {
            return shift; // exp of a mu below -745
        }
        let standard = match self {
            Self::Normal { .. } => normal::draw(generator),
            Self::Uniform { .. } => generator.uniform(),
            Self::Lognormal { sigma, .. } => elementary::exp(sigma * normal::draw(generator)),
        };
        standard * scale + shift
    }

    /// The number below which the parameter lies with probability `q`: `ppf` of the frozen distribution.
    ///
    /// At 0 and 1 the ends of the distribution, infinite if it has none; NaN outside [0, 1].
    pub fn quantile(self, q: f64) -> f64 {
        let (scale, shift) = self.scale_and_shift();
        if !(0.0..=1.0).contains(&q) || scale == 0.0 {
            return f64::NAN;
        }
        let standard = match self {
            Self::Normal { .. } => normal::quantile(q),
            Self::Uniform { .. } => q,
            Self::Lognormal { sigma, .. } => elementary::exp(sigma * normal::quantile(q)),
        };
        standard * scale + shift
    }
}

/// The draws of a Monte Carlo sweep: every number from the seed, the parameter's name and the run alone.
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    seed: Pool,
}

impl Draws {
    /// The draws of a seed.
    pub fn new(seed: &Seed) -> Self {
        Self { seed: Pool::new(seed.words()) }
    }

    /// The seed of a run, as gmat-sweep records it. Independent of how many runs there are.
    pub fn run_seed(&self, run: u64) -> u32 {
        self.seed.child(run).state::<1>()[0]
    }

    /// The draw for a parameter in a run.
    pub fn draw(&self, marginal: Marginal, name: NameWord, run: u64) -> f64 {
        let [seed] = Pool::new(&[self.run_seed(run), name.0]).state();
        marginal.draw(&mut Generator::new(&Pool::new(&[seed])))
    }
}

#[cfg(test)]
mod tests;

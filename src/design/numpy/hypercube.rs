//! The Latin hypercube of `scipy.stats.qmc.LatinHypercube`, of strength 1 and scrambled.

use super::generator::Generator;
use super::seed::{Pool, Seed};
use std::fmt;

/// The most numbers of a hypercube: with 8 bytes each they take 1 GiB, on every rank.
pub const MAX_NUMBERS: u64 = 1 << 27;

/// `runs` points in the unit cube of `columns` dimensions: each column has one point in every `runs`-th of [0, 1].
///
/// With u uniform and p a shuffled list of 1 to n, the point is (p - u) / n. The list is a list by nature: no point
/// can be had without the shuffle of its whole column, so all are made at once.
#[derive(Clone, Debug, PartialEq)]
pub struct LatinHypercube {
    columns: usize,
    numbers: Vec<f64>,
}

/// Why there is no hypercube of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeError {
    /// It has no column or no run.
    Empty,
    /// It has more than [`MAX_NUMBERS`] numbers.
    TooLarge,
    /// The machine does not give the memory.
    Memory,
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("a latin hypercube needs a parameter and a run"),
            Self::TooLarge => write!(
                f,
                "gmat-sweep's latin hypercube is a list in the memory of every rank: runs times parameters must not \
                 exceed {MAX_NUMBERS}"
            ),
            Self::Memory => f.write_str("there is not enough memory for the list of gmat-sweep's latin hypercube"),
        }
    }
}

impl std::error::Error for SizeError {}

impl LatinHypercube {
    /// Makes the points: the columns are those of the parameters' names in the order of their bytes.
    ///
    /// Memory: 8 bytes a number, and while they are made 4 more a run.
    pub fn new(seed: &Seed, columns: usize, runs: u64) -> Result<Self, SizeError> {
        if columns == 0 || runs == 0 {
            return Err(SizeError::Empty);
        }
        let size = (columns as u64).checked_mul(runs).filter(|&size| size <= MAX_NUMBERS).ok_or(SizeError::TooLarge)?;
        let runs = runs as usize;
        let (mut numbers, mut order) = (Vec::new(), Vec::new());
        numbers.try_reserve_exact(size as usize).map_err(|_| SizeError::Memory)?;
        order.try_reserve_exact(runs).map_err(|_| SizeError::Memory)?;
        let mut generator = Generator::new(&Pool::new(seed.words()));
        numbers.extend((0..size).map(|_| generator.uniform()));
        for column in 0..columns {
            order.clear();
            order.extend(1..=runs as u32);
            generator.shuffle(&mut order);
            for (number, &part) in numbers[column..].iter_mut().step_by(columns).zip(&order) {
                *number = (f64::from(part) - *number) / runs as f64;
            }
        }
        Ok(Self { columns, numbers })
    }

    /// The coordinate of a run's point, in (0, 1]: 1 comes once in 2^53 numbers.
    ///
    /// Panics if there is no such run or column.
    pub fn unit(&self, run: u64, column: usize) -> f64 {
        assert!(column < self.columns, "no column {column} of {}", self.columns);
        self.numbers[run as usize * self.columns + column]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prop_every_part_of_every_column_has_one_point() {
        let cube = LatinHypercube::new(&Seed::from(7), 3, 1000).unwrap();
        for column in 0..3 {
            let mut parts: Vec<u64> = (0..1000).map(|run| (cube.unit(run, column) * 1000.0).ceil() as u64).collect();
            parts.sort_unstable();
            assert!(parts.into_iter().eq(1..=1000), "column {column}");
        }
    }

    #[test]
    fn a_hypercube_has_a_size_that_fits() {
        let seed = Seed::from(1);
        assert_eq!(LatinHypercube::new(&seed, 0, 5), Err(SizeError::Empty));
        assert_eq!(LatinHypercube::new(&seed, 5, 0), Err(SizeError::Empty));
        assert_eq!(LatinHypercube::new(&seed, 2, MAX_NUMBERS / 2 + 1), Err(SizeError::TooLarge));
        assert_eq!(LatinHypercube::new(&seed, 4, u64::MAX / 2), Err(SizeError::TooLarge));
        assert!(SizeError::TooLarge.to_string().contains("must not exceed 134217728"));
    }
}

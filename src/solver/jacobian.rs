//! The sensitivity of the goals to the variables, and its inverse.
//!
//! J[i][j] = d goal j / d variable i, a matrix of variables by goals; its inverse has goals by variables.
//! Same number of both: the inverse, by Gauss-Jordan elimination with full pivoting. Fewer variables than goals:
//! J' (J J')^-1, the least squares of the goals. More variables than goals: (J' J)^-1 J', the smallest step.
//! Domain: no pivot below 1e-12, in whatever units the goals and scaled variables have; a diagonal matrix needs
//! only that its elements are not 0. These are GMAT's rules, operation by operation.
//!
//! # References
//! Golub and Van Loan, *Matrix Computations*, 4th ed., sections 3.4.8 (full pivoting) and 5.5.2 (pseudo-inverse).
//! Tests: `val_inverse_by_hand`, `prop_inverse_times_matrix_is_one`, `prop_pseudo_inverse` here.

use super::settings::SolverError;
use std::cmp::Ordering;

/// A pivot below this makes the matrix singular.
const SMALLEST_PIVOT: f64 = 1e-12;

/// A Jacobian with its inverse; all memory is taken at the start.
#[derive(Clone, Debug)]
pub(super) struct Jacobian {
    variables: usize,
    goals: usize,
    /// J, row after row.
    forward: Vec<f64>,
    /// Its inverse, row after row.
    inverse: Vec<f64>,
    /// A square matrix that is inverted in place.
    square: Vec<f64>,
    /// Rows and columns of the pivots.
    pivots: Vec<(usize, usize)>,
    /// Columns without a pivot yet.
    free: Vec<bool>,
}

impl Jacobian {
    /// All zero.
    pub(super) fn new(variables: usize, goals: usize) -> Self {
        let small = variables.min(goals);
        Jacobian {
            variables,
            goals,
            forward: vec![0.0; variables * goals],
            inverse: vec![0.0; goals * variables],
            square: vec![0.0; small * small],
            pivots: vec![(0, 0); small],
            free: vec![true; small],
        }
    }

    /// d goal / d variable.
    pub(super) fn at(&self, variable: usize, goal: usize) -> f64 {
        self.forward[variable * self.goals + goal]
    }

    /// d goal / d variable, to be set.
    pub(super) fn at_mut(&mut self, variable: usize, goal: usize) -> &mut f64 {
        &mut self.forward[variable * self.goals + goal]
    }

    /// How much a variable has to change for a unit of a goal.
    pub(super) fn inverse_at(&self, goal: usize, variable: usize) -> f64 {
        self.inverse[goal * self.variables + variable]
    }

    /// The same, to be set.
    pub(super) fn inverse_at_mut(&mut self, goal: usize, variable: usize) -> &mut f64 {
        &mut self.inverse[goal * self.variables + variable]
    }

    /// Computes the inverse from J.
    pub(super) fn invert(&mut self) -> Result<(), SolverError> {
        let (n, m) = (self.variables, self.goals);
        match n.cmp(&m) {
            Ordering::Equal => {
                self.square.copy_from_slice(&self.forward);
                self.invert_square(n)?;
                self.inverse.copy_from_slice(&self.square);
            }
            Ordering::Less => {
                for (i, j) in pairs(n, n) {
                    self.square[i * n + j] = sum(m, |k| self.at(i, k) * self.at(j, k));
                }
                self.invert_square(n)?;
                for (i, j) in pairs(m, n) {
                    *self.inverse_at_mut(i, j) = sum(n, |k| self.at(k, i) * self.square[k * n + j]);
                }
            }
            Ordering::Greater => {
                for (i, j) in pairs(m, m) {
                    self.square[i * m + j] = sum(n, |k| self.at(k, i) * self.at(k, j));
                }
                self.invert_square(m)?;
                for (i, j) in pairs(m, n) {
                    *self.inverse_at_mut(i, j) = sum(m, |k| self.square[i * m + k] * self.at(j, k));
                }
            }
        }
        Ok(())
    }

    /// Inverts `square`, of size n, in place.
    fn invert_square(&mut self, n: usize) -> Result<(), SolverError> {
        if pairs(n, n).all(|(i, j)| i == j || self.square[i * n + j] == 0.0) {
            return self.invert_diagonal(n);
        }
        let a = &mut self.square;
        self.free.fill(true);
        for step in 0..n {
            let (row, column, pivot) = largest(a, &self.free);
            if pivot.abs() < SMALLEST_PIVOT {
                return Err(SolverError::Singular);
            }
            self.pivots[step] = (row, column);
            self.free[column] = false;
            a[row * n + column] = 1.0;
            for j in 0..n {
                let pivotal = a[row * n + j];
                a[row * n + j] = a[column * n + j];
                a[column * n + j] = pivotal / pivot;
            }
            for i in (0..n).filter(|&i| i != column) {
                let factor = a[i * n + column];
                a[i * n + column] = 0.0;
                for j in 0..n {
                    a[i * n + j] -= a[column * n + j] * factor;
                }
            }
        }
        for &(row, column) in self.pivots.iter().rev() {
            for i in 0..n {
                a.swap(i * n + row, i * n + column);
            }
        }
        Ok(())
    }

    /// Inverts `square` where it has nothing beside its diagonal.
    fn invert_diagonal(&mut self, n: usize) -> Result<(), SolverError> {
        if (0..n).any(|i| self.square[i * n + i] == 0.0) {
            return Err(SolverError::Singular);
        }
        for i in 0..n {
            self.square[i * n + i] = 1.0 / self.square[i * n + i];
        }
        Ok(())
    }
}

/// The first of the largest elements among the rows and columns that are free, with its place.
fn largest(a: &[f64], free: &[bool]) -> (usize, usize, f64) {
    let n = free.len();
    let mut found = (0, 0, 0.0_f64);
    for (i, j) in pairs(n, n).filter(|&(i, j)| free[i] && free[j]) {
        if found.2.abs() < a[i * n + j].abs() {
            found = (i, j, a[i * n + j]);
        }
    }
    found
}

/// All places of a matrix, row after row.
fn pairs(rows: usize, columns: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows).flat_map(move |i| (0..columns).map(move |j| (i, j)))
}

/// The sum of `count` terms, one after the other.
pub(super) fn sum(count: usize, term: impl Fn(usize) -> f64) -> f64 {
    (0..count).fold(0.0, |total, k| total + term(k))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fills a matrix, row after row, and inverts it.
    fn inverted(variables: usize, goals: usize, elements: &[f64]) -> Result<Jacobian, SolverError> {
        let mut jacobian = Jacobian::new(variables, goals);
        for (k, &element) in elements.iter().enumerate() {
            *jacobian.at_mut(k / goals, k % goals) = element;
        }
        jacobian.invert().map(|()| jacobian)
    }

    /// Small whole numbers: every operation is exact.
    #[test]
    fn val_inverse_by_hand() {
        let jacobian = inverted(2, 2, &[1.0, 2.0, 4.0, 9.0]).expect("determinant 1");
        let inverse: Vec<f64> = pairs(2, 2).map(|(i, j)| jacobian.inverse_at(i, j)).collect();
        for (found, expected) in inverse.iter().zip([9.0, -2.0, -4.0, 1.0]) {
            assert!((found - expected).abs() < 4e-15, "{inverse:?}"); // a few roundings of numbers below 10
        }
        let diagonal =
            inverted(2, 2, &[f64::MIN_POSITIVE, 0.0, 0.0, 4.0]).expect("a small diagonal is no singular one");
        assert_eq!(
            [diagonal.inverse_at(0, 0), diagonal.inverse_at(1, 1)].map(f64::to_bits),
            [1.0 / f64::MIN_POSITIVE, 0.25].map(f64::to_bits)
        );
    }

    #[test]
    fn val_singular_as_in_gmat() {
        assert_eq!(inverted(1, 1, &[0.0]).err(), Some(SolverError::Singular));
        assert_eq!(inverted(2, 2, &[1.0, 2.0, 2.0, 4.0]).err(), Some(SolverError::Singular));
        assert_eq!(inverted(2, 2, &[1e-13, 1e-14, 1e-14, 2e-13]).err(), Some(SolverError::Singular));
        assert_eq!(inverted(2, 2, &[f64::NAN; 4]).err(), Some(SolverError::Singular));
    }

    /// J times its inverse is one, for a matrix that needs both kinds of pivoting.
    #[test]
    fn prop_inverse_times_matrix_is_one() {
        let n = 5;
        let elements: Vec<f64> = pairs(n, n).map(|(i, j)| (7 * i * i + 3 * j * (i + 2) + 1) as f64 % 11.0).collect();
        let jacobian = inverted(n, n, &elements).expect("regular");
        for (i, j) in pairs(n, n) {
            let product = sum(n, |k| jacobian.at(i, k) * jacobian.inverse_at(k, j));
            let one = if i == j { 1.0 } else { 0.0 };
            assert!((product - one).abs() < 1e-13, "{i} {j}: {product}"); // elements about 10, condition below 100
        }
    }

    /// J K J = J and K J K = K, the laws of a pseudo-inverse K, for both shapes.
    #[test]
    fn prop_pseudo_inverse() {
        for (n, m) in [(2, 3), (3, 2), (1, 3), (3, 1)] {
            let elements: Vec<f64> = pairs(n, m).map(|(i, j)| (5 * i + 2 * j * j + 1) as f64 % 7.0 + 0.5).collect();
            let jacobian = inverted(n, m, &elements).expect("full rank");
            for (i, j) in pairs(n, m) {
                let back = sum(m, |k| sum(n, |l| jacobian.at(i, k) * jacobian.inverse_at(k, l) * jacobian.at(l, j)));
                assert!((back - jacobian.at(i, j)).abs() < 1e-12, "{n} {m}: {back}");
            }
            for (i, j) in pairs(m, n) {
                let back =
                    sum(n, |k| sum(m, |l| jacobian.inverse_at(i, k) * jacobian.at(k, l) * jacobian.inverse_at(l, j)));
                assert!((back - jacobian.inverse_at(i, j)).abs() < 1e-12, "{n} {m}: {back}");
            }
        }
    }
}

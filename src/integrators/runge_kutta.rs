//! An explicit Runge-Kutta pair in lanes.
//!
//! k_i = h f(t + a_i h, x + sum_{j<i} b_ij k_j);  x_new = x + sum c_i k_i;  delta = sum e_i k_i
//!
//! Products are rounded before they are added, in this order, as GMAT's are: the first steps of a flight have
//! errors of rounding only, and these decide the lengths of the next. With a force of the same bits the steps
//! are those of GMAT to the last digit (test: `val_steps_to_the_last_digit`), at no cost in time.
//! Coefficients that are zero are left out of the sums when the tableau is made, so they cost
//! nothing in the loop.

use crate::base::lanes::{Lanes, Real};
use crate::lane_kernel;

/// The most stages of any method.
pub const STAGES_MAX: usize = 16;

/// Six numbers (position, velocity) of each lane.
pub type State = [Lanes; 6];

/// A weighted sum over stages: (stage, weight), the zeros left out.
pub type Weights = Vec<(usize, f64)>;

/// The coefficients of a pair.
#[derive(Clone, Debug)]
pub struct Tableau {
    /// GMAT's name of the method.
    pub name: &'static str,
    /// The order that the step control counts with.
    pub order: u32,
    /// a_i: when each stage is, in steps.
    pub nodes: Vec<f64>,
    /// b_ij: what stage i is made of.
    pub stages: Vec<Weights>,
    /// c_i: the new state.
    pub solution: Weights,
    /// e_i: the error estimate.
    pub error: Weights,
}

/// A dense row without its zeros.
pub(super) fn sparse(row: &[f64]) -> Weights {
    row.iter().copied().enumerate().filter(|&(_, weight)| weight != 0.0).collect()
}

impl Tableau {
    /// A tableau from dense rows; row i holds what stage i is made of, so the first row is empty.
    ///
    /// # Panics
    /// If the sizes do not fit, or there are more than [`STAGES_MAX`] stages: a mistake in a method's file.
    pub fn new(
        name: &'static str,
        order: u32,
        nodes: &[f64],
        stages: &[&[f64]],
        solution: &[f64],
        error: &[f64],
    ) -> Self {
        let count = nodes.len();
        assert!(count <= STAGES_MAX, "{name} has too many stages");
        assert!([stages.len(), solution.len(), error.len()] == [count; 3], "{name}: sizes");
        assert!(stages.iter().enumerate().all(|(i, row)| row.len() <= i), "{name} is not explicit");
        Tableau {
            name,
            order,
            nodes: nodes.to_vec(),
            stages: stages.iter().map(|row| sparse(row)).collect(),
            solution: sparse(solution),
            error: sparse(error),
        }
    }
}

lane_kernel!(
    /// y = x + sum_j w_j k_j
    pub(super) fn advance(x: &State, weights: &[(usize, f64)], k: &[State; STAGES_MAX], y: &mut State) = weighted_sum
);
lane_kernel!(
    /// delta = sum_j w_j k_j
    pub(super) fn increment(weights: &[(usize, f64)], k: &[State; STAGES_MAX], delta: &mut State) = increments
);
lane_kernel!(
    /// k = h f
    pub(super) fn scale(h: &Lanes, v: &[Lanes; 3], a: &[Lanes; 3], k: &mut State) = scaled
);

/// y_0 + sum_j w_j k_j, one product and one sum after the other.
#[inline(always)]
fn sum<T: Real>(first: usize, start: [T; 6], weights: &[(usize, f64)], k: &[State; STAGES_MAX]) -> [T; 6] {
    let mut total = start;
    for &(stage, weight) in weights {
        let weight = T::splat(weight);
        for (total, k) in total.iter_mut().zip(&k[stage]) {
            *total = *total + weight * T::load(k, first);
        }
    }
    total
}

#[inline(always)]
fn weighted_sum<T: Real>(first: usize, x: &State, weights: &[(usize, f64)], k: &[State; STAGES_MAX], y: &mut State) {
    let mut start = [T::splat(0.0); 6];
    for (start, x) in start.iter_mut().zip(x) {
        *start = T::load(x, first);
    }
    for (number, y) in sum::<T>(first, start, weights, k).into_iter().zip(y) {
        number.store(y, first);
    }
}

#[inline(always)]
fn increments<T: Real>(first: usize, weights: &[(usize, f64)], k: &[State; STAGES_MAX], delta: &mut State) {
    for (number, delta) in sum::<T>(first, [T::splat(0.0); 6], weights, k).into_iter().zip(delta) {
        number.store(delta, first);
    }
}

#[inline(always)]
fn scaled<T: Real>(first: usize, h: &Lanes, v: &[Lanes; 3], a: &[Lanes; 3], k: &mut State) {
    let h = T::load(h, first);
    for axis in 0..3 {
        (h * T::load(&v[axis], first)).store(&mut k[axis], first);
        (h * T::load(&a[axis], first)).store(&mut k[axis + 3], first);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::integrators::{REGISTRY, method::Method};

    /// sum_i w_i a_i^k
    pub(crate) fn moment(weights: &[(usize, f64)], nodes: &[f64], k: i32) -> f64 {
        weights.iter().map(|&(i, weight)| weight * nodes[i].powi(k)).sum()
    }

    /// sum_j b_ij = a_i; sum c_i a_i^k = 1/(k+1) to the order of the solution, sum e_i a_i^k = 0 to that
    /// of the lower formula.
    #[test]
    fn prop_rows_sum_to_the_nodes() {
        let mut seen = 0;
        for entry in REGISTRY {
            let Method::RungeKutta(tableau) = (entry.method)() else { continue };
            seen += 1;
            // (order of the solution, order of the lower formula, the largest coefficient times 1e-15); the
            // published ratios of PrinceDormand78 are good to 1e-17 or so each, its coefficients up to 16
            let (order, lower, tolerance) = match tableau.name {
                "RungeKutta89" => (9, 8, 1e-12),
                "PrinceDormand78" => (8, 7, 2e-14),
                "PrinceDormand45" => (5, 4, 1e-14),
                "RungeKutta56" => (6, 6, 1e-14), // its error estimate is blind to time
                name => panic!("{name}"),
            };
            for (row, node) in tableau.stages.iter().zip(&tableau.nodes) {
                let sum: f64 = row.iter().map(|&(_, b)| b).sum();
                assert!((sum - node).abs() < tolerance, "{}: {sum} {node}", tableau.name);
            }
            for k in 0..order {
                let solution = moment(&tableau.solution, &tableau.nodes, k);
                assert!((solution - 1.0 / f64::from(k + 1)).abs() < 1e-14, "{} {k} {solution}", tableau.name);
                let error = moment(&tableau.error, &tableau.nodes, k);
                assert_eq!(error.abs() < 1e-14, k < lower, "{} {k} {error}", tableau.name);
            }
        }
        assert_eq!(seen, 4);
    }
}

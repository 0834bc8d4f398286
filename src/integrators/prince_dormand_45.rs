//! Dormand and Prince's 7-stage Runge-Kutta pair of orders 4 and 5.
//!
//! Solution: the 5th-order formula, which is the last stage too. Error: the difference of the two. Not the
//! better known pair with nodes 1/5, 3/10, 4/5, 8/9.
//!
//! # References
//! P. J. Prince, J. R. Dormand, "High order embedded Runge-Kutta formulae", J. Comput. Appl. Math. 7(1),
//! 1981 (as GMAT cites). Tests: `prop_rows_sum_to_the_nodes`; tests/integrators.

use super::method::Method;
use super::runge_kutta::Tableau;

/// The method.
pub(super) fn method() -> Method {
    let nodes = [0.0, 2.0 / 9.0, 1.0 / 3.0, 5.0 / 9.0, 2.0 / 3.0, 1.0, 1.0];
    let solution = [19.0 / 200.0, 0.0, 3.0 / 5.0, -243.0 / 400.0, 33.0 / 40.0, 7.0 / 80.0, 0.0];
    let stages: [&[f64]; 7] = [
        &[],
        &[2.0 / 9.0],
        &[1.0 / 12.0, 1.0 / 4.0],
        &[55.0 / 324.0, -25.0 / 108.0, 50.0 / 81.0],
        &[83.0 / 330.0, -13.0 / 22.0, 61.0 / 66.0, 9.0 / 110.0],
        &[-19.0 / 28.0, 9.0 / 4.0, 1.0 / 7.0, -27.0 / 7.0, 22.0 / 7.0],
        &solution[..6],
    ];
    let lower = [431.0 / 5000.0, 0.0, 333.0 / 500.0, -7857.0 / 10_000.0, 957.0 / 1000.0, 193.0 / 2000.0, -1.0 / 50.0];
    let error: [f64; 7] = std::array::from_fn(|i| solution[i] - lower[i]);
    Method::RungeKutta(Tableau::new("PrinceDormand45", 5, &nodes, &stages, &solution, &error))
}

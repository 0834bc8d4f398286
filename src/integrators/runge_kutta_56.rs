//! Fehlberg's 8-stage Runge-Kutta pair of orders 5 and 6.
//!
//! Solution: the 6th-order formula. Error: the difference of the two. The error estimate is blind to a
//! right-hand side that depends on time alone: there the two formulas are one.
//!
//! # References
//! E. Fehlberg, "Classical fifth-, sixth-, seventh-, and eighth-order Runge-Kutta formulas with stepsize
//! control", NASA TR R-287, 1968. Tests: `prop_rows_sum_to_the_nodes`; tests/integrators.

use super::method::Method;
use super::runge_kutta::Tableau;

/// The method.
pub(super) fn method() -> Method {
    let nodes = [0.0, 1.0 / 6.0, 4.0 / 15.0, 2.0 / 3.0, 4.0 / 5.0, 1.0, 0.0, 1.0];
    let stages: [&[f64]; 8] = [
        &[],
        &[1.0 / 6.0],
        &[4.0 / 75.0, 16.0 / 75.0],
        &[5.0 / 6.0, -8.0 / 3.0, 5.0 / 2.0],
        &[-8.0 / 5.0, 144.0 / 25.0, -4.0, 16.0 / 25.0],
        &[361.0 / 320.0, -18.0 / 5.0, 407.0 / 128.0, -11.0 / 80.0, 55.0 / 128.0],
        &[-11.0 / 640.0, 0.0, 11.0 / 256.0, -11.0 / 160.0, 11.0 / 256.0, 0.0],
        &[93.0 / 640.0, -18.0 / 5.0, 803.0 / 256.0, -11.0 / 160.0, 99.0 / 256.0, 0.0, 1.0],
    ];
    let solution = [7.0 / 1408.0, 0.0, 1125.0 / 2816.0, 9.0 / 32.0, 125.0 / 768.0, 0.0, 5.0 / 66.0, 5.0 / 66.0];
    let error = [7.0 / 1408.0 - 31.0 / 384.0, 0.0, 0.0, 0.0, 0.0, -5.0 / 66.0, 5.0 / 66.0, 5.0 / 66.0];
    Method::RungeKutta(Tableau::new("RungeKutta56", 6, &nodes, &stages, &solution, &error))
}

//! The 4th-order predictor-corrector of Adams, Bashforth and Moulton.
//!
//! Predictor: 4 steps of the explicit formula. Corrector: 3 steps and the predicted state of the implicit
//! one. Error: 19/270 of the correction (Milne's device). The first steps are made by `RungeKutta89`.
//!
//! # References
//! Bate, Mueller, White, *Fundamentals of Astrodynamics*, 1971, section 9.6; GMAT Mathematical
//! Specification, "Adams-Bashforth-Moulton". Tests: `prop_weights_integrate_polynomials` here;
//! tests/integrators.

use super::method::Method;
use super::multistep::Multistep;
use super::runge_kutta_89;

/// The method.
pub(super) fn method() -> Method {
    Method::Multistep(multistep())
}

/// The coefficients.
fn multistep() -> Multistep {
    Multistep {
        name: "AdamsBashforthMoulton",
        order: 4,
        predictor: [-9.0 / 24.0, 37.0 / 24.0, -59.0 / 24.0, 55.0 / 24.0],
        corrector: [1.0 / 24.0, -5.0 / 24.0, 19.0 / 24.0, 9.0 / 24.0],
        error_factor: 19.0 / 270.0,
        starter: runge_kutta_89::tableau(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// sum w_i t_i^k = 1/(k+1): the integral over the step, with t in steps from its start.
    #[test]
    fn prop_weights_integrate_polynomials() {
        let method = multistep();
        for k in 0..5 {
            for (weights, oldest) in [(method.predictor, -3.0_f64), (method.corrector, -2.0)] {
                let sum: f64 = weights.iter().zip(0..).map(|(w, i)| w * (oldest + f64::from(i)).powi(k)).sum();
                assert_eq!((sum - 1.0 / f64::from(k + 1)).abs() < 1e-14, k < 4, "{k} {sum}");
            }
        }
    }
}

//! The kinds of methods: what a trial step is made of, and which order the step control counts with.

use super::multistep::Multistep;
use super::nystrom::NystromTableau;
use super::runge_kutta::Tableau;

/// A method with its coefficients.
#[derive(Clone, Debug)]
pub enum Method {
    /// An explicit Runge-Kutta pair for y' = f(t, y).
    RungeKutta(Tableau),
    /// An explicit Runge-Kutta-Nystrom pair for r'' = a(t, r).
    Nystrom(NystromTableau),
    /// A predictor-corrector that remembers the derivatives of the last steps.
    Multistep(Multistep),
}

impl Method {
    /// GMAT's name.
    pub fn name(&self) -> &'static str {
        match self {
            Method::RungeKutta(tableau) => tableau.name,
            Method::Nystrom(tableau) => tableau.name,
            Method::Multistep(multistep) => multistep.name,
        }
    }

    /// The order that the step control counts with; not always that of the solution.
    pub fn order(&self) -> u32 {
        match self {
            Method::RungeKutta(tableau) => tableau.order,
            Method::Nystrom(tableau) => tableau.order,
            Method::Multistep(multistep) => multistep.order,
        }
    }
}

//! Integrators: one file a method, one line each in [`REGISTRY`].

use std::sync::Arc;

pub mod runge_kutta;
mod runge_kutta_89;
pub mod step_control;

use runge_kutta::Tableau;

/// An integrator that a script can name in `Propagator.Type`.
pub struct Entry {
    /// GMAT's name.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Its coefficients.
    pub tableau: fn() -> Tableau,
}

/// All integrators.
pub const REGISTRY: &[Entry] = &[Entry {
    name: "RungeKutta89",
    about: "Verner's 16-stage Runge-Kutta pair of orders 8 and 9, GMAT's default",
    tableau: runge_kutta_89::tableau,
}];

/// The integrator of a GMAT name.
pub fn find(name: &str) -> Option<Arc<Tableau>> {
    REGISTRY.iter().find(|entry| entry.name == name).map(|entry| Arc::new((entry.tableau)()))
}

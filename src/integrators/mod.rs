//! Integrators: one file a method, one line each in [`REGISTRY`].
//!
//! [`trial::TrialStep`] tries one step of every lane of a bundle, with the forces behind
//! [`dynamics::Dynamics`]; [`stepper::Stepper`] decides, lane by lane, what becomes of it.

use std::sync::Arc;

mod adams_bashforth_moulton;
pub mod dynamics;
pub mod error_control;
mod mass;
pub mod method;
pub mod multistep;
pub mod nystrom;
mod prince_dormand_45;
mod prince_dormand_78;
mod root;
pub mod runge_kutta;
mod runge_kutta_56;
mod runge_kutta_68;
mod runge_kutta_89;
pub mod step_control;
pub mod stepper;
pub mod trial;

use method::Method;

/// An integrator that a script can name in `Propagator.Type`.
pub struct Entry {
    /// GMAT's name.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Its coefficients.
    pub method: fn() -> Method,
}

/// All integrators.
pub const REGISTRY: &[Entry] = &[
    Entry {
        name: "RungeKutta89",
        about: "Verner's 16-stage Runge-Kutta pair of orders 8 and 9, GMAT's default",
        method: runge_kutta_89::method,
    },
    Entry {
        name: "PrinceDormand78",
        about: "Prince and Dormand's 13-stage Runge-Kutta pair of orders 7 and 8",
        method: prince_dormand_78::method,
    },
    Entry {
        name: "PrinceDormand45",
        about: "Dormand and Prince's 7-stage Runge-Kutta pair of orders 4 and 5",
        method: prince_dormand_45::method,
    },
    Entry {
        name: "RungeKutta56",
        about: "Fehlberg's 8-stage Runge-Kutta pair of orders 5 and 6",
        method: runge_kutta_56::method,
    },
    Entry {
        name: "RungeKutta68",
        about: "Dormand, El-Mikkawy and Prince's 9-stage Nystrom pair of orders 6 and 8",
        method: runge_kutta_68::method,
    },
    Entry {
        name: "AdamsBashforthMoulton",
        about: "4th-order predictor-corrector, started by RungeKutta89",
        method: adams_bashforth_moulton::method,
    },
];

/// The integrator of a GMAT name.
pub fn find(name: &str) -> Option<Arc<Method>> {
    REGISTRY.iter().find(|entry| entry.name == name).map(|entry| Arc::new((entry.method)()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prop_every_method_is_found_by_its_name() {
        for entry in REGISTRY {
            assert_eq!(find(entry.name).unwrap().name(), entry.name);
        }
        assert!(find("RungeKutta4").is_none());
        // the orders that GMAT's step control counts with
        let orders: Vec<u32> = REGISTRY.iter().map(|entry| (entry.method)().order()).collect();
        assert_eq!(orders, [9, 8, 5, 6, 8, 4]);
    }
}

//! `Apoapsis` and `Periapsis`: names that only a stop condition can have.
//!
//! Both are the zero of r . v / (|r| |v|), the sine of the flight path angle above the horizon; it falls
//! through zero at an apoapsis and rises at a periapsis, the other way round when time runs backwards. At
//! zero itself GMAT takes it for past an apoapsis (-1e-40) or past a periapsis (1e-40; there, below 1e-15).
//!
//! # References
//! GMAT Mathematical Specification, "Stopping conditions". Test: `prop_apsides_are_zeros`.

use crate::astro::elements::{Cartesian, dot, norm};

/// A stop without a value on its right side.
pub struct Stop {
    /// GMAT's name.
    pub name: &'static str,
    /// Whether the function rises through zero there, in forward time.
    pub rises: bool,
    /// One line about it.
    pub long_name: &'static str,
    /// The function whose zero it is, of the state relative to the body in the name.
    pub value: fn(&Cartesian) -> f64,
}

/// All stops.
pub const STOPS: &[Stop] = &[
    Stop {
        name: "Apoapsis",
        rises: false,
        long_name: "farthest from the body",
        value: |state| {
            let sine = climb(state);
            if sine == 0.0 { -1e-40 } else { sine }
        },
    },
    Stop {
        name: "Periapsis",
        rises: true,
        long_name: "nearest to the body",
        value: |state| {
            let sine = climb(state);
            if sine.abs() <= 1e-15 { 1e-40 } else { sine }
        },
    },
];

/// r . v / (|r| |v|)
fn climb(state: &Cartesian) -> f64 {
    let (r, v) = (norm(state.r), norm(state.v));
    dot(state.r.map(|x| x / r), state.v.map(|x| x / v))
}

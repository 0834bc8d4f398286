//! How the error of a step is measured: GMAT's `ForceModel.ErrorControl`.
//!
//! With delta the error estimate, x the state before the step and x_new after it, for position and
//! velocity apart, the larger of the two counting:
//!
//! | name | error | scale s |
//! |---|---|---|
//! | `RSSStep` | abs(delta) / abs(s), both root sum squares | x_new - x |
//! | `RSSState` | the same | (x_new + x) / 2 |
//! | `LargestStep` | sum abs(delta_i) / sum abs(s_i) | x_new - x |
//! | `LargestState` | the same | (x_new + x) / 2 |
//! | `None` | 0 | |
//!
//! Where the scale is not above 0.1 (its square for the root sum squares; km, km/s) the error is absolute.
//! The "largest" of the names are sums, not maxima: so GMAT computes.
//!
//! # References
//! GMAT Mathematical Specification, "Error estimates"; GMAT source, `ODEModel::EstimateError`.
//! Tests: `val_errors_by_hand` here, `val_error_controls_of_gmat` in tests/integrators.

use super::runge_kutta::State;
use crate::base::lanes::{Lanes, Real, Vectors};
use crate::lane_kernel;

/// How the error of a step is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorControl {
    /// Root sum square of the error over that of the change in the step: GMAT's default.
    #[default]
    RssStep,
    /// Root sum square of the error over that of the mean state.
    RssState,
    /// Sum of the errors over the sum of the changes in the step.
    LargestStep,
    /// Sum of the errors over the sum of the mean state's components.
    LargestState,
    /// No error: the steps are fixed.
    None,
}

/// GMAT's names.
pub const ERROR_CONTROLS: &[(&str, ErrorControl)] = &[
    ("RSSStep", ErrorControl::RssStep),
    ("RSSState", ErrorControl::RssState),
    ("LargestStep", ErrorControl::LargestStep),
    ("LargestState", ErrorControl::LargestState),
    ("None", ErrorControl::None),
];

/// Below this the error is absolute.
const THRESHOLD: f64 = 0.1;

impl ErrorControl {
    /// The error control of a GMAT name.
    pub fn find(name: &str) -> Option<Self> {
        ERROR_CONTROLS.iter().find(|(known, _)| *known == name).map(|&(_, control)| control)
    }

    /// Measures the error `delta` of a step from `x` to `new`: not negative, NaN where a number is NaN.
    pub fn measure(self, vectors: Vectors, x: &State, new: &State, delta: &State, error: &mut Lanes) {
        match self {
            ErrorControl::RssStep => rss_step(vectors, x, new, delta, error),
            ErrorControl::RssState => rss_state(vectors, x, new, delta, error),
            ErrorControl::LargestStep => largest_step(vectors, x, new, delta, error),
            ErrorControl::LargestState => largest_state(vectors, x, new, delta, error),
            ErrorControl::None => *error = Lanes::splat(0.0),
        }
    }
}

lane_kernel!(fn rss_step(x: &State, new: &State, delta: &State, error: &mut Lanes) = rss_of_step);
lane_kernel!(fn rss_state(x: &State, new: &State, delta: &State, error: &mut Lanes) = rss_of_state);
lane_kernel!(fn largest_step(x: &State, new: &State, delta: &State, error: &mut Lanes) = sums_of_step);
lane_kernel!(fn largest_state(x: &State, new: &State, delta: &State, error: &mut Lanes) = sums_of_state);

// No closures below: one that is not inlined leaves the kernel's instruction set.

#[inline(always)]
fn rss_of_step<T: Real>(first: usize, x: &State, new: &State, delta: &State, error: &mut Lanes) {
    measure::<T, false, true>(first, x, new, delta, error);
}

#[inline(always)]
fn rss_of_state<T: Real>(first: usize, x: &State, new: &State, delta: &State, error: &mut Lanes) {
    measure::<T, true, true>(first, x, new, delta, error);
}

#[inline(always)]
fn sums_of_step<T: Real>(first: usize, x: &State, new: &State, delta: &State, error: &mut Lanes) {
    measure::<T, false, false>(first, x, new, delta, error);
}

#[inline(always)]
fn sums_of_state<T: Real>(first: usize, x: &State, new: &State, delta: &State, error: &mut Lanes) {
    measure::<T, true, false>(first, x, new, delta, error);
}

/// The table of this file; `MEAN` chooses the scale, `RSS` root sum squares instead of sums.
#[inline(always)]
fn measure<T: Real, const MEAN: bool, const RSS: bool>(
    first: usize,
    x: &State,
    new: &State,
    delta: &State,
    error: &mut Lanes,
) {
    // of position and velocity: the absolute error, the relative one, and the scale
    let mut measured = [[Lanes::default(); 3]; 2];
    for (part, measured) in measured.iter_mut().enumerate() {
        let (mut size, mut scale) = (T::splat(0.0), T::splat(0.0));
        for component in 3 * part..3 * part + 3 {
            let (x, new) = (T::load(&x[component], first), T::load(&new[component], first));
            let delta = T::load(&delta[component], first);
            let change = if MEAN { T::splat(0.5) * (new + x) } else { new - x };
            size = size + if RSS { delta * delta } else { delta.abs() };
            scale = scale + if RSS { change * change } else { change.abs() };
        }
        let relative = size / scale;
        let [absolute, relative] = if RSS { [size.sqrt(), relative.sqrt()] } else { [size, relative] };
        absolute.store(&mut measured[0], first);
        relative.store(&mut measured[1], first);
        scale.store(&mut measured[2], first);
    }
    let [position, velocity] = measured;
    for lane in first..first + T::LANES {
        let position = if position[2].0[lane] > THRESHOLD { position[1].0[lane] } else { position[0].0[lane] };
        let velocity = if velocity[2].0[lane] > THRESHOLD { velocity[1].0[lane] } else { velocity[0].0[lane] };
        error.0[lane] = if position.is_nan() || position > velocity { position } else { velocity };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::lanes::Isa;

    #[test]
    fn val_errors_by_hand() {
        let lanes = |numbers: [f64; 6]| numbers.map(Lanes::splat);
        let x = lanes([100.0, 200.0, -300.0, 1.0, -2.0, 2.0]);
        let new = lanes([103.0, 204.0, -312.0, 1.1, -2.0, 2.2]);
        let delta = lanes([3e-6, -4e-6, 12e-6, 1e-6, -2e-6, 2e-6]);
        let error_of = |control: ErrorControl| {
            let mut errors = Vec::new();
            for isa in Isa::available() {
                let mut error = Lanes::splat(7.0);
                control.measure(Vectors::new(isa, 8), &x, &new, &delta, &mut error);
                assert!(error.0.iter().all(|e| e.to_bits() == error.0[0].to_bits()));
                errors.push(error.0[0]);
            }
            assert!(errors.iter().all(|e| e.to_bits() == errors[0].to_bits()));
            errors[0]
        };
        let near = |control, expected: f64| {
            let error = error_of(control);
            assert!((error / expected - 1.0).abs() < 1e-12, "{control:?} {error} {expected}");
        };
        // position 13e-6 / 13; velocity: the change squared is 0.05, not above 0.1, so 3e-6 absolute
        near(ErrorControl::RssStep, 3e-6);
        // velocity 3e-6 / |(1.05, -2, 2.1)|
        near(ErrorControl::RssState, 3e-6 / (1.05_f64 * 1.05 + 4.0 + 2.1 * 2.1).sqrt());
        // velocity: the changes add up to 0.3, above 0.1
        near(ErrorControl::LargestStep, 5e-6 / 0.3);
        near(ErrorControl::LargestState, 5e-6 / (1.05 + 2.0 + 2.1));
        assert!(error_of(ErrorControl::None) == 0.0);
    }

    #[test]
    fn val_names_of_gmat() {
        assert_eq!(ErrorControl::find("LargestState"), Some(ErrorControl::LargestState));
        assert_eq!(ErrorControl::find("RSS"), None);
    }
}

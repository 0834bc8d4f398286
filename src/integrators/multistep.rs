//! A predictor-corrector in lanes.
//!
//! predicted = x + h sum p_i f_i;  corrected = x + h (c_3 f(t + h, predicted) + c_2 f_3 + c_1 f_2 + c_0 f_1)
//! delta = k |corrected - predicted|
//!
//! f_3 is the derivative at the start of the step, f_0 to f_2 those of the steps before. They are equally
//! spaced: each change of the step size forgets them, and a single-step method makes the next three steps.

use super::runge_kutta::{State, Tableau};
use crate::base::lanes::{Lanes, Real, WIDTH};
use crate::lane_kernel;

/// How many derivatives a step is made of.
pub const HISTORY: usize = 4;

/// The coefficients.
#[derive(Clone, Debug)]
pub struct Multistep {
    /// GMAT's name of the method.
    pub name: &'static str,
    /// The order that the step control counts with.
    pub order: u32,
    /// p_i, the oldest first.
    pub predictor: [f64; HISTORY],
    /// c_i, the oldest first; the last belongs to the predicted state.
    pub corrector: [f64; HISTORY],
    /// k: the error is this part of the correction.
    pub error_factor: f64,
    /// The method that makes the first steps.
    pub starter: Tableau,
}

/// The derivatives of the last steps, the oldest first, as they were at the start of the last step.
pub(super) type Past = [State; HISTORY];

/// What becomes of a lane's history after a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Nothing.
    Keep,
    /// The derivative belongs to the n-th step of a start.
    Start(usize),
    /// The oldest goes, the derivative of this step comes.
    Push,
}

/// Changes the history of one lane; `derivative` is that at the start of the trial step.
pub(super) fn remember(history: &mut Past, lane: usize, change: Change, derivative: &State) {
    match change {
        Change::Keep => {}
        Change::Start(step) => {
            for (component, derivative) in derivative.iter().enumerate() {
                history[step + 1][component].0[lane] = derivative.0[lane];
                if step == 0 {
                    history[0][component].0[lane] = derivative.0[lane];
                }
            }
        }
        Change::Push => {
            for age in 1..HISTORY {
                copy(history, lane, age, age - 1);
            }
            for (past, derivative) in history[HISTORY - 1].iter_mut().zip(derivative) {
                past.0[lane] = derivative.0[lane];
            }
        }
    }
}

/// Copies one derivative of a lane over another.
fn copy(history: &mut Past, lane: usize, from: usize, to: usize) {
    let numbers = history[from].map(|component| component.0[lane]);
    for (component, number) in history[to].iter_mut().zip(numbers) {
        component.0[lane] = number;
    }
}

/// Undoes a [`Change::Push`], whatever the last change was, as GMAT does; the oldest is lost, and never used.
pub(super) fn forget_last(history: &mut Past, lane: usize) {
    for age in (1..HISTORY).rev() {
        copy(history, lane, age - 1, age);
    }
}

/// `from` in the lanes where `here`.
pub(super) fn select(here: [bool; WIDTH], from: &State, into: &mut State) {
    for (from, into) in from.iter().zip(into) {
        for ((from, into), here) in from.0.iter().zip(&mut into.0).zip(here) {
            if here {
                *into = *from;
            }
        }
    }
}

lane_kernel!(
    /// x + h (w_3 newest + w_2 past_3 + w_1 past_2 + w_0 past_1): the predictor, with f(x) the newest.
    pub(super) fn predict(x: &State, h: &Lanes, weights: &[f64; HISTORY], newest: &State, past: &Past, y: &mut State)
        = predictor
);
lane_kernel!(
    /// The corrected state and the error estimate.
    pub(super) fn correct(
        x: &State, h: &Lanes, method: &Multistep, start: &State, newest: &State, past: &Past, predicted: &State,
        y: &mut State, delta: &mut State,
    ) = corrector
);

#[inline(always)]
fn predictor<T: Real>(
    first: usize,
    x: &State,
    h: &Lanes,
    weights: &[f64; HISTORY],
    newest: &State,
    past: &Past,
    y: &mut State,
) {
    let h = T::load(h, first);
    for i in 0..6 {
        let mut total = T::load(&x[i], first);
        for (weight, f) in weights.iter().zip([&past[1][i], &past[2][i], &past[3][i], &newest[i]]) {
            total = total + h * T::splat(*weight) * T::load(f, first);
        }
        total.store(&mut y[i], first);
    }
}

#[allow(clippy::too_many_arguments)] // a kernel takes its arrays one by one
#[inline(always)]
fn corrector<T: Real>(
    first: usize,
    x: &State,
    h: &Lanes,
    method: &Multistep,
    start: &State,
    newest: &State,
    past: &Past,
    predicted: &State,
    y: &mut State,
    delta: &mut State,
) {
    let h = T::load(h, first);
    let [oldest, old, last, new] = method.corrector;
    for i in 0..6 {
        let mut total = T::load(&x[i], first);
        // the newest first: GMAT's order
        for (weight, f) in [(new, &newest[i]), (oldest, &past[2][i]), (old, &past[3][i]), (last, &start[i])] {
            total = total + h * T::splat(weight) * T::load(f, first);
        }
        let correction = total - T::load(&predicted[i], first);
        total.store(&mut y[i], first);
        (T::splat(method.error_factor) * correction).abs().store(&mut delta[i], first);
    }
}

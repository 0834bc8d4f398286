//! An explicit Runge-Kutta-Nystrom pair in lanes, for r'' = a(t, r).
//!
//! r_i = r + a_i h v + h^2 sum_{j<i} b_ij f_j;  f_i = a(t + a_i h, r_i)
//! r_new = r + h v + h^2 sum c_i f_i;  v_new = v + h sum d_i f_i
//! delta_r = h^2 sum e_i f_i;  delta_v = h sum g_i f_i
//!
//! The velocity of a stage is that of the start of the step, as in GMAT: a force that depends on
//! velocity (drag, relativity) is flown to a lower order.

use super::runge_kutta::{STAGES_MAX, State, Weights, sparse};
use crate::base::lanes::{Lanes, Real};
use crate::lane_kernel;

/// The coefficients of a pair.
#[derive(Clone, Debug)]
pub struct NystromTableau {
    /// GMAT's name of the method.
    pub name: &'static str,
    /// The order that the step control counts with.
    pub order: u32,
    /// a_i: when each stage is, in steps.
    pub nodes: Vec<f64>,
    /// b_ij: what the position of stage i is made of.
    pub stages: Vec<Weights>,
    /// c_i and d_i: the new position and velocity.
    pub solution: [Weights; 2],
    /// e_i and g_i: the error estimates of position and velocity.
    pub error: [Weights; 2],
}

impl NystromTableau {
    /// A tableau from dense rows.
    ///
    /// # Panics
    /// If the sizes do not fit: a mistake in a method's file.
    pub fn new(
        name: &'static str,
        order: u32,
        nodes: &[f64],
        stages: &[&[f64]],
        solution: [&[f64]; 2],
        error: [&[f64]; 2],
    ) -> Self {
        let count = nodes.len();
        assert!(count <= STAGES_MAX && stages.len() == count, "{name}: sizes");
        assert!(stages.iter().enumerate().all(|(i, row)| row.len() <= i), "{name} is not explicit");
        assert!(solution.iter().chain(&error).all(|row| row.len() == count), "{name}: sizes");
        NystromTableau {
            name,
            order,
            nodes: nodes.to_vec(),
            stages: stages.iter().map(|row| sparse(row)).collect(),
            solution: solution.map(sparse),
            error: error.map(sparse),
        }
    }
}

lane_kernel!(
    /// The position of a stage; its velocity is that of the start of the step.
    pub(super) fn stage(
        x: &State, h: &Lanes, node: f64, weights: &[(usize, f64)], f: &[State; STAGES_MAX], r: &mut [Lanes; 3],
    ) = stage_position
);
lane_kernel!(
    /// The new state.
    pub(super) fn advance(x: &State, h: &Lanes, weights: &[Weights; 2], f: &[State; STAGES_MAX], y: &mut State)
        = new_state
);
lane_kernel!(
    /// The error estimate.
    pub(super) fn increment(h: &Lanes, weights: &[Weights; 2], f: &[State; STAGES_MAX], delta: &mut State)
        = error_estimate
);

/// y_0 + sum_j (scale w_j) f_j over the accelerations, which stand in the last three components.
#[inline(always)]
fn sum<T: Real>(first: usize, start: [T; 3], scale: T, weights: &[(usize, f64)], f: &[State; STAGES_MAX]) -> [T; 3] {
    let mut total = start;
    for &(stage, weight) in weights {
        let weight = scale * T::splat(weight);
        for (total, f) in total.iter_mut().zip(&f[stage][3..]) {
            *total = *total + weight * T::load(f, first);
        }
    }
    total
}

#[inline(always)]
fn stage_position<T: Real>(
    first: usize,
    x: &State,
    h: &Lanes,
    node: f64,
    weights: &[(usize, f64)],
    f: &[State; STAGES_MAX],
    r: &mut [Lanes; 3],
) {
    let h = T::load(h, first);
    let accelerated = sum(first, [T::splat(0.0); 3], T::splat(1.0), weights, f);
    for axis in 0..3 {
        let drifted = T::load(&x[axis], first) + T::splat(node) * h * T::load(&x[axis + 3], first);
        (drifted + h * h * accelerated[axis]).store(&mut r[axis], first);
    }
}

#[inline(always)]
fn new_state<T: Real>(
    first: usize,
    x: &State,
    h: &Lanes,
    weights: &[Weights; 2],
    f: &[State; STAGES_MAX],
    y: &mut State,
) {
    let h = T::load(h, first);
    let [mut v, mut drifted] = [[T::splat(0.0); 3]; 2];
    for axis in 0..3 {
        v[axis] = T::load(&x[axis + 3], first);
        drifted[axis] = T::load(&x[axis], first) + h * v[axis];
    }
    let position = sum(first, drifted, h * h, &weights[0], f);
    let velocity = sum(first, v, h, &weights[1], f);
    for axis in 0..3 {
        position[axis].store(&mut y[axis], first);
        velocity[axis].store(&mut y[axis + 3], first);
    }
}

#[inline(always)]
fn error_estimate<T: Real>(
    first: usize,
    h: &Lanes,
    weights: &[Weights; 2],
    f: &[State; STAGES_MAX],
    delta: &mut State,
) {
    let h = T::load(h, first);
    let zero = [T::splat(0.0); 3];
    let position = sum(first, zero, h * h, &weights[0], f);
    let velocity = sum(first, zero, h, &weights[1], f);
    for axis in 0..3 {
        position[axis].store(&mut delta[axis], first);
        velocity[axis].store(&mut delta[axis + 3], first);
    }
}

//! The mass of a spacecraft that burns fuel, integrated with its state by the same formulas.
//!
//! Scalar by lanes: burns are short, and the forces weigh more.
//! Tests: `burn_finite_*` of tests/physics.

use super::runge_kutta::STAGES_MAX;
use crate::base::lanes::{Lanes, WIDTH};

/// Change of the mass over a step up to which its error is absolute, kg.
const THRESHOLD: f64 = 0.1;

/// One number of each lane, with its stages.
#[derive(Clone, Debug)]
pub(super) struct Mass {
    /// Before the step, kg.
    pub(super) state: Lanes,
    /// What the trial leads to.
    pub(super) candidate: Lanes,
    /// The error estimate.
    pub(super) delta: Lanes,
    stages: [Lanes; STAGES_MAX],
}

impl Default for Mass {
    fn default() -> Self {
        let one = Lanes::splat(1.0);
        Mass { state: one, candidate: one, delta: Lanes::splat(0.0), stages: [Lanes::splat(0.0); STAGES_MAX] }
    }
}

impl Mass {
    /// Sets the mass of a lane; one that does not burn keeps it.
    pub(super) fn set(&mut self, lane: usize, mass: f64) {
        self.state.0[lane] = mass;
        self.candidate.0[lane] = mass;
    }

    /// What the trial led to becomes the mass of a lane.
    pub(super) fn accept(&mut self, lane: usize) {
        self.state.0[lane] = self.candidate.0[lane];
    }

    /// A trial that leaves all masses as they are.
    pub(super) fn rest(&mut self) {
        self.candidate = self.state;
        self.delta = Lanes::splat(0.0);
    }

    /// y + sum_j w_j k_j
    pub(super) fn at(&self, weights: &[(usize, f64)]) -> Lanes {
        let mut sum = self.state;
        for &(stage, weight) in weights {
            for lane in 0..WIDTH {
                sum.0[lane] += weight * self.stages[stage].0[lane];
            }
        }
        sum
    }

    /// k_i = h f
    pub(super) fn keep(&mut self, i: usize, h: &Lanes, flow: &Lanes) {
        for lane in 0..WIDTH {
            self.stages[i].0[lane] = h.0[lane] * flow.0[lane];
        }
    }

    /// The candidate and its error estimate.
    pub(super) fn advance(&mut self, solution: &[(usize, f64)], error: &[(usize, f64)]) {
        self.candidate = self.at(solution);
        self.delta = Lanes::splat(0.0);
        for &(stage, weight) in error {
            for lane in 0..WIDTH {
                self.delta.0[lane] += weight * self.stages[stage].0[lane];
            }
        }
    }

    /// The error that counts beside those of position and velocity, for every error control but `None`:
    /// |delta| / |new - old|, or |delta| (kg) where the mass changes by no more than 0.1 kg.
    pub(super) fn error(&self) -> Lanes {
        Lanes(std::array::from_fn(|lane| {
            let change = (self.candidate.0[lane] - self.state.0[lane]).abs();
            let delta = self.delta.0[lane].abs();
            if change > THRESHOLD { delta / change } else { delta }
        }))
    }
}

//! An explicit Runge-Kutta pair in lanes: one trial step of every lane of a bundle.
//!
//! y_i = x + h sum_{j<i} b_ij f(y_j);  x_new = x + h sum c_i f(y_i);  delta = h sum e_i f(y_i)
//!
//! Coefficients that are zero are left out of the sums when the tableau is made, so they cost
//! nothing in the loop.

use super::step_control::ErrorControl;
use crate::base::lanes::{Lanes, Real, Vectors};
use crate::forces::Force;
use crate::lane_kernel;

/// The most stages of any method.
pub const STAGES_MAX: usize = 16;

/// Six numbers (position, velocity) of each lane.
pub type State = [Lanes; 6];

/// A weighted sum over stages: (stage, weight), the zeros left out.
pub type Weights = Vec<(usize, f64)>;

/// The coefficients of a pair.
#[derive(Clone, Debug)]
pub struct Tableau {
    /// GMAT's name of the method.
    pub name: &'static str,
    /// The order that the step control counts with.
    pub order: u32,
    /// b_ij: what stage i is made of.
    pub stages: Vec<Weights>,
    /// c_i: the new state.
    pub solution: Weights,
    /// e_i: the error estimate.
    pub error: Weights,
}

impl Tableau {
    /// A tableau from dense rows.
    ///
    /// # Panics
    /// If it has more than [`STAGES_MAX`] stages: a mistake in a method's file.
    pub fn new(name: &'static str, order: u32, stages: &[&[f64]], solution: &[f64], error: &[f64]) -> Self {
        assert!(stages.len() <= STAGES_MAX, "{name} has too many stages");
        let sparse = |row: &[f64]| row.iter().copied().enumerate().filter(|&(_, weight)| weight != 0.0).collect();
        Tableau {
            name,
            order,
            stages: stages.iter().map(|row| sparse(row)).collect(),
            solution: sparse(solution),
            error: sparse(error),
        }
    }
}

/// What a trial step needs and leaves: made once, used for every step of every run.
#[derive(Clone, Debug)]
pub struct TrialStep {
    /// The state before the step: km, km/s.
    pub state: State,
    /// The step size of each lane, s.
    pub h: Lanes,
    /// The state that the step leads to.
    pub candidate: State,
    /// The error of the step as the error control measures it, in the lanes' position and velocity;
    /// the larger of the two counts.
    pub error: [Lanes; 2],
    stage: State,
    derivatives: [State; STAGES_MAX],
}

impl Default for TrialStep {
    fn default() -> Self {
        TrialStep {
            state: [Lanes::splat(1.0); 6],
            h: Lanes::splat(0.0),
            candidate: State::default(),
            error: Default::default(),
            stage: State::default(),
            derivatives: [State::default(); STAGES_MAX],
        }
    }
}

impl TrialStep {
    /// Tries one step of every lane: fills `candidate` and `error`.
    pub fn attempt(&mut self, vectors: Vectors, tableau: &Tableau, forces: &[Box<dyn Force>], control: ErrorControl) {
        for (i, weights) in tableau.stages.iter().enumerate() {
            advance(vectors, &self.state, &self.h, weights, &self.derivatives, &mut self.stage);
            let [x, y, z, vx, vy, vz] = self.stage;
            let (r, v) = ([x, y, z], [vx, vy, vz]);
            let mut a = [Lanes::splat(0.0); 3];
            for force in forces {
                force.add_acceleration(vectors, &r, &v, &mut a);
            }
            self.derivatives[i] = [v[0], v[1], v[2], a[0], a[1], a[2]];
        }
        advance(vectors, &self.state, &self.h, &tableau.solution, &self.derivatives, &mut self.candidate);
        let (state, candidate) = (&self.state, &self.candidate);
        let kernel = match control {
            ErrorControl::RssStep => rss_step,
        };
        kernel(vectors, state, candidate, &self.h, &tableau.error, &self.derivatives, &mut self.error);
    }

    /// The error of one lane, not negative; NaN where the step has left the numbers.
    pub fn error_of(&self, lane: usize) -> f64 {
        let [position, velocity] = [self.error[0].0[lane], self.error[1].0[lane]];
        if position.is_nan() || position > velocity { position } else { velocity }
    }

    /// Whether every number of a lane's candidate is finite.
    pub fn is_finite(&self, lane: usize) -> bool {
        self.candidate.iter().all(|component| component.0[lane].is_finite())
    }
}

lane_kernel!(
    fn advance(x: &State, h: &Lanes, weights: &[(usize, f64)], f: &[State; STAGES_MAX], y: &mut State) = weighted_sum
);
lane_kernel!(
    fn rss_step(x: &State, new: &State, h: &Lanes, weights: &[(usize, f64)], f: &[State; STAGES_MAX],
                error: &mut [Lanes; 2]) = root_sum_square_step
);

/// sum_j w_j f_j, the first term by a product, the others by fused multiply-adds.
#[inline(always)]
fn sum<T: Real>(first: usize, weights: &[(usize, f64)], f: &[State; STAGES_MAX]) -> [T; 6] {
    let mut total = [T::splat(0.0); 6];
    for &(stage, weight) in weights {
        let weight = T::splat(weight);
        for (total, component) in total.iter_mut().zip(&f[stage]) {
            *total = weight.mul_add(T::load(component, first), *total);
        }
    }
    total
}

/// y = x + h sum_j w_j f_j
#[inline(always)]
fn weighted_sum<T: Real>(
    first: usize,
    x: &State,
    h: &Lanes,
    weights: &[(usize, f64)],
    f: &[State; STAGES_MAX],
    y: &mut State,
) {
    let h = T::load(h, first);
    for ((increment, x), y) in sum::<T>(first, weights, f).into_iter().zip(x).zip(y) {
        h.mul_add(increment, T::load(x, first)).store(y, first);
    }
}

/// GMAT's `RSSStep`: |delta| / |x_new - x|, for position and velocity apart; where |x_new - x|^2 is
/// not above 0.1 the error is |delta| itself.
#[inline(always)]
fn root_sum_square_step<T: Real>(
    first: usize,
    x: &State,
    new: &State,
    h: &Lanes,
    weights: &[(usize, f64)],
    f: &[State; STAGES_MAX],
    error: &mut [Lanes; 2],
) {
    let h = T::load(h, first);
    let delta = sum::<T>(first, weights, f);
    for (part, error) in error.iter_mut().enumerate() {
        let mut delta_squared = T::splat(0.0);
        let mut change_squared = T::splat(0.0);
        for component in 3 * part..3 * part + 3 {
            let d = h * delta[component];
            let c = T::load(&new[component], first) - T::load(&x[component], first);
            delta_squared = d.mul_add(d, delta_squared);
            change_squared = c.mul_add(c, change_squared);
        }
        let (mut numerator, mut denominator) = (Lanes::default(), Lanes::default());
        delta_squared.store(&mut numerator, first);
        change_squared.store(&mut denominator, first);
        for lane in first..first + T::LANES {
            let below = denominator.0[lane];
            error.0[lane] = if below > 0.1 { (numerator.0[lane] / below).sqrt() } else { numerator.0[lane].sqrt() };
        }
    }
}

//! A trial step of every lane of a bundle, and each lane's place in its steps.
//!
//! The order of calls, for each lane: [`TrialStep::begin`] at each Propagate; then in turn
//! [`TrialStep::attempt`] (all lanes at once) and [`TrialStep::judge`]; where a step has passed the end,
//! [`TrialStep::take_back`] and [`TrialStep::span`], and on with attempts until the span is whole.
//!
//! The forces are evaluated once a stage for all lanes. Lanes that start a multistep method and lanes that
//! run it share the first two stages; the others belong to the starter, and are left out where no lane
//! starts.

use super::dynamics::Dynamics;
use super::error_control::ErrorControl;
use super::method::Method;
use super::multistep::{self, HISTORY, Multistep, Past};
use super::nystrom::{self, NystromTableau};
use super::root::roots;
use super::runge_kutta::{self, STAGES_MAX, State, Tableau};
use super::step_control::StepSettings;
use super::stepper::{Carry, Progress, Stepper, Trial};
use crate::base::lanes::{Lanes, Vectors, WIDTH};

/// A circle for lanes that fly nothing, so that the forces have something to do: km, km/s.
const IDLE: [f64; 6] = [7000.0, 0.0, 0.0, 0.0, 7.5, 0.0];

/// What a trial step needs and leaves: made once, used for every step of every run.
#[derive(Clone, Debug)]
pub struct TrialStep {
    /// The state before the step: km, km/s.
    pub state: State,
    /// The length of each lane's trial, s.
    pub h: Lanes,
    /// The state that the trial leads to.
    pub candidate: State,
    /// The error of the trial, as the error control measures it: not negative.
    pub error: Lanes,
    /// (accuracy / error)^(1/order), for a single-step method.
    growth: Lanes,
    accuracy: Lanes,
    /// The error estimate itself.
    delta: State,
    stage: State,
    acceleration: [Lanes; 3],
    /// k_i of a Runge-Kutta method, f_i of a Nystrom method.
    stages: [State; STAGES_MAX],
    /// The derivative at the start of the step, and those of the steps before, of a multistep method.
    start: State,
    past: Past,
    predicted: State,
    steppers: [Stepper; WIDTH],
}

impl Default for TrialStep {
    fn default() -> Self {
        TrialStep {
            state: IDLE.map(Lanes::splat),
            h: Lanes::splat(0.0),
            candidate: State::default(),
            error: Lanes::default(),
            growth: Lanes::default(),
            accuracy: Lanes::splat(1.0),
            delta: State::default(),
            stage: State::default(),
            acceleration: [Lanes::default(); 3],
            stages: [State::default(); STAGES_MAX],
            start: State::default(),
            past: [State::default(); HISTORY],
            predicted: State::default(),
            steppers: [Stepper::IDLE; WIDTH],
        }
    }
}

impl TrialStep {
    /// A Propagate begins in this lane, in free flight.
    pub fn begin(&mut self, lane: usize, method: &Method, settings: &StepSettings, state: &[f64; 6], carry: Carry) {
        self.set_state(lane, state);
        self.accuracy.0[lane] = settings.accuracy;
        self.steppers[lane] = Stepper::new(method, carry);
        self.h.0[lane] = self.steppers[lane].trial(method, settings);
    }

    /// From here on this lane flies exactly `seconds` (not zero; negative backwards).
    pub fn span(&mut self, lane: usize, method: &Method, settings: &StepSettings, seconds: f64) {
        self.steppers[lane].span(method, seconds);
        self.h.0[lane] = self.steppers[lane].trial(method, settings);
    }

    /// The last step of this lane did not happen: back to the state before it.
    pub fn take_back(&mut self, lane: usize, state: &[f64; 6]) {
        self.set_state(lane, state);
        multistep::forget_last(&mut self.past, lane);
    }

    /// This lane flies nothing: a circle, in steps of zero.
    pub fn idle(&mut self, lane: usize) {
        self.set_state(lane, &IDLE);
        self.steppers[lane] = Stepper::IDLE;
        self.h.0[lane] = 0.0;
    }

    /// Puts a lane into another state; its step size and history stay.
    pub fn set_state(&mut self, lane: usize, state: &[f64; 6]) {
        for (component, number) in self.state.iter_mut().zip(state) {
            component.0[lane] = *number;
        }
    }

    /// The state of a lane: km, km/s.
    pub fn state_of(&self, lane: usize) -> [f64; 6] {
        self.state.map(|component| component.0[lane])
    }

    /// What the next Propagate of the same command begins with, when it is flown in a loop.
    pub fn carry(&self, lane: usize) -> Carry {
        self.steppers[lane].carry()
    }

    /// Whether every number of a lane's candidate is finite.
    pub fn is_finite(&self, lane: usize) -> bool {
        self.candidate.iter().all(|component| component.0[lane].is_finite())
    }

    /// Judges the trial of a lane and prepares its next one; an accepted candidate becomes its state.
    pub fn judge(&mut self, lane: usize, method: &Method, settings: &StepSettings) -> Progress {
        let stepper = &mut self.steppers[lane];
        let (h, error, growth) = (self.h.0[lane], self.error.0[lane], self.growth.0[lane]);
        let decision = stepper.judge(method, settings, Trial { h, error, growth });
        self.h.0[lane] = stepper.trial(method, settings);
        multistep::remember(&mut self.past, lane, decision.change, &self.start);
        if let Progress::Moved { .. } | Progress::Whole { .. } = decision.progress {
            for (component, candidate) in self.state.iter_mut().zip(&self.candidate) {
                component.0[lane] = candidate.0[lane];
            }
        }
        decision.progress
    }

    /// Tries one step of every lane: fills `candidate` and `error`.
    pub fn attempt(&mut self, vectors: Vectors, method: &Method, dynamics: &mut dyn Dynamics, control: ErrorControl) {
        match method {
            Method::RungeKutta(tableau) => self.runge_kutta(vectors, tableau, dynamics),
            Method::Nystrom(tableau) => self.nystrom(vectors, tableau, dynamics),
            Method::Multistep(multistep) => self.multistep(vectors, multistep, dynamics),
        }
        control.measure(vectors, &self.state, &self.candidate, &self.delta, &mut self.error);
        if !matches!(method, Method::Multistep(_)) {
            let room = Lanes(std::array::from_fn(|lane| self.accuracy.0[lane] / self.error.0[lane]));
            roots(vectors, &room, method.order(), &mut self.growth);
        }
    }

    fn runge_kutta(&mut self, vectors: Vectors, tableau: &Tableau, dynamics: &mut dyn Dynamics) {
        let h = self.h;
        for i in 0..tableau.stages.len() {
            self.runge_kutta_stage(vectors, tableau, &h, i, dynamics);
        }
        runge_kutta::advance(vectors, &self.state, &tableau.solution, &self.stages, &mut self.candidate);
        runge_kutta::increment(vectors, &tableau.error, &self.stages, &mut self.delta);
    }

    fn runge_kutta_stage(
        &mut self,
        vectors: Vectors,
        tableau: &Tableau,
        h: &Lanes,
        i: usize,
        dynamics: &mut dyn Dynamics,
    ) {
        runge_kutta::advance(vectors, &self.state, &tableau.stages[i], &self.stages, &mut self.stage);
        let v = evaluate(vectors, &self.stage, &times(h, tableau.nodes[i]), dynamics, &mut self.acceleration);
        runge_kutta::scale(vectors, h, v, &self.acceleration, &mut self.stages[i]);
    }

    fn nystrom(&mut self, vectors: Vectors, tableau: &NystromTableau, dynamics: &mut dyn Dynamics) {
        let h = self.h;
        let [_, v] = halves(&self.state);
        for (i, (weights, node)) in tableau.stages.iter().zip(&tableau.nodes).enumerate() {
            let mut r = [Lanes::default(); 3];
            nystrom::stage(vectors, &self.state, &h, *node, weights, &self.stages, &mut r);
            let a = self.stages[i].last_chunk_mut::<3>().expect("six numbers");
            dynamics.acceleration(vectors, &times(&h, *node), &r, v, a);
        }
        nystrom::advance(vectors, &self.state, &h, &tableau.solution, &self.stages, &mut self.candidate);
        nystrom::increment(vectors, &h, &tableau.error, &self.stages, &mut self.delta);
    }

    fn multistep(&mut self, vectors: Vectors, method: &Multistep, dynamics: &mut dyn Dynamics) {
        let starting: [bool; WIDTH] = std::array::from_fn(|lane| self.steppers[lane].is_starting());
        let lanes = &starting[..vectors.width()];
        let (any_starts, any_runs) = (lanes.contains(&true), lanes.contains(&false));
        let h = self.h;
        let starter = &method.starter;
        // Stage 0: the derivative at the start, for both.
        let v = evaluate(vectors, &self.state, &Lanes::splat(0.0), dynamics, &mut self.acceleration);
        runge_kutta::scale(vectors, &Lanes::splat(1.0), v, &self.acceleration, &mut self.start);
        // Stage 1: the predicted state, or the second stage of the starter.
        multistep::predict(vectors, &self.state, &h, &method.predictor, &self.start, &self.past, &mut self.predicted);
        let mut dt = h;
        if any_starts {
            self.stage = self.predicted;
            runge_kutta::scale(vectors, &h, v, &self.acceleration, &mut self.stages[0]);
            let mut stage = State::default();
            runge_kutta::advance(vectors, &self.state, &starter.stages[1], &self.stages, &mut stage);
            multistep::select(starting, &stage, &mut self.stage);
            for lane in (0..WIDTH).filter(|&lane| starting[lane]) {
                dt.0[lane] *= starter.nodes[1];
            }
        }
        let second = if any_starts { &self.stage } else { &self.predicted };
        let v = evaluate(vectors, second, &dt, dynamics, &mut self.acceleration);
        if any_runs {
            let mut newest = State::default();
            runge_kutta::scale(vectors, &Lanes::splat(1.0), v, &self.acceleration, &mut newest);
            multistep::correct(
                vectors,
                &self.state,
                &h,
                method,
                &self.start,
                &newest,
                &self.past,
                &self.predicted,
                &mut self.candidate,
                &mut self.delta,
            );
        }
        if any_starts {
            // Lanes that run stand still meanwhile.
            let h = Lanes(std::array::from_fn(|lane| if starting[lane] { h.0[lane] } else { 0.0 }));
            runge_kutta::scale(vectors, &h, v, &self.acceleration, &mut self.stages[1]);
            for i in 2..starter.stages.len() {
                self.runge_kutta_stage(vectors, starter, &h, i, dynamics);
            }
            let (mut candidate, mut delta) = (State::default(), State::default());
            runge_kutta::advance(vectors, &self.state, &starter.solution, &self.stages, &mut candidate);
            runge_kutta::increment(vectors, &starter.error, &self.stages, &mut delta);
            multistep::select(starting, &candidate, &mut self.candidate);
            multistep::select(starting, &delta, &mut self.delta);
        }
    }
}

/// Position and velocity.
fn halves(state: &State) -> [&[Lanes; 3]; 2] {
    let ([r, v], []) = state.as_chunks::<3>() else { unreachable!("six is two times three") };
    [r, v]
}

/// The derivative of a state: its velocity, and the acceleration into `a`.
#[inline]
fn evaluate<'a>(
    vectors: Vectors,
    state: &'a State,
    dt: &Lanes,
    dynamics: &mut dyn Dynamics,
    a: &mut [Lanes; 3],
) -> &'a [Lanes; 3] {
    let [r, v] = halves(state);
    dynamics.acceleration(vectors, dt, r, v, a);
    v
}

/// The times of a stage.
fn times(h: &Lanes, node: f64) -> Lanes {
    Lanes(h.0.map(|h| h * node))
}

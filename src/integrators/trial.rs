//! A trial step of every lane of a bundle, and each lane's place in its steps.
//!
//! The order of calls, for each lane: [`TrialStep::begin`] at each Propagate; then in turn
//! [`TrialStep::attempt`] (all lanes at once) and [`TrialStep::judge`]; where a step has passed the end,
//! [`TrialStep::take_back`] and [`TrialStep::span`], and on with attempts until the span is whole.
//!
//! Several spacecraft may fly together in a lane: they share its step, and its error is the largest of theirs. While
//! a lane burns fuel, the masses are integrated with the states.
//!
//! The forces are evaluated once a stage for all lanes. Lanes that start a multistep method and lanes that
//! run it share the first two stages; the others belong to the starter, and are left out where no lane
//! starts.

use super::dynamics::Dynamics;
use super::error_control::ErrorControl;
use super::mass::Mass;
use super::method::Method;
use super::multistep::{self, Change, HISTORY, Multistep, Past};
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
    /// The spacecraft that the lanes fly together: the first one of each lane, the second one, ...
    slots: Vec<Slot>,
    /// How many of them each lane flies.
    counts: [usize; WIDTH],
    /// The length of each lane's trial, s.
    h: Lanes,
    /// The error of the trial, as the error control measures it: not negative.
    error: Lanes,
    /// (accuracy / error)^(1/order), for a single-step method.
    growth: Lanes,
    accuracy: Lanes,
    stage: State,
    acceleration: [Lanes; 3],
    predicted: State,
    steppers: [Stepper; WIDTH],
}

/// One spacecraft of each lane.
#[derive(Clone, Debug)]
struct Slot {
    /// The state before the step: km, km/s.
    state: State,
    /// The state that the trial leads to.
    candidate: State,
    /// The error estimate itself.
    delta: State,
    /// k_i of a Runge-Kutta method, f_i of a Nystrom method.
    stages: [State; STAGES_MAX],
    /// The derivative at the start of the step, and those of the steps before, of a multistep method.
    start: State,
    past: Past,
    mass: Mass,
}

impl Default for Slot {
    fn default() -> Self {
        Slot {
            state: IDLE.map(Lanes::splat),
            candidate: State::default(),
            delta: State::default(),
            stages: [State::default(); STAGES_MAX],
            start: State::default(),
            past: [State::default(); HISTORY],
            mass: Mass::default(),
        }
    }
}

impl Slot {
    #[allow(clippy::too_many_arguments)] // a stage is what it is
    #[inline]
    fn runge_kutta_stage(
        &mut self,
        vectors: Vectors,
        tableau: &Tableau,
        h: &Lanes,
        i: usize,
        dynamics: &mut dyn Dynamics,
        burns: bool,
        (stage, acceleration): (&mut State, &mut [Lanes; 3]),
    ) {
        runge_kutta::advance(vectors, &self.state, &tableau.stages[i], &self.stages, stage);
        if burns {
            dynamics.set_mass(&self.mass.at(&tableau.stages[i]));
        }
        let v = evaluate(vectors, stage, &times(h, tableau.nodes[i]), dynamics, acceleration);
        runge_kutta::scale(vectors, h, v, acceleration, &mut self.stages[i]);
        if burns {
            self.mass.keep(i, h, dynamics.mass_flow());
        }
    }

    fn set_state(&mut self, lane: usize, state: &[f64; 6]) {
        for (component, number) in self.state.iter_mut().zip(state) {
            component.0[lane] = *number;
        }
    }
}

impl Default for TrialStep {
    fn default() -> Self {
        TrialStep {
            slots: vec![Slot::default()],
            counts: [1; WIDTH],
            h: Lanes::splat(0.0),
            error: Lanes::default(),
            growth: Lanes::default(),
            accuracy: Lanes::splat(1.0),
            stage: State::default(),
            acceleration: [Lanes::default(); 3],
            predicted: State::default(),
            steppers: [Stepper::IDLE; WIDTH],
        }
    }
}

impl TrialStep {
    /// A Propagate of one spacecraft begins in this lane, in free flight.
    pub fn begin(&mut self, lane: usize, method: &Method, settings: &StepSettings, state: &[f64; 6], carry: Carry) {
        self.fly_together(lane, 1);
        self.set_state(lane, 0, state);
        self.start(lane, method, settings, carry);
    }

    /// So many spacecraft fly together in this lane; their states are set by [`TrialStep::set_state`].
    pub fn fly_together(&mut self, lane: usize, count: usize) {
        self.counts[lane] = count;
        while self.slots.len() < count {
            self.slots.push(Slot::default());
        }
        for slot in &mut self.slots[count..] {
            slot.set_state(lane, &IDLE);
        }
    }

    /// A Propagate of the spacecraft that were set begins in this lane, in free flight.
    pub fn start(&mut self, lane: usize, method: &Method, settings: &StepSettings, carry: Carry) {
        self.accuracy.0[lane] = settings.accuracy;
        self.steppers[lane] = Stepper::new(method, carry);
        self.h.0[lane] = self.steppers[lane].trial(method, settings);
    }

    /// From here on this lane flies exactly `seconds` (not zero; negative backwards).
    pub fn span(&mut self, lane: usize, method: &Method, settings: &StepSettings, seconds: f64) {
        self.steppers[lane].span(method, seconds);
        self.h.0[lane] = self.steppers[lane].trial(method, settings);
    }

    /// The last step of this lane did not happen; the states before it are to be set.
    #[inline]
    pub fn forget_step(&mut self, lane: usize, method: &Method) {
        if !matches!(method, Method::Multistep(_)) {
            return; // nothing is remembered
        }
        for slot in &mut self.slots[..self.counts[lane]] {
            multistep::forget_last(&mut slot.past, lane);
        }
    }

    /// The last step of this lane, which flies one spacecraft, did not happen: back to the state before it.
    pub fn take_back(&mut self, lane: usize, method: &Method, state: &[f64; 6]) {
        self.set_state(lane, 0, state);
        self.forget_step(lane, method);
    }

    /// This lane flies nothing: a circle, in steps of zero.
    pub fn idle(&mut self, lane: usize) {
        self.fly_together(lane, 1);
        self.set_state(lane, 0, &IDLE);
        self.steppers[lane] = Stepper::IDLE;
        self.h.0[lane] = 0.0;
    }

    /// Puts a spacecraft of a lane into another state; step size and history stay.
    pub fn set_state(&mut self, lane: usize, slot: usize, state: &[f64; 6]) {
        self.slots[slot].set_state(lane, state);
    }

    /// Sets the mass of a spacecraft of a lane, kg.
    pub fn set_mass(&mut self, lane: usize, slot: usize, mass: f64) {
        self.slots[slot].mass.set(lane, mass);
    }

    /// The state of the first spacecraft of a lane: km, km/s.
    pub fn state_of(&self, lane: usize) -> [f64; 6] {
        self.state_in(lane, 0)
    }

    /// The state of a spacecraft of a lane: km, km/s.
    pub fn state_in(&self, lane: usize, slot: usize) -> [f64; 6] {
        self.slots[slot].state.each_ref().map(|component| component.0[lane]) // no copy of all lanes
    }

    /// The mass of a spacecraft of a lane, kg.
    pub fn mass_in(&self, lane: usize, slot: usize) -> f64 {
        self.slots[slot].mass.state.0[lane]
    }

    /// What the next Propagate of the same command begins with, when it is flown in a loop.
    pub fn carry(&self, lane: usize) -> Carry {
        self.steppers[lane].carry()
    }

    /// Whether every number of a lane's candidate is finite.
    pub fn is_finite(&self, lane: usize) -> bool {
        let slots = &self.slots[..self.counts[lane]];
        slots.iter().flat_map(|slot| &slot.candidate).all(|component| component.0[lane].is_finite())
    }

    /// Judges the trial of a lane and prepares its next one; accepted candidates become its states.
    pub fn judge(&mut self, lane: usize, method: &Method, settings: &StepSettings) -> Progress {
        let stepper = &mut self.steppers[lane];
        let (h, error, growth) = (self.h.0[lane], self.error.0[lane], self.growth.0[lane]);
        let decision = stepper.judge(method, settings, Trial { h, error, growth });
        self.h.0[lane] = stepper.trial(method, settings);
        let accepted = matches!(decision.progress, Progress::Moved { .. } | Progress::Whole { .. });
        for slot in &mut self.slots[..self.counts[lane]] {
            if decision.change != Change::Keep {
                multistep::remember(&mut slot.past, lane, decision.change, &slot.start);
            }
            if accepted {
                for (component, candidate) in slot.state.iter_mut().zip(&slot.candidate) {
                    component.0[lane] = candidate.0[lane];
                }
                slot.mass.accept(lane);
            }
        }
        decision.progress
    }

    /// Tries one step of every lane: its candidates and its error.
    pub fn attempt(&mut self, vectors: Vectors, method: &Method, dynamics: &mut dyn Dynamics, control: ErrorControl) {
        let lanes = &self.counts[..vectors.width()];
        let count = lanes.iter().copied().max().unwrap_or(1);
        for place in 0..count {
            dynamics.turn_to(place);
            match method {
                Method::RungeKutta(tableau) => self.runge_kutta(vectors, tableau, dynamics, place),
                Method::Nystrom(tableau) => self.nystrom(vectors, tableau, dynamics, place),
                Method::Multistep(multistep) => self.multistep(vectors, multistep, dynamics, place),
            }
            let slot = &self.slots[place];
            if place == 0 {
                control.measure(vectors, &slot.state, &slot.candidate, &slot.delta, &mut self.error);
            } else {
                let mut error = Lanes::splat(0.0);
                control.measure(vectors, &slot.state, &slot.candidate, &slot.delta, &mut error);
                self.keep_larger(place, &error);
            }
            if dynamics.burns() && control != ErrorControl::None {
                let error = self.slots[place].mass.error();
                self.keep_larger(place, &error);
            }
        }
        if !matches!(method, Method::Multistep(_)) {
            let room = Lanes(std::array::from_fn(|lane| self.accuracy.0[lane] / self.error.0[lane]));
            roots(vectors, &room, method.order(), &mut self.growth);
        }
    }

    /// The error of a lane is the largest of all its spacecraft; NaN where one is.
    fn keep_larger(&mut self, slot: usize, error: &Lanes) {
        for lane in (0..WIDTH).filter(|&lane| self.counts[lane] > slot) {
            if error.0[lane] > self.error.0[lane] || error.0[lane].is_nan() {
                self.error.0[lane] = error.0[lane];
            }
        }
    }

    fn runge_kutta(&mut self, vectors: Vectors, tableau: &Tableau, dynamics: &mut dyn Dynamics, place: usize) {
        let burns = dynamics.burns();
        let slot = &mut self.slots[place];
        for i in 0..tableau.stages.len() {
            slot.runge_kutta_stage(
                vectors,
                tableau,
                &self.h,
                i,
                dynamics,
                burns,
                (&mut self.stage, &mut self.acceleration),
            );
        }
        runge_kutta::advance(vectors, &slot.state, &tableau.solution, &slot.stages, &mut slot.candidate);
        runge_kutta::increment(vectors, &tableau.error, &slot.stages, &mut slot.delta);
        if burns {
            slot.mass.advance(&tableau.solution, &tableau.error);
        }
    }

    fn nystrom(&mut self, vectors: Vectors, tableau: &NystromTableau, dynamics: &mut dyn Dynamics, place: usize) {
        let h = self.h;
        let slot = &mut self.slots[place];
        // a mass that changes is refused before
        dynamics.set_mass(&slot.mass.state);
        slot.mass.rest();
        let [_, v] = halves(&slot.state);
        for (i, (weights, node)) in tableau.stages.iter().zip(&tableau.nodes).enumerate() {
            let mut r = [Lanes::default(); 3];
            nystrom::stage(vectors, &slot.state, &h, *node, weights, &slot.stages, &mut r);
            let a = slot.stages[i].last_chunk_mut::<3>().expect("six numbers");
            dynamics.acceleration(vectors, &times(&h, *node), &r, v, a);
        }
        nystrom::advance(vectors, &slot.state, &h, &tableau.solution, &slot.stages, &mut slot.candidate);
        nystrom::increment(vectors, &h, &tableau.error, &slot.stages, &mut slot.delta);
    }

    fn multistep(&mut self, vectors: Vectors, method: &Multistep, dynamics: &mut dyn Dynamics, place: usize) {
        let starting: [bool; WIDTH] = std::array::from_fn(|lane| self.steppers[lane].is_starting());
        let lanes = &starting[..vectors.width()];
        let (any_starts, any_runs) = (lanes.contains(&true), lanes.contains(&false));
        let h = self.h;
        let starter = &method.starter;
        let slot = &mut self.slots[place];
        // Stage 0: the derivative at the start, for both.
        let v = evaluate(vectors, &slot.state, &Lanes::splat(0.0), dynamics, &mut self.acceleration);
        runge_kutta::scale(vectors, &Lanes::splat(1.0), v, &self.acceleration, &mut slot.start);
        // Stage 1: the predicted state, or the second stage of the starter.
        multistep::predict(vectors, &slot.state, &h, &method.predictor, &slot.start, &slot.past, &mut self.predicted);
        let mut dt = h;
        if any_starts {
            self.stage = self.predicted;
            runge_kutta::scale(vectors, &h, v, &self.acceleration, &mut slot.stages[0]);
            let mut stage = State::default();
            runge_kutta::advance(vectors, &slot.state, &starter.stages[1], &slot.stages, &mut stage);
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
                &slot.state,
                &h,
                method,
                &slot.start,
                &newest,
                &slot.past,
                &self.predicted,
                &mut slot.candidate,
                &mut slot.delta,
            );
        }
        if any_starts {
            // Lanes that run stand still meanwhile.
            let h = Lanes(std::array::from_fn(|lane| if starting[lane] { h.0[lane] } else { 0.0 }));
            runge_kutta::scale(vectors, &h, v, &self.acceleration, &mut slot.stages[1]);
            for i in 2..starter.stages.len() {
                slot.runge_kutta_stage(
                    vectors,
                    starter,
                    &h,
                    i,
                    dynamics,
                    false,
                    (&mut self.stage, &mut self.acceleration),
                );
            }
            let (mut candidate, mut delta) = (State::default(), State::default());
            runge_kutta::advance(vectors, &slot.state, &starter.solution, &slot.stages, &mut candidate);
            runge_kutta::increment(vectors, &starter.error, &slot.stages, &mut delta);
            multistep::select(starting, &candidate, &mut slot.candidate);
            multistep::select(starting, &delta, &mut slot.delta);
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

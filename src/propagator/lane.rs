//! One lane of a propagator: a run in flight, its place in the mission sequence, its steps and rows.
//!
//! One Propagate, as GMAT flies it: free steps until one passes the stop condition; that one is taken
//! back, and the rest of the way, rounded to a microsecond, is flown in steps that the accuracy allows.

use super::Flight;
use crate::astro::constants::{DAY, EARTH_MU};
use crate::astro::elements::Cartesian;
use crate::astro::epoch::{Epoch, Scale};
use crate::astro::parameters::View;
use crate::base::outcome::{Failure, Status};
use crate::base::run::{FinishedRun, ReportRows};
use crate::integrators::runge_kutta::TrialStep;
use crate::integrators::step_control::{StepSettings, Verdict};
use crate::mission::program::{Command, Watched};
use crate::mission::{Objects, Source};

/// GMAT's grain of the last step, s.
const TIME_GRAIN: f64 = 1e-6;
/// What may be left of a fixed step, s.
const TIME_LEFT_MIN: f64 = 1e-12;

/// One run in flight.
pub(super) struct Lane {
    /// The run's number; none where the lane is idle.
    pub(super) run: Option<u64>,
    objects: Objects,
    /// Live state, epoch and GMAT's A1 date of each spacecraft.
    spacecraft: Vec<Live>,
    parameters: Vec<f64>,
    outputs: Vec<f64>,
    reports: Vec<ReportRows>,
    /// Which command of the mission sequence comes next.
    command: usize,
    pub(super) segment: Segment,
    /// What ends the leg, one for each of its conditions.
    watches: Vec<Watch>,
    /// For each propagator the step that a leg of a single step goes on with, s.
    next_steps: Vec<Option<f64>>,
    stack: Vec<f64>,
    /// Date of the last row that a Propagate wrote, `NaN` before the first.
    reported: f64,
    attempts: u32,
    steps: u64,
    /// Commands executed.
    commands: u64,
}

/// A spacecraft in flight.
#[derive(Clone, Copy, Debug)]
struct Live {
    state: Cartesian,
    /// Epoch of the start of the mission.
    start: Epoch,
    /// Epoch of the start of the Propagate that moves it.
    epoch: Epoch,
    /// Seconds since then.
    t: f64,
    /// `epoch` as GMAT keeps it, one double of A1 days: its grain decides how a last step is rounded.
    gmat_mjd: f64,
    /// The same for `start`.
    gmat_start: f64,
}

/// The leg that a lane flies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) propagator: usize,
    spacecraft: usize,
    settings: StepSettings,
    /// 1 forwards, -1 backwards.
    direction: f64,
    phase: Phase,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// One step, as long as the accuracy allows.
    Single,
    /// Steps as long as the accuracy allows, until one passes a goal.
    Free,
    /// To the goal: what is left (s), and the steps it has taken.
    Final { left: f64, steps: u32 },
}

/// A time at which a leg ends, as elapsed time in the condition's unit.
#[derive(Clone, Copy, Debug)]
struct Watch {
    /// Seconds in the unit.
    unit: f64,
    goal: f64,
    /// At the last accepted step, as GMAT computes it.
    achieved: f64,
}

impl Live {
    fn view(&self, dry_mass: f64) -> View {
        let epoch = self.epoch.plus(self.t);
        View { epoch, elapsed: epoch.since(self.start), state: self.state, mu: EARTH_MU, dry_mass }
    }

    /// Now, as GMAT keeps it.
    fn date(&self) -> f64 {
        self.gmat_mjd + self.t / DAY
    }

    /// `Sat.ElapsedSecs` or `ElapsedDays` with the grain that GMAT's double of days gives it.
    fn gmat_elapsed(&self, t: f64, unit: f64) -> f64 {
        (self.gmat_mjd + t / DAY - self.gmat_start) * (DAY / unit)
    }
}

/// A run's end: ok, or why not.
pub(super) type Outcome = Result<(), Failure>;

impl Lane {
    /// An idle lane.
    pub(super) fn new(flight: &Flight) -> Self {
        Lane {
            run: None,
            objects: flight.mission.pristine.clone(),
            spacecraft: Vec::with_capacity(flight.mission.spacecraft.len()),
            parameters: vec![f64::NAN; flight.swept.len()],
            outputs: vec![f64::NAN; flight.outputs.len()],
            reports: vec![ReportRows::default(); if flight.rows_max == 0 { 0 } else { flight.mission.reports.len() }],
            command: 0,
            segment: Segment {
                propagator: 0,
                spacecraft: 0,
                settings: StepSettings::default(),
                direction: 1.0,
                phase: Phase::Free,
            },
            watches: Vec::new(),
            next_steps: vec![None; flight.mission.propagators.len()],
            stack: Vec::new(),
            reported: f64::NAN,
            attempts: 0,
            steps: 0,
            commands: 0,
        }
    }

    /// Loads a run and begins its first Propagate; `Some` if it is over already.
    pub(super) fn start(
        &mut self,
        flight: &Flight,
        run: u64,
        values: &[f64],
        trial: &mut TrialStep,
        index: usize,
    ) -> Option<Outcome> {
        self.run = Some(run);
        self.command = 0;
        self.reported = f64::NAN;
        self.attempts = 0;
        self.steps = 0;
        self.commands = 0;
        self.next_steps.fill(None);
        for report in &mut self.reports {
            report.rows = 0;
            report.values.clear();
        }
        match self.load(flight, values) {
            Ok(()) => self.go_on(flight, trial, index),
            Err(failure) => Some(Err(failure)),
        }
    }

    fn load(&mut self, flight: &Flight, values: &[f64]) -> Outcome {
        flight.mission.load(&flight.swept, values, &mut self.parameters, &mut self.objects)?;
        if !self.objects.steps.iter().all(StepSettings::is_usable) {
            return Err(Failure::StepSettings);
        }
        self.spacecraft.clear();
        for spacecraft in &self.objects.spacecraft {
            let (epoch, gmat_mjd) = (spacecraft.epoch, spacecraft.epoch.mjd(Scale::A1));
            let state = spacecraft.state.to_cartesian()?;
            self.spacecraft.push(Live { state, start: epoch, epoch, t: 0.0, gmat_mjd, gmat_start: gmat_mjd });
        }
        Ok(())
    }

    /// Goes on to the next leg; `Some` at the end of the mission sequence.
    fn go_on(&mut self, flight: &Flight, trial: &mut TrialStep, index: usize) -> Option<Outcome> {
        while let Some(command) = flight.mission.program.get(self.command) {
            // a loop that never flies ends by the same limit as one that does
            self.commands += 1;
            if self.commands > flight.steps_max {
                return Some(Err(Failure::StepLimit));
            }
            self.command += 1;
            match *command {
                Command::Propagate(leg) => match self.begin(flight, leg, trial, index) {
                    Ok(true) => return None,
                    Ok(false) => {}
                    Err(failure) => return Some(Err(failure)),
                },
                Command::Report { report, kind } => {
                    if let Some(rows) = self.reports.get_mut(report) {
                        rows.rows += 1;
                        self.fill_row(flight, report, kind);
                    }
                }
                Command::Set { variable, formula } => {
                    self.objects.variables[variable] = self.formula(flight, formula);
                }
                Command::Unless { formula, target } => {
                    if self.formula(flight, formula) == 0.0 {
                        self.command = target;
                    }
                }
                Command::Goto(target) => self.command = target,
                Command::Stop => break,
            }
        }
        Some(Ok(()))
    }

    /// Begins a leg; false if it ends where it starts.
    fn begin(&mut self, flight: &Flight, leg: usize, trial: &mut TrialStep, index: usize) -> Result<bool, Failure> {
        let leg = &flight.mission.legs[leg];
        let direction = if leg.backwards { -1.0 } else { 1.0 };
        self.first_row(flight, leg.spacecraft);
        self.watches.clear();
        let mut met = false;
        for condition in &leg.conditions {
            let goal = self.formula(flight, condition.goal);
            let Watched::Elapsed { unit } = condition.watched else { return Err(Failure::StopBehind) };
            if goal.is_nan() || goal * direction < 0.0 {
                return Err(Failure::StopBehind);
            }
            met |= goal == 0.0; // met where it starts: GMAT takes no step
            let achieved = self.spacecraft[leg.spacecraft].gmat_elapsed(0.0, unit);
            self.watches.push(Watch { unit, goal: goal + achieved, achieved });
        }
        if met {
            return Ok(false);
        }
        let settings = self.objects.steps[leg.propagator];
        let phase = if leg.conditions.is_empty() { Phase::Single } else { Phase::Free };
        let going_on = self.next_steps[leg.propagator].filter(|_| leg.conditions.is_empty());
        trial.h.0[index] = settings.bounded(going_on.unwrap_or(direction * settings.initial_step));
        self.segment = Segment { propagator: leg.propagator, spacecraft: leg.spacecraft, settings, direction, phase };
        set_state(trial, index, &self.spacecraft[leg.spacecraft].state);
        Ok(true)
    }

    fn formula(&mut self, flight: &Flight, formula: usize) -> f64 {
        let mut stack = std::mem::take(&mut self.stack);
        let formulas = &flight.mission.formulas;
        let value = formulas.all[formula].value(&mut |input| self.value(formulas.inputs[input]), &mut stack);
        self.stack = stack;
        value
    }

    /// Judges the trial step of this lane; `Some` when the run is over.
    pub(super) fn judge(
        &mut self,
        flight: &Flight,
        trial: &mut TrialStep,
        index: usize,
        order: u32,
    ) -> Option<Outcome> {
        if self.steps >= flight.steps_max {
            return Some(Err(Failure::StepLimit));
        }
        self.steps += 1;
        if !trial.is_finite(index) {
            return Some(Err(Failure::NotFinite));
        }
        let h = trial.h.0[index];
        match self.segment.settings.judge(h, trial.error_of(index), order) {
            Verdict::Violated => Some(Err(Failure::AccuracyViolated)),
            Verdict::Rejected(shorter) => {
                self.attempts += 1;
                trial.h.0[index] = shorter;
                (self.attempts >= self.segment.settings.max_attempts).then_some(Err(Failure::StepAttempts))
            }
            Verdict::Accepted(next) => {
                self.attempts = 0;
                match self.segment.phase {
                    Phase::Single => self.single_step(flight, trial, index, h, next),
                    Phase::Free => self.free_step(flight, trial, index, h, next),
                    Phase::Final { left, steps } => self.final_step(flight, trial, index, h, left, steps),
                }
            }
        }
    }

    fn single_step(
        &mut self,
        flight: &Flight,
        trial: &mut TrialStep,
        index: usize,
        h: f64,
        next: f64,
    ) -> Option<Outcome> {
        let live = &mut self.spacecraft[self.segment.spacecraft];
        live.t += h;
        accept(trial, index, live);
        let date = live.date();
        self.next_steps[self.segment.propagator] = Some(next);
        self.row(flight, date);
        self.segment_done(flight, trial, index)
    }

    fn free_step(
        &mut self,
        flight: &Flight,
        trial: &mut TrialStep,
        index: usize,
        h: f64,
        next: f64,
    ) -> Option<Outcome> {
        let segment = &mut self.segment;
        let live = &mut self.spacecraft[segment.spacecraft];
        let mut first: Option<f64> = None;
        for watch in &self.watches {
            let achieved = live.gmat_elapsed(live.t + h, watch.unit);
            if (achieved - watch.goal) * segment.direction >= 0.0 {
                // Past a goal: this step is taken back, and the rest of the way flown to the microsecond.
                let left = (watch.goal - watch.achieved) * watch.unit;
                let left = (left / TIME_GRAIN + 0.5).floor() * TIME_GRAIN;
                if first.is_none_or(|first| left.abs() < first.abs()) {
                    first = Some(left);
                }
            }
        }
        if let Some(left) = first {
            if left == 0.0 {
                return self.segment_done(flight, trial, index);
            }
            segment.phase = Phase::Final { left, steps: 0 };
            trial.h.0[index] = segment.settings.not_too_long(left);
            return None;
        }
        live.t += h;
        for watch in &mut self.watches {
            watch.achieved = live.gmat_elapsed(live.t, watch.unit);
        }
        accept(trial, index, live);
        trial.h.0[index] = segment.settings.bounded(next);
        let date = live.date();
        self.row(flight, date);
        None
    }

    fn final_step(
        &mut self,
        flight: &Flight,
        trial: &mut TrialStep,
        index: usize,
        h: f64,
        left: f64,
        steps: u32,
    ) -> Option<Outcome> {
        let segment = &mut self.segment;
        let live = &mut self.spacecraft[segment.spacecraft];
        live.t += h;
        accept(trial, index, live);
        let left_now = left - h;
        if left_now.abs() > TIME_LEFT_MIN {
            if steps >= segment.settings.max_attempts {
                return Some(Err(Failure::StepAttempts));
            }
            segment.phase = Phase::Final { left: left_now, steps: steps + 1 };
            trial.h.0[index] = segment.settings.not_too_long(left_now);
            return None;
        }
        let date = live.date();
        self.row(flight, date);
        self.segment_done(flight, trial, index)
    }

    fn segment_done(&mut self, flight: &Flight, trial: &mut TrialStep, index: usize) -> Option<Outcome> {
        let live = &mut self.spacecraft[self.segment.spacecraft];
        live.epoch = live.epoch.plus(live.t);
        live.gmat_mjd += live.t / DAY;
        live.t = 0.0;
        self.go_on(flight, trial, index)
    }

    fn value(&self, source: Source) -> f64 {
        let view = |index: usize| self.spacecraft[index].view(self.objects.spacecraft[index].dry_mass);
        source.value(view, &self.objects.variables)
    }

    /// The row at the start of a Propagate. GMAT leaves it out where the last row has the same date: the end
    /// of a Propagate and the start of the next one of the same spacecraft are one row, those of two
    /// spacecraft are two, unless their dates agree.
    #[allow(clippy::float_cmp)] // the same date to the bit, as GMAT compares
    fn first_row(&mut self, flight: &Flight, spacecraft: usize) {
        let date = self.spacecraft[spacecraft].date();
        if date != self.reported {
            self.row(flight, date);
        }
    }

    /// Writes a row of every report that has columns by `Add`.
    fn row(&mut self, flight: &Flight, date: f64) {
        self.reported = date;
        for number in 0..self.reports.len() {
            if !flight.mission.reports[number].kinds[0].is_empty() {
                self.reports[number].rows += 1;
                self.fill_row(flight, number, 0);
            }
        }
    }

    /// The numbers of a row of one kind; beyond the limit the last kept row is written anew. Columns that the
    /// kind has not are NaN.
    fn fill_row(&mut self, flight: &Flight, number: usize, kind: usize) {
        let report = &flight.mission.reports[number];
        let width = report.columns.len();
        let mut first = self.reports[number].values.len();
        if first == flight.rows_max * width {
            first -= width;
        } else {
            self.reports[number].values.resize(first + width, f64::NAN);
        }
        self.reports[number].values[first..].fill(f64::NAN);
        for &place in &report.kinds[kind] {
            let value = self.value(report.columns[place].source);
            self.reports[number].values[first + place] = value;
        }
    }

    /// Hands the run over.
    pub(super) fn finish(&mut self, flight: &Flight, outcome: Outcome, finished: &mut impl FnMut(FinishedRun)) {
        let Some(run) = self.run.take() else { return };
        let mut outcome = outcome;
        if outcome.is_ok() {
            for number in 0..self.outputs.len() {
                self.outputs[number] = self.value(flight.outputs[number].source);
            }
        }
        if outcome.is_ok() && !self.outputs.iter().all(|value| value.is_finite()) {
            outcome = Err(Failure::NotFinite);
        }
        if outcome.is_err() {
            self.outputs.fill(f64::NAN);
            for report in &mut self.reports {
                report.rows = 0;
                report.values.clear();
            }
        }
        finished(FinishedRun {
            run,
            status: outcome.map_or_else(Failure::status, |()| Status::Ok),
            failure: outcome.err(),
            parameters: &self.parameters,
            outputs: &self.outputs,
            reports: &self.reports,
            steps: self.steps,
        });
    }
}

fn set_state(trial: &mut TrialStep, index: usize, state: &Cartesian) {
    for (component, number) in trial.state.iter_mut().zip(state.r.iter().chain(&state.v)) {
        component.0[index] = *number;
    }
}

/// The candidate of a lane becomes its state.
fn accept(trial: &mut TrialStep, index: usize, live: &mut Live) {
    for (component, candidate) in trial.state.iter_mut().zip(&trial.candidate) {
        component.0[index] = candidate.0[index];
    }
    for axis in 0..3 {
        live.state.r[axis] = trial.candidate[axis].0[index];
        live.state.v[axis] = trial.candidate[axis + 3].0[index];
    }
}

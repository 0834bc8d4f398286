//! One lane of a propagator: a run in flight, its place in the mission sequence, its rows.
//!
//! Commands that do not fly are carried out at once; a Propagate becomes a leg, which [`super::leg`] flies.

use super::Flight;
use super::bundle::Bundle;
use super::burning::Burning;
use super::leg::Leg;
use super::random::Random;
use super::target::Solving;
use crate::astro::constants::DAY;
use crate::astro::elements::Cartesian;
use crate::astro::ephemeris::Body;
use crate::astro::epoch::{Epoch, Scale};
use crate::astro::parameters::{Needs, View};
use crate::base::outcome::{Failure, Status};
use crate::base::run::{EphemerisEvent, FinishedRun, ReportRows};
use crate::gmat::formula::Ask;
use crate::integrators::step_control::StepSettings;
use crate::integrators::stepper::Carry;
use crate::integrators::trial::TrialStep;
use crate::mission::program::{Command, Watched};
use crate::mission::{Instant, Objects, Source};
use crate::propulsion::Tank;
use crate::solver::differential_corrector::Next;

/// One run in flight.
pub(super) struct Lane {
    /// The run's number; none where the lane is idle.
    pub(super) run: Option<u64>,
    pub(super) objects: Objects,
    /// Live state, epoch and GMAT's A1 date of each spacecraft.
    pub(super) spacecraft: Vec<Live>,
    /// Room for what they are kept in while a trial is looked at.
    pub(super) kept: Vec<Live>,
    /// The tanks where the trials have led.
    pub(super) tanks: Vec<Tank>,
    /// Room for a burn that begins.
    pub(super) burning: Burning,
    parameters: Vec<f64>,
    outputs: Vec<f64>,
    pub(super) reports: Vec<ReportRows>,
    /// What each ephemeris file is made from; empty where nothing is recorded.
    pub(super) ephemerides: Vec<Vec<EphemerisEvent>>,
    /// Which of them get rows by `Add`: Toggle. Those of Report commands are always written, as in GMAT.
    pub(super) written: Vec<bool>,
    /// Which command of the mission sequence comes next.
    command: usize,
    /// Where called parts of the program go back to.
    calls: Vec<usize>,
    /// For each Target its solver.
    pub(super) targets: Vec<Solving>,
    pub(super) leg: Leg,
    /// For each Propagate of the program, the steps that its parts go on with when it is flown again.
    pub(super) carries: Vec<Option<Carry>>,
    /// For each Propagate of the program, how near its condition may be to its goal to have been met before.
    pub(super) first_tolerances: Vec<f64>,
    /// For each spacecraft, the conditions that ended its last leg.
    pub(super) ended: Vec<Vec<Watched>>,
    stack: Vec<f64>,
    pub(super) indices: Vec<f64>,
    /// What the run has made for Strings, by the places of their numbers.
    pub(super) texts: Vec<String>,
    pub(super) random: Random,
    /// For each report the date of the last row that a Propagate wrote, `NaN` before the first.
    pub(super) reported: Vec<f64>,
    /// The date of the last step.
    pub(super) date: f64,
    /// Trial steps.
    pub(super) steps: u64,
    /// Commands executed.
    commands: u64,
}

/// A spacecraft in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Live {
    /// State relative to `center` in `MJ2000Eq` axes.
    pub(super) state: Cartesian,
    pub(super) center: Body,
    /// Epoch of the start of the mission.
    start: Epoch,
    /// Epoch of the start of the leg that moves it.
    pub(super) epoch: Epoch,
    /// Seconds since then.
    pub(super) t: f64,
    /// `epoch` as GMAT keeps it, one double of A1 days: its grain decides how a last step is rounded.
    pub(super) gmat_mjd: f64,
    /// The same for `start`.
    gmat_start: f64,
}

impl Live {
    /// Now.
    pub(super) fn now(&self) -> Epoch {
        self.epoch.plus(self.t)
    }

    /// Now, as GMAT keeps it.
    pub(super) fn date(&self) -> f64 {
        self.gmat_mjd + self.t / DAY
    }

    /// `Sat.ElapsedSecs` or `ElapsedDays` with the grain that GMAT's double of days gives it.
    pub(super) fn gmat_elapsed(&self, unit: f64) -> f64 {
        (self.gmat_mjd + self.t / DAY - self.gmat_start) * (DAY / unit)
    }

    /// Equal to another one, but for what `ElapsedSecs` counts from.
    pub(super) fn copied(&self, other: Live) -> Live {
        Live { start: self.start, gmat_start: self.gmat_start, ..other }
    }

    /// What parameters are computed from.
    fn instant(&self, dry_mass: f64, total_mass: f64) -> Instant {
        let epoch = self.now();
        Instant {
            epoch,
            elapsed: epoch.since(self.start),
            state: self.state,
            center: self.center,
            dry_mass,
            total_mass,
        }
    }
}

/// What a parameter of an instant was computed from.
pub(super) struct Seen {
    /// Spacecraft, coordinate system, and what was needed.
    key: (usize, usize, Needs),
    view: View,
}

/// A run's end: ok, or why not.
pub(super) type Outcome = Result<(), Failure>;

impl Lane {
    /// An idle lane.
    pub(super) fn new(flight: &Flight) -> Self {
        let mission = &flight.mission;
        Lane {
            run: None,
            objects: mission.pristine.clone(),
            spacecraft: Vec::with_capacity(mission.names.spacecraft.len()),
            kept: Vec::with_capacity(mission.names.spacecraft.len()),
            tanks: mission.pristine.tanks.clone(),
            burning: Burning::default(),
            parameters: vec![f64::NAN; flight.swept.len()],
            outputs: vec![f64::NAN; flight.outputs.len()],
            reports: vec![ReportRows::default(); if flight.rows_max == 0 { 0 } else { mission.reports.len() }],
            ephemerides: Vec::new(),
            written: vec![true; mission.reports.len()],
            command: 0,
            calls: Vec::new(),
            targets: Solving::all(mission),
            leg: Leg::default(),
            carries: vec![None; mission.legs.iter().map(|leg| leg.parts.len()).sum()],
            first_tolerances: vec![0.0; mission.legs.len()],
            ended: vec![Vec::new(); mission.names.spacecraft.len()],
            stack: Vec::new(),
            indices: Vec::new(),
            texts: Vec::new(),
            random: Random::default(),
            reported: vec![f64::NAN; mission.reports.len()],
            date: f64::NAN,
            steps: 0,
            commands: 0,
        }
    }

    /// Loads a run and begins its first leg; `Some` if it is over already.
    pub(super) fn start(
        &mut self,
        flight: &Flight,
        run: u64,
        values: &[f64],
        trial: &mut TrialStep,
        bundle: &mut Bundle,
        index: usize,
    ) -> Option<Outcome> {
        self.run = Some(run);
        self.command = 0;
        self.steps = 0;
        self.commands = 0;
        self.carries.fill(None);
        self.written.fill(true);
        self.calls.clear();
        self.targets.iter_mut().for_each(Solving::clear);
        self.reported.fill(f64::NAN);
        self.random.clear();
        for (tolerance, leg) in self.first_tolerances.iter_mut().zip(&flight.mission.legs) {
            *tolerance = 10.0 * leg.tolerance;
        }
        for ended in &mut self.ended {
            ended.clear();
        }
        for report in &mut self.reports {
            report.clear();
        }
        self.ephemerides.iter_mut().for_each(Vec::clear);
        match self.load_run(flight, values) {
            Ok(()) => self.go_on(flight, trial, bundle, index),
            Err(failure) => Some(Err(failure)),
        }
    }

    fn load_run(&mut self, flight: &Flight, values: &[f64]) -> Outcome {
        let mission = &flight.mission;
        mission.load(&flight.swept, values, &mut self.parameters, &mut self.objects)?;
        if !self.objects.steps.iter().all(StepSettings::is_usable) {
            return Err(Failure::StepSettings);
        }
        self.spacecraft.clear();
        for spacecraft in &self.objects.spacecraft {
            let epoch = spacecraft.epoch;
            let gmat_mjd = epoch.mjd(Scale::A1);
            let (state, center) = mission.initial(spacecraft)?;
            self.spacecraft.push(Live { state, center, start: epoch, epoch, t: 0.0, gmat_mjd, gmat_start: gmat_mjd });
        }
        Ok(())
    }

    /// Goes on to the next leg; `Some` at the end of the mission sequence.
    pub(super) fn go_on(
        &mut self,
        flight: &Flight,
        trial: &mut TrialStep,
        bundle: &mut Bundle,
        index: usize,
    ) -> Option<Outcome> {
        while let Some(command) = flight.mission.program.get(self.command) {
            // a loop that never flies ends by the same limit as one that does
            self.commands += 1;
            if self.commands > flight.steps_max {
                return Some(Err(Failure::StepLimit));
            }
            self.command += 1;
            match *command {
                Command::Propagate(leg) => match self.begin(flight, leg, trial, bundle, index) {
                    Ok(true) => return None,
                    Ok(false) => {}
                    Err(failure) => return Some(Err(failure)),
                },
                Command::Report { report, kind } => {
                    self.add_row(flight, report, kind);
                }
                Command::Target(_)
                | Command::RegisterVary { .. }
                | Command::RegisterAchieve { .. }
                | Command::EndRegistration(_)
                | Command::Pass(_)
                | Command::Vary { .. }
                | Command::Achieve { .. } => {
                    if let Err(failure) = self.solve(flight, command) {
                        return Some(Err(failure));
                    }
                }
                Command::EndTarget { target, pass } => match self.end_target(flight, target) {
                    Ok(Next::Fly) => self.command = pass,
                    Ok(Next::Leave) => {}
                    Ok(Next::Stop) => break,
                    Err(failure) => return Some(Err(failure)),
                },
                Command::Call(start) => {
                    self.calls.push(self.command);
                    self.command = start;
                }
                Command::Return => self.command = self.calls.pop().unwrap_or(usize::MAX),
                Command::Toggle { report, on } => {
                    if let Some(written) = self.written.get_mut(report) {
                        *written = on;
                    }
                }
                Command::ToggleEphemeris { .. } | Command::Changed { .. } => {
                    self.record_command(flight, command, self.command - 1);
                }
                Command::Unless { formula, target } => {
                    if self.formula(flight, formula) == 0.0 {
                        self.command = target;
                    }
                }
                Command::Goto(target) => self.command = target,
                Command::Stop => break,
                _ => {
                    self.record_command(flight, command, self.command - 1);
                    if let Err(failure) = self.carry_out(flight, command) {
                        return Some(Err(failure));
                    }
                }
            }
        }
        Some(Ok(()))
    }

    /// The value of a formula, now.
    pub(super) fn formula(&mut self, flight: &Flight, formula: usize) -> f64 {
        let formula = &flight.mission.formulas.all[formula];
        if let Some(number) = formula.as_number() {
            return number;
        }
        let mut stack = std::mem::take(&mut self.stack);
        let mut random = std::mem::take(&mut self.random);
        let inputs = &flight.mission.formulas.inputs;
        let value = formula.value(
            &mut |ask| match ask {
                Ask::Input(input) => self.decisive(flight, inputs[input]),
                Ask::Element(array, indices) => self.element(flight, array, indices),
                Ask::SameText(a, b) => f64::from(u8::from(self.text_at(flight, a) == self.text_at(flight, b))),
                Ask::Random { normal: true } => random.normal(),
                Ask::Random { normal: false } => random.even(),
            },
            &mut stack,
        );
        (self.stack, self.random) = (stack, random);
        value
    }

    /// The number of a source for a decision: elapsed times have the grain that GMAT's have, so that a loop to a
    /// round time takes as many turns.
    fn decisive(&self, flight: &Flight, source: Source) -> f64 {
        if let Source::Parameter { spacecraft, parameter, .. } = source {
            match parameter.name {
                "ElapsedSecs" => return self.spacecraft[spacecraft].gmat_elapsed(1.0),
                "ElapsedDays" => return self.spacecraft[spacecraft].gmat_elapsed(DAY),
                _ => {}
            }
        }
        self.value(flight, source)
    }

    /// The number of a source, now.
    pub(super) fn value(&self, flight: &Flight, source: Source) -> f64 {
        self.value_beside(flight, source, &mut None)
    }

    /// The same beside other numbers of this instant: what they were computed from is used again where it is the same.
    pub(super) fn value_beside(&self, flight: &Flight, source: Source, seen: &mut Option<Seen>) -> f64 {
        match source {
            Source::Number(number) => self.objects.get(number),
            Source::Reading(reading) => self.reading(flight, reading),
            Source::Solver { solver, result } => self.solver_result(flight, solver, result),
            Source::Parameter { spacecraft, parameter, system } => {
                let key = (spacecraft, system, parameter.needs);
                if let Some(seen) = seen.as_ref().filter(|seen| seen.key == key) {
                    return (parameter.value)(&seen.view);
                }
                let dry_mass = self.objects.spacecraft[spacecraft].dry_mass;
                let instant = self.spacecraft[spacecraft].instant(dry_mass, self.total_mass(flight, spacecraft));
                let view = flight.mission.view(&instant, parameter.needs, system, &|other| {
                    let live = &self.spacecraft[other];
                    (live.state, live.center)
                });
                (parameter.value)(&seen.insert(Seen { key, view }).view)
            }
        }
    }

    /// Hands the run over.
    pub(super) fn finish(&mut self, flight: &Flight, outcome: Outcome, finished: &mut impl FnMut(FinishedRun)) {
        let Some(run) = self.run.take() else { return };
        let mut outcome = outcome;
        if outcome.is_ok() {
            let mut seen = None;
            for number in 0..self.outputs.len() {
                self.outputs[number] = self.value_beside(flight, flight.outputs[number].source, &mut seen);
            }
        }
        if outcome.is_ok() && !self.outputs.iter().all(|value| value.is_finite()) {
            outcome = Err(Failure::NotFinite);
        }
        if outcome.is_err() {
            self.outputs.fill(f64::NAN);
            for report in &mut self.reports {
                report.clear();
            }
        }
        finished(FinishedRun {
            run,
            status: outcome.map_or_else(Failure::status, |()| Status::Ok),
            failure: outcome.err(),
            parameters: &self.parameters,
            outputs: &self.outputs,
            reports: &self.reports,
            ephemerides: &self.ephemerides,
            steps: self.steps,
        });
    }
}

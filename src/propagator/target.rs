//! Target to EndTarget in flight: one solver for each Target and lane, and the spacecraft as they were before.
//!
//! Only spacecraft go back to where they were, as in GMAT; Variables and burns keep what the last pass left.

use super::Flight;
use super::lane::{Lane, Live, Outcome};
use crate::base::outcome::Failure;
use crate::mission::hardware::ThrusterState;
use crate::mission::program::{Command, Watched};
use crate::mission::target::{SolverResult, SolverRows, Target};
use crate::mission::{Mission, Spacecraft};
use crate::propulsion::Tank;
use crate::solver::differential_corrector::{self as corrector, DifferentialCorrector, Entry, Next};
use crate::solver::settings::{Scaling, SolverError, VaryOptions};

/// A Target of a lane.
pub(super) struct Solving {
    corrector: DifferentialCorrector,
    /// Between Target and EndTarget.
    active: bool,
    /// In this run: whether it was flown, whether all its goals were met each time, and its iterations.
    flown: bool,
    converged: bool,
    iterations: u64,
    kept: Kept,
}

/// The spacecraft before a Target.
#[derive(Default)]
struct Kept {
    live: Vec<Live>,
    objects: Vec<Spacecraft>,
    tanks: Vec<Tank>,
    thrusters: Vec<ThrusterState>,
    ended: Vec<Vec<Watched>>,
}

impl Solving {
    /// A solver for each Target of a mission.
    pub(super) fn all(mission: &Mission) -> Vec<Solving> {
        let solving = |target: &Target| Solving {
            corrector: DifferentialCorrector::new(target.settings, target.variables.len(), target.goals.len()),
            active: false,
            flown: false,
            converged: true,
            iterations: 0,
            kept: Kept { ended: vec![Vec::new(); mission.names.spacecraft.len()], ..Kept::default() },
        };
        mission.targets.iter().map(solving).collect()
    }

    /// Ready for another run.
    pub(super) fn clear(&mut self) {
        self.corrector.clear();
        (self.active, self.flown, self.converged, self.iterations) = (false, false, true, 0);
    }
}

/// A solver that cannot go on ends the run.
impl From<SolverError> for Failure {
    fn from(error: SolverError) -> Self {
        match error {
            SolverError::Singular | SolverError::NotANumber { .. } => Failure::SolverSingular,
            SolverError::NotFinite { .. } => Failure::SolverGoal,
            SolverError::Scale { .. }
            | SolverError::Limits { .. }
            | SolverError::MaxStep { .. }
            | SolverError::Tolerance { .. } => Failure::SolverSettings,
        }
    }
}

impl Lane {
    /// Carries a command of a Target out.
    pub(super) fn solve(&mut self, flight: &Flight, command: &Command) -> Outcome {
        match *command {
            Command::Target(target) => {
                let solving = &mut self.targets[target];
                solving.corrector.enter();
                (solving.active, solving.flown) = (true, true);
                solving.kept.live.clone_from(&self.spacecraft);
                solving.kept.objects.clone_from(&self.objects.spacecraft);
                solving.kept.tanks.clone_from(&self.objects.tanks);
                solving.kept.thrusters.clone_from(&self.objects.thrusters);
                for (kept, ended) in solving.kept.ended.iter_mut().zip(&self.ended) {
                    kept.clone_from(ended);
                }
            }
            Command::RegisterVary { target, variable } => {
                let entry = self.targets[target].corrector.entry();
                if entry != Entry::First {
                    self.vary(flight, target, variable)?;
                }
                if entry != Entry::Saved {
                    let vary = &flight.mission.targets[target].variables[variable];
                    let options = VaryOptions {
                        initial: self.formula(flight, vary.initial),
                        perturbation: self.formula(flight, vary.perturbation),
                        lower: self.formula(flight, vary.lower),
                        upper: self.formula(flight, vary.upper),
                        max_step: self.formula(flight, vary.max_step),
                        scaling: self.scaling(flight, target, variable),
                    };
                    self.targets[target].corrector.register_variable(variable, &options)?;
                }
            }
            Command::RegisterAchieve { target, goal } => {
                let achieve = &flight.mission.targets[target].goals[goal];
                let achieved = self.formula(flight, achieve.achieved);
                let tolerance = self.formula(flight, achieve.tolerance);
                self.targets[target].corrector.register_goal(goal, achieved, tolerance)?;
            }
            Command::EndRegistration(target) => {
                self.targets[target].corrector.advance()?;
            }
            Command::Pass(target) => self.restore(flight, target),
            Command::Vary { target, variable } => self.vary(flight, target, variable)?,
            Command::Achieve { target, goal } => {
                let achieve = &flight.mission.targets[target].goals[goal];
                let achieved = self.formula(flight, achieve.achieved);
                let desired = self.formula(flight, achieve.desired);
                let tolerance = self.formula(flight, achieve.tolerance);
                self.targets[target].corrector.achieve(goal, achieved, desired, tolerance)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// EndTarget: what comes now.
    pub(super) fn end_target(&mut self, flight: &Flight, target: usize) -> Result<Next, Failure> {
        let next = self.targets[target].corrector.advance()?;
        if next != Next::Fly {
            self.last_rows(flight);
            let solving = &mut self.targets[target];
            solving.active = false;
            solving.converged &= solving.corrector.outcome() != corrector::Outcome::NotConverged;
            solving.iterations += u64::from(solving.corrector.iterations());
        }
        Ok(next)
    }

    /// Back to the spacecraft before the Target; the Propagates inside begin with their first steps.
    fn restore(&mut self, flight: &Flight, target: usize) {
        let kept = &self.targets[target].kept;
        self.spacecraft.clone_from(&kept.live);
        self.objects.spacecraft.clone_from(&kept.objects);
        for (ended, kept) in self.ended.iter_mut().zip(&kept.ended) {
            ended.clone_from(kept);
        }
        for leg in &flight.mission.legs[flight.mission.targets[target].legs.clone()] {
            self.carries[leg.first_part..][..leg.parts.len()].fill(None);
        }
        self.objects.tanks.clone_from(&kept.tanks);
        for (state, kept) in self.objects.thrusters.iter_mut().zip(&kept.thrusters) {
            // whether it fires is not the spacecraft's
            let firing = state.thruster.firing;
            *state = *kept;
            state.thruster.firing = firing;
        }
    }

    fn vary(&mut self, flight: &Flight, target: usize, variable: usize) -> Outcome {
        let scaling = self.scaling(flight, target, variable);
        let value = self.targets[target].corrector.value(variable, &scaling);
        self.assign(flight, flight.mission.targets[target].variables[variable].variable, value)
    }

    fn scaling(&mut self, flight: &Flight, target: usize, variable: usize) -> Scaling {
        let vary = &flight.mission.targets[target].variables[variable];
        Scaling {
            additive: self.formula(flight, vary.additive),
            multiplicative: self.formula(flight, vary.multiplicative),
        }
    }

    /// Whether a row of `Add` goes into a report now.
    pub(super) fn takes_steps(&self, flight: &Flight, rows: SolverRows) -> bool {
        let mut active = self.targets.iter().zip(&flight.mission.targets).filter(|(solving, _)| solving.active);
        let Some((solving, target)) = active.next() else { return true };
        // GMAT writes all where Targets stand in one another
        if rows == SolverRows::All || target.holds_target || active.next().is_some() {
            return true;
        }
        rows == SolverRows::Current && solving.corrector.is_final_pass()
    }

    /// The row at the end of a Target of the reports that get this one alone.
    fn last_rows(&mut self, flight: &Flight) {
        for number in 0..self.reports.len() {
            if flight.mission.reports[number].solver_rows == SolverRows::Last {
                self.last_row(flight, number);
            }
        }
    }

    /// What a run tells of a solver.
    pub(super) fn solver_result(&self, flight: &Flight, solver: usize, what: SolverResult) -> f64 {
        let of_solver = self.targets.iter().zip(&flight.mission.targets).filter(|(_, target)| target.solver == solver);
        match what {
            SolverResult::Converged => {
                let mut flown = of_solver.filter(|(solving, _)| solving.flown);
                f64::from(u8::from(flown.all(|(solving, _)| solving.converged)))
            }
            SolverResult::Iterations => of_solver.map(|(solving, _)| solving.iterations).sum::<u64>() as f64,
        }
    }
}

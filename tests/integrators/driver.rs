//! Plays a script's Propagate commands as GMAT's loops do: one lane, the integrators alone.

use sweep_mpi::astro::constants::{DAY, EARTH_MU};
use sweep_mpi::astro::elements::Keplerian;
use sweep_mpi::astro::epoch::{Epoch, Scale};
use sweep_mpi::base::lanes::{Isa, Vectors};
use sweep_mpi::integrators::error_control::ErrorControl;
use sweep_mpi::integrators::find;
use sweep_mpi::integrators::method::Method;
use sweep_mpi::integrators::step_control::StepSettings;
use sweep_mpi::integrators::stepper::{Carry, Progress, StepFailure};
use sweep_mpi::integrators::trial::TrialStep;

use crate::earth::Earth;

/// One row of a report: GMAT's date (A1, days) and the state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) date: f64,
    pub(crate) state: [f64; 6],
}

/// A spacecraft and its propagator, in one lane.
pub(crate) struct Driver {
    pub(crate) method: std::sync::Arc<Method>,
    pub(crate) settings: StepSettings,
    pub(crate) control: ErrorControl,
    pub(crate) state: [f64; 6],
    pub(crate) rows: Vec<Row>,
    pub(crate) trials: u32,
    earth: Earth,
    trial: TrialStep,
    lane: usize,
    vectors: Vectors,
    /// GMAT's date of the start of the Propagate and of the mission.
    date: f64,
    start: f64,
}

/// `Object.Field = value;` of a script.
fn field<'a>(script: &'a str, name: &str) -> Option<&'a str> {
    script
        .lines()
        .filter_map(|line| line.trim().trim_end_matches(';').split_once(" = "))
        .find(|(left, _)| *left == name)
        .map(|(_, right)| right.trim_matches('\''))
}

pub(crate) fn number(script: &str, name: &str) -> Option<f64> {
    field(script, name)?.parse().ok()
}

impl Driver {
    /// From the lines of a script.
    pub(crate) fn new(script: &str) -> Self {
        let default = StepSettings::default();
        let or = |name: &str, default: f64| number(script, name).unwrap_or(default);
        let settings = StepSettings {
            initial_step: or("Prop.InitialStepSize", default.initial_step),
            accuracy: or("Prop.Accuracy", default.accuracy),
            min_step: or("Prop.MinStep", default.min_step),
            max_step: or("Prop.MaxStep", default.max_step),
            max_attempts: or("Prop.MaxStepAttempts", 50.0) as u32,
            stop_if_accuracy_is_violated: field(script, "Prop.StopIfAccuracyIsViolated") != Some("false"),
            lower_error: or("Prop.LowerError", default.lower_error),
            target_error: or("Prop.TargetError", default.target_error),
        };
        let angle = |name: &str| or(name, 0.0).to_radians();
        let elements = Keplerian {
            sma: or("Sat.SMA", 7000.0),
            ecc: or("Sat.ECC", 0.0),
            inc: angle("Sat.INC"),
            raan: angle("Sat.RAAN"),
            aop: angle("Sat.AOP"),
            ta: angle("Sat.TA"),
        };
        let state = if script.contains("Sat.X =") {
            ["X", "Y", "Z", "VX", "VY", "VZ"].map(|name| number(script, &format!("Sat.{name}")).unwrap())
        } else {
            let cartesian = elements.to_cartesian(EARTH_MU).unwrap();
            let [[x, y, z], [vx, vy, vz]] = [cartesian.r, cartesian.v];
            [x, y, z, vx, vy, vz]
        };
        let date = Epoch::from_gregorian(Scale::Utc, field(script, "Sat.Epoch").unwrap()).unwrap().mjd(Scale::A1);
        let mut driver = Driver {
            method: find(field(script, "Prop.Type").unwrap()).unwrap(),
            settings,
            control: ErrorControl::find(field(script, "FM.ErrorControl").unwrap_or("RSSStep")).unwrap(),
            state,
            rows: Vec::new(),
            trials: 0,
            earth: Earth::default(),
            trial: TrialStep::default(),
            lane: 3,
            vectors: Vectors::new(Isa::best(), 8),
            date,
            start: date,
        };
        driver.row(0.0);
        driver
    }

    fn row(&mut self, t: f64) {
        self.rows.push(Row { date: self.date + t / DAY, state: self.state });
    }

    fn begin(&mut self, carry: Carry) {
        self.trial.begin(self.lane, &self.method, &self.settings, &self.state, carry);
    }

    /// The next trial of the lane.
    fn progress(&mut self) -> Progress {
        self.trials += 1;
        self.trial.attempt(self.vectors, &self.method, &mut self.earth, self.control);
        self.trial.judge(self.lane, &self.method, &self.settings)
    }

    /// Until a step or a span is whole; gives the seconds of its trials, the last one apart.
    fn whole(&mut self) -> Result<(f64, f64), StepFailure> {
        let mut before = 0.0;
        loop {
            match self.progress() {
                Progress::Rejected => {}
                Progress::Moved { taken } => before += taken,
                Progress::Whole { taken } => return Ok((before, taken)),
                Progress::Failed(failure) => return Err(failure),
            }
        }
    }

    /// A Propagate of one step, `count` times in a loop.
    pub(crate) fn single_steps(&mut self, count: usize) -> Result<Carry, StepFailure> {
        let mut carry = Carry::new(self.settings.initial_step);
        for _ in 0..count {
            self.begin(carry);
            let (before, last) = self.whole()?;
            self.state = self.trial.state_of(self.lane);
            carry = self.trial.carry(self.lane);
            let t = before + last;
            self.row(t);
            self.date += t / DAY;
        }
        Ok(carry)
    }

    /// A Propagate to `{Sat.ElapsedSecs = duration}`; with a row at each accepted step if `every`.
    pub(crate) fn propagate(&mut self, duration: f64, carry: Carry, every: bool) -> Result<Carry, StepFailure> {
        let elapsed = |driver: &Driver, t: f64| (driver.date + t / DAY - driver.start) * DAY;
        let mut t = 0.0;
        let mut achieved = elapsed(self, t);
        let goal = achieved + duration;
        self.begin(carry);
        loop {
            let (before, last) = self.whole()?;
            let now = elapsed(self, t + before + last);
            if (now - goal) * duration.signum() >= 0.0 {
                // GMAT takes the state back to the start of the step, the time to that of its last trial
                t += before;
                self.trial.take_back(self.lane, &self.method, &self.state);
                break;
            }
            (achieved, t) = (now, t + before + last);
            self.state = self.trial.state_of(self.lane);
            if every {
                self.row(t);
            }
        }
        let left = ((goal - achieved) / 1e-6 + 0.5).floor() * 1e-6;
        if left != 0.0 {
            self.trial.span(self.lane, &self.method, &self.settings, left);
            let (before, last) = self.whole()?;
            self.state = self.trial.state_of(self.lane);
            t += before + last;
        }
        self.row(t);
        self.date += t / DAY;
        Ok(self.trial.carry(self.lane))
    }
}

/// The rows of a GMAT report of date and state.
pub(crate) fn rows(report: &str) -> Vec<Row> {
    let row = |line: &str| {
        let numbers: Vec<f64> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
        Row { date: numbers[0], state: numbers[1..7].try_into().unwrap() }
    };
    report.lines().map(row).collect()
}

/// The largest differences of two lists of rows: of a step (s), of a position (km).
pub(crate) fn differences(ours: &[Row], gmat: &[Row]) -> (f64, f64) {
    let step = |rows: &[Row]| rows.windows(2).map(|two| (two[1].date - two[0].date) * DAY).collect::<Vec<f64>>();
    let times = step(ours).iter().zip(&step(gmat)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    (times, ours.iter().zip(gmat).map(|(a, b)| distance(&a.state, &b.state)).fold(0.0, f64::max))
}

/// Between two positions.
pub(crate) fn distance(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
}

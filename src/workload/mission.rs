//! `kind = "mission"`: a run is a GMAT mission, flown by the persistent propagator.

use std::fmt::Write as _;
use std::ops::Range;
use std::time::Duration;

use super::{Column, Executor, Inputs, Kind, Report, Workload};
use crate::base::lanes::Vectors;
use crate::base::nominal::Nominal;
use crate::base::outcome::Failure;
use crate::base::problem::{Problem, Problems};
use crate::base::run::FinishedRun;
use crate::config::Limits;
use crate::config::overrides::{Overrides, SetValue};
use crate::gmat;
use crate::mission::compile::compile_with;
use crate::mission::settings::{SettingError, Swept};
use crate::mission::{self, Mission};
use crate::propagator::{Flight, Propagator};

pub(super) const KIND: Kind = Kind {
    name: "mission",
    summary: "a GMAT mission script, flown natively; the default",
    keys: &[],
    build: |inputs| Ok(Box::new(MissionWorkload::new(inputs)?)),
};

/// A flight with the columns of its result file.
pub struct MissionWorkload {
    flight: Flight,
    parameters: Vec<Column>,
    outputs: Vec<Column>,
    reports: Vec<Report>,
    overrides: String,
}

impl MissionWorkload {
    fn new(inputs: &Inputs) -> Result<Self, Problems> {
        let tree = gmat::parse(inputs.script_file, inputs.script)?;
        let text = String::from_utf8_lossy(inputs.script);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut mission = compile_with(inputs.script_file, text, &tree, inputs.files, inputs.world.clone())?;
        for report in &mut mission.reports {
            for path in report.leave_out_texts(&mission.names) {
                let left =
                    format!("ReportFile `{}`: `{path}` is a text, and the result file keeps numbers", report.name);
                mission.ignored.push(left);
            }
        }
        let mut problems = Vec::new();
        let swept_here = |path: &str| inputs.design.parameters().iter().any(|parameter| parameter.path == path);
        let overrides = set_overrides(&mut mission, inputs.overrides, swept_here, &mut problems);
        let swept = swept(&mission, inputs, &mut problems);
        let outputs = outputs(&mission, inputs, &mut problems);
        if !problems.is_empty() {
            return Err(Problems(problems));
        }
        let rows_max = inputs.config.output.rows.map_or(0, |rows| rows.max as usize);
        let Limits { steps, wall_s } = inputs.config.limits;
        let wall_max = Some(Duration::from_secs_f64(wall_s));
        for file in &mission.ephemerides {
            let written = "written of single runs, by --only RUNS --ephemerides DIR";
            mission.ignored.push(format!("EphemerisFile `{}`: {written}", file.name));
        }
        let flight = Flight { mission, swept, outputs, rows_max, steps_max: steps, wall_max };
        let reports = flight.mission.reports.iter().filter(|_| rows_max > 0).map(|report| Report {
            name: report.name.clone(),
            rows_max: rows_max as u64,
            columns: report.columns.iter().map(result_column).collect(),
        });
        Ok(MissionWorkload {
            parameters: flight.swept.iter().map(swept_column).collect(),
            outputs: flight.outputs.iter().map(result_column).collect(),
            reports: reports.collect(),
            overrides,
            flight,
        })
    }

    /// The flight of a workload that is a mission.
    pub fn flight_of(workload: &dyn Workload) -> Option<&Flight> {
        let any: &dyn std::any::Any = workload;
        any.downcast_ref::<MissionWorkload>().map(|mission| &mission.flight)
    }

    /// An executor that keeps what ephemeris files are made from, of a workload that is a mission.
    pub fn recorder(workload: &dyn Workload, vectors: Vectors) -> Option<Box<dyn Executor + '_>> {
        let flight = MissionWorkload::flight_of(workload)?;
        Some(Box::new(Flyer { flight, propagator: Propagator::new(flight, vectors).recording(flight) }))
    }
}

impl Workload for MissionWorkload {
    fn kind(&self) -> &'static str {
        KIND.name
    }

    fn parameters(&self) -> &[Column] {
        &self.parameters
    }

    fn outputs(&self) -> &[Column] {
        &self.outputs
    }

    fn reports(&self) -> &[Report] {
        &self.reports
    }

    fn column_value(&self, parameter: usize, value: f64) -> f64 {
        self.flight.swept[parameter].column_value(value)
    }

    fn nominal(&self, parameter: usize) -> Option<Nominal> {
        self.flight.swept[parameter].nominal(&self.flight.mission.pristine)
    }

    fn executor(&self, vectors: Vectors) -> Box<dyn Executor + '_> {
        Box::new(Flyer { flight: &self.flight, propagator: Propagator::new(&self.flight, vectors) })
    }

    fn side_by_side(&self, vectors: Vectors) -> u64 {
        vectors.width() as u64
    }

    fn describe(&self) -> String {
        let mission = &self.flight.mission;
        let mut text = String::new();
        let _ = write!(
            text,
            "{:?}{:?}{}{}",
            mission.names,
            mission.pristine,
            mission.world.data,
            mission.bodies.describe()
        );
        for dynamics in &mission.dynamics {
            let forces: Vec<String> = dynamics.model.forces.iter().map(|force| force.describe()).collect();
            let _ = write!(
                text,
                "{}{forces:?}{:?}{:?}",
                dynamics.method.name(),
                dynamics.model.center,
                dynamics.error_control
            );
        }
        let _ = write!(text, "{:?}{:?}{:?}{:?}", mission.dynamics_of, mission.program, mission.legs, mission.targets);
        let _ = write!(text, "{:?}", mission.hardware);
        let inputs: Vec<String> = mission.formulas.inputs.iter().map(|source| source.describe()).collect();
        let _ = write!(text, "{inputs:?}{:?}", mission.formulas.all);
        for report in &mission.reports {
            let columns: Vec<&str> = report.columns.iter().map(|column| column.path.as_str()).collect();
            let _ = write!(text, "{}{columns:?}{:?}", report.name, report.kinds);
        }
        let outputs: Vec<&str> = self.flight.outputs.iter().map(|column| column.path.as_str()).collect();
        let _ = write!(text, "{outputs:?}{} {}", self.flight.rows_max, self.flight.steps_max);
        text
    }

    fn ignored(&self) -> &[String] {
        &self.flight.mission.ignored
    }

    fn sentence(&self, failure: Failure) -> String {
        self.flight.mission.sentence(failure)
    }

    fn overrides(&self) -> String {
        self.overrides.clone()
    }
}

/// A propagator with what it flies.
struct Flyer<'a> {
    flight: &'a Flight,
    propagator: Propagator,
}

impl Executor for Flyer<'_> {
    fn execute(
        &mut self,
        runs: Range<u64>,
        values: &dyn Fn(u64, &mut [f64]),
        finished: &mut dyn FnMut(FinishedRun<'_>),
        goes_on: &dyn Fn() -> bool,
    ) {
        self.propagator.fly_while(self.flight, runs, values, finished, goes_on);
    }
}

/// Sets the values of `--set` in the pristine mission; what was set, as text for the result file. What `is_swept` is
/// refused.
pub fn set_overrides(
    mission: &mut Mission,
    overrides: &Overrides,
    is_swept: impl Fn(&str) -> bool,
    problems: &mut Vec<Problem>,
) -> String {
    let mut text = String::new();
    for set in &overrides.0 {
        let refuse = |error: SettingError| Problem::of(&set.file(), error.message).help(error.help);
        if is_swept(&set.path) {
            let error = SettingError {
                message: format!("`{}` is swept by the design: every run sets it anyway", set.path),
                help: "set another value, or take it out of [design]".to_owned(),
            };
            problems.push(refuse(error));
            continue;
        }
        let (texts, value) = match &set.value {
            SetValue::Number(number) => (None, *number),
            SetValue::Text(text) => (Some(vec![text.clone()]), 0.0),
        };
        let outcome = mission.setting(&set.path, texts.as_deref()).and_then(|swept| {
            let failed = |failure: Failure| SettingError {
                message: format!("`{}` = {value}: {}", set.path, failure.sentence()),
                help: String::new(),
            };
            swept.set(value, &mut mission.pristine).map_err(failed)
        });
        match outcome {
            Ok(()) => {
                let _ = match &set.value {
                    SetValue::Number(number) => writeln!(text, "{} = {number:?}", set.path),
                    SetValue::Text(value) => writeln!(text, "{} = '{value}'", set.path),
                };
            }
            Err(error) => problems.push(refuse(error)),
        }
    }
    text
}

fn swept(mission: &Mission, inputs: &Inputs, problems: &mut Vec<Problem>) -> Vec<Swept> {
    let config = inputs.config;
    let mut all = Vec::new();
    for parameter in inputs.design.parameters() {
        match mission.setting(&parameter.path, parameter.text_values.as_deref()) {
            Ok(swept) => all.push(swept),
            Err(error) => {
                problems.push(Problem::at(&config.file, &config.text, parameter.span, error.message).help(error.help));
            }
        }
    }
    all
}

fn outputs(mission: &Mission, inputs: &Inputs, problems: &mut Vec<Problem>) -> Vec<mission::Column> {
    let config = inputs.config;
    let Some(finals) = &config.output.finals else {
        let columns = mission.default_columns();
        if columns.is_empty() {
            let message = "nothing would be kept: the script has no ReportFile with columns";
            let help = "add `final = [\"Sat.SMA\"]` under [output] of the config";
            problems.push(Problem::of(inputs.script_file, message).help(help));
        }
        return columns;
    };
    let mut columns = Vec::new();
    for path in finals {
        match mission.column(&path.value) {
            Ok(column) if column.is_text(&mission.names) => {
                let message = format!("`{}` is a String, and the result file keeps numbers", path.value);
                problems.push(Problem::at(&config.file, &config.text, path.span, message).help("a number"));
            }
            Ok(column) => columns.push(column),
            Err(error) => {
                problems.push(Problem::at(&config.file, &config.text, path.span, error.message).help(error.help));
            }
        }
    }
    columns
}

fn swept_column(swept: &Swept) -> Column {
    column(&swept.path, swept.units, swept.long_name, swept.integer, swept.date)
}

fn result_column(result: &mission::Column) -> Column {
    column(&result.path, result.units(), result.long_name(), false, result.date())
}

fn column(path: &str, units: &str, long_name: &str, integer: bool, date: Option<(&str, &str)>) -> Column {
    let date = date.map(|(scale, format)| (scale.to_owned(), format.to_owned()));
    Column { path: path.to_owned(), units: units.to_owned(), long_name: long_name.to_owned(), integer, date }
}

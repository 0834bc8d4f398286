//! The plan: what runs there are, what each of them sets and leaves, and what the result file holds.
//!
//! Made on every rank from the same bytes, so it is the same everywhere; it depends on no clock, no rank
//! and no file. Rank 0 reads the bytes.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::base::problem::{Problem, Problems};
use crate::cli::RunArguments;
use crate::config::overrides::SetValue;
use crate::config::{self, Config, Lanes};
use crate::design::{self, Design};
use crate::gmat;
use crate::mission::compile::compile;
use crate::mission::outcome::{FAILURES, Failure};
use crate::mission::settings::{SettingError, Swept};
use crate::mission::{self, Mission};
use crate::propagator::Flight;
use crate::store::{Axis, Column, ColumnKind, Layout, ReportLayout, hdf5_name, hdf5_names};

/// The most runs that `/failures` lists.
pub const FAILURES_MAX: u64 = 1000;

/// The program's name and version, as the result file has it.
pub const SOURCE: &str = concat!("sweep-mpi ", env!("CARGO_PKG_VERSION"));

/// The bytes that a plan is made of.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The config's path as given.
    pub config_file: String,
    /// Its folder, absolute.
    pub folder: PathBuf,
    /// The config.
    pub config: Vec<u8>,
    /// The mission script.
    pub script: Vec<u8>,
}

impl Sources {
    /// Reads the config and the script that it names.
    pub fn read(config: &Path) -> Result<Sources, Problems> {
        let config_file = config.display().to_string();
        let bytes = read_file(config, config::MAX_BYTES, &config_file)?;
        let absolute = std::path::absolute(config).map_err(|error| Problem::of(&config_file, error.to_string()))?;
        let folder = absolute.parent().map_or_else(|| PathBuf::from("/"), Path::to_path_buf);
        let (parsed, _) = config::parse_with(&config_file, &folder, &bytes, design::read)?;
        let at = &parsed.mission.script;
        let script = read_file(&at.value, gmat::MAX_BYTES, &shown(&at.value)).map_err(|problems| {
            let message = problems.0.first().map_or(String::new(), |problem| problem.message.clone());
            let message = format!("the mission script {}: {message}", shown(&at.value));
            Problem::at(&config_file, &parsed.text, at.span, message).help("a path relative to this file, or absolute")
        })?;
        Ok(Sources { config_file, folder, config: bytes, script })
    }
}

fn read_file(path: &Path, most: usize, name: &str) -> Result<Vec<u8>, Problems> {
    let trouble = |error: &std::io::Error| Problem::of(name, format!("cannot be read: {error}"));
    let metadata = std::fs::metadata(path).map_err(|error| trouble(&error))?;
    if !metadata.is_file() {
        return Err(Problem::of(name, "cannot be read: it is not a file").into());
    }
    if metadata.len() > most as u64 {
        let message = format!("has {} bytes, more than the {most} that are read", metadata.len());
        return Err(Problem::of(name, message).into());
    }
    Ok(std::fs::read(path).map_err(|error| trouble(&error))?)
}

/// A path as a person would write it from here.
pub fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let relative = here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_path_buf));
    relative.filter(|path| !path.as_os_str().is_empty()).unwrap_or_else(|| path.to_path_buf()).display().to_string()
}

/// What is to be flown and kept.
pub struct Plan {
    /// What the user wrote.
    pub config: Config,
    /// Which runs there are.
    pub design: Box<dyn Design>,
    /// What every run flies, sets and leaves.
    pub flight: Flight,
    /// The result file.
    pub output: PathBuf,
    /// The layout of the result file.
    pub layout: Layout,
    /// Threads of each rank.
    pub threads: usize,
    /// Runs that a thread flies side by side.
    pub lanes: Lanes,
}

impl Plan {
    /// Makes the plan, or tells all that stands in the way.
    pub fn new(sources: &Sources, arguments: &RunArguments) -> Result<Plan, Problems> {
        let (config, design) =
            config::parse_with(&sources.config_file, &sources.folder, &sources.config, design::read)?;
        let script_file = shown(&config.mission.script.value);
        let tree = gmat::parse(&script_file, &sources.script)?;
        let text = String::from_utf8_lossy(&sources.script);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut mission = compile(&script_file, text, &tree)?;
        let mut problems = Vec::new();
        let overrides = set_overrides(&mut mission, arguments, design.as_ref(), &mut problems);
        let swept = swept(&mission, &config, design.as_ref(), &mut problems);
        let outputs = outputs(&mission, &config, &script_file, &mut problems);
        if !problems.is_empty() {
            return Err(Problems(problems));
        }
        let flight = Flight {
            mission,
            swept,
            outputs,
            rows_max: config.output.rows.map_or(0, |rows| rows.max as usize),
            steps_max: config.limits.steps,
        };
        let output = match &arguments.output {
            Some(path) => std::path::absolute(path).map_err(|error| Problem::of("--output", error.to_string()))?,
            None => config.output.file.value.clone(),
        };
        let threads = arguments.threads.unwrap_or(config.schedule.threads);
        let lanes = arguments.lanes.unwrap_or(config.schedule.lanes);
        let mut layout = layout(&flight, design.as_ref(), &script_file);
        layout.plan_sha256 = hash(&flight, design.as_ref());
        layout.sweep_id = layout.plan_sha256[..12].to_owned();
        layout.provenance = vec![
            ("config".to_owned(), String::from_utf8_lossy(&sources.config).into_owned()),
            ("mission".to_owned(), String::from_utf8_lossy(&sources.script).into_owned()),
            ("overrides".to_owned(), overrides),
            ("version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            ("git_hash".to_owned(), env!("SWEEP_MPI_GIT_HASH").to_owned()),
            ("libraries".to_owned(), crate::store::library_version()),
        ];
        layout.check().map_err(|error| Problem::of(&sources.config_file, format!("the result file: {error}")))?;
        Ok(Plan { config, design, flight, output, layout, threads, lanes })
    }

    /// The message of a run that is not ok: why, and what it was flown with.
    pub fn failure_message(&self, run: u64, failure: Failure) -> String {
        let mut values = vec![0.0; self.flight.swept.len()];
        self.design.values(run, &mut values);
        let mut message = failure.sentence().to_owned();
        for (number, (swept, value)) in self.flight.swept.iter().zip(values).enumerate() {
            let before = if number == 0 { " (" } else { ", " };
            let _ = write!(message, "{before}{} = {}", swept.path, swept.column_value(value));
        }
        message.push(')');
        message
    }

    /// Bytes that one row takes in memory, at most.
    pub fn row_bytes(&self) -> u64 {
        let columns = self.flight.swept.len() + self.flight.outputs.len();
        let reported: usize = self.flight.mission.reports.iter().map(|report| report.columns.len()).sum();
        24 + 8 * (columns + reported * self.flight.rows_max) as u64
    }
}

/// Sets the values of `--set` in the pristine mission; what was set, as text for the result file.
fn set_overrides(
    mission: &mut Mission,
    arguments: &RunArguments,
    design: &dyn Design,
    problems: &mut Vec<Problem>,
) -> String {
    let mut text = String::new();
    for set in &arguments.overrides.0 {
        let refuse = |error: SettingError| Problem::of(&set.file(), error.message).help(error.help);
        if design.parameters().iter().any(|parameter| parameter.path == set.path) {
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

fn swept(mission: &Mission, config: &Config, design: &dyn Design, problems: &mut Vec<Problem>) -> Vec<Swept> {
    let mut all = Vec::new();
    for parameter in design.parameters() {
        match mission.setting(&parameter.path, parameter.text_values.as_deref()) {
            Ok(swept) => all.push(swept),
            Err(error) => {
                problems.push(Problem::at(&config.file, &config.text, parameter.span, error.message).help(error.help));
            }
        }
    }
    all
}

fn outputs(mission: &Mission, config: &Config, script_file: &str, problems: &mut Vec<Problem>) -> Vec<mission::Column> {
    let Some(finals) = &config.output.finals else {
        let columns = mission.default_columns();
        if columns.is_empty() {
            let message = "nothing would be kept: the script has no ReportFile with columns";
            problems.push(
                Problem::of(script_file, message).help("add `final = [\"Sat.SMA\"]` under [output] of the config"),
            );
        }
        return columns;
    };
    let mut columns = Vec::new();
    for path in finals {
        match mission.column(&path.value) {
            Ok(column) => columns.push(column),
            Err(error) => {
                problems.push(Problem::at(&config.file, &config.text, path.span, error.message).help(error.help));
            }
        }
    }
    columns
}

/// SHA-256 of what decides the numbers: the compiled mission and the design, not their spelling.
fn hash(flight: &Flight, design: &dyn Design) -> String {
    let mission = &flight.mission;
    let mut text = String::new();
    let _ =
        write!(text, "{:?}{:?}{:?}{:?}", mission.spacecraft, mission.propagators, mission.variables, mission.pristine);
    for dynamics in &mission.dynamics {
        let forces: Vec<String> = dynamics.forces.iter().map(|force| force.describe()).collect();
        let _ = write!(text, "{}{forces:?}{:?}", dynamics.tableau.name, dynamics.error_control);
    }
    let _ = write!(text, "{:?}{:?}", mission.dynamics_of, mission.program);
    for report in &mission.reports {
        let columns: Vec<&str> = report.columns.iter().map(|column| column.path.as_str()).collect();
        let _ = write!(text, "{}{columns:?}", report.name);
    }
    let outputs: Vec<&str> = flight.outputs.iter().map(|column| column.path.as_str()).collect();
    let _ = write!(text, "{}{outputs:?}{} {}", design.canonical(), flight.rows_max, flight.steps_max);
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn layout(flight: &Flight, design: &dyn Design, script_file: &str) -> Layout {
    let swept_paths: BTreeSet<&str> = flight.swept.iter().map(|swept| swept.path.as_str()).collect();
    let output_paths = flight.outputs.iter().map(|column| {
        // the final value of something that is swept needs a name of its own
        if swept_paths.contains(column.path.as_str()) { format!("{}_final", column.path) } else { column.path.clone() }
    });
    let paths: Vec<String> = flight.swept.iter().map(|swept| swept.path.clone()).chain(output_paths).collect();
    let mut names = hdf5_names(paths.iter().map(String::as_str)).into_iter();
    let parameters: Vec<Column> =
        flight.swept.iter().zip(names.by_ref()).map(|(swept, name)| parameter_column(swept, name)).collect();
    let outputs = flight.outputs.iter().zip(names).map(|(column, name)| result_column(column, name)).collect();
    let reports = flight.mission.reports.iter().filter(|_| flight.rows_max > 0).map(|report| {
        let names = hdf5_names(report.columns.iter().map(|column| column.path.as_str()));
        let columns = report.columns.iter().zip(names).map(|(column, name)| result_column(column, name)).collect();
        ReportLayout { name: hdf5_name(&report.name), max_steps: flight.rows_max as u64, columns }
    });
    let axes = design.axes().iter().zip(&flight.swept).zip(&parameters).map(|((axis, swept), column)| Axis {
        name: column.name.clone(),
        units: column.units.clone(),
        long_name: column.long_name.clone(),
        values: (0..axis.points.count()).map(|index| swept.column_value(axis.points.value(index))).collect(),
    });
    let error_codes = std::iter::once((0, "none".to_owned()))
        .chain(FAILURES.iter().map(|(failure, name, _)| (failure.code(), (*name).to_owned())));
    Layout {
        title: format!(
            "sweep of {}",
            Path::new(script_file).file_name().map_or("", |name| name.to_str().unwrap_or(""))
        ),
        source: SOURCE.to_owned(),
        sweep_id: String::new(),
        plan_sha256: String::new(),
        runs: design.runs(),
        reports: reports.collect(),
        axes: axes.collect(),
        parameters,
        outputs,
        error_codes: error_codes.collect(),
        failures_max: design.runs().min(FAILURES_MAX),
        provenance: Vec::new(),
    }
}

fn parameter_column(swept: &Swept, name: String) -> Column {
    let kind = if swept.integer { ColumnKind::Integer } else { ColumnKind::Float };
    column(name, &swept.path, swept.units, swept.long_name, kind, swept.date)
}

fn result_column(result: &mission::Column, name: String) -> Column {
    column(name, &result.path, result.units(), result.long_name(), ColumnKind::Float, result.date())
}

fn column(
    name: String,
    path: &str,
    units: &str,
    long_name: &str,
    kind: ColumnKind,
    date: Option<(&str, &str)>,
) -> Column {
    let attributes = date.map_or(Vec::new(), |(scale, format)| {
        vec![("time_scale".to_owned(), scale.to_owned()), ("gmat_format".to_owned(), format.to_owned())]
    });
    let (units, long_name) = (units.to_owned(), format!("{path}, {long_name}"));
    Column { name, gmat_name: path.to_owned(), units, long_name, kind, attributes }
}

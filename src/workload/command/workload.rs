//! Runs as programs behind the workload seam.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::config::{self, KEYS};
use super::journal::{self, JournalWriter};
use super::settings::Settings;
use super::{Finished, Runner};
use crate::base::lanes::Vectors;
use crate::base::problem::Problems;
use crate::base::run::FinishedRun;
use crate::config::reader::Reader;
use crate::workload::{Column, Executor, Inputs, Kind, Workload, plain_parameters};

/// The workload's entry in the registry.
pub const KIND: Kind = Kind {
    name: "command",
    summary: "each run is a program of yours; outputs from what it prints or leaves",
    keys: KEYS,
    build: |inputs| Ok(Box::new(CommandWorkload::new(inputs)?)),
};

/// How long an executor waits for programs before it looks again.
const PATIENCE: Duration = Duration::from_millis(200);

/// Runs as programs.
pub struct CommandWorkload {
    settings: Settings,
    names: Vec<String>,
    parameters: Vec<Column>,
    outputs: Vec<Column>,
}

impl CommandWorkload {
    fn new(inputs: &Inputs) -> Result<Self, Problems> {
        let mut problems = Vec::new();
        let parameters = plain_parameters(inputs, &mut problems);
        let names: Vec<String> = parameters.iter().map(|column| column.path.clone()).collect();
        let mut reader = Reader::new(&inputs.config.file, inputs.config.text.clone());
        let settings = config::read(&inputs.config.workload.table, &names, &mut reader);
        problems.extend(reader.finish().1.0);
        match settings {
            Some(settings) if problems.is_empty() => {
                let outputs =
                    settings.outputs.iter().map(|output| Column::number(&output.name, "output of the program"));
                let exit_code = Column::number("exit_code", "exit code of the program");
                let outputs = outputs.chain([exit_code]).collect();
                let settings = Settings { config_folder: inputs.config.folder.clone(), ..settings };
                Ok(CommandWorkload { settings, names, parameters, outputs })
            }
            _ => Err(Problems(problems)),
        }
    }

    /// The commands of a workload that is one.
    pub fn of(workload: &dyn Workload) -> Option<&CommandWorkload> {
        let any: &dyn std::any::Any = workload;
        any.downcast_ref()
    }

    /// Programs at a time on a rank.
    pub fn concurrent(&self) -> usize {
        self.settings.concurrent
    }

    /// A runner whose folders and journal stand beside a result file.
    ///
    /// # Errors
    /// The folder or the journal cannot be made.
    pub fn runner(&self, output: &Path, rank: usize, host: &str) -> std::io::Result<Runner> {
        let journal = JournalWriter::open(&journal::path(output, rank), rank, host)?;
        let mut runner = Runner::new(&self.settings, &self.names, &folder(output), rank, journal)?;
        runner.watch(super::control::ControlReader::new(super::control::path(output)));
        Ok(runner)
    }
}

/// Where the folders of a result file's runs stand: `OUT.runs`.
pub fn folder(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".runs");
    PathBuf::from(name)
}

/// A program's run as every workload hands one over; `outputs` is a buffer of one more than its outputs.
pub fn finished_run<'a>(finished: &Finished<'a>, outputs: &'a mut Vec<f64>) -> FinishedRun<'a> {
    outputs.clear();
    outputs.extend_from_slice(finished.outputs);
    let code = finished.exit_code.filter(|_| finished.failure.is_none());
    outputs.push(code.map_or(f64::NAN, f64::from));
    FinishedRun {
        run: finished.run,
        status: finished.status,
        failure: finished.failure,
        parameters: finished.values,
        outputs,
        reports: &[],
        ephemerides: &[],
        steps: u64::from(finished.attempts),
    }
}

impl Workload for CommandWorkload {
    fn kind(&self) -> &'static str {
        KIND.name
    }

    fn parameters(&self) -> &[Column] {
        &self.parameters
    }

    fn outputs(&self) -> &[Column] {
        &self.outputs
    }

    /// Runs programs in a temporary folder that goes with the executor: for a look at some runs.
    fn executor(&self, _vectors: Vectors) -> Box<dyn Executor + '_> {
        Box::new(Alone { workload: self, values: vec![0.0; self.parameters.len()] })
    }

    fn side_by_side(&self, _vectors: Vectors) -> u64 {
        self.settings.concurrent as u64
    }

    fn describe(&self) -> String {
        // where the config stands and how many run at a time decide no number
        let settings = Settings { concurrent: 1, config_folder: PathBuf::new(), ..self.settings.clone() };
        format!("{settings:?}")
    }
}

struct Alone<'a> {
    workload: &'a CommandWorkload,
    values: Vec<f64>,
}

impl Executor for Alone<'_> {
    fn execute(
        &mut self,
        runs: Range<u64>,
        values: &dyn Fn(u64, &mut [f64]),
        finished: &mut dyn FnMut(FinishedRun<'_>),
        goes_on: &dyn Fn() -> bool,
    ) {
        let place = std::env::temp_dir().join(format!("sweep-mpi-{}", std::process::id()));
        std::fs::create_dir_all(&place).unwrap_or_else(|error| panic!("{}: {error}", place.display()));
        let mut runner = self
            .workload
            .runner(&place.join("look"), 0, "here")
            .unwrap_or_else(|error| panic!("{}: {error}", place.display()));
        for run in runs {
            values(run, &mut self.values);
            runner.submit(run, &self.values);
        }
        let mut outputs = Vec::new();
        while runner.running() > 0 && goes_on() {
            let polled = runner.poll(PATIENCE, |ended| finished(finished_run(ended, &mut outputs)));
            polled.unwrap_or_else(|error| panic!("the event queue of programs: {error}"));
        }
        drop(runner);
        let _ = std::fs::remove_dir_all(place);
    }
}

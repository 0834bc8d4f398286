//! Workloads: what a run is. One file a workload, one line each in [`WORKLOADS`].
//!
//! The scheduler knows run numbers and nothing else; a workload turns a number and the design's values
//! into final values. All workloads share one result format.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use crate::astro::world::World;
use crate::base::files::Read;
use crate::base::lanes::Vectors;
use crate::base::nearest::did_you_mean;
use crate::base::nominal::Nominal;
use crate::base::outcome::Failure;
use crate::base::problem::{Problem, Problems};
use crate::base::run::FinishedRun;
use crate::config::Config;
use crate::config::overrides::Overrides;
use crate::config::reader::{Reader, cut};
use crate::design::Design;
use task::{Bytes, TaskOutcome};

mod alone;
pub mod command;
pub mod expression;
pub mod htcmock;
pub mod mission;
pub mod mock;
pub mod task;

/// What runs are, made on every rank from the same bytes.
pub trait Workload: Any + Send + Sync {
    /// Its name in `[workload] kind`.
    fn kind(&self) -> &'static str;
    /// The design's parameters, in the design's order.
    fn parameters(&self) -> &[Column];
    /// The final values that a run leaves.
    fn outputs(&self) -> &[Column];
    /// The rows that a run leaves besides.
    fn reports(&self) -> &[Report] {
        &[]
    }
    /// The number in the result file for a design's number; differs for dates that are written as texts.
    fn column_value(&self, _parameter: usize, value: f64) -> f64 {
        value
    }
    /// What the script says of a parameter; none where there is no script, or where it cannot be told.
    fn nominal(&self, _parameter: usize) -> Option<Nominal> {
        None
    }
    /// What one thread executes runs with; persistent, used for many chunks.
    fn executor(&self, vectors: Vectors) -> Box<dyn Executor + '_>;
    /// The task graphs that runs are, if they are: then the tasks of a run are spread over all workers.
    fn graphs(&self) -> Option<&dyn Graphs> {
        None
    }
    /// How many runs an executor has in hand at once.
    fn side_by_side(&self, vectors: Vectors) -> u64;
    /// All that decides the numbers, for the hash of the plan.
    fn describe(&self) -> String;
    /// What of the input has no effect on the numbers, for the log.
    fn ignored(&self) -> &[String] {
        &[]
    }
    /// Why a run is not ok, for a person.
    fn sentence(&self, failure: Failure) -> String {
        failure.sentence().to_owned()
    }
    /// What was set by `--set`, as text for the result file.
    fn overrides(&self) -> String {
        String::new()
    }
}

/// Short runs between two looks at whether it goes on.
const ASK_EVERY: u64 = 64;

/// Executes runs on one thread.
pub trait Executor: Send {
    /// Executes the runs of a chunk; `values` gives a run's values of the design, `finished` gets every
    /// run once, in any order. A run's numbers depend on its values alone.
    ///
    /// `goes_on` is asked now and then; once it says no, runs that have not ended are given up.
    fn execute(
        &mut self,
        runs: Range<u64>,
        values: &dyn Fn(u64, &mut [f64]),
        finished: &mut dyn FnMut(FinishedRun<'_>),
        goes_on: &dyn Fn() -> bool,
    );
}

/// Runs that are task graphs.
pub trait Graphs: Send + Sync {
    /// The graph of a run's values; every rank makes the same.
    fn graph(&self, values: &[f64]) -> Result<Box<dyn Graph>, Failure>;
    /// How often a task is tried again that failed.
    fn retries(&self) -> u32;
}

/// A task graph: a root task, and what tasks do.
pub trait Graph: Send + Sync {
    /// The payload of the root task, from which all others come.
    fn root(&self) -> Bytes;
    /// Does a task; on any rank.
    fn perform(&self, payload: &[u8], inputs: &[Bytes]) -> TaskOutcome;
    /// The run's outputs, from the number of tasks done and the root's output, if it has one.
    fn outputs(&self, done: u64, result: Option<&[u8]>) -> Result<Vec<f64>, Failure>;
}

/// A column of the result file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its path, as the config or the script names it.
    pub path: String,
    /// Unit.
    pub units: String,
    /// A few words about it.
    pub long_name: String,
    /// Whole numbers only.
    pub integer: bool,
    /// For dates: GMAT's names of the time scale and of the format.
    pub date: Option<(String, String)>,
}

impl Column {
    /// A plain number without a unit.
    pub fn number(path: &str, long_name: &str) -> Self {
        let (path, long_name) = (path.to_owned(), long_name.to_owned());
        Column { path, units: "1".to_owned(), long_name, integer: false, date: None }
    }
}

/// Rows that a run leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Its name.
    pub name: String,
    /// The most rows of a run that are kept.
    pub rows_max: u64,
    /// Its columns.
    pub columns: Vec<Column>,
}

/// What a workload is made of.
pub struct Inputs<'a> {
    /// What the user wrote.
    pub config: &'a Config,
    /// Which runs there are.
    pub design: &'a dyn Design,
    /// The mission script's bytes; empty where the workload has none.
    pub script: &'a [u8],
    /// The script's name in messages.
    pub script_file: &'a str,
    /// Values set on the command line.
    pub overrides: &'a Overrides,
    /// The files that the script names.
    pub files: &'a Read,
    /// Where the bodies are and how the Earth turns.
    pub world: Arc<World>,
}

/// A kind of workload.
pub struct Kind {
    /// Its name in `[workload] kind`.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Its keys under `[workload]`, besides `kind`.
    pub keys: &'static [&'static str],
    /// Makes it, or tells all that stands in the way.
    pub build: fn(&Inputs) -> Result<Box<dyn Workload>, Problems>,
}

/// All workloads.
pub const WORKLOADS: &[Kind] =
    &[mission::KIND, command::workload::KIND, expression::KIND, mock::KIND, htcmock::workload::KIND];

/// Makes the workload of a config.
pub fn build(inputs: &Inputs) -> Result<Box<dyn Workload>, Problems> {
    let config = inputs.config;
    let workload = &config.workload;
    let name = workload.kind.value.as_str();
    let Some(kind) = WORKLOADS.iter().find(|kind| kind.name == name) else {
        let help = did_you_mean(name, WORKLOADS.iter().map(|kind| kind.name));
        let message = format!("`{}` is not a kind of workload", cut(name));
        return Err(Problem::at(&config.file, &config.text, workload.kind.span, message).help(help).into());
    };
    let mut reader = Reader::new(&config.file, config.text.clone());
    for (key, _) in workload.table.entries.iter() {
        let own = key.name == "kind" || kind.keys.contains(&key.name.as_str());
        if !own {
            let keys: Vec<&str> = std::iter::once("kind").chain(kind.keys.iter().copied()).collect();
            let message = format!("`{}` is not a key of the workload {name}", cut(&key.name));
            reader.refuse(&key.range, message, did_you_mean(&key.name, keys));
        }
    }
    if reader.has_problems() {
        return Err(reader.finish().1);
    }
    (kind.build)(inputs)
}

/// The columns of a design's parameters where a workload takes any: plain numbers; texts, `final`, `rows`
/// and `--set` are a mission's and refused.
fn plain_parameters(inputs: &Inputs, problems: &mut Vec<Problem>) -> Vec<Column> {
    let config = inputs.config;
    let at = |span, message: String| Problem::at(&config.file, &config.text, span, message);
    let kind = &config.workload.kind.value;
    for parameter in inputs.design.parameters().iter().filter(|parameter| parameter.text_values.is_some()) {
        let message = format!("`{}` takes numbers, not texts, in the workload {kind}", parameter.path);
        problems.push(at(parameter.span, message).help("allowed: numbers"));
    }
    if let Some(finals) = &config.output.finals {
        let span = finals.first().map_or(config.output.file.span, |first| first.span);
        let message = format!("`final` is a mission's: the workload {kind} keeps all its outputs");
        problems.push(at(span, message).help("leave it out"));
    }
    if config.output.rows.is_some() {
        let message = format!("`rows` is a mission's: the workload {kind} has no reports");
        problems.push(Problem::of(&config.file, message).help("leave it out"));
    }
    for set in &inputs.overrides.0 {
        problems.push(Problem::of(&set.file(), format!("the workload {kind} has no script to set values of")));
    }
    let column = |path: &str| Column::number(path, "parameter of the design");
    inputs.design.parameters().iter().map(|parameter| column(&parameter.path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workload_has_a_summary_and_its_keys_are_known_to_the_config() {
        for kind in WORKLOADS {
            assert!(!kind.summary.is_empty());
            for key in kind.keys {
                let problems =
                    crate::config::parse("c", std::path::Path::new("/"), format!("[schedule]\n{key} = 1").as_bytes());
                let text = problems.err().map_or(String::new(), |problems| problems.to_string());
                assert!(text.contains("under [workload]") || text.contains("or [workload]"), "{key}: {text}");
            }
        }
    }
}

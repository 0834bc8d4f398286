//! HtcMock behind the workload seam: a run is a whole task graph.

use std::sync::Arc;
use std::time::Duration;

use super::{HtcMock, Parameters};
use crate::base::lanes::Vectors;
use crate::base::outcome::Failure;
use crate::base::problem::{Problem, Problems};
use crate::config::reader::{Content, Reader, cut};
use crate::workload::alone::Alone;
use crate::workload::task::{Bytes, TaskOutcome};
use crate::workload::{Column, Executor, Graph, Graphs, Inputs, Kind, Workload, plain_parameters};

/// The workload's entry in the registry.
pub const KIND: Kind = Kind {
    name: "htcmock",
    summary: "empty tasks with deep dependencies, as ArmoniK's HtcMock: each run is a task graph",
    keys: &["tasks", "levels", "total_ms", "data", "memory", "fast_compute", "carried_bytes", "retries"],
    build: |inputs| Ok(Box::new(HtcMockWorkload::new(inputs)?)),
};

/// The numbers that a design can set, in this order.
const NUMBERS: [&str; 5] = ["tasks", "levels", "total_ms", "data", "memory"];
/// The deepest tree.
const LEVELS_MAX: u64 = 10_000;
/// Most bytes carried besides by payloads and results.
const CARRIED_MAX: u64 = 1 << 20;

/// Task graphs of HtcMock, by their parameters.
pub struct HtcMockWorkload {
    settings: Settings,
    /// For each of `NUMBERS`, the design's parameter that sets it.
    swept: [Option<usize>; 5],
    parameters: Vec<Column>,
    outputs: Vec<Column>,
}

#[derive(Clone, Copy, Debug)]
struct Settings {
    numbers: [f64; 5],
    fast_compute: bool,
    carried: usize,
    retries: u32,
}

impl HtcMockWorkload {
    fn new(inputs: &Inputs) -> Result<Self, Problems> {
        let mut problems = Vec::new();
        let parameters = plain_parameters(inputs, &mut problems);
        let mut reader = Reader::new(&inputs.config.file, inputs.config.text.clone());
        let swept = NUMBERS.map(|name| parameters.iter().position(|column| column.path == name));
        let settings = read(inputs, &swept, &mut reader);
        problems.extend(reader.finish().1.0);
        let Some(settings) = settings.filter(|_| problems.is_empty()) else { return Err(Problems(problems)) };
        let outputs = [("done", "tasks that did their work"), ("right", "1 if the answer is the right one")];
        let outputs = outputs.map(|(name, about)| Column::number(name, about)).to_vec();
        let workload = HtcMockWorkload { settings, swept, parameters, outputs };
        if workload.swept.iter().all(Option::is_none)
            && let Err(problem) = workload.mock(&[])
        {
            let message = format!("[workload]: {problem}");
            return Err(Problem::of(&inputs.config.file, message).into());
        }
        Ok(workload)
    }

    /// The graph of a run's values.
    fn mock(&self, values: &[f64]) -> Result<HtcMock, String> {
        let numbers: [f64; 5] = std::array::from_fn(|number| {
            self.swept[number].map_or(self.settings.numbers[number], |place| values[place])
        });
        let whole = |number: usize, most: f64| {
            let value = numbers[number];
            let fits = value.fract() == 0.0 && (0.0..=most).contains(&value);
            if fits {
                Ok(value)
            } else {
                Err(format!("{} = {value} is no whole number from 0 to {most}", NUMBERS[number]))
            }
        };
        let parameters = Parameters {
            tasks: whole(0, f64::from(u32::MAX))? as u32,
            levels: whole(1, LEVELS_MAX as f64)? as u32,
            total_ms: whole(2, 9e15)? as u64,
            data: whole(3, f64::from(u32::MAX))? as u32,
            memory: whole(4, f64::from(u32::MAX))? as u32,
        };
        HtcMock::new(&parameters).map_err(|problem| problem.to_string())
    }
}

fn read(inputs: &Inputs, swept: &[Option<usize>; 5], reader: &mut Reader) -> Option<Settings> {
    let table = &inputs.config.workload.table;
    let mut settings = Settings { numbers: [0.0, 0.0, 0.0, 1.0, 1.0], fast_compute: true, carried: 0, retries: 0 };
    for (number, name) in NUMBERS.iter().enumerate() {
        match (table.get(name), swept[number]) {
            (Some(value), None) => settings.numbers[number] = reader.number(name, value, "a whole number")?,
            (Some(value), Some(_)) => {
                let message = format!("`{}` is set by the design as well", cut(name));
                reader.refuse(&value.range, message, "leave one of the two out");
                return None;
            }
            (None, None) if number < 3 => {
                let message = format!("`{name}` is missing under [workload], an htcmock needs it");
                reader.refuse(&table.range, message, "write: tasks = 10000, levels = 100, total_ms = 10000");
                return None;
            }
            (None, _) => {}
        }
    }
    if let Some(value) = table.get("fast_compute") {
        let Content::Boolean(fast) = value.content else {
            reader.refuse_value("fast_compute", value, "true: tasks take no time; false: they take theirs");
            return None;
        };
        settings.fast_compute = fast;
    }
    if let Some(value) = table.get("carried_bytes") {
        settings.carried = reader.count("carried_bytes", value, 0..=CARRIED_MAX)? as usize;
    }
    if let Some(value) = table.get("retries") {
        settings.retries = reader.count("retries", value, 0..=1000)? as u32;
    }
    Some(settings)
}

/// The graph of one run.
struct MockGraph {
    mock: Arc<HtcMock>,
    settings: Settings,
}

impl Graph for MockGraph {
    fn root(&self) -> Bytes {
        super::tasks::Task::ROOT.payload(self.settings.carried)
    }

    fn perform(&self, payload: &[u8], inputs: &[Bytes]) -> TaskOutcome {
        if !self.settings.fast_compute {
            std::thread::sleep(Duration::from_millis(self.mock.task_ms(payload).into()));
        }
        self.mock.perform(payload, inputs, self.settings.carried)
    }

    fn outputs(&self, done: u64, result: Option<&[u8]>) -> Result<Vec<f64>, Failure> {
        match result {
            None => Err(Failure::TaskFailed),
            Some(result) if self.mock.is_right(result) => Ok(vec![done as f64, 1.0]),
            Some(_) => Err(Failure::WrongAnswer),
        }
    }
}

impl Graphs for HtcMockWorkload {
    fn graph(&self, values: &[f64]) -> Result<Box<dyn Graph>, Failure> {
        let mock = self.mock(values).map_err(|_| Failure::GraphParameters)?;
        Ok(Box::new(MockGraph { mock: Arc::new(mock), settings: self.settings }))
    }

    fn retries(&self) -> u32 {
        self.settings.retries
    }
}

impl Workload for HtcMockWorkload {
    fn kind(&self) -> &'static str {
        KIND.name
    }

    fn parameters(&self) -> &[Column] {
        &self.parameters
    }

    fn outputs(&self) -> &[Column] {
        &self.outputs
    }

    fn graphs(&self) -> Option<&dyn Graphs> {
        Some(self)
    }

    /// Does the tasks of a run one after the other: for one process.
    fn executor(&self, _vectors: Vectors) -> Box<dyn Executor + '_> {
        Box::new(Alone::new(self, self.parameters.len(), self.outputs.len()))
    }

    fn side_by_side(&self, _vectors: Vectors) -> u64 {
        1
    }

    fn describe(&self) -> String {
        format!("{:?}", self.settings)
    }
}

//! `kind = "mock"`: runs that do nothing, sleep, count, or carry bytes, to measure what surrounds them.
//!
//! Each leaves `answer`, which follows from the run's number (and, for `spin`, from its arithmetic), so that
//! a lost, doubled or mixed-up run shows in the result file.

use std::ops::Range;
use std::time::{Duration, Instant};

mod payload;

use super::alone::Alone;
use super::{ASK_EVERY, Column, Executor, Graphs, Inputs, Kind, Workload, plain_parameters};
use crate::base::lanes::Vectors;
use crate::base::outcome::Status;
use crate::base::problem::Problems;
use crate::base::run::FinishedRun;
use crate::config::reader::Reader;
use payload::Payloads;

pub(super) const KIND: Kind = Kind {
    name: "mock",
    summary: "task = \"noop\", \"sleep\" (seconds), \"spin\" (flops) or \"payload\" (bytes, requests): measures dispatch and writing",
    keys: &["task", "seconds", "flops", "bytes", "requests"],
    build: |inputs| Ok(Box::new(Mock::new(inputs)?)),
};

/// Longest sleep of a run, s.
const SECONDS_MAX: f64 = 86_400.0;
/// The most bytes of a request.
const BYTES_MAX: u64 = 1 << 20;
/// The most requests of a run.
const REQUESTS_MAX: u64 = 10_000_000;
/// The longest sleep between two looks at whether it goes on.
const NAP: Duration = Duration::from_millis(10);
/// Operations between two such looks.
const FLOPS_AT_ONCE: u64 = 10_000_000;
/// The most operations of a run.
const FLOPS_MAX: u64 = 1_000_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Task {
    Noop,
    Sleep(Duration),
    Spin(u64),
    Payload(Payloads),
}

struct Mock {
    task: Task,
    parameters: Vec<Column>,
    outputs: Vec<Column>,
}

impl Mock {
    fn new(inputs: &Inputs) -> Result<Self, Problems> {
        let mut problems = Vec::new();
        let parameters = plain_parameters(inputs, &mut problems);
        let mut reader = Reader::new(&inputs.config.file, inputs.config.text.clone());
        let task = read(inputs, &mut reader);
        problems.extend(reader.finish().1.0);
        match task {
            Some(task) if problems.is_empty() => {
                Ok(Mock { task, parameters, outputs: vec![Column::number("answer", about(task))] })
            }
            _ => Err(Problems(problems)),
        }
    }
}

fn about(task: Task) -> &'static str {
    if let Task::Payload(_) = task { "requests that came back right" } else { "the run's number plus 1" }
}

fn read(inputs: &Inputs, reader: &mut Reader) -> Option<Task> {
    let table = &inputs.config.workload.table;
    let allowed = "\"noop\", \"sleep\", \"spin\" or \"payload\"";
    let Some(task) = table.get("task") else {
        reader.refuse(
            &table.range,
            "`task` is missing under [workload], a mock needs it",
            format!("allowed: {allowed}"),
        );
        return None;
    };
    let name = reader.text_of("workload.task", task, allowed)?;
    let needs: &[&str] = match name {
        "noop" => &[],
        "sleep" => &["seconds"],
        "spin" => &["flops"],
        "payload" => &["bytes", "requests"],
        _ => {
            reader.refuse_value("workload.task", task, allowed);
            return None;
        }
    };
    for (key, example) in [("seconds", "1.0"), ("flops", "1_000_000"), ("bytes", "1000"), ("requests", "32_000")] {
        match table.get(key) {
            Some(value) if !needs.contains(&key) => {
                let help = format!("task = \"{name}\" has no `{key}`: leave it out");
                reader.refuse(&value.range, format!("`{key}` is not a key of this task"), help);
            }
            None if needs.contains(&key) => {
                let help = format!("write: {key} = {example}");
                reader.refuse(&task.range, format!("task = \"{name}\" needs `{key}`"), help);
            }
            _ => {}
        }
    }
    match name {
        "sleep" => {
            let allowed = "seconds from 0 to 86400";
            let value = table.get("seconds")?;
            let seconds = reader.number("workload.seconds", value, allowed)?;
            if !(0.0..=SECONDS_MAX).contains(&seconds) {
                reader.refuse_value("workload.seconds", value, allowed);
                return None;
            }
            Some(Task::Sleep(Duration::from_secs_f64(seconds)))
        }
        "spin" => Some(Task::Spin(reader.count("workload.flops", table.get("flops")?, 1..=FLOPS_MAX)?)),
        "payload" => {
            let bytes = reader.count("workload.bytes", table.get("bytes")?, 0..=BYTES_MAX)? as usize;
            let requests = reader.count("workload.requests", table.get("requests")?, 1..=REQUESTS_MAX)?;
            Some(Task::Payload(Payloads { bytes, requests }))
        }
        _ => Some(Task::Noop),
    }
}

impl Workload for Mock {
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
        if let Task::Payload(payloads) = &self.task { Some(payloads) } else { None }
    }

    fn executor(&self, _vectors: Vectors) -> Box<dyn Executor + '_> {
        if let Task::Payload(payloads) = &self.task {
            return Box::new(Alone::new(payloads, self.parameters.len(), self.outputs.len()));
        }
        Box::new(Mocker { task: self.task, parameters: vec![0.0; self.parameters.len()] })
    }

    fn side_by_side(&self, _vectors: Vectors) -> u64 {
        1
    }

    fn describe(&self) -> String {
        format!("{:?}", self.task)
    }
}

struct Mocker {
    task: Task,
    parameters: Vec<f64>,
}

impl Executor for Mocker {
    fn execute(
        &mut self,
        runs: Range<u64>,
        values: &dyn Fn(u64, &mut [f64]),
        finished: &mut dyn FnMut(FinishedRun<'_>),
        goes_on: &dyn Fn() -> bool,
    ) {
        for run in runs {
            if run.is_multiple_of(ASK_EVERY) && !goes_on() {
                return;
            }
            values(run, &mut self.parameters);
            let answer = match self.task {
                Task::Noop | Task::Payload(_) => (run + 1) as f64,
                Task::Sleep(time) => {
                    if !sleep(time, goes_on) {
                        return;
                    }
                    (run + 1) as f64
                }
                Task::Spin(flops) => {
                    let mut number = (run + 1) as f64;
                    for first in (0..flops).step_by(FLOPS_AT_ONCE as usize) {
                        if !goes_on() {
                            return;
                        }
                        number = spin(FLOPS_AT_ONCE.min(flops - first), number);
                    }
                    number
                }
            };
            finished(FinishedRun {
                run,
                status: Status::Ok,
                failure: None,
                parameters: &self.parameters,
                outputs: &[answer],
                reports: &[],
                ephemerides: &[],
                steps: 0,
            });
        }
    }
}

/// Sleeps in short parts as long as it goes on; whether it slept to the end.
fn sleep(time: Duration, goes_on: &dyn Fn() -> bool) -> bool {
    let start = Instant::now();
    loop {
        let left = time.saturating_sub(start.elapsed());
        if left.is_zero() {
            return true;
        }
        if !goes_on() {
            return false;
        }
        std::thread::sleep(left.min(NAP));
    }
}

/// So many additions and multiplications, two at a time, that leave a number as it is to the last bit
/// and that no compiler can leave out: x -> (x + c) - c would be folded, so c comes from a black box.
fn spin(flops: u64, number: f64) -> f64 {
    let (one, zero) = (std::hint::black_box(1.0), std::hint::black_box(0.0));
    let mut x = number;
    for _ in 0..flops.div_ceil(2) {
        x = x * one + zero;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spinning_leaves_the_number() {
        for flops in [1, 2, 1001] {
            assert_eq!(spin(flops, 42.0).to_bits(), 42.0_f64.to_bits());
        }
    }
}

//! The leader of a task graph: a state machine that says what to send; it sends nothing itself and reads
//! no clock.
//!
//! It keeps a task until it is done, and a result until the last task that reads it has it for good: that
//! is when it is handed out, or when it is done if it may be tried again. So memory follows the tasks that
//! are alive, not those that ever were.

use std::collections::{HashMap, VecDeque};

use crate::workload::task::{Bytes, Dependency, NewTask, TaskOutcome, TaskOutput};

use super::batch::{Batch, BatchReport, BatchTask, GraphOrder, TaskNumber, TaskResult};
use super::counts::{Counts, FailedTask, GraphError};
use super::outputs::{OutputId, Outputs};
use super::workers::Workers;

/// A batch gets no further task once it has so many bytes of payloads and inputs.
const BATCH_BYTES: usize = 1 << 20;
/// A task that nobody reads has no output.
const NO_OUTPUT: OutputId = OutputId::MAX;

/// How a graph is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphSettings {
    /// Workers, of the ranks `1..=workers`.
    pub workers: usize,
    /// Batches under way to each worker at a time, at least 1.
    pub under_way: usize,
    /// How often a task is tried again after a failure.
    pub retries: u32,
    /// A longer result is a failure, bytes.
    pub result_bytes_max: usize,
    /// Quarantined tasks that are remembered, the first ones.
    pub failures_max: usize,
}

impl GraphSettings {
    /// Two batches under way to each worker, no retries, results up to 1 MiB, 1000 failures remembered.
    pub fn new(workers: usize) -> Self {
        GraphSettings { workers, under_way: 2, retries: 0, result_bytes_max: 1 << 20, failures_max: 1000 }
    }
}

/// An order and the rank it goes to.
pub type GraphSending = (usize, GraphOrder);

#[derive(Debug)]
struct Task {
    payload: Bytes,
    inputs: Box<[OutputId]>,
    /// Inputs that are not there yet.
    waits: u32,
    failures: u32,
    output: OutputId,
}

#[derive(Debug)]
struct Slot {
    generation: u32,
    task: Option<Task>,
}

/// Hands out the tasks of a graph, each when what it depends on is done.
#[derive(Debug)]
pub struct GraphLeader {
    settings: GraphSettings,
    slots: Vec<Slot>,
    free: Vec<u32>,
    outputs: Outputs,
    kept: HashMap<TaskNumber, OutputId>,
    ready: VecDeque<TaskNumber>,
    workers: Workers,
    counts: Counts,
    failures: Vec<FailedTask>,
    is_started: bool,
    /// No more batches are handed out.
    is_winding_up: bool,
    is_stopped: bool,
}

impl GraphLeader {
    /// A leader without tasks.
    pub fn new(settings: GraphSettings) -> Self {
        let settings = GraphSettings { under_way: settings.under_way.max(1), ..settings };
        GraphLeader {
            settings,
            slots: Vec::new(),
            free: Vec::new(),
            outputs: Outputs::default(),
            kept: HashMap::new(),
            ready: VecDeque::new(),
            workers: Workers::new(settings.workers, settings.under_way),
            counts: Counts::default(),
            failures: Vec::new(),
            is_started: false,
            is_winding_up: false,
            is_stopped: false,
        }
    }

    /// Adds a task that reads the outputs of others, before the start.
    pub fn add(&mut self, payload: Bytes, depends_on: &[TaskNumber]) -> Result<TaskNumber, GraphError> {
        if self.is_started {
            return Err(GraphError::Started);
        }
        if let Some(&unknown) = depends_on.iter().find(|&&task| self.get(task).is_none()) {
            return Err(GraphError::UnknownTask(unknown));
        }
        let inputs = depends_on.iter().map(|&task| self.output_of(task)).collect();
        let task = self.insert(payload, inputs, NO_OUTPUT);
        Ok(task)
    }

    /// Keeps the result of a task for [`GraphLeader::take_result`]; before the start.
    pub fn keep(&mut self, task: TaskNumber) -> Result<(), GraphError> {
        if self.is_started {
            return Err(GraphError::Started);
        }
        if self.get(task).is_none() {
            return Err(GraphError::UnknownTask(task));
        }
        let output = self.output_of(task);
        if self.kept.insert(task, output).is_none() {
            self.outputs.keep(output);
        }
        Ok(())
    }

    /// The first orders.
    pub fn start(&mut self) -> Vec<GraphSending> {
        self.is_started = true;
        let mut sendings = Vec::new();
        self.fill(&mut sendings);
        sendings
    }

    /// Takes a report and says what to send for it: batches to whoever has room, or stop to all.
    pub fn report(&mut self, rank: usize, report: BatchReport) -> Result<Vec<GraphSending>, GraphError> {
        self.check(rank, &report)?;
        self.workers.pop(rank - 1);
        self.measure(&report);
        for TaskResult { task, outcome, .. } in report.results {
            match outcome {
                TaskOutcome::Done(output) if output.result.len() > self.settings.result_bytes_max => {
                    self.quarantine(task, TaskOutcome::TOO_LARGE);
                }
                TaskOutcome::Done(output) => self.finish(task, output),
                TaskOutcome::Failed(code) => self.fail(task, code),
            }
        }
        let mut sendings = Vec::new();
        self.fill(&mut sendings);
        Ok(sendings)
    }

    /// Hands out no more tasks; says stop when no batch is under way. The graph stays unfinished.
    pub fn wind_up(&mut self) -> Vec<GraphSending> {
        self.is_winding_up = true;
        let mut sendings = Vec::new();
        self.fill(&mut sendings);
        sendings
    }

    /// Whether no task is left, or no batch is under way after [`GraphLeader::wind_up`], and the workers have been
    /// told to stop.
    pub fn is_done(&self) -> bool {
        self.is_stopped
    }

    /// What there is and what has been.
    pub fn counts(&self) -> Counts {
        Counts {
            ready: self.ready.len() as u64,
            outputs: self.outputs.len() as u64,
            result_bytes: self.outputs.bytes,
            ..self.counts
        }
    }

    /// Tasks that are waiting, ready or under way.
    pub fn alive(&self) -> u64 {
        (self.slots.len() - self.free.len()) as u64
    }

    /// The first tasks that failed as often as they may.
    pub fn failures(&self) -> &[FailedTask] {
        &self.failures
    }

    /// Gives up the kept result of a task; `None` if it was not kept, is not there or never will be.
    pub fn take_result(&mut self, task: TaskNumber) -> Option<Bytes> {
        let output = *self.kept.get(&task)?;
        let result = self.outputs.get(output).cloned();
        if result.is_some() || self.is_stopped {
            self.kept.remove(&task);
            self.outputs.release(output);
        }
        result
    }

    /// That the report answers the worker's oldest batch and adds only what can be added.
    fn check(&self, rank: usize, report: &BatchReport) -> Result<(), GraphError> {
        let batch = rank.checked_sub(1).and_then(|worker| self.workers.oldest(worker));
        let batch = batch.ok_or(GraphError::NoBatch(rank))?;
        if !report.results.iter().map(|result| &result.task).eq(batch) {
            let (reported, expected) = (report.results.len(), batch.len());
            return Err(GraphError::OtherBatch { worker: rank, reported, expected });
        }
        for result in &report.results {
            if let TaskOutcome::Done(output) = &result.outcome
                && let Some(place) = wrong_addition(&output.added)
            {
                return Err(GraphError::WrongAddition { worker: rank, task: result.task, place });
            }
        }
        Ok(())
    }

    fn measure(&mut self, report: &BatchReport) {
        let count = report.results.len();
        let ns = report.results.iter().fold(0_u64, |sum, result| sum.saturating_add(result.ns));
        self.counts.busy_ns = self.counts.busy_ns.saturating_add(ns);
        self.counts.under_way -= count as u64;
        self.workers.measure(count, ns);
    }

    /// A task did its work.
    fn finish(&mut self, number: TaskNumber, output: TaskOutput) {
        let Some(own) = self.remove(number) else { return };
        self.counts.done += 1;
        self.release_inputs(&own);
        let mut own_output = own.output;
        if !output.added.is_empty() {
            own_output = self.add_all(output.added, own_output);
        }
        if own_output != NO_OUTPUT {
            for task in self.outputs.complete(own_output, output.result) {
                match self.get_mut(task) {
                    None => self.outputs.release(own_output),
                    Some(waiting) => {
                        waiting.waits -= 1;
                        if waiting.waits == 0 {
                            self.ready.push_back(task);
                        }
                    }
                }
            }
        }
    }

    /// Adds the tasks of a task with this output; returns the output that is left to it.
    fn add_all(&mut self, added: Vec<NewTask>, mut own_output: OutputId) -> OutputId {
        let mut numbers: Vec<TaskNumber> = Vec::with_capacity(added.len());
        for new in added {
            let mut inputs = Vec::with_capacity(new.depends_on.len());
            for dependency in new.depends_on {
                inputs.push(match dependency {
                    Dependency::Added(place) => self.output_of(numbers[place as usize]),
                    Dependency::Own => {
                        if own_output == NO_OUTPUT {
                            own_output = self.outputs.open();
                        }
                        own_output
                    }
                });
            }
            let output = if new.takes_over { std::mem::replace(&mut own_output, NO_OUTPUT) } else { NO_OUTPUT };
            numbers.push(self.insert(new.payload, inputs.into(), output));
        }
        own_output
    }

    /// A try of a task failed.
    fn fail(&mut self, number: TaskNumber, code: u32) {
        let retries = self.settings.retries;
        let Some(task) = self.get_mut(number) else { return };
        if task.failures >= retries {
            self.quarantine(number, code);
        } else {
            task.failures += 1;
            self.counts.retried += 1;
            self.ready.push_back(number);
        }
    }

    /// Takes a task out for good, and with it all that depends on it.
    fn quarantine(&mut self, number: TaskNumber, code: u32) {
        let Some(task) = self.remove(number) else { return };
        self.counts.failed += 1;
        self.release_inputs(&task);
        let mut lost = vec![task.output];
        if self.failures.len() < self.settings.failures_max {
            self.failures.push(FailedTask { task: number, payload: task.payload, code });
        }
        while let Some(output) = lost.pop() {
            if output == NO_OUTPUT {
                continue;
            }
            for number in self.outputs.fail(output) {
                if let Some(task) = self.remove(number) {
                    self.counts.skipped += 1;
                    // what it has; what it waits for finds out later that it is gone
                    for &input in &task.inputs {
                        if self.outputs.get(input).is_some() {
                            self.outputs.release(input);
                        }
                    }
                    lost.push(task.output);
                }
            }
        }
    }

    /// Gives back the inputs of a task that was handed out, unless that was done then.
    fn release_inputs(&mut self, task: &Task) {
        if task.failures < self.settings.retries {
            for &input in &task.inputs {
                self.outputs.release(input);
            }
        }
    }

    /// Hands out ready tasks, first to those who have nothing, while anyone has room; says stop when no
    /// task is left.
    fn fill(&mut self, sendings: &mut Vec<GraphSending>) {
        while !self.is_winding_up
            && !self.ready.is_empty()
            && let Some(worker) = self.workers.next(self.ready.len())
        {
            let batch = self.take_batch();
            self.workers.push(worker, batch.tasks.iter().map(|task| task.task).collect());
            sendings.push((worker + 1, GraphOrder::Batch(batch)));
        }
        let is_over = if self.is_winding_up { self.counts.under_way == 0 } else { self.alive() == 0 };
        if is_over && !self.is_stopped {
            self.is_stopped = true;
            sendings.extend((1..=self.settings.workers).map(|rank| (rank, GraphOrder::Stop)));
        }
    }

    fn take_batch(&mut self) -> Batch {
        let count = self.workers.next_count(self.ready.len());
        let mut tasks = Vec::with_capacity(count);
        let mut bytes = 0;
        while tasks.len() < count && bytes < BATCH_BYTES {
            let Some(number) = self.ready.pop_front() else { break };
            let Some(task) = self.slots[slot_of(number)].task.as_ref() else { continue };
            let mut inputs = Vec::with_capacity(task.inputs.len());
            bytes += task.payload.len();
            for &input in &task.inputs {
                let result = self.outputs.get(input).cloned().unwrap_or_default();
                bytes += result.len();
                inputs.push(result);
                if task.failures >= self.settings.retries {
                    self.outputs.release(input);
                }
            }
            tasks.push(BatchTask { task: number, payload: task.payload.clone(), inputs });
        }
        self.counts.batches += 1;
        self.counts.under_way += tasks.len() as u64;
        Batch { tasks }
    }

    fn insert(&mut self, payload: Bytes, inputs: Box<[OutputId]>, output: OutputId) -> TaskNumber {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot { generation: 0, task: None });
            self.slots.len() as u32 - 1
        });
        let number = TaskNumber(u64::from(self.slots[slot as usize].generation) << 32 | u64::from(slot));
        // an input is never there already: its task is not done before this one is added
        for &input in &inputs {
            self.outputs.read_by(input, number);
        }
        let waits = inputs.len() as u32;
        if waits == 0 {
            self.ready.push_back(number);
        }
        self.slots[slot as usize].task = Some(Task { payload, inputs, waits, failures: 0, output });
        self.counts.added += 1;
        number
    }

    fn remove(&mut self, number: TaskNumber) -> Option<Task> {
        self.get(number)?;
        let slot = &mut self.slots[slot_of(number)];
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(slot_of(number) as u32);
        slot.task.take()
    }

    fn get(&self, number: TaskNumber) -> Option<&Task> {
        let slot = self.slots.get(slot_of(number))?;
        if u64::from(slot.generation) == number.0 >> 32 { slot.task.as_ref() } else { None }
    }

    fn get_mut(&mut self, number: TaskNumber) -> Option<&mut Task> {
        let slot = self.slots.get_mut(slot_of(number))?;
        if u64::from(slot.generation) == number.0 >> 32 { slot.task.as_mut() } else { None }
    }

    /// The output of a task that is alive.
    fn output_of(&mut self, number: TaskNumber) -> OutputId {
        match &mut self.slots[slot_of(number)].task {
            Some(task) if task.output == NO_OUTPUT => {
                task.output = self.outputs.open();
                task.output
            }
            Some(task) => task.output,
            None => NO_OUTPUT,
        }
    }
}

fn slot_of(number: TaskNumber) -> usize {
    (number.0 & 0xFFFF_FFFF) as usize
}

/// The place of the first added task that cannot be.
fn wrong_addition(added: &[NewTask]) -> Option<usize> {
    let mut takers = 0;
    let mut has_own = false;
    for (place, new) in added.iter().enumerate() {
        takers += u32::from(new.takes_over);
        let mut is_wrong = false;
        for dependency in &new.depends_on {
            match dependency {
                Dependency::Own => has_own = true,
                Dependency::Added(other) => is_wrong |= *other as usize >= place,
            }
        }
        if is_wrong || takers > 1 || takers == 1 && has_own {
            return Some(place);
        }
    }
    None
}

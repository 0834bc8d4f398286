//! What the leader of a task graph knows, and what it refuses.

use crate::workload::task::Bytes;

use super::batch::TaskNumber;

/// A task that failed as often as it may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedTask {
    /// Its number.
    pub task: TaskNumber,
    /// The workload's name of it.
    pub payload: Bytes,
    /// The code of the last failure.
    pub code: u32,
}

/// What the leader knows of its graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tasks that ever were in the graph.
    pub added: u64,
    /// Tasks that did their work.
    pub done: u64,
    /// Tasks that failed as often as they may.
    pub failed: u64,
    /// Tasks that never run, since they depend on a failed one.
    pub skipped: u64,
    /// Failures after which the task was tried again.
    pub retried: u64,
    /// Tasks that are ready and not handed out.
    pub ready: u64,
    /// Tasks that are under way.
    pub under_way: u64,
    /// Results that wait for a reader or will.
    pub outputs: u64,
    /// Bytes of the results that wait for a reader.
    pub result_bytes: u64,
    /// Batches handed out.
    pub batches: u64,
    /// Nanoseconds that all tasks took, failed tries with them.
    pub busy_ns: u64,
}

/// A report or a request that does not fit the graph; the graph is as before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// The reporter is none of the workers, or has no batch.
    #[error("worker {0} reports a batch but has none")]
    NoBatch(usize),
    /// The report does not answer the worker's oldest batch, task by task.
    #[error("worker {worker} reports {reported} tasks, which are not the {expected} of its oldest batch")]
    OtherBatch {
        /// The worker's rank.
        worker: usize,
        /// Tasks in the report.
        reported: usize,
        /// Tasks in its oldest batch.
        expected: usize,
    },
    /// A task adds a task that depends on itself or a later one, two that take over its output, or one
    /// that takes over an output and one that reads it as its own.
    #[error("worker {worker}: added task {place} of task {} has wrong dependencies", task.0)]
    WrongAddition {
        /// The worker's rank.
        worker: usize,
        /// The task that adds.
        task: TaskNumber,
        /// Which of the tasks that it adds.
        place: usize,
    },
    /// No such task is waiting or ready.
    #[error("task {} is not in the graph, or has been started", .0.0)]
    UnknownTask(TaskNumber),
    /// Tasks were added or kept from outside after the start.
    #[error("the graph has been started: only its tasks can add tasks now")]
    Started,
}

//! Task graphs: tasks that read each other's results and add more tasks while they run.
//!
//! The protocol on one page; as for chunks of runs, rank 0 leads and all others work.
//!
//! ```text
//! leader -> worker   GraphOrder::Batch      ready tasks with their inputs; a few batches under way to each
//! worker -> leader   BatchReport            how each task of the batch ended: its result, the tasks it adds
//! leader -> worker   GraphOrder::Stop       when no task is left
//! ```
//!
//! A worker takes batches in the order they were sent and reports each in one message. Nobody polls: a
//! worker without a batch waits for a message, and the leader sends in answer to reports only.

pub mod batch;
pub mod counts;
pub mod leader;
pub mod local;
mod outputs;
mod workers;

pub use batch::{Batch, BatchReport, BatchTask, DecodeError, GraphOrder, TaskNumber, TaskResult};
pub use counts::{Counts, FailedTask, GraphError};
pub use leader::{GraphLeader, GraphSending, GraphSettings};

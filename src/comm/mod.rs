//! The processes of a job and what they say to each other.
//!
//! One file, `mpi.rs`, names MPI; everybody else sees [`World`]: ranks, collective calls, and two
//! messages of fixed layout between the leader (rank 0) and its workers.
//!
//! Two rules keep a job from hanging. Every phase that can fail on one rank alone ends with
//! [`World::agree`], so that all ranks leave together with that rank's message. A panic outside
//! [`catching`] prints one line and aborts all ranks.

mod catching;
mod launch;
mod message;
mod mpi;
mod watch;

pub use catching::catching;
pub use launch::{is_first, launch_problem};
pub use message::{Order, Report};
pub use mpi::{Element, RawCommunicator, World};
pub use watch::Watch;

/// The exit code of a job that a panic ended.
pub const PANIC_EXIT_CODE: i32 = 101;

/// Why a call of the communication layer was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommError {
    /// MPI had been started before in this process.
    #[error("MPI was started already in this process")]
    AlreadyStarted,
    /// The MPI library does not let the main thread communicate while others compute.
    #[error("the MPI library grants thread level {0}, but MPI_THREAD_FUNNELED is needed")]
    NoThreads(String),
    /// A message or its place in a buffer would pass the 2^31 - 1 elements that MPI can count; all
    /// ranks get this error, and nothing was sent.
    #[error("a collective message of {0} elements passes MPI's limit of 2147483647: send it in parts")]
    TooLong(u64),
}

/// A phase that failed on at least one rank; the same value on every rank.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{phase}: {message} (on rank {rank})")]
pub struct Disagreement {
    /// What was being done.
    pub phase: String,
    /// The lowest rank that failed.
    pub rank: usize,
    /// What that rank said.
    pub message: String,
}

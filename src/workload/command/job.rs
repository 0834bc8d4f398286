//! One run in the event loop.

use std::time::{Duration, Instant};

use super::folder::RunFolder;
use super::process::Process;
use super::results::Lines;
use super::stream::{Capture, Stream};
use super::timer::Ticket;
use crate::base::outcome::Failure;

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// In the queue for its next attempt.
    Waiting,
    /// Suspended while no program of it runs.
    Held,
    /// In the pause before its next attempt.
    BackOff,
    /// A program of it runs.
    Running,
    /// A program of it was told to end, for this reason.
    Ending(Failure),
}

/// The program of a run that runs now.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) process: Process,
    pub(super) serial: u32,
    pub(super) stdout: Option<Stream>,
    pub(super) stderr: Option<Stream>,
}

/// The files of an attempt.
#[derive(Debug)]
pub(super) struct Captures {
    pub(super) stdout: Capture,
    pub(super) stderr: Capture,
}

/// A run from the moment a rank takes it until it is handed back.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) run: u64,
    pub(super) values: Box<[f64]>,
    pub(super) folder: Option<RunFolder>,
    pub(super) phase: Phase,
    pub(super) live: Option<Live>,
    pub(super) captures: Option<Captures>,
    pub(super) lines: Lines,
    /// The step of the attempt that runs or runs next.
    pub(super) step: usize,
    /// Attempts begun.
    pub(super) attempts: u32,
    /// The deadline that is valid; 0 for none.
    pub(super) ticket: Ticket,
    /// The end of the wall time limit, while the clock runs.
    pub(super) deadline: Option<Instant>,
    /// Whether its program is stopped.
    pub(super) is_suspended: bool,
    /// What was left of the wall time limit when it was suspended.
    pub(super) left: Option<Duration>,
    /// The number of the last start's line in the journal.
    pub(super) start_line: u64,
    /// When the rank took it, s since 1970.
    pub(super) created: f64,
    /// When its last attempt started, s since 1970.
    pub(super) started: f64,
    pub(super) exit_code: Option<i32>,
    pub(super) signal: Option<i32>,
    pub(super) cpu_s: f64,
    pub(super) peak_kb: Option<u64>,
}

impl Job {
    pub(super) fn new(run: u64, values: &[f64], keys: Vec<String>, created: f64) -> Self {
        Job {
            run,
            values: values.into(),
            folder: None,
            phase: Phase::Waiting,
            live: None,
            captures: None,
            lines: Lines::new(keys),
            step: 0,
            attempts: 0,
            ticket: 0,
            deadline: None,
            is_suspended: false,
            left: None,
            start_line: 0,
            created,
            started: 0.0,
            exit_code: None,
            signal: None,
            cpu_s: 0.0,
            peak_kb: None,
        }
    }
}

/// A run that has ended and waits for its start to be on disk.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) job: Job,
    pub(super) failure: Option<Failure>,
    pub(super) outputs: Vec<f64>,
    /// When it ended, s since 1970.
    pub(super) time: f64,
}

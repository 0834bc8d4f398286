//! A finished run, as a workload hands it over.

use super::outcome::{Failure, Status};

/// A run that has ended; the slices belong to what executed it, valid until the next run.
#[derive(Clone, Copy, Debug)]
pub struct FinishedRun<'a> {
    /// Its number.
    pub run: u64,
    /// How it ended.
    pub status: Status,
    /// Why, if it is not ok.
    pub failure: Option<Failure>,
    /// The result file's parameter columns.
    pub parameters: &'a [f64],
    /// The final values; NaN where the run is not ok.
    pub outputs: &'a [f64],
    /// The rows of each report; none where the run is not ok.
    pub reports: &'a [ReportRows],
    /// Steps it took, where that means something.
    pub steps: u64,
}

/// The rows of one report of one run.
#[derive(Clone, Debug, Default)]
pub struct ReportRows {
    /// How many rows the run had.
    pub rows: u64,
    /// The rows that are kept, one after the other: the first ones and, beyond the limit, the last.
    pub values: Vec<f64>,
    /// The kind of each of them, by its place in the report's kinds.
    pub kinds: Vec<u32>,
}

//! What the user wrote in `config.toml`, with the place of everything that a later check may refuse.
//!
//! Reading is pure: rank 0 reads the bytes and broadcasts them, every rank parses them alike. A
//! `Config` has the right types and ranges; whether the script exists or knows a parameter is
//! found out further down.

mod document;
pub mod overrides;
pub mod reader;
mod stages;

pub use document::{parse, parse_stages, parse_with, unknown_key};
pub use stages::file_of as stage_file;

use crate::base::problem::Span;
use reader::Table;
use std::path::PathBuf;
use std::sync::Arc;

/// The largest config file, in bytes.
pub const MAX_BYTES: usize = 4 << 20;

/// The most threads a rank may ask for.
pub const MAX_THREADS: u64 = 1024;

/// A value and where it stands in the config.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Where it was written.
    pub span: Span,
}

/// A sweep of a config file: the whole of it, or with what a `[[stage]]` says otherwise.
#[derive(Clone, Debug)]
pub struct Config {
    /// The file as the user named it.
    pub file: String,
    /// The absolute folder of the file; paths in the config are relative to it.
    pub folder: PathBuf,
    /// The text, without a byte order mark; the places count in it.
    pub text: Arc<str>,
    /// `[workload]`: what a run is; read by [`crate::workload`].
    pub workload: WorkloadConfig,
    /// `[mission]`: what is flown, where runs are missions.
    pub mission: Option<Mission>,
    /// `[[stage]]`: what it takes from the sweep before it; none in the first.
    pub stage: Option<StageConfig>,
    /// `[design]`: which runs there are; read by [`crate::design`]. Only a stage may have none.
    pub design: Option<DesignConfig>,
    /// `[output]`: what is kept, and where.
    pub output: Output,
    /// `[schedule]`: how the work is shared.
    pub schedule: Schedule,
    /// `[checkpoint]`: how often rows are written.
    pub checkpoint: Checkpoint,
    /// `[limits]`: what stops a run.
    pub limits: Limits,
    /// `[data]`: data files instead of those that come with the program.
    pub data: Data,
}

/// `[mission]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mission {
    /// The GMAT script, absolute.
    pub script: Located<PathBuf>,
}

/// `[workload]`: the kind, a mission where the section is left out, and the table as written.
#[derive(Clone, Debug)]
pub struct WorkloadConfig {
    /// The name of the workload; not yet looked up.
    pub kind: Located<String>,
    /// All keys of the section, `kind` too.
    pub table: Table,
}

/// `[design]`: the kind, and the table as written; each kind reads its own keys.
#[derive(Clone, Debug)]
pub struct DesignConfig {
    /// The name of the design, such as `grid`; not yet looked up.
    pub kind: Located<String>,
    /// All keys of the section, `kind` too.
    pub table: Table,
}

/// `[[stage]]`: a sweep that starts from the results of the one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageConfig {
    /// Its name; letters, digits, `-` and `_`.
    pub name: Located<String>,
    /// Which runs before it it starts from.
    pub from: From,
    /// What its runs set, and the column of the results before it that the number comes from.
    pub set: Vec<(Located<String>, Located<String>)>,
    /// Whether its result file is named in the config, rather than after the first sweep's.
    pub own_file: bool,
}

/// `from` of a stage: which runs before it it starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum From {
    /// Each run, ok or not.
    Each,
    /// One made-up run: the mean of those that are ok.
    Mean,
    /// The run that is ok and has the least or the greatest value of a column; the first of equals.
    Extreme {
        /// The column.
        by: Located<String>,
        /// Whether the greatest is taken.
        greatest: bool,
    },
}

/// `[output]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The result file, absolute.
    pub file: Located<PathBuf>,
    /// `final`: the columns kept at the end of a run; none means those of the script's reports.
    pub finals: Option<Vec<Located<String>>>,
    /// Whether the reports' rows are kept as well.
    pub rows: Option<Rows>,
    /// Whether it is kept where and when each run was executed.
    pub timing: bool,
}

/// `[output] rows`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The most rows of a report that one run keeps, at least 2.
    pub max: u64,
}

/// `[schedule]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// How many runs an order has.
    pub chunk: Chunk,
    /// Threads a rank, 1 to [`MAX_THREADS`].
    pub threads: usize,
    /// How many runs a thread flies side by side.
    pub lanes: Lanes,
}

impl Default for Schedule {
    fn default() -> Self {
        Schedule { chunk: Chunk::Auto, threads: 1, lanes: Lanes::Auto }
    }
}

/// How many runs an order has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunk {
    /// Sized by measured time.
    Auto,
    /// This many, at least 1.
    Runs(u64),
}

/// How many runs a thread flies side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// As many as the processor's vectors hold.
    Auto,
    /// One run at a time.
    One,
    /// Four.
    Four,
    /// Eight.
    Eight,
}

/// `[checkpoint]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Checkpoint {
    /// Seconds of wall time between flush rounds, above 0 and at most 1e9.
    pub interval_s: f64,
    /// Rows after which a flush round is due, at least 1.
    pub rows: Option<u64>,
    /// Whether a flush round waits until the rows are on the disk, not just with the operating system.
    pub sync: bool,
}

impl Default for Checkpoint {
    fn default() -> Self {
        Checkpoint { interval_s: 30.0, rows: None, sync: true }
    }
}

/// `[data]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Data {
    /// An ephemeris: an SPK kernel or JPL's binary format.
    pub ephemeris: Option<Located<PathBuf>>,
    /// Earth orientation parameters: IERS C04 or finals2000A.
    pub earth_orientation: Option<Located<PathBuf>>,
}

/// `[limits]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The most integration steps of one run, accepted and rejected together; at least 1.
    pub steps: u64,
    /// The most wall time of one run, s; above 0 and at most 1e9.
    pub wall_s: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 1_000_000, wall_s: 3600.0 }
    }
}

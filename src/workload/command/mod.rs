//! Runs as programs: each run starts a program of the user's, many at a time, and takes numbers from
//! what it leaves.
//!
//! In reading order:
//!
//! - [`settings`]: what the user may set, and what of it is wrong;
//! - [`argument`]: `{Sat.SMA}`, `{run}`, `{dir}` in arguments; [`environment`]: what a program sees;
//! - [`steps`]: the steps of a run, ready to start;
//! - [`runner`]: the event loop; `attempt`: from the folder to the outputs; [`job`]: one run in it;
//!   [`timer`]: its deadlines;
//! - `folder`: where programs work; [`process`]: start, signal and reap; [`stream`]: what a program prints, capped;
//! - [`results`]: numbers from standard output, CSV and JSON files;
//! - [`journal`]: the record on disk; [`jobs`]: its reader; [`control`]: suspend, resume, cancel.
//!
//! A run goes through the states New, Pending, Running, Suspended and ends as Done, Failed or Canceled.
//! An attempt is: an empty folder, the `pre` steps, the program, the `post` steps, the outputs. No shell
//! is involved anywhere.

pub mod argument;
mod attempt;
mod config;
pub mod control;
pub mod environment;
mod folder;
pub mod job;
pub mod jobs;
pub mod journal;
mod json;
pub mod process;
pub mod results;
pub mod runner;
pub mod settings;
pub mod steps;
pub mod stream;
pub mod timer;
pub mod workload;

pub use journal::{JournalWriter, State};
pub use runner::{Finished, Runner};
pub use settings::{FolderKeep, OutputSource, Settings, Source};

//! What a person sees: progress while it flies, the summary after it, and looks at plans, runs and files.

pub mod check;
pub mod dry_run;
pub mod fly;
pub mod format;
pub mod histogram;
pub mod jobs;
pub mod list;
pub mod log;
pub mod look;
pub mod oem;
pub mod progress;
pub mod reading;
pub mod report_text;
pub mod show;
pub mod sidecar;
pub mod summary;
mod terminal;
pub mod verify;

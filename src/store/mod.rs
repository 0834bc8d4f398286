//! The result file: one HDF5 file a sweep, written collectively by all ranks.
//!
//! In order of use: [`Lock`] keeps a second job away; [`create_skeleton`] makes the whole file on
//! rank 0, all metadata included; every rank keeps the rows of its finished runs in a [`RowBlock`];
//! all ranks open the file as a [`Writer`] and call [`Writer::flush_round`] now and then;
//! [`publish`] gives the finished file its name; [`Reader`] looks into one.
//!
//! A killed job loses nothing that a flush round has acknowledged: after the skeleton is on disk
//! only numbers are written, never metadata, and a run's `status` follows after its values.

mod check;
mod described;
mod exchange;
mod fixed;
mod layout;
mod lock;
mod merge;
mod owners;
mod raw;
mod reader;
mod resume;
mod rows;
mod skeleton;
mod summaries;
mod writer;

pub use check::FoundRow;
pub use layout::{
    Axis, Column, ColumnKind, FAILURE_MESSAGE_BYTES, FORMAT_VERSION, Layout, LayoutError, ReportLayout, Slice,
    TAKEN_NAMES, TIMING, hdf5_name, hdf5_names,
};
pub use lock::{Lock, LockError, LockHolder};
pub use merge::fill_from_slices;
pub use raw::library_version;
pub use reader::{ColumnInfo, Reader, ReportInfo};
pub use resume::{DRIFT, DRIFT_BYTES, forget_runs, note_drift};
pub use rows::{CANONICAL_NAN, ReportRows, RowBlock, RowShape};
pub use skeleton::{create_skeleton, publish, sync_folder};
pub use summaries::ColumnSummary;
pub use writer::{RoundCost, Writer};

/// What went wrong with a result file: the action, the object, and the library's own words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot {action} {object}: {message}")]
pub struct StoreError {
    /// What was being done, "write" or "open the file" and the like.
    pub action: String,
    /// The dataset's name or the file's path.
    pub object: String,
    /// What HDF5 or the operating system said.
    pub message: String,
}

impl StoreError {
    #[allow(clippy::needless_pass_by_value)] // Errors are built where the value ends.
    pub(crate) fn new(action: &str, object: impl Into<String>, message: impl ToString) -> StoreError {
        StoreError { action: action.to_owned(), object: object.into(), message: message.to_string() }
    }

    /// An error of the operating system about a path.
    pub(crate) fn io(action: &str, path: &std::path::Path, error: impl ToString) -> StoreError {
        StoreError::new(action, path.display().to_string(), error)
    }
}

impl From<crate::comm::Disagreement> for StoreError {
    fn from(other: crate::comm::Disagreement) -> StoreError {
        StoreError::new(&other.phase, format!("(rank {})", other.rank), other.message)
    }
}

//! What is changed in a result file before it is resumed: single bytes in place, no metadata, so that a kill at any
//! moment leaves a whole file.

use std::fs::OpenOptions;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::{Reader, StoreError};
use crate::base::outcome::Status;

/// The dataset of `/provenance` that tells why a sweep was resumed with another plan; blank else.
pub const DRIFT: &str = "drift";
/// Its length, padded with blanks.
pub const DRIFT_BYTES: usize = 1024;

/// Bytes of status written at once.
const AT_ONCE: usize = 1 << 20;

/// Makes runs of the file count as not run and brings that to disk; their numbers may be overwritten then.
///
/// # Errors
/// What HDF5 or the operating system said.
pub fn forget_runs(path: &Path, runs: &[Range<u64>]) -> Result<(), StoreError> {
    let reader = Reader::open(path)?;
    let (start, first_run) = (reader.offset("status")?, reader.first_run());
    let not_run = vec![Status::NotRun.code().cast_unsigned(); AT_ONCE];
    change(path, |file| {
        for runs in runs {
            let (mut first, end) = (runs.start - first_run, runs.end - first_run);
            while first < end {
                let count = (end - first).min(AT_ONCE as u64);
                file.write_all_at(&not_run[..count as usize], start + first)?;
                first += count;
            }
        }
        Ok(())
    })
}

/// Keeps in the file why it was resumed with another plan; at most [`DRIFT_BYTES`] of the text.
///
/// # Errors
/// What HDF5 or the operating system said.
pub fn note_drift(path: &Path, reason: &str) -> Result<(), StoreError> {
    let reader = Reader::open(path)?;
    let name = format!("provenance/{DRIFT}");
    let start = reader.offset(&name)?;
    let room = reader.provenance(DRIFT)?.len();
    let mut text: Vec<u8> = reason.bytes().filter(|&byte| byte != 0).take(room).collect();
    while std::str::from_utf8(&text).is_err() {
        text.pop();
    }
    text.resize(room, b' ');
    change(path, |file| file.write_all_at(&text, start))
}

fn change(path: &Path, change: impl FnOnce(&std::fs::File) -> std::io::Result<()>) -> Result<(), StoreError> {
    let file = OpenOptions::new().read(true).write(true).open(path);
    let changed = file.and_then(|file| change(&file).and_then(|()| file.sync_data()));
    changed.map_err(|error| StoreError::io("prepare to resume", path, error))
}

//! Rows of several files of one plan in one file: copied byte by byte, in blocks, without a look at their meaning.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::layout::FAILURE_MESSAGE_BYTES;
use super::{Reader, StoreError};

/// Bytes copied at once.
const BLOCK: u64 = 8 << 20;

/// Fills the file of a whole plan, as [`super::create_skeleton`] made it, with the rows of slices of the plan, which
/// are known to be sound and to cover it; and brings it to disk. The status of the runs comes last, so that a kill at
/// any moment leaves no run that counts and has not all its numbers.
///
/// # Errors
/// What HDF5 or the operating system said.
pub fn fill_from_slices(whole: &Path, slices: &[(&Path, &Reader)]) -> Result<(), StoreError> {
    let reader = Reader::open(whole)?;
    let write = |error| StoreError::io("write", whole, error);
    let to = OpenOptions::new().read(true).write(true).open(whole).map_err(write)?;
    let mut sets = reader.along_run();
    sets.retain(|(name, _)| name != "run" && name != "status");
    for sets in [&sets[..], &[("status".to_owned(), 1)]] {
        for (path, slice) in slices {
            let from = File::open(path).map_err(|error| StoreError::io("read", path, error))?;
            for (name, row) in sets {
                let place = reader.offset(name)? + slice.first_run() * row;
                let copied = copy((&from, slice.offset(name)?), (&to, place), slice.runs() * row);
                copied.map_err(|error| StoreError::new("copy", format!("`{name}` of {}", path.display()), error))?;
            }
        }
        to.sync_data().map_err(write)?;
    }
    fill_failures(&reader, &to, slices, write)?;
    to.sync_data().map_err(write)
}

fn copy((from, first): (&File, u64), (to, start): (&File, u64), bytes: u64) -> io::Result<()> {
    let mut block = vec![0; bytes.min(BLOCK) as usize];
    let mut done = 0;
    while done < bytes {
        let part = &mut block[..(bytes - done).min(BLOCK) as usize];
        from.read_exact_at(part, first + done)?;
        to.write_all_at(part, start + done)?;
        done += part.len() as u64;
    }
    Ok(())
}

/// The first runs that are not ok, one slice after the other.
fn fill_failures(
    reader: &Reader,
    to: &File,
    slices: &[(&Path, &Reader)],
    write: impl Fn(io::Error) -> StoreError,
) -> Result<(), StoreError> {
    let most = reader.failures_max()?;
    let [runs, messages, count] = ["run", "message", "count"].map(|name| reader.offset(&format!("failures/{name}")));
    let (runs, messages, count) = (runs?, messages?, count?);
    let mut listed = 0;
    let mut all = 0_u64;
    for (_, slice) in slices {
        let (list, count) = slice.failures()?;
        all += count;
        for (run, text) in list {
            if listed == most {
                break;
            }
            let mut message = [0_u8; FAILURE_MESSAGE_BYTES];
            let text = &text.as_bytes()[..text.len().min(FAILURE_MESSAGE_BYTES - 1)];
            message[..text.len()].copy_from_slice(text);
            to.write_all_at(&run.to_le_bytes(), runs + 8 * listed).map_err(&write)?;
            to.write_all_at(&message, messages + FAILURE_MESSAGE_BYTES as u64 * listed).map_err(&write)?;
            listed += 1;
        }
    }
    // the count is that of the list, as the writer has it
    to.write_all_at(&all.min(most).to_le_bytes(), count).map_err(&write)
}

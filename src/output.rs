//! The place of the result file: refused, or locked and made under its partial name, or taken up where an earlier job
//! left it; what is there is not touched otherwise.

mod earlier;
pub mod merge;

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::base::outcome::Failure;
use crate::base::problem::Problem;
use crate::cli::{Resume, Stop, machine, refused};
use crate::plan::{Plan, shown};
use crate::report::reading;
use crate::report::sidecar;
use crate::schedule::remaining::Remaining;
use crate::store::{Lock, create_skeleton, sync_folder};

/// Where the file is until it is complete: `OUT.partial`.
pub fn partial_path(plan: &Plan) -> PathBuf {
    partial_of(&plan.output)
}

fn partial_of(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".partial");
    PathBuf::from(name)
}

/// A result file before its sweep is flown, on rank 0; others are kept away while it lives.
#[derive(Debug)]
pub struct Place {
    /// Held until the file has its name.
    pub lock: Lock,
    /// What is to be flown.
    pub remaining: Remaining,
    /// What an earlier job has left that stays.
    pub reused: Reused,
    /// The file is new: an error before the first run takes it away again.
    pub is_new: bool,
    /// The file has its name already and nothing is to be flown.
    pub is_complete: bool,
}

/// Runs of an earlier job that are not flown again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reused {
    /// Runs that are ok.
    pub ok: u64,
    /// Runs that are not.
    pub not_ok: u64,
    /// The first of these, with why.
    pub failures: Vec<(u64, Failure)>,
}

/// Whether an earlier job has left the file or a part of it.
pub fn is_there(plan: &Plan) -> bool {
    [&plan.output, &partial_path(plan)].iter().any(|path| path.symlink_metadata().is_ok())
}

/// What is refused for a result file.
fn refuse<T>(output: &Path, message: &str, help: &str) -> Result<T, Stop> {
    Err(refused(Problem::of(&shown(output), message).help(help)))
}

/// Neither the file nor a part of it is there, or it may be replaced.
fn check_free(output: &Path, overwrite: bool, help: &str) -> Result<(), Stop> {
    let partial = partial_of(output);
    for (path, what) in [(output, "exists already"), (&partial, "an unfinished sweep is there (its .partial file)")] {
        if path.symlink_metadata().is_ok() && !overwrite {
            return refuse(output, what, help);
        }
    }
    Ok(())
}

/// Rank 0 takes the lock and makes the file under its partial name; what is there is not touched.
pub fn make(plan: &Plan, host: &str, overwrite: bool) -> Result<Place, Stop> {
    let partial = partial_path(plan);
    check_place(plan)?;
    let help = "--resume goes on with it; --overwrite replaces it when the new one is complete; or give another file \
                with --output";
    check_free(&plan.output, overwrite, help)?;
    let lock = lock(plan, host)?;
    if overwrite && partial.exists() {
        std::fs::remove_file(&partial).map_err(|error| machine(format!("{}: {error}", shown(&partial))))?;
    }
    create_skeleton(&partial, &plan.layout).map_err(|error| {
        let _ = std::fs::remove_file(&partial);
        machine(error)
    })?;
    let remaining = Remaining::from(plan.layout.run_numbers());
    Ok(Place { lock, remaining, reused: Reused::default(), is_new: true, is_complete: false })
}

/// Lets another process look at what is there, which may not be what an earlier job wrote.
///
/// # Errors
/// It makes HDF5 crash.
pub fn glance(plan: &Plan) -> Result<(), Stop> {
    let files = [partial_path(plan), plan.output.clone()];
    files.iter().find(|path| path.is_file()).map_or(Ok(()), |path| reading::glance(path))
}

/// Rank 0 takes the lock and looks what an earlier job has left of the file: `OUT.partial`, else `OUT`, which loses its
/// name if something is to be flown. Where there is neither, the file is made.
pub fn take_up(plan: &Plan, host: &str, resume: &Resume) -> Result<Place, Stop> {
    if !is_there(plan) {
        return make(plan, host, false);
    }
    check_place(plan)?;
    let lock = lock(plan, host)?;
    let partial = partial_path(plan);
    let has_name = !partial.exists();
    let file = if has_name { &plan.output } else { &partial };
    let earlier = earlier::look(plan, file, resume)?;
    let is_complete = has_name && earlier.remaining.left() == 0 && earlier.lists_failures;
    if has_name && !is_complete {
        let renamed = std::fs::rename(&plan.output, &partial);
        renamed.map_err(|error| machine(format!("cannot rename {}: {error}", shown(&plan.output))))?;
        sync_folder(&partial).map_err(machine)?;
    }
    if !is_complete {
        earlier.prepare(&partial, resume)?;
    }
    let earlier::Earlier { remaining, reused, .. } = earlier;
    Ok(Place { lock, remaining, reused, is_new: false, is_complete })
}

/// The folder is there, and what has the file's name is a file and no input.
fn check_place(plan: &Plan) -> Result<(), Stop> {
    let output = &plan.output;
    check_path(output)?;
    // the place and number of a file: it may have several names
    let place = |path: &Path| std::fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()));
    let written = [output.clone(), partial_path(plan), sidecar::path(output)];
    for path in written.iter().filter(|path| place(path).is_some()) {
        if let Some(input) = plan.inputs.iter().find(|input| place(input) == place(path)) {
            let input =
                if path == output { String::new() } else { format!(": it would be written as {}", shown(input)) };
            return refuse(output, &format!("is an input of this sweep{input}"), OTHER);
        }
    }
    Ok(())
}

/// What helps where a name cannot be used.
const OTHER: &str = "give another file: `file` under [output], or --output";

/// The folder is there, and what has the file's name is a file.
fn check_path(output: &Path) -> Result<(), Stop> {
    match output.parent().map(std::fs::metadata) {
        Some(Ok(folder)) if folder.is_dir() => {}
        _ => {
            let help = "make it, or give another file with --output";
            return refuse(output, "the folder of the result file does not exist", help);
        }
    }
    for path in [output, &partial_of(output)] {
        let Ok(metadata) = std::fs::symlink_metadata(path) else { continue };
        if !std::fs::metadata(path).unwrap_or(metadata).is_file() {
            return refuse(output, "is not a file: nothing can be written there", OTHER);
        }
    }
    Ok(())
}

fn lock(plan: &Plan, host: &str) -> Result<Lock, Stop> {
    let lock = Lock::take(&plan.output, host).map_err(refused)?;
    if let Some(holder) = lock.stale() {
        let name = shown(&plan.output);
        tracing::warn!("{name}: took over the lock of process {} on {}, which is gone", holder.pid, holder.host);
    }
    Ok(lock)
}

//! The place of the result file: refused, or locked and made under its partial name; what is there is
//! not touched.

use std::path::PathBuf;

use crate::base::problem::Problem;
use crate::cli::{Stop, machine, refused};
use crate::plan::{Plan, shown};
use crate::store::{Lock, create_skeleton};

/// Where the file is until it is complete: `OUT.partial`.
pub fn partial_path(plan: &Plan) -> PathBuf {
    let mut name = plan.output.as_os_str().to_owned();
    name.push(".partial");
    PathBuf::from(name)
}

/// Rank 0 takes the lock and makes the file under its partial name; what is there is not touched.
pub fn make(plan: &Plan, host: &str, overwrite: bool) -> Result<Lock, Stop> {
    let (output, partial) = (&plan.output, partial_path(plan));
    let name = shown(output);
    let refuse = |message: &str, help: &str| Err(refused(Problem::of(&name, message).help(help)));
    let other = "give another file: `file` under [output], or --output";
    match output.parent().map(std::fs::metadata) {
        Some(Ok(folder)) if folder.is_dir() => {}
        _ => {
            return refuse(
                "the folder of the result file does not exist",
                "make it, or give another file with --output",
            );
        }
    }
    for (path, what) in [(output, "exists already"), (&partial, "an unfinished sweep is there (its .partial file)")] {
        let Ok(metadata) = std::fs::symlink_metadata(path) else { continue };
        let target = std::fs::metadata(path).unwrap_or(metadata);
        if !target.is_file() {
            return refuse("is not a file: nothing can be written there", other);
        }
        if !overwrite {
            return refuse(
                what,
                "--overwrite replaces it when the new one is complete; or give another file with --output",
            );
        }
    }
    let script = plan.config.mission.as_ref().map(|mission| mission.script.value.clone());
    for input in &[script.unwrap_or_default(), std::path::absolute(&plan.config.file).unwrap_or_default()] {
        let same = |a: &PathBuf, b: &PathBuf| matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b);
        if same(output, input) {
            return refuse("is an input of this sweep", other);
        }
    }
    let lock = Lock::take(output, host).map_err(refused)?;
    if let Some(holder) = lock.stale() {
        tracing::warn!("{name}: took over the lock of process {} on {}, which is gone", holder.pid, holder.host);
    }
    if overwrite && partial.exists() {
        std::fs::remove_file(&partial).map_err(|error| machine(format!("{}: {error}", shown(&partial))))?;
    }
    create_skeleton(&partial, &plan.layout).map_err(|error| {
        let _ = std::fs::remove_file(&partial);
        machine(error)
    })?;
    Ok(lock)
}

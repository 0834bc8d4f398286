//! Files that may be hostile are read in another process: HDF5 1.10 can be made to crash, to loop or to take all memory
//! by metadata that was forged together with its checksums. What was damaged by chance does not get that far.

use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use rustix::process::{Resource, Rlimit, setrlimit};

use super::format::say;
use crate::base::problem::Problem;
use crate::cli::{Stop, machine};

/// Set where this process is the one that reads.
const READER: &str = "SWEEP_MPI_READER";
/// Its value where only what describes the file is read.
const GLANCE: &str = "glance";

/// The most memory that reading takes, bytes.
const MEMORY_MAX: u64 = 256 << 20;
/// The most CPU time, s: this, and a second for each so many bytes of the file.
const SECONDS_MAX: u64 = 60;
const BYTES_A_SECOND: u64 = 2 << 20;

/// Does in another process, by the same arguments as this one's, what reads a file; its words and its code are this
/// one's.
///
/// # Errors
/// Those of the reading, and the file's name where it ended in a crash.
pub fn apart(path: &Path, read: impl FnOnce() -> Result<u8, Stop>) -> Result<u8, Stop> {
    if std::env::var_os(READER).is_some() {
        limit(path);
        return read();
    }
    let Ok(program) = std::env::current_exe() else { return read() };
    let mut reader = Command::new(program);
    let output = reader.args(std::env::args_os().skip(1)).env(READER, "all").stdin(Stdio::null()).output();
    let Ok(output) = output else { return read() };
    let Some(code) = output.status.code() else { return Err(crashed(path, output.status)) };
    say(&String::from_utf8_lossy(&output.stdout));
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    Ok(code as u8)
}

/// Whether this process shall read only what describes a file, and say nothing.
pub(super) fn is_glance() -> bool {
    std::env::var_os(READER).is_some_and(|value| value == GLANCE)
}

/// Lets another process have a look at a file before this one opens it.
///
/// # Errors
/// The file's name where that ended in a crash. What else may be wrong with the file is for this process to tell.
pub fn glance(path: &Path) -> Result<(), Stop> {
    let Ok(program) = std::env::current_exe() else { return Ok(()) };
    let mut reader = Command::new(program);
    reader.arg("verify").arg("--").arg(path).env(READER, GLANCE);
    match reader.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(status) if status.code().is_none() => Err(crashed(path, status)),
        _ => Ok(()),
    }
}

fn crashed(path: &Path, status: ExitStatus) -> Stop {
    let message = format!("cannot be read: it makes the HDF5 library fail ({status})");
    machine(Problem::of(&path.display().to_string(), message).help("the file is damaged, or was made to do harm"))
}

/// Bounds for the process that reads; where one is lower already, it stays.
fn limit(path: &Path) {
    let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let seconds = SECONDS_MAX + bytes / BYTES_A_SECOND;
    for (what, most) in [(Resource::Data, MEMORY_MAX), (Resource::Cpu, seconds), (Resource::Core, 0)] {
        let _ = setrlimit(what, Rlimit { current: Some(most), maximum: Some(most) });
    }
}

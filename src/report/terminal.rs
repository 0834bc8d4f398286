//! The terminal that a person looks at, if there is one.
//!
//! mpirun gives its ranks pipes and passes on what they write, so a rank sees no terminal; but if mpirun
//! itself writes errors to one, that is where a progress bar belongs.

use std::fs::{self, File};
use std::io::IsTerminal as _;
use std::os::unix::fs::FileTypeExt as _;

use console::Term;

/// The launchers that pass on what their ranks write.
const LAUNCHERS: [&str; 5] = ["mpirun", "mpiexec", "orterun", "prterun", "mpiexec.hydra"];

/// Where standard error ends up, if that is a terminal.
pub(super) fn of_errors() -> Option<Term> {
    if std::io::stderr().is_terminal() {
        return Some(Term::buffered_stderr());
    }
    let parent = rustix::process::getppid()?.as_raw_nonzero();
    let name = fs::read_to_string(format!("/proc/{parent}/comm")).ok()?;
    if !LAUNCHERS.contains(&name.trim()) {
        return None;
    }
    let path = fs::read_link(format!("/proc/{parent}/fd/2")).ok()?;
    if !fs::metadata(&path).ok()?.file_type().is_char_device() {
        return None;
    }
    let write = File::options().write(true).open(&path).ok()?;
    let read = File::open(&path).ok()?;
    write.is_terminal().then(|| Term::read_write_pair(read, write))
}

//! System calls that fail on one rank: `shim.c`, compiled here and loaded into the program before its libraries.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::case::{Case, PROGRAM};
use crate::launch::{self, LIMIT, Outcome};

/// Numbers of errors, and what the system says of them.
pub(crate) const EIO: (i32, &str) = (5, "Input/output error");
pub(crate) const EACCES: (i32, &str) = (13, "Permission denied");
pub(crate) const ENOSPC: (i32, &str) = (28, "No space left on device");

/// Which call fails, and where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    pub(crate) rank: usize,
    /// open, read, write, sync or rename.
    pub(crate) call: &'static str,
    /// The end of the file's path.
    pub(crate) path: &'static str,
    pub(crate) error: (i32, &'static str),
    /// So many such calls go well before.
    pub(crate) after: u32,
}

/// The compiled shim; there is a C compiler wherever MPI is.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("faults-shim-{}.so", std::process::id()));
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&library);
        let done = compiler.args(["tests/faults/shim.c", "-ldl"]).status().expect("there is a C compiler");
        assert!(done.success());
        library
    })
}

/// Flies with a fault.
pub(crate) fn fly(case: &Case, ranks: usize, arguments: &[&str], fault: Fault) -> Outcome {
    let mut job = Command::new("mpirun");
    job.args(["-n", &ranks.to_string()]);
    for (name, value) in [
        ("LD_PRELOAD", library().display().to_string()),
        ("FAULT_RANK", fault.rank.to_string()),
        ("FAULT_CALL", fault.call.to_owned()),
        ("FAULT_PATH", fault.path.to_owned()),
        ("FAULT_ERRNO", fault.error.0.to_string()),
        ("FAULT_AFTER", fault.after.to_string()),
    ] {
        job.args(["-x", &format!("{name}={value}")]); // the ranks alone get it, mpirun does not
    }
    job.arg(PROGRAM).current_dir(case.folder.path()).args(arguments);
    launch::environment(&mut job, case.folder.path());
    launch::finish(&mut job, &case.path("log"), LIMIT)
}

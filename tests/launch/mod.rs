//! Starts jobs under `mpirun` and ends them in time: a job that hangs is a red test, not a stuck one.
#![allow(clippy::unwrap_used, dead_code)] // helpers of several tests, each using some

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The time a job may take, on a loaded machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// With this exit code.
    Exit(i32),
    /// By a signal.
    Signal,
    /// Not in time.
    Hung,
}

/// What a job left.
pub(crate) struct Outcome {
    pub(crate) code: Code,
    /// Standard output and standard error, as they came.
    pub(crate) text: String,
    pub(crate) took: Duration,
}

/// `mpirun -n RANKS PROGRAM`, with what a container, root and few cores need; add arguments and finish it.
pub(crate) fn mpirun(ranks: usize, program: &Path, folder: &Path) -> Command {
    let mut job = Command::new("mpirun");
    job.args(["-n", &ranks.to_string()]).arg(program);
    environment(&mut job, folder);
    job
}

/// The variables that scripts/setup sets, and a temporary folder that goes with the test's.
pub(crate) fn environment(job: &mut Command, folder: &Path) {
    job.env("TMPDIR", folder)
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .env("OMPI_MCA_hwloc_base_binding_policy", "none")
        .env("OMPI_MCA_plm", "isolated")
        .env("OMPI_MCA_mpi_yield_when_idle", "1")
        // Killed ranks leave their shared memory behind: here, it goes with the folder.
        .env("OMPI_MCA_btl_vader_backing_directory", folder)
        .env("RUST_BACKTRACE", "0");
}

/// Runs a command to its end or to the limit; then it and its ranks are killed.
pub(crate) fn finish(job: &mut Command, log: &Path, limit: Duration) -> Outcome {
    let start = Instant::now();
    let out = File::create(log).unwrap();
    let error = out.try_clone().unwrap();
    let mut job =
        job.stdin(Stdio::null()).stdout(out).stderr(error).process_group(0).spawn().expect("the program starts");
    let status = loop {
        if let Some(status) = job.try_wait().unwrap() {
            break Some(status);
        }
        if start.elapsed() > limit {
            let pid = rustix::process::Pid::from_child(&job);
            // mpirun passes SIGTERM on to its ranks; what is left then goes with the group.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
            std::thread::sleep(Duration::from_secs(4));
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
            job.wait().unwrap();
            break None;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let took = start.elapsed();
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let code = status.map_or(Code::Hung, |status| status.code().map_or(Code::Signal, Code::Exit));
    Outcome { code, text, took }
}

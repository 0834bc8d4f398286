//! A real Slurm for the tests of one process, with pretended nodes, and jobs on it.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, Once, Weak};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::case::{Case, PROGRAM};
use crate::launch::{self, Code};

/// What is needed of Slurm.
const PROGRAMS: [&str; 6] = ["munged", "slurmctld", "slurmd", "sbatch", "srun", "scontrol"];
/// Set where the tests must not be skipped.
const NEEDED: &str = "SWEEP_MPI_NEEDS_SLURM";
/// The time a command of Slurm may take.
const SOON: Duration = Duration::from_secs(60);

/// A cluster of two pretended nodes with 16 CPUs each; it ends with its last user.
pub(crate) struct Cluster {
    folder: TempDir,
}

static RUNNING: Mutex<Weak<Cluster>> = Mutex::new(Weak::new());

/// The cluster of this process, or none where Slurm is not installed.
pub(crate) fn cluster() -> Option<Arc<Cluster>> {
    static TOLD: Once = Once::new();
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&folders).chain(["/usr/sbin".into()]).collect();
    let missing: Vec<&str> =
        PROGRAMS.into_iter().filter(|name| !folders.iter().any(|folder| folder.join(name).exists())).collect();
    if !missing.is_empty() {
        let missing = missing.join(", ");
        assert!(std::env::var(NEEDED).as_deref() != Ok("1"), "{NEEDED}=1, and these are missing: {missing}");
        // past the harness, which keeps what tests that pass print
        TOLD.call_once(|| {
            let _ = writeln!(std::io::stderr(), "skipped, since Slurm is not installed ({missing} missing)");
        });
        return None;
    }
    let mut running = RUNNING.lock().unwrap();
    if let Some(cluster) = running.upgrade() {
        return Some(cluster);
    }
    let cluster = Arc::new(Cluster { folder: TempDir::new().unwrap() });
    let (code, told) = cluster.script("start");
    assert_eq!(code, Code::Exit(0), "{told}");
    *running = Arc::downgrade(&cluster);
    Some(cluster)
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let (code, told) = self.script("stop");
        assert!(code == Code::Exit(0) || std::thread::panicking(), "{code:?} {told}");
    }
}

impl Cluster {
    fn script(&self, word: &str) -> (Code, String) {
        let mut job = Command::new("slurm/local-cluster.sh");
        plain(&mut job);
        job.arg(word).arg(self.folder.path());
        let outcome = launch::finish(&mut job, &self.folder.path().join(word), SOON);
        (outcome.code, outcome.text)
    }

    /// A command of Slurm in this folder: its exit code and what it prints.
    fn command(&self, folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> (Code, String) {
        static NUMBER: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut job = Command::new(arguments[0]);
        plain(&mut job);
        job.args(&arguments[1..]).current_dir(folder).envs(variables.iter().copied());
        job.env("SLURM_CONF", self.folder.path().canonicalize().unwrap().join("slurm.conf"))
            .env("SWEEP_MPI", PROGRAM)
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        let log = self.folder.path().join(format!("command-{number}"));
        let outcome = launch::finish(&mut job, &log, SOON);
        (outcome.code, outcome.text)
    }

    /// The last words of its daemons.
    fn words(&self) -> String {
        let mut words = String::new();
        for name in ["slurmctld", "slurmd-node1", "slurmd-node2"] {
            let text = fs::read_to_string(self.folder.path().join(format!("log/{name}.log"))).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            let _ = writeln!(words, "{name}:\n{}", lines[lines.len().saturating_sub(15)..].join("\n"));
        }
        words
    }

    /// `sbatch OPTIONS slurm/FILE ARGUMENTS` in the folder of the case, under these variables.
    #[track_caller]
    pub(crate) fn submit<'a>(
        self: &'a Arc<Cluster>,
        case: &'a Case,
        line: &str,
        variables: &[(&str, &str)],
    ) -> Job<'a> {
        let root = env!("CARGO_MANIFEST_DIR");
        let line = line.replace("slurm/", &format!("{root}/slurm/"));
        let arguments: Vec<&str> = ["sbatch", "--parsable"].into_iter().chain(line.split(' ')).collect();
        let (code, told) = self.command(case.folder.path(), &arguments, variables);
        assert_eq!(code, Code::Exit(0), "{line}: {told}");
        Job { cluster: self, case, id: told.trim().to_owned() }
    }
}

/// Without what an outer job, an outer Slurm or scripts/setup have set.
fn plain(job: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let foreign = ["SLURM", "SBATCH_", "SRUN_", "SQUEUE_", "SCANCEL_", "PMI", "OMPI_", "SWEEP_", "PRTE_"];
        if foreign.iter().any(|prefix| text.starts_with(prefix)) {
            job.env_remove(name);
        }
    }
}

/// A job that has been submitted.
pub(crate) struct Job<'a> {
    cluster: &'a Arc<Cluster>,
    case: &'a Case,
    pub(crate) id: String,
}

/// How a job ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) state: String,
    /// Exit code and signal.
    pub(crate) code: String,
    pub(crate) restarts: u32,
    /// Of the last start, s.
    pub(crate) seconds: u64,
}

impl Job<'_> {
    /// What its batch file printed so far.
    pub(crate) fn log(&self) -> String {
        let names = fs::read_dir(self.case.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let end = format!("-{}.log", self.id);
        let log = names.into_iter().find(|path| path.to_string_lossy().ends_with(&end));
        log.and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default()
    }

    pub(crate) fn scancel(&self, options: &[&str]) {
        let arguments: Vec<&str> = ["scancel"].iter().chain(options).copied().chain([self.id.as_str()]).collect();
        let (code, told) = self.cluster.command(self.case.folder.path(), &arguments, &[]);
        assert_eq!(code, Code::Exit(0), "{told}");
    }

    /// What scontrol shows.
    fn shown(&self) -> HashMap<String, String> {
        let arguments = ["scontrol", "show", "job", &self.id];
        let (code, told) = self.cluster.command(self.case.folder.path(), &arguments, &[]);
        assert_eq!(code, Code::Exit(0), "{told}");
        let pairs = told.split_whitespace().filter_map(|word| word.split_once('='));
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// Waits for its end. Slurm lets two minutes pass before a job starts again; here it is told not to. (Within the
    /// same second it would take the new start for the one that has ended.)
    #[track_caller]
    pub(crate) fn end(&self, limit: Duration) -> End {
        let (start, mut is_told) = (Instant::now(), false);
        loop {
            let shown = self.shown();
            let state = shown["JobState"].clone();
            match state.as_str() {
                "PENDING" if shown["Reason"] == "BeginTime" && !is_told => {
                    is_told = true;
                    let job = format!("JobId={}", self.id);
                    // It may have started meanwhile.
                    let arguments = ["scontrol", "update", &job, "StartTime=now+3"];
                    self.cluster.command(self.case.folder.path(), &arguments, &[]);
                }
                "RUNNING" => is_told = false,
                "PENDING" | "COMPLETING" | "CONFIGURING" => {}
                _ => {
                    let time = shown["RunTime"].split(':').map(|part| part.parse::<u64>().unwrap());
                    let seconds = time.fold(0, |sum, part| 60 * sum + part);
                    let restarts = shown["Restarts"].parse().unwrap();
                    return End { state, code: shown["ExitCode"].clone(), restarts, seconds };
                }
            }
            if start.elapsed() > limit {
                self.scancel(&[]);
                panic!("job {} did not end in {limit:?}: {shown:?}\n{}", self.id, self.log());
            }
            std::thread::sleep(Duration::from_millis(500));
        }
    }

    /// Ended with exit code 0, and the file has these bytes.
    #[track_caller]
    pub(crate) fn completes(&self, limit: Duration, sha256: &[u8]) -> End {
        let end = self.end(limit);
        let good = end.state == "COMPLETED" && end.code == "0:0";
        assert!(good, "job {}: {end:?}\n{}\n{}", self.id, self.log(), self.cluster.words());
        assert_eq!(self.case.sha256("out.h5"), sha256, "{}", self.log());
        end
    }
}

//! The batch files of slurm/, submitted unchanged to a real Slurm: to the end, back into the queue, cancelled, out of
//! time, in slices. The finished file has the bytes of an unbroken sweep.
#![allow(clippy::unwrap_used)] // helpers of tests

mod case;
mod cluster;
mod launch;

use std::fs;
use std::time::{Duration, Instant};

use case::Case;
use cluster::{Job, cluster};
use sweep_mpi::store::Reader;

/// The time a job may take that takes some seconds.
const SHORT: Duration = Duration::from_secs(90);
/// The time a job may take that takes a minute or two.
const LONG: Duration = Duration::from_secs(300);

/// Runs that sleep for 0.1 s each, and the bytes of their unbroken sweep.
fn sleeping(runs: u64) -> (Case, Vec<u8>) {
    let workload = "kind = \"mock\"\ntask = \"sleep\"\nseconds = 0.1";
    let case = Case::of_workload(workload, &format!("x = {{ linspace = [0, 1, {runs}] }}"));
    let text = fs::read_to_string(case.path("config.toml")).unwrap();
    case.config(&(text + "[checkpoint]\ninterval_s = 1\n"));
    case.flies(9, &["config.toml", "-q"]);
    let bytes = case.sha256("out.h5");
    for name in case.left() {
        fs::remove_file(case.path(&name)).unwrap();
    }
    (case, bytes)
}

/// How many runs of the unfinished file are left, and how many are ok.
fn partial(case: &Case) -> (u64, u64) {
    let reader = Reader::open(&case.path("out.h5.partial")).unwrap();
    assert_eq!(reader.verify_row_crc().unwrap(), Vec::<u64>::new());
    let counts = reader.status_counts().unwrap().0;
    (counts[0], counts[1])
}

/// Waits until a run is in the file.
#[track_caller]
fn begun(case: &Case, job: &Job) {
    let start = Instant::now();
    let read = || Reader::open(&case.path("out.h5.partial")).and_then(|reader| reader.status(0, reader.runs()));
    while !read().is_ok_and(|status| status.contains(&1)) {
        assert!(start.elapsed() < SHORT, "job {} flies nothing:\n{}", job.id, job.log());
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn mpi_slurm_flies_a_sweep_to_its_end() {
    let Some(cluster) = cluster() else { return };
    let (case, unbroken) = sleeping(100);
    for (line, launcher) in [
        ("-n 9 slurm/production.sbatch config.toml", "srun"),
        ("-n 3 --cpus-per-task=2 slurm/production.sbatch config.toml", "srun"),
        ("-n 4 slurm/production.sbatch config.toml", "mpirun"),
        ("--nodes=2 --ntasks-per-node=2 --cpus-per-task=3 slurm/hybrid.sbatch config.toml", "srun"),
        ("-n 3 slurm/requeue.sbatch config.toml", "srun"),
    ] {
        let job = cluster.submit(&case, line, &[("SWEEP_LAUNCH", launcher)]);
        let end = job.completes(SHORT, &unbroken);
        assert_eq!(end.restarts, 0, "{line}");
        fs::remove_file(case.path("out.h5")).unwrap();
    }
    for line in [
        "slurm/merge.sbatch",
        "-n 2 slurm/production.sbatch",
        "-n 2 slurm/requeue.sbatch",
        "-n 2 --array=1 slurm/array.sbatch",
        "--nodes=1 --ntasks-per-node=1 slurm/hybrid.sbatch",
    ] {
        let job = cluster.submit(&case, line, &[]);
        assert_eq!(job.end(SHORT).code, "2:0", "{line}, without a config:\n{}", job.log());
    }
}

#[test]
fn mpi_slurm_the_limit_of_time_sends_a_job_back_into_the_queue_until_it_is_done() {
    let Some(cluster) = cluster() else { return };
    // Slurm looks at its clock every 30 s, and sends the signal 5 to 35 s after a start: 70 s take at least three.
    let (case, unbroken) = sleeping(1400);
    let job = cluster.submit(&case, "-n 3 --time=1 --signal=B:USR1@25 slurm/requeue.sbatch config.toml", &[]);
    let end = job.completes(LONG, &unbroken);
    let log = job.log();
    assert!(end.restarts >= 2, "{end:?}\n{log}");
    let restarts = end.restarts as usize;
    assert_eq!(log.matches("back into the queue").count(), restarts, "{log}");
    assert_eq!(log.matches("interrupted by SIGUSR1: no more runs are begun").count(), restarts, "{log}");
    assert_eq!(log.matches("1 400 runs ok").count(), 0, "it went on, it did not begin again:\n{log}");
}

#[test]
fn mpi_slurm_scancel_ends_a_job_that_the_next_one_goes_on_with() {
    let Some(cluster) = cluster() else { return };
    let (case, unbroken) = sleeping(200);
    for launcher in ["srun", "mpirun"] {
        let variables = [("SWEEP_LAUNCH", launcher)];
        let job = cluster.submit(&case, "-n 3 slurm/requeue.sbatch config.toml", &variables);
        begun(&case, &job);
        job.scancel(&[]);
        let end = job.end(SHORT);
        assert_eq!((end.state.as_str(), end.restarts), ("CANCELLED", 0), "{end:?}\n{}", job.log());
        let (left, ok) = partial(&case);
        assert!(left > 0 && ok > 0, "{left} left, {ok} ok");
        if launcher == "srun" {
            assert!(job.log().contains(&format!("{left} runs are left, --resume flies them")), "{}", job.log());
        }
        let job = cluster.submit(&case, "-n 5 slurm/production.sbatch config.toml --resume", &variables);
        job.completes(SHORT, &unbroken);
        assert!(job.log().contains(&format!("reused {ok}, flew {left}")), "{}", job.log());
        fs::remove_file(case.path("out.h5")).unwrap();
    }
}

#[test]
fn mpi_slurm_a_signal_by_hand_sends_a_job_back_into_the_queue() {
    let Some(cluster) = cluster() else { return };
    let (case, unbroken) = sleeping(200);
    for launcher in ["srun", "mpirun"] {
        let job = cluster.submit(&case, "-n 3 slurm/requeue.sbatch config.toml", &[("SWEEP_LAUNCH", launcher)]);
        begun(&case, &job);
        job.scancel(&["--signal=USR1", "--batch"]);
        let end = job.completes(SHORT, &unbroken);
        assert_eq!(end.restarts, 1, "{launcher}: {end:?}\n{}", job.log());
        fs::remove_file(case.path("out.h5")).unwrap();
        // as often as allowed, and no more
        let variables = [("SWEEP_LAUNCH", launcher), ("SWEEP_REQUEUES", "0")];
        let job = cluster.submit(&case, "-n 3 slurm/requeue.sbatch config.toml", &variables);
        begun(&case, &job);
        job.scancel(&["--signal=USR1", "--batch"]);
        let end = job.end(SHORT);
        assert_eq!((end.code.as_str(), end.restarts), ("4:0", 0), "{launcher}: {end:?}\n{}", job.log());
        fs::remove_file(case.path("out.h5.partial")).unwrap();
    }
}

#[test]
fn mpi_slurm_the_end_of_the_job_is_obeyed() {
    let Some(cluster) = cluster() else { return };
    let (case, unbroken) = sleeping(1400);
    let job = cluster.submit(&case, "-n 3 --time=1 slurm/production.sbatch config.toml", &[]);
    let end = job.end(LONG);
    assert_eq!((end.state.as_str(), end.code.as_str()), ("FAILED", "4:0"), "{end:?}\n{}", job.log());
    assert!((30..=60).contains(&end.seconds), "{end:?}");
    assert!(job.log().contains("interrupted: the job's time is up: no more runs are begun"), "{}", job.log());
    let (left, ok) = partial(&case);
    assert!(left > 0 && ok > 300, "{left} left, {ok} ok");
    cluster.submit(&case, "-n 9 slurm/production.sbatch config.toml --resume", &[]).completes(SHORT, &unbroken);
}

#[test]
fn mpi_slurm_slices_are_merged() {
    let Some(cluster) = cluster() else { return };
    let (case, unbroken) = sleeping(202);
    let array = cluster.submit(&case, "-n 3 slurm/array.sbatch config.toml", &[]);
    let line = format!("--dependency=afterany:{} slurm/merge.sbatch out.h5", array.id);
    let merge = cluster.submit(&case, &line, &[]);
    merge.completes(SHORT, &unbroken);
    for slice in 1..=4 {
        let reader = Reader::open(&case.path(&format!("out.{slice}-of-4.h5"))).unwrap();
        assert_eq!(reader.status_counts().unwrap().0[1], reader.runs());
    }
    // A slice that is missing is told, and flown alone.
    fs::remove_file(case.path("out.h5")).unwrap();
    fs::remove_file(case.path("out.3-of-4.h5")).unwrap();
    let merge = cluster.submit(&case, "slurm/merge.sbatch out.h5", &[]);
    assert_eq!(merge.end(SHORT).code, "2:0", "{}", merge.log());
    let array = cluster.submit(&case, "-n 3 --array=3 slurm/array.sbatch config.toml", &[("SLICES", "4")]);
    assert_eq!(array.end(SHORT).state, "COMPLETED");
    cluster.submit(&case, "slurm/merge.sbatch out.h5", &[]).completes(SHORT, &unbroken);
}

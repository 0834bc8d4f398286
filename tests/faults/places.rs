//! Places where no result file can be, and jobs that get in each other's way: refused before any work, by all ranks.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::case::{Case, PROGRAM};
use crate::launch::{self, Code, LIMIT};
use crate::process::ranks;

#[test]
fn mpi_what_is_no_file_is_refused() {
    let case = Case::sma(10);
    fs::create_dir(case.path("folder.h5")).unwrap();
    assert!(Command::new("mkfifo").arg(case.path("pipe.h5")).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/null", case.path("link.h5")).unwrap();
    fs::write(case.path("file"), "").unwrap();
    let inputs = ["config.toml", "leo.script"].map(|name| case.sha256(name));
    let no_file = "is not a file: nothing can be written there";
    for (output, part) in [
        ("folder.h5", no_file),
        ("pipe.h5", no_file),
        ("/dev/null", no_file),
        ("link.h5", no_file),
        ("config.toml", "config.toml: is an input of this sweep"),
        ("leo.script", "leo.script: is an input of this sweep"),
        ("none/out.h5", "the folder of the result file does not exist"),
        ("file/out.h5", "the folder of the result file does not exist"),
    ] {
        for (ranks, more) in [(0, "--overwrite"), (3, "--overwrite"), (2, "--resume=auto")] {
            case.refused(ranks, &["config.toml", "--output", output, more], &[part]);
        }
    }
    assert_eq!(["config.toml", "leo.script"].map(|name| case.sha256(name)), inputs);
    assert_eq!(case.left(), [] as [&str; 0]);
}

#[test]
fn mpi_a_second_job_on_the_same_file_is_refused() {
    let case = Case::of_workload("kind = \"mock\"\ntask = \"sleep\"\nseconds = 0.02", "x = { linspace = [0, 1, 600] }");
    let mut first = launch::mpirun(3, PROGRAM.as_ref(), case.folder.path());
    first.current_dir(case.folder.path()).args(["config.toml", "-q"]).env("SLURM_JOB_ID", "4711");
    let log = case.path("first");
    let first = std::thread::spawn(move || launch::finish(&mut first, &log, LIMIT));
    let start = Instant::now();
    while !case.path("out.h5.partial").exists() && start.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let (_, leader) = ranks(case.folder.path())[0];
    let holder = format!("out.h5.lock is held by process {} on ", leader.as_raw_nonzero());
    for (ranks, more) in [(0, "--overwrite"), (2, "--overwrite"), (2, "--resume")] {
        case.refused(ranks, &["config.toml", more], &[&holder, "(Slurm job 4711)"]);
    }
    let first = first.join().unwrap();
    assert_eq!(first.code, Code::Exit(0), "{}", first.text);
    assert_eq!(case.reader().status_counts().unwrap().0[1], 600);
    assert_eq!(case.left(), ["out.h5", "out.h5.log.json"]);
}

#[test]
fn cli_three_singletons_of_one_step_are_refused() {
    // as srun starts them where it gives no PMI that the library understands
    let case = Case::sma(10);
    let jobs: Vec<_> = (0..3)
        .map(|number: u8| {
            let mut job = Command::new(PROGRAM);
            job.current_dir(case.folder.path()).arg("config.toml");
            job.env("SLURM_NTASKS", "3").env("SLURM_PROCID", number.to_string());
            launch::environment(&mut job, case.folder.path());
            let log = case.path(&format!("log{number}"));
            std::thread::spawn(move || launch::finish(&mut job, &log, LIMIT))
        })
        .collect();
    for job in jobs {
        let ended = job.join().unwrap();
        assert_eq!(ended.code, Code::Exit(2), "{}", ended.text);
        assert!(ended.text.contains("SLURM_NTASKS says 3 tasks"), "{}", ended.text);
        assert!(ended.text.contains("--mpi=pmix"), "{}", ended.text);
    }
    assert_eq!(case.left(), [] as [&str; 0]);
}

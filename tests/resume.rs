//! A sweep that ends early and goes on: signals, the clock, a silent rank, another plan, damaged rows. Through the built
//! program under `mpirun`; the finished file has the bytes of an unbroken sweep.
#![allow(clippy::unwrap_used)] // helpers of tests

mod case;
mod launch;

use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use case::Case;
use launch::{Code, Outcome};
use rustix::process::{Pid, Signal, kill_process};
use sweep_mpi::store::Reader;

/// Runs that sleep for a while each, and one axis.
fn sleeping(seconds: f64, runs: u64) -> Case {
    let workload = format!("kind = \"mock\"\ntask = \"sleep\"\nseconds = {seconds}");
    Case::of_workload(&workload, &format!("x = {{ linspace = [0, 1, {runs}] }}"))
}

/// The job's `mpirun` (none) or one of its ranks, found by its folder.
fn process(folder: &Path, rank: Option<usize>) -> Option<Pid> {
    let folder = folder.canonicalize().unwrap();
    fs::read_dir("/proc").unwrap().find_map(|entry| {
        let entry = entry.unwrap().path();
        if fs::read_link(entry.join("cwd")).ok()? != folder {
            return None;
        }
        let read = |name: &str| Some(String::from_utf8_lossy(&fs::read(entry.join(name)).ok()?).into_owned());
        let program = read("cmdline")?;
        let found = match rank {
            None => program.starts_with("mpirun"),
            Some(rank) => {
                let rank = format!("OMPI_COMM_WORLD_RANK={rank}");
                program.starts_with(case::PROGRAM) && read("environ")?.split('\0').any(|variable| variable == rank)
            }
        };
        let pid = entry.file_name()?.to_str()?.parse().ok()?;
        if found { Pid::from_raw(pid) } else { None }
    })
}

/// Flies, and sends signals to `mpirun` or a rank once a row is in the file.
fn signalled(case: &Case, ranks: usize, arguments: &[&str], to: Option<usize>, signals: &[Signal]) -> Outcome {
    signalled_after(1, case, ranks, arguments, to, signals)
}

/// The same once so many rows are in the file.
fn signalled_after(
    rows: usize,
    case: &Case,
    ranks: usize,
    arguments: &[&str],
    to: Option<usize>,
    signals: &[Signal],
) -> Outcome {
    let (folder, signals) = (case.folder.path().to_owned(), signals.to_vec());
    let partial = case.path("out.h5.partial");
    let sender = std::thread::spawn(move || {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(40) {
            std::thread::sleep(Duration::from_millis(50));
            let begun = Reader::open(&partial).and_then(|reader| reader.status(0, reader.runs()));
            if begun.is_ok_and(|status| status.iter().filter(|status| **status == 1).count() >= rows)
                && let Some(pid) = process(&folder, to)
            {
                for signal in signals {
                    let _ = kill_process(pid, signal);
                    std::thread::sleep(Duration::from_millis(700));
                }
                return;
            }
        }
    });
    let outcome = case.mpirun(ranks, arguments);
    sender.join().unwrap();
    outcome
}

fn partial(case: &Case) -> (u64, u64) {
    let reader = Reader::open(&case.path("out.h5.partial")).unwrap();
    assert_eq!(reader.verify_row_crc().unwrap(), Vec::<u64>::new());
    let counts = reader.status_counts().unwrap().0;
    (counts[0], counts[1])
}

const OFTEN: &str = "\n[checkpoint]\ninterval_s = 0.1\n";

fn often(case: &Case) {
    let text = fs::read_to_string(case.path("config.toml")).unwrap();
    case.config(&(text + OFTEN));
}

#[test]
fn mpi_a_signal_ends_a_sweep_that_is_resumed_on_other_ranks() {
    let case = sleeping(0.02, 400);
    often(&case);
    case.flies(9, &["config.toml", "-q"]);
    let unbroken = case.sha256("out.h5");
    for (ranks, to, signal, code) in [
        (3, None, Signal::USR1, Code::Exit(4)),
        (5, None, Signal::USR2, Code::Exit(4)),
        // a worker that hands back all that it is given, faster than the leader looks around
        (9, Some(5), Signal::USR1, Code::Exit(4)),
        // mpirun calls a job that it was told to end failed, whatever the ranks say
        (3, None, Signal::TERM, Code::Exit(1)),
        (3, Some(0), Signal::TERM, Code::Exit(4)),
        (3, Some(2), Signal::INT, Code::Exit(4)),
        (2, Some(1), Signal::USR1, Code::Exit(4)),
        (1, Some(0), Signal::USR1, Code::Exit(4)),
    ] {
        fs::remove_file(case.path("out.h5")).unwrap();
        let ended = signalled(&case, ranks, &["config.toml"], to, &[signal]);
        let what = format!("{ranks} ranks, {to:?}, {signal:?}:\n{}", ended.text);
        assert_eq!(ended.code, code, "{what}");
        assert_eq!(ended.text.matches("no more runs are begun; --resume goes on from here").count(), 1, "{what}");
        let (left, ok) = partial(&case);
        assert!(left > 0 && ok > 0, "{left} left, {ok} ok, {what}");
        if code == Code::Exit(4) {
            assert_eq!(ended.text.matches(&format!("{left} runs are left, --resume flies them")).count(), 1, "{what}");
        }
        assert_eq!(case.left(), ["out.h5.log.json", "out.h5.partial"], "{what}");
        let told = case.flies(9, &["config.toml", "--resume"]);
        assert!(told.contains(&format!("reused {ok}, flew {left}")), "{told}");
        assert_eq!(case.sha256("out.h5"), unbroken, "{what}");
    }
}

#[test]
fn mpi_threads_drop_what_they_fly_too() {
    let case = sleeping(30.0, 8);
    // short runs before the long ones: when these are in the file only long ones fly
    case.config(
        "[workload]\nkind = \"command\"\nargv = [\"sleep\", \"{x}\"]\nkeep = \"never\"\n[design]\nkind = \"grid\"\n\
         axes = { x = { values = [0, 0, 0, 0, 50, 50, 50, 50] } }\n[output]\nfile = \"out.h5\"\n\
         [checkpoint]\nrows = 1\n",
    );
    for ranks in [1, 3] {
        let ended = signalled_after(4, &case, ranks, &["config.toml"], Some(0), &[Signal::TERM]);
        assert_eq!(ended.code, Code::Exit(4), "{}", ended.text);
        assert_eq!(partial(&case), (4, 4), "the programs that ran are ended, and not run");
        fs::remove_file(case.path("out.h5.partial")).unwrap();
    }
    let long = sleeping(45.0, 9);
    for arguments in [&["config.toml", "--threads", "2"][..], &["config.toml"]] {
        let folder = long.folder.path().to_owned();
        let sender = std::thread::spawn(move || {
            let start = Instant::now();
            while start.elapsed() < Duration::from_secs(30) {
                std::thread::sleep(Duration::from_millis(100));
                // a worker alone is told: the leader passes it on to the other, which sleeps
                if let Some(pid) = process(&folder, Some(1)).filter(|_| folder.join("out.h5.partial").exists()) {
                    std::thread::sleep(Duration::from_secs(2));
                    return kill_process(pid, Signal::TERM).unwrap();
                }
            }
        });
        let ended = long.mpirun(3, arguments);
        sender.join().unwrap();
        assert_eq!(ended.code, Code::Exit(4), "{}", ended.text);
        assert!(ended.text.contains("9 runs are left"), "{}", ended.text);
        fs::remove_file(long.path("out.h5.partial")).unwrap();
    }
}

#[test]
fn mpi_a_second_signal_ends_at_once() {
    let case = sleeping(50.0, 4);
    let folder = case.folder.path().to_owned();
    let sender = std::thread::spawn(move || {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(30) {
            std::thread::sleep(Duration::from_millis(100));
            if let Some(pid) = process(&folder, Some(1)).filter(|_| folder.join("out.h5.partial").exists()) {
                std::thread::sleep(Duration::from_secs(2));
                kill_process(pid, Signal::USR1).unwrap();
                std::thread::sleep(Duration::from_secs(1));
                return kill_process(pid, Signal::USR1).unwrap();
            }
        }
    });
    let ended = case.mpirun(3, &["config.toml"]);
    sender.join().unwrap();
    assert_eq!(ended.code, Code::Exit(4), "{}", ended.text);
    assert!(ended.took < Duration::from_secs(15), "the grace time is not waited for: {:?}", ended.took);
    assert_eq!(partial(&case), (4, 0));
}

#[test]
fn mpi_the_clock_ends_a_sweep_before_its_time() {
    let case = sleeping(0.02, 2000);
    for (ranks, variable) in [(3, false), (1, false), (3, true)] {
        let mut job = launch::mpirun(ranks, Path::new(case::PROGRAM), case.folder.path());
        job.current_dir(case.folder.path()).args(["config.toml", "--overwrite"]);
        if variable {
            let end = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() + 8;
            job.env("SLURM_JOB_END_TIME", end.to_string());
        } else {
            job.args(["--max-time", "0:07"]);
        }
        let ended = launch::finish(&mut job, &case.path("log"), launch::LIMIT);
        assert_eq!(ended.code, Code::Exit(4), "{}", ended.text);
        assert_eq!(ended.text.matches("interrupted: the job's time is up").count(), 2, "{}", ended.text);
        let (left, ok) = partial(&case);
        assert!(left > 0 && ok > 50, "{left} left, {ok} ok");
    }
}

#[test]
fn mpi_a_silent_rank_ends_the_job() {
    let case = sleeping(0.02, 5000);
    often(&case);
    let folder = case.folder.path().to_owned();
    let ended = signalled(&case, 3, &["config.toml", "--hang-timeout", "4"], Some(2), &[Signal::STOP]);
    // the launcher's SIGKILL reaches a stopped process as well
    assert_eq!(ended.code, Code::Exit(3), "{}", ended.text);
    assert!(ended.text.contains("rank 2 has been silent for 4 s"), "{}", ended.text);
    assert!(ended.text.contains("aborted after --hang-timeout; --resume goes on"), "{}", ended.text);
    assert_eq!(process(&folder, Some(2)), None);
    let (left, ok) = partial(&case);
    assert!(left > 0 && ok > 0);
}

#[test]
fn mpi_auto_begins_goes_on_and_finds_nothing_to_do() {
    let case = sleeping(0.02, 300);
    often(&case);
    let arguments = ["config.toml", "--resume=auto"];
    let ended = signalled(&case, 3, &arguments, None, &[Signal::USR1]);
    assert_eq!(ended.code, Code::Exit(4), "{}", ended.text);
    assert!(case.flies(2, &arguments).contains("reused"));
    let bytes = case.sha256("out.h5");
    for ranks in [1, 3] {
        let told = case.flies(ranks, &arguments);
        assert!(told.contains("out.h5: all 300 runs are there, nothing to do"), "{told}");
    }
    assert_eq!((case.sha256("out.h5"), case.left()), (bytes, vec!["out.h5".to_owned(), "out.h5.log.json".to_owned()]));
}

#[test]
fn mpi_runs_that_failed_are_flown_again_where_asked() {
    let case =
        Case::of_workload("kind = \"expression\"\noutputs = { f = \"1 / (x - 2)\" }", "x = { linspace = [0, 9, 10] }");
    assert_eq!(case.mpirun(3, &["config.toml", "-q"]).code, Code::Exit(1));
    let unbroken = case.sha256("out.h5");
    for (retry, told) in [("none", "nothing to do"), ("timeout", "nothing to do"), ("failed", "reused 9, flew 1")] {
        let outcome = case.mpirun(2, &["config.toml", "--resume", "--retry", retry]);
        assert_eq!(outcome.code, Code::Exit(1), "{}", outcome.text);
        assert!(outcome.text.contains(told), "{retry}: {}", outcome.text);
        assert_eq!(case.sha256("out.h5"), unbroken);
    }
}

#[test]
fn mpi_damaged_rows_are_flown_again() {
    let case = Case::sma(200);
    case.flies(3, &["config.toml", "-q"]);
    let unbroken = case.sha256("out.h5");
    // a bit of the 57th value of a column
    let bytes = fs::read(case.path("out.h5")).unwrap();
    let values = case.column("Sat_EarthMJ2000Eq_X");
    let place = bytes.windows(8).position(|window| window == values[57].to_le_bytes()).unwrap();
    let damage = || {
        let file = fs::OpenOptions::new().write(true).open(case.path("out.h5")).unwrap();
        file.write_all_at(&[bytes[place] ^ 4], place as u64).unwrap();
    };
    damage();
    for ranks in [1, 3] {
        let told = case.flies(ranks, &["config.toml", "--resume"]);
        assert!(told.contains("1 damaged rows are flown again: 57") && told.contains("reused 199, flew 1"), "{told}");
        assert_eq!(case.sha256("out.h5"), unbroken);
        damage();
    }
}

#[test]
fn mpi_what_does_not_belong_together_is_refused() {
    let case = Case::sma(50);
    for ranks in [0, 3] {
        case.refused(ranks, &["config.toml", "--resume"], &["out.h5: there is nothing to resume", "--resume=auto"]);
    }
    case.flies(2, &["config.toml", "-q"]);
    let unbroken = case.sha256("out.h5");
    case.refused(
        3,
        &["config.toml", "--resume", "--set", "Sat.ECC=0.02"],
        &[
            "out.h5: holds a sweep of another plan, so it cannot be resumed",
            "--set Sat.ECC: nothing in the file, 0.02 now",
            "--allow-drift \"reason\"",
        ],
    );
    let script = fs::read_to_string(case.path("leo.script")).unwrap();
    case.script("Sat.ECC = ", "Sat.ECC = 0.01 + 0 * ");
    fs::write(case.path("leo.script"), script.replace("Sat.INC = ", "Sat.INC = 1")).unwrap();
    case.refused(1, &["config.toml", "--resume"], &["the script, Sat.INC: "]);
    fs::write(case.path("leo.script"), format!("% a comment\n{script}")).unwrap();
    let told = case.flies(3, &["config.toml", "--resume"]);
    assert!(told.contains("nothing to do"), "a comment changes no plan: {told}");
    let config = fs::read_to_string(case.path("config.toml")).unwrap();
    case.config(&config.replace("8000.0", "8100.0"));
    case.refused(
        2,
        &["config.toml", "--resume"],
        &["the config, design.axes.Sat.SMA.linspace: [7000.0, 8000.0, 50] in the file"],
    );
    case.config(&config.replace("8000.0, 50", "8000.0, 60"));
    case.refused(2, &["config.toml", "--resume", "--allow-drift", "x"], &["holds a sweep of other runs or columns"]);
    // what is no result file is not touched
    fs::write(case.path("png.h5"), b"\x89PNG\r\n\x1a\n").unwrap();
    case.config(&config);
    for ranks in [0, 3] {
        let parts = ["png.h5: cannot read", "it is not an HDF5 file"];
        case.refused(ranks, &["config.toml", "--resume", "--output", "png.h5"], &parts);
    }
    assert_eq!(fs::read(case.path("png.h5")).unwrap(), b"\x89PNG\r\n\x1a\n");
    assert_eq!(
        (case.sha256("out.h5"), case.left()),
        (unbroken, vec!["out.h5".to_owned(), "out.h5.log.json".to_owned()])
    );
}

#[test]
fn mpi_another_plan_is_mixed_in_with_a_reason_that_the_file_keeps() {
    let case = sleeping(0.02, 300);
    often(&case);
    let ended = signalled(&case, 3, &["config.toml"], None, &[Signal::USR1]);
    assert_eq!(ended.code, Code::Exit(4), "{}", ended.text);
    let config = fs::read_to_string(case.path("config.toml")).unwrap();
    case.config(&config.replace("0.02", "0.001"));
    case.refused(3, &["config.toml", "--resume"], &["the config, workload.seconds: 0.02 in the file, 0.001 now"]);
    let told = case.flies(3, &["config.toml", "--resume", "--allow-drift", "größere Eile"]);
    assert!(told.contains("resumed with another plan (größere Eile)"), "{told}");
    assert_eq!(case.reader().provenance("drift").unwrap().trim_end(), "größere Eile");
    assert_eq!(case.reader().status_counts().unwrap().0[1], 300);
}

#[test]
fn mpi_stages_go_on_where_they_ended() {
    let case = Case::sma(1);
    case.config(
        "[workload]\nkind = \"mock\"\ntask = \"sleep\"\nseconds = 0.005\n\
         [design]\nkind = \"grid\"\naxes = { x = { linspace = [0, 1, 40] } }\n[output]\nfile = \"out.h5\"\n\
         [checkpoint]\ninterval_s = 0.1\n\
         [[stage]]\nname = \"second\"\nset = { y = \"answer\" }\n\
         workload = { kind = \"mock\", task = \"sleep\", seconds = 0.05 }\n",
    );
    let files = |case: &Case| ["out.h5", "out.second.h5"].map(|name| case.sha256(name));
    case.flies(9, &["config.toml", "-q"]);
    let unbroken = files(&case);
    for name in ["out.h5", "out.second.h5"] {
        fs::remove_file(case.path(name)).unwrap();
    }
    let (folder, done) = (case.folder.path().to_owned(), case.path("out.h5"));
    let sender = std::thread::spawn(move || {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(30) {
            std::thread::sleep(Duration::from_millis(50));
            if let Some(pid) = process(&folder, None).filter(|_| done.exists()) {
                std::thread::sleep(Duration::from_millis(300));
                return kill_process(pid, Signal::USR1).unwrap();
            }
        }
    });
    let ended = case.mpirun(3, &["config.toml"]);
    sender.join().unwrap();
    assert_eq!(ended.code, Code::Exit(4), "{}", ended.text);
    assert_eq!(case.left(), ["out.h5", "out.h5.log.json", "out.second.h5.log.json", "out.second.h5.partial"]);
    let told = case.flies(5, &["config.toml", "--resume"]);
    assert!(told.contains("out.h5: all 40 runs are there, nothing to do"), "{told}");
    assert_eq!(files(&case), unbroken);
}

#[test]
fn mpi_a_lost_name_is_given_again() {
    // killed between the last flush round and the naming of the file: nothing to fly, but to name
    let case = Case::sma(60);
    case.flies(2, &["config.toml", "-q"]);
    let unbroken = case.sha256("out.h5");
    let names: [PathBuf; 2] = ["out.h5", "out.h5.partial"].map(|name| case.path(name));
    for ranks in [1, 3] {
        fs::rename(&names[0], &names[1]).unwrap();
        case.refused(
            ranks,
            &["config.toml"],
            &["an unfinished sweep is there (its .partial file)", "--resume goes on with it"],
        );
        let told = case.flies(ranks, &["config.toml", "--resume"]);
        assert!(told.contains("reused 60, flew 0"), "{told}");
        assert_eq!(case.sha256("out.h5"), unbroken);
    }
}

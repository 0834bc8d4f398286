//! `kill -9`: the job ends, what is in the file is right, and `--resume` flies the rest.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use sweep_mpi::report::format::count;
use sweep_mpi::store::Reader;

use crate::case::Case;
use crate::launch::Code;
use crate::process::{kill_after, ranks};

/// How long the rest of a job may live after one of its ranks was killed.
const GONE: Duration = Duration::from_secs(10);
const RUNS: u64 = 30_000;

/// Missions of a day of flight, written every 500 runs.
fn case() -> Case {
    let case = Case::sma(RUNS);
    case.script("TOF = 60;", "TOF = 86400;");
    let text = fs::read_to_string(case.path("config.toml")).unwrap();
    case.config(&(text + "[checkpoint]\nrows = 500\n"));
    case
}

/// All values of a file, column by column.
fn values(file: &Path) -> (Vec<i8>, Vec<Vec<f64>>) {
    let reader = Reader::open(file).unwrap();
    let columns = reader.parameters().iter().chain(reader.outputs());
    let values = columns.map(|column| reader.values(column, 0, reader.runs()).unwrap()).collect();
    (reader.status(0, reader.runs()).unwrap(), values)
}

/// The runs that are ok; each is the same as in the unbroken file.
fn ok_rows(file: &Path, (_, unbroken): &(Vec<i8>, Vec<Vec<f64>>)) -> usize {
    assert_eq!(Reader::open(file).unwrap().verify_row_crc().unwrap(), Vec::<u64>::new());
    let (status, columns) = values(file);
    let mut ok = 0;
    for run in (0..status.len()).filter(|&run| status[run] != 0) {
        assert_eq!(status[run], 1, "run {run}");
        ok += 1;
        for (mine, unbroken) in columns.iter().zip(unbroken) {
            assert_eq!(mine[run].to_bits(), unbroken[run].to_bits(), "run {run}");
        }
    }
    ok
}

#[test]
fn mpi_kills_lose_nothing() {
    let case = case();
    case.flies(2, &["config.toml", "-q"]);
    let (unbroken, bytes) = (values(&case.path("out.h5")), case.sha256("out.h5"));
    assert_eq!(unbroken.0, vec![1; RUNS as usize]);
    let (output, partial) = (case.path("out.h5"), case.path("out.h5.partial"));
    // ranks, who is killed, and after how many runs
    for (size, who, after) in [
        (3, &[1][..], 500),
        (3, &[0], 2_000),
        (3, &[0, 1, 2], 7_500),
        (5, &[4], 11_000),
        (2, &[0], 1),
        (1, &[0], 4_000),
    ] {
        fs::remove_file(&output).unwrap();
        let killer = kill_after(case.folder.path(), &partial, after, who);
        let ended = if size == 1 { case.alone(&["config.toml"]) } else { case.mpirun(size, &["config.toml"]) };
        let now = Instant::now();
        let what = format!("{size} ranks, {who:?} killed:\n{}", ended.text);
        let killed = killer.join().unwrap().unwrap_or_else(|| panic!("never killed, {what}"));
        assert!(now - killed < GONE, "{:?}, {what}", now - killed);
        assert!(!matches!(ended.code, Code::Exit(0) | Code::Hung), "{:?}, {what}", ended.code);
        assert_eq!(ranks(case.folder.path()), [], "{what}");
        let ok = ok_rows(&partial, &unbroken);
        assert!(ok >= after && ok < RUNS as usize, "{ok} ok, {what}");
        case.refused(1, &["config.toml"], &["an unfinished sweep is there", "--resume goes on with it"]);
        let resumed = case.flies(3, &["config.toml", "--resume"]);
        assert!(
            resumed.contains(&format!("reused {}, flew {}", count(ok as u64), count(RUNS - ok as u64))),
            "{resumed}"
        );
        assert_eq!(case.sha256("out.h5"), bytes, "{what}");
    }
    assert_eq!(case.left(), ["out.h5", "out.h5.log.json"]);
}

#[test]
fn mpi_a_kill_while_the_file_is_made_leaves_nothing_in_the_way() {
    // a large file, so that it takes a while until all of it is there
    let case = Case::of_workload("kind = \"mock\"\ntask = \"noop\"", "x = { linspace = [0, 1, 40_000_000] }");
    let (folder, new) = (case.folder.path().to_owned(), case.path("out.h5.partial.new"));
    let killer = std::thread::spawn(move || {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(30) {
            if fs::metadata(&new).is_ok_and(|metadata| metadata.len() > 0) {
                for (_, pid) in ranks(&folder) {
                    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
                }
                return true;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        false
    });
    let ended = case.mpirun(2, &["config.toml"]);
    assert!(killer.join().unwrap(), "{}", ended.text);
    assert_ne!(ended.code, Code::Exit(0));
    assert!(!case.path("out.h5.partial").exists(), "half a file has not the name of one to resume");
    let text = fs::read_to_string(case.path("config.toml")).unwrap();
    case.config(&text.replace("40_000_000", "100"));
    case.flies(2, &["config.toml", "--resume=auto", "-q"]);
    assert_eq!(case.left(), ["out.h5", "out.h5.log.json"]);
}

#[test]
fn mpi_a_killed_rank_leaves_a_hint() {
    // no flush round while it is killed: who waits in one for a rank that is gone cannot speak
    let case =
        Case::of_workload("kind = \"mock\"\ntask = \"sleep\"\nseconds = 0.02", "x = { linspace = [0, 1, 3000] }");
    for (who, hint) in [
        (1, "interrupted by SIGTERM: no more runs are begun; --resume goes on from here"),
        (0, "rank 1: SIGTERM, and rank 0 is silent: --resume goes on from the last flush round"),
    ] {
        let (folder, partial) = (case.folder.path().to_owned(), case.path("out.h5.partial"));
        let killer = std::thread::spawn(move || {
            let start = Instant::now();
            while !partial.exists() && start.elapsed() < Duration::from_secs(30) {
                std::thread::sleep(Duration::from_millis(20));
            }
            std::thread::sleep(Duration::from_secs(2));
            for (_, pid) in ranks(&folder).into_iter().filter(|(rank, _)| *rank == who) {
                rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
            }
        });
        let ended = case.mpirun(3, &["config.toml", "--resume=auto"]);
        killer.join().unwrap();
        assert!(!matches!(ended.code, Code::Exit(0) | Code::Hung), "{:?}", ended.code);
        assert_eq!(ended.text.matches(hint).count(), 1, "{}", ended.text);
        assert_eq!(ended.text.matches("--resume").count(), 1, "{}", ended.text);
        assert!(case.path("out.h5.partial").exists());
    }
}

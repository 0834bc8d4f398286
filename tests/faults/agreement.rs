//! System calls that fail on one rank alone: all ranks end, with one message that names rank, path and cause.
//!
//! Rank 0 reads config, script and data files for all, makes the result file and names it: there only its failures exist.
//! The ephemeris of `[data]` is read by every rank, and so is the result file opened and written. On one machine one rank
//! (0) brings the file to disk for all.

use std::fs;
use std::time::Duration;

use crate::case::Case;
use crate::launch::Code;
use crate::shim::{EACCES, EIO, ENOSPC, Fault, fly};

/// The time in which a job with a failed rank ends.
const GONE: Duration = Duration::from_secs(30);

fn fault(rank: usize, call: &'static str, path: &'static str, error: (i32, &'static str), after: u32) -> Fault {
    Fault { rank, call, path, error, after }
}

/// All ranks end with this code, and the message is there once, with its cause.
#[track_caller]
fn fails(case: &Case, ranks: usize, arguments: &[&str], fault: Fault, code: i32, parts: &[&str]) {
    let ended = fly(case, ranks, arguments, fault);
    let what = format!("{fault:?}, {ranks} ranks:\n{}", ended.text);
    assert_eq!(ended.code, Code::Exit(code), "{what}");
    assert!(ended.took < GONE, "{:?}, {what}", ended.took);
    for part in parts {
        assert_eq!(ended.text.matches(part).count(), 1, "`{part}` once in {what}");
    }
    // in the message, or where the MPI library keeps it for itself, in that one's line before
    assert!(ended.text.contains(fault.error.1), "{what}");
    assert_eq!(crate::process::ranks(case.folder.path()), [], "{what}");
}

/// A kernel with Sun, Moon and Earth at rest from 2020 to 2030: enough to be read.
fn kernel() -> Vec<u8> {
    let (start, years) = (20.0 * 365.25 * 86_400.0, 10.0 * 365.25 * 86_400.0);
    let bodies = [(10, 0, 1.0e5), (3, 0, 1.5e8), (399, 3, -4_670.0), (301, 3, 379_700.0)];
    let mut file = b"DAF/SPK ".to_vec();
    let integers = |file: &mut Vec<u8>, numbers: &[i32]| numbers.iter().for_each(|n| file.extend(n.to_le_bytes()));
    let doubles = |file: &mut Vec<u8>, numbers: &[f64]| numbers.iter().for_each(|n| file.extend(n.to_le_bytes()));
    integers(&mut file, &[2, 6]);
    file.resize(76, 0);
    integers(&mut file, &[2, 2, 0]);
    file.extend(b"LTL-IEEE");
    file.resize(1024, 0);
    doubles(&mut file, &[0.0, 0.0, bodies.len() as f64]);
    // a segment: middle, radius and two terms a coordinate, then its directory of four numbers
    for (number, (target, center, _)) in (0..).zip(bodies) {
        doubles(&mut file, &[start, start + years]);
        let begin = 2 * 128 + number * 12 + 1;
        integers(&mut file, &[target, center, 1, 2, begin, begin + 11]);
    }
    file.resize(2 * 1024, 0);
    for (_, _, x) in bodies {
        doubles(&mut file, &[start + years / 2.0, years / 2.0, x, 0.0, 0.0, 0.0, 0.0, 0.0]);
        doubles(&mut file, &[start, years, 8.0, 1.0]);
    }
    file
}

#[test]
fn mpi_one_rank_cannot_read() {
    let case = Case::sma(5);
    let own = "FM.GravityField.Earth.Degree = 2;\nFM.GravityField.Earth.Order = 0;\n\
               FM.GravityField.Earth.PotentialFile = 'own.cof';";
    case.script("FM.GravityField.Earth.Degree = 0;\nFM.GravityField.Earth.Order = 0;", own);
    fs::copy("data/gravity/JGM3.cof", case.path("own.cof")).unwrap();
    fs::write(case.path("own.bsp"), kernel()).unwrap();
    let config = fs::read_to_string(case.path("config.toml")).unwrap();
    case.config(&(config + "[data]\nephemeris = \"own.bsp\"\n"));
    for (call, error) in [("open", EACCES), ("read", EIO)] {
        let of = |rank, path| fault(rank, call, path, error, 0);
        fails(&case, 3, &["config.toml"], of(0, "config.toml"), 2, &["config.toml: cannot be read: "]);
        fails(&case, 3, &["config.toml"], of(0, "leo.script"), 2, &["the mission script leo.script: cannot be read: "]);
        fails(&case, 3, &["config.toml"], of(0, "own.cof"), 2, &["the potential file `own.cof` cannot be read: "]);
        fails(&case, 3, &["config.toml"], of(0, "own.bsp"), 2, &["the file own.bsp cannot be read: "]);
        fails(&case, 3, &["config.toml"], of(2, "own.bsp"), 2, &["own.bsp: the ephemeris file cannot be read: "]);
        // the reading by all ranks alone, after rank 0 has made the digest
        let after = fault(0, call, "own.bsp", error, if call == "open" { 1 } else { 2 });
        fails(&case, 3, &["config.toml"], after, 2, &["own.bsp: the ephemeris file cannot be read: "]);
        assert_eq!(case.left(), [] as [&str; 0]);
    }
    let ended = fly(&case, 3, &["config.toml"], fault(2, "open", "own.bsp", EIO, 0));
    assert!(
        ended.text.contains("planning: config.toml:11:13: own.bsp") && ended.text.contains("(on rank 2)"),
        "{}",
        ended.text
    );
    case.flies(3, &["config.toml", "-q"]);
}

/// A sweep with a flush round every 100 runs or so.
fn often() -> Case {
    let case =
        Case::of_workload("kind = \"mock\"\ntask = \"sleep\"\nseconds = 0.001", "x = { linspace = [0, 1, 600] }");
    let config = fs::read_to_string(case.path("config.toml")).unwrap();
    case.config(&(config + "[checkpoint]\nrows = 100\n[schedule]\nchunk = 5\n"));
    case
}

#[test]
fn mpi_one_rank_cannot_make_or_open_the_result_file() {
    let case = often();
    let args = &["config.toml"][..];
    fails(&case, 3, args, fault(0, "open", "out.h5.lock", EACCES, 0), 2, &["cannot make the lock file "]);
    fails(&case, 3, args, fault(0, "write", "out.h5.lock", ENOSPC, 0), 2, &["cannot make the lock file "]);
    for after in [0, 1, 9, 25] {
        let full = fault(0, "write", "out.h5.partial.new", ENOSPC, after);
        fails(&case, 3, args, full, 3, &["out.h5.partial.new: "]);
    }
    fails(&case, 3, args, fault(0, "open", "out.h5.partial.new", EACCES, 1), 3, &["out.h5.partial.new: "]);
    fails(&case, 3, args, fault(0, "sync", "out.h5.partial.new", EIO, 0), 3, &["cannot reserve space for "]);
    fails(&case, 3, args, fault(0, "rename", "out.h5.partial", EACCES, 0), 3, &["cannot create "]);
    assert_eq!(case.left(), [] as [&str; 0], "nothing is left of a file that was not made");
    // each rank opens it twice: for itself, then with the others
    for (rank, after) in [(0, 0), (0, 1), (1, 0), (2, 0)] {
        let message = format!("cannot open the file (rank {rank}): cannot open ");
        let ended = fly(&case, 3, args, fault(rank, "open", "out.h5.partial", EACCES, after));
        assert_eq!((ended.code, ended.text.matches(&message).count()), (Code::Exit(3), 1), "{}", ended.text);
        assert_eq!(case.left(), ["out.h5.partial"]);
        fs::remove_file(case.path("out.h5.partial")).unwrap();
    }
    // in the library, where the others wait: a clock ends that
    let ended = fly(&case, 3, &["config.toml", "--hang-timeout", "4"], fault(1, "open", "out.h5.partial", EACCES, 1));
    assert_eq!(ended.code, Code::Exit(3), "{}", ended.text);
    assert!(ended.took < GONE, "{:?}", ended.took);
    assert_eq!(ended.text.matches("out.h5.partial: not opened by all ranks within 4s: aborted").count(), 1);
    case.flies(3, &["config.toml", "--resume", "-q"]);
    fs::remove_file(case.path("out.h5")).unwrap();
    for rank in [0, 1] {
        let part = format!("cannot open the file (rank {rank}): cannot read ");
        fails(&case, 3, args, fault(rank, "read", "out.h5.partial", EIO, 0), 3, &[&part]);
        fs::remove_file(case.path("out.h5.partial")).unwrap();
        // in the library: its own words may be all that is known
        let part = if rank == 0 { "cannot open the file (rank 0): " } else { "cannot open the datasets (rank 1): " };
        let ended = fly(&case, 3, args, fault(rank, "read", "out.h5.partial", EIO, 1));
        assert_eq!((ended.code, ended.text.matches(part).count()), (Code::Exit(3), 1), "{}", ended.text);
        fs::remove_file(case.path("out.h5.partial")).unwrap();
    }
}

#[test]
fn mpi_one_rank_cannot_write() {
    let case = often();
    case.flies(2, &["config.toml", "-q"]);
    let unbroken = case.sha256("out.h5");
    let flush = |rank: usize| format!("cannot flush (rank {rank}): cannot write ");
    let sync = "cannot flush (rank 0): cannot bring to disk ".to_owned();
    // a round is five writes of each rank: four of values, then status
    for (ranks, fault, message, some) in [
        (3, fault(1, "write", "out.h5.partial", ENOSPC, 0), flush(1), false),
        (3, fault(1, "write", "out.h5.partial", EIO, 7), flush(1), true),
        (5, fault(4, "write", "out.h5.partial", ENOSPC, 9), flush(4), true),
        (3, fault(0, "write", "out.h5.partial", EIO, 0), flush(0), false),
        (3, fault(0, "write", "out.h5.partial", ENOSPC, 12), flush(0), true),
        (3, fault(0, "sync", "out.h5.partial", EIO, 0), sync.clone(), false),
        (3, fault(0, "sync", "out.h5.partial", ENOSPC, 1), sync.clone(), true),
        (3, fault(0, "sync", "out.h5.partial", EIO, 4), sync, true),
        (3, fault(0, "rename", "out.h5", EACCES, 0), "cannot rename the result to ".to_owned(), true),
    ] {
        fs::remove_file(case.path("out.h5")).unwrap();
        fails(&case, ranks, &["config.toml"], fault, 3, &[&message, "--resume goes on from the last flush round"]);
        assert!(case.left().contains(&"out.h5.partial".to_owned()) && !case.left().contains(&"out.h5.lock".to_owned()));
        let told = case.flies(2, &["config.toml", "--resume"]);
        assert_eq!(told.contains("reused"), some, "{fault:?}: {told}");
        assert_eq!(case.sha256("out.h5"), unbroken, "{fault:?}");
    }
}

#[test]
fn mpi_rank_0_cannot_write_the_end() {
    // one round, so that the number of writes before each is known: five of the round, then what rank 0 alone writes
    let case = Case::of_workload("kind = \"mock\"\ntask = \"sleep\"\nseconds = 0.001", "x = { linspace = [0, 1, 60] }");
    case.flies(2, &["config.toml", "-q"]);
    let unbroken = case.sha256("out.h5");
    for (after, message) in [
        (4, "cannot flush (rank 0): cannot write status of "),
        (5, "cannot write the failures (rank 0): cannot write failures/run of "),
        (6, "cannot write the failures (rank 0): cannot write failures/message of "),
        (7, "cannot write the failures (rank 0): cannot write failures/count of "),
        (8, "cannot close the file (rank 0): cannot write "),
    ] {
        fs::remove_file(case.path("out.h5")).unwrap();
        fails(&case, 3, &["config.toml"], fault(0, "write", "out.h5.partial", ENOSPC, after), 3, &[message]);
        case.flies(3, &["config.toml", "--resume", "-q"]);
        assert_eq!(case.sha256("out.h5"), unbroken, "{message}");
    }
    // the head of the file, in the library, where the others wait: a clock ends that
    fs::remove_file(case.path("out.h5")).unwrap();
    let ended = fly(&case, 3, &["config.toml", "--hang-timeout", "4"], fault(0, "write", "out.h5.partial", ENOSPC, 9));
    assert_eq!(ended.code, Code::Exit(3), "{}", ended.text);
    assert_eq!(ended.text.matches("out.h5.partial: not closed by all ranks within 4s: aborted").count(), 1);
    case.flies(3, &["config.toml", "--resume", "-q"]);
    assert_eq!(case.sha256("out.h5"), unbroken);
}

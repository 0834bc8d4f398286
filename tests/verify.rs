//! Damaged result files: what `verify` says of them, and that `--resume` mends them or refuses.
#![allow(clippy::unwrap_used)] // helpers of tests

mod case;
mod launch;
mod plans;
mod sample;

use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use case::Case;
use launch::{Code, Outcome};
use sample::mix;
use sweep_mpi::cli::{Command as Typed, Resume, RunArguments};
use sweep_mpi::output;
use sweep_mpi::plan::{Plan, Sources};
use sweep_mpi::report::verify::Verdict;
use sweep_mpi::store::{Layout, Reader, Slice, create_skeleton};

/// 120 runs with reports; every third fails.
fn case() -> Case {
    case_with("1")
}

/// The same, the third eccentricity as given.
fn case_with(eccentricity: &str) -> Case {
    let sma = "\"Sat.SMA\" = { linspace = [7000, 8000, 40] }";
    let axes = format!("axes = {{ {sma}, \"Sat.ECC\" = {{ values = [0.001, 0.01, {eccentricity}] }} }}");
    Case::new(&format!("kind = \"grid\"\n{axes}"), "rows = { max = 4 }", "")
}

/// The bytes of its finished file.
fn unbroken() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let case = case();
        let outcome = case.alone(&["config.toml", "-q"]);
        assert_eq!(outcome.code, Code::Exit(1), "{}", outcome.text);
        fs::read(case.path("out.h5")).unwrap()
    })
}

fn verify(case: &Case, name: &str) -> Outcome {
    let outcome = case.alone(&["verify", name]);
    assert!(!outcome.text.contains("panic"), "{}", outcome.text);
    outcome
}

/// What `verify` says, with its exit code.
#[track_caller]
fn says(case: &Case, name: &str, code: i32, text: &str) {
    let outcome = verify(case, name);
    assert_eq!((outcome.code, outcome.text.as_str()), (Code::Exit(code), text));
}

/// Where the numbers of a dataset begin in the file.
fn place(path: &Path, name: &str) -> u64 {
    // another process: this one's store has its own settings of the library
    let told = Command::new("h5dump").args(["-p", "-H", "-d", name]).arg(path).output().unwrap();
    let told = String::from_utf8(told.stdout).unwrap();
    let offset = told.split("OFFSET ").nth(1).unwrap_or_else(|| panic!("{name}: {told}"));
    offset.split_whitespace().next().unwrap().parse().unwrap()
}

/// Changes a byte of a file.
fn flip(path: &Path, place: u64, bits: u8) {
    let file = fs::OpenOptions::new().read(true).write(true).open(path).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, place).unwrap();
    file.write_all_at(&[byte[0] ^ bits], place).unwrap();
}

#[test]
fn cli_verify_counts_what_is_there_and_names_what_is_lost() {
    let case = Case::sma(2000);
    case.flies(3, &["config.toml", "-q"]);
    let path = case.path("out.h5");
    says(&case, "out.h5", 0, "out.h5: 2 000 runs: 2 000 ok\n");
    let [values, status, sums] = ["/Sat_EarthMJ2000Eq_X", "/status", "/row_crc32"].map(|name| place(&path, name));
    for run in [12, 13, 14, 15, 90] {
        flip(&path, values + 8 * run + 3, 1);
    }
    flip(&path, status + 77, 64);
    flip(&path, sums + 4 * 1200, 1);
    let help = "    --resume flies the damaged ones again\n";
    says(&case, "out.h5", 3, &format!("out.h5: 2 000 runs: 1 993 ok, 7 damaged: 12-15, 77, 90, 1200\n{help}"));
    flip(&path, status + 1999, 1);
    let text = "1 992 ok, 1 not flown: 1999; 7 damaged: 12-15, 77, 90, 1200";
    says(&case, "out.h5", 3, &format!("out.h5: 2 000 runs: {text}\n{help}"));
    fs::rename(&path, case.path("out.h5.partial")).unwrap();
    let told = case.flies(3, &["config.toml", "--resume"]);
    assert!(told.contains("7 damaged rows are flown again: 12-15, 77, 90, 1200"), "{told}");
    assert!(told.contains("reused 1 992, flew 8"), "{told}");
    says(&case, "out.h5", 0, "out.h5: 2 000 runs: 2 000 ok\n");
    flip(&path, status + 5, 1);
    says(&case, "out.h5", 1, "out.h5: 2 000 runs: 1 999 ok, 1 not flown: 5\n    --resume flies what is left\n");
}

#[test]
fn cli_verify_an_unfinished_file_is_not_complete() {
    let case = Case::sma(30);
    case.flies(2, &["config.toml", "-q"]);
    let path = case.path("out.h5");
    let status = place(&path, "/status");
    fs::rename(path, case.path("out.h5.partial")).unwrap();
    let help = "    all are flown; --resume gives the file its name\n";
    says(&case, "out.h5.partial", 1, &format!("out.h5.partial: 30 runs: 30 ok\n{help}"));
    for run in 0..30 {
        flip(&case.path("out.h5.partial"), status + run, 1);
    }
    let help = "    --resume flies what is left\n";
    says(&case, "out.h5.partial", 1, &format!("out.h5.partial: 30 runs: 30 not flown: 0-29\n{help}"));
}

#[test]
fn cli_verify_whatever_the_config_is_called() {
    let case = Case::of_workload("kind = \"expression\"\noutputs = { y = \"2 * x\" }", "x = { linspace = [0, 1, 9] }");
    fs::rename(case.path("config.toml"), case.path("other name.toml")).unwrap();
    case.flies(2, &["other name.toml", "-q"]);
    says(&case, "out.h5", 0, "out.h5: 9 runs: 9 ok\n");
}

#[test]
fn cli_verify_runs_that_are_not_ok() {
    let case = case();
    fs::write(case.path("out.h5"), unbroken()).unwrap();
    says(&case, "out.h5", 1, "out.h5: 120 runs: 80 ok, 40 invalid_input\n");
}

/// All that is no row: each kind of number outside the rows is looked at, and a resume mends it or refuses.
#[test]
fn cli_verify_what_is_beside_the_rows() {
    let case = case();
    let path = case.path("out.h5");
    for (name, byte, text, resumed) in [
        ("/run", 8 * 7, "    the run numbers (`run`) are damaged\n", false),
        ("/RF_step", 4, "    the steps of report RF (`RF_step`) are damaged\n", false),
        ("/axes/Sat_SMA", 17, "    an axis or a text of /provenance is damaged (`fixed_sha256`)\n", false),
        ("/provenance/config", 30, "    an axis or a text of /provenance is damaged (`fixed_sha256`)\n", false),
        ("/provenance/mission", 9, "    an axis or a text of /provenance is damaged (`fixed_sha256`)\n", false),
        ("/failures/run", 8, "    the table of runs that are not ok (`/failures`) is damaged\n", true),
        ("/failures/count", 0, "    the table of runs that are not ok (`/failures`) is damaged\n", true),
    ] {
        fs::write(&path, unbroken()).unwrap();
        flip(&path, place(&path, name) + byte, 1);
        let help = "    a new sweep mends that, with --overwrite\n";
        let help = if resumed { "    --resume writes it anew\n" } else { help };
        says(&case, "out.h5", 3, &format!("out.h5: 120 runs: 80 ok, 40 invalid_input\n{text}{help}"));
        let before = fs::read(&path).unwrap();
        let outcome = case.alone(&["config.toml", "--resume", "--retry", "none"]);
        if resumed {
            assert_eq!(outcome.code, Code::Exit(1), "{name}: {}", outcome.text);
            assert!(fs::read(&path).unwrap() == unbroken(), "{name} is as before");
        } else {
            assert_eq!(outcome.code, Code::Exit(2), "{name}: {}", outcome.text);
            assert!(outcome.text.contains(text.trim()), "{name}: {}", outcome.text);
            assert!(fs::read(&path).unwrap() == before, "{name}: what is refused is not touched");
        }
    }
    // behind the rows of a report: HDF5 has only nan there
    fs::write(&path, unbroken()).unwrap();
    flip(&path, place(&path, "/RF_Sat_EarthMJ2000Eq_X") + 8 * 4 * 9 + 8 * 3, 1);
    let help = "    --resume flies the damaged ones again\n";
    says(&case, "out.h5", 3, &format!("out.h5: 120 runs: 79 ok, 40 invalid_input, 1 damaged: 9\n{help}"));
}

#[test]
fn cli_verify_a_file_that_is_not_of_its_plan() {
    let design = "kind = \"grid\"\naxes = { \"Sat.SMA\" = { linspace = [7000.0, 8000.0, 30] } }";
    let layout = plans::plan(design, "", |script| script).layout;
    let folder = tempfile::tempdir().unwrap();
    let exit_of = |name: &str, layout: &Layout| {
        let path = folder.path().join(name);
        create_skeleton(&path, layout).unwrap();
        let reader = Reader::open(&path).unwrap();
        let verdict = Verdict::of(&reader, &path).unwrap();
        (verdict.exit_code(), verdict.other.join("\n"))
    };
    assert_eq!(exit_of("as-planned.h5", &layout), (1, String::new()));
    let message = "it does not have the runs, columns and hash of the plan in /provenance".to_owned();
    let other = |change: fn(&mut Layout)| {
        let mut layout = layout.clone();
        change(&mut layout);
        layout
    };
    for (name, layout) in [
        ("runs.h5", other(|layout| layout.runs = 29)),
        ("columns.h5", other(|layout| drop(layout.outputs.pop()))),
        ("units.h5", other(|layout| layout.outputs[0].units = "mile".to_owned())),
        ("hash.h5", other(|layout| layout.plan_sha256.replace_range(20..21, "x"))),
    ] {
        assert_eq!(exit_of(name, &layout), (3, message.clone()), "{name}");
    }
}

/// No false alarm: the files of our own configs are of their plans.
#[test]
fn cli_verify_the_files_of_all_our_configs() {
    let folder = tempfile::tempdir().unwrap();
    let mut looked_at = 0;
    for entry in fs::read_dir("configs").unwrap() {
        let config = entry.unwrap().path();
        if config.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let sources = Sources::read(&config).unwrap_or_else(|problems| panic!("{problems}"));
        for (number, plan) in Plan::all(&sources, &arguments()).unwrap().into_iter().enumerate() {
            let mut layout = plan.layout;
            if layout.file_size().unwrap() > 50_000_000 {
                let slice = Slice { first_run: 5, whole_runs: layout.runs };
                layout = Layout { runs: 100, slice: Some(slice), failures_max: 100, ..layout };
            }
            let name = format!("{}.{number}.h5", config.file_stem().unwrap().display());
            let path = folder.path().join(&name);
            create_skeleton(&path, &layout).unwrap();
            let reader = Reader::open(&path).unwrap();
            assert_eq!(reader.layout().unwrap(), layout, "{name}");
            assert_eq!(Verdict::of(&reader, &path).unwrap().other, Vec::<String>::new(), "{name}");
            looked_at += 1;
        }
    }
    assert!(looked_at > 8, "{looked_at}");
}

#[test]
fn cli_verify_what_is_no_result_file() {
    let case = case();
    let bytes = unbroken();
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    png.resize(5000, 0);
    let signature = [&bytes[..8], &[0xff; 4000]].concat();
    for (name, content, message) in [
        ("picture.h5", &png[..], "it is not an HDF5 file"),
        ("text.h5", b"run,status\n0,1\n", "it is not an HDF5 file"),
        ("empty.h5", b"", "it is not an HDF5 file"),
        ("signature.h5", &signature, "the HDF5 file is damaged"),
        ("cut-0.h5", &bytes[..0], "it is not an HDF5 file"),
        ("cut-1.h5", &bytes[..1], "it is not an HDF5 file"),
        ("cut-512.h5", &bytes[..512], "the HDF5 file is damaged"),
        ("cut-half.h5", &bytes[..bytes.len() / 2], "the HDF5 file is damaged"),
        ("cut-last.h5", &bytes[..bytes.len() - 1], "the HDF5 file is damaged"),
    ] {
        fs::write(case.path(name), content).unwrap();
        for arguments in [vec!["verify", name], vec!["config.toml", "--resume", "--output", name]] {
            let outcome = case.alone(&arguments);
            let code = if arguments.len() == 2 { 3 } else { 2 };
            assert_eq!(outcome.code, Code::Exit(code), "{name}: {}", outcome.text);
            let lines = outcome.text.lines().filter(|line| line.contains(message) && line.contains(name)).count();
            assert_eq!(lines, 1, "{name}: {}", outcome.text);
            assert!(fs::read(case.path(name)).unwrap() == content, "{name} is not touched");
        }
    }
    let fifo = case.path("fifo.h5");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    fs::create_dir(case.path("folder.h5")).unwrap();
    for (name, message) in
        [("fifo.h5", "no ordinary file"), ("folder.h5", "no ordinary file"), ("none.h5", "No such file")]
    {
        let outcome = verify(&case, name);
        assert_eq!(outcome.code, Code::Exit(3), "{name}: {}", outcome.text);
        assert!(outcome.text.contains(message) && outcome.text.lines().count() == 1, "{name}: {}", outcome.text);
    }
}

fn arguments() -> RunArguments {
    let words = ["sweep-mpi", "config.toml", "--resume", "--retry", "none"];
    match sweep_mpi::cli::read(words.map(Into::into)) {
        Ok(Typed::Run(arguments)) => arguments,
        other => panic!("{other:?}"),
    }
}

fn plan(case: &Case) -> (Plan, Resume) {
    let sources = Sources::read(&case.path("config.toml")).unwrap();
    let mut arguments = arguments();
    let plan = Plan::all(&sources, &arguments).unwrap().swap_remove(0);
    (plan, arguments.resume.take().unwrap())
}

/// The numbers of each run, as bits.
fn rows(reader: &Reader) -> Vec<Vec<u64>> {
    let runs = reader.runs();
    let mut rows = vec![Vec::new(); runs as usize];
    for column in reader.parameters().iter().chain(reader.outputs()) {
        let values = reader.values(column, 0, runs).unwrap();
        rows.iter_mut().zip(values).for_each(|(row, value)| row.push(value.to_bits()));
    }
    for report in reader.reports() {
        let counts = reader.report_rows(report, 0, runs).unwrap();
        rows.iter_mut().zip(counts).for_each(|(row, count)| row.push(count as u64));
        for column in 0..report.columns.len() {
            let values = reader.report_values(report, column, 0, runs).unwrap();
            let values = values.chunks(report.max_steps as usize);
            rows.iter_mut()
                .zip(values)
                .for_each(|(row, values)| row.extend(values.iter().map(|value| value.to_bits())));
        }
    }
    let (status, codes) = (reader.status(0, runs).unwrap(), reader.error_code(0, runs).unwrap());
    rows.iter_mut().zip(status.into_iter().zip(codes)).for_each(|(row, (s, c))| row.extend([s as u64, c as u64]));
    rows
}

/// Flips of the bytes of a file, the same every time.
fn damaged(whole: &[u8], trial: u64) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for hit in 0..=trial % 3 {
        let random = mix(trial + 1, hit + 1);
        // most metadata is at the front
        let room = if trial.is_multiple_of(4) { 12_000 } else { bytes.len() as u64 };
        bytes[(random % room) as usize] ^= ((random >> 48) as u8).max(1);
    }
    bytes
}

/// What `verify` ends with; what it does not call damaged is as it was.
fn verified(path: &Path, original: &[Vec<u64>], trial: u64) -> u8 {
    let looked = Reader::open(path).and_then(|reader| Verdict::of(&reader, path).map(|verdict| (reader, verdict)));
    let Ok((reader, verdict)) = looked else { return 3 };
    if verdict.exit_code() < 3 {
        for (run, (found, original)) in rows(&reader).iter().zip(original).enumerate() {
            let is_flown = found[found.len() - 2] != 0;
            assert!(!is_flown || found == original, "trial {trial}: run {run} is not what was flown");
        }
    }
    verdict.exit_code()
}

/// Whether a resume takes the file; of what it keeps, all is as it was.
fn taken_up(plan: &Plan, resume: &Resume, original: &[Vec<u64>], trial: u64) -> bool {
    let place = match output::take_up(plan, "here", resume) {
        Ok(place) => place,
        Err(stop) => {
            assert_eq!(stop.code, 2, "trial {trial}: {}", stop.text);
            return false;
        }
    };
    let partial = output::partial_path(plan);
    let file = if place.is_complete { &plan.output } else { &partial };
    let found = rows(&Reader::open(file).unwrap());
    let mut left = place.remaining.stretches().flatten().peekable();
    for (run, (found, original)) in (0..).zip(found.iter().zip(original)) {
        let is_flown = left.next_if_eq(&run).is_some();
        assert!(is_flown || found == original, "trial {trial}: run {run} is kept and wrong");
    }
    let _ = fs::remove_file(partial);
    true
}

/// 1000 damaged files: `verify` never says that a file is whole where a row is not what was flown, and of what a resume
/// keeps, all is what was flown.
#[test]
fn reg_a_thousand_damaged_files() {
    // the first file with runs that are not ok, the second without
    let cases = [case(), case_with("0.02")];
    let mut said = [0; 4];
    let mut kept_and_refused = [0; 2];
    for (number, case) in cases.iter().enumerate() {
        case.alone(&["config.toml", "-q"]);
        let path = case.path("out.h5");
        let (whole, original, (plan, resume)) = (fs::read(&path).unwrap(), rows(&case.reader()), plan(case));
        for trial in (number as u64..1000).step_by(2) {
            fs::write(&path, damaged(&whole, trial)).unwrap();
            said[verified(&path, &original, trial) as usize] += 1;
            kept_and_refused[usize::from(!taken_up(&plan, &resume, &original, trial))] += 1;
        }
    }
    println!("exit codes {said:?}, resumed and refused {kept_and_refused:?}");
    assert!(said[0] > 50 && said[1] > 50 && said[3] > 400, "{said:?}");
    assert!(kept_and_refused.iter().all(|&number| number > 100), "{kept_and_refused:?}");
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < 256 << 10, "{peak} kB");
}

/// The same through the program, some of them: what a resume finishes has the bytes of the unbroken file.
#[test]
fn mpi_damaged_files_are_mended_or_refused() {
    let case = case();
    let (mut mended, mut refused) = (0, 0);
    for trial in (0..1000).step_by(40) {
        let path = case.path("out.h5");
        fs::write(&path, damaged(unbroken(), trial)).unwrap();
        let ranks = [1, 3][trial as usize / 40 % 2];
        let verified = verify(&case, "out.h5");
        assert!([Code::Exit(1), Code::Exit(3)].contains(&verified.code), "trial {trial}: {}", verified.text);
        let outcome = case.mpirun(ranks, &["config.toml", "--resume", "--retry", "none"]);
        match outcome.code {
            Code::Exit(1) => {
                mended += 1;
                // a second hit may be where nothing is promised: unused bytes, texts of /failures
                let told = case.alone(&["verify", "out.h5"]);
                assert_eq!(told.text, "out.h5: 120 runs: 80 ok, 40 invalid_input\n", "trial {trial}");
                if verified.code == Code::Exit(3) && trial % 3 == 0 {
                    assert!(fs::read(&path).unwrap() == unbroken(), "trial {trial}: {}", verified.text);
                }
            }
            Code::Exit(2) => {
                refused += 1;
                assert_eq!(verified.code, Code::Exit(3), "trial {trial}: {}", outcome.text);
            }
            other => panic!("trial {trial}: {other:?}\n{}", outcome.text),
        }
        let _ = fs::remove_file(case.path("out.h5.partial"));
    }
    assert!(mended > 5 && refused > 2, "{mended} mended, {refused} refused");
}

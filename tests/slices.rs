//! Slices of a sweep, each a job of its own, and one file of them with the bytes of the sweep that was not sliced.
#![allow(clippy::unwrap_used)] // helpers of tests

mod case;
mod launch;

use std::fs;
use std::os::unix::fs::FileExt as _;

use case::Case;
use launch::{Code, Outcome};
use sweep_mpi::store::Reader;

const SLICES: [&str; 4] = ["out.1-of-4.h5", "out.2-of-4.h5", "out.3-of-4.h5", "out.4-of-4.h5"];

/// Flies four slices on 1, 2, 3 and 5 ranks.
fn fly_slices(case: &Case, code: i32) {
    for (slice, ranks) in ["1/4", "2/4", "3/4", "4/4"].into_iter().zip([1, 2, 3, 5]) {
        let outcome = case.mpirun(ranks, &["config.toml", "-q", "--slice", slice]);
        assert_eq!(outcome.code, Code::Exit(code), "{slice}: {}", outcome.text);
    }
}

fn merge(case: &Case, more: &[&str], slices: &[&str]) -> Outcome {
    case.alone(&[&["merge", "out.h5"], more, slices].concat())
}

/// The slices merged, in any order, have the bytes of the whole sweep.
#[track_caller]
fn whole_again(case: &Case, code: i32, summary: &str) {
    let outcome = case.mpirun(3, &["config.toml", "-q"]);
    assert_eq!(outcome.code, Code::Exit(code), "{}", outcome.text);
    let whole = case.sha256("out.h5");
    fs::remove_file(case.path("out.h5")).unwrap();
    fly_slices(case, code);
    let merged = merge(case, &[], &[SLICES[2], SLICES[0], SLICES[3], SLICES[1]]);
    assert_eq!((merged.code, merged.text.as_str()), (Code::Exit(code), summary));
    assert_eq!(case.sha256("out.h5"), whole);
    assert!(case.left().iter().all(|name| !name.contains("lock") && !name.contains("partial")), "{:?}", case.left());
}

#[test]
fn mpi_slices_of_missions_make_the_whole_file() {
    let axes = "axes = { \"Sat.SMA\" = { linspace = [7000, 8000, 41] }, \"Sat.ECC\" = { values = [0.001, 0.01, 1] } }";
    let case = Case::new(&format!("kind = \"grid\"\n{axes}"), "rows = { max = 4 }", "");
    whole_again(&case, 1, "out.h5: 123 runs of 4 slices: 82 ok, 41 not ok\n");
    let slice = Reader::open(&case.path(SLICES[1])).unwrap();
    assert_eq!((slice.first_run(), slice.runs()), (30, 31), "runs 30 to 60");
    let whole = case.column("Sat_SMA");
    assert_eq!(slice.values(&slice.parameters()[0], 0, 31).unwrap(), whole[30..61]);
    let told = case.alone(&["verify", SLICES[1]]);
    assert_eq!(told.text, format!("{}: 31 runs (30-60 of 123): 21 ok, 10 invalid_input\n", SLICES[1]));
    let failures = slice.failures().unwrap().0;
    assert_eq!(failures[0].0, 32, "a run has its number in the whole sweep");
}

#[test]
fn mpi_slices_of_more_failures_than_are_listed() {
    let case = Case::of_workload(
        "kind = \"expression\"\noutputs = { f = \"1 / (x - x)\" }",
        "x = { linspace = [0, 1, 3000] }",
    );
    whole_again(&case, 1, "out.h5: 3 000 runs of 4 slices: 0 ok, 3 000 not ok\n");
}

#[test]
fn mpi_slices_of_programs_and_of_task_graphs() {
    // a program is told the number that its run has in the whole sweep
    let program =
        "kind = \"command\"\nargv = [\"echo\", \"y = {run}\"]\nkeep = \"never\"\noutputs = { y = \"stdout\" }";
    let graph = "kind = \"htcmock\"\ntotal_ms = 100\nfast_compute = true";
    for (workload, axes) in [
        (program, "x = { range = [1, 20, 1] }"),
        (graph, "tasks = { values = [20, 40, 60, 80] }, levels = { values = [3, 4] }"),
    ] {
        let case = Case::of_workload(workload, axes);
        whole_again(
            &case,
            0,
            &format!("out.h5: {0} runs of 4 slices: {0} ok\n", if workload == graph { 8 } else { 20 }),
        );
    }
}

#[test]
fn mpi_a_slice_is_resumed() {
    let case = Case::sma(200);
    case.flies(3, &["config.toml", "-q", "--slice", "2/4"]);
    let (unbroken, path) = (case.sha256(SLICES[1]), case.path(SLICES[1]));
    // what a killed job leaves: the runs from the 20th of the slice on have no status
    let bytes = fs::read(&path).unwrap();
    let status = bytes.windows(50).position(|window| window == [1; 50]).unwrap();
    let partial = case.path("out.2-of-4.h5.partial");
    fs::rename(&path, &partial).unwrap();
    fs::OpenOptions::new().write(true).open(&partial).unwrap().write_all_at(&[0; 30], status as u64 + 20).unwrap();
    let told = case.alone(&["verify", "out.2-of-4.h5.partial"]);
    assert!(told.text.contains("20 ok, 30 not flown: 70-99"), "{}", told.text);
    let told = case.flies(2, &["config.toml", "--slice", "2/4", "--resume"]);
    assert!(told.contains("reused 20, flew 30"), "{told}");
    assert_eq!(case.sha256(SLICES[1]), unbroken);
    // a damaged row is named by its number in the whole sweep
    let reader = Reader::open(&path).unwrap();
    let value = reader.values(&reader.outputs()[1], 0, 50).unwrap()[7].to_le_bytes();
    let place = bytes.windows(8).position(|window| window == value).unwrap();
    drop(reader);
    let damage = [value[0] ^ 1];
    fs::OpenOptions::new().write(true).open(&path).unwrap().write_all_at(&damage, place as u64).unwrap();
    let told = case.flies(3, &["config.toml", "--slice", "2/4", "--resume"]);
    assert!(told.contains("1 damaged rows are flown again: 57"), "{told}");
    assert_eq!(case.sha256(SLICES[1]), unbroken);
    assert!(case.flies(1, &["config.toml", "--slice", "2/4", "--resume=auto"]).contains("nothing to do"));
    // of as many runs, but others
    fs::rename(&path, case.path(SLICES[2])).unwrap();
    case.refused(2, &["config.toml", "--slice", "3/4", "--resume"], &["holds a sweep of other runs or columns"]);
}

#[test]
fn mpi_what_does_not_make_a_whole_is_refused_and_nothing_touched() {
    let case = Case::sma(200);
    fly_slices(&case, 0);
    let config = fs::read_to_string(case.path("config.toml")).unwrap();
    case.config(&config.replace("8000.0", "8100.0"));
    case.flies(1, &["config.toml", "-q", "--slice", "3/4", "--output", "other.h5"]);
    case.flies(1, &["config.toml", "-q", "--output", "whole.h5"]);
    case.config(&config);
    case.flies(2, &["config.toml", "-q", "--slice", "2/2"]);
    let damaged = fs::read(case.path(SLICES[2])).unwrap();
    fs::write(case.path("cut.h5"), &damaged[..damaged.len() / 2]).unwrap();
    let (mut value, status) = (damaged.clone(), damaged.windows(50).position(|window| window == [1; 50]).unwrap());
    let of_run_120 = case_value(&case, 20).to_le_bytes();
    let place = damaged.windows(8).position(|window| window == of_run_120).unwrap();
    value[place + 2] ^= 1;
    fs::write(case.path("damaged.h5"), &value).unwrap();
    let mut unfinished = damaged.clone();
    unfinished[status + 5] = 0;
    fs::write(case.path("unfinished.h5"), &unfinished).unwrap();
    fs::write(case.path("text.h5"), "no result").unwrap();
    fs::write(case.path("out.h5"), "precious").unwrap();

    let [a, b, c, d] = SLICES;
    let other = "other.3-of-4.h5";
    for (slices, code, message) in [
        (&[a, b, d][..], 2, "out.h5: runs 100-149 of 200 are in no slice"),
        (&[b, c], 2, "runs 0-49 of 200 are in no slice; runs 150-199 of 200 are in no slice"),
        (&[a, b, c, d, c], 2, "runs 100-149 are in out.3-of-4.h5 and in out.3-of-4.h5"),
        (&[a, b, c, "out.2-of-2.h5"], 2, "runs 100-149 are in out.3-of-4.h5 and in out.2-of-2.h5"),
        (&[a, b, other, d], 2, "other.3-of-4.h5: is a slice of another plan than out.1-of-4.h5"),
        (&["whole.h5"], 2, "whole.h5: is no slice: it holds a whole sweep"),
        (&[a, b, "unfinished.h5", d], 2, "unfinished.h5: 50 runs (100-149 of 200): 49 ok, 1 not flown: 105"),
        (&[a, b, "damaged.h5", d], 3, "damaged.h5: 50 runs (100-149 of 200): 49 ok, 1 damaged: 120"),
        (&[a, b, "cut.h5", d], 3, "cannot read cut.h5: the HDF5 file is damaged"),
        (&[a, b, "text.h5", d], 3, "cannot read text.h5: it is not an HDF5 file"),
        (&[a, b, "none.h5", d], 3, "cannot read none.h5: No such file"),
        (&[a, "./out.h5"], 2, "./out.h5: is the file to be made"),
    ] {
        let before = case.left();
        let outcome = merge(&case, &["--overwrite"], slices);
        assert_eq!(outcome.code, Code::Exit(code), "{slices:?}: {}", outcome.text);
        assert_eq!(outcome.text.matches(message).count(), 1, "`{message}` once in {}", outcome.text);
        assert_eq!(fs::read_to_string(case.path("out.h5")).unwrap(), "precious");
        assert_eq!(case.left(), before, "{slices:?}");
    }
    case.refused(0, &["merge", "out.h5", a, b, c, d], &["out.h5: exists already", "--overwrite replaces it"]);
    case.refused(0, &["merge", a, "--overwrite", a, b, c, d], &["out.1-of-4.h5: is the file to be made"]);
    case.refused(0, &["merge", "no/out.h5", a, b, c, d], &["the folder of the result file does not exist"]);
    assert_eq!(
        merge(&case, &["--overwrite"], &[a, b, "out.2-of-2.h5"]).code,
        Code::Exit(0),
        "slices may differ in size"
    );
    let merged = case.sha256("out.h5");
    case.flies(3, &["config.toml", "-q", "--overwrite"]);
    assert_eq!(case.sha256("out.h5"), merged);
}

/// A final value of a run of the third slice, by its place there.
fn case_value(case: &Case, place: usize) -> f64 {
    let reader = Reader::open(&case.path(SLICES[2])).unwrap();
    let column = reader.outputs().iter().find(|column| column.name == "Sat_EarthMJ2000Eq_X").unwrap();
    reader.values(column, place as u64, 1).unwrap()[0]
}

/// What a merge reads is not changed meanwhile: a job that holds a slice keeps it away.
#[test]
fn cli_a_slice_in_use_is_not_merged() {
    let case = Case::sma(20);
    for slice in ["1/2", "2/2"] {
        assert_eq!(case.alone(&["config.toml", "-q", "--slice", slice]).code, Code::Exit(0));
    }
    let slices = ["out.1-of-2.h5", "out.2-of-2.h5"];
    let lock = case.path("out.2-of-2.h5.lock");
    fs::write(&lock, "{\"host\":\"elsewhere\",\"pid\":7,\"job\":null}").unwrap();
    let outcome = merge(&case, &[], &slices);
    assert_eq!(outcome.code, Code::Exit(2), "{}", outcome.text);
    assert!(outcome.text.contains("out.2-of-2.h5.lock is held by process 7 on elsewhere"), "{}", outcome.text);
    fs::remove_file(lock).unwrap();
    assert_eq!(merge(&case, &[], &slices).code, Code::Exit(0));
    case.refused(0, &["merge", "new.h5", "out.h5"], &["out.h5: is no slice"]);
}

#[test]
fn cli_what_cannot_be_sliced_is_refused() {
    let case = Case::sma(3);
    for slice in ["0/4", "5/4", "4", "a/b", "-1/4"] {
        case.refused(0, &["config.toml", "--slice", slice], &["--slice: ", "is no slice", "K from 1 to N"]);
    }
    case.refused(3, &["config.toml", "--slice", "1/4"], &["--slice: 4 slices of 3 runs"]);
    case.refused(0, &["config.toml", "--slice", "1/2", "--only", "1"], &["--slice: `--only` beside `--slice`"]);
    let told = case.alone(&["config.toml", "--dry-run", "--slice", "2/2"]).text;
    assert!(told.contains("slice: runs 1 to 2 of 3") && told.contains("out.2-of-2.h5"), "{told}");
    let config = fs::read_to_string(case.path("config.toml")).unwrap();
    case.config(&format!("{config}[[stage]]\nname = \"b\"\nset = {{ \"Sat.SMA\" = \"Sat.Earth.SMA\" }}\n"));
    case.refused(2, &["config.toml", "--slice", "1/2"], &["a sweep with stages cannot be flown in slices"]);
    assert_eq!(case.left(), Vec::<String>::new());
}

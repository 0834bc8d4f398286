//! Stages: sweeps that start from the results of the one before, through the built program.
#![allow(clippy::unwrap_used, clippy::float_cmp)] // helpers of tests; values that are passed on are the same to the bit

mod case;
mod launch;

use std::path::Path;

use case::Case;
use launch::Code;
use sweep_mpi::base::outcome::{Failure, Status};
use sweep_mpi::store::Reader;

const FIRST: &str = "[workload]\nkind = \"expression\"\noutputs = { f = \"(x - 3)^2 + y\", g = \"1 / (x - 2)\" }\n\
[design]\nkind = \"grid\"\naxes = { x = { linspace = [0, 10, 11] }, y = { values = [1, 2] } }\n\
[output]\nfile = \"out.h5\"\n";

fn case(stages: &str) -> Case {
    let case = Case::sma(1);
    case.config(&format!("{FIRST}{stages}"));
    case
}

fn column(file: &Path, name: &str) -> Vec<f64> {
    let reader = Reader::open(file).unwrap();
    let column = reader.parameters().iter().chain(reader.outputs()).find(|column| column.name == name).unwrap();
    reader.values(column, 0, reader.runs()).unwrap()
}

#[test]
fn mpi_stages_start_from_results_on_any_number_of_ranks() {
    let case = case(
        "[[stage]]\nname = \"near\"\nfrom = \"best\"\nby = \"f\"\ngoal = \"min\"\nset = { x0 = \"x\", y = \"y\" }\n\
         workload = { kind = \"expression\", outputs = { f = \"(x0 + dx - 3.25)^2 + y\" } }\n\
         design = { kind = \"grid\", axes = { dx = { linspace = [-1, 1, 9] } } }\n\
         [[stage]]\nname = \"mean\"\nfrom = \"mean\"\nset = { m = \"f\" }\n\
         workload = { kind = \"expression\", outputs = { h = \"m * 2\" } }\n\
         [[stage]]\nname = \"graph\"\nset = { total_ms = \"h\" }\noutput = { file = \"last.h5\" }\n\
         workload = { kind = \"htcmock\", tasks = 300, levels = 4 }\n",
    );
    let mut bytes = Vec::new();
    for ranks in [1, 2, 3, 5, 9] {
        let outcome = case.mpirun(ranks, &["config.toml", "-q", "--overwrite"]);
        assert_eq!(outcome.code, Code::Exit(1), "two runs of the first divide by zero:\n{}", outcome.text);
        bytes.push(["out.h5", "out.near.h5", "out.mean.h5", "last.h5"].map(|file| case.sha256(file)));
    }
    assert!(bytes.windows(2).all(|pair| pair[0] == pair[1]), "the same bytes on any number of ranks");
    // the least of (x - 3)^2 + y is at x = 3, y = 1
    let near = case.path("out.near.h5");
    assert_eq!((column(&near, "x0"), column(&near, "y")), (vec![3.0; 9], vec![1.0; 9]));
    let expected: Vec<f64> = (0..9).map(|i| (f64::from(i).mul_add(0.25, -1.0) - 0.25).powi(2) + 1.0).collect();
    assert_eq!(column(&near, "f"), expected);
    let mean = expected.iter().sum::<f64>() / 9.0;
    assert_eq!(column(&case.path("out.mean.h5"), "h"), [2.0 * mean]);
    // the graph's parameter is no whole number: its run is refused, and says so
    let last = Reader::open(&case.path("last.h5")).unwrap();
    assert_eq!(last.error_code(0, 1).unwrap(), [Failure::GraphParameters.code()]);
}

#[test]
fn mpi_a_run_without_a_start_is_not_flown() {
    for workload in [
        "{ kind = \"expression\", outputs = { h = \"f + 0\" } }",
        "{ kind = \"command\", argv = [\"/bin/echo\", \"h = {f}\"], outputs = { h = \"stdout\" }, concurrent = 4 }",
    ] {
        let case = case(&format!("[[stage]]\nname = \"each\"\nset = {{ f = \"f\" }}\nworkload = {workload}\n"));
        for ranks in [1, 3] {
            let outcome = case.mpirun(ranks, &["config.toml", "-q", "--overwrite"]);
            assert_eq!(outcome.code, Code::Exit(1), "{}", outcome.text);
            let each = case.path("out.each.h5");
            let reader = Reader::open(&each).unwrap();
            let (before, after) = (column(&case.path("out.h5"), "f"), column(&each, "h"));
            for run in 0..22 {
                let code = reader.error_code(run, 1).unwrap()[0];
                if [4, 5].contains(&run) {
                    assert_eq!(code, Failure::NoStart.code());
                    assert_eq!(reader.status(run, 1).unwrap(), [Status::InvalidInput.code()]);
                    assert!(after[run as usize].is_nan());
                } else {
                    assert_eq!((code, after[run as usize]), (0, before[run as usize]), "run {run} of {workload}");
                }
            }
            assert_eq!(reader.failures().unwrap().1, 2);
        }
    }
}

/// Two minutes in two stages end where two minutes at once end.
#[test]
fn mpi_a_mission_goes_on_from_where_it_is() {
    let finals = ["X", "Y", "Z", "VX", "VY", "VZ"];
    let columns: Vec<String> = finals.iter().map(|name| format!("\"Sat.EarthMJ2000Eq.{name}\"")).collect();
    let keep = format!("final = [\"Sat.UTCGregorian\", {}]", columns.join(", "));
    let set: Vec<String> = finals.iter().map(|name| format!("\"Sat.{name}\" = \"Sat.EarthMJ2000Eq.{name}\"")).collect();
    let stage =
        format!("[[stage]]\nname = \"onward\"\nset = {{ \"Sat.Epoch\" = \"Sat.UTCGregorian\", {} }}\n", set.join(", "));
    let axis = "kind = \"grid\"\naxes = { \"Sat.SMA\" = { linspace = [7000.0, 8000.0, 20] } }";
    let two = Case::new(axis, &keep, &stage);
    let one = Case::new(axis, &keep, "");
    one.script("TOF = 60;", "TOF = 120;");
    two.flies(3, &["config.toml", "-q"]);
    one.flies(3, &["config.toml", "-q"]);
    for name in finals {
        let name = format!("Sat_EarthMJ2000Eq_{name}");
        // the first step of the second minute starts anew: 1e-9 is the accuracy of the script's steps
        let pairs = column(&two.path("out.onward.h5"), &name).into_iter().zip(one.column(&name));
        for (two, one) in pairs {
            assert!((two - one).abs() < 1e-7, "{name}: {two} {one}");
        }
    }
}

#[test]
fn cli_every_mistake_in_a_stage_is_told() {
    let mock = "workload = { kind = \"mock\", task = \"noop\" }\n";
    let stage = |text: &str| format!("[[stage]]\n{text}\n");
    for (text, expected) in [
        (stage("set = { a = \"f\" }"), "`name` is missing under [[stage]]"),
        (stage("name = \"a b\"\nset = { a = \"f\" }"), "allowed: letters, digits, - and _, at most 40"),
        (stage("name = \"s\""), "`set` is missing under [[stage]]"),
        (stage("name = \"s\"\nset = {}"), "`stage.set` sets nothing"),
        (stage("name = \"s\"\nset = { a = 1 }"), "`stage.set` cannot be the number `1`"),
        (stage("name = \"s\"\nset = { a = \"f\" }\nfrom = \"bst\""), "did you mean `best`?"),
        (stage("name = \"s\"\nset = { a = \"f\" }\nfrom = \"best\""), "from = \"best\" needs `by`"),
        (stage("name = \"s\"\nset = { a = \"f\" }\nfrom = \"best\"\nby = \"f\""), "write: goal = \"min\" or \"max\""),
        (
            stage("name = \"s\"\nset = { a = \"f\" }\nfrom = \"worst\"\nby = \"f\"\ngoal = \"low\""),
            "allowed: \"min\" or \"max\"",
        ),
        (stage("name = \"s\"\nset = { a = \"f\" }\nby = \"f\""), "from = \"each\" has no `by`: leave it out"),
        (
            stage(&format!("name = \"s\"\nset = {{ a = \"ff\" }}\n{mock}")),
            "the results before the stage have no column `ff`",
        ),
        (
            stage(&format!(
                "name = \"s\"\nset = {{ a = \"f\" }}\n{mock}design = {{ kind = \"table\", columns = {{ a = [1] }} }}"
            )),
            "`a` is set by `set` and varied by the stage's design",
        ),
        (
            stage(&format!("name = \"s\"\nset = {{ a = \"f\" }}\n{mock}output = {{ file = \"out.h5\" }}")),
            "the result file of the stage `s` is that of the first sweep",
        ),
        (format!("{0}{0}", stage(&format!("name = \"s\"\nset = {{ a = \"f\" }}\n{mock}"))), "a second stage `s`"),
        (stage("name = \"s\"\nset = { a = \"f\" }\nwhat = 1"), "`what` is not a key of [stage]"),
        ("[stage]\nname = \"s\"\n".to_owned(), "allowed: sections [[stage]], with two brackets"),
    ] {
        case(&text).refused(1, &["config.toml"], &[expected]);
    }
    // a stage's file that exists stops the job before the first run, and leaves nothing behind
    let case = case(&stage(&format!("name = \"s\"\nset = {{ a = \"f\" }}\n{mock}")));
    std::fs::write(case.path("out.s.h5"), "mine").unwrap();
    let outcome = case.mpirun(2, &["config.toml"]);
    assert_eq!(outcome.code, Code::Exit(2), "{}", outcome.text);
    assert!(outcome.text.contains("out.s.h5: exists already"), "{}", outcome.text);
    assert!(!case.path("out.h5").exists() && !case.path("out.h5.partial").exists());
    assert_eq!(std::fs::read(case.path("out.s.h5")).unwrap(), b"mine");
}

//! Workloads that are no missions: formulas and mocks, through the built program.
#![allow(clippy::unwrap_used)] // helpers of tests

mod case;
mod launch;

use case::Case;
use launch::Code;
use sweep_mpi::base::outcome::Status;

#[test]
fn mpi_formulas_over_the_parameters() {
    let case = Case::of_workload(
        "kind = \"expression\"\noutputs = { \"p\" = \"Sat.SMA * (1 - Sat.ECC^2)\", \"s\" = \"atan2(sin(x), -cos(x)) + max(x, 2)/pi\" }",
        "\"Sat.SMA\" = { values = [7000, 8000] }, \"Sat.ECC\" = { values = [0, 0.5] }, \"x\" = { linspace = [0, 3, 4] }",
    );
    for ranks in [1, 3] {
        case.flies(ranks, &["config.toml", "-q", "--overwrite"]);
        let (sma, ecc, x) = (case.column("Sat_SMA"), case.column("Sat_ECC"), case.column("x"));
        assert_eq!(sma.len(), 16);
        for run in 0..16 {
            assert_eq!(case.column("p")[run].to_bits(), (sma[run] * (1.0 - ecc[run] * ecc[run])).to_bits());
            let s = x[run].sin().atan2(-x[run].cos()) + x[run].max(2.0) / std::f64::consts::PI;
            assert!((case.column("s")[run] - s).abs() < 1e-14);
        }
    }
    let only = case.alone(&["config.toml", "--only", "3"]);
    assert!(only.text.contains("7000") && only.code == Code::Exit(0), "{}", only.text);
}

#[test]
fn mpi_a_formula_that_is_no_number_is_a_failed_run() {
    let case =
        Case::of_workload("kind = \"expression\"\noutputs = { \"y\" = \"log(x)\" }", "\"x\" = { values = [-1, 0, 1] }");
    let outcome = case.mpirun(2, &["config.toml"]);
    assert_eq!(outcome.code, Code::Exit(1), "{}", outcome.text);
    assert_eq!(case.reader().status(0, 3).unwrap(), [Status::Diverged, Status::Diverged, Status::Ok].map(Status::code));
    assert!(case.column("y")[0].is_nan() && case.column("y")[2] == 0.0);
}

#[test]
fn mpi_mocks_leave_their_answer() {
    for (task, runs) in [("\"noop\"", 100_000), ("\"spin\"\nflops = 1000", 5000), ("\"sleep\"\nseconds = 0.001", 200)] {
        let case = Case::of_workload(
            &format!("kind = \"mock\"\ntask = {task}"),
            &format!("\"i\" = {{ linspace = [1, {runs}, {runs}] }}"),
        );
        let mut bytes = Vec::new();
        for ranks in [1, 2, 5] {
            case.flies(ranks, &["config.toml", "-q", "--overwrite"]);
            bytes.push(case.sha256("out.h5"));
        }
        assert!(bytes.windows(2).all(|pair| pair[0] == pair[1]), "the same bytes on any number of ranks");
        assert_eq!(case.column("answer"), (1..=runs).map(f64::from).collect::<Vec<_>>(), "{task}");
    }
}

#[test]
fn mpi_task_graphs_give_the_known_answers() {
    let case = Case::sma(1);
    case.config(
        "[workload]\nkind = \"htcmock\"\n[design]\nkind = \"table\"\ncolumns = { tasks = [10000, 300, 100, 100], levels = [100, 4, 4, 1], total_ms = [10000, 10000, 100, 100] }\n[output]\nfile = \"out.h5\"\n",
    );
    let mut bytes = Vec::new();
    for ranks in [1, 2, 3, 5, 9] {
        case.flies(ranks, &["config.toml", "-q", "--overwrite"]);
        // compute and aggregation tasks of the four known workloads
        assert_eq!(case.column("done"), [14_973.0, 421.0, 139.0, 102.0], "{ranks} ranks");
        assert_eq!(case.column("right"), [1.0; 4]);
        bytes.push(case.sha256("out.h5"));
    }
    assert!(bytes.windows(2).all(|pair| pair[0] == pair[1]), "the same bytes on any number of ranks");
}

#[test]
fn mpi_task_graphs_carry_bytes_and_honour_durations() {
    // messages far above what MPI sends eagerly: leader and workers must not wait for each other's sends
    let case = Case::of_workload(
        "kind = \"htcmock\"\ntasks = 300\nlevels = 4\ntotal_ms = 300\ncarried_bytes = 10000\nfast_compute = false",
        "\"repeat\" = { values = [1, 2] }",
    );
    for ranks in [2, 9] {
        case.flies(ranks, &["config.toml", "-q", "--overwrite"]);
        assert_eq!(case.column("right"), [1.0; 2]);
    }
}

#[test]
fn mpi_a_graph_that_cannot_be_made_is_a_failed_run() {
    let case = Case::sma(1);
    case.config(
        "[workload]\nkind = \"htcmock\"\nlevels = 4\ntotal_ms = 100\n[design]\nkind = \"table\"\ncolumns = { tasks = [100, 0.5, 1000000] }\n[output]\nfile = \"out.h5\"\n",
    );
    for ranks in [1, 3] {
        let outcome = case.mpirun(ranks, &["config.toml", "--overwrite"]);
        assert_eq!(outcome.code, Code::Exit(1), "{}", outcome.text);
        assert_eq!(case.reader().error_code(0, 3).unwrap(), [0, 72, 72]);
    }
}

#[test]
fn cli_every_refusal_of_a_workload() {
    let axis = "\"x\" = { values = [1] }";
    for (workload, parts) in [
        ("kind = \"mok\"", &["config.toml:2:8: `mok` is not a kind of workload", "did you mean `mock`?"][..]),
        ("task = \"noop\"", &["`kind` is missing under [workload]"]),
        ("kind = \"mock\"", &["`task` is missing under [workload]", "\"sleep\", \"spin\" or \"payload\""]),
        ("kind = \"mock\"\ntask = \"nop\"", &["config.toml:3:8:", "\"sleep\", \"spin\" or \"payload\""]),
        ("kind = \"mock\"\ntask = \"sleep\"", &["task = \"sleep\" needs `seconds`", "write: seconds = 1.0"]),
        ("kind = \"mock\"\ntask = \"sleep\"\nseconds = -1", &["config.toml:4:11:", "seconds from 0 to 86400"]),
        ("kind = \"mock\"\ntask = \"noop\"\nflops = 3", &["`flops` is not a key of this task"]),
        ("kind = \"mock\"\ntask = \"spin\"\nflops = 0", &["config.toml:4:9:", "allowed: a whole number from 1"]),
        ("kind = \"mock\"\ntask = \"noop\"\noutputs = {}", &["`outputs` is not a key of the workload mock"]),
        ("kind = \"htcmock\"\ntasks = 1", &["`levels` is missing under [workload]"]),
        ("kind = \"htcmock\"\ntasks = 1\nlevels = 1\ntotal_ms = 1\nfast_compute = 1", &["true: tasks take no time"]),
        ("kind = \"htcmock\"\ntasks = 0.5\nlevels = 1\ntotal_ms = 1", &["tasks = 0.5 is no whole number"]),
        ("kind = \"expression\"", &["`outputs` is missing under [workload]"]),
        ("kind = \"expression\"\noutputs = {}", &["names no output"]),
        ("kind = \"expression\"\noutputs = { y = \"2 *\" }", &["config.toml:3:17: `2 *`:"]),
        ("kind = \"expression\"\noutputs = { y = \"2*z\" }", &["the design has no parameter `z`", "supported: x, pi"]),
        ("kind = \"expression\"\noutputs = { y = \"sine(x)\" }", &["`sine` is no function", "did you mean `sin`"]),
        ("kind = \"expression\"\noutputs = { y = \"atan2(x)\" }", &["`atan2` is given 1 number", "atan2 takes 2"]),
        ("kind = \"expression\"\noutputs = { y = \"x'\" }", &["texts, lists and matrices are no numbers"]),
        ("kind = \"expression\"\noutputs = { y = \"'a'\" }", &["texts, lists and matrices are no numbers"]),
    ] {
        Case::of_workload(workload, axis).refused(0, &["config.toml"], parts);
    }
    let mock = "kind = \"mock\"\ntask = \"noop\"";
    Case::of_workload(mock, "\"x\" = { values = [\"a\"] }").refused(
        0,
        &["config.toml"],
        &["`x` takes numbers, not texts"],
    );
    Case::of_workload(mock, axis).refused(0, &["config.toml", "--set", "x.y=1"], &["has no script to set values of"]);
    let both = Case::of_workload(mock, axis);
    let text = std::fs::read_to_string(both.path("config.toml")).unwrap();
    both.config(&format!("{text}final = [\"a\"]\nrows = {{ max = 3 }}\n"));
    both.refused(0, &["config.toml"], &["`final` is a mission's", "`rows` is a mission's"]);
    both.config(&format!("{text}[mission]\nscript = \"leo.script\"\n"));
    both.refused(3, &["config.toml"], &["[mission] has no meaning for the workload `mock`"]);
}

#[test]
fn mpi_payloads_go_out_and_come_back() {
    for (bytes, requests) in [(0, 1), (10_000, 500), (1 << 20, 40)] {
        let case = Case::of_workload(
            &format!("kind = \"mock\"\ntask = \"payload\"\nbytes = {bytes}\nrequests = {requests}"),
            "\"i\" = { values = [1, 2] }",
        );
        for ranks in [1, 2, 5] {
            case.flies(ranks, &["config.toml", "-q", "--overwrite"]);
            assert_eq!(case.column("answer"), [f64::from(requests); 2]);
        }
    }
    for (keys, expected) in [
        ("task = \"payload\"\nbytes = 8", "task = \"payload\" needs `requests`"),
        ("task = \"payload\"\nbytes = 8\nrequests = 0", "`workload.requests` cannot be the number `0`"),
        ("task = \"noop\"\nbytes = 8", "task = \"noop\" has no `bytes`: leave it out"),
    ] {
        Case::of_workload(&format!("kind = \"mock\"\n{keys}"), "i = { values = [1] }").refused(
            1,
            &["config.toml"],
            &[expected],
        );
    }
}

/// On request every run says where and when it was executed; the other columns stay as they are.
#[test]
fn mpi_timing_columns_on_request() {
    let case =
        Case::of_workload("kind = \"mock\"\ntask = \"sleep\"\nseconds = 0.02", "\"i\" = { linspace = [1, 12, 12] }");
    case.flies(3, &["config.toml", "-q"]);
    assert!(case.reader().outputs().iter().all(|column| !column.name.starts_with("timing")));
    let text = std::fs::read_to_string(case.path("config.toml")).unwrap();
    case.config(&text.replace("file = \"out.h5\"", "file = \"out.h5\"\ntiming = true"));
    for (ranks, workers) in [(1, 0..=0), (3, 1..=2)] {
        case.flies(ranks, &["config.toml", "-q", "--overwrite"]);
        let [rank, submit, start, end] =
            ["rank", "submit", "start", "end"].map(|name| case.column(&format!("timing_{name}")));
        for run in 0..12 {
            assert!(workers.contains(&(rank[run] as i32)), "rank {} of {ranks}", rank[run]);
            assert!(
                submit[run] > 1e9 && submit[run] <= start[run] && (0.0199..0.2).contains(&(end[run] - start[run])),
                "run {run}"
            );
        }
        let (first, last) = (start.iter().copied().fold(f64::MAX, f64::min), end.iter().copied().fold(0.0, f64::max));
        let workers = f64::from(workers.end() - workers.start() + 1);
        assert!(last - first >= 12.0 * 0.02 / workers - 1e-3, "the sleeps of a worker come one after the other");
        assert_eq!(case.column("answer"), (1..=12).map(f64::from).collect::<Vec<_>>());
    }
    let graphs =
        Case::of_workload("kind = \"htcmock\"\ntasks = 100\nlevels = 4\ntotal_ms = 100", "\"i\" = { values = [1, 2] }");
    let programs =
        Case::of_workload("kind = \"command\"\nargv = [\"/bin/sleep\", \"0.05\"]", "\"i\" = { values = [1, 2] }");
    for case in [graphs, programs] {
        let text = std::fs::read_to_string(case.path("config.toml")).unwrap();
        case.config(&text.replace("file = \"out.h5\"", "file = \"out.h5\"\ntiming = true"));
        case.flies(2, &["config.toml", "-q"]);
        assert!(case.column("timing_end").iter().zip(case.column("timing_start")).all(|(end, start)| *end > start));
    }
}

//! Runs as programs, through the built program.
#![allow(clippy::unwrap_used)] // helpers of tests

mod case;
mod launch;

use std::fs;
use std::time::Duration;

use case::Case;
use launch::Code;

/// A config of a command over a grid of x.
fn case(workload: &str, x: &str) -> Case {
    Case::of_workload(&format!("kind = \"command\"\n{workload}"), &format!("\"x\" = {{ {x} }}"))
}

#[test]
fn mpi_outputs_of_programs_on_any_number_of_ranks() {
    let case = case(
        "argv = [\"sh\", \"-c\", \"echo y = $SWEEP_x; echo '{\\\"a\\\": [1, {x}]}' > r.json; printf 'c\\\\n%s\\\\n' {run} > r.csv\"]\nconcurrent = 4\nkeep = \"never\"\noutputs = { y = \"stdout\", a = { json = \"r.json\", pointer = \"/a/1\" }, c = { csv = \"r.csv\", column = \"c\" } }",
        "linspace = [0.5, 20.5, 41]",
    );
    // braces of the shell's own are doubled
    let text = fs::read_to_string(case.path("config.toml")).unwrap();
    case.config(&text.replace("'{\\\"a\\\": [1, {x}]}'", "'{{\\\"a\\\": [1, {x}]}}'"));
    let mut bytes = Vec::new();
    for ranks in [0, 1, 2, 5] {
        if ranks == 0 {
            let outcome = case.alone(&["config.toml", "-q", "--overwrite"]);
            assert_eq!(outcome.code, Code::Exit(0), "{}", outcome.text);
        } else {
            case.flies(ranks, &["config.toml", "-q", "--overwrite"]);
        }
        bytes.push(case.sha256("out.h5"));
        assert_eq!(case.column("y"), case.column("x"));
        assert_eq!(case.column("a"), case.column("x"));
        assert_eq!(case.column("c"), (0..41).map(f64::from).collect::<Vec<_>>());
        assert_eq!(case.column("exit_code"), [0.0; 41]);
    }
    assert!(bytes.windows(2).all(|pair| pair[0] == pair[1]), "the same bytes on any number of ranks");
    let jobs = case.alone(&["jobs", "out.h5", "--state", "done"]);
    assert_eq!(jobs.code, Code::Exit(0), "{}", jobs.text);
    assert!(jobs.text.lines().count() >= 41, "{}", jobs.text);
}

#[test]
fn mpi_programs_that_fail_are_rows() {
    let case = case(
        "argv = [\"sh\", \"-c\", \"case {run} in 0) echo y = 1;; 1) exit 3;; 2) kill -9 $$;; 3) sleep 60;; 4) echo y = nothing;; 5) printf y=1;; esac\"]\nwall_s = 1\ngrace_s = 0.2\nconcurrent = 6\noutputs = { y = \"stdout\" }",
        "values = [0, 1, 2, 3, 4, 5]",
    );
    for ranks in [1, 3] {
        let outcome = case.mpirun(ranks, &["config.toml", "--overwrite"]);
        assert_eq!(outcome.code, Code::Exit(1), "{}", outcome.text);
        assert!(outcome.took < Duration::from_secs(20), "{:?}", outcome.took);
        let reader = case.reader();
        assert_eq!(reader.status(0, 6).unwrap(), [1, 2, 2, 3, 2, 2]);
        assert_eq!(reader.error_code(0, 6).unwrap(), [0, 55, 56, 57, 60, 59]);
        assert!(outcome.text.contains("run 1: the program ended with an exit code other than 0"), "{}", outcome.text);
    }
    let missing = self::case("argv = [\"/no/such/program\"]", "values = [1, 2]");
    let outcome = missing.mpirun(2, &["config.toml"]);
    assert_eq!((outcome.code, missing.reader().error_code(0, 2).unwrap()), (Code::Exit(1), vec![50, 50]));
}

#[test]
fn mpi_a_hundred_sleeps_are_alive_together() {
    let case = case("argv = [\"sleep\", \"1\"]\nconcurrent = 50\nkeep = \"never\"", "linspace = [1, 100, 100]");
    let outcome = case.mpirun(3, &["config.toml"]);
    assert_eq!(outcome.code, Code::Exit(0), "{}", outcome.text);
    // one after the other they would take 50 s on two workers
    assert!(outcome.took < Duration::from_secs(15), "{:?}", outcome.took);
}

#[test]
fn mpi_an_interrupted_job_leaves_no_program_behind() {
    for ranks in [1, 3] {
        let case = case("argv = [\"sleep\", \"{x}\"]\nconcurrent = 8", "linspace = [3171.25, 3178.25, 8]");
        let mut job = launch::mpirun(ranks, std::path::Path::new(case::PROGRAM), case.folder.path());
        job.current_dir(case.folder.path()).arg("config.toml");
        let running = || {
            let is_ours = |text: String| text.starts_with("sleep\u{0}317");
            let all = fs::read_dir("/proc")
                .unwrap()
                .filter_map(|entry| fs::read_to_string(entry.unwrap().path().join("cmdline")).ok());
            all.filter(|text| is_ours(text.clone())).count()
        };
        let job = job.stderr(std::process::Stdio::piped()).spawn().unwrap();
        let wait = |wanted: usize| {
            for _ in 0..200 {
                if running() == wanted {
                    return;
                }
                std::thread::sleep(Duration::from_millis(100));
            }
            panic!("{} programs instead of {wanted}", running());
        };
        wait(8);
        let pid = rustix::process::Pid::from_child(&job);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        let ended = job.wait_with_output().unwrap();
        assert!(!ended.status.success());
        let told = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(told.matches("interrupted by SIGTERM: no more runs are begun").count(), 1, "{told}");
        wait(0);
    }
}

#[test]
fn mpi_runs_are_canceled_while_they_run() {
    let case = case("argv = [\"sleep\", \"{x}\"]\nconcurrent = 4", "values = [1, 300, 1, 300]");
    let folder = case.folder.path().to_owned();
    let orders = std::thread::spawn(move || {
        for _ in 0..200 {
            std::thread::sleep(Duration::from_millis(100));
            let journal = fs::read_to_string(folder.join("out.h5.jobs.1.jsonl")).unwrap_or_default();
            if journal.matches("\"program\"").count() == 4 {
                break;
            }
        }
        let mut jobs = std::process::Command::new(case::PROGRAM);
        jobs.current_dir(&folder).args(["jobs", "out.h5", "--cancel", "1", "--suspend", "2"]);
        assert!(jobs.status().unwrap().success());
        std::thread::sleep(Duration::from_secs(2));
        for orders in [["--resume", "2"], ["--cancel", "3"]] {
            let mut jobs = std::process::Command::new(case::PROGRAM);
            assert!(jobs.current_dir(&folder).args(["jobs", "out.h5"]).args(orders).status().unwrap().success());
        }
    });
    let outcome = case.mpirun(2, &["config.toml"]);
    orders.join().unwrap();
    assert_eq!(outcome.code, Code::Exit(1), "{}", outcome.text);
    assert_eq!(case.reader().error_code(0, 4).unwrap(), [0, 61, 0, 61]);
}

#[test]
fn cli_every_refusal_of_a_command() {
    for (workload, part) in [
        ("", "`argv` is missing under [workload]"),
        ("argv = []", "names no program"),
        ("argv = \"ls\"", "a list of texts"),
        ("argv = [\"ls\", \"{y}\"]", "config.toml:3:8:"),
        ("argv = [\"ls\"]\nkeep = \"sometimes\"", "\"always\", \"on_failure\", \"never\" or \"shared\""),
        ("argv = [\"ls\"]\nconcurrent = 0", "allowed: a whole number from 1"),
        ("argv = [\"ls\"]\nwall_s = -1", "config.toml:4:10:"),
        ("argv = [\"ls\"]\noutputs = { y = \"stdin\" }", "{ json = \"file\", pointer = \"/name\" }"),
        ("argv = [\"ls\"]\noutputs = { y = { csv = \"f\" } }", "{ csv = \"file\", column = \"name\" }"),
        ("argv = [\"ls\"]\npre = [\"a\"]", "`pre` cannot be the text"),
        ("argv = [\"ls\"]\nretrys = 3", "did you mean `retries`"),
    ] {
        let case = case(workload, "values = [1]");
        let outcome = case.alone(&["config.toml", "--dry-run"]);
        assert_eq!(outcome.code, Code::Exit(2), "{workload}:\n{}", outcome.text);
        assert!(outcome.text.contains(part), "`{part}` in\n{}", outcome.text);
    }
    let case = case("argv = [\"true\"]", "values = [1]");
    case.refused(0, &["jobs", "out.h5"], &["there is no journal of runs beside it"]);
    case.refused(0, &["jobs", "out.h5", "--state", "don"], &["`don` is no state", "did you mean `done`"]);
    case.refused(0, &["jobs", "out.h5", "--cancel", "x"], &["--cancel", "allowed: 5, 5-9 or all"]);
}

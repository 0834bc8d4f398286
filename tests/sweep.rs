//! The built program, as a user starts it: alone and under `mpirun`, with a time limit.
#![allow(clippy::unwrap_used)] // helpers of tests

mod case;
mod launch;

use std::fs;
use std::process::Command;
use std::time::Duration;

use case::{Case, PROGRAM};
use launch::{Code, LIMIT};
use sweep_mpi::base::outcome::Status;
use sweep_mpi::store::Lock;

#[test]
fn mpi_w1_against_kepler_and_the_same_bytes_on_any_number_of_ranks() {
    let case = Case::sma(1000);
    let config = fs::read_to_string("configs/leo_basic.toml").unwrap();
    case.config(&config.replace("missions/leo_basic.script", "leo.script").replace("leo_basic.h5", "out.h5"));
    let text = case.flies(9, &["config.toml"]);
    let file = case.path("out.h5");
    for part in ["1 000 runs ok", "runs/s", "8 workers busy", &file.display().to_string(), "xarray.open_dataset("] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let reader = case.reader();
    assert_eq!(reader.status_counts().unwrap().0[Status::Ok as usize], 1000);
    assert_eq!(reader.verify_row_crc().unwrap(), [] as [u64; 0]);
    let w1: serde_json::Value =
        serde_json::from_str(&fs::read_to_string("tests/reference/orekit/sweep_w1.json").unwrap()).unwrap();
    let rows: Vec<[f64; 7]> = serde_json::from_value(w1["rows"].clone()).unwrap();
    let columns = reader.parameters().iter().chain(reader.outputs());
    let columns: Vec<Vec<f64>> = columns.map(|column| reader.values(column, 0, 1000).unwrap()).collect();
    for (run, row) in rows.iter().enumerate() {
        // linspace computes step by step, the oracle in extended precision: an ulp of 8000 is 9e-13
        assert!((columns[0][run] - row[0]).abs() < 1e-11);
        for axis in 0..3 {
            assert!((columns[1 + axis][run] - row[1 + axis]).abs() < 1e-9, "run {run}");
            assert!((columns[4 + axis][run] - row[4 + axis]).abs() < 1e-12, "run {run}");
        }
    }
    let report = &reader.reports()[0];
    assert!(reader.report_rows(report, 0, 1000).unwrap().iter().all(|&rows| rows == 3));
    let expected = case.sha256("out.h5");
    for ranks in [1, 2, 3, 5, 9] {
        for (threads, lanes) in [("1", "8"), ("2", "4"), ("2", "1")] {
            case.flies(
                ranks,
                &["config.toml", "-q", "--output", "out2.h5", "--overwrite", "--threads", threads, "--lanes", lanes],
            );
            assert_eq!(case.sha256("out2.h5"), expected, "{ranks} ranks, {threads} threads, {lanes} lanes");
        }
    }
    let alone = case.alone(&["config.toml", "-q", "--output", "out2.h5", "--overwrite"]);
    assert_eq!((alone.code, alone.text.as_str()), (Code::Exit(0), ""));
    assert_eq!(case.sha256("out2.h5"), expected, "without mpirun");
}

#[test]
fn mpi_few_runs_on_many_ranks() {
    for (runs, ranks) in [(1, 9), (2, 5), (8, 3), (60, 15)] {
        let case = Case::sma(runs);
        case.flies(ranks, &["config.toml", "-q"]);
        let reader = case.reader();
        assert_eq!(reader.status_counts().unwrap().0[Status::Ok as usize], runs, "{runs} runs on {ranks} ranks");
    }
    let nothing = Case::new("kind = \"table\"\ncolumns = { \"Sat.SMA\" = [] }", "", "");
    for ranks in [1, 3] {
        let text = nothing.flies(ranks, &["config.toml", "--overwrite"]);
        assert!(text.contains("0 runs ok"), "{text}");
        assert_eq!(nothing.reader().runs(), 0);
    }
}

#[test]
fn mpi_many_flush_rounds_change_no_byte() {
    let case = Case::sma(500);
    case.flies(3, &["config.toml", "-q"]);
    let expected = case.sha256("out.h5");
    let text = fs::read_to_string(case.path("config.toml")).unwrap();
    // the config is in the file: the same text flown in one round is the reference
    for (checkpoint, chunk) in [("rows = 1", "7"), ("rows = 40", "\"auto\""), ("interval_s = 0.0001", "3")] {
        case.config(&format!("{text}[checkpoint]\n{checkpoint}\n[schedule]\nchunk = {chunk}\n"));
        let mut bytes = Vec::new();
        for ranks in [1, 2, 5] {
            case.flies(ranks, &["config.toml", "-q", "--overwrite"]);
            bytes.push(case.sha256("out.h5"));
            let reader = case.reader();
            assert_eq!(reader.status_counts().unwrap().0[Status::Ok as usize], 500, "{checkpoint}, {ranks} ranks");
            assert_eq!(reader.verify_row_crc().unwrap(), [] as [u64; 0]);
        }
        assert!(bytes.windows(2).all(|pair| pair[0] == pair[1]), "{checkpoint}");
        assert_ne!(bytes[0], expected, "the config's text is part of the file");
    }
}

#[test]
fn mpi_failed_runs_are_rows() {
    let case = Case::new(
        "kind = \"table\"\ncolumns = { \"Sat.SMA\" = [7000, 0, 7100, -7000, 7200], \"Sat.ECC\" = [0.1, 0.1, 1, 0.1, 0.2] }",
        "rows = { max = 10 }",
        "",
    );
    for ranks in [1, 3] {
        let outcome = case.mpirun(ranks, &["config.toml", "--overwrite"]);
        assert_eq!(outcome.code, Code::Exit(1), "{}", outcome.text);
        for part in ["2 runs ok, 3 not ok", "run 1: the semi-major axis is zero (Sat.SMA = 0, Sat.ECC = 0.1)"] {
            assert!(outcome.text.contains(part), "{part} in\n{}", outcome.text);
        }
        let reader = case.reader();
        assert_eq!(reader.status(0, 5).unwrap(), [1, 5, 5, 5, 1]);
        assert_eq!(reader.error_code(0, 5).unwrap(), [0, 11, 13, 14, 0]);
        let (failures, all) = reader.failures().unwrap();
        assert_eq!((failures.iter().map(|f| f.0).collect::<Vec<_>>(), all), (vec![1, 2, 3], 3));
        let x = reader.values(&reader.outputs()[1], 0, 5).unwrap();
        assert_eq!(x.iter().map(|x| x.is_nan()).collect::<Vec<_>>(), [false, true, true, true, false]);
        assert_eq!(reader.report_rows(&reader.reports()[0], 0, 5).unwrap(), [3, 0, 0, 0, 3]);
        assert_eq!(reader.verify_row_crc().unwrap(), [] as [u64; 0]);
    }
    let show = case.alone(&["show", "out.h5"]);
    assert_eq!(show.code, Code::Exit(0));
    for part in ["5 runs: 2 ok, 3 invalid_input", "run 3: SMA and ECC contradict", "Sat_SMA", "km"] {
        assert!(show.text.contains(part), "{part} in\n{}", show.text);
    }
}

#[test]
fn mpi_every_report_has_rows_of_its_own() {
    let case = Case::new(
        "kind = \"grid\"\naxes = { \"TOF.Value\" = { values = [60, 3000, 9000] } }",
        "final = [\"Sat.SMA\"]\nrows = { max = 6 }",
        "",
    );
    case.script(
        "BeginMissionSequence;",
        "Create ReportFile Short;\nShort.Add = {Sat.ElapsedSecs, Sat.X, Sat.X};\nBeginMissionSequence;",
    );
    for ranks in [1, 4] {
        case.flies(ranks, &["config.toml", "-q", "--overwrite"]);
        let reader = case.reader();
        let reports: Vec<(&str, usize)> = reader.reports().iter().map(|r| (r.name.as_str(), r.columns.len())).collect();
        assert_eq!(reports, [("RF", 6), ("Short", 2)], "a column that stands twice is kept once");
        let rows = reader.report_rows(&reader.reports()[1], 0, 3).unwrap();
        assert_eq!(rows, reader.report_rows(&reader.reports()[0], 0, 3).unwrap());
        assert!(rows[0] == 3 && rows[1] > 6 && rows[2] > rows[1], "{rows:?}");
        let seconds = reader.report_values(&reader.reports()[1], 0, 0, 3).unwrap();
        assert!(seconds[3..6].iter().all(|s| s.is_nan()), "padding");
        // six kept rows of a longer run: the first five and the last
        assert!((seconds[6 + 1] - 30.0).abs() < 1e-6 && (seconds[6 + 5] - 3000.0).abs() < 1e-5, "{seconds:?}");
        assert!((seconds[12 + 5] - 9000.0).abs() < 1e-5, "{seconds:?}");
        assert_eq!(reader.verify_row_crc().unwrap(), [] as [u64; 0]);
    }
}

#[test]
fn mpi_thirty_one_ranks() {
    let case = Case::sma(100);
    case.flies(31, &["config.toml", "-q"]);
    assert_eq!(case.reader().status_counts().unwrap().0[Status::Ok as usize], 100);
}

#[test]
fn mpi_a_step_limit_is_a_timeout() {
    let case = Case::sma(10);
    let text = fs::read_to_string(case.path("config.toml")).unwrap();
    case.config(&format!("{text}[limits]\nsteps = 2\n"));
    let outcome = case.mpirun(2, &["config.toml"]);
    assert_eq!(outcome.code, Code::Exit(1), "{}", outcome.text);
    assert_eq!(case.reader().status(0, 10).unwrap(), [3; 10]);
}

#[test]
fn mpi_three_unsupported_things_are_three_refusals() {
    let case = Case::sma(1000);
    case.script("FM.SRP = Off;", "FM.SRP.SRPModel = SPADFile;\nFM.PointMasses = {Moon};");
    case.script("Propagate Prop(Sat) {Sat.ElapsedSecs = TOF};", "Propagate Prop(Sat) {Sat.Earth.Apoapse = 5};");
    let outcome = case.mpirun(9, &["config.toml"]);
    assert_eq!(outcome.code, Code::Exit(2), "{}", outcome.text);
    assert!(outcome.took < Duration::from_secs(10), "took {:?}", outcome.took);
    for part in [
        "leo.script:22:19: `FM.SRP.SRPModel` = `SPADFile` is not supported",
        "leo.script:23:19: `FM.PointMasses`: `Moon` is no body that is supported",
        "leo.script:42:22: `Sat.Earth.Apoapse`: `Apoapse` is no parameter that is supported",
        "supported: Spherical",
        "                     ^^^^^^^^^^^^^^^^^",
    ] {
        assert_eq!(outcome.text.matches(part).count(), 1, "`{part}` once in\n{}", outcome.text);
    }
    assert_eq!(outcome.text.matches("leo.script:").count(), 3, "three and no more:\n{}", outcome.text);
    assert_eq!(case.left(), [] as [&str; 0]);
}

#[test]
fn mpi_refusals_come_once_and_leave_nothing() {
    let case = Case::sma(10);
    for ranks in [0, 3] {
        case.refused(ranks, &["missing.toml"], &["missing.toml: cannot be read: No such file"]);
        case.refused(ranks, &["config.toml", "--set", "Sat.SMMA=1"], &["--set 'Sat.SMMA'", "did you mean `Sat.SMA`?"]);
        case.refused(ranks, &["config.toml", "--set", "Sat.SMA=1"], &["`Sat.SMA` is swept by the design"]);
        case.refused(
            ranks,
            &["config.toml", "--output", "nowhere/out.h5"],
            &["the folder of the result file does not exist"],
        );
        case.refused(ranks, &["config.toml", "--output", "."], &["is not a file"]);
        case.refused(ranks, &["config.toml", "--output", "/dev/null", "--overwrite"], &["is not a file"]);
        case.refused(ranks, &["config.toml", "--output", "leo.script", "--overwrite"], &["is an input of this sweep"]);
        case.refused(ranks, &["config.toml", "--threads", "0"], &["`0` is no number of threads"]);
        case.refused(ranks, &["config.toml", "--nonsense"], &["unexpected argument '--nonsense'"]);
        assert_eq!(case.left(), [] as [&str; 0]);
    }
    case.refused(0, &["config.toml", "--only", "7-12"], &["there is no run 12", "allowed: 0 to 9"]);
    case.refused(0, &["show", "config.toml"], &["config.toml"]);
    case.refused(0, &["list", "forcess"], &["did you mean `forces`?"]);
    case.script("Create Spacecraft Sat;", "Create Spacecraft Sat");
    fs::remove_file(case.path("leo.script")).unwrap();
    case.refused(3, &["config.toml"], &["config.toml:2:10: the mission script"]);
}

#[test]
fn mpi_a_sweep_of_an_unknown_path_is_refused() {
    let case = Case::new(
        "kind = \"grid\"\naxes = { \"Sat.SMAA\" = { values = [7000] }, \"Prop.Acuracy\" = { values = [1e-9] } }",
        "",
        "",
    );
    case.refused(
        3,
        &["config.toml"],
        &[
            "config.toml:5:10: `Sat.SMAA` is no number of this mission that can be swept",
            "did you mean `Sat.SMA`",
            "config.toml:5:44: `Prop.Acuracy`",
            "did you mean `Prop.Accuracy`?",
        ],
    );
    let case = Case::new(
        "kind = \"grid\"\naxes = { \"Sat.SMA\" = { values = [7000] } }",
        "final = [\"Sat.EarthMJ2000Eq.XX\", \"Sat.Moon.SMA\"]",
        "",
    );
    case.refused(
        3,
        &["config.toml"],
        &["config.toml:8:10: `Sat.EarthMJ2000Eq.XX`", "config.toml:8:34: `Sat.Moon.SMA`"],
    );
}

#[test]
fn mpi_what_exists_is_not_touched() {
    let case = Case::sma(10);
    case.flies(2, &["config.toml", "-q"]);
    let before = case.sha256("out.h5");
    case.refused(2, &["config.toml", "--set", "Sat.ECC=0.2"], &["out.h5: exists already", "--overwrite"]);
    assert_eq!(case.sha256("out.h5"), before);
    case.flies(2, &["config.toml", "-q", "--set", "Sat.ECC=0.2", "--overwrite"]);
    assert_ne!(case.sha256("out.h5"), before);
    assert!(case.reader().provenance("overrides").unwrap().contains("Sat.ECC = 0.2"));
    assert_eq!(case.left(), ["out.h5", "out.h5.log.json"]);
    // an unfinished file of another job
    fs::write(case.path("out3.h5.partial"), "half").unwrap();
    case.refused(2, &["config.toml", "--output", "out3.h5"], &["an unfinished sweep is there"]);
    assert_eq!(fs::read(case.path("out3.h5.partial")).unwrap(), b"half");
    case.flies(2, &["config.toml", "-q", "--output", "out3.h5", "--overwrite"]);
    // a job at work: this process holds the lock
    let lock = Lock::take(&case.path("out4.h5"), &host()).unwrap();
    case.refused(2, &["config.toml", "--output", "out4.h5"], &[&format!("process {}", std::process::id())]);
    drop(lock);
    case.flies(2, &["config.toml", "-q", "--output", "out4.h5"]);
}

fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[test]
fn mpi_the_sidecar_knows_the_machine() {
    let case = Case::sma(100);
    case.flies(3, &["config.toml", "-q", "--threads", "2"]);
    let text = fs::read_to_string(case.path("out.h5.log.json")).unwrap();
    let sidecar: serde_json::Value = serde_json::from_str(&text).unwrap();
    let ranks = sidecar["ranks"].as_array().unwrap();
    assert_eq!(ranks.len(), 3);
    assert_eq!(ranks.iter().map(|rank| rank["runs"].as_u64().unwrap()).sum::<u64>(), 100);
    assert_eq!(ranks[0]["runs"], 0, "the leader flies nothing");
    assert!(ranks.iter().all(|rank| !rank["host"].as_str().unwrap().is_empty()));
    assert_eq!((&sidecar["runs"]["ok"], &sidecar["threads"]), (&100.into(), &2.into()));
    assert!(sidecar["dispatch_latency_s"].as_f64().unwrap() >= 0.0);
}

#[test]
fn mpi_epochs_steps_and_variables_can_be_swept() {
    let case = Case::new(
        "kind = \"grid\"\naxes = { \"Sat.Epoch\" = { values = [\"01 Jan 2026 00:00:00.000\", \"01 Jul 2026 12:00:00.500\"] }, \"Prop.MaxStepAttempts\" = { values = [50, 60] }, \"TOF.Value\" = { range = [60, 120, 60] } }",
        "final = [\"Sat.UTCGregorian\", \"Sat.ElapsedSecs\", \"TOF\"]",
        "",
    );
    case.flies(3, &["config.toml", "-q"]);
    let reader = case.reader();
    let column = |name: &str| {
        let column = reader.parameters().iter().chain(reader.outputs()).find(|column| column.name == name).unwrap();
        reader.values(column, 0, 8).unwrap()
    };
    assert_eq!(column("TOF_Value"), [60.0, 120.0, 60.0, 120.0, 60.0, 120.0, 60.0, 120.0]);
    assert_eq!(column("Prop_MaxStepAttempts"), [50.0, 50.0, 60.0, 60.0, 50.0, 50.0, 60.0, 60.0]);
    assert_eq!(column("Sat_Epoch")[0].to_bits(), 31_041.5_f64.to_bits());
    assert!((column("Sat_Epoch")[4] - (31_223.0 + 0.5 / 86_400.0)).abs() < 1e-11);
    for (run, elapsed) in column("Sat_ElapsedSecs").into_iter().enumerate() {
        assert!((elapsed - column("TOF")[run]).abs() < 1e-6);
        let days = column("Sat_UTCGregorian")[run] - column("Sat_Epoch")[run];
        assert!((days * 86_400.0 - elapsed).abs() < 1e-6);
    }
}

#[test]
fn cli_dry_run_needs_no_mpi_and_no_time() {
    let case = Case::new(
        "kind = \"grid\"\naxes = { \"Sat.SMA\" = { linspace = [7000, 8000, 10000] }, \"Sat.INC\" = { linspace = [0, 90, 10000] } }",
        "final = [\"Sat.X\"]",
        "",
    );
    let outcome = case.alone(&["config.toml", "--dry-run"]);
    assert_eq!(outcome.code, Code::Exit(0), "{}", outcome.text);
    for part in ["100 000 000 runs, design grid", "Sat.SMA", "8000", "Sat_X", "3.9 GB", "a worker, "] {
        assert!(outcome.text.contains(part), "{part} in\n{}", outcome.text);
    }
    assert!(outcome.took < Duration::from_secs(5));
    assert_eq!(case.left(), [] as [&str; 0]);
    // under a launcher one rank speaks
    let text = case.flies(3, &["config.toml", "--dry-run"]);
    assert_eq!(text.matches("100 000 000 runs").count(), 1, "{text}");
}

#[test]
fn cli_only_prints_runs_in_full_digits() {
    let case = Case::sma(1000);
    let outcome = case.alone(&["config.toml", "--only", "999,0"]);
    assert_eq!(outcome.code, Code::Exit(0), "{}", outcome.text);
    let lines: Vec<&str> = outcome.text.lines().collect();
    assert_eq!(lines.len(), 3, "{}", outcome.text);
    assert!(
        lines[0].contains("Sat.SMA") && lines[1].contains("ok") && lines[1].contains("6978.33335094725"),
        "{}",
        outcome.text
    );
    assert!(lines[2].trim_start().starts_with("999"));
    let outcome = case.alone(&["config.toml", "--only", "0", "--set", "Sat.ECC=2"]);
    assert_eq!(outcome.code, Code::Exit(1), "{}", outcome.text);
    assert!(outcome.text.contains("run 0: SMA and ECC contradict"), "{}", outcome.text);
    assert_eq!(case.left(), [] as [&str; 0]);
}

#[test]
fn cli_only_writes_the_ephemerides_of_its_runs() {
    let case = Case::sma(10);
    let only = ["config.toml", "--only", "0,7", "--ephemerides", "out"];
    case.refused(0, &only, &["--ephemerides: the sweep has no script with an EphemerisFile"]);
    let files = "Create EphemerisFile Eph;\nEph.Spacecraft = Sat;\nEph.StepSize = 20;\nBeginMissionSequence";
    case.script("BeginMissionSequence", files);
    case.refused(0, &only, &["--ephemerides: `out` is no folder"]);
    case.refused(0, &["config.toml", "--ephemerides", "out"], &["ephemeris files are written of single runs"]);
    std::fs::create_dir(case.path("out")).unwrap();
    assert_eq!(case.alone(&only).code, Code::Exit(0));
    let read = |name: &str| {
        let text = std::fs::read_to_string(case.path(name)).unwrap();
        text.lines().filter(|line| !line.starts_with("CREATION_DATE")).collect::<Vec<_>>().join("\n")
    };
    assert_ne!(read("out/Eph.0.oem"), read("out/Eph.7.oem"));
    assert_eq!(std::fs::read_dir(case.path("out")).unwrap().count(), 2);
    case.refused(0, &only, &["out/Eph.0.oem: exists already"]);
    // run 0 beside others is the script with its values
    let flown = case.alone(&["fly", "leo.script", "--reports", "out", "--set", "Sat.SMA=7000"]);
    assert_eq!(flown.code, Code::Exit(0), "{}", flown.text);
    assert_eq!(read("out/Eph.0.oem"), read("out/Eph.oem"));
    // a run that fails leaves none
    let failing = ["config.toml", "--only", "1", "--ephemerides", "out", "--overwrite", "--set", "Sat.ECC=2"];
    assert_eq!(case.alone(&failing).code, Code::Exit(1));
    assert!(!case.path("out/Eph.1.oem").exists());
    // a sweep writes none, and says so
    let swept = case.alone(&["config.toml"]);
    assert!(swept.text.contains("EphemerisFile `Eph`: written of single runs"), "{}", swept.text);
    assert_eq!(std::fs::read_dir(case.path("out")).unwrap().count(), 4);
}

#[test]
fn cli_list_help_and_version() {
    let case = Case::sma(1);
    for (arguments, part) in [
        (&["list"][..], "RungeKutta89"),
        (&["list", "designs"], "grid"),
        (&["--help"], "mpirun -n 9 sweep-mpi config.toml"),
        (&["--version"], "sweep-mpi"),
    ] {
        let outcome = case.alone(arguments);
        assert_eq!(outcome.code, Code::Exit(0), "{}", outcome.text);
        assert!(outcome.text.contains(part), "{part} in\n{}", outcome.text);
    }
}

#[test]
fn cli_copies_that_do_not_know_of_each_other_are_refused() {
    let case = Case::sma(10);
    let mut job = Command::new(PROGRAM);
    job.current_dir(case.folder.path()).arg("config.toml").env("SLURM_NTASKS", "3");
    launch::environment(&mut job, case.folder.path());
    let outcome = launch::finish(&mut job, &case.path("log"), LIMIT);
    assert_eq!(outcome.code, Code::Exit(2), "{}", outcome.text);
    assert!(outcome.text.contains("--mpi=pmix"), "{}", outcome.text);
    assert_eq!(case.left(), [] as [&str; 0]);
}

#[test]
fn cli_a_log_has_lines_and_json_where_asked() {
    let case = Case::sma(10);
    let outcome = case.alone(&["config.toml", "--log-format", "json"]);
    assert_eq!(outcome.code, Code::Exit(0), "{}", outcome.text);
    let lines: Vec<serde_json::Value> = outcome.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = lines.last().unwrap();
    assert_eq!((&last["message"], &last["ok"], &last["not_ok"]), (&"done".into(), &10.into(), &0.into()));
    case.script("BeginMissionSequence;", "Create OrbitView View;\nView.Add = {Sat, Earth};\nBeginMissionSequence;");
    let outcome = case.alone(&["config.toml", "--overwrite"]);
    assert!(outcome.text.contains("OrbitView `View` (graphical interface)"), "{}", outcome.text);
}

//! What users of such programs stumbled over, tried here: the rows of a collection of reports from public trackers that are
//! about what is typed and written. The inputs are made by the tests, as the reports describe them; each test names its
//! sources. Rows about ranks, kills, disks and Slurm are tested where those are (sweep.rs, resume.rs, store.rs, commands.rs).
#![allow(clippy::unwrap_used)] // helpers of tests

mod case;
mod launch;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use case::{Case, PROGRAM};
use launch::{Code, LIMIT};

fn utf16(text: &str) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

/// tomli#304, toml#233, toml-rs#255: a byte order mark is "invalid statement, line 1".
#[test]
fn cli_marks_and_line_ends_of_other_systems_change_nothing() {
    let plain = Case::sma(3);
    plain.flies(1, &["config.toml", "-q"]);
    let expected = plain.column("Sat_EarthMJ2000Eq_X");
    for name in ["config.toml", "leo.script"] {
        let text = fs::read_to_string(plain.path(name)).unwrap();
        let crlf = text.replace('\n', "\r\n");
        for other in [format!("\u{feff}{text}"), crlf.clone(), format!("\u{feff}{crlf}")] {
            let case = Case::sma(3);
            fs::write(case.path(name), other).unwrap();
            case.flies(1, &["config.toml", "-q"]);
            assert_eq!(case.column("Sat_EarthMJ2000Eq_X"), expected);
        }
        let case = Case::sma(3);
        fs::write(case.path(name), utf16(&text)).unwrap();
        case.refused(0, &["config.toml"], &["UTF-16"]);
        fs::write(case.path(name), &text.as_bytes()[..0]).unwrap();
        assert_eq!(case.alone(&["config.toml"]).code, Code::Exit(2), "an empty {name}");
    }
}

/// agnix#1122, trunk#913: unknown or misplaced keys are ignored, and the wrong thing runs.
#[test]
fn cli_a_key_that_is_not_known_or_in_the_wrong_place_is_refused() {
    for (key, parts) in [
        ("integrater = 1", ["config.toml:1:1: `integrater` is not a section", "supported: mission"]),
        ("chunk = 5", ["config.toml:1:1: `chunk` is not a section", "belongs under [schedule]"]),
        (
            "[limits]\nsteps = 5\nthreads = 2",
            ["config.toml:3:1: `threads` is not a key of [limits]", "belongs under [schedule]"],
        ),
        ("[limits]\nstep = 5", ["config.toml:2:1: `step` is not a key of [limits]", "did you mean `steps`?"]),
    ] {
        let case = Case::sma(1);
        let config = fs::read_to_string(case.path("config.toml")).unwrap();
        case.config(&format!("{key}\n{config}"));
        case.refused(0, &["config.toml", "--dry-run"], &parts);
    }
}

/// numpy#14927, schemdraw#98: linspace with one point is 0/0; none, equal ends, downwards, the last value.
#[test]
fn cli_axes_of_one_point_none_and_downwards() {
    let axis =
        |rule: &str| Case::of_workload("kind = \"expression\"\noutputs = { y = \"x\" }", &format!("x = {{ {rule} }}"));
    for (rule, values) in [
        ("linspace = [7000.0, 8000.0, 1]", vec![7000.0]),
        ("linspace = [5.0, 5.0, 3]", vec![5.0; 3]),
        ("linspace = [1.0, 0.0, 3]", vec![1.0, 0.5, 0.0]),
        ("linspace = [0.1, 0.7, 7]", vec![0.1, 0.2, 0.300_000_000_000_000_04, 0.4, 0.5, 0.6, 0.7]),
        ("geomspace = [3.0, 3.0, 1]", vec![3.0]),
        ("range = [3, 1, -1]", vec![3.0, 2.0, 1.0]),
    ] {
        let case = axis(rule);
        case.flies(1, &["config.toml", "-q"]);
        let got = case.column("y");
        assert_eq!(got.len(), values.len(), "{rule}");
        assert!(got.iter().zip(&values).all(|(a, b)| (a - b).abs() < 1e-15), "{rule}: {got:?}");
        assert_eq!(got.last().map(|x| x.to_bits()), values.last().map(|x| x.to_bits()), "the last of {rule} is exact");
    }
    axis("linspace = [0, 1, 0]").refused(
        0,
        &["config.toml"],
        &["`x.linspace n` cannot be the number `0`", "config.toml:"],
    );
    axis("values = []").refused(0, &["config.toml"], &["the axis `x` is empty"]);
}

/// nyx#377, tudat#155, tudat#290: a rule lets the step reach 0 or NaN, and 2 runs of 4186 never end.
#[test]
fn cli_a_step_that_comes_to_nothing_ends_its_run() {
    for steps in [
        "Prop.Accuracy = 1e-30;",
        "Prop.Accuracy = 1e-300;",
        "Prop.Accuracy = 1e-9;\nProp.MaxStep = 1e-9;",
        "Prop.MinStep = 0;\nProp.Accuracy = 0;",
    ] {
        let case = Case::new(
            "kind = \"grid\"\naxes = { \"Sat.ECC\" = { values = [0.0, 0.1] } }",
            "",
            "[limits]\nsteps = 2000",
        );
        case.script("Prop.Accuracy = 1e-9;", steps);
        let outcome = case.alone(&["config.toml"]);
        assert!(matches!(outcome.code, Code::Exit(1 | 2)), "{steps}: {:?}\n{}", outcome.code, outcome.text);
        assert!(outcome.took < LIMIT / 2, "{steps}: {:?}", outcome.took);
    }
}

/// gmat-sweep #112, #138, FAQ: the same column twice in a ReportFile kills a run.
#[test]
fn cli_a_column_twice_in_a_report_harms_nothing() {
    let case =
        Case::new("kind = \"grid\"\naxes = { \"Sat.SMA\" = { values = [7000, 7100] } }", "rows = { max = 10 }", "");
    let script = fs::read_to_string(case.path("leo.script")).unwrap();
    let add = script.lines().find(|line| line.contains(".Add")).unwrap();
    fs::write(case.path("leo.script"), script.replace(add, "RF.Add = {Sat.SMA, Sat.ECC, Sat.SMA, Sat.SMA};")).unwrap();
    case.flies(1, &["config.toml", "-q"]);
    let reader = case.reader();
    let names: Vec<&str> = reader.reports()[0].columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["RF_Sat_SMA", "RF_Sat_ECC"], "the file has each once");
    let outcome = case.alone(&["fly", "leo.script"]);
    assert_eq!(outcome.text.matches("`Sat.SMA` stands twice in RF.Add").count(), 2, "{}", outcome.text);
}

/// cruijff_kit#272, gmat-sweep #155, snakemake-executor-plugin-slurm#419: what are relative paths relative to?
#[test]
fn cli_paths_are_relative_to_the_config_wherever_one_stands() {
    let case = Case::sma(2);
    let away = tempfile::tempdir().unwrap();
    let mut job = Command::new(PROGRAM);
    job.current_dir(away.path()).arg(case.path("config.toml")).arg("-q");
    launch::environment(&mut job, away.path());
    let outcome = launch::finish(&mut job, &case.path("log"), LIMIT);
    assert_eq!(outcome.code, Code::Exit(0), "{}", outcome.text);
    assert!(case.path("out.h5").exists());
    assert!(!away.path().join("out.h5").exists(), "nothing lands where the program was started");
}

/// h5py#965 and more: a sweep of no runs is a result as well.
#[test]
fn mpi_no_runs_at_all() {
    let case = Case::new("kind = \"table\"\ncolumns = { \"Sat.SMA\" = [] }", "", "");
    case.flies(3, &["config.toml", "-q"]);
    assert_eq!(case.reader().runs(), 0);
}

/// A name is a name: no `~`, no variables, no commands.
#[test]
fn cli_nothing_in_a_path_is_expanded() {
    let case = Case::sma(1);
    for name in ["~", "$HOME", "`touch x`", "$(touch x)", "%HOME%"] {
        fs::create_dir(case.path(name)).unwrap();
        let config = fs::read_to_string(case.path("config.toml")).unwrap();
        case.config(&config.replace("file = \"out.h5\"", &format!("file = '{name}/out.h5'")));
        case.flies(1, &["config.toml", "-q"]);
        assert!(case.path(name).join("out.h5").exists(), "{name}");
        case.config(&config);
    }
    assert!(!case.path("x").exists());
}

/// The result never takes the place of what it is made from, under none of its names.
#[test]
fn cli_an_input_is_never_an_output() {
    let script = |case: &Case| fs::read_to_string(case.path("leo.script")).unwrap();
    let case = Case::sma(1);
    fs::create_dir(case.path("sub")).unwrap();
    symlink("leo.script", case.path("soft.h5")).unwrap();
    fs::hard_link(case.path("leo.script"), case.path("hard.h5")).unwrap();
    fs::hard_link(case.path("leo.script"), case.path("part.h5.partial")).unwrap();
    fs::hard_link(case.path("leo.script"), case.path("side.h5.log.json")).unwrap();
    let before = script(&case);
    for output in ["leo.script", "sub/../leo.script", "config.toml", "soft.h5", "hard.h5", "part.h5", "side.h5"] {
        case.refused(0, &["config.toml", "--overwrite", "--output", output], &["is an input of this sweep"]);
    }
    // what the script and [data] name
    fs::copy("data/gravity/JGM3.cof", case.path("own.cof")).unwrap();
    case.script("BeginMissionSequence", "FM.GravityField.Earth.PotentialFile = 'own.cof';\nBeginMissionSequence");
    let field = fs::read(case.path("own.cof")).unwrap();
    case.refused(0, &["config.toml", "--overwrite", "--output", "own.cof"], &["is an input of this sweep"]);
    assert_eq!(fs::read(case.path("own.cof")).unwrap(), field);
    assert!(script(&case).starts_with(before.split("BeginMissionSequence").next().unwrap()));
    assert!(case.left().is_empty(), "{:?}", case.left());
}

/// Names of files can hold anything, and none of it may steer the terminal.
#[test]
fn cli_no_control_character_reaches_the_terminal() {
    let case = Case::sma(1);
    let name = "\u{1b}[31mred\u{7}.h5";
    fs::write(case.path(name), "no result").unwrap();
    for arguments in [
        &["show", name][..],
        &["fly", name],
        &["check", name],
        &["jobs", name],
        &[name],
        &["config.toml", "--output", name],
    ] {
        let outcome = case.alone(arguments);
        assert!(matches!(outcome.code, Code::Exit(1..=3)), "{arguments:?}: {}", outcome.text);
        assert!(!outcome.text.chars().any(|c| c.is_control() && c != '\n'), "{arguments:?}: {:?}", outcome.text);
        assert!(outcome.text.contains("red"), "{}", outcome.text);
    }
    let outcome = case.alone(&["config.toml", "--output", "\u{1b}[32mgreen.h5"]);
    assert_eq!(outcome.code, Code::Exit(0), "{}", outcome.text);
    assert!(!outcome.text.contains('\u{1b}'), "{:?}", outcome.text);
}

/// A file that does not tell its length, and those that are none.
#[test]
fn cli_what_is_no_ordinary_file_is_refused() {
    let case = Case::sma(1);
    case.refused(0, &["/dev/zero"], &["it is not a file"]);
    case.refused(0, &["."], &["it is not a file"]);
    assert!(Path::new("/proc/self/maps").is_file());
    assert_eq!(case.alone(&["/proc/self/maps"]).code, Code::Exit(2));
    let large = fs::File::create(case.path("large.toml")).unwrap();
    large.set_len(1 << 40).unwrap();
    case.refused(0, &["large.toml"], &["has 1099511627776 bytes, more than the 4194304 that are read"]);
    let config = fs::read_to_string(case.path("config.toml")).unwrap();
    case.config(&config.replace("leo.script", "large.toml"));
    case.refused(0, &["config.toml"], &["has 1099511627776 bytes, more than the 4194304 that are read"]);
}

//! `sweep-mpi fly`: one script, its ReportFiles as GMAT writes them.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::path::Path;
use std::process::{Command, Output};

fn fly(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sweep-mpi")).arg("fly").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Where the words of a line begin.
fn columns(line: &str) -> Vec<usize> {
    line.match_indices(|c: char| c != ' ')
        .map(|(at, _)| at)
        .filter(|&at| at == 0 || line.as_bytes()[at - 1] == b' ')
        .collect()
}

fn same_layout(ours: &str, gmat: &str) {
    assert_eq!(ours.lines().count(), gmat.lines().count());
    for (ours, gmat) in ours.lines().zip(gmat.lines()) {
        assert_eq!((columns(ours), ours.len()), (columns(gmat), gmat.len()), "\n{ours}\n{gmat}");
    }
}

#[test]
fn val_reports_look_as_those_of_gmat() {
    // rows by Add, with a header and dates
    let flown = fly(&["tests/reference/gmat/reportadd_reference.script"]);
    let gmat = std::fs::read_to_string("tests/reference/gmat/reportadd_reference.txt").unwrap();
    let ours = text(&flown.stdout);
    same_layout(&ours, &gmat);
    assert_eq!(ours.lines().next(), gmat.lines().next(), "the header, byte for byte");
    for (ours, gmat) in ours.lines().zip(gmat.lines()).skip(1) {
        assert_eq!(ours[..27], gmat[..27], "dates are the same text");
    }
    // rows by the Report command, without a header, into a file
    let folder = tempfile::TempDir::new().unwrap();
    let to = folder.path().to_str().unwrap();
    let script = "tests/reference/gmat/parameters_leo.script";
    let flown = fly(&[script, "--reports", to]);
    assert!(flown.status.success(), "{}", text(&flown.stderr));
    let file = folder.path().join("RF.txt");
    same_layout(
        &std::fs::read_to_string(&file).unwrap(),
        &std::fs::read_to_string("tests/reference/gmat/parameters_leo.txt").unwrap(),
    );
    // what is there stays there
    std::fs::write(&file, "mine").unwrap();
    let again = fly(&[script, "--reports", to]);
    assert_eq!(again.status.code(), Some(2));
    assert!(
        text(&again.stderr).contains("RF.txt: exists already\n    --overwrite replaces it"),
        "{}",
        text(&again.stderr)
    );
    assert_eq!(std::fs::read(&file).unwrap(), b"mine");
    assert!(fly(&[script, "--reports", to, "--overwrite"]).status.success());
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("23079.77138060627"));
}

/// How far numbers of the language's cases may be from GMAT's, relative, absolute below 1; 0: the same bytes.
const LANGUAGE: [(&str, f64); 11] = [
    ("language_arrays", 0.0),
    ("language_conditions", 0.0),
    // the state goes through elements and back, as in GMAT
    ("language_copies", 1e-14),
    // the Earth's orientation to 1e-8 km; dates to the last digit
    ("language_epochs", 1e-11),
    // the same, and angles of the orbit behind it
    ("language_fields", 3e-11),
    // functions of another library: the last digit
    ("language_functions", 1e-15),
    // an element set and read back
    ("language_include", 1e-15),
    ("language_loops", 0.0),
    ("language_matrices", 0.0),
    ("language_strings", 0.0),
    // a date: the last digit
    ("language_toggle", 1e-15),
];

fn same_rows(name: &str, ours: &str, gmat: &str, tolerance: f64) {
    if tolerance == 0.0 {
        return assert_eq!(ours, gmat, "{name}");
    }
    assert_eq!(ours.lines().count(), gmat.lines().count(), "{name}");
    for (ours, gmat) in ours.lines().zip(gmat.lines()) {
        assert_eq!(columns(ours), columns(gmat), "{name}\n{ours}\n{gmat}");
        for (our, gmat) in ours.split_whitespace().zip(gmat.split_whitespace()) {
            let same = match (our.parse::<f64>(), gmat.parse::<f64>()) {
                (Ok(our), Ok(gmat)) => {
                    our.to_bits() == gmat.to_bits() || (our - gmat).abs() <= tolerance * gmat.abs().max(1.0)
                }
                _ => our == gmat,
            };
            assert!(same, "{name}: {our} {gmat} in\n{ours}");
        }
    }
}

#[test]
fn val_the_language_of_gmat() {
    let folder = tempfile::TempDir::new().unwrap();
    let to = folder.path().to_str().unwrap();
    let reference = |name: &str| std::fs::read_to_string(format!("tests/reference/gmat/{name}.txt")).unwrap();
    let report = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    for (name, tolerance) in LANGUAGE {
        let flown = fly(&[&format!("tests/reference/gmat/{name}.script"), "--reports", to, "--overwrite"]);
        assert!(flown.status.success(), "{name}: {}", text(&flown.stderr));
        same_rows(name, &report("RF.txt"), &reference(name), tolerance);
        if name == "language_toggle" {
            same_rows(name, &report("Second.txt"), &reference("language_toggle_second"), tolerance);
        }
    }
    let scripts = std::fs::read_dir("tests/reference/gmat").unwrap().filter_map(|entry| {
        let name = entry.unwrap().file_name().to_str()?.strip_suffix(".script")?.to_owned();
        name.starts_with("language_").then_some(name)
    });
    let mut scripts: Vec<String> = scripts.collect();
    scripts.sort();
    assert_eq!(scripts, LANGUAGE.map(|(name, _)| name));
}

/// A row of an ephemeris file: its time, six numbers.
fn row(line: &str) -> Option<(&str, Vec<f64>)> {
    let time = line.get(..23).filter(|time| time.starts_with("20"))?;
    Some((time, line[23..].split_whitespace().map(|word| word.parse().unwrap()).collect()))
}

#[test]
fn val_ephemerides_are_those_of_gmat() {
    // Target, impulsive and finite burns, Toggle, an assignment, flown back; two spacecraft with Vary of a field, a copy,
    // a window, VNB axes: the same steps give the same states, measured 5e-10 km and 8e-13 km/s; where the files are
    // interpolated between steps that differ by the rounding of the first one's error, 7e-6 km and 1e-8 km/s
    let (same, near) = ((1e-8, 1e-11), (2e-5, 3e-8));
    for (script, file, (km, km_per_s)) in [
        ("sequence", "Eph", same),
        ("spacecraft", "Eph", same),
        ("spacecraft", "Two", same),
        ("spacecraft", "Three", same),
        ("toggle", "Eph", near),
        ("fixed_maneuver", "Eph", near),
        ("fixed_frame", "Eph", near),
    ] {
        let folder = tempfile::TempDir::new().unwrap();
        let reference = format!("tests/reference/gmat/oem/flights/{script}");
        let flown = fly(&[&format!("{reference}.script"), "--reports", folder.path().to_str().unwrap()]);
        assert!(flown.status.success(), "{}", text(&flown.stderr));
        let ours = std::fs::read_to_string(folder.path().join(format!("{file}.oem"))).unwrap();
        let gmat = std::fs::read_to_string(format!("{reference}_{}.oem", file.to_lowercase())).unwrap();
        assert_eq!(ours.lines().count(), gmat.lines().count(), "{script} {file}");
        for (ours, gmat) in ours.lines().zip(gmat.lines()) {
            let Some((time, expected)) = row(gmat) else {
                let dated = gmat.starts_with("CREATION_DATE  = 20") && ours.len() == gmat.len();
                assert!(ours == gmat || dated && ours.starts_with("CREATION_DATE  = 20"), "{ours}\n{gmat}");
                continue;
            };
            let (our_time, numbers) = row(ours).unwrap();
            assert_eq!((our_time, ours.len()), (time, gmat.len()), "{script} {file}");
            for (i, (ours, gmat)) in numbers.iter().zip(&expected).enumerate() {
                let allowed = if i < 3 { km } else { km_per_s };
                assert!((ours - gmat).abs() < allowed, "{script} {file} {time}: {i} {ours} {gmat}");
            }
        }
    }
}

#[test]
fn cli_ephemeris_files_are_written_with_the_reports() {
    let folder = tempfile::TempDir::new().unwrap();
    let script = |lines: &str| {
        write(
            folder.path(),
            &format!(
                "Create Spacecraft Sat;\nCreate Propagator P;\nCreate EphemerisFile Eph;\nEph.Spacecraft = Sat;\n{lines}\n\
                 BeginMissionSequence;\nPropagate P(Sat) {{Sat.ElapsedSecs = 3000}};\n"
            ),
        )
    };
    let to = folder.path().to_str().unwrap();
    // without a folder it is not written, and that is said
    let plain = script("");
    let flown = fly(&[&plain]);
    assert!(flown.status.success());
    assert!(text(&flown.stderr).ends_with("m.script: EphemerisFile `Eph` is written with --reports\n"));
    assert!(fly(&[&plain, "--reports", to]).status.success());
    let again = fly(&[&plain, "--reports", to]);
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("Eph.oem: exists already\n    --overwrite replaces it"));
    std::fs::remove_file(folder.path().join("Eph.oem")).unwrap();
    // another form is told, and not written; what only it has is no matter
    let flown = fly(&[&script("Eph.FileFormat = STK-TimePosVel;\nEph.IncludeCovariance = Position;"), "--reports", to]);
    assert!(flown.status.success(), "{}", text(&flown.stderr));
    assert!(text(&flown.stderr).contains("EphemerisFile `Eph`: FileFormat STK-TimePosVel is not written"));
    // GMAT stops the run as well
    for (lines, message) in [
        ("Eph.StepSize = 60;\nCreate ImpulsiveBurn B;", "too few states for any interpolation"),
        ("Eph.InitialEpoch = '01 Jan 2000 12:00:00.000';", "InitialEpoch lies before the spacecraft's epoch"),
    ] {
        let script = script(lines);
        let text_of = std::fs::read_to_string(&script).unwrap();
        let burn = text_of.replace("3000}", "0}").replace("0};", "0};\nManeuver B(Sat);");
        std::fs::write(&script, if lines.contains("Burn") { &burn } else { &text_of }).unwrap();
        let flown = fly(&[&script, "--reports", to, "--set", "Sat.Epoch=21546"]);
        assert_eq!(flown.status.code(), Some(1), "{}", text(&flown.stderr));
        assert!(text(&flown.stderr).contains(message), "{}", text(&flown.stderr));
    }
    assert!(!folder.path().join("Eph.oem").exists());
}

fn write(folder: &Path, text: &str) -> String {
    let path = folder.join("m.script");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn cli_every_way_to_fly_a_script() {
    let folder = tempfile::TempDir::new().unwrap();
    let sequence =
        "Create Spacecraft Sat;\nCreate Propagator P;\nBeginMissionSequence;\nPropagate P(Sat) {Sat.Periapsis};\n";
    let script = write(folder.path(), sequence);
    // without a report: where it is at the end, which --set changes
    let end = |arguments: &[&str]| {
        let flown = fly(&[&[script.as_str()], arguments].concat());
        assert!(flown.status.success(), "{}", text(&flown.stderr));
        text(&flown.stdout)
    };
    assert!(end(&[]).contains("Sat.UTCGregorian") && end(&[]).contains("km/s"));
    assert_ne!(end(&[]), end(&["--set", "Sat.X=7200"]));
    for (arguments, message) in [
        (vec!["--set", "Sat.Foo=1"], "--set 'Sat.Foo': `Sat.Foo` is no number of this mission"),
        (vec!["--set", "Sat.X"], "has no `=`"),
        (vec!["--reports", "/nowhere"], "--reports: `/nowhere` is no folder"),
    ] {
        let flown = fly(&[&[script.as_str()], &arguments[..]].concat());
        assert_eq!(flown.status.code(), Some(2));
        assert!(text(&flown.stderr).contains(message), "{}", text(&flown.stderr));
    }
    let missing = fly(&["no.script"]);
    assert_eq!(
        (missing.status.code(), text(&missing.stderr)),
        (Some(2), "no.script: cannot be read: No such file or directory (os error 2)\n".to_owned())
    );
    let refused = write(folder.path(), &sequence.replace("Periapsis", "Perigee = 1"));
    let flown = fly(&[&refused]);
    assert_eq!(flown.status.code(), Some(2));
    assert!(text(&flown.stderr).contains("m.script:4:19: `Sat.Perigee`"), "{}", text(&flown.stderr));
    // a run that fails says why, and leaves no report
    let hopeless = write(
        folder.path(),
        &format!("Create Spacecraft Sat;\n{sequence}").replace("Sat.Periapsis", "Sat.ElapsedDays = 40000"),
    );
    let flown = fly(&[
        &hopeless,
        "--reports",
        folder.path().to_str().unwrap(),
        "--set",
        "P.MinStep=2600",
        "--set",
        "P.Accuracy=1e-15",
    ]);
    assert_eq!(flown.status.code(), Some(1), "{}", text(&flown.stderr));
    assert!(
        text(&flown.stderr).contains("the accuracy cannot be reached with steps of MinStep"),
        "{}",
        text(&flown.stderr)
    );
}

#[test]
fn cli_a_flight_beyond_the_ephemeris_is_told_its_span() {
    let folder = tempfile::TempDir::new().unwrap();
    let script = std::fs::read_to_string("tests/reference/gmat/constants.script").unwrap();
    let late = write(folder.path(), &script.replace("'29051.0'", "'60000.0'"));
    let flown = fly(&[&late]);
    assert_eq!(flown.status.code(), Some(1));
    let told = "the flight leaves the span of the ephemeris, 1959-12-10 to 2101-01-31 TDB";
    assert!(text(&flown.stderr).contains(told), "{}", text(&flown.stderr));
    assert!(flown.stdout.is_empty());
}

#[test]
fn cli_a_solver_that_misses_its_goals_is_told() {
    let folder = tempfile::TempDir::new().unwrap();
    let script = std::fs::read_to_string("tests/reference/gmat/target_hohmann.script").unwrap();
    let flown = fly(&[&write(folder.path(), &script)]);
    assert!(flown.status.success());
    assert_eq!(text(&flown.stderr), "");
    let flown = fly(&[&write(folder.path(), &script.replace("MaximumIterations = 30", "MaximumIterations = 2"))]);
    assert!(flown.status.success(), "a run that did not converge is ok");
    assert!(
        text(&flown.stderr).ends_with("m.script: DC, with 2 iterations, did not reach its goals\n"),
        "{}",
        text(&flown.stderr)
    );
}

#[test]
fn cli_check_tells_problems_and_what_is_ignored() {
    let folder = tempfile::TempDir::new().unwrap();
    let check = |script: &str| {
        let script = write(folder.path(), script);
        let said = Command::new(env!("CARGO_BIN_EXE_sweep-mpi")).args(["check", &script]).output().unwrap();
        (said.status.code(), text(&said.stdout), text(&said.stderr))
    };
    let (code, out, error) = check(
        "Create Spacecraft Sat;\nCreate XYPlot Plot;\nCreate Propagator P;\nBeginMissionSequence;\nPropagate P(Sat);\n",
    );
    assert_eq!((code, error.as_str()), (Some(0), ""));
    assert!(out.contains("m.script: ignored: line 2: XYPlot `Plot` (graphical interface)\n"), "{out}");
    assert!(out.ends_with("m.script: can be flown: 1 spacecraft, 1 Propagate\n"), "{out}");
    let (code, out, error) = check("Create Spacecraft Sat;\nSat.SMAA = 7000;\nBeginMissionSequence;\nFly Sat;\n");
    assert_eq!(code, Some(2));
    assert!(
        error.contains(
            "m.script:2:1: field `SMAA` of Spacecraft `Sat` is not supported\n    Sat.SMAA = 7000;\n    ^^^^^^^^\n"
        ),
        "{error}"
    );
    assert!(out.ends_with("m.script: parsed, and refused, 2 problems\n"), "{out}");
    let (code, out, _) = check("Create Spacecraft Sat;\nIf (\n");
    assert_eq!(code, Some(2));
    assert!(out.contains("m.script: not parsed, "), "{out}");
}

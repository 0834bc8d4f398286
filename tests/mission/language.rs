//! The language of the mission sequence beyond GMAT's own rows, which tests/fly.rs compares.

use super::{fly, flying, good, near, with};
use sweep_mpi::base::outcome::Failure;

#[test]
fn what_changes_no_number_is_ignored_with_a_line_each() {
    let commands = "Write Sat\nCommandEcho On\nPause\nPause(5)\nSave Sat\nSat.OrbitColor = Red\n\
                    Sat.DisplayStateType = Keplerian\nRF.Filename = 'a.txt'\n";
    assert_eq!(
        good(&flying(commands)).ignored,
        [
            "line 11: Write (message window)",
            "line 12: CommandEcho (message window)",
            "line 13: Pause (waiting)",
            "line 14: Pause (waiting)",
            "line 15: Save (files of objects)",
            "line 16: `Sat.OrbitColor` has no effect here",
            "line 17: `Sat.DisplayStateType` has no effect here",
            "line 18: `RF.Filename` has no effect here",
        ]
    );
}

/// What ends a run in GMAT ends it here.
#[test]
fn formulas_without_a_value_end_the_run() {
    let outcome = |command: &str| {
        fly(
            &with("Create Array M[2,2] N[2,2]; Create Variable x; Create String s t;")
                .replace("BeginMissionSequence;", &format!("BeginMissionSequence;\n{command}\n")),
            &[],
        )
        .failure
    };
    for command in [
        "x = sqrt(-1)",
        "x = log(0)",
        "x = exp(log(0))",
        "x = mod(1, x)",
        "x = -1/0",
        "N = inv(M)",
        "s = 'ab'\ns = substr(s, 2)",
        "s = 'ab'\nx = str2num(s)",
        "t = '%d'\ns = sprintf(t, x)",
        "RF.Precision = x",
    ] {
        assert_eq!(outcome(command), Some(Failure::FormulaUndefined), "{command}");
    }
    for command in ["Sat.Epoch = '01 Jan 2026 00:00:00.000'", "Sat.Epoch = 60000", "s = 'now'\nSat.UTCGregorian = s"] {
        let failed = matches!(outcome(command), Some(Failure::EpochOutOfSpan | Failure::FormulaUndefined));
        assert!(failed, "{command}");
    }
    for command in ["x = 1/0", "x = 0^0", "x = atan2(0, 0)", "s = 'ab'\ns = substr(s, 1, 99)"] {
        assert_eq!(outcome(command), None, "{command}");
    }
}

/// A String keeps its text when the one that it was copied from gets another; texts are compared, not their places.
#[test]
fn prop_strings_are_texts() {
    let commands = "s = strcat('a', 'b')\nt = s\ns = strcat('c', t)\nIf t == 'ab'\nTOF = TOF + 1\nEndIf\n\
                    If s ~= t\nTOF = TOF + 2\nEndIf\nu = strcat('a', 'b')\nIf u == t\nTOF = TOF + 4\nEndIf\nReport RF TOF s";
    let script = flying(commands).replace("Create Variable TOF", "Create String s t u; Create Variable TOF");
    let flown = fly(&script, &[]);
    assert_eq!(flown.failure, None);
    // Add has seven columns; then TOF
    near(&flown.rows[0][7..8], &[67.0], 0.0);
    let mut mission = good(&script);
    let names = &mission.names;
    assert_eq!(mission.reports[0].leave_out_texts(names), ["s"]);
    assert_eq!((mission.reports[0].columns.len(), &mission.reports[0].kinds[1]), (8, &vec![7]));
    assert_eq!(mission.default_columns().len(), 8);
}

/// As in GMAT: the sign of the semi-major axis follows the eccentricity, and `SMA` takes the sign that it wants.
#[test]
fn val_an_ellipse_becomes_a_hyperbola() {
    let script = flying("Sat.ECC = 1.5\nReport RF Sat.SMA\nSat.SMA = 30000\nReport RF Sat.SMA Sat.ECC");
    let rows =
        fly(&script.replace("RF.Add = {Sat.X, Sat.Y, Sat.Z, Sat.VX, Sat.VY, Sat.VZ, Sat.ElapsedSecs}", ""), &[]).rows;
    near(&rows[0][..1], &[-7_191.938_817_629_02], 1e-14);
    near(&rows[1][..2], &[-30_000.0, 1.499_999_999_999_998], 1e-14);
}

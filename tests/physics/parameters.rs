//! Parameters and coordinate systems on the orbits that GMAT flew, column by column.

use super::{case, fly, read};

/// By how much [`later`] shifts, s.
const SHIFT: f64 = 0.01;
/// How early or late a row may be, see tests/physics/cases.rs, and the grain of a date, s.
const LATE: f64 = 6e-6;
/// Half a unit in the last place of a date in days, s.
const GRAIN: f64 = 2e-7;
/// The Earth's rate of turn, rad/s.
const TURN: f64 = 7.3e-5;

/// Columns that are angles with a jump, where GMAT's acos loses half the digits near 0 and 180 degrees.
const ANGLES: [&str; 12] = ["RAAN", "AOP", "TA", "MA", "EA", "RA", "LST", "MHA", "MLONG", "Longitude", "AZI", "INC"];

/// The same script with every report this much later.
fn later(script: &str) -> String {
    let begin = "BeginMissionSequence;";
    script.replace(begin, &format!("{begin}\nPropagate Prop(Sat) {{Sat.ElapsedSecs = {SHIFT}}};"))
}

/// Other constants of the bodies change parameters and forces (tests/physics/cases.rs) as in GMAT.
#[test]
fn val_constants_of_a_script() {
    let case = case("constants");
    for path in ["Sat.Earth.SMA", "Sat.Earth.ECC", "Sat.Earth.Altitude", "Sat.Earth.Latitude"] {
        let column = case.columns.iter().position(|name| name == path).unwrap();
        for (ours, gmat) in case.ours.iter().zip(&case.gmat) {
            let (ours, gmat) = (ours[column], gmat[column]);
            // as early or late as a row may be, at 8 km/s and 0.1 degrees/s
            assert!((ours - gmat).abs() < 1e-9 * gmat.abs() + 8.0 * LATE, "{path}: {ours} {gmat}");
        }
    }
    let gmat_earth = fly(&read("constants.script").replace("Earth.Mu = 398700;", ""));
    assert!((gmat_earth.1[1][1] - case.ours[1][1]).abs() > 1.0, "the Earth's mu matters");
}

/// VNB, LVLH, and axes and origins by two spacecraft and the Moon.
#[test]
fn val_axes_by_spacecraft_of_gmat() {
    let case = case("relative_axes");
    assert_eq!((case.ours.len(), case.gmat.len()), (2, 2));
    for (row, (ours, gmat)) in case.ours.iter().zip(&case.gmat).enumerate() {
        for ((ours, gmat), path) in ours.iter().zip(gmat).zip(&case.columns) {
            // behind a leg each spacecraft is early or late by less than 1 us at 6 km/s; the axes between the two, 100 km
            // apart, turn a place at 10 600 km by 100 times as much
            let late = if path.starts_with("Sat.Between") { 6e-4 } else { 6e-6 };
            let allowed = 1e-8 + if row == 0 { 0.0 } else { late };
            assert!((ours - gmat).abs() < allowed, "row {row} {path}: {ours} {gmat}");
        }
    }
}

/// A number may differ by what a few microseconds make of it, and by 1e-9 of its size.
#[test]
fn val_parameters_of_gmat() {
    for name in ["parameters_leo", "parameters_heo", "parameters_geo"] {
        let case = case(name);
        let (_, shifted) = fly(&later(&read(&format!("{name}.script"))));
        assert_eq!((case.ours.len(), case.gmat.len(), case.columns.len()), (11, 11, 59));
        for (row, (ours, gmat)) in case.ours.iter().zip(&case.gmat).enumerate() {
            let distance = gmat[case.columns.iter().position(|path| path == "Sat.Earth.RMAG").unwrap()];
            for (column, path) in case.columns.iter().enumerate() {
                let is_angle = ANGLES.iter().any(|angle| path.rsplit('.').next() == Some(angle));
                let mut difference = (ours[column] - gmat[column]).abs();
                let mut change = (shifted[row][column] - ours[column]).abs();
                if is_angle {
                    difference = difference.min((360.0 - difference).abs());
                    change = change.min((360.0 - change).abs());
                }
                let lost = if is_angle { 3e-6 } else { 0.0 };
                // GMAT turns the Earth to a date in one double
                let turned = if path.contains("EarthFixed") { TURN * distance * GRAIN } else { 0.0 };
                let allowed = 1e-9 * gmat[column].abs() + change / SHIFT * LATE + lost + turned + 1e-11;
                assert!(
                    difference <= allowed,
                    "{name} row {row} {path}: {} {} {difference:e} {allowed:e}",
                    ours[column],
                    gmat[column]
                );
            }
        }
    }
}

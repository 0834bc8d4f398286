//! What is accepted, and what GMAT makes of it.

use super::{RESOURCES, fly, flying, good, near, places, refused, with};
use sweep_mpi::astro::epoch::{Epoch, Scale};
use sweep_mpi::astro::representations::Centre;
use sweep_mpi::astro::representations::state_input::StateInput;
use sweep_mpi::base::outcome::Failure;
use sweep_mpi::gmat;
use sweep_mpi::integrators::step_control::StepSettings;
use sweep_mpi::mission::compile::compile;
use sweep_mpi::mission::program::{Command, Watched};

#[test]
fn gui_objects_are_ignored_with_a_line_each() {
    let script = with(
        "Create OrbitView View1;\nView1.Add = {Sat, Earth};\nCreate XYPlot Plot1, Plot2;\nPlot1.XVariable = Sat.X;\nSat.OrbitColor = Red;
SolarSystem.EphemerisSource = 'DE405';\nCreate Spacecraft RF;\nRF.Add = {Sat.X};\nFM.GravityField.Earth.Order = 4;
Prop.Accuracy = 1e-9;\nProp.Type = RungeKutta89;\nCreate ReportFile Off;\nOff.WriteReport = false;",
    ) + "Toggle View1 Plot2 Off;\nPenUp Plot1;\n";
    let mission = good(&script);
    assert_eq!(
        mission.ignored,
        [
            "line 10: OrbitView `View1` (graphical interface)",
            "line 12: XYPlot `Plot1` (graphical interface)",
            "line 12: XYPlot `Plot2` (graphical interface)",
            "line 14: `Sat.OrbitColor` has no effect here",
            "line 16: `RF` is made a second time: the first one counts",
            "line 17: `Sat.X` stands twice in RF.Add",
            "line 20: `Prop.Type` sets the step settings above it back to their defaults",
            "line 25: Toggle (graphical interface)",
            "line 26: PenUp (graphical interface)",
            "ReportFile `Off`: WriteReport is off, no rows are kept",
        ]
    );
    assert_eq!(mission.program, good(&with("")).program);
    assert_eq!(mission.reports.len(), 1);
}

/// Nothing but `Create`, and what makes the Earth a point mass: GMAT's own defaults.
#[test]
fn val_defaults_of_gmat() {
    let script = "Create Spacecraft Sat;\nCreate ForceModel FM;\nFM.PointMasses = {Earth};\nCreate Propagator Prop;\nProp.FM = FM;\n\
                  Create Variable V;\nCreate ReportFile RF;\nRF.Add = {Sat.X, Sat.Y, Sat.Z, Sat.VX, Sat.VY, Sat.VZ};\n\
                  BeginMissionSequence;\nPropagate Prop(Sat) {Sat.ElapsedSecs = 60};\n";
    let mission = good(script);
    let sat = mission.pristine.spacecraft[0];
    assert_eq!(sat.state, StateInput::default());
    assert_eq!(sat.epoch, Epoch::from_mjd(Scale::Tai, 21_545.0).unwrap());
    assert_eq!((sat.date_format.scale, sat.date_format.gregorian), (Scale::Tai, false));
    assert_eq!(sat.dry_mass.to_bits(), 850.0_f64.to_bits());
    assert_eq!(mission.pristine.steps, [StepSettings::default()]);
    let steps = mission.pristine.steps[0];
    assert_eq!(
        [steps.initial_step, steps.accuracy, steps.min_step, steps.max_step].map(f64::to_bits),
        [60.0, 9.999999999999999e-12, 0.001, 2700.0].map(f64::to_bits)
    );
    assert_eq!((steps.max_attempts, steps.stop_if_accuracy_is_violated), (50, true));
    assert_eq!(mission.pristine.values, [0.0]);
    assert_eq!(mission.program, [Command::Propagate(0)]);
    let leg = &mission.legs[0];
    assert_eq!((leg.parts.len(), leg.backwards, leg.conditions.len()), (1, false, 1));
    assert_eq!(leg.conditions[0].watched, Watched::Elapsed { unit: 1.0 });
    assert_eq!(mission.formulas.all[leg.conditions[0].goal].as_number(), Some(60.0));
    // GMAT's two rows of this script
    let flown = fly(script, &[]);
    assert_eq!(flown.rows.len(), 2);
    let gmat = [
        7086.478452769565,
        440.720219715447,
        1357.486158401703,
        -0.450240469548004,
        7.336023141510919,
        0.915659990767392,
    ];
    near(&flown.rows[1], &gmat, 1e-13);
}

/// The same script in every spelling that GMAT reads.
#[test]
fn spellings_of_one_script() {
    let plain = with(
        "Sat.DateFormat = UTCGregorian;\nSat.Epoch = '01 Jan 2026 00:00:00.000';\nSat.SMA = 7000;\nSat.ECC = 0.001;\nProp.MaxStep = 600;\nProp.StopIfAccuracyIsViolated = false;",
    );
    let expected = good(&plain);
    let prefixed: String = plain
        .lines()
        .map(|line| {
            if line.contains('=') && !line.starts_with("Propagate") {
                format!("GMAT {line}\n")
            } else {
                format!("{line}\n")
            }
        })
        .collect();
    let quoted =
        plain.replace("= 7000", "= '7000'").replace("= 600;", "= ' 6e2 ';").replace("TOF = 60;", "TOF.Value = +60.;");
    let unquoted = plain.replace('\'', "").replace("= false", "= Off");
    for script in [
        plain.replace('\n', "\r\n"),
        plain.replace('\n', "\r"),
        plain.replace(";\n", "\n"),
        plain.replace("Prop(Sat) {Sat.ElapsedSecs = TOF}", "Prop(Sat, {Sat.ElapsedSecs = TOF})"),
        plain.replace("= TOF}", "= TOF.Value}"),
        plain.replace("= TOF}", "= TOF, StopTolerance = 1e-5, OrbitColor = Red}"),
        plain.replace("Propagate ", "Propagate 'one minute' "),
        plain.replace("BeginMissionSequence;\n", "BeginMissionSequence;\nBeginScript\n") + "EndScript;\n",
        plain.replace("BeginMissionSequence;\n", ""),
        prefixed,
        quoted,
        unquoted,
    ] {
        let mission = good(&script);
        assert_eq!(mission.pristine, expected.pristine, "{script}");
        assert_eq!(mission.program, expected.program, "{script}");
    }
    let with_mark = [b"\xef\xbb\xbf", plain.as_bytes()].concat();
    let mission = compile("m.script", &plain, &gmat::parse("m.script", &with_mark).unwrap()).unwrap();
    assert_eq!(mission.pristine, expected.pristine);
    // a place is the same behind any line end
    let wrong = with("Sat.Foo = 1;");
    assert_eq!(places(&refused(&wrong.replace('\n', "\r\n"))), places(&refused(&wrong)));
}

#[test]
fn rules_of_gmat() {
    // a new integrator comes with its defaults
    let steps = |lines: &str| good(&with(lines)).pristine.steps[0];
    let set = "Prop.InitialStepSize = 7; Prop.Accuracy = 1e-3; Prop.MaxStep = 11; Prop.MinStep = 3; Prop.MaxStepAttempts = 9; Prop.StopIfAccuracyIsViolated = false;";
    assert_eq!(steps(&format!("{set} Prop.Type = RungeKutta89;")), StepSettings::default());
    assert_eq!(steps(&format!("Prop.Type = RungeKutta89; {set}")).max_attempts, 9);
    // the first Create of a name counts, of whatever type
    let mission = good(&with("Sat.X = 8000;\nCreate Spacecraft Sat;\nCreate Variable Sat;"));
    assert_eq!(mission.names.spacecraft, ["Sat"]);
    near(&mission.initial(&mission.pristine.spacecraft[0]).unwrap().0.r, &[8000.0, 0.0, 1300.0], 0.0);
    // every way to a point mass that GMAT flies as one
    for lines in [
        "FM.PrimaryBodies = {};",
        "FM.PrimaryBodies = {Earth}; FM.GravityField.Earth.Degree = 0;",
        "FM.PrimaryBodies = {Earth}; FM.GravityField.Earth.Degree = 0; FM.PrimaryBodies = {};",
        "FM.PointMasses = {Earth};",
        "FM.PrimaryBodies = {}; FM.PointMasses = {Earth};",
        "FM.PointMasses = {Earth}; FM.PointMasses = {Earth}; FM.PrimaryBodies = {};",
        "FM.PointMasses = {Earth}; FM.PointMasses = {}; FM.PrimaryBodies = {Earth}; FM.GravityField.Earth.Degree = 0;",
        "FM.GravityField.Earth.PotentialFile = 'EGM96.cof'; FM.GravityField.Earth.Order = 4; FM.CentralBody = Earth;",
        "FM.SRP = false; FM.RelativisticCorrection = Off; FM.Drag.AtmosphereModel = None; FM.Drag.F107 = 150;",
    ] {
        assert_eq!(good(&with(lines)).dynamics.len(), 1, "{lines}");
    }
    // columns: each once, in the order of Add, a list or a single one, quoted or not
    let mission = good(&with(
        "RF.Add = Sat.Earth.SMA;\nRF.Add = {'Sat.X', TOF};\nCreate ReportFile R2;\nR2.Add = {Sat.TA, Sat.X};\nCreate ReportFile Empty;",
    ));
    let columns: Vec<Vec<&str>> = mission
        .reports
        .iter()
        .map(|report| report.columns.iter().map(|column| column.path.as_str()).collect())
        .collect();
    let first = ["Sat.X", "Sat.Y", "Sat.Z", "Sat.VX", "Sat.VY", "Sat.VZ", "Sat.ElapsedSecs", "Sat.Earth.SMA", "TOF"];
    assert_eq!(columns, [&first[..], &["Sat.TA", "Sat.X"]]);
    let defaults: Vec<String> = mission.default_columns().into_iter().map(|column| column.path).collect();
    assert_eq!(defaults, [&first[..], &["Sat.TA"]].concat());
    // days
    let mission = good(&flying("Propagate Prop(Sat) {Sat.ElapsedDays = 0.5};"));
    let condition = &mission.legs[0].conditions[0];
    assert_eq!(condition.watched, Watched::Elapsed { unit: 86_400.0 });
    assert_eq!(mission.formulas.all[condition.goal].as_number(), Some(0.5));
    // propagators of one force model share its dynamics
    let mission = good(
        &(with(
            "Create Propagator P2; P2.FM = FM; Create ForceModel F2; F2.PointMasses = {Earth}; Create Propagator P3; P3.FM = F2;",
        ) + "Propagate P2(Sat) {Sat.ElapsedSecs = 1};\nPropagate P3(Sat) {Sat.ElapsedSecs = 1};\n"),
    );
    assert_eq!((mission.dynamics_of, mission.dynamics.len()), (vec![0, 0, 1], 2));
}

/// A Keplerian script that leaves elements out keeps those of GMAT's default Cartesian state.
#[test]
fn val_elements_left_out() {
    let script = with("Sat.SMA = 8000;\nSat.ECC = 0.1;")
        .replace("RF.Add = {Sat.X", "RF.Add = {Sat.SMA, Sat.ECC, Sat.INC, Sat.RAAN, Sat.AOP, Sat.TA, Sat.X");
    let defaults = [12.850_080_056_580_97, 306.614_802_194_798_4, 314.190_551_535_992_1, 99.887_749_332_048_8];
    near(&fly(&script, &[]).rows[0][..6], &[&[8000.0, 0.1], &defaults[..]].concat(), 1e-12);
    let elements = good(&script).pristine.spacecraft[0].state.numbers(&Centre::EARTH).unwrap();
    near(&elements[2..], &defaults, 1e-13);
    // hyperbola: the order of SMA and ECC does not matter
    for lines in ["Sat.ECC = 1.2;\nSat.SMA = -30000;", "Sat.SMA = -30000;\nSat.ECC = 1.2;"] {
        let elements = good(&with(lines)).pristine.spacecraft[0].state.numbers(&Centre::EARTH).unwrap();
        near(&elements[..2], &[-30_000.0, 1.2], 0.0);
    }
    // one of the two alone: GMAT turns the sign of SMA; both contradicting each other: no state
    let elements = good(&with("Sat.SMA = -8000;")).pristine.spacecraft[0].state.numbers(&Centre::EARTH).unwrap();
    near(&elements[..1], &[8000.0], 0.0);
    assert_eq!(fly(&with("Sat.SMA = -8000;\nSat.ECC = 0.1;"), &[]).failure, Some(Failure::ConicContradiction));
}

/// The start of a Propagate is a row unless its date is that of the last row; rows of GMAT, `ElapsedSecs` of
/// two spacecraft.
#[test]
fn val_rows_of_two_spacecraft() {
    let rows = |commands: &str| -> Vec<[f64; 2]> {
        let resources = RESOURCES.replace(
            "{Sat.X, Sat.Y, Sat.Z, Sat.VX, Sat.VY, Sat.VZ, Sat.ElapsedSecs}",
            "{Sat.ElapsedSecs, S2.ElapsedSecs}",
        );
        let script = format!("{resources}Create Spacecraft S2;\nS2.X = 8000;\nBeginMissionSequence;\n{commands}");
        fly(&script, &[]).rows.iter().map(|row| [row[0].round(), row[1].round()]).collect()
    };
    let sat = |seconds: u32| format!("Propagate Prop(Sat) {{Sat.ElapsedSecs = {seconds}}};\n");
    let s2 = |seconds: u32| format!("Propagate Prop(S2) {{S2.ElapsedSecs = {seconds}}};\n");
    let expected = [[0., 0.], [60., 0.], [60., 0.], [60., 60.], [60., 120.], [60., 120.], [120., 120.]];
    assert_eq!(rows(&(sat(60) + &s2(120) + &sat(60))), expected);
    assert_eq!(rows(&(sat(60) + &s2(60) + &sat(60))), [[0., 0.], [60., 0.], [60., 0.], [60., 60.], [120., 60.]]);
    let expected = [[0., 0.], [60., 0.], [120., 0.], [120., 0.], [120., 60.], [120., 120.]];
    assert_eq!(rows(&(sat(60) + &sat(60) + &s2(60) + &s2(60))), expected);
    assert_eq!(rows(&(sat(60) + &s2(0) + &sat(60))), [[0., 0.], [60., 0.], [60., 0.], [60., 0.], [120., 0.]]);
    assert_eq!(rows(&(sat(0) + &s2(60))), [[0., 0.], [0., 60.]]);
    assert_eq!(rows(&sat(0)), [[0., 0.]]);
    assert_eq!(rows(""), [[0.0; 2]; 0], "no Propagate, no row");
}

//! The propagator against GMAT, against Kepler, and against itself.

#![allow(clippy::unwrap_used)] // helpers of tests

use std::fmt::Write as _;

use sweep_mpi::astro::elements::norm;
use sweep_mpi::base::lanes::{Isa, Lanes, Vectors};
use sweep_mpi::base::outcome::{Failure, Status};
use sweep_mpi::gmat;
use sweep_mpi::mission::compile::compile;
use sweep_mpi::propagator::{Flight, Propagator};

/// What a run left.
#[derive(Clone, Debug, PartialEq)]
struct Flown {
    run: u64,
    status: Status,
    failure: Option<Failure>,
    outputs: Vec<u64>,
    rows: Vec<Vec<f64>>,
    true_rows: u64,
    steps: u64,
}

impl Flown {
    fn output(&self, index: usize) -> f64 {
        f64::from_bits(self.outputs[index])
    }
}

fn reference(name: &str) -> String {
    std::fs::read_to_string(format!("tests/reference/{name}")).unwrap()
}

fn flight(script: &str, sweep: &[&str], rows_max: usize) -> Flight {
    let tree = gmat::parse("test.script", script.as_bytes()).unwrap();
    let mission = compile("test.script", script, &tree).unwrap_or_else(|problems| panic!("{problems}"));
    let swept = sweep.iter().map(|path| mission.setting(path, None).unwrap()).collect();
    let outputs = mission.default_columns();
    Flight { mission, swept, outputs, rows_max, steps_max: 1_000_000, wall_max: None }
}

fn fly(flight: &Flight, vectors: Vectors, runs: std::ops::Range<u64>, values: impl Fn(u64, &mut [f64])) -> Vec<Flown> {
    let mut flown = Vec::new();
    Propagator::new(flight, vectors).fly(flight, runs, values, |run| {
        let (rows, true_rows) = match run.reports.first() {
            Some(report) => {
                let columns = flight.mission.reports[0].columns.len();
                (report.values.chunks(columns).map(<[f64]>::to_vec).collect(), report.rows)
            }
            None => (Vec::new(), 0),
        };
        let outputs = run.outputs.iter().map(|value| value.to_bits()).collect();
        let (status, failure) = (run.status, run.failure);
        flown.push(Flown { run: run.run, status, failure, outputs, rows, true_rows, steps: run.steps });
    });
    flown.sort_by_key(|run| run.run);
    flown
}

fn one(script: &str) -> Flown {
    fly(&flight(script, &[], 10_000), Vectors::new(Isa::best(), 8), 0..1, |_, _| {}).remove(0)
}

/// The rows of a GMAT report whose first column is a date or a number and whose next three are X, Y, Z.
fn positions(report: &str) -> Vec<[f64; 3]> {
    let row = |line: &str| -> Option<[f64; 3]> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let first = if words.first()?.len() == 2 { 4 } else { 1 };
        let mut numbers = words[first..].iter().map(|word| word.parse().ok());
        Some([numbers.next()??, numbers.next()??, numbers.next()??])
    };
    report.lines().filter_map(row).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    norm([a[0] - b[0], a[1] - b[1], a[2] - b[2]])
}

const BASIC: &str = "Create Spacecraft Sat;
Sat.DateFormat = UTCGregorian;
Sat.Epoch = '01 Jan 2026 00:00:00.000';
Sat.DisplayStateType = Keplerian;
Sat.SMA = 7000; Sat.ECC = 0.001; Sat.INC = 28.5; Sat.RAAN = 0; Sat.AOP = 0; Sat.TA = 0;
Create ForceModel FM;
FM.GravityField.Earth.Degree = 0;
FM.GravityField.Earth.Order = 0;
Create Propagator Prop;
Prop.FM = FM;
Prop.Type = RungeKutta89;
Prop.InitialStepSize = 30;
Prop.Accuracy = 1e-9;
Create Variable TOF;
TOF = 60;
Create ReportFile RF;
RF.Add = {Sat.UTCGregorian, Sat.EarthMJ2000Eq.X, Sat.EarthMJ2000Eq.Y, Sat.EarthMJ2000Eq.Z, Sat.VX, Sat.VY, Sat.VZ};
BeginMissionSequence;
Propagate Prop(Sat) {Sat.ElapsedSecs = TOF};
";

#[test]
fn val_rows_of_gmat() {
    let flown = one(&reference("gmat/reportadd_reference.script"));
    let expected = positions(&reference("gmat/reportadd_reference.txt"));
    assert_eq!(flown.rows.len(), expected.len());
    for (row, gmat) in flown.rows.iter().zip(&expected) {
        // all steps are whole seconds here; 1e-9 km is the bar, 16 digits of the report are 1e-12
        assert!(distance(&row[1..4], gmat) < 1e-9, "{row:?} {gmat:?}");
    }
}

/// The first step's error is rounding noise (4e-16 of the step), and it decides the length of the second:
/// GMAT flies other steps than GMAT as soon as the same point mass is asked for by `PointMasses` instead
/// of `PrimaryBodies` (up to 2 km between rows of the same number, 4e-6 km at the end). So in free flight
/// the number of rows and the end can be asked for, to that noise; the rows are compared in
/// tests/integrators, by `PointMasses`, where they are the same to the last digit.
#[test]
fn val_free_flight_of_gmat() {
    for name in ["reportadd_long", "reportadd_pointmasses"] {
        let flown = one(&reference(&format!("gmat/{name}.script")));
        let expected = positions(&reference(&format!("gmat/{name}.txt")));
        assert_eq!(flown.rows.len(), expected.len(), "{name}");
        assert_eq!(flown.true_rows, expected.len() as u64);
        let (last, gmat) = (flown.rows.last().unwrap(), expected.last().unwrap());
        assert!(distance(&last[1..4], gmat) < 1e-5, "{name}: {last:?} {gmat:?}");
    }
    let (a, b) =
        (positions(&reference("gmat/reportadd_long.txt")), positions(&reference("gmat/reportadd_pointmasses.txt")));
    let apart = a.iter().zip(&b).map(|(a, b)| distance(a, b)).fold(0.0, f64::max);
    assert!(apart > 1.0, "GMAT against itself: the reason for the tolerance above, {apart}");
}

/// The twelve flights of two hours of each oracle, at 1e-13, against the report's last row.
#[test]
fn val_two_body_orbits_of_gmat() {
    for name in ["leo", "sso", "meo", "geo", "heo", "gto"] {
        let script = reference(&format!("gmat/twobody_{name}.script"));
        let start = script.find("Create Variable I").unwrap();
        let mut unrolled = script[..start].to_owned();
        unrolled += "RF.Add = {Sat.A1ModJulian, Sat.X, Sat.Y, Sat.Z, Sat.VX, Sat.VY, Sat.VZ};\nBeginMissionSequence;\n";
        for _ in 0..12 {
            unrolled += "Propagate Prop(Sat) {Sat.ElapsedSecs = 7200};\n";
        }
        let flown = one(&unrolled);
        let expected = positions(&reference(&format!("gmat/twobody_{name}.txt")));
        let last = flown.rows.last().unwrap();
        let difference = distance(&last[1..4], expected.last().unwrap());
        // The ends of twelve flights are each rounded to a microsecond, from steps that differ by rounding
        // noise: up to 12 x 0.5 us apart, 2 us as a rule; and GMAT's day at 1e-13 is good to 1e-8 km.
        let tolerance = 2e-6 * norm([last[4], last[5], last[6]]) + 1e-8;
        eprintln!("{name}: {difference:e} km, {:e}", difference / norm([last[4], last[5], last[6]]));
        assert!(difference < tolerance, "{name}: {difference:e} km");
    }
}

/// 1000 orbits against the analytic solution in extended precision.
#[test]
fn val_w1_against_kepler() {
    let flight = flight(BASIC, &["Sat.SMA"], 0);
    let rows: serde_json::Value = serde_json::from_str(&reference("orekit/sweep_w1.json")).unwrap();
    let rows: Vec<Vec<f64>> = serde_json::from_value(rows["rows"].clone()).unwrap();
    assert_eq!(rows.len(), 1000);
    let flown = fly(&flight, Vectors::new(Isa::best(), 8), 0..1000, |run, values| values[0] = rows[run as usize][0]);
    for (flown, row) in flown.iter().zip(&rows) {
        let got: Vec<f64> = (1..7).map(|index| flown.output(index)).collect();
        assert!(distance(&got[..3], &row[1..4]) < 1e-9, "{got:?} {row:?}");
        assert!(distance(&got[3..], &row[4..7]) < 1e-12, "{got:?} {row:?}");
    }
}

#[test]
fn prop_a_run_has_the_same_bits_in_any_lane() {
    let script = BASIC.replace("TOF = 60", "TOF = 30000");
    let flight = flight(&script, &["Sat.SMA", "Sat.ECC", "TOF.Value", "Prop.InitialStepSize"], 20);
    // flights of very different lengths, so that lanes are reloaded at odd moments; some end at once
    let values = |run: u64, out: &mut [f64]| {
        let x = (run * 7919 % 1000) as f64;
        out.copy_from_slice(&[6800.0 + 30.0 * x, 0.7 * x / 1000.0, 20.0 * x, 1.0 + x / 10.0]);
        if run % 17 == 3 {
            out[0] = 0.0;
        }
    };
    let expected = fly(&flight, Vectors::new(Isa::available()[Isa::available().len() - 1], 1), 0..120, values);
    assert!(expected.iter().filter(|run| run.failure == Some(Failure::SmaZero)).count() == 7);
    assert!(expected.iter().any(|run| run.true_rows > 20), "some runs have more rows than are kept");
    for isa in Isa::available() {
        for width in [1, 4, 8] {
            assert_eq!(fly(&flight, Vectors::new(isa, width), 0..120, values), expected, "{} {width}", isa.name());
            // beside other neighbours
            let mut parts = fly(&flight, Vectors::new(isa, width), 0..37, values);
            parts.extend(fly(&flight, Vectors::new(isa, width), 37..120, values));
            assert_eq!(parts, expected, "{} {width} in two parts", isa.name());
        }
    }
}

#[test]
fn prop_an_electric_burn_has_the_same_bits_in_any_lane() {
    let hardware = "Create ElectricTank T; Create ElectricThruster E F; E.Tank = {T}; F.Tank = {T};
E.DecrementMass = true; F.DecrementMass = true; F.Axes = LVLH; F.ThrustModel = FixedEfficiency;
Create SolarPowerSystem P; P.InitialMaxPower = 9; P.ShadowBodies = {Earth, Luna};
Sat.Tanks = {T}; Sat.Thrusters = {E, F}; Sat.PowerSystem = P; Create FiniteBurn B; B.Thrusters = {F, E};
RF.Add = {Sat.T.FuelMass, Sat.E.ThrustMagnitude, Sat.F.Isp, B.TotalAcceleration1, Sat.P.ThrustPowerAvailable};
BeginMissionSequence;
BeginFiniteBurn B(Sat);";
    let script = BASIC.replace("BeginMissionSequence;", hardware);
    let flight = flight(&script, &["Sat.P.InitialMaxPower", "Sat.E.MinimumUsablePower", "TOF.Value", "Sat.INC"], 20);
    let values = |run: u64, out: &mut [f64]| {
        let x = (run * 7919 % 1000) as f64;
        out.copy_from_slice(&[x / 50.0, 0.1 + x / 300.0, 3.0 * x, x / 10.0]);
    };
    let expected = fly(&flight, Vectors::new(Isa::available()[Isa::available().len() - 1], 1), 0..60, values);
    assert!(expected.iter().filter(|run| run.status == Status::Ok).count() > 40);
    for isa in Isa::available() {
        for width in [4, 8] {
            assert_eq!(fly(&flight, Vectors::new(isa, width), 0..60, values), expected, "{} {width}", isa.name());
        }
    }
}

#[test]
fn val_segments_follow_each_other() {
    // two Propagates in a row: the boundary is written once, and the second starts with the initial step
    let script = BASIC.replace(
        "Propagate Prop(Sat) {Sat.ElapsedSecs = TOF};",
        "Propagate Prop(Sat) {Sat.ElapsedSecs = 200};\nPropagate Prop(Sat) {Sat.ElapsedDays = 0.0034722222222222222};",
    );
    let flown = one(&script);
    let seconds: Vec<f64> = flown.rows.iter().map(|row| (row[0] - flown.rows[0][0]) * 86_400.0).collect();
    let near = |index: usize, expected: f64| (seconds[index] - expected).abs() < 1e-5;
    assert!(near(1, 30.0) && near(3, 200.0) && near(4, 230.0), "{seconds:?}");
    assert!((seconds.last().unwrap() - 500.0).abs() < 1e-5, "{seconds:?}");
    assert_eq!(flown.rows.len(), 7, "as GMAT: {seconds:?}");
}

#[test]
fn every_failure_of_a_run() {
    let fails = |change: &dyn Fn(&str) -> String| {
        let flown = one(&change(BASIC));
        assert!(flown.outputs.iter().all(|bits| *bits == f64::NAN.to_bits()), "a run that is not ok has no numbers");
        assert!(flown.rows.is_empty() && flown.true_rows == 0);
        (flown.status, flown.failure.unwrap())
    };
    let with = |from: &'static str, to: &'static str| move |script: &str| script.replace(from, to);
    assert_eq!(fails(&with("SMA = 7000", "SMA = 0")), (Status::InvalidInput, Failure::SmaZero));
    assert_eq!(fails(&with("ECC = 0.001", "ECC = 1.2")), (Status::InvalidInput, Failure::ConicContradiction));
    assert_eq!(fails(&with("ECC = 0.001", "ECC = 1")), (Status::InvalidInput, Failure::Parabolic));
    assert_eq!(fails(&with("ECC = 0.001", "ECC = -0.1")), (Status::InvalidInput, Failure::EccNegative));
    assert_eq!(fails(&with("TOF = 60", "TOF = -60")), (Status::InvalidInput, Failure::StopBehind));
    assert_eq!(fails(&with("Accuracy = 1e-9", "Accuracy = 1e-30")), (Status::Failed, Failure::AccuracyViolated));
    let stuck = |script: &str| script.replace("Accuracy = 1e-9", "Accuracy = 1e-30;\nProp.MinStep = 0");
    assert_eq!(fails(&stuck), (Status::Timeout, Failure::StepLimit), "steps go to zero, for ever");
    let twice = |script: &str| script.replace("Accuracy = 1e-9", "Accuracy = 1e-16;\nProp.MaxStepAttempts = 2");
    let long = |script: &str| twice(script).replace("InitialStepSize = 30", "InitialStepSize = 2000");
    assert_eq!(fails(&long), (Status::Failed, Failure::StepAttempts));
    let elements = "Sat.SMA = 7000; Sat.ECC = 0.001; Sat.INC = 28.5; Sat.RAAN = 0; Sat.AOP = 0; Sat.TA = 0;";
    let centre = |script: &str| script.replace(elements, "Sat.X = 0; Sat.Y = 0; Sat.Z = 0;");
    assert_eq!(fails(&centre), (Status::Diverged, Failure::NotFinite));
    let air = "BeginMissionSequence";
    let falls = |script: &str| {
        let drag = script.replace(air, &format!("FM.Drag.AtmosphereModel = JacchiaRoberts;\n{air}"));
        drag.replace("SMA = 7000", "SMA = 6500").replace("TOF = 60", "TOF = 864000")
    };
    assert_eq!(fails(&falls), (Status::Impact, Failure::BelowAtmosphere));
    let mut limited = flight(&BASIC.replace("TOF = 60", "TOF = 86400"), &[], 0);
    limited.steps_max = 10;
    let flown = fly(&limited, Vectors::new(Isa::best(), 8), 0..1, |_, _| {}).remove(0);
    assert_eq!((flown.status, flown.failure, flown.steps), (Status::Timeout, Some(Failure::StepLimit), 10));
}

#[test]
fn rows_beyond_the_limit_keep_the_first_and_the_last() {
    let script = BASIC.replace("TOF = 60", "TOF = 20000");
    let all = one(&script);
    let some = fly(&flight(&script, &[], 5), Vectors::new(Isa::best(), 8), 0..1, |_, _| {}).remove(0);
    assert_eq!(some.true_rows, all.rows.len() as u64);
    assert_eq!(some.rows[..4], all.rows[..4]);
    assert_eq!(some.rows[4], *all.rows.last().unwrap());
}

#[test]
fn reg_cost_of_the_standard_orbits() {
    // trial steps of a day at 1e-12: a change of the step control or of the tableau shows here
    let mut costs = String::new();
    for (name, elements) in [("leo", "7000 0.001"), ("gto", "24400 0.73"), ("geo", "42164 0.0001")] {
        let (sma, ecc) = elements.split_once(' ').unwrap();
        let script = BASIC
            .replace("SMA = 7000", &format!("SMA = {sma}"))
            .replace("ECC = 0.001", &format!("ECC = {ecc}"))
            .replace("TOF = 60", "TOF = 86400")
            .replace("Accuracy = 1e-9", "Accuracy = 1e-12");
        write!(costs, "{name} {} ", one(&script).steps).unwrap();
    }
    assert_eq!(costs, "leo 1207 gto 253 geo 86 ");
}

#[test]
fn lanes_are_reported_where_they_are_used() {
    assert_eq!(Vectors::new(Isa::best(), 3).width(), Lanes::default().0.len());
    assert_eq!(Vectors::new(Isa::best(), 4).width(), 4);
}

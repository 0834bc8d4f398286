//! The propagator against GMAT, against Kepler, and against itself.

#![allow(clippy::unwrap_used)] // helpers of tests

use std::fmt::Write as _;

use sweep_mpi::astro::constants::EARTH_MU;
use sweep_mpi::astro::elements::{Cartesian, Keplerian, norm};
use sweep_mpi::base::lanes::{Isa, Lanes, Vectors};
use sweep_mpi::base::outcome::{Failure, Status};
use sweep_mpi::forces::Force;
use sweep_mpi::forces::point_mass::PointMass;
use sweep_mpi::gmat;
use sweep_mpi::integrators::find;
use sweep_mpi::integrators::runge_kutta::TrialStep;
use sweep_mpi::integrators::step_control::{ErrorControl, StepSettings, Verdict};
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
    Flight { mission, swept, outputs, rows_max, steps_max: 1_000_000 }
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
/// `val_long_flight_on_the_steps_of_gmat`.
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

/// A trial step of one lane with the point-mass Earth.
fn step(trial: &mut TrialStep, state: &Cartesian, h: f64) -> (Cartesian, f64) {
    for axis in 0..3 {
        trial.state[axis].0[0] = state.r[axis];
        trial.state[axis + 3].0[0] = state.v[axis];
    }
    trial.h.0[0] = h;
    let forces: Vec<Box<dyn Force>> = vec![Box::new(PointMass::new(EARTH_MU))];
    trial.attempt(Vectors::new(Isa::best(), 1), &find("RungeKutta89").unwrap(), &forces, ErrorControl::RssStep);
    let component = |index: usize| trial.candidate[index].0[0];
    let new = Cartesian { r: [0, 1, 2].map(component), v: [3, 4, 5].map(component) };
    (new, trial.error_of(0))
}

/// Flies the very steps that GMAT took: each is found from the row it led to, along the velocity; then
/// every row must agree across it, their sum must be the whole flight, and the step control must have
/// chosen each of them.
#[test]
fn val_long_flight_on_the_steps_of_gmat() {
    let expected = positions(&reference("gmat/reportadd_long.txt"));
    let settings = StepSettings { initial_step: 30.0, accuracy: 1e-9, ..StepSettings::default() };
    let elements = Keplerian { sma: 7000.0, ecc: 0.001, inc: 28.5_f64.to_radians(), ..Keplerian::default() };
    let mut state = elements.to_cartesian(EARTH_MU).unwrap();
    let mut trial = TrialStep::default();
    let (mut elapsed, mut predicted) = (0.0, settings.initial_step);
    let count = expected.len();
    assert!(distance(&state.r, &expected[0]) < 1e-9);
    for (row, gmat) in expected.iter().enumerate().skip(1) {
        let mut h = predicted;
        for _ in 0..8 {
            let (new, _) = step(&mut trial, &state, h);
            let along: f64 = (0..3).map(|i| (gmat[i] - new.r[i]) * new.v[i]).sum();
            h += along / new.v.iter().map(|v| v * v).sum::<f64>();
        }
        let (new, error) = step(&mut trial, &state, h);
        assert!(distance(&new.r, gmat) < 1e-9, "row {row}: {:?} {gmat:?}", new.r);
        match row {
            1 => assert!((h - 30.0).abs() < 1e-9, "the first step is the initial one: {h}"),
            // 2 % of a step: the noise of the first step's error, to the power 1/9
            2 => assert!((h / predicted - 1.0).abs() < 0.02, "{h} {predicted}"),
            _ if row + 1 == count => {
                assert!(h < predicted, "the last step ends at the goal");
                // rounded to a microsecond, as far as the row's digits tell: 1e-12 km of 7.5 km/s
                let grain = (h * 1e6).round() * 1e-6;
                assert!((h - grain).abs() < 1e-10, "{h}");
            }
            // the error of a full step is 4e-10 with a noise of 1e-16: 3e-8 of the step, and the digits
            // of the row, 1e-12 km of 1200
            _ => assert!((h / predicted - 1.0).abs() < 1e-6, "step {row}: GMAT took {h}, the control says {predicted}"),
        }
        let Verdict::Accepted(next) = settings.judge(h, error, 9) else { panic!("GMAT took a step that is refused") };
        predicted = settings.bounded(next);
        elapsed += h;
        state = new;
    }
    // half a microsecond by the rounding of the last step, 3e-7 s by GMAT's double of days
    assert!((elapsed - 20_000.0).abs() < 0.8e-6, "{elapsed}");
}

#[test]
fn val_steps_of_gmat() {
    // each row is one accepted step of a Propagate without a condition, at loose accuracy, e = 0.74
    let expected = positions(&reference("gmat/steps_rungekutta89.txt"));
    let script = reference("gmat/steps_rungekutta89.script");
    let start = script.find("BeginMissionSequence").unwrap();
    let script =
        script[..start].replace("RF.WriteReport", "RF.Add = {Sat.A1ModJulian, Sat.X, Sat.Y, Sat.Z};\nRF.WriteReport");
    let text = reference("gmat/steps_rungekutta89.txt");
    let date = |line: &str| line.split_whitespace().next().unwrap().parse::<f64>().unwrap();
    let seconds = (date(text.lines().last().unwrap()) - date(text.lines().next().unwrap())) * 86_400.0;
    let script = format!("{script}BeginMissionSequence;\nPropagate Prop(Sat) {{Sat.ElapsedSecs = {seconds:?}}};\n");
    let flown = one(&script);
    assert_eq!(flown.rows.len(), expected.len(), "as many accepted steps");
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
fn prop_order_of_convergence() {
    // one orbit in n fixed steps: the error falls with the ninth power of the step
    let state = Keplerian { sma: 8000.0, ecc: 0.1, inc: 0.5, ..Keplerian::default() }.to_cartesian(EARTH_MU).unwrap();
    let period = std::f64::consts::TAU * (8000.0_f64.powi(3) / EARTH_MU).sqrt();
    let mut trial = TrialStep::default();
    let mut miss = |steps: u32| {
        let end = (0..steps).fold(state, |state, _| step(&mut trial, &state, period / f64::from(steps)).0);
        distance(&end.r, &state.r)
    };
    let order = (miss(20) / miss(40)).log2();
    assert!((8.5..10.5).contains(&order), "observed order {order}");
}

#[test]
fn prop_energy_and_reversal_over_weeks() {
    let script = BASIC.replace("TOF = 60", "TOF = 1209600").replace("Accuracy = 1e-9", "Accuracy = 1e-12");
    let flown = one(&script);
    let energy =
        |row: &[f64]| 0.5 * row[4..7].iter().map(|v| v * v).sum::<f64>() - EARTH_MU / norm([row[1], row[2], row[3]]);
    let (first, last) = (energy(&flown.rows[0]), energy(flown.rows.last().unwrap()));
    assert!((last / first - 1.0).abs() < 1e-10, "energy drifts by {:e}", last / first - 1.0);
    // there and back again, in steps of half a minute
    let start = Keplerian { sma: 7000.0, ecc: 0.2, inc: 1.0, ..Keplerian::default() }.to_cartesian(EARTH_MU).unwrap();
    let mut trial = TrialStep::default();
    let there = (0..500).fold(start, |state, _| step(&mut trial, &state, 30.0).0);
    let back = (0..500).fold(there, |state, _| step(&mut trial, &state, -30.0).0);
    assert!(distance(&back.r, &start.r) < 1e-7, "{}", distance(&back.r, &start.r));
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

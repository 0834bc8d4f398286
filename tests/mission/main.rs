//! The mission compiler: every refusal with its place, GMAT's rules and defaults, and what a sweep can set.
#![allow(clippy::unwrap_used)] // helpers of tests
#![allow(clippy::unreadable_literal, clippy::excessive_precision)] // GMAT's digits, pasted whole

mod language;
mod refusals;
mod rules;
mod sweeps;

use sweep_mpi::base::lanes::{Isa, Vectors};
use sweep_mpi::base::outcome::Failure;
use sweep_mpi::base::problem::Problem;
use sweep_mpi::gmat;
use sweep_mpi::mission::Mission;
use sweep_mpi::mission::compile::compile;
use sweep_mpi::propagator::{Flight, Propagator};

/// A script that is right, but for what is added.
const RESOURCES: &str = "Create Spacecraft Sat;
Create ForceModel FM;
FM.GravityField.Earth.Degree = 0;
Create Propagator Prop;
Prop.FM = FM;
Create Variable TOF;
TOF = 60;
Create ReportFile RF;
RF.Add = {Sat.X, Sat.Y, Sat.Z, Sat.VX, Sat.VY, Sat.VZ, Sat.ElapsedSecs};
";
const SEQUENCE: &str = "BeginMissionSequence;\nPropagate Prop(Sat) {Sat.ElapsedSecs = TOF};\n";

fn compiled(script: &str) -> Result<Mission, Vec<Problem>> {
    let tree = gmat::parse("m.script", script.as_bytes()).unwrap_or_else(|problems| panic!("{script}\n{problems}"));
    compile("m.script", script, &tree).map_err(|problems| problems.0)
}

fn good(script: &str) -> Mission {
    compiled(script).unwrap_or_else(|problems| panic!("{script}\n{problems:#?}"))
}

fn refused(script: &str) -> Vec<Problem> {
    match compiled(script) {
        Ok(_) => panic!("accepted:\n{script}"),
        Err(problems) => problems,
    }
}

/// Resource lines between the good script's resources and its sequence.
fn with(lines: &str) -> String {
    format!("{RESOURCES}{lines}\n{SEQUENCE}")
}

/// Commands instead of the good script's.
fn flying(commands: &str) -> String {
    format!("{RESOURCES}BeginMissionSequence;\n{commands}\n")
}

fn places(problems: &[Problem]) -> Vec<(u32, u32)> {
    problems.iter().map(|problem| problem.span.map_or((0, 0), |span| (span.line, span.column))).collect()
}

struct Flown {
    failure: Option<Failure>,
    /// The first row, then the finals, to the bit.
    bits: Vec<u64>,
    rows: Vec<Vec<f64>>,
}

/// Flies one run with these values swept; the columns are those of the first report.
fn fly(script: &str, sweep: &[(&str, f64)]) -> Flown {
    let mission = good(script);
    let swept = sweep.iter().map(|(path, _)| mission.setting(path, None).unwrap()).collect();
    let outputs = mission.default_columns();
    let flight = Flight { mission, swept, outputs, rows_max: 10_000, steps_max: 1_000_000, wall_max: None };
    let mut flown = None;
    let values = |_: u64, out: &mut [f64]| {
        for (out, (_, value)) in out.iter_mut().zip(sweep) {
            *out = *value;
        }
    };
    Propagator::new(&flight, Vectors::new(Isa::best(), 1)).fly(&flight, 0..1, values, |run| {
        let columns = flight.mission.reports[0].columns.len();
        let rows: Vec<Vec<f64>> = run.reports[0].values.chunks(columns).map(<[f64]>::to_vec).collect();
        let bits = rows.iter().take(1).flatten().chain(run.outputs).map(|value| value.to_bits()).collect();
        flown = Some(Flown { failure: run.failure, bits, rows });
    });
    flown.unwrap()
}

fn near(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= tolerance * y.abs().max(1.0), "{a:?} {b:?}");
    }
}

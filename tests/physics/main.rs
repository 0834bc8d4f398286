//! The physics as a script sees it: cases flown on GMAT, and laws.
#![allow(clippy::unwrap_used)] // helpers of tests

mod cases;
mod laws;
mod missions;
mod parameters;

use sweep_mpi::astro::world::World;
use sweep_mpi::base::files::Folder;
use sweep_mpi::base::lanes::{Isa, Vectors};
use sweep_mpi::gmat;
use sweep_mpi::mission::Mission;
use sweep_mpi::mission::compile::compile_with;
use sweep_mpi::propagator::{Flight, Propagator};

/// Scripts, the files they name, and what GMAT reported.
const GMAT: &str = "tests/reference/gmat";

/// Names of columns, and rows.
type Rows = (Vec<String>, Vec<Vec<f64>>);

/// A case as it is flown here and as GMAT flew it.
struct Case {
    columns: Vec<String>,
    ours: Vec<Vec<f64>>,
    gmat: Vec<Vec<f64>>,
}

/// The scripts that GMAT has flown.
fn names() -> Vec<String> {
    let files = std::fs::read_dir(GMAT).unwrap();
    let mut names: Vec<String> = files
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".script").map(str::to_owned))
        .collect();
    names.sort();
    names
}

fn read(name: &str) -> String {
    std::fs::read_to_string(format!("{GMAT}/{name}")).unwrap()
}

/// A mission, and the rows of its first report with their kinds.
struct Flown {
    mission: Mission,
    rows: Vec<(usize, Vec<f64>)>,
}

/// Flies a script in one lane of a bundle.
fn flown(script: &str) -> Flown {
    let tree = gmat::parse("case.script", script.as_bytes()).unwrap_or_else(|problems| panic!("{problems}"));
    let files = Folder::new(GMAT.into());
    let mission = compile_with("case.script", script, &tree, &files, World::gmat())
        .unwrap_or_else(|problems| panic!("{problems}"));
    let outputs = mission.default_columns();
    let flight =
        Flight { mission, swept: Vec::new(), outputs, rows_max: 10_000, steps_max: 10_000_000, wall_max: None };
    let width = flight.mission.reports[0].columns.len();
    let mut rows = Vec::new();
    Propagator::new(&flight, Vectors::new(Isa::best(), 8)).fly(
        &flight,
        0..1,
        |_, _| (),
        |run| {
            assert_eq!(run.failure, None);
            let report = &run.reports[0];
            let kinds = report.kinds.iter().map(|&kind| kind as usize);
            rows = kinds.zip(report.values.chunks(width).map(<[f64]>::to_vec)).collect();
        },
    );
    Flown { mission: flight.mission, rows }
}

/// Flies a script; the rows of its first report.
fn fly(script: &str) -> Rows {
    let Flown { mission, rows } = flown(script);
    let names = mission.reports[0].columns.iter().map(|column| column.path.clone()).collect();
    (names, rows.into_iter().map(|(_, row)| row).collect())
}

fn case(name: &str) -> Case {
    let (columns, ours) = fly(&read(&format!("{name}.script")));
    let numbers = |line: &str| line.split_whitespace().map(|word| word.parse().unwrap()).collect();
    Case { columns, ours, gmat: read(&format!("{name}.txt")).lines().map(numbers).collect() }
}

//! Plans for tests: the reference mission under a design, without files.
#![allow(clippy::unwrap_used, dead_code)] // helpers of several tests, each using some

use std::ffi::OsString;

use sweep_mpi::cli::{self, Command, RunArguments};
use sweep_mpi::plan::{Plan, Sources};
use sweep_mpi::propagator::Flight;
use sweep_mpi::workload::mission::MissionWorkload;

/// The arguments of `sweep-mpi config.toml ...`.
pub(crate) fn arguments(more: &[&str]) -> RunArguments {
    let words = ["sweep-mpi", "config.toml"].iter().chain(more).map(OsString::from);
    match cli::read(words) {
        Ok(Command::Run(arguments)) => arguments,
        other => panic!("{other:?}"),
    }
}

/// The reference script with a design and more sections; `change` edits the script.
pub(crate) fn plan(design: &str, more: &str, change: impl Fn(String) -> String) -> Plan {
    let script = change(std::fs::read_to_string("configs/missions/leo_basic.script").unwrap());
    let config =
        format!("[mission]\nscript = \"leo.script\"\n[design]\n{design}\n[output]\nfile = \"out.h5\"\n{more}\n");
    let sources = Sources {
        config_file: "config.toml".to_owned(),
        folder: "/nowhere".into(),
        config: config.into_bytes(),
        scripts: vec![script.into_bytes()],
        files: Vec::new(),
    };
    Plan::all(&sources, &arguments(&[])).unwrap_or_else(|problems| panic!("{problems}")).swap_remove(0)
}

/// The flight of a plan that is a mission.
pub(crate) fn flight(plan: &Plan) -> &Flight {
    MissionWorkload::flight_of(plan.workload.as_ref()).unwrap()
}

/// A sweep of the semi-major axis over so many runs.
pub(crate) fn sma(runs: u64) -> String {
    format!("kind = \"grid\"\naxes = {{ \"Sat.SMA\" = {{ linspace = [7000.0, 8000.0, {runs}] }} }}")
}

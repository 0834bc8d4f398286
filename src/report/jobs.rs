//! `sweep-mpi jobs FILE`: the programs of a sweep, from their journals, while it runs or after it.

use std::path::Path;
use std::time::Duration;

use super::format::say;
use crate::base::problem::Problem;
use crate::cli::{EXIT_OK, Stop, machine, refused};
use crate::workload::command::control::{self, Action};
use crate::workload::command::jobs::{Jobs, jobs_text};
use crate::workload::command::journal::State;

/// How often a follower looks at the journals.
const LOOK: Duration = Duration::from_millis(200);

/// Gives the orders, or lists the runs in these states, and goes on with what changes where asked.
pub fn run(file: &Path, states: &[State], follow: bool, orders: &[(Action, String)]) -> Result<u8, Stop> {
    let no_journal = |error: std::io::Error| refused(Problem::of(&file.display().to_string(), error.to_string()));
    if !orders.is_empty() {
        Jobs::open(file).map_err(no_journal)?; // orders to nobody would wait there for a later sweep
        for (action, runs) in orders {
            control::append(file, *action, runs).map_err(machine)?;
        }
        return Ok(EXIT_OK);
    }
    say(&jobs_text(file, states).map_err(no_journal)?);
    if follow {
        let mut jobs = Jobs::open(file).map_err(no_journal)?;
        while !jobs.all_ended() {
            std::thread::sleep(LOOK);
            for run in jobs.update().map_err(machine)? {
                if jobs.run(run).is_some_and(|job| states.is_empty() || states.contains(&job.state)) {
                    say(&format!("{}\n", jobs.row(run)));
                }
            }
        }
    }
    Ok(EXIT_OK)
}

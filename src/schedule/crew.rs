//! What flies the runs of a rank.

use super::programs::Programs;
use super::worker::Worker;
use crate::base::outcome::Failure;
use crate::store::RowBlock;

/// What flies the runs of a rank.
pub enum Crew<'a> {
    /// Nothing: the leader, and workers whose tasks come from a graph; what the leader knows of graphs that
    /// are not ok.
    Nobody(Vec<(u64, Failure)>),
    /// Threads, a chunk after the other.
    Threads(Worker<'a>),
    /// Programs, many side by side.
    Programs(Box<Programs<'a>>),
}

impl Crew<'_> {
    /// The rows since the last call.
    pub fn take_rows(&mut self, into: &mut RowBlock) {
        match self {
            Crew::Nobody(_) => {}
            Crew::Threads(worker) => worker.take_rows(into),
            Crew::Programs(programs) => programs.take_rows(into),
        }
    }

    /// The runs that are not ok, the first ones by number.
    pub fn failures(&mut self) -> Vec<(u64, Failure)> {
        match self {
            Crew::Nobody(failures) => failures.clone(),
            Crew::Threads(worker) => worker.failures(),
            Crew::Programs(programs) => programs.failures(),
        }
    }
}

//! The end of a sweep: what all ranks know of it comes together on rank 0, which tells it.

use super::vectors;
use crate::base::outcome::Failure;
use crate::cli::{RunArguments, Stop, machine};
use crate::comm::World;
use crate::output;
use crate::plan::{FAILURES_MAX, Plan};
use crate::report::summary::{Figures, RankFigures};
use crate::report::{sidecar, summary};

/// The first runs that are not ok, with their messages, on rank 0. Collective.
pub(super) fn gather_failures(world: &World, plan: &Plan, mine: &[(u64, Failure)]) -> Result<Vec<(i64, String)>, Stop> {
    let runs: Vec<u64> = mine.iter().map(|failure| failure.0).collect();
    let codes: Vec<i32> = mine.iter().map(|failure| i32::from(failure.1.code())).collect();
    let (runs, _) = world.gather_varcount(&runs).map_err(machine)?;
    let (codes, _) = world.gather_varcount(&codes).map_err(machine)?;
    let mut all: Vec<(u64, Failure)> =
        runs.into_iter().zip(codes).filter_map(|(run, code)| Some((run, Failure::from_code(code as i16)?))).collect();
    all.sort_unstable_by_key(|failure| failure.0);
    all.truncate(FAILURES_MAX as usize);
    Ok(all.into_iter().map(|(run, failure)| (run as i64, plan.failure_message(run, failure))).collect())
}

/// Every rank's figures, on rank 0. Collective.
pub(super) fn gather_figures(world: &World, mine: &RankFigures) -> Result<Vec<RankFigures>, Stop> {
    let mine = RankFigures { rank: world.rank(), host: world.host(), ..mine.clone() };
    let text = serde_json::to_vec(&mine).map_err(machine)?;
    let (all, counts) = world.gather_varcount(&text).map_err(machine)?;
    let mut rest = &all[..];
    let mut ranks = Vec::new();
    for count in counts {
        let (text, after) = rest.split_at(count);
        ranks.push(serde_json::from_slice(text).map_err(machine)?);
        rest = after;
    }
    Ok(ranks)
}

/// Rank 0 writes the sidecar and says how it went.
pub(super) fn tell(plan: &Plan, arguments: &RunArguments, figures: &Figures) {
    let vectors = vectors(plan);
    let written = sidecar::write(&plan.output, &plan.layout.sweep_id, vectors.isa().name(), vectors.width(), figures);
    if let Err(error) = written {
        tracing::warn!("{}: {error}", sidecar::path(&plan.output).display());
    }
    let file = if figures.interrupted.is_some() { output::partial_path(plan) } else { plan.output.clone() };
    let size = std::fs::metadata(&file).map_or(0, |metadata| metadata.len());
    summary::tell(figures, &file, size, arguments.verbosity, arguments.log_format);
}

//! What a job flies that has a slice of the plan alone.

use super::FAILURES_MAX;
use crate::base::problem::Problem;
use crate::cli::SliceNumber;
use crate::store::{Layout, Slice};

/// The layout of a slice; its runs keep their numbers, and the plan its hash.
pub(super) fn cut(layout: &mut Layout, slice: SliceNumber) -> Result<(), Problem> {
    let (whole_runs, runs) = (layout.runs, slice.of_runs(layout.runs));
    if slice.of > whole_runs {
        let message = format!("{} slices of {whole_runs} runs", slice.of);
        return Err(Problem::of("--slice", message).help("allowed: at most as many slices as runs"));
    }
    layout.slice = Some(Slice { first_run: runs.start, whole_runs });
    layout.runs = runs.end - runs.start;
    layout.failures_max = layout.runs.min(FAILURES_MAX);
    Ok(())
}

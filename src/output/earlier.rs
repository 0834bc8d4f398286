//! What an earlier job has left of a result file: whether it belongs to this plan, and what is still to be flown.

use std::path::Path;

use super::Reused;
use crate::base::outcome::{Failure, Status};
use crate::base::problem::{Problem, printable};
use crate::cli::{Resume, Stop, machine, refused};
use crate::plan::{FAILURES_MAX, Plan, differences, shown};
use crate::report::format::RunList;
use crate::schedule::remaining::Remaining;
use crate::store::{Reader, StoreError, forget_runs, note_drift};

/// The most differences that are named.
const NAMED: usize = 10;

/// What an earlier job has left.
#[derive(Debug)]
pub(super) struct Earlier {
    pub(super) remaining: Remaining,
    pub(super) reused: Reused,
    /// `/failures` lists the runs that are not ok; told where nothing is left to be flown.
    pub(super) lists_failures: bool,
    /// Runs that ended and are flown again.
    again: Remaining,
    /// The plan is another than that of the file.
    has_drifted: bool,
}

/// Looks into the file; every row that counts is held against its checksum.
pub(super) fn look(plan: &Plan, file: &Path, resume: &Resume) -> Result<Earlier, Stop> {
    let help = "if nothing of it is needed, --overwrite replaces it";
    let broken = |error: StoreError| refused(Problem::of(&shown(file), error.to_string()).help(help));
    let reader = Reader::open(file).map_err(broken)?;
    let has_drifted = compare(plan, file, &reader, resume)?;
    let damage = reader.check_fixed().map_err(broken)?;
    if !damage.is_empty() {
        return Err(refused(
            Problem::of(&shown(file), damage.join("; ")).help("a new sweep mends that, with --overwrite"),
        ));
    }
    let mut earlier = Earlier {
        remaining: Remaining::default(),
        reused: Reused::default(),
        lists_failures: true,
        again: Remaining::default(),
        has_drifted,
    };
    let mut damaged = RunList::default();
    let read = reader.each_row(|row| {
        if row.status.is_none() {
            damaged.push(row.run);
        }
        earlier.take(row.run, row.status, row.failure, resume);
    });
    read.map_err(broken)?;
    if damaged.count() > 0 {
        tracing::warn!("{}: {} damaged rows are flown again: {damaged}", shown(file), damaged.count());
    }
    if earlier.remaining.left() == 0 {
        let listed: Vec<u64> = earlier.reused.failures.iter().map(|failure| failure.0).collect();
        earlier.lists_failures = reader.lists_failures(&listed, earlier.reused.not_ok).map_err(broken)?;
    }
    Ok(earlier)
}

/// Whether the plan is another than that of the file, which the user has to allow.
fn compare(plan: &Plan, file: &Path, reader: &Reader, resume: &Resume) -> Result<bool, Stop> {
    let layout = &plan.layout;
    let same_names = || {
        let names = |columns: &[crate::store::ColumnInfo]| columns.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
        let mine = |columns: &[crate::store::Column]| columns.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
        let reports: Vec<_> = reader.reports().iter().map(|r| (r.name.clone(), r.max_steps, r.columns.len())).collect();
        let my_reports: Vec<_> =
            layout.reports.iter().map(|r| (r.name.clone(), r.max_steps, r.columns.len())).collect();
        names(reader.parameters()) == mine(&layout.parameters)
            && names(reader.outputs()) == mine(&layout.outputs)
            && reports == my_reports
    };
    let same_runs = reader.runs() == layout.runs && reader.slice() == layout.slice;
    if reader.attribute("plan_sha256") == layout.plan_sha256 && same_runs && same_names() {
        return Ok(false);
    }
    let mut lines = differences(plan, |name| reader.provenance(name).unwrap_or_default());
    if lines.is_empty() {
        lines.push("the plan's hash alone: it was made by another version of the program".to_owned());
    }
    let more = lines.len().saturating_sub(NAMED);
    lines.truncate(NAMED);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    let problem = |message: &str, help: &str| {
        let head = Problem::of(&shown(file), message);
        Err(refused(format!("{head}\n    {}\n    {help}", lines.join("\n    "))))
    };
    if !same_runs || !same_names() {
        let help = "resume with the config of the file, or give another file with --output";
        return problem("holds a sweep of other runs or columns, so it cannot be resumed", help);
    }
    match &resume.allow_drift {
        Some(reason) => {
            tracing::warn!("{}: resumed with another plan ({}): {}", shown(file), printable(reason), lines.join("; "));
            Ok(true)
        }
        None => problem(
            "holds a sweep of another plan, so it cannot be resumed",
            "resume with the config of the file; --allow-drift \"reason\" mixes both, and the file keeps the reason",
        ),
    }
}

impl Earlier {
    /// Takes in a run; without a status that is known, it is flown again.
    fn take(&mut self, run: u64, status: Option<Status>, failure: Option<Failure>, resume: &Resume) {
        match status {
            Some(status) if !resume.retry.flies(status) => {
                if status == Status::Ok {
                    self.reused.ok += 1;
                    return;
                }
                self.reused.not_ok += 1;
                if self.reused.failures.len() < FAILURES_MAX as usize {
                    self.reused.failures.extend(failure.map(|failure| (run, failure)));
                }
            }
            status => {
                self.remaining.push(run..run + 1);
                if status != Some(Status::NotRun) {
                    self.again.push(run..run + 1);
                }
            }
        }
    }

    /// Makes the file ready for the runs that are flown again.
    pub(super) fn prepare(&self, file: &Path, resume: &Resume) -> Result<(), Stop> {
        let again: Vec<_> = self.again.stretches().collect();
        if !again.is_empty() {
            forget_runs(file, &again).map_err(machine)?;
        }
        match &resume.allow_drift {
            Some(reason) if self.has_drifted => note_drift(file, reason).map_err(machine),
            _ => Ok(()),
        }
    }
}

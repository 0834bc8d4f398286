//! `sweep-mpi merge OUT SLICE...`: one file of the slices of a plan, with the bytes of the file of a sweep that was not
//! sliced.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::{check_free, check_path, partial_of, refuse};
use crate::base::outcome::Status;
use crate::cli::{EXIT_OK, EXIT_SOME_NOT_OK, MergeArguments, Stop, machine, refused};
use crate::plan::{FAILURES_MAX, shown};
use crate::report::format::{count, say};
use crate::report::reading;
use crate::report::verify::Verdict;
use crate::store::{DRIFT, DRIFT_BYTES, Layout, Lock, LockError, Reader, create_skeleton, fill_from_slices, publish};

/// A slice, open.
struct Part {
    path: PathBuf,
    reader: Reader,
    runs: Range<u64>,
}

/// Makes the file, once all slices are known to be sound, complete, of one plan and to cover it.
///
/// # Errors
/// 2 where something does not fit or is there already, 3 where a slice is damaged; nothing is changed then.
pub fn run(arguments: &MergeArguments) -> Result<u8, Stop> {
    let output = std::path::absolute(&arguments.output).map_err(machine)?;
    let partial = partial_of(&output);
    check_path(&output)?;
    check_free(&output, arguments.overwrite, "--overwrite replaces it, or give another file")?;
    if let Some(path) = arguments.slices.iter().find(|path| same_file(path, &output)) {
        return refuse(path, "is the file to be made", "give another name for the result");
    }
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let _locks = lock_all(&output, &arguments.slices, &host)?;
    let (parts, layout) = open_all(&output, &arguments.slices)?;
    let mut counts = [0; 7];
    for part in &parts {
        let found = sound(part)?;
        counts.iter_mut().zip(found).for_each(|(all, found)| *all += found);
    }
    if partial.exists() {
        std::fs::remove_file(&partial).map_err(|error| machine(format!("{}: {error}", shown(&partial))))?;
    }
    let readers: Vec<(&Path, &Reader)> = parts.iter().map(|part| (&*part.path, &part.reader)).collect();
    let made = create_skeleton(&partial, &layout).and_then(|()| fill_from_slices(&partial, &readers));
    made.and_then(|()| publish(&partial, &output)).map_err(|error| {
        let _ = std::fs::remove_file(&partial);
        machine(error)
    })?;
    let ok = counts[Status::Ok as usize];
    let not_ok = layout.runs - ok;
    let more = if not_ok > 0 { format!(", {} not ok", count(not_ok)) } else { String::new() };
    let (runs, slices) = (count(layout.runs), parts.len());
    say(&format!("{}: {runs} runs of {slices} slices: {} ok{more}\n", shown(&output), count(ok)));
    Ok(if not_ok == 0 { EXIT_OK } else { EXIT_SOME_NOT_OK })
}

/// Keeps other jobs away from the result and from the slices. Where no lock can be made beside a slice, nobody can
/// change it either.
fn lock_all(output: &Path, slices: &[PathBuf], host: &str) -> Result<Vec<Lock>, Stop> {
    let mut locks = vec![Lock::take(output, host).map_err(refused)?];
    for slice in slices.iter().collect::<BTreeSet<_>>() {
        match Lock::take(slice, host) {
            Ok(lock) => locks.push(lock),
            Err(LockError::Io { .. }) => {}
            Err(error) => return Err(refused(error)),
        }
    }
    Ok(locks)
}

/// The slices in the order of their runs, and the layout of the whole; they are of one plan and cover it.
fn open_all(output: &Path, paths: &[PathBuf]) -> Result<(Vec<Part>, Layout), Stop> {
    let mut parts = Vec::new();
    let mut first: Option<(PathBuf, Layout)> = None;
    let mut drifts = BTreeSet::new();
    for path in paths {
        reading::glance(path)?;
        let reader = Reader::open(path).map_err(machine)?;
        let Some(slice) = reader.slice() else {
            return refuse(path, "is no slice: it holds a whole sweep", "slices are made with --slice K/N");
        };
        let runs = slice.first_run..slice.first_run + reader.runs();
        let mut layout = reader.layout().map_err(machine)?;
        if let Some(drift) = layout.provenance.iter_mut().find(|(name, _)| name == DRIFT) {
            drifts.insert(std::mem::take(&mut drift.1).trim().to_owned());
        }
        layout = Layout { runs: slice.whole_runs, slice: None, failures_max: 0, ..layout };
        if let Some((other, first)) = &first {
            if let Some(what) = difference(&layout, first) {
                let message = format!("{what} than {}", shown(other));
                return refuse(path, &message, "slices of one sweep make one file");
            }
            if layout.source != first.source || layout.provenance != first.provenance {
                let (path, other) = (shown(path), shown(other));
                eprintln!("{path}: other texts of the same plan (comments, version); those of {other} are kept");
            }
        } else {
            first = Some((path.clone(), layout));
        }
        parts.push(Part { path: path.clone(), reader, runs });
    }
    let Some((_, mut layout)) = first else { return refuse(output, "no slices are given", "name their files") };
    layout.failures_max = layout.runs.min(FAILURES_MAX);
    if let Some(drift) = layout.provenance.iter_mut().find(|(name, _)| name == DRIFT) {
        drift.1 = padded(&drifts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; "));
    }
    parts.sort_by_key(|part| (part.runs.start, part.runs.end));
    covers(&parts, layout.runs, output)?;
    Ok((parts, layout))
}

/// The reasons of a drift, at their place's length.
fn padded(text: &str) -> String {
    let mut end = text.len().min(DRIFT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{}", &text[..end], " ".repeat(DRIFT_BYTES - end))
}

/// In what a slice differs from the first one.
fn difference(layout: &Layout, first: &Layout) -> Option<&'static str> {
    let same_columns = layout.parameters == first.parameters
        && layout.outputs == first.outputs
        && layout.reports == first.reports
        && layout.axes == first.axes
        && layout.error_codes == first.error_codes;
    if layout.plan_sha256 != first.plan_sha256 {
        Some("is a slice of another plan")
    } else if layout.runs != first.runs {
        Some("is a slice of another number of runs")
    } else if !same_columns {
        Some("has other columns")
    } else {
        None
    }
}

/// Every run of the plan is in one slice.
fn covers(parts: &[Part], whole: u64, output: &Path) -> Result<(), Stop> {
    let named = |runs: &Range<u64>| match runs.end - runs.start {
        1 => format!("run {}", runs.start),
        _ => format!("runs {}-{}", runs.start, runs.end - 1),
    };
    let mut problems = Vec::new();
    let mut next = 0;
    let mut last: Option<&Part> = None;
    for part in parts {
        if part.runs.start > next {
            problems.push(format!("{} of {whole} are in no slice", named(&(next..part.runs.start))));
        }
        if let Some(last) = last.filter(|_| part.runs.start < next) {
            let both = part.runs.start..part.runs.end.min(next);
            problems.push(format!("{} are in {} and in {}", named(&both), shown(&last.path), shown(&part.path)));
        }
        if part.runs.end >= next {
            (next, last) = (part.runs.end, Some(part));
        }
    }
    if next < whole {
        problems.push(format!("{} of {whole} are in no slice", named(&(next..whole))));
    }
    if problems.is_empty() {
        return Ok(());
    }
    refuse(output, &problems.join("; "), "every run has to be in one slice")
}

/// How many runs of a slice have which status; refused where it is damaged or runs are missing.
fn sound(part: &Part) -> Result<[u64; 7], Stop> {
    let verdict = Verdict::of(&part.reader, &part.path).map_err(machine)?;
    let stop = if verdict.is_damaged() {
        machine
    } else if !verdict.is_complete() {
        refused
    } else {
        return Ok(verdict.counts);
    };
    Err(stop(verdict.text(&part.reader, &part.path).trim_end()))
}

fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

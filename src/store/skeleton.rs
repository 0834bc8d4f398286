//! The whole file before the first run: every group, attribute and scale, and room for every number.

use super::fixed::FixedDigest;
use super::layout::{Axis, Column, ColumnKind, FAILURE_MESSAGE_BYTES, FORMAT_VERSION, Layout, ReportLayout};
use super::raw::{self, Fill, Id, Kind, Number, Outcome, Part};
use super::{CANONICAL_NAN, StoreError};
use crate::base::outcome::STATUS_FLAGS;
use rustix::fs::{FallocateFlags, fallocate, statvfs};
use rustix::io::Errno;
use std::fs::{File, OpenOptions};
use std::path::Path;

/// Run numbers written at once.
const RUNS_AT_ONCE: u64 = 1 << 20;

/// How netCDF marks a dimension that has no values of its own.
fn bare_dimension(length: usize) -> String {
    format!("This is a netCDF dimension but not a netCDF variable.{length:10}")
}

/// Creates the file with everything but the results, on rank 0 alone, and puts it safely on disk.
///
/// The path must not exist (the caller removes an old one, or resumes it). The file has another name (`.new` behind
/// this one) until it is whole: who is killed meanwhile leaves nothing that could be taken for a file to resume.
/// On return all the space
/// that the results need is taken: a full disk is noticed here and not during the runs. A file
/// that could not be completed is removed. Where the file system cannot reserve space, comparing the
/// size with the free space, which is done first, has to do.
///
/// # Errors
/// What HDF5 or the operating system said, or what is wrong with the layout.
pub fn create_skeleton(path: &Path, layout: &Layout) -> Result<(), StoreError> {
    layout.check().map_err(|error| StoreError::io("create", path, error))?;
    if path.symlink_metadata().is_ok() {
        return Err(StoreError::io("create", path, "it exists already"));
    }
    let size = layout.file_size().map_err(|error| StoreError::io("create", path, error))?;
    check_free(path, size)?;
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let new = Path::new(&new);
    // Best effort, here and below: the error that matters is another.
    let _ = std::fs::remove_file(new);
    let renamed = || std::fs::rename(new, path).map_err(|error| StoreError::io("create", path, error));
    let of_file = |error: StoreError| {
        if error.object.starts_with(&*path.to_string_lossy()) {
            return error;
        }
        StoreError { object: format!("{} of {}", error.object, new.display()), ..error }
    };
    let made = build(new, layout).map_err(of_file).and_then(|()| reserve(new)).and_then(|()| renamed());
    if made.is_err() {
        let _ = std::fs::remove_file(new);
    }
    made.and_then(|()| sync_folder(path))
}

/// Gives the finished file its name, on rank 0 alone: a reader sees the whole file or none.
///
/// # Errors
/// What the operating system said.
pub fn publish(partial: &Path, name: &Path) -> Result<(), StoreError> {
    File::open(partial).and_then(|file| file.sync_all()).map_err(|e| StoreError::io("sync", partial, e))?;
    std::fs::rename(partial, name).map_err(|e| StoreError::io("rename the result to", name, e))?;
    sync_folder(name)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Refuses a file larger than the free space before anything is written.
fn check_free(path: &Path, size: u64) -> Result<(), StoreError> {
    let fail = |error: Errno| StoreError::io("create", path, std::io::Error::from(error));
    let space = statvfs(folder_of(path)).map_err(fail)?;
    let free = space.f_bavail.saturating_mul(space.f_frsize);
    // The MiB for the metadata is an upper estimate that must not stop a small file.
    if size.saturating_sub(1 << 20) > free {
        return Err(StoreError::io("create", path, format!("{size} bytes are needed, {free} are free")));
    }
    Ok(())
}

/// Brings what was made, renamed or removed in the folder of a path to disk.
///
/// # Errors
/// What the operating system said.
pub fn sync_folder(path: &Path) -> Result<(), StoreError> {
    let folder = folder_of(path);
    File::open(folder).and_then(|file| file.sync_all()).map_err(|e| StoreError::io("sync the folder", folder, e))
}

fn reserve(path: &Path) -> Result<(), StoreError> {
    let fail = |error: std::io::Error| StoreError::io("reserve space for", path, error);
    let file = OpenOptions::new().write(true).open(path).map_err(fail)?;
    let length = file.metadata().map_err(fail)?.len();
    match fallocate(&file, FallocateFlags::empty(), 0, length) {
        // Where the file system cannot reserve, the look at the free space before has to do.
        Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {}
        Err(error) => return Err(fail(error.into())),
    }
    file.sync_all().map_err(fail)
}

/// Adds the object's name to an error.
fn at<T>(name: &str, outcome: Outcome<T>) -> Result<T, StoreError> {
    outcome.map_err(|message| StoreError::new("create", name, message))
}

fn build(path: &Path, layout: &Layout) -> Result<(), StoreError> {
    let file = raw::create_file(path).map_err(|message| StoreError::io("create", path, message))?;
    at("the root attributes", root_attributes(&file, layout))?;
    let root = Root {
        file: &file,
        runs: layout.runs,
        run: at("run", run_dimension(&file, layout.run_numbers().start, layout.runs))?,
    };
    let coordinates: Vec<&str> = layout.parameters.iter().map(|column| column.name.as_str()).collect();
    let coordinates = coordinates.join(" ");
    for column in &layout.parameters {
        let kind = if column.kind == ColumnKind::Integer { Kind::I64 } else { Kind::F64 };
        at(&column.name, root.plain(&column.name, kind, Fill::Never).and_then(|set| describe(&set, column)))?;
    }
    for column in &layout.outputs {
        at(&column.name, root.output(column, &coordinates))?;
    }
    for report in &layout.reports {
        root.report(report, &coordinates)?;
    }
    at("status", root.status(&coordinates))?;
    at("error_code", root.error_code(layout))?;
    let crc = root.plain("row_crc32", Kind::U32, Fill::Never);
    at("row_crc32", crc.and_then(|set| raw::set_text(&set, "long_name", "CRC-32 of this run's numbers")))?;
    if !layout.axes.is_empty() {
        at("axes", axes(&file, &layout.axes))?;
    }
    at("failures", failures(&file, layout.failures_max))?;
    let provenance = at("provenance", raw::create_group(&file, "provenance"))?;
    for (name, text) in &layout.provenance {
        at(&format!("provenance/{name}"), raw::create_text(&provenance, name, text))?;
    }
    drop((provenance, root));
    file.close().map_err(|message| StoreError::io("write", path, message))
}

fn root_attributes(file: &Id, layout: &Layout) -> Outcome<()> {
    raw::set_text(file, "Conventions", "CF-1.11")?;
    raw::set_text(file, "title", &layout.title)?;
    raw::set_text(file, "source", &layout.source)?;
    raw::set_number(file, "format_version", FORMAT_VERSION)?;
    raw::set_text(file, "sweep_id", &layout.sweep_id)?;
    raw::set_text(file, "plan_sha256", &layout.plan_sha256)?;
    raw::set_text(file, "fixed_sha256", &FixedDigest::of(layout))?;
    let Some(slice) = layout.slice else { return Ok(()) };
    raw::set_number(file, "first_run", slice.first_run.cast_signed())?;
    raw::set_number(file, "whole_runs", slice.whole_runs.cast_signed())
}

fn run_dimension(file: &Id, start: u64, runs: u64) -> Outcome<Id> {
    let run = raw::create_dataset(file, "run", Kind::I64, &[runs], Fill::Never)?;
    let mut first = 0;
    while first < runs {
        let count = RUNS_AT_ONCE.min(runs - first);
        let numbers: Vec<i64> = (start + first..start + first + count).map(u64::cast_signed).collect();
        raw::write(&run, &raw::select(&[runs], Part::Stretches(&[(first, count)]))?, None, &numbers)?;
        first += count;
    }
    raw::set_scale(&run, "run")?;
    raw::set_text(&run, "long_name", "run number")?;
    Ok(run)
}

/// A dataset of one dimension with all its numbers.
fn numbers<T: Number>(parent: &Id, name: &str, values: &[T]) -> Outcome<Id> {
    let dims = [values.len() as u64];
    let set = raw::create_dataset(parent, name, T::KIND, &dims, Fill::Never)?;
    if !values.is_empty() {
        raw::write(&set, &raw::select(&dims, Part::Stretches(&[(0, dims[0])]))?, None, values)?;
    }
    Ok(set)
}

fn describe(set: &Id, column: &Column) -> Outcome<()> {
    raw::set_text(set, "units", units(&column.units))?;
    raw::set_text(set, "long_name", &column.long_name)?;
    raw::set_text(set, "gmat_name", &column.gmat_name)?;
    column.attributes.iter().try_for_each(|(name, text)| raw::set_text(set, name, text))
}

/// CF's word for a plain number is 1.
fn units(text: &str) -> &str {
    if text.is_empty() { "1" } else { text }
}

/// The root group while datasets along `run` are added.
struct Root<'a> {
    file: &'a Id,
    runs: u64,
    run: Id,
}

impl Root<'_> {
    fn plain(&self, name: &str, kind: Kind, fill: Fill) -> Outcome<Id> {
        let set = raw::create_dataset(self.file, name, kind, &[self.runs], fill)?;
        raw::attach_scale(&set, &self.run, 0)?;
        Ok(set)
    }

    fn output(&self, column: &Column, coordinates: &str) -> Outcome<()> {
        let set = self.plain(&column.name, Kind::F64, Fill::Never)?;
        describe(&set, column)?;
        mark_output(&set, coordinates)
    }

    fn report(&self, report: &ReportLayout, coordinates: &str) -> Result<(), StoreError> {
        let name = report.step_name();
        let steps: Vec<i32> = (0..report.max_steps as i32).collect();
        let step = at(&name, numbers(self.file, &name, &steps))?;
        at(&name, raw::set_scale(&step, &name))?;
        at(&name, raw::set_text(&step, "long_name", &format!("row of {}", report.name)))?;
        let name = report.rows_name();
        let rows = at(&name, self.plain(&name, Kind::I32, Fill::Never))?;
        let long_name = format!("rows of {} that the run made; the first {} are kept", report.name, report.max_steps);
        at(&name, raw::set_text(&rows, "long_name", &long_name))?;
        for column in &report.columns {
            let name = report.column_name(column);
            let make = || {
                let set =
                    raw::create_dataset(self.file, &name, Kind::F64, &[self.runs, report.max_steps], Fill::Never)?;
                raw::attach_scale(&set, &self.run, 0)?;
                raw::attach_scale(&set, &step, 1)?;
                describe(&set, column)?;
                mark_output(&set, coordinates)
            };
            at(&name, make())?;
        }
        Ok(())
    }

    fn status(&self, coordinates: &str) -> Outcome<()> {
        // Zeros are written although the new file reads as zeros: this one is the journal.
        let set = self.plain("status", Kind::I8, Fill::Zero)?;
        raw::set_text(&set, "long_name", "how the run ended")?;
        raw::set_numbers(&set, "flag_values", &STATUS_FLAGS.map(|(status, _)| status.code()))?;
        raw::set_text(&set, "flag_meanings", &STATUS_FLAGS.map(|(_, name)| name).join(" "))?;
        set_coordinates(&set, coordinates)
    }

    fn error_code(&self, layout: &Layout) -> Outcome<()> {
        let set = self.plain("error_code", Kind::I16, Fill::Never)?;
        raw::set_text(&set, "long_name", "why the run is not ok")?;
        if layout.error_codes.is_empty() {
            return Ok(());
        }
        let values: Vec<i16> = layout.error_codes.iter().map(|(code, _)| *code).collect();
        let names: Vec<&str> = layout.error_codes.iter().map(|(_, name)| name.as_str()).collect();
        raw::set_numbers(&set, "flag_values", &values)?;
        raw::set_text(&set, "flag_meanings", &names.join(" "))
    }
}

fn mark_output(set: &Id, coordinates: &str) -> Outcome<()> {
    raw::set_number(set, "_FillValue", CANONICAL_NAN)?;
    set_coordinates(set, coordinates)
}

fn set_coordinates(set: &Id, coordinates: &str) -> Outcome<()> {
    if coordinates.is_empty() { Ok(()) } else { raw::set_text(set, "coordinates", coordinates) }
}

fn axes(file: &Id, axes: &[Axis]) -> Outcome<()> {
    let group = raw::create_group(file, "axes")?;
    let shape: Vec<i64> = axes.iter().map(|axis| axis.values.len() as i64).collect();
    raw::set_numbers(&group, "shape", &shape)?;
    raw::set_text(&group, "order", "C")?;
    for axis in axes {
        let set = numbers(&group, &axis.name, &axis.values)?;
        raw::set_scale(&set, &axis.name)?;
        raw::set_text(&set, "units", units(&axis.units))?;
        raw::set_text(&set, "long_name", &axis.long_name)?;
    }
    Ok(())
}

/// `run` is the dimension and its scale, -1 where unused; a message is `string128` single bytes, which
/// both engines of xarray read as text (they differ on texts of 128 bytes). `count` is how many
/// runs were not ok, also those without room.
fn failures(file: &Id, most: u64) -> Outcome<()> {
    let group = raw::create_group(file, "failures")?;
    let run = numbers(&group, "run", &vec![-1_i64; most as usize])?;
    raw::set_scale(&run, "run")?;
    raw::set_text(&run, "long_name", "number of a run that is not ok; -1 where unused")?;
    let length = FAILURE_MESSAGE_BYTES as u64;
    let letters = raw::create_dataset(&group, "string128", Kind::F64, &[length], Fill::Zero)?;
    raw::set_scale(&letters, &bare_dimension(FAILURE_MESSAGE_BYTES))?;
    let message = raw::create_dataset(&group, "message", Kind::Char, &[most, length], Fill::Zero)?;
    raw::set_text(&message, "_Encoding", "utf-8")?;
    raw::set_text(&message, "long_name", "why the run is not ok")?;
    raw::attach_scale(&message, &run, 0)?;
    raw::attach_scale(&message, &letters, 1)?;
    let count = raw::create_dataset(&group, "count", Kind::I64, &[], Fill::Zero)?;
    raw::set_text(&count, "long_name", "how many runs are not ok")
}

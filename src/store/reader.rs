//! Looks into a result file, alone, without trusting it.
//!
//! Numbers are read in slabs of bounded memory. Plugins and links to other files are off, and only
//! the types that the writer makes are accepted; a file with anything else gives an error.

use super::StoreError;
use super::layout::{ColumnKind, FAILURE_MESSAGE_BYTES, FORMAT_VERSION, TAKEN_NAMES};
use super::raw::{self, Id, Kind, Number, Object, Outcome};
use super::rows::{put, put_end};
use crate::base::outcome::STATUS_FLAGS;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Values read at once: 8 MiB of doubles.
const VALUES_AT_ONCE: u64 = 1 << 20;

/// Longest text of `/provenance` that is read, bytes.
const TEXT_MAX: usize = 64 << 20;

/// Most datasets that are looked at.
const MEMBERS_MAX: usize = 100_000;

/// A column as the file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnInfo {
    /// The dataset's name.
    pub name: String,
    /// The name in the script; empty if the file does not say.
    pub gmat_name: String,
    /// The unit.
    pub units: String,
    /// A few words.
    pub long_name: String,
    /// Float or integer.
    pub kind: ColumnKind,
}

/// A report as the file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportInfo {
    /// The report's name.
    pub name: String,
    /// How many rows of a run are kept.
    pub max_steps: u64,
    /// Its columns; their names are the datasets', with the report's in front.
    pub columns: Vec<ColumnInfo>,
}

/// A column over the runs that are ok.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnSummary {
    /// The dataset's name.
    pub name: String,
    /// The unit.
    pub units: String,
    /// How many runs are ok and have a number here (not NaN).
    pub count: u64,
    /// The least; NaN if there is none.
    pub min: f64,
    /// The mean; NaN if there is none.
    pub mean: f64,
    /// The greatest; NaN if there is none.
    pub max: f64,
}

/// A result file, open for reading.
pub struct Reader {
    path: PathBuf,
    runs: u64,
    attributes: BTreeMap<String, String>,
    parameters: Vec<ColumnInfo>,
    outputs: Vec<ColumnInfo>,
    reports: Vec<ReportInfo>,
    file: Id,
}

impl Reader {
    /// Opens a result file and reads what it describes itself as.
    ///
    /// # Errors
    /// The path, and what is wrong: no such file, no HDF5 file, damaged, no result of ours.
    pub fn open(path: &Path) -> Result<Reader, StoreError> {
        let fail = |message: String| StoreError::io("read", path, message);
        let about = std::fs::metadata(path).map_err(|error| fail(error.to_string()))?;
        if !about.is_file() {
            return Err(fail("it is no ordinary file".to_owned()));
        }
        std::fs::File::open(path).map_err(|error| fail(error.to_string()))?;
        if !raw::is_hdf5(path).map_err(fail)? {
            return Err(fail("it is not an HDF5 file".to_owned()));
        }
        let file = raw::open_file(path).map_err(|why| fail(format!("the HDF5 file is damaged: {why}")))?;
        let mut reader = Reader {
            path: path.to_owned(),
            runs: 0,
            attributes: BTreeMap::new(),
            parameters: Vec::new(),
            outputs: Vec::new(),
            reports: Vec::new(),
            file,
        };
        reader.describe().map_err(fail)?;
        Ok(reader)
    }

    fn describe(&mut self) -> Outcome<()> {
        for name in ["Conventions", "title", "source", "sweep_id", "plan_sha256"] {
            let text =
                raw::text(&self.file, name)?.ok_or(format!("it has no attribute `{name}`: not a result file"))?;
            self.attributes.insert(name.to_owned(), text);
        }
        let version = raw::number::<i32>(&self.file, "format_version")?;
        if version != Some(FORMAT_VERSION) {
            return Err(format!("its format_version is {version:?}, this program reads {FORMAT_VERSION}"));
        }
        let names = raw::members(&self.file)?;
        if names.len() > MEMBERS_MAX {
            return Err(format!("it has {} datasets, more than {MEMBERS_MAX}", names.len()));
        }
        let run = raw::info(&self.set("run")?)?;
        let ([runs], Some(Kind::I64)) = (&run.dims[..], run.kind) else { return Err("`run` is no list".to_owned()) };
        self.runs = *runs;
        for (name, kind) in [("status", Kind::I8), ("error_code", Kind::I16), ("row_crc32", Kind::U32)] {
            let about = raw::info(&self.set(name)?)?;
            if about.dims != [self.runs] || about.kind != Some(kind) {
                return Err(format!("`{name}` has another type or length than a result's"));
            }
        }
        for name in names.iter().filter(|name| !TAKEN_NAMES.contains(&name.as_str())) {
            if let Object::Dataset(set) = raw::open_object(&self.file, name)? {
                self.add(name, &set).map_err(|why| format!("`{name}`: {why}"))?;
            }
        }
        Ok(())
    }

    /// Datasets come in the order in which they were made: `<report>_rows` before its columns.
    fn add(&mut self, name: &str, set: &Id) -> Outcome<()> {
        let about = raw::info(set)?;
        if about.dims.first() != Some(&self.runs) && !name.ends_with("_step") {
            return Err("it does not run along `run`".to_owned());
        }
        match (about.kind, about.dims.len()) {
            (Some(Kind::I32), 1) => {
                if let Some(report) = name.strip_suffix("_rows") {
                    let step = raw::info(&self.set(&format!("{report}_step"))?)?;
                    let [max_steps] = step.dims[..] else { return Err("its steps are no list".to_owned()) };
                    self.reports.push(ReportInfo { name: report.to_owned(), max_steps, columns: Vec::new() });
                }
                Ok(())
            }
            (Some(kind @ (Kind::F64 | Kind::I64)), 1) => {
                let kind = if kind == Kind::F64 { ColumnKind::Float } else { ColumnKind::Integer };
                let is_output = raw::has_attribute(set, "_FillValue")?;
                let column = column_info(name, set, kind)?;
                if is_output {
                    self.outputs.push(column);
                } else {
                    self.parameters.push(column);
                }
                Ok(())
            }
            (Some(Kind::F64), 2) => {
                let column = column_info(name, set, ColumnKind::Float)?;
                let report = self.reports.last_mut().filter(|report| about.dims[1] == report.max_steps);
                report.ok_or("it belongs to no report")?.columns.push(column);
                Ok(())
            }
            _ => Err("a result file has no such dataset".to_owned()),
        }
    }

    fn set(&self, name: &str) -> Outcome<Id> {
        raw::open_dataset(&self.file, name).map_err(|why| format!("`{name}`: {why}"))
    }

    fn fail(&self, name: &str, message: String) -> StoreError {
        StoreError::new("read", format!("`{name}` of {}", self.path.display()), message)
    }

    /// Where the numbers of a dataset begin in the file.
    pub(super) fn offset(&self, name: &str) -> Result<u64, StoreError> {
        self.set(name).and_then(|set| raw::offset(&set)).map_err(|why| self.fail(name, why))
    }

    /// How many runs the sweep has.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// A root attribute: `title`, `source`, `sweep_id`, `plan_sha256` or `Conventions`; else empty.
    pub fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }

    /// The swept or sampled parameters.
    pub fn parameters(&self) -> &[ColumnInfo] {
        &self.parameters
    }

    /// The final values.
    pub fn outputs(&self) -> &[ColumnInfo] {
        &self.outputs
    }

    /// The reports.
    pub fn reports(&self) -> &[ReportInfo] {
        &self.reports
    }

    /// Part of `status`.
    pub fn status(&self, first: u64, count: u64) -> Result<Vec<i8>, StoreError> {
        self.slab("status", &[first], &[count])
    }

    /// Part of `error_code`.
    pub fn error_code(&self, first: u64, count: u64) -> Result<Vec<i16>, StoreError> {
        self.slab("error_code", &[first], &[count])
    }

    /// Part of a parameter or output, as doubles.
    pub fn values(&self, column: &ColumnInfo, first: u64, count: u64) -> Result<Vec<f64>, StoreError> {
        match column.kind {
            ColumnKind::Float => self.slab(&column.name, &[first], &[count]),
            ColumnKind::Integer => {
                let whole: Vec<i64> = self.slab(&column.name, &[first], &[count])?;
                Ok(whole.into_iter().map(|value| value as f64).collect())
            }
        }
    }

    /// How many rows of a report some runs made.
    pub fn report_rows(&self, report: &ReportInfo, first: u64, count: u64) -> Result<Vec<i32>, StoreError> {
        self.slab(&format!("{}_rows", report.name), &[first], &[count])
    }

    /// One column of a report of some runs, `max_steps` values a run.
    pub fn report_values(
        &self,
        report: &ReportInfo,
        column: usize,
        first: u64,
        count: u64,
    ) -> Result<Vec<f64>, StoreError> {
        let name = report.columns.get(column).map_or("", |column| column.name.as_str());
        self.slab(name, &[first, 0], &[count, report.max_steps])
    }

    fn slab<T: Number>(&self, name: &str, start: &[u64], count: &[u64]) -> Result<Vec<T>, StoreError> {
        self.set(name).and_then(|set| raw::read(&set, start, count)).map_err(|why| self.fail(name, why))
    }

    /// How many runs have each status, in the order of [`STATUS_FLAGS`], and how many have another number.
    pub fn status_counts(&self) -> Result<([u64; 7], u64), StoreError> {
        let mut counts = ([0; 7], 0);
        for (first, count) in slabs(self.runs, VALUES_AT_ONCE) {
            for status in self.status(first, count)? {
                *usize::try_from(status).ok().and_then(|s| counts.0.get_mut(s)).unwrap_or(&mut counts.1) += 1;
            }
        }
        Ok(counts)
    }

    /// Each parameter and output over the runs that are ok.
    pub fn column_summaries(&self) -> Result<Vec<ColumnSummary>, StoreError> {
        let ok = STATUS_FLAGS[1].0.code();
        let mut columns: Vec<(&ColumnInfo, Sums)> =
            self.parameters.iter().chain(&self.outputs).map(|column| (column, Sums::default())).collect();
        for (first, count) in slabs(self.runs, VALUES_AT_ONCE) {
            let status = self.status(first, count)?;
            for (column, sums) in &mut columns {
                let values = self.values(column, first, count)?;
                values.iter().zip(&status).filter(|(_, status)| **status == ok).for_each(|(&value, _)| sums.add(value));
            }
        }
        Ok(columns.into_iter().map(|(column, sums)| sums.summary(column)).collect())
    }

    /// The runs that are not ok and why, as `/failures` lists them, and how many there are in all.
    pub fn failures(&self) -> Result<(Vec<(u64, String)>, u64), StoreError> {
        let about = self.set("failures/run").and_then(|set| raw::info(&set));
        let about = about.map_err(|why| self.fail("failures/run", why))?;
        let most = about.dims.first().copied().unwrap_or(0);
        let letters = FAILURE_MESSAGE_BYTES as u64;
        let mut list = Vec::new();
        for (first, count) in slabs(most, VALUES_AT_ONCE / letters) {
            let runs: Vec<i64> = self.slab("failures/run", &[first], &[count])?;
            let texts: Vec<u8> = self.slab("failures/message", &[first, 0], &[count, letters])?;
            let texts = texts.chunks(FAILURE_MESSAGE_BYTES).map(raw::until_nul);
            list.extend(runs.into_iter().zip(texts).filter_map(|(run, text)| Some((u64::try_from(run).ok()?, text))));
        }
        let count: Vec<i64> = self.slab("failures/count", &[], &[])?;
        Ok((list, count.first().map_or(0, |&count| count.max(0).cast_unsigned())))
    }

    /// A text of `/provenance`, `config` or `mission` and the like.
    pub fn provenance(&self, name: &str) -> Result<String, StoreError> {
        let path = format!("provenance/{name}");
        self.set(&path).and_then(|set| raw::read_text(&set, TEXT_MAX)).map_err(|why| self.fail(&path, why))
    }

    /// The names in `/provenance`, in the order in which they were written.
    pub fn provenance_names(&self) -> Result<Vec<String>, StoreError> {
        match raw::open_object(&self.file, "provenance") {
            Ok(Object::Group(group)) => raw::members(&group),
            Ok(_) => Err("it is no group".to_owned()),
            Err(why) => Err(why),
        }
        .map_err(|why| self.fail("provenance", why))
    }

    /// The runs whose numbers do not fit their checksum, in run order; a run with status `not_run` has
    /// none. `rows.rs` says what the checksum covers.
    ///
    /// # Errors
    /// A dataset that cannot be read at all.
    pub fn verify_row_crc(&self) -> Result<Vec<u64>, StoreError> {
        let widest = self.reports.iter().map(|report| report.max_steps * report.columns.len() as u64);
        let widest =
            widest.fold(1, u64::saturating_add).saturating_add((self.parameters.len() + self.outputs.len()) as u64);
        let mut wrong = Vec::new();
        for (first, count) in slabs(self.runs, (8 * VALUES_AT_ONCE / widest).max(1)) {
            let status = self.status(first, count)?;
            let codes = self.error_code(first, count)?;
            let sums: Vec<u32> = self.slab("row_crc32", &[first], &[count])?;
            let mut bytes: Vec<Vec<u8>> = vec![Vec::new(); count as usize];
            for column in self.parameters.iter().chain(&self.outputs) {
                let values = self.values(column, first, count)?;
                bytes.iter_mut().zip(values).for_each(|(bytes, value)| put(bytes, &[value]));
            }
            for report in &self.reports {
                let rows = self.report_rows(report, first, count)?;
                bytes.iter_mut().zip(&rows).for_each(|(bytes, rows)| bytes.extend(rows.to_le_bytes()));
                for column in 0..report.columns.len() {
                    let values = self.report_values(report, column, first, count)?;
                    let steps = report.max_steps as usize;
                    for (run, (bytes, &rows)) in bytes.iter_mut().zip(&rows).enumerate() {
                        let kept = super::exchange::kept(rows, report.max_steps);
                        put(bytes, &values[run * steps..][..kept]);
                    }
                }
            }
            for (run, mut bytes) in bytes.into_iter().enumerate() {
                put_end(&mut bytes, status[run], codes[run]);
                if status[run] != STATUS_FLAGS[0].0.code() && crc32fast::hash(&bytes) != sums[run] {
                    wrong.push(first + run as u64);
                }
            }
        }
        Ok(wrong)
    }
}

fn column_info(name: &str, set: &Id, kind: ColumnKind) -> Outcome<ColumnInfo> {
    let text = |attribute| Ok::<_, String>(raw::text(set, attribute)?.unwrap_or_default());
    Ok(ColumnInfo {
        name: name.to_owned(),
        gmat_name: text("gmat_name")?,
        units: text("units")?,
        long_name: text("long_name")?,
        kind,
    })
}

/// The first and the count of each part of 0 .. total.
fn slabs(total: u64, most: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..total.div_ceil(most)).map(move |part| (part * most, most.min(total - part * most)))
}

/// Count, extremes, and a sum that carries its rounding error along (Neumaier).
struct Sums {
    count: u64,
    min: f64,
    max: f64,
    sum: f64,
    rest: f64,
}

impl Default for Sums {
    fn default() -> Sums {
        Sums { count: 0, min: f64::NAN, max: f64::NAN, sum: 0.0, rest: 0.0 }
    }
}

impl Sums {
    fn add(&mut self, value: f64) {
        if value.is_nan() {
            return;
        }
        self.count += 1;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        let sum = self.sum + value;
        let (large, small) = if self.sum.abs() >= value.abs() { (self.sum, value) } else { (value, self.sum) };
        self.rest += (large - sum) + small;
        self.sum = sum;
    }

    fn summary(&self, column: &ColumnInfo) -> ColumnSummary {
        // After an infinity the carried rest is NaN, and the sum says all.
        let sum = if self.sum.is_finite() { self.sum + self.rest } else { self.sum };
        let mean = if self.count == 0 { f64::NAN } else { sum / self.count as f64 };
        let (name, units) = (column.name.clone(), column.units.clone());
        ColumnSummary { name, units, count: self.count, min: self.min, mean, max: self.max }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slabs_cover_all() {
        assert_eq!(slabs(0, 4).count(), 0);
        assert_eq!(slabs(9, 4).collect::<Vec<_>>(), [(0, 4), (4, 4), (8, 1)]);
    }

    #[test]
    fn val_sums_keep_small_numbers() {
        let mut sums = Sums::default();
        for value in [1e16, 1.0, f64::NAN, -1e16] {
            sums.add(value);
        }
        let kind = ColumnKind::Float;
        let (name, gmat_name, units, long_name) = Default::default();
        let summary = sums.summary(&ColumnInfo { name, gmat_name, units, long_name, kind });
        assert_eq!((summary.count, summary.mean * 3.0), (3, 1.0));
        assert_eq!((summary.min, summary.max), (-1e16, 1e16));
    }
}

//! Looks into a result file, alone, without trusting it.
//!
//! Numbers are read in slabs of bounded memory. Plugins and links to other files are off, and only
//! the types that the writer makes are accepted; a file with anything else gives an error.

use super::StoreError;
use super::layout::{ColumnKind, FAILURE_MESSAGE_BYTES, FAILURES_MAX_MAX, FORMAT_VERSION, Slice, TAKEN_NAMES};
use super::raw::{self, Id, Kind, Number, Object, Outcome};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Values read at once: 8 MiB of doubles.
pub(super) const VALUES_AT_ONCE: u64 = 1 << 20;

/// Longest text of `/provenance` that is read, bytes.
const TEXT_MAX: usize = 64 << 20;

/// No filter of HDF5 makes numbers smaller than by this factor (deflate: 1032).
const COMPRESSION_MAX: u64 = 1100;

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

/// A result file, open for reading.
pub struct Reader {
    path: PathBuf,
    runs: u64,
    slice: Option<Slice>,
    attributes: BTreeMap<String, String>,
    parameters: Vec<ColumnInfo>,
    outputs: Vec<ColumnInfo>,
    reports: Vec<ReportInfo>,
    pub(super) file: Id,
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
            slice: None,
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
        self.can_hold(*runs)?;
        self.slice = self.read_slice()?;
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

    fn read_slice(&mut self) -> Outcome<Option<Slice>> {
        if let Some(digest) = raw::text(&self.file, "fixed_sha256")? {
            self.attributes.insert("fixed_sha256".to_owned(), digest);
        }
        let number = |name| raw::number::<i64>(&self.file, name);
        let (Some(first), Some(whole)) = (number("first_run")?, number("whole_runs")?) else { return Ok(None) };
        let slice =
            u64::try_from(first).and_then(|first| Ok(Slice { first_run: first, whole_runs: whole.try_into()? }));
        let is_part = |slice: &Slice| slice.first_run.checked_add(self.runs).is_some_and(|end| end <= slice.whole_runs);
        slice.ok().filter(is_part).map(Some).ok_or_else(|| format!("run {first} of {whole} is no begin of its runs"))
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
                    self.can_hold(max_steps.saturating_mul(4))?;
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

    /// Refuses what no file of this length can hold: a few bytes can promise any number of runs, all alike, and to look at
    /// them would take for ever.
    fn can_hold(&self, bytes: u64) -> Outcome<()> {
        let length = std::fs::metadata(&self.path).map_err(|error| error.to_string())?.len();
        if bytes / COMPRESSION_MAX > length {
            return Err(format!("it promises {bytes} bytes of numbers of a kind, more than {length} bytes can hold"));
        }
        Ok(())
    }

    pub(super) fn set(&self, name: &str) -> Outcome<Id> {
        raw::open_dataset(&self.file, name).map_err(|why| format!("`{name}`: {why}"))
    }

    pub(super) fn fail(&self, name: &str, message: String) -> StoreError {
        StoreError::new("read", format!("`{name}` of {}", self.path.display()), message)
    }

    /// Where the numbers of a dataset begin in the file.
    pub(super) fn offset(&self, name: &str) -> Result<u64, StoreError> {
        self.set(name).and_then(|set| raw::offset(&set)).map_err(|why| self.fail(name, why))
    }

    /// The numbers of a dataset, so many bytes, are in the file and in one piece.
    pub(super) fn is_inside(&self, name: &str, bytes: u64) -> Result<(), StoreError> {
        let size = std::fs::metadata(&self.path).map_or(0, |metadata| metadata.len());
        match self.offset(name)?.checked_add(bytes) {
            Some(end) if end <= size => Ok(()),
            _ => Err(self.fail(name, format!("its {bytes} bytes are not inside the file"))),
        }
    }

    /// How many runs the file has.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Where these runs stand among those of the plan, if they are not all of it.
    pub fn slice(&self) -> Option<Slice> {
        self.slice
    }

    /// The number of the first run.
    pub fn first_run(&self) -> u64 {
        self.slice.map_or(0, |slice| slice.first_run)
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

    pub(super) fn slab<T: Number>(&self, name: &str, start: &[u64], count: &[u64]) -> Result<Vec<T>, StoreError> {
        self.set(name).and_then(|set| raw::read(&set, start, count)).map_err(|why| self.fail(name, why))
    }

    /// How many runs have each status, in the order of [`STATUS_FLAGS`](crate::base::outcome::STATUS_FLAGS), and how many have another number.
    pub fn status_counts(&self) -> Result<([u64; 7], u64), StoreError> {
        let mut counts = ([0; 7], 0);
        for (first, count) in slabs(self.runs, VALUES_AT_ONCE) {
            for status in self.status(first, count)? {
                *usize::try_from(status).ok().and_then(|s| counts.0.get_mut(s)).unwrap_or(&mut counts.1) += 1;
            }
        }
        Ok(counts)
    }

    /// The runs that are not ok and why, as `/failures` lists them, and how many there are in all.
    pub fn failures(&self) -> Result<(Vec<(u64, String)>, u64), StoreError> {
        let most = self.failures_max()?;
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

    /// How many runs `/failures` has room for.
    pub(super) fn failures_max(&self) -> Result<u64, StoreError> {
        let about = self.set("failures/run").and_then(|set| raw::info(&set));
        let dims = about.map_err(|why| self.fail("failures/run", why))?.dims;
        match dims[..] {
            [most] if most <= FAILURES_MAX_MAX => Ok(most),
            _ => Err(self.fail("failures/run", "it is no list of some of the runs".to_owned())),
        }
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
pub(super) fn slabs(total: u64, most: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..total.div_ceil(most)).map(move |part| (part * most, most.min(total - part * most)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slabs_cover_all() {
        assert_eq!(slabs(0, 4).count(), 0);
        assert_eq!(slabs(9, 4).collect::<Vec<_>>(), [(0, 4), (4, 4), (8, 1)]);
    }
}

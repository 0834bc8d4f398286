//! What a result file holds: columns, reports, axes and texts; no HDF5 here.
//!
//! See `design/RESULT_FILE.md`. Everything in a [`Layout`] follows from the plan, so that every rank
//! computes the same one and the file's bytes depend on nothing else.

use std::collections::BTreeSet;
use std::ops::Range;

/// Version of the file's format, the root attribute `format_version`.
pub const FORMAT_VERSION: i32 = 1;

/// Room for one message in `/failures/message`, with its NUL, bytes.
pub const FAILURE_MESSAGE_BYTES: usize = 128;

/// The longest step dimension of a report: one row of a report column must stay under 1 GiB.
const MAX_STEPS_MAX: u64 = (1 << 27) - 1;

/// The most entries of `/failures`: its messages are written at once and must stay under 1 GiB.
pub(super) const FAILURES_MAX_MAX: u64 = (1 << 23) - 1;

/// Names that columns may not have.
pub const TAKEN_NAMES: [&str; 6] = ["run", "time", "step", "status", "error_code", "row_crc32"];

/// The columns that tell where and when a run was executed: name, unit, a few words.
pub const TIMING: [(&str, &str, &str); 4] = [
    ("timing_rank", "1", "rank that executed the run"),
    ("timing_submit", "s", "when that rank had the run's order, since 1970"),
    ("timing_start", "s", "when it started, since 1970; runs side by side start together"),
    ("timing_end", "s", "when it ended, since 1970"),
];

/// How a column's numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// float64.
    Float,
    /// int64; for parameters only.
    Integer,
}

/// One dataset of numbers, a value a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The dataset's name, see [`hdf5_name`].
    pub name: String,
    /// The name in the script, `Sat.SMA`.
    pub gmat_name: String,
    /// The unit in CF's words; `1` for a plain number.
    pub units: String,
    /// A few words for a plot's axis.
    pub long_name: String,
    /// Float or integer.
    pub kind: ColumnKind,
    /// Further text attributes, name and value.
    pub attributes: Vec<(String, String)>,
}

/// A report: for each run a table of rows at the integrator's steps.
///
/// In the file: `<name>_step` (a dimension scale 0 .. `max_steps` - 1), `<name>_rows(run)` int32, how
/// many rows the run made (more than `max_steps` if some were dropped), and a dataset
/// `<name>_<column>(run, <name>_step)` for each column, padded with NaN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportLayout {
    /// The report's name.
    pub name: String,
    /// How many rows of a run are kept.
    pub max_steps: u64,
    /// Its columns; their names are without the report's.
    pub columns: Vec<Column>,
}

/// One axis of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The parameter's dataset name.
    pub name: String,
    /// The unit.
    pub units: String,
    /// A few words.
    pub long_name: String,
    /// The distinct values, in grid order.
    pub values: Vec<f64>,
}

/// The place of a file's rows in a plan of which it holds a part: run `first_run` is its first row.
///
/// Runs keep their numbers in the whole plan; that row i of a file is run `first_run` + i is known in the store
/// alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The number of the first run.
    pub first_run: u64,
    /// Number of runs of the whole plan.
    pub whole_runs: u64,
}

/// Everything the file holds besides the numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The sweep's title.
    pub title: String,
    /// The program, `sweep-mpi 0.1.0`.
    pub source: String,
    /// Short name of the sweep, from the plan's hash.
    pub sweep_id: String,
    /// SHA-256 of the parsed plan, hexadecimal.
    pub plan_sha256: String,
    /// Number of runs: the rows of the file.
    pub runs: u64,
    /// Where these runs stand among those of the plan, if they are not all of it.
    pub slice: Option<Slice>,
    /// The swept or sampled parameters.
    pub parameters: Vec<Column>,
    /// The final values.
    pub outputs: Vec<Column>,
    /// Whether the last outputs are [`TIMING`], which the block of rows fills in itself.
    pub timing: bool,
    /// The reports.
    pub reports: Vec<ReportLayout>,
    /// The grid's axes, slowest first; empty for other designs.
    pub axes: Vec<Axis>,
    /// The values of `error_code` and their names (one word each).
    pub error_codes: Vec<(i16, String)>,
    /// Room in `/failures`.
    pub failures_max: u64,
    /// Datasets of `/provenance`: name and text.
    pub provenance: Vec<(String, String)>,
}

/// Why a layout cannot become a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// Not `[A-Za-z_][A-Za-z0-9_]*`.
    #[error("`{0}` is no dataset name: letters, digits and _ are, not starting with a digit")]
    BadName(String),
    /// Two datasets of one name.
    #[error("two datasets would be named `{0}`")]
    Twice(String),
    /// A number beyond what the format holds.
    #[error("{what} is {value}, but at most {most} is possible")]
    TooMany {
        /// Which number.
        what: String,
        /// Its value.
        value: u64,
        /// The most that is possible.
        most: u64,
    },
    /// The size in bytes passes 2^63.
    #[error("the file would pass 2^63 bytes")]
    TooLarge,
    /// Only parameters may be integers.
    #[error("`{0}` is an integer, but only parameters may be")]
    IntegerOutput(String),
}

impl Layout {
    /// The numbers of the runs of the file.
    pub fn run_numbers(&self) -> Range<u64> {
        let first = self.slice.map_or(0, |slice| slice.first_run);
        first..first + self.runs
    }

    /// The column that a name means: an output of that name in the script, else a parameter, else a dataset.
    pub fn column(&self, name: &str) -> Option<&Column> {
        let all = || self.outputs.iter().chain(&self.parameters);
        all().find(|column| column.gmat_name == name).or_else(|| all().find(|column| column.name == name))
    }

    /// Checks names and sizes.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), LayoutError> {
        let mut seen: BTreeSet<String> = TAKEN_NAMES.iter().map(ToString::to_string).collect();
        seen.extend(["axes", "failures", "provenance", "statistics"].map(String::from));
        let mut take = |name: &str| {
            if !is_name(name) {
                return Err(LayoutError::BadName(name.to_owned()));
            }
            if seen.insert(name.to_owned()) { Ok(()) } else { Err(LayoutError::Twice(name.to_owned())) }
        };
        for column in self.parameters.iter().chain(&self.outputs) {
            take(&column.name)?;
        }
        for report in &self.reports {
            take(&report.step_name())?;
            take(&report.rows_name())?;
            for column in &report.columns {
                take(&report.column_name(column))?;
            }
            at_most(&format!("max_steps of {}", report.name), report.max_steps, MAX_STEPS_MAX)?;
        }
        let mut seen = BTreeSet::new();
        let inner = self.axes.iter().map(|axis| ("axes", &axis.name));
        for (group, name) in inner.chain(self.provenance.iter().map(|(name, _)| ("provenance", name))) {
            if !is_name(name) {
                return Err(LayoutError::BadName(name.clone()));
            }
            if !seen.insert((group, name)) {
                return Err(LayoutError::Twice(format!("{group}/{name}")));
            }
        }
        let reported = self.reports.iter().flat_map(|report| &report.columns);
        if let Some(column) = self.outputs.iter().chain(reported).find(|c| c.kind == ColumnKind::Integer) {
            return Err(LayoutError::IntegerOutput(column.name.clone()));
        }
        at_most("failures_max", self.failures_max, FAILURES_MAX_MAX)?;
        self.file_size().map(|_| ())
    }

    /// The file's size in bytes: the numbers and texts exactly, and 1 MiB for the metadata.
    ///
    /// # Errors
    /// [`LayoutError::TooLarge`] beyond 2^63.
    pub fn file_size(&self) -> Result<u64, LayoutError> {
        let mut size = Size(1 << 20);
        // run, status, error_code, row_crc32, and the columns.
        size.add(self.runs, 8 + 1 + 2 + 4)?;
        size.add(self.runs, 8 * (self.parameters.len() + self.outputs.len()) as u64)?;
        for report in &self.reports {
            size.add(report.max_steps, 4)?;
            size.add(self.runs, 4)?;
            let row = report.max_steps.checked_mul(8 * report.columns.len() as u64).ok_or(LayoutError::TooLarge)?;
            size.add(self.runs, row)?;
        }
        for axis in &self.axes {
            size.add(axis.values.len() as u64, 8)?;
        }
        size.add(self.failures_max, 8 + FAILURE_MESSAGE_BYTES as u64)?;
        for (_, text) in &self.provenance {
            size.add(1, text.len() as u64 + 1)?;
        }
        Ok(size.0)
    }
}

/// A size in bytes that refuses to wrap.
struct Size(u64);

impl Size {
    fn add(&mut self, count: u64, each: u64) -> Result<(), LayoutError> {
        let sum = count.checked_mul(each).and_then(|bytes| self.0.checked_add(bytes));
        self.0 = sum.filter(|&bytes| i64::try_from(bytes).is_ok()).ok_or(LayoutError::TooLarge)?;
        Ok(())
    }
}

impl ReportLayout {
    /// The name of its step dimension.
    pub fn step_name(&self) -> String {
        format!("{}_step", self.name)
    }

    /// The name of the dataset that counts its rows.
    pub fn rows_name(&self) -> String {
        format!("{}_rows", self.name)
    }

    /// The name of a column's dataset.
    pub fn column_name(&self, column: &Column) -> String {
        format!("{}_{}", self.name, column.name)
    }
}

fn at_most(what: &str, value: u64, most: u64) -> Result<(), LayoutError> {
    if value > most { Err(LayoutError::TooMany { what: what.to_owned(), value, most }) } else { Ok(()) }
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The dataset name of a GMAT name: `Sat.SMA` becomes `Sat_SMA`.
///
/// Characters outside `[A-Za-z0-9_]` become `_`; a leading digit gets a `_` in front; a name of
/// [`TAKEN_NAMES`] gets a `_` behind. Two GMAT names may become one: see [`hdf5_names`].
///
/// ```
/// use sweep_mpi::store::hdf5_name;
/// assert_eq!(hdf5_name("Sat.EarthMJ2000Eq.X"), "Sat_EarthMJ2000Eq_X");
/// assert_eq!(hdf5_name("2nd"), "_2nd");
/// assert_eq!(hdf5_name("status"), "status_");
/// ```
pub fn hdf5_name(gmat_path: &str) -> String {
    let mut name: String = gmat_path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    if TAKEN_NAMES.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// The dataset names of several GMAT names, made unique by `_2`, `_3` and so on.
///
/// ```
/// use sweep_mpi::store::hdf5_names;
/// assert_eq!(hdf5_names(["A.B", "A_B", "A-B"]), ["A_B", "A_B_2", "A_B_3"]);
/// ```
pub fn hdf5_names<'a>(gmat_paths: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    gmat_paths
        .into_iter()
        .map(|path| {
            let name = hdf5_name(path);
            let mut unique = name.clone();
            let mut number = 2_u64;
            while !taken.insert(unique.clone()) {
                unique = format!("{name}_{number}");
                number += 1;
            }
            unique
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str) -> Column {
        Column {
            name: name.into(),
            gmat_name: name.into(),
            units: "km".into(),
            long_name: name.into(),
            kind: ColumnKind::Float,
            attributes: Vec::new(),
        }
    }

    fn layout() -> Layout {
        Layout {
            title: "t".into(),
            source: "s".into(),
            sweep_id: "i".into(),
            plan_sha256: "0".into(),
            runs: 10,
            slice: None,
            parameters: vec![column("a")],
            outputs: vec![column("b")],
            timing: false,
            reports: vec![ReportLayout { name: "r".into(), max_steps: 5, columns: vec![column("x"), column("y")] }],
            axes: vec![Axis { name: "a".into(), units: "km".into(), long_name: "a".into(), values: vec![1.0, 2.0] }],
            error_codes: vec![(0, "none".into())],
            failures_max: 3,
            provenance: vec![("config".into(), "abc".into())],
        }
    }

    #[test]
    fn val_file_size() {
        // run 80, status 10, error_code 20, crc 40, two columns 160, steps 20, rows 40,
        // two report columns 800, axis 16, failures 3 x 136, text 4.
        let numbers = 80 + 10 + 20 + 40 + 160 + 20 + 40 + 800 + 16 + 3 * 136 + 4;
        assert_eq!(layout().file_size(), Ok((1 << 20) + numbers));
    }

    #[test]
    fn sizes_that_wrap_are_refused() {
        let large = Layout { runs: u64::MAX / 8, ..layout() };
        assert_eq!(large.file_size(), Err(LayoutError::TooLarge));
        let mut steps = layout();
        steps.reports[0].max_steps = u64::MAX;
        assert_eq!(steps.file_size(), Err(LayoutError::TooLarge));
        assert!(matches!(steps.check(), Err(LayoutError::TooMany { .. })));
    }

    #[test]
    fn names_are_checked() {
        assert_eq!(layout().check(), Ok(()));
        let twice = Layout { outputs: vec![column("r_x")], ..layout() };
        assert_eq!(twice.check(), Err(LayoutError::Twice("r_x".into())));
        let bad = Layout { outputs: vec![column("a/b")], ..layout() };
        assert_eq!(bad.check(), Err(LayoutError::BadName("a/b".into())));
        let group = Layout { outputs: vec![column("axes")], ..layout() };
        assert_eq!(group.check(), Err(LayoutError::Twice("axes".into())));
        let integer = Layout { outputs: vec![Column { kind: ColumnKind::Integer, ..column("n") }], ..layout() };
        assert_eq!(integer.check(), Err(LayoutError::IntegerOutput("n".into())));
    }

    #[test]
    fn made_unique_even_beside_the_numbered_name() {
        assert_eq!(hdf5_names(["A_B_2", "A.B", "A_B"]), ["A_B_2", "A_B", "A_B_3"]);
        assert_eq!(hdf5_name(""), "_");
        assert_eq!(hdf5_name("é.x"), "__x");
    }
}

//! Whether a result file still holds what was written: every row against its checksum, and all that is not a row
//! against what it has to be.
//!
//! HDF5 has checksums of its metadata (names, types, shapes, attributes); of the numbers, those of a row are covered by
//! `row_crc32`, and the rest is known beforehand: the run numbers, the steps of reports, the padding behind a report's
//! rows; `fixed_sha256` covers axes and texts. Only the texts of `/failures` and of `/provenance/drift` are taken as
//! they are.
//!
//! Memory is bounded, and the work by the size of the file: numbers that are not inside it in one piece are refused
//! before anything is read.

use std::ops::Range;

use super::fixed::FixedDigest;
use super::layout::ColumnKind;
use super::reader::{ColumnInfo, Reader, ReportInfo, VALUES_AT_ONCE, slabs};
use super::resume::DRIFT;
use super::rows::{CANONICAL_NAN, put, put_end};
use super::{StoreError, exchange};
use crate::base::outcome::{Failure, Status};

/// A row as it stands in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundRow {
    /// The number of the run.
    pub run: u64,
    /// How it ended; none if the row is damaged.
    pub status: Option<Status>,
    /// Why it is not ok.
    pub failure: Option<Failure>,
}

/// The rows of a slab while their checksums are computed.
struct Slab {
    rows: Range<u64>,
    status: Vec<i8>,
    codes: Vec<i16>,
    crc: Vec<u32>,
    /// Something beside the checksum is wrong.
    is_wrong: Vec<bool>,
}

impl Slab {
    fn take(&mut self, row: usize, bytes: &[u8]) {
        let mut hasher = crc32fast::Hasher::new_with_initial(self.crc[row]);
        hasher.update(bytes);
        self.crc[row] = hasher.finalize();
    }

    fn take_values(&mut self, row: usize, values: &[f64], scratch: &mut Vec<u8>) {
        scratch.clear();
        put(scratch, values);
        self.take(row, scratch);
    }
}

impl Reader {
    /// Shows every row, in run order, after its numbers were held against their checksum; `rows.rs` says what that
    /// covers. A run that was not flown has none.
    ///
    /// # Errors
    /// Numbers that are not in the file in one piece, or cannot be read.
    pub fn each_row(&self, mut show: impl FnMut(FoundRow)) -> Result<(), StoreError> {
        self.check_places()?;
        let widest = self.reports().iter().map(|report| report.max_steps).fold(1, u64::max);
        for (first, count) in slabs(self.runs(), (VALUES_AT_ONCE / widest).max(1)) {
            let slab = self.slab_of(first, count)?;
            let sums: Vec<u32> = self.slab("row_crc32", &[first], &[count])?;
            for (row, (&status, sum)) in slab.status.iter().zip(sums).enumerate() {
                let status = Status::from_code(status);
                let (is_known, code) = (status.is_some(), slab.codes[row]);
                let is_sound =
                    status == Some(Status::NotRun) || is_known && slab.crc[row] == sum && !slab.is_wrong[row];
                let run = self.first_run() + first + row as u64;
                show(FoundRow { run, status: status.filter(|_| is_sound), failure: Failure::from_code(code) });
            }
        }
        Ok(())
    }

    /// The runs whose numbers do not fit their checksum, in run order.
    ///
    /// # Errors
    /// As [`Reader::each_row`].
    pub fn verify_row_crc(&self) -> Result<Vec<u64>, StoreError> {
        let mut wrong = Vec::new();
        self.each_row(|row| wrong.extend(row.status.is_none().then_some(row.run)))?;
        Ok(wrong)
    }

    fn slab_of(&self, first: u64, count: u64) -> Result<Slab, StoreError> {
        let mut slab = Slab {
            rows: first..first + count,
            status: self.status(first, count)?,
            codes: self.error_code(first, count)?,
            crc: vec![0; count as usize],
            is_wrong: vec![false; count as usize],
        };
        for column in self.parameters().iter().chain(self.outputs()) {
            self.take_column(&mut slab, column)?;
        }
        for report in self.reports() {
            self.take_report(&mut slab, report)?;
        }
        let mut end = Vec::new();
        for row in 0..count as usize {
            end.clear();
            put_end(&mut end, slab.status[row], slab.codes[row]);
            slab.take(row, &end);
        }
        Ok(slab)
    }

    fn take_column(&self, slab: &mut Slab, column: &ColumnInfo) -> Result<(), StoreError> {
        let (first, count, mut scratch) = (slab.rows.start, slab.crc.len() as u64, Vec::new());
        if column.kind == ColumnKind::Integer {
            let whole: Vec<i64> = self.slab(&column.name, &[first], &[count])?;
            for (row, whole) in whole.into_iter().enumerate() {
                // the checksum is that of the float, which may stand for several whole numbers
                slab.is_wrong[row] |= whole as f64 as i64 != whole;
                slab.take_values(row, &[whole as f64], &mut scratch);
            }
            return Ok(());
        }
        let values: Vec<f64> = self.slab(&column.name, &[first], &[count])?;
        values.iter().enumerate().for_each(|(row, &value)| slab.take_values(row, &[value], &mut scratch));
        Ok(())
    }

    fn take_report(&self, slab: &mut Slab, report: &ReportInfo) -> Result<(), StoreError> {
        let (first, count, mut scratch) = (slab.rows.start, slab.crc.len() as u64, Vec::new());
        let rows = self.report_rows(report, first, count)?;
        for (row, rows) in rows.iter().enumerate() {
            slab.take(row, &rows.to_le_bytes());
        }
        for column in &report.columns {
            // several pieces only where a single row fills a slab
            for (step, steps) in slabs(report.max_steps, VALUES_AT_ONCE) {
                let values: Vec<f64> = self.slab(&column.name, &[first, step], &[count, steps])?;
                for (row, values) in values.chunks(steps as usize).enumerate() {
                    let kept = exchange::kept(rows[row], report.max_steps).saturating_sub(step as usize);
                    let (kept, padding) = values.split_at(kept.min(values.len()));
                    slab.take_values(row, kept, &mut scratch);
                    slab.is_wrong[row] |= padding.iter().any(|value| value.to_bits() != CANONICAL_NAN.to_bits());
                }
            }
        }
        Ok(())
    }

    /// What is wrong beside the rows, a line each: numbers of runs and steps, axes, texts.
    ///
    /// # Errors
    /// A dataset that cannot be read at all.
    pub fn check_fixed(&self) -> Result<Vec<String>, StoreError> {
        self.check_places()?;
        let mut wrong = Vec::new();
        if !self.counts_up("run", self.first_run(), self.runs())? {
            wrong.push("the run numbers (`run`) are damaged".to_owned());
        }
        for report in self.reports() {
            let name = format!("{}_step", report.name);
            for (first, count) in slabs(report.max_steps, VALUES_AT_ONCE) {
                let steps: Vec<i32> = self.slab(&name, &[first], &[count])?;
                if !(first..).zip(&steps).all(|(step, &found)| i64::from(found) == step.cast_signed()) {
                    wrong.push(format!("the steps of report {} (`{name}`) are damaged", report.name));
                    break;
                }
            }
        }
        if !self.attribute("plan_sha256").starts_with(self.attribute("sweep_id")) {
            wrong.push("`sweep_id` is not the beginning of `plan_sha256`".to_owned());
        }
        let mut digest = FixedDigest::default();
        for axis in self.axes()? {
            digest.axis(&axis.name, &axis.values);
        }
        for name in self.provenance_names()?.iter().filter(|name| *name != DRIFT) {
            digest.text(name, &self.provenance(name)?);
        }
        // files of the first versions have none
        let kept = self.attribute("fixed_sha256");
        if !kept.is_empty() && kept != digest.finish() {
            wrong.push("an axis or a text of /provenance is damaged (`fixed_sha256`)".to_owned());
        }
        Ok(wrong)
    }

    fn counts_up(&self, name: &str, start: u64, total: u64) -> Result<bool, StoreError> {
        for (first, count) in slabs(total, VALUES_AT_ONCE) {
            let numbers: Vec<i64> = self.slab(name, &[first], &[count])?;
            if !(start + first..).zip(&numbers).all(|(number, &found)| found == number.cast_signed()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether `/failures` lists the first runs that are not ok, which are given; `all` is how many there are.
    ///
    /// # Errors
    /// The table cannot be read at all.
    pub fn lists_failures(&self, first: &[u64], all: u64) -> Result<bool, StoreError> {
        let (list, count) = self.failures()?;
        let listed = list.iter().map(|(run, text)| (*run, !text.is_empty()));
        // `count` is that of the list
        Ok(listed.eq(first.iter().map(|&run| (run, true))) && (first.len() as u64..=all).contains(&count))
    }

    /// All numbers along the runs are inside the file, each dataset in one piece: what is read is bounded by its size.
    fn check_places(&self) -> Result<(), StoreError> {
        let mut all: Vec<(String, u64)> = self.along_run();
        for (_, bytes) in &mut all {
            *bytes = bytes.saturating_mul(self.runs());
        }
        for report in self.reports() {
            all.push((format!("{}_step", report.name), report.max_steps.saturating_mul(4)));
        }
        let most = self.failures_max()?;
        all.extend([("run", 8), ("message", 128)].map(|(name, bytes)| (format!("failures/{name}"), most * bytes)));
        all.into_iter().filter(|(_, bytes)| *bytes > 0).try_for_each(|(name, bytes)| self.is_inside(&name, bytes))
    }

    /// The datasets along the runs, and how many bytes a run has there.
    pub(super) fn along_run(&self) -> Vec<(String, u64)> {
        let fixed = [("run", 8), ("status", 1), ("error_code", 2), ("row_crc32", 4)];
        let mut all = fixed.map(|(name, bytes)| (name.to_owned(), bytes)).to_vec();
        all.extend(self.parameters().iter().chain(self.outputs()).map(|column| (column.name.clone(), 8)));
        for report in self.reports() {
            all.push((format!("{}_rows", report.name), 4));
            let row = report.max_steps.saturating_mul(8);
            all.extend(report.columns.iter().map(|column| (column.name.clone(), row)));
        }
        all
    }
}

//! The rows of finished runs, kept in memory until the next flush round.
//!
//! # The checksum
//! `row_crc32` of a run is the CRC-32 (IEEE 802.3, as in zlib) of these bytes, all little endian:
//!
//! 1. the parameters in column order, then the outputs, each as a float64 (an integer parameter too);
//! 2. for each report in order: the number of rows the run made as int32 (the value in
//!    `<report>_rows`), then the kept rows column by column, each value as a float64, padding left out;
//! 3. `status` as int8 and `error_code` as int16.
//!
//! The kept rows of a run are the first min(rows, `max_steps`). A NaN is always [`CANONICAL_NAN`].

use super::layout::{ColumnKind, Layout, TIMING};
use crate::base::clock::now;

/// The one bit pattern of a NaN in the file.
pub const CANONICAL_NAN: f64 = f64::from_bits(0x7ff8_0000_0000_0000);

/// The rows of one report of one run, as the run made them.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReportRows<'a> {
    /// How many rows the run made; may be more than the file keeps.
    pub true_rows: u64,
    /// The kept rows one after the other: min(`true_rows`, `max_steps`) rows of all columns.
    pub values: &'a [f64],
}

/// How many numbers a row has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowShape {
    /// For each parameter, whether it is an integer.
    pub integer_parameters: Vec<bool>,
    /// Number of outputs.
    pub outputs: usize,
    /// For each report, the rows it keeps and its number of columns.
    pub reports: Vec<(u64, usize)>,
}

impl RowShape {
    /// The shape of a layout's rows.
    pub fn of(layout: &Layout) -> RowShape {
        RowShape {
            integer_parameters: layout.parameters.iter().map(|c| c.kind == ColumnKind::Integer).collect(),
            outputs: layout.outputs.len(),
            reports: layout.reports.iter().map(|r| (r.max_steps, r.columns.len())).collect(),
        }
    }

    /// Parameters and outputs together.
    pub fn stride(&self) -> usize {
        self.integer_parameters.len() + self.outputs
    }
}

/// Where and when runs are executed; times in s since 1970.
#[derive(Clone, Copy, Debug, Default)]
struct Stamp {
    rank: usize,
    submit: f64,
    start: f64,
    in_turn: bool,
}

/// Rows of finished runs in flat vectors; `push` allocates nothing for a single row.
#[derive(Clone, Debug)]
pub struct RowBlock {
    pub(super) shape: RowShape,
    /// Where and when the runs are executed, where the layout asks for it.
    timing: Option<Stamp>,
    pub(super) runs: Vec<u64>,
    pub(super) status: Vec<i8>,
    pub(super) error_code: Vec<i16>,
    pub(super) crc: Vec<u32>,
    /// Parameters and outputs, `stride` a row.
    pub(super) values: Vec<f64>,
    /// One count a report, report after report within a row.
    pub(super) true_rows: Vec<i32>,
    /// The kept report values, row after row, report after report, column after column.
    pub(super) report_values: Vec<f64>,
    /// Where a row's report values begin; empty without reports.
    pub(super) report_starts: Vec<usize>,
    scratch: Vec<u8>,
}

impl RowBlock {
    /// How many outputs a run leaves; those of [`TIMING`] not counted.
    pub fn outputs(&self) -> usize {
        self.shape.outputs - if self.timing.is_some() { TIMING.len() } else { 0 }
    }

    /// The block of a rank, for the timing columns.
    #[must_use]
    pub fn of_rank(mut self, rank: usize) -> Self {
        if let Some(stamp) = &mut self.timing {
            stamp.rank = rank;
        }
        self
    }

    /// Whether a run starts when the one before it ends, rather than beside it.
    pub fn in_turn(&mut self, yes: bool) {
        if let Some(stamp) = &mut self.timing {
            stamp.in_turn = yes;
        }
    }

    /// Sets when the runs of the following rows were submitted and started, s since 1970.
    pub fn stamp(&mut self, submit: f64, start: f64) {
        if let Some(stamp) = &mut self.timing {
            *stamp = Stamp { submit, start, ..*stamp };
        }
    }

    /// An empty block for rows of this layout.
    pub fn new(layout: &Layout) -> RowBlock {
        RowBlock {
            shape: RowShape::of(layout),
            timing: layout.timing.then(Stamp::default),
            runs: Vec::new(),
            status: Vec::new(),
            error_code: Vec::new(),
            crc: Vec::new(),
            values: Vec::new(),
            true_rows: Vec::new(),
            report_values: Vec::new(),
            report_starts: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Adds the row of a finished run.
    ///
    /// `status` is a [`super::Status`] code. Numbers are stored as given, with three exceptions: a NaN
    /// becomes [`CANONICAL_NAN`], an integer parameter its integer part (NaN becomes 0), and a run
    /// of more than 2^31 - 1 report rows counts that many. The caller gives NaN outputs for a run
    /// that has none.
    ///
    /// # Panics
    /// If the numbers of parameters, outputs, reports or report values are not the layout's.
    pub fn push<'b>(
        &mut self,
        run: u64,
        status: i8,
        error_code: i16,
        parameters: &[f64],
        outputs: &[f64],
        reports: impl ExactSizeIterator<Item = ReportRows<'b>>,
    ) {
        let shape = &self.shape;
        assert_eq!(parameters.len(), shape.integer_parameters.len(), "one value a parameter");
        assert_eq!(outputs.len(), self.outputs(), "one value an output");
        assert_eq!(reports.len(), shape.reports.len(), "one table a report");
        let first = self.values.len();
        let whole = |(&value, &integer): (&f64, &bool)| if integer { (value as i64) as f64 } else { canonical(value) };
        self.values.extend(parameters.iter().zip(&shape.integer_parameters).map(whole));
        self.values.extend(outputs.iter().map(|&value| canonical(value)));
        if let Some(stamp) = &mut self.timing {
            let end = now();
            self.values.extend([stamp.rank as f64, stamp.submit, stamp.start, end]);
            if stamp.in_turn {
                stamp.start = end;
            }
        }
        self.scratch.clear();
        put(&mut self.scratch, &self.values[first..]);

        if reports.len() > 0 {
            self.report_starts.push(self.report_values.len());
        }
        for (rows, &(max_steps, columns)) in reports.zip(&shape.reports) {
            let kept = rows.true_rows.min(max_steps) as usize;
            assert_eq!(rows.values.len(), kept * columns, "the kept rows of all columns");
            let true_rows = i32::try_from(rows.true_rows).unwrap_or(i32::MAX);
            self.true_rows.push(true_rows);
            self.scratch.extend(true_rows.to_le_bytes());
            let first = self.report_values.len();
            for column in 0..columns {
                self.report_values.extend(rows.values.iter().skip(column).step_by(columns).map(|&v| canonical(v)));
            }
            put(&mut self.scratch, &self.report_values[first..]);
        }
        put_end(&mut self.scratch, status, error_code);
        self.runs.push(run);
        self.status.push(status);
        self.error_code.push(error_code);
        self.crc.push(crc32fast::hash(&self.scratch));
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Each row's run and checksum, in the order in which they came.
    pub fn checksums(&self) -> impl Iterator<Item = (u64, u32)> {
        self.runs.iter().copied().zip(self.crc.iter().copied())
    }

    /// Memory in use for the rows, bytes; what a memory cap counts.
    ///
    /// A flush round needs up to three times as much for a moment, 256 MiB at a time.
    pub fn bytes(&self) -> usize {
        self.runs.len() * (8 + 1 + 2 + 4)
            + self.values.len() * 8
            + self.true_rows.len() * 4
            + self.report_values.len() * 8
            + self.report_starts.len() * 8
    }

    /// Takes all rows of another block of the same layout, which keeps its memory for the next ones.
    ///
    /// # Panics
    /// If the blocks are of different layouts.
    pub fn append(&mut self, other: &mut RowBlock) {
        assert_eq!(self.shape, other.shape, "rows of one layout");
        let before = self.report_values.len();
        self.runs.append(&mut other.runs);
        self.status.append(&mut other.status);
        self.error_code.append(&mut other.error_code);
        self.crc.append(&mut other.crc);
        self.values.append(&mut other.values);
        self.true_rows.append(&mut other.true_rows);
        self.report_values.append(&mut other.report_values);
        self.report_starts.extend(other.report_starts.drain(..).map(|start| before + start));
    }

    /// Forgets the rows, keeps the memory for the next ones.
    pub fn clear(&mut self) {
        self.runs.clear();
        self.status.clear();
        self.error_code.clear();
        self.crc.clear();
        self.values.clear();
        self.true_rows.clear();
        self.report_values.clear();
        self.report_starts.clear();
    }

    /// The report values of a row.
    pub(super) fn report_values_of(&self, row: usize) -> &[f64] {
        let Some(&first) = self.report_starts.get(row) else { return &[] };
        let end = self.report_starts.get(row + 1).copied().unwrap_or(self.report_values.len());
        &self.report_values[first..end]
    }
}

fn canonical(value: f64) -> f64 {
    if value.is_nan() { CANONICAL_NAN } else { value }
}

/// Appends numbers to the bytes of a checksum.
pub(super) fn put(bytes: &mut Vec<u8>, values: &[f64]) {
    let first = bytes.len();
    bytes.resize(first + values.len() * 8, 0);
    for (to, value) in bytes[first..].as_chunks_mut::<8>().0.iter_mut().zip(values) {
        *to = value.to_le_bytes();
    }
}

/// Appends what ends the bytes of a checksum.
pub(super) fn put_end(bytes: &mut Vec<u8>, status: i8, error_code: i16) {
    bytes.extend(status.to_le_bytes());
    bytes.extend(error_code.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(integer_parameters: Vec<bool>, outputs: usize, reports: Vec<(u64, usize)>) -> RowBlock {
        let layout = Layout {
            title: String::new(),
            source: String::new(),
            sweep_id: String::new(),
            plan_sha256: String::new(),
            runs: 9,
            slice: None,
            parameters: Vec::new(),
            outputs: Vec::new(),
            timing: false,
            reports: Vec::new(),
            axes: Vec::new(),
            error_codes: Vec::new(),
            failures_max: 0,
            provenance: Vec::new(),
        };
        RowBlock { shape: RowShape { integer_parameters, outputs, reports }, ..RowBlock::new(&layout) }
    }

    /// `zlib.crc32(struct.pack("<3d", 7000.0, 3.0, float("nan")) + struct.pack("<i4d", 5, 1, 3, 2, 4) +
    /// struct.pack("<bh", 1, -2))` in Python 3.11.
    #[test]
    fn val_crc_against_zlib() {
        let mut block = block(vec![false, true], 1, vec![(2, 2)]);
        let rows = ReportRows { true_rows: 5, values: &[1.0, 2.0, 3.0, 4.0] };
        block.push(4, 1, -2, &[7000.0, 3.9], &[-f64::NAN], [rows].into_iter());
        assert_eq!(block.crc, [CRC_OF_THE_ROW]);
        assert_eq!(block.report_values, [1.0, 3.0, 2.0, 4.0]);
        assert_eq!(block.values[2].to_bits(), 0x7ff8_0000_0000_0000);
        assert_eq!(block.true_rows, [5]);
    }
    const CRC_OF_THE_ROW: u32 = 1_284_010_694;

    #[test]
    fn bytes_count_what_is_held() {
        let mut block = block(vec![false], 1, vec![(3, 1)]);
        assert_eq!(block.bytes(), 0);
        block.push(0, 1, 0, &[1.0], &[2.0], [ReportRows { true_rows: 2, values: &[5.0, 6.0] }].into_iter());
        assert_eq!(block.bytes(), 15 + 16 + 4 + 16 + 8);
        block.push(1, 1, 0, &[1.0], &[2.0], [ReportRows::default()].into_iter());
        assert_eq!((block.report_values_of(0), block.report_values_of(1)), (&[5.0, 6.0][..], &[][..]));
        block.clear();
        assert_eq!((block.bytes(), block.len()), (0, 0));
    }

    #[test]
    #[should_panic(expected = "one value an output")]
    fn a_row_of_another_layout_is_a_bug() {
        block(vec![false], 2, Vec::new()).push(0, 1, 0, &[1.0], &[2.0], [].into_iter());
    }
}

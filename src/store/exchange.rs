//! Rows on their way from the ranks that flew them to the ranks that write them.
//!
//! A row travels as 64-bit words: the run; `status`, `error_code` and checksum in one word; the
//! parameters and outputs; then for each report the count of its rows and the kept values, column
//! after column.

use super::owners;
use super::rows::RowBlock;
use crate::comm::{CommError, World};

/// Words before a row's values.
const HEAD: usize = 2;

/// The rows that this rank writes, in run order.
pub(super) struct Owned {
    words: Vec<u64>,
    /// For each row its run and the place of its first word.
    rows: Vec<(u64, usize)>,
    stride: usize,
}

/// One row among [`Owned`].
#[derive(Clone, Copy)]
pub(super) struct OwnedRow<'a> {
    words: &'a [u64],
}

impl Owned {
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn runs(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.rows.iter().map(|row| row.0)
    }

    pub(super) fn row(&self, row: usize) -> OwnedRow<'_> {
        OwnedRow { words: &self.words[self.rows[row].1..] }
    }

    /// The first run that came twice.
    pub(super) fn twice(&self) -> Option<u64> {
        self.rows.windows(2).find(|pair| pair[0].0 == pair[1].0).map(|pair| pair[0].0)
    }

    /// Where the first report of each row begins, as offsets into its words.
    pub(super) fn report_starts(&self) -> Vec<usize> {
        vec![HEAD + self.stride; self.rows.len()]
    }
}

impl<'a> OwnedRow<'a> {
    pub(super) fn status(self) -> i8 {
        (self.words[1] >> 48) as i8
    }

    pub(super) fn error_code(self) -> i16 {
        (self.words[1] >> 32) as i16
    }

    pub(super) fn crc(self) -> u32 {
        self.words[1] as u32
    }

    /// The bits of its parameters and outputs from column `first` on.
    pub(super) fn values(self, first: usize, count: usize) -> &'a [u64] {
        &self.words[HEAD + first..][..count]
    }

    /// The count of rows of the report that begins at `start`.
    pub(super) fn true_rows(self, start: usize) -> i32 {
        self.words[start] as i32
    }

    /// The bits of one column's kept values of the report that begins at `start`.
    pub(super) fn report_column(self, start: usize, kept: usize, column: usize) -> &'a [u64] {
        &self.words[start + 1 + column * kept..][..kept]
    }
}

/// The places of a block's rows in run order.
pub(super) fn run_order(rows: &RowBlock) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    if !rows.runs.is_sorted() {
        order.sort_by_key(|&row| rows.runs[row]);
    }
    order
}

/// Sends the rows at `order` (places in `rows`, in run order) to their owners. Collective.
pub(super) fn to_owners(world: &World, rows: &RowBlock, order: &[usize]) -> Result<Owned, CommError> {
    let stride = rows.shape.stride();
    let runs = || order.iter().map(|&row| rows.runs[row]);
    let words = if world.size() == 1 {
        pack(rows, order)
    } else {
        let bounds = owners::bounds(&world.all_gather_slice(&owners::describe(runs())), world.size());
        let mut counts = vec![0; world.size()];
        for &row in order {
            counts[owners::owner(&bounds, rows.runs[row])] += row_words(rows, row);
        }
        world.all_to_all_varcount(&pack(rows, order), &counts)?.0
    };
    let mut places = Vec::new();
    let mut at = 0;
    while at < words.len() {
        places.push((words[at], at));
        at += HEAD + stride;
        for &(max_steps, columns) in &rows.shape.reports {
            at += 1 + kept(words[at] as i32, max_steps) * columns;
        }
    }
    // The parts of the ranks are sorted already, which this sort makes use of.
    places.sort_by_key(|place: &(u64, usize)| place.0);
    Ok(Owned { words, rows: places, stride })
}

/// How many rows of a report are in the file.
pub(super) fn kept(true_rows: i32, max_steps: u64) -> usize {
    u64::from(true_rows.max(0).cast_unsigned()).min(max_steps) as usize
}

fn row_words(rows: &RowBlock, row: usize) -> usize {
    HEAD + rows.shape.stride() + rows.shape.reports.len() + rows.report_values_of(row).len()
}

fn pack(rows: &RowBlock, order: &[usize]) -> Vec<u64> {
    let stride = rows.shape.stride();
    let reports = rows.shape.reports.len();
    let mut words = Vec::with_capacity(order.iter().map(|&row| row_words(rows, row)).sum());
    for &row in order {
        let status = u64::from(rows.status[row].cast_unsigned());
        let code = u64::from(rows.error_code[row].cast_unsigned());
        words.push(rows.runs[row]);
        words.push(status << 48 | code << 32 | u64::from(rows.crc[row]));
        words.extend(rows.values[row * stride..][..stride].iter().map(|value| value.to_bits()));
        let mut values = rows.report_values_of(row);
        for (report, &(max_steps, columns)) in rows.shape.reports.iter().enumerate() {
            let true_rows = rows.true_rows[row * reports + report];
            words.push(u64::from(true_rows.cast_unsigned()));
            let (mine, rest) = values.split_at(kept(true_rows, max_steps) * columns);
            words.extend(mine.iter().map(|value| value.to_bits()));
            values = rest;
        }
    }
    words
}

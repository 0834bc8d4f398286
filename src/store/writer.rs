//! Collective writing: all ranks, the same calls, the same order.

use super::StoreError;
use super::exchange::{self, Owned};
use super::layout::{ColumnKind, FAILURE_MESSAGE_BYTES, Layout};
use super::owners::stretches;
use super::raw::{self, Id, Number, Outcome, Part};
use super::rows::RowBlock;
use crate::comm::World;
use std::fs::{File, OpenOptions};
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Memory of one exchange of rows, bytes a rank.
const EXCHANGE_BYTES: usize = 256 << 20;

/// Most rows of one write along `run`.
const ROWS_AT_ONCE: usize = 1 << 20;

/// Columns filled in one pass over the rows: at most 16 x 8 MiB.
const COLUMNS_AT_ONCE: usize = 16;

/// Bytes of one write of a report column (at least one row, which the layout keeps under 1 GiB).
const REPORT_BYTES: usize = 64 << 20;

/// Stretches that are joined for one write; more take time quadratic in their number.
const STRETCHES_AT_ONCE: usize = 64;

/// What a flush round took, on this rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoundCost {
    /// Rows written, of all ranks.
    pub rows: u64,
    /// Time for ordering the rows and sending them to their owners.
    pub exchange: Duration,
    /// Time for writing, values and status.
    pub write: Duration,
    /// Time for waiting until the disk has them.
    pub sync: Duration,
}

/// The result file, open for writing on all ranks.
pub struct Writer {
    datasets: Datasets,
    integer: Vec<bool>,
    transfer: Id,
    /// One rank of each machine brings that machine's writes to disk.
    disk: Option<File>,
    /// The rows of the file, and the number of the run of the first.
    runs: u64,
    first_run: u64,
    no_collective_cause: u32,
    path: PathBuf,
    /// Closed by [`Writer::close`] alone: that is collective, and after a failed write the library waits in it for
    /// ranks that never come, or crashes.
    file: ManuallyDrop<Id>,
}

/// What is written to, open.
struct Datasets {
    columns: Vec<Named>,
    reports: Vec<Report>,
    status: Named,
    error_code: Named,
    crc: Named,
    failures: Failures,
}

struct Named {
    name: String,
    id: Id,
}

struct Report {
    rows: Named,
    columns: Vec<Named>,
    max_steps: u64,
}

struct Failures {
    run: Named,
    message: Named,
    count: Named,
    most: u64,
}

impl Writer {
    /// Opens a file that [`super::create_skeleton`] made from the same layout. Collective.
    ///
    /// # Errors
    /// The same on all ranks: a rank could not open it, or it does not have the layout's datasets.
    pub fn open(path: &Path, world: &World, layout: &Layout) -> Result<Writer, StoreError> {
        // Each rank looks first: a file that one rank does not see would hang the others in HDF5.
        let seen = OpenOptions::new().read(true).write(true).open(path);
        let seen = seen.map_err(|e| StoreError::io("open", path, e)).and_then(|file| {
            let read = file.read_at(&mut [0], 0);
            read.map(|_| file).map_err(|e| StoreError::io("read", path, e))
        });
        let mine = world.agree("open the file", seen)?;
        let file = raw::open_file_together(path, world.raw()).map(ManuallyDrop::new);
        let file = world.agree("open the file", file.map_err(|e| StoreError::io("open", path, e)))?;
        let hosts = world.all_gather(u64::from(crc32fast::hash(world.host().as_bytes())));
        let first = hosts.iter().position(|host| *host == hosts[world.rank()]);
        let disk = (first == Some(world.rank())).then_some(mine);
        let opened = Datasets::open(&file, layout)
            .map_err(|error| StoreError { object: format!("{} of {}", error.object, path.display()), ..error });
        let datasets = world.agree("open the datasets", opened)?;
        let transfer = transfer_list(hosts.iter().any(|host| *host != hosts[0]));
        let transfer = world.agree("open the datasets", transfer)?;
        let (parameters, outputs) = (layout.parameters.iter(), layout.outputs.iter());
        let integer = parameters.map(|c| c.kind == ColumnKind::Integer).chain(outputs.map(|_| false)).collect();
        let (runs, first_run) = (layout.runs, layout.run_numbers().start);
        let path = path.to_owned();
        Ok(Writer { datasets, integer, transfer, disk, runs, first_run, no_collective_cause: 0, path, file })
    }

    /// Flush rounds no longer wait for the disk: rows survive the end of the job, not that of the machine.
    #[must_use]
    pub fn without_waiting_for_the_disk(mut self) -> Writer {
        self.disk = None;
        self
    }

    /// Writes the rows of all ranks and forgets them. Collective: every rank calls it, with rows or without.
    ///
    /// The values are written and brought to disk; then, with all ranks' consent, `status`, and to disk
    /// again. When it returns, the rows survive the end of this job and of the machine (but see
    /// [`Writer::without_waiting_for_the_disk`]). On an error
    /// the rows are kept; the runs whose status was not written count as not run.
    ///
    /// # Errors
    /// The same on all ranks: a run number outside the file or given twice, or what HDF5 or
    /// the operating system said.
    pub fn flush_round(&mut self, world: &World, rows: &mut RowBlock) -> Result<RoundCost, StoreError> {
        let mut cost = RoundCost { rows: world.all_reduce_sum(rows.len() as u64), ..RoundCost::default() };
        if cost.rows == 0 {
            return Ok(cost);
        }
        let start = Instant::now();
        let order = exchange::run_order(rows);
        let ends = [order.first(), order.last()].into_iter().flatten().map(|&row| rows.runs[row]);
        let outside = ends.into_iter().find(|run| !(self.first_run..self.first_run + self.runs).contains(run));
        let inside = match outside {
            Some(run) => Err(format!("run {run} is outside the {} runs of the file", self.runs)),
            None => Ok(()),
        };
        world.agree("flush", inside)?;
        let parts = world.all_reduce_max(rows.bytes().div_ceil(EXCHANGE_BYTES) as u64) as usize;
        cost.exchange += start.elapsed();

        let mut statuses = Vec::new();
        for part in 0..parts {
            let start = Instant::now();
            let mine = &order[order.len() * part / parts..order.len() * (part + 1) / parts];
            let owned = exchange::to_owners(world, rows, mine)
                .map_err(|error| StoreError::new("send", "rows to their owners", error))?;
            cost.exchange += start.elapsed();
            let start = Instant::now();
            self.write_values(world, &owned)?;
            let status: Vec<i8> = (0..owned.len()).map(|row| owned.row(row).status()).collect();
            statuses.push((self.places(&owned), status));
            cost.write += start.elapsed();
        }
        cost.sync += self.sync(world)?;
        let start = Instant::now();
        for (runs, status) in &statuses {
            self.write_status(world, runs, status)?;
        }
        cost.write += start.elapsed();
        cost.sync += self.sync(world)?;
        rows.clear();
        Ok(cost)
    }

    /// The places of rows in the file.
    fn places(&self, owned: &Owned) -> Vec<u64> {
        owned.runs().map(|run| run - self.first_run).collect()
    }

    fn write_values(&mut self, world: &World, owned: &Owned) -> Result<(), StoreError> {
        let once = match owned.twice() {
            Some(run) => Err(format!("run {run} was given twice")),
            None => Ok(()),
        };
        world.agree("flush", once)?;
        let runs = self.places(owned);
        let plans: Vec<Vec<Range<usize>>> = std::iter::once(along_run(runs.len()))
            .chain(self.datasets.reports.iter().map(|report| along_report(&runs, report.max_steps)))
            .collect();
        // Every rank loops as often as the one with the most to write.
        let lengths: Vec<u64> = plans.iter().map(|plan| plan.len() as u64).collect();
        let mut turns = lengths.clone();
        for other in world.all_gather_slice(&lengths).chunks(lengths.len()) {
            turns.iter_mut().zip(other).for_each(|(turns, other)| *turns = (*turns).max(*other));
        }
        let mut round = Round { error: None, cause: 0, transfer: &self.transfer, path: &self.path };
        let mut starts = if self.datasets.reports.is_empty() { Vec::new() } else { owned.report_starts() };

        for turn in 0..turns[0] as usize {
            let range = plans[0].get(turn).cloned().unwrap_or(0..0);
            let place = round.select(&[self.runs], &runs[range.clone()]);
            for first in (0..self.datasets.columns.len()).step_by(COLUMNS_AT_ONCE) {
                let group = first..self.datasets.columns.len().min(first + COLUMNS_AT_ONCE);
                let filled = fill_columns(owned, range.clone(), group.clone());
                for (column, values) in group.zip(filled) {
                    let set = &self.datasets.columns[column];
                    if self.integer[column] {
                        let whole: Vec<i64> = values.iter().map(|&value| value as i64).collect();
                        round.write(set, &place, &whole);
                    } else {
                        round.write(set, &place, &values);
                    }
                }
            }
            let rows = || range.clone().map(|row| owned.row(row));
            round.write(
                &self.datasets.error_code,
                &place,
                &rows().map(exchange::OwnedRow::error_code).collect::<Vec<_>>(),
            );
            round.write(&self.datasets.crc, &place, &rows().map(exchange::OwnedRow::crc).collect::<Vec<_>>());
        }
        for (report, (plan, &turns)) in self.datasets.reports.iter().zip(plans[1..].iter().zip(&turns[1..])) {
            write_report(&mut round, report, owned, &runs, &starts, plan, turns as usize, self.runs);
            for (row, start) in starts.iter_mut().enumerate() {
                let kept = exchange::kept(owned.row(row).true_rows(*start), report.max_steps);
                *start += 1 + kept * report.columns.len();
            }
        }
        let (error, cause) = (round.error, round.cause);
        self.no_collective_cause |= cause;
        Ok(world.agree("flush", error.map_or(Ok(()), Err))?)
    }

    fn write_status(&mut self, world: &World, runs: &[u64], status: &[i8]) -> Result<(), StoreError> {
        let plan = along_run(runs.len());
        let turns = world.all_reduce_max(plan.len() as u64) as usize;
        let mut round = Round { error: None, cause: 0, transfer: &self.transfer, path: &self.path };
        for turn in 0..turns {
            let range = plan.get(turn).cloned().unwrap_or(0..0);
            let place = round.select(&[self.runs], &runs[range.clone()]);
            round.write(&self.datasets.status, &place, &status[range]);
        }
        let (error, cause) = (round.error, round.cause);
        self.no_collective_cause |= cause;
        Ok(world.agree("flush", error.map_or(Ok(()), Err))?)
    }

    /// Brings what all ranks have written to disk: after an agreement, one rank of each machine does
    /// it for all (`fdatasync` covers the writes of other processes to the same file).
    fn sync(&self, world: &World) -> Result<Duration, StoreError> {
        let start = Instant::now();
        let synced = self.disk.as_ref().map_or(Ok(()), File::sync_data);
        world.agree("flush", synced.map_err(|error| StoreError::io("bring to disk", &self.path, error)))?;
        Ok(start.elapsed())
    }

    /// Writes which runs are not ok, and why. Collective: rank 0 gives the list, in run order; what
    /// the others give does not count. As many as the layout has room for are kept, their messages cut
    /// to 127 bytes; `/failures/count` is the length of the list. An earlier list is replaced.
    ///
    /// # Errors
    /// The same on all ranks: what HDF5 or the operating system said.
    pub fn write_failures(&mut self, world: &World, failures: &[(i64, String)]) -> Result<(), StoreError> {
        let most = self.datasets.failures.most;
        let mine = world.rank() == 0;
        let mut runs = vec![-1_i64; if mine { most as usize } else { 0 }];
        let mut messages = vec![0_u8; runs.len() * FAILURE_MESSAGE_BYTES];
        for ((run, text), (number, message)) in
            runs.iter_mut().zip(messages.chunks_mut(FAILURE_MESSAGE_BYTES)).zip(failures)
        {
            *run = *number;
            let cut = cut_text(message, FAILURE_MESSAGE_BYTES - 1);
            text[..cut.len()].copy_from_slice(cut.as_bytes());
        }
        let mut round = Round { error: None, cause: 0, transfer: &self.transfer, path: &self.path };
        let whole = [(0, most)];
        let part = if mine && most > 0 { Part::Stretches(&whole) } else { Part::Nothing };
        if most > 0 {
            let place = round.place(&[most], part);
            round.write(&self.datasets.failures.run, &place, &runs);
            let place = round.place(&[most, FAILURE_MESSAGE_BYTES as u64], part);
            round.write(&self.datasets.failures.message, &place, &messages);
        }
        let count = [failures.len() as i64];
        let place = round.place(&[], if mine { Part::Stretches(&[]) } else { Part::Nothing });
        round.write(&self.datasets.failures.count, &place, if mine { &count } else { &[] });
        let (error, cause) = (round.error, round.cause);
        self.no_collective_cause |= cause;
        world.agree("write the failures", error.map_or(Ok(()), Err))?;
        self.sync(world).map(|_| ())
    }

    /// Says whether the MPI library may gather the data on a few ranks that write for all; the same
    /// on all ranks. Writes are collective either way, and the bytes are the same.
    ///
    /// At first it may if there are several machines. On one machine each rank writes its own block, which
    /// took a quarter to a half of the time (9 ranks, 48 MB of reports: 15 to 25 ms against 40 to 120).
    ///
    /// # Errors
    /// What HDF5 said.
    pub fn aggregate(&mut self, yes: bool) -> Result<(), StoreError> {
        self.transfer = transfer_list(yes)?;
        Ok(())
    }

    /// The reasons, joined, why HDF5 wrote a dataset otherwise than collectively; 0 is as it should
    /// be. Tested by `mpi_collective_with_an_idle_rank`.
    pub fn no_collective_cause(&self) -> u32 {
        self.no_collective_cause
    }

    /// Closes the file. Collective.
    ///
    /// # Errors
    /// The same on all ranks: what HDF5 said.
    pub fn close(self, world: &World) -> Result<(), StoreError> {
        let Writer { file, datasets, transfer, disk, path, .. } = self;
        // The library writes the head of the file, and ranks wait for each other for ever if that fails on one: an
        // error of the disk shows here first.
        let written = disk.as_ref().map_or(Ok(()), |disk| {
            let mut first = [0];
            disk.read_exact_at(&mut first, 0).and_then(|()| disk.write_all_at(&first, 0))
        });
        world.agree("close the file", written.map_err(|error| StoreError::io("write", &path, error)))?;
        drop((datasets, transfer, disk));
        let closed = ManuallyDrop::into_inner(file).close();
        Ok(world.agree("close the file", closed.map_err(|error| StoreError::io("close", &path, error)))?)
    }
}

impl Datasets {
    /// Opens them in a file of this layout.
    fn open(file: &Id, layout: &Layout) -> Result<Datasets, StoreError> {
        let runs = layout.runs;
        let along_run = |name: &str| open(file, name, &[runs]);
        let report = |report: &super::ReportLayout| {
            let dims = [runs, report.max_steps];
            let columns = report.columns.iter().map(|c| open(file, &report.column_name(c), &dims));
            let columns = columns.collect::<Result<_, _>>()?;
            Ok(Report { rows: along_run(&report.rows_name())?, columns, max_steps: report.max_steps })
        };
        let most = layout.failures_max;
        Ok(Datasets {
            columns: layout
                .parameters
                .iter()
                .chain(&layout.outputs)
                .map(|c| along_run(&c.name))
                .collect::<Result<_, _>>()?,
            reports: layout.reports.iter().map(report).collect::<Result<_, StoreError>>()?,
            status: along_run("status")?,
            error_code: along_run("error_code")?,
            crc: along_run("row_crc32")?,
            failures: Failures {
                run: open(file, "failures/run", &[most])?,
                message: open(file, "failures/message", &[most, FAILURE_MESSAGE_BYTES as u64])?,
                count: open(file, "failures/count", &[])?,
                most,
            },
        })
    }
}

/// Collective writes one after the other. An error on this rank is kept for the agreement at the
/// end; the writes go on, since the other ranks wait in them.
struct Round<'a> {
    error: Option<StoreError>,
    cause: u32,
    transfer: &'a Id,
    path: &'a Path,
}

impl Round<'_> {
    fn note<T>(&mut self, name: &str, outcome: Outcome<T>) -> Option<T> {
        let path = self.path;
        let error = |message: String| {
            let cause = if message.contains("(os error ") { String::new() } else { free_space(path) };
            StoreError::new("write", format!("{name} of {}", path.display()), message + &cause)
        };
        match outcome {
            Ok(value) => return Some(value),
            Err(message) if self.error.is_none() => self.error = Some(error(message)),
            Err(_) => {}
        }
        None
    }

    /// The place of these runs, sorted, in datasets of these dimensions.
    fn select(&mut self, dims: &[u64], runs: &[u64]) -> (Id, Id) {
        let parts = stretches(runs.iter().copied());
        self.place(
            dims,
            match parts.len() {
                0 => Part::Nothing,
                1..=STRETCHES_AT_ONCE => Part::Stretches(&parts),
                _ => Part::Values(runs),
            },
        )
    }

    /// # Panics
    /// If HDF5 cannot even select nothing: this rank cannot take part, so the job has to end.
    fn place(&mut self, dims: &[u64], part: Part<'_>) -> (Id, Id) {
        let place = self.note("a selection", raw::select(dims, part));
        place.or_else(|| raw::select(dims, Part::Nothing).ok()).expect("an empty selection needs a few bytes only")
    }

    fn write<T: Number>(&mut self, set: &Named, place: &(Id, Id), data: &[T]) {
        let written = raw::write(&set.id, place, Some(self.transfer), data);
        self.note(&set.name, written);
        self.cause |= raw::no_collective_cause(self.transfer).unwrap_or(u32::MAX);
    }
}

/// What may be the cause of a write that failed, where the system's own words are lost.
fn free_space(path: &Path) -> String {
    let space = rustix::fs::statvfs(path).map(|space| space.f_bavail.saturating_mul(space.f_frsize));
    space.map_or(String::new(), |bytes| format!("; {bytes} bytes are free there"))
}

fn transfer_list(aggregate: bool) -> Result<Id, StoreError> {
    raw::collective_transfer(aggregate).map_err(|e| StoreError::new("prepare", "the transfer", e))
}

fn open(file: &Id, name: &str, dims: &[u64]) -> Result<Named, StoreError> {
    let fail = |message: String| StoreError::new("open the dataset", name, message);
    let id = raw::open_dataset(file, name).map_err(fail)?;
    let found = raw::info(&id).map_err(fail)?.dims;
    if found == dims {
        Ok(Named { name: name.to_owned(), id })
    } else {
        Err(fail(format!("its shape is {found:?}, but {dims:?} is expected")))
    }
}

/// The slabs of rows for datasets along `run`.
fn along_run(rows: usize) -> Vec<Range<usize>> {
    (0..rows).step_by(ROWS_AT_ONCE).map(|first| first..rows.min(first + ROWS_AT_ONCE)).collect()
}

/// The slabs of rows for a report's columns: few bytes and few stretches each.
fn along_report(runs: &[u64], max_steps: u64) -> Vec<Range<usize>> {
    let most = (REPORT_BYTES / (8 * max_steps.max(1) as usize)).max(1);
    let mut slabs: Vec<Range<usize>> = Vec::new();
    let mut parts = 0;
    for row in 0..runs.len() {
        let new_part = row == 0 || runs[row - 1] + 1 != runs[row];
        match slabs.last_mut() {
            Some(slab) if slab.len() < most && (!new_part || parts < STRETCHES_AT_ONCE) => {
                slab.end = row + 1;
                parts += usize::from(new_part);
            }
            _ => {
                slabs.push(row..row + 1);
                parts = 1;
            }
        }
    }
    slabs
}

/// The values of some columns of some rows, column by column.
fn fill_columns(owned: &Owned, rows: Range<usize>, columns: Range<usize>) -> Vec<Vec<f64>> {
    let mut filled: Vec<Vec<f64>> = columns.clone().map(|_| Vec::with_capacity(rows.len())).collect();
    for row in rows {
        for (column, &bits) in filled.iter_mut().zip(owned.row(row).values(columns.start, columns.len())) {
            column.push(f64::from_bits(bits));
        }
    }
    filled
}

#[allow(clippy::too_many_arguments)] // One step of `write_values`, which holds all of these.
fn write_report(
    round: &mut Round<'_>,
    report: &Report,
    owned: &Owned,
    runs: &[u64],
    starts: &[usize],
    plan: &[Range<usize>],
    turns: usize,
    all_runs: u64,
) {
    let steps = report.max_steps as usize;
    let mut padded = Vec::new();
    for turn in 0..turns {
        let range = plan.get(turn).cloned().unwrap_or(0..0);
        let rows = || range.clone().map(|row| (owned.row(row), starts[row]));
        let place = round.select(&[all_runs], &runs[range.clone()]);
        let counts: Vec<i32> = rows().map(|(row, start)| row.true_rows(start)).collect();
        round.write(&report.rows, &place, &counts);
        if steps == 0 {
            continue;
        }
        let place = round.select(&[all_runs, report.max_steps], &runs[range.clone()]);
        for (column, set) in report.columns.iter().enumerate() {
            padded.clear();
            for (row, start) in rows() {
                let kept = exchange::kept(row.true_rows(start), report.max_steps);
                padded.extend(row.report_column(start, kept, column).iter().map(|&bits| f64::from_bits(bits)));
                padded.resize(padded.len() + steps - kept, super::CANONICAL_NAN);
            }
            round.write(set, &place, &padded);
        }
    }
}

/// At most so many bytes of a text, whole characters.
fn cut_text(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slabs_are_short_and_cover_all() {
        assert!(along_run(0).is_empty());
        assert_eq!(along_run(ROWS_AT_ONCE + 1), [0..ROWS_AT_ONCE, ROWS_AT_ONCE..ROWS_AT_ONCE + 1]);
        // A row of 2^22 steps has 32 MiB: two a write.
        assert_eq!(along_report(&[0, 1, 2, 3, 9], 1 << 22), [0..2, 2..4, 4..5]);
        let scattered: Vec<u64> = (0..100).map(|run| 2 * run).collect();
        assert_eq!(along_report(&scattered, 1), [0..64, 64..100]);
        assert_eq!(along_report(&[0, 1, 2], u64::MAX / 8), [0..1, 1..2, 2..3]);
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(cut_text("aé", 2), "a");
        assert_eq!(cut_text("aé", 3), "aé");
    }
}

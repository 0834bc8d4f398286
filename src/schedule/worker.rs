//! A worker: flies chunks on the threads of its rank and keeps the rows until the next flush round.

use std::cell::Cell;
use std::ops::Range;
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use super::interrupt::{Interrupt, Urgency};
use crate::base::clock::now;
use crate::base::lanes::Vectors;
use crate::base::outcome::Failure;
use crate::base::run::{FinishedRun, ReportRows};
use crate::comm::catching;
use crate::design::Design;
use crate::store::{self, RowBlock};
use crate::workload::{Executor, Workload};

/// Questions whether it goes on between two looks for a word of the leader.
const LOOK_EVERY: u32 = 16;
/// How often the caller's thread looks for one while the pool's fly.
const LOOK: Duration = Duration::from_millis(5);
/// Pieces a thread gets of a chunk, so that a slow piece does not hold the others.
const PIECES_A_THREAD: u64 = 4;

/// What a worker knows of a chunk that it has flown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Runs that ended ok.
    pub ok: u64,
    /// Runs that did not.
    pub not_ok: u64,
    /// Wall time it took.
    pub busy: Duration,
}

/// The threads of a rank with their executors and the rows that they have made.
pub struct Worker<'a> {
    workload: &'a dyn Workload,
    design: &'a dyn Design,
    vectors: Vectors,
    /// `None`: one thread, the caller's.
    pool: Option<rayon::ThreadPool>,
    seats: Vec<Mutex<Seat<'a>>>,
    failures_max: usize,
    interrupt: Interrupt,
}

/// What one thread works with.
struct Seat<'a> {
    executor: Box<dyn Executor + 'a>,
    /// The rows of the piece that is flown.
    piece: RowBlock,
    /// The rows of the pieces that are done.
    rows: RowBlock,
    /// The first runs that are not ok, by number.
    failures: Vec<(u64, Failure)>,
    ok: u64,
    not_ok: u64,
}

impl<'a> Worker<'a> {
    /// A worker of this many threads; `empty` is a block for rows of the result file's layout. `interrupt` says
    /// when it drops what it flies.
    pub fn new(
        workload: &'a dyn Workload,
        design: &'a dyn Design,
        vectors: Vectors,
        threads: usize,
        empty: &RowBlock,
        failures_max: usize,
        interrupt: Interrupt,
    ) -> Result<Self, rayon::ThreadPoolBuildError> {
        let pool = match threads {
            0 | 1 => None,
            _ => Some(
                rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("lanes-{i}")).build()?,
            ),
        };
        let mut piece = empty.clone();
        piece.in_turn(workload.side_by_side(vectors) == 1);
        let seat = || {
            Mutex::new(Seat {
                executor: workload.executor(vectors),
                piece: piece.clone(),
                rows: empty.clone(),
                failures: Vec::new(),
                ok: 0,
                not_ok: 0,
            })
        };
        let seats = (0..threads.max(1)).map(|_| seat()).collect();
        Ok(Worker { workload, design, vectors, pool, seats, failures_max, interrupt })
    }

    /// Flies the runs of a chunk; a panic in a run becomes a failed row. Those that have not ended when the
    /// interrupt says to drop them are given up, and have no row.
    ///
    /// `look` is called on this thread now and then, to look for a word of the leader.
    pub fn fly(&self, runs: Range<u64>, look: &dyn Fn()) -> Tally {
        let start = Instant::now();
        let submit = now();
        let drops = || self.interrupt.urgency() == Urgency::Drop;
        match &self.pool {
            None => {
                let asked = Cell::new(0_u32);
                let goes_on = || {
                    asked.set(asked.get().wrapping_add(1));
                    if asked.get().is_multiple_of(LOOK_EVERY) {
                        look();
                    }
                    !drops()
                };
                self.fly_piece(0, runs, submit, &goes_on);
            }
            Some(pool) => {
                let count = runs.end - runs.start;
                let bundle = self.workload.side_by_side(self.vectors);
                let pieces = (self.seats.len() as u64 * PIECES_A_THREAD).min(count.div_ceil(bundle)).max(1);
                let length = count.div_ceil(pieces).next_multiple_of(bundle);
                let (done, is_done) = mpsc::channel();
                pool.in_place_scope(|scope| {
                    for piece in 0..count.div_ceil(length) {
                        let done = done.clone();
                        let first = runs.start + piece * length;
                        let end = (first + length).min(runs.end);
                        scope.spawn(move |_| {
                            let seat = rayon::current_thread_index().unwrap_or(0);
                            self.fly_piece(seat, first..end, submit, &|| !drops());
                            drop(done);
                        });
                    }
                    drop(done);
                    // the pieces hold the other ends until they are flown
                    while is_done.recv_timeout(LOOK) == Err::<(), _>(mpsc::RecvTimeoutError::Timeout) {
                        look();
                    }
                });
            }
        }
        let mut tally = Tally { busy: start.elapsed(), ..Tally::default() };
        for seat in &self.seats {
            let mut seat = seat.lock().unwrap_or_else(PoisonError::into_inner);
            tally.ok += std::mem::take(&mut seat.ok);
            tally.not_ok += std::mem::take(&mut seat.not_ok);
        }
        tally
    }

    /// The rows since the last call; they leave the worker.
    pub fn take_rows(&self, into: &mut RowBlock) {
        for seat in &self.seats {
            into.append(&mut seat.lock().unwrap_or_else(PoisonError::into_inner).rows);
        }
    }

    /// The runs that are not ok, the first ones by number.
    pub fn failures(&self) -> Vec<(u64, Failure)> {
        let mut all: Vec<(u64, Failure)> = Vec::new();
        for seat in &self.seats {
            all.extend_from_slice(&seat.lock().unwrap_or_else(PoisonError::into_inner).failures);
        }
        keep_first(&mut all, self.failures_max);
        all
    }

    fn fly_piece(&self, seat: usize, runs: Range<u64>, submit: f64, goes_on: &dyn Fn() -> bool) {
        let mut seat = self.seats[seat].lock().unwrap_or_else(PoisonError::into_inner);
        let seat = &mut *seat;
        seat.piece.stamp(submit, now());
        let mut rest = runs;
        while !rest.is_empty() && goes_on() {
            // what a stage has nothing to start from for is not flown
            let end = rest.clone().find(|&run| self.design.is_missing(run)).unwrap_or(rest.end);
            self.fly_present(seat, rest.start..end, goes_on);
            if end < rest.end {
                self.give_up(seat, end, Failure::NoStart);
            }
            rest = end + 1..rest.end;
        }
    }

    fn fly_present(&self, seat: &mut Seat<'a>, runs: Range<u64>, goes_on: &dyn Fn() -> bool) {
        if runs.is_empty() || self.try_piece(seat, runs.clone(), goes_on) {
            return;
        }
        // One of these runs panics and took its neighbours with it: each flies alone.
        for run in runs {
            if !self.try_piece(seat, run..run + 1, goes_on) {
                self.give_up(seat, run, Failure::Panic);
            }
        }
    }

    /// The row of a run that was not flown to an end.
    fn give_up(&self, seat: &mut Seat<'a>, run: u64, failure: Failure) {
        let nothing = vec![f64::NAN; self.workload.outputs().len()];
        let mut parameters = vec![0.0; self.workload.parameters().len()];
        self.design.values(run, &mut parameters);
        for (number, value) in parameters.iter_mut().enumerate() {
            *value = self.workload.column_value(number, *value);
        }
        let finished = FinishedRun {
            run,
            status: failure.status(),
            failure: Some(failure),
            parameters: &parameters,
            outputs: &nothing,
            reports: &vec![ReportRows::default(); self.workload.reports().len()],
            ephemerides: &[],
            steps: 0,
        };
        seat.take(&finished);
        seat.settle(self.failures_max);
    }

    /// Flies a piece; false if it panicked, and then it left nothing.
    fn try_piece(&self, seat: &mut Seat<'a>, runs: Range<u64>, goes_on: &dyn Fn() -> bool) -> bool {
        let failures = seat.failures.len();
        let counts = (seat.ok, seat.not_ok);
        let flown = catching(|| {
            let Seat { executor, piece, failures, ok, not_ok, .. } = &mut *seat;
            let values = |run: u64, out: &mut [f64]| self.design.values(run, out);
            executor.execute(runs, &values, &mut |finished| note(piece, failures, ok, not_ok, &finished), goes_on);
        });
        match flown {
            Ok(()) => {
                seat.settle(self.failures_max);
                true
            }
            Err(message) => {
                tracing::warn!("a run panicked: {message}");
                seat.piece.clear();
                seat.failures.truncate(failures);
                (seat.ok, seat.not_ok) = counts;
                seat.executor = self.workload.executor(self.vectors);
                false
            }
        }
    }
}

impl Seat<'_> {
    fn take(&mut self, finished: &FinishedRun) {
        note(&mut self.piece, &mut self.failures, &mut self.ok, &mut self.not_ok, finished);
    }

    /// The piece's rows are those of the seat now.
    fn settle(&mut self, failures_max: usize) {
        self.rows.append(&mut self.piece);
        if self.failures.len() > 2 * failures_max.max(1) {
            keep_first(&mut self.failures, failures_max);
        }
    }
}

fn note(
    piece: &mut RowBlock,
    failures: &mut Vec<(u64, Failure)>,
    ok: &mut u64,
    not_ok: &mut u64,
    finished: &FinishedRun,
) {
    if let Some(failure) = finished.failure {
        failures.push((finished.run, failure));
        *not_ok += 1;
    } else {
        *ok += 1;
    }
    let code = finished.failure.map_or(0, Failure::code);
    let reports =
        finished.reports.iter().map(|report| store::ReportRows { true_rows: report.rows, values: &report.values });
    piece.push(finished.run, finished.status.code(), code, finished.parameters, finished.outputs, reports);
}

pub(super) fn keep_first(failures: &mut Vec<(u64, Failure)>, most: usize) {
    failures.sort_unstable_by_key(|failure| failure.0);
    failures.truncate(most);
}

//! The leader: a state machine that says what to send; it sends nothing itself and reads no clock.

use super::remaining::Remaining;
use crate::comm::{Order, Report};

/// How long a chunk should take to fly, s: long against a message, short against a flush interval.
const CHUNK_TARGET: f64 = 0.02;
/// Chunks are longer where there are so many workers that an order would be due more often than this, s:
/// one leader serves ten thousand workers with ease (docs/scaling.md).
const ORDER_SPACING: f64 = 1e-5;
/// A chunk is at most this many times the last of its worker, so that one odd measurement does no harm.
const GROWTH_MAX: f64 = 8.0;
/// Chunks under way to a worker that flies one after the other: the one in flight and one that waits there.
pub const UNDER_WAY: usize = 2;
/// A chunk is tiny below this, s: its messages take about as long as the chunk itself.
const TINY_CHUNK: f64 = 1e-5;
/// Tiny chunks under way to a worker: so many that leader and worker find several at a look, and so few
/// that none of them waits long when one takes much longer than those before it.
const TINY_UNDER_WAY: usize = 8;

/// How many runs an order has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkSize {
    /// Sized by measured time, whole bundles of this many runs while there are plenty.
    Auto {
        /// Runs that fly side by side on a worker: lanes times threads.
        bundle: u64,
    },
    /// This many.
    Fixed(u64),
}

/// A report that answers no order under way to its worker: a broken protocol, a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("worker {worker} reports runs {first}..{end}, which are no order under way to it")]
pub struct UnexpectedReport {
    /// The worker's rank.
    pub worker: usize,
    /// First run reported.
    pub first: u64,
    /// One past the last.
    pub end: u64,
}

/// Hands out runs to workers, each run once.
#[derive(Debug)]
pub struct Leader {
    remaining: Remaining,
    done: u64,
    chunk: ChunkSize,
    workers: Vec<WorkerState>,
    /// Workers without a chunk.
    idle: usize,
    /// The most chunks under way to a worker.
    under_way: usize,
    stopped: bool,
}

#[derive(Debug, Default)]
struct WorkerState {
    under_way: Vec<(u64, u64)>,
    /// Seconds a run took it lately.
    seconds_a_run: Option<f64>,
    last_count: u64,
}

/// An order and the rank it goes to.
pub type Sending = (usize, Order);

impl Leader {
    /// A leader of the workers of ranks `1..=workers`.
    pub fn new(runs: impl Into<Remaining>, workers: usize, chunk: ChunkSize) -> Self {
        let idle = workers;
        let workers = (0..workers).map(|_| WorkerState::default()).collect();
        Leader { remaining: runs.into(), done: 0, chunk, workers, idle, under_way: UNDER_WAY, stopped: false }
    }

    /// Keeps so many chunks under way to each worker, for workers that fly them side by side.
    #[must_use]
    pub fn with_under_way(self, chunks: usize) -> Self {
        Leader { under_way: chunks.max(1), ..self }
    }

    /// The first orders: one to each worker, then the second ones.
    pub fn start(&mut self) -> Vec<Sending> {
        let mut sendings = Vec::new();
        for depth in 1..=self.under_way {
            for worker in 0..self.workers.len() {
                self.fill(worker, depth, &mut sendings);
            }
        }
        self.stop_at_the_end(&mut sendings);
        sendings
    }

    /// Takes a report and says what to send for it: the worker's next chunk, or stop to all.
    pub fn report(&mut self, rank: usize, report: &Report) -> Result<Vec<Sending>, UnexpectedReport> {
        let mut sendings = Vec::new();
        self.take_report(rank, report, &mut sendings)?;
        Ok(sendings)
    }

    /// [`Leader::report`] into a list that the caller keeps, behind what it holds already.
    pub fn take_report(
        &mut self,
        rank: usize,
        report: &Report,
        sendings: &mut Vec<Sending>,
    ) -> Result<(), UnexpectedReport> {
        let unexpected = UnexpectedReport { worker: rank, first: report.first, end: report.first + report.count };
        let state = rank.checked_sub(1).and_then(|worker| self.workers.get_mut(worker)).ok_or(unexpected)?;
        // a worker that flies chunks side by side finishes them in any order
        let order = state.under_way.iter().position(|chunk| *chunk == (report.first, report.count));
        state.under_way.remove(order.ok_or(unexpected)?); // a few at most
        self.idle += usize::from(state.under_way.is_empty());
        let flown = report.count.saturating_sub(report.dropped);
        self.done += flown;
        if flown > 0 {
            let measured = report.busy_ns as f64 * 1e-9 / flown as f64;
            state.seconds_a_run = Some(state.seconds_a_run.map_or(measured, |before| 0.5 * (before + measured)));
        }
        self.fill(rank - 1, self.depth_for(rank - 1), sendings);
        self.stop_at_the_end(sendings);
        Ok(())
    }

    /// All workers are to enter a flush round behind the chunks that are under way; nothing once they have
    /// been told to stop, since the last round comes right after that.
    pub fn flush(&self) -> Vec<Sending> {
        if self.stopped { Vec::new() } else { self.all(Order::flush()) }
    }

    /// No more runs are handed out; what to send for it: stop to all, if no chunk is under way.
    pub fn wind_up(&mut self) -> Vec<Sending> {
        self.remaining.clear();
        let mut sendings = Vec::new();
        self.stop_at_the_end(&mut sendings);
        sendings
    }

    /// Runs that are flown.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Whether every run is flown, or the job has been wound up, and the workers have been told to stop.
    pub fn is_done(&self) -> bool {
        self.stopped
    }

    /// The first run that is under way to a worker, and how long all that is under way to it should take, s;
    /// nothing where it is idle, no time where none of its chunks has been measured yet.
    pub fn expected(&self, rank: usize) -> Option<(u64, Option<f64>)> {
        let state = self.workers.get(rank.checked_sub(1)?)?;
        let first = state.under_way.first()?.0;
        let runs: u64 = state.under_way.iter().map(|chunk| chunk.1).sum();
        Some((first, state.seconds_a_run.map(|seconds| seconds * runs as f64)))
    }

    /// How long the next chunk of the slowest worker would take with what is under way to it, s; 0 where nothing
    /// has been measured yet.
    pub fn predicted(&self) -> f64 {
        let chunk = |state: &WorkerState| {
            let runs = state.under_way.iter().map(|chunk| chunk.1).sum::<u64>() + state.last_count;
            state.seconds_a_run.unwrap_or(0.0) * runs as f64
        };
        self.workers.iter().map(chunk).fold(0.0, f64::max)
    }

    fn all(&self, order: Order) -> Vec<Sending> {
        (1..=self.workers.len()).map(|rank| (rank, order)).collect()
    }

    /// The chunks that may be under way to a worker: its credit.
    fn depth_for(&self, worker: usize) -> usize {
        let state = &self.workers[worker];
        let seconds = state.seconds_a_run.map_or(f64::INFINITY, |seconds| seconds * state.last_count as f64);
        let fixed = matches!(self.chunk, ChunkSize::Fixed(_));
        if fixed && seconds < TINY_CHUNK { self.under_way.max(TINY_UNDER_WAY) } else { self.under_way }
    }

    /// Tops up the chunks under way to a worker.
    fn fill(&mut self, worker: usize, depth: usize, sendings: &mut Vec<Sending>) {
        while self.workers[worker].under_way.len() < depth && self.remaining.left() > 0 {
            self.send_chunk(worker, sendings);
        }
    }

    /// A worker without a chunk waits for the others, so that it takes part in flush rounds; all stop
    /// together.
    fn stop_at_the_end(&mut self, sendings: &mut Vec<Sending>) {
        if self.remaining.left() == 0 && self.idle == self.workers.len() && !self.stopped {
            self.stopped = true;
            sendings.extend(self.all(Order::stop()));
        }
    }

    fn send_chunk(&mut self, worker: usize, sendings: &mut Vec<Sending>) {
        let Some(runs) = self.remaining.take(self.chunk_for(worker)) else { return };
        let count = runs.end - runs.start;
        sendings.push((worker + 1, Order::fly(runs.start, count)));
        let state = &mut self.workers[worker];
        self.idle -= usize::from(state.under_way.is_empty());
        state.under_way.push((runs.start, count));
        state.last_count = count;
    }

    /// Factoring: a chunk is at most its fair share of half of what is left, so chunks shrink towards the
    /// end; before that, as many runs as take [`CHUNK_TARGET`], or as keep [`ORDER_SPACING`].
    ///
    /// A part of a bundle takes as long as a whole one, so nothing is gained by less than a bundle, unless
    /// a worker would go without.
    fn chunk_for(&self, worker: usize) -> u64 {
        let left = self.remaining.left();
        let bundle = match self.chunk {
            ChunkSize::Fixed(count) => return count.clamp(1, left),
            ChunkSize::Auto { bundle } => bundle.max(1),
        };
        let state = &self.workers[worker];
        let least = (left / self.idle.max(1) as u64).clamp(1, bundle).min(left);
        let by_time = match state.seconds_a_run {
            None => bundle,
            Some(seconds) => {
                let target = CHUNK_TARGET.max(ORDER_SPACING * self.workers.len() as f64);
                (target / seconds.max(1e-12)).min(GROWTH_MAX * state.last_count as f64) as u64
            }
        };
        // what is flown within the time of a few messages is not worth dividing
        let tiny = state.seconds_a_run.map_or(1, |seconds| (TINY_CHUNK / seconds.max(1e-12)) as u64);
        let share = left.div_ceil(2 * self.workers.len() as u64).max(tiny.min(left));
        let count = by_time.min(share).max(least);
        if count > bundle { count - count % bundle } else { count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    /// What flew: workers that answer in any order, with any speed; the wire keeps each worker's order.
    fn fly(runs: u64, workers: usize, chunk: ChunkSize, choices: &mut impl FnMut(usize) -> usize) -> Vec<u32> {
        let mut leader = Leader::new(runs, workers, chunk);
        let mut flown = vec![0; runs as usize];
        let mut inboxes = vec![VecDeque::new(); workers];
        let mut stopped = vec![false; workers];
        let mut rounds = vec![0; workers];
        let deliver = |sendings: Vec<Sending>, inboxes: &mut Vec<VecDeque<Order>>| {
            for (rank, order) in sendings {
                inboxes[rank - 1].push_back(order);
            }
        };
        deliver(leader.start(), &mut inboxes);
        let mut patience = 100_000;
        while !leader.is_done() || inboxes.iter().any(|inbox| !inbox.is_empty()) {
            patience -= 1;
            assert!(patience > 0, "the sweep does not end");
            if choices(20) == 0 {
                deliver(leader.flush(), &mut inboxes);
            }
            let busy: Vec<usize> = (0..workers).filter(|&w| !inboxes[w].is_empty()).collect();
            assert!(!busy.is_empty(), "everybody waits: a hang");
            let worker = busy[choices(busy.len())];
            let order = inboxes[worker].pop_front().unwrap();
            assert!(!stopped[worker], "an order after the stop");
            match order.kind {
                Order::FLY => {
                    assert!(order.count > 0);
                    for run in order.first..order.first + order.count {
                        flown[run as usize] += 1;
                    }
                    let busy_ns = order.count * 10_u64.pow(choices(9) as u32);
                    let report = Report {
                        first: order.first,
                        count: order.count,
                        ok: order.count,
                        busy_ns,
                        ..Report::default()
                    };
                    deliver(leader.report(worker + 1, &report).unwrap(), &mut inboxes);
                }
                Order::FLUSH => rounds[worker] += 1,
                Order::STOP => stopped[worker] = true,
                kind => panic!("order of kind {kind}"),
            }
        }
        assert!(stopped.iter().all(|&s| s), "every worker is told to stop");
        assert!(rounds.iter().all(|&r| r == rounds[0]), "every worker enters the same flush rounds: {rounds:?}");
        flown
    }

    proptest! {
        #[test]
        fn prop_every_run_flies_once(runs in 0_u64..3000, workers in 1_usize..20, bundle in 1_u64..70, fixed in any::<bool>(), seed in any::<u64>()) {
            let chunk = if fixed { ChunkSize::Fixed(bundle) } else { ChunkSize::Auto { bundle } };
            let mut state = seed;
            let mut choices = |n: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) as usize % n.max(1)
            };
            let flown = fly(runs, workers, chunk, &mut choices);
            prop_assert!(flown.iter().all(|&times| times == 1));
        }
    }

    #[test]
    fn every_worker_starts_with_a_chunk_where_there_are_enough() {
        let mut leader = Leader::new(60, 14, ChunkSize::Auto { bundle: 8 });
        let first: Vec<usize> = leader.start().iter().take(14).map(|s| s.0).collect();
        assert_eq!(first, (1..=14).collect::<Vec<_>>());
    }

    #[test]
    fn idle_workers_wait_for_the_others() {
        let mut leader = Leader::new(2, 3, ChunkSize::Auto { bundle: 8 });
        assert_eq!(leader.start(), [(1, Order::fly(0, 1)), (2, Order::fly(1, 1))]);
        assert_eq!(leader.flush().len(), 3, "the idle worker takes part in a flush round");
        let report = |first| Report { first, count: 1, ok: 1, ..Report::default() };
        assert_eq!(leader.report(2, &report(1)), Ok(vec![]));
        assert!(!leader.is_done());
        assert_eq!(leader.report(1, &report(0)), Ok((1..=3).map(|rank| (rank, Order::stop())).collect()));
        assert!(leader.is_done() && leader.flush().is_empty());
    }

    #[test]
    fn no_runs_stop_everyone() {
        let mut leader = Leader::new(0, 2, ChunkSize::Fixed(5));
        assert_eq!(leader.start(), [(1, Order::stop()), (2, Order::stop())]);
        assert!(leader.is_done());
    }

    #[test]
    fn chunks_grow_to_the_target_and_shrink_to_the_end() {
        let mut leader = Leader::new(100_000, 1, ChunkSize::Auto { bundle: 8 });
        let mut orders: VecDeque<Order> = leader.start().into_iter().map(|(_, order)| order).collect();
        let mut counts = Vec::new();
        while let Some(order) = orders.pop_front().filter(|order| order.kind == Order::FLY) {
            counts.push(order.count);
            let busy_ns = order.count * 10_000; // 10 us a run: 2000 runs in 20 ms
            let report = Report { first: order.first, count: order.count, busy_ns, ..Report::default() };
            orders.extend(leader.report(1, &report).unwrap().into_iter().map(|(_, order)| order));
        }
        assert_eq!(counts[0], 8);
        let most = *counts.iter().max().unwrap();
        assert!((1980..=2000).contains(&most), "2000 runs, in whole bundles: {most}");
        assert_eq!(*counts.last().unwrap(), 8, "a part of a bundle takes as long");
        assert!(counts.len() < 120, "{} orders", counts.len());
    }

    #[test]
    fn the_end_is_not_divided_below_tiny_chunks() {
        let least = |run_ns: u64| {
            let mut leader = Leader::new(100_000, 1, ChunkSize::Auto { bundle: 8 });
            let mut orders: VecDeque<Order> = leader.start().into_iter().map(|(_, order)| order).collect();
            let mut counts = Vec::new();
            while let Some(Order { first, count, .. }) = orders.pop_front().filter(|order| order.kind == Order::FLY) {
                counts.push(count);
                let report = Report { first, count, busy_ns: run_ns * count, ..Report::default() };
                orders.extend(leader.report(1, &report).unwrap().into_iter().map(|(_, order)| order));
            }
            assert_eq!(counts.iter().sum::<u64>(), 100_000);
            // the last takes what is left, in whole bundles and a rest
            counts[2..].iter().rev().skip(2).copied().min().unwrap()
        };
        assert!(least(100) >= 64, "100 runs take 10 us: {}", least(100));
        assert!(least(10_000) <= 16, "a run takes 10 us: {}", least(10_000));
    }

    #[test]
    fn long_runs_fly_in_whole_bundles_and_nobody_goes_without() {
        let flown = |runs, workers| {
            let mut leader = Leader::new(runs, workers, ChunkSize::Auto { bundle: 8 });
            let mut orders = VecDeque::from(leader.start());
            let mut counts = Vec::new();
            while let Some((rank, order)) = orders.pop_front().filter(|(_, order)| order.kind == Order::FLY) {
                counts.push(order.count);
                let busy_ns = 400_000_000; // a run and a bundle take as long
                let report = Report { first: order.first, count: order.count, busy_ns, ..Report::default() };
                orders.extend(leader.report(rank, &report).unwrap());
            }
            counts
        };
        assert_eq!(flown(72, 2), [8; 9]);
        assert_eq!(flown(20, 3), [6, 7, 7], "all are idle: one bundle each");
        assert_eq!(flown(3, 5), [1; 3]);
    }

    #[test]
    fn tiny_chunks_get_more_credit() {
        let sent = |busy_ns| {
            let mut leader = Leader::new(100, 1, ChunkSize::Fixed(2));
            assert_eq!(leader.start().len(), 2);
            let report = |first, busy_ns| Report { first, count: 2, busy_ns, ..Report::default() };
            let first = leader.report(1, &report(0, busy_ns)).unwrap().len();
            // then a chunk of 1 s: the mean is no longer tiny, and seven are still under way
            (first, leader.report(1, &report(2, 1_000_000_000)).unwrap().len())
        };
        assert_eq!(sent(9_900), (7, 0), "one is answered and six more are sent ahead");
        assert_eq!(sent(10_100), (1, 1));
        let mut automatic = Leader::new(1000, 1, ChunkSize::Auto { bundle: 8 });
        automatic.start();
        let report = Report { first: 0, count: 8, busy_ns: 1, ..Report::default() };
        assert_eq!(automatic.report(1, &report).unwrap().len(), 1, "chunks of measured size grow instead");
    }

    #[test]
    fn a_report_of_something_else_is_refused() {
        let mut leader = Leader::new(10, 1, ChunkSize::Fixed(5));
        leader.start();
        let report = Report { first: 5, count: 4, ..Report::default() };
        assert!(leader.report(1, &report).is_err(), "no such order");
        let twice = Report { first: 5, count: 5, ..Report::default() };
        assert!(leader.report(1, &twice).is_ok() && leader.report(1, &twice).is_err(), "reported twice");
        assert!(leader.report(2, &report).is_err(), "no such worker");
        assert!(leader.report(0, &report).is_err(), "the leader is no worker");
    }
}

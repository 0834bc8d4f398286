//! The leader: a state machine that says what to send; it sends nothing itself and reads no clock.

use std::collections::VecDeque;

use crate::comm::{Order, Report};

/// How long a chunk should take to fly, s: long against a message, short against a flush interval.
const CHUNK_TARGET: f64 = 0.02;
/// A chunk is at most this many times the last of its worker, so that one odd measurement does no harm.
const GROWTH_MAX: f64 = 8.0;
/// Chunks under way to a worker: one that it flies and one that waits there.
const UNDER_WAY: usize = 2;

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

/// A report that does not answer the oldest order of its worker: a broken protocol, a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("worker {worker} reports runs {first}..{end}, which are not its oldest order")]
pub struct UnexpectedReport {
    /// The worker's rank.
    pub worker: usize,
    /// First run reported.
    pub first: u64,
    /// One past the last.
    pub end: u64,
}

/// Hands out the runs `0..runs` to workers, each run once.
#[derive(Debug)]
pub struct Leader {
    runs: u64,
    next: u64,
    done: u64,
    chunk: ChunkSize,
    workers: Vec<WorkerState>,
    stopped: bool,
}

#[derive(Debug, Default)]
struct WorkerState {
    under_way: VecDeque<(u64, u64)>,
    /// Seconds a run took it lately.
    seconds_a_run: Option<f64>,
    last_count: u64,
}

/// An order and the rank it goes to.
pub type Sending = (usize, Order);

impl Leader {
    /// A leader of the workers of ranks `1..=workers`.
    pub fn new(runs: u64, workers: usize, chunk: ChunkSize) -> Self {
        let workers = (0..workers).map(|_| WorkerState::default()).collect();
        Leader { runs, next: 0, done: 0, chunk, workers, stopped: false }
    }

    /// The first orders: one to each worker, then the second ones.
    pub fn start(&mut self) -> Vec<Sending> {
        let mut sendings = Vec::new();
        for depth in 1..=UNDER_WAY {
            for worker in 0..self.workers.len() {
                self.fill(worker, depth, &mut sendings);
            }
        }
        self.stop_at_the_end(&mut sendings);
        sendings
    }

    /// Takes a report and says what to send for it: the worker's next chunk, or stop to all.
    pub fn report(&mut self, rank: usize, report: &Report) -> Result<Vec<Sending>, UnexpectedReport> {
        let unexpected = UnexpectedReport { worker: rank, first: report.first, end: report.first + report.count };
        let state = rank.checked_sub(1).and_then(|worker| self.workers.get_mut(worker)).ok_or(unexpected)?;
        if state.under_way.front() != Some(&(report.first, report.count)) {
            return Err(unexpected);
        }
        state.under_way.pop_front();
        self.done += report.count;
        let measured = report.busy_ns as f64 * 1e-9 / report.count.max(1) as f64;
        state.seconds_a_run = Some(state.seconds_a_run.map_or(measured, |before| 0.5 * (before + measured)));
        let mut sendings = Vec::new();
        self.fill(rank - 1, UNDER_WAY, &mut sendings);
        self.stop_at_the_end(&mut sendings);
        Ok(sendings)
    }

    /// All workers are to enter a flush round behind the chunks that are under way; nothing once they have
    /// been told to stop, since the last round comes right after that.
    pub fn flush(&self) -> Vec<Sending> {
        if self.stopped { Vec::new() } else { self.all(Order::flush()) }
    }

    /// Runs that are flown.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Whether every run is flown and the workers have been told to stop.
    pub fn is_done(&self) -> bool {
        self.stopped
    }

    fn all(&self, order: Order) -> Vec<Sending> {
        (1..=self.workers.len()).map(|rank| (rank, order)).collect()
    }

    /// Tops up the chunks under way to a worker.
    fn fill(&mut self, worker: usize, depth: usize, sendings: &mut Vec<Sending>) {
        while self.workers[worker].under_way.len() < depth && self.next < self.runs {
            self.send_chunk(worker, sendings);
        }
    }

    /// A worker without a chunk waits for the others, so that it takes part in flush rounds; all stop
    /// together.
    fn stop_at_the_end(&mut self, sendings: &mut Vec<Sending>) {
        if self.done == self.runs && !self.stopped {
            self.stopped = true;
            sendings.extend(self.all(Order::stop()));
        }
    }

    fn send_chunk(&mut self, worker: usize, sendings: &mut Vec<Sending>) {
        let count = self.chunk_for(worker);
        sendings.push((worker + 1, Order::fly(self.next, count)));
        let state = &mut self.workers[worker];
        state.under_way.push_back((self.next, count));
        state.last_count = count;
        self.next += count;
    }

    /// Factoring: a chunk is at most its fair share of half of what is left, so chunks shrink towards the
    /// end; before that, as many runs as take [`CHUNK_TARGET`].
    fn chunk_for(&self, worker: usize) -> u64 {
        let left = self.runs - self.next;
        let bundle = match self.chunk {
            ChunkSize::Fixed(count) => return count.clamp(1, left),
            ChunkSize::Auto { bundle } => bundle.max(1),
        };
        let state = &self.workers[worker];
        let by_time = match state.seconds_a_run {
            None => bundle,
            Some(seconds) => {
                let wanted = (CHUNK_TARGET / seconds.max(1e-12)).min(GROWTH_MAX * state.last_count as f64);
                (wanted as u64).max(1)
            }
        };
        let share = left.div_ceil(2 * self.workers.len() as u64);
        let count = by_time.min(share);
        // whole bundles while there are plenty; at the end it matters more that everyone has something
        if count > bundle { count - count % bundle } else { count.max(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
        assert_eq!(*counts.last().unwrap(), 1);
        assert!(counts.len() < 120, "{} orders", counts.len());
    }

    #[test]
    fn a_report_of_something_else_is_refused() {
        let mut leader = Leader::new(10, 1, ChunkSize::Fixed(5));
        leader.start();
        let report = Report { first: 5, count: 5, ..Report::default() };
        assert!(leader.report(1, &report).is_err(), "the second order was reported first");
        assert!(leader.report(2, &report).is_err(), "no such worker");
        assert!(leader.report(0, &report).is_err(), "the leader is no worker");
    }
}

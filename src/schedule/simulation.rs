//! A discrete-event simulation of a sweep: the real leader, with workers and wire that take stated times.
//!
//! It tells how many workers one leader can serve. Times are whole nanoseconds, so that equal inputs
//! give equal outcomes everywhere. The leader is one server: reports wait in line, each takes
//! `receive_ns` and each order that answers it `send_ns`. A message is `latency_ns` on its way. A worker
//! flies its orders one after another and reports each without losing time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::leader::{ChunkSize, Leader, Sending};
use crate::comm::{Order, Report};

/// Chunks of more runs than this get the sum of their run times from the central limit theorem.
const SUMMED_RUNS: u64 = 32;

/// What messages cost, ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wire {
    /// From the sender to the receiver.
    pub latency_ns: u64,
    /// The leader's time for a report.
    pub receive_ns: u64,
    /// The leader's time for an order.
    pub send_ns: u64,
}

/// A sweep to simulate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simulation {
    /// Ranks that fly.
    pub workers: usize,
    /// Runs in all.
    pub runs: u64,
    /// How the leader sizes its orders.
    pub chunk: ChunkSize,
    /// What messages cost.
    pub wire: Wire,
    /// Mean time of a run, ns.
    pub run_ns: f64,
    /// Standard deviation of the time of a run over its mean: run times are lognormal, 0 makes all equal.
    pub spread: f64,
    /// Where the random run times start.
    pub seed: u64,
}

/// How a simulated sweep went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// From the first order to the last report taken, ns.
    pub wall_ns: u64,
    /// Spent flying, all workers together, ns.
    pub busy_ns: u64,
    /// Spent by workers waiting for an order that then came, all together, ns.
    pub starved_ns: u64,
    /// Spent by the leader on messages, ns.
    pub leader_ns: u64,
    /// Chunks flown.
    pub orders: u64,
}

impl Outcome {
    /// Share of the workers' time in which they flew.
    pub fn efficiency(&self, workers: usize) -> f64 {
        self.busy_ns as f64 / (self.wall_ns as f64 * workers as f64)
    }

    /// Share of the time in which the leader was at work.
    pub fn leader_share(&self) -> f64 {
        self.leader_ns as f64 / self.wall_ns as f64
    }
}

/// What happens; the order of the variants decides nothing, since every event has a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// An order comes to a worker.
    Order { worker: usize, first: u64, count: u64 },
    /// A worker has flown its oldest order.
    Flown { worker: usize },
    /// A report comes to the leader.
    Report { worker: usize, first: u64, count: u64, busy_ns: u64 },
}

#[derive(Clone, Debug, Default)]
struct SimulatedWorker {
    orders: VecDeque<(u64, u64)>,
    /// How long its present chunk takes, ns.
    flying_ns: u64,
    /// When it had nothing left to fly.
    free_since: u64,
}

struct State<'a> {
    simulation: &'a Simulation,
    leader: Leader,
    workers: Vec<SimulatedWorker>,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    numbered: u64,
    /// Until when the leader is at work.
    leader_free: u64,
    random: Random,
    outcome: Outcome,
}

impl Simulation {
    /// Simulates the sweep from the first order to the last report.
    ///
    /// # Panics
    /// If the leader breaks its protocol, which is a bug.
    pub fn run(&self) -> Outcome {
        let mut state = State {
            simulation: self,
            leader: Leader::new(self.runs, self.workers, self.chunk),
            workers: vec![SimulatedWorker::default(); self.workers],
            events: BinaryHeap::new(),
            numbered: 0,
            leader_free: 0,
            random: Random(self.seed),
            outcome: Outcome::default(),
        };
        let first = state.leader.start();
        state.send(&first);
        let mut sendings = Vec::new();
        while let Some(Reverse((now, _, event))) = state.events.pop() {
            state.happen(now, event, &mut sendings);
        }
        assert!(state.leader.is_done(), "the sweep does not end");
        state.outcome
    }
}

impl State<'_> {
    fn happen(&mut self, now: u64, event: Event, sendings: &mut Vec<Sending>) {
        let latency = self.simulation.wire.latency_ns;
        match event {
            Event::Order { worker, first, count } => {
                self.workers[worker].orders.push_back((first, count));
                if self.workers[worker].orders.len() == 1 {
                    self.outcome.starved_ns += now - self.workers[worker].free_since;
                    self.fly(now, worker);
                }
            }
            Event::Flown { worker } => {
                let state = &mut self.workers[worker];
                let Some((first, count)) = state.orders.pop_front() else { return };
                let busy_ns = state.flying_ns;
                state.free_since = now;
                self.outcome.busy_ns += busy_ns;
                self.outcome.orders += 1;
                self.add(now + latency, Event::Report { worker, first, count, busy_ns });
                if !self.workers[worker].orders.is_empty() {
                    self.fly(now, worker);
                }
            }
            Event::Report { worker, first, count, busy_ns } => {
                self.leader_free = self.leader_free.max(now) + self.simulation.wire.receive_ns;
                self.outcome.leader_ns += self.simulation.wire.receive_ns;
                self.outcome.wall_ns = self.leader_free;
                let report = Report { first, count, ok: count, busy_ns, ..Report::default() };
                sendings.clear();
                let taken = self.leader.take_report(worker + 1, &report, sendings);
                taken.unwrap_or_else(|error| panic!("{error}"));
                self.send(sendings);
            }
        }
    }

    fn add(&mut self, time: u64, event: Event) {
        self.numbered += 1;
        self.events.push(Reverse((time, self.numbered, event)));
    }

    fn send(&mut self, sendings: &[Sending]) {
        let Wire { latency_ns, send_ns, .. } = self.simulation.wire;
        for &(rank, order) in sendings.iter().filter(|(_, order)| order.kind == Order::FLY) {
            self.leader_free += send_ns;
            self.outcome.leader_ns += send_ns;
            let event = Event::Order { worker: rank - 1, first: order.first, count: order.count };
            self.add(self.leader_free + latency_ns, event);
        }
    }

    /// The worker begins its oldest order.
    fn fly(&mut self, now: u64, worker: usize) {
        let Simulation { run_ns, spread, .. } = *self.simulation;
        let count = self.workers[worker].orders.front().map_or(0, |order| order.1);
        let time = self.random.sum_of_lognormals(count, run_ns, spread).round() as u64;
        self.workers[worker].flying_ns = time;
        self.add(now + time, Event::Flown { worker });
    }
}

/// SplitMix64 with normal numbers by Box and Muller.
struct Random(u64);

impl Random {
    /// Uniform in (0, 1).
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((z ^ (z >> 31)) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(self.uniform()));
        radius * libm::cos(std::f64::consts::TAU * self.uniform())
    }

    /// The sum of so many times of this mean and relative spread. With `s^2 = ln(1 + spread^2)` a
    /// lognormal time is `mean exp(s z - s^2 / 2)`. Checked by `val_run_times_have_their_mean_and_spread`.
    fn sum_of_lognormals(&mut self, count: u64, mean: f64, spread: f64) -> f64 {
        if spread <= 0.0 {
            return count as f64 * mean;
        }
        if count > SUMMED_RUNS {
            let n = count as f64;
            return (mean * (n + spread * libm::sqrt(n) * self.normal())).max(0.0);
        }
        let variance = libm::log1p(spread * spread);
        let sigma = libm::sqrt(variance);
        (0..count).map(|_| mean * libm::exp(sigma * self.normal() - 0.5 * variance)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIRE: Wire = Wire { latency_ns: 10, receive_ns: 1, send_ns: 2 };

    fn sweep(workers: usize, runs: u64, run_ns: f64) -> Simulation {
        Simulation { workers, runs, chunk: ChunkSize::Fixed(1), wire: WIRE, run_ns, spread: 0.0, seed: 1 }
    }

    #[test]
    fn val_one_run_there_and_back() {
        // sent at 2, there at 12, flown at 112, back at 122, taken at 123
        let outcome = sweep(1, 1, 100.0).run();
        assert_eq!(outcome, Outcome { wall_ns: 123, busy_ns: 100, starved_ns: 12, leader_ns: 3, orders: 1 });
        assert!((outcome.efficiency(1) - 100.0 / 123.0).abs() < 1e-15);
        assert!((outcome.leader_share() - 3.0 / 123.0).abs() < 1e-15);
    }

    #[test]
    fn val_the_second_chunk_waits_at_the_worker() {
        // the wire is paid once: 12 + 100 runs of 100 + 11
        let outcome = sweep(1, 100, 100.0).run();
        assert_eq!((outcome.wall_ns, outcome.starved_ns, outcome.orders), (12 + 10_000 + 11, 12, 100));
    }

    #[test]
    fn val_two_workers_are_served_one_after_the_other() {
        // orders leave at 2 and 4; the second report is back at 124 and taken at 125
        let outcome = sweep(2, 2, 100.0).run();
        assert_eq!((outcome.wall_ns, outcome.busy_ns, outcome.starved_ns), (125, 200, 12 + 14));
    }

    #[test]
    fn val_a_leader_in_demand_takes_its_time_for_each_run() {
        // 1000 workers ask all the time: each run costs the leader an order and a report
        let outcome = sweep(1000, 50_000, 100.0).run();
        assert_eq!(outcome.leader_ns, 3 * 50_000);
        assert!((outcome.leader_share() - 1.0).abs() < 1e-3, "{outcome:?}");
    }

    #[test]
    fn val_run_times_have_their_mean_and_spread() {
        for count in [1, 100] {
            let mut random = Random(7);
            let n = 100_000;
            let times: Vec<f64> = (0..n).map(|_| random.sum_of_lognormals(count, 50.0, 0.5)).collect();
            let mean = times.iter().sum::<f64>() / f64::from(n);
            let variance = times.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / f64::from(n);
            let (wanted, deviation) = (50.0 * count as f64, 25.0 * (count as f64).sqrt());
            // the mean of 100 000 is known to 0.0016 of a lone run's mean, its spread to about 1 %
            assert!((mean / wanted - 1.0).abs() < 0.006, "{mean}");
            assert!((variance.sqrt() / deviation - 1.0).abs() < 0.03, "{variance}");
        }
    }

    #[test]
    fn equal_seeds_give_equal_outcomes() {
        let simulation =
            Simulation { chunk: ChunkSize::Auto { bundle: 8 }, spread: 0.5, ..sweep(30, 20_000, 100_000.0) };
        assert_eq!(simulation.run(), simulation.run());
        assert_ne!(simulation.run(), Simulation { seed: 2, ..simulation }.run());
    }

    #[test]
    fn ten_thousand_workers_keep_busy_at_ten_milliseconds_a_run() {
        let wire = Wire { latency_ns: 2000, receive_ns: 500, send_ns: 500 };
        let simulation = Simulation {
            workers: 10_000,
            runs: 2_000_000,
            chunk: ChunkSize::Auto { bundle: 1 },
            wire,
            run_ns: 1e7,
            spread: 0.3,
            seed: 1,
        };
        let outcome = simulation.run();
        assert!(outcome.efficiency(10_000) > 0.9, "{}", outcome.efficiency(10_000));
        assert!(outcome.leader_share() < 0.5, "{}", outcome.leader_share());
    }
}

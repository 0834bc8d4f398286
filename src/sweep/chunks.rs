//! Chunks of runs: the leader's loop, the worker's loop, and one process that does both.

use std::time::{Duration, Instant};

use super::{Sweep, vectors};
use crate::cli::Stop;
use crate::comm::{Order, Report};
use crate::config::Chunk;
use crate::schedule::crew::Crew;
use crate::schedule::leader::{ChunkSize, Leader};
use crate::schedule::worker::Tally;
use crate::workload::command::workload::CommandWorkload;

/// How often the leader looks at the clock while no report comes.
const PATIENCE: Duration = Duration::from_millis(100);
/// How long a process alone flies between two looks at the clock.
const SOLO_CHUNK: f64 = 0.05;

impl Sweep<'_, '_> {
    /// Rank 0: hands out chunks until all are flown.
    pub(super) fn lead(&mut self) -> Result<(), Stop> {
        let mut leader = self.leader(self.world.size() - 1);
        let mut clock = self.clock();
        let mut sendings = leader.start();
        self.send(&sendings);
        while !leader.is_done() {
            if let Some((rank, report)) = self.world.try_receive_report(PATIENCE) {
                self.log.ok += report.ok;
                self.log.not_ok += report.not_ok;
                // a broken protocol is a bug: the hook ends all ranks
                sendings.clear();
                leader.take_report(rank, &report, &mut sendings).unwrap_or_else(|error| panic!("{error}"));
                self.send(&sendings);
            }
            self.show(leader.done());
            if clock.is_due(Instant::now(), leader.done()) && !leader.is_done() {
                self.send(&leader.flush());
                self.flush()?;
                clock.flushed(Instant::now(), leader.done());
            }
        }
        self.flush()?;
        self.finish_progress();
        Ok(())
    }

    /// A leader of so many workers, as the schedule and the workload want it.
    pub(super) fn leader(&self, workers: usize) -> Leader {
        let runs = self.plan.layout.runs;
        if let Some(commands) = CommandWorkload::of(self.plan.workload.as_ref()) {
            // a program costs far more than an order; some wait at the worker for a free place
            let concurrent = commands.concurrent();
            return Leader::new(runs, workers, ChunkSize::Fixed(1)).with_under_way(concurrent + 1 + concurrent / 16);
        }
        let chunk = match self.plan.config.schedule.chunk {
            Chunk::Auto => ChunkSize::Auto { bundle: self.bundle() },
            Chunk::Runs(runs) => ChunkSize::Fixed(runs),
        };
        Leader::new(runs, workers, chunk)
    }

    /// The other ranks: fly what comes, until the stop.
    pub(super) fn work(&mut self) -> Result<(), Stop> {
        if matches!(self.crew, Crew::Programs(_)) {
            return self.work_programs();
        }
        loop {
            let waiting = Instant::now();
            let order = self.world.receive_order();
            let waited = waiting.elapsed();
            self.log.figures.waited(order.kind, waited);
            match order.kind {
                Order::FLY => {
                    let tally = self.chunk(order.first, order.count);
                    let report = Report {
                        first: order.first,
                        count: order.count,
                        ok: tally.ok,
                        not_ok: tally.not_ok,
                        busy_ns: tally.busy.as_nanos() as u64,
                        wait_ns: waited.as_nanos() as u64,
                    };
                    self.world.send_report(&report);
                }
                Order::FLUSH => self.flush()?,
                _ => return self.flush(),
            }
        }
    }

    /// One process does everything.
    pub(super) fn fly_alone(&mut self) -> Result<(), Stop> {
        if matches!(self.crew, Crew::Programs(_)) {
            return self.fly_programs_alone();
        }
        let runs = self.plan.layout.runs;
        let bundle = self.bundle();
        let (mut done, mut count) = (0, bundle);
        let mut clock = self.clock();
        while done < runs {
            let chunk = match self.plan.config.schedule.chunk {
                Chunk::Auto => count,
                Chunk::Runs(runs) => runs,
            };
            let chunk = chunk.min(runs - done).min(clock.room(done));
            let tally = self.chunk(done, chunk);
            done += chunk;
            self.log.ok += tally.ok;
            self.log.not_ok += tally.not_ok;
            let wanted = SOLO_CHUNK / (tally.busy.as_secs_f64() / chunk as f64).max(1e-12);
            count = (wanted as u64).clamp(bundle, 8 * count).next_multiple_of(bundle);
            self.show(done);
            if clock.is_due(Instant::now(), done) && done < runs {
                self.flush()?;
                clock.flushed(Instant::now(), done);
            }
        }
        self.flush()?;
        self.finish_progress();
        Ok(())
    }

    /// Runs that this rank has in hand at once.
    pub(super) fn bundle(&self) -> u64 {
        self.plan.workload.side_by_side(vectors(self.plan)) * self.plan.threads as u64
    }

    pub(super) fn chunk(&mut self, first: u64, count: u64) -> Tally {
        let Crew::Threads(worker) = &*self.crew else { unreachable!("this rank flies chunks") };
        let tally = worker.fly(first..first + count);
        self.log.figures.busy_s += tally.busy.as_secs_f64();
        self.log.figures.runs += count;
        self.log.figures.chunks += 1;
        tally
    }
}

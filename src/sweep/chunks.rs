//! Chunks of runs: the worker's loop, and one process that leads and works; [`super::lead`] has the leader's.

use std::cell::Cell;
use std::ops::Range;
use std::time::{Duration, Instant};

use super::ending::Step;
use super::{Sweep, vectors};
use crate::cli::Stop;
use crate::comm::{Order, Report};
use crate::config::Chunk;
use crate::schedule::crew::Crew;
use crate::schedule::interrupt::Urgency;
use crate::schedule::leader::{ChunkSize, Leader};
use crate::schedule::worker::Tally;
use crate::workload::command::workload::CommandWorkload;

/// How often a worker looks for a word of the leader while it flies.
const LOOK: Duration = Duration::from_millis(5);
/// How long a process alone flies between two looks at the clock.
const SOLO_CHUNK: f64 = 0.05;

impl Sweep<'_, '_> {
    /// A leader of so many workers, as the schedule and the workload want it.
    pub(super) fn leader(&mut self, workers: usize) -> Leader {
        let runs = std::mem::take(&mut self.remaining);
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
        let mut looked = Instant::now();
        loop {
            let waiting = Instant::now();
            let order = self.next_order();
            let waited = waiting.elapsed();
            self.log.figures.waited(order.kind, waited);
            match order.kind {
                Order::FLY => {
                    if waiting - looked > LOOK {
                        looked = waiting;
                        self.look();
                    }
                    let tally = if self.job.interrupt.urgency() == Urgency::None {
                        self.chunk(order.first..order.first + order.count)
                    } else {
                        Tally::default()
                    };
                    let report = Report {
                        first: order.first,
                        count: order.count,
                        ok: tally.ok,
                        not_ok: tally.not_ok,
                        busy_ns: tally.busy.as_nanos() as u64,
                        wait_ns: waited.as_nanos() as u64,
                        dropped: order.count - tally.ok - tally.not_ok,
                        urgency: self.urgency(),
                    };
                    self.world.send_report(&report);
                }
                kind => {
                    self.stand_before_the_round()?;
                    if kind != Order::FLUSH {
                        self.look(); // a word that has come must not be left
                        return Ok(());
                    }
                }
            }
        }
    }

    /// A worker tells the leader that it enters the round, and enters it.
    pub(super) fn stand_before_the_round(&mut self) -> Result<(), Stop> {
        self.world.send_report(&Report { urgency: self.urgency(), ..Report::ready() });
        self.flush().map(|_| ())
    }

    /// What this rank's reports say of a signal.
    pub(super) fn urgency(&mut self) -> u64 {
        let urgency = self.job.interrupt.urgency();
        self.has_told = urgency != Urgency::None;
        urgency as u64
    }

    /// An idle worker tells the leader that it has been told to end.
    pub(super) fn tell_signal(&mut self) {
        if !self.has_told && self.job.interrupt.signal().is_some() {
            let urgency = self.urgency();
            self.world.send_report(&Report { urgency, ..Report::default() });
        }
    }

    /// One process does everything.
    pub(super) fn fly_alone(&mut self) -> Result<(), Stop> {
        if matches!(self.crew, Crew::Programs(_)) {
            return self.fly_programs_alone();
        }
        let bundle = self.bundle();
        let (mut done, mut count, mut seconds_a_run) = (0, bundle, 0.0);
        let mut clock = self.clock();
        loop {
            let chunk = match self.plan.config.schedule.chunk {
                Chunk::Auto => count,
                Chunk::Runs(runs) => runs,
            };
            let most = chunk.min(clock.room(done));
            if self.ending.step(Instant::now(), || seconds_a_run * most as f64) != Step::GoOn {
                break;
            }
            let Some(runs) = self.remaining.take(most) else { break };
            let tally = self.chunk(runs);
            let flown = tally.ok + tally.not_ok;
            done += flown;
            self.log.ok += tally.ok;
            self.log.not_ok += tally.not_ok;
            if flown > 0 {
                seconds_a_run = tally.busy.as_secs_f64() / flown as f64;
            }
            let wanted = SOLO_CHUNK / seconds_a_run.max(1e-12);
            count = (wanted as u64).clamp(bundle, 8 * count).next_multiple_of(bundle);
            self.show(done);
            if clock.is_due(Instant::now(), done) && self.remaining.left() > 0 {
                let cost = self.flush()?;
                clock.flushed(Instant::now(), done, cost);
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

    fn chunk(&mut self, runs: Range<u64>) -> Tally {
        let Crew::Threads(worker) = &*self.crew else { unreachable!("this rank flies chunks") };
        let tally = worker.fly(runs, &self.looking());
        self.log.figures.busy_s += tally.busy.as_secs_f64();
        self.log.figures.runs += tally.ok + tally.not_ok;
        self.log.figures.chunks += 1;
        tally
    }

    /// Looks for a word of the leader, not too often.
    fn looking(&self) -> impl Fn() + '_ {
        let looked = Cell::new(Instant::now());
        move || {
            let now = Instant::now();
            if now - looked.get() > LOOK {
                looked.set(now);
                self.look();
            }
        }
    }
}

//! Runs as programs: orders are taken while programs run.

use std::time::{Duration, Instant};

use super::Sweep;
use crate::cli::{EXIT_INTERRUPTED, Stop};
use crate::comm::{Order, Report};
use crate::schedule::crew::Crew;
use crate::schedule::interrupt;
use crate::schedule::programs::Programs;

/// How long a worker waits for programs to end before it looks for orders.
const PATIENCE: Duration = Duration::from_millis(10);

impl<'p> Sweep<'_, 'p> {
    /// The same where runs are programs: orders are taken while programs run.
    pub(super) fn work_programs(&mut self) -> Result<(), Stop> {
        loop {
            let waiting = Instant::now();
            let idle = self.programs().is_idle();
            let order = if idle { Some(self.world.receive_order()) } else { self.world.try_receive_order() };
            let Some(order) = order else {
                for report in self.turn() {
                    self.world.send_report(&report);
                }
                continue;
            };
            let waited = if idle { waiting.elapsed() } else { Duration::ZERO };
            self.log.figures.waited(order.kind, waited);
            match order.kind {
                Order::FLY => self.programs().accept(order.first, order.count, waited.as_nanos() as u64),
                Order::FLUSH => self.flush()?,
                _ => return self.flush(),
            }
        }
    }

    /// The same in one process.
    pub(super) fn fly_programs_alone(&mut self) -> Result<(), Stop> {
        let mut leader = self.leader(1);
        let mut clock = self.clock();
        let mut orders = leader.start();
        while !leader.is_done() {
            for (_, order) in orders.drain(..) {
                self.programs().accept(order.first, order.count, 0);
            }
            for report in self.turn() {
                self.log.ok += report.ok;
                self.log.not_ok += report.not_ok;
                orders.extend(leader.report(1, &report).unwrap_or_else(|error| panic!("{error}")));
            }
            self.show(leader.done());
            if clock.is_due(Instant::now(), leader.done()) && !leader.is_done() {
                self.flush()?;
                clock.flushed(Instant::now(), leader.done());
            }
        }
        self.flush()?;
        self.finish_progress();
        Ok(())
    }

    pub(super) fn programs(&mut self) -> &mut Programs<'p> {
        match self.crew {
            Crew::Programs(programs) => programs,
            _ => unreachable!("this rank runs programs"),
        }
    }

    /// A turn of the programs; the chunks that are complete.
    pub(super) fn turn(&mut self) -> Vec<Report> {
        if self.programs().is_interrupted() {
            *self.crew = Crew::Nobody(Vec::new()); // ends the programs
            interrupt::end(EXIT_INTERRUPTED);
        }
        // the journal or the kernel's event queue failed on this rank alone: the hook ends all
        let reports = self.programs().turn(PATIENCE).unwrap_or_else(|error| panic!("programs: {error}"));
        for report in &reports {
            self.log.figures.busy_s += report.busy_ns as f64 * 1e-9;
            self.log.figures.runs += report.count;
            self.log.figures.chunks += 1;
        }
        reports
    }
}

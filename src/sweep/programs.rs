//! Runs as programs: orders are taken while programs run.

use std::time::{Duration, Instant};

use super::Sweep;
use super::ending::Step;
use crate::cli::Stop;
use crate::comm::{Order, Report};
use crate::schedule::crew::Crew;
use crate::schedule::interrupt::Urgency;
use crate::schedule::programs::Programs;

/// How long a worker waits for programs to end before it looks for orders.
const PATIENCE: Duration = Duration::from_millis(10);

impl<'p> Sweep<'_, 'p> {
    /// The same where runs are programs: orders are taken while programs run.
    pub(super) fn work_programs(&mut self) -> Result<(), Stop> {
        loop {
            let waiting = Instant::now();
            let idle = self.programs().is_idle();
            let order = if idle { Some(self.next_order()) } else { self.world.try_receive_order() };
            let Some(order) = order else {
                for report in self.programs_turn() {
                    let urgency = self.urgency();
                    self.world.send_report(&Report { urgency, ..report });
                }
                continue;
            };
            let waited = if idle { waiting.elapsed() } else { Duration::ZERO };
            self.log.figures.waited(order.kind, waited);
            match order.kind {
                Order::FLY => self.programs().accept(order.first, order.count, waited.as_nanos() as u64),
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

    /// The same in one process.
    pub(super) fn fly_programs_alone(&mut self) -> Result<(), Stop> {
        let mut leader = self.leader(1);
        let mut clock = self.clock();
        let mut orders = leader.start();
        while !leader.is_done() {
            for (_, order) in orders.drain(..).filter(|(_, order)| order.kind == Order::FLY) {
                self.programs().accept(order.first, order.count, 0);
            }
            for report in self.programs_turn() {
                self.log.ok += report.ok;
                self.log.not_ok += report.not_ok;
                orders.extend(leader.report(1, &report).unwrap_or_else(|error| panic!("{error}")));
            }
            if self.ending.step(Instant::now(), || leader.predicted()) == Step::WindUp {
                self.job.interrupt.tell(Urgency::WindUp);
                leader.wind_up();
            }
            self.show(leader.done());
            if clock.is_due(Instant::now(), leader.done()) && !leader.is_done() {
                let cost = self.flush()?;
                clock.flushed(Instant::now(), leader.done(), cost);
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

    /// A turn of the programs; the chunks that are complete, or left as they are since the job is to end.
    fn programs_turn(&mut self) -> Vec<Report> {
        self.look();
        let urgency = self.job.interrupt.urgency();
        let mut reports = Vec::new();
        match urgency {
            Urgency::None => {}
            Urgency::WindUp => self.programs().wind_up(),
            Urgency::Drop => reports = self.programs().give_up(),
        }
        // the journal or the kernel's event queue failed on this rank alone: the hook ends all
        reports.extend(self.programs().turn(PATIENCE).unwrap_or_else(|error| panic!("programs: {error}")));
        for report in &reports {
            self.log.figures.busy_s += report.busy_ns as f64 * 1e-9;
            self.log.figures.runs += report.count - report.dropped;
            self.log.figures.chunks += 1;
        }
        reports
    }
}

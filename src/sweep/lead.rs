//! Rank 0 while chunks fly: takes reports, hands out chunks, looks at signals, the clock and silent workers.

use std::time::{Duration, Instant};

use super::Sweep;
use super::ending::Step;
use super::silence::{Silence, Silent};
use crate::cli::{EXIT_MACHINE, Stop};
use crate::comm::Order;
use crate::schedule::interrupt::Urgency;
use crate::schedule::leader::Leader;

/// How often the leader looks at the clock while no report comes.
const PATIENCE: Duration = Duration::from_millis(100);
/// How often it looks at what may end the sweep.
const LOOK: Duration = Duration::from_millis(10);

/// What rank 0 keeps while chunks fly.
struct Desk {
    leader: Leader,
    silence: Silence,
    /// Workers that stand before the flush round.
    ready: Vec<bool>,
    /// They are awaited there.
    assembles: bool,
    next_look: Instant,
}

impl Sweep<'_, '_> {
    /// Rank 0: hands out chunks until all are flown, or the sweep has to end.
    pub(super) fn lead(&mut self) -> Result<(), Stop> {
        let workers = self.world.size() - 1;
        let mut clock = self.clock();
        let now = Instant::now();
        let mut desk = Desk {
            leader: self.leader(workers),
            silence: Silence::new(now, workers, self.job.arguments.hang_timeout),
            ready: vec![false; workers],
            assembles: false,
            next_look: now,
        };
        let sendings = desk.leader.start();
        self.send(&sendings);
        while !desk.leader.is_done() {
            let now = self.turn(&mut desk);
            let done = desk.leader.done();
            self.show(done);
            if clock.is_due(now, done) && !desk.leader.is_done() {
                self.send(&desk.leader.flush());
                let cost = self.assemble_and_flush(&mut desk)?;
                clock.flushed(Instant::now(), desk.leader.done(), cost);
            }
        }
        self.assemble_and_flush(&mut desk)?;
        self.finish_progress();
        Ok(())
    }

    /// Enters the round when all workers stand before it, so that a worker that never comes is seen.
    fn assemble_and_flush(&mut self, desk: &mut Desk) -> Result<Duration, Stop> {
        desk.assembles = true;
        while desk.ready.contains(&false) {
            self.turn(desk);
            self.show(desk.leader.done());
        }
        desk.assembles = false;
        desk.ready.fill(false);
        self.flush()
    }

    /// Takes at most one report, and looks now and then at what may end the sweep; the time then.
    fn turn(&mut self, desk: &mut Desk) -> Instant {
        let found = self.world.try_receive_report(PATIENCE);
        let now = Instant::now();
        if let Some((rank, report)) = found {
            desk.silence.heard(now, rank);
            match report.urgency {
                0 => {}
                1 => self.job.interrupt.tell(Urgency::WindUp),
                _ => self.job.interrupt.tell(Urgency::Drop),
            }
            if report.urgency != 0 {
                self.look_around(desk, now); // before it is given runs that it would hand back at once
            }
            if report.is_ready() {
                desk.ready[rank - 1] = true;
            } else if report.count > 0 {
                self.log.ok += report.ok;
                self.log.not_ok += report.not_ok;
                let mut sendings = std::mem::take(&mut self.sendings);
                // a broken protocol is a bug: the hook ends all ranks
                desk.leader.take_report(rank, &report, &mut sendings).unwrap_or_else(|error| panic!("{error}"));
                self.send(&sendings);
                sendings.clear();
                self.sendings = sendings;
            }
        }
        if now >= desk.next_look {
            desk.next_look = now + LOOK;
            self.look_around(desk, now);
        }
        now
    }

    fn look_around(&mut self, desk: &mut Desk, now: Instant) {
        match self.ending.step(now, || desk.leader.predicted()) {
            Step::GoOn => {}
            Step::WindUp => {
                self.world.send_word(Urgency::WindUp as u64);
                self.send(&desk.leader.wind_up());
            }
            Step::Drop => self.world.send_word(Urgency::Drop as u64),
        }
        let Desk { leader, silence, ready, assembles, .. } = desk;
        if let Some(Silent { message, is_hung }) = silence.look(now, leader, |rank| *assembles && !ready[rank - 1]) {
            tracing::warn!("{message}");
            if is_hung {
                eprintln!("{message}: aborted after --hang-timeout; --resume goes on from the last flush round");
                self.world.abort(EXIT_MACHINE.into());
            }
        }
    }

    /// A worker's next order; while there is none, it looks for a word of the leader, and tells it of a signal.
    pub(super) fn next_order(&mut self) -> Order {
        loop {
            if let Some(order) = self.world.wait_for_order(PATIENCE) {
                return order;
            }
            self.look();
            self.tell_signal();
        }
    }
}

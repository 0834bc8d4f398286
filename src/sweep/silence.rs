//! Ranks that are silent for too long: a worker is named first, then the job is ended if the user wants that; a leader
//! that does not speak when the job is told to end is gone, and a worker speaks for it.

use std::cell::Cell;
use std::time::{Duration, Instant};

use crate::schedule::leader::Leader;

/// How many times the expected time of what a worker has in hand may pass.
const TIMES: f64 = 20.0;
/// No worker is named before.
const LEAST: Duration = Duration::from_secs(30);
/// The same where nothing of a worker has been measured yet.
const LEAST_UNKNOWN: Duration = Duration::from_secs(600);
/// How often all workers are looked at.
const LOOK: Duration = Duration::from_millis(500);

/// How long after a signal a worker waits for its leader's word. `mpirun` leaves a second between SIGTERM and SIGKILL.
const WORD: Duration = Duration::from_millis(400);

/// How a worker finds that its leader is gone.
#[derive(Debug, Default)]
pub(super) struct LeaderSilence {
    since: Cell<Option<Instant>>,
    is_over: Cell<bool>,
}

impl LeaderSilence {
    /// The leader has spoken.
    pub(super) fn heard(&self) {
        self.is_over.set(true);
    }

    /// Whether it has said nothing for too long after a signal; once.
    pub(super) fn is_too_long(&self, now: Instant) -> bool {
        if self.is_over.get() {
            return false;
        }
        let since = self.since.get().unwrap_or(now);
        self.since.set(Some(since));
        let is_too_long = now.saturating_duration_since(since) > WORD;
        self.is_over.set(is_too_long);
        is_too_long
    }
}

/// When the leader last heard of each worker.
#[derive(Debug)]
pub(super) struct Silence {
    heard: Vec<Instant>,
    named: Vec<bool>,
    hang_timeout: Option<Duration>,
    next_look: Instant,
}

/// A worker that has been silent for too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Silent {
    /// What to say.
    pub(super) message: String,
    /// The user does not want to wait any longer.
    pub(super) is_hung: bool,
}

impl Silence {
    /// From now on, of so many workers.
    pub(super) fn new(now: Instant, workers: usize, hang_timeout: Option<Duration>) -> Silence {
        Silence { heard: vec![now; workers], named: vec![false; workers], hang_timeout, next_look: now + LOOK }
    }

    /// A worker has reported.
    pub(super) fn heard(&mut self, now: Instant, rank: usize) {
        if let Some(worker) = rank.checked_sub(1).filter(|&worker| worker < self.heard.len()) {
            self.heard[worker] = now;
            self.named[worker] = false;
        }
    }

    /// The first worker that has been silent for too long, each once; `is_awaited` tells whether a rank owes an
    /// answer besides its chunks.
    pub(super) fn look(&mut self, now: Instant, leader: &Leader, is_awaited: impl Fn(usize) -> bool) -> Option<Silent> {
        if now < self.next_look {
            return None;
        }
        self.next_look = now + LOOK;
        for worker in 0..self.heard.len() {
            let rank = worker + 1;
            let in_hand = leader.expected(rank);
            if in_hand.is_none() && !is_awaited(rank) {
                self.heard[worker] = now; // it has nothing to report
                continue;
            }
            let silence = now.saturating_duration_since(self.heard[worker]);
            let is_hung = self.hang_timeout.is_some_and(|most| silence > most);
            let patience = match in_hand {
                Some((_, Some(s))) => LEAST.max(Duration::try_from_secs_f64(TIMES * s).unwrap_or(Duration::MAX)),
                Some((_, None)) => LEAST_UNKNOWN,
                None => LEAST,
            };
            if !(is_hung || silence > patience && !self.named[worker]) {
                continue;
            }
            self.named[worker] = true;
            let what = match in_hand {
                Some((first, Some(seconds))) => {
                    format!("it has the runs from {first}, they should take {seconds:.1} s")
                }
                Some((first, None)) => format!("it has the runs from {first}"),
                None => "a flush round waits for it".to_owned(),
            };
            let message = format!("rank {rank} has been silent for {:.0} s; {what}", silence.as_secs_f64());
            return Some(Silent { message, is_hung });
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::Report;
    use crate::schedule::leader::ChunkSize;

    #[test]
    fn a_leader_without_a_word_is_named_once() {
        let (start, silence) = (Instant::now(), LeaderSilence::default());
        assert!(!silence.is_too_long(start) && !silence.is_too_long(start + WORD));
        assert!(silence.is_too_long(start + 2 * WORD) && !silence.is_too_long(start + 3 * WORD));
        let speaks = LeaderSilence::default();
        assert!(!speaks.is_too_long(start));
        speaks.heard();
        assert!(!speaks.is_too_long(start + 2 * WORD));
    }

    #[test]
    fn a_silent_worker_is_named_once_and_an_idle_one_never() {
        let second = Duration::from_secs(1);
        let start = Instant::now();
        let mut leader = Leader::new(9, 3, ChunkSize::Fixed(2));
        leader.start();
        let mut silence = Silence::new(start, 3, Some(100 * second));
        let report = Report { count: 2, busy_ns: 2_000_000_000, ..Report::default() };
        leader.report(1, &report).unwrap();
        silence.heard(start + second, 1);
        assert_eq!(silence.look(start + 30 * second, &leader, |_| false), None);
        // the chunk under way to rank 1 is as long as the one that took 2 s
        let silent = silence.look(start + 90 * second, &leader, |_| false).unwrap();
        assert!(!silent.is_hung);
        let message = "rank 1 has been silent for 89 s; it has the runs from 6, they should take 2.0 s";
        assert_eq!(silent.message, message);
        assert_eq!(silence.look(start + 91 * second, &leader, |_| false), None, "once");
        let silent = silence.look(start + 101 * second, &leader, |_| false).unwrap();
        assert!(silent.is_hung && silent.message.starts_with("rank 2 has been silent"), "{silent:?}");
        let mut idle = Silence::new(start, 1, Some(second));
        let mut nothing = Leader::new(0, 1, ChunkSize::Fixed(1));
        nothing.start();
        assert_eq!(idle.look(start + 100 * second, &nothing, |_| false), None);
        let silent = idle.look(start + 200 * second, &nothing, |rank| rank == 1).unwrap();
        assert_eq!(silent.message, "rank 1 has been silent for 100 s; a flush round waits for it");
    }
}

//! When a sweep ends before its last run: a signal on any rank, or the time that the job has.
//!
//! First it winds up: no new runs. Runs in hand that take too long are dropped then. The rows of finished runs are
//! written as ever, and the sweep can be resumed.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::schedule::interrupt::{Interrupt, Urgency};

/// How long the runs in hand may take once the job winds up by a signal.
const GRACE: Duration = Duration::from_secs(20);
/// What is left for the last flush round and the end of all ranks when the time is up.
const RESERVE: Duration = Duration::from_secs(3);

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing.
    GoOn,
    /// No more runs are begun from now on.
    WindUp,
    /// Runs in hand are dropped from now on.
    Drop,
}

/// Why and how a sweep ends early; each step is taken once, and a person is told of the first.
#[derive(Debug)]
pub(super) struct Ending {
    interrupt: Interrupt,
    deadline: Option<Instant>,
    winding_up_since: Option<Instant>,
    dropped: bool,
    by_time: bool,
}

impl Ending {
    /// An ending by the interrupt, or by the first of two clocks: so much time from the start of the program, and
    /// the end of the Slurm job, s since 1970.
    pub(super) fn new(
        interrupt: Interrupt,
        start: Instant,
        max_time: Option<Duration>,
        job_end: Option<&str>,
    ) -> Ending {
        let job_end = job_end.and_then(|text| text.trim().parse().ok()).map(|seconds| {
            let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            Instant::now() + Duration::from_secs(seconds).saturating_sub(since_1970)
        });
        let deadline = [max_time.map(|time| start + time), job_end].into_iter().flatten().min();
        Ending { interrupt, deadline, winding_up_since: None, dropped: false, by_time: false }
    }

    /// What is to be done now; `predicted` is how many seconds a new chunk would take.
    pub(super) fn step(&mut self, now: Instant, predicted: impl FnOnce() -> f64) -> Step {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(now).saturating_sub(RESERVE));
        let Some(since) = self.winding_up_since else {
            let urgency = self.interrupt.urgency();
            self.by_time = urgency == Urgency::None && left.is_some_and(|left| left.as_secs_f64() <= predicted());
            if urgency == Urgency::None && !self.by_time {
                return Step::GoOn;
            }
            self.winding_up_since = Some(now);
            tracing::warn!("{}: no more runs are begun; --resume goes on from here", self.reason());
            return Step::WindUp;
        };
        let too_long = if self.by_time { left.is_some_and(|left| left.is_zero()) } else { now - since > GRACE };
        if self.dropped || !(too_long || self.interrupt.urgency() == Urgency::Drop) {
            return Step::GoOn;
        }
        self.dropped = true;
        self.interrupt.tell(Urgency::Drop);
        Step::Drop
    }

    /// Whether it ends early.
    pub(super) fn is_winding_up(&self) -> bool {
        self.winding_up_since.is_some()
    }

    /// Why, for a person.
    pub(super) fn reason(&self) -> String {
        match self.interrupt.signal() {
            Some(signal) => format!("interrupted by {signal}"),
            None if self.by_time => "interrupted: the job's time is up".to_owned(),
            None => "interrupted by a signal on another rank".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_signal_winds_up_and_drops_what_takes_too_long() {
        let (interrupt, start) = (Interrupt::default(), Instant::now());
        let mut ending = Ending::new(interrupt.clone(), start, None, None);
        assert_eq!(ending.step(start, || 1e9), Step::GoOn);
        interrupt.tell(Urgency::WindUp);
        assert_eq!(ending.step(start, || 0.0), Step::WindUp);
        assert_eq!(ending.step(start + 19 * SECOND, || 0.0), Step::GoOn);
        assert_eq!(ending.step(start + 21 * SECOND, || 0.0), Step::Drop);
        assert_eq!(ending.step(start + 22 * SECOND, || 0.0), Step::GoOn, "each step once");
        assert_eq!(interrupt.urgency(), Urgency::Drop);
    }

    #[test]
    fn no_time_is_given_where_there_is_none() {
        let (interrupt, start) = (Interrupt::default(), Instant::now());
        let mut ending = Ending::new(interrupt.clone(), start, None, None);
        interrupt.tell(Urgency::Drop);
        assert_eq!([ending.step(start, || 0.0), ending.step(start, || 0.0)], [Step::WindUp, Step::Drop]);
    }

    #[test]
    fn the_clock_leaves_room_for_the_next_chunk_and_the_last_round() {
        let start = Instant::now();
        let mut ending = Ending::new(Interrupt::default(), start, Some(60 * SECOND), None);
        assert_eq!(ending.step(start + 46 * SECOND, || 10.0), Step::GoOn);
        assert_eq!(ending.step(start + 48 * SECOND, || 10.0), Step::WindUp);
        assert_eq!(ending.step(start + 56 * SECOND, || 10.0), Step::GoOn);
        assert_eq!(ending.step(start + 57 * SECOND, || 10.0), Step::Drop);
        assert_eq!(ending.reason(), "interrupted: the job's time is up");
        let passed = Ending::new(Interrupt::default(), start, Some(60 * SECOND), Some("12")).step(start, || 0.0);
        assert_eq!(passed, Step::WindUp, "a job whose end is long past");
        let nonsense = Ending::new(Interrupt::default(), start, None, Some("soon")).step(start, || 0.0);
        assert_eq!(nonsense, Step::GoOn);
    }
}

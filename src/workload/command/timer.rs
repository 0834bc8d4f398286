//! The deadlines of many runs, soonest first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::{Duration, Instant};

/// A deadline of a slot; it is void if the slot has been given another since.
pub type Ticket = u64;

/// Deadlines by time. A slot has at most one that is valid: it keeps the ticket of its last.
#[derive(Debug, Default)]
pub struct Timers {
    heap: BinaryHeap<Reverse<(Instant, Ticket, usize)>>,
    last: Ticket,
}

impl Timers {
    /// Sets a deadline for a slot.
    pub fn set(&mut self, when: Instant, slot: usize) -> Ticket {
        self.last += 1;
        self.heap.push(Reverse((when, self.last, slot)));
        self.last
    }

    /// The next deadline that has passed, with its slot.
    pub fn pop(&mut self, now: Instant) -> Option<(Ticket, usize)> {
        let Reverse((when, ticket, slot)) = *self.heap.peek()?;
        if when > now {
            return None;
        }
        self.heap.pop();
        Some((ticket, slot))
    }

    /// The time until the next deadline, void ones too.
    pub fn next(&self, now: Instant) -> Option<Duration> {
        self.heap.peek().map(|Reverse((when, ..))| when.saturating_duration_since(now))
    }

    /// Forgets void deadlines when they are far more than the valid ones can be.
    pub fn tidy(&mut self, slots: usize, is_valid: impl Fn(Ticket, usize) -> bool) {
        if self.heap.len() > 4 * slots + 64 {
            self.heap.retain(|Reverse((_, ticket, slot))| is_valid(*ticket, *slot));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_come_in_their_order() {
        let start = Instant::now();
        let after = |ms| start + Duration::from_millis(ms);
        let mut timers = Timers::default();
        let late = timers.set(after(20), 0);
        let early = timers.set(after(10), 1);
        assert_eq!(timers.pop(after(5)), None);
        assert_eq!(timers.next(after(5)), Some(Duration::from_millis(5)));
        assert_eq!(timers.pop(after(30)), Some((early, 1)));
        assert_eq!(timers.pop(after(30)), Some((late, 0)));
        assert_eq!(timers.next(start), None);
        for _ in 0..100 {
            timers.set(after(1), 0);
        }
        timers.tidy(1, |ticket, _| ticket == 102);
        assert_eq!(timers.pop(after(30)), Some((102, 0)));
        assert_eq!(timers.pop(after(30)), None);
    }
}

//! When a flush round is due.

use std::time::{Duration, Instant};

/// The most bytes of rows that a rank keeps between flush rounds.
pub const ROWS_BYTES_MAX: u64 = 256 << 20;

/// Says when the rows that are in memory should go to the file: after an interval, a number of rows, or
/// when they may have grown to [`ROWS_BYTES_MAX`] on some rank.
#[derive(Clone, Debug)]
pub struct FlushClock {
    interval: Duration,
    rows_max: u64,
    last: Instant,
    done_then: u64,
}

impl FlushClock {
    /// A clock that starts now; `row_bytes` is the most that a row takes.
    pub fn new(now: Instant, interval: Duration, rows: Option<u64>, row_bytes: u64) -> Self {
        let rows_max = rows.unwrap_or(u64::MAX).min((ROWS_BYTES_MAX / row_bytes.max(1)).max(1));
        FlushClock { interval, rows_max, last: now, done_then: 0 }
    }

    /// Whether a round is due when so many runs are done.
    pub fn is_due(&self, now: Instant, done: u64) -> bool {
        let rows = done - self.done_then;
        rows > 0 && (rows >= self.rows_max || now.duration_since(self.last) >= self.interval)
    }

    /// A round has been, with so many runs done.
    pub fn flushed(&mut self, now: Instant, done: u64) {
        self.last = now;
        self.done_then = done;
    }

    /// The most runs that may be flown before the next look at the clock.
    pub fn room(&self, done: u64) -> u64 {
        (self.rows_max - (done - self.done_then).min(self.rows_max)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn due_by_time_rows_or_memory() {
        let start = Instant::now();
        let second = Duration::from_secs(1);
        let mut clock = FlushClock::new(start, 30 * second, Some(100), 64);
        assert!(!clock.is_due(start + 60 * second, 0), "nothing to write");
        assert!(clock.is_due(start + 31 * second, 1));
        assert!(!clock.is_due(start + 29 * second, 99));
        assert!(clock.is_due(start, 100));
        clock.flushed(start + 31 * second, 100);
        assert!(!clock.is_due(start + 32 * second, 199) && clock.is_due(start + 32 * second, 200));
        assert_eq!((clock.room(100), clock.room(150), clock.room(500)), (100, 50, 1));
        let large = FlushClock::new(start, 30 * second, None, 100 << 20);
        assert!(large.is_due(start, 2) && !large.is_due(start, 1));
    }
}

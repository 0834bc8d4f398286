//! When a flush round is due.

use std::time::{Duration, Instant};

/// The most bytes of rows that a rank keeps between flush rounds.
pub const ROWS_BYTES_MAX: u64 = 256 << 20;

/// The most of the wall time that flush rounds may take: the interval grows until it holds.
pub const SHARE_MAX: f64 = 0.02;

/// Says when the rows that are in memory should go to the file: after an interval, a number of rows, or
/// when they may have grown to [`ROWS_BYTES_MAX`] on some rank.
///
/// The interval becomes longer where a round costs the workers more than [`SHARE_MAX`] of it: with runs of a minute,
/// a round waits for half a minute.
#[derive(Clone, Debug)]
pub struct FlushClock {
    least: Duration,
    /// What it has become.
    interval: Duration,
    rows_max: u64,
    last: Instant,
    done_then: u64,
}

impl FlushClock {
    /// A clock that starts now; `row_bytes` is the most that a row takes.
    pub fn new(now: Instant, interval: Duration, rows: Option<u64>, row_bytes: u64) -> Self {
        let rows_max = rows.unwrap_or(u64::MAX).min((ROWS_BYTES_MAX / row_bytes.max(1)).max(1));
        FlushClock { least: interval, interval, rows_max, last: now, done_then: 0 }
    }

    /// Whether a round is due when so many runs are done.
    pub fn is_due(&self, now: Instant, done: u64) -> bool {
        let rows = done - self.done_then;
        rows > 0 && (rows >= self.rows_max || now.duration_since(self.last) >= self.interval)
    }

    /// A round has been, with so many runs done; it took the workers so much time on average, their waiting for
    /// each other included.
    pub fn flushed(&mut self, now: Instant, done: u64, cost: Duration) {
        // a round comes after the interval: cost / (interval + cost) is its share
        self.interval = self.least.max(cost.mul_f64(1.0 / SHARE_MAX - 1.0));
        self.last = now;
        self.done_then = done;
    }

    /// How long after a round the next one is due.
    pub fn interval(&self) -> Duration {
        self.interval
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
        clock.flushed(start + 31 * second, 100, Duration::from_millis(3));
        assert!(!clock.is_due(start + 32 * second, 199) && clock.is_due(start + 32 * second, 200));
        assert_eq!((clock.room(100), clock.room(150), clock.room(500)), (100, 50, 1));
        let large = FlushClock::new(start, 30 * second, None, 100 << 20);
        assert!(large.is_due(start, 2) && !large.is_due(start, 1));
    }

    #[test]
    fn rounds_that_cost_much_become_rare() {
        let (start, second) = (Instant::now(), Duration::from_secs(1));
        let mut clock = FlushClock::new(start, 30 * second, None, 64);
        clock.flushed(start, 10, second);
        assert_eq!(clock.interval(), 49 * second, "1 of 50 s is 2 %");
        assert!(!clock.is_due(start + 48 * second, 11) && clock.is_due(start + 49 * second, 11));
        clock.flushed(start, 10, second / 2);
        assert_eq!(clock.interval(), 30 * second);
    }
}

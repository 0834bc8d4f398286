//! The two messages between the leader and its workers, of fixed length.

/// From the leader to a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// [`Order::FLY`], [`Order::FLUSH`] or [`Order::STOP`].
    pub kind: i32,
    /// The first run of the chunk.
    pub first: u64,
    /// How many consecutive runs.
    pub count: u64,
}

impl Order {
    /// Words of an order.
    pub const WORDS: usize = 3;

    /// Fly the runs `first .. first + count`.
    pub const FLY: i32 = 0;
    /// Take part in a flush round now.
    pub const FLUSH: i32 = 1;
    /// No more orders will come.
    pub const STOP: i32 = 2;
    /// Take part in the task graph of the run `first`.
    pub const GRAPH: i32 = 3;

    /// The order to fly a chunk.
    pub fn fly(first: u64, count: u64) -> Order {
        Order { kind: Order::FLY, first, count }
    }

    /// The order to take part in a flush round.
    pub fn flush() -> Order {
        Order { kind: Order::FLUSH, first: 0, count: 0 }
    }

    /// The order to take part in a run's task graph.
    pub fn graph(run: u64) -> Order {
        Order { kind: Order::GRAPH, first: run, count: 1 }
    }

    /// The order to stop.
    pub fn stop() -> Order {
        Order { kind: Order::STOP, first: 0, count: 0 }
    }

    /// The order as it travels: 24 bytes.
    pub fn words(self) -> [u64; Order::WORDS] {
        [u64::from(self.kind.cast_unsigned()), self.first, self.count]
    }

    /// The order that these words carry.
    pub fn from_words([kind, first, count]: [u64; Order::WORDS]) -> Order {
        Order { kind: (kind as u32).cast_signed(), first, count }
    }
}

/// From a worker to the leader: a chunk is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The first run of the chunk.
    pub first: u64,
    /// How many consecutive runs.
    pub count: u64,
    /// How many of them ended ok.
    pub ok: u64,
    /// How many of them did not.
    pub not_ok: u64,
    /// Nanoseconds spent flying them.
    pub busy_ns: u64,
    /// Nanoseconds spent waiting for the order.
    pub wait_ns: u64,
    /// How many of them were not flown, since the job is to end.
    pub dropped: u64,
    /// 1: this rank has been told by a signal to wind up; 2: to drop what is in hand.
    pub urgency: u64,
}

impl Report {
    /// Words of a report.
    pub const WORDS: usize = 8;

    /// A worker stands before a flush round: all chunks before it are reported.
    pub fn ready() -> Report {
        Report { first: u64::MAX, ..Report::default() }
    }

    /// Whether it is [`Report::ready`].
    pub fn is_ready(&self) -> bool {
        self.count == 0 && self.first == u64::MAX
    }

    /// The report as it travels: 64 bytes.
    pub fn words(self) -> [u64; Report::WORDS] {
        let Report { first, count, ok, not_ok, busy_ns, wait_ns, dropped, urgency } = self;
        [first, count, ok, not_ok, busy_ns, wait_ns, dropped, urgency]
    }

    /// The report that these words carry.
    pub fn from_words([first, count, ok, not_ok, busy_ns, wait_ns, dropped, urgency]: [u64; Report::WORDS]) -> Report {
        Report { first, count, ok, not_ok, busy_ns, wait_ns, dropped, urgency }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prop_words_and_back() {
        let order = Order { kind: -5, first: u64::MAX, count: 7 };
        assert_eq!(Order::from_words(order.words()), order);
        assert_eq!(Order::from_words(Order::fly(3, 4).words()), Order { kind: 0, first: 3, count: 4 });
        let report =
            Report { first: 1, count: 2, ok: 3, not_ok: 4, busy_ns: 5, wait_ns: u64::MAX, dropped: 7, urgency: 2 };
        assert_eq!(Report::from_words(report.words()), report);
    }
}

//! The runs that are still to be handed out: all of a sweep, or what an earlier job has left of it.

use std::collections::VecDeque;
use std::ops::Range;

/// Runs to be handed out, in their order.
///
/// Kept as stretches: one for a whole sweep, a few for what a killed one has left, and one for each run where single
/// runs are flown again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remaining {
    stretches: VecDeque<Range<u64>>,
    left: u64,
}

impl Remaining {
    /// Adds runs behind all others; those that follow the last stretch directly become part of it.
    pub fn push(&mut self, runs: Range<u64>) {
        if runs.is_empty() {
            return;
        }
        self.left += runs.end - runs.start;
        match self.stretches.back_mut() {
            Some(last) if last.end == runs.start => last.end = runs.end,
            _ => self.stretches.push_back(runs),
        }
    }

    /// Its stretches, in order.
    pub fn stretches(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.stretches.iter().cloned()
    }

    /// How many there are.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Takes the next consecutive runs, at most so many; none where none are left.
    pub fn take(&mut self, most: u64) -> Option<Range<u64>> {
        let next = self.stretches.front_mut()?;
        let count = most.clamp(1, next.end - next.start);
        let taken = next.start..next.start + count;
        next.start += count;
        if next.is_empty() {
            self.stretches.pop_front();
        }
        self.left -= count;
        Some(taken)
    }

    /// No more are handed out.
    pub fn clear(&mut self) {
        *self = Remaining::default();
    }
}

impl From<Range<u64>> for Remaining {
    fn from(runs: Range<u64>) -> Self {
        let mut remaining = Remaining::default();
        remaining.push(runs);
        remaining
    }
}

impl From<u64> for Remaining {
    fn from(runs: u64) -> Self {
        Remaining::from(0..runs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn stretches_join_and_are_taken_in_order() {
        let mut remaining = Remaining::from(3..5);
        for runs in [5..7, 9..9, 10..11] {
            remaining.push(runs);
        }
        assert_eq!(remaining.left(), 5);
        assert_eq!(remaining.take(3), Some(3..6));
        assert_eq!(remaining.take(3), Some(6..7), "a chunk has consecutive runs");
        assert_eq!((remaining.take(0), remaining.take(1), remaining.left()), (Some(10..11), None, 0));
    }

    proptest! {
        #[test]
        fn prop_each_is_taken_once(gaps in prop::collection::vec((0_u64..5, 0_u64..9), 0..20), most in 1_u64..12) {
            let (mut remaining, mut expected, mut next) = (Remaining::default(), Vec::new(), 0);
            for (gap, count) in gaps {
                let runs = next + gap..next + gap + count;
                next = runs.end;
                expected.extend(runs.clone());
                remaining.push(runs);
            }
            let mut taken = Vec::new();
            while let Some(runs) = remaining.take(most) {
                prop_assert!(!runs.is_empty() && runs.end - runs.start <= most);
                taken.extend(runs);
            }
            prop_assert_eq!(taken, expected);
        }
    }
}

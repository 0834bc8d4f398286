//! `--slice K/N`: a job that flies its share of the runs, as one of an array of jobs.

use std::ops::Range;

use crate::config::reader::cut;

/// One of several slices of a plan, each a stretch of consecutive runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceNumber {
    /// Which, from 1.
    pub number: u64,
    /// Of how many.
    pub of: u64,
}

impl SliceNumber {
    /// Reads `2/4`.
    pub(super) fn read(text: &str, refuse: &mut impl FnMut(&str, String, &str)) -> Option<Self> {
        let number = |text: &str| {
            let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<u64>().ok().filter(|&number| is_plain && number > 0)
        };
        let parts = text.trim().split_once('/').map(|(k, n)| (number(k), number(n)));
        if let Some((Some(number), Some(of))) = parts
            && number <= of
        {
            return Some(SliceNumber { number, of });
        }
        refuse("--slice", format!("`{}` is no slice", cut(text)), "K/N, the K-th of N slices, K from 1 to N");
        None
    }

    /// The runs of the slice, from (K - 1) runs / N to before K runs / N: each run of the plan is in one slice, and the
    /// slices differ by one run at most.
    pub fn of_runs(self, runs: u64) -> Range<u64> {
        let bound = |slices: u64| (u128::from(runs) * u128::from(slices) / u128::from(self.of)) as u64;
        bound(self.number - 1)..bound(self.number)
    }

    /// What the name of the slice's file has more: `2-of-4`.
    pub fn name(self) -> String {
        format!("{}-of-{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn slices_are_checked() {
        let read = |text: &str| {
            let mut refused = Vec::new();
            let slice = SliceNumber::read(text, &mut |_, message, _| refused.push(message));
            assert_eq!(slice.is_none(), refused.len() == 1);
            slice.map(|slice| (slice.number, slice.of))
        };
        assert_eq!([read("1/1"), read("2/4"), read(" 4/4 ")], [Some((1, 1)), Some((2, 4)), Some((4, 4))]);
        for text in ["", "1", "/", "0/4", "5/4", "1/0", "-1/4", "+1/4", "1/4/2", "1.5/4", "a/b", "1 / 4"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn prop_slices_cover_each_run_once(runs in 0_u64..1 << 53, of in 1_u64..50) {
            let mut next = 0;
            for number in 1..=of {
                let slice = SliceNumber { number, of }.of_runs(runs);
                prop_assert_eq!(slice.start, next);
                prop_assert!((runs / of..=runs / of + 1).contains(&(slice.end - slice.start)));
                next = slice.end;
            }
            prop_assert_eq!(next, runs);
        }
    }
}

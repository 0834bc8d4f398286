//! `--only`: some runs of a sweep.

use std::ops::Range;

use crate::base::problem::{Problem, Problems};
use crate::config::reader::cut;
use crate::design::MAX_RUNS;

/// The most problems that are told of one argument.
const PROBLEMS_MAX: usize = 20;

/// Some runs of a sweep: sorted ranges of run numbers that neither overlap nor touch, none empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunNumbers {
    ranges: Vec<Range<u64>>,
}

impl RunNumbers {
    /// Reads `0,10-12`: numbers and ranges, the last of a range included, in any order.
    pub fn read(text: &str) -> Result<Self, Problems> {
        let mut problems = Vec::new();
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for part in text.split(',') {
            match read_range(part.trim()) {
                Ok(range) => ranges.push(range),
                Err(_) if problems.len() >= PROBLEMS_MAX => {}
                Err(message) => {
                    let help = "allowed: run numbers from 0 and ranges of them, such as 0,10-12";
                    problems.push(Problem::of("--only", message).help(help));
                }
            }
        }
        if !problems.is_empty() {
            return Err(Problems(problems));
        }
        ranges.sort_by_key(|range| range.start);
        let mut merged: Vec<Range<u64>> = Vec::new();
        for range in ranges {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        Ok(RunNumbers { ranges: merged })
    }

    /// The ranges, sorted; their ends are not included.
    pub fn ranges(&self) -> &[Range<u64>] {
        &self.ranges
    }

    /// How many runs these are.
    pub fn count(&self) -> u64 {
        self.ranges.iter().map(|range| range.end - range.start).sum()
    }

    /// The run numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        self.ranges.iter().cloned().flatten()
    }

    /// Refuses numbers that a sweep of this many runs does not have.
    pub fn check(&self, runs: u64) -> Result<(), Problem> {
        match self.ranges.last() {
            Some(last) if last.end > runs => {
                let message = format!("there is no run {}", last.end - 1);
                let help = match runs {
                    0 => "the sweep has no runs".to_owned(),
                    runs => format!("allowed: 0 to {}", runs - 1),
                };
                Err(Problem::of("--only", message).help(help))
            }
            _ => Ok(()),
        }
    }
}

fn read_range(part: &str) -> Result<Range<u64>, String> {
    if part.is_empty() {
        return Err("a run number is empty".to_owned());
    }
    let number = |text: &str| {
        let text = text.trim();
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse::<u64>() {
            Ok(number) if digits && number < MAX_RUNS => Ok(number),
            _ if digits => Err(format!("`{}` is larger than any run number", cut(text))),
            _ => Err(format!("`{}` is not a run number", cut(part))),
        }
    };
    // A sign at the start belongs to the number: `-3` is refused as a whole.
    let Some(dash) = part.char_indices().skip(1).find(|(_, c)| *c == '-').map(|(at, _)| at) else {
        let run = number(part)?;
        return Ok(run..run + 1);
    };
    let (first, last) = (number(&part[..dash])?, number(&part[dash + 1..])?);
    if last < first {
        return Err(format!("the range `{}` descends", cut(part)));
    }
    Ok(first..last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_numbers_are_sorted_and_merged() {
        let numbers = |text: &str| RunNumbers::read(text).unwrap();
        assert_eq!(numbers("0,10-12").ranges(), [0..1, 10..13]);
        assert_eq!(numbers(" 7 - 9 , 3,4,8-20, 3").ranges(), [3..5, 7..21]);
        assert_eq!(numbers("0,10-12").iter().collect::<Vec<_>>(), [0, 10, 11, 12]);
        assert_eq!(numbers("0-9007199254740991").count(), 1 << 53);
        assert_eq!(numbers("5-5").count(), 1);
    }

    #[test]
    fn wrong_run_numbers_are_named() {
        for (text, expected) in [
            ("", "a run number is empty"),
            ("1,,2", "a run number is empty"),
            ("1,", "a run number is empty"),
            ("12-10", "the range `12-10` descends"),
            ("a-3", "`a-3` is not a run number"),
            ("-3", "`-3` is not a run number"),
            ("3-", "`3-` is not a run number"),
            ("1-2-3", "`1-2-3` is not a run number"),
            ("+3", "`+3` is not a run number"),
            ("1.5", "`1.5` is not a run number"),
            ("9007199254740992", "`9007199254740992` is larger than any run number"),
            ("0-99999999999999999999999", "is larger than any run number"),
        ] {
            let problems = RunNumbers::read(text).unwrap_err().to_string();
            assert!(problems.starts_with("--only: ") && problems.contains(expected), "{text} gave {problems}");
            assert!(problems.contains("allowed: run numbers from 0"), "{problems}");
        }
        assert_eq!(RunNumbers::read("a,b").unwrap_err().0.len(), 2);
    }

    #[test]
    fn run_numbers_beyond_the_sweep_are_refused() {
        let numbers = RunNumbers::read("0,10-12").unwrap();
        assert_eq!(numbers.check(13), Ok(()));
        assert_eq!(numbers.check(12).unwrap_err().to_string(), "--only: there is no run 12\n    allowed: 0 to 11");
        assert!(numbers.check(0).unwrap_err().to_string().contains("the sweep has no runs"));
    }
}

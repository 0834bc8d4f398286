//! `--resume` and what belongs to it: what is flown again, and times as typed.

use std::time::Duration;

use crate::base::outcome::Status;
use crate::config::reader::cut;

/// The longest time that can be typed, s.
const TIME_MAX: f64 = 1e9;

/// How a sweep goes on from what an earlier job left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume {
    /// Also where there is nothing to go on from, or nothing to do.
    pub auto: bool,
    /// Which runs that have ended are flown again.
    pub retry: Retry,
    /// Why the plan may be another than that of the file.
    pub allow_drift: Option<String>,
}

/// Which runs that have ended are flown again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// None.
    None,
    /// Those that passed a limit.
    Timeout,
    /// All that are neither ok nor ended on the ground.
    Failed,
}

impl Retry {
    /// Whether a run of this status is flown.
    pub fn flies(self, status: Status) -> bool {
        match status {
            Status::NotRun => true,
            Status::Ok | Status::Impact => false,
            Status::Timeout => self != Retry::None,
            Status::Failed | Status::Diverged | Status::InvalidInput => self == Retry::Failed,
        }
    }
}

/// `--resume`, `--retry` and `--allow-drift`, checked.
pub(super) fn resume(
    resume: Option<&str>,
    retry: Option<&str>,
    allow_drift: Option<String>,
    refuse: &mut impl FnMut(&str, String, &str),
) -> Option<Resume> {
    let Some(word) = resume else {
        for (argument, given) in [("--retry", retry.is_some()), ("--allow-drift", allow_drift.is_some())] {
            if given {
                refuse(argument, format!("`{argument}` without `--resume`"), "both, or none of them");
            }
        }
        return None;
    };
    let auto = match word {
        "" => false,
        "auto" => true,
        _ => {
            refuse("--resume", format!("`{}` is no way to resume", cut(word)), "--resume, or --resume=auto");
            false
        }
    };
    let retry = match retry {
        // a job that is queued again comes to an end
        None if auto => Retry::None,
        None | Some("failed") => Retry::Failed,
        Some("timeout") => Retry::Timeout,
        Some("none") => Retry::None,
        Some(other) => {
            refuse("--retry", format!("`{}` is nothing to fly again", cut(other)), "failed, timeout or none");
            Retry::None
        }
    };
    if allow_drift.as_ref().is_some_and(|reason| reason.trim().is_empty()) {
        refuse("--allow-drift", "the reason is empty".to_owned(), "a few words that the file keeps");
    }
    Some(Resume { auto, retry, allow_drift })
}

/// Seconds, `M:SS` or `H:MM:SS`, above 0.
pub(super) fn time(text: &str) -> Option<Duration> {
    let mut seconds = 0.0;
    let parts: Vec<&str> = text.trim().split(':').collect();
    for (number, part) in parts.iter().enumerate() {
        let plain = part.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let value: f64 = part.parse().ok().filter(|_| plain)?;
        // only the first number may be larger than a minute or an hour holds
        if number > 0 && value >= 60.0 || number + 1 < parts.len() && value.fract() != 0.0 {
            return None;
        }
        seconds = 60.0 * seconds + value;
    }
    let fits = parts.len() <= 3 && seconds > 0.0 && seconds <= TIME_MAX;
    fits.then(|| Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn val_times() {
        for (text, seconds) in [("90", 90.0), ("0.5", 0.5), ("1:30", 90.0), ("100:00:01", 360_001.0), ("2:00", 120.0)] {
            assert_eq!(time(text), Some(Duration::from_secs_f64(seconds)), "{text}");
        }
        for text in ["", "0", "-1", "1:60", "1:-5", "1.5:00", "1:2:3:4", "inf", "nan", "1e300", "soon", "1:"] {
            assert_eq!(time(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_flown_again() {
        use Status::{Diverged, Failed, Impact, InvalidInput, NotRun, Ok, Timeout};
        let all = [NotRun, Ok, Failed, Timeout, Diverged, InvalidInput, Impact];
        let flown = |retry: Retry| all.map(|status| u8::from(retry.flies(status)));
        assert_eq!(flown(Retry::None), [1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(flown(Retry::Timeout), [1, 0, 0, 1, 0, 0, 0]);
        assert_eq!(flown(Retry::Failed), [1, 0, 1, 1, 1, 1, 0]);
    }

    #[test]
    fn words_are_checked() {
        let read = |word: Option<&str>, retry: Option<&str>, drift: Option<&str>| {
            let mut refused = Vec::new();
            let mut refuse = |argument: &str, message: String, _: &str| refused.push(format!("{argument}: {message}"));
            let found = resume(word, retry, drift.map(str::to_owned), &mut refuse);
            (found.map(|found| (found.auto, found.retry)), refused.join("; "))
        };
        assert_eq!(read(Some(""), None, None), (Some((false, Retry::Failed)), String::new()));
        assert_eq!(read(Some("auto"), None, None), (Some((true, Retry::None)), String::new()));
        assert_eq!(read(Some("auto"), Some("timeout"), None).0, Some((true, Retry::Timeout)));
        assert_eq!(read(Some("now"), None, None).1, "--resume: `now` is no way to resume");
        assert_eq!(read(Some(""), Some("all"), None).1, "--retry: `all` is nothing to fly again");
        assert_eq!(read(Some(""), None, Some(" ")).1, "--allow-drift: the reason is empty");
        let both = "--retry: `--retry` without `--resume`; --allow-drift: `--allow-drift` without `--resume`";
        assert_eq!(read(None, Some("failed"), Some("x")), (None, both.to_owned()));
    }
}

//! Progress while it flies: a bar on a terminal, a line every few seconds in a log.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::format::{count, duration, rate};
use super::terminal;
use crate::cli::{LogFormat, Verbosity};

/// Time between lines in a log.
const LINE_EVERY: Duration = Duration::from_secs(5);
/// Time between two looks of the bar.
const BAR_EVERY: Duration = Duration::from_millis(100);

/// Shows how far the sweep is.
pub struct Progress {
    bar: Option<ProgressBar>,
    /// Time between two updates; `None`: nothing is shown.
    every: Option<Duration>,
    runs: u64,
    start: Instant,
    last: Instant,
}

impl Progress {
    /// Progress of this many runs.
    pub fn new(runs: u64, verbosity: Verbosity, format: LogFormat) -> Self {
        let shown = verbosity != Verbosity::Quiet;
        let terminal = if shown && format == LogFormat::Text { terminal::of_errors() } else { None };
        let bar = terminal.map(|terminal| {
            let bar = ProgressBar::with_draw_target(Some(runs), ProgressDrawTarget::term(terminal, 10));
            let style = ProgressStyle::with_template("{bar:40} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        let every = shown.then_some(if bar.is_some() { BAR_EVERY } else { LINE_EVERY });
        let now = Instant::now();
        Progress { bar, every, runs, start: now, last: now }
    }

    /// So many runs are flown, so many of them not ok.
    pub fn update(&mut self, done: u64, not_ok: u64) {
        if self.every.is_none_or(|every| self.last.elapsed() < every) {
            return;
        }
        self.last = Instant::now();
        let text = line(done, self.runs, not_ok, self.start.elapsed());
        if let Some(bar) = &self.bar {
            bar.set_message(text);
            bar.set_position(done);
        } else {
            tracing::info!(done, runs = self.runs, not_ok, "{text}");
        }
    }

    /// Takes the bar away.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Where the sweep stands, how fast it is and how long it will take, in a line.
fn line(done: u64, runs: u64, not_ok: u64, elapsed: Duration) -> String {
    let not_ok = if not_ok > 0 { format!(" ({} not ok)", count(not_ok)) } else { String::new() };
    let pace = if done == 0 {
        "the first are flying".to_owned()
    } else {
        let left = elapsed.mul_f64((runs - done) as f64 / done as f64);
        format!("{} runs/s, {} left", rate(done, elapsed), duration(left))
    };
    format!("{} of {} runs{not_ok}, {pace}", count(done), count(runs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_where_it_stands() {
        let second = Duration::from_secs(1);
        assert_eq!(line(0, 5000, 0, second), "0 of 5 000 runs, the first are flying");
        assert_eq!(line(1000, 5000, 2, 10 * second), "1 000 of 5 000 runs (2 not ok), 100 runs/s, 40.0 s left");
    }
}

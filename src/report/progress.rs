//! Progress while it flies: a bar on a terminal, a line every few seconds in a log.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::format::{count, duration, rate};
use crate::cli::{LogFormat, Verbosity};

/// Seconds between lines in a log.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Shows how far the sweep is.
pub struct Progress {
    bar: Option<ProgressBar>,
    lines: bool,
    runs: u64,
    start: Instant,
    last_line: Instant,
    not_ok: u64,
}

impl Progress {
    /// Progress of this many runs.
    pub fn new(runs: u64, verbosity: Verbosity, format: LogFormat) -> Self {
        let shown = verbosity != Verbosity::Quiet;
        let terminal = shown && format == LogFormat::Text && std::io::stderr().is_terminal();
        let bar = terminal.then(|| {
            let bar = ProgressBar::with_draw_target(Some(runs), ProgressDrawTarget::stderr_with_hz(10));
            let style =
                ProgressStyle::with_template("{bar:40} {human_pos}/{human_len} runs  {per_sec}  {eta} left  {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        let now = Instant::now();
        Progress { lines: shown && !terminal, bar, runs, start: now, last_line: now, not_ok: 0 }
    }

    /// So many runs are flown, so many of them not ok.
    pub fn update(&mut self, done: u64, not_ok: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            if not_ok != self.not_ok {
                bar.set_message(format!("{} not ok", count(not_ok)));
                self.not_ok = not_ok;
            }
        }
        if self.lines && self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            let elapsed = self.start.elapsed();
            let left = elapsed.mul_f64((self.runs - done) as f64 / (done.max(1)) as f64);
            let left = if done == 0 { "unknown".to_owned() } else { duration(left) };
            tracing::info!(
                done,
                runs = self.runs,
                not_ok,
                "{} of {} runs, {} runs/s, {left} left",
                count(done),
                count(self.runs),
                rate(done, elapsed)
            );
        }
    }

    /// Takes the bar away.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

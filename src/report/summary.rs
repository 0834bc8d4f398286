//! The summary after a sweep.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use super::format::{bytes, count, duration, rate, say};
use super::histogram::Histogram;
use crate::cli::{LogFormat, Verbosity};
use crate::comm::Order;

/// What a rank has done.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RankFigures {
    /// Its rank.
    pub rank: usize,
    /// The machine it ran on.
    pub host: String,
    /// Runs it flew.
    pub runs: u64,
    /// Chunks it flew.
    pub chunks: u64,
    /// Seconds from its first order to the end of the last flush round.
    pub wall_s: f64,
    /// Seconds spent flying.
    pub busy_s: f64,
    /// Seconds spent waiting for orders.
    pub wait_s: f64,
    /// Seconds spent in flush rounds.
    pub write_s: f64,
    /// Of `wait_s`, the seconds before an order to fly: it was starved.
    #[serde(default)]
    pub starved_s: f64,
    /// Of `wait_s`, the seconds before the stop: others were still flying.
    #[serde(default)]
    pub tail_s: f64,
    /// The waits before each order to fly: what dispatch costs a worker.
    #[serde(default)]
    pub waits: Histogram,
}

impl RankFigures {
    /// Notes that the rank waited so long for an order of this kind.
    pub fn waited(&mut self, kind: i32, time: Duration) {
        let seconds = time.as_secs_f64();
        self.wait_s += seconds;
        match kind {
            Order::FLY => {
                self.starved_s += seconds;
                self.waits.add(time.as_nanos() as u64);
            }
            Order::STOP => self.tail_s += seconds,
            _ => {}
        }
    }

    /// Shares of the rank's time: flying, starved, idle (waiting for a flush round or the stop with
    /// nothing left to fly); flush rounds are the rest. Checked by `val_shares_of_a_rank`.
    pub fn shares(&self) -> Shares {
        let of = |seconds: f64| if self.wall_s > 0.0 { (seconds / self.wall_s).clamp(0.0, 1.0) } else { 0.0 };
        Shares { busy: of(self.busy_s), starved: of(self.starved_s), idle: of(self.wait_s - self.starved_s) }
    }
}

/// Shares of a rank's time, each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Shares {
    /// Flying.
    pub busy: f64,
    /// Waiting for an order to fly.
    pub starved: f64,
    /// Waiting with nothing left to fly.
    pub idle: f64,
}

/// What a sweep has done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Runs that ended ok.
    pub ok: u64,
    /// Runs that did not.
    pub not_ok: u64,
    /// Runs that an earlier job had left.
    pub reused: u64,
    /// Why the sweep ended early, if it did, and how many runs are left.
    pub interrupted: Option<(String, u64)>,
    /// The first runs that are not ok, with their messages.
    pub failures: Vec<(u64, String)>,
    /// From the start of the program to the first order.
    pub start: Duration,
    /// From the first order to the last report, without flush rounds.
    pub fly: Duration,
    /// Flush rounds, and making, closing and naming the file.
    pub write: Duration,
    /// The whole.
    pub wall: Duration,
    /// Flush rounds.
    pub rounds: u64,
    /// Threads of each rank.
    pub threads: usize,
    /// Each rank's figures.
    pub ranks: Vec<RankFigures>,
}

impl Figures {
    /// The ranks that fly: all but the leader, or the one that does everything.
    pub fn workers(&self) -> &[RankFigures] {
        if self.ranks.len() > 1 { &self.ranks[1..] } else { &self.ranks }
    }

    /// Share of the flying time in which the workers flew.
    pub fn busy_share(&self) -> f64 {
        let busy: f64 = self.workers().iter().map(|rank| rank.busy_s).sum();
        let there = self.fly.as_secs_f64() * self.workers().len() as f64;
        if there > 0.0 { (busy / there).min(1.0) } else { 0.0 }
    }

    /// The waits of all workers before an order to fly.
    pub fn dispatch(&self) -> Histogram {
        let mut all = Histogram::default();
        self.workers().iter().for_each(|rank| all.merge(&rank.waits));
        all
    }

    /// Share of the workers' time lost because some were done before the last one: the mean wait for
    /// the stop over the flying time. Checked by `val_tail_of_two_workers`.
    pub fn tail_imbalance(&self) -> f64 {
        let tail: f64 = self.workers().iter().map(|rank| rank.tail_s).sum();
        let there = self.fly.as_secs_f64() * self.workers().len() as f64;
        if there > 0.0 { (tail / there).min(1.0) } else { 0.0 }
    }

    /// Share of the workers' time that flush rounds took, their waiting for each other included.
    pub fn flush_share(&self) -> f64 {
        let spent: f64 = self.workers().iter().map(|rank| rank.write_s).sum();
        let there: f64 = self.workers().iter().map(|rank| rank.wall_s).sum();
        if there > 0.0 { (spent / there).min(1.0) } else { 0.0 }
    }

    /// Share of the workers' time in which they waited for an order to fly.
    pub fn starved_share(&self) -> f64 {
        let starved: f64 = self.workers().iter().map(|rank| rank.starved_s).sum();
        let there = self.fly.as_secs_f64() * self.workers().len() as f64;
        if there > 0.0 { (starved / there).min(1.0) } else { 0.0 }
    }
}

/// A short time: `0.69 us`, `12.3 ms`.
fn short(seconds: f64) -> String {
    let (number, unit) = match seconds {
        s if s < 1e-3 => (s * 1e6, "us"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    let digits = usize::from(number < 99.95) + usize::from(number < 9.995);
    format!("{number:.digits$} {unit}")
}

/// Prints the summary: for people on standard output, with a JSON log as one of its lines, or not at all.
pub fn tell(figures: &Figures, file: &Path, size: u64, verbosity: Verbosity, format: LogFormat) {
    match (verbosity, format) {
        (Verbosity::Quiet, _) => {}
        (_, LogFormat::Text) => say(&text(figures, file, size)),
        (_, LogFormat::Json) => tracing::info!(
            ok = figures.ok,
            not_ok = figures.not_ok,
            reused = figures.reused,
            left = figures.interrupted.as_ref().map_or(0, |interrupted| interrupted.1),
            wall_s = figures.wall.as_secs_f64(),
            start_s = figures.start.as_secs_f64(),
            fly_s = figures.fly.as_secs_f64(),
            write_s = figures.write.as_secs_f64(),
            busy_share = figures.busy_share(),
            starved_share = figures.starved_share(),
            tail_imbalance = figures.tail_imbalance(),
            flush_share = figures.flush_share(),
            file = %file.display(),
            size,
            "done"
        ),
    }
}

/// The summary as a person reads it.
pub fn text(figures: &Figures, file: &Path, size: u64) -> String {
    let mut text = String::new();
    let runs = figures.ok + figures.not_ok;
    if let Some((reason, left)) = &figures.interrupted {
        let _ = writeln!(text, "{reason}: {} runs are left, --resume flies them", count(*left));
    }
    if figures.reused > 0 {
        let _ = writeln!(text, "reused {}, flew {}", count(figures.reused), count(runs));
    }
    let _ = write!(text, "{} runs ok", count(figures.ok));
    if figures.not_ok > 0 {
        let _ = write!(text, ", {} not ok", count(figures.not_ok));
    }
    text.push('\n');
    for (run, message) in figures.failures.iter().take(3) {
        let _ = writeln!(text, "  run {run}: {message}");
    }
    if figures.not_ok > 3 {
        let _ = writeln!(text, "  ... the rest is in /failures, status and error_code of the file");
    }
    let _ = writeln!(
        text,
        "{} in all: start {}, fly {}, write {} ({} flush round{}, {:.1} % of the workers' time)",
        duration(figures.wall),
        duration(figures.start),
        duration(figures.fly),
        duration(figures.write),
        figures.rounds,
        if figures.rounds == 1 { "" } else { "s" },
        100.0 * figures.flush_share(),
    );
    let workers = figures.workers().len();
    let _ = writeln!(
        text,
        "{} runs/s in all, {} while flying; {workers} worker{} busy {:.0} %",
        rate(runs, figures.wall),
        rate(runs, figures.fly),
        if workers == 1 { "" } else { "s" },
        100.0 * figures.busy_share(),
    );
    let dispatch = figures.dispatch();
    if dispatch.count() > 0 {
        let _ = writeln!(
            text,
            "waits for an order: median {}, 99 % below {}; starved {:.1} %, lost at the end {:.1} %",
            short(dispatch.quantile_s(0.5)),
            short(dispatch.quantile_s(0.99)),
            100.0 * figures.starved_share(),
            100.0 * figures.tail_imbalance(),
        );
    }
    let _ = writeln!(text, "{}  {}", crate::base::problem::printable(&file.display().to_string()), bytes(size));
    if figures.interrupted.is_some() {
        return text;
    }
    text += "\n    import xarray\n";
    let _ = writeln!(text, "    ds = xarray.open_dataset({:?}, engine=\"h5netcdf\")", file.display().to_string());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures() -> Figures {
        let rank = |rank, busy_s| RankFigures {
            rank,
            host: "n1".into(),
            runs: 500,
            busy_s,
            wall_s: 2.0,
            write_s: 0.04,
            ..RankFigures::default()
        };
        Figures {
            ok: 998,
            not_ok: 2,
            reused: 0,
            interrupted: None,
            failures: vec![(3, "the semi-major axis is zero (Sat.SMA = 0)".into())],
            start: Duration::from_millis(500),
            fly: Duration::from_secs(2),
            write: Duration::from_millis(50),
            wall: Duration::from_millis(2550),
            rounds: 1,
            threads: 1,
            ranks: vec![rank(0, 0.0), rank(1, 1.8), rank(2, 1.4)],
        }
    }

    #[test]
    fn says_what_a_person_asks() {
        let text = text(&figures(), Path::new("/data/leo.h5"), 48_000_000);
        for part in [
            "998 runs ok, 2 not ok",
            "run 3: the semi-major axis is zero (Sat.SMA = 0)",
            "2.55 s in all: start 0.50 s, fly 2.00 s, write 0.05 s (1 flush round, 2.0 % of the workers' time)",
            "392 runs/s in all, 500 while flying; 2 workers busy 80 %",
            "/data/leo.h5  48.0 MB",
            "ds = xarray.open_dataset(\"/data/leo.h5\", engine=\"h5netcdf\")",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }

    #[test]
    fn says_how_to_go_on() {
        let interrupted = Some(("interrupted by SIGUSR1".to_owned(), 1500));
        let text = text(&Figures { reused: 4000, interrupted, ..figures() }, Path::new("/data/leo.h5.partial"), 1000);
        let expected = "interrupted by SIGUSR1: 1 500 runs are left, --resume flies them\nreused 4 000, flew 1 000\n";
        assert!(text.starts_with(expected) && !text.contains("xarray"), "{text}");
    }

    #[test]
    fn val_shares_of_a_rank() {
        let mut rank = RankFigures { wall_s: 10.0, busy_s: 6.0, write_s: 1.0, ..RankFigures::default() };
        rank.waited(Order::FLY, Duration::from_millis(500));
        rank.waited(Order::FLUSH, Duration::from_millis(1500));
        rank.waited(Order::STOP, Duration::from_secs(1));
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
        let Shares { busy, starved, idle } = rank.shares();
        assert!(close(busy, 0.6) && close(starved, 0.05) && close(idle, 0.25), "{:?}", rank.shares());
        assert!(close(rank.wait_s, 3.0) && close(rank.tail_s, 1.0));
        assert_eq!(rank.waits.count(), 1, "only waits before an order to fly are dispatch");
        assert_eq!(RankFigures::default().shares(), Shares::default());
    }

    #[test]
    fn val_tail_of_two_workers() {
        let mut figures = figures(); // 2 s of flying
        assert!(!text(&figures, Path::new("leo.h5"), 1).contains("waits"), "nothing measured, nothing said");
        figures.ranks[1].waited(Order::STOP, Duration::from_millis(100));
        figures.ranks[2].waited(Order::STOP, Duration::from_millis(300));
        for wait in [2_000, 2_000, 40_000_000] {
            figures.ranks[1].waited(Order::FLY, Duration::from_nanos(wait));
        }
        assert!((figures.tail_imbalance() - 0.4 / 4.0).abs() < 1e-12);
        assert!((figures.starved_share() - 0.040_004 / 4.0).abs() < 1e-12);
        let text = text(&figures, Path::new("leo.h5"), 1);
        let line = "waits for an order: median 1.98 us, 99 % below 39.8 ms; starved 1.0 %, lost at the end 10.0 %";
        assert!(text.contains(line), "{text}");
    }

    #[test]
    fn one_rank_is_its_own_worker() {
        let alone = Figures { ranks: vec![RankFigures { busy_s: 1.0, ..RankFigures::default() }], ..figures() };
        assert!((alone.busy_share() - 0.5).abs() < 1e-12);
        assert_eq!(Figures::default().busy_share().to_bits(), 0.0_f64.to_bits());
    }
}

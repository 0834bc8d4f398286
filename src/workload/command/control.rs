//! Orders to single runs while they fly: lines of `OUT.control`, which every rank looks at.
//!
//! ```text
//! suspend 5
//! resume 5
//! cancel 5-9
//! cancel all
//! ```
//!
//! An order holds for runs that start later too. Of several for the same run, a cancel counts before all
//! others, else the last one. A line counts only with its line end.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::base::nearest::did_you_mean;

/// How often the file is looked at.
pub const LOOK: Duration = Duration::from_millis(200);
/// Most orders that are kept; more are refused.
const ORDERS_MAX: usize = 100_000;
/// Most bytes taken at one look.
const BYTES_MAX: u64 = 1 << 20;

/// What is to be done with runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Stop its program until it is resumed.
    Suspend,
    /// Go on.
    Resume,
    /// End it.
    Cancel,
}

impl Action {
    /// All, with their words in the file.
    pub const ALL: [(Action, &str); 3] =
        [(Action::Suspend, "suspend"), (Action::Resume, "resume"), (Action::Cancel, "cancel")];

    /// Its word in the file.
    pub fn word(self) -> &'static str {
        Action::ALL[self as usize].1
    }
}

/// An order to the runs from `first` to `last`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlOrder {
    /// What is to be done.
    pub action: Action,
    /// The first run.
    pub first: u64,
    /// The last run.
    pub last: u64,
}

impl ControlOrder {
    /// Whether it is for this run.
    pub fn holds(&self, run: u64) -> bool {
        (self.first..=self.last).contains(&run)
    }

    /// An order from its action and `5`, `5-9` or `all`.
    pub fn new(action: Action, runs: &str) -> Result<ControlOrder, String> {
        let wrong = || format!("`{}` is neither a run, as 5, nor runs, as 5-9, nor all", runs.escape_debug());
        let number = |text: &str| text.trim().parse::<u64>().map_err(|_| wrong());
        let (first, last) = match runs.trim() {
            "all" => (0, u64::MAX),
            one => match one.split_once('-') {
                Some((first, last)) => (number(first)?, number(last)?),
                None => (number(one)?, number(one)?),
            },
        };
        if first > last {
            return Err(wrong());
        }
        Ok(ControlOrder { action, first, last })
    }

    /// An order from its line.
    pub fn parse(line: &str) -> Result<ControlOrder, String> {
        let (word, runs) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        let Some((action, _)) = Action::ALL.into_iter().find(|(_, name)| *name == word) else {
            let help = did_you_mean(word, Action::ALL.map(|(_, name)| name));
            return Err(format!("`{}` is no order; {help}", word.escape_debug()));
        };
        ControlOrder::new(action, runs)
    }
}

/// The control file of a result file.
pub fn path(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".control");
    PathBuf::from(name)
}

/// Removes the control file of an earlier sweep; before the ranks open theirs.
pub fn remove(output: &Path) -> io::Result<()> {
    match std::fs::remove_file(path(output)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Adds an order for `5`, `5-9` or `all` to the control file of a result file.
pub fn append(output: &Path, action: Action, runs: &str) -> io::Result<()> {
    ControlOrder::new(action, runs).map_err(|problem| io::Error::new(io::ErrorKind::InvalidInput, problem))?;
    let mut file = OpenOptions::new().append(true).create(true).open(path(output))?;
    file.write_all(format!("{} {}\n", action.word(), runs.trim()).as_bytes())?;
    file.sync_data()
}

/// Reads the orders as they come.
#[derive(Debug)]
pub struct ControlReader {
    path: PathBuf,
    offset: u64,
    partial: Vec<u8>,
    orders: Vec<ControlOrder>,
    looked: Option<Instant>,
}

impl ControlReader {
    /// For a control file, which may not be there yet.
    pub fn new(path: PathBuf) -> Self {
        ControlReader { path, offset: 0, partial: Vec::new(), orders: Vec::new(), looked: None }
    }

    /// The time until the next look.
    pub fn next_look(&self, now: Instant) -> Duration {
        self.looked.map_or(Duration::ZERO, |looked| (looked + LOOK).saturating_duration_since(now))
    }

    /// The orders that are new; a line that is none is told in the log.
    pub fn look(&mut self, now: Instant) -> Vec<ControlOrder> {
        self.looked = Some(now);
        if self.read().is_err() {
            return Vec::new();
        }
        let Some(end) = self.partial.iter().rposition(|byte| *byte == b'\n') else { return Vec::new() };
        let whole: Vec<u8> = self.partial.drain(..=end).collect();
        let mut fresh = Vec::new();
        for line in String::from_utf8_lossy(&whole).lines().filter(|line| !line.trim().is_empty()) {
            match ControlOrder::parse(line) {
                Ok(order) if self.orders.len() < ORDERS_MAX => {
                    self.orders.push(order);
                    fresh.push(order);
                }
                Ok(_) => tracing::warn!("{}: more than {ORDERS_MAX} orders", self.path.display()),
                Err(problem) => tracing::warn!("{}: {problem}", self.path.display()),
            }
        }
        fresh
    }

    fn read(&mut self) -> io::Result<()> {
        let length = std::fs::metadata(&self.path)?.len();
        if length < self.offset {
            // another file of the same name
            self.offset = 0;
            self.partial.clear();
        }
        if length > self.offset {
            let mut file = File::open(&self.path)?;
            file.seek(SeekFrom::Start(self.offset))?;
            self.offset += file.take(BYTES_MAX).read_to_end(&mut self.partial)? as u64;
        }
        Ok(())
    }

    /// What holds for a run that comes now: nothing, suspend or cancel.
    pub fn for_run(&self, run: u64) -> Option<Action> {
        let mut holding = None;
        for order in self.orders.iter().filter(|order| order.holds(run)) {
            match order.action {
                Action::Cancel => return Some(Action::Cancel),
                Action::Suspend => holding = Some(Action::Suspend),
                Action::Resume => holding = None,
            }
        }
        holding
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_as_they_are_written() {
        let parse = |line: &str| ControlOrder::parse(line).map(|order| (order.action, order.first, order.last));
        assert_eq!(parse("suspend 5"), Ok((Action::Suspend, 5, 5)));
        assert_eq!(parse("  cancel\t5-9 "), Ok((Action::Cancel, 5, 9)));
        assert_eq!(parse("resume all"), Ok((Action::Resume, 0, u64::MAX)));
        for line in ["cancel", "cancel x", "cancel 9-5", "cancel -5", "cancel 1-", "cancel 5 6", "5", "cancel 1e3"] {
            assert!(parse(line).is_err(), "{line}");
        }
        assert!(parse("cancle 5").unwrap_err().contains("did you mean `cancel`"));
    }

    #[test]
    fn a_reader_follows_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("o.h5");
        let mut reader = ControlReader::new(path(&output));
        let now = Instant::now();
        assert!(reader.look(now).is_empty());
        append(&output, Action::Suspend, "3").unwrap();
        append(&output, Action::Suspend, " 4-6 ").unwrap();
        assert!(append(&output, Action::Suspend, "x\ncancel all").is_err());
        assert_eq!(reader.look(now).len(), 2);
        assert_eq!(
            (reader.for_run(3), reader.for_run(5), reader.for_run(7)),
            (Some(Action::Suspend), Some(Action::Suspend), None)
        );
        let mut file = OpenOptions::new().append(true).open(path(&output)).unwrap();
        file.write_all(b"resume 5\nnonsense\ncancel 3\nresume 3\ncancel 6").unwrap();
        assert_eq!(reader.look(now).len(), 3);
        assert_eq!(
            (reader.for_run(3), reader.for_run(5), reader.for_run(6)),
            (Some(Action::Cancel), None, Some(Action::Suspend))
        );
        file.write_all(b"\n").unwrap();
        assert_eq!(reader.look(now), [ControlOrder { action: Action::Cancel, first: 6, last: 6 }]);
        remove(&output).unwrap();
        remove(&output).unwrap();
        assert!(reader.look(now).is_empty());
    }
}

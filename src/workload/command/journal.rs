//! The record of all runs on disk: `OUT.jobs.R.jsonl`, one file a rank, one JSON object a line.
//!
//! One file a rank, since appends of many machines to one file are not whole on every file system.
//! The first line of a session is a [`Header`], each other an [`Event`]. A run counts as started only
//! when the line of its start is on disk; a thread writes and syncs, all lines that came meanwhile in
//! one go, so that thousands of starts cost a few syncs and nobody waits for the disk.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::base::clock::now;
use rustix::event::{EventfdFlags, eventfd};
use serde::{Deserialize, Serialize};

/// Shortest time from sync to sync. Each makes the file system end a transaction, and whoever makes files
/// or folders there meanwhile waits for that.
const SYNC_PAUSE: Duration = Duration::from_millis(5);

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Known, not handed to a rank.
    New,
    /// A rank has it, or it waits for its next attempt.
    Pending,
    /// Its program runs.
    Running,
    /// Its program is stopped until someone resumes it.
    Suspended,
    /// It ended and left its outputs.
    Done,
    /// It ended otherwise.
    Failed,
    /// Someone canceled it.
    Canceled,
}

impl State {
    /// All states, in the order of a run's life.
    pub const ALL: [State; 7] =
        [State::New, State::Pending, State::Running, State::Suspended, State::Done, State::Failed, State::Canceled];

    /// Its name, as in the journal.
    pub fn name(self) -> &'static str {
        ["new", "pending", "running", "suspended", "done", "failed", "canceled"][self as usize]
    }

    /// The state of a name.
    pub fn from_name(name: &str) -> Option<State> {
        State::ALL.into_iter().find(|state| state.name() == name)
    }
}

/// The first line of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The version of this format: 1.
    pub journal: u32,
    /// The rank that writes.
    pub rank: usize,
    /// Its machine's name.
    pub host: String,
    /// Its process number.
    pub process: u32,
    /// When, s since 1970.
    pub time: f64,
}

/// A change of a run's state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The run.
    pub run: u64,
    /// The state it is in from now on.
    pub state: State,
    /// When, s since 1970.
    pub time: f64,
    /// The attempt, from 1; 0 before the first.
    pub attempt: u32,
    /// When the rank took the run, s since 1970; with a start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<f64>,
    /// The step that started: `pre 0`, `program`, `post 0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Its process number and process group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<i32>,
    /// Its arguments, the program's name first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argv: Option<Vec<String>>,
    /// How the run or its last attempt ended.
    #[serde(default, flatten, skip_serializing_if = "Option::is_none")]
    pub end: Option<EventEnd>,
}

/// How a run or an attempt ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventEnd {
    /// The exit code of the step that ran last, if it ended itself.
    pub exit_code: Option<i32>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// CPU time of all attempts, s.
    pub cpu_s: f64,
    /// Peak memory of all attempts, KiB, if it is above that of sweep-mpi itself.
    pub peak_kb: Option<u64>,
    /// The name of the failure, if it is one.
    pub failure: Option<String>,
}

impl Event {
    /// A change of state now, with nothing else to say.
    pub fn new(run: u64, state: State, attempt: u32) -> Self {
        Event { run, state, time: now(), attempt, created: None, step: None, pid: None, argv: None, end: None }
    }
}

/// The journal of a rank beside the result file.
pub fn path(output: &Path, rank: usize) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(format!(".jobs.{rank}.jsonl"));
    PathBuf::from(name)
}

#[derive(Debug, Default)]
struct Shared {
    buffer: Vec<u8>,
    handed: u64,
    durable: u64,
    must_sync: bool,
    stop: bool,
    error: Option<String>,
}

#[derive(Debug)]
struct Desk {
    shared: Mutex<Shared>,
    work: Condvar,
    wake: OwnedFd,
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes the journal of one rank.
#[derive(Debug)]
pub struct JournalWriter {
    desk: Arc<Desk>,
    thread: Option<JoinHandle<()>>,
    lines: Vec<u8>,
    appended: u64,
    must_sync: bool,
}

impl JournalWriter {
    /// Opens a journal, new or to go on with, and begins a session in it. A torn last line of a session
    /// that was killed is closed first.
    pub fn open(path: &Path, rank: usize, host: &str) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let length = file.seek(SeekFrom::End(0))?;
        let mut last = [b'\n'];
        if length > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
        let header = Header { journal: 1, rank, host: host.to_owned(), process: std::process::id(), time: now() };
        let mut line = serde_json::to_vec(&header)?;
        line.push(b'\n');
        file.write_all(&line)?;
        file.sync_all()?;
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            File::open(folder)?.sync_all()?;
        }

        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let desk = Arc::new(Desk { shared: Mutex::default(), work: Condvar::new(), wake });
        let theirs = Arc::clone(&desk);
        let thread = std::thread::Builder::new().name("journal".to_owned()).spawn(move || write_on(&theirs, file))?;
        Ok(JournalWriter { desk, thread: Some(thread), lines: Vec::new(), appended: 0, must_sync: false })
    }

    /// Adds a line; its number tells when it is on disk. It is handed over by [`commit`](Self::commit).
    pub fn append(&mut self, event: &Event, durable: bool) -> u64 {
        // numbers and texts always make a line
        if serde_json::to_writer(&mut self.lines, event).is_ok() {
            self.lines.push(b'\n');
        }
        self.appended += 1;
        self.must_sync |= durable;
        self.appended
    }

    /// Hands the lines over to be written; the error is that of an earlier write.
    pub fn commit(&mut self) -> io::Result<()> {
        let mut shared = self.desk.lock();
        if let Some(error) = &shared.error {
            return Err(io::Error::other(format!("the journal cannot be written: {error}")));
        }
        if !self.lines.is_empty() {
            shared.buffer.append(&mut self.lines);
            shared.handed = self.appended;
            shared.must_sync |= std::mem::take(&mut self.must_sync);
            self.desk.work.notify_one();
        }
        Ok(())
    }

    /// All lines up to this number are on disk.
    pub fn durable(&self) -> u64 {
        self.desk.lock().durable
    }

    /// A descriptor that is readable when more lines are on disk; [`clear_wake`](Self::clear_wake) resets it.
    pub fn wake(&self) -> BorrowedFd<'_> {
        self.desk.wake.as_fd()
    }

    /// Makes [`wake`](Self::wake) wait again.
    pub fn clear_wake(&self) {
        let _ = rustix::io::read(&self.desk.wake, &mut [0_u8; 8]);
    }
}

impl Drop for JournalWriter {
    fn drop(&mut self) {
        self.must_sync = true;
        let _ = self.commit();
        self.desk.lock().stop = true;
        self.desk.work.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The thread: writes what has come, syncs it if a start is among it, until the end.
fn write_on(desk: &Desk, mut file: File) {
    let mut batch = Vec::new();
    let mut unsynced = 0_u64;
    let mut synced: Option<Instant> = None;
    loop {
        let mut shared = desk.lock();
        while shared.buffer.is_empty() && !shared.stop {
            shared = desk.work.wait(shared).unwrap_or_else(PoisonError::into_inner);
        }
        // more lines may come with the next sync
        while !shared.stop
            && let Some(pause) = synced.map(|synced| SYNC_PAUSE.saturating_sub(synced.elapsed()))
            && pause > Duration::ZERO
        {
            shared = desk.work.wait_timeout(shared, pause).map_or_else(|error| error.into_inner().0, |both| both.0);
        }
        let stop = shared.stop && shared.buffer.is_empty();
        std::mem::swap(&mut batch, &mut shared.buffer);
        let upto = shared.handed;
        let sync = std::mem::take(&mut shared.must_sync) || (stop && unsynced > 0);
        drop(shared);

        let mut written = file.write_all(&batch);
        unsynced += batch.len() as u64;
        batch.clear();
        if sync {
            written = written.and_then(|()| file.sync_data());
            unsynced = 0;
            synced = Some(Instant::now());
        }
        let mut shared = desk.lock();
        match written {
            Ok(()) if sync => shared.durable = upto,
            Ok(()) => {}
            Err(error) => shared.error = Some(error.to_string()),
        }
        let failed = shared.error.is_some();
        drop(shared);
        if sync || failed {
            let _ = rustix::io::write(&desk.wake, &1_u64.to_ne_bytes());
        }
        if stop || failed {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait_for(journal: &JournalWriter, number: u64) {
        let start = Instant::now();
        while journal.durable() < number {
            assert!(start.elapsed() < Duration::from_secs(20), "line {number} is never durable");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn lines_are_durable_when_they_say_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = path(&folder.path().join("o.h5"), 3);
        assert!(path.ends_with("o.h5.jobs.3.jsonl"));
        let mut journal = JournalWriter::open(&path, 3, "here").unwrap();
        let mut last = 0;
        for run in 0..1000 {
            last = journal.append(&Event::new(run, State::Running, 1), true);
        }
        assert_eq!(last, 1000);
        assert_eq!(journal.durable(), 0, "nothing is handed over yet");
        journal.commit().unwrap();
        wait_for(&journal, last);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 1001);
        let header: Header = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!((header.rank, header.host.as_str()), (3, "here"));
        let event: Event = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!((event.run, event.state), (999, State::Running));
    }

    #[test]
    fn a_torn_line_is_closed_and_the_end_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j");
        std::fs::write(&path, "{\"run\": 1, \"sta").unwrap();
        let mut journal = JournalWriter::open(&path, 0, "h").unwrap();
        journal.append(&Event::new(7, State::Done, 1), false);
        drop(journal);
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[1].contains("\"journal\":1") && lines[2].contains("\"run\":7"));
    }

    #[test]
    fn a_full_disk_is_told() {
        assert!(JournalWriter::open(Path::new("/dev/full"), 0, "h").is_err());
    }

    #[test]
    fn states_have_the_names_of_the_journal() {
        for state in State::ALL {
            assert_eq!(State::from_name(state.name()), Some(state));
            assert_eq!(serde_json::to_string(&state).unwrap(), format!("\"{}\"", state.name()));
        }
    }
}

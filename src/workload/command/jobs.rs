//! Reads the journals of all ranks: what `sweep-mpi jobs` lists, filters and follows.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use super::journal::{Event, EventEnd, Header, State};
use crate::base::problem::printable;

/// What the journals say of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct JobRecord {
    /// Its number.
    pub run: u64,
    /// Its state.
    pub state: State,
    /// When it came into this state, s since 1970.
    pub since: f64,
    /// The rank that has or had it.
    pub rank: usize,
    /// That rank's machine.
    pub host: String,
    /// The process number of the program that was started last.
    pub pid: Option<i32>,
    /// Attempts begun.
    pub attempts: u32,
    /// When a rank took it, s since 1970.
    pub created: Option<f64>,
    /// When its first program started, s since 1970.
    pub started: Option<f64>,
    /// The arguments of the program that was started last.
    pub argv: Vec<String>,
    /// How it or its last attempt ended.
    pub end: Option<EventEnd>,
    session: usize,
}

#[derive(Debug)]
struct JournalFile {
    path: PathBuf,
    offset: u64,
    partial: Vec<u8>,
    rank: usize,
    host: String,
    session: usize,
}

/// The runs of a sweep, as all journals beside its result file tell them.
#[derive(Debug)]
pub struct Jobs {
    output: PathBuf,
    files: Vec<JournalFile>,
    runs: BTreeMap<u64, JobRecord>,
    sessions: usize,
    unreadable: usize,
}

impl Jobs {
    /// Reads the journals of a result file, which need not exist yet itself.
    pub fn open(output: &Path) -> io::Result<Jobs> {
        let mut jobs =
            Jobs { output: output.to_owned(), files: Vec::new(), runs: BTreeMap::new(), sessions: 0, unreadable: 0 };
        jobs.update()?;
        if jobs.files.is_empty() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "there is no journal of runs beside it"));
        }
        Ok(jobs)
    }

    /// Reads on; returns the runs whose state has changed, each once.
    ///
    /// A torn last line waits for its end, and a line that is not one of ours is counted and left out.
    pub fn update(&mut self) -> io::Result<Vec<u64>> {
        self.find_files()?;
        let mut changed = Vec::new();
        for index in 0..self.files.len() {
            let file = &mut self.files[index];
            let mut journal = File::open(&file.path)?;
            journal.seek(SeekFrom::Start(file.offset))?;
            file.offset += journal.read_to_end(&mut file.partial)? as u64;
            let Some(end) = file.partial.iter().rposition(|byte| *byte == b'\n') else { continue };
            let whole: Vec<u8> = file.partial.drain(..=end).collect();
            for line in whole.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                self.line(index, line, &mut changed);
            }
        }
        changed.sort_unstable();
        changed.dedup();
        Ok(changed)
    }

    fn find_files(&mut self) -> io::Result<()> {
        let folder = self.output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = self.output.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let rank = path
                .file_name()
                .and_then(|file| file.to_str()?.strip_prefix(&name)?.strip_prefix(".jobs.")?.strip_suffix(".jsonl"))
                .and_then(|rank| rank.parse::<usize>().ok());
            let Some(rank) = rank.filter(|_| self.files.iter().all(|file| file.path != path)) else { continue };
            self.files.push(JournalFile {
                path,
                offset: 0,
                partial: Vec::new(),
                rank,
                host: String::new(),
                session: 0,
            });
        }
        self.files.sort_by_key(|file| file.rank);
        Ok(())
    }

    fn line(&mut self, index: usize, line: &[u8], changed: &mut Vec<u64>) {
        if let Ok(event) = serde_json::from_slice::<Event>(line) {
            changed.push(event.run);
            self.event(index, event);
        } else if let Ok(header) = serde_json::from_slice::<Header>(line) {
            self.sessions += 1;
            let file = &mut self.files[index];
            let ended = std::mem::replace(&mut file.session, self.sessions);
            file.host = header.host;
            // what an earlier session left unfinished is handed out again
            for record in self.runs.values_mut().filter(|record| ended > 0 && record.session == ended) {
                if matches!(record.state, State::Running | State::Suspended) {
                    record.state = State::Pending;
                    record.since = header.time;
                    changed.push(record.run);
                }
            }
        } else {
            self.unreadable += 1;
        }
    }

    fn event(&mut self, index: usize, event: Event) {
        let file = &self.files[index];
        let record = self.runs.entry(event.run).or_insert_with(|| JobRecord {
            run: event.run,
            state: State::New,
            since: f64::NEG_INFINITY,
            rank: file.rank,
            host: String::new(),
            pid: None,
            attempts: 0,
            created: None,
            started: None,
            argv: Vec::new(),
            end: None,
            session: file.session,
        });
        // another rank had it earlier: the journals are read one after the other
        if event.time < record.since && record.session != file.session {
            return;
        }
        if record.session != file.session {
            record.started = None;
            record.created = None;
        }
        record.session = file.session;
        record.rank = file.rank;
        record.host.clone_from(&file.host);
        record.state = event.state;
        record.since = event.time;
        record.attempts = event.attempt;
        record.pid = event.pid.or(record.pid);
        record.created = event.created.or(record.created);
        if event.pid.is_some() {
            record.started = record.started.or(Some(event.time));
        }
        if let Some(argv) = event.argv {
            record.argv = argv;
        }
        record.end = event.end.or(record.end.take());
    }

    /// A run, if a journal names it.
    pub fn run(&self, run: u64) -> Option<&JobRecord> {
        self.runs.get(&run)
    }

    /// All runs that the journals name, by number.
    pub fn runs(&self) -> impl Iterator<Item = &JobRecord> {
        self.runs.values()
    }

    /// How many runs are in each state.
    pub fn counts(&self) -> [(State, usize); 7] {
        State::ALL.map(|state| (state, self.runs.values().filter(|record| record.state == state).count()))
    }

    /// Whether all runs that the journals name have ended.
    pub fn all_ended(&self) -> bool {
        self.runs.values().all(|record| matches!(record.state, State::Done | State::Failed | State::Canceled))
    }

    /// The line of a run in the list; empty if no journal names it.
    pub fn row(&self, run: u64) -> String {
        self.runs.get(&run).map_or_else(String::new, JobRecord::row)
    }

    /// A table of the runs in one of these states (all if there is none), and the sum of each state.
    pub fn table(&self, states: &[State]) -> String {
        let mut text = String::new();
        let shown = |record: &&JobRecord| states.is_empty() || states.contains(&record.state);
        for (position, record) in self.runs.values().filter(shown).enumerate() {
            if position == 0 {
                text.push_str(HEADINGS);
            }
            text.push_str(&record.row());
        }
        let sums: Vec<String> = self
            .counts()
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(state, count)| format!("{count} {}", state.name()))
            .collect();
        let sums = if sums.is_empty() { "none started yet".to_owned() } else { sums.join(", ") };
        let _ = writeln!(text, "{} runs: {sums}", self.runs.len());
        if self.unreadable > 0 {
            let _ = writeln!(text, "{} lines of the journals cannot be read", self.unreadable);
        }
        text
    }
}

/// The headings of [`Jobs::row`].
pub const HEADINGS: &str =
    "       run  state      rank      pid  attempts    wall_s     cpu_s   peak_MB  exit  signal  failure\n";

impl JobRecord {
    fn row(&self) -> String {
        let ended = matches!(self.state, State::Done | State::Failed | State::Canceled);
        let wall = self.started.filter(|_| ended).map(|started| self.since - started);
        let end = self.end.as_ref();
        let show =
            |value: Option<f64>, digits: usize| value.map_or("-".to_owned(), |value| format!("{value:.digits$}"));
        let whole = |value: Option<i32>| value.map_or("-".to_owned(), |value| value.to_string());
        format!(
            "{:>10}  {:<9} {:>5} {:>8} {:>9} {:>9} {:>9} {:>9} {:>5} {:>7}  {}\n",
            self.run,
            self.state.name(),
            self.rank,
            whole(self.pid),
            self.attempts,
            show(wall, 3),
            show(end.map(|end| end.cpu_s), 3),
            show(end.and_then(|end| end.peak_kb).map(|kb| kb as f64 / 1024.0), 1),
            whole(end.and_then(|end| end.exit_code)),
            whole(end.and_then(|end| end.signal)),
            // a journal may be damaged: its texts must not steer the terminal
            end.and_then(|end| end.failure.as_deref()).map_or("-".to_owned(), printable),
        )
    }
}

/// The list of a sweep's runs in these states, all if there is none.
pub fn jobs_text(output: &Path, states: &[State]) -> io::Result<String> {
    Ok(Jobs::open(output)?.table(states))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::clock::now;
    use crate::workload::command::journal::{JournalWriter, path};

    fn started(run: u64, time: f64) -> Event {
        Event { time, pid: Some(77), created: Some(time), ..Event::new(run, State::Running, 1) }
    }

    fn ended(run: u64, state: State, time: f64) -> Event {
        let end = EventEnd { exit_code: Some(0), signal: None, cpu_s: 0.25, peak_kb: Some(2048), failure: None };
        Event { time, end: Some(end), ..Event::new(run, state, 1) }
    }

    #[test]
    fn the_journals_of_all_ranks_are_one_list() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("o.h5");
        assert!(jobs_text(&output, &[]).is_err());
        let mut one = JournalWriter::open(&path(&output, 1), 1, "a").unwrap();
        let mut two = JournalWriter::open(&path(&output, 2), 2, "b").unwrap();
        std::fs::write(folder.path().join("o.h5.jobs.x.jsonl"), "nonsense").unwrap();
        one.append(&started(0, 1.0), false);
        one.append(&ended(0, State::Done, 3.5), false);
        one.append(&started(5, 2.0), false);
        two.append(&started(7, 2.0), false);
        two.append(&ended(7, State::Failed, 4.0), false);
        drop((one, two));
        let text = jobs_text(&output, &[]).unwrap();
        assert!(text.ends_with("3 runs: 1 running, 1 done, 1 failed\n"), "{text}");
        let done = text.lines().nth(1).unwrap();
        let fields: Vec<&str> = done.split_whitespace().collect();
        assert_eq!(fields, ["0", "done", "1", "77", "1", "2.500", "0.250", "2.0", "0", "-", "-"]);
        let failed = jobs_text(&output, &[State::Failed]).unwrap();
        assert_eq!(failed.lines().count(), 3, "{failed}");
    }

    #[test]
    fn a_torn_line_waits_and_a_later_session_takes_over() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("o.h5");
        let mut journal = JournalWriter::open(&path(&output, 0), 0, "a").unwrap();
        journal.append(&started(1, now() + 10.0), false);
        journal.append(&started(2, now() + 10.0), false);
        drop(journal);
        let mut jobs = Jobs::open(&output).unwrap();
        let line = serde_json::to_string(&ended(1, State::Done, now() + 11.0)).unwrap();
        let append = |text: &str| {
            use std::io::Write as _;
            let mut file = std::fs::OpenOptions::new().append(true).open(path(&output, 0)).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        };
        append(&line[..20]);
        assert_eq!(jobs.update().unwrap(), Vec::<u64>::new());
        append(&line[20..]);
        assert_eq!(jobs.update().unwrap(), Vec::<u64>::new());
        append("\n");
        assert_eq!(jobs.update().unwrap(), [1]);
        append(&line[..20]);

        // run 2 was running when the session was killed; rank 1 gets it in the next
        let mut again = JournalWriter::open(&path(&output, 0), 0, "a").unwrap();
        again.append(&started(3, now() + 20.0), false);
        drop(again);
        assert_eq!(jobs.update().unwrap(), [2, 3]);
        assert_eq!(jobs.run(2).unwrap().state, State::Pending);
        let mut other = JournalWriter::open(&path(&output, 1), 1, "b").unwrap();
        other.append(&ended(2, State::Done, now() + 21.0), false);
        drop(other);
        assert_eq!(jobs.update().unwrap(), [2]);
        let record = jobs.run(2).unwrap();
        assert_eq!((record.state, record.rank, record.host.as_str()), (State::Done, 1, "b"));
        assert!(!jobs.all_ended());
        let text = jobs_text(&output, &[]).unwrap();
        assert!(text.contains("3 runs: 1 running, 2 done") && text.contains("1 lines of the journals"), "{text}");
    }
}

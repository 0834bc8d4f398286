//! An attempt of a run: folder, steps, outputs; the part of [`Runner`] that starts and ends programs.

use std::fs::File;
use std::io::{self, ErrorKind, PipeWriter};
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::Signal;

use super::argument::Place;
use super::job::{Captures, Ended, Job, Live, Phase};
use super::journal::{Event, EventEnd, State};
use super::process::{Launch, own_peak_kb, spawn};
use super::results;
use super::runner::{CROWDED, Channel, Runner};
use super::steps::{Output, StepKind, Steps};
use super::stream::{Capture, Flow, Stream};
use crate::base::clock::now;
use crate::base::outcome::Failure;

/// Longest pause between attempts, s.
const BACKOFF_MAX_S: f64 = 3600.0;

/// Why a program did not start.
enum NotStarted {
    /// The operating system has no room for it now.
    Crowded,
    /// It will not start.
    Failed(Failure),
}

impl From<Failure> for NotStarted {
    fn from(failure: Failure) -> Self {
        NotStarted::Failed(failure)
    }
}

fn place<'a>(steps: &'a Steps, job: &'a Job, dir: &'a Path) -> Place<'a> {
    Place { run: job.run, dir, config: steps.config_folder(), values: &job.values }
}

impl Runner {
    /// Makes the folder and starts the first step.
    pub(super) fn begin_attempt(&mut self, slot: usize) {
        let Some(job) = &mut self.slots[slot] else { return };
        job.step = 0;
        job.exit_code = None;
        job.signal = None;
        job.lines.clear();
        let folder = match self.folders.take(job.run) {
            Ok(folder) => folder,
            Err(error) => {
                tracing::warn!("run {}: its folder cannot be made: {error}", job.run);
                job.attempts += 1;
                self.end_attempt(slot, Some(Failure::FolderFailed));
                return;
            }
        };
        let printed = |name| self.folders.printed(job.run, &folder, name);
        job.captures = Some(Captures {
            stdout: Capture::new(printed("stdout"), self.settings.stdout_max_bytes),
            stderr: Capture::new(printed("stderr"), self.settings.stderr_max_bytes),
        });
        job.folder = Some(folder);
        job.attempts += 1;
        match self.begin_step(slot) {
            Ok(()) => {
                self.alive += 1;
                let Some(job) = &mut self.slots[slot] else { return };
                job.phase = Phase::Running;
                job.started = now();
                job.deadline = self.settings.wall_s.map(|wall| Instant::now() + Duration::from_secs_f64(wall));
                job.ticket = job.deadline.map_or(0, |deadline| self.timers.set(deadline, slot));
            }
            // another try when there is room; if no program of ours runs, others have taken it all
            Err(NotStarted::Crowded) if self.alive > 0 => {
                self.crowded = Some(Instant::now() + CROWDED);
                let Some(job) = &mut self.slots[slot] else { return };
                job.attempts -= 1;
                job.captures = None;
                if let Some(folder) = job.folder.take() {
                    self.folders.give_back(job.run, folder, false);
                }
                self.waiting.push_front((slot, job.run));
            }
            Err(NotStarted::Crowded) => self.end_attempt(slot, Some(Failure::SpawnFailed)),
            Err(NotStarted::Failed(failure)) => self.end_attempt(slot, Some(failure)),
        }
    }

    /// Starts the program of the step that is next.
    fn begin_step(&mut self, slot: usize) -> Result<(), NotStarted> {
        let Some(job) = &self.slots[slot] else { return Err(Failure::SpawnFailed.into()) };
        let folder = job.folder.as_ref().map_or(self.folders.root(), |folder| &folder.path);
        let place = place(&self.steps, job, folder);
        let step = &self.steps.steps[job.step];
        let kind = step.kind;
        let argv = step.argv(&place);
        let environment = self.steps.environment(&place, job.attempts);
        let stdin = self.steps.stdin(&place).filter(|_| kind == StepKind::Program);
        let name = argv.first().cloned().unwrap_or_default();
        let Some(program) = self.steps.find(&name, &environment) else {
            return Err(Failure::NoSuchProgram.into());
        };
        let stdin = stdin.map(open_file).transpose().map_err(|error| not_started(&error, Failure::StdinMissing))?;
        // a stream that nobody keeps or looks into needs no pipe
        let reads_stdout = self.settings.stdout_max_bytes > 0 || self.steps.outputs.iter().any(is_stdout);
        let (stdout, their_stdout) = pipe(reads_stdout)?;
        let (stderr, their_stderr) = pipe(self.settings.stderr_max_bytes > 0)?;

        let launch = Launch {
            program: &program,
            argv: &argv,
            environment: &environment,
            folder,
            stdin,
            stdout: their_stdout,
            stderr: their_stderr,
        };
        let process = spawn(launch).map_err(|error| not_started(&error, Failure::SpawnFailed))?;
        self.serial = self.serial.wrapping_add(1);
        let serial = self.serial;
        // dropping the process on an error here kills and reaps it
        let listened = process.pidfd().map_or(Ok(()), |fd| self.listen(fd, slot, serial, Channel::End));
        let streams = [(&stdout, Channel::Stdout), (&stderr, Channel::Stderr)];
        let listened = streams.into_iter().fold(listened, |before, (stream, channel)| {
            let Some(stream) = stream else { return before };
            before.and_then(|()| self.listen(stream.fd(), slot, serial, channel))
        });
        listened.map_err(|error| not_started(&error, Failure::SpawnFailed))?;

        let Some(job) = &mut self.slots[slot] else { return Err(Failure::SpawnFailed.into()) };
        let event = Event {
            created: Some(job.created),
            step: Some(kind.name()),
            pid: Some(process.pid()),
            argv: Some(argv.iter().map(|text| text.to_string_lossy().into_owned()).collect()),
            ..Event::new(job.run, State::Running, job.attempts)
        };
        job.start_line = self.journal.append(&event, true);
        job.live = Some(Live { process, serial, stdout, stderr });
        Ok(())
    }

    /// Reads what a program has printed.
    pub(super) fn program_printed(&mut self, slot: usize, channel: Channel) {
        let Some(Job { live: Some(live), captures: Some(captures), lines, .. }) = &mut self.slots[slot] else { return };
        let (stream, capture) = match channel {
            Channel::Stdout => (&mut live.stdout, &mut captures.stdout),
            _ => (&mut live.stderr, &mut captures.stderr),
        };
        let Some(open) = stream else { return };
        let flow = open.read(capture, &mut self.scratch, |bytes| {
            if channel == Channel::Stdout {
                lines.take(bytes);
            }
        });
        if flow == Flow::Closed {
            *stream = None;
        }
    }

    /// A program has ended: its group is killed, what it printed is read, and the next step starts.
    pub(super) fn program_ended(&mut self, slot: usize) {
        let Some(job) = &mut self.slots[slot] else { return };
        let Some(mut live) = job.live.take() else { return };
        // before it is reaped, so that the group's number cannot be another's by now
        live.process.signal(Signal::KILL);
        let end = match live.process.reap() {
            Ok(Some(end)) => end,
            Ok(None) => {
                job.live = Some(live);
                return;
            }
            Err(error) => {
                tracing::warn!("run {}: its end cannot be seen: {error}", job.run);
                self.end_attempt(slot, Some(Failure::SpawnFailed));
                return;
            }
        };
        if let Some(captures) = &mut job.captures {
            let lines = &mut job.lines;
            if let Some(stdout) = live.stdout.take() {
                stdout.drain(&mut captures.stdout, &mut self.scratch, |bytes| lines.take(bytes));
            }
            if let Some(stderr) = live.stderr.take() {
                stderr.drain(&mut captures.stderr, &mut self.scratch, |_| {});
            }
        }
        drop(live);
        job.exit_code = end.exit_code;
        job.signal = end.signal;
        job.cpu_s += end.cpu_s;
        if end.peak_kb > own_peak_kb() {
            job.peak_kb = job.peak_kb.max(Some(end.peak_kb));
        }
        let written = job.captures.as_ref().is_none_or(|both| !both.stdout.has_failed() && !both.stderr.has_failed());

        let kind = self.steps.steps[job.step].kind;
        let failure = match (job.phase, kind) {
            (Phase::Ending(reason), _) => Some(reason),
            _ if end.exit_code == Some(0) => (!written).then_some(Failure::FolderFailed),
            (_, StepKind::Pre(_)) => Some(Failure::PreFailed),
            (_, StepKind::Post(_)) => Some(Failure::PostFailed),
            _ if end.signal.is_some() => Some(Failure::KilledBySignal),
            _ => Some(Failure::ExitCodeNonzero),
        };
        if failure.is_none() && job.step + 1 < self.steps.steps.len() {
            job.step += 1;
            match self.begin_step(slot) {
                Ok(()) => {}
                Err(NotStarted::Failed(failure)) => self.end_attempt(slot, Some(failure)),
                Err(NotStarted::Crowded) => self.end_attempt(slot, Some(Failure::SpawnFailed)),
            }
            return;
        }
        self.end_attempt(slot, failure);
    }

    /// The attempt is over: another one after a pause, or the end of the run.
    fn end_attempt(&mut self, slot: usize, failure: Option<Failure>) {
        let Some(job) = &mut self.slots[slot] else { return };
        if matches!(job.phase, Phase::Running | Phase::Ending(_)) {
            self.alive -= 1;
        }
        job.ticket = 0;
        job.deadline = None;
        job.is_suspended = false;
        job.captures = None;
        job.phase = Phase::BackOff;
        let retry = |failure: Failure| failure.may_retry() && job.attempts <= self.settings.retries;
        let Some(failure) = failure.filter(|failure| retry(*failure)) else { return self.finish(slot, failure) };
        if let Some(folder) = job.folder.take() {
            self.folders.give_back(job.run, folder, false);
        }
        let doublings = f64::from(job.attempts.saturating_sub(1));
        let pause = (self.settings.backoff_s * doublings.exp2()).min(BACKOFF_MAX_S.max(self.settings.backoff_s));
        job.ticket = self.timers.set(Instant::now() + Duration::from_secs_f64(pause), slot);
        let end = event_end(job, Some(failure));
        let event = Event { end: Some(end), ..Event::new(job.run, State::Pending, job.attempts) };
        self.journal.append(&event, false);
    }

    /// The end of a run: its outputs, its folder, its line in the journal.
    pub(super) fn finish(&mut self, slot: usize, failure: Option<Failure>) {
        let Some(mut job) = self.slots[slot].take() else { return };
        let outputs = failure.map_or_else(|| self.outputs(&job), Err);
        let failure = outputs.as_ref().err().copied();
        let outputs = outputs.unwrap_or_else(|_| vec![f64::NAN; self.steps.outputs.len()]);
        if let Some(folder) = job.folder.take() {
            self.folders.give_back(job.run, folder, failure.is_some());
        }
        let state = match failure {
            None => State::Done,
            Some(Failure::Canceled) => State::Canceled,
            Some(_) => State::Failed,
        };
        let event = Event {
            created: Some(job.created),
            end: Some(event_end(&job, failure)),
            ..Event::new(job.run, state, job.attempts)
        };
        let time = event.time;
        self.journal.append(&event, false);
        self.release(slot, Ended { job, failure, outputs, time });
    }

    fn outputs(&self, job: &Job) -> Result<Vec<f64>, Failure> {
        let folder = job.folder.as_ref().map_or(self.folders.root(), |folder| &folder.path);
        let place = place(&self.steps, job, folder);
        let read = |output: &Output| match output {
            Output::Stdout(key) => job.lines.value(key),
            Output::Csv(file, column) => results::csv(&folder.join(file.fill(&place)), column),
            Output::Json(file, pointer) => results::json(&folder.join(file.fill(&place)), pointer),
        };
        self.steps.outputs.iter().map(read).collect()
    }
}

fn is_stdout(output: &Output) -> bool {
    matches!(output, Output::Stdout(_))
}

fn event_end(job: &Job, failure: Option<Failure>) -> EventEnd {
    EventEnd {
        exit_code: job.exit_code,
        signal: job.signal,
        cpu_s: job.cpu_s,
        peak_kb: job.peak_kb,
        failure: failure.map(|failure| failure.name().to_owned()),
    }
}

/// Opens a file to read; a FIFO is refused, since opening one would wait for its writer.
fn open_file(path: PathBuf) -> io::Result<File> {
    let kind = std::fs::metadata(&path)?.file_type();
    if kind.is_dir() || kind.is_fifo() { Err(ErrorKind::InvalidInput.into()) } else { File::open(path) }
}

fn pipe(wanted: bool) -> Result<(Option<Stream>, Option<PipeWriter>), NotStarted> {
    if !wanted {
        return Ok((None, None));
    }
    let (stream, writer) = Stream::new().map_err(|error| not_started(&error, Failure::SpawnFailed))?;
    Ok((Some(stream), Some(writer)))
}

/// What an error of the operating system means for the start of a program.
fn not_started(error: &io::Error, otherwise: Failure) -> NotStarted {
    let crowded = [Errno::AGAIN, Errno::MFILE, Errno::NFILE, Errno::NOMEM].map(|errno| Some(errno.raw_os_error()));
    if crowded.contains(&error.raw_os_error()) {
        return NotStarted::Crowded;
    }
    let nowhere = [Errno::NOENT, Errno::ACCESS, Errno::NOTDIR, Errno::NOEXEC, Errno::ISDIR, Errno::LOOP, Errno::PERM];
    let nowhere = nowhere.map(|errno| Some(errno.raw_os_error())).contains(&error.raw_os_error());
    if otherwise == Failure::SpawnFailed && nowhere {
        return Failure::NoSuchProgram.into();
    }
    otherwise.into()
}

//! The event loop of a rank: takes runs, keeps many programs at a time going, hands back what has ended.
//!
//! One thread and one epoll: a descriptor for each program's end (pidfd), its two pipes, and the
//! journal's; deadlines in a heap. Nothing is polled but the control file.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};

use super::control::{Action, ControlReader};
use super::folder::Folders;
use super::job::{Ended, Job, Phase};
use super::journal::{Event, JournalWriter, State};
use super::settings::Settings;
use super::steps::Steps;
use super::timer::Timers;
use crate::base::clock::now;
use crate::base::outcome::Failure;
use crate::base::outcome::Status;

/// How long programs are started before the others are looked after again.
const STARTING: Duration = Duration::from_millis(20);
/// Pause after the operating system had no room for another process.
pub(super) const CROWDED: Duration = Duration::from_millis(50);
/// Descriptors of a running program: its pidfd, two pipes, two files.
const DESCRIPTORS: u64 = 5;
/// Descriptors that others in this process may need.
const DESCRIPTORS_SPARE: u64 = 256;
/// Events taken from the kernel at once.
const EVENTS: usize = 1024;
/// The journal's token.
const JOURNAL: u64 = u64::MAX;

/// What a descriptor is of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    /// Readable when it has ended.
    End = 0,
    /// Its standard output.
    Stdout = 1,
    /// Its standard error.
    Stderr = 2,
}

/// A run that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Finished<'a> {
    /// Its number.
    pub run: u64,
    /// How it ended.
    pub status: Status,
    /// Why it is not ok.
    pub failure: Option<Failure>,
    /// Its parameters, as submitted.
    pub values: &'a [f64],
    /// Its outputs in the order of the settings; NaN if it is not ok.
    pub outputs: &'a [f64],
    /// The exit code of the step that ran last, if it ended itself.
    pub exit_code: Option<i32>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// CPU time of all its programs and attempts, s.
    pub cpu_s: f64,
    /// Its peak memory, KiB; none if it is not above that of this process, since the kernel then counts
    /// the moment of the start.
    pub peak_kb: Option<u64>,
    /// When it was submitted, s since 1970.
    pub created: f64,
    /// When its last attempt started, s since 1970; 0 if none did.
    pub started: f64,
    /// When it ended, s since 1970.
    pub ended: f64,
    /// Its attempts.
    pub attempts: u32,
}

/// Runs programs for a rank.
pub struct Runner {
    pub(super) settings: Settings,
    pub(super) steps: Steps,
    pub(super) journal: JournalWriter,
    pub(super) epoll: OwnedFd,
    pub(super) slots: Vec<Option<Job>>,
    free: Vec<usize>,
    /// Slots and runs that wait for an attempt; an entry is void if the slot's run is not waiting.
    pub(super) waiting: VecDeque<(usize, u64)>,
    pub(super) timers: Timers,
    pub(super) alive: usize,
    pub(super) crowded: Option<Instant>,
    pub(super) serial: u32,
    pub(super) scratch: Vec<u8>,
    ended: VecDeque<Ended>,
    pub(super) folders: Folders,
    concurrent: usize,
    control: Option<ControlReader>,
    events: Vec<epoll::Event>,
}

impl Runner {
    /// A runner for programs with these settings, which were checked; their folders are in `root`.
    pub fn new(
        settings: &Settings,
        parameters: &[String],
        root: &Path,
        rank: usize,
        journal: JournalWriter,
    ) -> io::Result<Runner> {
        let steps = Steps::new(settings, parameters, rank)
            .map_err(|problem| io::Error::new(io::ErrorKind::InvalidInput, problem))?;
        let folders = Folders::new(root, rank, settings.folder)?;
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, journal.wake(), epoll::EventData::new_u64(JOURNAL), epoll::EventFlags::IN)?;
        Ok(Runner {
            concurrent: descriptors_for(settings.concurrent),
            settings: settings.clone(),
            steps,
            journal,
            epoll,
            slots: Vec::new(),
            free: Vec::new(),
            waiting: VecDeque::new(),
            timers: Timers::default(),
            alive: 0,
            crowded: None,
            serial: 0,
            scratch: Vec::new(),
            ended: VecDeque::new(),
            folders,
            control: None,
            events: Vec::with_capacity(EVENTS),
        })
    }

    /// Obeys the orders of a control file from now on.
    pub fn watch(&mut self, control: ControlReader) {
        self.control = Some(control);
    }

    /// Programs at a time: what the settings say, or what the limit of open files allows.
    pub fn concurrent(&self) -> usize {
        self.concurrent
    }

    /// How many more runs it takes now.
    pub fn room(&self) -> usize {
        self.concurrent.saturating_sub(self.slots.len() - self.free.len())
    }

    /// Runs taken and not yet handed back.
    pub fn running(&self) -> usize {
        self.slots.len() - self.free.len() + self.ended.len()
    }

    /// Runs with a program that runs and whose start is on disk.
    pub fn started(&self) -> usize {
        let durable = self.journal.durable();
        self.slots.iter().flatten().filter(|job| job.live.is_some() && job.start_line <= durable).count()
    }

    /// Takes a run. More than there is [`room`](Self::room) for wait in memory.
    pub fn submit(&mut self, run: u64, values: &[f64]) {
        let job = Job::new(run, values, self.steps.keys(), now());
        let slot = if let Some(slot) = self.free.pop() {
            self.slots[slot] = Some(job);
            slot
        } else {
            self.slots.push(Some(job));
            self.slots.len() - 1
        };
        match self.control.as_ref().and_then(|control| control.for_run(run)) {
            Some(Action::Cancel) => self.cancel(slot),
            Some(Action::Suspend) => self.hold(slot),
            _ => self.waiting.push_back((slot, run)),
        }
    }

    /// Goes on for at most `timeout`, or until runs have ended; `sink` gets each of them. Returns how many.
    ///
    /// The error is that of the journal, or of the kernel's event queue: the sweep cannot go on.
    pub fn poll(&mut self, timeout: Duration, mut sink: impl FnMut(&Finished)) -> io::Result<usize> {
        let until = Instant::now() + timeout;
        loop {
            self.obey();
            self.start_waiting();
            self.journal.commit()?;
            self.wait(until)?;
            self.fire();
            self.journal.commit()?;
            let handed = self.hand_back(&mut sink);
            if handed > 0 || self.running() == 0 || Instant::now() >= until {
                return Ok(handed);
            }
        }
    }

    /// Cancels all runs that were taken; [`poll`](Self::poll) hands them back.
    pub fn cancel_all(&mut self) {
        for slot in 0..self.slots.len() {
            self.cancel(slot);
        }
    }

    fn obey(&mut self) {
        let now = Instant::now();
        let Some(control) = &mut self.control else { return };
        if control.next_look(now) > Duration::ZERO {
            return;
        }
        for order in control.look(now) {
            for slot in 0..self.slots.len() {
                if self.slots[slot].as_ref().is_some_and(|job| order.holds(job.run)) {
                    match order.action {
                        Action::Suspend => self.suspend(slot),
                        Action::Resume => self.resume(slot),
                        Action::Cancel => self.cancel(slot),
                    }
                }
            }
        }
    }

    fn can_start(&self) -> bool {
        self.alive < self.concurrent && !self.waiting.is_empty()
    }

    fn start_waiting(&mut self) {
        let start = Instant::now();
        if self.crowded.is_some_and(|until| until > start) {
            return;
        }
        self.crowded = None;
        while self.can_start() && self.crowded.is_none() {
            let Some((slot, run)) = self.waiting.pop_front() else { return };
            let is_valid = |job: &Job| job.run == run && job.phase == Phase::Waiting;
            if self.slots[slot].as_ref().is_some_and(is_valid) {
                self.begin_attempt(slot);
            }
            if start.elapsed() > STARTING {
                return;
            }
        }
    }

    /// Waits for events and deals with them.
    fn wait(&mut self, until: Instant) -> io::Result<()> {
        let now = Instant::now();
        let mut patience = until.saturating_duration_since(now);
        if let Some(timer) = self.timers.next(now) {
            patience = patience.min(timer);
        }
        if let Some(control) = &self.control {
            patience = patience.min(control.next_look(now));
        }
        if self.can_start() {
            patience = patience.min(self.crowded.map_or(Duration::ZERO, |until| until.saturating_duration_since(now)));
        }
        let durable = self.journal.durable();
        if self.running() == 0 || self.ended.front().is_some_and(|ended| ended.job.start_line <= durable) {
            patience = Duration::ZERO;
        }

        let timeout = Timespec { tv_sec: patience.as_secs() as i64, tv_nsec: patience.subsec_nanos().into() };
        let mut events = std::mem::take(&mut self.events);
        events.clear();
        let waited = epoll::wait(&self.epoll, spare_capacity(&mut events), Some(&timeout));
        match waited {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for event in &events {
            let token = event.data.u64();
            if token == JOURNAL {
                self.journal.clear_wake();
            } else {
                self.dispatch(token);
            }
        }
        self.events = events;
        Ok(())
    }

    fn dispatch(&mut self, token: u64) {
        let (serial, slot) = ((token >> 32) as u32, ((token & 0xffff_ffff) >> 2) as usize);
        let live = self.slots.get(slot).and_then(Option::as_ref).and_then(|job| job.live.as_ref());
        // a program that ended earlier in this batch of events has no more of them
        if live.is_none_or(|live| live.serial != serial) {
            return;
        }
        match token & 3 {
            0 => self.program_ended(slot),
            1 => self.program_printed(slot, Channel::Stdout),
            _ => self.program_printed(slot, Channel::Stderr),
        }
    }

    /// Registers a descriptor of the program in a slot.
    pub(super) fn listen(&self, fd: impl AsFd, slot: usize, serial: u32, channel: Channel) -> io::Result<()> {
        let token = u64::from(serial) << 32 | (slot as u64) << 2 | channel as u64;
        Ok(epoll::add(&self.epoll, fd, epoll::EventData::new_u64(token), epoll::EventFlags::IN)?)
    }

    /// Deals with the deadlines that have passed.
    fn fire(&mut self) {
        let now = Instant::now();
        while let Some((ticket, slot)) = self.timers.pop(now) {
            let Some(job) = self.slots[slot].as_mut().filter(|job| job.ticket == ticket) else { continue };
            job.ticket = 0;
            match job.phase {
                Phase::BackOff => {
                    job.phase = Phase::Waiting;
                    self.waiting.push_back((slot, job.run));
                }
                Phase::Running => self.end(slot, Failure::WallLimit),
                Phase::Ending(_) => {
                    if let Some(live) = &job.live {
                        live.process.signal(Signal::KILL);
                    }
                }
                Phase::Waiting | Phase::Held => {}
            }
        }
        let slots = &self.slots;
        let is_valid = |ticket, slot: usize| slots[slot].as_ref().is_some_and(|job| job.ticket == ticket);
        self.timers.tidy(slots.len(), is_valid);
    }

    /// Tells the program of a run to end: TERM, and KILL when the grace is over.
    fn end(&mut self, slot: usize, reason: Failure) {
        let grace = Instant::now() + Duration::from_secs_f64(self.settings.grace_s);
        let Some(job) = &mut self.slots[slot] else { return };
        let Some(live) = &job.live else { return };
        live.process.signal(Signal::TERM);
        live.process.signal(Signal::CONT);
        job.is_suspended = false;
        job.phase = Phase::Ending(reason);
        job.ticket = self.timers.set(grace, slot);
    }

    fn cancel(&mut self, slot: usize) {
        let Some(job) = &mut self.slots[slot] else { return };
        match job.phase {
            Phase::Waiting | Phase::Held | Phase::BackOff => self.finish(slot, Some(Failure::Canceled)),
            Phase::Running => self.end(slot, Failure::Canceled),
            // already on its way out: only the reason changes, and with it that there is no other attempt
            Phase::Ending(_) => job.phase = Phase::Ending(Failure::Canceled),
        }
    }

    fn hold(&mut self, slot: usize) {
        let Some(job) = &mut self.slots[slot] else { return };
        job.phase = Phase::Held;
        job.ticket = 0;
        self.journal.append(&Event::new(job.run, State::Suspended, job.attempts), false);
    }

    fn suspend(&mut self, slot: usize) {
        let Some(job) = &mut self.slots[slot] else { return };
        match job.phase {
            Phase::Waiting | Phase::BackOff => self.hold(slot),
            Phase::Running if !job.is_suspended => {
                if let Some(live) = &job.live {
                    live.process.signal(Signal::STOP);
                }
                let now = Instant::now();
                job.is_suspended = true;
                job.left = job.deadline.map(|deadline| deadline.saturating_duration_since(now));
                job.ticket = 0;
                self.journal.append(&Event::new(job.run, State::Suspended, job.attempts), false);
            }
            _ => {}
        }
    }

    fn resume(&mut self, slot: usize) {
        let Some(job) = &mut self.slots[slot] else { return };
        match (job.phase, job.is_suspended) {
            (Phase::Held, _) => {
                job.phase = Phase::Waiting;
                self.waiting.push_back((slot, job.run));
                self.journal.append(&Event::new(job.run, State::Pending, job.attempts), false);
            }
            (Phase::Running, true) => {
                job.is_suspended = false;
                job.deadline = job.left.map(|left| Instant::now() + left);
                job.ticket = job.deadline.map_or(0, |deadline| self.timers.set(deadline, slot));
                if let Some(live) = &job.live {
                    live.process.signal(Signal::CONT);
                }
                self.journal.append(&Event::new(job.run, State::Running, job.attempts), false);
            }
            _ => {}
        }
    }

    /// Empties a slot; its run is handed back when its start is on disk.
    pub(super) fn release(&mut self, slot: usize, ended: Ended) {
        self.free.push(slot);
        self.ended.push_back(ended);
    }

    fn hand_back(&mut self, sink: &mut impl FnMut(&Finished)) -> usize {
        let durable = self.journal.durable();
        let mut handed = 0;
        while let Some(ended) = self.ended.pop_front() {
            if ended.job.start_line > durable {
                self.ended.push_front(ended);
                break;
            }
            let Ended { job, failure, outputs, time } = ended;
            sink(&Finished {
                run: job.run,
                status: failure.map_or(Status::Ok, Failure::status),
                failure,
                values: &job.values,
                outputs: &outputs,
                exit_code: job.exit_code,
                signal: job.signal,
                cpu_s: job.cpu_s,
                peak_kb: job.peak_kb,
                created: job.created,
                started: job.started,
                ended: time,
                attempts: job.attempts,
            });
            handed += 1;
        }
        handed
    }
}

impl Drop for Runner {
    /// Kills and reaps what still runs; the journal keeps it as running, to be run again.
    fn drop(&mut self) {
        for job in self.slots.iter().flatten() {
            if let Some(live) = &job.live {
                live.process.signal(Signal::KILL);
            }
        }
        self.slots.clear();
    }
}

/// Raises the soft limit of open files as far as `concurrent` programs need it and the hard limit allows;
/// returns how many there can be.
fn descriptors_for(concurrent: usize) -> usize {
    let needed = concurrent as u64 * DESCRIPTORS + DESCRIPTORS_SPARE;
    let limit = getrlimit(Resource::Nofile);
    let mut soft = limit.current.unwrap_or(u64::MAX);
    if soft < needed {
        let raised = needed.min(limit.maximum.unwrap_or(u64::MAX));
        if setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum: limit.maximum }).is_ok() {
            soft = raised;
        }
    }
    let most = (soft.saturating_sub(DESCRIPTORS_SPARE) / DESCRIPTORS).max(1) as usize;
    if most < concurrent {
        tracing::warn!(
            "{most} programs at a time instead of {concurrent}: the limit of open files is {soft} (ulimit -n)"
        );
    }
    concurrent.min(most)
}

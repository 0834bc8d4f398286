//! The story of a sweep: load, plan, make the file, dispatch, write, finish.
//!
//! The only module that knows every layer, and the only one with collective calls, in one visible order:
//! every rank walks through [`fly`] from top to bottom, once for the sweep and once for each stage; `chunks`,
//! `programs` and `graphs` are its middle, one for each way in which runs are shared. A phase that can fail on one rank alone ends
//! in [`together`], so that all ranks leave it with the same answer.

use std::path::Path;
use std::time::{Duration, Instant};

mod chunks;
mod ending;
mod graphs;
mod inputs;
mod lead;
mod programs;
mod silence;
mod stages;
mod telling;

use self::ending::Ending;
use self::silence::LeaderSilence;
use crate::base::lanes::{Isa, Vectors};
use crate::base::problem::Problem;
use crate::cli::{
    EXIT_INTERRUPTED, EXIT_MACHINE, EXIT_OK, EXIT_SOME_NOT_OK, Resume, RunArguments, Stop, machine, refused,
};
use crate::comm::{World, launch_problem};
use crate::config::Lanes;
use crate::output::{self, Place, Reused};
use crate::plan::{FAILURES_MAX, Plan, Sources, shown};
use crate::report::format::{count, say};
use crate::report::progress::Progress;
use crate::report::summary::{Figures, RankFigures};
use crate::report::{dry_run, log, look};
use crate::schedule::crew::Crew;
use crate::schedule::flush::FlushClock;
use crate::schedule::interrupt::{Interrupt, Urgency};
use crate::schedule::leader::Sending;
use crate::schedule::programs::Programs;
use crate::schedule::remaining::Remaining;
use crate::schedule::worker::Worker;
use crate::store::{RowBlock, Writer, publish};
use crate::workload::command::control;
use crate::workload::command::workload::CommandWorkload;

/// How long a rank with trouble waits for rank 0 to end the job.
const ALONE: Duration = Duration::from_secs(10);
/// How long all ranks may take to open or close the result file together, where `--hang-timeout` does not say it.
const TOGETHER_MAX: Duration = Duration::from_secs(600);

/// Prints the plan: no MPI, no file.
pub fn print_plan(arguments: &RunArguments) -> Result<u8, Stop> {
    let texts: Vec<String> = plans_alone(arguments)?.iter().map(dry_run::text).collect();
    say(&texts.join("\n"));
    Ok(EXIT_OK)
}

/// Flies the runs of `--only` of the first sweep and prints them: no MPI, no file but their ephemerides.
pub fn print_runs(arguments: &RunArguments) -> Result<u8, Stop> {
    let plan = plans_alone(arguments)?.swap_remove(0);
    let only = arguments.only.clone().unwrap_or_default();
    only.check(plan.layout.runs).map_err(refused)?;
    let ephemerides = arguments.ephemerides.as_deref();
    let ephemerides = ephemerides.map(|folder| look::Ephemerides::new(&plan, &only, folder, arguments.overwrite));
    let ephemerides = ephemerides.transpose().map_err(refused)?;
    let (text, not_ok) = look::text(&plan, &only, vectors(&plan), ephemerides.as_ref())?;
    say(&text);
    Ok(if not_ok == 0 { EXIT_OK } else { EXIT_SOME_NOT_OK })
}

fn plans_alone(arguments: &RunArguments) -> Result<Vec<Plan>, Stop> {
    log::start(arguments.verbosity, arguments.log_format, true);
    let sources = Sources::read(&arguments.config).map_err(refused)?;
    Plan::all(&sources, arguments).map_err(refused)
}

/// Flies a sweep into its file; every rank calls it. Rank 0 says what there is to say, and its exit
/// code is the job's.
///
/// The others end with 0: a launcher kills the rest of a job as soon as one rank ends with another code,
/// and rank 0 might still be speaking.
pub fn fly(arguments: &RunArguments, start: Instant) -> Result<u8, Stop> {
    let world = World::init().map_err(machine)?;
    if let Some(problem) = launch_problem(world.size(), |name| std::env::var(name).ok()) {
        return Err(refused(problem));
    }
    let leads = world.rank() == 0;
    log::start(arguments.verbosity, arguments.log_format, leads);
    let code = fly_in(&world, arguments, start).unwrap_or_else(|stop| {
        if stop.code == EXIT_MACHINE {
            leave(&world, &stop);
        }
        if leads {
            eprint!("{}", stop.text);
        }
        stop.code
    });
    world.finalize();
    Ok(if leads { code } else { EXIT_OK })
}

/// Ends all ranks after trouble with the machine or a file, and not by the end of MPI: there HDF5 closes what a failed
/// write has left open, and waits for other ranks or crashes. Rank 0 speaks; another rank only if it is alone with its
/// trouble.
fn leave(world: &World, stop: &Stop) -> ! {
    if world.rank() > 0 {
        std::thread::sleep(ALONE);
    }
    eprint!("{}", stop.text);
    if world.size() == 1 {
        std::process::exit(stop.code.into());
    }
    world.abort(stop.code.into())
}

fn fly_in(world: &World, arguments: &RunArguments, start: Instant) -> Result<u8, Stop> {
    let interrupt = together(world, "listening for signals", Interrupt::listen(EXIT_INTERRUPTED).map_err(machine))?;
    let sources = inputs::load(world, arguments)?;
    let plans = together(world, "planning", Plan::all(&sources, arguments).map_err(refused))?;
    inputs::tell_ignored(&plans);
    let made = if world.rank() == 0 { places(world, &plans, arguments) } else { Ok(Vec::new()) };
    let mut places = together(world, "making the result file", made)?.into_iter();
    let job = Job { world, arguments, interrupt, launched: start };
    let (mut code, mut start) = (EXIT_OK, start);
    for (number, plan) in plans.iter().enumerate() {
        if let Some(stage) = &plan.config.stage {
            tracing::info!("stage {}", stage.name.value);
        }
        stages::take_results(world, plan, number.checked_sub(1).map(|before| &plans[before]))?;
        let hint = |stop: Stop| Stop { text: stop.text + "--resume goes on from the last flush round\n", ..stop };
        code = code.max(job.fly_sweep(plan, places.next(), start).map_err(hint)?);
        if code == EXIT_INTERRUPTED {
            break;
        }
        start = Instant::now();
    }
    Ok(code)
}

/// What all sweeps of the job have in common.
struct Job<'a> {
    world: &'a World,
    arguments: &'a RunArguments,
    interrupt: Interrupt,
    /// When the program was started.
    launched: Instant,
}

impl Job<'_> {
    /// Flies what is left of one sweep into the file that was made for it; the place, on rank 0, ends with it.
    fn fly_sweep(&self, plan: &Plan, place: Option<Place>, start: Instant) -> Result<u8, Stop> {
        let (world, leads) = (self.world, self.world.rank() == 0);
        let is_complete = world.all_reduce_max(u64::from(place.as_ref().is_some_and(|place| place.is_complete)));
        let (remaining, reused, lock) = match place {
            Some(Place { remaining, reused, lock, .. }) => (remaining, reused, Some(lock)),
            None => (Remaining::default(), Reused::default(), None),
        };
        if is_complete != 0 {
            return Ok(if leads { nothing_to_do(plan, &reused) } else { EXIT_OK });
        }
        let opening = Instant::now();
        let partial = output::partial_path(plan);
        let mut writer = self.open(&partial, plan)?;
        let mut write = opening.elapsed();

        let empty = RowBlock::new(&plan.layout).of_rank(world.rank());
        let crew = crew(world, plan, &empty, &self.interrupt);
        let mut crew = together(world, "starting the workers", crew)?;
        let to_fly = remaining.left();
        let Reused { ok: reused_ok, not_ok: reused_not_ok, failures: reused_failures } = reused;
        if reused_ok + reused_not_ok > 0 {
            let reused = count(reused_ok + reused_not_ok);
            tracing::info!("{reused} runs are there already, {} are flown", count(to_fly));
        }
        let progress = leads.then(|| Progress::new(to_fly, self.arguments.verbosity, self.arguments.log_format));
        let started = start.elapsed().saturating_sub(write);
        let flying = Instant::now();
        let mut sweep = Sweep {
            job: self,
            world,
            plan,
            crew: &mut crew,
            writer: &mut writer,
            rows: empty,
            remaining,
            ending: self.ending(),
            has_told: false,
            leader_silence: LeaderSilence::default(),
            sendings: Vec::new(),
            progress,
            log: Log::default(),
        };
        match (world.size(), plan.workload.graphs(), leads) {
            (1, _, _) => sweep.fly_alone()?,
            (_, Some(graphs), true) => sweep.lead_graphs(graphs)?,
            (_, Some(graphs), false) => sweep.work_graphs(graphs)?,
            (_, None, true) => sweep.lead()?,
            (_, None, false) => sweep.work()?,
        }
        let flown = flying.elapsed();
        let reason = (sweep.ending.is_winding_up() && sweep.log.ended() < to_fly).then(|| sweep.ending.reason());
        let Log { ok, not_ok, mut figures, rounds } = sweep.log;
        let ended = if leads { ok + not_ok } else { to_fly };
        let all = if ended == to_fly || reason.is_some() {
            Ok(())
        } else {
            Err(machine(format!("{ended} of {to_fly} runs ended")))
        };
        together(world, "counting the runs that were handed out", all)?;
        let is_over = world.all_reduce_max(u64::from(reason.is_some())) == 0;
        figures.wall_s = flown.as_secs_f64();

        let closing = Instant::now();
        let mut failures = crew.failures();
        failures.extend(reused_failures);
        let failures = telling::gather_failures(world, plan, &failures)?;
        writer.write_failures(world, &failures).map_err(machine)?;
        let cause = writer.no_collective_cause();
        if cause != 0 {
            tracing::warn!("some raw writes were not collective (cause {cause:#x})");
        }
        self.watching(&partial, "closed", || writer.close(world).map_err(machine))?;
        let published = if leads && is_over { publish(&partial, &plan.output).map_err(machine) } else { Ok(()) };
        together(world, "naming the result file", published)?;
        drop(lock);
        let round_time = Duration::from_secs_f64(figures.write_s);
        write += closing.elapsed() + round_time;

        let ranks = telling::gather_figures(world, &figures)?;
        if leads {
            let figures = Figures {
                ok,
                not_ok,
                reused: reused_ok + reused_not_ok,
                interrupted: reason.map(|reason| (reason, to_fly - ended)),
                failures: failures.into_iter().map(|(run, message)| (run as u64, message)).collect(),
                start: started,
                fly: flown.saturating_sub(round_time),
                write,
                wall: start.elapsed(),
                rounds,
                threads: plan.threads,
                ranks,
            };
            telling::tell(plan, self.arguments, &figures);
        }
        Ok(match (is_over, not_ok + reused_not_ok) {
            (false, _) => EXIT_INTERRUPTED,
            (true, 0) => EXIT_OK,
            (true, _) => EXIT_SOME_NOT_OK,
        })
    }

    /// All ranks open the result file.
    fn open(&self, partial: &Path, plan: &Plan) -> Result<Writer, Stop> {
        let open = || Writer::open(partial, self.world, &plan.layout).map_err(machine);
        let writer = self.watching(partial, "opened", open)?;
        Ok(if plan.config.checkpoint.sync { writer } else { writer.without_waiting_for_the_disk() })
    }

    /// All ranks are in the library at once: where it fails on one, the others would wait in it for ever.
    fn watching<T>(&self, file: &Path, what: &str, act: impl FnOnce() -> Result<T, Stop>) -> Result<T, Stop> {
        let limit = self.arguments.hang_timeout.unwrap_or(TOGETHER_MAX);
        let message = format!("{}: not {what} by all ranks within {limit:?}: aborted", file.display());
        let watch = self.world.watch(limit, EXIT_MACHINE, message).map_err(machine);
        let _watch = together(self.world, "watching", watch)?;
        act()
    }

    fn ending(&self) -> Ending {
        let job_end = std::env::var("SLURM_JOB_END_TIME").ok();
        Ending::new(self.interrupt.clone(), self.launched, self.arguments.max_time, job_end.as_deref())
    }
}

/// The file is complete already; the exit code of its sweep.
fn nothing_to_do(plan: &Plan, reused: &Reused) -> u8 {
    let runs = count(plan.layout.runs);
    say(&format!("{}: all {runs} runs are there, nothing to do\n", shown(&plan.output)));
    if reused.not_ok == 0 { EXIT_OK } else { EXIT_SOME_NOT_OK }
}

/// Rank 0 makes or takes up the files of all sweeps before the first run; of new ones all or none.
fn places(world: &World, plans: &[Plan], arguments: &RunArguments) -> Result<Vec<Place>, Stop> {
    if let Some(Resume { auto: false, .. }) = &arguments.resume
        && !plans.iter().any(output::is_there)
    {
        let problem = Problem::of(&shown(&plans[0].output), "there is nothing to resume: neither it nor its .partial");
        return Err(refused(problem.help("leave out --resume, or give --resume=auto, which begins the sweep then")));
    }
    let mut places = Vec::new();
    for plan in plans {
        let place = match &arguments.resume {
            Some(resume) => output::glance(plan).and_then(|()| output::take_up(plan, &world.host(), resume)),
            None => output::make(plan, &world.host(), arguments.overwrite),
        };
        // orders to runs of an earlier job of this name are forgotten
        let place = place.and_then(|place| control::remove(&plan.output).map(|()| place).map_err(machine));
        match place {
            Ok(place) => places.push(place),
            Err(stop) => {
                for (place, made) in places.iter().zip(plans).filter(|(place, _): &(&Place, _)| place.is_new) {
                    let _ = (place, std::fs::remove_file(output::partial_path(made)));
                }
                return Err(stop);
            }
        }
    }
    Ok(places)
}

/// What flies the runs of this rank.
fn crew<'a>(world: &World, plan: &'a Plan, empty: &RowBlock, interrupt: &Interrupt) -> Result<Crew<'a>, Stop> {
    if world.size() > 1 && (world.rank() == 0 || plan.workload.graphs().is_some()) {
        return Ok(Crew::Nobody(Vec::new()));
    }
    let design = plan.design.as_ref();
    if let Some(commands) = CommandWorkload::of(plan.workload.as_ref()) {
        let runner = commands.runner(&plan.output, world.rank(), &world.host()).map_err(machine)?;
        let programs = Programs::new(runner, design, empty.clone(), FAILURES_MAX as usize);
        return Ok(Crew::Programs(Box::new(programs)));
    }
    let workload = plan.workload.as_ref();
    let failures_max = FAILURES_MAX as usize;
    let worker = Worker::new(workload, design, vectors(plan), plan.threads, empty, failures_max, interrupt.clone());
    worker.map(Crew::Threads).map_err(machine)
}

/// What a rank notes while the sweep flies.
#[derive(Default)]
struct Log {
    ok: u64,
    not_ok: u64,
    rounds: u64,
    figures: RankFigures,
}

/// A rank while the sweep flies.
struct Sweep<'a, 'p> {
    job: &'a Job<'a>,
    world: &'a World,
    plan: &'a Plan,
    crew: &'a mut Crew<'p>,
    writer: &'a mut Writer,
    rows: RowBlock,
    /// What is still to be handed out; on rank 0.
    remaining: Remaining,
    ending: Ending,
    /// The leader has been told of the signal that came to this rank.
    has_told: bool,
    leader_silence: LeaderSilence,
    /// Orders to be sent; empty between two reports.
    sendings: Vec<Sending>,
    progress: Option<Progress>,
    log: Log,
}

impl Log {
    fn ended(&self) -> u64 {
        self.ok + self.not_ok
    }
}

impl Sweep<'_, '_> {
    fn clock(&self) -> FlushClock {
        let checkpoint = self.plan.config.checkpoint;
        let interval = Duration::from_secs_f64(checkpoint.interval_s);
        FlushClock::new(Instant::now(), interval, checkpoint.rows, self.plan.row_bytes())
    }

    fn send(&self, sendings: &[Sending]) {
        for (rank, order) in sendings {
            self.world.send_order(*rank, order);
        }
    }

    /// A flush round: all ranks write the rows they have, collectively. What it took the workers on average, their
    /// waiting for each other included.
    fn flush(&mut self) -> Result<Duration, Stop> {
        let start = Instant::now();
        self.crew.take_rows(&mut self.rows);
        let cost = self.writer.flush_round(self.world, &mut self.rows).map_err(machine)?;
        let took = start.elapsed();
        let works = self.world.size() == 1 || self.world.rank() > 0;
        let of_workers = self.world.all_reduce_sum(if works { took.as_nanos() as u64 } else { 0 });
        let workers = (self.world.size() as u64 - 1).max(1);
        self.log.figures.write_s += took.as_secs_f64();
        self.log.rounds += 1;
        tracing::debug!(rows = cost.rows, "flush round: {took:?} with the waiting for all ranks, {cost:?}");
        Ok(Duration::from_nanos(of_workers / workers))
    }

    /// Looks for a word of the leader.
    fn look(&self) {
        let interrupt = &self.job.interrupt;
        let word = self.world.word().map(|word| if word == 1 { Urgency::WindUp } else { Urgency::Drop });
        if let Some(urgency) = word {
            interrupt.tell(urgency);
            self.leader_silence.heard();
        } else if let (1, Some(signal), Urgency::Drop) = (self.world.rank(), interrupt.signal(), interrupt.urgency())
            && self.leader_silence.is_too_long(Instant::now())
        {
            eprintln!("rank 1: {signal}, and rank 0 is silent: --resume goes on from the last flush round");
        }
    }

    fn show(&mut self, done: u64) {
        if let Some(progress) = &mut self.progress {
            progress.update(done, self.log.not_ok);
        }
    }

    fn finish_progress(&mut self) {
        if let Some(progress) = self.progress.take() {
            progress.finish();
        }
    }
}

/// The lanes that a plan flies in on this machine.
fn vectors(plan: &Plan) -> Vectors {
    let width = match plan.lanes {
        Lanes::One => 1,
        Lanes::Four => 4,
        Lanes::Eight | Lanes::Auto => 8,
    };
    Vectors::new(Isa::best(), width)
}

/// All ranks leave a phase with the same answer: theirs if all went well, else the first failure's
/// message and code. Collective.
fn together<T>(world: &World, phase: &str, mine: Result<T, Stop>) -> Result<T, Stop> {
    let code = world.all_reduce_max(mine.as_ref().err().map_or(0, |stop| u64::from(stop.code)));
    let own = mine.as_ref().err().map(|stop| stop.text.clone());
    match world.agree(phase, mine.map_err(|stop| stop.text.trim_end().to_owned())) {
        Ok(value) => Ok(value),
        Err(disagreement) => {
            // rank 0 speaks: its own message as it is, another rank's with that rank's number
            let text = own.unwrap_or_else(|| format!("{disagreement}\n"));
            Err(Stop { code: code as u8, text })
        }
    }
}

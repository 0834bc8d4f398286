//! The story of a sweep: load, plan, make the file, dispatch, write, finish.
//!
//! The only file that knows every layer, and the only one with collective calls, in one visible order:
//! every rank walks through [`fly`] from top to bottom. A phase that can fail on one rank alone ends
//! in [`together`], so that all ranks leave it with the same answer.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::base::lanes::{Isa, Vectors};
use crate::base::outcome::Failure;
use crate::cli::{EXIT_OK, EXIT_SOME_NOT_OK, RunArguments, Stop, machine, refused};
use crate::comm::{Order, Report, World, launch_problem};
use crate::config::{Chunk, Lanes};
use crate::output;
use crate::plan::{FAILURES_MAX, Plan, Sources, shown};
use crate::report::format::say;
use crate::report::progress::Progress;
use crate::report::summary::{Figures, RankFigures};
use crate::report::{dry_run, log, look, sidecar, summary};
use crate::schedule::flush::FlushClock;
use crate::schedule::leader::{ChunkSize, Leader, Sending};
use crate::schedule::worker::{Tally, Worker};
use crate::store::{RowBlock, Writer, publish};

/// How often the leader looks at the clock while no report comes.
const PATIENCE: Duration = Duration::from_millis(100);
/// How long a process alone flies between two looks at the clock.
const SOLO_CHUNK: f64 = 0.05;

/// Prints the plan: no MPI, no file.
pub fn print_plan(arguments: &RunArguments) -> Result<u8, Stop> {
    let plan = plan_alone(arguments)?;
    say(&dry_run::text(&plan));
    Ok(EXIT_OK)
}

/// Flies the runs of `--only` and prints them: no MPI, no file.
pub fn print_runs(arguments: &RunArguments) -> Result<u8, Stop> {
    let plan = plan_alone(arguments)?;
    let only = arguments.only.clone().unwrap_or_default();
    only.check(plan.layout.runs).map_err(refused)?;
    let (text, not_ok) = look::text(&plan, &only, vectors(&plan));
    say(&text);
    Ok(if not_ok == 0 { EXIT_OK } else { EXIT_SOME_NOT_OK })
}

fn plan_alone(arguments: &RunArguments) -> Result<Plan, Stop> {
    log::start(arguments.verbosity, arguments.log_format, true);
    let sources = Sources::read(&arguments.config).map_err(refused)?;
    Plan::new(&sources, arguments).map_err(refused)
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
        if leads {
            eprint!("{}", stop.text);
        }
        stop.code
    });
    world.finalize();
    Ok(if leads { code } else { EXIT_OK })
}

fn fly_in(world: &World, arguments: &RunArguments, start: Instant) -> Result<u8, Stop> {
    let leads = world.rank() == 0;

    let sources = load(world, arguments)?;
    let plan = together(world, "planning", Plan::new(&sources, arguments).map_err(refused))?;
    tell_ignored(&plan);

    let making = Instant::now();
    let made = if leads { output::make(&plan, &world.host(), arguments.overwrite).map(Some) } else { Ok(None) };
    let lock = together(world, "making the result file", made)?;
    let partial = output::partial_path(&plan);
    let mut writer = Writer::open(&partial, world, &plan.layout).map_err(machine)?;
    let mut write = making.elapsed();

    let empty = RowBlock::new(&plan.layout);
    let worker = Worker::new(
        plan.workload.as_ref(),
        plan.design.as_ref(),
        vectors(&plan),
        plan.threads,
        &empty,
        FAILURES_MAX as usize,
    );
    let worker = together(world, "starting the threads", worker.map_err(machine))?;
    let progress = leads.then(|| Progress::new(plan.layout.runs, arguments.verbosity, arguments.log_format));
    let started = start.elapsed().saturating_sub(write);
    let flying = Instant::now();
    let mut sweep =
        Sweep { world, plan: &plan, worker: &worker, writer: &mut writer, rows: empty, progress, log: Log::default() };
    match (world.size(), leads) {
        (1, _) => sweep.fly_alone()?,
        (_, true) => sweep.lead()?,
        (_, false) => sweep.work()?,
    }
    let flown = flying.elapsed();
    let Log { ok, not_ok, mut figures, rounds } = sweep.log;
    figures.wall_s = flown.as_secs_f64();

    let closing = Instant::now();
    let failures = gather_failures(world, &plan, &worker)?;
    writer.write_failures(world, &failures).map_err(machine)?;
    let cause = writer.no_collective_cause();
    if cause != 0 {
        tracing::warn!("some raw writes were not collective (cause {cause:#x})");
    }
    writer.close(world).map_err(machine)?;
    let published = if leads { publish(&partial, &plan.output).map_err(machine) } else { Ok(()) };
    together(world, "naming the result file", published)?;
    drop(lock);
    let round_time = Duration::from_secs_f64(figures.write_s);
    write += closing.elapsed() + round_time;

    let ranks = gather_figures(world, &figures)?;
    if leads {
        let figures = Figures {
            ok,
            not_ok,
            failures: failures.into_iter().map(|(run, message)| (run as u64, message)).collect(),
            start: started,
            fly: flown.saturating_sub(round_time),
            write,
            wall: start.elapsed(),
            rounds,
            threads: plan.threads,
            ranks,
        };
        tell(&plan, arguments, &figures);
    }
    Ok(if not_ok == 0 { EXIT_OK } else { EXIT_SOME_NOT_OK })
}

/// Rank 0 reads the config and the script; all get the bytes.
fn load(world: &World, arguments: &RunArguments) -> Result<Sources, Stop> {
    let read = if world.rank() == 0 { Sources::read(&arguments.config) } else { Ok(Sources::default()) };
    let mut sources = together(world, "reading the config", read.map_err(refused))?;
    let mut texts = [
        sources.config_file.clone().into_bytes(),
        sources.folder.clone().into_os_string().into_encoded_bytes(),
        std::mem::take(&mut sources.config),
        std::mem::take(&mut sources.script),
    ];
    for bytes in &mut texts {
        world.broadcast_bytes(bytes);
    }
    let [file, folder, config, script] = texts;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(Sources { config_file: text(file), folder: PathBuf::from(text(folder)), config, script })
}

/// What of the script has no effect on the numbers: the first lines in one, all of them with `-v`.
fn tell_ignored(plan: &Plan) {
    const SHOWN: usize = 3;
    let ignored = plan.workload.ignored();
    let script = plan.config.mission.as_ref().map_or(String::new(), |mission| shown(&mission.script.value));
    if let Some(more) = ignored.len().checked_sub(1) {
        let first = ignored[..ignored.len().min(SHOWN)].join("; ");
        let rest =
            if more >= SHOWN { format!("; and {} more (-v lists them)", ignored.len() - SHOWN) } else { String::new() };
        tracing::info!("{script}: without effect on the numbers: {first}{rest}");
    }
    for line in ignored {
        tracing::debug!("{script}: {line}");
    }
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
    world: &'a World,
    plan: &'a Plan,
    worker: &'a Worker<'p>,
    writer: &'a mut Writer,
    rows: RowBlock,
    progress: Option<Progress>,
    log: Log,
}

impl Sweep<'_, '_> {
    /// Rank 0: hands out chunks until all are flown.
    fn lead(&mut self) -> Result<(), Stop> {
        let chunk = match self.plan.config.schedule.chunk {
            Chunk::Auto => ChunkSize::Auto { bundle: self.bundle() },
            Chunk::Runs(runs) => ChunkSize::Fixed(runs),
        };
        let mut leader = Leader::new(self.plan.layout.runs, self.world.size() - 1, chunk);
        let mut clock = self.clock();
        self.send(&leader.start());
        while !leader.is_done() {
            if let Some((rank, report)) = self.world.try_receive_report(PATIENCE) {
                self.log.ok += report.ok;
                self.log.not_ok += report.not_ok;
                // a broken protocol is a bug: the hook ends all ranks
                let sendings = leader.report(rank, &report).unwrap_or_else(|error| panic!("{error}"));
                self.send(&sendings);
            }
            self.show(leader.done());
            if clock.is_due(Instant::now(), leader.done()) && !leader.is_done() {
                self.send(&leader.flush());
                self.flush()?;
                clock.flushed(Instant::now(), leader.done());
            }
        }
        self.flush()?;
        self.finish_progress();
        Ok(())
    }

    /// The other ranks: fly what comes, until the stop.
    fn work(&mut self) -> Result<(), Stop> {
        loop {
            let waiting = Instant::now();
            let order = self.world.receive_order();
            let waited = waiting.elapsed();
            self.log.figures.wait_s += waited.as_secs_f64();
            match order.kind {
                Order::FLY => {
                    let tally = self.chunk(order.first, order.count);
                    let report = Report {
                        first: order.first,
                        count: order.count,
                        ok: tally.ok,
                        not_ok: tally.not_ok,
                        busy_ns: tally.busy.as_nanos() as u64,
                        wait_ns: waited.as_nanos() as u64,
                    };
                    self.world.send_report(&report);
                }
                Order::FLUSH => self.flush()?,
                _ => return self.flush(),
            }
        }
    }

    /// One process does everything.
    fn fly_alone(&mut self) -> Result<(), Stop> {
        let runs = self.plan.layout.runs;
        let bundle = self.bundle();
        let (mut done, mut count) = (0, bundle);
        let mut clock = self.clock();
        while done < runs {
            let chunk = match self.plan.config.schedule.chunk {
                Chunk::Auto => count,
                Chunk::Runs(runs) => runs,
            };
            let chunk = chunk.min(runs - done).min(clock.room(done));
            let tally = self.chunk(done, chunk);
            done += chunk;
            self.log.ok += tally.ok;
            self.log.not_ok += tally.not_ok;
            let wanted = SOLO_CHUNK / (tally.busy.as_secs_f64() / chunk as f64).max(1e-12);
            count = (wanted as u64).clamp(bundle, 8 * count).next_multiple_of(bundle);
            self.show(done);
            if clock.is_due(Instant::now(), done) && done < runs {
                self.flush()?;
                clock.flushed(Instant::now(), done);
            }
        }
        self.flush()?;
        self.finish_progress();
        Ok(())
    }

    /// Runs that this rank has in hand at once.
    fn bundle(&self) -> u64 {
        self.plan.workload.side_by_side(vectors(self.plan)) * self.plan.threads as u64
    }

    fn clock(&self) -> FlushClock {
        let checkpoint = self.plan.config.checkpoint;
        let interval = Duration::from_secs_f64(checkpoint.interval_s);
        FlushClock::new(Instant::now(), interval, checkpoint.rows, self.plan.row_bytes())
    }

    fn chunk(&mut self, first: u64, count: u64) -> Tally {
        let tally = self.worker.fly(first..first + count);
        self.log.figures.busy_s += tally.busy.as_secs_f64();
        self.log.figures.runs += count;
        self.log.figures.chunks += 1;
        tally
    }

    fn send(&self, sendings: &[Sending]) {
        for (rank, order) in sendings {
            self.world.send_order(*rank, order);
        }
    }

    /// A flush round: all ranks write the rows they have, collectively.
    fn flush(&mut self) -> Result<(), Stop> {
        let start = Instant::now();
        self.worker.take_rows(&mut self.rows);
        let cost = self.writer.flush_round(self.world, &mut self.rows).map_err(machine)?;
        self.log.figures.write_s += start.elapsed().as_secs_f64();
        self.log.rounds += 1;
        tracing::debug!(
            rows = cost.rows,
            "flush round: {:?} with the waiting for all ranks, {cost:?}",
            start.elapsed()
        );
        Ok(())
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

/// The first runs that are not ok, with their messages, on rank 0. Collective.
fn gather_failures(world: &World, plan: &Plan, worker: &Worker) -> Result<Vec<(i64, String)>, Stop> {
    let mine = worker.failures();
    let runs: Vec<u64> = mine.iter().map(|failure| failure.0).collect();
    let codes: Vec<i32> = mine.iter().map(|failure| i32::from(failure.1.code())).collect();
    let (runs, _) = world.gather_varcount(&runs).map_err(machine)?;
    let (codes, _) = world.gather_varcount(&codes).map_err(machine)?;
    let mut all: Vec<(u64, Failure)> =
        runs.into_iter().zip(codes).filter_map(|(run, code)| Some((run, Failure::from_code(code as i16)?))).collect();
    all.sort_unstable_by_key(|failure| failure.0);
    all.truncate(FAILURES_MAX as usize);
    Ok(all.into_iter().map(|(run, failure)| (run as i64, plan.failure_message(run, failure))).collect())
}

/// Every rank's figures, on rank 0. Collective.
fn gather_figures(world: &World, mine: &RankFigures) -> Result<Vec<RankFigures>, Stop> {
    let mine = RankFigures { rank: world.rank(), host: world.host(), ..mine.clone() };
    let text = serde_json::to_vec(&mine).map_err(machine)?;
    let (all, counts) = world.gather_varcount(&text).map_err(machine)?;
    let mut rest = &all[..];
    let mut ranks = Vec::new();
    for count in counts {
        let (text, after) = rest.split_at(count);
        ranks.push(serde_json::from_slice(text).map_err(machine)?);
        rest = after;
    }
    Ok(ranks)
}

/// Rank 0 writes the sidecar and says how it went.
fn tell(plan: &Plan, arguments: &RunArguments, figures: &Figures) {
    let vectors = vectors(plan);
    let written = sidecar::write(&plan.output, &plan.layout.sweep_id, vectors.isa().name(), vectors.width(), figures);
    if let Err(error) = written {
        tracing::warn!("{}: {error}", sidecar::path(&plan.output).display());
    }
    let size = std::fs::metadata(&plan.output).map_or(0, |metadata| metadata.len());
    summary::tell(figures, &plan.output, size, arguments.verbosity, arguments.log_format);
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

//! The communication layer and the store under a launcher.
//!
//! Each test starts this binary again under `mpirun`, as the test `mpi_child`, with the name of a
//! case in the environment. A job that is not over in time is killed and the test fails.
#![allow(clippy::unwrap_used)] // Helpers of tests.

mod launch;
mod sample;

use launch::{Code, LIMIT, Outcome};
use sample::{MAX_STEPS, layout, mix, push, row};
use sha2::{Digest as _, Sha256};
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, Instant};
use sweep_mpi::comm::{Order, Report, World, catching};
use sweep_mpi::store::{Layout, Lock, Reader, RowBlock, Writer};
use sweep_mpi::store::{create_skeleton, publish};

// ---- the side that starts jobs ---------------------------------------------------------------

/// Runs a case on some ranks.
fn mpirun(ranks: usize, case: &str, folder: &Path) -> Outcome {
    let log = folder.join(format!("{case}.{ranks}.log"));
    let mut job = launch::mpirun(ranks, &std::env::current_exe().unwrap(), folder);
    job.args(["--exact", "mpi_child", "--nocapture", "--test-threads=1"])
        .env("SWEEP_TEST_CASE", case)
        .env("SWEEP_TEST_FOLDER", folder);
    let outcome = launch::finish(&mut job, &log, LIMIT);
    assert!(outcome.code != Code::Hung, "{case} on {ranks} ranks hangs:\n{}", outcome.text);
    outcome
}

#[track_caller]
fn succeeds(ranks: usize, case: &str, folder: &Path) -> String {
    let outcome = mpirun(ranks, case, folder);
    assert_eq!(outcome.code, Code::Exit(0), "{case} on {ranks} ranks:\n{}", outcome.text);
    assert!(outcome.text.contains("case done"), "the case ran:\n{}", outcome.text);
    outcome.text
}

fn sha256(path: &Path) -> String {
    use std::fmt::Write as _;
    Sha256::digest(fs::read(path).unwrap()).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Compares a finished file with what the rows should be.
fn check_rows(path: &Path, runs: u64, flown: impl Fn(u64) -> bool) {
    let reader = Reader::open(path).unwrap();
    assert_eq!(reader.runs(), runs);
    let status = reader.status(0, runs).unwrap();
    let columns: Vec<Vec<f64>> =
        reader.parameters().iter().chain(reader.outputs()).map(|c| reader.values(c, 0, runs).unwrap()).collect();
    assert_eq!(columns.len(), 5);
    let report = &reader.reports()[0];
    let counts = reader.report_rows(report, 0, runs).unwrap();
    let orbit: Vec<Vec<f64>> = (0..2).map(|c| reader.report_values(report, c, 0, runs).unwrap()).collect();
    for run in 0..runs {
        let at = run as usize;
        if !flown(run) {
            assert_eq!(status[at], 0, "run {run} was not acknowledged");
            continue;
        }
        let row = row(run);
        assert_eq!(status[at], row.status.code(), "status of run {run}");
        for (column, expected) in columns.iter().zip(row.parameters.iter().chain(&row.outputs)) {
            let expected = if expected.is_nan() { 0x7ff8_0000_0000_0000 } else { expected.to_bits() };
            assert_eq!(column[at].to_bits(), expected, "run {run}");
        }
        assert_eq!(counts[at], row.true_rows as i32);
        for step in 0..MAX_STEPS as usize {
            for (column, values) in orbit.iter().enumerate() {
                let value = values[at * MAX_STEPS as usize + step];
                match row.orbit.get(2 * step + column) {
                    Some(expected) => assert_eq!(value.to_bits(), expected.to_bits(), "run {run} step {step}"),
                    None => assert_eq!(value.to_bits(), 0x7ff8_0000_0000_0000, "padding of run {run}"),
                }
            }
        }
    }
    assert_eq!(reader.verify_row_crc().unwrap(), Vec::<u64>::new());
}

#[test]
fn mpi_same_bytes_on_any_number_of_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let hashes: Vec<String> = [1, 2, 3, 5]
        .into_iter()
        .map(|ranks| {
            succeeds(ranks, "scatter", folder.path());
            sha256(&folder.path().join(format!("scatter.{ranks}.h5")))
        })
        .collect();
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
    let path = folder.path().join("scatter.3.h5");
    check_rows(&path, 503, |_| true);
    let reader = Reader::open(&path).unwrap();
    assert_eq!(reader.status_counts().unwrap(), ([0, 431, 72, 0, 0, 0, 0], 0));
    let (list, count) = reader.failures().unwrap();
    assert_eq!((list.len(), count), (5, 72));
    assert_eq!(list[1].0, 10);
    assert_eq!(list[1].1, format!("run 10 ist zu weit drau{}", "ß".repeat(52)), "127 bytes, whole characters");
    if let Some(keep) = std::env::var_os("SWEEP_TEST_KEEP") {
        fs::copy(&path, keep).unwrap();
    }
}

#[test]
fn mpi_scattered_rows_take_single_places() {
    let folder = tempfile::tempdir().unwrap();
    succeeds(3, "sparse", folder.path());
    check_rows(&folder.path().join("sparse.3.h5"), 3000, |run| run % 3 != 1);
}

#[test]
fn mpi_collective_with_an_idle_rank() {
    let folder = tempfile::tempdir().unwrap();
    // The case asserts that HDF5 gives no cause; its last rank of three never has a row.
    succeeds(3, "scatter", folder.path());
}

#[test]
fn mpi_no_runs_and_two_runs() {
    let folder = tempfile::tempdir().unwrap();
    succeeds(2, "none", folder.path());
    let reader = Reader::open(&folder.path().join("none.2.h5")).unwrap();
    assert_eq!(reader.runs(), 0);
    if let Some(keep) = std::env::var_os("SWEEP_TEST_KEEP_EMPTY") {
        fs::copy(folder.path().join("none.2.h5"), keep).unwrap();
    }
    assert_eq!(reader.status_counts().unwrap(), ([0; 7], 0));
    assert!(reader.column_summaries().unwrap().iter().all(|c| c.count == 0 && c.mean.is_nan()));
    succeeds(5, "two", folder.path());
    check_rows(&folder.path().join("two.5.h5"), 2, |_| true);
}

#[test]
fn mpi_kill_after_a_flush_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = mpirun(3, "killed", folder.path());
    assert_ne!(outcome.code, Code::Exit(0), "{}", outcome.text);
    assert!(!outcome.text.contains("case done"));
    let partial = folder.path().join("killed.partial");
    check_rows(&partial, 300, |run| run % 3 == 0);
    if let Some(keep) = std::env::var_os("SWEEP_TEST_KEEP_KILLED") {
        fs::copy(&partial, keep).unwrap();
    }
    // The next job completes it; the bytes are those of a job that nobody killed.
    succeeds(2, "resumed", folder.path());
    succeeds(3, "unbroken", folder.path());
    assert_eq!(sha256(&folder.path().join("killed.h5")), sha256(&folder.path().join("unbroken.h5")));
}

#[test]
fn mpi_kill_at_any_moment_loses_nothing() {
    for trial in 0..3 {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let acknowledged = || fs::read_to_string(folder.join("rounds")).map_or(0, |text| text.lines().count() as u64);
        std::thread::scope(|scope| {
            let job = scope.spawn(|| mpirun(3, "endless", folder));
            while acknowledged() < 3 && !job.is_finished() {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_micros(mix(trial, 5) % 30_000));
            for rank in 0..3 {
                let pid: i32 = fs::read_to_string(folder.join(format!("pid.{rank}"))).unwrap().parse().unwrap();
                let pid = rustix::process::Pid::from_raw(pid).unwrap();
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
            assert_ne!(job.join().unwrap().code, Code::Exit(0));
        });
        let rounds = acknowledged();
        let reader = Reader::open(&folder.join("endless.partial")).unwrap();
        let status = reader.status(0, reader.runs()).unwrap();
        assert!(status[..(rounds * ENDLESS_ROUND) as usize].iter().all(|&status| status != 0), "{rounds} rounds");
        assert!(status[((rounds + 1) * ENDLESS_ROUND) as usize..].iter().all(|&status| status == 0));
        // Also of the round that was cut off: a status is there only if the values are.
        assert_eq!(reader.verify_row_crc().unwrap(), Vec::<u64>::new());
    }
}

#[test]
fn mpi_all_ranks_hear_of_one_failure() {
    let folder = tempfile::tempdir().unwrap();
    for ranks in [1, 3] {
        let text = succeeds(ranks, "agree_0", folder.path());
        assert_eq!(text.matches("read data: no file 0 (on rank 0)").count(), ranks, "{text}");
    }
    let text = succeeds(5, "agree_2", folder.path());
    assert_eq!(text.matches("read data: no file 2 (on rank 2)").count(), 5, "{text}");
}

#[test]
fn mpi_wrong_rows_are_refused_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    succeeds(3, "wrong_rows", folder.path());
}

#[test]
fn mpi_open_fails_together() {
    let folder = tempfile::tempdir().unwrap();
    succeeds(3, "open_fails", folder.path());
}

#[test]
fn mpi_collective_calls() {
    let folder = tempfile::tempdir().unwrap();
    for ranks in [1, 2, 5] {
        succeeds(ranks, "calls", folder.path());
    }
}

#[test]
fn mpi_orders_and_reports() {
    let folder = tempfile::tempdir().unwrap();
    succeeds(3, "orders", folder.path());
}

#[test]
fn mpi_a_panic_ends_all_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = mpirun(3, "panic", folder.path());
    assert_eq!(outcome.code, Code::Exit(101), "{}", outcome.text);
    assert!(outcome.took < Duration::from_secs(20), "{:?}", outcome.took);
    assert_eq!(outcome.text.matches("rank 1: panic at tests/mpi_store.rs").count(), 1, "{}", outcome.text);
    assert!(!outcome.text.contains("a panic that is caught"), "{}", outcome.text);
}

// ---- the side that is started ----------------------------------------------------------------

#[test]
fn mpi_child() {
    let Ok(case) = std::env::var("SWEEP_TEST_CASE") else { return };
    let folder = std::env::var("SWEEP_TEST_FOLDER").unwrap();
    let folder = Path::new(&folder);
    let world = World::init().unwrap();
    match case.as_str() {
        "scatter" => scatter(&world, folder),
        "sparse" => sparse(&world, folder),
        "none" => whole(&world, folder, "none", 0),
        "two" => whole(&world, folder, "two", 2),
        "killed" => killed(&world, folder),
        "endless" => endless(&world, folder),
        "resumed" => resumed(&world, folder),
        "unbroken" => unbroken(&world, folder),
        "agree_0" => agree(&world, 0),
        "agree_2" => agree(&world, 2),
        "wrong_rows" => wrong_rows(&world, folder),
        "open_fails" => open_fails(&world, folder),
        "calls" => calls(&world),
        "orders" => orders(&world),
        "panic" => panic_case(&world),
        other => panic!("no case {other}"),
    }
    world.barrier();
    if world.rank() == 0 {
        println!("case done");
    }
    world.finalize();
}

fn create(world: &World, path: &Path, layout: &Layout) -> Writer {
    let made = if world.rank() == 0 { create_skeleton(path, layout) } else { Ok(()) };
    world.agree("create", made).unwrap();
    Writer::open(path, world, layout).unwrap()
}

fn finish(world: &World, writer: Writer, partial: &Path, name: &Path) {
    assert_eq!(writer.no_collective_cause(), 0, "all writes were collective");
    writer.close(world).unwrap();
    let named = if world.rank() == 0 { publish(partial, name) } else { Ok(()) };
    world.agree("publish", named).unwrap();
}

fn failures(runs: u64) -> Vec<(i64, String)> {
    let text = |run: u64| (run as i64, format!("run {run} ist zu weit drau{}", "ß".repeat(80)));
    (0..runs).filter(|run| run % 7 == 3).map(text).collect()
}

fn scatter(world: &World, folder: &Path) {
    let (layout, size) = (layout(503), world.size() as u64);
    let partial = folder.join("scatter.partial");
    let lock = (world.rank() == 0).then(|| Lock::take(&folder.join("scatter.h5"), &world.host()).unwrap());
    let mut writer = create(world, &partial, &layout);
    // Of three ranks and more the last one never has a row.
    let flying = if size > 2 { size - 1 } else { size };
    for round in 0..4 {
        writer.aggregate(round % 2 == 0).unwrap();
        let mut block = RowBlock::new(&layout);
        let mut runs: Vec<u64> = (0..layout.runs)
            .filter(|run| mix(run / 3, size) % flying == world.rank() as u64 && mix(*run, 7) % 4 == round)
            .collect();
        runs.sort_by_key(|run| mix(*run, 99));
        for &run in &runs {
            push(&mut block, run);
        }
        let cost = writer.flush_round(world, &mut block).unwrap();
        assert_eq!(cost.rows, world.all_reduce_sum(runs.len() as u64));
        assert!(block.is_empty());
    }
    let list = if world.rank() == 0 { failures(layout.runs) } else { Vec::new() };
    writer.write_failures(world, &list).unwrap();
    finish(world, writer, &partial, &folder.join(format!("scatter.{size}.h5")));
    drop(lock);
}

fn sparse(world: &World, folder: &Path) {
    let layout = layout(3000);
    let partial = folder.join("sparse.partial");
    let mut writer = create(world, &partial, &layout);
    for round in [0, 2] {
        let mut block = RowBlock::new(&layout);
        let mine = |run: &u64| run % 3 == round && run / 3 % world.size() as u64 == world.rank() as u64;
        (0..layout.runs).filter(mine).for_each(|run| push(&mut block, run));
        writer.flush_round(world, &mut block).unwrap();
    }
    finish(world, writer, &partial, &folder.join(format!("sparse.{}.h5", world.size())));
}

fn whole(world: &World, folder: &Path, name: &str, runs: u64) {
    let layout = layout(runs);
    let partial = folder.join(format!("{name}.partial"));
    let mut writer = create(world, &partial, &layout);
    let mut block = RowBlock::new(&layout);
    (0..runs).filter(|run| run % world.size() as u64 == world.rank() as u64).for_each(|run| push(&mut block, run));
    writer.flush_round(world, &mut block).unwrap();
    writer.write_failures(world, &[]).unwrap();
    finish(world, writer, &partial, &folder.join(format!("{name}.{}.h5", world.size())));
}

/// The runs of this rank that leave this rest by three.
fn thirds(world: &World, layout: &Layout, rest: u64) -> RowBlock {
    let mut block = RowBlock::new(layout);
    let mine = |run: &u64| run % 3 == rest && run / 3 % world.size() as u64 == world.rank() as u64;
    (0..layout.runs).filter(mine).for_each(|run| push(&mut block, run));
    block
}

fn killed(world: &World, folder: &Path) {
    let layout = layout(300);
    let mut writer = create(world, &folder.join("killed.partial"), &layout);
    writer.flush_round(world, &mut thirds(world, &layout, 0)).unwrap();
    let block = thirds(world, &layout, 1);
    assert!(!block.is_empty(), "these rows are lost");
    world.barrier();
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).unwrap();
}

const ENDLESS_ROUND: u64 = 300;

/// Flushes and notes each round that is acknowledged, until somebody kills it.
fn endless(world: &World, folder: &Path) {
    use std::io::Write as _;
    let layout = layout(10_000 * ENDLESS_ROUND);
    let mut writer = create(world, &folder.join("endless.partial"), &layout);
    fs::write(folder.join(format!("pid.{}", world.rank())), std::process::id().to_string()).unwrap();
    world.barrier();
    let mut rounds = (world.rank() == 0).then(|| File::create(folder.join("rounds")).unwrap());
    for round in 0..10_000 {
        let mut block = RowBlock::new(&layout);
        let runs = round * ENDLESS_ROUND..(round + 1) * ENDLESS_ROUND;
        runs.filter(|run| run % 3 == world.rank() as u64).for_each(|run| push(&mut block, run));
        writer.flush_round(world, &mut block).unwrap();
        if let Some(rounds) = &mut rounds {
            writeln!(rounds, "{round}").unwrap();
        }
    }
}

fn resumed(world: &World, folder: &Path) {
    let layout = layout(300);
    let partial = folder.join("killed.partial");
    let mut writer = Writer::open(&partial, world, &layout).unwrap();
    writer.flush_round(world, &mut thirds(world, &layout, 2)).unwrap();
    writer.flush_round(world, &mut thirds(world, &layout, 1)).unwrap();
    finish(world, writer, &partial, &folder.join("killed.h5"));
}

fn unbroken(world: &World, folder: &Path) {
    let layout = layout(300);
    let partial = folder.join("unbroken.partial");
    let mut writer = create(world, &partial, &layout);
    let mut block = RowBlock::new(&layout);
    (0..300).filter(|run| run / 100 == world.rank() as u64).for_each(|run| push(&mut block, run));
    writer.flush_round(world, &mut block).unwrap();
    finish(world, writer, &partial, &folder.join("unbroken.h5"));
}

fn agree(world: &World, failing: usize) {
    let rank = world.rank();
    assert_eq!(world.agree("before", Ok::<_, String>(rank)), Ok(rank));
    let mine = if rank == failing || rank == 4 { Err(format!("no file {rank}")) } else { Ok(()) };
    let other = world.agree("read data", mine).unwrap_err();
    assert_eq!((other.rank, other.phase.as_str()), (failing, "read data"));
    println!("{other}");
    assert_eq!(world.agree("after", Ok::<_, String>(rank)), Ok(rank));
}

fn wrong_rows(world: &World, folder: &Path) {
    let layout = layout(10);
    let path = folder.join("wrong.partial");
    let mut writer = create(world, &path, &layout);
    let mut block = RowBlock::new(&layout);
    push(&mut block, if world.rank() == 1 { 10 } else { world.rank() as u64 });
    let error = writer.flush_round(world, &mut block).unwrap_err().to_string();
    assert_eq!(error, "cannot flush (rank 1): run 10 is outside the 10 runs of the file");
    assert_eq!(block.len(), 1, "the rows are kept");
    block.clear();
    push(&mut block, 4);
    let error = writer.flush_round(world, &mut block).unwrap_err().to_string();
    assert!(error.ends_with(": run 4 was given twice"), "{error}");
    assert_eq!(writer.no_collective_cause(), 0);
    writer.close(world).unwrap();
    if world.rank() == 0 {
        assert_eq!(Reader::open(&path).unwrap().status(0, 10).unwrap(), [0; 10]);
    }
}

fn open_fails(world: &World, folder: &Path) {
    let path = folder.join("fails.partial");
    let error = Writer::open(&path, world, &layout(3)).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("fails.partial") && error.contains("No such file"), "{error}");
    if world.rank() == 0 {
        create_skeleton(&path, &layout(3)).unwrap();
        assert!(create_skeleton(&path, &layout(3)).unwrap_err().to_string().contains("exists already"));
    }
    world.barrier();
    let error = Writer::open(&path, world, &layout(4)).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("its shape is [3], but [4] is expected"), "{error}");
    // one rank alone fails: no rank waits in the collective close of the file
    let last = world.size() - 1;
    let alone = layout(if world.rank() == last { 4 } else { 3 });
    let error = Writer::open(&path, world, &alone).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains(&format!("(rank {last})")) && error.contains("[4] is expected"), "{error}");
    if world.rank() == 0 {
        fs::write(folder.join("text.h5"), "no HDF5").unwrap();
    }
    world.barrier();
    let error = Writer::open(&folder.join("text.h5"), world, &layout(3)).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("file signature not found"), "{error}");
    Writer::open(&path, world, &layout(3)).unwrap().close(world).unwrap();
}

fn calls(world: &World) {
    let (rank, size) = (world.rank(), world.size());
    let mut bytes = if rank == 0 { b"from the leader".to_vec() } else { vec![7; 100] };
    world.broadcast_bytes(&mut bytes);
    assert_eq!(bytes, b"from the leader");
    assert_eq!(world.all_reduce_sum(rank as u64), (size * (size - 1) / 2) as u64);
    assert_eq!((world.all_reduce_min(rank as u64 + 3), world.all_reduce_max(rank as u64)), (3, size as u64 - 1));
    assert_eq!(world.all_gather(rank as u64), (0..size as u64).collect::<Vec<_>>());

    let (all, counts) = world.gather_varcount(&vec![rank as f64; rank]).unwrap();
    if rank == 0 {
        assert_eq!(counts, (0..size).collect::<Vec<_>>());
        let expected: Vec<f64> = (0..size).flat_map(|from| vec![from as f64; from]).collect();
        assert_eq!(all, expected);
    } else {
        assert!(all.is_empty() && counts.is_empty());
    }
    // To rank t go t + rank numbers 100 rank + t.
    let counts: Vec<usize> = (0..size).map(|to| to + rank).collect();
    let send: Vec<i32> = (0..size).flat_map(|to| vec![(100 * rank + to) as i32; to + rank]).collect();
    let (received, from) = world.all_to_all_varcount(&send, &counts).unwrap();
    assert_eq!(from, (0..size).map(|from| from + rank).collect::<Vec<_>>());
    let expected: Vec<i32> = (0..size).flat_map(|from| vec![(100 * from + rank) as i32; from + rank]).collect();
    assert_eq!(received, expected);
    assert!(!world.host().is_empty());
}

/// The leader gives each worker chunks until a hundred are done.
fn orders(world: &World) {
    if world.rank() > 0 {
        loop {
            let order = world.receive_order();
            if order.kind == Order::STOP {
                return;
            }
            assert_eq!(order.kind, Order::FLY);
            let ok = order.count - 1;
            let (first, count) = (order.first, order.count);
            world.send_report(&Report { first, count, ok, not_ok: 1, busy_ns: u64::MAX, ..Report::default() });
        }
    }
    let start = Instant::now();
    assert_eq!(world.try_receive_report(Duration::from_millis(30)), None);
    assert!((30..1000).contains(&start.elapsed().as_millis()));
    assert_eq!(world.try_receive_report(Duration::ZERO), None);
    let workers = world.size() - 1;
    (0..workers).for_each(|w| world.send_order(w + 1, &Order::fly(10 * w as u64, 10)));
    let (mut next, mut done, mut ok) = (10 * workers as u64, 0, 0);
    let start = Instant::now();
    while done < 10_000 {
        let (worker, report) = if done % 20 == 0 {
            world.receive_report()
        } else {
            world.try_receive_report(Duration::from_secs(10)).expect("a worker answers")
        };
        assert_eq!((report.count, report.busy_ns), (10, u64::MAX));
        done += report.count;
        ok += report.ok;
        if next < 10_000 {
            world.send_order(worker, &Order::fly(next, 10));
            next += 10;
        }
    }
    println!("{} us an order", start.elapsed().as_micros() / 1000);
    assert_eq!((done, ok), (10_000, 9_000));
    (0..workers).for_each(|w| world.send_order(w + 1, &Order::stop()));
}

fn panic_case(world: &World) {
    let caught = catching(|| panic!("a panic that is caught")).unwrap_err();
    assert!(caught.starts_with("tests/mpi_store.rs:") && caught.ends_with("a panic that is caught"), "{caught}");
    assert_ne!(world.rank(), 1, "the others wait for ever");
    world.barrier();
}

//! The leader's orders over the wire, beside a bare loop of messages of the same sizes.
//!
//! `cargo bench` starts it alone, and then it only says how it is meant: under mpirun, with one leader
//! and the rest workers. Each line on standard output is one JSON object. Cases:
//!
//! - `bare`: an order of 24 bytes there, a report of 48 bytes back, by MPI's blocking calls and nothing
//!   else; `in_flight` orders to each worker at a time;
//! - `world`: the same through the calls of `World`, without a leader;
//! - `one_index`: the leader hands out one index an order, the workers do nothing;
//! - `automatic`: the same with chunks of measured size (`_many`: ten million indices);
//! - `round_robin`: index i goes to worker i modulo their number, whoever is free; also the rates out
//!   (all sent) and back (the last report after that);
//! - `round_trip`: one order at a time to worker 1, median and 99th percentile.
//!
//! All cases run in the same minute, so that each figure also stands as a share of the bare loop.
#![allow(missing_docs, clippy::unwrap_used)] // a bench may panic

use std::hint::black_box;
use std::time::{Duration, Instant};

use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};
use serde_json::json;
use sweep_mpi::comm::{Order, Report, World};
use sweep_mpi::schedule::leader::{ChunkSize, Leader};

/// Requests of one measurement, as reference workload 3 has them.
const REQUESTS: u64 = 32_000;
/// Requests of the long measurement.
const MANY: u64 = 10_000_000;
/// Orders under way to a worker that has its orders beforehand.
const CREDIT: u64 = 8;
const PATIENCE: Duration = Duration::from_millis(100);
const ORDER_TAG: i32 = 7;
const REPORT_TAG: i32 = 8;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let world = World::init().unwrap();
    if world.size() < 2 {
        println!("wire: start it under mpirun, `mpirun -n 3 {} [CASE...]`", std::env::args().next().unwrap());
        return;
    }
    let repeats = if words.iter().any(|word| word == "--quick") { 3 } else { 9 };
    let chosen: Vec<&String> = words.iter().filter(|word| !word.starts_with("--")).collect();
    let wants = |case: &str| chosen.is_empty() || chosen.iter().any(|word| *word == case);
    for in_flight in [1, 2, 4, 8] {
        if wants("bare") {
            let times = repeat(&world, repeats, || bare(&world, in_flight));
            tell(&world, "bare", in_flight, REQUESTS, &times);
        }
        if wants("world") {
            let times = repeat(&world, repeats, || through_world(&world, in_flight));
            tell(&world, "world", in_flight, REQUESTS, &times);
        }
    }
    let automatic = ChunkSize::Auto { bundle: 8 };
    for (case, chunk, n, repeats) in [
        ("one_index", ChunkSize::Fixed(1), REQUESTS, repeats),
        ("automatic", automatic, REQUESTS, repeats),
        ("one_index_many", ChunkSize::Fixed(1), MANY, 1),
        ("automatic_many", automatic, MANY, repeats),
    ] {
        if wants(case) {
            let times = repeat(&world, repeats, || led(&world, n, chunk));
            tell(&world, case, 0, n, &times);
        }
    }
    if wants("round_robin") {
        let mut rounds = Vec::new();
        repeat(&world, repeats, || rounds.push(round_robin(&world)));
        rounds.sort_by(|a, b| a.all.total_cmp(&b.all));
        let round = &rounds[rounds.len() / 2];
        if world.rank() == 0 {
            let rate = |seconds: f64| REQUESTS as f64 / seconds.max(1e-9);
            let line = json!({
                "case": "round_robin", "workers": world.size() - 1, "in_flight": CREDIT, "n": REQUESTS,
                "wall_s": round.all, "rate_per_s": rate(round.all), "out_per_s": rate(round.sent),
                "back_per_s": rate(round.all - round.sent), "every_1000_s": round.every_thousand,
            });
            println!("{line}");
        }
    }
    if wants("round_trip") {
        round_trip(&world);
    }
    world.finalize();
}

/// Seconds of each repetition; all ranks start together.
fn repeat(world: &World, repeats: usize, mut measured: impl FnMut()) -> Vec<f64> {
    let one = |_| {
        world.barrier();
        let start = Instant::now();
        measured();
        start.elapsed().as_secs_f64()
    };
    let mut times: Vec<f64> = (0..repeats).map(one).collect();
    times.sort_by(f64::total_cmp);
    times
}

/// Rank 0 prints the median and the best of the repetitions.
fn tell(world: &World, case: &str, in_flight: u64, n: u64, times: &[f64]) {
    if world.rank() == 0 {
        let median = times[times.len() / 2];
        let line = json!({
            "case": case, "workers": world.size() - 1, "in_flight": in_flight, "n": n,
            "wall_s": median, "rate_per_s": n as f64 / median, "best_per_s": n as f64 / times[0],
            "resident_kb": resident_kb(),
        });
        println!("{line}");
    }
}

/// Memory of this process, kB; 0 where the system does not say.
fn resident_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// Blocking calls only: what the library and the machine allow.
fn bare(world: &World, in_flight: u64) {
    let communicator = SimpleCommunicator::world();
    let (mut order, mut report) = ([0_u64; 3], [0_u64; 6]);
    if world.rank() > 0 {
        let leader = communicator.process_at_rank(0);
        loop {
            leader.receive_into_with_tag(&mut order[..], ORDER_TAG);
            if order[0] != 0 {
                return;
            }
            report[0] = order[1];
            leader.send_with_tag(&report[..], REPORT_TAG);
        }
    }
    let workers = world.size() as u64 - 1;
    let (mut sent, mut back) = (0, 0);
    for _ in 0..in_flight {
        for worker in 1..=workers {
            order[1] = sent;
            communicator.process_at_rank(worker as i32).send_with_tag(&order[..], ORDER_TAG);
            sent += 1;
        }
    }
    while back < REQUESTS {
        let status = communicator.any_process().receive_into_with_tag(&mut report[..], REPORT_TAG);
        back += 1;
        if sent < REQUESTS {
            order[1] = sent;
            communicator.process_at_rank(status.source_rank()).send_with_tag(&order[..], ORDER_TAG);
            sent += 1;
        }
    }
    order[0] = 1;
    for worker in 1..=workers {
        communicator.process_at_rank(worker as i32).send_with_tag(&order[..], ORDER_TAG);
    }
}

/// The same loop by the calls of the world.
fn through_world(world: &World, in_flight: u64) {
    if world.rank() > 0 {
        return work(world);
    }
    let workers = world.size() - 1;
    let (mut sent, mut back) = (0, 0);
    for _ in 0..in_flight {
        for worker in 1..=workers {
            world.send_order(worker, &Order::fly(sent, 1));
            sent += 1;
        }
    }
    while back < REQUESTS {
        let Some((worker, report)) = world.try_receive_report(PATIENCE) else { continue };
        back += report.count;
        if sent < REQUESTS {
            world.send_order(worker, &Order::fly(sent, 1));
            sent += 1;
        }
    }
    for worker in 1..=workers {
        world.send_order(worker, &Order::stop());
    }
}

/// A leader hands out `n` indices, as a sweep does.
fn led(world: &World, n: u64, chunk: ChunkSize) {
    if world.rank() > 0 {
        return work(world);
    }
    let mut leader = Leader::new(n, world.size() - 1, chunk);
    let send = |sendings: &[(usize, Order)]| sendings.iter().for_each(|(rank, order)| world.send_order(*rank, order));
    let mut sendings = leader.start();
    send(&sendings);
    while !leader.is_done() {
        if let Some((rank, report)) = world.try_receive_report(PATIENCE) {
            sendings.clear();
            leader.take_report(rank, &report, &mut sendings).unwrap();
            send(&sendings);
        }
    }
    assert_eq!(leader.done(), n);
}

/// Times of a round, s from its start.
#[derive(Default)]
struct Round {
    /// The last order was sent.
    sent: f64,
    /// The last report had come.
    all: f64,
    /// Each thousandth report had come.
    every_thousand: Vec<f64>,
}

/// Each order has its worker beforehand. Reports come back while orders go out, since a worker has at
/// most [`CREDIT`] orders under way.
fn round_robin(world: &World) -> Round {
    let mut round = Round::default();
    if world.rank() > 0 {
        work(world);
        return round;
    }
    let start = Instant::now();
    let mut under_way = vec![0; world.size() - 1];
    let mut back = 0;
    let mut receive = |under_way: &mut Vec<u64>| {
        if let Some((rank, report)) = world.try_receive_report(PATIENCE) {
            under_way[rank - 1] -= 1;
            back += report.count;
            if back % 1000 == 0 {
                round.every_thousand.push(start.elapsed().as_secs_f64());
            }
        }
        back
    };
    let mut came = 0;
    for index in 0..REQUESTS {
        let worker = index as usize % under_way.len();
        while under_way[worker] == CREDIT {
            came = receive(&mut under_way);
        }
        world.send_order(worker + 1, &Order::fly(index, 1));
        under_way[worker] += 1;
    }
    round.sent = start.elapsed().as_secs_f64();
    while came < REQUESTS {
        came = receive(&mut under_way);
    }
    round.all = start.elapsed().as_secs_f64();
    (1..world.size()).for_each(|worker| world.send_order(worker, &Order::stop()));
    round
}

/// A worker without work; it reads the clock as often as the one of a sweep.
fn work(world: &World) {
    loop {
        let waiting = Instant::now();
        let order = world.receive_order();
        let wait_ns = waiting.elapsed().as_nanos() as u64;
        if order.kind != Order::FLY {
            return;
        }
        let Order { first, count, .. } = order;
        let start = Instant::now();
        for index in first..first + count {
            black_box(index); // an empty request
        }
        let busy_ns = start.elapsed().as_nanos() as u64;
        world.send_report(&Report { first, count, ok: count, busy_ns, wait_ns, ..Report::default() });
    }
}

/// One order at a time to worker 1.
fn round_trip(world: &World) {
    world.barrier();
    if world.rank() > 1 {
        return world.barrier();
    }
    if world.rank() == 1 {
        work(world);
        return world.barrier();
    }
    let mut trips = Vec::with_capacity(REQUESTS as usize);
    for first in 0..REQUESTS {
        let start = Instant::now();
        world.send_order(1, &Order::fly(first, 1));
        while world.try_receive_report(PATIENCE).is_none() {}
        trips.push(start.elapsed().as_nanos() as u64);
    }
    world.send_order(1, &Order::stop());
    world.barrier();
    trips.sort_unstable();
    let at = |share: f64| trips[(trips.len() as f64 * share) as usize] as f64 * 1e-9;
    let line = json!({ "case": "round_trip", "workers": world.size() - 1, "n": REQUESTS, "p50_s": at(0.5), "p99_s": at(0.99) });
    println!("{line}");
}

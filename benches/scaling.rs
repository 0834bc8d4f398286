//! How many workers one leader can serve: simulated sweeps as CSV on standard output.
//!
//! `cargo bench --bench scaling > docs/scaling.csv`, then `docs/scaling.py` draws the figure. The first
//! lines tell how fast the state machine alone is on this machine; their times differ from run to run,
//! those of the simulation do not.
#![allow(missing_docs, clippy::unwrap_used)] // a bench may panic

use std::collections::VecDeque;
use std::time::Instant;

use sweep_mpi::comm::{Order, Report};
use sweep_mpi::schedule::leader::{ChunkSize, Leader};
use sweep_mpi::schedule::simulation::{Simulation, Wire};

/// As measured by `benches/wire.rs` in shared memory.
const SHARED_MEMORY: Wire = Wire { latency_ns: 350, receive_ns: 200, send_ns: 200 };
/// A slow network under a slow leader.
const CAUTIOUS: Wire = Wire { latency_ns: 5000, receive_ns: 1000, send_ns: 1000 };

const WORKERS: [usize; 9] = [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000];
/// Mean run, ns.
const RUNS: [f64; 4] = [1e3, 1e5, 1e7, 1e9];
/// A worker flies for so long at full efficiency, ns, or so many runs if those are longer.
const WORK: f64 = 1e10;
const RUNS_A_WORKER: f64 = 200.0;
/// Most orders of one simulation with one index an order: enough to see the rate.
const ORDERS_MAX: u64 = 3_000_000;

fn main() {
    println!("what,wire,chunk,workers,run_s,runs,orders,wall_s,efficiency,leader_share,orders_per_s");
    for workers in WORKERS {
        let orders = 2_000_000;
        let wall = alone(workers, orders);
        let rate = orders as f64 / wall;
        println!("leader alone,none,1,{workers},0,{orders},{orders},{wall:.4},,1,{rate:.0}");
    }
    for (name, wire) in [("shared memory", SHARED_MEMORY), ("cautious", CAUTIOUS)] {
        for (chunk_name, chunk) in [("auto", ChunkSize::Auto { bundle: 1 }), ("1", ChunkSize::Fixed(1))] {
            for run_ns in RUNS {
                for workers in WORKERS {
                    let mut runs = (WORK / run_ns).max(RUNS_A_WORKER) as u64 * workers as u64;
                    if chunk == ChunkSize::Fixed(1) {
                        runs = runs.min(ORDERS_MAX.max(20 * workers as u64));
                    }
                    let outcome = Simulation { workers, runs, chunk, wire, run_ns, spread: 0.5, seed: 1 }.run();
                    println!(
                        "simulated,{name},{chunk_name},{workers},{},{runs},{},{:.6},{:.4},{:.4},{:.0}",
                        run_ns / 1e9,
                        outcome.orders,
                        outcome.wall_ns as f64 * 1e-9,
                        outcome.efficiency(workers),
                        outcome.leader_share(),
                        outcome.orders as f64 / (outcome.wall_ns as f64 * 1e-9),
                    );
                }
            }
        }
    }
}

/// Seconds that the state machine takes for so many orders of one index, without wire and worker.
fn alone(workers: usize, orders: u64) -> f64 {
    let mut leader = Leader::new(orders, workers, ChunkSize::Fixed(1));
    let start = Instant::now();
    let mut wire: VecDeque<(usize, Order)> = leader.start().into();
    let mut sendings = Vec::new();
    while let Some((rank, order)) = wire.pop_front().filter(|(_, order)| order.kind == Order::FLY) {
        let report = Report { first: order.first, count: order.count, busy_ns: 100_000, ..Report::default() };
        sendings.clear();
        leader.take_report(rank, &report, &mut sendings).unwrap();
        wire.extend(&sendings);
    }
    assert!(leader.is_done());
    start.elapsed().as_secs_f64()
}

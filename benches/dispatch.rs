//! Orders a second of the leader without the wire, and rows a second into the result file.
#![allow(missing_docs, clippy::unwrap_used)] // made by a macro; a bench may panic

#[path = "../tests/plans/mod.rs"]
mod plans;

use std::collections::VecDeque;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sweep_mpi::comm::{Order, Report, World};
use sweep_mpi::schedule::leader::{ChunkSize, Leader};
use sweep_mpi::store::{RowBlock, Writer, create_skeleton};

fn leader(c: &mut Criterion) {
    let mut group = c.benchmark_group("leader");
    let orders = 100_000;
    group.throughput(Throughput::Elements(orders));
    for workers in [1, 8, 128] {
        group.bench_function(format!("{workers} workers"), |b| {
            b.iter(|| {
                let mut leader = Leader::new(orders, workers, ChunkSize::Fixed(1));
                let mut wire: VecDeque<(usize, Order)> = leader.start().into();
                while let Some((rank, order)) = wire.pop_front().filter(|(_, order)| order.kind == Order::FLY) {
                    let report = Report { first: order.first, count: order.count, busy_ns: 1000, ..Report::default() };
                    wire.extend(leader.report(rank, &report).unwrap());
                }
                assert!(leader.is_done());
            });
        });
    }
}

fn store(c: &mut Criterion) {
    let mut group = c.benchmark_group("store");
    group.sample_size(10);
    let rows = 200_000;
    let plan = plans::plan(
        &plans::sma(rows),
        "final = [\"Sat.X\", \"Sat.Y\", \"Sat.Z\", \"Sat.VX\", \"Sat.VY\", \"Sat.VZ\"]",
        |s| s,
    );
    let world = World::init().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut number = 0;
    group.throughput(Throughput::Elements(rows));
    group.bench_function("one rank, a flush round of 200 000 rows", |b| {
        b.iter_batched(
            || {
                number += 1;
                let path = folder.path().join(format!("{number}.h5"));
                create_skeleton(&path, &plan.layout).unwrap();
                let mut block = RowBlock::new(&plan.layout);
                for run in 0..rows {
                    block.push(run, 1, 0, &[run as f64], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [].into_iter());
                }
                (Writer::open(&path, &world, &plan.layout).unwrap(), block, path)
            },
            |(mut writer, mut block, path)| {
                writer.flush_round(&world, &mut block).unwrap();
                writer.close(&world).unwrap();
                std::fs::remove_file(path).unwrap();
            },
            criterion::BatchSize::PerIteration,
        );
    });
    group.finish();
    world.finalize();
}

criterion_group!(benches, leader, store);
criterion_main!(benches);

//! Tasks a second of the leader of a task graph, without the wire and with its messages.
#![allow(missing_docs, clippy::unwrap_used)] // made by a macro; a bench may panic

use std::collections::VecDeque;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sweep_mpi::schedule::graph::local::run_here;
use sweep_mpi::schedule::graph::{Batch, BatchReport, GraphLeader, GraphOrder, GraphSettings, TaskResult};
use sweep_mpi::workload::htcmock::tasks::Task;
use sweep_mpi::workload::htcmock::{HtcMock, Parameters};
use sweep_mpi::workload::task::{Bytes, TaskOutcome};

const WORKERS: usize = 8;
/// What an empty task is said to take, ns.
const EMPTY_NS: u64 = 50;

/// Runs a graph and returns the time that the leader took, without that of the workers.
fn leader_time(mut leader: GraphLeader, perform: &impl Fn(&[u8], &[Bytes]) -> TaskOutcome) -> Duration {
    let start = Instant::now();
    let mut wire: VecDeque<_> = leader.start().into();
    let mut time = start.elapsed();
    while let Some((rank, order)) = wire.pop_front() {
        if let GraphOrder::Batch(batch) = order {
            let report = answer(&batch, perform);
            drop(batch);
            let start = Instant::now();
            wire.extend(leader.report(rank, report).unwrap());
            time += start.elapsed();
        }
    }
    assert!(leader.is_done());
    time
}

fn answer(batch: &Batch, perform: &impl Fn(&[u8], &[Bytes]) -> TaskOutcome) -> BatchReport {
    let result = |task: &Bytes, inputs: &[Bytes]| perform(task.as_slice(), inputs);
    let results = batch.tasks.iter().map(|task| TaskResult {
        task: task.task,
        outcome: result(&task.payload, &task.inputs),
        ns: EMPTY_NS,
    });
    BatchReport { results: results.collect() }
}

fn mock() -> HtcMock {
    HtcMock::new(&Parameters { tasks: 10_000, levels: 100, total_ms: 10_000, data: 1, memory: 1 }).unwrap()
}

fn rooted() -> GraphLeader {
    let mut leader = GraphLeader::new(GraphSettings::new(WORKERS));
    leader.add(Task::ROOT.payload(0), &[]).unwrap();
    leader
}

fn independent(tasks: u64) -> GraphLeader {
    let mut leader = GraphLeader::new(GraphSettings::new(WORKERS));
    for run in 0..tasks {
        leader.add(Bytes::from(run.to_le_bytes()), &[]).unwrap();
    }
    leader
}

fn htcmock(c: &mut Criterion) {
    let mut group = c.benchmark_group("graph/htcmock");
    let mock = mock();
    let perform = |payload: &[u8], inputs: &[Bytes]| mock.perform(payload, inputs, 0);
    group.bench_function("set up", |b| b.iter(|| black_box(self::mock())));
    group.throughput(Throughput::Elements(14_973));
    group.bench_function("leader", |b| {
        b.iter_custom(|times| (0..times).map(|_| leader_time(rooted(), &perform)).sum());
    });
    group.bench_function("whole, one process", |b| {
        b.iter(|| {
            let mut leader = rooted();
            run_here(&mut leader, &perform).unwrap();
            assert_eq!(leader.counts().done, 14_973);
        });
    });
    group.bench_function("whole, with messages", |b| {
        let mut message = Vec::new();
        b.iter(|| {
            let mut leader = rooted();
            let mut wire: VecDeque<_> = leader.start().into();
            while let Some((rank, order)) = wire.pop_front() {
                message.clear();
                order.encode(&mut message);
                if let GraphOrder::Batch(batch) = GraphOrder::decode(&message).unwrap() {
                    let report = answer(&batch, &perform);
                    message.clear();
                    report.encode(&mut message);
                    wire.extend(leader.report(rank, BatchReport::decode(&message).unwrap()).unwrap());
                }
            }
            assert_eq!(leader.counts().done, 14_973);
        });
    });
    group.finish();
}

fn empty(c: &mut Criterion) {
    let mut group = c.benchmark_group("graph/independent");
    let tasks = 1_000_000;
    group.sample_size(10);
    group.throughput(Throughput::Elements(tasks));
    let perform = |_: &[u8], _: &[Bytes]| TaskOutcome::result(Bytes::EMPTY);
    group.bench_function("leader, tasks added before", |b| {
        b.iter_custom(|times| (0..times).map(|_| leader_time(independent(tasks), &perform)).sum());
    });
    group.bench_function("leader, with adding", |b| {
        b.iter_custom(|times| {
            let run = |_| {
                let start = Instant::now();
                let leader = independent(tasks);
                start.elapsed() + leader_time(leader, &perform)
            };
            (0..times).map(run).sum()
        });
    });
    group.finish();
}

criterion_group!(benches, htcmock, empty);
criterion_main!(benches);

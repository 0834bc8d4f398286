//! The worker on its threads: rows, tallies, and what a panic costs.
#![allow(clippy::unwrap_used)] // helpers of tests

mod plans;

use plans::{plan, sma};
use sweep_mpi::base::lanes::{Isa, Lanes, Vectors};
use sweep_mpi::forces::Force;
use sweep_mpi::mission::outcome::Failure;
use sweep_mpi::plan::Plan;
use sweep_mpi::schedule::worker::Worker;
use sweep_mpi::store::RowBlock;

fn worker(plan: &Plan, threads: usize) -> Worker<'_> {
    let vectors = Vectors::new(Isa::best(), 8);
    Worker::new(&plan.flight, plan.design.as_ref(), vectors, threads, &RowBlock::new(&plan.layout), 1000).unwrap()
}

/// A force with a bug: it panics above a radius.
struct Bug;

impl Force for Bug {
    fn add_acceleration(&self, vectors: Vectors, r: &[Lanes; 3], _v: &[Lanes; 3], _a: &mut [Lanes; 3]) {
        let first = &r[0].0[..vectors.width()];
        assert!(first.iter().all(|&x| x < 7900.0), "a bug above 7900 km");
    }

    fn describe(&self) -> String {
        "bug".to_owned()
    }
}

#[test]
fn a_panic_costs_its_own_run_alone() {
    let mut plan = plan(&sma(101), "rows = { max = 5 }", |script| script);
    let clean = {
        let worker = worker(&plan, 1);
        let tally = worker.fly(0..101);
        assert_eq!((tally.ok, tally.not_ok), (101, 0));
        let mut rows = RowBlock::new(&plan.layout);
        worker.take_rows(&mut rows);
        rows
    };
    plan.flight.mission.dynamics[0].forces.push(Box::new(Bug));
    for threads in [1, 2] {
        let worker = worker(&plan, threads);
        let tally = worker.fly(0..101);
        // SMA from 7000 to 8000 in steps of 10; x starts at 0.999 SMA: 7910 and more are above 7900
        assert_eq!((tally.ok, tally.not_ok), (91, 10), "{threads} threads");
        let failures = worker.failures();
        assert_eq!(failures, (91..101).map(|run| (run, Failure::Panic)).collect::<Vec<_>>());
        let mut rows = RowBlock::new(&plan.layout);
        worker.take_rows(&mut rows);
        assert_eq!(rows.len(), 101);
        let checksums = |rows: &RowBlock| {
            let mut all: Vec<(u64, u32)> = rows.checksums().collect();
            all.sort_unstable();
            all
        };
        assert_eq!(checksums(&rows)[..91], checksums(&clean)[..91], "the others have the same bits");
        assert_eq!(worker.fly(0..8).ok, 8, "the worker flies on");
    }
}

#[test]
fn threads_fly_every_run_once() {
    for (threads, count) in [(1, 1), (2, 1), (3, 8), (4, 1000), (2, 17)] {
        let plan = plan(&sma(1000), "", |script| script);
        let worker = worker(&plan, threads);
        assert_eq!(worker.fly(0..count).ok, count);
        let mut rows = RowBlock::new(&plan.layout);
        worker.take_rows(&mut rows);
        let mut runs: Vec<u64> = rows.checksums().map(|row| row.0).collect();
        runs.sort_unstable();
        assert_eq!(runs, (0..count).collect::<Vec<_>>(), "{threads} threads");
        worker.take_rows(&mut rows);
        assert_eq!(rows.len() as u64, count, "the rows left with the first call");
    }
}

#[test]
fn only_the_first_failures_are_kept() {
    let plan = plan("kind = \"grid\"\naxes = { \"Sat.ECC\" = { linspace = [2.0, 3.0, 5000] } }", "", |script| script);
    let vectors = Vectors::new(Isa::best(), 8);
    let worker = Worker::new(&plan.flight, plan.design.as_ref(), vectors, 2, &RowBlock::new(&plan.layout), 10).unwrap();
    let tally = worker.fly(0..5000);
    assert_eq!((tally.ok, tally.not_ok), (0, 5000));
    let runs: Vec<u64> = worker.failures().iter().map(|failure| failure.0).collect();
    assert_eq!(runs, (0..10).collect::<Vec<_>>());
}

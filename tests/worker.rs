//! The worker on its threads: rows, tallies, and what a panic costs.
#![allow(clippy::unwrap_used)] // helpers of tests

mod plans;

use plans::{plan, sma};
use std::ops::Range;

use sweep_mpi::base::lanes::{Isa, Vectors};
use sweep_mpi::base::outcome::Failure;
use sweep_mpi::base::run::FinishedRun;
use sweep_mpi::plan::Plan;
use sweep_mpi::schedule::interrupt::Interrupt;
use sweep_mpi::schedule::worker::Worker;
use sweep_mpi::store::RowBlock;
use sweep_mpi::workload::{Column, Executor, Report, Workload};

fn worker(plan: &Plan, threads: usize) -> Worker<'_> {
    let vectors = Vectors::new(Isa::best(), 8);
    Worker::new(
        plan.workload.as_ref(),
        plan.design.as_ref(),
        vectors,
        threads,
        &RowBlock::new(&plan.layout),
        1000,
        Interrupt::default(),
    )
    .unwrap()
}

/// A workload with a bug: it panics where the first value is above 7900.
struct Bug<'a>(&'a dyn Workload);

impl Workload for Bug<'static> {
    fn kind(&self) -> &'static str {
        "bug"
    }

    fn parameters(&self) -> &[Column] {
        self.0.parameters()
    }

    fn outputs(&self) -> &[Column] {
        self.0.outputs()
    }

    fn reports(&self) -> &[Report] {
        self.0.reports()
    }

    fn executor(&self, vectors: Vectors) -> Box<dyn Executor + '_> {
        Box::new(BugExecutor(self.0.executor(vectors)))
    }

    fn side_by_side(&self, vectors: Vectors) -> u64 {
        self.0.side_by_side(vectors)
    }

    fn describe(&self) -> String {
        String::new()
    }
}

struct BugExecutor<'a>(Box<dyn Executor + 'a>);

impl Executor for BugExecutor<'_> {
    fn execute(
        &mut self,
        runs: Range<u64>,
        values: &dyn Fn(u64, &mut [f64]),
        finished: &mut dyn FnMut(FinishedRun<'_>),
        goes_on: &dyn Fn() -> bool,
    ) {
        let checked = |run: u64, out: &mut [f64]| {
            values(run, out);
            assert!(out[0] <= 7900.0, "a bug above 7900 km");
        };
        self.0.execute(runs, &checked, finished, goes_on);
    }
}

#[test]
fn a_panic_costs_its_own_run_alone() {
    let plan: &'static Plan = Box::leak(Box::new(plan(&sma(101), "rows = { max = 5 }", |script| script)));
    let clean = {
        let worker = worker(plan, 1);
        let tally = worker.fly(0..101, &|| ());
        assert_eq!((tally.ok, tally.not_ok), (101, 0));
        let mut rows = RowBlock::new(&plan.layout);
        worker.take_rows(&mut rows);
        rows
    };
    let bug = Bug(plan.workload.as_ref());
    for threads in [1, 2] {
        let vectors = Vectors::new(Isa::best(), 8);
        let empty = RowBlock::new(&plan.layout);
        let worker =
            Worker::new(&bug, plan.design.as_ref(), vectors, threads, &empty, 1000, Interrupt::default()).unwrap();
        let tally = worker.fly(0..101, &|| ());
        // SMA from 7000 to 8000 in steps of 10
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
        assert_eq!(worker.fly(0..8, &|| ()).ok, 8, "the worker flies on");
    }
}

#[test]
fn threads_fly_every_run_once() {
    for (threads, count) in [(1, 1), (2, 1), (3, 8), (4, 1000), (2, 17)] {
        let plan = plan(&sma(1000), "", |script| script);
        let worker = worker(&plan, threads);
        assert_eq!(worker.fly(0..count, &|| ()).ok, count);
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
    let worker = Worker::new(
        plan.workload.as_ref(),
        plan.design.as_ref(),
        vectors,
        2,
        &RowBlock::new(&plan.layout),
        10,
        Interrupt::default(),
    )
    .unwrap();
    let tally = worker.fly(0..5000, &|| ());
    assert_eq!((tally.ok, tally.not_ok), (0, 5000));
    let runs: Vec<u64> = worker.failures().iter().map(|failure| failure.0).collect();
    assert_eq!(runs, (0..10).collect::<Vec<_>>());
}

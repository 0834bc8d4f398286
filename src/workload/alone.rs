//! Runs that are task graphs, in one process: the tasks of a run one after the other.

use std::ops::Range;

use super::task::{Bytes, complete};
use super::{Executor, Graphs};
use crate::base::outcome::{Failure, Status};
use crate::base::run::FinishedRun;

/// Executes graphs on one thread.
pub(super) struct Alone<'a> {
    graphs: &'a dyn Graphs,
    outputs: usize,
    values: Vec<f64>,
}

impl<'a> Alone<'a> {
    /// An executor of graphs that have so many parameters and leave so many outputs.
    pub(super) fn new(graphs: &'a dyn Graphs, parameters: usize, outputs: usize) -> Self {
        Alone { graphs, outputs, values: vec![0.0; parameters] }
    }
}

impl Executor for Alone<'_> {
    fn execute(
        &mut self,
        runs: Range<u64>,
        values: &dyn Fn(u64, &mut [f64]),
        finished: &mut dyn FnMut(FinishedRun<'_>),
        goes_on: &dyn Fn() -> bool,
    ) {
        for run in runs {
            if !goes_on() {
                return;
            }
            values(run, &mut self.values);
            let outcome = self.graphs.graph(&self.values).and_then(|graph| {
                let mut done = 0;
                let perform = |payload: &[u8], inputs: &[Bytes]| graph.perform(payload, inputs);
                let result = complete(&graph.root(), &[], &perform, &mut done).ok();
                graph.outputs(done, result.as_ref().map(Bytes::as_slice))
            });
            let failure = outcome.as_ref().err().copied();
            let outputs = outcome.unwrap_or_else(|_| vec![f64::NAN; self.outputs]);
            finished(FinishedRun {
                run,
                status: failure.map_or(Status::Ok, Failure::status),
                failure,
                parameters: &self.values,
                outputs: &outputs,
                reports: &[],
                ephemerides: &[],
                steps: 0,
            });
        }
    }
}

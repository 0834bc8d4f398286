//! Runs as task graphs: one graph after the other, the tasks of each spread over all workers.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::Instant;

use super::Sweep;
use super::ending::Step;
use crate::base::clock::now;
use crate::base::outcome::{Failure, Status};
use crate::cli::Stop;
use crate::comm::Order;
use crate::plan::FAILURES_MAX;
use crate::schedule::crew::Crew;
use crate::schedule::graph::local::perform_batch;
use crate::schedule::graph::{BatchReport, GraphError, GraphLeader, GraphOrder, GraphSettings};
use crate::workload::task::Bytes;
use crate::workload::{Graph, Graphs};

impl Sweep<'_, '_> {
    /// Rank 0 where runs are task graphs: one graph after the other, its tasks spread over all workers.
    pub(super) fn lead_graphs(&mut self, graphs: &dyn Graphs) -> Result<(), Stop> {
        let workers = self.world.size() - 1;
        let mut clock = self.clock();
        let mut values = vec![0.0; self.plan.workload.parameters().len()];
        let (mut done, mut slowest) = (0, 0.0_f64);
        while self.ending.step(Instant::now(), || slowest) == Step::GoOn
            && let Some(Range { start: run, .. }) = self.remaining.take(1)
        {
            let start = Instant::now();
            self.plan.design.values(run, &mut values);
            let submit = now();
            let missing = self.plan.design.is_missing(run);
            let graph = if missing { Err(Failure::NoStart) } else { graphs.graph(&values) };
            let outcome = graph.and_then(|graph| {
                self.send(&(1..=workers).map(|rank| (rank, Order::graph(run))).collect::<Vec<_>>());
                let (done, result) = self.lead_graph(graph.as_ref(), graphs.retries(), workers);
                graph.outputs(done, result.as_ref().map(Bytes::as_slice))
            });
            if self.ending.is_winding_up() {
                break; // the graph may be unfinished
            }
            slowest = slowest.max(start.elapsed().as_secs_f64());
            done += 1;
            let failure = outcome.as_ref().err().copied();
            let outputs = outcome.unwrap_or_else(|_| vec![f64::NAN; self.plan.workload.outputs().len()]);
            let (status, code) = (failure.map_or(Status::Ok, Failure::status), failure.map_or(0, Failure::code));
            self.rows.stamp(submit, submit);
            self.rows.push(run, status.code(), code, &values, &outputs, [].into_iter());
            match failure {
                None => self.log.ok += 1,
                Some(failure) => {
                    self.log.not_ok += 1;
                    if let Crew::Nobody(failures) = self.crew
                        && failures.len() < FAILURES_MAX as usize
                    {
                        failures.push((run, failure));
                    }
                }
            }
            self.show(done);
            if clock.is_due(Instant::now(), done) && self.remaining.left() > 0 {
                self.send(&(1..=workers).map(|rank| (rank, Order::flush())).collect::<Vec<_>>());
                let cost = self.flush()?;
                clock.flushed(Instant::now(), done, cost);
            }
        }
        self.send(&(1..=workers).map(|rank| (rank, Order::stop())).collect::<Vec<_>>());
        self.flush()?;
        self.finish_progress();
        Ok(())
    }

    /// Leads one graph to its end: how many tasks were done, and the root's output if it has one. What
    /// does not fit the protocol is a bug: the hook ends all ranks.
    pub(super) fn lead_graph(&mut self, graph: &dyn Graph, retries: u32, workers: usize) -> (u64, Option<Bytes>) {
        let bug = |error: GraphError| -> ! { panic!("{error}") };
        let mut leader = GraphLeader::new(GraphSettings { retries, ..GraphSettings::new(workers) });
        let root = leader.add(graph.root(), &[]).unwrap_or_else(|error| bug(error));
        leader.keep(root).unwrap_or_else(|error| bug(error));
        let mut reports = VecDeque::new();
        let mut buffer = Vec::new();
        let mut sendings = leader.start();
        loop {
            for (rank, order) in sendings {
                buffer.clear();
                order.encode(&mut buffer);
                self.world.send_order_bytes(rank, &buffer, &mut reports);
            }
            if leader.is_done() {
                return (leader.counts().done, leader.take_result(root));
            }
            let (rank, bytes) = reports.pop_front().unwrap_or_else(|| self.world.receive_report_bytes());
            let report = BatchReport::decode(&bytes).unwrap_or_else(|error| panic!("{error}"));
            sendings = leader.report(rank, report).unwrap_or_else(|error| bug(error));
            if !leader.is_done() && self.ending.step(Instant::now(), || 0.0) == Step::WindUp {
                sendings.extend(leader.wind_up());
            }
        }
    }

    /// The other ranks: the tasks of one graph after the other.
    pub(super) fn work_graphs(&mut self, graphs: &dyn Graphs) -> Result<(), Stop> {
        let mut values = vec![0.0; self.plan.workload.parameters().len()];
        loop {
            let order = self.world.receive_order();
            match order.kind {
                Order::GRAPH => {
                    self.plan.design.values(order.first, &mut values);
                    let graph = graphs.graph(&values).unwrap_or_else(|failure| panic!("{}", failure.sentence()));
                    self.work_graph(graph.as_ref());
                }
                Order::FLUSH => drop(self.flush()?),
                _ => return self.flush().map(|_| ()),
            }
        }
    }

    pub(super) fn work_graph(&mut self, graph: &dyn Graph) {
        let perform = |payload: &[u8], inputs: &[Bytes]| graph.perform(payload, inputs);
        let mut buffer = Vec::new();
        loop {
            let waiting = Instant::now();
            let bytes = self.world.receive_order_bytes();
            self.log.figures.waited(Order::FLY, waiting.elapsed());
            let order = GraphOrder::decode(&bytes).unwrap_or_else(|error| panic!("{error}"));
            let GraphOrder::Batch(batch) = order else { return };
            let report = perform_batch(&batch, &perform);
            self.log.figures.busy_s += report.results.iter().map(|result| result.ns as f64 * 1e-9).sum::<f64>();
            self.log.figures.runs += report.results.len() as u64;
            self.log.figures.chunks += 1;
            buffer.clear();
            report.encode(&mut buffer);
            self.world.send_report_bytes(&buffer);
        }
    }
}

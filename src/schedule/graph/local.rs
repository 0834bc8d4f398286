//! A task graph within one process: for one rank, and for tests.

use std::collections::VecDeque;
use std::sync::mpsc;
use std::time::Instant;

use crate::comm::catching;
use crate::workload::task::{Bytes, TaskOutcome};

use super::batch::{Batch, BatchReport, GraphOrder, TaskResult};
use super::counts::GraphError;
use super::leader::GraphLeader;

/// Does the tasks of a batch one after the other, with their times; a panic is a failure of its task.
pub fn perform_batch(batch: &Batch, perform: &impl Fn(&[u8], &[Bytes]) -> TaskOutcome) -> BatchReport {
    let mut start = Instant::now();
    let mut results = Vec::with_capacity(batch.tasks.len());
    for task in &batch.tasks {
        let outcome = catching(|| perform(task.payload.as_slice(), &task.inputs)).unwrap_or_else(|message| {
            tracing::warn!("a task panicked: {message}");
            TaskOutcome::Failed(TaskOutcome::PANICKED)
        });
        let end = Instant::now();
        results.push(TaskResult { task: task.task, outcome, ns: (end - start).as_nanos() as u64 });
        start = end;
    }
    BatchReport { results }
}

/// Runs a graph to its end on this thread, whatever the number of the leader's workers.
///
/// # Errors
/// A task that adds what cannot be added; the graph is given up.
pub fn run_here(leader: &mut GraphLeader, perform: &impl Fn(&[u8], &[Bytes]) -> TaskOutcome) -> Result<(), GraphError> {
    let mut wire: VecDeque<_> = leader.start().into();
    while let Some((rank, order)) = wire.pop_front() {
        if let GraphOrder::Batch(batch) = order {
            wire.extend(leader.report(rank, perform_batch(&batch, perform))?);
        }
    }
    Ok(())
}

/// Runs a graph to its end with one thread for each of the leader's workers.
///
/// # Errors
/// A task that adds what cannot be added; the graph is given up.
pub fn run_threads(
    leader: &mut GraphLeader,
    workers: usize,
    perform: &(impl Fn(&[u8], &[Bytes]) -> TaskOutcome + Sync),
) -> Result<(), GraphError> {
    std::thread::scope(|scope| {
        let (to_leader, reports) = mpsc::channel();
        let mut inboxes = Vec::with_capacity(workers);
        for rank in 1..=workers {
            let (inbox, orders) = mpsc::channel();
            let to_leader = to_leader.clone();
            inboxes.push(inbox);
            scope.spawn(move || {
                while let Ok(GraphOrder::Batch(batch)) = orders.recv() {
                    if to_leader.send((rank, perform_batch(&batch, perform))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(to_leader);
        let mut sendings = leader.start();
        loop {
            for (rank, order) in sendings {
                if let Some(inbox) = inboxes.get(rank - 1) {
                    // a thread that is gone shows when no report comes
                    let _ = inbox.send(order);
                }
            }
            if leader.is_done() {
                return Ok(());
            }
            match reports.recv() {
                Ok((rank, report)) => sendings = leader.report(rank, report)?,
                Err(_) => return Ok(()),
            }
        }
    })
}

//! A worker whose runs are programs: many at a time, driven by their events instead of by a chunk.

use std::io;
use std::time::{Duration, Instant};

use super::worker::keep_first;
use crate::base::clock::now;
use crate::base::outcome::Failure;
use crate::comm::Report;
use crate::design::Design;
use crate::store::RowBlock;
use crate::workload::command::Runner;
use crate::workload::command::workload::finished_run;

/// The chunks in hand and the programs that run for them.
pub struct Programs<'a> {
    /// None: its programs have been ended.
    runner: Option<Runner>,
    design: &'a dyn Design,
    chunks: Vec<Chunk>,
    rows: RowBlock,
    failures: Vec<(u64, Failure)>,
    failures_max: usize,
    values: Vec<f64>,
    outputs: Vec<f64>,
}

/// A chunk in hand.
struct Chunk {
    report: Report,
    next: u64,
    since: Instant,
}

impl<'a> Programs<'a> {
    /// A worker around a runner; `empty` is a block for rows of the result file's layout.
    pub fn new(runner: Runner, design: &'a dyn Design, empty: RowBlock, failures_max: usize) -> Self {
        Programs {
            runner: Some(runner),
            design,
            chunks: Vec::new(),
            rows: empty,
            failures: Vec::new(),
            failures_max,
            values: vec![0.0; design.parameters().len()],
            outputs: Vec::new(),
        }
    }

    /// Starts no more programs: what was not begun of the chunks in hand is dropped.
    pub fn wind_up(&mut self) {
        for chunk in &mut self.chunks {
            let end = chunk.report.first + chunk.report.count;
            chunk.report.dropped += end - chunk.next;
            chunk.next = end;
        }
    }

    /// Ends all programs, kills and reaps them; the chunks in hand leave with what had ended.
    pub fn give_up(&mut self) -> Vec<Report> {
        self.runner = None;
        self.chunks
            .drain(..)
            .map(|Chunk { report, since, .. }| Report {
                dropped: report.count - report.ok - report.not_ok,
                busy_ns: since.elapsed().as_nanos() as u64,
                ..report
            })
            .collect()
    }

    /// Takes a chunk; `waited_ns` is how long its order was waited for.
    pub fn accept(&mut self, first: u64, count: u64, waited_ns: u64) {
        let report = Report { first, count, wait_ns: waited_ns, ..Report::default() };
        self.chunks.push(Chunk { report, next: first, since: Instant::now() });
    }

    /// Whether no chunk is in hand.
    pub fn is_idle(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Starts what there is room for and waits for programs to end, at most so long; the chunks that are
    /// complete leave as reports.
    ///
    /// # Errors
    /// Those of [`Runner::poll`]: the worker cannot go on.
    pub fn turn(&mut self, patience: Duration) -> io::Result<Vec<Report>> {
        let Some(runner) = &mut self.runner else { return Ok(Vec::new()) };
        let mut room = runner.room();
        let mut patience = patience;
        for chunk in &mut self.chunks {
            while room > 0 && chunk.next < chunk.report.first + chunk.report.count {
                let run = chunk.next;
                self.design.values(run, &mut self.values);
                chunk.next += 1;
                if self.design.is_missing(run) {
                    let (status, code) = (Failure::NoStart.status().code(), Failure::NoStart.code());
                    self.outputs.clear();
                    self.outputs.resize(self.rows.outputs(), f64::NAN);
                    self.rows.stamp(now(), now());
                    self.rows.push(run, status, code, &self.values, &self.outputs, [].into_iter());
                    self.failures.push((run, Failure::NoStart));
                    chunk.report.not_ok += 1;
                    patience = Duration::ZERO;
                    continue;
                }
                runner.submit(run, &self.values);
                room -= 1;
            }
        }
        let Programs { chunks, rows, failures, outputs, .. } = self;
        runner.poll(patience, |ended| {
            let run = finished_run(ended, outputs);
            let code = run.failure.map_or(0, Failure::code);
            rows.stamp(ended.created, if ended.started > 0.0 { ended.started } else { ended.created });
            rows.push(run.run, run.status.code(), code, run.parameters, run.outputs, [].into_iter());
            let holds =
                |chunk: &&mut Chunk| (chunk.report.first..chunk.report.first + chunk.report.count).contains(&run.run);
            if let Some(chunk) = chunks.iter_mut().find(holds) {
                match run.failure {
                    None => chunk.report.ok += 1,
                    Some(failure) => {
                        chunk.report.not_ok += 1;
                        failures.push((run.run, failure));
                    }
                }
            }
        })?;
        if self.failures.len() > 2 * self.failures_max.max(1) {
            keep_first(&mut self.failures, self.failures_max);
        }
        let done = |Chunk { report, .. }: &mut Chunk| report.ok + report.not_ok + report.dropped == report.count;
        let reports = self
            .chunks
            .extract_if(.., done)
            .map(|chunk| Report { busy_ns: chunk.since.elapsed().as_nanos() as u64, ..chunk.report });
        Ok(reports.collect())
    }

    /// The rows since the last call; they leave the worker.
    pub fn take_rows(&mut self, into: &mut RowBlock) {
        into.append(&mut self.rows);
    }

    /// The runs that are not ok, the first ones by number.
    pub fn failures(&mut self) -> Vec<(u64, Failure)> {
        keep_first(&mut self.failures, self.failures_max);
        self.failures.clone()
    }
}

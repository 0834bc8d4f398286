//! `--dry-run`: the plan, without flying it.

use std::fmt::Write as _;

use super::format::{bytes, count, number, table};
use crate::plan::{Plan, shown};
use crate::schedule::flush::ROWS_BYTES_MAX;

/// What a process needs before any row, bytes: the program, MPI, HDF5.
const BASE_MEMORY: u64 = 60_000_000;

/// The plan as a person reads it.
pub fn text(plan: &Plan) -> String {
    let mut text = String::new();
    let (runs, numbers) = (plan.layout.runs, plan.layout.run_numbers());
    let _ = writeln!(text, "plan {}: {}", plan.layout.sweep_id, plan.layout.title);
    let _ = writeln!(text, "{} runs, design {}, workload {}", count(runs), plan.design.kind(), plan.workload.kind());
    if let Some(slice) = plan.layout.slice {
        let last = numbers.end.saturating_sub(1);
        let _ = writeln!(text, "slice: runs {} to {last} of {}", numbers.start, count(slice.whole_runs));
    }
    let mut rows = vec![["parameter", "unit", "first run", "last run"].map(String::from).to_vec()];
    let (first, last) = (values(plan, numbers.start), values(plan, numbers.end.saturating_sub(1)));
    for (index, column) in plan.layout.parameters.iter().enumerate() {
        // what a stage starts from is not known yet
        let known = |values: &[f64]| values.get(index).copied().filter(|value| !value.is_nan());
        let shown = |values: &[f64]| known(values).map_or("-".to_owned(), number);
        rows.push(vec![column.gmat_name.clone(), column.units.clone(), shown(&first), shown(&last)]);
    }
    let _ = write!(text, "\n{}\n", table(&rows));
    let mut rows = vec![["final value", "unit", "dataset"].map(String::from).to_vec()];
    rows.extend(plan.layout.outputs.iter().map(|c| vec![c.gmat_name.clone(), c.units.clone(), c.name.clone()]));
    text += &table(&rows);
    for report in &plan.layout.reports {
        let columns: Vec<&str> = report.columns.iter().map(|column| column.gmat_name.as_str()).collect();
        let _ = writeln!(
            text,
            "\nreport {}, up to {} rows a run: {}",
            report.name,
            count(report.max_steps),
            columns.join(", ")
        );
    }
    let size = plan.layout.file_size().map_or_else(|error| error.to_string(), bytes);
    let rows = (runs.saturating_mul(plan.row_bytes())).min(ROWS_BYTES_MAX);
    let _ = writeln!(text, "\nfile    {} ({size})", shown(&plan.output));
    // a worker has its rows, what it sends and what it writes; rank 0 writes a share of at most half
    let (worker, leader) = (bytes(BASE_MEMORY + 3 * rows), bytes(BASE_MEMORY + rows));
    let _ = writeln!(text, "memory  at most {worker} a worker, {leader} rank 0");
    text
}

/// The parameters of a run; nothing where there are no runs.
fn values(plan: &Plan, run: u64) -> Vec<f64> {
    if plan.layout.runs > 0 { plan.parameters(run) } else { Vec::new() }
}

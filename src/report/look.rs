//! `--only`: flies some runs alone and prints them.

use std::fmt::Write as _;

use super::format::table;
use crate::base::lanes::Vectors;
use crate::cli::RunNumbers;
use crate::plan::Plan;

/// The runs as a table, in full digits, with the messages of those that are not ok; and how many are not.
pub fn text(plan: &Plan, only: &RunNumbers, vectors: Vectors) -> (String, u64) {
    let names = plan.workload.parameters().iter().chain(plan.workload.outputs()).map(|column| column.path.clone());
    let mut rows = vec![["run".to_owned(), "status".to_owned()].into_iter().chain(names).collect()];
    let mut lines: Vec<(u64, Vec<String>)> = Vec::new();
    let mut messages = String::new();
    let mut not_ok = 0;
    let mut executor = plan.workload.executor(vectors);
    for range in only.ranges() {
        executor.execute(range.clone(), &|run, out| plan.design.values(run, out), &mut |finished| {
            let status = finished.status.name();
            let numbers = finished.parameters.iter().chain(finished.outputs);
            let words = numbers.map(|value| if value.is_nan() { "-".to_owned() } else { value.to_string() });
            lines
                .push((finished.run, [finished.run.to_string(), status.to_owned()].into_iter().chain(words).collect()));
            if let Some(failure) = finished.failure {
                not_ok += 1;
                let _ = writeln!(messages, "run {}: {}", finished.run, plan.failure_message(finished.run, failure));
            }
        });
    }
    lines.sort_by_key(|line| line.0);
    rows.extend(lines.into_iter().map(|line| line.1));
    (table(&rows) + &messages, not_ok)
}

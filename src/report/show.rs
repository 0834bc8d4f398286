//! `sweep-mpi show FILE`: what is in a result file.

use std::fmt::Write as _;
use std::path::Path;

use super::format::{bytes, count, number, table};
use crate::base::outcome::STATUS_FLAGS;
use crate::base::problem::printable;
use crate::store::{Reader, StoreError};

/// How many messages of runs that are not ok are shown.
const MESSAGES: usize = 5;

/// The file's description: status counts, columns with units, min, mean and max over the runs that are ok.
pub fn text(path: &Path) -> Result<String, StoreError> {
    let reader = Reader::open(path)?;
    let mut text = String::new();
    let size = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let _ = writeln!(text, "{}  {}", path.display(), bytes(size));
    let _ = writeln!(
        text,
        "{}, {}, sweep {}",
        reader.attribute("title"),
        reader.attribute("source"),
        reader.attribute("sweep_id")
    );
    let (counts, unknown) = reader.status_counts()?;
    let _ = write!(text, "{} runs:", count(reader.runs()));
    for ((_, name), number) in STATUS_FLAGS.iter().zip(counts).filter(|(_, number)| *number > 0) {
        let _ = write!(text, " {} {name},", count(number));
    }
    if unknown > 0 {
        let _ = write!(text, " {} with an unknown status,", count(unknown));
    }
    text.pop();
    text.push('\n');
    let (failures, all) = reader.failures()?;
    for (run, message) in failures.iter().take(MESSAGES) {
        let _ = writeln!(text, "  run {run}: {message}");
    }
    if all > MESSAGES as u64 && !failures.is_empty() {
        let _ = writeln!(text, "  ... and {} more", count(all - MESSAGES.min(failures.len()) as u64));
    }
    let mut rows = vec![["column", "unit", "min", "mean", "max"].map(String::from).to_vec()];
    for summary in reader.column_summaries()? {
        let numbers = [summary.min, summary.mean, summary.max].map(number);
        rows.push([vec![summary.name, summary.units], numbers.to_vec()].concat());
    }
    let _ = write!(text, "\n{}", table(&rows));
    for report in reader.reports() {
        let _ = writeln!(text, "\nreport {}: up to {} rows a run", report.name, count(report.max_steps));
        let mut rows = vec![["column", "unit"].map(String::from).to_vec()];
        rows.extend(report.columns.iter().map(|column| vec![column.name.clone(), column.units.clone()]));
        text += &table(&rows);
    }
    // the file may be hostile: its texts must not steer the terminal
    Ok(text.lines().map(|line| printable(line) + "\n").collect())
}

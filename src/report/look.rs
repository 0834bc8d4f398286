//! `--only`: flies some runs alone and prints them, and writes their ephemeris files where that is asked for.

use std::fmt::Write as _;
use std::path::Path;

use super::fly::{check, run_files};
use super::format::table;
use crate::base::lanes::Vectors;
use crate::base::problem::Problem;
use crate::base::run::FinishedRun;
use crate::cli::{RunNumbers, Stop, machine};
use crate::mission::Mission;
use crate::plan::{Plan, shown};
use crate::workload::mission::MissionWorkload;

/// Where ephemeris files go, and of what mission they are.
pub struct Ephemerides<'a> {
    folder: &'a Path,
    mission: &'a Mission,
}

impl<'a> Ephemerides<'a> {
    /// Those of some runs into a folder, which is there, and the files are not.
    pub fn new(plan: &'a Plan, only: &RunNumbers, folder: &'a Path, overwrite: bool) -> Result<Self, Problem> {
        const ARGUMENT: &str = "--ephemerides";
        let mission = MissionWorkload::flight_of(&*plan.workload).map(|flight| &flight.mission);
        let Some(mission) = mission.filter(|mission| !mission.ephemerides.is_empty()) else {
            let problem = Problem::of(ARGUMENT, "the sweep has no script with an EphemerisFile that can be written");
            return Err(problem.help("as in Create EphemerisFile Eph; Eph.Spacecraft = Sat"));
        };
        let files = only.iter().flat_map(|run| mission.ephemerides.iter().map(move |file| name(&file.name, run)));
        check(ARGUMENT, folder, files, overwrite)?;
        Ok(Ephemerides { folder, mission })
    }

    /// Writes those of a run that is ok; the message where one cannot be written.
    fn write(&self, finished: &FinishedRun) -> Result<Option<String>, Stop> {
        let texts = match run_files(self.mission, finished.ephemerides) {
            Ok(texts) => texts,
            Err(message) => return Ok(Some(message)),
        };
        for (file, text) in self.mission.ephemerides.iter().zip(texts) {
            let path = self.folder.join(name(&file.name, finished.run));
            std::fs::write(&path, text).map_err(|error| machine(format!("{}: {error}", shown(&path))))?;
        }
        Ok(None)
    }
}

fn name(file: &str, run: u64) -> String {
    format!("{file}.{run}.oem")
}

/// The runs as a table, in full digits, with the messages of those that are not ok; and how many are not.
pub fn text(
    plan: &Plan,
    only: &RunNumbers,
    vectors: Vectors,
    ephemerides: Option<&Ephemerides>,
) -> Result<(String, u64), Stop> {
    let names = plan.workload.parameters().iter().chain(plan.workload.outputs()).map(|column| column.path.clone());
    let mut rows = vec![["run".to_owned(), "status".to_owned()].into_iter().chain(names).collect()];
    let mut lines: Vec<(u64, Vec<String>)> = Vec::new();
    let mut messages = String::new();
    let mut not_ok = 0;
    let mut trouble = Ok(());
    let recorder = ephemerides.and_then(|_| MissionWorkload::recorder(&*plan.workload, vectors));
    let mut executor = recorder.unwrap_or_else(|| plan.workload.executor(vectors));
    for range in only.ranges() {
        executor.execute(
            range.clone(),
            &|run, out| plan.design.values(run, out),
            &mut |finished| {
                let status = finished.status.name();
                let numbers = finished.parameters.iter().chain(finished.outputs);
                let words = numbers.map(|value| if value.is_nan() { "-".to_owned() } else { value.to_string() });
                lines.push((
                    finished.run,
                    [finished.run.to_string(), status.to_owned()].into_iter().chain(words).collect(),
                ));
                if let Some(failure) = finished.failure {
                    not_ok += 1;
                    let _ = writeln!(messages, "run {}: {}", finished.run, plan.failure_message(finished.run, failure));
                } else if let (Some(ephemerides), Ok(())) = (ephemerides, &trouble) {
                    match ephemerides.write(&finished) {
                        Ok(None) => {}
                        Ok(Some(message)) => {
                            not_ok += 1;
                            let _ = writeln!(messages, "run {}: {message}", finished.run);
                        }
                        Err(stop) => trouble = Err(stop),
                    }
                }
            },
            &|| true,
        );
    }
    trouble?;
    lines.sort_by_key(|line| line.0);
    rows.extend(lines.into_iter().map(|line| line.1));
    Ok((table(&rows) + &messages, not_ok))
}

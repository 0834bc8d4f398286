//! `sweep-mpi verify FILE`: what of a result file is there, and what is lost.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use super::format::{RunList, count, say};
use super::reading;
use crate::base::outcome::{STATUS_FLAGS, Status};
use crate::base::problem::printable;
use crate::cli::{self, Command, EXIT_MACHINE, EXIT_OK, EXIT_SOME_NOT_OK, Stop, machine};
use crate::config;
use crate::design;
use crate::gmat;
use crate::plan::{FAILURES_MAX, Plan, Sources};
use crate::store::{Layout, Reader, StoreError};

/// What is in a result file.
#[derive(Debug, Default)]
pub struct Verdict {
    /// Sound rows by status, in the order of [`STATUS_FLAGS`].
    pub counts: [u64; 7],
    /// Runs that have not been flown.
    pub pending: RunList,
    /// Runs whose rows are damaged.
    pub damaged: RunList,
    /// What else is damaged, a line each.
    pub other: Vec<String>,
    /// The table of runs that are not ok is damaged.
    pub is_table_damaged: bool,
    /// The file has the name of an unfinished sweep.
    pub is_partial: bool,
}

impl Verdict {
    /// Looks at all of a file.
    ///
    /// # Errors
    /// It is no result file, or so damaged that its rows cannot be read.
    pub fn of(reader: &Reader, path: &Path) -> Result<Verdict, StoreError> {
        let is_partial = path.extension().is_some_and(|extension| extension == "partial");
        let mut verdict = Verdict { is_partial, ..Verdict::default() };
        let (mut failed, mut not_ok) = (Vec::new(), 0);
        reader.each_row(|row| {
            let Some(status) = row.status else { return verdict.damaged.push(row.run) };
            verdict.counts[status as usize] += 1;
            match status {
                Status::NotRun => verdict.pending.push(row.run),
                Status::Ok => {}
                _ => {
                    not_ok += 1;
                    if not_ok <= FAILURES_MAX {
                        failed.push(row.run);
                    }
                }
            }
        })?;
        verdict.other = reader.check_fixed()?;
        // the table is written when all else is
        let is_whole = !is_partial && verdict.pending.count() == 0 && verdict.damaged.count() == 0;
        if is_whole && !reader.lists_failures(&failed, not_ok)? {
            verdict.is_table_damaged = true;
        }
        if verdict.other.is_empty() && plan_of(reader).is_some_and(|layout| !is_of(reader, layout)) {
            verdict.other.push("it does not have the runs, columns and hash of the plan in /provenance".to_owned());
        }
        Ok(verdict)
    }

    /// Something is damaged.
    pub fn is_damaged(&self) -> bool {
        self.damaged.count() > 0 || self.is_table_damaged || !self.other.is_empty()
    }

    /// All runs have been flown, and the file has its name.
    pub fn is_complete(&self) -> bool {
        self.pending.count() == 0 && !self.is_partial
    }

    /// 3 where something is damaged; 1 where runs are not flown or not ok, or the file is still `.partial`; else 0.
    pub fn exit_code(&self) -> u8 {
        let ended: u64 = self.counts[2..].iter().sum();
        if self.is_damaged() {
            EXIT_MACHINE
        } else if ended > 0 || !self.is_complete() {
            EXIT_SOME_NOT_OK
        } else {
            EXIT_OK
        }
    }

    /// For a person: `out.h5: 200 runs: 190 ok, 3 failed, 7 damaged: 12-15, 77, 90, 120`, and what helps.
    pub fn text(&self, reader: &Reader, path: &Path) -> String {
        let mut text = format!("{}: {} runs", path.display(), count(reader.runs()));
        if let Some(slice) = reader.slice() {
            let (first, end) = (slice.first_run, slice.first_run + reader.runs());
            let _ = write!(text, " ({first}-{} of {})", end.saturating_sub(1), count(slice.whole_runs));
        }
        let counted = STATUS_FLAGS.iter().zip(self.counts).skip(1).filter(|(_, number)| *number > 0);
        let mut parts: Vec<String> = counted.map(|((_, name), number)| format!("{} {name}", count(number))).collect();
        if self.pending.count() > 0 {
            parts.push(format!("{} not flown: {}", count(self.pending.count()), self.pending));
        }
        let damaged = format!("{} damaged: {}", count(self.damaged.count()), self.damaged);
        let _ = write!(text, ": {}", parts.join(", "));
        if self.damaged.count() > 0 {
            let comma = if self.pending.count() > 0 { "; " } else { ", " };
            let _ = write!(text, "{}{damaged}", if parts.is_empty() { "" } else { comma });
        }
        text.push('\n');
        for line in &self.other {
            let _ = writeln!(text, "    {line}");
        }
        if self.is_table_damaged {
            text += "    the table of runs that are not ok (`/failures`) is damaged\n";
        }
        let help = if !self.other.is_empty() {
            "a new sweep mends that, with --overwrite"
        } else if self.damaged.count() > 0 {
            "--resume flies the damaged ones again"
        } else if self.pending.count() > 0 {
            "--resume flies what is left"
        } else if self.is_table_damaged {
            "--resume writes it anew"
        } else if self.is_partial {
            "all are flown; --resume gives the file its name"
        } else {
            return text;
        };
        let _ = writeln!(text, "    {help}");
        text
    }
}

/// Says what is in a file; the exit code tells it as well.
///
/// # Errors
/// It is no result file, or cannot be read.
pub fn run(path: &Path) -> Result<u8, Stop> {
    let reader = Reader::open(path).map_err(machine)?;
    if reading::is_glance() {
        let _ = (reader.check_fixed(), reader.failures(), reader.layout());
        return Ok(EXIT_OK);
    }
    let verdict = Verdict::of(&reader, path).map_err(machine)?;
    // the file may be hostile: its texts must not steer the terminal
    let text = verdict.text(&reader, path);
    say(&text.lines().map(|line| printable(line) + "\n").collect::<String>());
    Ok(verdict.exit_code())
}

/// Whether a file has the layout of its plan: all of it, or a part along the runs.
fn is_of(reader: &Reader, plan: Layout) -> bool {
    let Ok(found) = reader.layout() else { return false };
    let whole = found.slice.map_or(found.runs, |slice| slice.whole_runs);
    let has_runs = whole == plan.runs;
    // texts have a digest of their own, and the title may have the name of the config, which is not in the file
    let expected = Layout {
        runs: found.runs,
        slice: found.slice,
        failures_max: found.runs.min(FAILURES_MAX),
        title: found.title.clone(),
        provenance: found.provenance.clone(),
        ..plan
    };
    has_runs && expected == found
}

/// The layout that the texts in a file are planned to. None where they do not say all: the sweep has stages or reads
/// data files, or another version of the program made the file.
fn plan_of(reader: &Reader) -> Option<Layout> {
    let text = |name: &str| reader.provenance(name).ok();
    let is_mine = text("version")? == env!("CARGO_PKG_VERSION") && text("git_hash")? == env!("SWEEP_MPI_GIT_HASH");
    let (config, mission) = (text("config")?, text("mission")?);
    if !is_mine || !text("data")?.is_empty() || config.len() > config::MAX_BYTES || mission.len() > gmat::MAX_BYTES {
        return None;
    }
    let mut words: Vec<OsString> = ["sweep-mpi", "config.toml"].map(OsString::from).to_vec();
    for line in text("overrides")?.lines() {
        words.extend(["--set".into(), line.replacen(" = ", "=", 1).into()]);
    }
    let Ok(Command::Run(arguments)) = cli::read(words) else { return None };
    let sources = Sources {
        config_file: "config.toml".to_owned(),
        folder: "/".into(),
        config: config.into_bytes(),
        scripts: vec![mission.into_bytes()],
        files: Vec::new(),
    };
    let sweeps = config::parse_stages(&sources.config_file, &sources.folder, &sources.config, design::read).ok()?;
    if sweeps.len() != 1 {
        return None;
    }
    Plan::all(&sources, &arguments).ok()?.pop().map(|plan| plan.layout)
}

//! The command line: as typed ([`Typed`]), then ready to use ([`Command`]). Values are checked in
//! the conversion between the two and nowhere else; all that is wrong is told at once.

mod resuming;
mod run_numbers;
mod slice;
mod typed;

pub use resuming::{Resume, Retry};
pub use run_numbers::RunNumbers;
pub use slice::SliceNumber;

use crate::base::nearest::did_you_mean;
use crate::base::problem::{Problem, Problems, printable};
use crate::config::overrides::{Overrides, apply_set};
use crate::config::reader::cut;
use crate::config::{Lanes, MAX_THREADS};
use crate::workload::command::control::{Action, ControlOrder};
use crate::workload::command::journal::State;
use clap::{CommandFactory as _, FromArgMatches as _};
use std::ffi::OsString;
use std::fmt::Display;
use std::path::PathBuf;
use std::time::Duration;
use typed::{Typed, TypedCommand};

/// What the program is to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Fly a sweep, or look at its plan.
    Run(RunArguments),
    /// Print what is in a result file.
    Show {
        /// The result file.
        file: PathBuf,
    },
    /// Tell what of a result file is lost.
    Verify {
        /// The result file.
        file: PathBuf,
    },
    /// Make one result file of the slices of a sweep.
    Merge(MergeArguments),
    /// Fly one mission script.
    Fly(FlyArguments),
    /// Tell whether mission scripts can be flown.
    Check {
        /// The scripts as named.
        scripts: Vec<PathBuf>,
    },
    /// List the programs of a sweep, or order something to some of them.
    Jobs {
        /// The result file, or what it will be.
        file: PathBuf,
        /// Only runs in these states; all where there is none.
        states: Vec<State>,
        /// Print changes as they come.
        follow: bool,
        /// Orders, in the order in which they are given.
        orders: Vec<(Action, String)>,
    },
    /// List what the registries have.
    List {
        /// One registry, or all; not yet looked up.
        what: Option<String>,
    },
}

/// How to fly a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct RunArguments {
    /// The config file as named.
    pub config: PathBuf,
    /// Print the plan alone.
    pub dry_run: bool,
    /// The result file, relative to the current folder, instead of the config's.
    pub output: Option<PathBuf>,
    /// Replace a result file that exists.
    pub overwrite: bool,
    /// Go on with what an earlier job left.
    pub resume: Option<Resume>,
    /// Fly this slice of the runs alone, into a file of its own.
    pub slice: Option<SliceNumber>,
    /// End before this time has passed.
    pub max_time: Option<Duration>,
    /// Abort when a rank has been silent for this long.
    pub hang_timeout: Option<Duration>,
    /// Values of the script for all runs.
    pub overrides: Overrides,
    /// Threads of each rank, 1 to [`MAX_THREADS`], instead of the config's.
    pub threads: Option<usize>,
    /// Runs that a thread flies side by side, instead of the config's.
    pub lanes: Option<Lanes>,
    /// Fly these runs alone and print them.
    pub only: Option<RunNumbers>,
    /// The folder of their ephemeris files, if these are written; with `only` alone.
    pub ephemerides: Option<PathBuf>,
    /// How much is said.
    pub verbosity: Verbosity,
    /// How log lines are written.
    pub log_format: LogFormat,
}

/// What is merged into what.
#[derive(Clone, Debug, PartialEq)]
pub struct MergeArguments {
    /// The result file to be made.
    pub output: PathBuf,
    /// The files of the slices.
    pub slices: Vec<PathBuf>,
    /// Replace a result file that exists.
    pub overwrite: bool,
}

/// How to fly one mission script.
#[derive(Clone, Debug, PartialEq)]
pub struct FlyArguments {
    /// The script as named.
    pub script: PathBuf,
    /// Values of the script.
    pub overrides: Overrides,
    /// The folder of the reports; standard output where there is none.
    pub reports: Option<PathBuf>,
    /// Replace reports that exist.
    pub overwrite: bool,
}

/// How much is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// `-q`: errors only.
    Quiet,
    /// Progress and summary.
    #[default]
    Normal,
    /// `-v`: what each phase did.
    Verbose,
    /// `-vv`: everything.
    Trace,
}

/// How log lines are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// Why the program ends before it begins: a text to print and the exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// 0 for help and version, which go to standard output; else one of the codes above, to standard error.
    pub code: u8,
    /// What to print, with its last line end.
    pub text: String,
}

/// All runs ok.
pub const EXIT_OK: u8 = 0;
/// Done, some runs not ok.
pub const EXIT_SOME_NOT_OK: u8 = 1;
/// Refused: arguments, config, script.
pub const EXIT_REFUSED: u8 = 2;
/// The machine or a file.
pub const EXIT_MACHINE: u8 = 3;
/// Interrupted.
pub const EXIT_INTERRUPTED: u8 = 4;

/// Why arguments, a config or a script are refused.
pub fn refused(problem: impl Display) -> Stop {
    Stop { code: EXIT_REFUSED, text: printable_lines(&problem.to_string()) }
}

/// What failed on the machine or with a file.
pub fn machine(problem: impl Display) -> Stop {
    Stop { code: EXIT_MACHINE, text: printable_lines(&problem.to_string()) }
}

/// Each line without control characters: names of files and of what is in them may hold any.
fn printable_lines(text: &str) -> String {
    text.lines().map(|line| printable(line) + "\n").collect()
}

/// Reads the arguments, the program's name first.
pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, Stop> {
    let typed = Typed::command().try_get_matches_from(arguments).and_then(|matches| Typed::from_arg_matches(&matches));
    let typed = typed.map_err(|error| {
        let text = printable_lines(&error.render().to_string());
        Stop { code: u8::from(error.use_stderr()) * 2, text }
    })?;
    convert(typed).map_err(|problems| Stop { code: 2, text: format!("{problems}\n") })
}

fn convert(typed: Typed) -> Result<Command, Problems> {
    let config = match (typed.command, typed.config) {
        (Some(TypedCommand::Show { file }), _) => return Ok(Command::Show { file }),
        (Some(TypedCommand::Verify { file }), _) => return Ok(Command::Verify { file }),
        (Some(TypedCommand::Merge { output, slices, overwrite }), _) => {
            return Ok(Command::Merge(MergeArguments { output, slices, overwrite }));
        }
        (Some(TypedCommand::List { what }), _) => return Ok(Command::List { what }),
        (Some(TypedCommand::Check { scripts }), _) => return Ok(Command::Check { scripts }),
        (Some(TypedCommand::Fly { script, set, reports, overwrite }), _) => {
            let mut overrides = Overrides::default();
            let problems: Vec<Problem> =
                set.iter().filter_map(|argument| apply_set(&mut overrides, argument).err()).collect();
            if !problems.is_empty() {
                return Err(Problems(problems));
            }
            return Ok(Command::Fly(FlyArguments { script, overrides, reports, overwrite }));
        }
        (Some(TypedCommand::Jobs { file, state, follow, suspend, resume, cancel }), _) => {
            return jobs(file, &state, follow, [suspend, resume, cancel]);
        }
        (None, config) => PathBuf::from(config.unwrap_or_default()),
    };
    let mut problems = Vec::new();
    let mut refuse = |argument: &str, message: String, allowed: &str| {
        problems.push(Problem::of(argument, message).help(format!("allowed: {allowed}")));
    };
    if config.as_os_str().is_empty() {
        refuse("CONFIG", "the name of the config is empty".to_owned(), "the path of a TOML file");
    }
    if typed.output.as_ref().is_some_and(|output| output.is_empty()) {
        refuse("--output", "the name of the file is empty".to_owned(), "the path of a file to write");
    }
    let (max_time, hang_timeout) = (typed.max_time, typed.hang_timeout);
    let [max_time, hang_timeout] =
        [("--max-time", max_time), ("--hang-timeout", hang_timeout)].map(|(argument, text)| {
            let text = text?;
            let time = resuming::time(&text);
            if time.is_none() {
                refuse(argument, format!("`{}` is no time", cut(&text)), "seconds, M:SS or H:MM:SS, above 0");
            }
            time
        });
    let resume = resuming::resume(typed.resume.as_deref(), typed.retry.as_deref(), typed.allow_drift, &mut refuse);
    if resume.is_some() && (typed.overwrite || typed.only.is_some()) {
        let flag = if typed.overwrite { "--overwrite" } else { "--only" };
        refuse("--resume", format!("`{flag}` beside `--resume`"), "one of the two");
    }
    let slice = typed.slice.and_then(|text| SliceNumber::read(&text, &mut refuse));
    if slice.is_some() && typed.only.is_some() {
        refuse("--slice", "`--only` beside `--slice`".to_owned(), "one of the two");
    }
    let threads = typed.threads.and_then(|text| threads(&text, &mut refuse));
    let lanes = typed.lanes.and_then(|text| lanes(&text, &mut refuse));
    let verbosity = verbosity(typed.quiet, typed.verbose, &mut refuse);
    let overwrite = typed.overwrite && typed.ephemerides.is_none();
    if typed.only.is_some() && (typed.output.is_some() || overwrite) {
        let flag = if overwrite { "--overwrite" } else { "--output" };
        refuse("--only", format!("`{flag}` beside `--only`, which writes no file"), "one of the two");
    }
    if typed.ephemerides.is_some() && (typed.only.is_none() || typed.dry_run) {
        let message = "ephemeris files are written of single runs".to_owned();
        refuse("--ephemerides", message, "with --only, which says which runs, and without --dry-run");
    }
    let log_format = match typed.log_format.as_str() {
        "text" => LogFormat::Text,
        "json" => LogFormat::Json,
        other => {
            let message = format!("`{}` is no format of log lines", cut(other));
            problems.push(Problem::of("--log-format", message).help(did_you_mean(other, ["text", "json"])));
            LogFormat::Text
        }
    };
    let mut overrides = Overrides::default();
    problems.extend(typed.set.iter().filter_map(|argument| apply_set(&mut overrides, argument).err()));
    let only = typed.only.and_then(|text| RunNumbers::read(&text).map_err(|found| problems.extend(found.0)).ok());
    if !problems.is_empty() {
        return Err(Problems(problems));
    }
    Ok(Command::Run(RunArguments {
        config,
        dry_run: typed.dry_run,
        output: typed.output.map(PathBuf::from),
        overwrite: typed.overwrite,
        resume,
        slice,
        max_time,
        hang_timeout,
        overrides,
        threads,
        lanes,
        only,
        ephemerides: typed.ephemerides,
        verbosity,
        log_format,
    }))
}

fn threads(text: &str, refuse: &mut impl FnMut(&str, String, &str)) -> Option<usize> {
    let threads = text.trim().parse().ok().filter(|threads| (1..=MAX_THREADS as usize).contains(threads));
    if threads.is_none() {
        let allowed = format!("a whole number from 1 to {MAX_THREADS}");
        refuse("--threads", format!("`{}` is no number of threads", cut(text)), &allowed);
    }
    threads
}

fn lanes(text: &str, refuse: &mut impl FnMut(&str, String, &str)) -> Option<Lanes> {
    let lanes = match text.trim() {
        "1" => Some(Lanes::One),
        "4" => Some(Lanes::Four),
        "8" => Some(Lanes::Eight),
        _ => None,
    };
    if lanes.is_none() {
        refuse("--lanes", format!("`{}` is no number of lanes", cut(text)), "1, 4 or 8");
    }
    lanes
}

fn verbosity(quiet: bool, verbose: u8, refuse: &mut impl FnMut(&str, String, &str)) -> Verbosity {
    match (quiet, verbose) {
        (true, 0) => Verbosity::Quiet,
        (false, 0) => Verbosity::Normal,
        (false, 1) => Verbosity::Verbose,
        (false, _) => Verbosity::Trace,
        (true, _) => {
            refuse("--quiet", "quiet and verbose at once".to_owned(), "either --quiet or --verbose");
            Verbosity::Normal
        }
    }
}

/// States and orders of `jobs`, checked.
fn jobs(file: PathBuf, states: &[String], follow: bool, orders: [Option<String>; 3]) -> Result<Command, Problems> {
    let mut problems = Vec::new();
    let names = State::ALL.iter().map(|state| state.name());
    let mut wanted = Vec::new();
    for name in states {
        if let Some(state) = State::from_name(name) {
            wanted.push(state);
        } else {
            let message = format!("`{}` is no state", cut(name));
            problems.push(Problem::of("--state", message).help(did_you_mean(name, names.clone())));
        }
    }
    let mut given = Vec::new();
    for ((action, word), runs) in Action::ALL.into_iter().zip(orders) {
        let Some(runs) = runs else { continue };
        match ControlOrder::new(action, &runs) {
            Ok(_) => given.push((action, runs)),
            Err(message) => problems.push(Problem::of(&format!("--{word}"), message).help("allowed: 5, 5-9 or all")),
        }
    }
    if problems.is_empty() {
        Ok(Command::Jobs { file, states: wanted, follow, orders: given })
    } else {
        Err(Problems(problems))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(arguments: &[&str]) -> Result<Command, Stop> {
        read(std::iter::once("sweep-mpi").chain(arguments.iter().copied()).map(OsString::from))
    }

    fn run(arguments: &[&str]) -> RunArguments {
        match typed(arguments) {
            Ok(Command::Run(run)) => run,
            other => panic!("{arguments:?} gave {other:?}"),
        }
    }

    fn refused(arguments: &[&str]) -> String {
        let stop = typed(arguments).unwrap_err();
        assert_eq!(stop.code, 2, "{arguments:?}");
        assert!(stop.text.ends_with('\n'));
        stop.text
    }

    #[test]
    fn clap_finds_no_mistake_in_the_definition() {
        Typed::command().debug_assert();
    }

    #[test]
    fn cli_all_flags() {
        let plain = run(&["c.toml"]);
        assert_eq!((plain.threads, &plain.only, plain.verbosity), (None, &None, Verbosity::Normal));
        assert_eq!((plain.log_format, plain.dry_run, plain.overwrite), (LogFormat::Text, false, false));
        let full = run(&[
            "--dry-run",
            "c.toml",
            "--output",
            "o.h5",
            "--overwrite",
            "--set",
            "Sat.ECC=0.01",
            "--set",
            "A=-1",
            "--threads",
            "4",
            "-vv",
            "--log-format",
            "json",
        ]);
        assert_eq!(full.config, PathBuf::from("c.toml"));
        assert_eq!(full.output, Some(PathBuf::from("o.h5")));
        assert!(full.dry_run && full.overwrite);
        assert_eq!(full.overrides.0.len(), 2);
        assert_eq!((full.threads, full.verbosity, full.log_format), (Some(4), Verbosity::Trace, LogFormat::Json));
        assert_eq!(run(&["c.toml", "-q"]).verbosity, Verbosity::Quiet);
        assert_eq!(run(&["c.toml", "-v"]).verbosity, Verbosity::Verbose);
    }

    #[test]
    fn cli_subcommands_and_a_config_of_their_name() {
        assert_eq!(typed(&["show", "a.h5"]), Ok(Command::Show { file: "a.h5".into() }));
        assert_eq!(typed(&["list"]), Ok(Command::List { what: None }));
        assert_eq!(typed(&["list", "designs"]), Ok(Command::List { what: Some("designs".into()) }));
        assert_eq!(run(&["./show"]).config, PathBuf::from("./show"));
        assert_eq!(run(&["help"]).config, PathBuf::from("help"));
        assert!(refused(&["show"]).contains("FILE"));
        assert!(refused(&["show", "a.h5", "b.h5"]).contains("b.h5"));
        refused(&["--dry-run", "show", "a.h5"]);
        refused(&["c.toml", "d.toml"]);
    }

    #[test]
    fn cli_help_and_version_end_with_0() {
        let help = typed(&["--help"]).unwrap_err();
        assert_eq!(help.code, 0);
        for words in [
            "Examples:",
            "mpirun -n 9 sweep-mpi config.toml",
            "srun",
            "--dry-run",
            "--set 'Sat.ECC=0.01'",
            "--only 0,10-12",
            "sweep-mpi show",
            "list",
            "Exit codes",
        ] {
            assert!(help.text.contains(words), "{words} is missing in {}", help.text);
        }
        let version = typed(&["--version"]).unwrap_err();
        assert_eq!((version.code, version.text), (0, format!("sweep-mpi {}\n", env!("CARGO_PKG_VERSION"))));
        assert!(refused(&[]).contains("Usage: sweep-mpi"));
        assert!(refused(&["--dry-run"]).contains("CONFIG"));
    }

    #[test]
    fn cli_wrong_values_are_all_told() {
        let text = refused(&[
            "c.toml",
            "--threads",
            "0",
            "--set",
            "Sat.ECC",
            "--set",
            "B=nan",
            "--only",
            "5-3,x",
            "-q",
            "-v",
            "--log-format",
            "jsn",
        ]);
        for words in [
            "--threads: `0` is no number of threads\n    allowed: a whole number from 1 to 1024",
            "--set 'Sat.ECC': `Sat.ECC` has no `=`",
            "--set 'B': the number `nan` is not finite",
            "--only: the range `5-3` descends",
            "--only: `x` is not a run number",
            "--quiet: quiet and verbose at once",
            "--log-format: `jsn` is no format of log lines\n    did you mean `json`?",
        ] {
            assert!(text.contains(words), "{words} is missing in {text}");
        }
        for threads in ["-1", "1025", "2.5", "two", ""] {
            assert!(refused(&["c.toml", "--threads", threads]).contains("--threads: `"), "{threads}");
        }
        assert!(refused(&[""]).contains("CONFIG: the name of the config is empty"));
        assert!(refused(&["c", "--output", ""]).contains("--output: the name of the file is empty"));
        assert!(refused(&["c", "--only", "1", "--output", "x"]).contains("--only: `--output` beside `--only`"));
        assert!(
            refused(&["c", "--ephemerides", "d"]).contains("--ephemerides: ephemeris files are written of single runs")
        );
        assert!(run(&["c", "--only", "1", "--ephemerides", "d", "--overwrite"]).overwrite);
        assert!(refused(&["c", "--only", "1", "--overwrite"]).contains("--only: `--overwrite` beside"));
    }

    #[test]
    fn cli_unknown_flags_are_refused_without_control_characters() {
        assert!(refused(&["c.toml", "--dry-runn"]).contains("--dry-run"));
        assert!(!refused(&["c.toml", "--\u{1b}[31mred"]).contains('\u{1b}'));
    }
}

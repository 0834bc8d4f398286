//! The arguments as typed; what they mean is checked in the conversion to [`super::Command`].

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  mpirun -n 9 sweep-mpi config.toml                fly the sweep: one leader, eight workers
  srun --mpi=pmix sweep-mpi config.toml            the same under Slurm
  sweep-mpi config.toml                            the same in one process
  sweep-mpi config.toml --dry-run                  what would be flown, without MPI
  sweep-mpi config.toml --set 'Sat.ECC=0.01'       another value of the script, for all runs
  sweep-mpi config.toml --only 0,10-12             fly runs 0, 10, 11 and 12 and print them
  sweep-mpi config.toml --resume                   fly what a sweep that was killed has left
  sweep-mpi config.toml --only 3 --ephemerides out write the EphemerisFiles of run 3
  sweep-mpi fly mission.script --reports out       fly one script, write its ReportFiles
  sweep-mpi check mission.script                   all that keeps a script from being flown
  sweep-mpi show leo_basic.h5                      what is in a result file
  sweep-mpi verify leo_basic.h5                    whether a result file is whole and complete
  sweep-mpi config.toml --slice 2/4                fly the second quarter of the runs, as one of four jobs
  sweep-mpi merge leo.h5 leo.*-of-4.h5             one file of the four
  sweep-mpi jobs farm.h5 --state running           programs of a sweep of commands
  sweep-mpi list designs                           what can be written in a config or a script

A config file named `show`, `verify`, `merge`, `fly`, `check`, `jobs` or `list` is given as ./show and so on.
Exit codes: 0 all runs ok; 1 done, some runs not ok; 2 refused (arguments, config, script);
3 machine or file trouble; 4 interrupted.";

/// The arguments of the program.
#[derive(Debug, Parser)]
#[command(
    name = "sweep-mpi",
    version,
    about = "Flies every run of a parameter sweep over a GMAT mission script, and leaves one HDF5 file.",
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true,
    arg_required_else_help = true
)]
pub(super) struct Typed {
    /// The config of the sweep, a TOML file
    #[arg(value_name = "CONFIG", required = true)]
    pub(super) config: Option<OsString>,
    /// Print the plan, fly nothing and write nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// The result file, instead of the config's; relative to the current folder
    #[arg(long, value_name = "FILE")]
    pub(super) output: Option<OsString>,
    /// Replace a result file that exists
    #[arg(long)]
    pub(super) overwrite: bool,
    /// Go on with the file that an earlier job left, OUT.partial or OUT; `auto`: or begin, or find nothing to do
    #[arg(long, value_name = "auto", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(super) resume: Option<String>,
    /// Fly the K-th of N slices of the runs alone, into OUT.K-of-N.h5; `merge` makes one file of them
    #[arg(long, value_name = "K/N", allow_hyphen_values = true)]
    pub(super) slice: Option<String>,
    /// What --resume flies again: failed (also timeouts), timeout, or none of the runs that have ended
    #[arg(long, value_name = "WHAT", allow_hyphen_values = true)]
    pub(super) retry: Option<String>,
    /// Resume with another config, script or data than those of the file, which keeps this reason
    #[arg(long, value_name = "REASON", allow_hyphen_values = true)]
    pub(super) allow_drift: Option<String>,
    /// End before this time has passed, so that --resume can go on: seconds, M:SS or H:MM:SS
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(super) max_time: Option<String>,
    /// Abort when a rank has been silent for this long: seconds, M:SS or H:MM:SS
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(super) hang_timeout: Option<String>,
    /// Set a value of the script for all runs; may be given several times
    #[arg(long, value_name = "PATH=VALUE", allow_hyphen_values = true)]
    pub(super) set: Vec<String>,
    /// Threads of each rank, instead of the config's
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(super) threads: Option<String>,
    /// Runs that a thread flies side by side: 1, 4 or 8; the numbers are the same
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(super) lanes: Option<String>,
    /// Fly these runs alone and print them; no result file is written
    #[arg(long, value_name = "I,J-K", allow_hyphen_values = true)]
    pub(super) only: Option<String>,
    /// Write each EphemerisFile of the runs of --only into this folder, as NAME.RUN.oem
    #[arg(long, value_name = "DIR")]
    pub(super) ephemerides: Option<PathBuf>,
    /// Errors only
    #[arg(short, long)]
    pub(super) quiet: bool,
    /// More detail; twice for all of it
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub(super) verbose: u8,
    /// How log lines are written: text or json
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_default_value = true)]
    pub(super) log_format: String,
    #[command(subcommand)]
    pub(super) command: Option<TypedCommand>,
}

#[derive(Debug, Subcommand)]
pub(super) enum TypedCommand {
    /// Print what is in a result file: status counts, and each column's unit, min, mean and max
    Show {
        /// The result file
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Tell what of a result file is lost: rows against their checksums, what else is damaged, runs that were not flown
    Verify {
        /// The result file, OUT or OUT.partial
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Make one result file of the slices of a sweep, the same as that of a sweep that was not sliced
    Merge {
        /// The result file to be made
        #[arg(value_name = "OUT")]
        output: PathBuf,
        /// The files of all slices, in any order
        #[arg(value_name = "SLICE", required = true)]
        slices: Vec<PathBuf>,
        /// Replace a result file that exists
        #[arg(long)]
        overwrite: bool,
    },
    /// Fly one mission script without a config, and write its ReportFiles as GMAT does
    Fly {
        /// The mission script
        #[arg(value_name = "SCRIPT")]
        script: PathBuf,
        /// Set a value of the script; may be given several times
        #[arg(long, value_name = "PATH=VALUE", allow_hyphen_values = true)]
        set: Vec<String>,
        /// Write each ReportFile into this folder, as NAME.txt, rather than to standard output, and each
        /// EphemerisFile as NAME.oem
        #[arg(long, value_name = "DIR")]
        reports: Option<PathBuf>,
        /// Replace reports that exist
        #[arg(long)]
        overwrite: bool,
    },
    /// Tell whether mission scripts can be flown: all that stands in the way, and what of them is ignored
    Check {
        /// The mission scripts
        #[arg(value_name = "SCRIPT", required = true)]
        scripts: Vec<PathBuf>,
    },
    /// List the programs of a sweep whose workload is a command, follow them, suspend, resume or cancel some
    Jobs {
        /// The result file, or what it will be
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Only runs in this state; may be given several times
        #[arg(long, value_name = "STATE")]
        state: Vec<String>,
        /// Print changes as they come, until all have ended
        #[arg(long)]
        follow: bool,
        /// Stop these runs until they are resumed: 5, 5-9 or all
        #[arg(long, value_name = "RUNS")]
        suspend: Option<String>,
        /// Let suspended runs go on
        #[arg(long, value_name = "RUNS")]
        resume: Option<String>,
        /// End these runs
        #[arg(long, value_name = "RUNS")]
        cancel: Option<String>,
    },
    /// List what can be written in a config or a script, all of it or one kind
    List {
        /// The kind: designs, integrators, parameters, ...
        #[arg(value_name = "WHAT")]
        what: Option<String>,
    },
}

//! A folder with a config, started as a user starts it.
#![allow(clippy::unwrap_used, dead_code)] // helpers of several tests, each using some

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest as _, Sha256};
use sweep_mpi::store::Reader;
use tempfile::TempDir;

use crate::launch::{self, Code, LIMIT, Outcome};

/// The built program.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_sweep-mpi");

/// A folder with a config and its script.
pub(crate) struct Case {
    pub(crate) folder: TempDir,
}

impl Case {
    /// The reference mission under a design, kept as asked.
    pub(crate) fn new(design: &str, output: &str, rest: &str) -> Case {
        let folder = TempDir::new().unwrap();
        fs::copy("configs/missions/leo_basic.script", folder.path().join("leo.script")).unwrap();
        let case = Case { folder };
        case.config(&format!(
            "[mission]\nscript = \"leo.script\"\n[design]\n{design}\n[output]\nfile = \"out.h5\"\n{output}\n{rest}\n"
        ));
        case
    }

    /// A workload that is no mission over a grid of these axes.
    pub(crate) fn of_workload(workload: &str, axes: &str) -> Case {
        let case = Case::sma(1);
        case.config(&format!(
            "[workload]\n{workload}\n[design]\nkind = \"grid\"\naxes = {{ {axes} }}\n[output]\nfile = \"out.h5\"\n"
        ));
        case
    }

    /// A column of the result file.
    pub(crate) fn column(&self, name: &str) -> Vec<f64> {
        let reader = self.reader();
        let column = reader.parameters().iter().chain(reader.outputs()).find(|column| column.name == name).unwrap();
        reader.values(column, 0, reader.runs()).unwrap()
    }

    /// A sweep of the semi-major axis over so many runs.
    pub(crate) fn sma(runs: u64) -> Case {
        let axis = format!("kind = \"grid\"\naxes = {{ \"Sat.SMA\" = {{ linspace = [7000.0, 8000.0, {runs}] }} }}");
        Case::new(&axis, "", "")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn config(&self, text: &str) {
        fs::write(self.path("config.toml"), text).unwrap();
    }

    /// Changes the script.
    pub(crate) fn script(&self, from: &str, to: &str) {
        let text = fs::read_to_string(self.path("leo.script")).unwrap();
        assert!(text.contains(from), "{from}");
        fs::write(self.path("leo.script"), text.replace(from, to)).unwrap();
    }

    /// Alone, without `mpirun`.
    pub(crate) fn alone(&self, arguments: &[&str]) -> Outcome {
        let mut job = Command::new(PROGRAM);
        job.current_dir(self.folder.path()).args(arguments);
        launch::environment(&mut job, self.folder.path());
        launch::finish(&mut job, &self.path("log"), LIMIT)
    }

    pub(crate) fn mpirun(&self, ranks: usize, arguments: &[&str]) -> Outcome {
        let mut job = launch::mpirun(ranks, Path::new(PROGRAM), self.folder.path());
        job.current_dir(self.folder.path()).args(arguments);
        launch::finish(&mut job, &self.path("log"), LIMIT)
    }

    #[track_caller]
    pub(crate) fn flies(&self, ranks: usize, arguments: &[&str]) -> String {
        let outcome = self.mpirun(ranks, arguments);
        assert_eq!(outcome.code, Code::Exit(0), "{ranks} ranks, {arguments:?}:\n{}", outcome.text);
        outcome.text
    }

    /// Refused by all ranks, with exit code 2 and every part in the message.
    #[track_caller]
    pub(crate) fn refused(&self, ranks: usize, arguments: &[&str], parts: &[&str]) {
        let outcome = if ranks == 0 { self.alone(arguments) } else { self.mpirun(ranks, arguments) };
        assert_eq!(outcome.code, Code::Exit(2), "{}", outcome.text);
        for part in parts {
            assert_eq!(outcome.text.matches(part).count(), 1, "`{part}` once in\n{}", outcome.text);
        }
    }

    /// What is in the folder besides the inputs and the launcher's own.
    pub(crate) fn left(&self) -> Vec<String> {
        let names =
            fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name.starts_with("out")).collect();
        names.sort();
        names
    }

    pub(crate) fn sha256(&self, name: &str) -> Vec<u8> {
        Sha256::digest(fs::read(self.path(name)).unwrap()).to_vec()
    }

    pub(crate) fn reader(&self) -> Reader {
        Reader::open(&self.path("out.h5")).unwrap()
    }
}

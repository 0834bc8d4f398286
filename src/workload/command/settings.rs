//! What the user sets for runs as programs, and what of it is wrong.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::argument::Template;
use super::environment::{self, ALLOWED};

/// Longest times that are understood, s.
const SECONDS_MAX: f64 = 1e9;
/// Most programs at a time that can be asked for.
const CONCURRENT_MAX: usize = 100_000;
/// Most further attempts of a run.
const RETRIES_MAX: u32 = 1000;

/// Which of the runs' folders stay. Those that stay are called by the run's number; a folder that does
/// not stay is emptied and used by the next run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FolderKeep {
    /// All.
    Always,
    /// Those of the runs that are not ok.
    #[default]
    OnFailure,
    /// None.
    Never,
    /// There is none of a run's own: all work in the folder of all runs, and what run 5 prints is in
    /// `5.stdout` and `5.stderr` there. The cheapest, for programs that leave no files or name them by run.
    Shared,
}

/// Where a number is found when the program has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// In the last line `name = number` that the program or a step printed.
    Stdout,
    /// In the last row of a CSV file with a header.
    Csv {
        /// The file, relative to the run's folder; placeholders are filled in.
        file: String,
        /// The column's name in the header.
        column: String,
    },
    /// In a JSON file.
    Json {
        /// The file, relative to the run's folder; placeholders are filled in.
        file: String,
        /// A JSON pointer such as `/state/0`.
        pointer: String,
    },
}

/// A number that a run leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputSource {
    /// Its name: that of the column, and the key in a line of standard output.
    pub name: String,
    /// Where it is found.
    pub from: Source,
}

/// The settings of runs as programs.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The program and its arguments. A program without `/` is looked up in the PATH it will see, one
    /// with `/` is relative to the config's folder.
    pub argv: Vec<String>,
    /// Steps before the program, each with its arguments; a failure ends the attempt.
    pub pre: Vec<Vec<String>>,
    /// Steps after the program, if it ended with exit code 0.
    pub post: Vec<Vec<String>>,
    /// Names of our own environment that are passed on; `NAME*` for all that begin so.
    pub env_allow: Vec<String>,
    /// Further variables; placeholders in the values are filled in.
    pub env: Vec<(String, String)>,
    /// Which folders stay.
    pub folder: FolderKeep,
    /// A file for the program's standard input, relative to the config's folder; else it is empty.
    pub stdin: Option<String>,
    /// Most bytes kept of what an attempt prints; the rest is read and dropped. With 0 there is no file.
    pub stdout_max_bytes: u64,
    /// The same for standard error.
    pub stderr_max_bytes: u64,
    /// Limit of an attempt with all its steps, s of wall time; time while suspended does not count.
    pub wall_s: Option<f64>,
    /// Time between TERM and KILL, s.
    pub grace_s: f64,
    /// Further attempts of a run that failed.
    pub retries: u32,
    /// Pause before the second attempt, s; it doubles from attempt to attempt.
    pub backoff_s: f64,
    /// Programs at a time.
    pub concurrent: usize,
    /// The numbers that a run leaves.
    pub outputs: Vec<OutputSource>,
    /// The config's folder, absolute: what relative paths start from, and `{config}`.
    pub config_folder: PathBuf,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            argv: Vec::new(),
            pre: Vec::new(),
            post: Vec::new(),
            env_allow: ALLOWED.map(str::to_owned).to_vec(),
            env: Vec::new(),
            folder: FolderKeep::default(),
            stdin: None,
            stdout_max_bytes: 1 << 20,
            stderr_max_bytes: 1 << 20,
            wall_s: None,
            grace_s: 5.0,
            retries: 0,
            backoff_s: 1.0,
            concurrent: 1,
            outputs: Vec::new(),
            config_folder: PathBuf::from("/"),
        }
    }
}

impl Settings {
    /// All that is wrong, a sentence each, beginning with the setting's name in backquotes.
    pub fn check(&self, parameters: &[String]) -> Vec<String> {
        let mut problems = Vec::new();
        let mut say = |setting: &str, what: String| problems.push(format!("`{setting}`: {what}"));

        let lists = std::iter::once(("argv".to_owned(), &self.argv))
            .chain(self.pre.iter().enumerate().map(|(i, step)| (format!("pre[{i}]"), step)))
            .chain(self.post.iter().enumerate().map(|(i, step)| (format!("post[{i}]"), step)));
        for (name, argv) in lists {
            if argv.first().is_none_or(String::is_empty) {
                say(&name, "names no program: give [\"program\", \"argument\", ...]".to_owned());
            }
            for (position, text) in argv.iter().enumerate() {
                if let Err(what) = Template::parse(text, parameters) {
                    say(&format!("{name}[{position}]"), what);
                }
            }
        }
        for (name, value) in &self.env {
            if !environment::is_name(name) {
                say("env", format!("`{name}` is no name of a variable"));
            }
            if let Err(what) = Template::parse(value, parameters) {
                say(&format!("env.{name}"), what);
            }
        }
        for name in &self.env_allow {
            if !environment::is_name(name.strip_suffix('*').unwrap_or(name)) && name != "*" {
                say("env_allow", format!("`{name}` is no name of a variable; `NAME*` allows all that begin so"));
            }
        }
        if let Some(Err(what)) = self.stdin.as_ref().map(|text| Template::parse(text, parameters)) {
            say("stdin", what);
        }
        let mut variables: BTreeMap<String, &str> = BTreeMap::new();
        for parameter in parameters {
            if let Some(other) = variables.insert(environment::variable(parameter), parameter) {
                let name = environment::variable(parameter);
                say("design", format!("`{other}` and `{parameter}` would both be {name} in the environment"));
            }
        }

        if let Some(wall) = self.wall_s
            && !(wall > 0.0 && wall <= SECONDS_MAX)
        {
            say("wall_s", format!("{wall} is not above 0 and at most {SECONDS_MAX:e} s"));
        }
        for (name, seconds) in [("grace_s", self.grace_s), ("backoff_s", self.backoff_s)] {
            if !(0.0..=SECONDS_MAX).contains(&seconds) {
                say(name, format!("{seconds} is not from 0 to {SECONDS_MAX:e} s"));
            }
        }
        if self.retries > RETRIES_MAX {
            say("retries", format!("{} is more than {RETRIES_MAX}", self.retries));
        }
        if !(1..=CONCURRENT_MAX).contains(&self.concurrent) {
            say("concurrent", format!("{} is not from 1 to {CONCURRENT_MAX}", self.concurrent));
        }
        self.check_outputs(parameters, &mut say);
        problems
    }

    fn check_outputs(&self, parameters: &[String], say: &mut impl FnMut(&str, String)) {
        for (position, output) in self.outputs.iter().enumerate() {
            let OutputSource { name, from } = output;
            if name.trim().is_empty() || name.trim() != name || name.contains(['=', '\n', '\r', '\0']) {
                say("outputs", format!("`{}` is no name of an output", name.escape_debug()));
            }
            if self.outputs[..position].iter().any(|other| other.name == *name) || parameters.contains(name) {
                say("outputs", format!("`{name}` is there twice"));
            }
            let file = match from {
                Source::Stdout => continue,
                Source::Csv { file, .. } => file,
                Source::Json { file, pointer } => {
                    if !(pointer.is_empty() || pointer.starts_with('/')) {
                        say(&format!("outputs.{name}"), format!("`{pointer}` is no JSON pointer: it begins with `/`"));
                    }
                    file
                }
            };
            if file.is_empty() {
                say(&format!("outputs.{name}"), "names no file".to_owned());
            }
            match Template::parse(file, parameters) {
                Err(what) => say(&format!("outputs.{name}"), what),
                Ok(file) if self.folder == FolderKeep::Shared && file.constant().is_some() => {
                    say(
                        &format!("outputs.{name}"),
                        "all runs share a folder: give the file `{run}` in its name".to_owned(),
                    );
                }
                Ok(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_right_has_no_problem() {
        let settings = Settings {
            argv: vec!["true".to_owned(), "{Sat.SMA}".to_owned()],
            outputs: vec![OutputSource { name: "x".to_owned(), from: Source::Stdout }],
            ..Settings::default()
        };
        assert_eq!(settings.check(&["Sat.SMA".to_owned()]), Vec::<String>::new());
    }

    #[test]
    fn all_problems_are_told_at_once() {
        let json = |pointer: &str| Source::Json { file: String::new(), pointer: pointer.to_owned() };
        let settings = Settings {
            pre: vec![vec![]],
            post: vec![vec!["a".to_owned(), "{Sat.SMAA}".to_owned()]],
            env: vec![("A=B".to_owned(), "{".to_owned())],
            env_allow: vec!["OMPI_*".to_owned(), "a b".to_owned()],
            stdin: Some("{x}".to_owned()),
            wall_s: Some(f64::NAN),
            grace_s: -1.0,
            backoff_s: f64::INFINITY,
            retries: 2000,
            concurrent: 0,
            outputs: vec![
                OutputSource { name: "x".to_owned(), from: Source::Stdout },
                OutputSource { name: "x".to_owned(), from: json("a") },
                OutputSource { name: " y=".to_owned(), from: Source::Stdout },
            ],
            ..Settings::default()
        };
        let problems = settings.check(&["Sat.SMA".to_owned(), "Sat_SMA".to_owned()]);
        let expected = [
            "argv",
            "pre[0]",
            "post[0][1]",
            "env",
            "env.A=B",
            "env_allow",
            "stdin",
            "design",
            "wall_s",
            "grace_s",
            "backoff_s",
            "retries",
            "concurrent",
            "outputs",
            "outputs.x",
            "outputs.x",
            "outputs",
        ];
        let named: Vec<&str> = problems.iter().map(|text| text.split('`').nth(1).unwrap()).collect();
        assert_eq!(named, expected, "{problems:#?}");
        assert!(problems[2].contains("did you mean `Sat.SMA`"));
    }
}

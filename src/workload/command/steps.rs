//! The steps of a run, parsed once: what is started, with which environment.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::argument::{Place, Template, number};
use super::environment::{allowed, find_program, variable};
use super::settings::{Settings, Source};

/// Most program names whose files are remembered.
const REMEMBERED_MAX: usize = 64;

/// What a step is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Before the program.
    Pre(usize),
    /// The program.
    Program,
    /// After the program.
    Post(usize),
}

impl StepKind {
    /// Its name in the journal.
    pub fn name(self) -> String {
        match self {
            StepKind::Pre(position) => format!("pre {position}"),
            StepKind::Program => "program".to_owned(),
            StepKind::Post(position) => format!("post {position}"),
        }
    }
}

/// A program to start in an attempt.
#[derive(Debug)]
pub struct Step {
    /// What it is for.
    pub kind: StepKind,
    argv: Vec<Template>,
}

impl Step {
    /// Its arguments for one run, the program's name first.
    pub fn argv(&self, place: &Place) -> Vec<OsString> {
        self.argv.iter().map(|text| text.fill(place)).collect()
    }
}

/// Where an output is found, parsed.
#[derive(Debug)]
pub enum Output {
    /// The key of a line.
    Stdout(String),
    /// File and column.
    Csv(Template, String),
    /// File and pointer.
    Json(Template, String),
}

/// All steps of a run, what they see, and the outputs they leave.
#[derive(Debug)]
pub struct Steps {
    /// In the order they run.
    pub steps: Vec<Step>,
    /// In the order of the settings.
    pub outputs: Vec<Output>,
    stdin: Option<Template>,
    ours: Vec<(OsString, OsString)>,
    theirs: Vec<(OsString, Template)>,
    parameters: Vec<OsString>,
    folder: PathBuf,
    rank: OsString,
    programs: HashMap<OsString, PathBuf>,
}

impl Steps {
    /// From settings that were checked; the error is the first problem.
    pub fn new(settings: &Settings, parameters: &[String], rank: usize) -> Result<Steps, String> {
        let parse = |text: &String| Template::parse(text, parameters);
        let step = |kind, argv: &[String]| {
            let argv = argv.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
            Ok::<_, String>(Step { kind, argv })
        };
        let mut steps = Vec::new();
        for (position, argv) in settings.pre.iter().enumerate() {
            steps.push(step(StepKind::Pre(position), argv)?);
        }
        steps.push(step(StepKind::Program, &settings.argv)?);
        for (position, argv) in settings.post.iter().enumerate() {
            steps.push(step(StepKind::Post(position), argv)?);
        }
        let mut outputs = Vec::new();
        for output in &settings.outputs {
            outputs.push(match &output.from {
                Source::Stdout => Output::Stdout(output.name.clone()),
                Source::Csv { file, column } => Output::Csv(parse(file)?, column.clone()),
                Source::Json { file, pointer } => Output::Json(parse(file)?, pointer.clone()),
            });
        }
        let mut theirs = Vec::new();
        for (name, value) in &settings.env {
            theirs.push((OsString::from(name), parse(value)?));
        }
        Ok(Steps {
            steps,
            outputs,
            stdin: settings.stdin.as_ref().map(parse).transpose()?,
            ours: allowed(std::env::vars_os(), &settings.env_allow),
            theirs,
            parameters: parameters.iter().map(|name| OsString::from(variable(name))).collect(),
            folder: settings.config_folder.clone(),
            rank: OsString::from(rank.to_string()),
            programs: HashMap::new(),
        })
    }

    /// The config's folder.
    pub fn config_folder(&self) -> &Path {
        &self.folder
    }

    /// The keys that are looked for in standard output.
    pub fn keys(&self) -> Vec<String> {
        let key = |output: &Output| match output {
            Output::Stdout(key) => Some(key.clone()),
            _ => None,
        };
        self.outputs.iter().filter_map(key).collect()
    }

    /// The file of the program's standard input.
    pub fn stdin(&self, place: &Place) -> Option<PathBuf> {
        self.stdin.as_ref().map(|text| self.folder.join(text.fill(place)))
    }

    /// The whole environment of a step: what is passed on, then `SWEEP_*`, then what the config sets;
    /// the last of a name counts.
    pub fn environment(&self, place: &Place, attempt: u32) -> Vec<(OsString, OsString)> {
        let mut environment = self.ours.clone();
        let mut set = |name: &str, value: OsString| environment.push((OsString::from(name), value));
        set("SWEEP_RUN", OsString::from(place.run.to_string()));
        set("SWEEP_DIR", place.dir.as_os_str().to_owned());
        set("SWEEP_RANK", self.rank.clone());
        set("SWEEP_ATTEMPT", OsString::from(attempt.to_string()));
        let values = self.parameters.iter().zip(place.values);
        environment.extend(values.map(|(name, value)| (name.clone(), OsString::from(number(*value)))));
        environment.extend(self.theirs.iter().map(|(name, value)| (name.clone(), value.fill(place))));
        environment
    }

    /// The file of a program with this environment.
    pub fn find(&mut self, name: &OsStr, environment: &[(OsString, OsString)]) -> Option<PathBuf> {
        let path = environment.iter().rev().find(|(name, _)| name == "PATH").map(|(_, path)| path.as_os_str());
        // a PATH with placeholders would differ from run to run
        let same = self.theirs.iter().all(|(name, value)| name != "PATH" || value.constant().is_some());
        if let Some(file) = self.programs.get(name).filter(|_| same) {
            return Some(file.clone());
        }
        let file = find_program(name, path, &self.folder)?;
        if same && self.programs.len() < REMEMBERED_MAX {
            self.programs.insert(name.to_owned(), file.clone());
        }
        Some(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_has_its_arguments_and_environment() {
        let settings = Settings {
            argv: vec!["sh".to_owned(), "{Sat.SMA}".to_owned()],
            pre: vec![vec!["true".to_owned()]],
            env_allow: vec!["PATH".to_owned()],
            env: vec![("CASE".to_owned(), "c{run}".to_owned()), ("SWEEP_RANK".to_owned(), "x".to_owned())],
            ..Settings::default()
        };
        let mut steps = Steps::new(&settings, &["Sat.SMA".to_owned()], 3).unwrap();
        let place = Place { run: 5, dir: Path::new("/r/5"), config: Path::new("/"), values: &[7000.5] };
        assert_eq!(steps.steps.iter().map(|step| step.kind.name()).collect::<Vec<_>>(), ["pre 0", "program"]);
        assert_eq!(steps.steps[1].argv(&place), ["sh", "7000.5"]);
        let environment = steps.environment(&place, 2);
        let last = |name: &str| environment.iter().rev().find(|(n, _)| n == name).map(|(_, v)| v.to_str().unwrap());
        assert_eq!(last("SWEEP_RUN"), Some("5"));
        assert_eq!(last("SWEEP_DIR"), Some("/r/5"));
        assert_eq!(last("SWEEP_ATTEMPT"), Some("2"));
        assert_eq!(last("SWEEP_Sat_SMA"), Some("7000.5"));
        assert_eq!(last("CASE"), Some("c5"));
        assert_eq!(last("SWEEP_RANK"), Some("x"));
        assert_eq!(last("HOME"), None);
        assert!(steps.find(OsStr::new("sh"), &environment).is_some());
        assert!(steps.find(OsStr::new("no-such-program"), &environment).is_none());
    }
}

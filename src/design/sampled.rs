//! Designs that draw every parameter from a distribution: `monte_carlo`, `latin_hypercube`, `sobol`, `halton`.
//!
//! A run is a point of the unit cube with a coordinate for each parameter; the parameter's value is the quantile of
//! its distribution there, x = F^-1(u). The kinds differ in their points alone, see [`Cube`].

use std::sync::OnceLock;

use serde_json::json;

use super::correlated::{self, Group, Place};
use super::distribution::{self, Distribution};
use super::random::Key;
use super::{Design, MAX_RUNS, Parameter, parameters_of, path_of};
use crate::base::nominal::Nominal;
use crate::config::DesignConfig;
use crate::config::reader::{Content, Reader, Value, cut};

/// Points of the unit cube, each computed from the number of its run alone.
pub(super) trait Cube: Send + Sync {
    /// A coordinate of a run's point, inside (0, 1).
    fn coordinate(&self, run: u64, dimension: usize) -> f64;
    /// What the points are made from, besides their number.
    fn canonical(&self) -> serde_json::Value;
}

/// How a draw becomes a parameter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// The draw is the value.
    No,
    /// The script's value plus the draw.
    Added,
    /// The script's value times the draw.
    Factor,
}

/// What a parameter is drawn from.
#[derive(Clone, Debug)]
pub(super) struct Draw {
    pub(super) distribution: Distribution,
    pub(super) change: Change,
}

/// A value of the script that is not known, or not needed.
const UNKNOWN: Nominal = Nominal { value: f64::NAN, unit: 1.0 };

/// What is known of the script.
#[derive(Clone, Debug)]
struct Script {
    /// For each draw.
    nominals: Vec<Nominal>,
    /// For each group.
    places: Vec<Place>,
}

struct Sampled {
    kind: &'static str,
    cube: Box<dyn Cube>,
    runs: u64,
    /// Those of the draws, then those of the groups.
    parameters: Vec<Parameter>,
    draws: Vec<Draw>,
    groups: Vec<Group>,
    script: OnceLock<Script>,
}

impl Design for Sampled {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn runs(&self) -> u64 {
        self.runs
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// What depends on the script's values is NaN until they are known, see [`Design::relate`].
    fn values(&self, run: u64, out: &mut [f64]) {
        assert!(run < self.runs, "run {run} of {}", self.runs);
        assert_eq!(out.len(), self.parameters.len(), "values of a {}", self.kind);
        let script = self.script.get();
        let (single, mut together) = out.split_at_mut(self.draws.len());
        for (dimension, (draw, out)) in self.draws.iter().zip(single).enumerate() {
            let x = draw.distribution.quantile(self.cube.coordinate(run, dimension));
            let nominal = || script.map_or(UNKNOWN, |script| script.nominals[dimension]);
            *out = match draw.change {
                Change::No => x,
                Change::Added => nominal().value + nominal().unit * x,
                Change::Factor => nominal().value * x,
            };
        }
        let mut first = self.draws.len();
        for (number, group) in self.groups.iter().enumerate() {
            let (out, after) = together.split_at_mut(group.size());
            match script {
                Some(script) => {
                    let coordinate = |number| self.cube.coordinate(run, first + number);
                    group.values(&script.places[number], coordinate, out);
                }
                None => out.fill(f64::NAN),
            }
            (first, together) = (first + group.size(), after);
        }
    }

    fn relate(&self, nominal: &dyn Fn(usize) -> Option<Nominal>) -> Result<(), usize> {
        let of = |(number, draw): (usize, &Draw)| match draw.change {
            Change::No => Ok(UNKNOWN),
            Change::Added | Change::Factor => nominal(number).ok_or(number),
        };
        let nominals = self.draws.iter().enumerate().map(of).collect::<Result<Vec<Nominal>, usize>>()?;
        let (mut places, mut first) = (Vec::new(), self.draws.len());
        for group in &self.groups {
            places.push(group.place(|number| nominal(first + number)).map_err(|number| first + number)?);
            first += group.size();
        }
        let _ = self.script.set(Script { nominals, places });
        Ok(())
    }

    fn canonical(&self) -> serde_json::Value {
        let draws: Vec<_> = (self.parameters.iter().zip(&self.draws))
            .map(|(parameter, draw)| {
                let change = match draw.change {
                    Change::No => "",
                    Change::Added => "relative_to",
                    Change::Factor => "scale",
                };
                json!([parameter.path, draw.distribution.canonical(), change])
            })
            .collect();
        let groups: Vec<_> = self.groups.iter().map(Group::canonical).collect();
        let points = self.cube.canonical();
        json!({ "kind": self.kind, "points": points, "runs": self.runs, "parameters": draws, "correlated": groups })
    }
}

/// What is read before the points can be made.
pub(super) struct Read {
    pub(super) runs: u64,
    pub(super) seed: u64,
    pub(super) parameters: Vec<Parameter>,
    pub(super) draws: Vec<Draw>,
    pub(super) groups: Vec<Group>,
}

impl Read {
    /// For each dimension the key of its random numbers: of the seed and the parameter's path.
    pub(super) fn keys(&self) -> Vec<Key> {
        self.parameters.iter().map(|parameter| Key::new(self.seed, &parameter.path)).collect()
    }

    /// The design with these points.
    pub(super) fn with(self, kind: &'static str, cube: impl Cube + 'static) -> Box<dyn Design> {
        let Read { runs, parameters, draws, groups, .. } = self;
        Box::new(Sampled { kind, cube: Box::new(cube), runs, parameters, draws, groups, script: OnceLock::new() })
    }
}

/// Reads the keys that all of these kinds have; at most so many parameters.
pub(super) fn read(config: &DesignConfig, dimensions_max: usize, reader: &mut Reader) -> Option<Read> {
    let kind = &config.kind.value;
    let runs = if let Some(value) = config.table.get("runs") {
        reader.count("design.runs", value, 1..=MAX_RUNS)
    } else {
        let message = format!("`runs` is missing under [design], a {kind} needs it");
        reader.refuse(&config.table.range, message, "write: runs = 1000");
        None
    };
    let seed = match config.table.get("seed") {
        Some(value) => reader.count("design.seed", value, 0..=u64::MAX),
        None => Some(0),
    };
    let groups = match config.table.get("correlated") {
        Some(value) => correlated::read(value, reader)?,
        None => Vec::new(),
    };
    let (mut parameters, mut draws) = (Vec::<Parameter>::new(), Vec::new());
    if groups.is_empty() || config.table.get("parameters").is_some() {
        let table = parameters_of(config, "parameters", "{ normal = [7000.0, 10.0] }", reader)?;
        for (key, value) in table.entries.iter() {
            let Some(path) = path_of(key, reader) else { continue };
            let read = distribution::read(&path, value, &["relative_to", "scale"], reader);
            let Some((distribution, change)) = read.zip(change(&path, value, reader)) else { continue };
            let span = reader.place(&key.range);
            parameters.push(Parameter { path, span, text_values: None, text_spans: Vec::new() });
            draws.push(Draw { distribution, change });
        }
        if parameters.len() < table.entries.len() {
            return None;
        }
    }
    for (path, range) in groups.iter().flat_map(|group| &group.paths) {
        if parameters.iter().any(|parameter| parameter.path == *path) {
            reader.refuse(range, format!("`{}` is drawn twice", cut(path)), "allowed: each parameter once");
            return None;
        }
        let span = reader.place(range);
        parameters.push(Parameter { path: path.clone(), span, text_values: None, text_spans: Vec::new() });
    }
    if parameters.len() > dimensions_max {
        let message = format!("{} parameters are too many for kind = \"{kind}\"", parameters.len());
        reader.refuse(&config.table.range, message, format!("allowed: at most {dimensions_max}"));
        return None;
    }
    Some(Read { runs: runs?, seed: seed?, parameters, draws, groups })
}

/// `relative_to = "nominal"` or `scale = "nominal"` beside a distribution.
fn change(path: &str, value: &Value, reader: &mut Reader) -> Option<Change> {
    let Content::Table(table) = &value.content else { return Some(Change::No) };
    let mut found = Change::No;
    for (key, change) in [("relative_to", Change::Added), ("scale", Change::Factor)] {
        let Some(value) = table.get(key) else { continue };
        let what = format!("{path}.{key}");
        if reader.text_of(&what, value, "\"nominal\"")? != "nominal" {
            reader.refuse_value(&what, value, "\"nominal\": the script's value");
            return None;
        }
        if found != Change::No {
            reader.refuse(&value.range, format!("`{}` has both relative_to and scale", cut(path)), "one of them");
            return None;
        }
        found = change;
    }
    Some(found)
}

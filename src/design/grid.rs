//! `kind = "grid"`: every value of every axis with every value of the others.
//!
//! Runs are numbered in C order: the first axis of the file is the slowest. With n axes of
//! N1, ..., Nn values, run = ((i1 N2 + i2) N3 + i3) ... + in.

use super::{AxisValues, Design, Kind, MAX_RUNS, Parameter, parameter, parameters_of, path_of, rules};
use crate::base::nearest::did_you_mean;
use crate::config::DesignConfig;
use crate::config::reader::{Content, Key, Reader, Table, Value, cut};
use serde_json::json;

pub(super) const KIND: Kind = Kind {
    name: "grid",
    summary: "full factorial: every value of every axis with every value of the others, the first axis slowest",
    keys: &["axes"],
    read,
};

struct Grid {
    parameters: Vec<Parameter>,
    axes: Vec<AxisValues>,
    runs: u64,
}

impl Design for Grid {
    fn kind(&self) -> &'static str {
        KIND.name
    }

    fn runs(&self) -> u64 {
        self.runs
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn values(&self, run: u64, out: &mut [f64]) {
        assert!(run < self.runs, "run {run} of a grid of {}", self.runs);
        assert_eq!(out.len(), self.axes.len(), "values of a grid");
        let mut rest = run;
        for (axis, out) in self.axes.iter().zip(out).rev() {
            let count = axis.points.count();
            *out = axis.points.value(rest % count);
            rest /= count;
        }
    }

    fn axes(&self) -> &[AxisValues] {
        &self.axes
    }

    fn canonical(&self) -> serde_json::Value {
        let axes: Vec<_> = self.axes.iter().map(|axis| json!([axis.path, axis.points.canonical()])).collect();
        json!({ "kind": KIND.name, "axes": axes })
    }
}

fn read(config: &DesignConfig, reader: &mut Reader) -> Option<Box<dyn Design>> {
    let table = parameters_of(config, "axes", "{ linspace = [7000.0, 8000.0, 1000] }", reader)?;
    let mut parameters = Vec::new();
    let mut axes = Vec::new();
    for (key, value) in table.entries.iter() {
        let Some(path) = path_of(key, reader) else { continue };
        let Some((rule, written)) = rule(key, value, reader) else { continue };
        let Some(points) = rules::read(&path, &rule.name, written, reader) else { continue };
        if points.count() == 0 {
            reader.refuse(&written.range, format!("the axis `{}` is empty", cut(&path)), "allowed: at least one value");
            continue;
        }
        parameters.push(parameter(key, path.clone(), &points, written, reader));
        axes.push(AxisValues { path, points });
    }
    if axes.len() < table.entries.len() {
        return None;
    }
    let runs = axes
        .iter()
        .try_fold(1, |runs: u64, axis| runs.checked_mul(axis.points.count()).filter(|runs| *runs <= MAX_RUNS));
    let Some(runs) = runs else {
        let counts: Vec<String> = axes.iter().map(|axis| axis.points.count().to_string()).collect();
        let range = config.table.get("axes").map_or(0..0, |value| value.range.clone());
        let message = format!("the grid has {} runs, too many", cut(&counts.join(" x ")));
        reader.refuse(&range, message, format!("allowed: at most {MAX_RUNS} (2^53) runs"));
        return None;
    };
    Some(Box::new(Grid { parameters, axes, runs }))
}

/// The one rule of an axis.
fn rule<'v>(key: &Key, value: &'v Value, reader: &mut Reader) -> Option<(&'v Key, &'v Value)> {
    let write = format!("write: \"{}\" = {{ linspace = [start, stop, n] }}, or with one of {}", key.name, all_rules());
    let table: &Table = match &value.content {
        Content::Table(table) => table,
        Content::Refused => return None,
        Content::List(_) => {
            let help = format!("write: \"{0}\" = {{ values = [...] }}", key.name);
            reader.refuse(&value.range, format!("the axis `{}` is a list without a rule", cut(&key.name)), help);
            return None;
        }
        _ => {
            let message = format!("the axis `{}` cannot be {}", cut(&key.name), reader.describe(value));
            reader.refuse(&value.range, message, write);
            return None;
        }
    };
    let mut known = true;
    for (rule, argument) in table.entries.iter().filter(|(rule, _)| !rules::RULES.contains(&rule.name.as_str())) {
        known = false;
        let help = match argument.content {
            Content::Table(_) => format!("a path with a dot stands in quotes: \"{}.{}\" = ...", key.name, rule.name),
            _ => did_you_mean(&rule.name, rules::RULES.iter().copied()),
        };
        reader.refuse(&rule.range, format!("`{}` is not a rule of an axis", cut(&rule.name)), help);
    }
    match table.entries.as_slice() {
        _ if !known => None,
        [(rule, argument)] => Some((rule, argument)),
        [] => {
            reader.refuse(&value.range, format!("the axis `{}` has no rule", cut(&key.name)), write);
            None
        }
        [(first, _), (second, _), ..] => {
            let message =
                format!("the axis `{}` has two rules, `{}` and `{}`", cut(&key.name), first.name, second.name);
            reader.refuse(&second.range, message, format!("allowed: exactly one of {}", all_rules()));
            None
        }
    }
}

fn all_rules() -> String {
    rules::RULES.join(", ")
}

//! `seed_contract = "gmat-sweep"`: the draws of a gmat-sweep study, to the last bit. See [`super::numpy`].

use serde_json::json;

use super::distribution::Distribution;
use super::numpy::{Draws, LatinHypercube, Marginal, NameWord, Seed};
use super::sampled::{Change, Read};
use super::{Design, Parameter};
use crate::config::DesignConfig;
use crate::config::reader::{Reader, cut};

/// A lognormal with a larger mu has an infinite scale.
const MU_MAX: f64 = 709.78;

/// Where the draws come from.
enum Source {
    /// From (seed, name, run).
    Draws(Draws, Vec<NameWord>),
    /// From a list of points; for each parameter the column of its name among all names in order.
    Hypercube(LatinHypercube, Vec<usize>),
}

struct Contract {
    kind: &'static str,
    runs: u64,
    seed: u64,
    parameters: Vec<Parameter>,
    marginals: Vec<Marginal>,
    source: Source,
}

/// Whether the config asks for it.
pub(super) fn is_asked_for(config: &DesignConfig, reader: &mut Reader) -> Option<bool> {
    const ALLOWED: &str = "\"gmat-sweep\"";
    let Some(value) = config.table.get("seed_contract") else { return Some(false) };
    if reader.text_of("design.seed_contract", value, ALLOWED)? != "gmat-sweep" {
        reader.refuse_value("design.seed_contract", value, ALLOWED);
        return None;
    }
    Some(true)
}

pub(super) fn monte_carlo(kind: &'static str, read: Read, reader: &mut Reader) -> Option<Box<dyn Design>> {
    let marginals = marginals(&read, reader)?;
    let names = read.parameters.iter().map(|parameter| NameWord::of(&parameter.path)).collect();
    let source = Source::Draws(Draws::new(&Seed::from(read.seed)), names);
    let Read { runs, seed, parameters, .. } = read;
    Some(Box::new(Contract { kind, runs, seed, parameters, marginals, source }))
}

pub(super) fn latin_hypercube(
    kind: &'static str,
    config: &DesignConfig,
    read: Read,
    reader: &mut Reader,
) -> Option<Box<dyn Design>> {
    if let Some(value) = config.table.get("centred") {
        reader.refuse(&value.range, "a hypercube of gmat-sweep is never centred", "leave out centred or seed_contract");
        return None;
    }
    let marginals = marginals(&read, reader)?;
    let Read { runs, seed, parameters, .. } = read;
    let mut names: Vec<&str> = parameters.iter().map(|parameter| parameter.path.as_str()).collect();
    names.sort_unstable();
    let column = |parameter: &Parameter| names.iter().position(|name| *name == parameter.path);
    let columns = parameters.iter().filter_map(column).collect();
    match LatinHypercube::new(&Seed::from(seed), parameters.len(), runs) {
        Ok(hypercube) => {
            let source = Source::Hypercube(hypercube, columns);
            Some(Box::new(Contract { kind, runs, seed, parameters, marginals, source }))
        }
        Err(error) => {
            reader.refuse(&config.table.range, format!("the hypercube of gmat-sweep: {error}"), "or no seed_contract");
            None
        }
    }
}

/// The distributions as gmat-sweep has them.
fn marginals(read: &Read, reader: &mut Reader) -> Option<Vec<Marginal>> {
    let mut marginals = Vec::new();
    for (parameter, draw) in read.parameters.iter().zip(&read.draws) {
        marginals.push(match (&draw.distribution, draw.change) {
            (&Distribution::Normal { mean, sigma }, Change::No) => Marginal::Normal { mean, sigma },
            (&Distribution::Uniform { low, high }, Change::No) => Marginal::Uniform { low, high },
            (&Distribution::Lognormal { mu, sigma }, Change::No) if mu < MU_MAX => Marginal::Lognormal { mu, sigma },
            _ => {
                let message = format!("gmat-sweep has no such draw of `{}`", cut(&parameter.path));
                let help = "allowed: normal, uniform and lognormal, without relative_to and scale";
                reader.refuse_at(parameter.span, message, help);
                return None;
            }
        });
    }
    if let Some(group) = read.groups.first() {
        reader.refuse(&group.paths[0].1, "gmat-sweep has no correlated draws", "leave out seed_contract");
        return None;
    }
    Some(marginals)
}

impl Design for Contract {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn runs(&self) -> u64 {
        self.runs
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn values(&self, run: u64, out: &mut [f64]) {
        assert!(run < self.runs, "run {run} of {}", self.runs);
        assert_eq!(out.len(), self.parameters.len(), "values of a {}", self.kind);
        for (number, (marginal, out)) in self.marginals.iter().zip(out).enumerate() {
            *out = match &self.source {
                Source::Draws(draws, names) => draws.draw(*marginal, names[number], run),
                Source::Hypercube(hypercube, columns) => marginal.quantile(hypercube.unit(run, columns[number])),
            };
        }
    }

    fn canonical(&self) -> serde_json::Value {
        let marginals: Vec<_> = (self.parameters.iter().zip(&self.marginals))
            .map(|(parameter, marginal)| match *marginal {
                Marginal::Normal { mean, sigma } => json!([parameter.path, "normal", mean, sigma]),
                Marginal::Uniform { low, high } => json!([parameter.path, "uniform", low, high]),
                Marginal::Lognormal { mu, sigma } => json!([parameter.path, "lognormal", mu, sigma]),
            })
            .collect();
        json!({ "kind": self.kind, "contract": "gmat-sweep", "runs": self.runs, "seed": self.seed, "parameters": marginals })
    }
}

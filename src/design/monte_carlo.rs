//! `kind = "monte_carlo"`: every parameter of every run is drawn on its own.
//!
//! A draw is keyed by the seed, the parameter's path and the run: another parameter, another order or more runs
//! change no other draw.

use serde_json::json;

use super::random::Key;
use super::sampled::{self, Cube};
use super::{Design, Kind, contract};
use crate::config::DesignConfig;
use crate::config::reader::Reader;

pub(super) const KIND: Kind = Kind {
    name: "monte_carlo",
    summary: "independent random draws from distributions, keyed by seed, parameter and run",
    keys: &["runs", "seed", "parameters", "correlated", "seed_contract"],
    read,
};

struct MonteCarlo {
    seed: u64,
    keys: Vec<Key>,
}

impl Cube for MonteCarlo {
    fn coordinate(&self, run: u64, dimension: usize) -> f64 {
        self.keys[dimension].uniform(run, 0)
    }

    fn canonical(&self) -> serde_json::Value {
        json!({ "seed": self.seed })
    }
}

fn read(config: &DesignConfig, reader: &mut Reader) -> Option<Box<dyn Design>> {
    let read = sampled::read(config, usize::MAX, reader)?;
    if contract::is_asked_for(config, reader)? {
        return contract::monte_carlo(KIND.name, read, reader);
    }
    let (seed, keys) = (read.seed, read.keys());
    Some(read.with(KIND.name, MonteCarlo { seed, keys }))
}

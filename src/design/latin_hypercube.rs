//! `kind = "latin_hypercube"`: each parameter's distribution is cut into as many parts of equal probability as there
//! are runs, and each part is drawn from once.

use serde_json::json;

use super::cube::LatinHypercube;
use super::sampled::{self, Cube};
use super::{Design, Kind, contract};
use crate::config::DesignConfig;
use crate::config::reader::Reader;

pub(super) const KIND: Kind = Kind {
    name: "latin_hypercube",
    summary: "draws spread over every distribution: of n equal parts each is drawn from once",
    keys: &["runs", "seed", "parameters", "correlated", "centred", "seed_contract"],
    read,
};

struct Points {
    seed: u64,
    centred: bool,
    hypercube: LatinHypercube,
}

impl Cube for Points {
    fn coordinate(&self, run: u64, dimension: usize) -> f64 {
        self.hypercube.coordinate(run, dimension)
    }

    fn canonical(&self) -> serde_json::Value {
        json!({ "seed": self.seed, "centred": self.centred })
    }
}

fn read(config: &DesignConfig, reader: &mut Reader) -> Option<Box<dyn Design>> {
    let read = sampled::read(config, usize::MAX, reader)?;
    let centred = match config.table.get("centred") {
        Some(value) => reader.flag("design.centred", value)?,
        None => false,
    };
    if contract::is_asked_for(config, reader)? {
        return contract::latin_hypercube(KIND.name, config, read, reader);
    }
    let (seed, hypercube) = (read.seed, LatinHypercube::new(&read.keys(), read.runs, centred));
    Some(read.with(KIND.name, Points { seed, centred, hypercube }))
}

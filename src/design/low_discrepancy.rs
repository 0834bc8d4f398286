//! `kind = "sobol"` and `kind = "halton"`: sequences that fill the space of all parameters evenly.

use serde_json::json;

use super::Kind;
use super::cube::{Halton, MAX_POINTS, Sobol};
use super::sampled::{self, Cube, Read};
use crate::config::DesignConfig;
use crate::config::reader::Reader;

const KEYS: &[&str] = &["runs", "seed", "parameters", "correlated", "scramble", "skip"];

pub(super) const SOBOL: Kind = Kind {
    name: "sobol",
    summary: "a scrambled Sobol sequence: evenest for a power of 2 of runs, and may be continued",
    keys: KEYS,
    read: |config, reader| {
        let (read, points) = read(config, Sobol::MAX_DIMENSIONS, reader)?;
        let dimensions = read.parameters.len();
        let sobol = if points.scramble {
            Sobol::scrambled(&read.keys(), points.skip)
        } else {
            Sobol::plain(dimensions, points.skip)
        };
        Some(read.with(SOBOL.name, Sequence { points, coordinate: move |run, d| sobol.coordinate(run, d) }))
    },
};

pub(super) const HALTON: Kind = Kind {
    name: "halton",
    summary: "a scrambled Halton sequence: even for any number of runs, and may be continued",
    keys: KEYS,
    read: |config, reader| {
        let (read, points) = read(config, Halton::MAX_DIMENSIONS, reader)?;
        let dimensions = read.parameters.len();
        let halton = if points.scramble {
            Halton::scrambled(&read.keys(), points.skip)
        } else {
            Halton::plain(dimensions, points.skip)
        };
        Some(read.with(HALTON.name, Sequence { points, coordinate: move |run, d| halton.coordinate(run, d) }))
    },
};

/// What decides the points, besides their number.
#[derive(Clone, Copy, Debug)]
struct Points {
    seed: u64,
    scramble: bool,
    skip: u64,
}

struct Sequence<F> {
    points: Points,
    coordinate: F,
}

impl<F: Fn(u64, usize) -> f64 + Send + Sync> Cube for Sequence<F> {
    fn coordinate(&self, run: u64, dimension: usize) -> f64 {
        (self.coordinate)(run, dimension)
    }

    fn canonical(&self) -> serde_json::Value {
        let Points { seed, scramble, skip } = self.points;
        json!({ "seed": if scramble { seed } else { 0 }, "scramble": scramble, "skip": skip })
    }
}

fn read(config: &DesignConfig, dimensions_max: usize, reader: &mut Reader) -> Option<(Read, Points)> {
    let read = sampled::read(config, dimensions_max, reader)?;
    let scramble = match config.table.get("scramble") {
        Some(value) => reader.flag("design.scramble", value)?,
        None => true,
    };
    // the first point of a plain sequence is 0, where most distributions have no value
    let least = u64::from(!scramble);
    let skip = match config.table.get("skip") {
        Some(value) => reader.count("design.skip", value, least..=MAX_POINTS - 1)?,
        None => least,
    };
    if read.runs > MAX_POINTS - skip {
        let message = format!("{} runs after {skip} points are too many", read.runs);
        reader.refuse(&config.table.range, message, format!("allowed: {MAX_POINTS} (2^53) points in all"));
        return None;
    }
    let seed = read.seed;
    Some((read, Points { seed, scramble, skip }))
}

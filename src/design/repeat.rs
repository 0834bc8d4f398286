//! `repeat = n`: every run of a design n times, the repetitions of a run behind each other.

use serde_json::json;

use super::{Design, MAX_RUNS, Parameter};
use crate::base::nominal::Nominal;
use crate::config::DesignConfig;
use crate::config::reader::Reader;

struct Repeat {
    design: Box<dyn Design>,
    times: u64,
}

/// The design with `repeat`, where the config has it.
pub(super) fn read(config: &DesignConfig, design: Box<dyn Design>, reader: &mut Reader) -> Option<Box<dyn Design>> {
    let Some(value) = config.table.get("repeat") else { return Some(design) };
    let times = reader.count("design.repeat", value, 1..=MAX_RUNS)?;
    let runs = design.runs();
    if runs.checked_mul(times).is_none_or(|runs| runs > MAX_RUNS) {
        let message = format!("{runs} x {times} runs are too many");
        reader.refuse(&value.range, message, format!("allowed: at most {MAX_RUNS} (2^53) runs"));
        return None;
    }
    Some(if times == 1 { design } else { Box::new(Repeat { design, times }) })
}

impl Design for Repeat {
    fn kind(&self) -> &'static str {
        self.design.kind()
    }

    fn runs(&self) -> u64 {
        self.design.runs() * self.times
    }

    fn parameters(&self) -> &[Parameter] {
        self.design.parameters()
    }

    fn values(&self, run: u64, out: &mut [f64]) {
        self.design.values(run / self.times, out);
    }

    fn relate(&self, nominal: &dyn Fn(usize) -> Option<Nominal>) -> Result<(), usize> {
        self.design.relate(nominal)
    }

    fn canonical(&self) -> serde_json::Value {
        json!({ "repeat": self.times, "of": self.design.canonical() })
    }
}

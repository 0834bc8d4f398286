//! Designs made of designs: `product` flies every run of each with every run of the others, `concat` one after the
//! other.

use serde_json::json;

use super::{Design, Kind, MAX_RUNS, Parameter};
use crate::base::nominal::Nominal;
use crate::config::DesignConfig;
use crate::config::reader::{Reader, cut};

pub(super) const PRODUCT: Kind = Kind {
    name: "product",
    summary: "every run of each of its designs with every run of the others, the first one slowest",
    keys: &["designs"],
    read: |config, reader| read(config, reader, product),
};

pub(super) const CONCAT: Kind = Kind {
    name: "concat",
    summary: "the runs of its designs, which vary the same parameters, one design after the other",
    keys: &["designs"],
    read: |config, reader| read(config, reader, concat),
};

const ALLOWED: &str = "a list of designs: [{ kind = \"grid\", axes = { ... } }, { kind = \"monte_carlo\", ... }]";

type Combine = fn(Vec<Box<dyn Design>>) -> Result<Box<dyn Design>, (usize, String, String)>;

/// Reads the designs and combines them; what `combine` refuses is a design's number, a message and a help.
fn read(config: &DesignConfig, reader: &mut Reader, combine: Combine) -> Option<Box<dyn Design>> {
    let Some(value) = config.table.get("designs") else {
        let message = format!("`designs` is missing under [design], a {} needs it", config.kind.value);
        reader.refuse(&config.table.range, message, format!("write: designs = {ALLOWED}"));
        return None;
    };
    let items = reader.list("design.designs", value, ALLOWED)?;
    let mut designs = Vec::new();
    for item in items {
        let Some(table) = reader.table("design.designs", item, "{ kind = \"grid\", axes = { ... } }") else { continue };
        let Some(kind) = table.get("kind") else {
            reader.refuse(&item.range, "`kind` is missing in a design", format!("write: {ALLOWED}"));
            continue;
        };
        let Some(name) = reader.text_of("design.kind", kind, "the name of a design, such as \"grid\"") else {
            continue;
        };
        let kind = reader.located(name.to_owned(), &kind.range);
        designs.extend(super::read(&DesignConfig { kind, table: table.clone() }, reader));
    }
    if designs.len() < items.len() {
        return None;
    }
    if designs.is_empty() {
        reader.refuse(&value.range, "`design.designs` is empty", format!("allowed: {ALLOWED}"));
        return None;
    }
    let combined = combine(designs);
    combined
        .map_err(|(number, message, help)| {
            reader.refuse(&items[number].range, format!("the {}: {message}", config.kind.value), help);
        })
        .ok()
}

struct Product {
    designs: Vec<Box<dyn Design>>,
    parameters: Vec<Parameter>,
    runs: u64,
}

fn product(designs: Vec<Box<dyn Design>>) -> Result<Box<dyn Design>, (usize, String, String)> {
    let (mut parameters, mut runs) = (Vec::<Parameter>::new(), 1_u64);
    for (number, design) in designs.iter().enumerate() {
        for parameter in design.parameters() {
            if parameters.iter().any(|other| other.path == parameter.path) {
                let message = format!("`{}` is varied by two of its designs", cut(&parameter.path));
                return Err((number, message, "allowed: each parameter once".to_owned()));
            }
            parameters.push(parameter.clone());
        }
        runs = runs.checked_mul(design.runs()).filter(|&runs| runs <= MAX_RUNS).ok_or_else(|| {
            let counts: Vec<String> = designs.iter().map(|design| design.runs().to_string()).collect();
            let message = format!("{} runs are too many", cut(&counts.join(" x ")));
            (number, message, format!("allowed: at most {MAX_RUNS} (2^53) runs"))
        })?;
    }
    Ok(Box::new(Product { designs, parameters, runs }))
}

impl Design for Product {
    fn kind(&self) -> &'static str {
        PRODUCT.name
    }

    fn runs(&self) -> u64 {
        self.runs
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn values(&self, run: u64, mut out: &mut [f64]) {
        assert!(run < self.runs, "run {run} of a product of {}", self.runs);
        let (mut rest, mut each) = (run, self.runs);
        for design in &self.designs {
            each /= design.runs();
            let (own, after) = out.split_at_mut(design.parameters().len());
            design.values(rest / each, own);
            (rest, out) = (rest % each, after);
        }
    }

    fn relate(&self, nominal: &dyn Fn(usize) -> Option<Nominal>) -> Result<(), usize> {
        let mut before = 0;
        for design in &self.designs {
            design.relate(&|number| nominal(before + number)).map_err(|number| before + number)?;
            before += design.parameters().len();
        }
        Ok(())
    }

    fn canonical(&self) -> serde_json::Value {
        let designs: Vec<_> = self.designs.iter().map(|design| design.canonical()).collect();
        json!({ "kind": PRODUCT.name, "designs": designs })
    }
}

struct Concat {
    designs: Vec<Box<dyn Design>>,
    runs: u64,
}

fn concat(designs: Vec<Box<dyn Design>>) -> Result<Box<dyn Design>, (usize, String, String)> {
    let like = |parameter: &Parameter| (parameter.path.clone(), parameter.text_values.clone());
    let first: Vec<_> = designs[0].parameters().iter().map(like).collect();
    let mut runs = 0_u64;
    for (number, design) in designs.iter().enumerate() {
        if design.parameters().iter().map(like).collect::<Vec<_>>() != first {
            let paths: Vec<&str> = first.iter().map(|(path, _)| path.as_str()).collect();
            let message = "its designs vary different parameters, or in another order".to_owned();
            return Err((number, message, format!("allowed: {} in each, with the same texts", cut(&paths.join(", ")))));
        }
        runs = runs.checked_add(design.runs()).filter(|&runs| runs <= MAX_RUNS).ok_or_else(|| {
            (number, "its designs have too many runs".to_owned(), format!("allowed: at most {MAX_RUNS} (2^53) runs"))
        })?;
    }
    Ok(Box::new(Concat { designs, runs }))
}

impl Design for Concat {
    fn kind(&self) -> &'static str {
        CONCAT.name
    }

    fn runs(&self) -> u64 {
        self.runs
    }

    fn parameters(&self) -> &[Parameter] {
        self.designs[0].parameters()
    }

    fn values(&self, run: u64, out: &mut [f64]) {
        let mut rest = run;
        for design in &self.designs {
            if rest < design.runs() {
                return design.values(rest, out);
            }
            rest -= design.runs();
        }
        panic!("run {run} of a concat of {}", self.runs);
    }

    fn relate(&self, nominal: &dyn Fn(usize) -> Option<Nominal>) -> Result<(), usize> {
        self.designs.iter().try_for_each(|design| design.relate(nominal))
    }

    fn canonical(&self) -> serde_json::Value {
        let designs: Vec<_> = self.designs.iter().map(|design| design.canonical()).collect();
        json!({ "kind": CONCAT.name, "designs": designs })
    }
}

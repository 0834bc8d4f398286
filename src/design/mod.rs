//! Which runs there are: the values of every swept parameter, computed from the number of the run.
//!
//! A design never lists its runs: 10^8 of them cost no memory. A new kind of design is one file
//! and one line in [`DESIGNS`].

mod combined;
mod contract;
mod correlated;
pub mod cube;
pub mod distribution;
mod grid;
mod latin_hypercube;
mod low_discrepancy;
mod monte_carlo;
pub mod numpy;
mod points;
pub mod random;
mod repeat;
pub mod results;
mod rules;
mod sampled;
mod table;

pub use points::{Linspace, Points};

use crate::base::nearest::{did_you_mean, nearest};
use crate::base::nominal::Nominal;
use crate::base::problem::Span;
use crate::config::reader::{Content, Key, Reader, Table, Value, cut};
use crate::config::{DesignConfig, unknown_key};

/// The most runs of a sweep: up to here every run number is a double of its own.
pub const MAX_RUNS: u64 = 1 << 53;

/// The most parameters of a sweep.
pub const MAX_PARAMETERS: usize = 10_000;

/// Which runs there are.
pub trait Design: Send + Sync {
    /// The kind, as in the config: `grid`.
    fn kind(&self) -> &'static str;

    /// The number of runs; they are numbered from 0.
    fn runs(&self) -> u64;

    /// The swept parameters, in the order of the config.
    fn parameters(&self) -> &[Parameter];

    /// The values of one run, one for each parameter and in their order.
    ///
    /// A parameter with `text_values` gives the index of its text. Panics if there is no such run
    /// or `out` has another length than `parameters()`.
    fn values(&self, run: u64, out: &mut [f64]);

    /// Whether the run has no values: what it would start from is not there.
    fn is_missing(&self, _run: u64) -> bool {
        false
    }

    /// Tells the design the script's values of its parameters, by their number, before any run's values are asked
    /// for.
    ///
    /// # Errors
    /// The number of a parameter that is drawn relative to the script's value, where there is none.
    fn relate(&self, _nominal: &dyn Fn(usize) -> Option<Nominal>) -> Result<(), usize> {
        Ok(())
    }

    /// What the design takes from the results of an earlier sweep, if it does.
    fn results(&self) -> Option<&results::Results> {
        None
    }

    /// The axes of a grid, slowest first; empty for every other kind.
    fn axes(&self) -> &[AxisValues] {
        &[]
    }

    /// The design in a form that two configs share if and only if they ask for the same runs in the
    /// same words: comments, spacing and the way a number is written do not count, the order of axes
    /// does.
    fn canonical(&self) -> serde_json::Value;
}

/// A swept parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The dotted path into the script, as written: `Sat.SMA`.
    pub path: String,
    /// Where the path stands in the config.
    pub span: Span,
    /// The texts of a parameter whose values are texts; the values of runs are indices into them.
    pub text_values: Option<Vec<String>>,
    /// Where each of the texts stands in the config; empty without `text_values`.
    pub text_spans: Vec<Span>,
}

/// One axis of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisValues {
    /// The parameter's path.
    pub path: String,
    /// Its values.
    pub points: Points,
}

/// A kind of design: its name in the config, what it is, the keys it has beside `kind`, its reader.
pub struct Kind {
    /// The name in the config.
    pub name: &'static str,
    /// One line for `sweep-mpi list`.
    pub summary: &'static str,
    /// The keys of `[design]` that it reads.
    pub keys: &'static [&'static str],
    /// Reads the section; notes what is wrong and gives none.
    pub read: fn(&DesignConfig, &mut Reader) -> Option<Box<dyn Design>>,
}

/// All kinds of design.
pub const DESIGNS: &[Kind] = &[
    grid::KIND,
    table::KIND,
    monte_carlo::KIND,
    latin_hypercube::KIND,
    low_discrepancy::SOBOL,
    low_discrepancy::HALTON,
    combined::PRODUCT,
    combined::CONCAT,
];

/// Reads the design of a config; made for [`crate::config::parse_stages`].
pub fn read(config: &DesignConfig, reader: &mut Reader) -> Option<Box<dyn Design>> {
    let name = config.kind.value.as_str();
    let Some(kind) = DESIGNS.iter().find(|kind| kind.name == name) else {
        let names = || DESIGNS.iter().map(|kind| kind.name);
        let mut help = did_you_mean(name, names());
        if !nearest(name, names(), 1).is_empty() {
            help = format!("{help} supported: {}", names().collect::<Vec<_>>().join(", "));
        }
        let range = config.table.get("kind").map_or(0..0, |value| value.range.clone());
        reader.refuse(&range, format!("`{}` is not a kind of design", cut(name)), help);
        return None;
    };
    let mut own = vec!["kind"];
    own.extend(kind.keys);
    own.push("repeat");
    for (key, _) in config.table.entries.iter().filter(|(key, _)| !own.contains(&key.name.as_str())) {
        match DESIGNS.iter().find(|other| other.keys.contains(&key.name.as_str())) {
            Some(other) => {
                let message = format!("`{}` is not a key of a {name}", cut(&key.name));
                let help = format!("belongs to kind = \"{}\"; supported here: {}", other.name, own.join(", "));
                reader.refuse(&key.range, message, help);
            }
            None => unknown_key(reader, "design", &own, key),
        }
    }
    let design = (kind.read)(config, reader)?;
    repeat::read(config, design, reader)
}

/// The table of parameters that a kind reads, checked not to be missing or empty.
fn parameters_of<'c>(config: &'c DesignConfig, key: &str, example: &str, reader: &mut Reader) -> Option<&'c Table> {
    let help = format!("write: {key} = {{ \"Sat.SMA\" = {example} }}");
    let Some(value) = config.table.get(key) else {
        let kind = &config.kind.value;
        reader.refuse(&config.table.range, format!("`{key}` is missing under [design], a {kind} needs it"), help);
        return None;
    };
    let table =
        reader.table(&format!("design.{key}"), value, &format!("a table such as {{ \"Sat.SMA\" = {example} }}"))?;
    if table.entries.is_empty() {
        reader.refuse(&value.range, format!("`design.{key}` names no parameter"), help);
        return None;
    }
    if table.entries.len() > MAX_PARAMETERS {
        let message = format!("`design.{key}` names {} parameters", table.entries.len());
        reader.refuse(&value.range, message, format!("allowed: at most {MAX_PARAMETERS}"));
        return None;
    }
    Some(table)
}

/// A parameter's path, refused if it is empty or has control characters.
fn path_of(key: &Key, reader: &mut Reader) -> Option<String> {
    let refused = if key.name.trim().is_empty() {
        "the name of a parameter is empty".to_owned()
    } else if let Some(control) = key.name.chars().find(|c| c.is_control()) {
        format!("the name of a parameter has the control character {}", control.escape_unicode())
    } else {
        return Some(key.name.clone());
    };
    reader.refuse(&key.range, refused, "allowed: a path into the script, such as \"Sat.SMA\"");
    None
}

/// The parameter of a key; `written` is the list or the rule's argument that gave its points.
fn parameter(key: &Key, path: String, points: &Points, written: &Value, reader: &Reader) -> Parameter {
    let span = reader.place(&key.range);
    let (text_values, text_spans) = match (points, &written.content) {
        (Points::Texts(texts), Content::List(items)) => {
            (Some(texts.clone()), items.iter().map(|item| reader.place(&item.range)).collect())
        }
        _ => (None, Vec::new()),
    };
    Parameter { path, span, text_values, text_spans }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;
    use std::path::Path;

    fn problems(design: &str) -> String {
        let text = format!("[mission]\nscript = \"a\"\n[output]\nfile = \"b\"\n[design]\n{design}\n");
        match config::parse_with("c.toml", Path::new("/d"), text.as_bytes(), read) {
            Ok(_) => String::new(),
            Err(problems) => problems.to_string(),
        }
    }

    #[test]
    fn an_unknown_kind_gets_the_nearest_and_the_list() {
        let text = problems("kind = \"girds\"");
        assert!(text.contains("c.toml:6:8: `girds` is not a kind of design"), "{text}");
        assert!(text.contains("did you mean `grid`? supported: grid, table, monte_carlo"), "{text}");
        assert!(problems("kind = \"fractional\"").contains("supported: grid, table"));
    }

    #[test]
    fn keys_of_another_kind_are_sent_there() {
        let text = problems("kind = \"table\"\ncolumns = { \"A\" = [1] }\naxes = {}\naxis = 1\nfinal = []");
        assert!(text.contains("c.toml:8:1: `axes` is not a key of a table"), "{text}");
        assert!(text.contains("belongs to kind = \"grid\"; supported here: kind, columns, repeat"), "{text}");
        assert!(text.contains("c.toml:9:1: `axis` is not a key of [design]"), "{text}");
        assert!(text.contains("c.toml:10:1: `final` is not a key of [design]"), "{text}");
        assert!(text.contains("belongs under [output]"), "{text}");
    }

    #[test]
    fn every_kind_has_a_summary_and_its_keys_are_known_to_the_config() {
        for kind in DESIGNS {
            assert!(!kind.summary.is_empty());
            for key in kind.keys {
                let text = String::from_utf8(
                    config::parse("c", Path::new("/"), format!("{key} = 1").as_bytes())
                        .unwrap_err()
                        .to_string()
                        .into_bytes(),
                )
                .unwrap();
                assert!(text.contains("belongs under [design]"), "{key}: {text}");
            }
        }
    }

    #[test]
    fn missing_and_empty_tables_are_named() {
        assert!(problems("kind = \"grid\"").contains("c.toml:5:1: `axes` is missing under [design], a grid needs it"));
        let text = problems("kind = \"table\"");
        assert!(text.contains("`columns` is missing under [design]") && text.contains("write: columns = {"), "{text}");
        assert!(problems("kind = \"grid\"\naxes = {}").contains("c.toml:7:8: `design.axes` names no parameter"));
        assert!(problems("kind = \"table\"\ncolumns = {}").contains("`design.columns` names no parameter"));
        let text = problems("kind = \"grid\"\naxes = [1]");
        assert!(text.contains("c.toml:7:8: `design.axes` cannot be a list"), "{text}");
        assert!(problems("kind = \"grid\"\naxes = { \"\" = { values = [1] } }").contains("c.toml:7:10: the name of a"));
        assert!(problems("kind = \"grid\"\naxes = { \"a\\n\" = { values = [1] } }").contains("character \\u{a}"));
    }
}

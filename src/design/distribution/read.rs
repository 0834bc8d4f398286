//! How a distribution is written in the config: `{ normal = [600.0, 30.0] }`.

use super::{Choice, Distribution};
use crate::base::nearest::did_you_mean;
use crate::config::reader::{Content, Key, Reader, Table, Value, cut};

/// The distributions by their word in the config, each with the numbers it takes.
pub const KINDS: &[(&str, &str)] = &[
    ("normal", "[mean, sigma]"),
    ("uniform", "[low, high]"),
    ("lognormal", "[mu, sigma]"),
    ("truncated_normal", "[mean, sigma, low, high]"),
    ("triangular", "[low, mode, high]"),
    ("beta", "[alpha, beta, low, high]"),
    ("exponential", "[mean]"),
    ("weibull", "[shape, scale]"),
    ("choice", "[a, b, c]"),
    ("constant", "x"),
];
/// The key beside `choice`.
const WEIGHTS: &str = "weights";
/// The numbers of beta and weibull that are powers stay within these.
const SHAPES: std::ops::RangeInclusive<f64> = 1e-3..=1e6;
/// The u of the outermost draws, see [`crate::design::random::uniform`].
const ENDS: [f64; 2] = [f64::EPSILON / 2.0, 1.0 - f64::EPSILON / 2.0];

/// Reads the distribution of the parameter `path`; the keys `beside` may stand in the same table and
/// are left to the caller.
pub fn read(path: &str, value: &Value, beside: &[&str], reader: &mut Reader) -> Option<Distribution> {
    let table = table(path, value, reader)?;
    let (kind, argument) = one_kind(path, table, value, beside, reader)?;
    let what = format!("{path}.{}", kind.name);
    let weights = table.entries.iter().find(|(key, _)| key.name == WEIGHTS);
    if let Some((key, _)) = weights.filter(|_| kind.name != "choice") {
        let message = format!("`{}` has {WEIGHTS} and no choice", cut(path));
        reader.refuse(&key.range, message, "belongs to choice = [a, b, c]");
        return None;
    }
    let distribution = match kind.name.as_str() {
        "constant" => Distribution::Constant(reader.number(&what, argument, "a number")?),
        "choice" => choice(path, &what, argument, weights.map(|(_, value)| value), reader)?,
        name => continuous(name, &Numbers::read(&what, argument, name, reader)?, reader)?,
    };
    let ends = ENDS.map(|u| distribution.quantile(u));
    if ends.iter().chain([&distribution.mean(), &distribution.variance()]).any(|number| !number.is_finite()) {
        let message = format!("`{}` gives draws that are too large for a double", cut(&what));
        let help = format!("it would reach from {:e} to {:e}; allowed: a variance up to 1.8e308", ends[0], ends[1]);
        reader.refuse(&argument.range, message, help);
        return None;
    }
    Some(distribution)
}

fn all_kinds() -> String {
    KINDS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

fn table<'v>(path: &str, value: &'v Value, reader: &mut Reader) -> Option<&'v Table> {
    let message = match &value.content {
        Content::Table(table) => return Some(table),
        Content::Refused => return None,
        _ => format!("the distribution of `{}` cannot be {}", cut(path), reader.describe(value)),
    };
    let help = match &value.content {
        Content::Integer(_) | Content::Float(_) => format!("write: {{ constant = {} }}", reader.shown(&value.range)),
        _ => format!("write: \"{}\" = {{ normal = [mean, sigma] }}, or with one of {}", cut(path), all_kinds()),
    };
    reader.refuse(&value.range, message, help);
    None
}

/// The one distribution of the table.
fn one_kind<'v>(
    path: &str,
    table: &'v Table,
    value: &Value,
    beside: &[&str],
    reader: &mut Reader,
) -> Option<(&'v Key, &'v Value)> {
    let is_kind = |name: &str| KINDS.iter().any(|(kind, _)| *kind == name);
    let mut known = true;
    for (key, argument) in table.entries.iter() {
        let name = key.name.as_str();
        if is_kind(name) || name == WEIGHTS || beside.contains(&name) {
            continue;
        }
        known = false;
        let help = match argument.content {
            Content::Table(_) => format!("a path with a dot stands in quotes: \"{}.{name}\" = ...", cut(path)),
            _ => did_you_mean(name, KINDS.iter().map(|(kind, _)| *kind).chain(beside.iter().copied()).chain([WEIGHTS])),
        };
        reader.refuse(&key.range, format!("`{}` is not a distribution", cut(name)), help);
    }
    let kinds: Vec<&(Key, Value)> = table.entries.iter().filter(|(key, _)| is_kind(&key.name)).collect();
    match kinds.as_slice() {
        _ if !known => None,
        [(kind, argument)] => Some((kind, argument)),
        [] => {
            let help =
                format!("write: \"{}\" = {{ normal = [mean, sigma] }}, or with one of {}", cut(path), all_kinds());
            reader.refuse(&value.range, format!("`{}` has no distribution", cut(path)), help);
            None
        }
        [(first, _), (second, _), ..] => {
            let message = format!("`{}` has two distributions, `{}` and `{}`", cut(path), first.name, second.name);
            reader.refuse(&second.range, message, format!("allowed: exactly one of {}", all_kinds()));
            None
        }
    }
}

/// The numbers of a distribution and where they stand.
struct Numbers<'v> {
    what: &'v str,
    list: &'v Value,
    items: &'v [Value],
    at: Vec<f64>,
}

impl<'v> Numbers<'v> {
    fn read(what: &'v str, list: &'v Value, name: &str, reader: &mut Reader) -> Option<Self> {
        let written = KINDS.iter().find(|(kind, _)| *kind == name).map_or("", |(_, written)| *written);
        let least = written.split(',').count();
        let (most, allowed) = match name {
            "exponential" | "weibull" => (least + 1, format!("{written} or {}, from]", &written[..written.len() - 1])),
            _ => (least, written.to_owned()),
        };
        let allowed = format!("numbers, {allowed}");
        let items = reader.list(what, list, &allowed)?;
        if !(least..=most).contains(&items.len()) {
            let message = format!("`{}` is a list of length {}", cut(what), items.len());
            reader.refuse(&list.range, message, format!("allowed: {allowed}"));
            return None;
        }
        let at: Vec<f64> = items.iter().filter_map(|item| reader.number(what, item, &allowed)).collect();
        (at.len() == items.len()).then_some(Numbers { what, list, items, at })
    }

    /// A number above 0.
    fn positive(&self, index: usize, name: &str, reader: &mut Reader) -> Option<f64> {
        let number = self.at[index];
        if number > 0.0 {
            return Some(number);
        }
        let help =
            if number < 0.0 || name != "sigma" { "a number above 0" } else { "a number above 0, or constant = x" };
        reader.refuse_value(&format!("{} {name}", self.what), &self.items[index], help);
        None
    }

    fn shape(&self, index: usize, name: &str, reader: &mut Reader) -> Option<f64> {
        let number = self.at[index];
        if SHAPES.contains(&number) {
            return Some(number);
        }
        let allowed = format!("a number from {:e} to {:e}", SHAPES.start(), SHAPES.end());
        reader.refuse_value(&format!("{} {name}", self.what), &self.items[index], &allowed);
        None
    }

    /// Two ends, the second above the first.
    fn ends(&self, low: usize, high: usize, reader: &mut Reader) -> Option<(f64, f64)> {
        let (low, high) = (self.at[low], self.at[high]);
        let (message, help) = if high <= low {
            (format!("high = {high} is not above low = {low}"), "allowed: low below high; or constant = x")
        } else if !(high - low).is_finite() {
            (format!("the distance from {low:e} to {high:e} is too large"), "allowed: ends less than 1.8e308 apart")
        } else {
            return Some((low, high));
        };
        reader.refuse(&self.list.range, format!("`{}`: {message}", cut(self.what)), help);
        None
    }
}

fn continuous(kind: &str, numbers: &Numbers<'_>, reader: &mut Reader) -> Option<Distribution> {
    let at = |index: usize| numbers.at.get(index).copied().unwrap_or(0.0);
    Some(match kind {
        "normal" => Distribution::Normal { mean: at(0), sigma: numbers.positive(1, "sigma", reader)? },
        "lognormal" => Distribution::Lognormal { mu: at(0), sigma: numbers.positive(1, "sigma", reader)? },
        "uniform" => {
            let (low, high) = numbers.ends(0, 1, reader)?;
            Distribution::Uniform { low, high }
        }
        "truncated_normal" => {
            let sigma = numbers.positive(1, "sigma", reader);
            let (low, high) = numbers.ends(2, 3, reader)?;
            Distribution::TruncatedNormal { mean: at(0), sigma: sigma?, low, high }
        }
        "triangular" => {
            let (low, high) = numbers.ends(0, 2, reader)?;
            let mode = at(1);
            if !(low..=high).contains(&mode) {
                let allowed = format!("a number from low = {low} to high = {high}");
                reader.refuse_value(&format!("{} mode", numbers.what), &numbers.items[1], &allowed);
                return None;
            }
            Distribution::Triangular { low, mode, high }
        }
        "beta" => {
            let (alpha, beta) = (numbers.shape(0, "alpha", reader), numbers.shape(1, "beta", reader));
            let (low, high) = numbers.ends(2, 3, reader)?;
            Distribution::Beta { alpha: alpha?, beta: beta?, low, high }
        }
        "exponential" => Distribution::Exponential { mean: numbers.positive(0, "mean", reader)?, from: at(1) },
        _ => {
            let (shape, scale) = (numbers.shape(0, "shape", reader), numbers.positive(1, "scale", reader));
            Distribution::Weibull { shape: shape?, scale: scale?, from: at(2) }
        }
    })
}

fn choice(path: &str, what: &str, list: &Value, weights: Option<&Value>, reader: &mut Reader) -> Option<Distribution> {
    let values = listed(what, list, "a list of numbers", reader)?;
    if values.is_empty() {
        reader.refuse(&list.range, format!("`{}` is an empty list", cut(what)), "allowed: at least one number");
        return None;
    }
    let what = format!("{path}.{WEIGHTS}");
    let (weights, range) = match weights {
        None => (vec![1.0; values.len()], &list.range),
        Some(given) => (listed(&what, given, "a list of numbers, one for each of the choice", reader)?, &given.range),
    };
    if weights.len() != values.len() {
        let message = format!("`{}` has {} numbers, the choice has {}", cut(&what), weights.len(), values.len());
        reader.refuse(range, message, "allowed: one weight for each number of the choice");
        return None;
    }
    if let Some(negative) = weights.iter().find(|weight| **weight < 0.0) {
        reader.refuse(range, format!("`{}` has the weight {negative}", cut(&what)), "allowed: weights of at least 0");
        return None;
    }
    let choice = Choice::new(values, weights);
    if choice.is_none() {
        let message = format!("`{}` must have a sum above 0 that is finite", cut(&what));
        reader.refuse(range, message, "allowed: weights of at least 0, not all 0");
    }
    choice.map(Distribution::Choice)
}

fn listed(what: &str, value: &Value, allowed: &str, reader: &mut Reader) -> Option<Vec<f64>> {
    let items = reader.list(what, value, allowed)?;
    let numbers: Vec<f64> = items.iter().filter_map(|item| reader.number(what, item, allowed)).collect();
    (numbers.len() == items.len()).then_some(numbers)
}

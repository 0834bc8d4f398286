//! How the values of a parameter are written in the config: a list, or a rule with its numbers.

use super::MAX_RUNS;
use super::points::{Linspace, Points};
use crate::config::reader::{Content, Reader, Value, cut};

/// The rules of an axis, by their word in the config.
pub(super) const RULES: &[&str] = &["linspace", "values", "range", "logspace", "geomspace"];

/// Reads the argument of one rule of [`RULES`]; `path` is the parameter.
pub(super) fn read(path: &str, rule: &str, value: &Value, reader: &mut Reader) -> Option<Points> {
    let what = format!("{path}.{rule}");
    match rule {
        "values" => read_list(&what, value, reader),
        "range" => range(&what, value, reader),
        _ => spaced(rule, &what, value, reader),
    }
}

/// Three values of a list: two numbers and what the caller makes of the third.
fn triple<'v>(what: &str, names: &str, value: &'v Value, reader: &mut Reader) -> Option<(f64, f64, &'v Value)> {
    let allowed = format!("three values, {names}");
    let items = reader.list(what, value, &allowed)?;
    let [first, second, third] = items else {
        let message = format!("`{}` is a list of length {}", cut(what), items.len());
        reader.refuse(&value.range, message, format!("allowed: {allowed}"));
        return None;
    };
    let first = reader.number(what, first, "a number");
    let second = reader.number(what, second, "a number");
    Some((first?, second?, third))
}

fn spaced(rule: &str, what: &str, value: &Value, reader: &mut Reader) -> Option<Points> {
    let names = if rule == "logspace" { "[start exponent, stop exponent, n]" } else { "[start, stop, n]" };
    let (start, stop, count) = triple(what, names, value, reader)?;
    let count = reader.count(&format!("{what} n"), count, 1..=MAX_RUNS)?;
    let mut refuse = |message: String, help: &str| {
        reader.refuse(&value.range, format!("`{}`: {message}", cut(what)), help);
        None
    };
    match rule {
        "logspace" => {
            if [start, stop].iter().any(|exponent| !(-307.0..=308.0).contains(exponent)) {
                let message = format!("10 to the power of {start} or of {stop} is no ordinary double");
                return refuse(message, "allowed: exponents from -307 to 308");
            }
            Some(Points::Logspace(Linspace { start, stop, count }))
        }
        "geomspace" => {
            if start == 0.0 || stop == 0.0 {
                return refuse("an end is zero".to_owned(), "allowed: ends that are not zero, of the same sign");
            }
            if (start < 0.0) != (stop < 0.0) {
                let message = format!("the ends {start} and {stop} differ in sign");
                return refuse(message, "allowed: ends that are not zero, of the same sign");
            }
            let exponents = Linspace { start: libm::log10(start.abs()), stop: libm::log10(stop.abs()), count };
            Some(Points::Geomspace { start, stop, exponents })
        }
        _ => {
            if !(stop - start).is_finite() {
                let message = format!("the distance from {start:e} to {stop:e} is too large for a double");
                return refuse(message, "allowed: ends less than 1.8e308 apart");
            }
            Some(Points::Linspace(Linspace { start, stop, count }))
        }
    }
}

fn range(what: &str, value: &Value, reader: &mut Reader) -> Option<Points> {
    let (start, stop, step) = triple(what, "[start, stop, step]", value, reader)?;
    let step = reader.number(what, step, "a number")?;
    let mut refuse = |message: String, help: &str| {
        reader.refuse(&value.range, format!("`{}`: {message}", cut(what)), help);
        None
    };
    if step == 0.0 {
        return refuse("the step is 0".to_owned(), "allowed: a step that is not 0");
    }
    if start.to_bits() == stop.to_bits() {
        return Some(Points::Range { start, stop, step, count: 1, hits: true });
    }
    let steps = (stop - start) / step;
    if steps < 0.0 {
        let message = format!("a step of {step} leads from {start} away from {stop}");
        return refuse(message, "allowed: a positive step upwards, a negative one downwards");
    }
    // start + i step is off by at most half a unit in its last place and in that of i step; the
    // ends and the step are off by as much from the decimals that were written.
    let rounding = 4.0 * f64::EPSILON * ((start.abs() + stop.abs()) / step.abs() + steps);
    if !rounding.is_finite() || rounding >= 0.25 {
        let message = format!("a step of {step:e} is lost in the rounding of {start:e} to {stop:e}");
        return refuse(message, "allowed: a larger step, or linspace");
    }
    let last = (steps + rounding).floor();
    if last >= MAX_RUNS as f64 {
        return refuse(format!("{last:e} values are too many"), "allowed: at most 2^53 values");
    }
    let hits = (steps - last).abs() <= rounding;
    Some(Points::Range { start, stop, step, count: last as u64 + 1, hits })
}

/// Reads a list of numbers alone or of texts alone; an empty one is a list of numbers.
pub(super) fn read_list(what: &str, value: &Value, reader: &mut Reader) -> Option<Points> {
    const ALLOWED: &str = "a list of numbers or a list of quoted texts";
    let items = reader.list(what, value, ALLOWED)?;
    let of_texts = matches!(items.first(), Some(Value { content: Content::Text(_), .. }));
    let mut numbers = Vec::new();
    let mut texts = Vec::new();
    let mut complete = true;
    for item in items {
        let is_other = match item.content {
            Content::Text(_) => !of_texts,
            Content::Integer(_) | Content::Float(_) => of_texts,
            _ => false,
        };
        if is_other {
            let first = if of_texts { "a text" } else { "a number" };
            let message = format!("`{}` begins with {first}, then comes {}", cut(what), reader.describe(item));
            reader.refuse(&item.range, message, format!("allowed: {ALLOWED}, not both"));
            return None;
        }
        if of_texts {
            match reader.text_of(what, item, "a quoted text") {
                Some(text) => texts.push(text.to_owned()),
                None => complete = false,
            }
        } else {
            match reader.number(what, item, "numbers, or texts in quotes such as \"01 Jan 2026 00:00:00.000\"") {
                Some(number) => numbers.push(number),
                None => complete = false,
            }
        }
    }
    complete.then_some(if of_texts { Points::Texts(texts) } else { Points::Values(numbers) })
}

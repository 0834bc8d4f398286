//! Placeholders in the texts of a command: `{Sat.SMA}`, `{run}`, `{dir}`, `{config}`; `{{` and `}}`
//! are the braces themselves.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::base::nearest::did_you_mean;

/// The placeholders that are no parameters.
const NAMES: [&str; 3] = ["run", "dir", "config"];

/// What the placeholders of one run stand for.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The run's number.
    pub run: u64,
    /// Its folder, absolute.
    pub dir: &'a Path,
    /// The config's folder, absolute.
    pub config: &'a Path,
    /// The values of the parameters, in the order of the names that the template was parsed with.
    pub values: &'a [f64],
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(String),
    Run,
    Dir,
    Config,
    Value(usize),
}

/// A text with placeholders, parsed once and filled in for each run.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    parts: Vec<Part>,
}

impl Template {
    /// Parses a text; the error is a sentence without its place.
    pub fn parse(text: &str, parameters: &[String]) -> Result<Template, String> {
        if text.contains('\0') {
            return Err("a text with a zero byte cannot be given to a program".to_owned());
        }
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let brace = &rest[at..];
            if brace.starts_with("{{") || brace.starts_with("}}") {
                plain.push_str(&brace[..1]);
                rest = &brace[2..];
                continue;
            }
            let end = brace.find('}').filter(|end| *end > 0);
            let Some(end) = end else {
                let one = &brace[..1];
                return Err(format!("a single `{one}` in `{text}`: write `{one}{one}` for the brace itself"));
            };
            if !plain.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut plain)));
            }
            parts.push(placeholder(&brace[1..end], parameters)?);
            rest = &brace[end + 1..];
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        Ok(Template { parts })
    }

    /// The text for one run.
    pub fn fill(&self, place: &Place) -> OsString {
        let mut text = OsString::new();
        for part in &self.parts {
            match part {
                Part::Text(plain) => text.push(plain),
                Part::Run => text.push(place.run.to_string()),
                Part::Dir => text.push(place.dir),
                Part::Config => text.push(place.config),
                Part::Value(index) => text.push(number(place.values.get(*index).copied().unwrap_or(f64::NAN))),
            }
        }
        text
    }

    /// The text, if it is the same for all runs.
    pub fn constant(&self) -> Option<&OsStr> {
        match self.parts.as_slice() {
            [] => Some(OsStr::new("")),
            [Part::Text(plain)] => Some(OsStr::new(plain)),
            _ => None,
        }
    }
}

fn placeholder(name: &str, parameters: &[String]) -> Result<Part, String> {
    if let Some(index) = parameters.iter().position(|parameter| parameter == name) {
        return Ok(Part::Value(index));
    }
    match name {
        "run" => Ok(Part::Run),
        "dir" => Ok(Part::Dir),
        "config" => Ok(Part::Config),
        _ => {
            let known = parameters.iter().map(String::as_str).chain(NAMES);
            Err(format!(
                "`{{{name}}}` is neither a parameter of the design nor run, dir or config; {} (`{{{{` and `}}}}` are the braces themselves)",
                did_you_mean(name, known)
            ))
        }
    }
}

/// The shortest text that reads back as the same number; an exponent where there would be many zeros.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-5..1e17).contains(&size) || !value.is_finite() {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Template, String> {
        Template::parse(text, &["Sat.SMA".to_owned(), "Sat.ECC".to_owned()])
    }

    fn fill(text: &str) -> String {
        let place = Place { run: 7, dir: Path::new("/d/7"), config: Path::new("/c"), values: &[7000.125, 1e-9] };
        parse(text).unwrap().fill(&place).into_string().unwrap()
    }

    #[test]
    fn placeholders_are_filled_in() {
        assert_eq!(fill("a={Sat.SMA},e={Sat.ECC}"), "a=7000.125,e=1e-9");
        assert_eq!(fill("{dir}/{run}.txt {config}"), "/d/7/7.txt /c");
        assert_eq!(fill("{{{run}}} {{}}"), "{7} {}");
        assert_eq!(fill("$(rm x) `y` ; \"z\""), "$(rm x) `y` ; \"z\"");
        assert_eq!(fill(""), "");
    }

    #[test]
    fn what_is_no_placeholder_is_named() {
        assert!(parse("{Sat.SMAA}").unwrap_err().contains("did you mean `Sat.SMA`"));
        for text in ["{", "}", "a}b", "{run", "{{run}", "{}", "{ run }"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse("\0").is_err());
    }

    #[test]
    fn prop_numbers_read_back_as_themselves() {
        let mut bits = 0x1234_5678_9abc_def0_u64;
        for _ in 0..20_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let value = f64::from_bits(bits);
            if value.is_finite() {
                let text = number(value);
                assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits(), "{text}");
                assert!(text.len() < 26, "{text}");
            }
        }
        assert_eq!(number(7000.0), "7000");
        assert_eq!(number(-0.0), "-0");
        assert_eq!(number(0.1 + 0.2), "0.30000000000000004");
    }

    #[test]
    fn a_text_without_placeholders_is_constant() {
        assert_eq!(parse("python3").unwrap().constant(), Some(OsStr::new("python3")));
        assert_eq!(parse("x{run}").unwrap().constant(), None);
    }
}

//! Every distribution as written, every refusal.

use super::*;
use crate::config::reader::{Reader, read_toml};

/// Reads `"Sat.SMA" = TEXT` with `relative_to` and `scale` allowed beside.
fn attempt(text: &str) -> (Option<Distribution>, String) {
    let mut reader = Reader::new("c.toml", format!("p = {text}\n"));
    let read = match read_toml(&mut reader) {
        Some(table) => read("Sat.SMA", table.get("p").unwrap(), &["relative_to", "scale"], &mut reader),
        None => None,
    };
    let problems = if reader.has_problems() { reader.finish().1.to_string() } else { String::new() };
    assert!(read.is_some() == problems.is_empty(), "{text}: {read:?} {problems}");
    (read, problems)
}

fn canonical(text: &str) -> String {
    let (read, problems) = attempt(text);
    read.unwrap_or_else(|| panic!("{text}: {problems}")).canonical().to_string()
}

#[track_caller]
fn refused(text: &str, expected: &[&str]) {
    let (read, problems) = attempt(text);
    assert!(read.is_none(), "{text} accepted");
    for part in expected {
        assert!(problems.contains(part), "{text}: no `{part}` in\n{problems}");
    }
}

#[test]
fn every_distribution_is_read() {
    for (text, expected) in [
        ("{ normal = [600, 30.0] }", r#"{"normal":[600.0,30.0]}"#),
        ("{ uniform = [-1, 1] }", r#"{"uniform":[-1.0,1.0]}"#),
        ("{ lognormal = [0, 0.5] }", r#"{"lognormal":[0.0,0.5]}"#),
        ("{ truncated_normal = [0, 1, -2, 2] }", r#"{"truncated_normal":[0.0,1.0,-2.0,2.0]}"#),
        ("{ triangular = [0, 0, 1] }", r#"{"triangular":[0.0,0.0,1.0]}"#),
        ("{ beta = [2, 5, 0, 1] }", r#"{"beta":[2.0,5.0,0.0,1.0]}"#),
        ("{ exponential = [25] }", r#"{"exponential":[25.0,0.0]}"#),
        ("{ exponential = [25, 600] }", r#"{"exponential":[25.0,600.0]}"#),
        ("{ weibull = [1.7, 40] }", r#"{"weibull":[1.7,40.0,0.0]}"#),
        ("{ weibull = [1.7, 40, -5] }", r#"{"weibull":[1.7,40.0,-5.0]}"#),
        ("{ choice = [3, 1, 2] }", r#"{"choice":[3.0,1.0,2.0],"weights":[1.0,1.0,1.0]}"#),
        ("{ choice = [3, 1], weights = [1, 0] }", r#"{"choice":[3.0,1.0],"weights":[1.0,0.0]}"#),
        ("{ constant = 7 }", r#"{"constant":7.0}"#),
        ("{ normal = [0, 1], relative_to = \"nominal\", scale = 2 }", r#"{"normal":[0.0,1.0]}"#),
    ] {
        assert_eq!(canonical(text), expected);
    }
    assert_eq!(KINDS.len(), 10);
}

#[test]
fn one_distribution_of_a_known_name() {
    refused("{ nromal = [0, 1] }", &["c.toml:1:7: `nromal` is not a distribution", "did you mean `normal`?"]);
    refused("{ scael = 1, normal = [0, 1] }", &["c.toml:1:7: `scael` is not a distribution", "did you mean `scale`?"]);
    refused("{ qqqqqqqq = 1 }", &["`qqqqqqqq` is not a distribution", "supported: normal, uniform, lognormal"]);
    refused("{ SMA = { normal = [0, 1] } }", &["a path with a dot stands in quotes: \"Sat.SMA.SMA\" = ..."]);
    refused(
        "{ normal = [0, 1], uniform = [0, 1] }",
        &["c.toml:1:24: `Sat.SMA` has two distributions, `normal` and `uniform`", "allowed: exactly one of normal, "],
    );
    refused("{ }", &["c.toml:1:5: `Sat.SMA` has no distribution", "{ normal = [mean, sigma] }"]);
    refused("{ scale = 2 }", &["`Sat.SMA` has no distribution"]);
    refused("7000", &["the distribution of `Sat.SMA` cannot be the number `7000`", "write: { constant = 7000 }"]);
    refused("[1, 2]", &["the distribution of `Sat.SMA` cannot be a list", "write: \"Sat.SMA\" = { normal ="]);
    refused("\"normal\"", &["cannot be the text `\"normal\"`"]);
}

#[test]
fn numbers_in_the_right_count() {
    for (text, expected) in [
        ("{ normal = [1] }", "a list of length 1\0allowed: numbers, [mean, sigma]"),
        ("{ normal = [1, 2, 3] }", "`Sat.SMA.normal` is a list of length 3"),
        ("{ uniform = [] }", "a list of length 0\0allowed: numbers, [low, high]"),
        ("{ lognormal = [1] }", "allowed: numbers, [mu, sigma]"),
        ("{ truncated_normal = [1, 2] }", "allowed: numbers, [mean, sigma, low, high]"),
        ("{ triangular = [1, 2] }", "allowed: numbers, [low, mode, high]"),
        ("{ beta = [1, 2] }", "allowed: numbers, [alpha, beta, low, high]"),
        ("{ exponential = [] }", "allowed: numbers, [mean] or [mean, from]"),
        ("{ exponential = [1, 2, 3] }", "a list of length 3"),
        ("{ weibull = [1] }", "allowed: numbers, [shape, scale] or [shape, scale, from]"),
        ("{ normal = 5 }", "`Sat.SMA.normal` cannot be the number `5`\0allowed: numbers, [mean, sigma]"),
        ("{ normal = [1, \"a\"] }", "c.toml:1:20: `Sat.SMA.normal` cannot be the text `\"a\"`"),
        ("{ normal = [1, inf] }", "c.toml:1:20: the number `inf` is not finite"),
        ("{ uniform = [nan, 1] }", "the number `nan` is not finite"),
        ("{ constant = [1] }", "`Sat.SMA.constant` cannot be a list\0allowed: a number"),
        ("{ constant = 1e999 }", "the number `1e999` is too large"),
    ] {
        refused(text, &expected.split('\0').collect::<Vec<_>>());
    }
}

#[test]
fn numbers_that_make_sense() {
    for (text, expected) in [
        (
            "{ normal = [1, -2] }",
            "c.toml:1:20: `Sat.SMA.normal sigma` cannot be the number `-2`\0allowed: a number above 0",
        ),
        ("{ normal = [1, 0] }", "the number `0`\0allowed: a number above 0, or constant = x"),
        ("{ lognormal = [1, 0.0] }", "`Sat.SMA.lognormal sigma` cannot be the number `0.0`"),
        ("{ truncated_normal = [0, -1, 0, 1] }", "`Sat.SMA.truncated_normal sigma` cannot be"),
        ("{ truncated_normal = [0, 1, 1, 0] }", "`Sat.SMA.truncated_normal`: high = 0 is not above low = 1"),
        ("{ uniform = [1, 1] }", "c.toml:1:17: `Sat.SMA.uniform`: high = 1 is not above low = 1\0or constant = x"),
        ("{ uniform = [-1e308, 1e308] }", "the distance from -1e308 to 1e308 is too large"),
        ("{ triangular = [1, 1, 0] }", "high = 0 is not above low = 1"),
        (
            "{ triangular = [0, 2, 1] }",
            "`Sat.SMA.triangular mode` cannot be the number `2`\0a number from low = 0 to high = 1",
        ),
        ("{ triangular = [0, -1, 1] }", "mode` cannot be the number `-1`"),
        ("{ beta = [0, 1, 0, 1] }", "`Sat.SMA.beta alpha` cannot be the number `0`\0a number from 1e-3 to 1e6"),
        ("{ beta = [1, 2e6, 0, 1] }", "`Sat.SMA.beta beta` cannot be the number `2e6`"),
        ("{ beta = [1, 1, 1, 0] }", "high = 0 is not above low = 1"),
        ("{ exponential = [0] }", "`Sat.SMA.exponential mean` cannot be the number `0`"),
        ("{ exponential = [-1, 5] }", "mean` cannot be the number `-1`\0allowed: a number above 0"),
        ("{ weibull = [-1, 1] }", "`Sat.SMA.weibull shape` cannot be the number `-1`\0a number from 1e-3 to 1e6"),
        ("{ weibull = [1, 0] }", "`Sat.SMA.weibull scale` cannot be the number `0`"),
        ("{ weibull = [0.001, 1] }", "`Sat.SMA.weibull` gives draws that are too large for a double"),
        ("{ lognormal = [0, 800] }", "`Sat.SMA.lognormal` gives draws that are too large for a double"),
        ("{ normal = [0, 1e308] }", "`Sat.SMA.normal` gives draws that are too large for a double"),
    ] {
        refused(text, &expected.split('\0').collect::<Vec<_>>());
    }
}

#[test]
fn choices_and_their_weights() {
    for (text, expected) in [
        ("{ choice = [] }", "`Sat.SMA.choice` is an empty list\0allowed: at least one number"),
        ("{ choice = 5 }", "`Sat.SMA.choice` cannot be the number `5`"),
        ("{ choice = [1, \"a\"] }", "cannot be the text `\"a\"`"),
        ("{ choice = [1, nan] }", "is not finite"),
        ("{ choice = [1, 2], weights = [1] }", "c.toml:1:34: `Sat.SMA.weights` has 1 numbers, the choice has 2"),
        ("{ choice = [1, 2], weights = [1, -1] }", "`Sat.SMA.weights` has the weight -1\0weights of at least 0"),
        ("{ choice = [1, 2], weights = [0, 0] }", "`Sat.SMA.weights` must have a sum above 0\0not all 0"),
        ("{ choice = [1, 2], weights = [1e308, 1e308] }", "a sum above 0 that is finite"),
        ("{ choice = [1, 2], weights = 5 }", "`Sat.SMA.weights` cannot be the number `5`"),
        ("{ normal = [0, 1], weights = [1, 1] }", "c.toml:1:24: `Sat.SMA` has weights and no choice"),
        ("{ weights = [1, 1] }", "`Sat.SMA` has no distribution"),
        ("{ choice = [1], wieghts = [1] }", "did you mean `weights`?"),
    ] {
        refused(text, &expected.split('\0').collect::<Vec<_>>());
    }
    let (read, _) = attempt("{ choice = [5, 1, 3], weights = [1, 0, 3] }");
    let read = read.unwrap();
    let drawn = [f64::MIN_POSITIVE, 0.1, 0.75, 0.750_000_1, 0.999].map(|u| read.quantile(u));
    assert_eq!(drawn.map(f64::to_bits), [3.0_f64, 3.0, 3.0, 5.0, 5.0].map(f64::to_bits));
}

//! What is built in: each crate has a licence of `deny.toml` and comes from crates.io, and `Cargo.lock` has them all.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::fs;
use std::process::Command;

use serde_json::Value;

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// The licences that `deny.toml` allows.
fn allowed() -> Vec<String> {
    let rules: toml::Table = fs::read_to_string("deny.toml").unwrap().parse().unwrap();
    let list = rules["licenses"]["allow"].as_array().unwrap();
    list.iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// Whether an SPDX expression can be met with these licences: AND binds more than OR, a slash is an old OR.
fn is_met(expression: &str, allowed: &[String]) -> bool {
    let text = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = text.split_whitespace().collect();
    let mut at = 0;
    let met = any(&tokens, &mut at, allowed);
    assert_eq!(at, tokens.len(), "{expression}");
    met
}

fn any(tokens: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut met = all(tokens, at, allowed);
    while tokens.get(*at) == Some(&"OR") {
        *at += 1;
        met |= all(tokens, at, allowed);
    }
    met
}

fn all(tokens: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut met = one(tokens, at, allowed);
    while tokens.get(*at) == Some(&"AND") {
        *at += 1;
        met &= one(tokens, at, allowed);
    }
    met
}

fn one(tokens: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let word = tokens[*at];
    *at += 1;
    if word == "(" {
        let met = any(tokens, at, allowed);
        assert_eq!(tokens[*at], ")");
        *at += 1;
        return met;
    }
    let mut name = word.to_owned();
    if tokens.get(*at) == Some(&"WITH") {
        name = format!("{name} WITH {}", tokens[*at + 1]);
        *at += 2;
    }
    allowed.contains(&name)
}

#[test]
fn every_crate_has_an_allowed_licence_and_source() {
    // crates for other systems are not downloaded where this runs
    let about = Command::new("rustc").arg("-vV").output().unwrap();
    let about = String::from_utf8(about.stdout).unwrap();
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--locked", "--offline", "--format-version", "1", "--filter-platform", host]);
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (allowed, mut wrong, mut seen) = (allowed(), Vec::new(), 0);
    for package in metadata["packages"].as_array().unwrap() {
        let name = format!("{} {}", package["name"], package["version"]);
        let Some(source) = package["source"].as_str() else {
            assert_eq!(package["name"], "sweep-mpi", "no other crate comes with the project");
            continue;
        };
        seen += 1;
        if source != CRATES_IO {
            wrong.push(format!("{name} comes from {source}"));
        }
        match package["license"].as_str() {
            Some(licence) if is_met(licence, &allowed) => {}
            licence => wrong.push(format!("{name} has the licence {licence:?}")),
        }
    }
    assert!(seen > 50 && wrong.is_empty(), "{seen} crates\n{}", wrong.join("\n"));
}

#[test]
fn val_licence_expressions() {
    let allowed = ["MIT", "Apache-2.0 WITH LLVM-exception", "ISC"].map(str::to_owned);
    for (expression, met) in [
        ("MIT", true),
        ("MIT/Apache-2.0", true),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0", false),
        ("MIT AND GPL-3.0", false),
        ("(MIT OR GPL-3.0) AND ISC", true),
        ("MIT OR GPL-3.0 AND ISC", true),
        ("(GPL-2.0 OR GPL-3.0) AND MIT", false),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("Apache-2.0", false),
    ] {
        assert_eq!(is_met(expression, &allowed), met, "{expression}");
    }
}

//! docs/reliability.md names tests that exist, and a test for every fault.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The functions under a folder.
fn functions(folder: &Path, into: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            functions(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(path).unwrap();
            for rest in text.split("fn ").skip(1) {
                into.insert(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
            }
        }
    }
}

#[test]
fn every_promise_has_a_test_that_exists() {
    let mut known = BTreeSet::new();
    functions(Path::new("src"), &mut known);
    functions(Path::new("tests"), &mut known);
    let text = fs::read_to_string("docs/reliability.md").unwrap();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with('|'))
        .skip(2)
        .map(|line| line.trim_matches('|').split('|').collect())
        .collect();
    assert!(rows.len() >= 16, "a row for every fault");
    for row in &rows {
        let [fault, _, tests] = row[..] else { panic!("{row:?}: three columns") };
        let names: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test for {fault}");
        for name in names {
            let exists = known.contains(name) || (name.contains('/') && Path::new(name).exists());
            assert!(exists, "`{name}` of {fault} is no test");
        }
    }
}

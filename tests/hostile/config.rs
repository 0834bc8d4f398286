//! Configs.

use std::fs;

use crate::mutator::Corpus;
use crate::readers;
use crate::trial::mutants;

const WORDS: &[&str] = &[
    "[mission]\n",
    "[workload]\n",
    "[design]\n",
    "[[stage]]\n",
    "[output]\n",
    "[schedule]\n",
    "[limits]\n",
    "[data]\n",
    "[checkpoint]\n",
    "kind = \"grid\"\n",
    "kind = \"table\"\n",
    "axes = {}\n",
    "\"Sat.SMA\" = ",
    "linspace = [7000, 8000, 9007199254740993]",
    "range = [0, 1e300, 1e-300]",
    "logspace = [-400, 400, 3]",
    "geomspace = [1, -1, 3]",
    "values = [nan, inf]",
    "values = []",
    "steps = -1\n",
    "wall_s = inf\n",
    "threads = 1e9\n",
    "file = \"\"\n",
    "file = \"~/$HOME/../../etc/passwd\"\n",
    "\"\\u0000\"",
    "\"\\u001b[31m\"",
    "1979-05-27T07:32:00Z",
    "0x7fffffffffffffffffffffffff",
    "1_000",
    "'''",
    "\"\"\"",
    "true",
    "{",
    "}",
    "[",
    "]",
    "=",
    ",",
    ".",
    "#",
    "\"",
    "\\",
    "from = \"best\"\n",
    "set = {}\n",
    "argv = [\"sh\", \"-c\", \"{x}\"]\n",
    "outputs = { y = \"x^2\" }\n",
    "a.b.c.d = 1\n",
    "\r",
];

#[test]
fn prop_hostile_configs() {
    let mut paths: Vec<_> = ["configs", "configs/reference"]
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    paths.sort();
    let samples = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    let openings = &["[", "{", "[[", "{a=", "a.", "[a.", "\"", "["];
    mutants("config", &Corpus { samples, words: WORDS, openings }, 10_000, readers::config);
}

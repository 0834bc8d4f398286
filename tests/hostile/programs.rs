//! What programs leave: lines, CSV, JSON, and the journal of what they did.

use crate::mutator::Corpus;
use crate::readers;
use crate::trial::mutants;

const WORDS: &[&str] = &[
    "x = 1\n",
    "Sat.SMA = 7e3\n",
    "=",
    ",",
    "\"",
    "\"\"",
    "\n",
    "\r\n",
    "D+03",
    "{",
    "}",
    "[",
    "]",
    "null",
    "\\u0000",
    "\\ud800",
    ":",
    "/",
];

fn corpus(samples: &[&str], openings: &'static [&'static str]) -> Corpus {
    Corpus { samples: samples.iter().map(|sample| sample.as_bytes().to_vec()).collect(), words: WORDS, openings }
}

#[test]
fn prop_hostile_lines_of_a_program() {
    let corpus = corpus(&["hello\nx = 1\r\ny=-1.5D+03\nSat.SMA  =  2.5e-3  \n x = 4\n"], &["x = ", "x"]);
    mutants("lines", &corpus, 2000, readers::lines);
}

#[test]
fn prop_hostile_csv_files() {
    let file = readers::place("csv");
    let corpus = corpus(&["a,x\n1,2\n3,4\n", "\u{feff}x, \"b,c\"\r\n1,\"2.5\"\r\n"], &["\"", ",", "1,2\n"]);
    mutants("csv", &corpus, 2000, |bytes| readers::csv(&file, bytes));
    std::fs::remove_file(file).unwrap();
}

#[test]
fn prop_hostile_json_files() {
    let file = readers::place("json");
    let corpus = corpus(
        &["{\"a\": [1, {\"x\": 2.5}], \"b\": null}", "{\"b\": {}, \"a\": [{}, {\"y\": \"\\u00e9\", \"x\": -1e3}]}"],
        &["[", "{\"a\":", "[0,"],
    );
    mutants("json", &corpus, 2000, |bytes| readers::json(&file, bytes));
    std::fs::remove_file(file).unwrap();
}

#[test]
fn prop_hostile_journals() {
    let output = readers::place("jobs.h5");
    let corpus = corpus(
        &["{\"journal\":1,\"rank\":0,\"host\":\"h\",\"process\":7,\"time\":1.0}\n\
           {\"run\":1,\"state\":\"running\",\"time\":2.0,\"attempt\":1,\"created\":1.5,\"step\":\"program\",\"pid\":77,\"argv\":[\"a\"]}\n\
           {\"run\":1,\"state\":\"failed\",\"time\":2.0,\"attempt\":1,\"exit_code\":1,\"signal\":null,\"cpu_s\":0.5,\"peak_kb\":9,\"failure\":\"x\"}\n"],
        &["{", "["],
    );
    mutants("jobs", &corpus, 2000, |bytes| readers::jobs(&output, bytes));
    std::fs::remove_file(sweep_mpi::workload::command::journal::path(&output, 0)).unwrap();
}

//! Result files. HDF5 is a C library: the mutants are read in a process of their own, which the test starts.

use std::path::Path;
use std::process::Command;

use sweep_mpi::store::create_skeleton;

use crate::mutator::{Corpus, Random};
use crate::readers;
use crate::trial::{Trial, mutants};

#[path = "../sample/mod.rs"]
mod sample;

const CHILD: &str = "SWEEP_TEST_HOSTILE_RESULTS";

/// Two result files with numbers in them, and one as it is before the first run.
fn samples() -> Vec<Vec<u8>> {
    let path = readers::place("sample.h5");
    let make = |runs| {
        create_skeleton(&path, &sample::layout(runs)).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        bytes
    };
    vec![make(3), make(10), make(200)]
}

#[test]
fn prop_hostile_result_files() {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "results::in_a_process_of_its_own", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success(), "{:?}; the input is in /dev/shm or the temporary folder\n{text}", child.status);
}

#[test]
fn in_a_process_of_its_own() {
    if std::env::var(CHILD).is_err() {
        return;
    }
    let file = readers::place("result.h5");
    let corpus = Corpus {
        samples: samples(),
        words: &["TREE", "HEAP", "SNOD", "OHDR", "FRHP", "BTHD", "\u{89}HDF\r\n\u{1a}\n"],
        openings: &["\0"],
    };
    mutants("result", &corpus, 1000, |bytes| readers::result(&file, bytes));
    // edits of a byte or a word alone get past the first look
    let trial = Trial::new("result");
    let mut opened = 0;
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let mut bytes = random.of(&corpus.samples).clone();
        for _ in 0..=random.below(3) {
            let at = random.below(if seed % 2 == 0 { bytes.len() } else { bytes.len().min(16_000) });
            bytes[at] = *random.of(&[0, 1, 255, 127, 128, bytes[at] ^ 1, bytes[at] ^ 128, bytes[at].wrapping_add(1)]);
        }
        opened += u32::from(
            trial.one(&bytes, || format!("byte edits, seed {seed}"), &|bytes| readers::result(&file, bytes)).is_ok(),
        );
    }
    assert!(opened > 200, "most bytes are numbers: {opened}");
    promised_runs(&trial, &file);
    let _ = std::fs::remove_file(file);
}

/// A file of some kilobytes promises as many runs as there can be: chunks that were never written cost nothing.
fn promised_runs(trial: &Trial, path: &Path) {
    let runs = 1_usize << 50;
    std::fs::write(path, &samples()[0]).unwrap();
    let file = hdf5::File::open_rw(path).unwrap();
    for name in ["run", "status", "error_code", "row_crc32"] {
        file.unlink(name).unwrap();
    }
    file.new_dataset::<i64>().shape(runs).chunk(1 << 20).create("run").unwrap();
    file.new_dataset::<i8>().shape(runs).chunk(1 << 20).create("status").unwrap();
    file.new_dataset::<i16>().shape(runs).chunk(1 << 20).create("error_code").unwrap();
    file.new_dataset::<u32>().shape(runs).chunk(1 << 20).create("row_crc32").unwrap();
    for name in file.member_names().unwrap() {
        if file.dataset(&name).is_ok_and(|set| set.shape().first() == Some(&3)) {
            file.unlink(&name).unwrap();
        }
    }
    file.close().unwrap();
    let bytes = std::fs::read(path).unwrap();
    assert!(bytes.len() < 1 << 20, "{}", bytes.len());
    let told = trial.one(&bytes, || "promised runs".to_owned(), &|bytes| readers::result(path, bytes)).unwrap_err();
    assert!(told.contains("more than") && told.contains("bytes can hold"), "{told}");
}

//! Values and run numbers of the command line.

use crate::mutator::Corpus;
use crate::readers;
use crate::trial::mutants;

#[test]
fn prop_hostile_arguments() {
    let samples: [&[u8]; 4] =
        [b"Sat.SMA=7000\nSat.Epoch='01 Jan 2026 00:00:00.000'", b"0,10-12, 5-7", b"x=1e10", b"9007199254740991"];
    let samples = samples.map(<[u8]>::to_vec).to_vec();
    let words = &["=", "-", ",", "'", "\"", "\n", "..", "0-18446744073709551615", "nan", "Sat."];
    mutants("arguments", &Corpus { samples, words, openings: &["'", "=", ",", "-"] }, 2000, readers::arguments);
}

//! Gravity fields, `.cof` and `.gfc`.

use std::fs;

use crate::mutator::Corpus;
use crate::readers;
use crate::trial::mutants;

#[test]
fn prop_hostile_cof_files() {
    let small = fs::read("tests/reference/gmat/Mars50c_8.cof").unwrap();
    let luna = fs::read("tests/reference/gmat/LP165P_8.cof").unwrap();
    let large = fs::read("data/gravity/JGM2.cof").unwrap();
    let words = &[
        "POTFIELD",
        "RECOEF",
        "END",
        "99999",
        "C",
        "POTFIELD999999  1",
        "RECOEF  360360",
        "RECOEF    0  0",
        "D+",
        "\n",
        " ",
        "COMMENT",
    ];
    let corpus = Corpus { samples: vec![small, luna, large], words, openings: &["9", "RECOEF    2  0  1\n"] };
    mutants("cof", &corpus, 2000, |bytes| readers::gravity("a.cof", bytes));
}

#[test]
fn prop_hostile_gfc_files() {
    let small = b"product_type gravity_field\nmodelname  some\nearth_gravity_constant 0.4000000000000D+15\nradius 6400000.0\n\
        max_degree 3\nerrors no\nnorm fully_normalized\ntide_system zero_tide\nkey L M C S\nend_of_head =====\ngfc 0 0 1.0 0.0\n\
        gfct 2 0 -4.8416539D-04 0.0 19500101\ntrnd 2 0 1e-11 0\ngfc 2 1 -1.8698764e-10 1.1952801e-9\ngfc 3 2 9.046277686059e-07 \
        -6.19025944205e-07 1e-11 1e-11\n";
    let other = b"modelname x\ngravity_constant 1e14\nradius 1e6\nmax_degree 200\nnorm unnormalized\nend_of_head\ngfc 20 19 1e-30 1e-30\n";
    let words = &[
        "max_degree 360\n",
        "max_degree 99999999999\n",
        "end_of_head\n",
        "gfc 2 0 1 0\n",
        "norm unnormalized\n",
        "gfct",
        "radius",
        "D",
    ];
    let corpus = Corpus { samples: vec![small.to_vec(), other.to_vec()], words, openings: &["9", "gfc 2 2 1 1\n"] };
    mutants("gfc", &corpus, 2000, |bytes| readers::gravity("a.gfc", bytes));
}

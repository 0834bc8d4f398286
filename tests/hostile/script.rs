//! Mission scripts.

use std::fs;

use crate::mutator::Corpus;
use crate::readers;
use crate::trial::mutants;

const WORDS: &[&str] = &[
    "Create Spacecraft Sat;\n",
    "Create Variable x y z;\n",
    "Create Array A[3,3];\n",
    "Create Array A[1000000,1000000];\n",
    "Create String s;\n",
    "BeginMissionSequence;\n",
    "GMAT ",
    "Propagate Prop(Sat) {Sat.ElapsedSecs = 1e300};\n",
    "Propagate Prop(Sat);\n",
    "If x < 1\n",
    "Else\n",
    "EndIf;\n",
    "While x < 10\n",
    "EndWhile;\n",
    "For x = 1:1e300:2\n",
    "For x = 1:3\n",
    "EndFor;\n",
    "Target DC\n",
    "EndTarget;\n",
    "Report RF x y Sat.SMA;\n",
    "#Include 'self.script'\n",
    "#Include 'part.script'\n",
    "Stop;\n",
    "Toggle RF On;\n",
    "Maneuver B(Sat);\n",
    "BeginFiniteBurn F(Sat);\n",
    "Achieve DC(Sat.SMA = 1);\n",
    "Vary DC(x = 1, {Perturbation = 0});\n",
    "x = ((((1))));\n",
    "x = A(1,1);\n",
    "A = A * A';\n",
    "s = 'text';\n",
    "Sat2 = Sat;\n",
    "Sat.SMA = 0;\n",
    "Sat.ECC = 1;\n",
    "Sat.DateFormat = UTCGregorian;\n",
    "Sat.Epoch = '29 Feb 2100 23:59:60.999';\n",
    "Prop.MinStep = 0;\n",
    "Prop.Accuracy = 1e-30;\n",
    "Prop.MaxStep = 0;\n",
    "FM.GravityField.Earth.PotentialFile = 'JGM2.cof';\n",
    "FM.GravityField.Earth.Degree = 999999999;\n",
    "'",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "...\n",
    "%",
    "^",
    "==",
    "~=",
    "BackProp ",
    "Synchronized ",
    "é",
    "\u{202e}",
    "Earth",
    "Luna",
    "MJ2000Eq",
    "rand()",
    "inv(A)",
    "mod(1,0)",
    "acos(2)",
    ";",
    ",",
    ".",
    "-",
    "=",
];

#[test]
fn prop_hostile_scripts() {
    let mut paths: Vec<_> = fs::read_dir("tests/reference/gmat").unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.extend(fs::read_dir("configs/missions").unwrap().map(|entry| entry.unwrap().path()));
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "script"));
    paths.sort();
    let samples = paths.iter().map(|path| fs::read(path).unwrap());
    // those that need no files of their own
    let samples: Vec<_> = samples.filter(|bytes| readers::script(bytes).is_ok()).collect();
    assert!(samples.len() > 100, "{}", samples.len());
    let openings = &[
        "(",
        "[",
        "{",
        "f(",
        "-",
        "~(",
        "If x<1\n",
        "While x<1\n",
        "For x=1:2\n",
        "Target DC\n",
        "A(",
        "1+(",
        "'",
        "...\n",
    ];
    mutants("script", &Corpus { samples, words: WORDS, openings }, 10_000, readers::script);
}

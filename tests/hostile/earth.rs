//! Earth orientation parameters and space weather.

use std::fs;

use crate::mutator::Corpus;
use crate::readers;
use crate::trial::mutants;

const C04: &str = "      Date      MJD      x          y        UT1-UTC       LOD         dPsi      dEps\n     (0h UTC)\n\n\
2016  12  31  57753   0.081440   0.263099  -0.4077697   0.0008920  -0.098958  -0.011\n\
2017   1   1  57754   0.080549   0.263128   0.5912870   0.0009962  -0.098775  -0.011\n";
const HOURS: &str = "# YR  MM  DD  HH       MJD        x(\")        y(\")  UT1-UTC(s)       dX(\")      dY(\")       xrt(\")      yrt(\")      LOD(s)\n\
2016  12  31   0  57753.00    0.081440    0.263099  -0.4077697    0.000101   -0.000052   -0.000825   -0.000026   0.0008920\n\
2017   1   1   0  57754.00    0.080549    0.263128   0.5912870    0.000106   -0.000050   -0.000938    0.000105   0.0009962\n";

/// Lines of finals2000A by its columns.
fn finals() -> String {
    let day = |day: &str, x: f64, ut1: f64, lod: &str| {
        format!(
            "{:7}{day:>8} I {x:9.6} 0.000052 {:9.6} 0.000039  I{ut1:10.7} 0.0000078 {lod:>7}{:106}\n",
            "161231", 0.263_094, ""
        )
    };
    [
        day("57753.00", 0.0814, -0.407_760_1, "0.8842"),
        day("57754.00", 0.080_5, 0.591_282_1, ""),
        day("57755.00", 0.08, 0.59, "1.03"),
    ]
    .concat()
}

#[test]
fn prop_hostile_earth_orientation() {
    let samples = vec![C04.as_bytes().to_vec(), HOURS.as_bytes().to_vec(), finals().into_bytes()];
    let words = &["2016  12  31  57753", "NaN", "57753.5", "#", " I ", "\n", "<html>", "é"];
    mutants("eop", &Corpus { samples, words, openings: &["2", "9"] }, 2000, readers::earth_orientation);
}

#[test]
fn prop_hostile_space_weather() {
    let sample = fs::read("tests/reference/density/space_weather.txt").unwrap();
    let words = &[
        "BEGIN OBSERVED\n",
        "END OBSERVED\n",
        "BEGIN DAILY_PREDICTED\n",
        "END DAILY_PREDICTED\n",
        "END MONTHLY_FIT\n",
        "9999",
        "-1",
        "\u{e9}",
    ];
    mutants("weather", &Corpus { samples: vec![sample], words, openings: &["9", " "] }, 2000, readers::space_weather);
}

//! Data files that a script or a config names: read by the first rank, the same on all others.
#![allow(clippy::unwrap_used)] // helpers of tests

mod case;
mod launch;

use std::fs;

use case::Case;

const FORCES: &str =
    "FM.GravityField.Earth.Degree = 12;\nFM.GravityField.Earth.Order = 12;\nFM.GravityField.Earth.PotentialFile = ";

/// Five low orbits under drag and a field of its own.
fn case(potential: &str, more: &str) -> Case {
    let case = Case::sma(5);
    case.script(
        "FM.GravityField.Earth.Degree = 0;\nFM.GravityField.Earth.Order = 0;",
        &format!("{FORCES}'{potential}';"),
    );
    case.script("FM.SRP = Off;", more);
    case.script("Sat.SMA = 7000;", "Sat.SMA = 6800;");
    case
}

#[test]
fn mpi_a_field_of_ones_own_is_the_same_field() {
    let own = case("fields/own.cof", "");
    fs::create_dir(own.path("fields")).unwrap();
    fs::copy("data/gravity/JGM3.cof", own.path("fields/own.cof")).unwrap();
    let known = case("JGM3", "");
    known.flies(1, &["config.toml", "-q"]);
    for ranks in [1, 2, 3] {
        own.flies(ranks, &["config.toml", "-q", "--overwrite"]);
        for name in ["X", "Y", "Z"].map(|name| format!("Sat_EarthMJ2000Eq_{name}")) {
            let bits = |case: &Case| case.column(&name).iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&own), bits(&known), "{name} on {ranks} ranks");
        }
    }
    // a degree that the file has not, a file that is none, and one that is not there
    fs::write(own.path("fields/own.cof"), "POTFIELD 2 2 3 398600.4415e9 6378136.3 1\nnonsense\n").unwrap();
    own.refused(2, &["config.toml"], &["leo.script:21:39:", "the potential file `fields/own.cof`:"]);
    fs::remove_file(own.path("fields/own.cof")).unwrap();
    own.refused(
        3,
        &["config.toml"],
        &["leo.script:21:39: the potential file `fields/own.cof` cannot be read: No such file or directory"],
    );
}

#[test]
fn mpi_the_weather_of_a_file() {
    let drag = "FM.Drag.AtmosphereModel = JacchiaRoberts;\nFM.Drag.HistoricWeatherSource = 'CSSISpaceWeatherFile';\n\
                FM.Drag.CSSISpaceWeatherFile = 'weather.txt';";
    let case = case("JGM2.cof", "");
    case.script("FM.Drag.AtmosphereModel = None;", drag);
    case.script("01 Jan 2026 00:00:00.000", "20 Jan 2004 00:00:00.000");
    case.refused(
        2,
        &["config.toml"],
        &["leo.script:24:32: the weather file `weather.txt` cannot be read: No such file"],
    );
    fs::write(case.path("weather.txt"), "no weather\n").unwrap();
    case.refused(1, &["config.toml"], &["leo.script:24:32: the weather file `weather.txt`:"]);
    case.script("FM.Drag.CSSISpaceWeatherFile = 'weather.txt';", "");
    case.refused(1, &["config.toml"], &["`FM` takes its weather from a file, and names none"]);
}

#[test]
fn cli_data_of_a_config() {
    let case = Case::sma(2);
    let config = fs::read_to_string(case.path("config.toml")).unwrap();
    for (data, expected) in [
        ("ephemeris = \"no.bsp\"", "config.toml:9:13: the file no.bsp cannot be read: No such file"),
        ("ephemeris = \"leo.script\"", "config.toml:9:13: leo.script: "),
        ("earth_orientation = \"leo.script\"", "config.toml:9:21: leo.script: "),
        ("ephemeris = 5", "`data.ephemeris` cannot be the number `5`"),
        ("ephemeriss = \"a\"", "did you mean `ephemeris`?"),
    ] {
        case.config(&format!("{}\n[data]\n{data}\n", config.trim_end()));
        case.refused(1, &["config.toml"], &[expected]);
    }
}

//! Tests of the parameters: against GMAT, and laws.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::astro::elements::{Keplerian, dot};
use crate::astro::epoch::Scale;
use crate::astro::representations::state_of;

type Row<'a> = HashMap<&'a str, f64>;

fn view(row: &Row, get: impl Fn(&str) -> f64, state: Cartesian, sun: [f64; 3], elapsed: f64) -> View {
    let epoch = Epoch::from_mjd(Scale::A1, row["A1ModJulian"]).unwrap();
    View {
        epoch,
        elapsed,
        state,
        centre: Centre::EARTH,
        fixed: ["EarthFixed.X", "EarthFixed.Y", "EarthFixed.Z"].map(&get),
        sun,
        hour_angle: get("MHA").to_radians(),
        dry_mass: 850.0,
        total_mass: 850.0,
    }
}

fn apart(value: f64, expected: f64, units: &str) -> f64 {
    let difference = (value - expected).abs();
    if units == "degree" { difference.min((360.0 - difference).abs()) } else { difference }
}

/// Every row of the oracles gives a state of its own: its parameters, against GMAT.
#[test]
fn val_orbits_of_gmat() {
    macro_rules! case {
        ($name:literal) => {
            (
                include_str!(concat!("../../../tests/reference/gmat/parameters_", $name, ".script")),
                include_str!(concat!("../../../tests/reference/gmat/parameters_", $name, ".txt")),
            )
        };
    }
    let numbers = |line: &str| -> Vec<f64> { line.split_whitespace().map(|x| x.parse().unwrap()).collect() };
    let suns: Vec<Vec<f64>> =
        include_str!("../../../tests/reference/gmat/parameters_sun.txt").lines().map(numbers).collect();
    for (script, report) in [case!("leo"), case!("heo"), case!("geo")] {
        let names: Vec<&str> = script
            .lines()
            .find_map(|l| l.strip_prefix("Report RF "))
            .unwrap()
            .trim_end_matches(';')
            .split(' ')
            .map(|name| {
                name.trim_start_matches("Sat.").trim_start_matches("Earth.").trim_start_matches("EarthMJ2000Eq.")
            })
            .collect();
        let mut worst = 0.0_f64;
        for (i, line) in report.lines().enumerate() {
            let row: Row = names.iter().copied().zip(numbers(line)).collect();
            let k = Keplerian {
                sma: row["SMA"],
                ecc: row["ECC"],
                inc: row["INC"].to_radians(),
                raan: row["RAAN"].to_radians(),
                aop: row["AOP"].to_radians(),
                ta: row["TA"].to_radians(),
            };
            // latitude of the argument is better known from the declination than from acos near 0 and 180
            let state = k.to_cartesian(Centre::EARTH.mu).unwrap();
            let sun = [suns[i][1], suns[i][2], suns[i][3]];
            let elapsed = row["ElapsedSecs"];
            let view = view(&row, |name| row[name], state, sun, elapsed);
            let mut compared = 0;
            for (name, &expected) in &row {
                let Some(parameter) = find(name) else { continue };
                let value = (parameter.value)(&view);
                // acos loses half the digits near 0 and 180 degrees, so GMAT's angles, and the state made of
                // them here, are good to 1e-6 there; places and hours come from GMAT's own columns and are
                // good to their 16 digits; dates carry the grain of a double of days
                let tolerance = match parameter.units {
                    _ if ["Altitude", "Latitude", "Longitude", "LST", "MHA"].contains(name) => {
                        2e-11 * (1.0 + expected.abs())
                    }
                    "degree" => 2e-6,
                    "s" => 1e-6,
                    "km" => 1e-11 * row["RadApo"],
                    "km^2/s" => 2e-8 * row["HMAG"],
                    "1" if name.starts_with("Equin") => 3e-8,
                    _ => 1e-11 * (1.0 + expected.abs()),
                };
                let difference = apart(value, expected, parameter.units);
                if ["Altitude", "Latitude", "Longitude", "LST"].contains(name) {
                    worst = worst.max(difference / (1.0 + expected.abs()));
                }
                assert!(difference <= tolerance, "{name}: {value} {expected}");
                compared += 1;
            }
            assert!(compared > 45, "only {compared} parameters were compared");
        }
        println!("worst of the places, relative: {worst:e}");
    }
}

/// Hyperbolas, circles, equators, retrograde orbits: GMAT's Cartesian state and its parameters.
#[test]
fn val_shapes_of_gmat() {
    let mut compared = 0;
    let mut worst: HashMap<&str, f64> = HashMap::new();
    for line in include_str!("../../../tests/reference/gmat/shapes.txt").lines().filter(|l| !l.starts_with('#')) {
        let (shape, rest) = line.split_once(' ').unwrap();
        let row: Row = rest
            .split(' ')
            .map(|pair| {
                let (name, value) = pair.split_once('=').unwrap();
                (name, value.parse().unwrap())
            })
            .collect();
        let get = |name: &str| row[name];
        let state = state_of(&["X", "Y", "Z", "VX", "VY", "VZ"].map(get));
        let fixed = state_of(
            &["EarthFixed.X", "EarthFixed.Y", "EarthFixed.Z", "EarthFixed.VX", "EarthFixed.VY", "EarthFixed.VZ"]
                .map(get),
        );
        let sun = ["Sun.EarthMJ2000Eq.X", "Sun.EarthMJ2000Eq.Y", "Sun.EarthMJ2000Eq.Z"].map(get);
        let inertial = view(&row, get, state, sun, 0.0);
        let body_fixed = View { state: fixed, ..inertial };
        for (name, &expected) in &row {
            let bare = name.trim_start_matches("EarthFixed.");
            let Some(parameter) = find(bare) else { continue };
            if shape == "tiny" && ["Delaunayg", "Delaunayh"].contains(&bare) {
                continue; // i = 1e-10 rad is equatorial to GMAT's acos, not to its inverse here
            }
            let is_fixed = bare.len() < name.len();
            let value = (parameter.value)(if is_fixed { &body_fixed } else { &inertial });
            if expected.is_nan() {
                assert!(value.is_nan(), "{shape} {name}: {value}");
                continue;
            }
            let sine = |degrees: f64| degrees.to_radians().sin().abs().max(1e-8);
            let tolerance = match parameter.units {
                // GMAT's acos: an error of 2e-16 in the cosine is 2e-16 / sin(angle) rad; MA, EA and the rest
                // inherit it; the floor is the vector e, which is good to 1e-16 / e
                "degree" => {
                    let acos = [
                        "INC",
                        "RAAN",
                        "RADN",
                        "AOP",
                        "TA",
                        "MA",
                        "EA",
                        "HA",
                        "FPA",
                        "Delaunayl",
                        "Delaunayg",
                        "Delaunayh",
                    ];
                    let angle = if ["MA", "EA", "HA", "Delaunayl"].contains(name) {
                        row["TA"]
                    } else if *name == "Delaunayg" {
                        row["AOP"]
                    } else if *name == "Delaunayh" {
                        row["RAAN"]
                    } else {
                        expected
                    };
                    let noise = if acos.contains(name) { 3e-14 / sine(angle) } else { 0.0 };
                    let axes =
                        if name.ends_with("LONG") { 1e-14 / (1.0 + row["HZ"] / row["HMAG"]).max(1e-5) } else { 0.0 };
                    3e-13 + 2e-14 / row["ECC"].max(1e-8) + noise + axes
                }
                // 1 + cos i stands below the line in the equinoctial axes
                "1" => (4e-16 + 3e-15 * expected.abs()) / (1.0 + row["HZ"] / row["HMAG"]).clamp(1e-5, 1.0),
                "km^2/s" => 1e-15 * row["HMAG"] + 3e-14 * expected.abs(),
                "km" => 1e-15 * row["RMAG"] + 3e-13 * expected.abs(),
                _ => 1e-14 + 3e-13 * expected.abs(),
            };
            let difference = apart(value, expected, parameter.units);
            let relative = difference / (expected.abs().max(1.0));
            let entry = worst.entry(parameter.name).or_default();
            *entry = entry.max(relative);
            assert!(difference <= tolerance, "{shape} {name}: {value} {expected} {difference:e} {tolerance:e}");
            compared += 1;
        }
    }
    let mut worst: Vec<_> = worst.into_iter().collect();
    worst.sort_by(|a, b| b.1.total_cmp(&a.1));
    println!("{:?}", &worst[..12]);
    assert!(compared > 900, "{compared}");
}

/// UT1 - UTC on 15 and 16 Mar 2004 is -0.4224621 and -0.4224569 s in the IERS table; GMAT's MHA then was:
#[test]
fn val_hour_angle_of_gmat() {
    let report = include_str!("../../../tests/reference/gmat/shapes.txt");
    let number = |name: &str| -> f64 {
        let start = report.find(&format!(" {name}=")).unwrap() + name.len() + 2;
        report[start..].split([' ', '\n']).next().unwrap().parse().unwrap()
    };
    let into_day = 0.5 + number("UTCModJulian") - 23_079.5;
    let ut1_less_utc = -0.422_462_1 + (0.422_462_1 - 0.422_456_9) * (into_day - 0.5);
    let ut1 = number("UTCModJulian") + ut1_less_utc / 86_400.0;
    let angle = earth_hour_angle(ut1).to_degrees();
    // one step of GMAT's double of Julian days, 4.7e-10 d, is 1.7e-7 degrees: the same step must be hit
    assert!((angle - number("MHA")).abs() < 1e-9, "{angle} {}", number("MHA"));
}

proptest! {
    #[test]
    fn prop_never_nan_of_a_state(
        sma in prop::sample::select(vec![7000.0, 42_164.0, -9000.0]), ecc in prop::sample::select(vec![0.0, 1e-16, 1e-12, 1e-8, 0.3, 0.9]),
        inc in prop::sample::select(vec![0.0, 1e-12, 1e-8, 1.0, std::f64::consts::FRAC_PI_2, std::f64::consts::PI]),
        angles in prop::array::uniform3(0.0..6.3_f64)) {
        let ecc = if sma < 0.0 { ecc + 1.2 } else { ecc };
        let elements = Keplerian { sma, ecc, inc, raan: angles[0], aop: angles[1], ta: angles[2] };
        let Ok(state) = elements.to_cartesian(Centre::EARTH.mu) else { return Ok(()) };
        let view = View {
            epoch: Epoch::from_mjd(Scale::Tai, 21_545.0).unwrap(), elapsed: 0.0, state, centre: Centre::EARTH,
            fixed: state.r, sun: [1.5e8, 1e3, 0.0], hour_angle: 1.0, dry_mass: 1.0, total_mass: 2.0,
        };
        for parameter in REGISTRY.iter() {
            let name = parameter.name;
            let undefined = ecc > 1.0 && (name.starts_with("Equin") || name == "MLONG" || name.starts_with("Alt") || name.starts_with("Del"))
                || inc > 3.0 && (name.contains("quin") || name.ends_with("LONG"))
                || ecc < 1.0 && ["BdotT", "BdotR", "BVectorMag", "BVectorAngle", "DLA", "RLA"].contains(&name)
                || ecc < 2e-7 && (name.starts_with("Incoming") || name.starts_with("Outgoing"));
            let value = (parameter.value)(&view);
            prop_assert!(value.is_finite() || undefined, "{name} {value} {elements:?}");
        }
    }

    #[test]
    fn prop_angles_are_in_their_range(elements in prop::array::uniform6(0.0..1.0_f64)) {
        let [a, e, i, raan, aop, ta] = elements;
        let elements = Keplerian { sma: 7000.0 + 1e5 * a, ecc: 0.99 * e, inc: 3.1 * i, raan: 6.2 * raan, aop: 6.2 * aop, ta: 6.2 * ta };
        let state = elements.to_cartesian(Centre::EARTH.mu).unwrap();
        let view = View {
            epoch: Epoch::from_mjd(Scale::Tai, 21_545.0).unwrap(), elapsed: 0.0, state, centre: Centre::EARTH,
            fixed: state.r, sun: [1.5e8, 1e3, 0.0], hour_angle: 6.0 * raan, dry_mass: 1.0, total_mass: 2.0,
        };
        for parameter in REGISTRY.iter() {
            if let Some((low, high)) = parameter.cycle.range() {
                let value = (parameter.value)(&view);
                let low = if parameter.name == "Latitude" || parameter.name.ends_with("DHA") { -90.0 } else { low };
                prop_assert!((low..=high).contains(&value), "{} {value}", parameter.name);
            }
        }
        // two ways to the same number
        let value = |name: &str| (find(name).unwrap().value)(&view);
        prop_assert!((value("RadApo") + value("RadPer") - 2.0 * value("SMA")).abs() < 1e-10 * value("SMA"));
        prop_assert!((value("VelApoapsis") * value("RadApo") - value("HMAG")).abs() < 1e-7 * value("HMAG"));
        prop_assert!((value("SemilatusRectum") - value("SMA") * (1.0 - value("ECC").powi(2))).abs() < 1e-9 * value("SMA"));
        prop_assert!((value("RMAG") * value("FPA").to_radians().cos() * value("VMAG") - dot(state.r, state.v)).abs() < 1e-8);
    }

    #[test]
    fn prop_altitude_is_continuous_at_the_poles(height in 100.0..40_000.0_f64, away in 1e-4..20.0_f64) {
        // just outside and just inside of where the formula changes
        let at = |rho: f64| {
            let view = View {
                epoch: Epoch::from_mjd(Scale::Tai, 21_545.0).unwrap(), elapsed: 0.0, state: state_of(&[0.0; 6]), centre: Centre::EARTH,
                fixed: [rho, 0.0, -6356.0 - height], sun: [0.0; 3], hour_angle: 0.0, dry_mass: 0.0, total_mass: 0.0,
            };
            (find("Altitude").unwrap().value)(&view)
        };
        let flat = 6378.1363 * (1.0 - 0.003_352_7);
        prop_assert!((at(0.0) - (6356.0 + height - flat)).abs() < 1e-9);
        // 1e-3 rad from the pole GMAT's altitude carries the rest of its latitude: 1e-9 rad times rho / cos^2
        prop_assert!((at(away) - at(away * (1.0 + 1e-9))).abs() < 2e-5, "{} {}", at(away), at(away * (1.0 + 1e-9)));
    }

    #[test]
    fn prop_apsides_are_zeros(sma in 7000.0..90_000.0_f64, ecc in 0.01..0.9_f64, inc in 0.0..3.1_f64, aop in 0.0..6.0_f64) {
        let at = |ta: f64| Keplerian { sma, ecc, inc, raan: 1.0, aop, ta }.to_cartesian(Centre::EARTH.mu).unwrap();
        for (stop, ta) in stops::STOPS.iter().zip([std::f64::consts::PI, 0.0]) {
            let (before, after) = ((stop.value)(&at(ta - 1e-5)), (stop.value)(&at(ta + 1e-5)));
            prop_assert!(before * after < 0.0 && (after > before) == stop.rises, "{}", stop.name);
            prop_assert!((stop.value)(&at(ta)).abs() < 1e-13);
        }
    }
}

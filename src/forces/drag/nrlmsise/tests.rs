//! NRLMSISE-00 beside the published cases and two other programs.

use super::*;

/// The numbers of the lines of a reference file.
fn rows(text: &str) -> Vec<Vec<f64>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_whitespace().map(|word| word.parse().unwrap()).collect()).collect()
}

/// A question of a line that begins with day, seconds, height, latitude, longitude, hours, mean flux, flux, seven ap
/// and whether they are 3-hourly.
fn asked(n: &[f64]) -> Question {
    Question {
        day: n[0],
        seconds: n[1],
        height: n[2],
        latitude: n[3],
        longitude: n[4],
        hours: n[5],
        f107a: n[6],
        f107: n[7],
        ap: std::array::from_fn(|k| n[8 + k]),
        three_hourly: n[15] > 0.5,
    }
}

fn close(ours: f64, theirs: f64, tolerance: f64, what: &str) {
    assert!((ours / theirs - 1.0).abs() < tolerance, "{what}: {ours:e} {theirs:e} {:e}", ours / theirs - 1.0);
}

#[test]
fn val_standard_cases() {
    // the seventeen cases of the model's own test driver, as its C translation prints them; g/cm^3
    let cases = rows(include_str!("../../../../tests/reference/density/nrlmsise00_standard.txt"));
    assert_eq!(cases.len(), 17);
    for (number, n) in cases.iter().enumerate() {
        // a hundred roundings of 1e-16
        let what = format!("case {}", number + 1);
        close(density(asked(n), false), 1000.0 * n[16], 1e-13, &what);
        close(density(asked(n), true), 1000.0 * n[17], 1e-13, &what);
    }
}

#[test]
fn val_published_digits() {
    // total mass densities as other programs quote them from the output of the model's test driver, g/cm^3
    let cases = rows(include_str!("../../../../tests/reference/density/nrlmsise00_standard.txt"));
    let published = [
        4.074_714e-15,
        5.001_846e-15,
        2.756_772e-18,
        3.584_426e-10,
        4.809_630e-15,
        4.355_866e-15,
        2.470_651e-15,
        1.571_889e-15,
        4.564_420e-15,
        4.974_543e-15,
        1.261_066e-03,
        4.059_139e-04,
        1.950_822e-05,
        1.294_709e-06,
        1.147_668e-07,
    ];
    for (number, (n, rho)) in cases.iter().zip(published).enumerate() {
        // half a unit of the seventh digit
        close(density(asked(n), false), 1000.0 * rho, 5e-7, &format!("case {}", number + 1));
    }
}

#[test]
fn val_reference_densities() {
    // random places, dates and activities from the ground to 10000 km through the crate nrlmsise00 0.2.0; kg/m^3
    let places = rows(include_str!("../../../../tests/reference/density/nrlmsise00_places.txt"));
    assert_eq!(places.len(), 210);
    for n in &places {
        // a hundred roundings of 1e-16, times 20 in the exponent of a density far up
        close(density(asked(n), true), n[16], 1e-13, &format!("{n:?}"));
    }
}

#[test]
fn val_source_of_gmats_plugin() {
    // the C source in GMAT's plugin, compiled in single precision as there: no anomalous oxygen; kg/m^3
    let places = rows(include_str!("../../../../tests/reference/density/nrlmsise00_gmat.txt"));
    assert_eq!(places.len(), 90);
    for n in &places {
        // 6e-8 in a thousand operations, and 3e-5 km of height, as for MSISE90
        close(density(asked(n), false), n[16], 4e-6, &format!("{} km", n[2]));
    }
}

#[test]
fn val_density_of_orekit() {
    // given what Orekit takes for day, second and local time; kg/m^3
    let places = rows(include_str!("../../../../tests/reference/density/nrlmsise00_orekit.txt"));
    assert_eq!(places.len(), 30);
    for n in &places {
        let asked = |day: f64, seconds: f64, height: f64, hours: f64| Question {
            day,
            seconds,
            height,
            latitude: n[3],
            longitude: n[4],
            hours,
            f107a: 150.0,
            f107: 150.0,
            ap: [15.0; 7],
            three_hourly: false,
        };
        // at 250 km the mixing of O2 ends; Orekit computes its height, with a rounding that may put it above
        let ours = |height: f64| density(asked(n[0], n[1], height, n[5]), true);
        let difference = |height: f64| (ours(height) / n[6] - 1.0).abs();
        let nearest = difference(n[2]).min(difference(n[2] * (1.0 + 1e-15)));
        // 1e-9 km of its height in a scale height of 25 km and more
        assert!(nearest < 1e-12, "{} km: {nearest:e}", n[2]);

        // the date in UTC and the mean solar time, as GMAT has them: the equation of time is worth some per cent
        let utc = (n[1] + 0.1).trunc();
        let (day, seconds) = if utc < 86_400.0 { (n[0], utc) } else { (n[0] + 1.0, 0.0) };
        let as_gmat = density(asked(day, seconds, n[2], seconds / 3600.0 + n[4] / 15.0), true);
        let difference = (as_gmat / n[6] - 1.0).abs();
        println!("{} km, {} deg: {nearest:.1e}, with UTC and mean time {difference:.1e}", n[2], n[3]);
        assert!(difference > 1e-5 && difference < 0.05, "{} km: {difference:e}", n[2]);
    }
}

#[test]
fn prop_anomalous_oxygen_is_of_the_exosphere() {
    let cases = rows(include_str!("../../../../tests/reference/density/nrlmsise00_standard.txt"));
    // its share of the density; it comes in without a step
    for (height, least, most) in [
        (100.0, 0.0, 0.0),
        (130.001, 0.0, 1e-15),
        (200.0, 0.0, 1e-12),
        (400.0, 1e-5, 1e-3),
        (600.0, 3e-3, 0.03),
        (1000.0, 0.1, 0.3),
    ] {
        let at = |with| density(Question { height, ..asked(&cases[0]) }, with);
        let share = at(true) / at(false) - 1.0;
        assert!(share >= least && share <= most, "{height} km: {share:e}");
    }
}

#[test]
fn prop_layers_join() {
    let cases = rows(include_str!("../../../../tests/reference/density/nrlmsise00_standard.txt"));
    for case in &cases[..10] {
        let at = |height: f64| density(Question { height, ..asked(case) }, true);
        let jump = |height: f64| (at(height + 1e-9) / at(height - 1e-9) - 1.0).abs();
        for height in [110.0, 100.0, 90.0, 55.0, 45.0, 32.5, 20.0, 15.0, 10.0] {
            assert!(jump(height) < 1e-7, "{height} km: {}", jump(height));
        }
        // the exospheric temperature varies from 123.435 km up; mixing ends gas by gas; the anomalous oxygen begins at 130 km
        for height in [62.5, 72.5, 123.435, 130.0, 160.0, 200.0, 240.0, 250.0, 300.0, 320.0, 450.0] {
            assert!(jump(height) < 5e-3, "{height} km: {}", jump(height));
        }
    }
}

#[test]
fn prop_equal_ap_give_nearly_the_same_by_either_formula() {
    // both formulas are fits of the same data; 3-hourly ones that never change are worth a daily one
    let cases = rows(include_str!("../../../../tests/reference/density/nrlmsise00_standard.txt"));
    let at = |ap: f64, three_hourly| density(Question { ap: [ap; 7], three_hourly, ..asked(&cases[0]) }, true);
    assert!((at(4.0, true) / at(4.0, false) - 1.0).abs() < 1e-12, "no activity");
    for ap in [0.0, 15.0, 80.0] {
        let ratio = at(ap, true) / at(ap, false);
        assert!((ratio - 1.0).abs() < 0.1 && (ratio - 1.0).abs() > 1e-6, "ap {ap}: {ratio}");
    }
}

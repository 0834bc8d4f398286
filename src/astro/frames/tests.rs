//! The frames against GMAT R2026a and Orekit; the scripts stand beside the numbers.

use super::*;
use crate::astro::constants::EARTH_MU;
use crate::astro::elements::{Cartesian, Keplerian};
use crate::astro::epoch::{Epoch, Scale};

/// Rows of numbers of a report.
fn rows(text: &str) -> Vec<Vec<f64>> {
    text.lines().map(|line| line.split_whitespace().map(|field| field.parse().unwrap()).collect()).collect()
}

/// Six columns from `at` on.
fn state(row: &[f64], at: usize) -> Cartesian {
    Cartesian { r: [row[at], row[at + 1], row[at + 2]], v: [row[at + 3], row[at + 4], row[at + 5]] }
}

/// The largest difference of two vectors.
fn largest(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f64::max)
}

/// The state of `frames_earth.script` and `frames_bodies.script`.
const PROBE: Cartesian = Cartesian { r: [6_500.123_456_789, -2_500.987_654_321, 1_300.555_55], v: [1.1, -3.3, 7.35] };

#[test]
fn val_axes_of_gmat() {
    use EarthAxes as A;
    let (earth, icrf) = (EarthOrientation::default(), IcrfTable::default());
    // a column of states each, in the order of the report; `true` for axes of the epoch A1 25000
    let columns = [
        (A::Fixed, false),
        (A::MeanEquator, false),
        (A::TrueEquator, false),
        (A::MeanEcliptic, false),
        (A::TrueEcliptic, false),
        (A::TrueEquatorMeanEquinox, false),
        (A::MeanEquator, true),
        (A::TrueEquator, true),
        (A::MeanEcliptic, true),
        (A::TrueEcliptic, true),
        (A::J2000Ecliptic, false),
    ];
    let reference = Epoch::from_mjd(Scale::A1, 25_000.0).unwrap();
    for row in rows(include_str!("../../../tests/reference/gmat/frames_earth.txt")) {
        let now = Epoch::from_mjd(Scale::A1, row[0]).unwrap();
        assert!(largest(PROBE.r, state(&row, 2).r) < 1e-12);
        for (k, (axes, of_reference)) in columns.into_iter().enumerate() {
            let got = earth.axes(axes, if of_reference { reference } else { now }).apply(PROBE);
            let expected = state(&row, 8 + 6 * k);
            // GMAT's dates resolve 3e-7 s, in which the Earth turns by 3e-11 rad; a few roundings of the others
            let (km, km_s) = if axes == A::Fixed { (5e-7, 3e-10) } else { (3e-12, 3e-15) };
            assert!(largest(got.r, expected.r) < km, "{axes:?} {} {got:?} {expected:?}", row[0]);
            assert!(largest(got.v, expected.v) < km_s, "{axes:?} {} {got:?} {expected:?}", row[0]);
        }
        let got = icrf.rotation(now).unwrap().apply(PROBE);
        // the packed table is rounded to 5e-14 rad, and the polynomial adds up ten of them
        assert!(largest(got.r, state(&row, 74).r) < 1e-9, "{}", row[0]);
        assert!(largest(got.v, state(&row, 74).v) < 1e-12, "{}", row[0]);
    }
}

#[test]
fn val_parameters_of_gmat() {
    let (earth, icrf) = (EarthOrientation::default(), IcrfTable::default());
    for text in [
        include_str!("../../../tests/reference/gmat/parameters_leo.txt"),
        include_str!("../../../tests/reference/gmat/parameters_heo.txt"),
        include_str!("../../../tests/reference/gmat/parameters_geo.txt"),
    ] {
        for row in rows(text) {
            let angles: [f64; 4] = std::array::from_fn(|k| row[9 + k].to_radians());
            let [inc, raan, aop, ta] = angles;
            let elements = Keplerian { sma: row[7], ecc: row[8], inc, raan, aop, ta };
            let state_now = elements.to_cartesian(EARTH_MU).unwrap();
            let epoch = Epoch::from_mjd(Scale::A1, row[0]).unwrap();
            let distance = row[17];
            let fixed = earth.rotation(epoch).apply(state_now);
            let ecliptic = earth.axes(EarthAxes::J2000Ecliptic, epoch).apply(state_now);
            let inertial = icrf.rotation(epoch).unwrap().apply(state_now);
            // the date resolves 3e-11 rad of turn, the elements in degrees a few 1e-13 rad
            assert!(largest(fixed.r, [row[40], row[41], row[42]]) / distance < 6e-11, "{fixed:?} {row:?}");
            assert!(largest(fixed.v, [row[43], row[44], row[45]]) < 5e-10, "{fixed:?} {row:?}");
            assert!(largest(ecliptic.r, [row[46], row[47], row[48]]) / distance < 1e-12, "{ecliptic:?} {row:?}");
            assert!(largest(inertial.r, [row[49], row[50], row[51]]) / distance < 1e-12, "{inertial:?} {row:?}");
        }
    }
}

#[test]
fn val_rotation_of_orekit() {
    // IAU 1976/1980 with GMAT's vector to ICRF, against IAU 2006/2000A with tides, from another table of the pole and
    // of UT1: tides, table and models differ by 5e-9 rad
    let (earth, icrf) = (EarthOrientation::default(), IcrfTable::default());
    let text = include_str!("../../../tests/reference/orekit/earth_rotation.txt");
    let mut compared = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let epoch = Epoch::from_gregorian(Scale::Utc, &fields[..4].join(" ")).unwrap();
        let numbers: Vec<f64> = fields[4..].iter().map(|field| field.parse().unwrap()).collect();
        let got = icrf.rotation(epoch).unwrap().inverse().then(&earth.rotation(epoch));
        for (k, expected) in numbers.into_iter().enumerate() {
            let error = (got.matrix[k / 3][k % 3] - expected).abs();
            assert!(error < 1e-8, "{line} {k} {error:e}");
            compared += 1;
        }
    }
    assert_eq!(compared, 63);
}

#[test]
fn val_bodies_of_gmat() {
    use crate::astro::ephemeris::Body as B;
    let bodies =
        [B::Sun, B::Mercury, B::Venus, B::Mars, B::Jupiter, B::Saturn, B::Uranus, B::Neptune, B::Pluto, B::Luna];
    let ephemeris = crate::astro::ephemeris::Ephemeris::de405().unwrap();
    for row in &rows(include_str!("../../../tests/reference/gmat/frames_bodies.txt")) {
        let epoch = Epoch::from_mjd(Scale::A1, row[0]).unwrap();
        let librations = ephemeris.librations(epoch).unwrap();
        for (k, body) in bodies.into_iter().enumerate() {
            for (j, axes) in [BodyAxes::Fixed, BodyAxes::Inertial, BodyAxes::Equator].into_iter().enumerate() {
                let rotation = match (body, axes) {
                    (B::Luna, BodyAxes::Fixed) => librations.fixed(),
                    (B::Luna, BodyAxes::Equator) => librations.equator(),
                    _ => axes.rotation(body, epoch).unwrap(),
                };
                let (got, expected) = (rotation.apply(PROBE), state(row, 1 + 18 * k + 6 * j));
                // GMAT takes the state over the Sun's or the Earth's, up to 6e9 km away: 1e-6 km are lost
                let far = if body == B::Luna { 1e-8 } else { 1e-6 };
                assert!(largest(got.r, expected.r) < far, "{body:?} {axes:?} {got:?} {expected:?}");
                // what is lost turns with the body, at 2e-4 rad/s at most
                assert!(largest(got.v, expected.v) < 1e-10, "{body:?} {axes:?} {got:?} {expected:?}");
            }
        }
        // the two models of the Moon's rotation agree to some 100 arc seconds
        let formula = BodyAxes::Fixed.rotation(B::Luna, epoch).unwrap();
        assert!(largest(formula.apply(PROBE).r, librations.fixed().apply(PROBE).r) < 7000.0 * 7e-4);
    }
}

#[test]
fn val_moon_orbiter_of_gmat() {
    let axes = ObjectAxes::new([Direction::parse("R"), None, Direction::parse("N")]).unwrap();
    for row in rows(include_str!("../../../tests/reference/gmat/moon_orbiter.txt")) {
        let (of_moon, of_earth) = (state(&row, 1), state(&row, 13));
        let moon = Cartesian {
            r: std::array::from_fn(|i| of_earth.r[i] - of_moon.r[i]),
            v: std::array::from_fn(|i| of_earth.v[i] - of_moon.v[i]),
        };
        let got = axes.rotation(moon).unwrap().apply(of_moon);
        let expected = state(&row, 7);
        // the Moon is the difference of numbers of 4e5 km and 1 km/s with 16 digits
        assert!(largest(got.r, expected.r) < 1e-11 * 2000.0, "{got:?} {expected:?}");
        assert!(largest(got.v, expected.v) < 1e-13, "{got:?} {expected:?}");
    }
}

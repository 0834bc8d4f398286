//! Fields of other bodies in the axes of those bodies, against GMAT R2026a.
//!
//! LP165P (Luna) and Mars50c are files of GMAT (application/data/gravity, Apache License 2.0), cut to degree 8 for these
//! tests: lines byte for byte, but for degree and order in POTFIELD.

use super::file::cof;
use super::*;
use crate::astro::ephemeris::Body;
use crate::astro::ephemeris::EphemerisCache;
use crate::astro::epoch::{Epoch, Scale};
use crate::astro::frames::BodyOrientationCache;
use crate::astro::world::World;
use crate::base::lanes::{Isa, WIDTH};
use crate::forces::third_body::ThirdBody;

const GMAT: &str = include_str!("../../../tests/reference/gmat/gravity_bodies.txt");
const LUNA: &[u8] = include_bytes!("../../../tests/reference/gmat/LP165P_8.cof");
const MARS: &[u8] = include_bytes!("../../../tests/reference/gmat/Mars50c_8.cof");

fn norm(v: [f64; 3]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

/// The rows of the report whose degree some field has: how many, and the largest differences |a - b|, of the whole and of
/// what is not the point's.
fn compare(fields: &[(&str, Field)]) -> (usize, f64, f64) {
    let world = World::gmat();
    let vectors = Vectors::new(Isa::best(), WIDTH);
    let mut cache = BodyOrientationCache::default();
    let (mut count, mut worst, mut worst_harmonic) = (0, 0.0_f64, 0.0_f64);
    for row in GMAT.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = row.split(' ').collect();
        let (degree, order): (usize, usize) = (words[2].parse().unwrap(), words[3].parse().unwrap());
        let Some((_, field)) = fields.iter().find(|(name, field)| *name == words[1] && field.degree >= degree) else {
            continue;
        };
        let numbers: Vec<f64> = words[4..].iter().map(|word| word.parse().unwrap()).collect();
        let epoch = Epoch::from_mjd(Scale::A1, numbers[0]).unwrap();
        let (mut rotation, mut spin) = ([[Lanes::default(); 3]; 3], [Lanes::default(); 3]);
        let body = Body::of_name(words[0]).unwrap();
        world.fixed_from_inertial(vectors, body, &[epoch; WIDTH], &mut cache, &mut rotation, &mut spin).unwrap();
        let r = [1, 2, 3].map(|k| Lanes::splat(numbers[k]));
        let acceleration = |degree, order| {
            let mut a = [Lanes::default(); 3];
            let harmonics = Harmonics::new(&field.cut(degree, order).unwrap()).unwrap();
            harmonics.acceleration_inertial(vectors, &rotation, &r, &mut a);
            a.map(|component| component.0[5])
        };
        let (a, point) = (acceleration(degree, order), acceleration(0, 0));
        let difference = norm([0, 1, 2].map(|k| a[k] - numbers[4 + k]));
        worst = worst.max(difference / norm(a));
        worst_harmonic = worst_harmonic.max(difference / norm([0, 1, 2].map(|k| a[k] - point[k])));
        count += 1;
    }
    (count, worst, worst_harmonic)
}

#[test]
fn val_gravity_of_luna_and_mars() {
    let fields = [("LP165P.cof", cof("LP165P.cof", LUNA).unwrap()), ("Mars50c.cof", cof("Mars50c.cof", MARS).unwrap())];
    let (count, worst, worst_harmonic) = compare(&fields);
    assert_eq!(count, 24);
    // rounding of the two rotations, here and there
    assert!(worst < 1.5e-15, "{worst:e}");
    // the same roundings of the central term, 1e4 to 1e5 times the harmonics
    assert!(worst_harmonic < 1e-10, "{worst_harmonic:e}");
}

/// An orbiter in a field about its body, with Earth and Sun: the acceleration.
struct Orbiter {
    world: std::sync::Arc<World>,
    body: Body,
    harmonics: Harmonics,
    orientation: BodyOrientationCache,
    ephemeris: EphemerisCache,
}

impl Orbiter {
    fn acceleration(&mut self, epoch: Epoch, r: [f64; 3]) -> [f64; 3] {
        let (vectors, epochs) = (Vectors::new(Isa::best(), 1), [epoch; WIDTH]);
        let others = [Body::Earth, Body::Sun];
        let (mut rotation, mut spin, mut a) =
            ([[Lanes::default(); 3]; 3], [Lanes::default(); 3], [Lanes::default(); 3]);
        let mut positions = [[Lanes::default(); 3]; 2];
        let axes = &mut rotation;
        self.world.fixed_from_inertial(vectors, self.body, &epochs, &mut self.orientation, axes, &mut spin).unwrap();
        let ephemeris = &self.world.ephemeris;
        ephemeris.positions(vectors, &epochs, &others, self.body, &mut self.ephemeris, &mut positions).unwrap();
        let r = r.map(Lanes::splat);
        self.harmonics.acceleration_inertial(vectors, &rotation, &r, &mut a);
        for (other, position) in others.iter().zip(&positions) {
            ThirdBody::new(other.name(), other.mu()).add_acceleration(vectors, position, &r, &mut a);
        }
        a.map(|component| component.0[0])
    }
}

/// The difference from GMAT's flight of two hours, by the classical Runge-Kutta rule in steps of 2 s: how late GMAT ends (s),
/// and what is left besides (km).
fn flight(report: &str, body: Body, field: &Field) -> (f64, f64) {
    let rows: Vec<Vec<f64>> =
        report.lines().map(|line| line.split_whitespace().map(|word| word.parse().unwrap()).collect()).collect();
    let mut orbiter = Orbiter {
        world: World::gmat(),
        body,
        harmonics: Harmonics::new(field).unwrap(),
        orientation: BodyOrientationCache::default(),
        ephemeris: EphemerisCache::default(),
    };
    let start = Epoch::from_mjd(Scale::A1, rows[0][0]).unwrap();
    let mut state: [f64; 6] = std::array::from_fn(|k| rows[0][1 + k]);
    let h = 2.0;
    for step in 0..3600 {
        let mut slope = |seconds: f64, s: [f64; 6]| {
            let a = orbiter.acceleration(start.plus(h * f64::from(step) + seconds), [s[0], s[1], s[2]]);
            [s[3], s[4], s[5], a[0], a[1], a[2]]
        };
        let ahead = |seconds: f64, k: [f64; 6]| -> [f64; 6] { std::array::from_fn(|i| state[i] + seconds * k[i]) };
        let k1 = slope(0.0, state);
        let k2 = slope(h / 2.0, ahead(h / 2.0, k1));
        let k3 = slope(h / 2.0, ahead(h / 2.0, k2));
        let k4 = slope(h, ahead(h, k3));
        state = std::array::from_fn(|i| state[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    let [r, v] = [[0, 1, 2], [3, 4, 5]].map(|three| three.map(|k| state[k]));
    let ahead = [0, 1, 2].map(|k| r[k] - rows[1][1 + k]);
    let late = (ahead[0] * v[0] + ahead[1] * v[1] + ahead[2] * v[2]) / (norm(v) * norm(v));
    (late, norm([0, 1, 2].map(|k| ahead[k] - late * v[k])))
}

#[test]
fn val_flights_of_gmat() {
    let luna = include_str!("../../../tests/reference/gmat/luna_gravity.txt");
    let mars = include_str!("../../../tests/reference/gmat/mars_gravity.txt");
    let of_luna = flight(luna, Body::Luna, &cof("LP165P.cof", LUNA).unwrap());
    let of_mars = flight(mars, Body::Mars, &cof("Mars50c.cof", MARS).unwrap());
    for (late, rest) in [of_luna, of_mars] {
        // GMAT rounds its last step to 1 us; 3600 roundings of 4000 km, growing along the orbit
        assert!(late.abs() < 6e-7 && rest < 1e-8, "{late:e} s, {rest:e} km");
    }
}

#[test]
#[ignore = "needs GMAT's own files: SWEEP_LP165P and SWEEP_MARS50C = paths of LP165P.cof and Mars50c.cof"]
fn val_gravity_of_luna_and_mars_to_degree_70() {
    let read = |name| Field::read(std::path::Path::new(&std::env::var(name).unwrap())).unwrap();
    let (count, worst, worst_harmonic) =
        compare(&[("LP165P.cof", read("SWEEP_LP165P")), ("Mars50c.cof", read("SWEEP_MARS50C"))]);
    assert_eq!(count, 48);
    eprintln!("{worst:e}, of the harmonics {worst_harmonic:e}");
    assert!(worst < 1.5e-15, "{worst:e}");
}

//! The axes of Luna and of the planets: against GMAT R2026a, and in lanes.

use super::*;
use crate::astro::bodies::Bodies;
use crate::astro::coordinates::{Axes, CoordinateSystem, Object, nobody};
use crate::astro::elements::Cartesian;
use crate::astro::ephemeris::{Body, Ephemeris, EphemerisError};
use crate::astro::epoch::{Epoch, Scale};
use crate::astro::parameters::{self, View};
use crate::astro::world::World;
use crate::base::lanes::{Isa, Lanes, Vectors, WIDTH};

/// Rows of numbers of a report.
fn rows(text: &str) -> Vec<Vec<f64>> {
    text.lines().map(|line| line.split_whitespace().map(|field| field.parse().unwrap()).collect()).collect()
}

fn state(row: &[f64], at: usize) -> Cartesian {
    Cartesian { r: [row[at], row[at + 1], row[at + 2]], v: [row[at + 3], row[at + 4], row[at + 5]] }
}

fn largest(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f64::max)
}

/// A parameter of a spacecraft about a body.
fn parameter(name: &str, world: &World, body: Body, r: [f64; 3], epoch: Epoch) -> f64 {
    let fixed = world.fixed(body, epoch).unwrap().apply_vector(r);
    let view = View {
        epoch,
        elapsed: 0.0,
        state: Cartesian { r, v: [0.0; 3] },
        centre: Bodies::default().of(body),
        fixed,
        sun: [1.0, 0.0, 0.0],
        hour_angle: world.hour_angle(body, epoch),
        dry_mass: 0.0,
        total_mass: 0.0,
    };
    (parameters::find(name).unwrap().value)(&view)
}

/// |a - b| on a circle of 360.
fn apart(a: f64, b: f64) -> f64 {
    let difference = (a - b).abs();
    difference.min((360.0 - difference).abs())
}

#[test]
fn val_luna_of_gmat() {
    let world = World::gmat();
    let report = rows(include_str!("../../../tests/reference/gmat/luna_axes.txt"));
    assert_eq!(report.len(), 10);
    let (mut place, mut speed, mut height, mut angle, mut hour) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    for row in report {
        let epoch = Epoch::from_mjd(Scale::A1, row[0]).unwrap();
        let given = state(&row, 1);
        for (axes, at) in [(BodyAxes::Fixed, 7), (BodyAxes::Equator, 13)] {
            let system =
                CoordinateSystem { name: String::new(), origin: Object::Body(Body::Luna), axes: Axes::Body(axes) };
            let (got, expected) = (system.of_inertial(&world, given, Body::Luna, epoch, &nobody), state(&row, at));
            place = place.max(largest(got.r, expected.r));
            speed = speed.max(largest(got.v, expected.v));
            let back = system.to_inertial(&world, got, epoch);
            place = place.max(largest(back.r, given.r));
            speed = speed.max(largest(back.v, given.v));
        }
        let of_luna = |name: &str| parameter(name, &world, Body::Luna, given.r, epoch);
        height = height.max((of_luna("Altitude") - row[19]).abs());
        for (name, at) in [("Latitude", 20), ("Longitude", 21)] {
            angle = angle.max(apart(of_luna(name), row[at]));
        }
        for (name, at) in [("MHA", 22), ("LST", 23)] {
            hour = hour.max(apart(of_luna(name), row[at]));
        }
        let others = Body::all().filter(|body| !matches!(body, Body::Earth | Body::Luna));
        for (k, body) in others.enumerate() {
            let from_luna = world.moved(given, Body::Luna, body, epoch).r;
            for (j, name) in ["MHA", "LST", "Longitude"].into_iter().enumerate() {
                let got = parameter(name, &world, body, from_luna, epoch);
                let difference = apart(got, row[24 + 3 * k + j]);
                hour = hour.max(difference);
            }
        }
    }
    // a few roundings of 6500 km (9e-13 km), of 7 km/s (9e-16 km/s) and of 180 degrees (3e-14); the script gives A1 dates and
    // states from Luna, so GMAT rounds nothing before
    assert!(place < 5e-12 && speed < 1e-14, "{place:e} {speed:e}");
    assert!(height < 3e-12 && angle < 3e-13, "{height:e} {angle:e}");
    // prime meridians of up to 2e7 degrees resolve 4e-9 degrees
    assert!(hour < 4e-9, "{hour:e}");
}

#[test]
fn val_librations_in_exact_arithmetic() {
    let ephemeris = Ephemeris::de405().unwrap();
    let (mut worst_angle, mut worst_rate) = (0.0_f64, 0.0_f64);
    for row in rows(include_str!("../../../tests/reference/exact/de405_librations.txt")) {
        let librations = ephemeris.librations(Epoch::from_mjd(Scale::Tdb, row[0]).unwrap()).unwrap();
        for k in 0..3 {
            worst_angle = worst_angle.max((librations.angles[k] - row[1 + k]).abs() / row[1 + k].abs().max(1.0));
            worst_rate = worst_rate.max((librations.rates[k] - row[4 + k]).abs());
        }
    }
    // two roundings; 3e-11 s of the epoch turn by 8e-17 rad
    assert!(worst_angle < 3e-16, "{worst_angle:e}");
    // a rounding of 2.7e-6 rad/s
    assert!(worst_rate < 1e-21, "{worst_rate:e}");
}

/// Epochs about a date, `step` apart from each other and from those of the round before.
fn epochs(round: usize) -> [Epoch; WIDTH] {
    let step = [3.7, 9_876.5, 400_000.25, 3.0e7][round % 4];
    let start = Epoch::from_mjd(Scale::A1, 16_000.25 + 1_700.3 * (round % 11) as f64).unwrap();
    std::array::from_fn(|lane| start.plus(step * lane as f64 + 100.0 * round as f64))
}

type Turned = ([[Lanes; 3]; 3], [Lanes; 3], Lanes);

fn lanes(
    world: &World,
    vectors: Vectors,
    body: Body,
    epochs: &[Epoch; WIDTH],
    cache: &mut BodyOrientationCache,
) -> Turned {
    let (mut out, mut spin) = ([[Lanes::splat(7.0); 3]; 3], [Lanes::splat(7.0); 3]);
    world.fixed_from_inertial(vectors, body, epochs, cache, &mut out, &mut spin).unwrap();
    (out, spin, *cache.spin_rate())
}

#[test]
fn prop_lanes_are_the_rotation_of_each_body() {
    let world = World::gmat();
    let mut cache = BodyOrientationCache::default();
    for body in Body::all() {
        let mut worst = 0.0_f64;
        for round in 0..60 {
            let epochs = epochs(round);
            let (out, ..) = lanes(&world, Vectors::new(Isa::best(), 8), body, &epochs, &mut cache);
            for (lane, &epoch) in epochs.iter().enumerate() {
                let exact = world.fixed(body, epoch).unwrap().matrix;
                for i in 0..3 {
                    for j in 0..3 {
                        worst = worst.max((out[i][j].0[lane] - exact[i][j]).abs());
                    }
                }
            }
        }
        // the Earth: see frames/lanes.rs; the others: sines and cosines of 1.5e-15 and their products
        let tolerance = if body == Body::Earth { 1e-13 } else { 3e-15 };
        assert!(worst <= tolerance, "{body:?} {worst:e}");
    }
}

#[test]
fn prop_spin_is_the_turn_of_the_axes() {
    let world = World::gmat();
    let mut cache = BodyOrientationCache::default();
    for body in Body::all() {
        for round in 0..12 {
            let epochs = epochs(round);
            let (_, spin, rate) = lanes(&world, Vectors::new(Isa::best(), 8), body, &epochs, &mut cache);
            for (lane, &epoch) in epochs.iter().enumerate() {
                let Rotation { matrix, rate: derivative } = world.fixed(body, epoch).unwrap();
                // A^T dA/dt = -(w x)
                let product = |i: usize, j: usize| (0..3).map(|k| matrix[k][i] * derivative[k][j]).sum::<f64>();
                let w = [product(1, 2), product(2, 0), product(0, 1)];
                let size = (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]).sqrt();
                // the pole's motion, 2e-6 rad, is not in the spin of the Earth
                let tolerance = if body == Body::Earth { 3e-6 } else { 2e-15 } * size;
                assert!(largest(w, spin.map(|lanes| lanes.0[lane])) <= tolerance, "{body:?} {w:?}");
                assert!((size - rate.0[lane]).abs() <= 2e-15 * size, "{body:?} {size:e}");
            }
        }
    }
}

#[test]
fn prop_same_bits_in_all_lanes_of_each_body() {
    let world = World::gmat();
    for isa in Isa::available() {
        for width in [1, 4, 8] {
            let mut cache = BodyOrientationCache::default();
            for round in 0..24 {
                let epochs = epochs(round);
                for body in [Body::Luna, Body::Earth, Body::Mars, Body::Neptune] {
                    let (out, spin, rate) = lanes(&world, Vectors::new(isa, width), body, &epochs, &mut cache);
                    for (lane, &epoch) in epochs.iter().enumerate().take(width) {
                        let one = Vectors::new(*Isa::available().last().unwrap(), 1);
                        let fresh = &mut BodyOrientationCache::default();
                        let (alone, spin_alone, rate_alone) = lanes(&world, one, body, &[epoch; WIDTH], fresh);
                        for i in 0..3 {
                            for j in 0..3 {
                                assert_eq!(out[i][j].0[lane].to_bits(), alone[i][j].0[0].to_bits(), "{isa:?} {width}");
                            }
                            assert_eq!(spin[i].0[lane].to_bits(), spin_alone[i].0[0].to_bits(), "{isa:?} {width}");
                        }
                        assert_eq!(rate.0[lane].to_bits(), rate_alone.0[0].to_bits(), "{isa:?} {width}");
                    }
                    for untouched in width..WIDTH {
                        assert!(
                            (out[1][2].0[untouched] - 7.0).abs() == 0.0 && (spin[2].0[untouched] - 7.0).abs() == 0.0
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn prop_luna_outside_of_the_ephemeris_leaves_the_other_lanes_alone() {
    let world = World::gmat();
    let vectors = Vectors::new(Isa::best(), 8);
    let mut epochs = epochs(5);
    let mut cache = BodyOrientationCache::default();
    let (right, ..) = lanes(&world, vectors, Body::Luna, &epochs, &mut cache);
    epochs[3] = Epoch::from_mjd(Scale::A1, 60_000.25).unwrap();
    let (mut out, mut spin) = ([[Lanes::splat(0.0); 3]; 3], [Lanes::splat(0.0); 3]);
    let found = world.fixed_from_inertial(vectors, Body::Luna, &epochs, &mut cache, &mut out, &mut spin);
    assert!(matches!(found, Err(EphemerisError::OutOfSpan { lanes: 0b1000, .. })), "{found:?}");
    for lane in 0..WIDTH {
        let (got, expected) = (out[0][0].0[lane], right[0][0].0[lane]);
        assert!(if lane == 3 { got.is_nan() } else { got.to_bits() == expected.to_bits() });
    }
    assert!(world.fixed(Body::Luna, epochs[3]).is_none() && world.equator(Body::Luna, epochs[3]).is_none());
}

#[test]
#[ignore = "a measurement: cargo test --release -- --ignored --nocapture cost_of_axes"]
fn cost_of_axes() {
    let world = World::gmat();
    for body in [Body::Earth, Body::Luna, Body::Mars, Body::Neptune] {
        for isa in Isa::available() {
            let vectors = Vectors::new(isa, 8);
            let (mut cache, mut sum, rounds) = (BodyOrientationCache::default(), 0.0, 100_000);
            let start = epochs(1);
            let (mut out, mut spin) = ([[Lanes::splat(0.0); 3]; 3], [Lanes::splat(0.0); 3]);
            let clock = std::time::Instant::now();
            for round in 0..rounds {
                let epochs = start.map(|epoch| epoch.plus(f64::from(round) * 0.1));
                world.fixed_from_inertial(vectors, body, &epochs, &mut cache, &mut out, &mut spin).unwrap();
                sum += out[0][0].0[0];
            }
            let ns = clock.elapsed().as_secs_f64() * 1e9 / f64::from(rounds) / 8.0;
            eprintln!("{:8} {:9} {ns:6.1} ns a lane ({sum:e})", body.name(), isa.name());
        }
    }
}

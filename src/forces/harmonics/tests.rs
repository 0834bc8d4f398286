//! Tests of the acceleration.

use super::field::index;
use super::*;
use crate::base::lanes::{Isa, WIDTH};
use crate::forces::point_mass::PointMass;

const GMAT: &str = include_str!("../../../tests/reference/gmat/gravity_accelerations.txt");
const OREKIT: &str = include_str!("../../../tests/reference/orekit/gravity.txt");

fn field(name: &str, degree: usize, order: usize) -> Field {
    Field::embedded(name).unwrap().cut(degree, order).unwrap()
}

fn acceleration(field: &Field, r: [f64; 3]) -> [f64; 3] {
    let mut a = [Lanes::default(); 3];
    let harmonics = Harmonics::new(field).unwrap();
    harmonics.acceleration(Vectors::new(Isa::best(), 1), &r.map(Lanes::splat), &mut a);
    a.map(|component| component.0[0])
}

fn point(field: &Field, r: [f64; 3]) -> [f64; 3] {
    acceleration(&field.cut(0, 0).unwrap(), r)
}

fn norm(v: [f64; 3]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// |a - b| / |b|
fn difference(a: [f64; 3], b: [f64; 3]) -> f64 {
    norm(minus(a, b)) / norm(b)
}

fn numbers(words: &[&str]) -> Vec<f64> {
    words.iter().map(|word| word.parse().unwrap()).collect()
}

fn triple(numbers: &[f64]) -> [f64; 3] {
    numbers.try_into().unwrap()
}

fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(' ').collect())
}

/// Places around the Earth, the poles and the equator among them.
fn places() -> Vec<[f64; 3]> {
    let mut places = vec![[0.0, 0.0, 6800.0], [0.0, 0.0, -7200.0], [1e-9, -2e-9, 6700.0], [7000.0, 0.0, 0.0]];
    places.extend([[0.0, -6900.0, 0.0], [-42_164.0, 10.0, 0.0], [4512.75, -3921.5, 3344.125]]);
    let mut seed = 7_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    for _ in 0..20 {
        let direction = [random(), random(), random()];
        let distance = 6600.0 + 4000.0 * random().abs();
        places.push(direction.map(|component| component / norm(direction) * distance));
    }
    places
}

#[test]
fn val_gravity_of_gmat() {
    let mut rows = rows(GMAT);
    let matrix = numbers(&rows.next().unwrap());
    let rotation = [0, 1, 2].map(|row| [0, 1, 2].map(|column| Lanes::splat(matrix[3 * row + column])));
    let mut count = 0;
    for row in rows {
        let harmonics = Harmonics::new(&field(row[0], row[1].parse().unwrap(), row[2].parse().unwrap())).unwrap();
        let given = numbers(&row[3..]);
        let mut a = [Lanes::default(); 3];
        let r = triple(&given[..3]).map(Lanes::splat);
        harmonics.acceleration_inertial(Vectors::new(Isa::best(), 8), &rotation, &r, &mut a);
        let got = difference(a.map(|component| component.0[3]), triple(&given[3..]));
        // rounding of the two rotations, here and there
        assert!(got < 1e-15, "{row:?}: {got:e}");
        count += 1;
    }
    assert_eq!(count, 32);
}

#[test]
fn val_gravity_of_orekit() {
    let mut count = 0;
    for row in rows(OREKIT) {
        let (degree, order) = (row[1].parse().unwrap(), row[2].parse().unwrap());
        if degree > 70 {
            continue; // more than is embedded
        }
        let mut field = field(row[0], degree, order);
        if row[0] == "JGM2" {
            field.c[index(2, 0)] = -4.841_654_8e-4;
        } else if row[0] == "JGM3" {
            field.c[index(2, 0)] = -4.841_695_484_56e-4;
            if order > 0 {
                (field.c[index(2, 1)], field.s[index(2, 1)]) = (-1.869_876_359_55e-10, 1.195_280_120_31e-9);
            }
        }
        let given = numbers(&row[3..]);
        let r = triple(&given[..3]).map(|metres| metres * 1e-3);
        let total = triple(&given[6..]).map(|metres| metres * 1e-3);
        let harmonic = triple(&given[3..6]).map(|metres| metres * 1e-3);
        let a = acceleration(&field, r);
        // roundings of the central term
        assert!(difference(a, total) < 8e-16, "{row:?}: {:e}", difference(a, total));
        // and the same roundings against the harmonics alone, which are at least 1e-5 of it
        let difference = norm(minus(minus(a, point(&field, r)), harmonic)) / norm(total);
        assert!(difference < 8e-16, "{row:?}: {difference:e}");
        count += 1;
    }
    assert_eq!(count, 42);
}

/// Gradient of the potential at 60 digits: unnormalised Legendre functions, factorials, differences of the fourth
/// order over 1e-14 km (mpmath).
#[test]
fn val_gravity_at_60_digits() {
    let places = [[4512.75, -3921.5, 3344.125], [-1200.0, 650.25, 6860.5], [-42000.5, 1800.75, -25.0]];
    let expected = [
        (
            "JGM3",
            70,
            70,
            [
                [-5.594_160_151_455_727e-3, 4.861_455_946_018_3e-3, -4.157_124_421_739_19e-3],
                [1.390_398_380_705_099e-3, -7.534_388_709_609_025e-4, -7.970_409_372_714_46e-3],
                [2.253_453_629_479_599_3e-4, -9.661_536_692_524_28e-6, 1.341_421_613_876_724e-7],
            ],
        ),
        (
            "EGM96",
            70,
            70,
            [
                [-5.594_160_477_844_972e-3, 4.861_456_260_657_061e-3, -4.157_124_470_153_523e-3],
                [1.390_398_807_612_938_8e-3, -7.534_394_447_809_671e-4, -7.970_408_558_594_741e-3],
                [2.253_453_629_436_118_2e-4, -9.661_536_693_870_41e-6, 1.341_421_608_067_846_5e-7],
            ],
        ),
        (
            "JGM2",
            20,
            11,
            [
                [-5.594_152_280_243_512e-3, 4.861_451_378_968_067e-3, -4.157_124_347_951_015e-3],
                [1.390_398_616_016_343e-3, -7.534_442_373_603_014e-4, -7.970_409_613_483_956e-3],
                [2.253_453_629_330_133_5e-4, -9.661_536_696_279_073e-6, 1.341_421_606_082_428_4e-7],
            ],
        ),
    ];
    for (name, degree, order, accelerations) in expected {
        for (r, expected) in places.into_iter().zip(accelerations) {
            let got = difference(acceleration(&field(name, degree, order), r), expected);
            assert!(got < 5e-16, "{name} {r:?}: {got:e}");
        }
    }
    assert!((field("JGM3", 70, 70).potential(places[0]) / 58.195_348_355_641_62 - 1.0).abs() < 4e-16);
}

/// dU/dx by differences of the twelfth order.
fn gradient(field: &Field, r: [f64; 3], step: f64) -> [f64; 3] {
    const WEIGHTS: [f64; 6] = [6.0 / 7.0, -15.0 / 56.0, 5.0 / 63.0, -1.0 / 56.0, 1.0 / 385.0, -1.0 / 5544.0];
    [0, 1, 2].map(|axis| {
        let at = |steps: f64| {
            let mut place = r;
            place[axis] += steps * step;
            field.potential(place)
        };
        let sum: f64 = WEIGHTS.iter().zip(1..).map(|(w, k)| w * (at(f64::from(k)) - at(-f64::from(k)))).sum();
        sum / step
    })
}

#[test]
fn prop_acceleration_is_the_gradient_of_the_potential() {
    for field in [field("JGM3", 70, 70), field("EGM96", 20, 7), field("JGM2", 4, 0)] {
        for r in places() {
            // U carries 1e-14 km^2/s^2 of rounding, over 16 km 1e-15 of 8e-3 km/s^2
            let got = difference(acceleration(&field, r), gradient(&field, r, 16.0 * norm(r) / 7000.0));
            assert!(got < 1e-12, "{} at {r:?}: {got:e}", field.name);
        }
    }
}

/// A field of large coefficients where `keep` says so.
fn strong(degree: usize, order: usize, keep: fn(usize, usize) -> bool) -> Field {
    let mut field = Field::point("strong", 398_600.441_5, 6_378.136_3, degree, order);
    for n in 1..=degree {
        for m in (0..=n.min(order)).filter(|&m| keep(n, m)) {
            field.c[index(n, m)] = 0.01 * libm::cos((7 * n + 3 * m) as f64);
            field.s[index(n, m)] = if m == 0 { 0.0 } else { 0.01 * libm::sin((5 * n + m) as f64) };
        }
    }
    field
}

#[test]
fn prop_any_shape_of_field_is_a_gradient() {
    let shapes = [
        strong(9, 9, |n, m| n == m),
        strong(9, 0, |_, _| true),
        strong(9, 9, |_, m| m == 0),
        strong(1, 1, |_, _| true),
        strong(1, 0, |_, _| true),
        strong(2, 1, |_, _| true),
        strong(6, 3, |_, _| true),
        strong(7, 4, |n, m| n == 7 && m == 3),
        strong(8, 8, |_, _| true),
    ];
    for field in shapes {
        for r in places() {
            let got = difference(acceleration(&field, r), gradient(&field, r, 16.0 * norm(r) / 7000.0));
            assert!(got < 1e-12, "{} by {} at {r:?}: {got:e}", field.degree, field.order);
        }
    }
}

#[test]
fn prop_degree_zero_is_a_point_mass() {
    let field = field("EGM96", 0, 0);
    let (harmonics, mass) = (Harmonics::new(&field).unwrap(), PointMass::new(field.mu_km3_s2));
    for r in places() {
        let (mut a, mut expected) = ([Lanes::default(); 3], [Lanes::default(); 3]);
        let r = r.map(Lanes::splat);
        harmonics.acceleration(Vectors::new(Isa::best(), 8), &r, &mut a);
        mass.add_at(Vectors::new(Isa::best(), 8), &r, &mut expected);
        assert!(difference(a.map(|c| c.0[7]), expected.map(|c| c.0[7])) < 5e-16);
    }
}

#[test]
fn prop_zonal_field_is_the_same_around_the_axis() {
    let field = field("JGM3", 70, 0);
    for r in places() {
        let (a, turned) = (acceleration(&field, r), acceleration(&field, [-r[1], r[0], r[2]]));
        assert!(difference([turned[1], -turned[0], turned[2]], a) < 1e-15);
        // and has no part across the meridian
        assert!((r[0] * a[1] - r[1] * a[0]).abs() < 1e-15 * norm(r) * norm(a));
    }
}

#[test]
fn prop_same_bits_in_all_lanes_on_every_instruction_set() {
    for (degree, order) in [(0, 0), (1, 0), (2, 2), (5, 3), (20, 20), (70, 70)] {
        let harmonics = Harmonics::new(&field("JGM3", degree, order)).unwrap();
        let places = places();
        for start in 0..places.len() - WIDTH {
            let mut r = [Lanes::default(); 3];
            for lane in 0..WIDTH {
                for (axis, lanes) in r.iter_mut().enumerate() {
                    lanes.0[lane] = places[start + lane][axis];
                }
            }
            for isa in Isa::available() {
                for width in [1, 4, 8] {
                    let mut a = [Lanes::splat(0.125); 3];
                    harmonics.acceleration(Vectors::new(isa, width), &r, &mut a);
                    for lane in 0..width {
                        let mut alone = [Lanes::splat(0.125); 3];
                        let place = places[start + lane].map(Lanes::splat);
                        harmonics.acceleration(Vectors::new(Isa::best(), 1), &place, &mut alone);
                        for axis in 0..3 {
                            assert_eq!(a[axis].0[lane].to_bits(), alone[axis].0[0].to_bits(), "{isa:?} {width} {lane}");
                        }
                    }
                    assert!(a[0].0[width..].iter().all(|&untouched| untouched.to_bits() == 0.125_f64.to_bits()));
                }
            }
        }
    }
}

#[test]
fn prop_rotation_turns_the_field() {
    let field = field("JGM3", 12, 12);
    let harmonics = Harmonics::new(&field).unwrap();
    let (s, c) = libm::sincos(0.7);
    let rotation = [[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]].map(|row| row.map(Lanes::splat));
    for r in places() {
        let mut a = [Lanes::splat(1.0); 3];
        harmonics.acceleration_inertial(Vectors::new(Isa::best(), 8), &rotation, &r.map(Lanes::splat), &mut a);
        let g = acceleration(&field, [c * r[0] + s * r[1], c * r[1] - s * r[0], r[2]]);
        let expected = [1.0 + (c * g[0] - s * g[1]), 1.0 + (s * g[0] + c * g[1]), 1.0 + g[2]];
        assert!(norm(minus(a.map(|component| component.0[5]), expected)) < 4e-16);
    }
}

#[test]
fn prop_the_largest_degree_is_finite_at_the_pole() {
    let degree = Harmonics::LARGEST_DEGREE;
    let mut field = Field::point("flat", 398_600.441_5, 6_378.136_3, degree, degree);
    field.c[1..].fill(1e-12);
    field.s[1..].fill(1e-12);
    for r in [[0.0, 0.0, 6378.0], [1e-3, 0.0, -6378.0], [6378.0, 0.0, 0.0], [3e5, 0.0, 1e5], [4000.0, 3000.0, 4000.0]] {
        assert!(difference(acceleration(&field, r), point(&field, r)) < 1e-3, "{r:?}");
    }
    let higher = Field::point("flat", 1.0, 1.0, degree + 1, 0);
    assert!(Harmonics::new(&higher).is_err());
}

#[test]
fn prop_the_description_tells_fields_apart() {
    let of = |field: &Field| Harmonics::new(field).unwrap().describe().to_owned();
    let base = field("JGM3", 8, 8);
    let mut others = vec![field("JGM3", 8, 7), field("JGM3", 7, 7), field("JGM2", 8, 8)];
    for change in 0..5 {
        let mut other = base.clone();
        let number = match change {
            0 => &mut other.c[5],
            1 => &mut other.s[44],
            2 => &mut other.mu_km3_s2,
            3 => &mut other.radius_km,
            _ => &mut other.c[44],
        };
        *number = f64::from_bits(number.to_bits() ^ 1);
        others.push(other);
    }
    assert_eq!(of(&base), of(&base.clone()));
    assert!(others.iter().all(|other| of(other) != of(&base)));
}

#[test]
#[ignore = "a measurement: cargo test --release speed -- --ignored --nocapture"]
fn speed_of_a_call() {
    let rotation = [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(|row| row.map(Lanes::splat));
    let r = [7000.0, 1000.0, 300.0].map(Lanes::splat);
    for isa in Isa::available() {
        let vectors = Vectors::new(isa, 8);
        for degree in [0, 2, 4, 8, 20, 36, 70] {
            let harmonics = Harmonics::new(&field("JGM3", degree, degree)).unwrap();
            let mut a = [Lanes::default(); 3];
            let calls = 400_000 / (degree * degree + 100);
            let mut time = |turned: bool| {
                let start = std::time::Instant::now();
                for _ in 0..calls {
                    let r = std::hint::black_box(&r);
                    if turned {
                        harmonics.acceleration_inertial(vectors, std::hint::black_box(&rotation), r, &mut a);
                    } else {
                        harmonics.acceleration(vectors, r, &mut a);
                    }
                }
                start.elapsed().as_secs_f64() * 1e9 / calls as f64
            };
            let [fixed, turned] = [false, true].map(|turned| (0..20).map(|_| time(turned)).fold(f64::MAX, f64::min));
            println!(
                "{:8} {degree:2}: {fixed:9.1} ns a call, {:7.1} a lane; turned {turned:9.1}",
                isa.name(),
                fixed / 8.0
            );
        }
    }
}

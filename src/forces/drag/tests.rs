//! Densities of GMAT, and the laws of drag.

use std::sync::Arc;

use super::*;
use crate::astro::epoch::{Epoch, Scale};
use crate::base::lanes::{Isa, WIDTH};
use crate::forces::drag::exponential::Exponential;
use crate::forces::drag::jacchia_roberts::JacchiaRoberts;
use crate::forces::drag::msise::Msise90;
use crate::forces::drag::nrlmsise::Nrlmsise00;
use crate::forces::drag::space_weather::{Activity, SpaceWeather, Weather};

/// One line of the files under tests/reference/density: what the engine was asked and what it said.
pub(crate) struct Sample {
    pub epoch: Epoch,
    pub r: [f64; 3],
    pub density: f64,
    pub height: f64,
    pub spin: [f64; 3],
    pub sun: [f64; 3],
    pub rotation: [[f64; 3]; 3],
}

/// Reads such a file.
pub(crate) fn samples(text: &str) -> Vec<Sample> {
    text.lines()
        .map(|line| {
            let n: Vec<f64> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
            let three = |at: usize| [n[at], n[at + 1], n[at + 2]];
            Sample {
                epoch: Epoch::from_mjd(Scale::A1, n[0]).unwrap(),
                r: three(1),
                density: n[4],
                height: n[5],
                spin: three(6),
                sun: three(9),
                rotation: [three(12), three(15), three(18)],
            }
        })
        .collect()
}

fn splat3(v: [f64; 3]) -> [Lanes; 3] {
    v.map(Lanes::splat)
}

/// Density and height of our own at a sample.
pub(crate) fn ours(atmosphere: &dyn Atmosphere, sample: &Sample) -> (f64, f64) {
    let vectors = Vectors::new(Isa::best(), 8);
    let rotation = sample.rotation.map(splat3);
    let epochs = [sample.epoch; WIDTH];
    let (spin, sun, r) = (splat3(sample.spin), splat3(sample.sun), splat3(sample.r));
    let around = Surroundings { epochs: &epochs, rotation: &rotation, spin: &spin, sun: &sun };
    let places = Places::new(vectors, &rotation, &r);
    let mut rho = Lanes::default();
    atmosphere.densities(vectors, &around, &r, &places, &mut rho);
    (rho.0[3], places.height.0[3])
}

/// The largest relative difference from the engine over a file, per height below which it is allowed.
fn compare(atmosphere: &dyn Atmosphere, text: &str, tolerances: &[(f64, f64)]) {
    assert!(!text.is_empty());
    for sample in samples(text) {
        let (rho, height) = ours(atmosphere, &sample);
        // 1e-7 rad of latitude tolerance in GMAT's iteration: the same steps must have been taken
        assert!((height - sample.height).abs() < 1e-8, "{height} {}", sample.height);
        let difference = if sample.density == 0.0 { rho } else { (rho / sample.density - 1.0).abs() };
        println!("{height:9.3} {rho:.6e} {difference:.2e}");
        let tolerance = tolerances.iter().find(|(top, _)| height < *top).unwrap().1;
        assert!(difference <= tolerance, "{height} km: {rho:e} {:e} {difference:e}", sample.density);
    }
}

const EVERYWHERE: f64 = f64::INFINITY;

fn mean() -> Weather {
    Weather::constant(Activity::constant(150.0, 150.0, 3.0))
}

fn active() -> Weather {
    Weather::constant(Activity::constant(220.5, 180.25, 6.33))
}

#[test]
fn val_exponential_of_gmat() {
    let text = include_str!("../../../tests/reference/density/exponential.txt");
    // 1e-9 km of height in the scale height of 5 km
    compare(&Exponential, text, &[(EVERYWHERE, 1e-12)]);
}

/// GMAT takes (Tinf - T) / (Tinf - Tx) from a rounded T: 1e-13 K of a difference that falls like exp(-h / 80 km).
const ROUNDED_TEMPERATURE: [(f64, f64); 4] = [(750.0, 1e-12), (1000.0, 1e-10), (1500.0, 1e-7), (EVERYWHERE, 5e-3)];

#[test]
fn val_jacchia_roberts_of_gmat() {
    let text = include_str!("../../../tests/reference/density/jacchia_roberts.txt");
    compare(&JacchiaRoberts::new(mean()), text, &ROUNDED_TEMPERATURE);
    let text = include_str!("../../../tests/reference/density/jacchia_roberts_active.txt");
    compare(&JacchiaRoberts::new(active()), text, &ROUNDED_TEMPERATURE);
}

/// GMAT computes MSISE90 in single precision: 6e-8 in a thousand operations, and 3e-5 km of height.
const SINGLE: [(f64, f64); 1] = [(EVERYWHERE, 4e-6)];

#[test]
fn val_msise90_of_gmat() {
    compare(&Msise90::new(mean()), include_str!("../../../tests/reference/density/msise90.txt"), &SINGLE);
    compare(&Msise90::new(mean()), include_str!("../../../tests/reference/density/msise90_low.txt"), &SINGLE);
    compare(&Msise90::new(active()), include_str!("../../../tests/reference/density/msise90_active.txt"), &SINGLE);
}

#[test]
fn val_space_weather_of_gmat() {
    let file = SpaceWeather::parse(include_str!("../../../tests/reference/density/space_weather.txt")).unwrap();
    let (file, constant) = (Arc::new(file), Activity::constant(120.0, 110.0, 2.0));
    let weather = Weather::from_file(constant, file.clone(), true, true);
    let text = include_str!("../../../tests/reference/density/weather_jacchia_roberts.txt");
    compare(&JacchiaRoberts::new(weather.clone()), text, &ROUNDED_TEMPERATURE);
    // the engine had seen an observed day before
    let text = include_str!("../../../tests/reference/density/weather_msise90.txt");
    compare(&Msise90::new(weather).always_three_hourly(), text, &SINGLE);

    let weather = Weather::from_file(constant, file, false, true);
    let text = include_str!("../../../tests/reference/density/predicted_jacchia_roberts.txt");
    compare(&JacchiaRoberts::new(weather.clone()), text, &ROUNDED_TEMPERATURE);
    let text = include_str!("../../../tests/reference/density/predicted_msise90.txt");
    compare(&Msise90::new(weather), text, &SINGLE);
}

/// Twelve places of the engine in eight lanes, starting at a lane of one's choice, as the force model holds them.
struct Bundle {
    epochs: [Epoch; WIDTH],
    rotation: [[Lanes; 3]; 3],
    spin: [Lanes; 3],
    sun: [Lanes; 3],
    r: [Lanes; 3],
    v: [Lanes; 3],
}

impl Bundle {
    fn new(samples: &[Sample], first: usize) -> Self {
        let at = |lane: usize| &samples[(first + lane) % samples.len()];
        let of = |pick: &dyn Fn(&Sample) -> f64| Lanes(std::array::from_fn(|lane| pick(at(lane))));
        let vector = |pick: &dyn Fn(&Sample) -> [f64; 3]| std::array::from_fn(|k| of(&|sample| pick(sample)[k]));
        Bundle {
            epochs: std::array::from_fn(|lane| at(lane).epoch),
            rotation: std::array::from_fn(|row| vector(&|sample| sample.rotation[row])),
            spin: vector(&|sample| sample.spin),
            sun: vector(&|sample| sample.sun),
            r: vector(&|sample| sample.r),
            // some velocity across the position
            v: vector(&|sample| [sample.r[1] * -1e-3, sample.r[2] * 1e-3, 5.0]),
        }
    }

    fn around(&self) -> Surroundings<'_> {
        Surroundings { epochs: &self.epochs, rotation: &self.rotation, spin: &self.spin, sun: &self.sun }
    }

    fn acceleration(&self, vectors: Vectors, drag: &Drag) -> [Lanes; 3] {
        self.scaled(vectors, drag, &Lanes::splat(1.0))
    }

    fn scaled(&self, vectors: Vectors, drag: &Drag, scale: &Lanes) -> [Lanes; 3] {
        let (cd, area, mass) = (Lanes::splat(2.2), Lanes::splat(15.0), Lanes::splat(850.0));
        let mut a = [Lanes::default(); 3];
        let shape = Shape { cd: &cd, area: &area, mass: &mass, scale };
        drag.add_acceleration(vectors, &self.around(), &shape, &self.r, &self.v, &mut a);
        a
    }
}

fn models() -> [Drag; 4] {
    [
        Drag::new(Box::new(Exponential)),
        Drag::new(Box::new(JacchiaRoberts::new(mean()))),
        Drag::new(Box::new(Msise90::new(mean()))),
        Drag::new(Box::new(Nrlmsise00::new(mean()))),
    ]
}

#[test]
fn prop_lanes_widths_and_instruction_sets_give_the_same_bits() {
    let samples = samples(include_str!("../../../tests/reference/density/jacchia_roberts.txt"));
    for drag in models() {
        let first = Bundle::new(&samples, 0).acceleration(Vectors::new(Isa::best(), 8), &drag);
        for isa in Isa::available() {
            for width in [1, 4, 8] {
                for shift in 0..8 {
                    // the first place is now in another lane, beside others
                    let a = Bundle::new(&samples, samples.len() - shift).acceleration(Vectors::new(isa, width), &drag);
                    for (ours, reference) in a.iter().zip(&first) {
                        if shift < width {
                            assert!(reference.0[0] != 0.0);
                            assert_eq!(ours.0[shift].to_bits(), reference.0[0].to_bits(), "{isa:?} {width} {shift}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn val_acceleration_of_gmat() {
    // DragForce of the engine, exponential atmosphere, Cd 2.2, 15 m^2, 850 kg
    for (r, v, spin, rotation, expected) in [
        (
            [4000.0, -3000.0, 4600.0],
            [5.1, 6.2, -0.4],
            [1.433_303_528_751_630_8e-7, -3.066_209_166_764_311e-10, 7.292_101_182_875_358e-5],
            [
                [-0.886_431_415_791_196_9, -0.462_856_687_194_179_33, 0.001_741_326_518_554_892_7],
                [0.462_855_781_860_608_2, -0.886_433_126_123_482_8, -0.000_915_483_017_218_302_2],
                [0.001_967_306_945_976_528_7, -5.529_859_865_329_534e-6, 0.999_998_064_834_528_1],
            ],
            [-1.741_839_179_656_747_3e-9, -2.108_580_620_382_566_5e-9, 1.425_844_794_829_285e-10],
        ),
        (
            [-6500.0, 100.0, 900.0],
            [-0.3, 2.0, 7.5],
            [1.849_996_222_003_671_6e-7, 2.309_125_129_973_528e-9, 7.292_091_660_873_396e-5],
            [
                [-0.176_625_406_215_497_63, 0.984_278_056_040_436_9, 0.000_417_464_333_222_293_3],
                [-0.984_274_878_852_431, -0.176_625_896_870_252_76, 0.002_501_082_727_823_973_4],
                [0.002_535_495_857_429_174, 3.085_509_775_614_206_4e-5, 0.999_996_785_149_192_4],
            ],
            [2.072_020_873_327_175e-8, -1.751_390_718_290_168_3e-7, -5.309_038_923_169_198e-7],
        ),
    ] {
        let mut bundle = Bundle::new(&samples(include_str!("../../../tests/reference/density/exponential.txt")), 0);
        (bundle.r, bundle.v, bundle.spin) = (splat3(r), splat3(v), splat3(spin));
        bundle.rotation = rotation.map(splat3);
        let a = bundle.acceleration(Vectors::new(Isa::best(), 8), &models()[0]);
        for (ours, theirs) in a.iter().zip(expected) {
            // 1e-10 km of height in a scale height of 20 km
            assert!((ours.0[5] / theirs - 1.0).abs() < 1e-11, "{} {theirs}", ours.0[5]);
        }
    }
}

#[test]
fn val_scale_of_gmat() {
    // velocities of the engine after 60 s from 160 km on (MSISE90) with AtmosDensityScaleFactor 0, 1 and 2.5
    let velocities = [
        [4.743_728_367_691_681, 6.441_396_706_972_851, -0.759_270_312_744_482_1],
        [4.743_678_546_684_421, 6.441_333_190_398_946, -0.759_264_230_556_125_4],
        [4.743_603_821_330_188, 6.441_237_914_995_629, -0.759_255_103_166_495],
    ];
    let bundle = Bundle::new(&samples(include_str!("../../../tests/reference/density/exponential.txt")), 0);
    let scale = Lanes([1.0, 0.0, 2.5, 2.5, 1.0, 2.5, 2.5, 0.0]);
    for isa in Isa::available() {
        let vectors = Vectors::new(isa, 8);
        let one = bundle.acceleration(vectors, &models()[0]);
        let scaled = bundle.scaled(vectors, &models()[0], &scale);
        for (axis, (one, scaled)) in one.iter().zip(&scaled).enumerate() {
            let taken = |run: usize| velocities[run][axis] - velocities[0][axis];
            for lane in [2, 3, 5, 6] {
                // what drag took of the velocity goes with the factor, but for the other path flown: 3e-4
                let ratio = scaled.0[lane] / one.0[lane];
                assert!((taken(2) / taken(1) / ratio - 1.0).abs() < 5e-4, "lane {lane}: {ratio}");
            }
            assert!(scaled.0[1] == 0.0 && scaled.0[7] == 0.0);
            assert_eq!(scaled.0[0].to_bits(), one.0[0].to_bits(), "a factor of 1 changes no bit");
        }
    }
}

#[test]
fn prop_drag_opposes_the_relative_velocity() {
    let samples = samples(include_str!("../../../tests/reference/density/exponential.txt"));
    let mut bundle = Bundle::new(&samples, 2);
    let vectors = Vectors::new(Isa::best(), 8);
    let drag = &models()[0];
    let a = bundle.acceleration(vectors, drag);
    for lane in 0..WIDTH {
        let of = |vector: &[Lanes; 3]| [vector[0].0[lane], vector[1].0[lane], vector[2].0[lane]];
        let (w, r, v, a) = (of(&bundle.spin), of(&bundle.r), of(&bundle.v), of(&a));
        let relative =
            [v[0] - w[1] * r[2] + w[2] * r[1], v[1] - w[2] * r[0] + w[0] * r[2], v[2] - w[0] * r[1] + w[1] * r[0]];
        let dot = |p: [f64; 3], q: [f64; 3]| p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
        let cosine = dot(a, relative) / (dot(a, a) * dot(relative, relative)).sqrt();
        assert!((cosine + 1.0).abs() < 1e-14, "lane {lane}: {cosine}");
    }
    // air at rest against the spacecraft does not slow it
    for k in 0..3 {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        bundle.v[k] = Lanes(std::array::from_fn(|lane| {
            bundle.spin[i].0[lane] * bundle.r[j].0[lane] - bundle.spin[j].0[lane] * bundle.r[i].0[lane]
        }));
    }
    assert!(bundle.acceleration(vectors, drag).iter().all(|a| a.0.iter().all(|x| x.abs() < 1e-30)));
}

/// Density of a model at heights over one place of the engine.
fn at_height(atmosphere: &dyn Atmosphere, sample: &Sample, height: f64) -> f64 {
    let bundle = Bundle::new(std::slice::from_ref(sample), 0);
    let places = Places::new(Vectors::new(Isa::best(), 8), &bundle.rotation, &bundle.r);
    atmosphere.density(&Place { height, ..places.lane(0, &bundle.around(), &bundle.r) })
}

#[test]
fn prop_falls_with_height() {
    let samples = samples(include_str!("../../../tests/reference/density/jacchia_roberts.txt"));
    for drag in models() {
        for sample in samples.iter().step_by(5) {
            let mut last = f64::INFINITY;
            for height in (101..1500).step_by(3) {
                // above 200 km Jacchia-Roberts has a warmer air
                let rho = at_height(drag.atmosphere(), sample, f64::from(height));
                let jump = if (200..203).contains(&height) { 1.05 } else { 1.0 };
                assert!(rho > 0.0 && rho < last * jump, "{height} km: {rho:e} after {last:e}");
                last = rho;
            }
        }
    }
}

#[test]
fn prop_layers_join() {
    let samples = samples(include_str!("../../../tests/reference/density/jacchia_roberts.txt"));
    let jump = |atmosphere: &dyn Atmosphere, sample: &Sample, height: f64| {
        let above = at_height(atmosphere, sample, height + 1e-9);
        (above / at_height(atmosphere, sample, height - 1e-9) - 1.0).abs()
    };
    for sample in samples.iter().step_by(3) {
        let jacchia = JacchiaRoberts::new(mean());
        // Roberts' fits of the densities at 125 km; hydrogen enters at 500 km
        assert!(jump(&jacchia, sample, 125.0) < 5e-3);
        assert!(jump(&jacchia, sample, 500.0) < 0.05);
        // a spline meets Bates' profile; corrections end, at 300 km the variation of the nodes
        let msise = Msise90::new(mean());
        for height in [110.0, 100.0, 90.0, 60.0, 55.0, 45.0, 20.0, 15.0, 10.0] {
            assert!(jump(&msise, sample, height) < 1e-7, "{height} {}", jump(&msise, sample, height));
        }
        for height in [62.5, 160.0, 200.0, 240.0, 300.0, 320.0, 400.0, 450.0] {
            assert!(jump(&msise, sample, height) < 2e-3, "{height} {}", jump(&msise, sample, height));
        }
    }
    for band in 1..exponential::EARTH.len() {
        let [height, density, _] = exponential::EARTH[band];
        // Vallado's table is continuous to its last digit
        assert!((Exponential::at_height(height - 1e-9) / density - 1.0).abs() < 0.01, "{height}");
        assert!((Exponential::at_height(height) / density - 1.0).abs() < 1e-15);
    }
}

#[test]
fn prop_ellipsoid() {
    use super::place::{EARTH_FLATTENING, EARTH_RADIUS};
    let one = |x: f64| Lanes::splat(x);
    let unit = [[one(1.0), one(0.0), one(0.0)], [one(0.0), one(1.0), one(0.0)], [one(0.0), one(0.0), one(1.0)]];
    let e_squared = EARTH_FLATTENING * (2.0 - EARTH_FLATTENING);
    for (latitude, height) in [(0.0, 300.0), (0.5, 100.0), (-1.2, 800.0), (1.5, 35_786.0), (0.9, 0.0)] {
        let (s, c) = (libm::sin(latitude), libm::cos(latitude));
        let n = EARTH_RADIUS / (1.0 - e_squared * s * s).sqrt();
        let r = [one((n + height) * c), one(0.0), one((n * (1.0 - e_squared) + height) * s)];
        let places = Places::new(Vectors::new(Isa::best(), 8), &unit, &r);
        // GMAT's early end leaves 7e-10 rad of latitude, and so 4e-6 km tan(latitude)
        assert!((places.height.0[0] - height).abs() < 5e-6 * (1.0 + (s / c).abs()), "{latitude} {height}");
        assert!((libm::atan2(places.sine.0[0], places.cosine.0[0]) - latitude).abs() < 7e-10);
    }
}

#[test]
fn places_out_of_the_model_are_nan() {
    let samples = samples(include_str!("../../../tests/reference/density/jacchia_roberts.txt"));
    for drag in models() {
        let atmosphere = drag.atmosphere();
        assert!(at_height(atmosphere, &samples[0], atmosphere.lowest_height() - 1e-3).is_nan());
        assert!(at_height(atmosphere, &samples[0], f64::NAN).is_nan());
        assert!(at_height(atmosphere, &samples[0], atmosphere.lowest_height() + 1e-3) > 0.0);
    }
    assert!(at_height(&JacchiaRoberts::new(mean()), &samples[0], 2501.0) == 0.0);
}

#[test]
#[ignore = "a measurement, not a test"]
fn time_a_lane() {
    let samples = samples(include_str!("../../../tests/reference/density/weather_jacchia_roberts.txt"));
    let bundle = Bundle::new(&samples, 0);
    for isa in Isa::available() {
        for (drag, name) in models().iter().zip(["exponential", "Jacchia-Roberts", "MSISE90", "NRLMSISE-00"]) {
            let vectors = Vectors::new(isa, 8);
            let mut best = f64::INFINITY;
            for _ in 0..20 {
                let start = std::time::Instant::now();
                for _ in 0..500 {
                    std::hint::black_box(bundle.acceleration(vectors, std::hint::black_box(drag)));
                }
                best = best.min(start.elapsed().as_secs_f64() / 4000.0 * 1e9);
            }
            println!("{:10} {name:16} {best:7.1} ns a lane, drag and all", isa.name());
        }
    }
}

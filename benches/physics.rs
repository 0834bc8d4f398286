//! The physics call by call: each force, gravity to 20x20 and 70x70, the Sun and the Moon, the Earth's axes, a day of W1H.
//!
//! Figures are of a call for all lanes in use; divide those of eight lanes by eight for one run's share.
//! `docs/physics.md` sets them against what the processor could do.
#![allow(missing_docs, clippy::unwrap_used)] // made by a macro; a bench may panic

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use sweep_mpi::astro::bodies::Bodies;
use sweep_mpi::astro::ephemeris::{Body, EphemerisCache};
use sweep_mpi::astro::epoch::{Epoch, Scale};
use sweep_mpi::astro::frames::OrientationCache;
use sweep_mpi::astro::world::World;
use sweep_mpi::base::lanes::{Isa, Lanes, Vectors, WIDTH};
use sweep_mpi::forces::drag::exponential::Exponential;
use sweep_mpi::forces::drag::jacchia_roberts::JacchiaRoberts;
use sweep_mpi::forces::drag::msise::Msise90;
use sweep_mpi::forces::drag::nrlmsise::Nrlmsise00;
use sweep_mpi::forces::drag::space_weather::{Activity, Weather};
use sweep_mpi::forces::harmonics::Field;
use sweep_mpi::forces::point_mass::PointMass;
use sweep_mpi::forces::radiation_pressure::{FLUX, NOMINAL_SUN};
use sweep_mpi::forces::terms::{DragTerm, FieldTerm, RadiationTerm, RelativityTerm, ThirdBodyTerm};
use sweep_mpi::forces::{Force, ForceModel, Needs};
use sweep_mpi::gmat;
use sweep_mpi::integrators::dynamics::Dynamics as _;
use sweep_mpi::mission::compile::compile;
use sweep_mpi::propagator::{Bundle, Flight, Propagator};

/// One and eight lanes on every instruction set of this machine.
fn variants() -> Vec<(String, Vectors)> {
    let widths = |isa: Isa| [1, WIDTH].map(|width| (format!("{} x{width}", isa.name()), Vectors::new(isa, width)));
    Isa::available().into_iter().flat_map(widths).collect()
}

/// A force model of one force.
fn model(force: impl FnOnce(&mut Needs) -> Box<dyn Force>) -> ForceModel {
    let mut needs = Needs::default();
    let force = force(&mut needs);
    ForceModel { forces: vec![force], center: Body::Earth, needs }
}

fn field(name: &str, degree: usize) -> ForceModel {
    model(|needs| {
        needs.rotation = true;
        Box::new(FieldTerm::new(&Field::embedded(name).unwrap().cut(degree, degree).unwrap()).unwrap())
    })
}

fn weather() -> Weather {
    Weather::constant(Activity::constant(150.0, 150.0, 3.0))
}

/// A low orbit, another place in each lane.
fn orbit() -> ([Lanes; 3], [Lanes; 3]) {
    let lanes = |f: fn(f64) -> f64| Lanes(std::array::from_fn(|lane| f(0.3 * lane as f64)));
    let r = [lanes(|t| 6_800.0 * libm::cos(t)), lanes(|t| 6_000.0 * libm::sin(t)), lanes(|t| 3_200.0 * libm::sin(t))];
    let v = [lanes(|t| -7.6 * libm::sin(t)), lanes(|t| 6.7 * libm::cos(t)), lanes(|t| 3.6 * libm::cos(t))];
    (r, v)
}

/// Each force with the bodies and the axes that it needs, at instants that move on as those of stages do.
fn forces(c: &mut Criterion) {
    let models = [
        ("point mass", model(|_| Box::new(PointMass::new(Body::Earth.mu())))),
        ("gravity 20x20", field("JGM2", 20)),
        ("gravity 70x70", field("EGM96", 70)),
        ("Moon", model(|needs| ThirdBodyTerm::boxed(Body::Luna, &Bodies::default(), needs))),
        (
            "radiation pressure",
            model(|needs| RadiationTerm::boxed(FLUX, NOMINAL_SUN, Body::Earth, &[], &Bodies::default(), needs)),
        ),
        ("relativity", model(|needs| RelativityTerm::boxed(Body::Earth, &Bodies::default(), needs))),
        ("exponential drag", model(|needs| Box::new(DragTerm::new(Box::new(Exponential), needs)))),
        (
            "Jacchia-Roberts drag",
            model(|needs| Box::new(DragTerm::new(Box::new(JacchiaRoberts::new(weather())), needs))),
        ),
        ("MSISE90 drag", model(|needs| Box::new(DragTerm::new(Box::new(Msise90::new(weather())), needs)))),
        ("NRLMSISE-00 drag", model(|needs| Box::new(DragTerm::new(Box::new(Nrlmsise00::new(weather())), needs)))),
    ];
    let world = World::gmat();
    let (r, v) = orbit();
    for (name, model) in &models {
        let mut group = c.benchmark_group(*name);
        for (variant, vectors) in variants() {
            let mut bundle = Bundle::default();
            let mut motion = bundle.under(model, &world);
            let mut a = [Lanes::default(); 3];
            let mut dt = 0.0;
            group.throughput(Throughput::Elements(vectors.width() as u64));
            group.bench_function(BenchmarkId::from_parameter(variant), |b| {
                b.iter(|| {
                    dt = if dt > 40_000.0 { 0.0 } else { dt + 2.5 };
                    motion.acceleration(vectors, &Lanes::splat(dt), black_box(&r), &v, &mut a);
                });
            });
        }
        group.finish();
    }
}

/// Where the bodies are and how the Earth stands, without a force.
fn surroundings(c: &mut Criterion) {
    let world = World::gmat();
    let start = Epoch::from_mjd(Scale::Utc, 31_041.5).unwrap();
    for (variant, vectors) in variants() {
        let mut group = c.benchmark_group("surroundings");
        group.throughput(Throughput::Elements(vectors.width() as u64));
        let (mut cache, mut positions, mut step) = (EphemerisCache::default(), [[Lanes::default(); 3]; 2], 0.0);
        group.bench_function(BenchmarkId::new("Sun and Moon", &variant), |b| {
            b.iter(|| {
                step = if step > 80_000.0 { 0.0 } else { step + 2.5 };
                let epochs = [start.plus(step); WIDTH];
                let bodies = [Body::Sun, Body::Luna];
                world.ephemeris.positions(vectors, &epochs, &bodies, Body::Earth, &mut cache, &mut positions).unwrap();
            });
        });
        let (mut cache, mut out, mut spin) =
            (OrientationCache::default(), [[Lanes::default(); 3]; 3], [Lanes::default(); 3]);
        group.bench_function(BenchmarkId::new("axes of the Earth", &variant), |b| {
            b.iter(|| {
                step = if step > 80_000.0 { 0.0 } else { step + 2.5 };
                world.earth.fixed_from_inertial(vectors, &[start.plus(step); WIDTH], &mut cache, &mut out, &mut spin);
            });
        });
        group.finish();
    }
}

/// Eight runs of W1H: a day under gravity 20x20, Sun, Moon and radiation pressure at 1e-12.
fn w1h(c: &mut Criterion) {
    let script = std::fs::read_to_string("configs/reference/w1_heavy.script").unwrap();
    let mission =
        compile("w1_heavy.script", &script, &gmat::parse("w1_heavy.script", script.as_bytes()).unwrap()).unwrap();
    let swept = vec![mission.setting("Sat.SMA", None).unwrap()];
    let outputs = ["Sat.X", "Sat.Y", "Sat.Z"].map(|path| mission.column(path).unwrap()).to_vec();
    let flight = Flight { mission, swept, outputs, rows_max: 0, steps_max: 1_000_000, wall_max: None };
    let mut group = c.benchmark_group("w1h_day");
    group.sample_size(10);
    for (variant, vectors) in variants() {
        let mut propagator = Propagator::new(&flight, vectors);
        group.throughput(Throughput::Elements(8));
        group.bench_function(BenchmarkId::from_parameter(variant), |b| {
            b.iter(|| {
                let mut sum = 0.0;
                let sma = |run: u64, out: &mut [f64]| out[0] = 7_000.0 + run as f64;
                propagator.fly(&flight, 0..8, sma, |run| sum += run.outputs[0]);
                sum
            });
        });
    }
}

criterion_group!(benches, forces, surroundings, w1h);
criterion_main!(benches);

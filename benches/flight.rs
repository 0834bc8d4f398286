//! One force call, one RungeKutta89 step, one run of W1: alone and a lane of a bundle.
//!
//! Figures a lane are the bundle's time; divide by its width to compare with one lane.
#![allow(missing_docs, clippy::unwrap_used)] // made by a macro; a bench may panic

#[path = "../tests/earth/mod.rs"]
mod earth;
#[path = "../tests/plans/mod.rs"]
mod plans;

use std::hint::black_box;

use earth::Earth;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use sweep_mpi::astro::constants::EARTH_MU;
use sweep_mpi::base::lanes::{Isa, Lanes, Vectors};
use sweep_mpi::forces::point_mass::PointMass;
use sweep_mpi::integrators::error_control::ErrorControl;
use sweep_mpi::integrators::find;
use sweep_mpi::integrators::step_control::StepSettings;
use sweep_mpi::integrators::stepper::Carry;
use sweep_mpi::integrators::trial::TrialStep;
use sweep_mpi::propagator::Propagator;

/// Every width on every instruction set of this machine.
fn variants() -> Vec<(String, Vectors)> {
    let widths = |isa: Isa| [1, 8].map(|width| (format!("{} x{width}", isa.name()), Vectors::new(isa, width)));
    Isa::available().into_iter().flat_map(widths).collect()
}

fn force(c: &mut Criterion) {
    let mut group = c.benchmark_group("point_mass");
    let force = PointMass::new(EARTH_MU);
    let r = [Lanes::splat(7000.0), Lanes::splat(100.0), Lanes::splat(-30.0)];
    for (name, vectors) in variants() {
        group.throughput(Throughput::Elements(vectors.width() as u64));
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            let mut a = [Lanes::default(); 3];
            b.iter(|| force.add_at(vectors, black_box(&r), &mut a));
        });
    }
}

fn step(c: &mut Criterion) {
    let mut group = c.benchmark_group("rk89_step");
    let method = find("RungeKutta89").unwrap();
    let settings = StepSettings { accuracy: 1e-9, ..StepSettings::default() };
    for (name, vectors) in variants() {
        let mut trial = TrialStep::default();
        for lane in 0..vectors.width() {
            trial.begin(lane, &method, &settings, &[7000.0, 0.0, 0.0, 0.0, 6.6, 3.6], Carry::new(60.0));
        }
        let mut earth = Earth::default();
        group.throughput(Throughput::Elements(vectors.width() as u64));
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| trial.attempt(vectors, &method, black_box(&mut earth), ErrorControl::RssStep));
        });
    }
}

fn w1(c: &mut Criterion) {
    let mut group = c.benchmark_group("w1_run");
    let plan = plans::plan(
        &plans::sma(1000),
        "final = [\"Sat.X\", \"Sat.Y\", \"Sat.Z\", \"Sat.VX\", \"Sat.VY\", \"Sat.VZ\"]",
        |s| s,
    );
    let flight = plans::flight(&plan);
    for (name, vectors) in variants() {
        let mut propagator = Propagator::new(flight, vectors);
        group.throughput(Throughput::Elements(1000));
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| {
                let mut sum = 0.0;
                propagator.fly(flight, 0..1000, |run, out| plan.design.values(run, out), |run| sum += run.outputs[0]);
                sum
            });
        });
    }
}

criterion_group!(benches, force, step, w1);
criterion_main!(benches);

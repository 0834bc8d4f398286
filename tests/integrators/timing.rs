//! How long a step takes: `cargo test --release --test integrators -- --ignored --nocapture`.

use std::hint::black_box;
use std::time::Instant;

use sweep_mpi::base::lanes::{Isa, Vectors};
use sweep_mpi::integrators::REGISTRY;
use sweep_mpi::integrators::error_control::ErrorControl;
use sweep_mpi::integrators::step_control::StepSettings;
use sweep_mpi::integrators::stepper::Carry;
use sweep_mpi::integrators::trial::TrialStep;

use crate::earth::Earth;

#[test]
#[ignore = "a measurement"]
fn nanoseconds_of_a_step() {
    let mut earth = Earth::default();
    let state = [7000.0, 0.0, 0.0, 0.0, 6.6, 3.6];
    for entry in REGISTRY {
        let method = (entry.method)();
        for (isa, width) in Isa::available().into_iter().flat_map(|isa| [(isa, 1), (isa, 8)]) {
            let vectors = Vectors::new(isa, width);
            // ABM at a step size that it keeps; the others adapt
            let settings = StepSettings { accuracy: 1e-9, lower_error: 1e-18, ..StepSettings::default() };
            let mut trial = TrialStep::default();
            for lane in 0..width {
                trial.begin(lane, &method, &settings, &state, Carry::new(5.0));
            }
            let (mut best, steps) = ([f64::MAX; 2], 20_000);
            for _ in 0..5 {
                let start = Instant::now();
                for _ in 0..steps {
                    trial.attempt(vectors, &method, black_box(&mut earth), ErrorControl::RssStep);
                }
                best[0] = best[0].min(start.elapsed().as_secs_f64() * 1e9 / f64::from(steps));
                let start = Instant::now();
                for _ in 0..steps {
                    trial.attempt(vectors, &method, black_box(&mut earth), ErrorControl::RssStep);
                    for lane in 0..width {
                        black_box(trial.judge(lane, &method, &settings));
                    }
                }
                best[1] = best[1].min(start.elapsed().as_secs_f64() * 1e9 / f64::from(steps));
            }
            let [attempt, both] = best.map(|time| time / width as f64);
            println!(
                "{:22} {:8} x{width}: attempt {attempt:7.1} ns a lane, with its judge {both:7.1}",
                entry.name,
                isa.name()
            );
        }
    }
}

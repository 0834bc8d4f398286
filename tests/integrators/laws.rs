//! Laws: order, reversal, times of the stages, the same bits in every lane.

use std::sync::Arc;

use sweep_mpi::astro::constants::EARTH_MU;
use sweep_mpi::base::lanes::{Isa, Lanes, Vectors, WIDTH};
use sweep_mpi::integrators::dynamics::Dynamics;
use sweep_mpi::integrators::error_control::ErrorControl;
use sweep_mpi::integrators::method::Method;
use sweep_mpi::integrators::step_control::StepSettings;
use sweep_mpi::integrators::stepper::{Carry, Progress};
use sweep_mpi::integrators::trial::TrialStep;
use sweep_mpi::integrators::{REGISTRY, find};

use crate::driver::distance;
use crate::earth::Earth;

fn methods() -> Vec<Arc<Method>> {
    REGISTRY.iter().map(|entry| find(entry.name).unwrap()).collect()
}

/// Fixed steps of length `h` in one lane.
fn fly(method: &Method, dynamics: &mut dyn Dynamics, start: &[f64; 6], h: f64, steps: u32) -> [f64; 6] {
    // RungeKutta68 goes to the longest step where there is no error
    let settings = StepSettings { min_step: 0.0, max_step: h.abs(), ..StepSettings::default() };
    let mut trial = TrialStep::default();
    trial.begin(0, method, &settings, start, Carry::new(h));
    for _ in 0..steps {
        trial.attempt(Vectors::new(Isa::best(), 1), method, dynamics, ErrorControl::None);
        assert_eq!(trial.judge(0, method, &settings), Progress::Whole { taken: h });
    }
    trial.state_of(0)
}

const ECCENTRIC: [f64; 6] = [20_000.0, 0.0, 0.0, 0.0, 3.0, 1.9];

/// The period of a state, s.
fn period(state: &[f64; 6]) -> f64 {
    let [r, v2] = [0, 3].map(|i| state[i..i + 3].iter().map(|x| x * x).sum::<f64>());
    let sma = 1.0 / (2.0 / r.sqrt() - v2 / EARTH_MU);
    std::f64::consts::TAU * (sma.powi(3) / EARTH_MU).sqrt()
}

#[test]
#[allow(clippy::match_same_arms)] // a table
fn prop_order_of_convergence() {
    // Not a whole orbit, where errors cancel. The reference: three times the steps that reach 1e-9 km.
    let time = 0.4 * period(&ECCENTRIC);
    let mut earth = Earth::default();
    let mut fly =
        |method: &Method, steps: u32| self::fly(method, &mut earth, &ECCENTRIC, time / f64::from(steps), steps);
    let exact = fly(&find("RungeKutta89").unwrap(), 100);
    for method in methods() {
        // as many steps as give errors far above rounding, and small enough for the order to be seen
        let (order, coarse) = match method.name() {
            "RungeKutta89" => (9.0, 16),
            "PrinceDormand78" => (8.0, 12),
            "PrinceDormand45" => (5.0, 100),
            "RungeKutta56" => (6.0, 60),
            "RungeKutta68" => (8.0, 12),
            "AdamsBashforthMoulton" => (4.0, 1000),
            name => panic!("{name}"),
        };
        let errors = [coarse, 2 * coarse].map(|steps| distance(&fly(&method, steps), &exact));
        let observed = (errors[0] / errors[1]).log2();
        println!("{}: order {observed:.2}, errors {errors:?} km", method.name());
        assert!((observed - order).abs() < 0.3, "{}: {observed} {errors:?}", method.name());
    }
}

#[test]
fn prop_reversal() {
    let mut earth = Earth::default();
    for method in methods() {
        let mut go = |state: &[f64; 6], h: f64| fly(&method, &mut earth, state, h, 400);
        let there = go(&ECCENTRIC, 10.0);
        let back = go(&there, -10.0);
        let apart = distance(&back, &ECCENTRIC);
        println!("{}: {apart:.1e} km", method.name());
        // the errors of 800 steps: rounding (1e-9), but for the methods of lower order
        let tolerance = match method.order() {
            4 => 1e-3,
            5 => 1e-6,
            6 => 1e-7,
            _ => 2e-9,
        };
        assert!(apart < tolerance && apart > 0.0, "{}: {apart:e}", method.name());
    }
}

/// r'' = cos t + 2 sin 3t: the acceleration depends on time alone.
struct Clock {
    /// When the step starts.
    t: f64,
}

impl Dynamics for Clock {
    fn acceleration(&mut self, _: Vectors, dt: &Lanes, _: &[Lanes; 3], _: &[Lanes; 3], a: &mut [Lanes; 3]) {
        *a = [Lanes(dt.0.map(|dt| (self.t + dt).cos() + 2.0 * (3.0 * (self.t + dt)).sin())); 3];
    }
}

#[test]
fn prop_times_of_the_stages() {
    for method in methods() {
        let (h, steps) = if method.order() > 6 { (0.1, 100) } else { (0.01, 1000) };
        let mut clock = Clock { t: 0.0 };
        let settings = StepSettings { min_step: 0.0, max_step: h, ..StepSettings::default() };
        let mut trial = TrialStep::default();
        trial.begin(0, &method, &settings, &[0.0; 6], Carry::new(h));
        for _ in 0..steps {
            trial.attempt(Vectors::new(Isa::best(), 1), &method, &mut clock, ErrorControl::None);
            let Progress::Whole { taken } = trial.judge(0, &method, &settings) else { panic!() };
            clock.t += taken;
        }
        let t = clock.t;
        let [x, _, _, v, _, _] = trial.state_of(0);
        let (exact_x, exact_v) = (
            1.0 - t.cos() + 2.0 * t / 3.0 - 2.0 * (3.0 * t).sin() / 9.0,
            t.sin() + 2.0 * (1.0 - (3.0 * t).cos()) / 3.0,
        );
        let error = (x - exact_x).abs().max((v - exact_v).abs());
        println!("{}: {error:.1e}", method.name());
        // a node off by a hundredth of a step would be 1e-3 here
        assert!(error < if method.order() == 4 { 1e-6 } else { 2e-9 }, "{}: {error:e}", method.name());
    }
}

/// What a lane flies in the test below: steps, and a span at the end, taken back where the number is odd.
fn orbit(run: usize) -> ([f64; 6], StepSettings, usize) {
    let x = run as f64;
    let state = [6800.0 + 300.0 * x, -500.0 * x, 20.0, 0.3, 6.9 - 0.1 * x, 3.0];
    let settings = StepSettings {
        initial_step: 20.0 + 17.0 * x,
        accuracy: 1e-9,
        max_step: 400.0,
        lower_error: 1e-11,
        target_error: 5e-10,
        ..StepSettings::default()
    };
    (state, settings, 5 + 7 * run % 23)
}

/// Run, steps left, state before the step, whether it flies its span.
type Flying = (usize, usize, [f64; 6], bool);

/// Flies the runs, as many lanes at once as the width, a lane with the next run as soon as it is free.
fn flock(method: &Method, vectors: Vectors, control: ErrorControl, runs: std::ops::Range<usize>) -> Vec<[u64; 6]> {
    let mut earth = Earth::default();
    let mut trial = TrialStep::default();
    let mut waiting = runs.clone();
    let mut ends = vec![[0; 6]; runs.len()];
    let mut lanes: [Option<Flying>; WIDTH] = [None; WIDTH];
    let mut load = |trial: &mut TrialStep, lane: usize| {
        let Some(run) = waiting.next() else {
            trial.idle(lane);
            return None;
        };
        let (state, settings, steps) = orbit(run);
        trial.begin(lane, method, &settings, &state, Carry::new(settings.initial_step));
        Some((run, steps, state, false))
    };
    for (lane, slot) in lanes.iter_mut().enumerate().take(vectors.width()) {
        *slot = load(&mut trial, lane);
    }
    while lanes.iter().any(Option::is_some) {
        trial.attempt(vectors, method, &mut earth, control);
        for (lane, slot) in lanes.iter_mut().enumerate() {
            let Some((run, steps, before, spans)) = *slot else { continue };
            let (_, settings, _) = orbit(run);
            match trial.judge(lane, method, &settings) {
                Progress::Rejected | Progress::Moved { .. } => {}
                Progress::Failed(failure) => panic!("{run} {failure}"),
                Progress::Whole { .. } if spans => {
                    ends[run - runs.start] = trial.state_of(lane).map(f64::to_bits);
                    *slot = load(&mut trial, lane);
                }
                Progress::Whole { .. } if steps > 0 => {
                    *slot = Some((run, steps - 1, trial.state_of(lane), false));
                }
                Progress::Whole { .. } => {
                    if run % 2 == 1 {
                        trial.take_back(lane, method, &before);
                    }
                    trial.span(lane, method, &settings, 33.0 + run as f64);
                    *slot = Some((run, 0, before, true));
                }
            }
        }
    }
    ends
}

#[test]
fn prop_same_bits_in_any_lane() {
    for method in methods() {
        for control in [ErrorControl::RssStep, ErrorControl::LargestState] {
            let lowest = Isa::available().pop().unwrap();
            let expected = flock(&method, Vectors::new(lowest, 1), control, 0..20);
            assert!(expected.iter().all(|end| end.iter().all(|bits| f64::from_bits(*bits).is_finite())));
            for isa in Isa::available() {
                for width in [1, 4, 8] {
                    let vectors = Vectors::new(isa, width);
                    let name = format!("{} {} x{width}", method.name(), isa.name());
                    assert_eq!(flock(&method, vectors, control, 0..20), expected, "{name}");
                    // beside other neighbours
                    assert_eq!(flock(&method, vectors, control, 3..20), expected[3..], "{name}");
                }
            }
        }
    }
}

use super::*;
use crate::integrators::find;

fn trial(stepper: &Stepper, method: &Method, settings: &StepSettings, error: f64) -> Trial {
    let h = stepper.trial(method, settings);
    Trial { h, error, growth: root(settings.accuracy / error, method.order()) }
}

/// Judges trials with these errors, one after the other.
fn progress(stepper: &mut Stepper, method: &Method, settings: &StepSettings, errors: &[f64]) -> Vec<(f64, Progress)> {
    let judge = |&error: &f64| {
        let trial = trial(stepper, method, settings, error);
        (trial.h, stepper.judge(method, settings, trial).progress)
    };
    errors.iter().map(judge).collect()
}

#[test]
fn val_no_error_at_all() {
    let settings = StepSettings { max_step: 500.0, ..StepSettings::default() };
    for (name, second) in [("RungeKutta89", 60.0), ("RungeKutta68", 500.0), ("AdamsBashforthMoulton", 60.0)] {
        let method = find(name).unwrap();
        let mut stepper = Stepper::new(&method, Carry::new(60.0));
        let steps = progress(&mut stepper, &method, &settings, &[0.0, 0.0]);
        assert_eq!(steps, [60.0, second].map(|h| (h, Progress::Whole { taken: h })), "{name}");
    }
}

#[test]
fn val_span_in_parts() {
    let settings = StepSettings { accuracy: 1e-9, max_step: 100.0, max_attempts: 2, ..StepSettings::default() };
    let method = find("PrinceDormand45").unwrap();
    let mut stepper = Stepper::new(&method, Carry::new(60.0));
    stepper.span(&method, 250.0);
    // at most the longest step, and all that is left each time, however good the step before was
    let steps = progress(&mut stepper, &method, &settings, &[1e-12, 1e-12, 1e-12]);
    let moved = Progress::Moved { taken: 100.0 };
    assert_eq!(steps, [(100.0, moved), (100.0, moved), (50.0, Progress::Whole { taken: 50.0 })]);
    // one more is too many for two attempts
    stepper.span(&method, 350.0);
    let steps = progress(&mut stepper, &method, &settings, &[1e-12; 3]);
    assert_eq!(steps[2].1, Progress::Failed(StepFailure::StepAttempts));
    // the smallest step does not hold for what is left
    stepper.span(&method, 1e-5);
    assert_eq!(progress(&mut stepper, &method, &settings, &[1e-12])[0].0.to_bits(), 1e-5_f64.to_bits());
}

#[test]
fn val_multistep_step_sizes() {
    let settings = StepSettings { accuracy: 1e-8, lower_error: 1e-12, target_error: 1e-10, ..StepSettings::default() };
    let method = find("AdamsBashforthMoulton").unwrap();
    let mut stepper = Stepper::new(&method, Carry::new(60.0));
    // three steps of the starter, the first of them in two parts
    let steps = progress(&mut stepper, &method, &settings, &[1e-6, 1e-9, 1e-9, 1e-9, 1e-9]);
    assert_eq!(steps[0], (60.0, Progress::Rejected));
    let Progress::Moved { taken } = steps[1].1 else { panic!("{steps:?}") };
    assert_eq!(steps[2], (60.0 - taken, Progress::Whole { taken: 60.0 - taken }));
    assert!(!stepper.is_starting());
    // too large: 60 (1e-10 / 1.6e-7)^(1/4) = 9.486832980505138, and a new start
    assert_eq!(progress(&mut stepper, &method, &settings, &[1.6e-7])[0].1, Progress::Rejected);
    assert!(stepper.is_starting() && (stepper.h - 9.486_832_980_505_138).abs() < 1e-12);
    // too small: taken, then at most twice as long
    progress(&mut stepper, &method, &settings, &[1e-9; 3]);
    let h = stepper.h;
    let steps = progress(&mut stepper, &method, &settings, &[1e-14]);
    assert_eq!(steps[0].1, Progress::Whole { taken: h });
    assert!(stepper.is_starting() && stepper.h.to_bits() == (2.0 * h).to_bits());
    // a span is divided into equal steps
    stepper.span(&method, 100.0);
    assert!((stepper.h - 100.0 / 6.0).abs() < 1e-12);
}

#[test]
fn val_multistep_span() {
    let settings = StepSettings { accuracy: 1e-8, lower_error: 1e-12, target_error: 1e-10, ..StepSettings::default() };
    let method = find("AdamsBashforthMoulton").unwrap();
    let mut stepper = Stepper::new(&method, Carry::new(60.0));
    let moved = |h: f64| (h, Progress::Moved { taken: h });
    // four steps of 60 s; the last one, which is the first without the starter, has too large an error:
    // 60 s are halved until they are not longer than 9.49 s, and flown from a new start
    stepper.span(&method, 240.0);
    let steps = progress(&mut stepper, &method, &settings, &[1e-9, 1e-9, 1e-9, 1.6e-7]);
    assert_eq!(steps, [moved(60.0), moved(60.0), moved(60.0), (60.0, Progress::Rejected)]);
    let steps = progress(&mut stepper, &method, &settings, &[1e-9, 1e-9, 1e-9, 1e-9]);
    assert_eq!(steps, [moved(7.5); 4]);
    // 30 s are left: a step with too small an error makes the next ones 11.25, but they do not fit; the third
    // leaves 7.5 s, the last one an even number of steps (none): GMAT doubles the step for the next time
    let steps = progress(&mut stepper, &method, &settings, &[1e-9, 1e-9, 1e-9, 1e-13]);
    assert_eq!(steps[..3], [moved(7.5); 3]);
    assert_eq!(steps[3], (7.5, Progress::Whole { taken: 7.5 }));
    assert!(stepper.is_starting() && stepper.carry().step.to_bits() == 15.0_f64.to_bits());
    // with an even number of steps left it doubles on the way
    let mut stepper = Stepper::new(&method, Carry::new(10.0));
    stepper.span(&method, 60.0);
    let steps = progress(&mut stepper, &method, &settings, &[1e-9, 1e-9, 1e-9, 1e-13, 1e-9]);
    assert_eq!(steps[..4], [moved(10.0); 4]);
    assert_eq!(steps[4], (20.0, Progress::Whole { taken: 20.0 }));
    // the fixed step is kept where the error is at its bounds
    stepper.span(&method, 20.0);
    assert_eq!(progress(&mut stepper, &method, &settings, &[1e-9]), [(20.0, Progress::Whole { taken: 20.0 })]);
}

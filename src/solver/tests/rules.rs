//! A mission flown by GMAT R2026a, pass by pass, and the rules of entries, passes and refusals.
#![allow(clippy::unreadable_literal)]

use crate::solver::differential_corrector::{DifferentialCorrector, Entry, Next, Outcome};
use crate::solver::settings::{ExitMode, Scaling, Settings, SolverError, VaryOptions};

/// Target of two burns of a Hohmann transfer (the case `target_hohmann`): scaled variables, then what GMAT achieved,
/// radius in km and eccentricity, as its text file has them.
///
/// The achieved values are 16 digits of GMAT's, 4e-12 km in 8 km of difference and 3e-17 in 2e-5: the sensitivities
/// and so the changes of the burns, below 0.4 km/s, are known to 2e-12.
#[test]
fn val_hohmann_transfer() {
    let settings = Settings { max_iterations: 30, exit_mode: ExitMode::SaveAndContinue, ..Settings::default() };
    let mut corrector = DifferentialCorrector::new(settings, 2, 2);
    let options = VaryOptions {
        initial: 1.0,
        perturbation: 0.0001,
        lower: 0.0,
        upper: 3.5,
        max_step: 0.4,
        ..VaryOptions::default()
    };
    assert_eq!(corrector.enter(), Entry::First);
    for variable in 0..2 {
        corrector.register_variable(variable, &options).expect("options");
    }
    let rows = [
        [1.0, 1.0, 12754.31485858923, 0.04970828617220801],
        [1.0001, 1.0, 12755.15479654953, 0.049683700648713],
        [1.0, 1.0001, 12754.31485858923, 0.04974494071264918],
        [1.4, 1.254360479947067, 16913.37566814503, 0.05543398456388896],
        [1.4001, 1.254360479947067, 16914.66225784647, 0.05541185167401619],
        [1.4, 1.254460479947067, 16913.37566814503, 0.05547630948395751],
        [1.8, 1.439245933078399, 23651.69125085193, 0.06109288333663503],
        [1.8001, 1.439245933078399, 23653.89616505602, 0.06107636394920796],
        [1.8, 1.439345933078399, 23651.69125085193, 0.0611430683500238],
        [2.2, 1.51766367624341, 36393.18864325475, 0.06079490067257659],
        [2.2001, 1.51766367624341, 36397.78928188323, 0.06079236205457807],
        [2.2, 1.51776367624341, 36393.18864325475, 0.06085714406352643],
        [2.3254387015103, 1.433139857061822, 43095.8976713273, 0.006185295111715974],
        [2.3255387015103, 1.433139857061822, 43102.10501306366, 0.006187408807453692],
        [2.3254387015103, 1.433239857061822, 43095.8976713273, 0.006251261874867425],
        [2.310428610058931, 1.431824001308087, 42181.95162242318, 0.005097133715441607],
        [2.310528610058932, 1.431824001308087, 42187.92581623505, 0.005098038335065401],
        [2.310428610058931, 1.431924001308087, 42181.95162242318, 0.005162361932213984],
        [2.310130969523938, 1.431679215500002, 42164.17892772428, 0.005000067581494342],
        [2.310230969523938, 1.431679215500002, 42170.14863174553, 0.005000943444040703],
        [2.310130969523938, 1.431779215500002, 42164.17892772428, 0.005065278906127615],
        [2.310130819973403, 1.431679113874038, 42164.17000112949, 0.005000000006633019],
    ];
    for (pass, [toi, goi, radius, eccentricity]) in rows.into_iter().enumerate() {
        assert_eq!(corrector.advance(), Ok(Next::Fly));
        for (variable, expected) in [toi, goi].into_iter().enumerate() {
            let found = corrector.value(variable, &options.scaling);
            assert!((found - expected).abs() < 2e-12, "pass {pass}: {found:?} {expected:?}");
        }
        corrector.achieve(0, radius, 42164.17, 0.001).expect("finite");
        corrector.achieve(1, eccentricity, 0.005, 0.00001).expect("finite");
    }
    assert_eq!(corrector.advance(), Ok(Next::Fly));
    assert!(corrector.is_final_pass());
    assert_eq!((corrector.outcome(), corrector.iterations()), (Outcome::Converged, 8));
    assert_eq!(corrector.advance(), Ok(Next::Leave));
}

/// What GMAT refuses, and with which of its own words: see each arm of [`SolverError`].
#[test]
fn val_refusals() {
    let mut corrector = DifferentialCorrector::new(Settings::default(), 1, 1);
    corrector.enter();
    let good = VaryOptions { initial: 2.0, lower: -10.0, upper: 10.0, ..VaryOptions::default() };
    let refused = |corrector: &mut DifferentialCorrector, options| corrector.register_variable(0, &options).err();
    let scale = Scaling { additive: 0.0, multiplicative: -1.0 };
    let error = refused(&mut corrector, VaryOptions { scaling: scale, ..good });
    assert_eq!(error, Some(SolverError::Scale { variable: 0, factor: -1.0 }));
    let scale = Scaling { additive: 0.0, multiplicative: 0.0 };
    let error = refused(&mut corrector, VaryOptions { scaling: scale, ..good });
    assert_eq!(error, Some(SolverError::Limits { variable: 0, lower: 0.0, upper: 0.0 }));
    let error = refused(&mut corrector, VaryOptions { upper: -10.0, ..good });
    assert_eq!(error, Some(SolverError::Limits { variable: 0, lower: -10.0, upper: -10.0 }));
    let error = refused(&mut corrector, VaryOptions { max_step: 0.0, ..good });
    assert_eq!(error, Some(SolverError::MaxStep { variable: 0, max_step: 0.0 }));
    assert_eq!(refused(&mut corrector, good), None);
    assert_eq!(corrector.register_goal(0, f64::NAN, 0.0), Err(SolverError::Tolerance { goal: 0, tolerance: 0.0 }));
    assert_eq!(corrector.register_goal(0, f64::NAN, 0.1), Ok(()));
    let infinite = f64::INFINITY;
    assert_eq!(corrector.achieve(0, infinite, 1.0, 0.1), Err(SolverError::NotFinite { goal: 0, achieved: infinite }));
}

/// Goals that do not move: the perturbed pass is flown, then the run ends.
#[test]
fn val_singular_ends_the_run() {
    let mut corrector = DifferentialCorrector::new(Settings::default(), 1, 1);
    corrector.enter();
    corrector.register_variable(0, &VaryOptions::default()).expect("options");
    for _ in 0..2 {
        assert_eq!(corrector.advance(), Ok(Next::Fly));
        corrector.achieve(0, 0.0, 2.5, 0.1).expect("finite");
    }
    assert_eq!(corrector.advance(), Err(SolverError::Singular));
}

/// A perturbation of 0 with a goal that stands still is 0/0.
#[test]
fn prop_no_variable_becomes_nan() {
    let mut corrector = DifferentialCorrector::new(Settings::default(), 1, 1);
    corrector.enter();
    corrector.register_variable(0, &VaryOptions { perturbation: 0.0, ..VaryOptions::default() }).expect("options");
    for _ in 0..2 {
        assert_eq!(corrector.advance(), Ok(Next::Fly));
        corrector.achieve(0, 1.0, 2.5, 0.1).expect("finite");
    }
    assert_eq!(corrector.advance(), Err(SolverError::NotANumber { variable: 0 }));
}

/// `MaximumIterations` = 1 and `ExitMode` = Stop: the nominal pass, the final one, the end; no update.
#[test]
fn val_one_iteration_then_stop() {
    let settings = Settings { max_iterations: 1, exit_mode: ExitMode::Stop, ..Settings::default() };
    let mut corrector = DifferentialCorrector::new(settings, 1, 1);
    corrector.enter();
    corrector.register_variable(0, &VaryOptions { initial: 3.0, ..VaryOptions::default() }).expect("options");
    for last in [false, true] {
        assert_eq!(corrector.advance(), Ok(Next::Fly));
        assert_eq!(corrector.is_final_pass(), last);
        assert_eq!(corrector.value(0, &Scaling::default()).to_bits(), 3.0_f64.to_bits());
        corrector.achieve(0, 9.0, 2.5, 0.1).expect("finite");
    }
    assert_eq!((corrector.outcome(), corrector.iterations()), (Outcome::NotConverged, 1));
    assert_eq!(corrector.advance(), Ok(Next::Stop));
}

/// A goal exactly at its tolerance is met, one unit of the last digit beyond it is not.
#[test]
fn val_goal_at_its_tolerance_is_met() {
    for (achieved, outcome) in [(2.25, Outcome::Converged), (2.25_f64.next_up(), Outcome::NotConverged)] {
        let mut corrector = DifferentialCorrector::new(Settings::default(), 1, 1);
        corrector.enter();
        corrector.register_variable(0, &VaryOptions::default()).expect("options");
        assert_eq!(corrector.advance(), Ok(Next::Fly));
        corrector.achieve(0, achieved, 2.0, 0.25).expect("finite");
        assert_eq!(corrector.advance(), Ok(Next::Fly));
        assert_eq!((corrector.outcome(), corrector.is_final_pass()), (outcome, outcome == Outcome::Converged));
    }
}

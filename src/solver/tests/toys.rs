//! Toy problems against GMAT R2026a, pass by pass, digit by digit.
//!
//! The rows are what a `Report` between Vary and Achieve wrote, 16 digits of each value, for goals of variables
//! x, y, z with the operations +, -, * and / only, so that both sides round alike.
#![allow(clippy::unreadable_literal)]

use crate::solver::differential_corrector::{DifferentialCorrector, Entry, Next};
use crate::solver::settings::{Algorithm, Derivative, ExitMode, Scaling, Settings, SolveMode, VaryOptions};

/// No limit of the step.
const BIG: f64 = 9.999999e300;

/// A Vary command.
fn vary(
    initial: f64,
    perturbation: f64,
    limits: [f64; 2],
    max_step: f64,
    additive: f64,
    multiplicative: f64,
) -> VaryOptions {
    let scaling = Scaling { additive, multiplicative };
    VaryOptions { initial, perturbation, lower: limits[0], upper: limits[1], max_step, scaling }
}

/// The goals of the toy problem.
fn toy([x, y, z]: [f64; 3]) -> [f64; 3] {
    [x * x + x * y * 0.5 + z, y * y * y / 3.0 - x + z * 0.2, x * y * z + z * z]
}

/// The values of x, y, z in each pass of `entries` entries into one Target. Goal j of entry e is
/// `goals[j] = [a, tolerance, b]`: a e + b x.
fn passes(
    corrector: &mut DifferentialCorrector,
    variables: &[VaryOptions],
    goals: &[[f64; 3]],
    entries: u32,
) -> Vec<[f64; 3]> {
    let mut values = [0.7; 3];
    let mut rows = Vec::new();
    for number in 1..=entries {
        corrector.enter();
        for (i, options) in variables.iter().enumerate() {
            if corrector.entry() != Entry::First {
                values[i] = corrector.value(i, &options.scaling);
            }
            if corrector.entry() != Entry::Saved {
                corrector.register_variable(i, options).expect("options");
            }
        }
        for (j, [_, tolerance, _]) in goals.iter().enumerate() {
            corrector.register_goal(j, toy(values)[j], *tolerance).expect("tolerance");
        }
        while corrector.advance().expect("regular") == Next::Fly {
            for (i, options) in variables.iter().enumerate() {
                values[i] = corrector.value(i, &options.scaling);
            }
            rows.push(values);
            for (j, [a, tolerance, b]) in goals.iter().enumerate() {
                let desired = a * f64::from(number) + b * values[0];
                corrector.achieve(j, toy(values)[j], desired, *tolerance).expect("finite");
            }
        }
    }
    rows
}

/// The passes of a new corrector.
fn flown(settings: Settings, variables: &[VaryOptions], goals: &[[f64; 3]], entries: u32) -> Vec<[f64; 3]> {
    passes(&mut DifferentialCorrector::new(settings, variables.len(), goals.len()), variables, goals, entries)
}

/// The same number of passes with the same 16 digits: half a unit of the last digit is at most 5e-16.
fn compare(found: &[[f64; 3]], expected: &[[f64; 3]]) {
    assert_eq!(found.len(), expected.len());
    for (pass, (found, expected)) in found.iter().zip(expected).enumerate() {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() <= 5.0e-16 * expected.abs(), "pass {pass}: {found:?} {expected:?}");
        }
    }
}

#[test]
fn val_forward_scaled() {
    let settings = Settings { ..Settings::default() };
    let variables =
        [vary(1.2, 0.001, [-1000.0, 1000.0], 0.2, -0.5, 4.0), vary(0.9, 0.0001, [-1000.0, 1000.0], 0.3, 2.5, 0.2)];
    let goals = [[2.5, 1e-06, 0.0], [-0.4, 1e-06, 0.0]];
    let rows = [
        [1.2, 0.8999999999999995, 0.7],
        [1.201, 0.8999999999999995, 0.7],
        [1.2, 0.9000999999999997, 0.7],
        [1.082239323736443, 1.2, 0.7],
        [1.083239323736443, 1.2, 0.7],
        [1.082239323736443, 1.2001, 0.7],
        [1.079724348984054, 1.174810674852183, 0.7],
        [1.080724348984054, 1.174810674852183, 0.7],
        [1.079724348984054, 1.174910674852184, 0.7],
        [1.079806026331331, 1.174319896331259, 0.7],
        [1.079806026331331, 1.174319896331259, 0.7],
    ];
    compare(&flown(settings, &variables, &goals, 1), &rows);
}

#[test]
fn val_central() {
    let settings = Settings { derivative: Derivative::Central, ..Settings::default() };
    let variables =
        [vary(1.2, 0.1, [-1000.0, 1000.0], BIG, 0.0, 1.0), vary(0.9, 0.1, [-1000.0, 1000.0], BIG, 0.0, 1.0)];
    let goals = [[2.5, 1e-06, 0.0], [-0.4, 1e-06, 0.0]];
    let rows = [
        [1.2, 0.9, 0.7],
        [1.3, 0.9, 0.7],
        [1.1, 0.9, 0.7],
        [1.2, 1.0, 0.7],
        [1.2, 0.8, 0.7],
        [1.064084989718986, 1.245596298834819, 0.7],
        [1.164084989718986, 1.245596298834819, 0.7],
        [0.9640849897189857, 1.245596298834819, 0.7],
        [1.064084989718986, 1.345596298834819, 0.7],
        [1.064084989718986, 1.145596298834819, 0.7],
        [1.078991887503687, 1.177941123132351, 0.7],
        [1.178991887503687, 1.177941123132351, 0.7],
        [0.9789918875036868, 1.177941123132351, 0.7],
        [1.078991887503687, 1.277941123132351, 0.7],
        [1.078991887503687, 1.077941123132351, 0.7],
        [1.079802437156957, 1.174336843777259, 0.7],
        [1.179802437156957, 1.174336843777259, 0.7],
        [0.9798024371569566, 1.174336843777259, 0.7],
        [1.079802437156957, 1.27433684377726, 0.7],
        [1.079802437156957, 1.074336843777259, 0.7],
        [1.079806091946017, 1.174319738529623, 0.7],
        [1.079806091946017, 1.174319738529623, 0.7],
    ];
    compare(&flown(settings, &variables, &goals, 1), &rows);
}

#[test]
fn val_backward_limits() {
    let settings = Settings { derivative: Derivative::Backward, max_iterations: 6, ..Settings::default() };
    let variables = [vary(1.2, 0.01, [1.2, 1.3], 0.5, 0.0, 1.0), vary(0.9, 0.01, [0.7, 1.0], 0.5, 0.0, 1.0)];
    let goals = [[3.1, 1e-06, 0.0], [-0.4, 1e-06, 0.0]];
    let rows = [
        [1.2, 0.9, 0.7],
        [1.17, 0.9, 0.7],
        [1.2, 0.89, 0.7],
        [1.209005559941686, 1.0, 0.7],
        [1.179005559941686, 1.0, 0.7],
        [1.209005559941686, 0.99, 0.7],
        [1.221281447387022, 1.0, 0.7],
        [1.211281447387022, 1.0, 0.7],
        [1.221281447387022, 0.99, 0.7],
        [1.244728175290252, 1.0, 0.7],
        [1.234728175290252, 1.0, 0.7],
        [1.244728175290252, 0.99, 0.7],
        [1.243291944213544, 1.0, 0.7],
        [1.233291944213544, 1.0, 0.7],
        [1.243291944213544, 0.99, 0.7],
        [1.243369804678313, 1.0, 0.7],
        [1.243369804678313, 1.0, 0.7],
    ];
    compare(&flown(settings, &variables, &goals, 1), &rows);
}

#[test]
fn val_forward_limits() {
    let settings = Settings { max_iterations: 4, ..Settings::default() };
    let variables = [vary(1.3, 0.01, [1.1, 1.3], 0.5, 0.0, 1.0), vary(0.9, 0.01, [0.7, 0.95], 0.5, 0.0, 1.0)];
    let goals = [[3.1, 1e-06, 0.0], [-0.4, 1e-06, 0.0]];
    let rows = [
        [1.3, 0.9, 0.7],
        [1.29, 0.9, 0.7],
        [1.3, 0.91, 0.7],
        [1.231138802445561, 0.95, 0.7],
        [1.241138802445561, 0.95, 0.7],
        [1.231138802445561, 0.94, 0.7],
        [1.236665932074606, 0.95, 0.7],
        [1.246665932074606, 0.95, 0.7],
        [1.236665932074606, 0.94, 0.7],
        [1.23632442158963, 0.95, 0.7],
        [1.23632442158963, 0.95, 0.7],
    ];
    compare(&flown(settings, &variables, &goals, 1), &rows);
}

#[test]
fn val_broyden() {
    let settings = Settings { algorithm: Algorithm::Broyden, ..Settings::default() };
    let variables =
        [vary(1.2, 0.001, [-1000.0, 1000.0], BIG, 0.0, 1.0), vary(0.9, 0.001, [-1000.0, 1000.0], BIG, 0.0, 1.0)];
    let goals = [[2.2, 0.0001, 0.0], [-0.8, 0.0001, 0.0]];
    let rows = [
        [1.2, 0.9, 0.7],
        [1.201, 0.9, 0.7],
        [1.2, 0.901, 0.7],
        [1.062826561516752, 0.7518024551929279, 0.7],
        [1.058030983697486, 0.7195963202524742, 0.7],
        [1.059471686355343, 0.7113001546902634, 0.7],
        [1.059793469787345, 0.7110175932529141, 0.7],
        [1.059793469787345, 0.7110175932529141, 0.7],
    ];
    compare(&flown(settings, &variables, &goals, 1), &rows);
}

#[test]
fn val_modified_broyden() {
    let settings = Settings { algorithm: Algorithm::ModifiedBroyden, ..Settings::default() };
    let variables =
        [vary(1.2, 0.001, [-1000.0, 1000.0], BIG, 0.0, 1.0), vary(0.9, 0.001, [-1000.0, 1000.0], BIG, 0.0, 1.0)];
    let goals = [[2.2, 0.0001, 0.0], [-0.8, 0.0001, 0.0]];
    let rows = [
        [1.2, 0.9, 0.7],
        [1.201, 0.9, 0.7],
        [1.2, 0.901, 0.7],
        [1.062826561516752, 0.7518024551929279, 0.7],
        [1.058030983697486, 0.7195963202524742, 0.7],
        [1.059471686355343, 0.7113001546902634, 0.7],
        [1.059793469787345, 0.7110175932529141, 0.7],
        [1.059793469787345, 0.7110175932529141, 0.7],
    ];
    compare(&flown(settings, &variables, &goals, 1), &rows);
}

#[test]
fn val_more_variables() {
    let settings = Settings { ..Settings::default() };
    let variables = [
        vary(1.2, 0.001, [-1000.0, 1000.0], BIG, 0.0, 1.0),
        vary(0.9, 0.001, [-1000.0, 1000.0], BIG, 0.0, 1.0),
        vary(0.5, 0.001, [-1000.0, 1000.0], BIG, 0.0, 1.0),
    ];
    let goals = [[2.5, 1e-06, 0.0]];
    let rows = [
        [1.2, 0.9, 0.5],
        [1.201, 0.9, 0.5],
        [1.2, 0.901, 0.5],
        [1.2, 0.9, 0.501],
        [1.20600956914804, 0.9012647286877672, 0.5021078811462786],
        [1.20700956914804, 0.9012647286877672, 0.5021078811462786],
        [1.20600956914804, 0.9022647286877672, 0.5021078811462786],
        [1.20600956914804, 0.9012647286877672, 0.5031078811462786],
        [1.205999417263079, 0.9012625909851877, 0.5021043360623353],
        [1.205999417263079, 0.9012625909851877, 0.5021043360623353],
    ];
    compare(&flown(settings, &variables, &goals, 1), &rows);
}

#[test]
fn val_more_goals() {
    let settings = Settings { max_iterations: 3, ..Settings::default() };
    let variables =
        [vary(1.2, 0.001, [-1000.0, 1000.0], BIG, 0.0, 1.0), vary(0.9, 0.001, [-1000.0, 1000.0], BIG, 0.0, 1.0)];
    let goals = [[2.5, 1e-06, 0.0], [-0.4, 1e-06, 0.0], [1.2, 1e-06, 0.0]];
    let rows = [
        [1.2, 0.9, 0.7],
        [1.201, 0.9, 0.7],
        [1.2, 0.901, 0.7],
        [1.065955127006685, 1.122290592686682, 0.7],
        [1.066955127006685, 1.122290592686682, 0.7],
        [1.065955127006685, 1.123290592686681, 0.7],
        [1.068157968268452, 1.125271636254675, 0.7],
        [1.068157968268452, 1.125271636254675, 0.7],
    ];
    compare(&flown(settings, &variables, &goals, 1), &rows);
}

#[test]
fn val_saved_entries() {
    let settings = Settings { exit_mode: ExitMode::SaveAndContinue, ..Settings::default() };
    let variables = [vary(1.2, 0.001, [-1000.0, 1000.0], BIG, 0.0, 1.0)];
    let goals = [[2.0, 1e-05, 0.1]];
    let rows = [
        [1.2, 0.7, 0.7],
        [1.201, 0.7, 0.7],
        [1.040058160668845, 0.7, 0.7],
        [1.041058160668845, 0.7, 0.7],
        [1.022890936963927, 0.7, 0.7],
        [1.023890936963926, 0.7, 0.7],
        [1.022044550738301, 0.7, 0.7],
        [1.023044550738301, 0.7, 0.7],
        [1.02200855985246, 0.7, 0.7],
        [1.02200855985246, 0.7, 0.7],
        [1.02200855985246, 0.7, 0.7],
        [1.02300855985246, 0.7, 0.7],
        [1.857074141292403, 0.7, 0.7],
        [1.858074141292403, 0.7, 0.7],
        [1.706281880108184, 0.7, 0.7],
        [1.707281880108183, 0.7, 0.7],
        [1.696193483356701, 0.7, 0.7],
        [1.697193483356701, 0.7, 0.7],
        [1.695894101051083, 0.7, 0.7],
        [1.696894101051083, 0.7, 0.7],
        [1.695885998203421, 0.7, 0.7],
        [1.695885998203421, 0.7, 0.7],
    ];
    compare(&flown(settings, &variables, &goals, 2), &rows);
}

#[test]
fn val_discarded_entries() {
    let settings = Settings { ..Settings::default() };
    let variables = [vary(1.2, 0.001, [-1000.0, 1000.0], BIG, 0.0, 1.0)];
    let goals = [[2.0, 1e-05, 0.1]];
    let rows = [
        [1.2, 0.7, 0.7],
        [1.201, 0.7, 0.7],
        [1.040058160668845, 0.7, 0.7],
        [1.041058160668845, 0.7, 0.7],
        [1.022890936963927, 0.7, 0.7],
        [1.023890936963926, 0.7, 0.7],
        [1.022044550738301, 0.7, 0.7],
        [1.023044550738301, 0.7, 0.7],
        [1.02200855985246, 0.7, 0.7],
        [1.02200855985246, 0.7, 0.7],
        [1.2, 0.7, 0.7],
        [1.201, 0.7, 0.7],
        [1.767066521265005, 0.7, 0.7],
        [1.768066521265005, 0.7, 0.7],
        [1.699040351247467, 0.7, 0.7],
        [1.700040351247467, 0.7, 0.7],
        [1.695973411938497, 0.7, 0.7],
        [1.696973411938497, 0.7, 0.7],
        [1.695888140359191, 0.7, 0.7],
        [1.695888140359191, 0.7, 0.7],
    ];
    compare(&flown(settings, &variables, &goals, 2), &rows);
}

#[test]
fn val_initial_guess() {
    let settings = Settings {
        solve_mode: SolveMode::RunInitialGuess,
        exit_mode: ExitMode::SaveAndContinue,
        ..Settings::default()
    };
    let variables = [vary(1.2, 0.001, [-1000.0, 1.1], BIG, 0.0, 1.0)];
    let goals = [[2.0, 1e-05, 0.1]];
    let rows = [[1.1, 0.7, 0.7], [1.1, 0.7, 0.7], [1.1, 0.7, 0.7], [1.1, 0.7, 0.7]];
    compare(&flown(settings, &variables, &goals, 2), &rows);
}

/// A cleared corrector flies another run as a new one does, bit by bit, whatever it flew before.
#[test]
fn prop_cleared_is_new() {
    for algorithm in [Algorithm::NewtonRaphson, Algorithm::Broyden, Algorithm::ModifiedBroyden] {
        for derivative in [Derivative::Forward, Derivative::Central, Derivative::Backward] {
            let settings =
                Settings { algorithm, derivative, exit_mode: ExitMode::SaveAndContinue, ..Settings::default() };
            let goals = [[2.2, 1e-4, 0.05], [-0.8, 1e-4, 0.0]];
            let variables =
                [vary(1.2, 0.001, [-1e3, 1e3], 0.3, 0.2, 3.0), vary(0.9, 0.001, [-1e3, 1e3], BIG, 0.0, 1.0)];
            let other = [vary(0.4, 0.01, [-1e3, 1e3], 0.3, 0.1, 1.0), vary(0.5, 0.01, [-1e3, 1e3], BIG, 0.0, 1.0)];
            let mut used = DifferentialCorrector::new(settings, 2, 2);
            passes(&mut used, &other, &goals, 2);
            used.clear();
            let bits = |rows: Vec<[f64; 3]>| rows.into_iter().map(|row| row.map(f64::to_bits)).collect::<Vec<_>>();
            let again = bits(passes(&mut used, &variables, &goals, 2));
            assert_eq!(again, bits(flown(settings, &variables, &goals, 2)), "{algorithm:?} {derivative:?}");
        }
    }
}

//! Designs that draw: what they draw follows from seed, parameter and run, and has the distribution asked for.
#![allow(clippy::unwrap_used, clippy::float_cmp)] // helpers of tests; equal bits are meant

mod case;
mod launch;

use std::path::Path;

use case::Case;
use launch::Code;
use sweep_mpi::base::nominal::Nominal;
use sweep_mpi::config;
use sweep_mpi::design::numpy::{Draws, LatinHypercube, Marginal, NameWord, Seed};
use sweep_mpi::design::{self, Design};

fn read(section: &str) -> Result<Box<dyn Design>, String> {
    let text = format!("[mission]\nscript = \"a\"\n[output]\nfile = \"b\"\n[design]\n{section}\n");
    config::parse_with("c.toml", Path::new("/d"), text.as_bytes(), design::read)
        .map(|(_, design)| design)
        .map_err(|problems| problems.to_string())
}

/// A design whose script has the values 100, 200, ... for its parameters, as a state far from the axes.
fn drawn(section: &str) -> Box<dyn Design> {
    let design = read(section).unwrap_or_else(|problems| panic!("{problems}"));
    let script = [6000.0, -2000.0, 3000.0, 3.0, 6.0, -1.0];
    design.relate(&|number| Some(Nominal { value: script[number], unit: 1.0 })).unwrap();
    design
}

fn run(design: &dyn Design, run: u64) -> Vec<f64> {
    let mut out = vec![f64::NAN; design.parameters().len()];
    design.values(run, &mut out);
    out
}

fn column(design: &dyn Design, number: usize) -> Vec<f64> {
    (0..design.runs()).map(|i| run(design, i)[number]).collect()
}

const A: &str = "A = { normal = [7000, 10] }";
const B: &str = "B = { uniform = [-1, 3] }";

#[test]
fn prop_other_parameters_and_more_runs_change_no_draw() {
    for (kind, more) in [("monte_carlo", 5000), ("sobol", 5000), ("halton", 5000), ("latin_hypercube", 1000)] {
        let design = |runs: u64, parameters: &str| {
            drawn(&format!("kind = \"{kind}\"\nruns = {runs}\nseed = 7\nparameters = {{ {parameters} }}"))
        };
        let (alone, other) = (design(1000, A), design(more, &format!("{A}, {B}")));
        for number in 0..1000 {
            assert_eq!(run(alone.as_ref(), number)[0], run(other.as_ref(), number)[0], "{kind}, run {number}");
        }
        let mean = column(other.as_ref(), 1).iter().sum::<f64>() / other.runs() as f64;
        // sigma = 4 / sqrt(12); a random mean is within 5 sigma / sqrt(n)
        assert!((mean - 1.0).abs() < 5.0 * 1.1547 / (other.runs() as f64).sqrt(), "{kind}: {mean}");
        let seed = drawn(&format!("kind = \"{kind}\"\nruns = 1000\nseed = 8\nparameters = {{ {A} }}"));
        assert_ne!(run(alone.as_ref(), 3), run(seed.as_ref(), 3), "{kind}");
        assert_ne!(alone.canonical(), seed.canonical());
    }
    // the order of parameters counts for none that is random
    let turned = drawn(&format!("kind = \"monte_carlo\"\nruns = 1000\nseed = 7\nparameters = {{ {B}, {A} }}"));
    let straight = drawn(&format!("kind = \"monte_carlo\"\nruns = 1000\nseed = 7\nparameters = {{ {A}, {B} }}"));
    assert_eq!(column(turned.as_ref(), 1), column(straight.as_ref(), 0));
}

#[test]
fn prop_a_latin_hypercube_draws_once_from_each_part() {
    for centred in [false, true] {
        let section =
            format!("kind = \"latin_hypercube\"\nruns = 997\ncentred = {centred}\nparameters = {{ {B}, {A} }}");
        let design = drawn(&section);
        let mut parts: Vec<u64> =
            column(design.as_ref(), 0).iter().map(|b| ((b + 1.0) / 4.0 * 997.0).floor() as u64).collect();
        parts.sort_unstable();
        assert!(parts.into_iter().eq(0..997), "centred = {centred}");
    }
}

#[test]
fn val_relative_draws_change_the_scripts_value() {
    let relative = "\"relative_to\" = \"nominal\"";
    let design = drawn(&format!(
        "kind = \"monte_carlo\"\nruns = 100\nparameters = {{ A = {{ constant = 5, {relative} }}, B = {{ constant = 2, scale = \"nominal\" }}, C = {{ constant = 3 }} }}"
    ));
    assert_eq!(run(design.as_ref(), 42), [6005.0, -4000.0, 3.0]);
    // an epoch changes by seconds
    let epoch =
        read(&format!("kind = \"monte_carlo\"\nruns = 1\nparameters = {{ T = {{ constant = 43200, {relative} }} }}"));
    let epoch = epoch.unwrap();
    epoch.relate(&|_| Some(Nominal { value: 31_000.0, unit: 1.0 / 86_400.0 })).unwrap();
    assert_eq!(run(epoch.as_ref(), 0), [31_000.5]);
    // where there is no script
    let missing = read(&format!(
        "kind = \"monte_carlo\"\nruns = 1\nparameters = {{ B = {{ constant = 1 }}, T = {{ constant = 1, {relative} }} }}"
    ));
    assert_eq!(missing.unwrap().relate(&|_| None), Err(1));
}

const COVARIANCE: [[f64; 6]; 6] = [
    [4.0, 1.0, 0.5, 0.0, -0.002, 0.0],
    [1.0, 9.0, 0.0, 0.003, 0.0, 0.0],
    [0.5, 0.0, 1.0, 0.0, 0.0, 0.0005],
    [0.0, 0.003, 0.0, 4e-6, 0.0, 0.0],
    [-0.002, 0.0, 0.0, 0.0, 9e-6, 1e-6],
    [0.0, 0.0, 0.0005, 0.0, 1e-6, 1e-6],
];

/// A million states: each sample covariance within 5 standard errors, sqrt((c_ii c_jj + c_ij^2) / n); in axes of the
/// state the same of the turned deviations.
#[test]
fn prop_correlated_draws_have_their_covariance() {
    const RUNS: u64 = 1_000_000;
    let script = [6000.0, -2000.0, 3000.0, 3.0, 6.0, -1.0];
    let (r, v): ([f64; 3], [f64; 3]) = ([6000.0, -2000.0, 3000.0], [3.0, 6.0, -1.0]);
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let unit = |a: [f64; 3]| a.map(|x| x / dot(a, a).sqrt());
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let normal = unit(cross(r, v));
    for (axes, basis) in [
        ("inertial", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        ("RIC", [unit(r), cross(normal, unit(r)), normal]),
        ("VNB", [unit(v), normal, cross(unit(v), normal)]),
    ] {
        let paths = ["X", "Y", "Z", "VX", "VY", "VZ"].map(|field| format!("Sat.{field}"));
        let design = drawn(&format!(
            "kind = \"monte_carlo\"\nruns = {RUNS}\nseed = 1\ncorrelated = [{{ parameters = {paths:?}, covariance = {COVARIANCE:?}, axes = \"{axes}\", relative_to = \"nominal\" }}]"
        ));
        let mut sums = [[0.0; 6]; 6];
        let mut means = [0.0; 6];
        for number in 0..RUNS {
            let values = run(design.as_ref(), number);
            let change: [f64; 6] = std::array::from_fn(|i| values[i] - script[i]);
            let [p, w] = [0, 3].map(|at| [change[at], change[at + 1], change[at + 2]]);
            let turned: [f64; 6] = std::array::from_fn(|i| if i < 3 { dot(basis[i], p) } else { dot(basis[i - 3], w) });
            for i in 0..6 {
                means[i] += turned[i];
                for j in 0..6 {
                    sums[i][j] += turned[i] * turned[j];
                }
            }
        }
        let n = RUNS as f64;
        for i in 0..6 {
            assert!((means[i] / n).abs() < 5.0 * (COVARIANCE[i][i] / n).sqrt(), "{axes} mean {i}");
            for j in 0..6 {
                let c = COVARIANCE[i][j];
                let error = ((COVARIANCE[i][i] * COVARIANCE[j][j] + c * c) / n).sqrt();
                assert!((sums[i][j] / n - c).abs() < 5.0 * error, "{axes} {i} {j}: {} for {c}", sums[i][j] / n);
            }
        }
    }
}

#[test]
fn val_sigmas_and_correlations_are_a_covariance() {
    let group = |matrix: &str| {
        drawn(&format!(
            "kind = \"monte_carlo\"\nruns = 9\ncorrelated = [{{ parameters = [\"A\", \"B\"], mean = [1, 2], {matrix} }}]"
        ))
    };
    let by_sigma = group("sigma = [2, 3], correlation = [[1, 0.5], [0.5, 1]]");
    let by_covariance = group("covariance = [[4, 3], [3, 9]]");
    assert_eq!(run(by_sigma.as_ref(), 4), run(by_covariance.as_ref(), 4));
    // all of the second in the first: a variance that is used up
    let line = group("covariance = [[4, 6], [6, 9]]");
    let values = run(line.as_ref(), 5);
    assert!(((values[1] - 2.0) - 1.5 * (values[0] - 1.0)).abs() < 1e-14, "{values:?}");
    let fixed = group("sigma = [0, 1]");
    assert_eq!(run(fixed.as_ref(), 5)[0], 1.0);
}

#[test]
fn val_the_contract_draws_as_gmat_sweep() {
    let parameters =
        "\"Sat.SMA\" = { normal = [7000, 10] }, \"A\" = { uniform = [-1, 3] }, \"Z\" = { lognormal = [0, 0.5] }";
    let marginals = [
        Marginal::Normal { mean: 7000.0, sigma: 10.0 },
        Marginal::Uniform { low: -1.0, high: 3.0 },
        Marginal::Lognormal { mu: 0.0, sigma: 0.5 },
    ];
    let rest = format!("runs = 50\nseed = 42\nseed_contract = \"gmat-sweep\"\nparameters = {{ {parameters} }}");
    let draws = Draws::new(&Seed::from(42));
    let design = drawn(&format!("kind = \"monte_carlo\"\n{rest}"));
    let names = ["Sat.SMA", "A", "Z"].map(NameWord::of);
    for number in 0..50 {
        let expected: Vec<f64> = (0..3).map(|i| draws.draw(marginals[i], names[i], number)).collect();
        assert_eq!(run(design.as_ref(), number), expected);
    }
    // columns of the hypercube are in the order of the names: A, Sat.SMA, Z
    let hypercube = LatinHypercube::new(&Seed::from(42), 3, 50).unwrap();
    let design = drawn(&format!("kind = \"latin_hypercube\"\n{rest}"));
    for number in 0..50 {
        let expected: Vec<f64> = (0..3).map(|i| marginals[i].quantile(hypercube.unit(number, [1, 0, 2][i]))).collect();
        assert_eq!(run(design.as_ref(), number), expected);
    }
}

#[test]
fn what_cannot_be_drawn_is_told() {
    let ab = "parameters = [\"A\", \"B\"]";
    let group = |rest: &str| format!("kind = \"sobol\"\nruns = 2\ncorrelated = [{{ {rest} }}]");
    let many = (0..257).map(|i| format!("P{i} = {{ constant = 1 }}")).collect::<Vec<_>>().join(", ");
    let contract = "seed_contract = \"gmat-sweep\"";
    for (section, message) in [
        ("kind = \"monte_carlo\"\nparameters = { A = { constant = 1 } }".to_owned(), "c.toml:5:1: `runs` is missing under [design], a monte_carlo needs it"),
        ("kind = \"sobol\"\nruns = 0\nparameters = { A = { constant = 1 } }".to_owned(), "`design.runs` cannot be the number `0`"),
        ("kind = \"sobol\"\nruns = 3\nseed = -1\nparameters = { A = { constant = 1 } }".to_owned(), "`design.seed` cannot be the number `-1`"),
        ("kind = \"sobol\"\nruns = 3".to_owned(), "`parameters` is missing under [design], a sobol needs it"),
        ("kind = \"sobol\"\nruns = 3\nscramble = false\nskip = 0\nparameters = { A = { constant = 1 } }".to_owned(), "`design.skip` cannot be the number `0`"),
        (format!("kind = \"halton\"\nruns = 3\nparameters = {{ {many} }}"), "257 parameters are too many for kind = \"halton\""),
        ("kind = \"halton\"\nruns = 9000000000000000\nskip = 9000000000000000\nparameters = { A = { constant = 1 } }".to_owned(), "9000000000000000 runs after 9000000000000000 points are too many"),
        ("kind = \"monte_carlo\"\nruns = 3\nparameters = { A = { normal = [1, 1], relative_to = \"x\" } }".to_owned(), "`A.relative_to` cannot be the text `\"x\"`"),
        ("kind = \"monte_carlo\"\nruns = 3\nparameters = { A = { normal = [1, 1], relative_to = \"nominal\", scale = \"nominal\" } }".to_owned(), "`A` has both relative_to and scale"),
        (group("covariance = [[1]]"), "a correlated group has no `parameters`"),
        (group("parameters = [], mean = []"), "`parameters` of a correlated group is empty"),
        (group(&format!("{ab}, mean = [0, 0]")), "a correlated group needs one of covariance and sigma"),
        (group(&format!("{ab}, sigma = [1, 1]")), "a correlated group has no `mean`"),
        (group(&format!("{ab}, sigma = [1, -1], mean = [0, 0]")), "a sigma is below 0"),
        (group(&format!("{ab}, sigma = [1], mean = [0, 0]")), "`sigma` is a list of length 1"),
        (group(&format!("{ab}, mean = [0, 0], relative_to = \"nominal\", sigma = [1, 1]")), "both `mean` and `relative_to`"),
        (group(&format!("{ab}, mean = [0, 0], covariance = [[1, 2], [2, 1]]")), "the covariance is not positive"),
        (group(&format!("{ab}, mean = [0, 0], covariance = [[1, 2], [3, 1]]")), "`covariance` is not symmetric: 3 in row 2, 2 in row 1"),
        (group(&format!("{ab}, mean = [0, 0], covariance = [[1, 2]]")), "`covariance` has 1 rows"),
        (group(&format!("{ab}, mean = [0, 0], sigma = [1, 1], correlation = [[1, 2], [2, 1]]")), "this is no correlation"),
        (group(&format!("{ab}, mean = [0, 0], sigma = [1, 1], axes = \"RIC\"")), "axes belong to a state, and these parameters are none"),
        (group(&format!("{ab}, mean = [0, 0], sigma = [1, 1], axes = \"ric\"")), "`axes` cannot be the text `\"ric\"`"),
        (group(&format!("{ab}, mean = [0, 0], sigmas = [1, 1]")), "`sigmas` is not a key of a correlated group"),
        (group("parameters = [\"A\", \"A\"], mean = [0, 0], sigma = [1, 1]"), "`A` is drawn twice"),
        (format!("kind = \"monte_carlo\"\nruns = 3\nseed_contract = \"numpy\"\nparameters = {{ {A} }}"), "`design.seed_contract` cannot be the text `\"numpy\"`"),
        (format!("kind = \"monte_carlo\"\nruns = 3\n{contract}\nparameters = {{ A = {{ constant = 1 }} }}"), "gmat-sweep has no such draw of `A`"),
        (format!("kind = \"latin_hypercube\"\nruns = 3\ncentred = true\n{contract}\nparameters = {{ {A} }}"), "a hypercube of gmat-sweep is never centred"),
        (format!("kind = \"latin_hypercube\"\nruns = 1e9\n{contract}\nparameters = {{ {A} }}"), "the hypercube of gmat-sweep: "),
        (format!("kind = \"monte_carlo\"\nruns = 3\n{contract}\ncorrelated = [{{ {ab}, mean = [0, 0], sigma = [1, 1] }}]"), "gmat-sweep has no correlated draws"),
    ] {
        let problems = read(&section).err().unwrap_or_else(|| panic!("accepted: {section}"));
        assert!(problems.contains(message), "{section} gave\n{problems}");
    }
}

#[test]
fn mpi_a_monte_carlo_has_the_same_bytes_on_any_number_of_ranks() {
    let case = Case::new(
        "kind = \"monte_carlo\"\nruns = 500\nseed = 3\nparameters = { \"Sat.ECC\" = { beta = [2, 5, 0, 0.01] }, \"Sat.Epoch\" = { normal = [0, 60], relative_to = \"nominal\" }, \"Sat.INC\" = { uniform = [0.9, 1.1], scale = \"nominal\" } }\n\
         correlated = [{ parameters = [\"Sat.DryMass\", \"Sat.Cd\"], relative_to = \"nominal\", sigma = [5, 0.1], correlation = [[1, -0.9], [-0.9, 1]] }]",
        "final = [\"Sat.X\", \"Sat.TDBModJulian\"]",
        "",
    );
    let mut bytes = Vec::new();
    for ranks in [1, 2, 5] {
        case.flies(ranks, &["config.toml", "--overwrite", "-q"]);
        bytes.push(case.sha256("out.h5"));
    }
    assert!(bytes.windows(2).all(|pair| pair[0] == pair[1]));
    // the script's epoch is 01 Jan 2026 00:00:00 UTC, its inclination 28.5 degrees
    let (epochs, inclinations) = (case.column("Sat_Epoch"), case.column("Sat_INC"));
    let mean = epochs.iter().sum::<f64>() / 500.0;
    assert!(((mean - 31_041.5) * 86_400.0).abs() < 5.0 * 60.0 / 500_f64.sqrt(), "{mean}");
    assert!(inclinations.iter().all(|i| (25.65..=31.35).contains(i)) && inclinations.iter().any(|i| *i < 26.0));
    // what is drawn relative to a script needs one
    let without = Case::of_workload("kind = \"expression\"\noutputs = { y = \"x\" }", "\"x\" = { values = [1] }");
    without.config(
        "[workload]\nkind = \"expression\"\noutputs = { y = \"x\" }\n[output]\nfile = \"out.h5\"\n[design]\nkind = \"monte_carlo\"\nruns = 3\nparameters = { x = { normal = [0, 1], relative_to = \"nominal\" } }\n",
    );
    without.refused(
        2,
        &["config.toml"],
        &["config.toml:9:16: `x` is drawn relative to the script's value, which it has none of"],
    );
}

#[test]
fn cli_a_hundred_million_runs_are_planned_at_once() {
    for (kind, more) in [("monte_carlo", ""), ("latin_hypercube", ""), ("sobol", ""), ("halton", "skip = 5")] {
        let case = Case::new(
            &format!(
                "kind = \"{kind}\"\nruns = 1e8\n{more}\nparameters = {{ \"Sat.SMA\" = {{ normal = [7000, 1] }} }}"
            ),
            "final = [\"Sat.X\"]",
            "",
        );
        let outcome = case.alone(&["config.toml", "--dry-run"]);
        assert_eq!(outcome.code, Code::Exit(0), "{}", outcome.text);
        assert!(outcome.text.contains(&format!("100 000 000 runs, design {kind}")), "{}", outcome.text);
        assert!(outcome.took < std::time::Duration::from_secs(5));
    }
}

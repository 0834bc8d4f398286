//! Against gmat-sweep, numpy and scipy: `tests/reference/numpy/draws.txt`, made by `make.py` beside it.

use super::elementary::{exp, log, log1p};
use super::*;
use std::collections::HashMap;

const REFERENCE: &str = include_str!("../../../tests/reference/numpy/draws.txt");
const NUMBERS: usize = 1_000_000;

/// The lines of a kind, without the kind.
fn lines(kind: &str) -> impl Iterator<Item = Vec<&'static str>> {
    REFERENCE.lines().filter_map(move |line| {
        let mut words = line.split('\t');
        (words.next() == Some(kind)).then(|| words.collect())
    })
}

fn bits(text: &str) -> Vec<u64> {
    text.split(' ').map(|word| u64::from_str_radix(word, 16).unwrap()).collect()
}

fn seed(text: &str) -> Seed {
    Seed::from_decimal(text).unwrap()
}

fn marginal(kind: &str, a: &str, b: &str) -> Marginal {
    let (a, b) = (a.parse().unwrap(), b.parse().unwrap());
    match kind {
        "normal" => Marginal::Normal { mean: a, sigma: b },
        "uniform" => Marginal::Uniform { low: a, high: b },
        "lognormal" => Marginal::Lognormal { mu: a, sigma: b },
        _ => panic!("{kind}"),
    }
}

#[test]
fn val_the_seeds_of_runs_are_those_of_gmat_sweep() {
    let mut count = 0;
    for line in lines("seeds") {
        let draws = Draws::new(&seed(line[0]));
        for (run, expected) in bits(line[1]).into_iter().enumerate() {
            assert_eq!(u64::from(draws.run_seed(run as u64)), expected, "seed {} run {run}", line[0]);
            count += 1;
        }
    }
    assert_eq!(count, 200);
}

#[test]
fn val_draws_are_those_of_gmat_sweep() {
    let mut count = HashMap::new();
    for line in lines("draws") {
        let (marginal, name) = (marginal(line[0], line[1], line[2]), NameWord::of(line[4]));
        let (draws, first) = (Draws::new(&seed(line[3])), line[5].parse::<u64>().unwrap());
        for (run, expected) in (first..).zip(bits(line[6])) {
            let drawn = draws.draw(marginal, name, run);
            assert_eq!(drawn.to_bits(), expected, "{:?} run {run}: {drawn:e}", &line[..5]);
            *count.entry(line[0]).or_insert(0) += 1;
        }
    }
    assert_eq!(count, HashMap::from([("normal", 1020), ("uniform", 1020), ("lognormal", 1021)]));
}

#[test]
fn val_latin_hypercubes_are_those_of_gmat_sweep() {
    let mut count = 0;
    for line in lines("hypercube") {
        let [columns, runs, column] = [1, 2, 3].map(|at| line[at].parse::<usize>().unwrap());
        let cube = LatinHypercube::new(&seed(line[0]), columns, runs as u64).unwrap();
        let expected = bits(line[8]);
        assert_eq!(expected.len(), runs);
        for (run, expected) in expected.into_iter().enumerate() {
            let number = marginal(line[5], line[6], line[7]).quantile(cube.unit(run as u64, column));
            assert_eq!(number.to_bits(), expected, "{:?} run {run}: {number:e}", &line[..8]);
            count += 1;
        }
    }
    assert_eq!(count, 1 + 3 * 7 + 5 * 41 + 2 * 256);
}

#[test]
fn val_quantiles_at_the_ends_are_those_of_scipy() {
    let mut count = 0;
    for line in lines("ends") {
        for (q, expected) in bits(line[3]).into_iter().zip(bits(line[4])) {
            let (q, expected) = (f64::from_bits(q), f64::from_bits(expected));
            let number = marginal(line[0], line[1], line[2]).quantile(q);
            let equal = number.to_bits() == expected.to_bits() || number.is_nan() && expected.is_nan();
            assert!(equal, "{:?} at {q}: {number:e}, not {expected:e}", &line[..3]);
            count += 1;
        }
    }
    assert_eq!(count, 160);
}

/// 2^-exponent.
fn power(exponent: usize) -> f64 {
    f64::from_bits((1023 - exponent as u64) << 52)
}

/// SHA-256 of the bytes of numbers, as in the reference.
fn digest(numbers: impl Iterator<Item = f64>) -> String {
    use sha2::{Digest, Sha256};
    use std::fmt::Write;
    let mut hash = Sha256::new();
    let count = numbers.map(|number| hash.update(number.to_le_bytes())).count();
    assert!(count >= 7000);
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

#[test]
fn val_a_million_numbers_of_each_kind_are_those_of_numpy_and_scipy() {
    for line in lines("digest") {
        let mut generator = Generator::new(&Pool::new(seed(line[1]).words()));
        let mut digest_of =
            |number: fn(&mut Generator, usize) -> f64| digest((0..NUMBERS).map(|at| number(&mut generator, at)));
        let ours = match line[0] {
            "uniform" => digest_of(|generator, _| generator.uniform()),
            "normal" => digest_of(|generator, _| normal::draw(generator)),
            "exp" => digest_of(|generator, _| exp(0.5 * normal::draw(generator))),
            "wide exp" => digest_of(|generator, _| exp(1450.0 * generator.uniform() - 750.0)),
            "quantile" => digest_of(|generator, _| normal::quantile(generator.uniform())),
            "tail quantile" => digest_of(|generator, at| normal::quantile(generator.uniform() * power(at % 1000))),
            "libm exp" => digest_of(|generator, _| exp(20.0 * generator.uniform() - 10.0)),
            "libm log" => digest_of(|generator, _| log(0.9 + 0.2 * generator.uniform())),
            "libm small log" => digest_of(|generator, at| {
                log((generator.uniform() * power(at % 1000) * power(60)).max(f64::from_bits(1)))
            }),
            "libm log1p" => digest_of(|generator, _| log1p(-generator.uniform())),
            "libm small log1p" => digest_of(|generator, at| log1p(-(generator.uniform() * power(at % 1000)))),
            "libm log1p edges" => digest_of(|generator, at| {
                let edge = power(1 + at % 50) * (1.0 + f64::from(0x6a09e) * power(20) * (at % 2) as f64);
                log1p(edge * (1.0 + generator.uniform() * power(20)) - 1.0)
            }),
            size => {
                let mut size = size.strip_prefix("hypercube ").unwrap().split(' ').map(|word| word.parse().unwrap());
                let (columns, runs) = (size.next().unwrap(), size.next().unwrap());
                let cube = LatinHypercube::new(&seed(line[1]), columns, runs as u64).unwrap();
                digest((0..runs * columns).map(|at| cube.unit((at / columns) as u64, at % columns)))
            }
        };
        assert_eq!(ours, line[2], "{} of seed {}", line[0], line[1]);
    }
    assert_eq!(lines("digest").count(), 28);
}

#[test]
fn prop_a_draw_depends_on_seed_name_and_run_alone() {
    let (draws, marginal) = (Draws::new(&Seed::from(42)), Marginal::Normal { mean: 0.0, sigma: 1.0 });
    let at = |name: &str, run| draws.draw(marginal, NameWord::of(name), run).to_bits();
    let forwards: Vec<u64> = (0..50).map(|run| at("Sat.SMA", run)).collect();
    let backwards: Vec<u64> = (0..50).rev().map(|run| at("Sat.SMA", run)).collect();
    assert!(forwards.iter().eq(backwards.iter().rev()));
    assert_ne!(at("Sat.SMA", 1), at("Sat.SMA", (1 << 32) + 1));
    assert_ne!(at("Sat.SMA", 1), at("Sat.ECC", 1));
    assert_ne!(forwards[0], Draws::new(&Seed::from(43)).draw(marginal, NameWord::of("Sat.SMA"), 0).to_bits());
}

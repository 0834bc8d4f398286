//! Quantiles and moments against 50 digits, laws, draws against the exact values.

use super::beta;
use super::normal::mills_ratio;
use super::*;
use crate::design::random::Key;

const VECTORS: &str = include_str!("../../../tests/reference/distributions/quantiles.txt");
const HALF_ULP: f64 = f64::EPSILON / 2.0;

fn vectors(kind: &str) -> Vec<Vec<&'static str>> {
    let lines = VECTORS.lines().filter_map(|line| line.strip_prefix(kind)?.strip_prefix(' '));
    lines.map(|line| line.split_whitespace().collect()).collect()
}

fn numbers(words: &[&str]) -> Vec<f64> {
    words.iter().map(|word| word.parse().unwrap()).collect()
}

fn made(kind: &str, n: &[f64]) -> Distribution {
    match kind {
        "normal" => D::Normal { mean: n[0], sigma: n[1] },
        "uniform" => D::Uniform { low: n[0], high: n[1] },
        "lognormal" => D::Lognormal { mu: n[0], sigma: n[1] },
        "truncated_normal" => D::TruncatedNormal { mean: n[0], sigma: n[1], low: n[2], high: n[3] },
        "triangular" => D::Triangular { low: n[0], mode: n[1], high: n[2] },
        "beta" => D::Beta { alpha: n[0], beta: n[1], low: n[2], high: n[3] },
        "exponential" => D::Exponential { mean: n[0], from: n[1] },
        "weibull" => D::Weibull { shape: n[0], scale: n[1], from: n[2] },
        other => panic!("{other}"),
    }
}

fn some_of_each() -> Vec<Distribution> {
    let mut all: Vec<Distribution> = [
        ("normal", &[600.0, 30.0][..]),
        ("uniform", &[-7.5, 1e6]),
        ("lognormal", &[-3.0, 0.25]),
        ("truncated_normal", &[600.0, 30.0, 550.0, 700.0]),
        ("truncated_normal", &[0.0, 1.0, 2.0, 3.0]),
        ("truncated_normal", &[0.0, 1.0, -9.0, -7.0]),
        ("truncated_normal", &[0.0, 1.0, 30.0, 1e9]),
        ("truncated_normal", &[0.0, 1.0, 1.0, 1.0 + 1e-8]),
        ("triangular", &[-1.0, 0.5, 3.0]),
        ("triangular", &[0.0, 0.0, 1.0]),
        ("triangular", &[100.0, 101.0, 101.0]),
        ("beta", &[0.5, 0.5, 0.0, 1.0]),
        ("beta", &[2.0, 5.0, -3.0, 7.0]),
        ("beta", &[40.0, 2000.0, 100.0, 200.0]),
        ("exponential", &[25.0, 600.0]),
        ("weibull", &[1.7, 40.0, -5.0]),
        ("weibull", &[0.8, 3.0, 0.0]),
    ]
    .map(|(kind, numbers)| made(kind, numbers))
    .into();
    all.push(D::Choice(Choice::new(vec![3.0, 1.0, 2.0, 9.0], vec![1.0, 2.0, 0.5, 0.0]).unwrap()));
    all.push(D::Constant(7.25));
    all
}

#[test]
fn val_normal_quantile_to_the_last_digits() {
    let lines = vectors("normal");
    assert_eq!(lines.len(), 160);
    let mut worst: f64 = 0.0;
    for line in lines {
        let n = numbers(&line);
        let z = normal_quantile(n[0]);
        worst = worst.max((z - n[1]).abs() / n[1].abs().max(f64::MIN_POSITIVE));
        // Around the median the rounding of 1 - Phi costs nothing: Phi keeps its relative accuracy below.
        let back = normal_cdf(n[1]);
        let condition = 1.0 + n[1] * n[1];
        assert!((back - n[0]).abs() <= 4.0 * f64::EPSILON * n[0] * condition, "{line:?} {back}");
    }
    println!("normal quantile: {worst:e}");
    assert!(worst < 1e-15, "{worst:e}");
}

#[test]
fn val_mills_ratio() {
    let mut worst: f64 = 0.0;
    for line in vectors("mills") {
        let n = numbers(&line);
        worst = worst.max((mills_ratio(n[0]) / n[1] - 1.0).abs());
    }
    println!("mills ratio: {worst:e}");
    assert!(worst < 3e-15, "{worst:e}");
}

/// Within 1e-14 of the value and what a u changes that is off by its spacing of 2^-53; a beta's x beyond
/// the middle is 1 less a number near 1, so its end counts too.
#[test]
fn val_quantiles() {
    let mut seen = 0;
    let mut worst = std::collections::BTreeMap::new();
    for line in vectors("quantile") {
        let n = numbers(&line[1..]);
        let (given, [u, exact, density]) = n.split_at(n.len() - 3) else { panic!("{line:?}") };
        let got = made(line[0], given).quantile(*u);
        let end = if line[0] == "beta" { given[3] - given[2] } else { 0.0 };
        let allowed = 1e-14 * exact.abs() + 2.0 * HALF_ULP * (1.0 / density + end);
        let off = (got - exact).abs() / allowed;
        let worst: &mut f64 = worst.entry(line[0]).or_default();
        *worst = worst.max(off);
        seen += 1;
    }
    println!("{worst:?} of what is allowed");
    assert!(worst.values().all(|off| *off <= 1.0), "{worst:?}");
    assert_eq!(seen, 473);
}

#[test]
fn val_moments() {
    for line in vectors("moments") {
        let n = numbers(&line[1..]);
        let (given, [mean, variance]) = n.split_at(n.len() - 2) else { panic!("{line:?}") };
        let distribution = made(line[0], given);
        let off = (distribution.mean() - mean).abs();
        assert!(off < 1e-14 * mean.abs() + 1e-15 * variance.sqrt(), "{line:?} {}", distribution.mean());
        assert!((distribution.variance() / variance - 1.0).abs() < 1e-11, "{line:?} {}", distribution.variance());
    }
}

#[test]
fn prop_quantiles_ascend_stay_inside_and_return() {
    const COUNT: i32 = 4000;
    for distribution in some_of_each() {
        let mut us: Vec<f64> = (1..COUNT).map(|k| f64::from(k) / f64::from(COUNT)).collect();
        us.extend([HALF_ULP, 1e-12, 1e-7, 1.0 - 1e-7, 1.0 - 1e-12, 1.0 - HALF_ULP]);
        us.sort_by(f64::total_cmp);
        let values: Vec<f64> = us.iter().map(|u| distribution.quantile(*u)).collect();
        assert!(values.is_sorted(), "{distribution:?}");
        assert!(values.iter().all(|value| value.is_finite()));
        for (u, x) in us.iter().zip(&values) {
            let back = distribution.cdf(*x);
            if matches!(distribution, D::Choice(_) | D::Constant(_)) {
                assert!(back >= *u, "{distribution:?} {u} {x} {back}");
                continue;
            }
            // The rounding of x, by the slope there.
            let step = 2.0 * f64::EPSILON * x.abs();
            let slack = distribution.cdf(x + step) - distribution.cdf(x - step);
            let most = 1e-13 * u.min(1.0 - u) + 3.0 * HALF_ULP + slack;
            assert!((back - u).abs() <= most, "{distribution:?} {u:e} {x:e} {back:e} {:e} > {most:e}", back - u);
        }
        let (low, high) = match distribution {
            D::Uniform { low, high }
            | D::TruncatedNormal { low, high, .. }
            | D::Triangular { low, high, .. }
            | D::Beta { low, high, .. } => (low, high),
            D::Exponential { from, .. } | D::Weibull { from, .. } => (from, f64::MAX),
            _ => continue,
        };
        assert!(low <= values[0] && *values.last().unwrap() <= high, "{distribution:?}");
        assert_eq!(distribution.cdf(low - 1.0).to_bits(), 0, "{distribution:?}");
        assert!(high > 1e300 || distribution.cdf(high + 1.0) >= 1.0, "{distribution:?}");
    }
}

/// A million draws of each: mean, variance, ten quantiles and the largest distance of the cumulative
/// distribution from the exact ones.
///
/// Bounds are 5 standard errors: sqrt(v / n) of the mean, sqrt((m4 - v^2) / n) of the variance with the
/// sample's own fourth moment, sqrt(p (1 - p) / n) of the share below the exact quantile p, and
/// for the largest distance D sqrt(n) = 2.5, which Kolmogorov's law exceeds with 7e-6.
#[test]
fn prop_a_million_draws_have_the_exact_moments_and_quantiles() {
    const COUNT: u64 = 1_000_000;
    let n = COUNT as f64;
    for (index, distribution) in some_of_each().into_iter().enumerate() {
        let key = Key::new(2026, &format!("parameter {index}"));
        let mut draws: Vec<f64> = (0..COUNT).map(|run| distribution.quantile(key.uniform(run, 0))).collect();
        let (mean, variance) = (distribution.mean(), distribution.variance());
        let off = draws.iter().map(|x| x - mean).sum::<f64>() / n;
        let second = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        let fourth = draws.iter().map(|x| (x - mean).powi(4)).sum::<f64>() / n;
        assert!(off.abs() <= 5.0 * (variance / n).sqrt(), "{distribution:?}: mean off by {off}");
        let error = ((fourth - second * second) / n).max(0.0).sqrt();
        assert!((second - variance).abs() <= 5.0 * error, "{distribution:?}: {second} for {variance} +- {error}");
        draws.sort_by(f64::total_cmp);
        if matches!(distribution, D::Choice(_) | D::Constant(_)) {
            for x in [1.0, 2.0, 3.0, 7.25, 9.0] {
                let share = draws.partition_point(|draw| *draw <= x) as f64 / n;
                let exact = distribution.cdf(x);
                assert!((share - exact).abs() <= 5.0 * (exact * (1.0 - exact) / n).sqrt(), "{distribution:?} {x}");
            }
            assert!(*draws.last().unwrap() < 9.0, "one without weight was taken");
            continue;
        }
        for p in [0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999] {
            let share = draws.partition_point(|draw| *draw <= distribution.quantile(p)) as f64 / n;
            assert!((share - p).abs() <= 5.0 * (p * (1.0 - p) / n).sqrt(), "{distribution:?} {p}: {share}");
        }
        let far =
            draws.iter().zip(1_u32..).step_by(97).map(|(x, rank)| (distribution.cdf(*x) - f64::from(rank) / n).abs());
        let far = far.fold(0.0, f64::max);
        assert!(far * n.sqrt() < 2.5, "{distribution:?}: {far}");
    }
}

#[test]
fn triangles_do_not_pass_their_mode() {
    for k in 0..5000 {
        let (low, high) = (0.1, 3.3);
        let mode = low + f64::from(k) * 6.4e-4;
        let rise: f64 = (mode - low) / (high - low);
        let triangle = D::Triangular { low, mode, high };
        for u in [rise.next_down(), rise, rise.next_up()].into_iter().filter(|u| *u > 0.0) {
            let x = triangle.quantile(u);
            assert!(if u < rise { x <= mode } else { x >= mode }, "{mode} {u} {x}");
        }
    }
}

/// Digits of mpmath, rounded to a double.
#[test]
#[expect(clippy::unreadable_literal)] // pasted whole
fn val_stirling_rest() {
    for (z, exact) in [
        (10.0, 0.00833056343336287),
        (10.5, 0.00793411456431402),
        (12.0, 0.00694284010720953),
        (20.0, 0.004166319691996922),
        (1000.0, 8.333333055555635e-05),
    ] {
        let got = beta::stirling_rest(z);
        assert!((got - exact).abs() < 1e-16, "{z}: {got}");
    }
}

#[test]
fn beta_goes_to_its_largest_shapes() {
    for (a, b) in [(1e6, 1e6), (1e-3, 1e6), (1e6, 1e-3), (1e6, 2.0), (9.9, 1e6)] {
        for u in [HALF_ULP, 1e-3, 0.5, 0.999, 1.0 - HALF_ULP] {
            let (x, rest) = beta::quantile(a, b, u);
            let back = beta::cdf(a, b, x, rest);
            // x is rounded, and the power of it is a million.
            let most = 1e-9 * u.min(1.0 - u) + 4.0 * HALF_ULP;
            assert!(
                (back - u).abs() <= most || x < f64::MIN_POSITIVE || rest < f64::MIN_POSITIVE,
                "{a} {b} {u}: {x} {back}"
            );
        }
    }
}

#[test]
fn canonical_forms_tell_all_numbers() {
    let texts: Vec<String> = some_of_each().iter().map(|distribution| distribution.canonical().to_string()).collect();
    let mut different = texts.clone();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), texts.len());
    assert_eq!(texts[0], r#"{"normal":[600.0,30.0]}"#);
    assert_eq!(texts[17], r#"{"choice":[3.0,1.0,2.0,9.0],"weights":[1.0,2.0,0.5,0.0]}"#);
}

//! Points against scipy, exact strata, evenness.

use super::halton::middle;
use super::latin::in_stratum;
use super::sobol::scramble;
use super::*;
use crate::design::random::Key;

const VECTORS: &str = include_str!("../../../tests/reference/cube/points.txt");

/// Number and coordinates of the points of a kind.
fn vectors(kind: &str) -> Vec<(u64, Vec<f64>)> {
    let lines = VECTORS.lines().filter_map(|line| line.strip_prefix(kind)?.strip_prefix(' '));
    lines
        .map(|line| {
            let (run, point) = line.split_once(' ').unwrap();
            (run.parse().unwrap(), point.split(' ').map(|x| x.parse().unwrap()).collect())
        })
        .collect()
}

fn keys(count: usize) -> Vec<Key> {
    (0..count).map(|d| Key::new(11, &format!("parameter {d}"))).collect()
}

type Coordinate = Box<dyn Fn(u64, usize) -> f64>;

/// All kinds of `count` points in `dimensions`, and random ones last.
fn all_kinds(dimensions: usize, count: u64, seed: u64) -> Vec<(&'static str, Coordinate)> {
    let keys: Vec<Key> = (0..dimensions).map(|d| Key::new(seed, &format!("parameter {d}"))).collect();
    let sobol = Sobol::scrambled(&keys, 0);
    let plain = Sobol::plain(dimensions, 0);
    let halton = Halton::scrambled(&keys, 0);
    let latin = LatinHypercube::new(&keys, count, false);
    let centred = LatinHypercube::new(&keys, count, true);
    vec![
        ("sobol", Box::new(move |run, d| sobol.coordinate(run, d))),
        ("plain sobol", Box::new(move |run, d| plain.coordinate(run, d))),
        ("halton", Box::new(move |run, d| halton.coordinate(run, d))),
        ("latin", Box::new(move |run, d| latin.coordinate(run, d))),
        ("centred latin", Box::new(move |run, d| centred.coordinate(run, d))),
        ("random", Box::new(move |run, d| keys[d].uniform(run, 0))),
    ]
}

/// The centred L2 discrepancy of the first `count` points (Hickernell, Mathematics of Computation 67
/// (1998), 299-322).
fn discrepancy(point: &dyn Fn(u64, usize) -> f64, dimensions: usize, count: u64) -> f64 {
    let n = count as f64;
    let points: Vec<Vec<f64>> = (0..count).map(|run| (0..dimensions).map(|d| point(run, d) - 0.5).collect()).collect();
    let single: f64 = points.iter().map(|x| x.iter().map(|x| 1.0 + 0.5 * x.abs() - 0.5 * x * x).product::<f64>()).sum();
    let pair = |x: &[f64], y: &[f64]| -> f64 {
        x.iter().zip(y).map(|(x, y)| 1.0 + 0.5 * x.abs() + 0.5 * y.abs() - 0.5 * (x - y).abs()).product()
    };
    let double: f64 = points.iter().map(|x| points.iter().map(|y| pair(x, y)).sum::<f64>()).sum();
    ((13.0_f64 / 12.0).powi(dimensions as i32) - 2.0 / n * single + double / n / n).sqrt()
}

#[test]
#[expect(clippy::float_cmp)] // exact
fn val_sobol_is_scipys() {
    const SHOWN: [usize; 10] = [0, 1, 2, 3, 4, 7, 31, 100, 999, 1110];
    let sobol = Sobol::plain(Sobol::MAX_DIMENSIONS, 0);
    let vectors = vectors("sobol");
    assert_eq!(vectors.len(), 29);
    for (run, point) in vectors {
        for (d, exact) in SHOWN.iter().zip(point) {
            // scipy's 60 digits are rounded, ours are cut.
            let cut = (exact * (1_u64 << 53) as f64).floor() / (1_u64 << 53) as f64;
            let got = sobol.coordinate(run, *d);
            assert!(got == exact || run >= 1 << 50 && (got - cut).abs() <= f64::EPSILON, "{run} {d}: {got} {exact}");
            if run > 5 {
                assert_eq!(Sobol::plain(d + 1, 5).coordinate(run - 5, *d), got);
            }
        }
    }
}

#[test]
fn val_halton_is_scipys() {
    let halton = Halton::plain(30, 0);
    let vectors = vectors("halton");
    assert_eq!(vectors.len(), 29);
    for (run, point) in vectors {
        for (d, exact) in point.iter().enumerate() {
            // scipy adds up to 53 rounded terms, this is rounded thrice at most.
            let got = halton.coordinate(run, d);
            assert!((got - exact).abs() <= 4.0 * f64::EPSILON * exact, "{run} {d}: {got} {exact}");
        }
    }
}

#[test]
fn val_discrepancy_is_scipys() {
    let (sobol, halton) = (Sobol::plain(3, 0), Halton::plain(3, 0));
    let got = [
        ("sobol", discrepancy(&|run, d| sobol.coordinate(run, d), 3, 64)),
        ("halton", discrepancy(&|run, d| halton.coordinate(run, d), 3, 64)),
    ];
    for (kind, got) in got {
        let line = VECTORS.lines().find_map(|line| line.strip_prefix(&format!("discrepancy {kind} "))).unwrap();
        let exact: f64 = line.parse().unwrap();
        assert!((got / exact - 1.0).abs() < 1e-10, "{kind}: {got} {exact}");
    }
}

#[test]
fn prop_scrambled_sobol_keeps_every_elementary_interval() {
    // One dimension: 2^m points have one in every interval of length 2^-m, from any multiple of 2^m on.
    let sobol = Sobol::scrambled(&keys(40), 0);
    for d in [0, 1, 2, 17, 39] {
        for (m, from) in [(0, 0), (1, 6), (5, 32 * 7), (10, 0), (13, 8192 * 3), (10, 1 << 52)] {
            let mut seen = vec![0; 1 << m];
            for run in from..from + (1 << m) {
                seen[(sobol.coordinate(run, d) * f64::from(1 << m)) as usize] += 1;
            }
            assert!(seen.iter().all(|count| *count == 1), "dimension {d}, 2^{m} points from {from}");
        }
    }
    // Two dimensions: dimensions 0 and 1 are a (0, m, 2)-net, every box of area 2^-m has one point.
    for m in [4, 8, 12_u32] {
        for first in 0..=m {
            let (wide, high) = (1_usize << first, 1_usize << (m - first));
            let mut seen = vec![0; 1 << m];
            for run in 0..1 << m {
                let x = (sobol.coordinate(run, 0) * wide as f64) as usize;
                let y = (sobol.coordinate(run, 1) * high as f64) as usize;
                seen[x * high + y] += 1;
            }
            assert!(seen.iter().all(|count| *count == 1), "{wide} x {high}");
        }
    }
    // Three: plain and scrambled points fall into boxes equally often, whatever they are.
    let plain = Sobol::plain(3, 0);
    let counts = |sobol: &Sobol| {
        let mut seen = vec![0; 512];
        for run in 0..4096 {
            let at = |d| (sobol.coordinate(run, d) * 8.0) as usize;
            seen[at(0) * 64 + at(1) * 8 + at(2)] += 1;
        }
        seen.sort_unstable();
        seen
    };
    assert_eq!(counts(&sobol), counts(&plain));
}

/// Over many keys, each point is uniform and the flips are independent: the pair of two digits of a point
/// takes its four values equally often, whatever the digits before.
#[test]
fn prop_scrambling_is_uniform_over_keys() {
    const KEYS: u64 = 4000;
    for run in [0, 1, 77] {
        let mut boxes = [0_u32; 64];
        let mut later = [0_u32; 4];
        for seed in 0..KEYS {
            let x = Sobol::scrambled(&[Key::new(seed, "a")], 0).coordinate(run, 0);
            boxes[(x * 64.0) as usize] += 1;
            later[(x * 2.0_f64.powi(14)) as usize % 4] += 1;
        }
        for (counts, name) in [(&boxes[..], "first digits"), (&later[..], "digits 13 and 14")] {
            assert_uniform(counts, name);
        }
    }
}

/// Where all digits are 0, the flips of any two digits agree for half of the keys, within 5 standard deviations.
#[test]
fn prop_flips_of_different_digits_are_independent() {
    let flips: Vec<u64> = (0..2000).map(|seed| scramble(0, Key::new(seed, "a"))).collect();
    for j in 0..54 {
        for k in 0..j {
            let agree = flips.iter().filter(|flips| (*flips >> (63 - j) ^ *flips >> (63 - k)) & 1 == 0).count();
            assert!((agree as f64 - 1000.0).abs() < 2.5 * 2000.0_f64.sqrt(), "digits {j} and {k}: {agree}");
        }
    }
}

/// Whether digit k is flipped hangs on every digit before it: with another digit j the flips agree for half
/// of the keys, within 5 standard deviations.
#[test]
fn prop_flips_hang_on_all_digits_before() {
    const KEYS: u32 = 2000;
    let digits = 0x9e37_79b9_7f4a_7c15;
    let flips = |digits: u64, seed: u32| digits ^ scramble(digits, Key::new(u64::from(seed), "a"));
    for j in 0..20 {
        let other = digits ^ 1 << (63 - j);
        let mut agree = [0_u32; 54];
        for seed in 0..KEYS {
            let same = !(flips(digits, seed) ^ flips(other, seed));
            for (k, agree) in agree.iter_mut().enumerate() {
                *agree += u32::from(same >> (63 - k) & 1 == 1);
            }
        }
        for (k, agree) in agree.into_iter().enumerate() {
            if k <= j {
                assert_eq!(agree, KEYS, "digit {k} hangs on digit {j}");
            } else {
                let off = (f64::from(agree) - f64::from(KEYS) / 2.0).abs();
                assert!(off < 5.0 * f64::from(KEYS).sqrt() / 2.0, "digit {k}, digit {j}: {agree}");
            }
        }
    }
}

/// Pearson's chi square below what evenly filled boxes exceed once in 3 million times (5 sigmas).
fn assert_uniform(counts: &[u32], name: &str) {
    let total: u32 = counts.iter().sum();
    let expected = f64::from(total) / counts.len() as f64;
    let chi: f64 = counts.iter().map(|count| (f64::from(*count) - expected).powi(2) / expected).sum();
    let free = counts.len() as f64 - 1.0;
    // The cube root of chi square is nearly normal (Wilson and Hilferty).
    let z = ((chi / free).cbrt() - (1.0 - 2.0 / (9.0 * free))) / (2.0 / (9.0 * free)).sqrt();
    assert!(z < 5.0, "{name}: chi square {chi} of {free}, z {z}");
}

#[test]
fn prop_halton_fills_every_interval() {
    let halton = Halton::scrambled(&keys(8), 0);
    for (d, base) in [2_usize, 3, 5, 7, 11, 13, 17, 19].into_iter().enumerate() {
        for (places, from) in [(1, 0), (2, 5), (3, 12345), (3, (1 << 53) - 8000)] {
            let count = base.pow(places);
            let mut seen = vec![0; count];
            for run in 0..count as u64 {
                seen[(halton.coordinate(from + run, d) * count as f64) as usize] += 1;
            }
            assert!(seen.iter().all(|count| *count == 1), "base {base}, {places} places from {from}");
        }
    }
    assert_eq!(Halton::scrambled(&keys(8), 100).coordinate(23, 4).to_bits(), halton.coordinate(123, 4).to_bits());
    assert!(middle((1 << 60) - 1, 1 << 60) < 1.0 && middle(0, 1 << 60) > 0.0);
    let many = Halton::scrambled(&keys(Halton::MAX_DIMENSIONS), 0);
    for run in [0, 1, 1 << 40, MAX_POINTS - 1] {
        assert!((0..Halton::MAX_DIMENSIONS).map(|d| many.coordinate(run, d)).all(|x| x > 0.0 && x < 1.0));
    }
}

/// Over many keys the first two digits of a point take all values equally often, and those of two points
/// that differ in their first digit take all pairs.
#[test]
fn prop_halton_is_uniform_over_keys() {
    let points: Vec<Halton> = (0..4000).map(|seed| Halton::scrambled(&[Key::new(seed, "a"); 4], 0)).collect();
    for (d, base) in [2_usize, 3, 5, 7].into_iter().enumerate() {
        let mut boxes = vec![0; base * base];
        let mut pairs = vec![0; base * base];
        for halton in &points {
            let [first, second] = [0, 1].map(|run| halton.coordinate(run, d));
            boxes[(first * (base * base) as f64) as usize] += 1;
            pairs[(first * base as f64) as usize * base + (second * base as f64) as usize] += 1;
        }
        assert_uniform(&boxes, &format!("two digits in base {base}"));
        pairs.retain(|count| *count > 0);
        assert_eq!(pairs.len(), base * (base - 1));
        assert_uniform(&pairs, &format!("first digits in base {base}"));
    }
}

#[test]
fn prop_every_stratum_has_one_point() {
    for count in [1, 2, 3, 10, 1000, 65537] {
        for centred in [false, true] {
            let latin = LatinHypercube::new(&keys(3), count, centred);
            assert_eq!(latin.count(), count);
            for d in 0..3 {
                let mut seen = vec![false; count as usize];
                for run in 0..count {
                    let x = latin.coordinate(run, d);
                    assert!(x > 0.0 && x < 1.0);
                    let stratum = (x * count as f64) as usize;
                    assert!(!seen[stratum], "{count} points, dimension {d}, run {run}");
                    seen[stratum] = true;
                    let within = x * count as f64 - stratum as f64;
                    assert!(!centred || (within - 0.5).abs() < 1e-9, "{within}");
                }
            }
        }
    }
    // The largest n, and places at the very ends of strata.
    for count in [3, 7, 1_000_003, (1 << 52) + 1, MAX_POINTS] {
        for stratum in [0, 1, count / 3, count - 2, count - 1] {
            for within in [f64::EPSILON / 2.0, 0.5, 1.0 - f64::EPSILON / 2.0] {
                let x = in_stratum(stratum, within, count);
                assert!(x > 0.0 && x >= stratum as f64 / count as f64, "{count} {stratum} {within}");
                assert!(x < (stratum + 1) as f64 / count as f64, "{count} {stratum} {within}");
            }
        }
    }
    let largest = LatinHypercube::new(&keys(2), MAX_POINTS, false);
    assert!((0..1000).map(|run| largest.coordinate(MAX_POINTS - 1 - run, 1)).all(|x| x > 0.0 && x < 1.0));
}

#[test]
fn prop_permutations_are_exact() {
    for count in (1..=130).chain([1000, 4095, 4096, 4097, 65537]) {
        let order = Permutation::new(Key::new(count, "order"), count);
        let mut seen = vec![false; count as usize];
        for i in 0..count {
            assert!(!std::mem::replace(&mut seen[order.at(i) as usize], true), "{count}: {i}");
        }
    }
}

/// Every order of 2 to 5 numbers over many keys, and where numbers of larger sets go, alone and in pairs.
#[test]
fn prop_all_orders_are_equally_likely() {
    for (count, orders) in [(2_u64, 2_usize), (3, 6), (4, 24), (5, 120)] {
        let mut seen = std::collections::BTreeMap::<Vec<u64>, u32>::new();
        for seed in 0..4000 * orders as u64 {
            let order = Permutation::new(Key::new(seed, "order"), count);
            *seen.entry((0..count).map(|i| order.at(i)).collect()).or_default() += 1;
        }
        assert_eq!(seen.len(), orders);
        assert_uniform(&seen.into_values().collect::<Vec<u32>>(), &format!("orders of {count}"));
    }
    for count in [6_u64, 7, 9, 10, 16, 25, 31] {
        let places = count as usize;
        let mut single = vec![0; places];
        let mut pairs = vec![0; places * places];
        for seed in 0..40_000 {
            let order = Permutation::new(Key::new(seed, "order"), count);
            let (a, b) = (order.at(1) as usize, order.at(count - 1) as usize);
            single[a] += 1;
            pairs[a * places + b] += 1;
        }
        assert_uniform(&single, &format!("places of one of {count}"));
        pairs.retain(|count| *count > 0);
        assert_eq!(pairs.len(), places * (places - 1));
        assert_uniform(&pairs, &format!("places of two of {count}"));
    }
}

/// 65537 points of 4 dimensions: the first of every 64 runs fall evenly into boxes, neighbours differ by all
/// distances, dimensions are not correlated (5 standard errors of 1 / sqrt(n)).
#[test]
fn prop_strata_are_in_random_order() {
    const COUNT: u64 = 65_537;
    let latin = LatinHypercube::new(&keys(4), COUNT, true);
    for d in 0..4 {
        let mut early = [0; 64];
        let mut steps = [0; 64];
        for run in 0..8192 {
            let (x, next) = (latin.coordinate(run, d), latin.coordinate(run + 1, d));
            early[(x * 64.0) as usize] += 1;
            steps[((next - x).rem_euclid(1.0) * 64.0) as usize] += 1;
        }
        assert_uniform(&early, "first eighth");
        assert_uniform(&steps, "steps");
    }
    let bound = 5.0 / (COUNT as f64).sqrt();
    for (a, b) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        let product = |run| (latin.coordinate(run, a) - 0.5) * (latin.coordinate(run, b) - 0.5);
        let correlation = 12.0 * (0..COUNT).map(product).sum::<f64>() / COUNT as f64;
        assert!(correlation.abs() < bound, "{a} {b}: {correlation}");
    }
    let serial: f64 =
        (1..COUNT).map(|run| (latin.coordinate(run, 0) - 0.5) * (latin.coordinate(run - 1, 0) - 0.5)).sum();
    assert!((12.0 * serial / COUNT as f64).abs() < bound, "{serial}");
}

/// Of 1024 points in 5 dimensions the worst of 10 scramblings is more even than the best of 10 random sets.
#[test]
fn prop_points_are_more_even_than_random_ones() {
    let mut all = std::collections::BTreeMap::<&str, (f64, f64)>::new();
    for seed in 0..10 {
        for (kind, point) in all_kinds(5, 1024, seed) {
            let far = discrepancy(point.as_ref(), 5, 1024);
            let (least, most) = all.entry(kind).or_insert((f64::MAX, 0.0));
            (*least, *most) = (least.min(far), most.max(far));
        }
    }
    println!("{all:?}");
    let random = all["random"].0;
    for kind in ["sobol", "plain sobol", "halton", "latin", "centred latin"] {
        assert!(all[kind].1 < random, "{kind}: {all:?}");
    }
    assert!(all["sobol"].1 < random / 3.0 && all["halton"].1 < random / 3.0, "{all:?}");
}

/// The mean of a smooth function: Sobol's error falls faster than 1/n, Monte Carlo's like 1/sqrt(n).
#[test]
fn prop_sobol_means_converge_fast() {
    let error = |n: u64, point: &dyn Fn(u64, usize) -> f64| {
        let product = |run| (0..5).map(|d| 1.0 + 0.5 * (point(run, d) - 0.5)).product::<f64>();
        ((0..n).map(product).sum::<f64>() / n as f64 - 1.0).abs()
    };
    let sobol = Sobol::scrambled(&keys(5), 0);
    let keys = keys(5);
    let random = error(1 << 14, &|run, d| keys[d].uniform(run, 0));
    let even = error(1 << 14, &|run, d| sobol.coordinate(run, d));
    assert!(even < 1e-6 && even < random / 100.0, "{even} {random}");
}

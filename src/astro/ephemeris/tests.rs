//! Against GMAT, and the laws of an ephemeris.

use super::series::Numbers;
use super::*;
use crate::astro::constants::DAY;
use crate::astro::epoch::Scale;

fn tai(mjd: f64) -> Epoch {
    Epoch::from_mjd(Scale::Tai, mjd).unwrap()
}

/// The instant at which the ephemeris counts this TDB. (`Epoch` itself is up to 1.1e-8 s off, as it has TT in the
/// argument of TDB - TT; GMAT has TAI there.)
pub(super) fn at_tdb(mjd: f64) -> Epoch {
    let guess = Epoch::from_mjd(Scale::Tdb, mjd).unwrap();
    let (day, seconds) = guess.day_and_seconds();
    let mut tdb = Lanes::splat(seconds);
    tdb::to_tdb(Vectors::new(Isa::best(), 1), &Lanes::splat(day), &mut tdb);
    guess.plus((mjd - day) * DAY - tdb.0[0])
}

fn norm(r: [f64; 3]) -> f64 {
    (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]).sqrt()
}

fn difference(a: [f64; 3], b: [f64; 3]) -> f64 {
    norm([a[0] - b[0], a[1] - b[1], a[2] - b[2]])
}

/// The largest of |r - r(GMAT)| (Sun; others by |r|) and |v - v(GMAT)|, for a file of states.
fn worst_against_gmat(ephemeris: &Ephemeris) -> (f64, f64, f64) {
    let (mut sun, mut relative, mut velocity) = (0.0_f64, 0.0_f64, 0.0_f64);
    let text = include_str!("../../../tests/reference/gmat/ephemeris_states.txt");
    assert_eq!(text.lines().count(), 110);
    for line in text.lines() {
        let (name, numbers) = line.split_once(' ').unwrap();
        let body = Body::of_name(name).unwrap();
        let numbers: Vec<f64> = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
        let epoch = Epoch::from_mjd(Scale::A1, numbers[0]).unwrap();
        let state = ephemeris.state(body, Body::Earth, epoch).unwrap();
        let apart = difference(state.r, [numbers[1], numbers[2], numbers[3]]);
        if body == Body::Sun {
            sun = sun.max(apart);
        }
        relative = relative.max(apart / norm(state.r));
        velocity = velocity.max(difference(state.v, [numbers[4], numbers[5], numbers[6]]));
    }
    (sun, relative, velocity)
}

#[test]
fn val_states_of_gmat() {
    let worst = worst_against_gmat(&Ephemeris::de405().unwrap());
    // a coordinate of 1.5e8 km resolves 3e-8 km, and the time of day 1.5e-11 s
    assert!(worst.0 < 2e-7, "Sun {} km", worst.0);
    // 1.1e-16 for each rounding of a sum of three; Luna moves 3e-12 of her distance in a microsecond
    assert!(worst.1 < 2e-15, "relative {}", worst.1);
    assert!(worst.2 < 1e-13, "velocity {} km/s", worst.2);
}

/// The largest |r - r(exact)| / |r| of a file of positions in exact arithmetic.
fn worst_against_exact(ephemeris: &Ephemeris, text: &str) -> f64 {
    assert!(text.lines().count() >= 60);
    let mut worst = 0.0_f64;
    for line in text.lines() {
        let (name, numbers) = line.split_once(' ').unwrap();
        let numbers: Vec<f64> = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
        let epoch = at_tdb(numbers[0]);
        let state = ephemeris.state(Body::of_name(name).unwrap(), Body::Earth, epoch).unwrap();
        worst = worst.max(difference(state.r, [numbers[1], numbers[2], numbers[3]]) / norm(state.r));
    }
    worst
}

#[test]
fn val_positions_in_exact_arithmetic() {
    let text = include_str!("../../../tests/reference/exact/de405_positions.txt");
    let worst = worst_against_exact(&Ephemeris::de405().unwrap(), text);
    eprintln!("DE405: {worst}");
    // a few roundings, the coefficients of Earth and Moon in the kernel, and 3e-11 s of the epoch
    assert!(worst < 1e-15, "{worst}");
}

#[test]
#[ignore = "needs the kernel: SWEEP_DE421 = path of de421.bsp"]
fn val_another_kernel_in_exact_arithmetic() {
    let kernel = Ephemeris::of_file(Path::new(&std::env::var("SWEEP_DE421").unwrap()), Span::USUAL).unwrap();
    assert_eq!(kernel.span().to_string(), "1960-01-01 to 2053-10-09 TDB");
    let text = include_str!("../../../tests/reference/exact/de421_positions.txt");
    let worst = worst_against_exact(&kernel, text);
    eprintln!("DE421: {worst}");
    assert!(worst < 1e-15, "{worst}");
}

#[test]
fn val_other_centers_are_differences() {
    // GMAT subtracts the geocentric positions; Luna from the Sun is Luna less the Sun
    let ephemeris = Ephemeris::de405().unwrap();
    let epoch = tai(31_041.6);
    let from = |body, center| ephemeris.state(body, center, epoch).unwrap();
    for body in Body::all() {
        for center in Body::all() {
            let (seen, body_state, center_state) =
                (from(body, center), from(body, Body::Earth), from(center, Body::Earth));
            for axis in 0..3 {
                let (r, v) = (body_state.r[axis] - center_state.r[axis], body_state.v[axis] - center_state.v[axis]);
                assert!((seen.r[axis] - r).abs() == 0.0 && (seen.v[axis] - v).abs() == 0.0, "{body:?} from {center:?}");
            }
        }
    }
    assert!(norm(from(Body::Earth, Body::Earth).r) == 0.0);
    let au = norm(from(Body::Earth, Body::Sun).r) / 149_597_870.691;
    assert!((0.983..0.984).contains(&au), "the Earth is near its perihelion on 1 January: {au}");
}

#[test]
fn prop_velocity_is_the_derivative() {
    let ephemeris = Ephemeris::de405().unwrap();
    let h = 512.0;
    for body in Body::all() {
        for mjd in [12_345.678, 31_041.6, 40_000.1, 57_000.9] {
            let at = |t: f64| ephemeris.state(body, Body::Earth, tai(mjd).plus(t)).unwrap();
            let (far, near) = ([at(2.0 * h), at(-2.0 * h)], [at(h), at(-h)]);
            for axis in 0..3 {
                let slope =
                    (8.0 * (near[0].r[axis] - near[1].r[axis]) - (far[0].r[axis] - far[1].r[axis])) / (12.0 * h);
                // a few roundings of the positions over h; a second of TDB is up to 3.4e-10 off one of TAI
                let tolerance = norm(at(0.0).r) * 2e-15 / h + norm(at(0.0).v) * 3.5e-10;
                assert!((slope - at(0.0).v[axis]).abs() <= tolerance, "{body:?} {mjd} {slope} {}", at(0.0).v[axis]);
            }
        }
    }
}

#[test]
fn prop_continuity_across_granules() {
    let ephemeris = Ephemeris::de405().unwrap();
    for body in Body::all() {
        let mut worst = (0.0_f64, 0.0_f64);
        for granule in 0..200 {
            // granules begin at midnight TDB; in 2 ms the curvature is 1e-10 km
            let border = Epoch::from_mjd(Scale::Tdb, 30_016.5 + 4.0 * f64::from(granule)).unwrap();
            let at = |t: f64| ephemeris.state(body, Body::Earth, border.plus(t)).unwrap();
            let (before, after) = (at(-1e-3), at(1e-3));
            for axis in 0..3 {
                let ahead = before.r[axis] + 1e-3 * (before.v[axis] + after.v[axis]);
                worst.0 = worst.0.max((after.r[axis] - ahead).abs() - norm(after.r) * 3e-16);
                worst.1 = worst.1.max((after.v[axis] - before.v[axis]).abs());
            }
        }
        // DE405 itself: Neptune jumps by 5.5e-7 km, Mercury by 2.9e-8 km and 1.2e-7 km/s, Luna by 1e-11 km
        assert!(worst.0 < 1e-6 && worst.1 < 1e-6, "{body:?} {worst:?}");
    }
}

/// Epochs near each other, or spread over granules and centuries.
fn epochs(spread_days: f64, round: u32) -> [Epoch; WIDTH] {
    std::array::from_fn(|lane| {
        let turn = f64::from(round) * 0.618_034 + lane as f64 * 0.414_213_56;
        tai(20_000.0 + 300.0 * f64::from(round) + spread_days * (turn - turn.floor()))
    })
}

const SIX: [Body; 6] = [Body::Sun, Body::Luna, Body::Venus, Body::Jupiter, Body::Earth, Body::Mercury];

#[test]
fn prop_every_lane_has_the_scalar_bits() {
    let ephemeris = Ephemeris::de405().unwrap();
    for center in [Body::Earth, Body::Luna, Body::Mars] {
        for round in 0..40 {
            let epochs = epochs([0.01, 1.0, 30.0, 8_000.0][round as usize % 4], round);
            for isa in Isa::available() {
                for width in [1, 4, 8] {
                    let mut cache = EphemerisCache::default();
                    let vectors = Vectors::new(isa, width);
                    let mut positions = [[Lanes::splat(7.0); 3]; 6];
                    let (mut r, mut v) = (positions, positions);
                    ephemeris.positions(vectors, &epochs, &SIX, center, &mut cache, &mut positions).unwrap();
                    ephemeris.states(vectors, &epochs, &SIX, center, &mut cache, &mut r, &mut v).unwrap();
                    for (number, body) in SIX.iter().enumerate() {
                        for (lane, epoch) in epochs.iter().enumerate().take(width) {
                            let state = ephemeris.state(*body, center, *epoch).unwrap();
                            for axis in 0..3 {
                                assert_eq!(
                                    state.r[axis].to_bits(),
                                    r[number][axis].0[lane].to_bits(),
                                    "{isa:?} {width}"
                                );
                                assert_eq!(
                                    state.v[axis].to_bits(),
                                    v[number][axis].0[lane].to_bits(),
                                    "{isa:?} {width}"
                                );
                                assert_eq!(state.r[axis].to_bits(), positions[number][axis].0[lane].to_bits());
                            }
                        }
                        for untouched in width..WIDTH {
                            assert!((r[number][0].0[untouched] - 7.0).abs() == 0.0);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn prop_the_cache_leaves_no_trace() {
    // the other ephemeris has Sun and Venus exchanged
    let mut other = Ephemeris::de405().unwrap();
    let span = other.span;
    other.tracks.swap(Track::Sun as usize, Track::Venus as usize);
    let ephemerides = [Ephemeris::de405().unwrap(), Ephemeris::new(other.tracks, other.moon_share, span).unwrap()];
    let mut kept = EphemerisCache::default();
    for round in 0..200_u32 {
        // to and fro over borders, other bodies, other widths, another ephemeris
        let epochs = epochs([0.5, 5.0, 40.0][round as usize % 3], round % 7);
        let bodies = &SIX[(round as usize % 3)..3 + round as usize % 4];
        let vectors = Vectors::new(Isa::best(), [8, 1, 4][round as usize / 3 % 3]);
        let ephemeris = &ephemerides[round as usize / 50 % 2];
        let (mut with, mut without) = ([[Lanes::splat(0.0); 3]; 6], [[Lanes::splat(0.0); 3]; 6]);
        ephemeris.positions(vectors, &epochs, bodies, Body::Earth, &mut kept, &mut with).unwrap();
        let fresh = &mut EphemerisCache::default();
        ephemeris.positions(vectors, &epochs, bodies, Body::Earth, fresh, &mut without).unwrap();
        assert_eq!(with, without);
    }
}

#[test]
fn prop_a_lane_outside_leaves_the_others_alone() {
    let ephemeris = Ephemeris::de405().unwrap();
    let mut epochs = epochs(10.0, 3);
    let vectors = Vectors::new(Isa::best(), 8);
    let run = |epochs: &[Epoch; WIDTH], cache: &mut EphemerisCache| {
        let mut out = [[Lanes::splat(0.0); 3]; 2];
        let result = ephemeris.positions(vectors, epochs, &[Body::Sun, Body::Luna], Body::Earth, cache, &mut out);
        (result, out)
    };
    let mut cache = EphemerisCache::default();
    let (all_good, right) = run(&epochs, &mut cache);
    assert_eq!(all_good, Ok(()));
    let good = epochs;
    (epochs[2], epochs[5]) = (tai(60_000.25), tai(58_464.5));
    let (result, out) = run(&epochs, &mut cache);
    let Err(EphemerisError::OutOfSpan { lanes, .. }) = result else { panic!("{result:?}") };
    assert_eq!(lanes, 0b10_0100);
    assert_eq!(
        result.unwrap_err().to_string(),
        "2105-04-15 is outside of the ephemeris, which covers 1959-12-10 to 2101-01-31 TDB"
    );
    for lane in 0..WIDTH {
        for body in 0..2 {
            for axis in 0..3 {
                let (found, expected) = (out[body][axis].0[lane], right[body][axis].0[lane]);
                assert!(if matches!(lane, 2 | 5) { found.is_nan() } else { found.to_bits() == expected.to_bits() });
            }
        }
    }
    assert_eq!(run(&good, &mut cache), (Ok(()), right), "and no trace is left");
    assert!(ephemeris.covers(Body::Sun, Body::Earth, tai(60_000.0)).is_err());
    assert!(ephemeris.covers(Body::Sun, Body::Earth, tai(58_464.499)).is_ok());
}

#[test]
fn val_dates_of_a_span() {
    for (mjd, date) in [
        (6_934.5, "1960-01-01"),
        (6_934.4, "1959-12-31"),
        (21_545.0, "2000-01-01"),
        (21_603.5, "2000-02-29"),
        (21_604.5, "2000-03-01"),
        (58_434.4, "2100-12-31"),
        (-15_020.0 + 0.5 - 0.5, "1899-11-21"),
    ] {
        assert_eq!(Date(mjd).to_string(), date, "{mjd}");
    }
    assert_eq!(Date(f64::NAN).to_string(), "GMAT modified Julian date NaN");
}

/// The coefficients of a series as numbers.
pub(super) fn numbers_of(series: &Series) -> Vec<f64> {
    match &series.numbers {
        Numbers::Loaded(numbers) => numbers.clone(),
        Numbers::Embedded(bytes) => bytes.as_chunks::<8>().0.iter().map(|word| f64::from_le_bytes(*word)).collect(),
    }
}

#[test]
#[ignore = "needs DE405 itself: SWEEP_DE405 = path of JPL's binary file, SWEEP_SPK = path of a kernel of DE405"]
fn val_files_agree() {
    let embedded = Ephemeris::de405().unwrap();
    let native = Ephemeris::of_file(Path::new(&std::env::var("SWEEP_DE405").unwrap()), Span::USUAL).unwrap();
    for track in TRACKS {
        let (a, b) =
            (embedded.tracks[track as usize].as_ref().unwrap(), native.tracks[track as usize].as_ref().unwrap());
        assert_eq!((a.clock, a.terms, a.granules), (b.clock, b.terms, b.granules), "{track:?}");
        assert!(numbers_of(a).iter().zip(numbers_of(b)).all(|(a, b)| a.to_bits() == b.to_bits()), "{track:?}");
    }
    let kernel = Ephemeris::of_file(Path::new(&std::env::var("SWEEP_SPK").unwrap()), Span::USUAL).unwrap();
    eprintln!("kernel {} share {} {}", kernel.span(), kernel.moon_share - embedded.moon_share, embedded.moon_share);
    let (mut worst, mut mjd) = ([0.0_f64; 11], kernel.span().first + 1.0);
    while mjd < kernel.span().end - 1.0 {
        for (body, worst) in Body::all().zip(&mut worst) {
            let epoch = Epoch::from_mjd(Scale::Tdb, mjd).unwrap();
            let state = |ephemeris: &Ephemeris| ephemeris.state(body, Body::Earth, epoch).unwrap();
            *worst = worst.max(difference(state(&embedded).r, state(&kernel).r) / (1.0 + norm(state(&kernel).r)));
        }
        mjd += 7.3;
    }
    eprintln!("kernel against JPL's file, relative: {worst:?}");
    assert!(worst.iter().all(|worst| *worst < 1e-15));
}

#[test]
#[ignore = "a measurement: cargo test --release -- --ignored --nocapture cost_of"]
fn cost_of_positions() {
    let ephemeris = Ephemeris::de405().unwrap();
    let all: Vec<Body> = Body::all().filter(|body| *body != Body::Earth).collect();
    for (bodies, name) in
        [(&[Body::Sun, Body::Luna][..], "Sun and Luna"), (&all[..], "all ten"), (&[Body::Luna], "Luna")]
    {
        for isa in Isa::available() {
            for spread in [0.01, 300.0] {
                let vectors = Vectors::new(isa, 8);
                let mut cache = EphemerisCache::default();
                let mut out = [[Lanes::splat(0.0); 3]; 10];
                let start = epochs(spread, 3);
                let rounds = 200_000;
                let mut sum = 0.0;
                let clock = std::time::Instant::now();
                for round in 0..rounds {
                    let epochs = start.map(|epoch| epoch.plus(f64::from(round) * 0.1));
                    ephemeris.positions(vectors, &epochs, bodies, Body::Earth, &mut cache, &mut out).unwrap();
                    sum += out[0][0].0[0];
                }
                let ns = clock.elapsed().as_secs_f64() * 1e9 / f64::from(rounds) / 8.0;
                eprintln!("{name:14} {:9} spread {spread:6} d: {ns:6.1} ns a lane ({sum:e})", isa.name());
            }
        }
    }
    let per_call = |work: &dyn Fn()| {
        let clock = std::time::Instant::now();
        (0..1_000).for_each(|_| work());
        clock.elapsed().as_secs_f64() * 1e6
    };
    let state = || assert!(ephemeris.state(Body::Sun, Body::Earth, tai(30_000.0)).is_ok());
    let built = || assert!(Ephemeris::de405().is_ok());
    eprintln!("state {:.0} ns, de405 {:.0} ns", per_call(&state), per_call(&built));
}

#[test]
fn prop_lanes_of_librations_have_the_scalar_bits() {
    let ephemeris = Ephemeris::de405().unwrap();
    for isa in Isa::available() {
        for width in [1, 4, 8] {
            // kept from round to round and used for positions in between, with other epochs
            let mut cache = EphemerisCache::default();
            let vectors = Vectors::new(isa, width);
            for round in 0..40 {
                let here = epochs([0.01, 1.0, 30.0, 8_000.0][round as usize % 4], round);
                let there = epochs(5.0, round % 7);
                let mut positions = [[Lanes::splat(0.0); 3]; 6];
                ephemeris.positions(vectors, &there, &SIX, Body::Earth, &mut cache, &mut positions).unwrap();
                let (mut angles, mut rates) = ([Lanes::splat(7.0); 3], [Lanes::splat(7.0); 3]);
                ephemeris.librations_of_lanes(vectors, &here, &mut cache, &mut angles, &mut rates).unwrap();
                for (lane, epoch) in here.iter().enumerate().take(width) {
                    let alone = ephemeris.librations(*epoch).unwrap();
                    for k in 0..3 {
                        assert_eq!(alone.angles[k].to_bits(), angles[k].0[lane].to_bits(), "{isa:?} {width}");
                        assert_eq!(alone.rates[k].to_bits(), rates[k].0[lane].to_bits(), "{isa:?} {width}");
                    }
                }
                for untouched in width..WIDTH {
                    assert!((angles[2].0[untouched] - 7.0).abs() == 0.0);
                }
            }
        }
    }
}

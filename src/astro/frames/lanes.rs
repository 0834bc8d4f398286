//! The axes fixed to the Earth for eight runs at once, each at its own epoch.
//!
//! Each lane holds the granule of its day; while the epochs stay in their days a call is polynomials, one sine and one
//! cosine. The caller owns the cache, which never changes a result. Test: `prop_lanes_are_the_exact_rotation`,
//! `prop_same_bits_whatever_the_cache_held`.

use super::earth::{EarthOrientation, TURN_RATE};
use super::eop::utc_day;
use super::granule::{COLUMNS, Granule, MOTION, ORDER, POLE_X, POLE_Y, SCALE, THETA};
use crate::astro::constants::DAY;
use crate::astro::epoch::Epoch;
use crate::base::lanes::{Lanes, Real, Vectors, WIDTH};
use crate::lane_kernel;

/// Granules that a cache keeps: consecutive days never meet in one place.
const KEPT: usize = 32;

/// 1.5 * 2^52: a small number that is added to it and taken off again is rounded to a whole one.
const ROUNDING: f64 = 6_755_399_441_055_744.0;

/// What [`EarthOrientation::fixed_from_inertial`] has computed before: any content gives the same results.
#[derive(Clone, Debug)]
pub struct OrientationCache {
    /// Whose granules these are; a cache is emptied when it is used with another table.
    fingerprint: u64,
    kept: [Option<Granule>; KEPT],
    /// Where the day of each lane begins, and the seconds over which its columns hold.
    start: [Option<Epoch>; WIDTH],
    holds: [(f64, f64); WIDTH],
    columns: [Lanes; COLUMNS],
    /// Rate of the Earth's turn on that day, rad/s.
    rate: Lanes,
}

impl Default for OrientationCache {
    fn default() -> Self {
        OrientationCache {
            fingerprint: 0,
            kept: [None; KEPT],
            start: [None; WIDTH],
            holds: [(0.0, 0.0); WIDTH],
            columns: [Lanes::splat(0.0); COLUMNS],
            rate: Lanes::splat(0.0),
        }
    }
}

impl OrientationCache {
    /// The rate of the Earth's turn of each lane when it was last asked for, rad/s.
    pub fn spin_rate(&self) -> &Lanes {
        &self.rate
    }

    /// Seconds of an epoch into the day that the lane holds, if it lies in it.
    fn seconds(&self, lane: usize, epoch: Epoch) -> Option<f64> {
        let seconds = epoch.since(self.start[lane]?);
        let (from, to) = self.holds[lane];
        ((from <= seconds && seconds < to) || seconds.is_nan()).then_some(seconds)
    }

    /// Takes up the day of an epoch for a lane; the seconds of the epoch into it.
    #[cold]
    fn take_up(&mut self, earth: &EarthOrientation, lane: usize, epoch: Epoch) -> f64 {
        let number = utc_day(epoch);
        let node_terms = earth.counts_node_terms(epoch);
        let place = &mut self.kept[number.rem_euclid(KEPT as i32) as usize];
        let granule = match *place {
            Some(granule) if granule.number == number && granule.node_terms == node_terms => granule,
            _ => *place.insert(Granule::new(earth, number, node_terms)),
        };
        for (column, number) in self.columns.iter_mut().zip(granule.columns) {
            column.0[lane] = number;
        }
        self.rate.0[lane] = TURN_RATE * (1.0 - earth.table.at(granule.start).lod / DAY);
        self.start[lane] = Some(granule.start);
        self.holds[lane] = granule.holds;
        epoch.since(granule.start)
    }
}

impl EarthOrientation {
    /// The matrix from `MJ2000Eq` to the axes fixed to the Earth for each lane in use, without its rate:
    /// `out[i][j]` is row i, column j; and the Earth's angular velocity in `MJ2000Eq` (rad/s), along the true pole.
    ///
    /// The same matrix as that of [`EarthOrientation::rotation`] to 1e-13.
    pub fn fixed_from_inertial(
        &self,
        vectors: Vectors,
        epochs: &[Epoch; WIDTH],
        cache: &mut OrientationCache,
        out: &mut [[Lanes; 3]; 3],
        spin: &mut [Lanes; 3],
    ) {
        if cache.fingerprint != self.fingerprint {
            *cache = OrientationCache { fingerprint: self.fingerprint, ..OrientationCache::default() };
        }
        let mut seconds = Lanes::splat(0.0);
        for (lane, &epoch) in epochs.iter().enumerate().take(vectors.width()) {
            seconds.0[lane] = match cache.seconds(lane, epoch) {
                Some(seconds) => seconds,
                None => cache.take_up(self, lane, epoch),
            };
        }
        orientation(vectors, &cache.columns, &seconds, &cache.rate, out, spin);
    }
}

lane_kernel!(fn orientation(columns: &[Lanes; COLUMNS], seconds: &Lanes, rate: &Lanes, out: &mut [[Lanes; 3]; 3],
                            spin: &mut [Lanes; 3]) = matrix);

/// W R3(theta) Q(X, Y)
#[inline(always)]
fn matrix<T: Real>(
    first: usize,
    columns: &[Lanes; COLUMNS],
    seconds: &Lanes,
    rate: &Lanes,
    out: &mut [[Lanes; 3]; 3],
    spin: &mut [Lanes; 3],
) {
    let one = T::splat(1.0);
    let tau = T::load(seconds, first).mul_add(T::load(&columns[SCALE], first), -one);

    // Q: the axes turned by the shortest way from the pole of J2000 to the true one
    let x = polynomial::<T, POLE_X>(first, columns, tau);
    let y = polynomial::<T, POLE_Y>(first, columns, tau);
    let z = (one - x.mul_add(x, y * y)).sqrt();
    let a = one / (one + z);
    let (ax, ay) = (a * x, a * y);
    let q0 = [one - ax * x, -(ax * y), -x];
    let q1 = [q0[1], one - ay * y, -y];
    let q2 = [x, y, z];
    let rate = T::load(rate, first);
    (rate * x).store(&mut spin[0], first);
    (rate * y).store(&mut spin[1], first);
    (rate * z).store(&mut spin[2], first);

    let (sin, cos) = sine_and_cosine(polynomial::<T, THETA>(first, columns, tau));

    // the pole's motion: 1e-6 rad, where the sine is the angle to 1e-18
    let along = T::load(&columns[MOTION + 1], first).mul_add(tau, T::load(&columns[MOTION], first));
    let across = T::load(&columns[MOTION + 3], first).mul_add(tau, T::load(&columns[MOTION + 2], first));
    let half = T::splat(0.5);
    let cos_along = one - half * along * along;
    let cos_across = one - half * across * across;

    for j in 0..3 {
        // R3: the Earth's turn
        let turned = cos.mul_add(q0[j], sin * q1[j]);
        let ahead = cos.mul_add(q1[j], -(sin * q0[j]));
        // W: about the second axis by -x after about the first by -y
        let tilted = cos_across.mul_add(ahead, -(across * q2[j]));
        let raised = cos_across.mul_add(q2[j], across * ahead);
        cos_along.mul_add(turned, along * raised).store(&mut out[0][j], first);
        tilted.store(&mut out[1][j], first);
        cos_along.mul_add(raised, -(along * turned)).store(&mut out[2][j], first);
    }
}

/// The polynomial whose coefficients stand in the columns from `AT` on.
#[inline(always)]
fn polynomial<T: Real, const AT: usize>(first: usize, columns: &[Lanes; COLUMNS], tau: T) -> T {
    let mut sum = T::load(&columns[AT + ORDER - 1], first);
    for power in (0..ORDER - 1).rev() {
        sum = sum.mul_add(tau, T::load(&columns[AT + power], first));
    }
    sum
}

/// The polynomial of `coefficients`, the highest first.
#[inline(always)]
fn series<T: Real, const N: usize>(coefficients: &[f64; N], x: T) -> T {
    let mut sum = T::splat(coefficients[0]);
    for &coefficient in &coefficients[1..] {
        sum = sum.mul_add(x, T::splat(coefficient));
    }
    sum
}

/// (-1)^n / (2 n + 1)!, from n = 7 down.
const SINE: [f64; 8] = [
    -1.0 / 1_307_674_368_000.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 39_916_800.0,
    1.0 / 362_880.0,
    -1.0 / 5_040.0,
    1.0 / 120.0,
    -1.0 / 6.0,
    1.0,
];

/// (-1)^n / (2 n)!, from n = 8 down.
const COSINE: [f64; 9] = [
    1.0 / 20_922_789_888_000.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 479_001_600.0,
    -1.0 / 3_628_800.0,
    1.0 / 40_320.0,
    -1.0 / 720.0,
    1.0 / 24.0,
    -0.5,
    1.0,
];

/// Sine and cosine of an angle in turns, below 2^50, to 1e-15.
#[inline(always)]
fn sine_and_cosine<T: Real>(turns: T) -> (T, T) {
    let whole = (turns + T::splat(ROUNDING)) - T::splat(ROUNDING);
    of_four_times((turns - whole) * T::splat(std::f64::consts::FRAC_PI_2))
}

/// 2 pi less the double next to it.
const TURN_REST: f64 = 2.449_293_598_294_706_4e-16;

/// Sine and cosine of an angle (rad) below 1e9, to 1e-15.
#[inline(always)]
pub(super) fn sine_and_cosine_of<T: Real>(angle: T) -> (T, T) {
    let whole = angle.mul_add(T::splat(1.0 / std::f64::consts::TAU), T::splat(ROUNDING)) - T::splat(ROUNDING);
    let near = whole.mul_add(T::splat(-std::f64::consts::TAU), angle);
    of_four_times(whole.mul_add(T::splat(-TURN_REST), near) * T::splat(0.25))
}

/// Sine and cosine of four times an angle of an eighth of a turn at most: the series of the angle, doubled twice.
#[inline(always)]
fn of_four_times<T: Real>(quarter: T) -> (T, T) {
    let square = quarter * quarter;
    let (sine, cosine) = (quarter * series(&SINE, square), series(&COSINE, square));
    let (one, two) = (T::splat(1.0), T::splat(2.0));
    // sin 2a = 2 sin a cos a, cos 2a = 1 - 2 sin^2 a
    let (half_sine, half_cosine) = (two * sine * cosine, one - two * sine * sine);
    (two * half_sine * half_cosine, one - two * half_sine * half_sine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::astro::epoch::Scale;
    use crate::base::lanes::Isa;

    fn utc(text: &str) -> Epoch {
        Epoch::from_gregorian(Scale::Utc, text).unwrap()
    }

    /// Eight epochs that wander about a start, over midnights.
    fn epochs(start: Epoch, step: usize) -> [Epoch; WIDTH] {
        std::array::from_fn(|lane| start.plus(7013.7 * step as f64 + 31_234.567_8 * lane as f64))
    }

    #[test]
    fn prop_lanes_are_the_exact_rotation() {
        let earth = EarthOrientation::default();
        let vectors = Vectors::new(Isa::best(), 8);
        let mut cache = OrientationCache::default();
        let mut worst = 0.0_f64;
        for start in [
            "01 Jan 1973 00:00:00.000",
            "31 Dec 1996 21:00:00.000",
            "31 Dec 2016 20:00:00.000",
            "15 Mar 2004 06:30:15.250",
            "01 Aug 2026 00:00:00.000",
            "01 Jan 2060 00:00:00.000",
        ] {
            for step in 0..60 {
                let epochs = epochs(utc(start), step);
                let mut out = [[Lanes::splat(0.0); 3]; 3];
                earth.fixed_from_inertial(vectors, &epochs, &mut cache, &mut out, &mut [Lanes::splat(0.0); 3]);
                for (lane, &epoch) in epochs.iter().enumerate() {
                    let exact = earth.rotation(epoch).matrix;
                    for i in 0..3 {
                        for j in 0..3 {
                            worst = worst.max((out[i][j].0[lane] - exact[i][j]).abs());
                        }
                    }
                }
            }
        }
        // sidereal time of the exact form is rounded at 26 turns and more: 1e-14 rad
        assert!(worst < 1e-13, "{worst:e}");
    }

    #[test]
    fn prop_the_step_of_1997_is_kept() {
        let earth = EarthOrientation::default();
        let mut cache = OrientationCache::default();
        // 0 h TT of 1997 is 23:58:57.816 UTC
        for seconds in [-1e-6, 1e-6, -30.0, 30.0, -1e-4, 1e-4, 62.0, 63.0] {
            let epoch = earth.start_of_1997.plus(seconds);
            let mut out = [[Lanes::splat(0.0); 3]; 3];
            earth.fixed_from_inertial(
                Vectors::new(Isa::best(), 8),
                &[epoch; WIDTH],
                &mut cache,
                &mut out,
                &mut [Lanes::splat(0.0); 3],
            );
            let exact = earth.rotation(epoch).matrix;
            assert!((out[0][0].0[3] - exact[0][0]).abs() < 1e-13, "{seconds}");
            assert!((out[1][0].0[3] - exact[1][0]).abs() < 1e-13, "{seconds}");
        }
    }

    #[test]
    fn prop_same_bits_whatever_the_cache_held() {
        let earth = EarthOrientation::default();
        let start = utc("31 Dec 2016 20:00:00.000");
        let (mut full, mut blank) = ([[Lanes::splat(0.0); 3]; 3], [[Lanes::splat(0.0); 3]; 3]);
        for isa in Isa::available() {
            for width in [1, 4, 8] {
                let vectors = Vectors::new(isa, width);
                let mut cache = OrientationCache::default();
                // a cache of another table is emptied
                let other = EarthOrientation::new(
                    crate::astro::frames::EarthTable::from_c04(
                        "2016 12 31 57753 0.1 0.2 -0.4 0.0\n2017 1 1 57754 0.1 0.2 0.6 0.0",
                    )
                    .unwrap(),
                );
                other.fixed_from_inertial(
                    vectors,
                    &epochs(start, 0),
                    &mut cache,
                    &mut full,
                    &mut [Lanes::splat(0.0); 3],
                );
                for step in 0..100 {
                    // there and back, over days that share a place in the cache
                    let epochs = epochs(start.plus(if step % 3 == 0 { 32.0 * 86_400.0 } else { 0.0 }), step % 7);
                    earth.fixed_from_inertial(vectors, &epochs, &mut cache, &mut full, &mut [Lanes::splat(0.0); 3]);
                    for (lane, &epoch) in epochs.iter().enumerate().take(width) {
                        let one = Vectors::new(Isa::available()[Isa::available().len() - 1], 1);
                        earth.fixed_from_inertial(
                            one,
                            &[epoch; WIDTH],
                            &mut OrientationCache::default(),
                            &mut blank,
                            &mut [Lanes::splat(0.0); 3],
                        );
                        for i in 0..3 {
                            for j in 0..3 {
                                assert_eq!(full[i][j].0[lane].to_bits(), blank[i][j].0[0].to_bits(), "{isa:?} {width}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn prop_no_epoch_is_too_wild() {
        let earth = EarthOrientation::default();
        let start = utc("31 Dec 2016 20:00:00.000");
        let mut cache = OrientationCache::default();
        let mut out = [[Lanes::splat(0.0); 3]; 3];
        let wild = [f64::NAN, f64::INFINITY, 1e15, -1e15, 1e300, 0.0, -1e10, 1e10];
        for _ in 0..2 {
            let epochs = wild.map(|seconds| start.plus(seconds));
            earth.fixed_from_inertial(
                Vectors::new(Isa::best(), 8),
                &epochs,
                &mut cache,
                &mut out,
                &mut [Lanes::splat(0.0); 3],
            );
            assert!(out[0][0].0[0].is_nan());
            assert!((out[0][0].0[5] - earth.rotation(start).matrix[0][0]).abs() < 1e-13);
        }
    }

    #[test]
    fn prop_sine_and_cosine() {
        for k in -4000..4000 {
            let turns = f64::from(k) * 0.000_977;
            let (sin, cos) = sine_and_cosine(turns);
            let (exact_sin, exact_cos) = libm::sincos(std::f64::consts::TAU * (turns - turns.round()));
            assert!((sin - exact_sin).abs() < 1.5e-15 && (cos - exact_cos).abs() < 1.5e-15, "{turns}");
            let angle = f64::from(k) * 7.654_321;
            let (sin, cos) = sine_and_cosine_of(angle);
            let (exact_sin, exact_cos) = libm::sincos(angle);
            assert!((sin - exact_sin).abs() < 1.5e-15 && (cos - exact_cos).abs() < 1.5e-15, "{angle}");
        }
    }
}

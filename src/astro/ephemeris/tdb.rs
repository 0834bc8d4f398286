//! Barycentric dynamical time of eight runs, in which the ephemeris counts.
//!
//! TDB - TT = 0.001658 s sin g + 0.00001385 s sin 2g, g = 357.5277233 deg + 35999.05034 deg T, where T is
//! counted in centuries of TAI, as in GMAT (TT would change the result by up to 1.1e-8 s, 3e-7 km of the Sun).
//!
//! Theory: g is kept as turns, so that a subtraction reduces it; the sine is its Taylor series to the
//! 15th power on a quarter turn to either side, where the rest is below 1e-11.
//!
//! # References
//! GMAT Mathematical Specification, "Time systems". Test: `val_tdb_of_the_calendar`.

use crate::astro::constants::{DAY, TT_MINUS_TAI};
use crate::base::lanes::{Lanes, Real};
use crate::lane_kernel;

/// 1/2^52-type constant: adding and taking it away rounds a number below 2^51 to a whole one.
const ROUNDING: f64 = 6_755_399_441_055_744.0;

/// g at J2000, turns.
const ANOMALY: f64 = 357.527_723_3 / 360.0;
/// The rate of g, turns a day.
const ANOMALY_RATE: f64 = 35_999.050_34 / 360.0 / 36_525.0;
/// J2000 as GMAT's modified Julian date.
const J2000: f64 = 21_545.0;

lane_kernel!(
    /// Turns seconds of a TAI day (GMAT's modified Julian date) into seconds of the TDB day of the same
    /// number; they may pass 86400.
    pub(super) fn to_tdb(day: &Lanes, seconds: &mut Lanes) = tdb_seconds
);

#[inline(always)]
fn tdb_seconds<T: Real>(first: usize, day: &Lanes, seconds: &mut Lanes) {
    let tai = T::load(seconds, first);
    let days = (T::load(day, first) - T::splat(J2000)) + tai * T::splat(1.0 / DAY);
    let turns = days.mul_add(T::splat(ANOMALY_RATE), T::splat(ANOMALY));
    // sin g = cos (g - a quarter turn)
    let (sine, cosine) = (cosine_of_turns(turns - T::splat(0.25)), cosine_of_turns(turns));
    let tdb_minus_tt = sine * cosine.mul_add(T::splat(2.0 * 0.000_013_85), T::splat(0.001_658));
    (tai + (tdb_minus_tt + T::splat(TT_MINUS_TAI))).store(seconds, first);
}

/// cos 2 pi x = sin 2 pi (1/4 - |x|), x brought to -1/2 .. 1/2.
#[inline(always)]
fn cosine_of_turns<T: Real>(turns: T) -> T {
    let whole = (turns + T::splat(ROUNDING)) - T::splat(ROUNDING);
    let y = (T::splat(0.25) - (turns - whole).abs()) * T::splat(std::f64::consts::TAU);
    let y_squared = y * y;
    let mut sum = T::splat(-1.0 / 1_307_674_368_000.0);
    for coefficient in
        [1.0 / 6_227_020_800.0, -1.0 / 39_916_800.0, 1.0 / 362_880.0, -1.0 / 5_040.0, 1.0 / 120.0, -1.0 / 6.0, 1.0]
    {
        sum = sum.mul_add(y_squared, T::splat(coefficient));
    }
    sum * y
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::astro::epoch::{Epoch, Scale};
    use crate::base::lanes::{Isa, Vectors};

    #[test]
    fn val_tdb_of_the_calendar() {
        // TDB - TT of the two terms with the library's sine; 1e-11 s move the Sun by 3e-10 km
        for step in 0..2_000 {
            let mjd = 11_400.0 + f64::from(step) * 37.123;
            let epoch = Epoch::from_mjd(Scale::Tai, mjd).unwrap();
            let (day, seconds) = epoch.day_and_seconds();
            let mut tdb = Lanes::splat(seconds);
            to_tdb(Vectors::new(Isa::best(), 8), &Lanes::splat(day), &mut tdb);
            let g = (357.527_723_3 + 35_999.050_34 * ((mjd - J2000) / 36_525.0)).to_radians();
            let expected = 0.001_658 * libm::sin(g) + 0.000_013_85 * libm::sin(2.0 * g);
            let found = tdb.0[3] - (seconds + TT_MINUS_TAI);
            // a second of the day resolves 1.5e-11 s, in each of two sums
            assert!((found - expected).abs() < 3e-11, "{mjd}: {found} {expected}");
        }
    }
}

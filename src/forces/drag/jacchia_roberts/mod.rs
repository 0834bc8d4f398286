//! Density of Jacchia's 1970 atmosphere in the closed form of Roberts, as GMAT computes it.
//!
//! Theory: the exospheric temperature follows from solar flux, hour angle and declination of the Sun, and Kp; a
//! temperature profile follows from it; each gas is then in diffusive equilibrium above 125 km (here) and 100 km
//! (`low`), and the sum is raised by geomagnetic activity, the semiannual and the seasonal variation.
//!
//! As GMAT has it, where that differs from the papers:
//! - hour angle and declination of the Sun are those in `MJ2000Eq` axes, not of date; height and latitude are of
//!   date and geodetic;
//! - the polar radius is (1 - f) a = 6356.752 km, not 6356.766 km;
//! - UTC has leap seconds from a straight line, see `fitted_utc`;
//! - GMAT takes 1 - T / Tinf from a rounded T and so loses digits with height: 1e-12 of the density at 800 km,
//!   1e-7 at 1500 km, 1e-3 at 2300 km. Here the same quantity is computed without the loss.
//!
//! At and below 100 km GMAT stops (NaN here), above 2500 km the density is zero. At 200 km the papers change the
//! warming by Kp and so the density jumps (1 %); at 500 km hydrogen enters in one step.
//!
//! # References
//! Roberts, *Celestial Mechanics* 4 (1971) 368; Jacchia, SAO Special Report 313 (1970); Long et al., *GTDS
//! Mathematical Theory*, rev. 1 (1989), section 4.5; Vallado, *Fundamentals*, 3rd ed., appendix B.
//! Tests: `val_jacchia_roberts_of_gmat`, `prop_falls_with_height`, `prop_layers_join`.

use std::f64::consts::{LN_10, PI, TAU};

use crate::astro::constants::DAY;
use crate::astro::epoch::Scale;

use super::place::{EARTH_FLATTENING, EARTH_RADIUS};
use super::space_weather::{Activity, Weather};
use super::{Atmosphere, Place};

mod low;

/// Polar radius, km.
const POLAR_RADIUS: f64 = (1.0 - EARTH_FLATTENING) * EARTH_RADIUS;
/// Temperature at 90 km, K.
const T_90: f64 = 183.0;
/// Gravity at sea level, m/s^2.
const GRAVITY: f64 = 9.806_65;
/// Gas constant, J/(K mol).
const GAS_CONSTANT: f64 = 8.314_32;
/// Particles in a mole.
const AVOGADRO: f64 = 6.022_045e23;
/// Molar masses of N2, Ar, He, O2, O and H, g/mol.
const MOLAR_MASS: [f64; 6] = [28.0134, 39.948, 4.0026, 31.9988, 15.9994, 1.007_97];
/// Where helium and hydrogen stand in the lists of gases.
const HELIUM: usize = 2;
const HYDROGEN: usize = 5;
/// The exponent of thermal diffusion of helium.
const HELIUM_DIFFUSION: f64 = -0.38;
/// Parameter l of the temperature above 125 km, a polynomial in the exospheric temperature.
const PARAMETER_L: [f64; 5] = [0.103_144_5e5, 0.234_123_0e1, 0.157_920_2e-2, -0.125_248_7e-5, 0.246_270_8e-9];
/// Decimal logarithm of the number density at 125 km (1/cm^3) of the first five gases, polynomials in
/// the exospheric temperature.
const DENSITY_125: [[f64; 7]; 5] = [
    [
        0.109_315_5e2,
        0.118_678_3e-2,
        -0.167_734_1e-5,
        0.142_022_8e-8,
        -0.713_978_5e-12,
        0.196_971_5e-15,
        -0.229_618_2e-19,
    ],
    [
        0.804_940_5e1,
        0.238_282_2e-2,
        -0.339_136_6e-5,
        0.290_971_4e-8,
        -0.148_170_2e-11,
        0.412_760_0e-15,
        -0.483_746_1e-19,
    ],
    [0.764_688_6e1, -0.438_348_6e-3, 0.469_431_9e-6, -0.289_488_6e-9, 0.945_198_9e-13, -0.127_083_8e-16, 0.0],
    [
        0.992_423_7e1,
        0.160_031_1e-2,
        -0.227_476_1e-5,
        0.193_845_4e-8,
        -0.978_218_3e-12,
        0.269_845_0e-15,
        -0.313_180_8e-19,
    ],
    [0.109_708_3e2, 0.611_874_2e-4, -0.116_500_3e-6, 0.923_935_4e-10, -0.349_073_9e-13, 0.511_629_8e-17, 0.0],
];

/// Constant term first.
#[inline]
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// x^y for x >= 0.
#[inline]
fn power(x: f64, y: f64) -> f64 {
    libm::exp(y * libm::log(x))
}

/// The Jacchia-Roberts atmosphere.
#[derive(Clone, Debug)]
pub struct JacchiaRoberts {
    weather: Weather,
}

/// The temperatures (K) that shape one profile.
#[derive(Clone, Copy, Debug)]
struct Profile {
    /// At the top of the atmosphere.
    exospheric: f64,
    /// At 125 km.
    inflection: f64,
}

impl JacchiaRoberts {
    /// The atmosphere under an activity of the Sun.
    pub fn new(weather: Weather) -> Self {
        JacchiaRoberts { weather }
    }
}

impl Atmosphere for JacchiaRoberts {
    fn density(&self, place: &Place) -> f64 {
        let height = place.height;
        if height > 2500.0 {
            return 0.0;
        }
        if height <= 100.0 || height.is_nan() {
            return f64::NAN;
        }
        let utc = fitted_utc(place.epoch.mjd(Scale::A1));
        let activity = self.weather.for_jacchia_roberts(utc);
        let sun = Sun::new(&place.sun);
        let profile = Profile::new(&activity, place, &sun);
        let decades = correction(height, utc, place.sine, activity.kp);
        // g/cm^3 in kg/m^3
        1e3 * if height <= 125.0 {
            low::density(height, &profile) * libm::exp(LN_10 * decades)
        } else {
            profile.density(height, decades, helium(place.sine, &sun))
        }
    }

    fn lowest_height(&self) -> f64 {
        100.0
    }

    fn describe(&self) -> String {
        format!("{self:?}")
    }
}

impl Profile {
    fn new(activity: &Activity, place: &Place, sun: &Sun) -> Self {
        let Activity { f107, f107a, kp, .. } = *activity;
        // Tc = 379 + 3.24 Fa + 1.3 (F - Fa)
        let coldest = 379.0 + 3.24 * f107a + 1.3 * (f107 - f107a);
        // sin^2(theta) and cos^2(eta) with theta = |phi + delta| / 2, eta = |phi - delta| / 2
        let (cosines, sines) = (place.cosine * sun.cosine, place.sine * sun.sine);
        let south = power(0.5 * (1.0 - cosines + sines).max(0.0), 1.1);
        let north = power(0.5 * (1.0 + cosines + sines).max(0.0), 1.1);
        let half = sun.cosine_of_half_lag(&place.r);
        // T1 = Tc (1 + 0.3 (sin^2.2(theta) + (cos^2.2(eta) - sin^2.2(theta)) cos^3(tau / 2)))
        let quiet = coldest * (1.0 + 0.3 * (south + half * half * half * (north - south)));
        let storm = libm::exp(kp);
        let exospheric =
            if place.height < 200.0 { quiet + 14.0 * kp + 0.02 * storm } else { quiet + 28.0 * kp + 0.03 * storm };
        Profile::of(exospheric)
    }

    /// The profile of an exospheric temperature.
    fn of(exospheric: f64) -> Self {
        // Tx = 371.6678 + 0.0518806 Tinf - 294.3505 exp(-0.00216222 Tinf)
        let inflection = 371.6678 + 0.051_880_6 * exospheric - 294.3505 * libm::exp(-0.002_162_22 * exospheric);
        Profile { exospheric, inflection }
    }

    /// (Tx - T0) / (Tinf - Tx) (h - 125) / 35 l / (R + h), the exponent of the temperature above 125 km.
    fn exponent(&self, height: f64, parameter_l: f64) -> f64 {
        (self.inflection - T_90) / (self.exospheric - self.inflection) * (height - 125.0) / 35.0 * parameter_l
            / (POLAR_RADIUS + height)
    }

    /// The sum of the gases above 125 km, g/cm^3, raised by decades, and helium by its own.
    fn density(&self, height: f64, raised: f64, helium: f64) -> f64 {
        let Profile { exospheric, inflection } = *self;
        let parameter_l = polynomial(&PARAMETER_L, exospheric);
        // T = Tinf - (Tinf - Tx) exp(-x): ln((Tinf - T) / (Tinf - Tx)) is -x
        let cooling = -self.exponent(height, parameter_l);
        let temperature = exospheric - (exospheric - inflection) * libm::exp(cooling);
        let warming = libm::log(inflection / temperature);
        // gamma = 35 M g R^2 / (Rgas l) (Tinf - Tx) / (Tinf (Tx - T0) (R + 125))
        let gamma_of_unit_mass = 35.0 * GRAVITY * POLAR_RADIUS * POLAR_RADIUS * (exospheric - inflection)
            / (GAS_CONSTANT * parameter_l * exospheric * (inflection - T_90) * (POLAR_RADIUS + 125.0));
        let mut sum = 0.0;
        for (gas, coefficients) in DENSITY_125.iter().enumerate() {
            let gamma = gamma_of_unit_mass * MOLAR_MASS[gas];
            let mut decades = raised + polynomial(coefficients, exospheric);
            let mut power_of_temperature = 1.0 + gamma;
            if gas == HELIUM {
                power_of_temperature += HELIUM_DIFFUSION;
                decades += helium;
            }
            // rho = M d / A (Tx / T)^(1 + alpha + gamma) ((Tinf - T) / (Tinf - Tx))^gamma
            sum += MOLAR_MASS[gas] * libm::exp(LN_10 * decades + power_of_temperature * warming + gamma * cooling);
        }
        if height > 500.0 {
            let cooling_500 = -self.exponent(500.0, parameter_l);
            let t_500 = exospheric - (exospheric - inflection) * libm::exp(cooling_500);
            let gamma = gamma_of_unit_mass * MOLAR_MASS[HYDROGEN];
            // log10 d(500) = 73.13 - (39.4 - 5.5 log10 T500) log10 T500
            let log_t_500 = libm::log10(t_500);
            let decades = raised + 73.13 - (39.4 - 5.5 * log_t_500) * log_t_500;
            let exponent =
                LN_10 * decades + (1.0 + gamma) * libm::log(t_500 / temperature) + gamma * (cooling - cooling_500);
            sum += MOLAR_MASS[HYDROGEN] * libm::exp(exponent);
        }
        sum / AVOGADRO
    }
}

/// UTC (days) of an A1 date as GMAT's Jacchia-Roberts model has it: the leap seconds are a straight line.
///
/// A1 - UTC = floor(0.001925 round(UTC) - 9.24696) + 0.0343780517578120 s: right until 1999, 13 s off in 2026,
/// which is 1e-6 of the density.
fn fitted_utc(a1: f64) -> f64 {
    // both are positive between 1972 and 2200
    let whole = |x: f64| (x as i64) as f64;
    let a1_minus_utc = |mjd: f64| whole(0.001_925 * whole(mjd + 0.5) - 9.24696) + 0.034_378_051_757_812;
    let mut utc = a1;
    for _ in 0..3 {
        utc = a1 - a1_minus_utc(utc) / DAY;
    }
    utc
}

/// Where the Sun is, in `MJ2000Eq` axes.
#[derive(Clone, Copy, Debug)]
struct Sun {
    /// Unit vector along its meridian.
    meridian: [f64; 2],
    /// Declination, rad, its sine and cosine.
    declination: f64,
    sine: f64,
    cosine: f64,
}

/// Sine and cosine of 43 deg and of half of 37 deg, with the digits of the angles that GMAT has:
/// 0.75049157836 and 0.64577182325 rad.
const LAG_SINE: f64 = 0.681_998_360_064_281_7;
const LAG_COSINE: f64 = 0.731_353_701_617_507_6;
const HALF_SINE: f64 = 0.317_304_656_410_828_57;
const HALF_COSINE: f64 = 0.948_323_655_204_279_9;

impl Sun {
    fn new(position: &[f64; 3]) -> Self {
        let [x, y, z] = *position;
        let across = (x * x + y * y).sqrt();
        let distance = (x * x + y * y + z * z).sqrt();
        Sun {
            meridian: [x / across, y / across],
            declination: libm::atan2(z, across),
            sine: z / distance,
            cosine: across / distance,
        }
    }

    /// |cos(tau / 2)| for tau = H - 37 deg + 6 deg sin(H + 43 deg), H the hour angle of the Sun at `r`.
    fn cosine_of_half_lag(&self, r: &[f64; 3]) -> f64 {
        let [x, y] = self.meridian;
        let across = (r[0] * r[0] + r[1] * r[1]).sqrt();
        let cosine = ((x * r[0] + y * r[1]) / across).clamp(-1.0, 1.0);
        let sine = (x * r[1] - y * r[0]) / across;
        // cos(H / 2) >= 0 and sin(H / 2), each from the one that does not cancel
        let (half_cosine, half_sine) = if cosine > 0.0 {
            let c = (0.5 * (1.0 + cosine)).sqrt();
            (c, 0.5 * sine / c)
        } else {
            let s = (0.5 * (1.0 - cosine)).sqrt();
            (0.5 * sine.abs() / s, s.copysign(sine))
        };
        // small = 3 deg sin(H + 43 deg), a series in its square
        let small = 0.5 * 0.104_719_755_12 * (sine * LAG_COSINE + cosine * LAG_SINE);
        let square = small * small;
        let small_sine = small * (1.0 + square * (-1.0 / 6.0 + square * (1.0 / 120.0 - square / 5040.0)));
        let small_cosine = 1.0 + square * (-0.5 + square * (1.0 / 24.0 + square * (-1.0 / 720.0 + square / 40_320.0)));
        // H / 2 + small
        let sum_cosine = half_cosine * small_cosine - half_sine * small_sine;
        let sum_sine = half_sine * small_cosine + half_cosine * small_sine;
        (sum_cosine * HALF_COSINE + sum_sine * HALF_SINE).abs()
    }
}

/// Helium flees the summer pole: decades = 0.65 |delta / 23.44 deg| (sin^3(pi/4 - phi sign(delta) / 2) - 0.35355).
fn helium(sine_of_latitude: f64, sun: &Sun) -> f64 {
    // sin^2(pi/4 - phi / 2) = (1 - sin(phi)) / 2
    let square = 0.5 * (1.0 - sine_of_latitude * 1.0_f64.copysign(sun.declination)).max(0.0);
    4.9914 * sun.declination.abs() * (square * square.sqrt() - 0.35355) / PI
}

/// Decades by which geomagnetic activity, the half-year and the season change the density.
fn correction(height: f64, utc: f64, sine_of_latitude: f64, kp: f64) -> f64 {
    let geomagnetic = if height < 200.0 { 0.012 * kp + 0.000_012 * libm::exp(kp) } else { 0.0 };
    // f(h) g(t), in years from 1958 January 0
    let profile = (5.876e-7 * power(height, 2.331) + 0.06328) * libm::exp(-0.002_868 * height);
    let years = (utc - 6204.5) / 365.2422;
    let tau = years + 0.09544 * (power(0.5 * (1.0 + libm::sin(TAU * years + 6.035)), 1.65) - 0.5);
    let wave = libm::sin(2.0 * TAU * tau + 4.259);
    let semiannual = profile * (0.02835 + (0.3817 + 0.17829 * libm::sin(TAU * tau + 4.137)) * wave);
    let above = height - 90.0;
    let season = libm::sin(TAU * years + 1.72) * sine_of_latitude * sine_of_latitude.abs();
    // gone, to the last digit, above 290 km
    let seasonal = if above < 200.0 { 0.014 * above * season * libm::exp(-0.0013 * above * above) } else { 0.0 };
    geomagnetic + semiannual + seasonal
}

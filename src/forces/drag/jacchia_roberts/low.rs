//! Density between 100 and 125 km: diffusion over the quartic temperature profile.
//!
//! Theory: below 125 km T(z) = Tx + (Tx - T0) sum(C_n z^n) / 1500625 is a quartic in the height z. With its
//! roots r1, r2 and X +- iY the barometric equation integrates to powers of (z - root) (factor F3) and an
//! arc tangent (F4); the mass density of gas i is
//! rho_i = rho(100) M_i mu_i (T100 / T)^(1 + alpha_i) exp(M_i k (F4 + ln F3)).
//!
//! # References
//! Roberts, *Celestial Mechanics* 4 (1971) 368, eqs. 16-20; Vallado, *Fundamentals*, 3rd ed., appendix B.

use super::{
    GAS_CONSTANT, GRAVITY, HELIUM, HELIUM_DIFFUSION, MOLAR_MASS, POLAR_RADIUS, Profile, T_90, polynomial, power,
};

/// C_n of the temperature, km^-n.
const TEMPERATURE: [f64; 5] = [-89_284_375.0, 3_542_400.0, -52_687.5, 340.5, -0.8];
/// The divisor of the same, 35^4.
const QUARTIC: f64 = 1_500_625.0;
/// (T100 - Tx) / (Tx - T0).
const OMEGA: f64 = -0.945_855_89;
/// Density at 100 km over the mean molar mass (mol/cm^3), a polynomial in the exospheric temperature.
const DENSITY_100: [f64; 7] = [
    0.198_554_9e-10,
    -0.183_349_0e-14,
    0.171_173_5e-17,
    -0.102_147_4e-20,
    0.372_789_4e-24,
    -0.773_411_0e-28,
    0.702_694_2e-32,
];
/// Shares of N2, Ar, He, O2 and O at 100 km.
const SHARE: [f64; 5] = [0.781_10, 0.934_32e-2, 0.614_71e-5, 0.161_778, 0.955_44e-1];

/// The sum of the gases at 100 < h <= 125 km, g/cm^3.
pub(super) fn density(height: f64, profile: &Profile) -> f64 {
    let tx = profile.inflection;
    let rise = tx - T_90;
    let temperature = if height < 125.0 { tx + rise * polynomial(&TEMPERATURE, height) / 1.500_625e6 } else { tx };
    let t_100 = tx + OMEGA * rise;

    let mut quartic = TEMPERATURE;
    quartic[0] += QUARTIC * tx / rise;
    let Roots { r1, r2, x, y } = Roots::of(quartic);
    let (ra, m2) = (POLAR_RADIUS, x * x + y * y);
    let ra2 = ra * ra;
    // U(nu) = (r1 - r2) (nu + R)^2 (nu^2 - 2 X nu + X^2 + Y^2)
    let u = |nu: f64| (r1 - r2) * (nu + ra) * (nu + ra) * (nu * nu - 2.0 * nu * x + m2);
    // W(nu) = r1 r2 R (R + nu) (R + (X^2 + Y^2) / nu)
    let w = |nu: f64| r1 * r2 * ra * (ra + nu) * (ra + m2 / nu);
    let shell = ra2 + 2.0 * ra * x + m2;
    let q2 = 1.0 / u(r1);
    let q3 = -1.0 / u(r2);
    let q5 = 1.0 / ((ra + r1) * (ra + r2) * shell);
    let q4 = (1.0 + w(r1) * q2 + w(r2) * q3 + r1 * r2 * (ra2 - m2) * q5) / (-2.0 * r1 * r2 * ra * shell);
    let q1 = -2.0 * q4 - q3 - q2;
    let q6 = -q5 - 2.0 * (x + ra) * q4 - (r2 + ra) * q3 - (r1 + ra) * q2;

    let ratio = |a: f64| (height - a) / (100.0 - a);
    let log_f3 = q1 * libm::log(ratio(-ra))
        + q2 * libm::log(ratio(r1))
        + q3 * libm::log(ratio(r2))
        + q4 * libm::log((height * height - 2.0 * x * height + m2) / (1.0e4 - 200.0 * x + m2));
    let above = height - 100.0;
    let f4 = above * q5 / ((height + ra) * (100.0 + ra))
        + q6 * libm::atan(y * above / (y * y + (height - x) * (100.0 - x))) / y;
    // k = -35^4 g R^2 / (Rgas C4 (Tx - T0))
    let k = -QUARTIC * GRAVITY * ra2 / (GAS_CONSTANT * TEMPERATURE[4] * rise);

    let mut sum = 0.0;
    for (gas, share) in SHARE.iter().enumerate() {
        let diffusion = if gas == HELIUM { power(t_100 / temperature, HELIUM_DIFFUSION) } else { 1.0 };
        sum += MOLAR_MASS[gas] * share * libm::exp(MOLAR_MASS[gas] * k * (f4 + log_f3)) * diffusion;
    }
    sum * polynomial(&DENSITY_100, profile.exospheric) * t_100 / temperature
}

/// The roots of the temperature: two real ones and a pair x +- iy.
#[derive(Clone, Copy, Debug)]
struct Roots {
    r1: f64,
    r2: f64,
    x: f64,
    y: f64,
}

impl Roots {
    /// Of a quartic, constant term first; the real roots are looked for from 125 and 200 km on.
    fn of(quartic: [f64; 5]) -> Self {
        let (r1, cubic) = divided::<5, 4>(&quartic, 125.0);
        let (r2, quadratic) = divided::<4, 3>(&cubic, 200.0);
        let x = -quadratic[1] / (2.0 * quadratic[2]);
        let y = (quadratic[0] / quadratic[2] - x * x).abs().sqrt();
        Roots { r1, r2, x, y }
    }
}

/// Newton's root of a polynomial from a guess on, and the polynomial divided by (z - root).
fn divided<const N: usize, const M: usize>(coefficients: &[f64; N], guess: f64) -> (f64, [f64; M]) {
    let mut root = guess;
    for _ in 0..50 {
        let (mut value, mut slope) = (0.0, 0.0);
        for coefficient in coefficients.iter().rev() {
            slope = slope * root + value;
            value = value * root + coefficient;
        }
        let step = value / slope;
        root -= step;
        if step.abs() <= 1e-15 * root.abs() {
            break;
        }
    }
    let mut quotient = [0.0; M];
    let mut carry = 0.0;
    for n in (0..M).rev() {
        carry = carry * root + coefficients[n + 1];
        quotient[n] = carry;
    }
    (root, quotient)
}

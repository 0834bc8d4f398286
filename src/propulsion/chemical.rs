//! Chemical engines: thrust and specific impulse as polynomials of the pressure and temperature in the tank.
//!
//! With P the pressure (kPa) and q the temperature over the reference temperature (both in C):
//!
//! F = C1 + C2 P + (C3 + C4 P + C5 P^2 + C6 P^C7 + C8 P^C9 + C10 P^C11 + C12 C13^(C14 P)) q^(1 + C15 + C16 P)
//!
//! in newtons, and the specific impulse (s) the same of K1 to K16. Domain: P >= 0, and q > 0 where the exponent is
//! not a whole number; outside the powers are not a number, and the run ends there, as in GMAT.
//!
//! # References
//! GMAT User Guide, `ChemicalThruster`; GMAT R2026a.
//! Tests: `val_polynomials_of_gmat`, `prop_shapes_agree`.

use super::tank::Feed;

/// The number of coefficients.
pub const COEFFICIENTS: usize = 16;

/// How much of a polynomial there is to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// C3 and what does not depend on the pressure inside the braces.
    Constant,
    /// C4 and C5 as well.
    Quadratic,
    /// The powers as well.
    Powers,
}

/// A polynomial of pressure and temperature: a thrust (N) or a specific impulse (s).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Polynomial {
    c: [f64; COEFFICIENTS],
    shape: Shape,
}

impl Polynomial {
    /// Of C1 to C16, or K1 to K16.
    pub fn new(c: [f64; COEFFICIENTS]) -> Self {
        // Only zeros are left out, so that no shape has another value than the whole.
        let any = |places: &[usize]| places.iter().any(|&place| c[place] != 0.0);
        let shape = if any(&[5, 7, 9, 11]) {
            Shape::Powers
        } else if any(&[3, 4]) {
            Shape::Quadratic
        } else {
            Shape::Constant
        };
        Polynomial { c, shape }
    }

    /// Of a first coefficient alone.
    pub fn constant(first: f64) -> Self {
        let mut c = [0.0; COEFFICIENTS];
        c[0] = first;
        Polynomial::new(c)
    }

    /// C1 to C16.
    pub fn coefficients(&self) -> &[f64; COEFFICIENTS] {
        &self.c
    }

    /// The value, in the order of GMAT's operations.
    #[inline]
    pub fn at(&self, feed: Feed) -> f64 {
        let Feed { pressure_kpa: p, temperature_ratio: q } = feed;
        let c = &self.c;
        let mut braces = c[2];
        if self.shape != Shape::Constant {
            braces += p * (c[3] + p * c[4]);
        }
        if self.shape == Shape::Powers {
            let power = |factor: f64, exponent: f64| factor * libm::pow(p, exponent);
            braces += power(c[5], c[6]) + power(c[7], c[8]) + power(c[9], c[10]) + c[11] * libm::pow(c[12], p * c[13]);
        }
        #[allow(clippy::float_cmp)] // 1 to any power is 1
        if q != 1.0 {
            braces *= libm::pow(q, 1.0 + c[14] + p * c[15]);
        }
        braces + (c[0] + c[1] * p)
    }
}

/// The engine of a `ChemicalThruster`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChemicalEngine {
    /// Thrust, N: C1 to C16.
    pub thrust: Polynomial,
    /// Specific impulse, s: K1 to K16.
    pub specific_impulse: Polynomial,
}

/// GMAT's defaults: 10 N, 300 s.
impl Default for ChemicalEngine {
    fn default() -> Self {
        ChemicalEngine { thrust: Polynomial::constant(10.0), specific_impulse: Polynomial::constant(300.0) }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Every coefficient of cases/burn_finite_polynomial.
    pub(crate) fn full() -> ChemicalEngine {
        let thrust = [20.0, 0.05, 4.0, 0.03, 1.5e-5, 0.8, 0.45, -0.002, 1.1, 3e-7, 2.05, 2.0, 1.0004, 0.9, -0.2, 2e-4];
        let specific_impulse =
            [180.0, 0.02, 3.0, 0.004, 2e-6, 1.2, 0.5, 0.003, 0.9, -1e-8, 2.2, 1.0, 1.0003, 1.1, 0.15, -1e-4];
        ChemicalEngine { thrust: Polynomial::new(thrust), specific_impulse: Polynomial::new(specific_impulse) }
    }

    #[test]
    fn val_polynomials_of_gmat() {
        // Sat.Tank.Pressure, Sat.Thr.ThrustMagnitude and Sat.Thr.Isp of one report, 28 C over 21 C: 16 digits; the
        // powers of GMAT's C library and of libm differ by an ulp
        for (pressure_kpa, thrust, specific_impulse) in [
            (1500.0, 235.539_931_819_068_5, 294.913_015_209_605_9),
            (1_398.426_860_626_816, 218.835_260_232_740_4, 289.427_411_663_091_6),
        ] {
            let feed = Feed { pressure_kpa, temperature_ratio: 28.0 / 21.0 };
            let engine = full();
            let (t, isp) = (engine.thrust.at(feed), engine.specific_impulse.at(feed));
            assert!((t / thrust - 1.0).abs() < 1e-15, "{t} {thrust}");
            assert!((isp / specific_impulse - 1.0).abs() < 1e-15, "{isp} {specific_impulse}");
        }
    }

    #[test]
    fn prop_shapes_agree() {
        // every coefficient alone beside C1, C3 and the temperature: the shape leaves out nothing but zeros
        let feed = Feed { pressure_kpa: 1234.5, temperature_ratio: 1.25 };
        for place in 0..COEFFICIENTS {
            let mut c = [0.0; COEFFICIENTS];
            (c[0], c[2], c[6], c[12]) = (3.0, 5.0, 0.5, 1.01);
            c[place] += 0.125;
            let polynomial = Polynomial::new(c);
            let whole = Polynomial { c, shape: Shape::Powers };
            assert_eq!(polynomial.at(feed).to_bits(), whole.at(feed).to_bits(), "C{}", place + 1);
            let matters = !matches!(place, 6 | 8 | 10 | 12 | 13);
            let without = {
                let mut c = c;
                c[place] -= 0.125;
                Polynomial::new(c)
            };
            assert_eq!((polynomial.at(feed) - without.at(feed)).abs() > 0.0, matters, "C{}", place + 1);
        }
        let cold = Polynomial::constant(400.0);
        assert_eq!(cold.at(feed).to_bits(), 400.0_f64.to_bits());
    }
}

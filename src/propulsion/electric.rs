//! Electric engines: thrust and mass flow out of the electric power.
//!
//! With p the power (kW), which counts as MaximumUsablePower where it is more, Isp the specific impulse (s) and g
//! the gravitational acceleration (m/s^2):
//!
//! | model | thrust, N | mass flow, kg/s |
//! |---|---|---|
//! | `ThrustMassPolynomial` | (T1 + T2 p + T3 p^2 + T4 p^3 + T5 p^4) / 1e3 | (M1 + ... + M5 p^4) / 1e6 |
//! | `ConstantThrustAndIsp` | ConstantThrust | ConstantThrust / (Isp g) |
//! | `FixedEfficiency` | 2 eta p / (Isp g / 1000) | 2 eta p / 1000 / (Isp g / 1000)^2 |
//!
//! Below MinimumUsablePower there is neither. A thrust that comes out negative counts as none, but its mass flows.
//!
//! # References
//! GMAT User Guide, `ElectricThruster`; GMAT R2026a. Tests: `val_engines_of_gmat`, `prop_power_of_the_jet`.

/// The number of coefficients of each polynomial.
const COEFFICIENTS: usize = 5;

/// How thrust follows from power.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThrustModel {
    /// Polynomials of the power.
    #[default]
    ThrustMassPolynomial,
    /// The same thrust at any power that is enough.
    ConstantThrustAndIsp,
    /// The same part of the power goes into the jet.
    FixedEfficiency,
}

impl ThrustModel {
    /// GMAT's names.
    pub const NAMES: [(&str, ThrustModel); 3] = [
        ("ThrustMassPolynomial", ThrustModel::ThrustMassPolynomial),
        ("ConstantThrustAndIsp", ThrustModel::ConstantThrustAndIsp),
        ("FixedEfficiency", ThrustModel::FixedEfficiency),
    ];
}

/// The engine of an `ElectricThruster`: the numbers of all models, of which one is used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElectricEngine {
    /// How thrust follows from power.
    pub model: ThrustModel,
    /// ThrustCoeff1 to 5, mN and kW, by the degree of the term.
    pub thrust: [f64; COEFFICIENTS],
    /// MassFlowCoeff1 to 5, mg/s and kW, by the degree of the term.
    pub mass_flow: [f64; COEFFICIENTS],
    /// Isp, s.
    pub specific_impulse: f64,
    /// ConstantThrust, N.
    pub constant_thrust: f64,
    /// FixedEfficiency: the part of the power that goes into the jet.
    pub efficiency: f64,
    /// MinimumUsablePower, kW, above zero.
    pub min_power_kw: f64,
    /// MaximumUsablePower, kW, above MinimumUsablePower.
    pub max_power_kw: f64,
}

/// GMAT's defaults.
impl Default for ElectricEngine {
    fn default() -> Self {
        ElectricEngine {
            model: ThrustModel::default(),
            thrust: [-5.19082, 2.96519, -14.4789, 54.05382, -0.001_000_92],
            mass_flow: [-0.004_776, 0.057_17, -0.099_56, 0.032_11, 2.137_81],
            specific_impulse: 4200.0,
            constant_thrust: 0.237,
            efficiency: 0.7,
            min_power_kw: 0.638,
            max_power_kw: 7.266,
        }
    }
}

/// What an electric engine does: N, s, and kg/s out of the tank (positive), without duty cycle and scale factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Raw {
    pub(super) thrust: f64,
    pub(super) specific_impulse: f64,
    pub(super) mass_flow: f64,
}

impl ElectricEngine {
    /// At a power (kW), with a gravitational acceleration (m/s^2).
    #[inline]
    pub(super) fn at(&self, power_kw: f64, gravity: f64) -> Raw {
        if power_kw < self.min_power_kw {
            return Raw { thrust: 0.0, specific_impulse: 0.0, mass_flow: 0.0 };
        }
        let p = if power_kw > self.max_power_kw { self.max_power_kw } else { power_kw };
        let (thrust, specific_impulse, mass_flow) = match self.model {
            ThrustModel::ThrustMassPolynomial => {
                let (thrust, mass_flow) = (polynomial(&self.thrust, p) / 1e3, polynomial(&self.mass_flow, p) / 1e6);
                (thrust, thrust / (mass_flow * gravity), mass_flow)
            }
            ThrustModel::ConstantThrustAndIsp => {
                let (thrust, specific_impulse) = (self.constant_thrust, self.specific_impulse);
                (thrust, specific_impulse, thrust / (specific_impulse * gravity))
            }
            ThrustModel::FixedEfficiency => {
                // km/s
                let exhaust_speed = self.specific_impulse * gravity * 0.001;
                let jet = 2.0 * self.efficiency * p;
                (jet / exhaust_speed, self.specific_impulse, jet * 0.001 / (exhaust_speed * exhaust_speed))
            }
        };
        if thrust < 0.0 {
            return Raw { thrust: 0.0, specific_impulse: 0.0, mass_flow };
        }
        Raw { thrust, specific_impulse, mass_flow }
    }
}

/// c1 + c2 p + ... + c5 p^4, the highest power first, as GMAT adds.
fn polynomial(c: &[f64; COEFFICIENTS], p: f64) -> f64 {
    let p2 = p * p;
    let p3 = p2 * p;
    c[4] * (p3 * p) + c[3] * p3 + c[2] * p2 + c[1] * p + c[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    const G: f64 = 9.80665;

    #[test]
    fn val_engines_of_gmat() {
        // Sat.Pow.ThrustPowerAvailable, Sat.Thr.ThrustMagnitude, .Isp, .MassFlowRate right after BeginFiniteBurn (later
        // ones have the power of another instant): 16 digits printed
        let near = |raw: Raw, thrust: f64, specific_impulse: f64, mass_flow: f64| {
            assert!((raw.thrust / thrust - 1.0).abs() < 2e-15, "{raw:?} {thrust}");
            assert!((raw.specific_impulse / specific_impulse - 1.0).abs() < 2e-15, "{raw:?} {specific_impulse}");
            assert!((raw.mass_flow / mass_flow - 1.0).abs() < 2e-15, "{raw:?} {mass_flow}");
        };
        let polynomials = ElectricEngine { max_power_kw: 7.2, ..ElectricEngine::default() };
        let power = 5.538_295_017_651_823;
        near(polynomials.at(power, G), 8.748_549_543_355_713, 442.951_896_224_228_3, 0.002_013_996_979_230_567);
        let limited = ElectricEngine { max_power_kw: 4.0, ..ElectricEngine::default() };
        near(limited.at(power, G), 3.234_195_784_48, 601.855_922_731_333_4, 0.000_547_965_344_000_000_1);
        let fixed = ElectricEngine {
            model: ThrustModel::FixedEfficiency,
            efficiency: 0.65,
            specific_impulse: 3000.0,
            max_power_kw: 20.0,
            ..ElectricEngine::default()
        };
        let raw = fixed.at(0.701_116_612_553_087_1, G);
        near(raw, 0.030_980_732_337_037_06, 3000.0, 1.053_051_835_133_543e-6);
        // with DutyCycle 0.9 and ThrustScaleFactor 1.05: 0.2835 N, 1.101293510016162e-05 kg/s
        let constant = ElectricEngine {
            model: ThrustModel::ConstantThrustAndIsp,
            constant_thrust: 0.3,
            specific_impulse: 2500.0,
            ..ElectricEngine::default()
        };
        near(constant.at(10.0, G), 0.2835 / 0.9 / 1.05, 2500.0, 1.101_293_510_016_162e-5 / 0.9);
    }

    #[test]
    fn prop_power_of_the_jet() {
        // F^2 / (2 mdot) = efficiency p: in W
        let engine = ElectricEngine {
            model: ThrustModel::FixedEfficiency,
            efficiency: 0.55,
            specific_impulse: 1800.0,
            min_power_kw: 0.5,
            max_power_kw: 4.0,
            ..ElectricEngine::default()
        };
        for (power, used) in [(0.5, 0.5), (2.0, 2.0), (4.0, 4.0), (9.0, 4.0)] {
            let raw = engine.at(power, G);
            assert!((raw.thrust * raw.thrust / (2.0 * raw.mass_flow) / (550.0 * used) - 1.0).abs() < 1e-14);
            assert!((raw.thrust / (raw.mass_flow * raw.specific_impulse * G) - 1.0).abs() < 1e-14);
        }
        assert_eq!(engine.at(0.499, G), Raw { thrust: 0.0, specific_impulse: 0.0, mass_flow: 0.0 });
        // a polynomial with a negative thrust: none, but the mass flows
        let engine =
            ElectricEngine { thrust: [-1.0, 0.0, 0.0, 0.0, 0.0], mass_flow: [2.0; 5], ..ElectricEngine::default() };
        assert_eq!(engine.at(1.0, G), Raw { thrust: 0.0, specific_impulse: 0.0, mass_flow: 1e-5 });
    }
}

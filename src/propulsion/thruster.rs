//! Thrusters: an engine, the tanks that it draws on, and what it makes of them.
//!
//! thrust applied T = F s d (N), mass flow -F d / (g Isp) (kg/s)
//!
//! with the engine's thrust F and specific impulse Isp, ThrustScaleFactor s, DutyCycle d and GravitationalAccel g.
//! The scale factor does not count in the mass flow. An electric engine has a mass flow of its own.
//!
//! Several tanks, in the parts x_i of MixRatio: P = sum x_i P_i / sum x_i, T/Tref = sum x_i T_i / sum x_i Tref_i.
//!
//! # References
//! GMAT User Guide, `ChemicalThruster`; GMAT R2026a. Tests: `val_outputs_of_gmat`, `val_mix_of_gmat`.

use super::GRAVITATIONAL_ACCELERATION;
use super::chemical::ChemicalEngine;
use super::electric::ElectricEngine;
use super::tank::{Feed, Tank, TankError};

/// Why a burn cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum FiringError {
    /// A thruster without a tank.
    #[error("a thruster fires without a fuel tank")]
    NoTank,
    /// A chemical thruster that draws on an electric tank, or on one that is not there.
    #[error("a chemical thruster draws on a tank that is not a ChemicalTank of its spacecraft")]
    WrongTank,
    /// The specific impulse is zero.
    #[error("a thruster has a specific impulse of zero")]
    NoSpecificImpulse,
    /// The thrust direction is zero.
    #[error("a thruster has no direction")]
    NoDirection,
    /// The mass changes, but nothing that fires takes it.
    #[error("the mass of the spacecraft changes, but no thruster fires")]
    NothingFires,
    /// More thrusters fire than there is room for.
    #[error("more than 16 thrusters of one spacecraft fire at once")]
    TooMany,
    /// A tank cannot give that much.
    #[error(transparent)]
    Tank(#[from] TankError),
}

/// The most tanks that one thruster can draw on.
pub const TANKS_MAX: usize = 8;

/// The tanks that a thruster draws on, and in what parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draw {
    tanks: [u8; TANKS_MAX],
    parts: [f64; TANKS_MAX],
    count: u8,
    sum: f64,
}

impl Draw {
    /// On one tank: its place among those of the spacecraft.
    pub fn on(tank: u8) -> Self {
        Draw { tanks: [tank; TANKS_MAX], parts: [1.0; TANKS_MAX], count: 1, sum: 1.0 }
    }

    /// On several, each with its part of MixRatio (above zero); none where there are too many or none.
    pub fn mixed(tanks: &[(u8, f64)]) -> Option<Self> {
        if tanks.is_empty() || tanks.len() > TANKS_MAX || !tanks.iter().all(|&(_, part)| part > 0.0) {
            return None;
        }
        let mut draw = Draw { count: tanks.len() as u8, sum: 0.0, ..Draw::on(0) };
        for (place, &(tank, part)) in tanks.iter().enumerate() {
            (draw.tanks[place], draw.parts[place]) = (tank, part);
            draw.sum += part;
        }
        Some(draw)
    }

    /// Each tank's place and part.
    #[inline]
    pub fn tanks(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.tanks.iter().zip(&self.parts).take(usize::from(self.count)).map(|(&tank, &part)| (usize::from(tank), part))
    }

    /// The sum of the parts.
    pub fn sum(&self) -> f64 {
        self.sum
    }

    /// The pressure and temperature that the tanks give together.
    #[inline]
    pub fn feed(&self, tanks: &[Tank]) -> Result<Feed, FiringError> {
        let (mut pressure, mut temperature, mut reference) = (0.0, 0.0, 0.0);
        for (tank, part) in self.tanks() {
            let store = tanks.get(tank).and_then(Tank::store).ok_or(FiringError::WrongTank)?;
            pressure += store.pressure_kpa * part;
            temperature += store.temperature_c * part;
            reference += store.reference_temperature_c * part;
        }
        Ok(Feed { pressure_kpa: pressure / self.sum, temperature_ratio: temperature / reference })
    }
}

/// The engine of a thruster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Engine {
    /// Of a `ChemicalThruster`.
    Chemical(ChemicalEngine),
    /// Of an `ElectricThruster`.
    Electric(ElectricEngine),
}

/// A thruster of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thruster {
    /// Its engine.
    pub engine: Engine,
    /// Its tanks, if it has any.
    pub draw: Option<Draw>,
    /// DutyCycle, 0 to 1.
    pub duty_cycle: f64,
    /// ThrustScaleFactor, not negative.
    pub scale: f64,
    /// GravitationalAccel, m/s^2, above zero.
    pub gravity: f64,
    /// DecrementMass.
    pub decrement_mass: bool,
    /// Whether a burn has it on: BeginFiniteBurn to EndFiniteBurn.
    pub firing: bool,
    /// The electric power that the burn gives it, kW.
    pub power_kw: f64,
}

/// GMAT's defaults.
impl Default for Thruster {
    fn default() -> Self {
        Thruster {
            engine: Engine::Chemical(ChemicalEngine::default()),
            draw: None,
            duty_cycle: 1.0,
            scale: 1.0,
            gravity: GRAVITATIONAL_ACCELERATION,
            decrement_mass: false,
            firing: false,
            power_kw: 0.0,
        }
    }
}

/// What a thruster does: GMAT's parameters `ThrustMagnitude`, `Isp` and `MassFlowRate`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Output {
    /// Thrust with scale factor and duty cycle, N.
    pub thrust: f64,
    /// Specific impulse, s.
    pub specific_impulse: f64,
    /// Mass flow into the spacecraft, kg/s: not above zero.
    pub mass_flow: f64,
}

impl Thruster {
    /// What it does with its tanks as they are; nothing where it does not fire.
    #[inline]
    pub fn output(&self, tanks: &[Tank]) -> Result<Output, FiringError> {
        if !self.firing {
            return Ok(Output::default());
        }
        let draw = self.draw.as_ref().ok_or(FiringError::NoTank)?;
        match &self.engine {
            Engine::Chemical(engine) => {
                let feed = draw.feed(tanks)?;
                let (force, specific_impulse) = (engine.thrust.at(feed), engine.specific_impulse.at(feed));
                if specific_impulse == 0.0 {
                    return Err(FiringError::NoSpecificImpulse);
                }
                let flow = if self.decrement_mass { -force / (self.gravity * specific_impulse) } else { 0.0 };
                Ok(self.applied(force, specific_impulse, flow * self.duty_cycle))
            }
            Engine::Electric(engine) => {
                let raw = engine.at(self.power_kw, self.gravity);
                let flow = if self.decrement_mass { raw.mass_flow } else { 0.0 };
                Ok(self.applied(raw.thrust, raw.specific_impulse, flow * -self.duty_cycle))
            }
        }
    }

    fn applied(&self, force: f64, specific_impulse: f64, mass_flow: f64) -> Output {
        Output { thrust: force * self.scale * self.duty_cycle, specific_impulse, mass_flow }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::propulsion::chemical::{Polynomial, tests::full};
    use crate::propulsion::tank::ChemicalStore;

    #[test]
    fn val_outputs_of_gmat() {
        // cases/burn_finite_polynomial, after the burn: 16 digits printed
        let store = ChemicalStore {
            blow_down: true,
            temperature_c: 28.0,
            reference_temperature_c: 21.0,
            ..ChemicalStore::default()
        };
        let mut tank = Tank::chemical(400.0, false, store).unwrap();
        tank.set_fuel(360.414_546_861_912_9).unwrap();
        let thruster = Thruster {
            engine: Engine::Chemical(full()),
            draw: Some(Draw::on(0)),
            decrement_mass: true,
            firing: true,
            ..Thruster::default()
        };
        let output = thruster.output(&[tank]).unwrap();
        assert!((output.thrust / 218.835_260_232_740_4 - 1.0).abs() < 1e-15);
        assert!((output.specific_impulse / 289.427_411_663_091_6 - 1.0).abs() < 1e-15);
        assert!((output.mass_flow / -0.077_074_130_085_511_08 - 1.0).abs() < 1e-15);
        // the scale factor does not count in the mass flow, the duty cycle does
        let scaled = Thruster { scale: 1.1, duty_cycle: 0.5, ..thruster }.output(&[tank]).unwrap();
        assert!((scaled.thrust / (0.55 * output.thrust) - 1.0).abs() < 1e-15);
        assert!((scaled.mass_flow / (0.5 * output.mass_flow) - 1.0).abs() < 1e-15);
        let dry = Thruster { decrement_mass: false, ..thruster }.output(&[tank]).unwrap();
        assert_eq!(dry.thrust.to_bits(), output.thrust.to_bits());
        assert!(dry.mass_flow == 0.0);
        assert_eq!(Thruster { firing: false, ..thruster }.output(&[tank]), Ok(Output::default()));
    }

    #[test]
    fn wrong_thrusters_are_refused() {
        let tank = Tank::chemical(400.0, false, ChemicalStore::default()).unwrap();
        let xenon = Tank::electric(100.0, false).unwrap();
        let thruster = Thruster { draw: Some(Draw::on(0)), firing: true, ..Thruster::default() };
        assert!(thruster.output(&[tank]).is_ok());
        assert_eq!(Thruster { draw: None, ..thruster }.output(&[tank]), Err(FiringError::NoTank));
        assert_eq!(thruster.output(&[xenon]), Err(FiringError::WrongTank));
        assert_eq!(thruster.output(&[]), Err(FiringError::WrongTank));
        let engine = ChemicalEngine { specific_impulse: Polynomial::constant(0.0), ..ChemicalEngine::default() };
        let idle = Thruster { engine: Engine::Chemical(engine), ..thruster };
        assert_eq!(idle.output(&[tank]), Err(FiringError::NoSpecificImpulse));
        assert_eq!(Draw::mixed(&[]), None);
        assert_eq!(Draw::mixed(&[(0, 1.0); TANKS_MAX + 1]), None);
        assert_eq!(Draw::mixed(&[(0, 1.0), (1, 0.0)]), None);
        assert_eq!(Draw::mixed(&[(0, 1.0)]), Some(Draw::on(0)));
    }
}

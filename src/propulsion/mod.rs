//! Tanks, thrusters, power systems and burns: GMAT's propulsion hardware as plain numbers and pure functions.
//!
//! A run holds its own copies ([`Tank`], [`Thruster`], [`PowerSystem`]: `Copy`, numbers only); the caller knows the
//! names, the axes and the epochs. One stage of a finite burn, for one lane:
//!
//! 1. [`burn::set_total_mass`]: the tanks follow the mass of the stage;
//! 2. electric thrusters only: [`PowerSystem::thrust_power`] and [`burn::allot`];
//! 3. [`burn::fire`]: acceleration and mass flow, out of the thrust directions in inertial axes.
//!
//! What an integrator must know of GMAT's finite burns:
//!
//! - The state has one more component, the total mass, while a burn is on. Its error counts in the step control as
//!   one more relative error of the change over the step, whatever the error control but `None`: see
//!   [`burn::mass_error`].
//! - The tanks are hidden state. With several tanks whose flows change in ratio, their masses depend on the order
//!   in which the masses of stages were set, rejected trials included; GMAT's numbers need the same order.
//! - The power of electric thrusters is that of the epoch at the start of the step, at every stage.
//! - Where a tank would become emptier than empty, the run ends: [`TankError::Empty`].
//!
//! Units: km, km/s, kg, and those of GMAT's fields, which are in the names: N, s, kPa, degrees Celsius, m^3, kW, AU.
//!
//! # References
//! GMAT Mathematical Specification, "Thruster models" and "Maneuver models"; GMAT User Guide, `ChemicalTank`,
//! `ChemicalThruster`, `ElectricThruster`, `SolarPowerSystem`, `FiniteBurn`, `ImpulsiveBurn`. All measured on R2026a.

pub mod burn;
pub mod chemical;
pub mod electric;
pub mod impulsive;
pub mod power;
pub mod tank;
pub mod thruster;

pub use chemical::{ChemicalEngine, Polynomial};
pub use electric::{ElectricEngine, ThrustModel};
pub use power::{PowerSource, PowerSystem};
pub use tank::{ChemicalStore, Feed, Tank, TankError};
pub use thruster::{Draw, Engine, FiringError, Output, Thruster};

/// GMAT's `GravitationalAccel` where a script sets none, m/s^2.
pub const GRAVITATIONAL_ACCELERATION: f64 = 9.81;

/// Metres in a kilometre.
const METRES: f64 = 1000.0;

//! The plain numbers of a mission's objects: what a run holds, what the sequence and a sweep can set.
//!
//! Only the state and the epoch of a spacecraft are more than that: setting one element changes six numbers.

use super::Objects;
use super::fields::{BurnField, CraftField, StepField};
use super::hardware::{TankField, ThrusterField};
use super::power::PowerField;
use crate::base::outcome::Failure;

/// A number of an object, by the object's place in the mission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// A Variable, an element of an Array, or the place of a String's text among the mission's texts.
    Value(usize),
    /// What the forces see of a spacecraft.
    Craft {
        /// Which spacecraft.
        spacecraft: usize,
        /// Which number.
        field: CraftField,
    },
    /// A step setting.
    Step {
        /// Which propagator.
        propagator: usize,
        /// Which setting.
        field: StepField,
    },
    /// A number of an impulsive burn.
    Burn {
        /// Which burn.
        burn: usize,
        /// Which number.
        field: BurnField,
    },
    /// A number of a tank.
    Tank {
        /// Which tank of which spacecraft.
        tank: usize,
        /// Which number.
        field: TankField,
    },
    /// A number of a thruster.
    Thruster {
        /// Which thruster of which spacecraft.
        thruster: usize,
        /// Which number.
        field: ThrusterField,
    },
    /// A number of a power system.
    Power {
        /// Which power system of which spacecraft.
        power: usize,
        /// Which number.
        field: PowerField,
    },
}

impl Number {
    /// Its unit.
    pub fn units(self) -> &'static str {
        match self {
            Number::Value(_) => "1",
            Number::Craft { field, .. } => field.units(),
            Number::Step { field, .. } => field.units(),
            Number::Burn { field, .. } => field.units(),
            Number::Tank { field, .. } => field.about().1,
            Number::Thruster { field, .. } => field.about().0,
            Number::Power { field, .. } => field.about().0,
        }
    }

    /// One line about it.
    pub fn long_name(self) -> &'static str {
        match self {
            Number::Value(_) => "variable",
            Number::Craft { field, .. } => field.long_name(),
            Number::Step { field, .. } => field.long_name(),
            Number::Burn { field, .. } => field.long_name(),
            Number::Tank { field, .. } => field.about().2,
            Number::Thruster { field, .. } => field.about().1,
            Number::Power { field, .. } => field.about().1,
        }
    }
}

impl Objects {
    /// A number, now.
    pub fn get(&self, number: Number) -> f64 {
        match number {
            Number::Value(slot) => self.values[slot],
            Number::Craft { spacecraft, field } => field.get(&self.spacecraft[spacecraft]),
            Number::Step { propagator, field } => field.get(&self.steps[propagator]),
            Number::Burn { burn, field } => field.get(&self.burns[burn]),
            Number::Tank { tank, field } => field.get(&self.tanks[tank]),
            Number::Thruster { thruster, field } => field.get(&self.thrusters[thruster]),
            Number::Power { power, field } => field.get(&self.powers[power]),
        }
    }

    /// Sets a number before the mission begins.
    pub fn set_before(&mut self, number: Number, value: f64) -> Result<(), Failure> {
        match number {
            Number::Tank { tank, field } => field.set_before(&mut self.tanks[tank], value),
            number => self.set(number, value),
        }
    }

    /// Sets a number in flight.
    pub fn set(&mut self, number: Number, value: f64) -> Result<(), Failure> {
        match number {
            Number::Value(slot) => self.values[slot] = value,
            Number::Craft { spacecraft, field } => field.set(&mut self.spacecraft[spacecraft], value),
            Number::Step { propagator, field } => field.set(&mut self.steps[propagator], value),
            Number::Burn { burn, field } => field.set(&mut self.burns[burn], value),
            Number::Tank { tank, field } => return field.set(&mut self.tanks[tank], value),
            Number::Thruster { thruster, field } => return field.set(&mut self.thrusters[thruster], value),
            Number::Power { power, field } => return field.set(&mut self.powers[power].system, value),
        }
        Ok(())
    }
}

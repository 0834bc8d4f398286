//! Tanks and thrusters as a mission has them: every spacecraft its own copies, as in GMAT.

use std::ops::Range;

use super::Objects;
use super::burn::BurnAxes;
use crate::base::outcome::Failure;
use crate::propulsion::{ChemicalStore, Engine, FiringError, Polynomial, Tank, Thruster};

/// The hardware of a spacecraft, by places in [`Objects`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hardware {
    /// Its tanks.
    pub tanks: Range<usize>,
    /// Its thrusters.
    pub thrusters: Range<usize>,
}

/// A copy of a tank or of a thruster: of which, and whose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copy {
    /// The object that it is a copy of.
    pub name: String,
    /// The spacecraft that has it.
    pub spacecraft: usize,
}

/// A finite burn: which thrusters of which spacecraft it fires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiniteBurn {
    /// Its name.
    pub name: String,
    /// The names of its thrusters.
    pub thrusters: Vec<String>,
}

/// The numbers of a thruster in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThrusterState {
    /// What it does.
    pub thruster: Thruster,
    /// Its direction, of any length, along its axes.
    pub direction: [f64; 3],
    /// The axes of its direction.
    pub axes: BurnAxes,
}

/// A number of a tank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TankField {
    /// Fuel, kg.
    FuelMass,
    /// Pressure, kPa.
    Pressure,
    /// Temperature, C.
    Temperature,
    /// Reference temperature, C.
    RefTemperature,
    /// Volume, m^3.
    Volume,
    /// Density of the fuel, kg/m^3.
    FuelDensity,
}

impl TankField {
    /// GMAT's names with units and a line about each.
    pub const NAMES: [(&str, TankField, &str, &str); 6] = [
        ("FuelMass", TankField::FuelMass, "kg", "fuel in the tank"),
        ("Pressure", TankField::Pressure, "kPa", "pressure in the tank"),
        ("Temperature", TankField::Temperature, "degC", "temperature of the tank"),
        ("RefTemperature", TankField::RefTemperature, "degC", "reference temperature of the tank"),
        ("Volume", TankField::Volume, "m^3", "volume of the tank"),
        ("FuelDensity", TankField::FuelDensity, "kg/m^3", "density of the fuel"),
    ];

    /// The field of a name.
    pub fn find(name: &str) -> Option<TankField> {
        Self::NAMES.iter().find(|entry| entry.0 == name).map(|entry| entry.1)
    }

    /// Its name, unit and a line about it.
    pub fn about(self) -> (&'static str, &'static str, &'static str) {
        let entry = Self::NAMES.iter().find(|entry| entry.1 == self).unwrap_or(&Self::NAMES[0]);
        (entry.0, entry.2, entry.3)
    }

    /// Its value; NaN for what an `ElectricTank` has not.
    pub fn get(self, tank: &Tank) -> f64 {
        let of_store = |field: fn(&ChemicalStore) -> f64| tank.store().map_or(f64::NAN, field);
        match self {
            TankField::FuelMass => tank.fuel(),
            TankField::Pressure => of_store(|store| store.pressure_kpa),
            TankField::Temperature => of_store(|store| store.temperature_c),
            TankField::RefTemperature => of_store(|store| store.reference_temperature_c),
            TankField::Volume => of_store(|store| store.volume_m3),
            TankField::FuelDensity => of_store(|store| store.density),
        }
    }

    /// Sets it in flight: the gas of a tank in blow-down follows the fuel, and pressure and gas go together.
    pub fn set(self, tank: &mut Tank, value: f64) -> Result<(), Failure> {
        if self == TankField::FuelMass {
            return tank.set_fuel(value).map_err(|_| Failure::TankEmpty);
        }
        let mut store = *tank.store().ok_or(Failure::TankFields)?;
        *match self {
            TankField::FuelMass | TankField::Pressure => &mut store.pressure_kpa,
            TankField::Temperature => &mut store.temperature_c,
            TankField::RefTemperature => &mut store.reference_temperature_c,
            TankField::Volume => &mut store.volume_m3,
            TankField::FuelDensity => &mut store.density,
        } = value;
        *tank = tank.with_store(store).map_err(|_| Failure::TankFields)?;
        Ok(())
    }

    /// Sets it before the mission begins: the pressure is that of the fuel then.
    pub fn set_before(self, tank: &mut Tank, value: f64) -> Result<(), Failure> {
        let store = tank.store().copied();
        self.set(tank, value)?;
        if let (TankField::FuelMass, Some(store)) = (self, store) {
            *tank = tank.with_store(store).map_err(|_| Failure::TankFields)?;
        }
        Ok(())
    }
}

/// A number of a thruster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThrusterField {
    /// `DutyCycle`.
    DutyCycle,
    /// `ThrustScaleFactor`.
    ThrustScaleFactor,
    /// `GravitationalAccel`.
    GravitationalAccel,
    /// `ThrustDirection1` to 3, 0 to 2.
    Direction(usize),
    /// `C1` to `C16`, 0 to 15.
    Thrust(usize),
    /// `K1` to `K16`, 0 to 15.
    SpecificImpulse(usize),
}

impl ThrusterField {
    /// The field of a name.
    pub fn find(name: &str) -> Option<ThrusterField> {
        let number = |prefix: &str, most: usize| {
            let digits = name.strip_prefix(prefix).filter(|digits| !digits.starts_with(['0', '+']))?;
            digits.parse::<usize>().ok().filter(|number| (1..=most).contains(number)).map(|number| number - 1)
        };
        match name {
            "DutyCycle" => Some(ThrusterField::DutyCycle),
            "ThrustScaleFactor" => Some(ThrusterField::ThrustScaleFactor),
            "GravitationalAccel" => Some(ThrusterField::GravitationalAccel),
            _ => number("ThrustDirection", 3)
                .map(ThrusterField::Direction)
                .or_else(|| number("C", 16).map(ThrusterField::Thrust))
                .or_else(|| number("K", 16).map(ThrusterField::SpecificImpulse)),
        }
    }

    /// All names.
    pub fn names() -> impl Iterator<Item = String> {
        let plain = ["DutyCycle", "ThrustScaleFactor", "GravitationalAccel"].into_iter().map(str::to_owned);
        let directions = (1..=3).map(|number| format!("ThrustDirection{number}"));
        let coefficients = ["C", "K"].into_iter().flat_map(|letter| (1..=16).map(move |n| format!("{letter}{n}")));
        plain.chain(directions).chain(coefficients)
    }

    /// Its unit and a line about it.
    pub fn about(self) -> (&'static str, &'static str) {
        match self {
            ThrusterField::DutyCycle => ("1", "share of the time that the thruster is on"),
            ThrusterField::ThrustScaleFactor => ("1", "factor of the thrust"),
            ThrusterField::GravitationalAccel => ("m/s^2", "acceleration that turns the specific impulse into a speed"),
            ThrusterField::Direction(_) => ("1", "component of the thrust's direction"),
            ThrusterField::Thrust(_) => ("1", "coefficient of the thrust"),
            ThrusterField::SpecificImpulse(_) => ("1", "coefficient of the specific impulse"),
        }
    }

    /// Its value; NaN for what the engine has not.
    pub fn get(self, state: &ThrusterState) -> f64 {
        let engine = match &state.thruster.engine {
            Engine::Chemical(engine) => Some(engine),
            Engine::Electric(_) => None,
        };
        match self {
            ThrusterField::DutyCycle => state.thruster.duty_cycle,
            ThrusterField::ThrustScaleFactor => state.thruster.scale,
            ThrusterField::GravitationalAccel => state.thruster.gravity,
            ThrusterField::Direction(axis) => state.direction[axis],
            ThrusterField::Thrust(place) => engine.map_or(f64::NAN, |engine| engine.thrust.coefficients()[place]),
            ThrusterField::SpecificImpulse(place) => {
                engine.map_or(f64::NAN, |engine| engine.specific_impulse.coefficients()[place])
            }
        }
    }

    /// Sets it.
    pub fn set(self, state: &mut ThrusterState, value: f64) -> Result<(), Failure> {
        let polynomial = |polynomial: &mut Polynomial, place: usize| {
            let mut coefficients = *polynomial.coefficients();
            coefficients[place] = value;
            *polynomial = Polynomial::new(coefficients);
        };
        match (self, &mut state.thruster.engine) {
            (ThrusterField::DutyCycle, _) if (0.0..=1.0).contains(&value) => state.thruster.duty_cycle = value,
            (ThrusterField::ThrustScaleFactor, _) if value >= 0.0 => state.thruster.scale = value,
            (ThrusterField::GravitationalAccel, _) if value > 0.0 => state.thruster.gravity = value,
            (ThrusterField::Direction(axis), _) => state.direction[axis] = value,
            (ThrusterField::Thrust(place), Engine::Chemical(engine)) => polynomial(&mut engine.thrust, place),
            (ThrusterField::SpecificImpulse(place), Engine::Chemical(engine)) => {
                polynomial(&mut engine.specific_impulse, place);
            }
            _ => return Err(Failure::ThrusterFields),
        }
        Ok(())
    }
}

impl Objects {
    /// Mass of a spacecraft with its fuel, kg.
    pub fn total_mass(&self, spacecraft: usize, hardware: &Hardware) -> f64 {
        crate::propulsion::burn::total_mass(self.spacecraft[spacecraft].dry_mass, &self.tanks[hardware.tanks.clone()])
    }
}

/// A burn that cannot go on ends the run.
impl From<FiringError> for Failure {
    fn from(error: FiringError) -> Self {
        match error {
            FiringError::Tank(_) => Failure::TankEmpty,
            _ => Failure::ThrusterFields,
        }
    }
}

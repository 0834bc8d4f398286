//! Tanks and thrusters as a mission has them: every spacecraft its own copies, as in GMAT.

use std::ops::Range;

use super::Objects;
use super::burn::BurnAxes;
use crate::base::outcome::Failure;
use crate::propulsion::burn::Push;
use crate::propulsion::{ChemicalStore, Engine, FiringError, Polynomial, Tank, Thruster};

/// The hardware of a spacecraft, by places in [`Objects`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hardware {
    /// Its tanks.
    pub tanks: Range<usize>,
    /// Its thrusters.
    pub thrusters: Range<usize>,
    /// Its power system, if it has one.
    pub power: Option<usize>,
}

/// A copy of a tank, of a thruster or of a power system: of which, and whose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copy {
    /// The object that it is a copy of.
    pub name: String,
    /// The spacecraft that has it.
    pub spacecraft: usize,
    /// An `ElectricTank` or `ElectricThruster`, or else a chemical one.
    pub electric: bool,
}

/// A finite burn: which thrusters of which spacecraft it fires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiniteBurn {
    /// Its name.
    pub name: String,
    /// The names of its thrusters.
    pub thrusters: Vec<String>,
}

/// A finite burn of one spacecraft: what a `BeginFiniteBurn` begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Firing {
    /// Which finite burn.
    pub burn: usize,
    /// Which spacecraft.
    pub spacecraft: usize,
    /// The burn's thrusters in its order, as places among those of the spacecraft.
    pub thrusters: Vec<u8>,
    /// They are electric, all of them.
    pub electric: bool,
}

/// A [`Firing`] in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FiringState {
    /// Between `BeginFiniteBurn` and `EndFiniteBurn`.
    pub on: bool,
    /// What it did at the last stage of the last trial step, or where it was begun; nothing where it is off.
    pub push: Push,
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

    /// Whether a tank has it.
    pub fn is_of(self, electric: bool) -> bool {
        !electric || self == TankField::FuelMass
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
    /// `C1` to `C16`, 0 to 15: of a chemical engine.
    Thrust(usize),
    /// `K1` to `K16`, 0 to 15: of a chemical engine.
    SpecificImpulse(usize),
    /// `ThrustCoeff1` to 5, 0 to 4: of an electric engine, as all that follow.
    ThrustCoefficient(usize),
    /// `MassFlowCoeff1` to 5, 0 to 4.
    MassFlowCoefficient(usize),
    /// `Isp`.
    Isp,
    /// `ConstantThrust`.
    ConstantThrust,
    /// `FixedEfficiency`.
    FixedEfficiency,
    /// `MinimumUsablePower`.
    MinimumUsablePower,
    /// `MaximumUsablePower`.
    MaximumUsablePower,
}

/// The names of fields that have no number.
const PLAIN: [(&str, ThrusterField); 8] = [
    ("DutyCycle", ThrusterField::DutyCycle),
    ("ThrustScaleFactor", ThrusterField::ThrustScaleFactor),
    ("GravitationalAccel", ThrusterField::GravitationalAccel),
    ("Isp", ThrusterField::Isp),
    ("ConstantThrust", ThrusterField::ConstantThrust),
    ("FixedEfficiency", ThrusterField::FixedEfficiency),
    ("MinimumUsablePower", ThrusterField::MinimumUsablePower),
    ("MaximumUsablePower", ThrusterField::MaximumUsablePower),
];

/// A field of a number from 0 on.
type Numbered = fn(usize) -> ThrusterField;

/// The names that numbers from 1 on go with, and how many there are.
const NUMBERED: [(&str, usize, Numbered); 5] = [
    ("ThrustDirection", 3, ThrusterField::Direction),
    ("C", 16, ThrusterField::Thrust),
    ("K", 16, ThrusterField::SpecificImpulse),
    ("ThrustCoeff", 5, ThrusterField::ThrustCoefficient),
    ("MassFlowCoeff", 5, ThrusterField::MassFlowCoefficient),
];

impl ThrusterField {
    /// The field of a name that a thruster has.
    pub fn find(name: &str, electric: bool) -> Option<ThrusterField> {
        let numbered = |&(prefix, most, field): &(&str, usize, Numbered)| {
            let digits = name.strip_prefix(prefix).filter(|digits| !digits.starts_with(['0', '+']))?;
            digits.parse::<usize>().ok().filter(|number| (1..=most).contains(number)).map(|number| field(number - 1))
        };
        let plain = PLAIN.iter().find(|(known, _)| *known == name).map(|(_, field)| *field);
        plain.or_else(|| NUMBERED.iter().find_map(numbered)).filter(|field| field.is_of(electric))
    }

    /// The names of all that a thruster has.
    pub fn names(electric: bool) -> impl Iterator<Item = String> {
        let plain = PLAIN.iter().map(|&(name, field)| (name.to_owned(), field));
        let numbered = NUMBERED
            .iter()
            .flat_map(|&(prefix, most, field)| (0..most).map(move |n| (format!("{prefix}{}", n + 1), field(n))));
        plain.chain(numbered).filter(move |(_, field)| field.is_of(electric)).map(|(name, _)| name)
    }

    /// Whether a thruster has it.
    fn is_of(self, electric: bool) -> bool {
        match self {
            ThrusterField::Thrust(_) | ThrusterField::SpecificImpulse(_) => !electric,
            ThrusterField::DutyCycle
            | ThrusterField::ThrustScaleFactor
            | ThrusterField::GravitationalAccel
            | ThrusterField::Direction(_) => true,
            _ => electric,
        }
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
            ThrusterField::ThrustCoefficient(_) => ("1", "coefficient of the thrust by the power"),
            ThrusterField::MassFlowCoefficient(_) => ("1", "coefficient of the mass flow by the power"),
            ThrusterField::Isp => ("s", "specific impulse"),
            ThrusterField::ConstantThrust => ("N", "thrust at any power that is enough"),
            ThrusterField::FixedEfficiency => ("1", "part of the power that goes into the jet"),
            ThrusterField::MinimumUsablePower => ("kW", "power below which the thruster is off"),
            ThrusterField::MaximumUsablePower => ("kW", "power above which the thruster uses no more"),
        }
    }

    /// Its value; NaN for what the engine has not.
    pub fn get(self, state: &ThrusterState) -> f64 {
        // a copy has places as well
        let mut state = *state;
        match (self, &state.thruster.engine) {
            (ThrusterField::Thrust(place), Engine::Chemical(engine)) => engine.thrust.coefficients()[place],
            (ThrusterField::SpecificImpulse(place), Engine::Chemical(engine)) => {
                engine.specific_impulse.coefficients()[place]
            }
            _ => self.place(&mut state).map_or(f64::NAN, |place| *place),
        }
    }

    /// Where it is, but for the coefficients of chemical engines.
    fn place(self, state: &mut ThrusterState) -> Option<&mut f64> {
        match self {
            ThrusterField::DutyCycle => return Some(&mut state.thruster.duty_cycle),
            ThrusterField::ThrustScaleFactor => return Some(&mut state.thruster.scale),
            ThrusterField::GravitationalAccel => return Some(&mut state.thruster.gravity),
            ThrusterField::Direction(axis) => return Some(&mut state.direction[axis]),
            _ => {}
        }
        let Engine::Electric(engine) = &mut state.thruster.engine else { return None };
        match self {
            ThrusterField::ThrustCoefficient(place) => Some(&mut engine.thrust[place]),
            ThrusterField::MassFlowCoefficient(place) => Some(&mut engine.mass_flow[place]),
            ThrusterField::Isp => Some(&mut engine.specific_impulse),
            ThrusterField::ConstantThrust => Some(&mut engine.constant_thrust),
            ThrusterField::FixedEfficiency => Some(&mut engine.efficiency),
            ThrusterField::MinimumUsablePower => Some(&mut engine.min_power_kw),
            ThrusterField::MaximumUsablePower => Some(&mut engine.max_power_kw),
            _ => None,
        }
    }

    /// What GMAT allows it to be, in words; none where any number will do.
    pub fn limits(self) -> Option<&'static str> {
        match self {
            ThrusterField::DutyCycle => Some("from 0 to 1"),
            ThrusterField::ThrustScaleFactor => Some("0 or more"),
            ThrusterField::GravitationalAccel
            | ThrusterField::MinimumUsablePower
            | ThrusterField::MaximumUsablePower => Some("a number above 0"),
            _ => None,
        }
    }

    /// Sets it.
    pub fn set(self, state: &mut ThrusterState, value: f64) -> Result<(), Failure> {
        let allowed = match self {
            ThrusterField::DutyCycle => (0.0..=1.0).contains(&value),
            ThrusterField::ThrustScaleFactor => value >= 0.0,
            _ => self.limits().is_none() || value > 0.0,
        };
        let polynomial = |polynomial: &mut Polynomial, place: usize| {
            let mut coefficients = *polynomial.coefficients();
            coefficients[place] = value;
            *polynomial = Polynomial::new(coefficients);
        };
        match (self, &mut state.thruster.engine) {
            (ThrusterField::Thrust(place), Engine::Chemical(engine)) => polynomial(&mut engine.thrust, place),
            (ThrusterField::SpecificImpulse(place), Engine::Chemical(engine)) => {
                polynomial(&mut engine.specific_impulse, place);
            }
            _ => *self.place(state).filter(|_| allowed).ok_or(Failure::ThrusterFields)? = value,
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

//! Fuel tanks: the mass in them, and the pressure that a chemical thruster feeds on.
//!
//! Theory: a regulated tank keeps its pressure. A tank in blow-down holds an amount of gas that stays; the gas
//! has the volume that the fuel leaves, and expands at constant temperature:
//!
//! P = (P V)_0 / (V - m / rho)
//!
//! The temperatures of a tank play no part in its pressure; thrusters use their ratio. (P V)_0 is taken when the
//! mission begins, and anew whenever a script sets pressure, temperature, volume or density: the pressure stays as
//! set, and the gas is what that pressure means beside the fuel that is in the tank then.
//!
//! Domain: fuel that fits into the volume. In the mission a script can set more than that, and the pressure comes
//! out negative, as in GMAT.
//!
//! # References
//! GMAT Mathematical Specification, "Tank models"; GMAT R2026a. Tests: `val_pressures_of_gmat`, `prop_gas_law`.

/// Why a tank cannot be as asked.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum TankError {
    /// The fuel mass would be negative, and the tank does not allow it.
    #[error("a fuel tank would be emptier than empty: {0} kg; AllowNegativeFuelMass = true flies on")]
    Empty(f64),
    /// More fuel than the tank holds.
    #[error("the fuel has a volume of {fuel_m3} m^3, more than the tank's {tank_m3} m^3")]
    Overfull {
        /// Volume of the fuel, m^3.
        fuel_m3: f64,
        /// Volume of the tank, m^3.
        tank_m3: f64,
    },
    /// A pressure below zero or not finite.
    #[error("Pressure must not be negative, and is {0} kPa")]
    Pressure(f64),
    /// A temperature at or below the absolute zero.
    #[error("Temperature and RefTemperature must be above -273.15 C, and one is {0} C")]
    Temperature(f64),
    /// A reference temperature too near to zero degrees Celsius, by which temperatures are divided.
    #[error("RefTemperature must be further from zero than 0.01 C, and is {0} C")]
    ReferenceTemperature(f64),
    /// A volume below zero or not finite.
    #[error("Volume must not be negative, and is {0} m^3")]
    Volume(f64),
    /// A density that is not above zero.
    #[error("FuelDensity must be above zero, and is {0} kg/m^3")]
    Density(f64),
}

/// What GMAT subtracts from a temperature in kelvin.
const ABSOLUTE_ZERO_C: f64 = -273.15;
/// The smallest reference temperature, C.
const REFERENCE_MIN_C: f64 = 0.01;

/// A fuel tank of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tank {
    fuel: f64,
    may_be_negative: bool,
    store: Option<ChemicalStore>,
}

/// The fields of a `ChemicalTank` beside its fuel mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChemicalStore {
    /// Pressure, kPa: of the fuel mass that comes with it.
    pub pressure_kpa: f64,
    /// Temperature, C.
    pub temperature_c: f64,
    /// What the temperature is divided by in the thrust polynomials, C.
    pub reference_temperature_c: f64,
    /// Volume of the tank, m^3.
    pub volume_m3: f64,
    /// Density of the fuel, kg/m^3.
    pub density: f64,
    /// `BlowDown`, or else `PressureRegulated`.
    pub blow_down: bool,
    /// Pressure times volume of the gas, kPa m^3: set by [`Tank::chemical`] and the setters, whatever it is before.
    pub gas: f64,
}

/// GMAT's defaults; the fuel mass to go with them is [`Tank::DEFAULT_FUEL`].
impl Default for ChemicalStore {
    fn default() -> Self {
        ChemicalStore {
            pressure_kpa: 1500.0,
            temperature_c: 20.0,
            reference_temperature_c: 20.0,
            volume_m3: 0.75,
            density: 1260.0,
            blow_down: false,
            gas: 0.0,
        }
    }
}

impl ChemicalStore {
    fn check(&self) -> Result<(), TankError> {
        let not_negative = |x: f64| x >= 0.0 && x.is_finite();
        if !not_negative(self.pressure_kpa) {
            return Err(TankError::Pressure(self.pressure_kpa));
        }
        for temperature in [self.temperature_c, self.reference_temperature_c] {
            if !(temperature > ABSOLUTE_ZERO_C && temperature.is_finite()) {
                return Err(TankError::Temperature(temperature));
            }
        }
        if self.reference_temperature_c.abs() <= REFERENCE_MIN_C {
            return Err(TankError::ReferenceTemperature(self.reference_temperature_c));
        }
        if !not_negative(self.volume_m3) {
            return Err(TankError::Volume(self.volume_m3));
        }
        if !(self.density > 0.0 && self.density.is_finite()) {
            return Err(TankError::Density(self.density));
        }
        Ok(())
    }

    /// The volume that `fuel` (kg) leaves, m^3.
    fn free_volume(&self, fuel: f64) -> f64 {
        self.volume_m3 - fuel / self.density
    }
}

/// What a thruster gets out of its tanks, beside the fuel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feed {
    /// Pressure, kPa.
    pub pressure_kpa: f64,
    /// Temperature over reference temperature, both in C.
    pub temperature_ratio: f64,
}

impl Tank {
    /// GMAT's default fuel mass, kg.
    pub const DEFAULT_FUEL: f64 = 756.0;

    /// A `ChemicalTank` with `fuel` (kg) in it.
    pub fn chemical(fuel: f64, may_be_negative: bool, store: ChemicalStore) -> Result<Self, TankError> {
        let tank = Tank { fuel, may_be_negative, store: None }.with_checked_fuel()?;
        tank.with_store(store)
    }

    /// An `ElectricTank` with `fuel` (kg) in it.
    pub fn electric(fuel: f64, may_be_negative: bool) -> Result<Self, TankError> {
        Tank { fuel, may_be_negative, store: None }.with_checked_fuel()
    }

    fn with_checked_fuel(self) -> Result<Self, TankError> {
        if self.fuel >= 0.0 || self.may_be_negative { Ok(self) } else { Err(TankError::Empty(self.fuel)) }
    }

    /// The fuel, kg.
    pub fn fuel(&self) -> f64 {
        self.fuel
    }

    /// What a `ChemicalTank` has beside its fuel; none of an `ElectricTank`.
    pub fn store(&self) -> Option<&ChemicalStore> {
        self.store.as_ref()
    }

    /// The same tank with other fields, at the begin of the mission or in it: (P V)_0 = P (V - m / rho).
    pub fn with_store(mut self, mut store: ChemicalStore) -> Result<Self, TankError> {
        store.check()?;
        let free = store.free_volume(self.fuel);
        if free < 0.0 {
            return Err(TankError::Overfull { fuel_m3: self.fuel / store.density, tank_m3: store.volume_m3 });
        }
        store.gas = store.pressure_kpa * free;
        self.store = Some(store);
        Ok(self)
    }

    /// Sets the fuel mass (kg), and in blow-down the pressure that goes with it.
    #[inline]
    pub fn set_fuel(&mut self, fuel: f64) -> Result<(), TankError> {
        // NaN is let through, as in GMAT; it ends the run as a state that is not finite
        if fuel < 0.0 && !self.may_be_negative {
            return Err(TankError::Empty(fuel));
        }
        self.fuel = fuel;
        if let Some(store) = &mut self.store
            && store.blow_down
        {
            store.pressure_kpa = store.gas / store.free_volume(fuel);
        }
        Ok(())
    }

    /// What a thruster that draws on this tank alone gets; of an `ElectricTank` nothing.
    pub fn feed(&self) -> Option<Feed> {
        self.store.as_ref().map(|store| Feed {
            pressure_kpa: store.pressure_kpa,
            temperature_ratio: store.temperature_c / store.reference_temperature_c,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blow_down(fuel: f64) -> Tank {
        Tank::chemical(fuel, false, ChemicalStore { blow_down: true, ..ChemicalStore::default() }).unwrap()
    }

    #[allow(clippy::float_cmp)] // the same operations in the same order
    fn pressure(tank: &Tank) -> f64 {
        tank.store().unwrap().pressure_kpa
    }

    #[test]
    fn val_pressures_of_gmat() {
        // Sat.Tank.Pressure after each set of a mission: 16 digits printed, three operations
        let near = |tank: &Tank, expected: f64| {
            assert!((pressure(tank) / expected - 1.0).abs() < 5e-16, "{} {expected}", pressure(tank));
        };
        let mut tank = blow_down(400.0);
        near(&tank, 1500.0);
        tank.set_fuel(200.0).unwrap();
        near(&tank, 1_097.315_436_241_611);
        tank = tank.with_store(ChemicalStore { pressure_kpa: 1000.0, ..*tank.store().unwrap() }).unwrap();
        near(&tank, 1000.0);
        tank.set_fuel(100.0).unwrap();
        near(&tank, 881.656_804_733_727_8);
        tank.set_fuel(350.0).unwrap();
        near(&tank, 1_252.100_840_336_135);
        tank = tank.with_store(ChemicalStore { volume_m3: 0.9, ..*tank.store().unwrap() }).unwrap();
        near(&tank, 1_252.100_840_336_135);
        tank.set_fuel(300.0).unwrap();
        near(&tank, 1_177.034_842_714_064);
        // 40 C beside 20 C, then 80 C: no part in the pressure
        let warm = ChemicalStore { temperature_c: 40.0, blow_down: true, ..ChemicalStore::default() };
        let mut tank = Tank::chemical(400.0, false, warm).unwrap();
        tank = tank.with_store(ChemicalStore { temperature_c: 80.0, ..*tank.store().unwrap() }).unwrap();
        near(&tank, 1500.0);
        tank.set_fuel(200.0).unwrap();
        near(&tank, 1_097.315_436_241_611);
        // a burn of 500 s on 20 kg
        let store = ChemicalStore { blow_down: true, ..ChemicalStore::default() };
        let mut tank = Tank::chemical(20.0, true, store).unwrap();
        tank.set_fuel(-47.957_866_123_004_58).unwrap();
        near(&tank, 1_397.340_257_162_655);
    }

    #[test]
    fn prop_gas_law() {
        let mut tank = blow_down(400.0);
        for fuel in [400.0, 399.999, 250.0, 1.0, 0.0, 500.0, 400.0] {
            tank.set_fuel(fuel).unwrap();
            let volume = 0.75 - fuel / 1260.0;
            assert!((pressure(&tank) * volume / (1500.0 * (0.75 - 400.0 / 1260.0)) - 1.0).abs() < 4e-16);
        }
        let mut regulated = Tank::chemical(400.0, false, ChemicalStore::default()).unwrap();
        regulated.set_fuel(3.0).unwrap();
        assert_eq!(pressure(&regulated).to_bits(), 1500.0_f64.to_bits());
    }

    #[test]
    fn wrong_tanks_are_refused() {
        let ok = ChemicalStore::default();
        let of = |store| Tank::chemical(400.0, false, store);
        assert_eq!(of(ChemicalStore { pressure_kpa: -1.0, ..ok }), Err(TankError::Pressure(-1.0)));
        assert_eq!(of(ChemicalStore { temperature_c: -273.15, ..ok }), Err(TankError::Temperature(-273.15)));
        assert_eq!(
            of(ChemicalStore { reference_temperature_c: 0.01, ..ok }),
            Err(TankError::ReferenceTemperature(0.01))
        );
        assert_eq!(of(ChemicalStore { volume_m3: -0.1, ..ok }), Err(TankError::Volume(-0.1)));
        assert_eq!(of(ChemicalStore { density: 0.0, ..ok }), Err(TankError::Density(0.0)));
        let overfull = TankError::Overfull { fuel_m3: 400.0 / 1260.0, tank_m3: 0.3 };
        assert_eq!(of(ChemicalStore { volume_m3: 0.3, ..ok }), Err(overfull));
        assert_eq!(Tank::electric(-1.0, false), Err(TankError::Empty(-1.0)));
        assert!(Tank::electric(-1.0, true).is_ok());
        let mut tank = blow_down(1.0);
        let before = tank;
        assert_eq!(tank.set_fuel(-1e-9), Err(TankError::Empty(-1e-9)));
        assert_eq!(tank, before, "a tank that cannot give keeps what it has");
    }
}

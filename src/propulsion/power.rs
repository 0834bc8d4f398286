//! Power systems: what electric thrusters have to live on.
//!
//! With t the days since InitialEpoch and d the distance from the Sun to the spacecraft (AU):
//!
//! | | kW |
//! |---|---|
//! | base | InitialMaxPower (1 - AnnualDecayRate / 100)^(t / 365.25) |
//! | generated, nuclear | base |
//! | generated, solar | sunlight base / d^2 (S1 + S2 / d + S3 / d^2) / (1 + S4 d + S5 d^2) |
//! | bus | B1 + B2 / d + B3 / d^2 |
//! | thrust | (1 - Margin / 100) (generated - bus), not below 0 |
//!
//! `sunlight` is the least part of the solar disc that one of ShadowBodies leaves (`forces::shadow::sunlight_past`),
//! 1 with ShadowModel None; bodies never add up here.
//!
//! In a step of a propagation GMAT evaluates all this at each stage's position, but with the epoch (and so the Sun
//! and the bodies) of the start of the step.
//!
//! # References
//! GMAT User Guide, `SolarPowerSystem`, `NuclearPowerSystem`; D. Englander and others, cited there. GMAT R2026a.
//! Tests: `val_powers_of_gmat`, `prop_decay`.

/// GMAT's astronomical unit, km: not that of its radiation pressure.
pub const ASTRONOMICAL_UNIT: f64 = 149_597_870.0;
/// The radius of the Sun that casts the shadows, km.
pub const SUN_RADIUS: f64 = 695_990.0;
/// Days in a year of decay.
const YEAR: f64 = 365.25;

/// Where the power comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PowerSource {
    /// `NuclearPowerSystem`.
    Nuclear,
    /// `SolarPowerSystem`: SolarCoeff1 to 5.
    Solar([f64; 5]),
}

impl PowerSource {
    /// GMAT's default coefficients.
    pub const DEFAULT_SOLAR: PowerSource = PowerSource::Solar([1.32077, -0.10848, -0.11665, 0.10843, -0.01279]);
}

/// A power system of one run; InitialEpoch is the caller's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerSystem {
    /// Where the power comes from.
    pub source: PowerSource,
    /// InitialMaxPower, kW, not negative.
    pub initial_max_kw: f64,
    /// AnnualDecayRate, percent, 0 to 100.
    pub annual_decay_percent: f64,
    /// Margin, percent, 0 to 100.
    pub margin_percent: f64,
    /// BusCoeff1 to 3: kW, kW AU, kW AU^2.
    pub bus: [f64; 3],
}

impl PowerSystem {
    /// GMAT's default InitialEpoch, A1 modified Julian date: 01 Jan 2000 11:59:28.000 UTC is not quite it.
    pub const DEFAULT_INITIAL_EPOCH: f64 = 21_545.0;

    /// GMAT's defaults for a source.
    pub fn of(source: PowerSource) -> Self {
        PowerSystem {
            source,
            initial_max_kw: 1.2,
            annual_decay_percent: 5.0,
            margin_percent: 5.0,
            bus: [0.3, 0.0, 0.0],
        }
    }

    /// The power at the distance of 1 AU, kW, `days` after InitialEpoch.
    pub fn base(&self, days: f64) -> f64 {
        self.initial_max_kw * libm::pow(1.0 - self.annual_decay_percent / 100.0, days / YEAR)
    }

    /// What the spacecraft itself needs (kW) at `distance_au` from the Sun: GMAT's `RequiredBusPower`.
    pub fn bus_power(&self, distance_au: f64) -> f64 {
        let [b1, b2, b3] = self.bus;
        b1 + b2 / distance_au + b3 / (distance_au * distance_au)
    }

    /// What there is (kW): GMAT's `TotalPowerAvailable`.
    pub fn generated(&self, days: f64, distance_au: f64, sunlight: f64) -> f64 {
        let base = self.base(days);
        match self.source {
            PowerSource::Nuclear => base,
            PowerSource::Solar([s1, s2, s3, s4, s5]) => {
                let d = distance_au;
                let d2 = d * d;
                let scale = 1.0 / d2 * ((s1 + s2 / d + s3 / d2) / (1.0 + s4 * d + s5 * d2));
                sunlight * base * scale
            }
        }
    }

    /// What thrusters may have (kW): GMAT's `ThrustPowerAvailable`.
    pub fn thrust_power(&self, days: f64, distance_au: f64, sunlight: f64) -> f64 {
        let left = self.generated(days, distance_au, sunlight) - self.bus_power(distance_au);
        let power = (1.0 - self.margin_percent / 100.0) * left;
        if power < 0.0 { 0.0 } else { power }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of cases/burn_electric_*.
    fn measured(source: PowerSource, initial_max_kw: f64) -> PowerSystem {
        PowerSystem { source, initial_max_kw, annual_decay_percent: 7.0, margin_percent: 4.0, bus: [0.4, 0.05, 0.02] }
    }

    /// The distance at which the bus takes as much as GMAT says: 0.4 + 0.05 x + 0.02 x^2 with x = 1 / d.
    fn distance(bus: f64) -> f64 {
        0.04 / ((0.0025 + 0.08 * (bus - 0.4)).sqrt() - 0.05)
    }

    #[test]
    fn val_powers_of_gmat() {
        // 01 Jan 2026 and 2025, 00:00 UTC: 365 days and no leap second between; the dates have a grain of 1e-11 days,
        // which is nothing here
        let days = 365.0;
        let nuclear = measured(PowerSource::Nuclear, 12.0);
        assert!((nuclear.generated(days, 1.0, 1.0) / 11.160_554_352_530_28 - 1.0).abs() < 1e-14);
        // 41 200 s later: 1e-11 days times ln(0.93) / 365.25
        let later = days + 40_600.0 / 86_400.0;
        assert!((nuclear.base(later) / 11.159_512_397_852_09 - 1.0).abs() < 1e-13);
        // RequiredBusPower tells the distance to 1e-15 / 0.09, and that the power to three times as much
        let solar = measured(PowerSource::Solar([1.33, -0.11, -0.12, 0.11, -0.013]), 6.5);
        for (days, bus, generated, thrust) in [
            (days, 0.471_510_108_132_864_1, 6.240_552_297_038_142, 5.538_280_501_349_067),
            (later, 0.471_564_320_414_960_7, 6.246_379_674_938_196, 5.543_822_740_342_305),
        ] {
            let d = distance(bus);
            assert!((solar.bus_power(d) / bus - 1.0).abs() < 1e-15);
            assert!((solar.generated(days, d, 1.0) / generated - 1.0).abs() < 1e-13);
            assert!((solar.thrust_power(days, d, 1.0) / thrust - 1.0).abs() < 1e-13);
        }
        assert!(solar.thrust_power(days, 0.98, 0.0) == 0.0, "a bus in the shadow takes nothing from thrusters");
    }

    #[test]
    fn prop_decay() {
        let system = PowerSystem::of(PowerSource::DEFAULT_SOLAR);
        for year in 0..9 {
            let power = |year: i32| system.base(f64::from(year) * 365.25);
            assert!((power(year + 1) / power(year) - 0.95).abs() < 1e-15);
        }
        let (half, whole) = (system.generated(10.0, 1.3, 0.5), system.generated(10.0, 1.3, 1.0));
        assert!((2.0 * half / whole - 1.0).abs() < 1e-15);
        assert!(system.generated(10.0, 2.0, 1.0) < whole);
        let nuclear =
            PowerSystem { annual_decay_percent: 0.0, margin_percent: 0.0, ..PowerSystem::of(PowerSource::Nuclear) };
        assert!((nuclear.thrust_power(4000.0, 30.0, 0.0) - 0.9).abs() < 1e-15);
    }
}

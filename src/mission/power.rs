//! Power systems as a mission has them: every spacecraft its own copy, and what it gives where the spacecraft is.

use super::Mission;
use super::hardware::Copy;
use crate::astro::ephemeris::{Body, EphemerisCache};
use crate::astro::epoch::{Epoch, Scale};
use crate::base::lanes::{Isa, Lanes, Vectors, WIDTH};
use crate::base::outcome::Failure;
use crate::forces::shadow::{Occulter, sunlight_past};
use crate::propulsion::power::{ASTRONOMICAL_UNIT, SUN_RADIUS};
use crate::propulsion::{PowerSource, PowerSystem};

/// What of a power system is the same in every run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerCopy {
    /// Of which, and whose.
    pub copy: Copy,
    /// The bodies that can hide the Sun from it: `ShadowBodies`, none with `ShadowModel` = `None`.
    pub shadow_bodies: Vec<Body>,
}

/// The numbers of a power system in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerState {
    /// What it gives.
    pub system: PowerSystem,
    /// `InitialEpoch`, A1 modified Julian date.
    pub initial_epoch: f64,
}

/// A number of a power system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PowerField {
    /// `InitialMaxPower`.
    InitialMaxPower,
    /// `AnnualDecayRate`.
    AnnualDecayRate,
    /// `Margin`.
    Margin,
    /// `BusCoeff1` to 3, 0 to 2.
    Bus(usize),
    /// `SolarCoeff1` to 5, 0 to 4: of a `SolarPowerSystem`.
    Solar(usize),
}

impl PowerField {
    /// GMAT's names with units and a line about each.
    pub const NAMES: [(&str, PowerField, &str, &str); 11] = [
        ("InitialMaxPower", PowerField::InitialMaxPower, "kW", "power at 1 AU at the initial epoch"),
        ("AnnualDecayRate", PowerField::AnnualDecayRate, "percent", "power lost in a year"),
        ("Margin", PowerField::Margin, "percent", "power kept from the thrusters"),
        ("BusCoeff1", PowerField::Bus(0), "kW", "power of the bus"),
        ("BusCoeff2", PowerField::Bus(1), "kW AU", "coefficient of the power of the bus"),
        ("BusCoeff3", PowerField::Bus(2), "kW AU^2", "coefficient of the power of the bus"),
        ("SolarCoeff1", PowerField::Solar(0), "AU^2", "coefficient of the solar power"),
        ("SolarCoeff2", PowerField::Solar(1), "AU^3", "coefficient of the solar power"),
        ("SolarCoeff3", PowerField::Solar(2), "AU^4", "coefficient of the solar power"),
        ("SolarCoeff4", PowerField::Solar(3), "AU^-1", "coefficient of the solar power"),
        ("SolarCoeff5", PowerField::Solar(4), "AU^-2", "coefficient of the solar power"),
    ];

    /// The names of all that a power system has, with the fields.
    pub fn names(solar: bool) -> impl Iterator<Item = (&'static str, PowerField)> {
        let names = Self::NAMES.iter().map(|entry| (entry.0, entry.1));
        names.filter(move |(_, field)| solar || !matches!(field, PowerField::Solar(_)))
    }

    /// The field of a name that a power system has.
    pub fn find(name: &str, solar: bool) -> Option<PowerField> {
        Self::names(solar).find(|entry| entry.0 == name).map(|entry| entry.1)
    }

    /// Its unit and a line about it.
    pub fn about(self) -> (&'static str, &'static str) {
        let entry = Self::NAMES.iter().find(|entry| entry.1 == self).unwrap_or(&Self::NAMES[0]);
        (entry.2, entry.3)
    }

    fn place(self, system: &mut PowerSystem) -> Option<&mut f64> {
        match self {
            PowerField::InitialMaxPower => Some(&mut system.initial_max_kw),
            PowerField::AnnualDecayRate => Some(&mut system.annual_decay_percent),
            PowerField::Margin => Some(&mut system.margin_percent),
            PowerField::Bus(place) => Some(&mut system.bus[place]),
            PowerField::Solar(place) => match &mut system.source {
                PowerSource::Solar(coefficients) => Some(&mut coefficients[place]),
                PowerSource::Nuclear => None,
            },
        }
    }

    /// Its value; NaN for what the power system has not.
    pub fn get(self, state: &PowerState) -> f64 {
        self.place(&mut state.system.clone()).map_or(f64::NAN, |place| *place)
    }

    /// What GMAT allows it to be, in words; none where any number will do.
    pub fn limits(self) -> Option<&'static str> {
        match self {
            PowerField::InitialMaxPower => Some("0 or more"),
            PowerField::AnnualDecayRate | PowerField::Margin => Some("from 0 to 100"),
            PowerField::Bus(_) | PowerField::Solar(_) => None,
        }
    }

    /// Sets it.
    pub fn set(self, system: &mut PowerSystem, value: f64) -> Result<(), Failure> {
        let allowed = match self {
            PowerField::InitialMaxPower => value >= 0.0,
            PowerField::AnnualDecayRate | PowerField::Margin => (0.0..=100.0).contains(&value),
            PowerField::Bus(_) | PowerField::Solar(_) => true,
        };
        *self.place(system).filter(|_| allowed).ok_or(Failure::PowerFields)? = value;
        Ok(())
    }
}

/// The most bodies that can hide the Sun: all there are.
const BODIES_MAX: usize = 16;

/// Where the Sun and the bodies are that can hide it, from the Earth: the same at all stages of a step.
#[derive(Clone, Debug, Default)]
pub struct Sky {
    /// When, and for which power system.
    of: Option<(Epoch, usize)>,
    sun: [f64; 3],
    bodies: [[f64; 3]; BODIES_MAX],
    ephemeris: EphemerisCache,
}

impl Sky {
    /// Brings it to an instant, for a power system by its place.
    pub fn turn_to(&mut self, mission: &Mission, power: usize, epoch: Epoch) {
        if self.of == Some((epoch, power)) {
            return;
        }
        self.of = Some((epoch, power));
        self.sun = self.place(mission, Body::Sun, epoch);
        for (number, &body) in mission.names.powers[power].shadow_bodies.iter().enumerate().take(BODIES_MAX) {
            self.bodies[number] = self.place(mission, body, epoch);
        }
    }

    /// Where a body is from the Earth, km, `MJ2000Eq`; NaN outside of the ephemeris. Allocates in the first call alone.
    pub fn place(&mut self, mission: &Mission, body: Body, epoch: Epoch) -> [f64; 3] {
        if body == Body::Earth {
            return [0.0; 3];
        }
        let (one, mut out) = (Vectors::new(Isa::best(), 1), [[Lanes::splat(0.0); 3]]);
        let (bodies, epochs) = ([body], [epoch; WIDTH]);
        let ephemeris = &mission.world.ephemeris;
        let found = ephemeris.positions(one, &epochs, &bodies, Body::Earth, &mut self.ephemeris, &mut out);
        if found.is_ok() { out[0].map(|lanes| lanes.0[0]) } else { [f64::NAN; 3] }
    }
}

/// What a power system gives, kW.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Powers {
    /// `TotalPowerAvailable`.
    pub total: f64,
    /// `RequiredBusPower`.
    pub bus: f64,
    /// `ThrustPowerAvailable`.
    pub thrust: f64,
}

impl Mission {
    /// What a power system gives at a position (km from the Earth, `MJ2000Eq`) under a sky; NaN outside of the ephemeris.
    pub fn powers(&self, power: usize, state: &PowerState, r: [f64; 3], sky: &Sky) -> Powers {
        let Some((epoch, _)) = sky.of else { return Powers { total: f64::NAN, bus: f64::NAN, thrust: f64::NAN } };
        let to_sun: [f64; 3] = std::array::from_fn(|i| sky.sun[i] - r[i]);
        let distance = to_sun.iter().map(|component| component * component).sum::<f64>().sqrt() / ASTRONOMICAL_UNIT;
        let days = epoch.mjd(Scale::A1) - state.initial_epoch;
        let mut sunlight = 1.0;
        for (&body, &place) in self.names.powers[power].shadow_bodies.iter().zip(&sky.bodies) {
            let occulter = Occulter { radius: self.bodies.of(body).radius, place };
            let left = sunlight_past(&occulter, sky.sun, SUN_RADIUS, r);
            if left < sunlight {
                sunlight = left;
            }
        }
        let PowerState { system, .. } = state;
        Powers {
            total: system.generated(days, distance, sunlight),
            bus: system.bus_power(distance),
            thrust: system.thrust_power(days, distance, sunlight),
        }
    }
}

//! What hardware and burns tell of themselves: GMAT's parameters of them that are no fields.

use super::Mission;
use super::burn::ImpulsiveBurn;
use crate::astro::coordinates::Fleet;
use crate::propulsion::burn::Push;
use crate::propulsion::thruster::Output;

use super::power::Powers;

/// Something that hardware or a burn tells of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// `Sat.Thruster.ThrustMagnitude` and its like: 0 where it does not fire.
    Thruster {
        /// Which thruster of which spacecraft.
        thruster: usize,
        /// What of it.
        what: ThrusterReading,
    },
    /// `Sat.PowerSystem.TotalPowerAvailable` and its like.
    Power {
        /// Which power system of which spacecraft.
        power: usize,
        /// What of it.
        what: PowerReading,
    },
    /// `FiniteBurn.TotalThrust1` and its like, in `MJ2000Eq`: of the last stage of the last step as in GMAT, or where
    /// the burn was begun; 0 where it is off.
    ///
    /// Of an electric thruster with too little power GMAT keeps an old thrust in `TotalThrust`; here it is 0, as
    /// in GMAT's accelerations.
    FiniteBurn {
        /// Which finite burn.
        burn: usize,
        /// What of it.
        what: BurnReading,
    },
    /// `Burn.System.Element1`: the last change of velocity along the axes of a coordinate system at its instant, km/s;
    /// 0 before the first.
    Impulse {
        /// Which impulsive burn.
        burn: usize,
        /// Which coordinate system.
        system: usize,
        /// Which axis.
        axis: usize,
    },
}

/// What a thruster tells of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThrusterReading {
    /// Thrust with scale factor and duty cycle.
    ThrustMagnitude,
    /// Specific impulse.
    Isp,
    /// Change of the spacecraft's mass in a second.
    MassFlowRate,
}

impl ThrusterReading {
    /// GMAT's names.
    pub const NAMES: [(&str, ThrusterReading); 3] = [
        ("ThrustMagnitude", ThrusterReading::ThrustMagnitude),
        ("Isp", ThrusterReading::Isp),
        ("MassFlowRate", ThrusterReading::MassFlowRate),
    ];

    /// Its value.
    pub fn of(self, output: &Output) -> f64 {
        match self {
            ThrusterReading::ThrustMagnitude => output.thrust,
            ThrusterReading::Isp => output.specific_impulse,
            ThrusterReading::MassFlowRate => output.mass_flow,
        }
    }
}

/// What a power system tells of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PowerReading {
    /// What there is.
    TotalPowerAvailable,
    /// What the bus needs of it.
    RequiredBusPower,
    /// What thrusters may have of it.
    ThrustPowerAvailable,
}

impl PowerReading {
    /// GMAT's names.
    pub const NAMES: [(&str, PowerReading); 3] = [
        ("TotalPowerAvailable", PowerReading::TotalPowerAvailable),
        ("RequiredBusPower", PowerReading::RequiredBusPower),
        ("ThrustPowerAvailable", PowerReading::ThrustPowerAvailable),
    ];

    /// Its value.
    pub fn of(self, powers: &Powers) -> f64 {
        match self {
            PowerReading::TotalPowerAvailable => powers.total,
            PowerReading::RequiredBusPower => powers.bus,
            PowerReading::ThrustPowerAvailable => powers.thrust,
        }
    }
}

/// What a finite burn tells of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BurnReading {
    /// A component of the thrust.
    TotalThrust(usize),
    /// A component of the acceleration.
    TotalAcceleration(usize),
    /// Change of the spacecraft's mass in a second.
    TotalMassFlowRate,
}

impl BurnReading {
    /// GMAT's names.
    pub const NAMES: [(&str, BurnReading); 7] = [
        ("TotalThrust1", BurnReading::TotalThrust(0)),
        ("TotalThrust2", BurnReading::TotalThrust(1)),
        ("TotalThrust3", BurnReading::TotalThrust(2)),
        ("TotalAcceleration1", BurnReading::TotalAcceleration(0)),
        ("TotalAcceleration2", BurnReading::TotalAcceleration(1)),
        ("TotalAcceleration3", BurnReading::TotalAcceleration(2)),
        ("TotalMassFlowRate", BurnReading::TotalMassFlowRate),
    ];

    /// Its value.
    pub fn of(self, push: &Push) -> f64 {
        match self {
            BurnReading::TotalThrust(axis) => push.thrust[axis],
            BurnReading::TotalAcceleration(axis) => push.acceleration[axis],
            BurnReading::TotalMassFlowRate => push.mass_flow,
        }
    }
}

/// All of them: the object that stands before, the name, unit and a line about it.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str, (&'static str, &'static str))> {
    let of = |object: &'static str, name: &'static str, reading: Reading| (object, name, reading.about());
    let thrusters = ThrusterReading::NAMES.into_iter();
    let powers = PowerReading::NAMES.into_iter();
    let burns = BurnReading::NAMES.into_iter();
    let impulses = ["Element1", "Element2", "Element3"].into_iter().enumerate();
    thrusters
        .map(move |(name, what)| of("a thruster", name, Reading::Thruster { thruster: 0, what }))
        .chain(powers.map(move |(name, what)| of("a power system", name, Reading::Power { power: 0, what })))
        .chain(burns.map(move |(name, what)| of("a FiniteBurn", name, Reading::FiniteBurn { burn: 0, what })))
        .chain(impulses.map(move |(axis, name)| {
            of("an ImpulsiveBurn and a coordinate system", name, Reading::Impulse { burn: 0, system: 0, axis })
        }))
}

impl Reading {
    /// Its unit and a line about it.
    pub fn about(self) -> (&'static str, &'static str) {
        match self {
            Reading::Thruster { what, .. } => match what {
                ThrusterReading::ThrustMagnitude => ("N", "thrust"),
                ThrusterReading::Isp => ("s", "specific impulse"),
                ThrusterReading::MassFlowRate => ("kg/s", "change of mass by the thruster"),
            },
            Reading::Power { what, .. } => match what {
                PowerReading::TotalPowerAvailable => ("kW", "electric power that there is"),
                PowerReading::RequiredBusPower => ("kW", "electric power that the bus needs"),
                PowerReading::ThrustPowerAvailable => ("kW", "electric power that thrusters may have"),
            },
            Reading::FiniteBurn { what, .. } => match what {
                BurnReading::TotalThrust(_) => ("N", "component of the burn's thrust, MJ2000Eq"),
                BurnReading::TotalAcceleration(_) => ("km/s^2", "component of the burn's acceleration, MJ2000Eq"),
                BurnReading::TotalMassFlowRate => ("kg/s", "change of mass by the burn"),
            },
            Reading::Impulse { .. } => ("km/s", "component of the last change of velocity"),
        }
    }
}

impl Mission {
    /// The last change of velocity of an impulsive burn along an axis of a coordinate system; NaN where that is not
    /// defined.
    pub fn last_impulse(&self, burn: &ImpulsiveBurn, system: usize, axis: usize, fleet: Fleet) -> f64 {
        let Some((change, epoch)) = burn.fired else { return 0.0 };
        let system = &self.names.systems[system];
        let rotation = system.axes.rotation(&self.world, system.origin, epoch, fleet);
        rotation.map_or(f64::NAN, |rotation| rotation.apply_vector(change)[axis])
    }
}

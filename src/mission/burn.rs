//! Impulsive burns: a change of velocity given in the axes of a burn.
//!
//! v <- v + R^T dv, with R the rotation from `MJ2000Eq` to the axes at the instant of the burn. Local axes are those of
//! the state relative to `Origin`.
//! Tests: `burn_*` of tests/physics.

use super::Mission;
use crate::astro::coordinates::Fleet;
use crate::astro::elements::Cartesian;
use crate::astro::ephemeris::Body;
use crate::astro::epoch::Epoch;
use crate::astro::frames::ObjectAxes;

/// The numbers of an impulsive burn that a run can change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpulsiveBurn {
    /// Change of velocity along the axes, km/s.
    pub elements: [f64; 3],
    /// Specific impulse, s.
    pub isp: f64,
    /// What turns `Isp` into a speed, m/s^2.
    pub gravity: f64,
    /// What is the same in every run, by its place in [`Names::burns`](super::names::Names::burns); a copy of a burn
    /// takes that over.
    pub frame: usize,
    /// The last change of velocity in `MJ2000Eq`, km/s, and when it was made.
    pub fired: Option<([f64; 3], Epoch)>,
}

/// GMAT's defaults.
impl Default for ImpulsiveBurn {
    fn default() -> Self {
        ImpulsiveBurn { elements: [0.0; 3], isp: 300.0, gravity: 9.81, frame: 0, fired: None }
    }
}

/// What of an impulsive burn is the same in every run.
#[derive(Clone, Debug, PartialEq)]
pub struct BurnFrame {
    /// Its name.
    pub name: String,
    /// The axes of its elements.
    pub axes: BurnAxes,
    /// Whether it uses fuel.
    pub decrements_mass: bool,
    /// The tanks that it takes fuel from.
    pub tanks: Vec<String>,
}

/// The axes of a burn or of a thrust.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BurnAxes {
    /// By the state relative to a body: `VNB`, `LVLH`.
    Local(ObjectAxes, Body),
    /// `MJ2000Eq`.
    Inertial,
    /// `SpacecraftBody`, of a spacecraft that keeps its attitude: with GMAT's default those of `MJ2000Eq`.
    Spacecraft,
    /// Those of a coordinate system, by its place.
    System(usize),
}

impl BurnAxes {
    /// A vector along these axes in `MJ2000Eq`, for a spacecraft with a state relative to a body; NaN where the axes are
    /// not defined.
    pub fn to_inertial(
        self,
        mission: &Mission,
        vector: [f64; 3],
        (state, center): (Cartesian, Body),
        epoch: Epoch,
        fleet: Fleet,
    ) -> [f64; 3] {
        let rotation = match self {
            BurnAxes::Inertial | BurnAxes::Spacecraft => return vector,
            BurnAxes::Local(axes, origin) => axes.rotation(mission.world.moved(state, center, origin, epoch)).ok(),
            BurnAxes::System(system) => {
                let system = &mission.names.systems[system];
                system.axes.rotation(&mission.world, system.origin, epoch, fleet)
            }
        };
        rotation.map_or([f64::NAN; 3], |rotation| rotation.inverse().apply_vector(vector))
    }
}

//! The parameters that a report, an output or a stop condition can name: one line each in the families
//! (time, state, keplerian, equinoctial, planet, hyperbola, asymptotes), all of them in [`REGISTRY`].
//!
//! Angles are degrees, times days or seconds, as GMAT reports them. Each value is a pure function of a
//! [`View`]; where GMAT ends the run, since the orbit has no such number, the value is NaN.
//! Tests: `val_orbits_of_gmat`, `val_shapes_of_gmat`, `prop_never_nan_of_a_state`.

use std::sync::LazyLock;

use super::elements::{Cartesian, cross, norm};
use super::epoch::Epoch;
use super::representations::Centre;

mod asymptotes;
mod equinoctial;
mod hyperbola;
mod keplerian;
mod planet;
mod state;
pub mod stops;
mod time;

pub use planet::earth_hour_angle;

/// What a parameter is computed from: one spacecraft at one instant.
///
/// `state` is in the coordinate system, or relative to the body in `EarthMJ2000Eq` axes, that stands in the
/// parameter's name. What a parameter reads beyond `epoch`, `elapsed` and the masses is its [`Needs`]; the
/// rest may hold anything.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Now.
    pub epoch: Epoch,
    /// Seconds since the start of the mission.
    pub elapsed: f64,
    /// State, km and km/s.
    pub state: Cartesian,
    /// The body in the parameter's name, or at the origin of its coordinate system.
    pub centre: Centre,
    /// Position in the body-fixed system of that body, km.
    pub fixed: [f64; 3],
    /// Position of the Sun relative to that body in `EarthMJ2000Eq` axes, of any length.
    pub sun: [f64; 3],
    /// Rotation angle of that body, rad: [`earth_hour_angle`], for other bodies the angle of the prime meridian.
    pub hour_angle: f64,
    /// Mass without fuel, kg.
    pub dry_mass: f64,
    /// Mass with fuel, kg.
    pub total_mass: f64,
}

impl View {
    fn momentum(&self) -> f64 {
        norm(cross(self.state.r, self.state.v))
    }
}

/// What may stand between the spacecraft and the parameter's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependence {
    /// Nothing: `Sat.ElapsedSecs`.
    None,
    /// A celestial body: `Sat.Earth.SMA`.
    Origin,
    /// A coordinate system: `Sat.EarthMJ2000Eq.X`.
    CoordinateSystem,
}

/// What a parameter reads of a [`View`], beside epoch and masses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// `state`.
    State,
    /// `state` and `centre`.
    StateAndCentre,
    /// `state` in a body-fixed coordinate system, and `centre`.
    FixedState,
    /// `fixed` and `centre`.
    Fixed,
    /// `state` and `sun`.
    StateAndSun,
    /// `hour_angle`.
    HourAngle,
    /// `fixed` and `hour_angle`.
    FixedAndHourAngle,
}

/// How a stop condition on an angle counts it, degrees: goal and value are taken into the range, and the
/// value into half a range on both sides of the goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cycle {
    /// Not an angle, or one that GMAT does not treat as one.
    None,
    /// 0 to 180.
    HalfTurn,
    /// 0 to 360.
    Turn,
    /// -90 to 90.
    QuarterBothWays,
    /// -180 to 180.
    HalfBothWays,
}

impl Cycle {
    /// The two ends, degrees.
    pub fn range(self) -> Option<(f64, f64)> {
        match self {
            Cycle::None => None,
            Cycle::HalfTurn => Some((0.0, 180.0)),
            Cycle::Turn => Some((0.0, 360.0)),
            Cycle::QuarterBothWays => Some((-90.0, 90.0)),
            Cycle::HalfBothWays => Some((-180.0, 180.0)),
        }
    }
}

/// A parameter.
pub struct Parameter {
    /// GMAT's name.
    pub name: &'static str,
    /// Unit of the number, as written into the result file.
    pub units: &'static str,
    /// What may stand before the name.
    pub dependence: Dependence,
    /// What the value is computed from.
    pub needs: Needs,
    /// How a stop condition counts it.
    pub cycle: Cycle,
    /// One line about it.
    pub long_name: &'static str,
    /// For dates: GMAT's name of the time scale and of the format.
    pub date: Option<(&'static str, &'static str)>,
    /// The value.
    pub value: fn(&View) -> f64,
}

impl Parameter {
    /// A parameter without a body or a coordinate system in its name.
    const fn free(name: &'static str, units: &'static str, long_name: &'static str, value: fn(&View) -> f64) -> Self {
        let (dependence, needs) = (Dependence::None, Needs::Nothing);
        Parameter { name, units, dependence, needs, cycle: Cycle::None, long_name, date: None, value }
    }

    /// A parameter with a celestial body in its name.
    const fn of_body(
        name: &'static str,
        units: &'static str,
        long_name: &'static str,
        value: fn(&View) -> f64,
    ) -> Self {
        let (dependence, needs) = (Dependence::Origin, Needs::StateAndCentre);
        Parameter { name, units, dependence, needs, cycle: Cycle::None, long_name, date: None, value }
    }

    /// A parameter with a coordinate system in its name.
    const fn of_axes(
        name: &'static str,
        units: &'static str,
        long_name: &'static str,
        value: fn(&View) -> f64,
    ) -> Self {
        let (dependence, needs) = (Dependence::CoordinateSystem, Needs::StateAndCentre);
        Parameter { name, units, dependence, needs, cycle: Cycle::None, long_name, date: None, value }
    }

    /// The same with other needs.
    const fn needs(self, needs: Needs) -> Self {
        Parameter { needs, ..self }
    }

    /// The same with a cycle.
    const fn cycle(self, cycle: Cycle) -> Self {
        Parameter { cycle, ..self }
    }
}

/// All parameters.
pub static REGISTRY: LazyLock<Vec<&'static Parameter>> = LazyLock::new(|| {
    let families = [
        time::PARAMETERS,
        state::PARAMETERS,
        keplerian::PARAMETERS,
        equinoctial::PARAMETERS,
        planet::PARAMETERS,
        hyperbola::PARAMETERS,
        asymptotes::PARAMETERS,
    ];
    families.into_iter().flatten().collect()
});

/// The parameter of a name.
pub fn find(name: &str) -> Option<&'static Parameter> {
    REGISTRY.iter().copied().find(|parameter| parameter.name == name)
}

#[cfg(test)]
mod tests;

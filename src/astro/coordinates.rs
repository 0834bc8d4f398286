//! Coordinate systems: an origin and axes, as a script names them.
//!
//! GMAT's own (`EarthMJ2000Eq`, `EarthMJ2000Ec`, `EarthFixed`, `EarthICRF`) and those that a script makes. A state
//! is turned after its origin is moved; the axes' own turn counts in the velocity.
//! Tests: `val_coordinate_systems_of_gmat` in tests/physics, those of [`super::frames`].

use super::elements::Cartesian;
use super::ephemeris::Body;
use super::epoch::Epoch;
use super::frames::{BodyAxes, EarthAxes, ObjectAxes, Rotation};
use super::world::World;

/// An origin with axes.
#[derive(Clone, Debug, PartialEq)]
pub struct CoordinateSystem {
    /// Its name.
    pub name: String,
    /// The body at its origin.
    pub origin: Body,
    /// Its axes.
    pub axes: Axes,
}

/// Axes of a coordinate system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Axes {
    /// Those that need the Earth's orientation, but for the body-fixed ones of other bodies.
    Earth(EarthAxes),
    /// The same at one instant: `TOEEq` and its like.
    EarthAt(EarthAxes, Epoch),
    /// `ICRF`.
    Icrf,
    /// `BodyFixed`, `BodyInertial`, `Equator` of the origin.
    Body(BodyAxes),
    /// `ObjectReferenced`: by the state of the second body from the first.
    ObjectReferenced {
        /// Which two axes are along what.
        axes: ObjectAxes,
        /// The first body.
        primary: Body,
        /// The second body.
        secondary: Body,
    },
}

impl Axes {
    /// From `MJ2000Eq` to these axes; none where they are not defined.
    pub fn rotation(&self, world: &World, origin: Body, epoch: Epoch) -> Option<Rotation> {
        match *self {
            Axes::Earth(axes) => Some(world.earth.axes(axes, epoch)),
            Axes::EarthAt(axes, at) => Some(world.earth.axes(axes, at)),
            Axes::Icrf => world.icrf.rotation(epoch).ok(),
            Axes::Body(BodyAxes::Fixed) => world.fixed(origin, epoch),
            Axes::Body(BodyAxes::Equator) => world.equator(origin, epoch),
            Axes::Body(axes @ BodyAxes::Inertial) => axes.rotation(origin, epoch),
            Axes::ObjectReferenced { axes, primary, secondary } => {
                axes.rotation(world.state(secondary, primary, epoch)).ok()
            }
        }
    }
}

impl CoordinateSystem {
    /// GMAT's own coordinate systems.
    pub fn built_in() -> Vec<CoordinateSystem> {
        let earth = |name: &str, axes| CoordinateSystem { name: name.to_owned(), origin: Body::Earth, axes };
        vec![
            earth("EarthMJ2000Eq", Axes::Earth(EarthAxes::J2000)),
            earth("EarthMJ2000Ec", Axes::Earth(EarthAxes::J2000Ecliptic)),
            earth("EarthFixed", Axes::Earth(EarthAxes::Fixed)),
            earth("EarthICRF", Axes::Icrf),
        ]
    }

    /// The system with the axes of `EarthMJ2000Eq` at a body; a script can name that of the Earth only.
    pub fn at(body: Body) -> CoordinateSystem {
        let name = if body == Body::Earth { "EarthMJ2000Eq".to_owned() } else { format!("@{}", body.name()) };
        CoordinateSystem { name, origin: body, axes: Axes::Earth(EarthAxes::J2000) }
    }

    /// The names that a script can write.
    pub fn names(systems: &[CoordinateSystem]) -> impl Iterator<Item = &str> {
        systems.iter().map(|system| system.name.as_str()).filter(|name| !name.starts_with('@'))
    }

    /// Whether a state needs nothing but another origin.
    pub fn is_mj2000(&self) -> bool {
        self.axes == Axes::Earth(EarthAxes::J2000)
    }

    /// A state relative to a body in `MJ2000Eq` axes, in this system; NaN where it is not defined.
    pub fn of_inertial(&self, world: &World, state: Cartesian, center: Body, epoch: Epoch) -> Cartesian {
        let state = world.moved(state, center, self.origin, epoch);
        if self.is_mj2000() {
            return state;
        }
        match self.axes.rotation(world, self.origin, epoch) {
            Some(rotation) => rotation.apply(state),
            None => Cartesian { r: [f64::NAN; 3], v: [f64::NAN; 3] },
        }
    }

    /// A state in this system as one relative to its origin in `MJ2000Eq` axes.
    pub fn to_inertial(&self, world: &World, state: Cartesian, epoch: Epoch) -> Cartesian {
        if self.is_mj2000() {
            return state;
        }
        match self.axes.rotation(world, self.origin, epoch) {
            Some(rotation) => rotation.inverse().apply(state),
            None => Cartesian { r: [f64::NAN; 3], v: [f64::NAN; 3] },
        }
    }
}

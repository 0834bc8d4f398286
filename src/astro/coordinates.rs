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

/// What can stand at an origin, and from which to which axes can point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// A body.
    Body(Body),
    /// A spacecraft, by its place in the mission.
    Spacecraft(usize),
}

impl Object {
    /// The body, where it is one.
    pub fn body(self) -> Option<Body> {
        match self {
            Object::Body(body) => Some(body),
            Object::Spacecraft(_) => None,
        }
    }
}

/// Where the spacecraft of a mission are: for each a state relative to a body in `MJ2000Eq` axes.
pub type Fleet<'a> = &'a dyn Fn(usize) -> (Cartesian, Body);

/// No spacecraft at all.
pub fn nobody(_: usize) -> (Cartesian, Body) {
    (NOWHERE, Body::Earth)
}

/// A state that is not defined.
const NOWHERE: Cartesian = Cartesian { r: [f64::NAN; 3], v: [f64::NAN; 3] };

/// An origin with axes.
#[derive(Clone, Debug, PartialEq)]
pub struct CoordinateSystem {
    /// Its name.
    pub name: String,
    /// What stands at its origin.
    pub origin: Object,
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
    /// `ObjectReferenced`: by the state of the second object from the first; with a spacecraft VNB, LVLH and their like.
    ObjectReferenced {
        /// Which two axes are along what.
        axes: ObjectAxes,
        /// The first object.
        primary: Object,
        /// The second object.
        secondary: Object,
    },
}

impl Axes {
    /// From `MJ2000Eq` to these axes; none where they are not defined.
    pub fn rotation(&self, world: &World, origin: Object, epoch: Epoch, fleet: Fleet) -> Option<Rotation> {
        match *self {
            Axes::Earth(axes) => Some(world.earth.axes(axes, epoch)),
            Axes::EarthAt(axes, at) => Some(world.earth.axes(axes, at)),
            Axes::Icrf => world.icrf.rotation(epoch).ok(),
            Axes::Body(BodyAxes::Fixed) => world.fixed(origin.body()?, epoch),
            Axes::Body(BodyAxes::Equator) => world.equator(origin.body()?, epoch),
            Axes::Body(axes @ BodyAxes::Inertial) => axes.rotation(origin.body()?, epoch),
            Axes::ObjectReferenced { axes, primary, secondary } => {
                let (state, center) = match secondary {
                    Object::Body(body) => (Cartesian { r: [0.0; 3], v: [0.0; 3] }, body),
                    Object::Spacecraft(spacecraft) => fleet(spacecraft),
                };
                axes.rotation(relative(world, state, center, primary, epoch, fleet)).ok()
            }
        }
    }
}

/// A state relative to a body as one relative to an object, in `MJ2000Eq` axes.
fn relative(world: &World, state: Cartesian, center: Body, to: Object, epoch: Epoch, fleet: Fleet) -> Cartesian {
    match to {
        Object::Body(body) => world.moved(state, center, body, epoch),
        Object::Spacecraft(spacecraft) => {
            let (other, body) = fleet(spacecraft);
            let Cartesian { r, v } = world.moved(state, center, body, epoch);
            Cartesian { r: std::array::from_fn(|i| r[i] - other.r[i]), v: std::array::from_fn(|i| v[i] - other.v[i]) }
        }
    }
}

impl CoordinateSystem {
    /// GMAT's own coordinate systems.
    pub fn built_in() -> Vec<CoordinateSystem> {
        let earth =
            |name: &str, axes| CoordinateSystem { name: name.to_owned(), origin: Object::Body(Body::Earth), axes };
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
        CoordinateSystem { name, origin: Object::Body(body), axes: Axes::Earth(EarthAxes::J2000) }
    }

    /// The names that a script can write.
    pub fn names(systems: &[CoordinateSystem]) -> impl Iterator<Item = &str> {
        systems.iter().map(|system| system.name.as_str()).filter(|name| !name.starts_with('@'))
    }

    /// Whether a state needs nothing but another origin.
    pub fn is_mj2000(&self) -> bool {
        self.axes == Axes::Earth(EarthAxes::J2000)
    }

    /// Whether spacecraft decide it.
    pub fn moves_with_spacecraft(&self) -> bool {
        let of_axes = match self.axes {
            Axes::ObjectReferenced { primary, secondary, .. } => [primary, secondary],
            _ => [self.origin; 2],
        };
        [self.origin, of_axes[0], of_axes[1]].iter().any(|object| object.body().is_none())
    }

    /// A state relative to a body in `MJ2000Eq` axes, in this system; NaN where it is not defined.
    pub fn of_inertial(&self, world: &World, state: Cartesian, center: Body, epoch: Epoch, fleet: Fleet) -> Cartesian {
        let state = relative(world, state, center, self.origin, epoch, fleet);
        if self.is_mj2000() {
            return state;
        }
        self.axes.rotation(world, self.origin, epoch, fleet).map_or(NOWHERE, |rotation| rotation.apply(state))
    }

    /// A state in this system, which no spacecraft decides, as one relative to its origin in `MJ2000Eq` axes.
    pub fn to_inertial(&self, world: &World, state: Cartesian, epoch: Epoch) -> Cartesian {
        if self.is_mj2000() {
            return state;
        }
        let rotation = self.axes.rotation(world, self.origin, epoch, &nobody);
        rotation.map_or(NOWHERE, |rotation| rotation.inverse().apply(state))
    }
}

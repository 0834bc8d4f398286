//! Forces: what accelerates a spacecraft. One file a force, one line each in [`REGISTRY`].

use crate::astro::ephemeris::Body;
use crate::astro::epoch::Epoch;
use crate::base::lanes::{Lanes, Vectors, WIDTH};

pub mod drag;
pub mod harmonics;
pub mod point_mass;
pub mod radiation_pressure;
pub mod relativity;
pub mod shadow;
pub mod terms;
pub mod third_body;

/// A force: it adds its acceleration to that of the others.
///
/// Called once a stage for all lanes of a bundle; inside, kernels made by `lane_kernel!` do the
/// arithmetic, so a force needs no word about instruction sets.
pub trait Force: Send + Sync {
    /// Adds the acceleration (km/s^2) in the inertial axes of the central body, `MJ2000Eq`.
    fn add_acceleration(&self, stage: &Stage, a: &mut [Lanes; 3]);

    /// The force and all its numbers, for the hash of the plan.
    fn describe(&self) -> String;
}

/// Where and when forces are asked: one stage of a trial step, all lanes.
pub struct Stage<'a> {
    /// The lanes in use.
    pub vectors: Vectors,
    /// The instant of each lane; meaningful where some force [`Needs`] the time.
    pub epochs: &'a [Epoch; WIDTH],
    /// Position from the central body, `MJ2000Eq` axes, km.
    pub r: &'a [Lanes; 3],
    /// Velocity, km/s.
    pub v: &'a [Lanes; 3],
    /// What flies.
    pub craft: &'a Craft,
    /// Position of each of [`Needs::bodies`] from the central body, km.
    pub positions: &'a [[Lanes; 3]],
    /// Their velocities, km/s, where [`Needs::velocities`].
    pub velocities: &'a [[Lanes; 3]],
    /// From `MJ2000Eq` to the axes fixed to the central body, where [`Needs::rotation`].
    pub rotation: &'a [[Lanes; 3]; 3],
    /// Angular velocity of the central body in `MJ2000Eq` axes, rad/s.
    pub spin: &'a [Lanes; 3],
    /// Its size, rad/s.
    pub spin_rate: &'a Lanes,
}

/// The spacecraft of the lanes, as forces see them.
#[derive(Clone, Debug)]
pub struct Craft {
    /// Mass, kg.
    pub mass: Lanes,
    /// Drag coefficient.
    pub cd: Lanes,
    /// Area for drag, m^2.
    pub drag_area: Lanes,
    /// Coefficient of reflectivity.
    pub cr: Lanes,
    /// Area for radiation pressure, m^2.
    pub srp_area: Lanes,
    /// What the density of the air is multiplied by.
    pub density_scale: Lanes,
}

impl Default for Craft {
    fn default() -> Self {
        let one = Lanes::splat(1.0);
        Craft { mass: one, cd: one, drag_area: one, cr: one, srp_area: one, density_scale: one }
    }
}

/// What the forces of a force model need beside position and velocity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Needs {
    /// The bodies whose positions they need, each once.
    pub bodies: Vec<Body>,
    /// The velocities of these bodies as well.
    pub velocities: bool,
    /// The axes fixed to the central body, and its angular velocity.
    pub rotation: bool,
    /// A place where there is air: a stage below its model has no acceleration.
    pub air: bool,
}

impl Needs {
    /// The place of a body in the list of positions, which gets it if it has it not.
    pub fn body(&mut self, body: Body) -> usize {
        self.bodies.iter().position(|known| *known == body).unwrap_or_else(|| {
            self.bodies.push(body);
            self.bodies.len() - 1
        })
    }

    /// Whether the instant matters at all.
    pub fn time(&self) -> bool {
        self.rotation || !self.bodies.is_empty()
    }
}

/// The forces of a model, and what they need.
pub struct ForceModel {
    /// The forces, in the order in which they are added.
    pub forces: Vec<Box<dyn Force>>,
    /// The central body.
    pub center: Body,
    /// What they need.
    pub needs: Needs,
}

/// A force that a script can ask for.
pub struct Entry {
    /// Name.
    pub name: &'static str,
    /// How a script asks for it.
    pub script: &'static str,
    /// One line about it.
    pub about: &'static str,
}

/// All forces.
pub const REGISTRY: &[Entry] = &[
    Entry {
        name: "point mass",
        script: "FM.PrimaryBodies = {Earth}, degree and order 0; or FM.PointMasses = {Earth}",
        about: "gravity of the central body, a = -mu r / |r|^3",
    },
    Entry {
        name: "harmonics",
        script: "FM.PrimaryBodies = {Earth}; FM.GravityField.Earth.Degree = 20; ...Order; ...PotentialFile = 'JGM3.cof'",
        about: "gravity of the central body to any degree and order of a .cof or .gfc file; JGM2, JGM3, EGM96 to 70 built in",
    },
    Entry {
        name: "third body",
        script: "FM.PointMasses = {Luna, Sun}",
        about: "gravity of other bodies, direct and on the central body",
    },
    Entry {
        name: "radiation pressure",
        script: "FM.SRP = On",
        about: "pressure of sunlight on a sphere, with the shadows of bodies as dual cones",
    },
    Entry {
        name: "drag",
        script: "FM.Drag.AtmosphereModel = JacchiaRoberts; also Exponential, MSISE90, NRLMSISE00",
        about: "drag in an atmosphere that turns with the Earth",
    },
    Entry { name: "relativity", script: "FM.RelativisticCorrection = On", about: "relativistic correction" },
];

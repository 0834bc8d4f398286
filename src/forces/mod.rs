//! Forces: what accelerates a spacecraft. One file a force, one line each in [`REGISTRY`].

use crate::base::lanes::{Lanes, Vectors};

pub mod point_mass;

/// A force: it adds its acceleration to that of the others.
///
/// Called once a stage for all lanes of a bundle; inside, a kernel made by `lane_kernel!` does the
/// arithmetic, so a force needs no word about instruction sets.
pub trait Force: Send + Sync {
    /// Adds the acceleration (km/s^2) at position `r` (km) and velocity `v` (km/s) in the inertial
    /// axes of the central body, `EarthMJ2000Eq`.
    fn add_acceleration(&self, vectors: Vectors, r: &[Lanes; 3], v: &[Lanes; 3], a: &mut [Lanes; 3]);

    /// The force and all its numbers, for the hash of the plan.
    fn describe(&self) -> String;
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
pub const REGISTRY: &[Entry] = &[Entry {
    name: "point mass",
    script: "FM.PrimaryBodies = {Earth}, degree and order 0; or FM.PointMasses = {Earth}",
    about: "gravity of the central body, a = -mu r / |r|^3",
}];

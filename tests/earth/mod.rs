//! The Earth as a point, alone: the right-hand side of tests that look at integrators.
#![allow(dead_code)] // helpers of several tests, each using some

use std::sync::Arc;

use sweep_mpi::astro::constants::EARTH_MU;
use sweep_mpi::astro::ephemeris::Body;
use sweep_mpi::astro::world::World;
use sweep_mpi::base::lanes::{Lanes, Vectors};
use sweep_mpi::forces::point_mass::PointMass;
use sweep_mpi::forces::{Force, ForceModel, Needs};
use sweep_mpi::integrators::dynamics::Dynamics;
use sweep_mpi::propagator::Bundle;

/// The motion about a point-mass Earth.
pub(crate) struct Earth {
    model: ForceModel,
    world: Arc<World>,
    bundle: Bundle,
}

impl Default for Earth {
    fn default() -> Self {
        let forces: Vec<Box<dyn Force>> = vec![Box::new(PointMass::new(EARTH_MU))];
        let model = ForceModel { forces, center: Body::Earth, needs: Needs::default() };
        Earth { model, world: World::gmat(), bundle: Bundle::default() }
    }
}

impl Dynamics for Earth {
    fn acceleration(&mut self, vectors: Vectors, dt: &Lanes, r: &[Lanes; 3], v: &[Lanes; 3], a: &mut [Lanes; 3]) {
        self.bundle.under(&self.model, &self.world).acceleration(vectors, dt, r, v, a);
    }
}

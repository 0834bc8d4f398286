//! What the lanes of a bundle fly through: the forces at the instants of the stages.

use crate::astro::ephemeris::{EphemerisCache, EphemerisError};
use crate::astro::epoch::{Epoch, Scale};
use crate::astro::frames::BodyOrientationCache;
use crate::astro::world::World;
use crate::base::lanes::{Lanes, Vectors, WIDTH};
use crate::forces::{Craft, ForceModel, Stage};
use crate::integrators::dynamics::{self, Dynamics};
use crate::mission::Spacecraft;

/// The instants and spacecraft of the lanes, and what was computed for them: made once a thread.
pub struct Bundle {
    /// The instant at which the trial step of each lane starts.
    pub start: [Epoch; WIDTH],
    /// What flies.
    pub craft: Craft,
    /// One bit for each lane that has left the ephemeris.
    pub outside: u8,
    /// One bit for each lane of which a stage stood below the model of the air.
    pub below: u8,
    epochs: [Epoch; WIDTH],
    positions: Vec<[Lanes; 3]>,
    velocities: Vec<[Lanes; 3]>,
    rotation: [[Lanes; 3]; 3],
    spin: [Lanes; 3],
    ephemeris: EphemerisCache,
    orientation: BodyOrientationCache,
}

/// GMAT's modified Julian date of J2000: where idle lanes fly.
const J2000: f64 = 21_545.0;

impl Default for Bundle {
    fn default() -> Self {
        let epoch = Epoch::from_mjd(Scale::Tai, J2000).unwrap_or_else(|_| unreachable!("J2000 is an epoch"));
        Bundle {
            start: [epoch; WIDTH],
            craft: Craft::default(),
            outside: 0,
            below: 0,
            epochs: [epoch; WIDTH],
            positions: Vec::new(),
            velocities: Vec::new(),
            rotation: Default::default(),
            spin: Default::default(),
            ephemeris: EphemerisCache::default(),
            orientation: BodyOrientationCache::default(),
        }
    }
}

impl Bundle {
    /// Loads what flies in a lane.
    pub(super) fn load(&mut self, lane: usize, spacecraft: &Spacecraft) {
        let craft = &mut self.craft;
        for (of, number) in [
            (&mut craft.mass, spacecraft.dry_mass),
            (&mut craft.cd, spacecraft.cd),
            (&mut craft.drag_area, spacecraft.drag_area),
            (&mut craft.cr, spacecraft.cr),
            (&mut craft.srp_area, spacecraft.srp_area),
            (&mut craft.density_scale, spacecraft.density_scale),
        ] {
            of.0[lane] = number;
        }
    }

    /// The right-hand side of the equations of motion under a force model.
    pub fn under<'a>(&'a mut self, model: &'a ForceModel, world: &'a World) -> impl Dynamics + 'a {
        (self.outside, self.below) = (0, 0);
        Motion { bundle: self, model, world }
    }

    /// Brings the bodies and the axes of the central body to the instants `dt` after the start of the step.
    fn advance(&mut self, vectors: Vectors, model: &ForceModel, world: &World, dt: &Lanes) {
        let needs = &model.needs;
        for lane in 0..vectors.width() {
            self.epochs[lane] = self.start[lane].plus(dt.0[lane]);
        }
        let count = needs.bodies.len();
        self.positions.resize(count, [Lanes::splat(0.0); 3]);
        let (bodies, center) = (&needs.bodies[..], model.center);
        let found = if needs.velocities {
            self.velocities.resize(count, [Lanes::splat(0.0); 3]);
            let (r, v) = (&mut self.positions[..], &mut self.velocities[..]);
            world.ephemeris.states(vectors, &self.epochs, bodies, center, &mut self.ephemeris, r, v)
        } else {
            let r = &mut self.positions[..];
            world.ephemeris.positions(vectors, &self.epochs, bodies, center, &mut self.ephemeris, r)
        };
        let turned = if needs.rotation {
            let (out, spin) = (&mut self.rotation, &mut self.spin);
            world.fixed_from_inertial(vectors, center, &self.epochs, &mut self.orientation, out, spin)
        } else {
            Ok(())
        };
        for found in [found, turned] {
            match found {
                Ok(()) => {}
                Err(EphemerisError::OutOfSpan { lanes, .. }) => self.outside |= lanes,
                Err(EphemerisError::NoSuchBody(_) | EphemerisError::NoLibrations) => self.outside = u8::MAX,
            }
        }
    }
}

/// A bundle under a force model.
struct Motion<'a> {
    bundle: &'a mut Bundle,
    model: &'a ForceModel,
    world: &'a World,
}

impl Dynamics for Motion<'_> {
    fn acceleration(&mut self, vectors: Vectors, dt: &Lanes, r: &[Lanes; 3], v: &[Lanes; 3], a: &mut [Lanes; 3]) {
        if self.model.needs.time() {
            self.bundle.advance(vectors, self.model, self.world, dt);
        }
        dynamics::clear(vectors, a);
        let bundle = &*self.bundle;
        let stage = Stage {
            vectors,
            epochs: &bundle.epochs,
            r,
            v,
            craft: &bundle.craft,
            positions: &bundle.positions,
            velocities: &bundle.velocities,
            rotation: &bundle.rotation,
            spin: &bundle.spin,
            spin_rate: bundle.orientation.spin_rate(),
        };
        for force in &self.model.forces {
            force.add_acceleration(&stage, a);
        }
        if self.model.needs.air {
            // the place is known and its acceleration is not: an atmosphere has no density there
            for lane in 0..vectors.width() {
                if a[0].0[lane].is_nan() && r[0].0[lane].is_finite() {
                    self.bundle.below |= 1 << lane;
                }
            }
        }
    }
}

//! What the lanes of a bundle fly through: the forces at the instants of the stages.

use super::burning::{Burning, Moment};
use crate::astro::elements::Cartesian;
use crate::astro::ephemeris::{EphemerisCache, EphemerisError};
use crate::astro::epoch::{Epoch, Scale};
use crate::astro::frames::BodyOrientationCache;
use crate::astro::world::World;
use crate::base::lanes::{Lanes, Vectors, WIDTH};
use crate::base::outcome::Failure;
use crate::forces::{Craft, ForceModel, Stage};
use crate::integrators::dynamics::{self, Dynamics};
use crate::integrators::trial::TrialStep;
use crate::mission::{Mission, Spacecraft};

/// The instants and spacecraft of the lanes, and what was computed for them: made once a thread.
pub struct Bundle {
    /// The instant at which the trial step of each lane starts.
    pub start: [Epoch; WIDTH],
    /// What flies: the first spacecraft of each lane, the second one, ...
    slots: Vec<Slot>,
    /// Whether anything has ever burned.
    burned: bool,
    /// Why the burn of a lane cannot go on.
    failures: [Option<Failure>; WIDTH],
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

/// One spacecraft of each lane.
#[derive(Default)]
struct Slot {
    craft: Craft,
    burning: [Burning; WIDTH],
}

/// GMAT's modified Julian date of J2000: where idle lanes fly.
const J2000: f64 = 21_545.0;

impl Default for Bundle {
    fn default() -> Self {
        let epoch = Epoch::from_mjd(Scale::Tai, J2000).unwrap_or_else(|_| unreachable!("J2000 is an epoch"));
        Bundle {
            start: [epoch; WIDTH],
            slots: vec![Slot::default()],
            burned: false,
            failures: [None; WIDTH],
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
    /// Loads what flies in a lane; nothing of it burns.
    pub(super) fn load(&mut self, lane: usize, slot: usize, spacecraft: &Spacecraft, mass: f64) {
        while self.slots.len() <= slot {
            self.slots.push(Slot::default());
        }
        if slot == 0 && self.burned {
            self.slots.iter_mut().for_each(|slot| slot.burning[lane].off());
        }
        let slot = &mut self.slots[slot];
        let craft = &mut slot.craft;
        for (of, number) in [
            (&mut craft.mass, mass),
            (&mut craft.cd, spacecraft.cd),
            (&mut craft.drag_area, spacecraft.drag_area),
            (&mut craft.cr, spacecraft.cr),
            (&mut craft.srp_area, spacecraft.srp_area),
            (&mut craft.density_scale, spacecraft.density_scale),
        ] {
            of.0[lane] = number;
        }
    }

    /// A spacecraft of a lane burns; what it burns is to be set.
    pub(super) fn light(&mut self, lane: usize, slot: usize) -> &mut Burning {
        self.burned = true;
        let burning = &mut self.slots[slot].burning[lane];
        burning.on = true;
        burning
    }

    /// Whether anything has ever burned here.
    pub(super) fn burns(&self) -> bool {
        self.burned
    }

    /// What a spacecraft of a lane burns, if it does.
    pub(super) fn burning(&self, lane: usize, slot: usize) -> Option<&Burning> {
        self.slots.get(slot).map(|slot| &slot.burning[lane]).filter(|burning| burning.on)
    }

    /// Why the burn of a lane cannot go on.
    pub(super) fn burn_failure(&self, lane: usize) -> Option<Failure> {
        self.failures[lane]
    }

    /// The tanks of a lane follow the masses before its next trial.
    #[inline]
    pub(super) fn follow_masses(&mut self, lane: usize, trial: &TrialStep, count: usize) {
        if !self.burned {
            return;
        }
        for (place, slot) in self.slots.iter_mut().enumerate().take(count) {
            let burning = &mut slot.burning[lane];
            if burning.on {
                // a mass that was reached once can be set again
                let mass = trial.mass_in(lane, place);
                slot.craft.mass.0[lane] = mass;
                let _ = burning.follow(mass);
            }
        }
    }

    /// The right-hand side of the equations of motion under a force model; nothing burns.
    pub fn under<'a>(&'a mut self, model: &'a ForceModel, world: &'a World) -> impl Dynamics + 'a {
        (self.outside, self.below) = (0, 0);
        let (here, flow) = ([true; WIDTH], Lanes::splat(0.0));
        Motion { bundle: self, model, world, mission: None, here, slot: 0, burns: false, flow }
    }

    /// The same in a mission, for the lanes that are here, with what they burn.
    pub(super) fn flying<'a>(
        &'a mut self,
        model: &'a ForceModel,
        mission: &'a Mission,
        here: [bool; WIDTH],
    ) -> impl Dynamics + 'a {
        (self.outside, self.below) = (0, 0);
        self.failures = [None; WIDTH];
        let (world, flow) = (&*mission.world, Lanes::splat(0.0));
        Motion { bundle: self, model, world, mission: Some(mission), here, slot: 0, burns: false, flow }
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
    mission: Option<&'a Mission>,
    here: [bool; WIDTH],
    slot: usize,
    burns: bool,
    flow: Lanes,
}

impl Motion<'_> {
    /// Adds the thrust of the lanes that burn; their mass flows.
    fn thrust(&mut self, vectors: Vectors, dt: &Lanes, r: &[Lanes; 3], v: &[Lanes; 3], a: &mut [Lanes; 3]) {
        self.flow = Lanes::splat(0.0);
        let Some(mission) = self.mission else { return };
        let bundle = &mut *self.bundle;
        let slot = &mut bundle.slots[self.slot];
        for lane in (0..vectors.width()).filter(|&lane| self.here[lane]) {
            let burning = &mut slot.burning[lane];
            if !burning.on {
                continue;
            }
            let of = |vector: &[Lanes; 3]| [vector[0].0[lane], vector[1].0[lane], vector[2].0[lane]];
            let state = Cartesian { r: of(r), v: of(v) };
            let start = bundle.start[lane];
            let moment = Moment { epoch: start.plus(dt.0[lane]), start, state, center: self.model.center };
            let mass = slot.craft.mass.0[lane];
            match burning.push(mission, mass, moment) {
                Ok(push) => {
                    for (a, push) in a.iter_mut().zip(push.acceleration) {
                        a.0[lane] += push;
                    }
                    self.flow.0[lane] = push.mass_flow;
                }
                Err(failure) => bundle.failures[lane] = Some(failure),
            }
        }
    }
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
            craft: &bundle.slots[self.slot].craft,
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
        if self.burns {
            self.thrust(vectors, dt, r, v, a);
        }
    }

    fn turn_to(&mut self, spacecraft: usize) {
        self.slot = spacecraft;
        self.burns = self.bundle.burned && self.mission.is_some() && {
            let lanes = self.bundle.slots[spacecraft].burning.iter().zip(self.here);
            lanes.into_iter().any(|(burning, here)| burning.on && here)
        };
    }

    fn burns(&self) -> bool {
        self.burns
    }

    fn set_mass(&mut self, mass: &Lanes) {
        let slot = &mut self.bundle.slots[self.slot];
        for lane in (0..WIDTH).filter(|&lane| self.here[lane] && slot.burning[lane].on) {
            slot.craft.mass.0[lane] = mass.0[lane];
        }
    }

    fn mass_flow(&self) -> &Lanes {
        &self.flow
    }
}

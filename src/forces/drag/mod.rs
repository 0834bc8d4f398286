//! Drag of an atmosphere that turns with the Earth.
//!
//! Theory: a = -1/2 rho (Cd A / m) |v_rel| v_rel with v_rel = v - w x r; rho is the density of the model times a factor
//! of the spacecraft. The angular velocity w lies along the
//! true pole of date (not the pole of the Earth-fixed axes, which polar motion shifts by 1e-6 rad), its size
//! is 7.29211514670698e-5 rad/s (1 - LOD / 86400 s), as in GMAT's body-fixed axes.
//!
//! Units: rho kg/m^3, A m^2, m kg, velocities km/s; hence a in km/s^2 is -500 rho (Cd A / m) |v_rel| v_rel.
//!
//! # References
//! Vallado, *Fundamentals of Astrodynamics and Applications*, 4th ed., eq. 8-28.
//! Tests: `prop_drag_opposes_the_relative_velocity`, `val_acceleration_of_gmat`, `val_scale_of_gmat`,
//! `prop_lanes_widths_and_instruction_sets_give_the_same_bits`.

use crate::base::lanes::{Lanes, Real, Vectors};
use crate::lane_kernel;

pub mod exponential;
pub mod jacchia_roberts;
pub mod msise;
pub mod nrlmsise;
pub mod place;
pub mod space_weather;

pub use place::{Place, Places, Surroundings};

/// A model of the density of the atmosphere.
pub trait Atmosphere: Send + Sync {
    /// The density, kg/m^3; NaN where the model is not defined, which ends the run as failed.
    fn density(&self, place: &Place) -> f64;

    /// The densities of all lanes in use; the same numbers as [`Atmosphere::density`], perhaps faster.
    fn densities(&self, vectors: Vectors, around: &Surroundings, r: &[Lanes; 3], places: &Places, rho: &mut Lanes) {
        for lane in 0..vectors.width() {
            rho.0[lane] = self.density(&places.lane(lane, around, r));
        }
    }

    /// Below this geodetic height (km) the density is NaN.
    fn lowest_height(&self) -> f64;

    /// The model and all its numbers (a checksum of those of a file), for the hash of the plan.
    fn describe(&self) -> String;
}

/// What the air acts on, run by run.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Drag coefficient.
    pub cd: &'a Lanes,
    /// Area across the flow, m^2.
    pub area: &'a Lanes,
    /// Mass, kg.
    pub mass: &'a Lanes,
    /// What the density is multiplied by: `AtmosDensityScaleFactor` of the spacecraft, 1 where a script says nothing.
    pub scale: &'a Lanes,
}

/// The drag force of an atmosphere.
pub struct Drag {
    atmosphere: Box<dyn Atmosphere>,
}

impl Drag {
    /// Drag in the given atmosphere.
    pub fn new(atmosphere: Box<dyn Atmosphere>) -> Self {
        Drag { atmosphere }
    }

    /// The atmosphere.
    pub fn atmosphere(&self) -> &dyn Atmosphere {
        self.atmosphere.as_ref()
    }

    /// Adds the acceleration (km/s^2) at `r` (km) and `v` (km/s) from the Earth in `MJ2000Eq` axes.
    pub fn add_acceleration(
        &self,
        vectors: Vectors,
        around: &Surroundings,
        shape: &Shape,
        r: &[Lanes; 3],
        v: &[Lanes; 3],
        a: &mut [Lanes; 3],
    ) {
        let places = Places::new(vectors, around.rotation, r);
        let mut rho = Lanes::default();
        self.atmosphere.densities(vectors, around, r, &places, &mut rho);
        resist(vectors, around.spin, shape, &rho, r, v, a);
    }
}

lane_kernel!(
    fn resist(
        spin: &[Lanes; 3],
        shape: &Shape,
        rho: &Lanes,
        r: &[Lanes; 3],
        v: &[Lanes; 3],
        a: &mut [Lanes; 3],
    ) = resistance
);

#[inline(always)]
fn resistance<T: Real>(
    first: usize,
    spin: &[Lanes; 3],
    shape: &Shape,
    rho: &Lanes,
    r: &[Lanes; 3],
    v: &[Lanes; 3],
    a: &mut [Lanes; 3],
) {
    let load = |from: &[Lanes; 3]| [T::load(&from[0], first), T::load(&from[1], first), T::load(&from[2], first)];
    let (w, r, v) = (load(spin), load(r), load(v));
    // v_rel = v - w x r
    let wind = [w[1] * r[2] - w[2] * r[1], w[2] * r[0] - w[0] * r[2], w[0] * r[1] - w[1] * r[0]];
    let [x, y, z] = [v[0] - wind[0], v[1] - wind[1], v[2] - wind[2]];
    let speed = x.mul_add(x, y.mul_add(y, z * z)).sqrt();
    let ballistic = T::load(shape.cd, first) * T::load(shape.area, first) / T::load(shape.mass, first);
    // a = -500 rho (Cd A / m) |v_rel| v_rel, km/s^2
    let density = T::load(rho, first) * T::load(shape.scale, first);
    let factor = T::splat(-500.0) * ballistic * density * speed;
    for (component, acceleration) in [x, y, z].into_iter().zip(a) {
        factor.mul_add(component, T::load(acceleration, first)).store(acceleration, first);
    }
}

#[cfg(test)]
mod tests;

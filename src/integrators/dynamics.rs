//! What an integrator asks of the world: the acceleration of every lane, at a time and a state.

use crate::base::lanes::{Lanes, Real, Vectors};
use crate::lane_kernel;

/// The right-hand side of the equations of motion, r'' = a(t, r, v), for all lanes of a bundle at once.
///
/// An implementation knows the epoch at which each lane's step starts; the integrator knows only the
/// seconds since then.
pub trait Dynamics {
    /// Sets the acceleration `a` (km/s^2), whatever it was before.
    ///
    /// | quantity | unit | |
    /// |---|---|---|
    /// | `dt` | s | time since the start of the trial step, lane by lane; negative backwards |
    /// | `r`, `v` | km, km/s | inertial axes of the central body |
    ///
    /// `RungeKutta68` gives the velocity of the start of the step at every stage, as GMAT does.
    fn acceleration(&mut self, vectors: Vectors, dt: &Lanes, r: &[Lanes; 3], v: &[Lanes; 3], a: &mut [Lanes; 3]);

    /// From here on the accelerations of the n-th spacecraft of each lane are asked for.
    fn turn_to(&mut self, _spacecraft: usize) {}

    /// Whether a lane burns fuel: then masses are integrated as well.
    fn burns(&self) -> bool {
        false
    }

    /// The masses at which the next acceleration is asked for, kg.
    fn set_mass(&mut self, _mass: &Lanes) {}

    /// The mass flow at the last acceleration, kg/s: not above 0, and 0 where a lane does not burn.
    fn mass_flow(&self) -> &Lanes {
        const NONE: Lanes = Lanes::splat(0.0);
        &NONE
    }
}

lane_kernel!(
    /// a = 0, written as whole vectors: what is written in parts cannot be read as one for some cycles.
    pub fn clear(a: &mut [Lanes; 3]) = zeros
);

#[inline(always)]
fn zeros<T: Real>(first: usize, a: &mut [Lanes; 3]) {
    for component in a {
        T::splat(0.0).store(component, first);
    }
}

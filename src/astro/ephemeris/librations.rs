//! How the Moon turns: the Euler angles of an ephemeris.
//!
//! The ephemeris gives phi, theta and psi (rad) of the axes of the Moon's mantle, which are its principal axes of inertia,
//! as Chebyshev series of TDB like the paths of bodies; the rates are the derivatives. psi is not taken into a turn: it is
//! 3000 rad in 2005, where a double resolves 5e-13 rad, 0.8 um on the ground. What the angles mean is in
//! `frames/bodies.rs`.
//!
//! Domain: [`Ephemeris::span`], and ephemerides that have them: not SPK kernels.
//! Tests: `val_librations_in_exact_arithmetic`, `val_luna_of_gmat`, `prop_lanes_of_librations_have_the_scalar_bits`.
//!
//! # References
//! Newhall, Williams, "Estimation of the lunar physical librations", *Celest. Mech. Dyn. Astron.* 66 (1997) 21.

use super::evaluation::copy;
use super::{Ephemeris, EphemerisCache, EphemerisError, TRACKS, Track};
use crate::astro::epoch::Epoch;
use crate::astro::frames::Librations;
use crate::base::lanes::{Isa, Lanes, Vectors, WIDTH};

impl Ephemeris {
    /// Whether [`Ephemeris::librations`] can be asked for.
    pub fn has_librations(&self) -> bool {
        self.tracks[Track::Librations as usize].is_some()
    }

    /// The Euler angles of the Moon (rad) and their rates (rad/s) at an instant; the same bits as a lane of
    /// [`Ephemeris::librations_of_lanes`] has.
    pub fn librations(&self, epoch: Epoch) -> Result<Librations, EphemerisError> {
        let (mut angles, mut rates) = ([Lanes::splat(0.0); 3], [Lanes::splat(0.0); 3]);
        let one = Vectors::new(Isa::best(), 1);
        let cache = &mut EphemerisCache::default();
        self.librations_of_lanes(one, &[epoch; WIDTH], cache, &mut angles, &mut rates)?;
        Ok(Librations { angles: angles.map(|lanes| lanes.0[0]), rates: rates.map(|lanes| lanes.0[0]) })
    }

    /// The Euler angles of the Moon (phi, theta, psi; rad) and their rates (rad/s) for each lane at its own instant.
    ///
    /// Lanes outside of the span get NaN and are named by the error, while the other lanes are right. Lanes from the
    /// width on are left alone.
    pub fn librations_of_lanes(
        &self,
        vectors: Vectors,
        epochs: &[Epoch; WIDTH],
        cache: &mut EphemerisCache,
        angles: &mut [Lanes; 3],
        rates: &mut [Lanes; 3],
    ) -> Result<(), EphemerisError> {
        if !self.has_librations() {
            return Err(EphemerisError::NoLibrations);
        }
        let mut needed = [false; TRACKS.len()];
        needed[Track::Librations as usize] = true;
        let time = self.evaluate(vectors, epochs, &needed, cache, true);
        let (values, changes) = Ephemeris::sums_of(Track::Librations, cache);
        copy(vectors, values, angles);
        copy(vectors, changes, rates);
        time
    }
}

//! The axes fixed to the Moon and the planets for eight runs at once, each at its own epoch.
//!
//! All are made of three Euler angles,
//!
//! fixed = R3(psi) R1(theta) R3(phi), spin = phi' z + theta' n + psi' p
//!
//! with the pole of J2000 z, the ascending node of the body's equator n = (cos phi, sin phi, 0) and its pole p, the third
//! row of the matrix. The Moon's angles are those of the ephemeris; those of the others are computed lane by lane by the
//! formula of `bodies.rs`, phi = 90 deg + alpha, theta = 90 deg - delta, psi = W, of which W alone has a rate.
//! The caller owns the cache, which never changes a result.
//! Tests, all in `body_tests.rs`: `prop_lanes_are_the_rotation_of_each_body`, `prop_spin_is_the_turn_of_the_axes`,
//! `prop_same_bits_in_all_lanes_of_each_body`.

use super::bodies::euler_angles;
use super::lanes::{OrientationCache, sine_and_cosine_of};
use crate::astro::ephemeris::{Body, Ephemeris, EphemerisCache, EphemerisError};
use crate::astro::epoch::Epoch;
use crate::base::lanes::{Lanes, Real, Vectors, WIDTH};
use crate::lane_kernel;

/// What [`crate::astro::world::World::fixed_from_inertial`] has computed before: any content gives the same results.
#[derive(Clone, Debug, Default)]
pub struct BodyOrientationCache {
    pub(in crate::astro) earth: OrientationCache,
    ephemeris: EphemerisCache,
    pub(in crate::astro) spin_rate: Lanes,
}

impl BodyOrientationCache {
    /// The size of the angular velocity of the body of each lane when it was last asked for, rad/s.
    pub fn spin_rate(&self) -> &Lanes {
        &self.spin_rate
    }
}

/// The axes fixed to the Moon.
pub(in crate::astro) fn moon(
    vectors: Vectors,
    ephemeris: &Ephemeris,
    epochs: &[Epoch; WIDTH],
    cache: &mut BodyOrientationCache,
    out: &mut [[Lanes; 3]; 3],
    spin: &mut [Lanes; 3],
) -> Result<(), EphemerisError> {
    let (mut angles, mut rates) = ([Lanes::splat(f64::NAN); 3], [Lanes::splat(f64::NAN); 3]);
    let found = ephemeris.librations_of_lanes(vectors, epochs, &mut cache.ephemeris, &mut angles, &mut rates);
    euler(vectors, &angles, &rates, out, spin, &mut cache.spin_rate);
    found
}

/// The axes fixed to the Sun or to a planet other than the Earth.
pub(in crate::astro) fn planet(
    vectors: Vectors,
    body: Body,
    epochs: &[Epoch; WIDTH],
    cache: &mut BodyOrientationCache,
    out: &mut [[Lanes; 3]; 3],
    spin: &mut [Lanes; 3],
) {
    let (mut angles, mut rates) = ([Lanes::splat(0.0); 3], [Lanes::splat(0.0); 3]);
    for (lane, &epoch) in epochs.iter().enumerate().take(vectors.width()) {
        let (of_lane, rate) = euler_angles(body, epoch);
        for (angle, number) in angles.iter_mut().zip(of_lane) {
            angle.0[lane] = number;
        }
        rates[2].0[lane] = rate;
    }
    euler(vectors, &angles, &rates, out, spin, &mut cache.spin_rate);
}

lane_kernel!(fn euler(angles: &[Lanes; 3], rates: &[Lanes; 3], out: &mut [[Lanes; 3]; 3], spin: &mut [Lanes; 3],
                      spin_rate: &mut Lanes) = turned);

/// R3(psi) R1(theta) R3(phi) and its spin.
#[inline(always)]
fn turned<T: Real>(
    first: usize,
    angles: &[Lanes; 3],
    rates: &[Lanes; 3],
    out: &mut [[Lanes; 3]; 3],
    spin: &mut [Lanes; 3],
    spin_rate: &mut Lanes,
) {
    let (sin_phi, cos_phi) = sine_and_cosine_of(T::load(&angles[0], first));
    let (sin_theta, cos_theta) = sine_and_cosine_of(T::load(&angles[1], first));
    let (sin_psi, cos_psi) = sine_and_cosine_of(T::load(&angles[2], first));

    // along the node, across it in the equator, and the pole
    let across = [-(cos_theta * sin_phi), cos_theta * cos_phi, sin_theta];
    let pole = [sin_theta * sin_phi, -(sin_theta * cos_phi), cos_theta];
    let node = [cos_phi, sin_phi, T::splat(0.0)];
    for j in 0..3 {
        cos_psi.mul_add(node[j], sin_psi * across[j]).store(&mut out[0][j], first);
        cos_psi.mul_add(across[j], -(sin_psi * node[j])).store(&mut out[1][j], first);
        pole[j].store(&mut out[2][j], first);
    }

    let [phi, theta, psi] = [T::load(&rates[0], first), T::load(&rates[1], first), T::load(&rates[2], first)];
    let x = psi.mul_add(pole[0], theta * cos_phi);
    let y = psi.mul_add(pole[1], theta * sin_phi);
    let z = psi.mul_add(pole[2], phi);
    x.store(&mut spin[0], first);
    y.store(&mut spin[1], first);
    z.store(&mut spin[2], first);
    x.mul_add(x, y.mul_add(y, z * z)).sqrt().store(spin_rate, first);
}

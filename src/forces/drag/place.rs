//! Where a spacecraft is in the atmosphere: geodetic height, latitude and longitude.
//!
//! Theory: the foot point on the ellipsoid a = 6378.1363 km, f = 0.0033527 by the fixed-point iteration
//! tan(phi) = (z + C e^2 sin(phi)) / p with C = a / sqrt(1 - e^2 sin^2(phi)), from the geocentric
//! latitude on, until two latitudes differ by no more than 1e-7 rad; then h = p / cos(phi) - C.
//!
//! The iteration stops early on purpose: its last error, up to 7e-10 rad, is a part of GMAT's height
//! (4e-6 km tan(phi)), and a density that is to agree to twelve digits needs the same one. Tangents are
//! carried instead of angles, so no transcendental function is needed.
//!
//! Domain: outside the evolute of the ellipsoid (more than 43 km from the centre), not on the axis.
//!
//! # References
//! Vallado, *Fundamentals of Astrodynamics and Applications*, 2nd ed., algorithm 12.
//! Tests: `prop_ellipsoid`; every `val_..._of_gmat` in tests.rs compares the height too.

use crate::astro::epoch::{Epoch, Scale};
use crate::base::lanes::{Lanes, Real, Vectors, WIDTH};
use crate::lane_kernel;

/// Equatorial radius of the Earth, km.
pub const EARTH_RADIUS: f64 = 6378.1363;

/// Flattening of the Earth.
pub const EARTH_FLATTENING: f64 = 0.003_352_7;

/// Two latitudes closer than this end the iteration, rad.
const LATITUDE_TOLERANCE: f64 = 1e-7;

/// The most latitudes that are tried; each is 150 times better than the last, so five suffice.
const STEPS: usize = 6;

/// One spacecraft in the atmosphere, as a density model sees it.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The instant.
    pub epoch: Epoch,
    /// Position from the Earth in `MJ2000Eq` axes, km.
    pub r: [f64; 3],
    /// Position of the Sun from the Earth in `MJ2000Eq` axes, km.
    pub sun: [f64; 3],
    /// Position in Earth-fixed axes, km.
    pub fixed: [f64; 3],
    /// Geodetic height, km.
    pub height: f64,
    /// Sine of the geodetic latitude.
    pub sine: f64,
    /// Cosine of the geodetic latitude.
    pub cosine: f64,
}

impl Place {
    /// Geodetic latitude, rad.
    pub fn latitude(&self) -> f64 {
        libm::atan2(self.sine, self.cosine)
    }

    /// Longitude, rad, from -pi to pi, east positive.
    pub fn longitude(&self) -> f64 {
        libm::atan2(self.fixed[1], self.fixed[0])
    }

    /// UTC as GMAT's modified Julian date, days.
    pub fn utc(&self) -> f64 {
        self.epoch.mjd(Scale::Utc)
    }
}

/// The surroundings of eight spacecraft: what the force model knows of the hour.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// The instants.
    pub epochs: &'a [Epoch; WIDTH],
    /// The matrix that turns `MJ2000Eq` axes into Earth-fixed axes.
    pub rotation: &'a [[Lanes; 3]; 3],
    /// Angular velocity of the Earth in `MJ2000Eq` axes, rad/s: along the true pole of date.
    pub spin: &'a [Lanes; 3],
    /// Position of the Sun from the Earth in `MJ2000Eq` axes, km.
    pub sun: &'a [Lanes; 3],
}

/// Eight places side by side.
#[derive(Clone, Copy, Debug, Default)]
pub struct Places {
    /// Position in Earth-fixed axes, km.
    pub fixed: [Lanes; 3],
    /// Geodetic height, km.
    pub height: Lanes,
    /// Sine of the geodetic latitude.
    pub sine: Lanes,
    /// Cosine of the geodetic latitude.
    pub cosine: Lanes,
}

impl Places {
    /// The places of positions `r` (km, `MJ2000Eq`).
    pub fn new(vectors: Vectors, rotation: &[[Lanes; 3]; 3], r: &[Lanes; 3]) -> Self {
        let mut trail = Trail::default();
        let mut places = Places::default();
        geodetic(vectors, rotation, r, &mut places.fixed, &mut trail);
        for lane in 0..vectors.width() {
            let last = (0..STEPS).find(|&step| trail.moved[step].0[lane] <= LATITUDE_TOLERANCE).unwrap_or(STEPS - 1);
            places.height.0[lane] = trail.height[last].0[lane];
            places.sine.0[lane] = trail.sine[last].0[lane];
            places.cosine.0[lane] = trail.cosine[last].0[lane];
        }
        places
    }

    /// The place in one lane.
    pub fn lane(&self, lane: usize, around: &Surroundings, r: &[Lanes; 3]) -> Place {
        let of = |vector: &[Lanes; 3]| [vector[0].0[lane], vector[1].0[lane], vector[2].0[lane]];
        Place {
            epoch: around.epochs[lane],
            r: of(r),
            sun: of(around.sun),
            fixed: of(&self.fixed),
            height: self.height.0[lane],
            sine: self.sine.0[lane],
            cosine: self.cosine.0[lane],
        }
    }
}

/// All latitudes of the iteration, since each lane ends at its own.
#[derive(Clone, Copy, Default)]
struct Trail {
    moved: [Lanes; STEPS],
    sine: [Lanes; STEPS],
    cosine: [Lanes; STEPS],
    height: [Lanes; STEPS],
}

lane_kernel!(
    fn geodetic(rotation: &[[Lanes; 3]; 3], r: &[Lanes; 3], fixed: &mut [Lanes; 3], trail: &mut Trail) = follow
);

#[inline(always)]
fn follow<T: Real>(
    first: usize,
    rotation: &[[Lanes; 3]; 3],
    r: &[Lanes; 3],
    fixed: &mut [Lanes; 3],
    trail: &mut Trail,
) {
    let load = |from: &[Lanes; 3]| [T::load(&from[0], first), T::load(&from[1], first), T::load(&from[2], first)];
    let position = load(r);
    let mut body = [T::splat(0.0); 3];
    for (component, row) in body.iter_mut().zip(rotation) {
        let row = load(row);
        *component = row[0].mul_add(position[0], row[1].mul_add(position[1], row[2] * position[2]));
    }
    for (component, lanes) in body.into_iter().zip(fixed) {
        component.store(lanes, first);
    }
    let [x, y, z] = body;
    let axis_squared = x.mul_add(x, y * y);
    let axis = axis_squared.sqrt();
    let (one, radius) = (T::splat(1.0), T::splat(EARTH_RADIUS));
    let e_squared = T::splat(EARTH_FLATTENING * (2.0 - EARTH_FLATTENING));

    // the geocentric latitude
    let inverse = one / z.mul_add(z, axis_squared).sqrt();
    let (mut sine, mut cosine) = (z * inverse, axis * inverse);
    // C = a / sqrt(1 - e^2 sin^2(phi))
    let mut curvature = radius / (one - e_squared * sine * sine).sqrt();
    for step in 0..STEPS {
        // tan(phi) = (z + C e^2 sin(phi)) / p
        let rise = (curvature * e_squared).mul_add(sine, z);
        let inverse = one / rise.mul_add(rise, axis_squared).sqrt();
        let (next_sine, next_cosine) = (rise * inverse, axis * inverse);
        // sin(phi' - phi), which is phi' - phi at these sizes
        (next_sine * cosine - next_cosine * sine).abs().store(&mut trail.moved[step], first);
        (sine, cosine) = (next_sine, next_cosine);
        curvature = radius / (one - e_squared * sine * sine).sqrt();
        sine.store(&mut trail.sine[step], first);
        cosine.store(&mut trail.cosine[step], first);
        // h = p / cos(phi) - C
        (axis / cosine - curvature).store(&mut trail.height[step], first);
    }
}

//! Reference frames: the orientation of the Earth, of the other bodies, and of axes made from states.
//!
//! Every rotation takes coordinates from the mean equator and equinox of J2000 (GMAT's `MJ2000Eq`, its FK5
//! frame) into the axes asked for; [`Rotation::inverse`] goes back. Origins are not moved here.
//!
//! | file | what |
//! |---|---|
//! | `rotation.rs` | a rotation matrix and its rate |
//! | `precession.rs`, `nutation.rs` | the IAU 1976 and 1980 models |
//! | `eop.rs`, `eop_files.rs` | Earth orientation parameters, and the files that hold them |
//! | `earth.rs` | the axes of the Earth, one epoch at a time |
//! | `granule.rs`, `lanes.rs` | the same for eight runs at once, from a cache |
//! | `icrf.rs` | MJ2000Eq to ICRF |
//! | `bodies.rs` | the Sun, the Moon and the planets |
//! | `body_lanes.rs` | the axes fixed to them for eight runs at once |
//! | `axes.rs` | axes from a relative position and velocity |
//!
//! # References
//! GMAT Mathematical Specification, chapter "Coordinate systems". Vallado, *Fundamentals of Astrodynamics and
//! Applications*, 2nd ed., section 3.7.

mod axes;
mod bodies;
mod body_lanes;
#[cfg(test)]
mod body_tests;
mod earth;
mod eop;
mod eop_files;
mod granule;
mod icrf;
mod lanes;
mod nutation;
mod packed;
mod precession;
mod rotation;
#[cfg(test)]
mod tests;

pub use axes::{AxesError, Direction, ObjectAxes};
pub use bodies::{BodyAxes, Librations, prime_meridian};
pub use body_lanes::BodyOrientationCache;
pub(in crate::astro) use body_lanes::{moon, planet};
pub use earth::{EARTH_AXES, EarthAxes, EarthOrientation};
pub use eop::{EarthParameters, EarthTable};
pub use eop_files::EarthTableError;
pub use icrf::{IcrfError, IcrfTable};
pub use lanes::OrientationCache;
pub use nutation::{Nutation, NutationSeries};
pub use precession::{mean_obliquity, precession};
pub use rotation::{Matrix, Rotation};

/// Radians in an arc second.
const ARC_SECOND: f64 = std::f64::consts::PI / 648_000.0;

/// GMAT's modified Julian date of J2000, JD 2451545.
const J2000: f64 = 21_545.0;

/// Days in a Julian century.
const CENTURY: f64 = 36_525.0;

//! Ephemeris files: what a script says of one, and what a run leaves for it.

use crate::astro::coordinates::{Axes, CoordinateSystem, Object};
use crate::astro::ephemeris::Body;
use crate::astro::epoch::{Epoch, Scale};
use crate::astro::frames::{BodyAxes, EarthAxes};

/// GMAT's `EphemerisFile` of the form CCSDS-OEM.
#[derive(Clone, Debug)]
pub struct EphemerisFile {
    /// Its name.
    pub name: String,
    /// Whose states it has.
    pub spacecraft: usize,
    /// The `Id` of that spacecraft.
    pub object_id: String,
    /// Its coordinate system, by its place in [`Names::systems`](super::names::Names::systems).
    pub system: usize,
    /// `StepSize`, s; none are the integrator's steps.
    pub step: Option<f64>,
    /// `Interpolator`.
    pub interpolator: &'static str,
    /// `InterpolationOrder`, 1 to 10.
    pub order: usize,
    /// The scale of `EpochFormat`, in which the window is written.
    pub scale: Scale,
    /// `InitialEpoch`; none is the first state.
    pub first: Option<Epoch>,
    /// `FinalEpoch`; none is the last state.
    pub last: Option<Epoch>,
    /// `WriteEphemeris`: whether it is on from the beginning.
    pub on: bool,
}

/// The name that the CCSDS-OEM of GMAT has for the axes of a coordinate system; none where they cannot be written.
pub fn reference_frame(system: &CoordinateSystem) -> Option<&'static str> {
    let of_earth = system.origin == Object::Body(Body::Earth);
    match system.axes {
        Axes::Earth(EarthAxes::J2000) => Some("EME2000"),
        Axes::ObjectReferenced { .. } => Some("ObjectReferenced"),
        Axes::Earth(EarthAxes::TrueEquator) if of_earth => Some("TOD"),
        Axes::Icrf if of_earth => Some("ICRF"),
        Axes::Earth(EarthAxes::Fixed) | Axes::Body(BodyAxes::Fixed) if of_earth => Some("TDR"),
        Axes::Earth(EarthAxes::J2000Ecliptic) if of_earth => Some("MJ2000Ec"),
        _ => None,
    }
}

/// Whether a spacecraft other than this one decides a coordinate system, or any stands at its origin.
pub fn needs_others(system: &CoordinateSystem, spacecraft: usize) -> bool {
    let objects = match system.axes {
        Axes::ObjectReferenced { primary, secondary, .. } => [primary, secondary],
        _ => [system.origin; 2],
    };
    let other = |object: &Object| object.body().is_none() && *object != Object::Spacecraft(spacecraft);
    system.origin.body().is_none() || objects.iter().any(other)
}

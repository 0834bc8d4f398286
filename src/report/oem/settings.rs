//! What a script says of an ephemeris file; what is refused of it is told where scripts are compiled.
//!
//! Test: `val_files_of_gmat`.

use super::wanted::Wanted;
use crate::astro::constants::{A1_MINUS_TAI, DAY, TT_MINUS_TAI};
use crate::astro::epoch::{Epoch, Scale};

/// Which states a file has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Steps {
    /// Those of the integrator.
    Integrator,
    /// One each so many seconds.
    Every(f64),
}

/// What a script says of an ephemeris file.
#[derive(Clone, Debug, PartialEq)]
pub struct OemSettings {
    /// `OBJECT_NAME`: the name of the spacecraft.
    pub object_name: String,
    /// `OBJECT_ID`: its `Id`.
    pub object_id: String,
    /// `CENTER_NAME`: the origin of the coordinate system, [`center_name`].
    pub center_name: String,
    /// `REF_FRAME`: the axes of the coordinate system,
    /// [`reference_frame`](crate::mission::ephemeris::reference_frame).
    pub reference_frame: String,
    /// `StepSize`.
    pub steps: Steps,
    /// `Interpolator`, which is Lagrange's where the step is fixed.
    pub interpolator: String,
    /// `InterpolationOrder`, 1 to 10.
    pub interpolation_order: usize,
    /// The scale of `EpochFormat`, in which the window is written.
    pub scale: Scale,
    /// `InitialEpoch`; none is the first state.
    pub first: Option<Epoch>,
    /// `FinalEpoch`; none is the last state.
    pub last: Option<Epoch>,
    /// `WriteEphemeris`: whether the file is on from the beginning.
    pub on: bool,
}

impl OemSettings {
    /// GMAT's defaults for a spacecraft: all steps in `EarthMJ2000Eq`, order 7.
    pub fn of(object_name: &str, object_id: &str) -> Self {
        OemSettings {
            object_name: object_name.to_owned(),
            object_id: object_id.to_owned(),
            center_name: "Earth".to_owned(),
            reference_frame: "EME2000".to_owned(),
            steps: Steps::Integrator,
            interpolator: "Lagrange".to_owned(),
            interpolation_order: 7,
            scale: Scale::Utc,
            first: None,
            last: None,
            on: true,
        }
    }

    pub(super) fn wanted(&self) -> Wanted {
        let days = |epoch: Option<Epoch>| epoch.map(|epoch| a1_days(epoch, self.scale));
        Wanted {
            step: if let Steps::Every(step) = self.steps { Some(step) } else { None },
            order: self.interpolation_order,
            first: days(self.first),
            last: days(self.last),
        }
    }
}

/// Why a file cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OemError {
    /// The window opens before the flight.
    #[error("InitialEpoch lies before the spacecraft's epoch")]
    BeforeSpacecraft,
    /// An epoch of the flight that is none.
    #[error("the flight leaves the epochs that can be written")]
    Epoch,
    /// A segment at a fixed step had one state only.
    #[error("a segment of the ephemeris file has too few states for any interpolation")]
    TooFewStates,
}

/// The name that GMAT's files have for an origin.
pub fn center_name(origin: &str) -> &str {
    if origin == "Luna" { "Moon" } else { origin }
}

/// A1 days by GMAT's chain of doubles from the scale in which an epoch is written.
///
/// A grid that starts there bears the chain's rounding of 3e-7 s.
fn a1_days(epoch: Epoch, scale: Scale) -> f64 {
    let written = epoch.mjd(scale);
    let tai = match scale {
        Scale::A1 => return written,
        Scale::Tai => written,
        Scale::Tt => written - TT_MINUS_TAI / DAY,
        Scale::Utc => written + epoch.tai_minus_utc() / DAY,
        Scale::Tdb => return epoch.mjd(Scale::A1),
    };
    tai + A1_MINUS_TAI / DAY
}

//! What a mission knows of the solar system: where the bodies are, how the Earth turns.
//!
//! Made once a process and shared; everything here is a pure function of the instant.

use std::sync::{Arc, OnceLock};

use super::elements::Cartesian;
use super::ephemeris::{Body, Ephemeris};
use super::epoch::Epoch;
use super::frames::{EarthAxes, EarthOrientation, IcrfTable};
use super::representations::Centre;

/// The ephemeris and the orientation of the Earth.
pub struct World {
    /// Where the bodies are.
    pub ephemeris: Ephemeris,
    /// How the Earth turns.
    pub earth: EarthOrientation,
    /// From `MJ2000Eq` to ICRF.
    pub icrf: IcrfTable,
    /// What of it is not GMAT's default, for the hash of the plan.
    pub data: String,
}

impl World {
    /// GMAT's default: DE405 and the Earth orientation that come with the program; made once.
    pub fn gmat() -> Arc<World> {
        static GMAT: OnceLock<Arc<World>> = OnceLock::new();
        GMAT.get_or_init(|| Arc::new(World::built_in())).clone()
    }

    /// The same, to put other data into.
    ///
    /// # Panics
    /// If the data in the program are damaged, which a test excludes.
    #[allow(clippy::expect_used)]
    pub fn built_in() -> World {
        World {
            ephemeris: Ephemeris::de405().expect("the ephemeris in the program is whole"),
            earth: EarthOrientation::default(),
            icrf: IcrfTable::default(),
            data: String::new(),
        }
    }

    /// State (km, km/s) of a body seen from another in `MJ2000Eq` axes; NaN outside of the ephemeris.
    pub fn state(&self, body: Body, center: Body, epoch: Epoch) -> Cartesian {
        if body == center {
            return Cartesian::default();
        }
        let nowhere = Cartesian { r: [f64::NAN; 3], v: [f64::NAN; 3] };
        self.ephemeris.state(body, center, epoch).unwrap_or(nowhere)
    }

    /// A state relative to one body as a state relative to another, both in `MJ2000Eq` axes.
    pub fn moved(&self, state: Cartesian, from: Body, to: Body, epoch: Epoch) -> Cartesian {
        if from == to {
            return state;
        }
        let origin = self.state(from, to, epoch);
        Cartesian {
            r: std::array::from_fn(|i| state.r[i] + origin.r[i]),
            v: std::array::from_fn(|i| state.v[i] + origin.v[i]),
        }
    }

    /// Angle of the prime meridian of the Earth from the true equinox of date, rad; NaN for other bodies.
    pub fn hour_angle(&self, body: Body, epoch: Epoch) -> f64 {
        if body != Body::Earth {
            return f64::NAN;
        }
        let ut1 =
            epoch.mjd(super::epoch::Scale::Tai) + self.earth.table().at(epoch).ut1_minus_tai / super::constants::DAY;
        super::parameters::earth_hour_angle(ut1)
    }

    /// From `MJ2000Eq` to the axes fixed to a body; none for the bodies whose axes are not known here.
    pub fn fixed(&self, body: Body, epoch: Epoch) -> Option<super::frames::Rotation> {
        match body {
            Body::Earth => Some(self.earth.axes(EarthAxes::Fixed, epoch)),
            // GMAT's are those of the librations of the ephemeris, which are not in the program
            Body::Luna => None,
            body => super::frames::BodyAxes::Fixed.rotation(body, epoch),
        }
    }
}

/// What the formulas of elements and parameters know of a body.
pub fn centre_of(body: Body) -> Centre {
    Centre { mu: body.mu(), radius: body.equatorial_radius(), flattening: body.flattening() }
}

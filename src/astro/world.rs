//! What a mission knows of the solar system: where the bodies are, how the Earth turns.
//!
//! Made once a process and shared; everything here is a pure function of the instant.

use std::sync::{Arc, OnceLock};

use super::elements::Cartesian;
use super::ephemeris::{Body, Ephemeris, EphemerisError};
use super::epoch::Epoch;
use super::frames::{BodyAxes, BodyOrientationCache, EarthAxes, EarthOrientation, IcrfTable, Rotation};
use crate::base::lanes::{Lanes, Vectors, WIDTH};

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
        World::shared().clone()
    }

    fn shared() -> &'static Arc<World> {
        static GMAT: OnceLock<Arc<World>> = OnceLock::new();
        GMAT.get_or_init(|| Arc::new(World::built_in()))
    }

    /// The ephemeris that says how the Moon turns: that of the program where a kernel does not, as in GMAT.
    fn librating(&self) -> &Ephemeris {
        if self.ephemeris.has_librations() { &self.ephemeris } else { &World::shared().ephemeris }
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

    /// GMAT's hour angle (rad): mean sidereal time of the Earth, and of other bodies the angle of their prime meridian from
    /// the node of their equator, for Luna as well by the formula of the IAU and not by her librations.
    /// Test: `val_luna_of_gmat`.
    pub fn hour_angle(&self, body: Body, epoch: Epoch) -> f64 {
        if body != Body::Earth {
            return super::frames::prime_meridian(body, epoch);
        }
        let ut1 =
            epoch.mjd(super::epoch::Scale::Tai) + self.earth.table().at(epoch).ut1_minus_tai / super::constants::DAY;
        super::parameters::earth_hour_angle(ut1)
    }

    /// From `MJ2000Eq` to the axes fixed to a body: R3(psi) R1(theta) R3(phi) with the librations of the ephemeris for Luna,
    /// the formula of the IAU for planets. None for Luna outside of the ephemeris.
    /// Test: `val_luna_of_gmat`.
    pub fn fixed(&self, body: Body, epoch: Epoch) -> Option<Rotation> {
        match body {
            Body::Earth => Some(self.earth.axes(EarthAxes::Fixed, epoch)),
            Body::Luna => self.librating().librations(epoch).ok().map(|librations| librations.fixed()),
            body => BodyAxes::Fixed.rotation(body, epoch),
        }
    }

    /// From `MJ2000Eq` to the equator of date of a body and its node, as [`World::fixed`]. Test: `val_luna_of_gmat`.
    pub fn equator(&self, body: Body, epoch: Epoch) -> Option<Rotation> {
        match body {
            Body::Earth => Some(self.earth.axes(EarthAxes::TrueEquator, epoch)),
            Body::Luna => self.librating().librations(epoch).ok().map(|librations| librations.equator()),
            body => BodyAxes::Equator.rotation(body, epoch),
        }
    }

    /// The matrix from `MJ2000Eq` to the axes fixed to a body for each lane in use, without its rate: `out[i][j]` is row i,
    /// column j; and the body's angular velocity in `MJ2000Eq` (rad/s), whose size is then
    /// [`BodyOrientationCache::spin_rate`]. In GMAT the axes of a gravity field are the same.
    ///
    /// The same rotation as that of [`World::fixed`], of the Earth to 1e-13, of the others to 3e-15.
    /// Domain: for Luna the span of the ephemeris; lanes outside get NaN and are named by the error. Lanes from the width on
    /// are left alone. Tests: `prop_lanes_are_the_rotation_of_each_body`, `prop_spin_is_the_turn_of_the_axes`.
    #[allow(clippy::too_many_arguments)]
    pub fn fixed_from_inertial(
        &self,
        vectors: Vectors,
        body: Body,
        epochs: &[Epoch; WIDTH],
        cache: &mut BodyOrientationCache,
        out: &mut [[Lanes; 3]; 3],
        spin: &mut [Lanes; 3],
    ) -> Result<(), EphemerisError> {
        match body {
            Body::Earth => {
                self.earth.fixed_from_inertial(vectors, epochs, &mut cache.earth, out, spin);
                cache.spin_rate = *cache.earth.spin_rate();
                Ok(())
            }
            Body::Luna => super::frames::moon(vectors, self.librating(), epochs, cache, out, spin),
            body => {
                super::frames::planet(vectors, body, epochs, cache, out, spin);
                Ok(())
            }
        }
    }
}

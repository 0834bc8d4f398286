//! The axes of the Sun, the Moon and the planets, as GMAT has them.
//!
//! A pole (alpha, delta) and a prime meridian W give
//!
//! fixed = R3(W) R1(90 deg - delta) R3(90 deg + alpha), equator = the same without W
//!
//! and only W turns in the rate. The Moon's own axes are, by GMAT's default, those of the ephemeris's
//! [`Librations`]; the formula here is that of the IAU of 2002, some 100 arc seconds away. GMAT's Earth is in earth.rs, save for
//! its inertial axes, which are those of J2000. The inertial axes of the others are their equators at J2000; those of
//! the Moon are numbers given once for all. Domain: a few centuries about J2000; argument TDB.
//!
//! # References
//! Seidelmann et al., *Celest. Mech. Dyn. Astron.* 82 (2002); GMAT's `GmatDefaults`, `Planet` and `Moon` for the values.
//! Test: `val_bodies_of_gmat` in tests.rs, but for the Moon's formula, which is compared with the librations there.

use super::rotation::{Rotation, about_x, about_x_rate, about_z, about_z_rate, product};
use super::{CENTURY, J2000};
use crate::astro::constants::DAY;
use crate::astro::ephemeris::Body;
use crate::astro::epoch::{Epoch, Scale};

/// Axes of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyAxes {
    /// `BodyFixed`: equator and prime meridian of date.
    Fixed,
    /// `Equator`: equator of date and its node on the equator of J2000.
    Equator,
    /// `BodyInertial`: the equator and its node at J2000.
    Inertial,
}

/// The Moon's Euler angles about z, x and z (rad), from an ephemeris, and their rates (rad/s).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Librations {
    /// phi, theta, psi.
    pub angles: [f64; 3],
    /// Their rates.
    pub rates: [f64; 3],
}

/// Pole and prime meridian: degrees, and degrees a day for the meridian's rate.
#[derive(Clone, Copy, Debug)]
struct Elements {
    right_ascension: f64,
    declination: f64,
    meridian: f64,
    meridian_rate: f64,
}

impl BodyAxes {
    /// From `MJ2000Eq` to these axes of a body; `None` for those of the Earth that turn, which need
    /// [`super::EarthOrientation`]. The Moon's are those of the formula, not GMAT's default: see
    /// [`crate::astro::world::World::fixed`].
    pub fn rotation(self, body: Body, epoch: Epoch) -> Option<Rotation> {
        match (self, body) {
            (BodyAxes::Inertial, Body::Earth) => Some(Rotation::IDENTITY),
            (_, Body::Earth) => None,
            (BodyAxes::Inertial, Body::Luna) => Some(Rotation::fixed(MOON_INERTIAL)),
            (BodyAxes::Inertial, _) => Some(elements(body, 0.0).equator()),
            (BodyAxes::Equator, _) => Some(elements(body, days(epoch)).equator()),
            (BodyAxes::Fixed, _) => Some(elements(body, days(epoch)).fixed()),
        }
    }
}

/// The angle of the prime meridian of a body by the formula, rad in [0, 2 pi], the Moon's as well: GMAT's `MHA` of bodies
/// other than the Earth. Test: `val_luna_of_gmat`.
pub fn prime_meridian(body: Body, epoch: Epoch) -> f64 {
    let degrees = libm::fmod(elements(body, days(epoch)).meridian, 360.0);
    (if degrees < 0.0 { degrees + 360.0 } else { degrees }).to_radians()
}

/// The Euler angles about z, x and z (rad) of the axes fixed to a body by the formula, and the rate of the last (rad/s):
/// those of which [`BodyAxes::rotation`] is made.
pub(super) fn euler_angles(body: Body, epoch: Epoch) -> ([f64; 3], f64) {
    let elements = elements(body, days(epoch));
    let node = (90.0 + elements.right_ascension).to_radians();
    let tilt = (90.0 - elements.declination).to_radians();
    ([node, tilt, elements.meridian.to_radians()], elements.meridian_rate.to_radians() / DAY)
}

/// Days of TDB from J2000, over the Julian date as GMAT computes them, which rounds to 40 us (3e-9 rad on Mars).
fn days(epoch: Epoch) -> f64 {
    (epoch.mjd(Scale::Tdb) + JD_OF_MJD) - (J2000 + JD_OF_MJD)
}

impl Elements {
    fn equator(&self) -> Rotation {
        let node = about_z((90.0 + self.right_ascension).to_radians());
        Rotation::fixed(product(&about_x((90.0 - self.declination).to_radians()), &node))
    }

    fn fixed(&self) -> Rotation {
        let (angle, rate) = (self.meridian.to_radians(), self.meridian_rate.to_radians() / DAY);
        let turn = Rotation { matrix: about_z(angle), rate: about_z_rate(angle, rate) };
        self.equator().then(&turn)
    }
}

impl Librations {
    /// From `MJ2000Eq` to the axes fixed to the Moon: R3(psi) R1(theta) R3(phi).
    pub fn fixed(&self) -> Rotation {
        let [_, _, psi] = self.angles;
        self.equator().then(&Rotation { matrix: about_z(psi), rate: about_z_rate(psi, self.rates[2]) })
    }

    /// From `MJ2000Eq` to the Moon's equator and its node: R1(theta) R3(phi).
    pub fn equator(&self) -> Rotation {
        let [phi, theta, _] = self.angles;
        let node = Rotation { matrix: about_z(phi), rate: about_z_rate(phi, self.rates[0]) };
        node.then(&Rotation { matrix: about_x(theta), rate: about_x_rate(theta, self.rates[1]) })
    }
}

/// The Julian date where GMAT's modified Julian date begins.
const JD_OF_MJD: f64 = 2_430_000.0;

/// The Moon's inertial axes.
const MOON_INERTIAL: [[f64; 3]; 3] = [
    [0.998_496_505_205_088, -0.054_815_409_268_067_8, 0.0],
    [0.049_935_729_398_532_7, 0.909_610_125_238_044, 0.412_451_018_902_689],
    [-0.022_608_671_404_182_5, -0.411_830_900_942_613, 0.910_979_778_593_43],
];

/// Elements `d` days of TDB after J2000.
fn elements(body: Body, d: f64) -> Elements {
    // right ascension, its change a century, declination, its change, prime meridian, its change a day
    let [ra, ra_rate, dec, dec_rate, w, w_rate] = match body {
        Body::Sun => [286.13, 0.0, 63.87, 0.0, 84.10, 14.1844],
        Body::Mercury => [281.01, -0.033, 61.45, -0.005, 329.548, 6.138_502_5],
        Body::Venus => [272.76, 0.0, 67.16, 0.0, 160.20, -1.481_368_8],
        Body::Earth => [0.0, -0.641, 90.0, -0.557, 190.147, 360.985_623_5],
        Body::Mars => [317.681_43, -0.1061, 52.8865, -0.0609, 176.63, 350.891_982_26],
        Body::Jupiter => [268.05, -0.009, 64.49, 0.003, 284.95, 870.536_642],
        Body::Saturn => [40.589, -0.036, 83.537, -0.004, 38.90, 810.793_902_4],
        Body::Uranus => [257.311, 0.0, -15.175, 0.0, 203.81, -501.160_092_8],
        Body::Pluto => [313.02, 0.0, 9.09, 0.0, 236.77, -56.362_319_5],
        Body::Luna => return moon(d),
        Body::Neptune => return neptune(d),
    };
    let centuries = d / CENTURY;
    Elements {
        right_ascension: ra + ra_rate * centuries,
        declination: dec + dec_rate * centuries,
        meridian: w + w_rate * d,
        meridian_rate: w_rate,
    }
}

fn neptune(d: f64) -> Elements {
    let n = (357.85 + 52.316 * d / CENTURY).to_radians();
    let (sin, cos) = libm::sincos(n);
    Elements {
        right_ascension: 299.36 + 0.70 * sin,
        declination: 43.46 - 0.51 * cos,
        meridian: 253.18 + 536.312_849_2 * d - 0.48 * sin,
        meridian_rate: 536.312_849_2 - 0.48 * 0.001_432_3 * cos,
    }
}

/// An argument of the Moon's elements and what it does to them: degrees, degrees a day; degrees of sine in right
/// ascension and meridian, of cosine in declination, and degrees a day of cosine in the meridian's rate.
type MoonTerm = [f64; 6];

/// E1 to E13.
const MOON_TERMS: [MoonTerm; 13] = [
    [125.045, -0.052_992_1, -3.8787, 1.5419, 3.5610, -0.188_70],
    [250.089, -0.105_984_2, -0.1204, 0.0239, 0.1208, -0.012_80],
    [260.008, 13.012_000_9, 0.0700, -0.0278, -0.0642, -0.835],
    [176.625, 13.340_715_4, -0.0172, 0.0068, 0.0158, 0.211],
    [357.529, 0.985_600_3, 0.0, 0.0, 0.0252, 0.0248],
    [311.589, 26.405_708_4, 0.0072, -0.0029, -0.0066, -0.17],
    [134.963, 13.064_993_0, 0.0, 0.0009, -0.0047, -0.061],
    [276.617, 0.328_714_6, 0.0, 0.0, -0.0046, -0.0015],
    [34.226, 1.748_487_7, 0.0, 0.0, 0.0028, 0.0049],
    [15.134, -0.158_976_3, -0.0052, 0.0008, 0.0052, -0.000_83],
    [119.743, 0.003_609_6, 0.0, 0.0, 0.0040, 0.000_01],
    [239.961, 0.164_357_3, 0.0, 0.0, 0.0019, 0.000_31],
    [25.053, 12.959_008_8, 0.0043, -0.0009, -0.0044, -0.057],
];

fn moon(d: f64) -> Elements {
    let centuries = d / CENTURY;
    let mut moon = Elements {
        right_ascension: 269.9949 + 0.0031 * centuries,
        declination: 66.5392 + 0.0130 * centuries,
        meridian: 38.3213 + 13.176_358_15 * d - 1.4e-12 * d * d,
        meridian_rate: 13.176_358_15 - 2.8e-12 * d,
    };
    for [start, rate, right_ascension, declination, meridian, meridian_rate] in MOON_TERMS {
        let (sin, cos) = libm::sincos((start + rate * d).to_radians());
        moon.right_ascension += right_ascension * sin;
        moon.declination += declination * cos;
        moon.meridian += meridian * sin;
        moon.meridian_rate += meridian_rate * cos;
    }
    moon
}

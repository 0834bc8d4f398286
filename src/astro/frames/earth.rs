//! The axes of the Earth by GMAT's FK5 reduction.
//!
//! From J2000 over precession P, nutation N, the Earth's turn S and the pole's motion W to the axes fixed to the crust:
//!
//! r = W S N P r0, v = W S N P v0 + W dS/dt N P r0
//!
//! with S = R3(GMST + equation of the equinoxes) and dS/dt from the rate 7.29211514670698e-5 rad/s (1 - LOD / 86400 s);
//! precession, nutation and pole count as standing still in the velocity. Only `Fixed` has a rate. Axes of an
//! epoch (`MOEEq`, `TOEEq`, ...) are those of date, asked for at that epoch. TT stands for TDB, as in GMAT.
//! Domain: any epoch; the models are meant for a few centuries about J2000.
//!
//! # References
//! Vallado, 2nd ed., section 3.7 and eq. 3-45; GMAT's `AxisSystem` and `BodyFixedAxes`.
//! Tests: `val_axes_of_gmat`, `val_parameters_of_gmat`, `val_rotation_of_orekit` in tests.rs.

use std::f64::consts::TAU;

use super::eop::{EarthParameters, EarthTable, utc_day};
use super::nutation::NutationSeries;
use super::precession::{mean_obliquity, precession};
use super::rotation::{Matrix, Rotation, about_x, about_y, about_z, about_z_rate, product};
use super::{CENTURY, J2000};
use crate::astro::constants::DAY;
use crate::astro::epoch::{Epoch, Scale};

/// Rate of the Earth's turn with a day of 86400 s, rad/s.
pub(super) const TURN_RATE: f64 = 7.292_115_146_706_98e-5;

/// JD 2450449.5 TT, as GMAT's modified Julian date: since then the equation of the equinoxes has two terms of the node.
const MJD_OF_1997: f64 = 20_449.5;

/// What the stars gain on the Sun, turns a day of UT1.
pub(super) const SIDEREAL_GAIN: f64 = 8_640_184.812_866 / (DAY * CENTURY);

/// J2000 counted from JD 2400000.5.
const J2000_FROM_1858: f64 = 51_544.5;

/// Axes that are centred on or named after the Earth, with GMAT's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarthAxes {
    /// `MJ2000Eq`: mean equator and equinox of J2000.
    J2000,
    /// `MJ2000Ec`: mean ecliptic and equinox of J2000.
    J2000Ecliptic,
    /// `BodyFixed`: fixed to the Earth's crust.
    Fixed,
    /// `MODEq`, `MOEEq`: mean equator and equinox of date.
    MeanEquator,
    /// `MODEc`, `MOEEc`: mean ecliptic and equinox of date.
    MeanEcliptic,
    /// `TODEq`, `TOEEq`, `Equator`: true equator and equinox of date.
    TrueEquator,
    /// `TODEc`, `TOEEc`: mean ecliptic and true equinox of date.
    TrueEcliptic,
    /// `TEME`: true equator and mean equinox of date.
    TrueEquatorMeanEquinox,
}

/// All axes with GMAT's names for those of date.
pub const EARTH_AXES: &[(EarthAxes, &str)] = &[
    (EarthAxes::J2000, "MJ2000Eq"),
    (EarthAxes::J2000Ecliptic, "MJ2000Ec"),
    (EarthAxes::Fixed, "BodyFixed"),
    (EarthAxes::MeanEquator, "MODEq"),
    (EarthAxes::MeanEcliptic, "MODEc"),
    (EarthAxes::TrueEquator, "TODEq"),
    (EarthAxes::TrueEcliptic, "TODEc"),
    (EarthAxes::TrueEquatorMeanEquinox, "TEME"),
];

/// The models and the table by which the Earth turns.
#[derive(Clone, Debug)]
pub struct EarthOrientation {
    pub(super) table: EarthTable,
    pub(super) series: NutationSeries,
    pub(super) fingerprint: u64,
    pub(super) start_of_1997: Epoch,
    j2000: Epoch,
}

impl Default for EarthOrientation {
    /// With the table that comes with the program.
    fn default() -> Self {
        Self::new(EarthTable::embedded())
    }
}

impl EarthOrientation {
    /// With a table of Earth orientation parameters.
    pub fn new(table: EarthTable) -> Self {
        #[allow(clippy::expect_used)]
        let instant = |mjd| Epoch::from_mjd(Scale::Tt, mjd).expect("lies between 1972 and 2200");
        EarthOrientation {
            fingerprint: table.fingerprint(),
            table,
            series: NutationSeries::default(),
            start_of_1997: instant(MJD_OF_1997),
            j2000: instant(J2000),
        }
    }

    /// The Earth orientation parameters in use.
    pub fn table(&self) -> &EarthTable {
        &self.table
    }

    /// From `MJ2000Eq` to the axes fixed to the Earth.
    pub fn rotation(&self, epoch: Epoch) -> Rotation {
        let day = self.table.day(utc_day(epoch));
        let parameters = day.at(epoch);
        let t = self.centuries(epoch);
        let nutation = self.series.at(t);
        let true_of_date = product(&nutation.matrix(), &precession(t));
        let ut1 = epoch.since(day.start) + parameters.ut1_minus_tai + day.start.tai_minus_utc();
        let angle =
            sidereal_turns(day.number, ut1) * TAU + nutation.equation_of_equinoxes(self.counts_node_terms(epoch));
        let rate = TURN_RATE * (1.0 - parameters.lod / DAY);
        let pole = pole(&parameters);
        Rotation {
            matrix: product(&pole, &product(&about_z(angle), &true_of_date)),
            rate: product(&pole, &product(&about_z_rate(angle, rate), &true_of_date)),
        }
    }

    /// From `MJ2000Eq` to axes of the Earth.
    pub fn axes(&self, axes: EarthAxes, epoch: Epoch) -> Rotation {
        let t = self.centuries(epoch);
        Rotation::fixed(match axes {
            EarthAxes::J2000 => return Rotation::IDENTITY,
            EarthAxes::Fixed => return self.rotation(epoch),
            EarthAxes::J2000Ecliptic => return j2000_ecliptic(),
            EarthAxes::MeanEquator => precession(t),
            EarthAxes::MeanEcliptic => product(&about_x(mean_obliquity(t)), &precession(t)),
            EarthAxes::TrueEquator => self.true_of_date(t),
            EarthAxes::TrueEcliptic => {
                let nutation = self.series.at(t);
                let mean_ecliptic = product(&about_x(nutation.mean_obliquity), &precession(t));
                product(&about_z(-nutation.longitude), &mean_ecliptic)
            }
            EarthAxes::TrueEquatorMeanEquinox => {
                let nutation = self.series.at(t);
                let true_of_date = product(&nutation.matrix(), &precession(t));
                product(&about_z(nutation.equation_of_equinoxes(false)), &true_of_date)
            }
        })
    }

    /// N P at `t` Julian centuries from J2000.
    pub(super) fn true_of_date(&self, t: f64) -> Matrix {
        product(&self.series.at(t).matrix(), &precession(t))
    }

    /// Julian centuries of TT from J2000.
    pub(super) fn centuries(&self, epoch: Epoch) -> f64 {
        epoch.since(self.j2000) / (DAY * CENTURY)
    }

    /// Whether the terms of the node count in the equation of the equinoxes: since 1997-01-01, 0 h TT.
    pub(super) fn counts_node_terms(&self, epoch: Epoch) -> bool {
        epoch.since(self.start_of_1997) >= 0.0
    }
}

/// Greenwich mean sidereal time in turns, not reduced, at `ut1` seconds of UT1 after 0 h of a UTC day.
///
/// GMST = 67310.54841 s + UT1 + (8640184.812866 + (0.093104 - 6.2e-6 T) T) T, T in centuries of UT1
pub(super) fn sidereal_turns(number: i32, ut1: f64) -> f64 {
    sidereal_line(number, ut1) + sidereal_curve(number, ut1)
}

/// The part of sidereal time that is linear in UT1, turns.
pub(super) fn sidereal_line(number: i32, ut1: f64) -> f64 {
    let days = f64::from(number) - J2000_FROM_1858;
    let gained = SIDEREAL_GAIN * days;
    let fraction = (gained - gained.round()) + SIDEREAL_GAIN.mul_add(days, -gained);
    // a day begins at midnight, J2000 is noon
    (67_310.548_41 / DAY + 0.5) + fraction + ut1 * (1.0 + SIDEREAL_GAIN) / DAY
}

/// The part of sidereal time that is not, turns.
pub(super) fn sidereal_curve(number: i32, ut1: f64) -> f64 {
    let t = (f64::from(number) - J2000_FROM_1858 + ut1 / DAY) / CENTURY;
    t * t * (0.093_104 - 6.2e-6 * t) / DAY
}

/// The pole's motion: W = R2(-x) R1(-y).
fn pole(parameters: &EarthParameters) -> Matrix {
    product(&about_y(-parameters.x), &about_x(-parameters.y))
}

/// From the equator to the ecliptic of J2000, with the obliquity 84381.448".
fn j2000_ecliptic() -> Rotation {
    let (sin, cos) = (0.397_777_155_914_121_4, 0.917_482_062_076_895_8);
    Rotation::fixed([[1.0, 0.0, 0.0], [0.0, cos, sin], [0.0, -sin, cos]])
}

//! The empirical atmosphere MSISE90, as GMAT calls it.
//!
//! Theory: temperature at the top, at 120 km and at nodes below from harmonics (`harmonics`), a profile through
//! them (`profile`), each gas in diffusive equilibrium above the turbopause, mixed below, and joined by a
//! root of powers; corrections for chemistry and for the mixing ratio at the ground (`thermosphere`); mixed air
//! below 72.5 km (`lower`). NRLMSISE-00 is a later edition of the same formulas and shares these files.
//!
//! As GMAT has it: the day of the year and the second are those of UTC (the year begins a day late or early
//! in some years, see `calendar`); the local time is UTC / 1 h + longitude / 15 deg; height, latitude and
//! longitude are geodetic. The daily ap counts where all seven are the same (constants), else the 3-hourly ones:
//! GMAT throws that switch for good at the first seven that differ, see [`Msise90::always_three_hourly`].
//! GMAT computes in single precision, hence its densities carry noise of 1e-6; these here do not.
//!
//! Domain: from the ground up (NaN below; GMAT goes on with what the formulas give).
//!
//! # References
//! Hedin, *J. Geophys. Res.* 96 (1991) 1159-1172. Tests: `val_msise90_of_gmat`, `prop_falls_with_height`.

use std::sync::OnceLock;

use super::space_weather::{Activity, Weather};
use super::{Atmosphere, Place};

pub(super) mod coefficients;
pub(super) mod harmonics;
pub(super) mod lower;
pub(super) mod profile;
pub(super) mod thermosphere;

use coefficients::{Coefficients, Constants, LowerTerms, Precision};
use harmonics::{Harmonics, Question};
use thermosphere::{BOTTOM, Gas, Ground, thermosphere};

/// The constants, in single precision as the model's source has them.
const CONSTANTS: Constants = Constants {
    degree: 1.745_33e-2_f32 as f64,
    day: 1.721_42e-2_f32 as f64,
    hour: 0.2618_f32 as f64,
    second: 7.2722e-5_f32 as f64,
    gas: 831.4_f32 as f64,
    lower: LowerTerms { zonal: [27, 28], annual: 35, semidiurnal: [46, 48], fade: 53 },
    last_gas: [2, 7],
};

/// He, O, O2, Ar, H, N.
const GASES: [Gas; 6] = [
    gas(0, 0, 4.0, -0.4, 200.0, Ground::Ratio([26, 25], None), None),
    gas(1, 1, 16.0, 0.0, 400.0, Ground::Ratio([28, 27], Some(41)), Some([39, 38, 37])),
    gas(4, 3, 32.0, 0.0, 200.0, Ground::Ratio([32, 31], None), None),
    gas(5, 4, 40.0, 0.0, 240.0, Ground::Ratio([34, 33], None), None),
    gas(6, 5, 1.0, -0.4, 320.0, Ground::Ratio([36, 35], Some(42)), Some([45, 44, 43])),
    gas(7, 6, 14.0, 0.0, 450.0, Ground::Ratio([1, 0], Some(2)), Some([5, 4, 3])),
];

/// A gas without a correction at all heights.
pub(super) const fn gas(
    pd: usize,
    pdm: usize,
    mass: f64,
    alpha: f64,
    mixed_below: f64,
    ground: Ground,
    chemistry: Option<[usize; 3]>,
) -> Gas {
    Gas { pd, pdm, mass, alpha, mixed_below, ground, chemistry, departure: None }
}

/// Reads the tables once.
fn msise90() -> &'static Coefficients {
    static TABLES: OnceLock<Coefficients> = OnceLock::new();
    let text = include_str!("../../../../data/atmosphere/msise90.txt");
    TABLES.get_or_init(|| Coefficients::read(text, CONSTANTS, &GASES, Precision::Single))
}

/// MSISE90.
#[derive(Clone, Debug)]
pub struct Msise90 {
    weather: Weather,
    always_three_hourly: bool,
}

impl Msise90 {
    /// The atmosphere under an activity of the Sun.
    pub fn new(weather: Weather) -> Self {
        Msise90 { weather, always_three_hourly: false }
    }

    /// The same with the 3-hourly formula even where all seven ap are the same.
    ///
    /// In GMAT the switch is a static variable that is never thrown back: a mission that has seen one observed day of
    /// a file flies on by this formula in the predicted days, where it is worth some per cent.
    #[must_use]
    pub fn always_three_hourly(self) -> Self {
        Msise90 { always_three_hourly: true, ..self }
    }
}

impl Atmosphere for Msise90 {
    fn density(&self, place: &Place) -> f64 {
        if place.height.is_nan() || place.height < self.lowest_height() {
            return f64::NAN;
        }
        let utc = place.utc();
        let activity = self.weather.for_msise90(utc);
        let three_hourly = self.always_three_hourly || activity.ap_differ();
        let c = msise90();
        let harmonics = Harmonics::new(question(place, utc, &activity, three_hourly), c);
        let grams =
            if place.height >= BOTTOM { thermosphere(c, &harmonics).total } else { lower::density(c, harmonics) };
        // g/cm^3 in kg/m^3
        1000.0 * grams
    }

    fn lowest_height(&self) -> f64 {
        0.0
    }

    fn describe(&self) -> String {
        format!("{self:?}")
    }
}

/// What a place and its activity ask of the model.
pub(super) fn question(place: &Place, utc: f64, activity: &Activity, three_hourly: bool) -> Question {
    let (day, seconds) = calendar(utc);
    let longitude = place.longitude().to_degrees();
    Question {
        day,
        seconds,
        height: place.height,
        latitude: place.latitude().to_degrees(),
        longitude,
        hours: seconds / 3600.0 + longitude / 15.0,
        f107: activity.f107,
        f107a: activity.f107a,
        ap: activity.ap,
        three_hourly,
    }
}

/// The day of the year and the second of the day of a UTC date (days), by GMAT's arithmetic.
///
/// Years are (mjd + 5.5) / 365.25 since 1941 without a remainder.
fn calendar(utc: f64) -> (f64, f64) {
    let whole = utc.trunc();
    let years = ((utc + 5.5) / 365.25).trunc();
    let mut day = whole - (years * 365.25).trunc() + 5.0;
    // days of the modified date begin at noon
    let mut seconds = 86_400.0 * (utc - whole + 0.5);
    if seconds > 86_400.0 {
        seconds -= 86_400.0;
        day += 1.0;
    }
    (day, seconds)
}

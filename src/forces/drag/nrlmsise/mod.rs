//! The empirical atmosphere NRLMSISE-00.
//!
//! Theory: the formulas of MSISE90 (`msise`) with other coefficients, in double precision; and: a product term of the two
//! fluxes; oxygen comes to its amount at the ground by a fitted correction that goes with the mean flux; molecular
//! oxygen departs from diffusive equilibrium at all heights; and there is hot and ionised oxygen above 500 km
//! (`oxygen`), which the model calls anomalous. The density is the effective one for drag, with that oxygen (routine
//! GTD7D of the model's source).
//!
//! As GMAT's plugin has it: day, second, local time and place as for MSISE90, and the daily ap at all times, even
//! where a file knows the 3-hourly ones ([`Nrlmsise00::three_hourly`] takes those). The plugin computes in single
//! precision, and it leaves the anomalous oxygen out, as [`Nrlmsise00::without_anomalous_oxygen`] does: that is
//! 2e-4 of the density at 400 km, 1 % at 600 km and a fifth at 1000 km.
//!
//! Orekit takes UT1 for UTC and the apparent solar time for the mean one. The equation of time, up to 16 minutes, then
//! makes 0.01 to 3 % of the density; with the same times both agree to 1e-13.
//!
//! Domain: from the ground up (NaN below). Below 80 km flux and ap should be 150, 150 and 4. Flux and ap far beyond
//! any storm can leave no temperature near 110 km; the density there is NaN.
//!
//! # References
//! Picone, Hedin, Drob, Aikin, *J. Geophys. Res.* 107 (2002) 1468, doi 10.1029/2002JA009430.
//! Tests: `val_standard_cases`, `val_reference_densities`, `val_source_of_gmats_plugin`, `val_density_of_orekit`,
//! `prop_falls_with_height`.

use std::sync::OnceLock;

use super::msise::coefficients::{Coefficients, Constants, LowerTerms, Precision};
use super::msise::harmonics::{Harmonics, Question};
use super::msise::thermosphere::{BOTTOM, Gas, Ground, UNIT_MASS, thermosphere};
use super::msise::{gas, lower, question};
use super::space_weather::Weather;
use super::{Atmosphere, Place};

mod oxygen;

/// The constants of the model's source, in double precision.
const CONSTANTS: Constants = Constants {
    degree: 1.745_33e-2,
    day: 1.721_42e-2,
    hour: 0.2618,
    second: 7.2722e-5,
    gas: 831.4,
    lower: LowerTerms { zonal: [14, 59], annual: 20, semidiurnal: [35, 36], fade: 51 },
    // the anomalous oxygen comes last, but has no 3-hourly activity
    last_gas: [7, 7],
};

/// He, O, O2, Ar, H, N.
const GASES: [Gas; 6] = [
    gas(0, 0, 4.0, -0.38, 200.0, Ground::Ratio([26, 25], None), None),
    gas(1, 1, 16.0, 0.0, 300.0, Ground::Fitted([41, 28, 29, 27]), Some([39, 38, 37])),
    Gas { departure: Some([48, 47, 22, 46]), ..gas(4, 3, 32.0, 0.0, 250.0, Ground::Ratio([32, 31], None), None) },
    gas(5, 4, 40.0, 0.17, 240.0, Ground::Ratio([34, 33], None), None),
    gas(6, 5, 1.0, -0.38, 320.0, Ground::Ratio([36, 35], Some(42)), Some([45, 44, 43])),
    gas(7, 6, 14.0, 0.0, 450.0, Ground::Ratio([1, 0], Some(2)), Some([5, 4, 3])),
];

/// Reads the tables once.
fn nrlmsise00() -> &'static Coefficients {
    static TABLES: OnceLock<Coefficients> = OnceLock::new();
    let text = include_str!("../../../../data/atmosphere/nrlmsise00.txt");
    TABLES.get_or_init(|| Coefficients::read(text, CONSTANTS, &GASES, Precision::Double))
}

/// NRLMSISE-00; `NRLMSISE00` in a script.
#[derive(Clone, Debug)]
pub struct Nrlmsise00 {
    weather: Weather,
    three_hourly: bool,
    anomalous_oxygen: bool,
}

impl Nrlmsise00 {
    /// The atmosphere under an activity of the Sun: daily ap, with anomalous oxygen.
    pub fn new(weather: Weather) -> Self {
        Nrlmsise00 { weather, three_hourly: false, anomalous_oxygen: true }
    }

    /// The same by the 3-hourly ap of the last 57 h.
    #[must_use]
    pub fn three_hourly(self) -> Self {
        Nrlmsise00 { three_hourly: true, ..self }
    }

    /// The same without the anomalous oxygen (routine GTD7), as GMAT's plugin calls the model.
    #[must_use]
    pub fn without_anomalous_oxygen(self) -> Self {
        Nrlmsise00 { anomalous_oxygen: false, ..self }
    }
}

impl Atmosphere for Nrlmsise00 {
    fn density(&self, place: &Place) -> f64 {
        if place.height.is_nan() || place.height < self.lowest_height() {
            return f64::NAN;
        }
        let utc = place.utc();
        let activity = self.weather.for_msise90(utc);
        density(question(place, utc, &activity, self.three_hourly), self.anomalous_oxygen)
    }

    fn lowest_height(&self) -> f64 {
        0.0
    }

    fn describe(&self) -> String {
        format!("{self:?}")
    }
}

/// The mass density, kg/m^3.
fn density(question: Question, anomalous_oxygen: bool) -> f64 {
    let c = nrlmsise00();
    let height = question.height;
    let harmonics = Harmonics::new(question, c);
    let grams = if height < BOTTOM {
        lower::density(c, harmonics)
    } else {
        let hot = if anomalous_oxygen { UNIT_MASS * oxygen::MASS * oxygen::density(c, &harmonics) } else { 0.0 };
        thermosphere(c, &harmonics).total + hot
    };
    // g/cm^3 in kg/m^3
    1000.0 * grams
}

#[cfg(test)]
mod tests;

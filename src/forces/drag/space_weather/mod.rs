//! The Sun's radio flux and the geomagnetic index that feed a density model: constants or a file, by date.
//!
//! As GMAT has it, with d the day of the date and u = 20:00 UTC the hour of the measurement (17:00 before
//! 31 May 1991; it counts as 8 h and 5 h after midnight, see `F107_HOURS`):
//!
//! | model | observed days | predicted days |
//! |---|---|---|
//! | Jacchia-Roberts Kp | 3-hourly Kp 6.7 h before the date | the same |
//! | Jacchia-Roberts F10.7 | observed, the day before d' | the same |
//! | Jacchia-Roberts F10.7a | observed, centred, the day before d' | of d' |
//! | MSISE90 ap | daily of d and 3-hourly of the 57 h before the date | all from the day before d, over and over |
//! | MSISE90 F10.7 | observed, of the day before, on the line from one 20:00 to the next | observed, the day before d' |
//! | MSISE90 F10.7a | observed, centred, of d' | of d' |
//!
//! where d' is d from 8:00 UTC on and the day before until then. GMAT reads past the ends of its tables for
//! dates outside the file; here such dates have no activity ([`Activity::NONE`]) and the run fails.
//!
//! # References
//! Vallado and Finkleman, *Acta Astronautica* 95 (2014) 141. Tests: `val_space_weather_of_gmat`, `every_bad_file_is_refused`.

use std::sync::Arc;

mod file;

pub use file::{SpaceWeather, SpaceWeatherError};

/// F10.7 of the day (solar flux units), its 81-day mean and the geomagnetic index Kp or ap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Activity {
    /// Flux of the day before, 1e-22 W/m^2/Hz.
    pub f107: f64,
    /// Mean flux of 81 days.
    pub f107a: f64,
    /// Kp, 0 to 9.
    pub kp: f64,
    /// ap: of the day; of the three hours of the date, of 3, 6 and 9 h before; means of eight values
    /// from 12 h before on, and from 36 h before on.
    pub ap: [f64; 7],
}

impl Activity {
    /// Where nothing is known.
    pub const NONE: Activity = Activity { f107: f64::NAN, f107a: f64::NAN, kp: f64::NAN, ap: [f64::NAN; 7] };

    /// Of constants as a script gives them: `F107`, `F107A` and `MagneticIndex` (Kp, 0 to 9).
    ///
    /// A zero counts as not given, as in GMAT: 150, 150 and 3.
    pub fn constant(f107: f64, f107a: f64, kp: f64) -> Self {
        let given = |value: f64, default: f64| if value == 0.0 { default } else { value };
        let kp = given(kp, 3.0);
        Activity { f107: given(f107, 150.0), f107a: given(f107a, 150.0), kp, ap: [ap_of_kp(kp); 7] }
    }
}

impl Activity {
    /// Whether any ap differs from the daily one, which turns MSISE90 to the 3-hourly ones.
    pub fn ap_differ(&self) -> bool {
        self.ap.iter().any(|ap| ap.to_bits() != self.ap[0].to_bits())
    }
}

/// The activity at any date.
#[derive(Clone, Debug)]
pub struct Weather {
    constant: Activity,
    file: Option<Arc<SpaceWeather>>,
    /// Which dates the file is asked for.
    historic: bool,
    predicted: bool,
}

impl Weather {
    /// The same activity at every date.
    pub fn constant(activity: Activity) -> Self {
        Weather { constant: activity, file: None, historic: false, predicted: false }
    }

    /// From a file: `HistoricWeatherSource` and `PredictedWeatherSource` say whether it serves dates of the past,
    /// of the future, or both; constants serve the others.
    pub fn from_file(constant: Activity, file: Arc<SpaceWeather>, historic: bool, predicted: bool) -> Self {
        // without observed days GMAT knows only the constants of the days before the first predicted one
        let file = if historic { file } else { Arc::new(file.with_constant_past(&constant)) };
        Weather { constant, file: (historic || predicted).then_some(file), historic, predicted }
    }

    /// The file and whether a UTC date (days) is an observed one; None where constants rule.
    fn source(&self, utc: f64) -> Option<(&SpaceWeather, bool)> {
        let file = self.file.as_deref()?;
        let past = utc < if self.historic { file.observed_end() } else { file.predicted_start() };
        let serves = if past { self.historic } else { self.predicted };
        serves.then_some((file, past))
    }

    /// What the Jacchia-Roberts model takes at a UTC date (days): F10.7, its mean and Kp.
    pub fn for_jacchia_roberts(&self, utc: f64) -> Activity {
        match self.source(utc) {
            None => self.constant,
            Some((file, past)) => file.kp_activity(utc, past).unwrap_or(Activity::NONE),
        }
    }

    /// What MSISE90 takes at a UTC date (days): F10.7, its mean and the seven ap.
    pub fn for_msise90(&self, utc: f64) -> Activity {
        match self.source(utc) {
            None => self.constant,
            Some((file, past)) => file.ap_activity(utc, past).unwrap_or(Activity::NONE),
        }
    }
}

/// The daily ap of a Kp: GMAT's look-up of the 28 steps of a third.
pub fn ap_of_kp(kp: f64) -> f64 {
    const AP: [f64; 28] = [
        0.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 9.0, 12.0, 15.0, 18.0, 22.0, 27.0, 32.0, 39.0, 48.0, 56.0, 67.0, 80.0, 94.0,
        111.0, 132.0, 154.0, 179.0, 207.0, 236.0, 300.0, 400.0,
    ];
    let third = (kp + 0.01) * 3.0;
    // a step that is not in the table counts as 15
    if (0.0..28.0).contains(&third) { AP[third as usize] } else { 15.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forces::drag::Atmosphere;
    use crate::forces::drag::jacchia_roberts::JacchiaRoberts;
    use crate::forces::drag::msise::Msise90;
    use crate::forces::drag::nrlmsise::Nrlmsise00;

    #[test]
    fn val_zero_is_not_given() {
        // the engine: MagneticIndex 0 and F107 0 give the densities of 3 and of 150
        assert_eq!(Activity::constant(0.0, 0.0, 0.0), Activity::constant(150.0, 150.0, 3.0));
    }

    #[test]
    fn atmospheres_of_a_file_have_a_short_description() {
        let file = Arc::new(
            SpaceWeather::parse(include_str!("../../../../tests/reference/density/space_weather.txt")).unwrap(),
        );
        let weather = Weather::from_file(Activity::constant(150.0, 150.0, 3.0), file.clone(), true, false);
        let checksum = format!("{:016x}", file.checksum());
        let models: [Box<dyn Atmosphere>; 3] = [
            Box::new(JacchiaRoberts::new(weather.clone())),
            Box::new(Msise90::new(weather.clone())),
            Box::new(Nrlmsise00::new(weather)),
        ];
        for model in models {
            let text = model.describe();
            assert!(text.len() < 600 && text.contains(&checksum), "{text}");
        }
    }

    #[test]
    fn val_ap_of_kp() {
        for (kp, ap) in [(0.0, 0.0), (0.33, 2.0), (3.0, 15.0), (3.1, 15.0), (3.33, 18.0), (6.33, 94.0), (9.0, 400.0)] {
            assert!((ap_of_kp(kp) - ap).abs() < 1e-12, "{kp}");
        }
        assert!((ap_of_kp(9.5) - 15.0).abs() < 1e-12, "GMAT's default");
    }
}

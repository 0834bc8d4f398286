//! The dotted paths that a sweep or `--set` can reach: `Sat.SMA`, `Prop.Accuracy`, `TOF.Value`.

use super::fields::{CRAFT, CraftField, StepField};
use super::{Mission, Objects};
use crate::astro::epoch::{Epoch, SCALES, Scale};
use crate::astro::representations::Centre;
use crate::astro::representations::fields::Field as StateField;
use crate::base::nearest::nearest;
use crate::base::outcome::Failure;

/// A number of a mission's objects.
#[derive(Clone, Copy, Debug)]
pub enum Setting {
    /// A number of the state, in any representation.
    State {
        /// Which spacecraft.
        spacecraft: usize,
        /// Which field.
        field: StateField,
        /// The body at the origin of its coordinate system.
        centre: Centre,
    },
    /// The epoch, in the time scale of the spacecraft's date format.
    Epoch {
        /// Which spacecraft.
        spacecraft: usize,
        /// The time scale.
        scale: Scale,
    },
    /// What the forces see of a spacecraft.
    Craft {
        /// Which spacecraft.
        spacecraft: usize,
        /// Which number.
        field: CraftField,
    },
    /// A step setting.
    Step {
        /// Which propagator.
        propagator: usize,
        /// Which setting.
        field: StepField,
    },
    /// A variable.
    Variable(usize),
}

/// A setting that every run sets.
#[derive(Clone, Debug)]
pub struct Swept {
    /// The dotted path.
    pub path: String,
    /// What it sets.
    pub setting: Setting,
    /// The epochs that a design's texts stand for; the design's numbers are their indices.
    pub epochs: Vec<Epoch>,
    /// Unit.
    pub units: &'static str,
    /// One line about it.
    pub long_name: &'static str,
    /// Whole numbers only.
    pub integer: bool,
    /// For epochs: GMAT's names of the time scale and of the format.
    pub date: Option<(&'static str, &'static str)>,
}

impl Swept {
    /// Sets a design's number in a mission's objects.
    pub fn set(&self, value: f64, objects: &mut Objects) -> Result<(), Failure> {
        match self.setting {
            Setting::State { spacecraft, field, centre } => {
                if !value.is_finite() {
                    return Err(Failure::ElementsNotFinite);
                }
                objects.spacecraft[spacecraft].state.set(&field, value, &centre)?;
            }
            Setting::Craft { spacecraft, field } => {
                if !value.is_finite() {
                    return Err(Failure::ElementsNotFinite);
                }
                field.set(&mut objects.spacecraft[spacecraft], value);
            }
            Setting::Epoch { spacecraft, scale } => {
                objects.spacecraft[spacecraft].epoch = match self.epochs.get(value as usize) {
                    Some(&epoch) => epoch,
                    None => Epoch::from_mjd(scale, value).map_err(|_| Failure::EpochOutOfSpan)?,
                };
            }
            Setting::Step { propagator, field } => field.set(&mut objects.steps[propagator], value),
            Setting::Variable(variable) => objects.variables[variable] = value,
        }
        Ok(())
    }

    /// The number in the result file for a design's number: the same, but for an epoch written as a text
    /// its modified Julian date.
    pub fn column_value(&self, value: f64) -> f64 {
        match (self.setting, self.epochs.get(value as usize)) {
            (Setting::Epoch { scale, .. }, Some(epoch)) => epoch.mjd(scale),
            _ => value,
        }
    }
}

/// Why a path or its values cannot be swept: what is wrong, what is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError {
    /// What is wrong.
    pub message: String,
    /// What is meant or supported.
    pub help: String,
}

impl Mission {
    /// All paths that can be swept.
    pub fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        for name in &self.spacecraft {
            let numbers = StateField::all().map(|field| field.name).chain(CRAFT.iter().map(|(field, _)| field.name));
            paths.extend(numbers.chain(["Epoch"]).map(|field| format!("{name}.{field}")));
        }
        for name in &self.propagators {
            paths.extend(StepField::ALL.iter().map(|field| format!("{name}.{}", field.name())));
        }
        paths.extend(self.variables.iter().map(|name| format!("{name}.Value")));
        paths
    }

    /// What a path sets; `texts` are a design's texts, for an epoch alone.
    pub fn setting(&self, path: &str, texts: Option<&[String]>) -> Result<Swept, SettingError> {
        let mut swept = self.find(path).ok_or_else(|| self.unknown(path))?;
        let Some(texts) = texts else { return Ok(swept) };
        let Setting::Epoch { scale, .. } = swept.setting else {
            return Err(SettingError {
                message: format!("`{path}` takes numbers, not texts"),
                help: format!("found '{}'", texts.first().map_or("", String::as_str)),
            });
        };
        for text in texts {
            let epoch = Epoch::from_gregorian(scale, text).map_err(|error| SettingError {
                message: format!("`{path}` = '{text}': {error}"),
                help: "written as '01 Jan 2026 00:00:00.000', or as a number: GMAT's modified Julian date".to_owned(),
            })?;
            swept.epochs.push(epoch);
        }
        Ok(swept)
    }

    fn find(&self, path: &str) -> Option<Swept> {
        let (object, field) = path.split_once('.').unwrap_or((path, "Value"));
        let position = |names: &[String]| names.iter().position(|name| name == object);
        let swept = |setting, units, long_name| Swept {
            path: path.to_owned(),
            setting,
            epochs: Vec::new(),
            units,
            long_name,
            integer: false,
            date: None,
        };
        if let Some(spacecraft) = position(&self.spacecraft) {
            if let Ok(found) = StateField::find(field) {
                let origin = self.systems[self.pristine.spacecraft[spacecraft].system].origin.body()?;
                let setting = Setting::State { spacecraft, field: found, centre: self.bodies.of(origin) };
                return Some(swept(setting, found.units, found.long_name));
            }
            if let Some((f, field)) = CRAFT.iter().find(|(f, _)| f.name == field) {
                return Some(swept(Setting::Craft { spacecraft, field: *field }, f.units, f.long_name));
            }
            return match field {
                "Epoch" => {
                    let format = self.pristine.spacecraft[spacecraft].date_format;
                    let scale = SCALES.iter().find(|(scale, _)| *scale == format.scale).map_or("", |(_, name)| name);
                    let mut epoch = swept(
                        Setting::Epoch { spacecraft, scale: format.scale },
                        "d",
                        "epoch, modified Julian date (JD - 2430000)",
                    );
                    epoch.date = Some((scale, if format.gregorian { "Gregorian" } else { "ModJulian" }));
                    Some(epoch)
                }
                _ => None,
            };
        }
        if let Some(propagator) = position(&self.propagators) {
            let field = StepField::ALL.iter().copied().find(|f| f.name() == field)?;
            let mut swept = swept(Setting::Step { propagator, field }, field.units(), field.long_name());
            swept.integer = field == StepField::MaxStepAttempts;
            return Some(swept);
        }
        let variable = position(&self.variables).filter(|_| field == "Value")?;
        Some(swept(Setting::Variable(variable), "1", "variable"))
    }

    fn unknown(&self, path: &str) -> SettingError {
        let paths = self.paths();
        let mut near = nearest(path, paths.iter().map(String::as_str), 3);
        if near.is_empty() {
            // the object may be right and the field not
            let object = path.split('.').next().unwrap_or(path);
            near = paths.iter().map(String::as_str).filter(|p| p.split('.').next() == Some(object)).collect();
        }
        let help = if near.is_empty() {
            let objects: Vec<&str> = [&self.spacecraft, &self.propagators, &self.variables]
                .into_iter()
                .flatten()
                .map(String::as_str)
                .collect();
            format!("the script's objects that can be swept: {}", objects.join(", "))
        } else if near.len() <= 3 {
            format!("did you mean {}?", near.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(" or "))
        } else {
            format!("supported: {}", near.join(", "))
        };
        SettingError { message: format!("`{path}` is no number of this mission that can be swept"), help }
    }
}

//! The dotted paths that a sweep or `--set` can reach: `Sat.SMA`, `Prop.Accuracy`, `TOF.Value`.

use super::fields::{BurnField, CRAFT, StepField};
use super::hardware::{TankField, ThrusterField};
use super::names::Shape;
use super::numbers::Number;
use super::power::PowerField;
use super::{Mission, Objects};
use crate::astro::constants::DAY;
use crate::astro::epoch::{Epoch, SCALES, Scale};
use crate::astro::representations::Centre;
use crate::astro::representations::fields::Field as StateField;
use crate::base::nearest::nearest;
use crate::base::nominal::Nominal;
use crate::base::outcome::Failure;

/// A number of a mission's objects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Setting {
    /// A number of the state, in any representation.
    State {
        /// Which spacecraft.
        spacecraft: usize,
        /// Which field.
        field: StateField,
        /// The body at the origin of its coordinate system, where that is the spacecraft's own of before the mission.
        centre: Centre,
        /// The coordinate system.
        within: Within,
    },
    /// The epoch, in the time scale of the spacecraft's date format.
    Epoch {
        /// Which spacecraft.
        spacecraft: usize,
        /// The time scale.
        scale: Scale,
    },
    /// A plain number of an object.
    Number(Number),
}

/// The coordinate system that a number of a state is set in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// The spacecraft's own.
    Own,
    /// This one.
    System(usize),
    /// The one at a body with the axes of `MJ2000Eq`; or the spacecraft's own where its origin is that body.
    Body(usize),
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
            Setting::State { spacecraft, field, centre, .. } => {
                if !value.is_finite() {
                    return Err(Failure::ElementsNotFinite);
                }
                objects.spacecraft[spacecraft].state.set(&field, value, &centre)?;
            }
            Setting::Number(number) => {
                if !matches!(number, Number::Step { .. } | Number::Value(_)) && !value.is_finite() {
                    return Err(Failure::ElementsNotFinite);
                }
                objects.set_before(number, value)?;
            }
            Setting::Epoch { spacecraft, scale } => {
                objects.spacecraft[spacecraft].epoch = match self.epochs.get(value as usize) {
                    Some(&epoch) => epoch,
                    None => Epoch::from_mjd(scale, value).map_err(|_| Failure::EpochOutOfSpan)?,
                };
            }
        }
        Ok(())
    }

    /// The number that stands in a mission's objects, in the sense of the design's numbers. None where the state has no
    /// such number, such as the true anomaly at an escape's end.
    pub fn nominal(&self, objects: &Objects) -> Option<Nominal> {
        let plain = |value: f64| value.is_finite().then_some(Nominal { value, unit: 1.0 });
        match self.setting {
            Setting::State { spacecraft, field, centre, .. } => {
                plain(objects.spacecraft[spacecraft].state.number(&field, &centre).ok()?)
            }
            Setting::Number(number) => plain(objects.get(number)),
            Setting::Epoch { spacecraft, scale } => {
                Some(Nominal { value: objects.spacecraft[spacecraft].epoch.mjd(scale), unit: 1.0 / DAY })
            }
        }
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
        let names = &self.names;
        let mut paths = Vec::new();
        for name in &names.spacecraft {
            let numbers = StateField::all().map(|field| field.name).chain(CRAFT.iter().map(|(field, _)| field.name));
            paths.extend(numbers.chain(["Epoch"]).map(|field| format!("{name}.{field}")));
        }
        for name in &names.propagators {
            paths.extend(StepField::ALL.iter().map(|field| format!("{name}.{}", field.name())));
        }
        for burn in &names.burns {
            paths.extend(BurnField::NAMES[..5].iter().map(|(field, _)| format!("{}.{field}", burn.name)));
        }
        for copy in &names.tanks {
            let spacecraft = &names.spacecraft[copy.spacecraft];
            let fields = TankField::NAMES.iter().filter(|entry| entry.1.is_of(copy.electric));
            paths.extend(fields.map(|entry| format!("{spacecraft}.{}.{}", copy.name, entry.0)));
        }
        for copy in &names.thrusters {
            let spacecraft = &names.spacecraft[copy.spacecraft];
            let fields = ThrusterField::names(copy.electric);
            paths.extend(fields.map(|field| format!("{spacecraft}.{}.{field}", copy.name)));
        }
        for power in &names.powers {
            let spacecraft = &names.spacecraft[power.copy.spacecraft];
            let fields = PowerField::names(power.copy.electric);
            paths.extend(fields.map(|(field, _)| format!("{spacecraft}.{}.{field}", power.copy.name)));
        }
        for value in &names.values {
            match value.shape {
                Shape::Number => paths.push(format!("{}.Value", value.name)),
                Shape::Array { rows, columns } => {
                    let elements = (1..=rows).flat_map(|row| (1..=columns).map(move |column| (row, column)));
                    paths.extend(elements.map(|(row, column)| format!("{}({row},{column})", value.name)));
                }
                Shape::Text => {}
            }
        }
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
        let swept = |setting, units, long_name| Swept {
            path: path.to_owned(),
            setting,
            epochs: Vec::new(),
            units,
            long_name,
            integer: false,
            date: None,
        };
        if let Some(number) = self.names.number(path) {
            let mut swept = swept(Setting::Number(number), number.units(), number.long_name());
            swept.integer = matches!(number, Number::Step { field: StepField::MaxStepAttempts, .. });
            return (!self.names.is_text(number)).then_some(swept);
        }
        let (object, field) = path.split_once('.')?;
        let spacecraft = self.names.spacecraft.iter().position(|name| name == object)?;
        if let Ok(found) = StateField::find(field) {
            let system = self.pristine.spacecraft[spacecraft].system;
            let origin = self.names.systems[system].origin.body()?;
            let centre = self.bodies.of(origin);
            let setting = Setting::State { spacecraft, field: found, centre, within: Within::Own };
            return Some(swept(setting, found.units, found.long_name));
        }
        if field != "Epoch" {
            return None;
        }
        let format = self.pristine.spacecraft[spacecraft].date_format;
        let scale = SCALES.iter().find(|(scale, _)| *scale == format.scale).map_or("", |(_, name)| name);
        let setting = Setting::Epoch { spacecraft, scale: format.scale };
        let mut epoch = swept(setting, "d", "epoch, modified Julian date (JD - 2430000)");
        epoch.date = Some((scale, if format.gregorian { "Gregorian" } else { "ModJulian" }));
        Some(epoch)
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
            let mut objects: Vec<&str> = Vec::new();
            for path in &paths {
                let object = path.split(['.', '(']).next().unwrap_or(path);
                if objects.last() != Some(&object) {
                    objects.push(object);
                }
            }
            format!("the script's objects that can be swept: {}", objects.join(", "))
        } else if near.len() <= 3 {
            format!("did you mean {}?", near.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(" or "))
        } else {
            format!("supported: {}", near.join(", "))
        };
        SettingError { message: format!("`{path}` is no number of this mission that can be swept"), help }
    }
}

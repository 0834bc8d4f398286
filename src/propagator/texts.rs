//! The texts of a run: what Strings hold, what is made from it and read from it.
//!
//! Each String has a text of its own in the lane; so loops make no new ones, and a copy of a String keeps its text when
//! the first one gets another. A text of the script is not copied.

use super::Flight;
use super::lane::{Lane, Outcome};
use crate::astro::ephemeris::Body;
use crate::astro::epoch::{Epoch, SCALES, Scale};
use crate::base::outcome::Failure;
use crate::base::printf;
use crate::mission::DateFormat;
use crate::mission::text::{Making, Measure, Word};

/// The longest text that a run makes, bytes.
const LENGTH_MAX: usize = 1 << 20;

/// The span of dates that `Sat.Epoch` takes, modified Julian dates.
const EPOCHS: std::ops::RangeInclusive<f64> = 6116.0..=58_127.5;

/// A date in a format.
fn date_of(format: DateFormat, text: &str) -> Result<Epoch, Failure> {
    let epoch = if format.gregorian {
        Epoch::from_gregorian(format.scale, text)
    } else {
        Epoch::from_mjd(format.scale, text.trim().parse().map_err(|_| Failure::FormulaUndefined)?)
    };
    epoch.map_err(|_| Failure::EpochOutOfSpan)
}

impl Lane {
    /// The text that a String's number stands for.
    pub(super) fn text_at<'a>(&'a self, flight: &'a Flight, place: f64) -> &'a str {
        let texts = &flight.mission.names.texts;
        let place = place as usize;
        let text = texts.get(place).or_else(|| self.texts.get(place - texts.len()));
        text.map_or("", String::as_str)
    }

    /// The text of a word.
    fn text(&mut self, flight: &Flight, word: Word) -> Result<String, Failure> {
        match word {
            Word::Text(place) => Ok(flight.mission.names.texts[place].clone()),
            Word::Of(slot) => Ok(self.text_at(flight, self.objects.values[slot]).to_owned()),
            Word::Date { input, scale } => {
                let mjd = self.value(flight, flight.mission.formulas.inputs[input]);
                let epoch = Epoch::from_mjd(scale, mjd).map_err(|_| Failure::EpochOutOfSpan)?;
                Ok(epoch.gregorian(scale))
            }
            Word::Number(formula) => {
                let mut text = String::new();
                printf::general(self.defined(flight, formula)?, 16, false, &mut text);
                Ok(text)
            }
        }
    }

    /// The value of a formula that has one.
    fn defined(&mut self, flight: &Flight, formula: usize) -> Result<f64, Failure> {
        let value = self.formula(flight, formula);
        if value.is_nan() { Err(Failure::FormulaUndefined) } else { Ok(value) }
    }

    /// String = text.
    pub(super) fn make_text(&mut self, flight: &Flight, slot: usize, making: &Making) -> Outcome {
        let text = match making {
            Making::Same(Word::Text(place)) => {
                self.objects.values[slot] = *place as f64;
                return Ok(());
            }
            Making::Same(word) => self.text(flight, *word)?,
            Making::Joined(words) => {
                let mut joined = String::new();
                for word in words {
                    joined.push_str(&self.text(flight, *word)?);
                }
                joined
            }
            Making::Replaced { text, from, to } => {
                let (text, from, to) = (self.text(flight, *text)?, self.text(flight, *from)?, self.text(flight, *to)?);
                if from.is_empty() { text } else { text.replace(&from, &to) }
            }
            Making::Part { text, first, end } => {
                let text = self.text(flight, *text)?;
                let mut place = |formula: usize| {
                    let place = self.defined(flight, formula)?;
                    let is_place = place >= 0.0 && place.fract() == 0.0;
                    if is_place { Ok(place as usize) } else { Err(Failure::FormulaUndefined) }
                };
                let first = place(*first)?;
                let end = end.map_or(Ok(text.len()), place)?.min(text.len());
                let part = text.get(first..end).filter(|part| !part.is_empty());
                part.ok_or(Failure::FormulaUndefined)?.to_owned()
            }
            Making::Printed { format, arguments } => self.printed(flight, *format, arguments)?,
            Making::Converted { from, to, time } => {
                let epoch = date_of(*from, &self.text(flight, *time)?)?;
                if to.gregorian {
                    epoch.gregorian(to.scale)
                } else {
                    let mut text = String::new();
                    printf::general(epoch.mjd(to.scale), 16, false, &mut text);
                    text
                }
            }
        };
        if text.len() > LENGTH_MAX {
            return Err(Failure::FormulaUndefined);
        }
        if self.texts.len() <= slot {
            self.texts.resize(slot + 1, String::new());
        }
        self.texts[slot] = text;
        self.objects.values[slot] = (flight.mission.names.texts.len() + slot) as f64;
        Ok(())
    }

    fn printed(&mut self, flight: &Flight, format: Word, arguments: &[Word]) -> Result<String, Failure> {
        let format = self.text(flight, format)?;
        let mut texts = Vec::new();
        for argument in arguments {
            texts.push(match argument {
                Word::Number(formula) => Err(self.defined(flight, *formula)?),
                word => Ok(self.text(flight, *word)?),
            });
        }
        let arguments: Vec<printf::Argument> = (texts.iter())
            .map(|text| match text {
                Ok(text) => printf::Argument::Text(text),
                Err(number) => printf::Argument::Number(*number),
            })
            .collect();
        let mut text = String::new();
        if printf::print(&format, &arguments, &mut text) { Ok(text) } else { Err(Failure::FormulaUndefined) }
    }

    /// Number = what is taken from texts.
    pub(super) fn measure_text(&mut self, flight: &Flight, slot: usize, measure: Measure) -> Outcome {
        self.objects.values[slot] = match measure {
            Measure::Length(text) => self.text(flight, text)?.len() as f64,
            Measure::Place(text, part) => {
                let part = self.text(flight, part)?;
                self.text(flight, text)?.find(&part).map_or(-1.0, |place| place as f64 + 1.0)
            }
            Measure::Equality(a, b) => f64::from(u8::from(self.text(flight, a)? == self.text(flight, b)?)),
            Measure::Number(text) => {
                let number = self.text(flight, text)?.trim().parse().ok().filter(|number: &f64| number.is_finite());
                number.ok_or(Failure::FormulaUndefined)?
            }
        };
        Ok(())
    }

    /// A spacecraft's epoch = a date; it stays where it is, seen in `MJ2000Eq`.
    pub(super) fn set_date(&mut self, flight: &Flight, spacecraft: usize, scale: Scale, date: Word) -> Outcome {
        let text = self.text(flight, date)?;
        let epoch = date_of(DateFormat { scale, gregorian: true }, &text)?;
        self.set_epoch(flight, spacecraft, epoch);
        Ok(())
    }

    /// `Sat.Epoch`: a date in the spacecraft's format; it stays where it is, seen in its coordinate system.
    pub(super) fn set_own_epoch(&mut self, flight: &Flight, spacecraft: usize, date: Word) -> Outcome {
        let format = self.objects.spacecraft[spacecraft].date_format;
        let epoch = match date {
            Word::Number(formula) if !format.gregorian => {
                let mjd = self.defined(flight, formula)?;
                Epoch::from_mjd(format.scale, mjd).map_err(|_| Failure::EpochOutOfSpan)?
            }
            Word::Number(_) => return Err(Failure::EpochOutOfSpan),
            text => date_of(format, &self.text(flight, text)?)?,
        };
        if !format.gregorian && !EPOCHS.contains(&epoch.mjd(format.scale)) {
            return Err(Failure::EpochOutOfSpan);
        }
        let mission = &flight.mission;
        let system = &mission.names.systems[self.objects.spacecraft[spacecraft].system];
        if system.is_mj2000() && system.origin.body() == Some(Body::Earth) {
            self.set_epoch(flight, spacecraft, epoch);
            return Ok(());
        }
        let origin = system.origin.body().ok_or(Failure::StateUndefined)?;
        let live = self.spacecraft[spacecraft];
        let fleet = |other: usize| (self.spacecraft[other].state, self.spacecraft[other].center);
        let state = system.of_inertial(&mission.world, live.state, live.center, live.now(), &fleet);
        let state = system.to_inertial(&mission.world, state, epoch);
        self.set_epoch(flight, spacecraft, epoch);
        self.spacecraft[spacecraft].state = mission.world.moved(state, origin, live.center, epoch);
        Ok(())
    }

    /// `Sat.DateFormat`.
    pub(super) fn set_date_format(&mut self, flight: &Flight, spacecraft: usize, format: Word) -> Outcome {
        let text = self.text(flight, format)?;
        let format = SCALES.iter().find_map(|&(scale, name)| match text.strip_prefix(name) {
            Some("Gregorian") => Some(DateFormat { scale, gregorian: true }),
            Some("ModJulian") => Some(DateFormat { scale, gregorian: false }),
            _ => None,
        });
        self.objects.spacecraft[spacecraft].date_format = format.ok_or(Failure::FormulaUndefined)?;
        Ok(())
    }
}

//! Strings and dates of the mission sequence: what stands on the right of `s = ...` and `Sat.Epoch = ...`.

use super::sequence::Sequence;
use super::spacecraft::date_formats;
use super::values::{shown, text_of, written};
use crate::astro::coordinates::CoordinateSystem;
use crate::astro::epoch::{Epoch, SCALES, Scale};
use crate::base::nearest::did_you_mean;
use crate::base::printf;
use crate::gmat::collector::shorten;
use crate::gmat::formula::Formula;
use crate::gmat::tree::{Expression, ExpressionKind, Name, Reference};
use crate::mission::DateFormat;
use crate::mission::fields::BUILT_IN;
use crate::mission::names::Shape;
use crate::mission::program::Command;
use crate::mission::settings::Setting;
use crate::mission::text::{MAKERS, MEASURES, Making, Measure, Word};

/// A function's name as the lists have it: the first letter may be a capital.
fn function_name(reference: &Reference) -> String {
    let mut name = reference.path();
    name.get_mut(..1).into_iter().for_each(str::make_ascii_lowercase);
    name
}

/// The function of texts that a reference calls: its name, and whether it makes a text rather than measures one.
pub(super) fn function_of(reference: &Reference) -> Option<(String, bool)> {
    let name = function_name(reference);
    let makes = MAKERS.contains(&name.as_str());
    (makes || MEASURES.contains(&name.as_str())).then_some((name, makes))
}

impl Sequence<'_, '_> {
    /// `s = value`.
    pub(super) fn assign_text(&mut self, slot: usize, value: &Expression) {
        if let Some(text) = self.making(value) {
            self.push(Command::MakeText { slot, text });
        }
    }

    /// The text that a right side makes; what is wrong with it is told.
    fn making(&mut self, value: &Expression) -> Option<Making> {
        match &value.kind {
            ExpressionKind::Text(text) => return Some(self.same(text)),
            ExpressionKind::Number(number) => {
                let mut text = String::new();
                printf::general(*number, 16, false, &mut text);
                return Some(self.same(&text));
            }
            ExpressionKind::Reference(reference) => {
                let path = reference.path();
                let known = self.mission.names.value(&path).map(|value| value.shape);
                if let (None, Some((name, true))) = (known, function_of(reference)) {
                    return self.made(&name, reference);
                }
                let whole_array = reference.indices.is_empty() && matches!(known, Some(Shape::Array { .. }));
                if known.is_some() && !whole_array {
                    return self.word(value).map(Making::Same);
                }
                if self.resources.is_refused(&reference.parts[0].text) {
                    return None;
                }
                match self.mission.column(&written(reference)) {
                    Ok(column) if column.date().is_some_and(|date| date.1 == "Gregorian") => {
                        return self.word(value).map(Making::Same);
                    }
                    Ok(_) => {
                        let message = format!("a String = `{path}` is the text `{path}` in GMAT, and no number");
                        self.notes.refuse(value.span, message, format!("'{path}' in quotes, or a Variable between"));
                        return None;
                    }
                    Err(_) => {}
                }
                let is_object = self.resources.get(&path).is_some() || BUILT_IN.contains(&path.as_str());
                if reference.parts.len() == 1 && reference.indices.is_empty() && !is_object {
                    return Some(self.same(&path));
                }
            }
            _ => {}
        }
        let message = format!("a String = `{}` is not supported", shown(value));
        let help = format!("supported: texts, Strings, numbers that have names, dates, {}", MAKERS.join(", "));
        self.notes.refuse(value.span, message, help.replace("convertTime", "ConvertTime"));
        None
    }

    /// A text of the script.
    fn same(&mut self, text: &str) -> Making {
        Making::Same(Word::Text(self.mission.names.text(text)))
    }

    /// A text, a String, a date or a number; what is wrong with it is told.
    fn word(&mut self, value: &Expression) -> Option<Word> {
        if let ExpressionKind::Text(text) = &value.kind {
            return Some(Word::Text(self.mission.names.text(text)));
        }
        if let ExpressionKind::Reference(reference) = &value.kind {
            let names = &self.mission.names;
            if let Some(known) = names.value(&reference.path()).filter(|known| known.shape == Shape::Text)
                && reference.indices.is_empty()
            {
                return Some(Word::Of(known.slot));
            }
            if let Ok(column) = names.column(&written(reference))
                && let Some((scale, "Gregorian")) = column.date()
            {
                let scale = SCALES.iter().find(|(_, name)| *name == scale)?.0;
                return Some(Word::Date { input: self.mission.formulas.input(column.source), scale });
            }
        }
        self.formula(value).map(Word::Number)
    }

    /// An argument of a function that takes a text.
    fn argument(&mut self, value: &Expression) -> Option<Word> {
        if let ExpressionKind::Text(text) = &value.kind
            && (self.resources.get(text).is_some() || BUILT_IN.contains(&text.as_str()))
        {
            let message = format!("`'{}'` is taken as the object of that name in GMAT", shorten(text));
            self.notes.refuse(value.span, message, "put the text into a String, and give that");
            return None;
        }
        let word = self.word(value)?;
        if matches!(word, Word::Number(_)) {
            let message = format!("`{}` stands where a function takes a text", shown(value));
            self.notes.refuse(value.span, message, "a text in quotes, a String or a date");
            return None;
        }
        Some(word)
    }

    fn arguments(&mut self, values: &[Expression]) -> Option<Vec<Word>> {
        values.iter().map(|value| self.argument(value)).collect()
    }

    /// Whether a function is given as many arguments as it takes; else that is told.
    fn takes(&mut self, name: &str, reference: &Reference, count: std::ops::RangeInclusive<usize>) -> Option<()> {
        let given = reference.indices.len();
        if count.contains(&given) {
            return Some(());
        }
        let help = match (*count.start(), *count.end()) {
            (least, usize::MAX) => format!("{name} takes {least} or more"),
            (least, most) if least == most => format!("{name} takes {least}"),
            (least, most) => format!("{name} takes {least} or {most}"),
        };
        self.notes.refuse(reference.span, format!("`{name}` is given {given} arguments"), help);
        None
    }

    fn made(&mut self, name: &str, reference: &Reference) -> Option<Making> {
        let values = &reference.indices[..];
        match name {
            "strcat" => {
                self.takes(name, reference, 1..=usize::MAX)?;
                Some(Making::Joined(self.arguments(values)?))
            }
            "strrep" => {
                self.takes(name, reference, 3..=3)?;
                let words = self.arguments(values)?;
                Some(Making::Replaced { text: words[0], from: words[1], to: words[2] })
            }
            "substr" => {
                self.takes(name, reference, 2..=3)?;
                let text = self.argument(&values[0])?;
                let first = self.formula(&values[1])?;
                let end = values.get(2).map(|end| self.formula(end));
                Some(Making::Part { text, first, end: end.map_or(Some(None), |end| end.map(Some))? })
            }
            "num2str" => {
                self.takes(name, reference, 1..=1)?;
                let number = self.formula(&values[0])?;
                let format = Word::Text(self.mission.names.text("%f"));
                Some(Making::Printed { format, arguments: vec![Word::Number(number)] })
            }
            "sprintf" => {
                self.takes(name, reference, 1..=usize::MAX)?;
                self.printed(&values[0], &values[1..])
            }
            _ => {
                self.takes("ConvertTime", reference, 3..=3)?;
                let (from, to) = (self.date_format(&values[0]), self.date_format(&values[1]));
                let time = self.argument(&values[2])?;
                Some(Making::Converted { from: from?, to: to?, time })
            }
        }
    }

    /// `sprintf(format, ...)`; a format of the script is looked at here.
    fn printed(&mut self, format: &Expression, values: &[Expression]) -> Option<Making> {
        let word = self.argument(format)?;
        let arguments: Option<Vec<Word>> = values.iter().map(|value| self.word(value)).collect();
        let arguments = arguments?;
        if let ExpressionKind::Text(text) = &format.kind {
            let given = arguments.iter().map(|word| !matches!(word, Word::Number(_)));
            if !printf::kinds(text).is_some_and(|kinds| given.eq(kinds)) {
                let message = format!("the format `{}` does not fit what it prints", shorten(text));
                self.notes.refuse(format.span, message, "%e, %f, %g for a number, %s for a text; no others");
                return None;
            }
        }
        Some(Making::Printed { format: word, arguments })
    }

    /// The function that takes a number from texts, if a right side is one.
    pub(super) fn measure_of<'v>(&self, value: &'v Expression) -> Option<(String, &'v Reference)> {
        let ExpressionKind::Reference(reference) = &value.kind else { return None };
        let (name, makes) = function_of(reference)?;
        let hidden = self.mission.names.value(&reference.path()).is_some();
        (!makes && !hidden).then_some((name, reference))
    }

    /// The place of the number that such a function gives; what is wrong with it is told.
    pub(super) fn measure(&mut self, name: &str, reference: &Reference) -> Option<usize> {
        let takes = if matches!(name, "strfind" | "strcmp") { 2 } else { 1 };
        self.takes(name, reference, takes..=takes)?;
        let words = self.arguments(&reference.indices)?;
        let measure = match name {
            "strlen" => Measure::Length(words[0]),
            "strfind" => Measure::Place(words[0], words[1]),
            "strcmp" => Measure::Equality(words[0], words[1]),
            _ => Measure::Number(words[0]),
        };
        let slot = self.hidden();
        self.push(Command::MeasureText { slot, measure });
        Some(slot)
    }

    /// `UTCGregorian` and its like; what is wrong with it is told.
    fn date_format(&mut self, value: &Expression) -> Option<DateFormat> {
        let formats = date_formats();
        let word = self.notes.word(value, "DateFormat", formats.iter().map(|format| format.0.as_str()))?;
        formats.iter().find(|format| format.0 == word).map(|format| format.1)
    }

    /// `Sat.Epoch = ...`, `Sat.UTCGregorian = s`, `Sat.DateFormat = ...`, `Sat.CoordinateSystem = ...`: whether it was
    /// such.
    pub(super) fn assign_date(&mut self, spacecraft: usize, field: &Name, value: &Expression) -> bool {
        match field.text.as_str() {
            "Epoch" => self.assign_epoch(spacecraft, value),
            "DateFormat" => {
                let format = match self.word_or_name(value) {
                    word @ Some(Word::Of(_)) => word,
                    _ => self.date_format(value).map(|_| Word::Text(self.mission.names.text(&text_of(value)))),
                };
                if let Some(format) = format {
                    self.push(Command::SetDateFormat { spacecraft, format });
                }
            }
            "CoordinateSystem" => self.assign_system(spacecraft, value),
            "CurrA1MJD" => self.assign_mjd(spacecraft, Scale::A1, value),
            name => match date_formats().into_iter().find(|format| format.0 == name) {
                None => return false,
                Some((_, DateFormat { scale, gregorian: false })) => self.assign_mjd(spacecraft, scale, value),
                Some((_, DateFormat { scale, .. })) => self.assign_gregorian(spacecraft, field, scale, value),
            },
        }
        true
    }

    /// A String, if a right side is one.
    fn word_or_name(&self, value: &Expression) -> Option<Word> {
        let known = self.mission.names.value(&text_of(value))?;
        (known.shape == Shape::Text).then_some(Word::Of(known.slot))
    }

    fn assign_mjd(&mut self, spacecraft: usize, scale: Scale, value: &Expression) {
        if let Some(formula) = self.formula(value) {
            self.push(Command::Set { target: Setting::Epoch { spacecraft, scale }, formula });
        }
    }

    fn assign_gregorian(&mut self, spacecraft: usize, field: &Name, scale: Scale, value: &Expression) {
        if let ExpressionKind::Text(text) = &value.kind
            && let Err(error) = Epoch::from_gregorian(scale, text)
        {
            let message = format!("`{}` = `{}`: {error}", field.text, shorten(text));
            return self.notes.refuse(value.span, message, "written as '01 Jan 2026 00:00:00.000'");
        }
        match self.word(value) {
            None => {}
            Some(Word::Number(_)) => {
                let message = format!("`{}` = `{}` is no date", field.text, shown(value));
                self.notes.refuse(value.span, message, "a date in quotes, or a String");
            }
            Some(date) => self.push(Command::SetDate { spacecraft, scale, date }),
        }
    }

    /// `Sat.Epoch`: a date in the format that the spacecraft has then.
    fn assign_epoch(&mut self, spacecraft: usize, value: &Expression) {
        if let ExpressionKind::Text(text) = &value.kind
            && text.trim().parse::<f64>().is_err()
            && let Err(error) = Epoch::from_gregorian(Scale::Utc, text)
        {
            let message = format!("`Epoch` = `{}`: {error}", shorten(text));
            let help = "as DateFormat says: '01 Jan 2026 00:00:00.000', or days, JD - 2430000";
            return self.notes.refuse(value.span, message, help);
        }
        if let Some(date) = self.word(value) {
            self.push(Command::SetEpoch { spacecraft, date });
        }
    }

    fn assign_system(&mut self, spacecraft: usize, value: &Expression) {
        let name = text_of(value);
        let systems = &self.mission.names.systems;
        match systems.iter().position(|system| system.name == name) {
            Some(system) if systems[system].moves_with_spacecraft() => {
                let message = format!("`{name}` moves with spacecraft: no state can be given in it");
                self.notes.refuse(value.span, message, "supported: coordinate systems of bodies");
            }
            Some(system) => self.push(Command::SetSystem { spacecraft, system }),
            None if self.resources.is_refused(&name) => {}
            None => {
                let help = did_you_mean(&name, CoordinateSystem::names(systems));
                let message = format!("the script has no CoordinateSystem `{}`", shorten(&name));
                self.notes.refuse(value.span, message, help);
            }
        }
    }

    /// The begin of the random numbers: `SetSeed(1)`.
    pub(super) fn set_seed(&mut self, rest: &Name) {
        let argument = rest.text.trim().trim_start_matches('(').trim_end_matches(')').trim();
        let formula = match (argument.parse::<f64>(), self.mission.names.number(argument)) {
            (Ok(number), _) if number >= 0.0 && number.fract() == 0.0 => Formula::number(number),
            (Err(_), Some(number)) if !self.mission.names.is_text(number) => {
                Formula::input(self.mission.formulas.input(crate::mission::Source::Number(number)))
            }
            _ => {
                let message = format!("SetSeed of `{}` is not supported", shorten(argument));
                return self.notes.refuse(rest.span, message, "a whole number, 0 or more, or a Variable");
            }
        };
        self.seeded = true;
        let formula = self.mission.formulas.add(formula);
        self.push(Command::SetSeed(formula));
    }
}

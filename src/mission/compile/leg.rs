//! `Propagate`: what is flown, and what ends it.

use super::sequence::Sequence;
use crate::astro::constants::DAY;
use crate::astro::coordinates::CoordinateSystem;
use crate::astro::ephemeris::Body;
use crate::astro::epoch::{Epoch, SCALES};
use crate::astro::parameters::Cycle;
use crate::astro::parameters::stops::STOPS;
use crate::base::nearest::did_you_mean;
use crate::gmat::collector::shorten;
use crate::gmat::formula::Formula;
use crate::gmat::tree::{Expression, ExpressionKind, Name, Propagate, Reference, Statement, StopCondition};
use crate::mission::Source;
use crate::mission::program::{Command, Condition, Leg, Watched};

/// How spacecraft are flown.
const ONE_OF_EACH: &str = "one propagator with one spacecraft, as in Propagate Prop(Sat) {Sat.ElapsedSecs = 60}";
/// GMAT's default of StopTolerance.
const TOLERANCE: f64 = 1e-7;

impl Sequence<'_, '_> {
    /// Adds a Propagate to the program.
    pub(super) fn propagate(&mut self, statement: &Statement, propagate: &Propagate) {
        if propagate.synchronized {
            self.notes.refuse(statement.span, "`Synchronized` is not supported yet", ONE_OF_EACH);
        }
        let mut tolerance = TOLERANCE;
        for option in &propagate.options {
            match option.name.text.as_str() {
                "StopTolerance" => {
                    let path = "StopTolerance";
                    let number = self.notes.number(&option.value, path).filter(|number| *number > 0.0);
                    tolerance = number.unwrap_or(tolerance);
                    if number.is_none() {
                        self.notes.refuse(option.value.span, "`StopTolerance` is out of range", "a number above 0");
                    }
                }
                "OrbitColor" => {}
                name => {
                    let message = format!("option `{name}` of Propagate is not supported");
                    self.notes.refuse(option.name.span, message, "supported: StopTolerance, OrbitColor");
                }
            }
        }
        let flown = self.flown(statement, propagate);
        let backwards = propagate.back_prop || propagate.propagators.iter().any(|call| call.backwards);
        let spacecraft = flown.map(|(_, spacecraft)| spacecraft);
        let conditions: Vec<Option<Condition>> =
            propagate.conditions.iter().map(|condition| self.condition(condition, spacecraft, backwards)).collect();
        if let (Some((propagator, spacecraft)), Some(conditions)) = (flown, conditions.into_iter().collect()) {
            self.mission.program.push(Command::Propagate(self.mission.legs.len()));
            self.mission.legs.push(Leg { propagator, spacecraft, backwards, conditions, tolerance });
        }
    }

    /// The propagator and the spacecraft of a Propagate.
    fn flown(&mut self, statement: &Statement, propagate: &Propagate) -> Option<(usize, usize)> {
        let [call] = &propagate.propagators[..] else {
            let message = "several propagators in one Propagate are not supported yet";
            self.notes.refuse(statement.span, message, ONE_OF_EACH);
            return None;
        };
        let propagator = self.object("Propagator", &call.propagator);
        if let Some(propagator) = propagator {
            self.flown[propagator] = true;
        }
        if let Some(matrix) = call.matrices.first() {
            let message = format!("`{}` along with the state is not supported yet", matrix.text);
            self.notes.refuse(matrix.span, message, ONE_OF_EACH);
        }
        let [spacecraft] = &call.spacecraft[..] else {
            let message = "several spacecraft in one Propagate are not supported yet";
            self.notes.refuse(call.propagator.span, message, ONE_OF_EACH);
            return None;
        };
        let spacecraft = self.object("Spacecraft", spacecraft);
        Some((propagator?, spacecraft?))
    }

    /// The index of an object of a kind.
    fn object(&mut self, kind: &str, name: &Name) -> Option<usize> {
        let names = if kind == "Spacecraft" { &self.mission.spacecraft } else { &self.mission.propagators };
        let index = names.iter().position(|known| *known == name.text);
        if index.is_none() && !self.resources.is_refused(&name.text) {
            let help = match names[..] {
                [] => "the script makes none".to_owned(),
                _ => did_you_mean(&name.text, names.iter().map(String::as_str)),
            };
            self.notes.refuse(name.span, format!("the script has no {kind} `{}`", name.text), help);
        }
        index
    }

    fn condition(
        &mut self,
        condition: &StopCondition,
        spacecraft: Option<usize>,
        backwards: bool,
    ) -> Option<Condition> {
        let StopCondition { parameter, value } = condition;
        let path = parameter.path();
        let names: Vec<&str> = parameter.parts.iter().map(|part| part.text.as_str()).collect();
        if self.resources.is_told(&path, &self.mission.systems) {
            return None;
        }
        if let Some(spacecraft) = spacecraft.map(|index| &self.mission.spacecraft[index])
            && spacecraft != names[0]
        {
            let message = format!("`{path}` is no number of the spacecraft that is flown");
            let help = format!("supported: {spacecraft}.{}", names[1..].join("."));
            self.notes.refuse(parameter.span, message, help);
            return None;
        }
        if let Some(stop) = STOPS.iter().position(|stop| names.last() == Some(&stop.name)) {
            return self.apsis(condition, stop, &names[1..names.len() - 1]);
        }
        let watched = self.what(parameter, &names)?;
        let Some(value) = value else {
            let message = format!("`{path}` needs a value");
            self.notes.refuse(parameter.span, message, format!("written as {{{path} = 60}}"));
            return None;
        };
        let goal = match (watched, &value.kind) {
            (Watched::Date(scale), ExpressionKind::Text(text)) if names[1].ends_with("Gregorian") => {
                match Epoch::from_gregorian(scale, text) {
                    Ok(epoch) => self.mission.formulas.add(Formula::number(epoch.mjd(scale))),
                    Err(error) => {
                        let help = "written as '01 Jan 2026 00:00:00.000'";
                        self.notes.refuse(value.span, format!("`{path}` = `{}`: {error}", shorten(text)), help);
                        return None;
                    }
                }
            }
            _ => self.goal(value, &path)?,
        };
        if let (Watched::Elapsed { .. }, Some(number)) = (watched, self.mission.formulas.all[goal].as_number())
            && (if backwards { number > 0.0 } else { number < 0.0 })
        {
            let (met, allowed) = if backwards { ("backwards", "0 or less") } else { ("forwards", "0 or more") };
            let message = format!("`{path}` = {number} lies behind: it is never met {met}");
            self.notes.refuse(value.span, message, format!("a number, {allowed}"));
            return None;
        }
        Some(Condition { watched, goal })
    }

    /// What a condition with a value watches.
    fn what(&mut self, parameter: &Reference, names: &[&str]) -> Option<Watched> {
        match names {
            [_, "ElapsedSecs"] => return Some(Watched::Elapsed { unit: 1.0 }),
            [_, "ElapsedDays"] => return Some(Watched::Elapsed { unit: DAY }),
            [_, date] => {
                let scale = date.strip_suffix("ModJulian").or_else(|| date.strip_suffix("Gregorian"));
                if let Some((scale, _)) = SCALES.iter().find(|(_, name)| Some(*name) == scale) {
                    return Some(Watched::Date(*scale));
                }
            }
            _ => {}
        }
        match self.mission.column(&parameter.path()) {
            Ok(column) => {
                let cycle = match column.source {
                    Source::Parameter { parameter, .. } => parameter.cycle,
                    Source::Variable(_) => Cycle::None,
                };
                Some(Watched::Input { input: self.mission.formulas.input(column.source), cycle })
            }
            Err(error) => {
                self.notes.refuse(parameter.span, error.message, error.help);
                None
            }
        }
    }

    /// `Sat.Earth.Apoapsis`, `Sat.Periapsis`.
    fn apsis(&mut self, condition: &StopCondition, stop: usize, middle: &[&str]) -> Option<Condition> {
        let StopCondition { parameter, value } = condition;
        if let Some(value) = value {
            let message = format!("`{}` has no value", parameter.path());
            self.notes.refuse(value.span, message, format!("written as {{{}}}", parameter.path()));
            return None;
        }
        let body = match middle {
            [] => Some(Body::Earth),
            [name] => Body::of_name(name),
            _ => None,
        };
        let Some(body) = body else {
            let message = format!("`{}`: `{}` is no body that is supported", parameter.path(), middle.join("."));
            self.notes.refuse(parameter.span, message, did_you_mean(&middle.join("."), Body::all().map(Body::name)));
            return None;
        };
        let at = CoordinateSystem::at(body);
        let system = self.mission.systems.iter().position(|system| *system == at)?;
        let goal = self.mission.formulas.add(Formula::number(0.0));
        Some(Condition { watched: Watched::Apsis { stop, system }, goal })
    }

    /// The right side of a condition: a number, a Variable or a parameter.
    fn goal(&mut self, value: &Expression, path: &str) -> Option<usize> {
        match &value.kind {
            ExpressionKind::Reference(reference) if reference.indices.is_empty() => self.formula(value),
            ExpressionKind::Number(_) | ExpressionKind::Text(_) => {
                self.notes.number(value, path)?;
                self.formula(value)
            }
            ExpressionKind::Reference(reference) if self.resources.is_refused(&reference.parts[0].text) => None,
            _ => {
                let message = format!("`{path}` = a formula is not supported");
                self.notes.refuse(value.span, message, "a number, a Variable or a parameter, as in GMAT");
                None
            }
        }
    }
}

//! `Propagate`: what is flown, and what ends it.

use super::resources::Resource;
use super::sequence::Sequence;
use super::values::written;
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
use crate::mission::program::{Command, Condition, Leg, LegPart, Watched};

/// GMAT's default of StopTolerance.
const TOLERANCE: f64 = 1e-7;

impl Sequence<'_, '_> {
    /// Adds a Propagate to the program.
    pub(super) fn propagate(&mut self, statement: &Statement, propagate: &Propagate) {
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
        let parts = self.parts(statement, propagate);
        let flown: Option<Vec<usize>> =
            parts.as_ref().map(|parts| parts.iter().flat_map(|part| part.spacecraft.clone()).collect());
        let backwards = propagate.back_prop || propagate.propagators.iter().any(|call| call.backwards);
        let conditions = propagate.conditions.iter();
        let conditions: Vec<Option<Condition>> =
            conditions.map(|condition| self.condition(condition, flown.as_deref(), backwards)).collect();
        if let (Some(parts), Some(conditions)) = (parts, conditions.into_iter().collect()) {
            let first_part = self.mission.legs.last().map_or(0, |leg| leg.first_part + leg.parts.len());
            let synchronized = propagate.synchronized && parts.len() > 1;
            self.mission.program.push(Command::Propagate(self.mission.legs.len()));
            self.mission.legs.push(Leg { parts, first_part, synchronized, backwards, conditions, tolerance });
        }
    }

    /// The propagators of a Propagate with their spacecraft.
    fn parts(&mut self, statement: &Statement, propagate: &Propagate) -> Option<Vec<LegPart>> {
        let mut parts: Vec<Option<LegPart>> = Vec::new();
        let mut flown = Vec::new();
        for call in &propagate.propagators {
            let propagator = self.object("Propagator", &call.propagator);
            if let Some(propagator) = propagator {
                self.flown[propagator] = true;
            }
            for matrix in &call.matrices {
                // neither decides the steps of the orbit
                self.notes.ignore(matrix.span, format_args!("`{}` along with the state is not computed", matrix.text));
            }
            let mut spacecraft = Vec::new();
            for name in &call.spacecraft {
                let place = self.object("Spacecraft", name);
                if place.is_some() && flown.contains(&place) {
                    let message = format!("`{}` stands twice in one Propagate", name.text);
                    self.notes.refuse(name.span, message, "each spacecraft once");
                }
                flown.push(place);
                spacecraft.push(place);
            }
            let spacecraft: Option<Vec<usize>> = spacecraft.into_iter().collect();
            parts.push(propagator.zip(spacecraft).map(|(propagator, spacecraft)| LegPart { propagator, spacecraft }));
        }
        if propagate.propagators.len() > 1 {
            for call in &propagate.propagators {
                if let Some(Resource::Propagator(propagator)) = self.resources.get(&call.propagator.text)
                    && propagator.integrator() == "AdamsBashforthMoulton"
                {
                    let message = "AdamsBashforthMoulton beside another propagator in one Propagate is not supported";
                    self.notes.refuse(statement.span, message, "supported: the other integrators");
                }
            }
        }
        parts.into_iter().collect()
    }

    /// The index of an object of a kind.
    pub(super) fn object(&mut self, kind: &str, name: &Name) -> Option<usize> {
        let names = if kind == "Spacecraft" { &self.mission.names.spacecraft } else { &self.mission.names.propagators };
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

    fn condition(&mut self, condition: &StopCondition, flown: Option<&[usize]>, backwards: bool) -> Option<Condition> {
        let StopCondition { parameter, value } = condition;
        let path = written(parameter);
        let names: Vec<&str> = parameter.parts.iter().map(|part| part.text.as_str()).collect();
        if self.resources.is_told(&path, &self.mission.names.systems) {
            return None;
        }
        let spacecraft = self.mission.names.spacecraft.iter().position(|known| known == names[0]);
        if let Some(flown) = flown
            && spacecraft.is_none_or(|spacecraft| !flown.contains(&spacecraft))
        {
            let message = format!("`{path}` is no number of a spacecraft that is flown");
            let supported = flown
                .iter()
                .map(|&spacecraft| format!("{}.{}", self.mission.names.spacecraft[spacecraft], names[1..].join(".")));
            let help = format!("supported: {}", supported.collect::<Vec<_>>().join(", "));
            self.notes.refuse(parameter.span, message, help);
            return None;
        }
        let spacecraft = spacecraft.unwrap_or(0);
        if let Some(stop) = STOPS.iter().position(|stop| names.last() == Some(&stop.name)) {
            return self.apsis(condition, spacecraft, stop, &names[1..names.len() - 1]);
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
        Some(Condition { spacecraft, watched, goal })
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
                    Source::Number(_) | Source::Reading(_) | Source::Solver { .. } => Cycle::None,
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
    fn apsis(
        &mut self,
        condition: &StopCondition,
        spacecraft: usize,
        stop: usize,
        middle: &[&str],
    ) -> Option<Condition> {
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
        let system = self.mission.names.systems.iter().position(|system| *system == at)?;
        let goal = self.mission.formulas.add(Formula::number(0.0));
        Some(Condition { spacecraft, watched: Watched::Apsis { stop, system }, goal })
    }

    /// The right side of a condition: a number, a Variable or a parameter.
    fn goal(&mut self, value: &Expression, path: &str) -> Option<usize> {
        match &value.kind {
            ExpressionKind::Reference(reference)
                if reference.indices.is_empty() || self.mission.names.value(&reference.path()).is_some() =>
            {
                self.formula(value)
            }
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

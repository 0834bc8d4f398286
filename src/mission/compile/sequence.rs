//! The mission sequence: commands that are flown, ignored or refused.

use super::notes::Notes;
use super::resources::{Resource, Resources};
use super::values::text_of;
use crate::astro::constants::DAY;
use crate::base::nearest::did_you_mean;
use crate::base::problem::Span;
use crate::gmat::tree::{
    BurnAction, Expression, ExpressionKind, Name, Propagate, Reference, SolveAction, Statement, StatementKind,
    StopCondition,
};
use crate::mission::fields::GUI_COMMANDS;
use crate::mission::{Command, Mission, Operand, Source, columns};

/// The commands that are supported.
const COMMANDS: &str = "Propagate to ElapsedSecs or ElapsedDays";

/// How spacecraft are flown.
const ONE_OF_EACH: &str = "one propagator with one spacecraft, as in Propagate Prop(Sat) {Sat.ElapsedSecs = 60}";

/// The mission sequence under construction.
pub(super) struct Sequence<'c, 'n> {
    resources: &'c Resources,
    mission: &'c mut Mission,
    notes: &'c mut Notes<'n>,
    /// Which propagators a Propagate names.
    pub(super) flown: Vec<bool>,
}

impl<'c, 'n> Sequence<'c, 'n> {
    /// An empty sequence of a mission whose objects are made.
    pub(super) fn new(resources: &'c Resources, mission: &'c mut Mission, notes: &'c mut Notes<'n>) -> Self {
        let flown = vec![false; mission.propagators.len()];
        Sequence { resources, mission, notes, flown }
    }

    /// Adds commands to the mission's program. What stands inside a block that is refused is looked at as
    /// well, so that all problems are told at once.
    pub(super) fn commands(&mut self, commands: &[Statement]) {
        for statement in commands {
            match &statement.kind {
                StatementKind::Propagate(propagate) => self.propagate(statement, propagate),
                StatementKind::Block(body) => self.commands(body),
                StatementKind::Other { keyword, .. } if GUI_COMMANDS.contains(&keyword.text.as_str()) => {
                    self.notes.ignore(keyword.span, format_args!("{} (graphical interface)", keyword.text));
                }
                StatementKind::Toggle { subscribers, .. } if subscribers.iter().all(|name| self.is_gui(name)) => {
                    self.notes.ignore(statement.span, "Toggle (graphical interface)");
                }
                other => {
                    let message = format!("command `{}` is not supported yet", keyword(other));
                    self.notes.refuse(keyword_place(statement), message, format!("supported: {COMMANDS}"));
                    self.inside(other);
                }
            }
        }
    }

    /// What stands inside a refused block, but for the commands that belong to it.
    fn inside(&mut self, block: &StatementKind) {
        match block {
            StatementKind::If { branches, otherwise } => {
                for (_, body) in branches {
                    self.commands(body);
                }
                self.commands(otherwise);
            }
            StatementKind::While { body, .. } | StatementKind::For { body, .. } => self.commands(body),
            StatementKind::Solve { body, .. } => {
                for statement in body.iter().filter(|statement| !is_solver_command(&statement.kind)) {
                    self.commands(std::slice::from_ref(statement));
                }
            }
            _ => {}
        }
    }

    fn is_gui(&self, name: &Name) -> bool {
        matches!(self.resources.get(&name.text), Some(Resource::Gui))
    }

    fn propagate(&mut self, statement: &Statement, propagate: &Propagate) {
        if propagate.synchronized {
            self.notes.refuse(statement.span, "`Synchronized` is not supported yet", ONE_OF_EACH);
        }
        for option in &propagate.options {
            if !["OrbitColor", "StopTolerance"].contains(&option.name.text.as_str()) {
                let message = format!("option `{}` of Propagate is not supported", option.name.text);
                self.notes.refuse(option.name.span, message, "supported: StopTolerance, OrbitColor");
            }
        }
        let flown = self.flown(statement, propagate);
        if propagate.back_prop || propagate.propagators.iter().any(|call| call.backwards) {
            let help = "forwards, to a time above 0";
            self.notes.refuse(statement.span, "backwards propagation (`BackProp`) is not supported yet", help);
            return;
        }
        let stop = self.stop(statement, propagate, flown.map(|(_, spacecraft)| spacecraft));
        if let (Some((propagator, spacecraft)), Some((duration, unit))) = (flown, stop) {
            self.mission.program.push(Command::Propagate { propagator, spacecraft, duration, unit });
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

    /// Where a Propagate ends: how long, and in which unit (seconds).
    fn stop(
        &mut self,
        statement: &Statement,
        propagate: &Propagate,
        spacecraft: Option<usize>,
    ) -> Option<(Operand, f64)> {
        let [condition] = &propagate.conditions[..] else {
            let what =
                if propagate.conditions.is_empty() { "no condition (a single step)" } else { "several conditions" };
            let message = format!("Propagate with {what} is not supported yet");
            self.notes.refuse(statement.span, message, format!("supported: {COMMANDS}"));
            return None;
        };
        let StopCondition { parameter, value } = condition;
        let names: Vec<&str> = parameter.parts.iter().map(|part| part.text.as_str()).collect();
        let unit = match names[..] {
            [_, "ElapsedSecs"] => 1.0,
            [_, "ElapsedDays"] => DAY,
            _ => {
                if !self.resources.is_refused(names[0]) {
                    let message = format!("stop condition `{}` is not supported yet", parameter.path());
                    self.notes.refuse(parameter.span, message, format!("supported: {COMMANDS}"));
                }
                return None;
            }
        };
        if let Some(spacecraft) = spacecraft.map(|index| &self.mission.spacecraft[index])
            && spacecraft != names[0]
        {
            let message = format!("`{}` is not a time of the spacecraft that is flown", parameter.path());
            self.notes.refuse(parameter.span, message, format!("supported: {spacecraft}.{}", names[1]));
        }
        let Some(value) = value else {
            let message = format!("`{}` needs a value", parameter.path());
            self.notes.refuse(parameter.span, message, format!("written as {{{} = 60}}", parameter.path()));
            return None;
        };
        Some((self.duration(value, parameter)?, unit))
    }

    /// The right side of a condition: a number or a Variable.
    fn duration(&mut self, value: &Expression, parameter: &Reference) -> Option<Operand> {
        let path = parameter.path();
        match &value.kind {
            ExpressionKind::Reference(reference) => self.variable(value, reference),
            ExpressionKind::Number(_) | ExpressionKind::Text(_) => {
                let number = self.notes.number(value, &path)?;
                if number < 0.0 {
                    let message = format!("`{path}` = {number} lies behind: it is never met forwards");
                    self.notes.refuse(value.span, message, "a number, 0 or more");
                    return None;
                }
                Some(Operand::Number(number))
            }
            _ => {
                let message = format!("`{path}` = a formula is not supported");
                self.notes.refuse(value.span, message, "a number or a Variable, as in GMAT");
                None
            }
        }
    }

    fn variable(&mut self, value: &Expression, reference: &Reference) -> Option<Operand> {
        let name = text_of(value);
        let column = columns::resolve(&self.mission.spacecraft, &self.mission.variables, &name);
        match column.map(|column| column.source) {
            Ok(Source::Variable(variable)) => return Some(Operand::Variable(variable)),
            Ok(Source::Parameter { .. }) => {
                let message = format!("`{name}` as the value of a condition is not supported yet");
                self.notes.refuse(value.span, message, "a number or a Variable");
            }
            Err(_) if self.resources.is_refused(&reference.parts[0].text) => {}
            Err(_) => {
                let help = match self.mission.variables[..] {
                    [] => "a number".to_owned(),
                    _ => did_you_mean(&reference.parts[0].text, self.mission.variables.iter().map(String::as_str)),
                };
                self.notes.refuse(value.span, format!("the script has no Variable `{name}`"), help);
            }
        }
        None
    }
}

/// The commands that have a meaning inside Target and Optimize alone.
fn is_solver_command(kind: &StatementKind) -> bool {
    matches!(
        kind,
        StatementKind::Vary { .. }
            | StatementKind::Achieve { .. }
            | StatementKind::Minimize { .. }
            | StatementKind::NonlinearConstraint { .. }
    )
}

/// Where a command's keyword stands, or the left side of an assignment.
fn keyword_place(statement: &Statement) -> Span {
    match &statement.kind {
        StatementKind::Assign { target, .. } => target.span,
        StatementKind::CallFunction { function, .. } => function.span,
        StatementKind::Other { keyword, .. } => keyword.span,
        kind => {
            let length = (keyword(kind).len() as u32).min(statement.span.length);
            Span { length, ..statement.span }
        }
    }
}

/// What a command is called in messages.
fn keyword(kind: &StatementKind) -> String {
    let keyword = match kind {
        StatementKind::Assign { target, .. } => return format!("{} = ...", target.path()),
        StatementKind::CallFunction { function, .. } => return format!("{}(...)", function.path()),
        StatementKind::Other { keyword, .. } => &keyword.text,
        StatementKind::Create { .. } => "Create",
        StatementKind::Include { .. } => "#Include",
        StatementKind::Propagate(_) => "Propagate",
        StatementKind::Burn { action: BurnAction::Maneuver, .. } => "Maneuver",
        StatementKind::Burn { action: BurnAction::Begin, .. } => "BeginFiniteBurn",
        StatementKind::Burn { action: BurnAction::End, .. } => "EndFiniteBurn",
        StatementKind::Report { .. } => "Report",
        StatementKind::Toggle { .. } => "Toggle",
        StatementKind::If { .. } => "If",
        StatementKind::While { .. } => "While",
        StatementKind::For { .. } => "For",
        StatementKind::Solve { action: SolveAction::Target, .. } => "Target",
        StatementKind::Solve { action: SolveAction::Optimize, .. } => "Optimize",
        StatementKind::Vary { .. } => "Vary",
        StatementKind::Achieve { .. } => "Achieve",
        StatementKind::Minimize { .. } => "Minimize",
        StatementKind::NonlinearConstraint { .. } => "NonlinearConstraint",
        StatementKind::Block(_) => "BeginScript",
        StatementKind::Stop => "Stop",
    };
    keyword.to_owned()
}

//! The mission sequence: commands that are flown, ignored or refused; blocks become jumps.

use super::notes::Notes;
use super::resources::{Resource, Resources};
use super::values::text_of;
use crate::base::nearest::did_you_mean;
use crate::base::problem::Span;
use crate::gmat::formula::{Formula, FormulaError};
use crate::gmat::tree::{
    BinaryOperator, BurnAction, Expression, Name, Reference, SolveAction, Statement, StatementKind,
};
use crate::mission::fields::GUI_COMMANDS;
use crate::mission::program::Command;
use crate::mission::{Mission, Source, columns};

/// The commands that are supported.
pub(super) const COMMANDS: &str = "Propagate, Report, If, While, For, Stop, equations of Variables";

/// The mission sequence under construction.
pub(super) struct Sequence<'c, 'n> {
    pub(super) resources: &'c Resources,
    pub(super) mission: &'c mut Mission,
    pub(super) notes: &'c mut Notes<'n>,
    /// Which propagators a Propagate names.
    pub(super) flown: Vec<bool>,
    /// The reports that Report commands name, with their columns, in the order of the commands.
    pub(super) reported: Vec<Reported>,
}

/// A Report command: its row is linked when the reports are.
pub(super) struct Reported {
    /// The report.
    pub(super) file: Name,
    /// Its columns.
    pub(super) columns: Vec<Name>,
    /// Its place in the program.
    pub(super) command: usize,
}

impl<'c, 'n> Sequence<'c, 'n> {
    /// An empty sequence of a mission whose objects are made.
    pub(super) fn new(resources: &'c Resources, mission: &'c mut Mission, notes: &'c mut Notes<'n>) -> Self {
        let flown = vec![false; mission.propagators.len()];
        Sequence { resources, mission, notes, flown, reported: Vec::new() }
    }

    /// Adds commands to the mission's program. What stands inside a block that is refused is looked at as
    /// well, so that all problems are told at once.
    pub(super) fn commands(&mut self, commands: &[Statement]) {
        for statement in commands {
            match &statement.kind {
                StatementKind::Propagate(propagate) => self.propagate(statement, propagate),
                StatementKind::Block(body) => self.commands(body),
                StatementKind::If { branches, otherwise } => self.branches(branches, otherwise),
                StatementKind::While { condition, body } => self.repeat(condition, body),
                StatementKind::For { variable, start, step, end, body } => {
                    self.count(variable, [Some(start), step.as_ref(), Some(end)], body);
                }
                StatementKind::Assign { target, value } if self.is_variable(target) => self.assign(target, value),
                StatementKind::Report { file, items } => self.report(file, items),
                StatementKind::Stop => self.push(Command::Stop),
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

    fn push(&mut self, command: Command) {
        self.mission.program.push(command);
    }

    /// A jump whose target is not known yet; its place.
    fn jump(&mut self, formula: Option<usize>) -> usize {
        self.push(formula.map_or(Command::Goto(0), |formula| Command::Unless { formula, target: 0 }));
        self.mission.program.len() - 1
    }

    /// Lets a jump go to what comes next.
    fn land(&mut self, jump: usize) {
        let here = self.mission.program.len();
        match &mut self.mission.program[jump] {
            Command::Goto(target) | Command::Unless { target, .. } => *target = here,
            _ => {}
        }
    }

    fn branches(&mut self, branches: &[(Expression, Vec<Statement>)], otherwise: &[Statement]) {
        let mut ends = Vec::new();
        for (condition, body) in branches {
            let condition = self.formula(condition);
            let next = self.jump(condition);
            self.commands(body);
            ends.push(self.jump(None));
            self.land(next);
        }
        self.commands(otherwise);
        for end in ends {
            self.land(end);
        }
    }

    fn repeat(&mut self, condition: &Expression, body: &[Statement]) {
        let start = self.mission.program.len();
        let condition = self.formula(condition);
        let end = self.jump(condition);
        self.commands(body);
        self.push(Command::Goto(start));
        self.land(end);
    }

    /// `For v = start:step:end`; step and end are taken at the start of the loop.
    fn count(&mut self, variable: &Reference, bounds: [Option<&Expression>; 3], body: &[Statement]) {
        let index = self.variable(variable);
        let [start, step, end] = bounds.map(|bound| match bound {
            Some(bound) => self.formula(bound),
            None => Some(self.mission.formulas.add(Formula::number(1.0))),
        });
        let (Some(variable), Some(start), Some(step), Some(end)) = (index, start, step, end) else {
            self.commands(body);
            return;
        };
        let [step_kept, end_kept] = [self.hidden(), self.hidden()];
        self.push(Command::Set { variable: step_kept, formula: step });
        self.push(Command::Set { variable: end_kept, formula: end });
        self.push(Command::Set { variable, formula: start });
        let mut input = |variable| Formula::input(self.mission.formulas.input(Source::Variable(variable)));
        let (counter, step, end) = (input(variable), input(step_kept), input(end_kept));
        let zero = Formula::number(0.0);
        // (step > 0 and v <= end) or (step < 0 and v >= end)
        let up = step.clone().with(BinaryOperator::Greater, &zero);
        let up = up.with(BinaryOperator::And, &counter.clone().with(BinaryOperator::LessEqual, &end));
        let down = step.clone().with(BinaryOperator::Less, &zero);
        let down = down.with(BinaryOperator::And, &counter.clone().with(BinaryOperator::GreaterEqual, &end));
        let goes_on = self.mission.formulas.add(up.with(BinaryOperator::Or, &down));
        let next = self.mission.formulas.add(counter.with(BinaryOperator::Add, &step));
        let start = self.mission.program.len();
        let out = self.jump(Some(goes_on));
        self.commands(body);
        self.push(Command::Set { variable, formula: next });
        self.push(Command::Goto(start));
        self.land(out);
    }

    /// A variable without a name.
    fn hidden(&mut self) -> usize {
        self.mission.pristine.variables.push(0.0);
        self.mission.pristine.variables.len() - 1
    }

    fn is_variable(&self, target: &Reference) -> bool {
        let name = &target.parts[0].text;
        target.indices.is_empty()
            && (self.mission.variables.contains(name) && matches!(&target.parts[1..], [] | [_])
                || self.resources.get(name).is_none() && target.parts.len() == 1)
    }

    /// The index of a Variable on a left side.
    fn variable(&mut self, target: &Reference) -> Option<usize> {
        let name = &target.parts[0];
        let index = self.mission.variables.iter().position(|known| *known == name.text);
        if index.is_none() && !self.resources.is_refused(&name.text) {
            let help = match self.mission.variables[..] {
                [] => "the script makes none: Create Variable".to_owned(),
                _ => did_you_mean(&name.text, self.mission.variables.iter().map(String::as_str)),
            };
            self.notes.refuse(name.span, format!("the script has no Variable `{}`", name.text), help);
        }
        index
    }

    fn assign(&mut self, target: &Reference, value: &Expression) {
        let variable = self.variable(target);
        if let (Some(variable), Some(formula)) = (variable, self.formula(value)) {
            self.push(Command::Set { variable, formula });
        }
    }

    /// The index of a formula over variables and parameters; what is wrong with it is told.
    pub(super) fn formula(&mut self, value: &Expression) -> Option<usize> {
        let (mission, resources) = (&mut *self.mission, self.resources);
        let mut told = false;
        let mut input = |reference: &Reference| {
            let found = columns::resolve(&mission.spacecraft, &mission.variables, &mission.systems, &reference.path());
            found.map(|column| mission.formulas.input(column.source)).map_err(|error| {
                told = resources.is_told(&reference.path(), &mission.systems);
                FormulaError { span: reference.span, message: error.message, help: error.help }
            })
        };
        match Formula::new(value, &mut input) {
            Ok(formula) => Some(self.mission.formulas.add(formula)),
            Err(error) => {
                if !told {
                    self.notes.refuse(error.span, error.message, error.help);
                }
                None
            }
        }
    }

    fn report(&mut self, file: &Name, items: &[Expression]) {
        match self.resources.get(&file.text) {
            Some(Resource::ReportFile(_)) => {
                let columns = items.iter().map(|item| Name { text: text_of(item), span: item.span }).collect();
                self.reported.push(Reported { file: file.clone(), columns, command: self.mission.program.len() });
                self.push(Command::Report { report: 0, kind: 0 }); // linked with the reports
            }
            Some(Resource::Refused) => {}
            _ => {
                let reports = self.resources.iter().filter(|(_, r)| matches!(r, Resource::ReportFile(_)));
                let names: Vec<&str> = reports.map(|(name, _)| name).collect();
                let help =
                    if names.is_empty() { "the script makes none".to_owned() } else { did_you_mean(&file.text, names) };
                self.notes.refuse(file.span, format!("the script has no ReportFile `{}`", file.text), help);
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

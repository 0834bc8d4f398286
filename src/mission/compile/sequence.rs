//! The mission sequence: commands that are flown, ignored or refused; blocks become jumps.

use super::notes::Notes;
use super::resources::{Resource, Resources};
use super::target::OpenTarget;
use super::values::{text_of, written};
use crate::base::nearest::did_you_mean;
use crate::base::problem::Span;
use crate::gmat::formula::Formula;
use crate::gmat::tree::{
    BinaryOperator, BurnAction, Expression, ExpressionKind, Name, Reference, SolveAction, Statement, StatementKind,
};
use crate::mission::Mission;
use crate::mission::fields::{self, COMMANDS, GUI_COMMANDS, SILENT_COMMANDS};
use crate::mission::numbers::Number;
use crate::mission::program::Command;
use crate::mission::settings::Setting;

/// The mission sequence under construction.
pub(super) struct Sequence<'c, 'n> {
    pub(super) resources: &'c Resources,
    pub(super) mission: &'c mut Mission,
    pub(super) notes: &'c mut Notes<'n>,
    /// Which propagators a Propagate names.
    pub(super) flown: Vec<bool>,
    /// The reports that Report commands name, with their columns, in the order of the commands.
    pub(super) reported: Vec<Reported>,
    /// The reports that Toggle commands and settings name, with the places of these.
    pub(super) toggled: Vec<(String, usize)>,
    /// The Targets around, outer ones first.
    pub(super) targets: Vec<OpenTarget>,
    /// Whether random numbers have a seed.
    pub(super) seeded: bool,
    /// The burns that have become equal to others.
    pub(super) copied_burns: Vec<usize>,
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
        let flown = vec![false; mission.names.propagators.len()];
        Sequence {
            resources,
            mission,
            notes,
            flown,
            reported: Vec::new(),
            toggled: Vec::new(),
            targets: Vec::new(),
            seeded: false,
            copied_burns: Vec::new(),
        }
    }

    /// Adds commands to the mission's program. What stands inside a block that is refused is looked at as
    /// well, so that all problems are told at once.
    pub(super) fn commands(&mut self, commands: &[Statement]) {
        for statement in commands {
            if self.notes.is_full() {
                return;
            }
            match &statement.kind {
                StatementKind::Propagate(propagate) => self.propagate(statement, propagate),
                StatementKind::Block(body) => self.commands(body),
                StatementKind::If { branches, otherwise } => self.branches(branches, otherwise),
                StatementKind::While { condition, body } => self.repeat(condition, body),
                StatementKind::For { variable, start, step, end, body } => {
                    self.count(variable, [Some(start), step.as_ref(), Some(end)], body);
                }
                StatementKind::Assign { target, value } => {
                    self.assign(target, value);
                    self.changed(target, value, false);
                }
                StatementKind::Burn { action: BurnAction::Maneuver, back_prop, burn, spacecraft } => {
                    self.maneuver(burn, spacecraft, *back_prop);
                }
                StatementKind::Burn { action, burn, spacecraft, .. } => {
                    self.finite_burn(burn, spacecraft, *action == BurnAction::Begin);
                }
                StatementKind::Report { file, items } => self.report(file, items),
                StatementKind::Stop => self.push(Command::Stop),
                StatementKind::Other { keyword, .. } if GUI_COMMANDS.contains(&keyword.text.as_str()) => {
                    self.notes.ignore(keyword.span, format_args!("{} (graphical interface)", keyword.text));
                }
                StatementKind::Other { keyword, rest } if keyword.text == "SetSeed" => self.set_seed(rest),
                StatementKind::Other { keyword, rest }
                    if keyword.text == "Write" && rest.text.contains("ReportFile") =>
                {
                    let message = "Write into a ReportFile is not supported";
                    self.notes.refuse(rest.span, message, "supported: Report, or Write into the message window");
                }
                StatementKind::Other { keyword, .. } if is_silent(keyword) => self.ignore_silent(keyword),
                StatementKind::CallFunction { outputs, function, .. }
                    if outputs.is_empty() && is_silent(&function.parts[0]) =>
                {
                    self.ignore_silent(&function.parts[0]);
                }
                StatementKind::CallFunction { outputs, function, arguments }
                    if outputs.len() == 1 && super::text::function_of(function).is_some() =>
                {
                    // `[s] = ConvertTime(...)` is `s = ConvertTime(...)`
                    let function = Reference { indices: arguments.clone(), ..function.clone() };
                    let span = function.span;
                    self.assign(&outputs[0], &Expression { span, kind: ExpressionKind::Reference(function) });
                }
                StatementKind::Toggle { subscribers, on } => self.toggle(statement, subscribers, *on),
                StatementKind::Solve { action, solver, options, body } => {
                    self.solve(statement, *action, solver, options, body);
                }
                StatementKind::Vary { .. } => self.vary(statement),
                StatementKind::Achieve { .. } => self.achieve(statement),
                other => {
                    let message = format!("command `{}` is not supported yet", keyword(other));
                    self.notes.refuse(
                        keyword_place(statement),
                        message,
                        format!("supported: {}", fields::names(COMMANDS)),
                    );
                }
            }
        }
    }

    /// A command that changes no number.
    fn ignore_silent(&mut self, keyword: &Name) {
        if let Some((_, what)) = SILENT_COMMANDS.iter().find(|(name, _)| *name == keyword.text) {
            self.notes.ignore(keyword.span, format_args!("{} ({what})", keyword.text));
        }
    }

    pub(super) fn push(&mut self, command: Command) {
        self.mission.program.push(command);
    }

    /// What stands inside If, While or For.
    fn inner(&mut self, commands: &[Statement]) {
        self.targets.iter_mut().for_each(|target| target.depth += 1);
        self.commands(commands);
        self.targets.iter_mut().for_each(|target| target.depth -= 1);
    }

    /// The place of the first letters of a statement.
    pub(super) fn keyword_span(statement: &Statement, length: usize) -> Span {
        Span { length: (length as u32).min(statement.span.length), ..statement.span }
    }

    /// A jump whose target is not known yet; its place.
    pub(super) fn jump(&mut self, formula: Option<usize>) -> usize {
        self.push(formula.map_or(Command::Goto(0), |formula| Command::Unless { formula, target: 0 }));
        self.mission.program.len() - 1
    }

    /// Lets a jump go to what comes next.
    pub(super) fn land(&mut self, jump: usize) {
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
            self.inner(body);
            ends.push(self.jump(None));
            self.land(next);
        }
        self.inner(otherwise);
        for end in ends {
            self.land(end);
        }
    }

    fn repeat(&mut self, condition: &Expression, body: &[Statement]) {
        let start = self.mission.program.len();
        let condition = self.formula(condition);
        let end = self.jump(condition);
        self.inner(body);
        self.push(Command::Goto(start));
        self.land(end);
    }

    /// `For v = start:step:end`: start, step and end are taken once. There are floor((end - start) / step) + 1 turns; a
    /// counter of its own grows by the step after each, and the variable follows it as long as that is not beyond the
    /// end. Measured on GMAT.
    fn count(&mut self, variable: &Reference, bounds: [Option<&Expression>; 3], body: &[Statement]) {
        let index = self.variable(variable);
        let [start, step, end] = bounds.map(|bound| match bound {
            Some(bound) => self.formula(bound),
            None => Some(self.mission.formulas.add(Formula::number(1.0))),
        });
        let (Some(variable), Some(start), Some(step), Some(end)) = (index, start, step, end) else {
            self.inner(body);
            return;
        };
        let [counter, step_kept, end_kept, turns] = std::array::from_fn(|_| self.hidden());
        let set = |slot, formula| Command::Set { target: Setting::Number(Number::Value(slot)), formula };
        self.push(set(counter, start));
        self.push(set(step_kept, step));
        self.push(set(end_kept, end));
        let [h, by, last, left] = [counter, step_kept, end_kept, turns].map(|slot| self.value_of(slot));
        let (zero, one) = (Formula::number(0.0), Formula::number(1.0));
        // a step of 0 makes no turn
        let no_turn = self.jump_unless(by.clone().with(BinaryOperator::NotEqual, &zero));
        let whole = last.clone().with(BinaryOperator::Subtract, &h).with(BinaryOperator::Divide, &by).under("floor");
        self.set_value(turns, whole.unwrap_or_default().with(BinaryOperator::Add, &one));
        let none = self.jump_unless(left.clone().with(BinaryOperator::Greater, &zero));
        self.set_value(variable, h.clone());
        let start = self.mission.program.len();
        self.inner(body);
        self.set_value(counter, h.clone().with(BinaryOperator::Add, &by));
        self.set_value(turns, left.clone().with(BinaryOperator::Subtract, &one));
        // (end - h) step >= 0: not beyond the end
        let room = last.with(BinaryOperator::Subtract, &h).with(BinaryOperator::Multiply, &by);
        let beyond = self.jump_unless(room.with(BinaryOperator::GreaterEqual, &zero));
        self.set_value(variable, h);
        self.land(beyond);
        let out = self.jump_unless(left.with(BinaryOperator::Greater, &zero));
        self.push(Command::Goto(start));
        for jump in [no_turn, none, out] {
            self.land(jump);
        }
    }

    /// A jump that is made unless a formula is true; its place.
    fn jump_unless(&mut self, formula: Formula) -> usize {
        let formula = self.mission.formulas.add(formula);
        self.jump(Some(formula))
    }

    fn toggle(&mut self, statement: &Statement, subscribers: &[Name], on: bool) {
        let mut gui = false;
        for name in subscribers {
            match self.resources.get(&name.text) {
                Some(Resource::Gui) => gui = true,
                Some(Resource::ReportFile(_)) => {
                    self.toggled.push((name.text.clone(), self.mission.program.len()));
                    self.push(Command::Toggle { report: usize::MAX, on }); // linked with the reports
                }
                Some(Resource::EphemerisFile(_)) => {
                    let file = self.mission.ephemerides.iter().position(|file| file.name == name.text);
                    if let Some(file) = file {
                        self.push(Command::ToggleEphemeris { file, on });
                    }
                }
                Some(Resource::Refused) => {}
                _ => {
                    let message = format!("the script has no ReportFile or EphemerisFile `{}`", name.text);
                    self.notes.refuse(name.span, message, "Toggle takes what is written: ReportFiles, EphemerisFiles");
                }
            }
        }
        if gui {
            self.notes.ignore(statement.span, "Toggle (graphical interface)");
        }
    }

    /// Finds the element that a row has where its indices are no numbers: `A(i,j)`.
    fn found_element(&mut self, item: &Expression) {
        let ExpressionKind::Reference(reference) = &item.kind else { return };
        let computed = reference.indices.iter().any(|index| !matches!(index.kind, ExpressionKind::Number(_)));
        let is_array = self.mission.names.value(&reference.path()).is_some();
        let name = written(reference);
        if !computed || !is_array {
            return;
        }
        let known = self.mission.names.elements.iter().find(|element| element.0 == name).map(|element| element.1);
        if let Some(formula) = self.flatten(item) {
            let slot = known.unwrap_or_else(|| self.hidden());
            self.set_value(slot, formula);
            if known.is_none() {
                self.mission.names.elements.push((name, slot));
            }
        }
    }

    /// What begins a new segment in the ephemeris files of a spacecraft: a field of it was set.
    pub(super) fn changed(&mut self, target: &Reference, value: &Expression, by_vary: bool) {
        let names = &self.mission.names.spacecraft;
        let found = names.iter().position(|known| *known == target.parts[0].text);
        if let Some(spacecraft) = found
            && self.mission.ephemerides.iter().any(|file| file.spacecraft == spacecraft)
        {
            let [left, right] = [target.span, value.span].map(|span| self.notes.written(span));
            let text = format!("{left} = {right}{}", if by_vary { " in Vary command" } else { "" });
            self.push(Command::Changed { spacecraft, text, by_vary });
        }
    }

    fn report(&mut self, file: &Name, items: &[Expression]) {
        match self.resources.get(&file.text) {
            Some(Resource::ReportFile(_)) => {
                for item in items {
                    self.found_element(item);
                }
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
}

fn is_silent(keyword: &Name) -> bool {
    SILENT_COMMANDS.iter().any(|(name, _)| *name == keyword.text)
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

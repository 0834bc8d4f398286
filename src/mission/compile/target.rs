//! `Target`, `Vary`, `Achieve`, `EndTarget`, and the `DifferentialCorrector` that solves them.
//!
//! ```text
//! Target                    the spacecraft are kept
//!   Register...             each Vary and Achieve that stands directly inside; an inner Target is flown
//! Pass                      from the kept spacecraft
//!   body
//! EndTarget                 once more from Pass, or on
//! ```
//!
//! An inner Target is a part of the program that registration and body both call.

use super::notes::Notes;
use super::resources::{Assignment, Resource};
use super::sequence::Sequence;
use super::values::shown;
use crate::base::nearest::did_you_mean;
use crate::gmat::formula::Formula;
use crate::gmat::tree::{
    Expression, ExpressionKind, Name, Reference, Setting as Choice, SolveAction, Statement, StatementKind,
    UnaryOperator,
};
use crate::mission::names::Shape;
use crate::mission::program::Command;
use crate::mission::target::{Achieve, Target, Vary};
use crate::solver::settings::{Algorithm, DEFAULT_TOLERANCE, Derivative, ExitMode, Settings, SolveMode, VaryOptions};

const ALGORITHMS: [(&str, Algorithm); 3] = [
    ("NewtonRaphson", Algorithm::NewtonRaphson),
    ("Broyden", Algorithm::Broyden),
    ("ModifiedBroyden", Algorithm::ModifiedBroyden),
];

const DERIVATIVES: [(&str, Derivative); 3] = [
    ("ForwardDifference", Derivative::Forward),
    ("CentralDifference", Derivative::Central),
    ("BackwardDifference", Derivative::Backward),
];

const EXIT_MODES: [(&str, ExitMode); 3] = [
    ("DiscardAndContinue", ExitMode::DiscardAndContinue),
    ("SaveAndContinue", ExitMode::SaveAndContinue),
    ("Stop", ExitMode::Stop),
];

const SOLVE_MODES: [(&str, SolveMode); 2] =
    [("Solve", SolveMode::Solve), ("RunInitialGuess", SolveMode::RunInitialGuess)];

/// The fields that say what a solver shows.
const SHOWN: [&str; 4] = ["ShowProgress", "ReportStyle", "ReportFile", "UseCentralDifferences"];

/// One of some words with meanings.
fn meaning<T: Copy>(value: &Expression, path: &str, words: &[(&'static str, T)], notes: &mut Notes) -> Option<T> {
    let word = notes.word(value, path, words.iter().map(|(word, _)| *word))?;
    words.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning)
}

/// Sets a field of a DifferentialCorrector.
pub(super) fn set(settings: &mut Settings, assignment: &Assignment, notes: &mut Notes) {
    let Assignment { value, path, field, .. } = assignment;
    match field.as_str() {
        "Algorithm" => settings.algorithm = meaning(value, path, &ALGORITHMS, notes).unwrap_or(settings.algorithm),
        "DerivativeMethod" => {
            settings.derivative = meaning(value, path, &DERIVATIVES, notes).unwrap_or(settings.derivative);
        }
        "MaximumIterations" => {
            let Some(number) = notes.number(value, path) else { return };
            if number.fract() == 0.0 && (1.0..1e9).contains(&number) {
                settings.max_iterations = number as u32;
            } else {
                notes.refuse(value.span, format!("`{path}` = {number} is out of range"), "a whole number, 1 or more");
            }
        }
        field if SHOWN.contains(&field) => {}
        _ => {
            let known = ["Algorithm", "DerivativeMethod", "MaximumIterations"];
            notes.unknown_field(assignment, "DifferentialCorrector", known.into_iter().chain(SHOWN));
        }
    }
}

/// The Target whose body is being compiled.
pub(super) struct OpenTarget {
    place: usize,
    /// How many of its Vary and Achieve commands have been met.
    met: (usize, usize),
    /// Where the inner Targets begin, in their order, and how many have been called.
    inner: (Vec<usize>, usize),
    /// Blocks that have been opened since.
    pub(super) depth: usize,
}

impl Sequence<'_, '_> {
    /// A Target or an Optimize with what stands inside.
    pub(super) fn solve(
        &mut self,
        statement: &Statement,
        action: SolveAction,
        solver: &Name,
        options: &[Choice],
        body: &[Statement],
    ) {
        if action == SolveAction::Optimize {
            let message = "command `Optimize` is not supported yet";
            self.notes.refuse(
                Self::keyword_span(statement, 8),
                message,
                "supported: Target with a DifferentialCorrector",
            );
            return self.refused_body(body);
        }
        // an inner Target has been compiled with the registration of the outer one
        if let Some(open) = self.targets.last_mut()
            && open.depth == 0
        {
            let start = open.inner.0.get(open.inner.1).copied();
            open.inner.1 += 1;
            if let Some(start) = start {
                self.push(Command::Call(start));
            }
            return;
        }
        let Some(settings) = self.solver_settings(solver, options) else { return self.refused_body(body) };
        self.target(solver, settings, body);
    }

    fn target(&mut self, solver: &Name, settings: Settings, body: &[Statement]) {
        let direct = direct(body);
        let has = |wanted: fn(&StatementKind) -> bool| direct.iter().any(|statement| wanted(&statement.kind));
        let (varies, achieves) = (
            has(|kind| matches!(kind, StatementKind::Vary { .. })),
            has(|kind| matches!(kind, StatementKind::Achieve { .. })),
        );
        if !varies || !achieves {
            let message = format!("the Target of `{}` has no {}", solver.text, if varies { "Achieve" } else { "Vary" });
            self.notes.refuse(solver.span, message, "directly inside: at least one Vary and one Achieve");
            return self.refused_body(body);
        }
        let place = self.mission.targets.len();
        let solver_place = self.mission.names.solvers.iter().position(|known| *known == solver.text).unwrap_or(0);
        self.mission.targets.push(Target {
            solver: solver_place,
            settings,
            variables: Vec::new(),
            goals: Vec::new(),
            legs: 0..0,
            holds_target: has(|kind| matches!(kind, StatementKind::Solve { action: SolveAction::Target, .. })),
        });
        let first_leg = self.mission.legs.len();
        self.push(Command::Target(place));
        let inner = self.register(place, solver, &direct);
        self.push(Command::Pass(place));
        let pass = self.mission.program.len() - 1;
        self.targets.push(OpenTarget { place, met: (0, 0), inner: (inner, 0), depth: 0 });
        self.commands(body);
        self.targets.pop();
        self.push(Command::EndTarget { target: place, pass });
        self.mission.targets[place].legs = first_leg..self.mission.legs.len();
    }

    /// The registration of what stands directly inside; where inner Targets begin.
    fn register(&mut self, place: usize, solver: &Name, direct: &[&Statement]) -> Vec<usize> {
        let mut inner = Vec::new();
        for statement in direct {
            match &statement.kind {
                StatementKind::Vary { solver: named, variable, initial, options } => {
                    self.same_solver(named, solver);
                    if let Some(vary) = self.vary_of(variable, initial, options) {
                        let variable = self.mission.targets[place].variables.len();
                        self.mission.targets[place].variables.push(vary);
                        self.push(Command::RegisterVary { target: place, variable });
                    }
                }
                StatementKind::Achieve { solver: named, goal, value, options } => {
                    self.same_solver(named, solver);
                    if let Some(achieve) = self.achieve_of(goal, value, options) {
                        let goal = self.mission.targets[place].goals.len();
                        self.mission.targets[place].goals.push(achieve);
                        self.push(Command::RegisterAchieve { target: place, goal });
                    }
                }
                StatementKind::Solve { action: SolveAction::Target, solver, options, body } => {
                    let over = self.jump(None);
                    let start = self.mission.program.len();
                    // compiled as one that stands in no other
                    let outer = std::mem::take(&mut self.targets);
                    match self.solver_settings(solver, options) {
                        Some(settings) => self.target(solver, settings, body),
                        None => self.refused_body(body),
                    }
                    self.targets = outer;
                    self.push(Command::Return);
                    self.land(over);
                    self.push(Command::Call(start));
                    inner.push(start);
                }
                _ => {}
            }
        }
        self.push(Command::EndRegistration(place));
        inner
    }

    /// Vary in the body.
    pub(super) fn vary(&mut self, statement: &Statement) {
        if let Some(open) = self.directly_inside(statement) {
            let (target, variable) = (open.place, open.met.0);
            open.met.0 += 1;
            let count = self.mission.targets[target].variables.len();
            if variable < count {
                self.push(Command::Vary { target, variable });
            }
            // GMAT tells of the last one alone
            if let StatementKind::Vary { variable: name, initial, .. } = &statement.kind
                && variable + 1 == count
            {
                self.changed(name, initial, true);
            }
        }
    }

    /// Achieve in the body.
    pub(super) fn achieve(&mut self, statement: &Statement) {
        if let Some(open) = self.directly_inside(statement) {
            let (target, goal) = (open.place, open.met.1);
            open.met.1 += 1;
            if goal < self.mission.targets[target].goals.len() {
                self.push(Command::Achieve { target, goal });
            }
        }
    }

    /// The Target that a Vary or Achieve stands directly in; told where there is none.
    fn directly_inside(&mut self, statement: &Statement) -> Option<&mut OpenTarget> {
        let word = if matches!(statement.kind, StatementKind::Vary { .. }) { "Vary" } else { "Achieve" };
        if self.targets.last().is_some_and(|open| open.depth == 0) {
            return self.targets.last_mut();
        }
        let message = format!("`{word}` does not stand directly inside a Target");
        let help = "allowed between Target and EndTarget, and not inside If, While or For, as in GMAT";
        self.notes.refuse(Self::keyword_span(statement, word.len()), message, help);
        None
    }

    fn same_solver(&mut self, named: &Name, solver: &Name) {
        if named.text != solver.text {
            let message = format!("`{}` is not the solver of this Target", named.text);
            self.notes.refuse(named.span, message, format!("supported: {}", solver.text));
        }
    }

    /// What a solver and the options of Target say.
    fn solver_settings(&mut self, solver: &Name, options: &[Choice]) -> Option<Settings> {
        let mut settings = match self.resources.get(&solver.text) {
            Some(Resource::DifferentialCorrector(settings)) => *settings,
            Some(Resource::Refused) => return None,
            _ => {
                let names = &self.mission.names.solvers;
                let help = match names[..] {
                    [] => "the script makes none: Create DifferentialCorrector".to_owned(),
                    _ => did_you_mean(&solver.text, names.iter().map(String::as_str)),
                };
                let message = format!("the script has no DifferentialCorrector `{}`", solver.text);
                self.notes.refuse(solver.span, message, help);
                return None;
            }
        };
        for option in options {
            let name = option.name.text.as_str();
            match name {
                "SolveMode" => {
                    settings.solve_mode = meaning(&option.value, name, &SOLVE_MODES, self.notes).unwrap_or_default();
                }
                "ExitMode" => {
                    settings.exit_mode = meaning(&option.value, name, &EXIT_MODES, self.notes).unwrap_or_default();
                }
                "ShowProgressWindow" => {}
                _ => {
                    let message = format!("option `{name}` of Target is not supported");
                    self.notes.refuse(option.name.span, message, "supported: SolveMode, ExitMode, ShowProgressWindow");
                }
            }
        }
        Some(settings)
    }

    fn vary_of(&mut self, variable: &Reference, initial: &Expression, options: &[Choice]) -> Option<Vary> {
        const NAMES: [&str; 6] =
            ["Perturbation", "Lower", "Upper", "MaxStep", "AdditiveScaleFactor", "MultiplicativeScaleFactor"];
        let defaults = VaryOptions::default();
        let mut numbers = [
            defaults.perturbation,
            defaults.lower,
            defaults.upper,
            defaults.max_step,
            defaults.scaling.additive,
            defaults.scaling.multiplicative,
        ]
        .map(|number| Some(self.mission.formulas.add(Formula::number(number))));
        for option in options {
            if let Some(place) = NAMES.iter().position(|name| *name == option.name.text) {
                numbers[place] = self.solver_number(&option.value);
            } else {
                let message = format!("option `{}` of Vary is not supported", option.name.text);
                self.notes.refuse(option.name.span, message, did_you_mean(&option.name.text, NAMES));
            }
        }
        let text = self.mission.names.value(&variable.path()).is_some_and(|value| value.shape == Shape::Text);
        if text {
            self.notes.refuse(variable.span, format!("`{}` is a String, and no number", variable.path()), "a number");
            return None;
        }
        let variable = self.setting(variable);
        let initial = self.solver_number(initial);
        let [perturbation, lower, upper, max_step, additive, multiplicative] = numbers;
        Some(Vary {
            variable: variable?,
            initial: initial?,
            perturbation: perturbation?,
            lower: lower?,
            upper: upper?,
            max_step: max_step?,
            additive: additive?,
            multiplicative: multiplicative?,
        })
    }

    fn achieve_of(&mut self, goal: &Reference, value: &Expression, options: &[Choice]) -> Option<Achieve> {
        let mut tolerance = Some(self.mission.formulas.add(Formula::number(DEFAULT_TOLERANCE)));
        for option in options {
            if option.name.text == "Tolerance" {
                tolerance = self.solver_number(&option.value);
                let number = tolerance.and_then(|formula| self.mission.formulas.all[formula].as_number());
                if number.is_some_and(|number| number <= 0.0) {
                    self.notes.refuse(option.value.span, "`Tolerance` is out of range", "a number above 0");
                }
            } else {
                let message = format!("option `{}` of Achieve is not supported", option.name.text);
                self.notes.refuse(option.name.span, message, "supported: Tolerance");
            }
        }
        let achieved = Expression { span: goal.span, kind: ExpressionKind::Reference(goal.clone()) };
        let achieved = self.formula(&achieved);
        let desired = self.solver_number(value);
        Some(Achieve { achieved: achieved?, desired: desired?, tolerance: tolerance? })
    }

    /// A number of a Vary or Achieve: a literal, or the name of one.
    fn solver_number(&mut self, value: &Expression) -> Option<usize> {
        let plain = |value: &Expression| matches!(value.kind, ExpressionKind::Number(_) | ExpressionKind::Reference(_));
        let signed = matches!(&value.kind, ExpressionKind::Unary(UnaryOperator::Minus | UnaryOperator::Plus, inner) if plain(inner));
        if !plain(value) && !signed && !matches!(value.kind, ExpressionKind::Text(_)) {
            let message = format!("`{}` stands where a solver takes a number", shown(value));
            self.notes.refuse(
                value.span,
                message,
                "a number, a Variable, an element of an Array or a parameter, as in GMAT",
            );
            return None;
        }
        self.formula(value)
    }

    /// What stands inside a block that is refused, but for the commands of solvers.
    pub(super) fn refused_body(&mut self, body: &[Statement]) {
        for statement in body.iter().filter(|statement| !is_solver_command(&statement.kind)) {
            self.commands(std::slice::from_ref(statement));
        }
    }
}

/// What stands directly inside a Target, BeginScript blocks opened.
fn direct(body: &[Statement]) -> Vec<&Statement> {
    body.iter()
        .flat_map(|statement| match &statement.kind {
            StatementKind::Block(inner) => direct(inner),
            _ => vec![statement],
        })
        .collect()
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

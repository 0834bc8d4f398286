//! Statements that stand on their own, and the first lines of blocks.

use super::cursor::Cursor;
use super::expressions::Item;
use crate::gmat::collector::Fault;
use crate::gmat::lexer::TokenKind;
use crate::gmat::tree::{
    BinaryOperator, BurnAction, Created, Expression, ExpressionKind, Name, Propagate, PropagatorCall, Setting,
    SolveAction, StatementKind, StopCondition, Text,
};

/// Commands without a node of their own; their rest is kept as written.
const OTHER_COMMANDS: [&str; 25] = [
    "BeginFileThrust",
    "Breakpoint",
    "ClearPlot",
    "CommandEcho",
    "EndFileThrust",
    "FindEvents",
    "Global",
    "MarkPoint",
    "NoOp",
    "PenDown",
    "PenUp",
    "PrepareMissionSequence",
    "RunEstimator",
    "RunSimulator",
    "RunSmoother",
    "Save",
    "SaveMission",
    "ScriptEvent",
    "Set",
    "SetSeed",
    "Switch",
    "UpdateDynamicData",
    "Write",
    "EndSwitch",
    "Case",
];

/// What a command reads from its line.
type Read = fn(&mut Cursor<'_>) -> Result<StatementKind, Fault>;

/// The reader of a command that has a node and no body.
pub(super) fn simple(keyword: &str) -> Option<Read> {
    Some(match keyword {
        "Create" => create,
        "Propagate" => propagate,
        "Maneuver" => |cursor| burn(cursor, BurnAction::Maneuver),
        "BeginFiniteBurn" => |cursor| burn(cursor, BurnAction::Begin),
        "EndFiniteBurn" => |cursor| burn(cursor, BurnAction::End),
        "Report" => report,
        "Toggle" => toggle,
        "Vary" => vary,
        "Achieve" => achieve,
        "Minimize" => minimize,
        "NonlinearConstraint" => constraint,
        "Stop" => |_| Ok(StatementKind::Stop),
        "CallFunction"
        | "CallGmatFunction"
        | "CallMatlabFunction"
        | "CallPythonFunction"
        | "CallBuiltinGmatFunction" => |cursor| call(cursor),
        _ => return None,
    })
}

/// The reader of the first line of a block; the body is filled in later.
pub(super) fn opener(keyword: &str) -> Option<Read> {
    Some(match keyword {
        "If" => |cursor| Ok(StatementKind::If { branches: vec![(cursor.condition()?, vec![])], otherwise: vec![] }),
        "While" => |cursor| Ok(StatementKind::While { condition: cursor.condition()?, body: vec![] }),
        "For" => counted,
        "Target" => |cursor| solve(cursor, SolveAction::Target),
        "Optimize" => |cursor| solve(cursor, SolveAction::Optimize),
        "BeginScript" => |_| Ok(StatementKind::Block(vec![])),
        _ => return None,
    })
}

/// Whether it is a command whose rest is kept as written.
pub(super) fn is_other(keyword: &str) -> bool {
    OTHER_COMMANDS.contains(&keyword)
}

fn create(cursor: &mut Cursor<'_>) -> Result<StatementKind, Fault> {
    let kind = cursor.name("a resource type, as in `Create Spacecraft Sat`")?;
    let mut objects = Vec::new();
    while objects.is_empty() || !cursor.done() {
        let name = cursor.name("the name of an object, as in `Create Spacecraft Sat`")?;
        let sizes = if cursor.sees(0, '[') { cursor.arguments(']', Item::Formula)? } else { vec![] };
        objects.push(Created { name, sizes });
        if cursor.skip(',') && cursor.done() {
            return Err(cursor.unexpected("the name of an object behind the comma"));
        }
    }
    Ok(StatementKind::Create { kind, objects })
}

/// `#Include 'file'`, behind the keyword; GMAT takes the path without quotes too.
pub(super) fn include(cursor: &mut Cursor<'_>) -> Result<StatementKind, Fault> {
    if let Some(path) = cursor.quoted() {
        return Ok(StatementKind::Include { path });
    }
    if cursor.done() {
        return Err(cursor.unexpected("a path in quotes: #Include 'file.script'"));
    }
    Ok(StatementKind::Include { path: cursor.rest() })
}

/// A command whose rest is kept as written.
pub(super) fn other(cursor: &mut Cursor<'_>, keyword: Name) -> StatementKind {
    StatementKind::Other { keyword, rest: cursor.rest() }
}

/// `Object.Method(a, ../path)` among the resources, where arguments may be texts without quotes.
pub(super) fn method(cursor: &mut Cursor<'_>) -> Result<StatementKind, Fault> {
    let from = cursor.at;
    let open = (from..cursor.tokens.len()).find(|&i| cursor.tokens[i].is('('));
    let Some(open) = open.filter(|&open| cursor.tokens[from..open].iter().any(|token| token.is('.'))) else {
        return call(cursor);
    };
    let mut name = Cursor::new(cursor.source, &cursor.tokens[..open]);
    name.at = from;
    let function = name.reference()?;
    name.finish()?;
    cursor.at = open;
    let arguments = cursor.arguments(')', Item::Literal)?;
    Ok(StatementKind::CallFunction { outputs: vec![], function, arguments })
}

/// `[a, b] = f(x)`, `f(x)`, or `f`, with or without `CallGmatFunction` in front.
pub(super) fn call(cursor: &mut Cursor<'_>) -> Result<StatementKind, Fault> {
    let outputs = if cursor.sees(0, '[') {
        let mut outputs = Vec::new();
        for item in cursor.list(Item::Formula)? {
            match item.kind {
                ExpressionKind::Reference(output) => outputs.push(output),
                _ => return Err(Fault::new(item.span, "an output of a function is not a name", "[a, b] = f(x)")),
            }
        }
        cursor.expect('=', "`=` and a function")?;
        outputs
    } else {
        vec![]
    };
    let mut function = cursor.reference()?;
    let arguments = std::mem::take(&mut function.indices);
    Ok(StatementKind::CallFunction { outputs, function, arguments })
}

fn propagate(cursor: &mut Cursor<'_>) -> Result<StatementKind, Fault> {
    const FORM: &str = "a propagator and its spacecraft, as in `Propagate Prop(Sat) {Sat.ElapsedDays = 1}`";
    let mut node =
        Propagate { synchronized: false, back_prop: false, propagators: vec![], conditions: vec![], options: vec![] };
    loop {
        if cursor.sees(1, '(') {
            break;
        } else if cursor.skip_word("Synchronized") {
            node.synchronized = true;
        } else if cursor.skip_word("BackProp") {
            node.back_prop = true;
        } else {
            break;
        }
    }
    while node.propagators.is_empty() || !cursor.done() && !cursor.sees(0, '{') {
        let backwards = cursor.skip('-');
        let propagator = cursor.name(FORM)?;
        cursor.expect('(', FORM)?;
        let (mut spacecraft, mut matrices) = (Vec::new(), Vec::new());
        while spacecraft.is_empty() || !cursor.sees(0, ')') {
            if cursor.sees(0, '{') && !spacecraft.is_empty() {
                stop_conditions(cursor, &mut node)?;
                break;
            }
            match cursor.quoted().filter(|_| !spacecraft.is_empty()) {
                Some(matrix) => matrices.push(matrix),
                None => spacecraft.push(cursor.name("the name of a spacecraft")?),
            }
            if cursor.skip(',') && cursor.sees(0, ')') {
                return Err(cursor.unexpected("the name of a spacecraft behind the comma"));
            }
        }
        cursor.expect(')', "`,`, `)` or the name of a spacecraft")?;
        node.propagators.push(PropagatorCall { propagator, backwards, spacecraft, matrices });
        if cursor.skip(',') && cursor.done() {
            return Err(cursor.unexpected(FORM));
        }
    }
    while cursor.sees(0, '{') {
        stop_conditions(cursor, &mut node)?;
    }
    node.back_prop |= node.propagators.iter().any(|call| call.backwards);
    Ok(StatementKind::Propagate(node))
}

/// `{Sat.ElapsedDays = 1, Sat.Earth.Apoapsis, StopTolerance = 1e-7}`.
fn stop_conditions(cursor: &mut Cursor<'_>, node: &mut Propagate) -> Result<(), Fault> {
    cursor.braces("a stop condition, as in `{Sat.ElapsedDays = 1}`", |cursor| {
        let mut parameter = cursor.reference()?;
        let value = if cursor.skip('=') { Some(cursor.expression()?) } else { None };
        match value {
            Some(value) if parameter.parts.len() == 1 && parameter.indices.is_empty() => {
                node.options.push(Setting { name: parameter.parts.remove(0), value });
            }
            value => node.conditions.push(StopCondition { parameter, value }),
        }
        Ok(())
    })
}

fn burn(cursor: &mut Cursor<'_>, action: BurnAction) -> Result<StatementKind, Fault> {
    let back_prop = !cursor.sees(1, '(') && cursor.skip_word("BackProp");
    let burn = cursor.name("a burn and its spacecraft, as in `Maneuver Burn(Sat)`")?;
    cursor.expect('(', "`(` and the spacecraft, as in `Maneuver Burn(Sat)`")?;
    let mut spacecraft = vec![cursor.name("the name of a spacecraft")?];
    while !cursor.sees(0, ')') && !cursor.done() {
        cursor.skip(',');
        spacecraft.push(cursor.name("the name of a spacecraft")?);
    }
    cursor.expect(')', "`)`")?;
    Ok(StatementKind::Burn { action, back_prop, burn, spacecraft })
}

fn report(cursor: &mut Cursor<'_>) -> Result<StatementKind, Fault> {
    let file = cursor.name("a ReportFile, as in `Report RF Sat.X`")?;
    cursor.blanks_separate = true;
    let mut items = Vec::new();
    while items.is_empty() || !cursor.done() {
        if !items.is_empty() {
            cursor.skip(',');
        }
        items.push(cursor.expression()?);
    }
    Ok(StatementKind::Report { file, items })
}

fn toggle(cursor: &mut Cursor<'_>) -> Result<StatementKind, Fault> {
    let mut subscribers = Vec::new();
    loop {
        let name = cursor.name("`On` or `Off` behind the names, as in `Toggle RF Off`")?;
        if cursor.done() && matches!(name.text.as_str(), "On" | "Off") && !subscribers.is_empty() {
            return Ok(StatementKind::Toggle { subscribers, on: name.text == "On" });
        }
        subscribers.push(name);
        cursor.skip(',');
    }
}

fn counted(cursor: &mut Cursor<'_>) -> Result<StatementKind, Fault> {
    let variable = cursor.reference()?;
    cursor.expect('=', "`=` and a range, as in `For I = 1:1:10`")?;
    let start = cursor.sum()?;
    cursor.expect(':', "`:`, as in `For I = 1:1:10`")?;
    let mut end = cursor.sum()?;
    let step = if cursor.skip(':') { Some(std::mem::replace(&mut end, cursor.sum()?)) } else { None };
    Ok(StatementKind::For { variable, start, step, end, body: vec![] })
}

fn solve(cursor: &mut Cursor<'_>, action: SolveAction) -> Result<StatementKind, Fault> {
    let solver = cursor.name("a solver, as in `Target DC {SolveMode = Solve}`")?;
    let options = if cursor.done() { vec![] } else { cursor.settings()? };
    Ok(StatementKind::Solve { action, solver, options, body: vec![] })
}

fn vary(cursor: &mut Cursor<'_>) -> Result<StatementKind, Fault> {
    let solver = cursor.solver("`Vary DC(Burn.Element1 = 0.1)`")?;
    let variable = cursor.reference()?;
    cursor.expect('=', "`=` and an initial value")?;
    let initial = cursor.expression()?;
    Ok(StatementKind::Vary { solver, variable, initial, options: cursor.solver_options()? })
}

fn achieve(cursor: &mut Cursor<'_>) -> Result<StatementKind, Fault> {
    let solver = cursor.solver("`Achieve DC(Sat.Earth.RMAG = 42164)`")?;
    let goal = cursor.reference()?;
    cursor.expect('=', "`=` and the value to reach")?;
    let value = cursor.expression()?;
    Ok(StatementKind::Achieve { solver, goal, value, options: cursor.solver_options()? })
}

fn minimize(cursor: &mut Cursor<'_>) -> Result<StatementKind, Fault> {
    let solver = cursor.solver("`Minimize Optimizer(Cost)`")?;
    let objective = cursor.reference()?;
    Ok(StatementKind::Minimize { solver, objective, options: cursor.solver_options()? })
}

fn constraint(cursor: &mut Cursor<'_>) -> Result<StatementKind, Fault> {
    let solver = cursor.solver("`NonlinearConstraint Optimizer(Sat.ECC <= 0.1)`")?;
    let from = cursor.at;
    let left = cursor.sum()?;
    let operator = match cursor.peek(0).map(|token| token.kind) {
        Some(TokenKind::Sign('=') | TokenKind::EqualEqual) => BinaryOperator::Equal,
        Some(TokenKind::LessEqual) => BinaryOperator::LessEqual,
        Some(TokenKind::GreaterEqual) => BinaryOperator::GreaterEqual,
        Some(TokenKind::Sign('<')) => BinaryOperator::Less,
        Some(TokenKind::Sign('>')) => BinaryOperator::Greater,
        _ => return Err(cursor.unexpected("`=`, `<=` or `>=`")),
    };
    cursor.at += 1;
    let right = cursor.sum()?;
    let kind = ExpressionKind::Binary(operator, Box::new(left), Box::new(right));
    let constraint = Expression { span: cursor.span_from(from), kind };
    Ok(StatementKind::NonlinearConstraint { solver, constraint, options: cursor.solver_options()? })
}

impl Cursor<'_> {
    /// The rest of the statement as written; behind the last token where there is none.
    pub(super) fn rest(&mut self) -> Text {
        let (from, to) = (self.at, self.tokens.len());
        self.at = to;
        Text { text: self.written(from, to), span: self.span(from, to) }
    }

    /// The condition of `If`, `ElseIf` and `While`.
    pub(super) fn condition(&mut self) -> Result<Expression, Fault> {
        let condition = self.expression()?;
        if self.sees(0, '=') {
            return Err(self.unexpected("`==` compares"));
        }
        Ok(condition)
    }

    /// `solver(`.
    fn solver(&mut self, form: &str) -> Result<Name, Fault> {
        let solver = self.name(&format!("a solver, as in {form}"))?;
        self.expect('(', &format!("`(`, as in {form}"))?;
        Ok(solver)
    }

    /// `, {name = value, ...})`, `, name = value)` or `)`.
    fn solver_options(&mut self) -> Result<Vec<Setting>, Fault> {
        let mut options = Vec::new();
        while self.skip(',') {
            if self.sees(0, '{') {
                options.append(&mut self.settings()?);
            } else {
                options.push(self.setting()?);
            }
        }
        self.expect(')', "`, {options}` or `)`")?;
        Ok(options)
    }

    /// `{name = value, ...}`.
    fn settings(&mut self) -> Result<Vec<Setting>, Fault> {
        let mut settings = Vec::new();
        self.braces("an option, as in `{Tolerance = 0.1}`", |cursor| {
            settings.push(cursor.setting()?);
            Ok(())
        })?;
        Ok(settings)
    }

    fn setting(&mut self) -> Result<Setting, Fault> {
        let name = self.name("the name of an option")?;
        self.expect('=', "`=` and a value")?;
        Ok(Setting { name, value: self.expression()? })
    }

    /// Items in braces with commas between them; at least one.
    fn braces(&mut self, item: &str, mut read: impl FnMut(&mut Self) -> Result<(), Fault>) -> Result<(), Fault> {
        let open = self.at;
        self.expect('{', "`{`")?;
        loop {
            if self.sees(0, '}') || self.sees(0, ',') {
                return Err(self.unexpected(item));
            }
            read(self)?;
            if self.skip(',') {
                continue;
            }
            if self.done() {
                return Err(Fault::new(
                    self.tokens[open].span(),
                    "`{` is never closed",
                    "`}` is missing; `...` at the end of a line continues a statement",
                ));
            }
            return self.expect('}', "`,` or `}`");
        }
    }
}

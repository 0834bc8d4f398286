//! The syntax tree of a GMAT mission script. Every node knows its place.
//!
//! The tree holds what was written, supported or not: whether a resource, a field or a command can
//! be flown is the checker's business.

use crate::base::problem::Span;

/// A script: its resources and its mission (see [`parse`](super::parse) for where the border runs).
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// Resources: `Create`, assignments of literals, `#Include` before the mission, `Object.Method(...)`.
    pub resources: Vec<Statement>,
    /// The mission sequence.
    pub mission: Vec<Statement>,
}

/// One statement with its place (the whole statement's first line) and its label, if it has one.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The statement without its semicolon, on its first line.
    pub span: Span,
    /// `'One day'` in `Propagate 'One day' Prop(Sat)`.
    pub label: Option<Text>,
    /// What it says.
    pub kind: StatementKind,
}

/// What a statement says.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `Create Type n1 n2`, `Create Array A[2,2]`.
    Create {
        /// The resource type, `Spacecraft`.
        kind: Name,
        /// The objects made.
        objects: Vec<Created>,
    },
    /// `[GMAT] target = value`: a field of a resource, or an equation of the mission sequence.
    Assign {
        /// Left side.
        target: Reference,
        /// Right side.
        value: Expression,
    },
    /// `[a, b] = f(x)`, `f(x)` or `f` of a GMAT, MATLAB or Python function (also `CallGmatFunction ...`),
    /// and `Object.Method(x)`. With a single output written without brackets it is an assignment.
    CallFunction {
        /// What the results go to.
        outputs: Vec<Reference>,
        /// The function; its arguments stand below, not in its indices.
        function: Reference,
        /// Its arguments.
        arguments: Vec<Expression>,
    },
    /// `#Include 'file'`.
    Include {
        /// The path as written.
        path: Text,
    },
    /// `Propagate [Synchronized] [BackProp] P1(S1,S2) P2(S3) {conditions, options}`.
    Propagate(Propagate),
    /// `Maneuver burn(spacecraft)`, `BeginFiniteBurn f(sats)`, `EndFiniteBurn f(sats)`.
    Burn {
        /// Which of the three.
        action: BurnAction,
        /// `BackProp` was given.
        back_prop: bool,
        /// The burn.
        burn: Name,
        /// The spacecraft.
        spacecraft: Vec<Name>,
    },
    /// `Report file p1 p2 ...`.
    Report {
        /// The `ReportFile`.
        file: Name,
        /// What to report.
        items: Vec<Expression>,
    },
    /// `Toggle s1 s2 On|Off`.
    Toggle {
        /// The subscribers.
        subscribers: Vec<Name>,
        /// On or off.
        on: bool,
    },
    /// `If`/`ElseIf` branches in order, and what stands after `Else`.
    If {
        /// Conditions and what they guard.
        branches: Vec<(Expression, Vec<Statement>)>,
        /// After `Else`.
        otherwise: Vec<Statement>,
    },
    /// `While condition ... EndWhile`.
    While {
        /// The condition.
        condition: Expression,
        /// What is repeated.
        body: Vec<Statement>,
    },
    /// `For variable = start:step:end ... EndFor`; a step left out is `None`.
    For {
        /// The counter.
        variable: Reference,
        /// First value.
        start: Expression,
        /// Increment; 1 where left out.
        step: Option<Expression>,
        /// Last value.
        end: Expression,
        /// What is repeated.
        body: Vec<Statement>,
    },
    /// `Target solver {options} ... EndTarget`, `Optimize solver {options} ... EndOptimize`.
    Solve {
        /// Target or Optimize.
        action: SolveAction,
        /// The solver.
        solver: Name,
        /// `{SolveMode = Solve, ExitMode = ...}`.
        options: Vec<Setting>,
        /// The sequence that is solved.
        body: Vec<Statement>,
    },
    /// `Vary solver(x = value, {options})`.
    Vary {
        /// The solver.
        solver: Name,
        /// What is varied.
        variable: Reference,
        /// Its initial value.
        initial: Expression,
        /// `{Perturbation = ..., MaxStep = ...}`.
        options: Vec<Setting>,
    },
    /// `Achieve solver(goal = value, {Tolerance = ...})`.
    Achieve {
        /// The solver.
        solver: Name,
        /// What is to reach the value.
        goal: Reference,
        /// The value.
        value: Expression,
        /// `{Tolerance = ...}`.
        options: Vec<Setting>,
    },
    /// `Minimize solver(objective)`.
    Minimize {
        /// The solver.
        solver: Name,
        /// The objective.
        objective: Reference,
        /// Options, if any.
        options: Vec<Setting>,
    },
    /// `NonlinearConstraint solver(left <= right, {options})`.
    NonlinearConstraint {
        /// The solver.
        solver: Name,
        /// The comparison.
        constraint: Expression,
        /// Options, if any.
        options: Vec<Setting>,
    },
    /// `BeginScript ... EndScript`.
    Block(Vec<Statement>),
    /// `Stop`.
    Stop,
    /// A command this grammar has no node for (`PenUp`, `MarkPoint`, `ClearPlot`, `Save`, `FindEvents`,
    /// `RunEstimator`, ...): its keyword and the rest of the statement as written.
    Other {
        /// The command's keyword.
        keyword: Name,
        /// The rest of the statement, without the label; its place is that of its first line.
        rest: Text,
    },
}

/// A word with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The word.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A text (quotes taken off) with its place (that of what stands between the quotes).
pub type Text = Name;

/// An object of a `Create`: its name, and the sizes of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Created {
    /// The name.
    pub name: Name,
    /// `[2, 3]`; empty for all but arrays.
    pub sizes: Vec<Expression>,
}

/// `Sat`, `Sat.SMA`, `FM.GravityField.Earth.Degree`, `A(1,2)`, `Sat.EarthMJ2000Eq.X`.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The words between the dots; never empty.
    pub parts: Vec<Name>,
    /// `(1,2)` or `[1,2]` behind it; empty where there is none.
    pub indices: Vec<Expression>,
    /// The whole.
    pub span: Span,
}

impl Reference {
    /// The words joined by dots.
    pub fn path(&self) -> String {
        self.parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(".")
    }
}

/// A value or a formula with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// Where, with quotes and parentheses.
    pub span: Span,
    /// What.
    pub kind: ExpressionKind,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionKind {
    /// `7000`, `-1.5e3`; always finite. A sign before a number belongs to it where an operand is expected,
    /// unless `^` or a transpose follows.
    Number(f64),
    /// `'text'`, the quotes taken off.
    Text(String),
    /// A bare word or dotted path, perhaps with indices or arguments behind it: `On`, `Earth`,
    /// `Sat.SMA`, `A(1,2)`, `sin(x)`, `mod(17, 5)`.
    Reference(Reference),
    /// `{a, b}` or `[1 2 3]`; `[1 2; 3 4]` is a list of two lists.
    List(Vec<Expression>),
    /// `-x`, `~x`, and `x'` (transpose).
    Unary(UnaryOperator, Box<Expression>),
    /// `a + b`, `a < b`, `a & b`.
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// A right side before the mission sequence that is none of these: kept as written, such as an
    /// unquoted path (`../out/a.txt`), date (`01 Jan 2026 00:00:00.000`) or hyphenated word (`CCSDS-OEM`),
    /// and a formula that stands before `BeginMissionSequence`, where GMAT allows none.
    Raw(String),
}

/// One operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `-x`.
    Minus,
    /// `+x`.
    Plus,
    /// `~x`.
    Not,
    /// `x'`.
    Transpose,
}

/// Two operands; binding from weak to strong: `|`, `&`, comparisons, `+ -`, `* /`, signs, `^`, and all
/// of them from left to right. As measured on GMAT: `-2^2` is -4, `2^3^2` is 64, `2^-1^2` is 0.25.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `|`.
    Or,
    /// `&`.
    And,
    /// `<`.
    Less,
    /// `<=`.
    LessEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterEqual,
    /// `==`.
    Equal,
    /// `~=`.
    NotEqual,
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`.
    Divide,
    /// `^`.
    Power,
}

/// `name = value` inside braces.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The option.
    pub name: Name,
    /// Its value.
    pub value: Expression,
}

/// `Propagate` in all its forms.
#[derive(Clone, Debug, PartialEq)]
pub struct Propagate {
    /// `Synchronized` was given.
    pub synchronized: bool,
    /// `BackProp` was given (in front, or `-Prop(Sat)`).
    pub back_prop: bool,
    /// `Prop(Sat1, Sat2)`, one or several.
    pub propagators: Vec<PropagatorCall>,
    /// `Sat.ElapsedSecs = 60`, `Sat.Earth.Apoapsis`; the first that is met stops.
    pub conditions: Vec<StopCondition>,
    /// `StopTolerance = 1e-7`, `OrbitColor = ...`.
    pub options: Vec<Setting>,
}

/// `Prop(Sat1, Sat2)`.
#[derive(Clone, Debug, PartialEq)]
pub struct PropagatorCall {
    /// The propagator.
    pub propagator: Name,
    /// A minus sign stood before it.
    pub backwards: bool,
    /// The spacecraft and formations.
    pub spacecraft: Vec<Name>,
    /// Matrices to carry along, `Prop(Sat, 'STM')`: `STM`, `Covariance`, `AMatrix`.
    pub matrices: Vec<Text>,
}

/// `parameter = value`, or an event parameter alone.
#[derive(Clone, Debug, PartialEq)]
pub struct StopCondition {
    /// The parameter.
    pub parameter: Reference,
    /// What it must reach; `None` for `Sat.Earth.Apoapsis` and its like.
    pub value: Option<Expression>,
}

/// Which burn command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BurnAction {
    /// `Maneuver`.
    Maneuver,
    /// `BeginFiniteBurn`.
    Begin,
    /// `EndFiniteBurn`.
    End,
}

/// Which solver command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolveAction {
    /// `Target`.
    Target,
    /// `Optimize`.
    Optimize,
}

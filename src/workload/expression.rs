//! `kind = "expression"`: outputs are formulas over the design's parameters, in the formula language of
//! mission scripts. For tests and sensitivity studies.
//!
//! ```toml
//! [workload]
//! kind = "expression"
//! outputs = { "r" = "Sat.SMA * (1 - Sat.ECC)", "s" = "sin(x)^2" }
//! ```
//!
//! A formula is flattened once into a program for a stack, and evaluated without an allocation.

use std::fmt::Write as _;
use std::ops::Range;

use super::{Column, Executor, Inputs, Kind, Workload, plain_parameters};
use crate::base::lanes::Vectors;
use crate::base::nearest::did_you_mean;
use crate::base::outcome::{Failure, Status};
use crate::base::problem::{Problem, Problems};
use crate::base::run::FinishedRun;
use crate::config::reader::{Reader, cut};
use crate::gmat;
use crate::gmat::tree::{BinaryOperator, Expression, ExpressionKind, Reference, StatementKind, UnaryOperator};

pub(super) const KIND: Kind = Kind {
    name: "expression",
    summary: "outputs = { \"name\" = \"formula over the parameters\" }",
    keys: &["outputs"],
    build: |inputs| Ok(Box::new(Formulas::new(inputs)?)),
};

/// A function of one number.
type One = fn(f64) -> f64;
/// A function of two numbers.
type Two = fn(f64, f64) -> f64;

/// Functions of one number; angles in radians.
const FUNCTIONS: &[(&str, One)] = &[
    ("sin", libm::sin),
    ("cos", libm::cos),
    ("tan", libm::tan),
    ("asin", libm::asin),
    ("acos", libm::acos),
    ("atan", libm::atan),
    ("sinh", libm::sinh),
    ("cosh", libm::cosh),
    ("tanh", libm::tanh),
    ("exp", libm::exp),
    ("log", libm::log),
    ("log10", libm::log10),
    ("sqrt", libm::sqrt),
    ("abs", libm::fabs),
    ("floor", libm::floor),
    ("ceil", libm::ceil),
];

/// Functions of two numbers.
const FUNCTIONS_OF_TWO: &[(&str, Two)] =
    &[("atan2", libm::atan2), ("mod", libm::fmod), ("min", libm::fmin), ("max", libm::fmax), ("pow", libm::pow)];

/// A step of a flat program: numbers go onto a stack, operations take them off.
#[derive(Clone, Copy)]
enum Step {
    Number(f64),
    Parameter(usize),
    One(One),
    Two(Two),
}

struct Formulas {
    parameters: Vec<Column>,
    outputs: Vec<Column>,
    /// One program an output.
    programs: Vec<Vec<Step>>,
    /// The formulas as written, for the hash.
    written: String,
}

impl Formulas {
    fn new(inputs: &Inputs) -> Result<Self, Problems> {
        let config = inputs.config;
        let mut problems = Vec::new();
        let parameters = plain_parameters(inputs, &mut problems);
        let mut reader = Reader::new(&config.file, config.text.clone());
        let table = &config.workload.table;
        let example = "outputs = { \"r\" = \"Sat.SMA * (1 - Sat.ECC)\" }";
        let mut formulas = Formulas { parameters, outputs: Vec::new(), programs: Vec::new(), written: String::new() };
        if let Some(value) = table.get("outputs") {
            if let Some(outputs) = reader.table("workload.outputs", value, &format!("a table such as {example}")) {
                if outputs.entries.is_empty() {
                    reader.refuse(&value.range, "`workload.outputs` names no output", format!("write: {example}"));
                }
                for (key, value) in &outputs.entries {
                    let allowed = "a formula over the design's parameters";
                    let Some(formula) = reader.text_of(&format!("output {}", key.name), value, allowed) else {
                        continue;
                    };
                    match formulas.program(formula) {
                        Ok(program) => {
                            formulas.outputs.push(Column::number(&key.name, formula));
                            formulas.programs.push(program);
                            let _ = write!(formulas.written, "{:?}={formula:?};", key.name);
                        }
                        Err((message, help)) => reader.refuse(&value.range, message, help),
                    }
                }
            }
        } else {
            let message = "`outputs` is missing under [workload], an expression needs it";
            reader.refuse(&table.range, message, format!("write: {example}"));
        }
        problems.extend(reader.finish().1.0);
        if problems.is_empty() { Ok(formulas) } else { Err(Problems(problems)) }
    }

    /// The flat program of a formula, or what is wrong and what is meant.
    fn program(&self, formula: &str) -> Result<Vec<Step>, (String, String)> {
        // the script's own parser reads the formula as the right side of an assignment
        let script = format!("BeginMissionSequence\nx = {formula}\n");
        let fault = |problem: Option<&Problem>| {
            let message = problem.map_or("is no formula", |problem| &problem.message);
            (
                format!("`{}`: {message}", cut(formula)),
                "a formula as in a mission script: + - * / ^ ( ), numbers, parameters, functions".to_owned(),
            )
        };
        let tree = gmat::parse("formula", script.as_bytes()).map_err(|problems| fault(problems.0.first()))?;
        let [statement] = &tree.mission[..] else { return Err(fault(None)) };
        let StatementKind::Assign { value, .. } = &statement.kind else { return Err(fault(None)) };
        let mut program = Vec::new();
        self.flatten(value, &mut program)
            .map_err(|(message, help)| (format!("`{}`: {message}", cut(formula)), help))?;
        Ok(program)
    }

    fn flatten(&self, expression: &Expression, program: &mut Vec<Step>) -> Result<(), (String, String)> {
        match &expression.kind {
            ExpressionKind::Number(number) => program.push(Step::Number(*number)),
            ExpressionKind::Reference(reference) => return self.reference(reference, program),
            ExpressionKind::Unary(UnaryOperator::Plus, inner) => return self.flatten(inner, program),
            ExpressionKind::Unary(UnaryOperator::Minus, inner) => {
                self.flatten(inner, program)?;
                program.push(Step::One(|x| -x));
            }
            ExpressionKind::Binary(operator, left, right) => {
                let operation: Two = match operator {
                    BinaryOperator::Add => |a, b| a + b,
                    BinaryOperator::Subtract => |a, b| a - b,
                    BinaryOperator::Multiply => |a, b| a * b,
                    BinaryOperator::Divide => |a, b| a / b,
                    BinaryOperator::Power => libm::pow,
                    _ => {
                        return Err((
                            "comparisons and logic are no numbers".to_owned(),
                            "supported: + - * / ^".to_owned(),
                        ));
                    }
                };
                self.flatten(left, program)?;
                self.flatten(right, program)?;
                program.push(Step::Two(operation));
            }
            _ => {
                return Err((
                    "texts, lists and matrices are no numbers".to_owned(),
                    "supported: numbers, parameters, functions".to_owned(),
                ));
            }
        }
        Ok(())
    }

    fn reference(&self, reference: &Reference, program: &mut Vec<Step>) -> Result<(), (String, String)> {
        let path = reference.path();
        if reference.indices.is_empty() {
            if let Some(parameter) = self.parameters.iter().position(|column| column.path == path) {
                program.push(Step::Parameter(parameter));
                return Ok(());
            }
            if path == "pi" {
                program.push(Step::Number(std::f64::consts::PI));
                return Ok(());
            }
            let names = self.parameters.iter().map(|column| column.path.as_str()).chain(["pi"]);
            return Err((format!("the design has no parameter `{path}`"), did_you_mean(&path, names)));
        }
        let one = FUNCTIONS.iter().find(|function| function.0 == path).map(|function| Step::One(function.1));
        let two = FUNCTIONS_OF_TWO.iter().find(|function| function.0 == path).map(|function| Step::Two(function.1));
        let (step, takes) = match (one, two) {
            (Some(step), _) => (step, 1),
            (_, Some(step)) => (step, 2),
            _ => {
                let names = FUNCTIONS.iter().map(|f| f.0).chain(FUNCTIONS_OF_TWO.iter().map(|f| f.0));
                return Err((format!("`{path}` is no function"), did_you_mean(&path, names)));
            }
        };
        let given = reference.indices.len();
        if given != takes {
            let help = format!("{path} takes {takes}");
            return Err((format!("`{path}` is given {given} number{}", if given == 1 { "" } else { "s" }), help));
        }
        for argument in &reference.indices {
            self.flatten(argument, program)?;
        }
        program.push(step);
        Ok(())
    }
}

impl Workload for Formulas {
    fn kind(&self) -> &'static str {
        KIND.name
    }

    fn parameters(&self) -> &[Column] {
        &self.parameters
    }

    fn outputs(&self) -> &[Column] {
        &self.outputs
    }

    fn executor(&self, _vectors: Vectors) -> Box<dyn Executor + '_> {
        let longest = self.programs.iter().map(Vec::len).max().unwrap_or(0);
        Box::new(Evaluator {
            formulas: self,
            parameters: vec![0.0; self.parameters.len()],
            outputs: vec![0.0; self.outputs.len()],
            stack: Vec::with_capacity(longest),
        })
    }

    fn side_by_side(&self, _vectors: Vectors) -> u64 {
        1
    }

    fn describe(&self) -> String {
        self.written.clone()
    }
}

struct Evaluator<'a> {
    formulas: &'a Formulas,
    parameters: Vec<f64>,
    outputs: Vec<f64>,
    stack: Vec<f64>,
}

impl Executor for Evaluator<'_> {
    fn execute(
        &mut self,
        runs: Range<u64>,
        values: &dyn Fn(u64, &mut [f64]),
        finished: &mut dyn FnMut(FinishedRun<'_>),
    ) {
        for run in runs {
            values(run, &mut self.parameters);
            for (output, program) in self.outputs.iter_mut().zip(&self.formulas.programs) {
                *output = evaluate(program, &self.parameters, &mut self.stack);
            }
            let failure =
                if self.outputs.iter().all(|output| output.is_finite()) { None } else { Some(Failure::NotFinite) };
            if failure.is_some() {
                self.outputs.fill(f64::NAN);
            }
            finished(FinishedRun {
                run,
                status: failure.map_or(Status::Ok, Failure::status),
                failure,
                parameters: &self.parameters,
                outputs: &self.outputs,
                reports: &[],
                steps: 0,
            });
        }
    }
}

fn evaluate(program: &[Step], parameters: &[f64], stack: &mut Vec<f64>) -> f64 {
    stack.clear();
    for step in program {
        let value = match *step {
            Step::Number(number) => number,
            Step::Parameter(index) => parameters[index],
            Step::One(function) => function(stack.pop().unwrap_or(f64::NAN)),
            Step::Two(function) => {
                let right = stack.pop().unwrap_or(f64::NAN);
                function(stack.pop().unwrap_or(f64::NAN), right)
            }
        };
        stack.push(value);
    }
    stack.pop().unwrap_or(f64::NAN)
}

//! Formulas of the script's language as flat programs for a stack: made once, evaluated without an
//! allocation once the stack has grown.
//!
//! Comparisons and logic give 1 or 0, as conditions want them. Functions are those of libm, so that every
//! machine has the same bits. `sin` and its like take radians, as in GMAT.

use super::collector::shorten;
use super::tree::{BinaryOperator, Expression, ExpressionKind, Reference, UnaryOperator};
use crate::base::nearest::did_you_mean;
use crate::base::problem::Span;

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
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Number(f64),
    /// An input by its index.
    Input(usize),
    Minus,
    Not,
    /// A function by its place in [`FUNCTIONS`].
    One(usize),
    /// A function by its place in [`FUNCTIONS_OF_TWO`].
    Two(usize),
    Operator(BinaryOperator),
}

/// A formula over inputs that have indices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Formula {
    steps: Vec<Step>,
}

/// Why a formula cannot be evaluated: where, what is wrong, what is supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError {
    /// The part of the formula.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What is meant or supported.
    pub help: String,
}

impl Formula {
    /// The program of an expression; `input` gives the index of a reference that is no function.
    ///
    /// # Errors
    /// The first part that is no number: texts, lists, unknown functions, what `input` refuses.
    pub fn new(
        expression: &Expression,
        input: &mut dyn FnMut(&Reference) -> Result<usize, FormulaError>,
    ) -> Result<Formula, FormulaError> {
        let mut formula = Formula::default();
        formula.flatten(expression, input)?;
        Ok(formula)
    }

    /// A number as a formula.
    pub fn number(number: f64) -> Formula {
        Formula { steps: vec![Step::Number(number)] }
    }

    /// An input as a formula.
    pub fn input(index: usize) -> Formula {
        Formula { steps: vec![Step::Input(index)] }
    }

    /// This formula and another one under an operator.
    #[must_use]
    pub fn with(mut self, operator: BinaryOperator, other: &Formula) -> Formula {
        self.steps.extend_from_slice(&other.steps);
        self.steps.push(Step::Operator(operator));
        self
    }

    /// The number itself, if the formula is one.
    pub fn as_number(&self) -> Option<f64> {
        match self.steps[..] {
            [Step::Number(number)] => Some(number),
            _ => None,
        }
    }

    /// The value; `inputs` gives the inputs.
    pub fn value(&self, inputs: &mut dyn FnMut(usize) -> f64, stack: &mut Vec<f64>) -> f64 {
        stack.clear();
        for step in &self.steps {
            let mut pop = || stack.pop().unwrap_or(f64::NAN);
            let value = match *step {
                Step::Number(number) => number,
                Step::Input(index) => inputs(index),
                Step::Minus => -pop(),
                Step::Not => truth(pop() == 0.0),
                Step::One(function) => FUNCTIONS[function].1(pop()),
                Step::Two(function) => {
                    let right = pop();
                    FUNCTIONS_OF_TWO[function].1(pop(), right)
                }
                Step::Operator(operator) => {
                    let right = pop();
                    operation(operator, pop(), right)
                }
            };
            stack.push(value);
        }
        stack.pop().unwrap_or(f64::NAN)
    }

    fn flatten(
        &mut self,
        expression: &Expression,
        input: &mut dyn FnMut(&Reference) -> Result<usize, FormulaError>,
    ) -> Result<(), FormulaError> {
        match &expression.kind {
            ExpressionKind::Number(number) => self.steps.push(Step::Number(*number)),
            ExpressionKind::Text(text) if text.trim().parse::<f64>().is_ok_and(f64::is_finite) => {
                self.steps.push(Step::Number(text.trim().parse().unwrap_or(f64::NAN)));
            }
            ExpressionKind::Reference(reference) => return self.reference(reference, input),
            ExpressionKind::Unary(UnaryOperator::Plus, inner) => return self.flatten(inner, input),
            ExpressionKind::Unary(operator @ (UnaryOperator::Minus | UnaryOperator::Not), inner) => {
                self.flatten(inner, input)?;
                self.steps.push(if *operator == UnaryOperator::Minus { Step::Minus } else { Step::Not });
            }
            ExpressionKind::Binary(operator, left, right) => {
                self.flatten(left, input)?;
                self.flatten(right, input)?;
                self.steps.push(Step::Operator(*operator));
            }
            _ => {
                return Err(FormulaError {
                    span: expression.span,
                    message: "texts, lists and matrices are no numbers".to_owned(),
                    help: "supported: numbers, parameters, functions".to_owned(),
                });
            }
        }
        Ok(())
    }

    fn reference(
        &mut self,
        reference: &Reference,
        input: &mut dyn FnMut(&Reference) -> Result<usize, FormulaError>,
    ) -> Result<(), FormulaError> {
        let path = reference.path();
        if reference.indices.is_empty() {
            self.steps.push(match input(reference) {
                Ok(index) => Step::Input(index),
                Err(_) if path == "pi" => Step::Number(std::f64::consts::PI),
                Err(error) => return Err(error),
            });
            return Ok(());
        }
        let error = |message, help| FormulaError { span: reference.span, message, help };
        let one = FUNCTIONS.iter().position(|function| function.0 == path).map(Step::One);
        let two = FUNCTIONS_OF_TWO.iter().position(|function| function.0 == path).map(Step::Two);
        let (step, takes) = match (one, two) {
            (Some(step), _) => (step, 1),
            (_, Some(step)) => (step, 2),
            _ => {
                let names = FUNCTIONS.iter().map(|f| f.0).chain(FUNCTIONS_OF_TWO.iter().map(|f| f.0));
                return Err(error(format!("`{}` is no function", shorten(&path)), did_you_mean(&path, names)));
            }
        };
        let given = reference.indices.len();
        if given != takes {
            let numbers = if given == 1 { "number" } else { "numbers" };
            return Err(error(format!("`{path}` is given {given} {numbers}"), format!("{path} takes {takes}")));
        }
        for argument in &reference.indices {
            self.flatten(argument, input)?;
        }
        self.steps.push(step);
        Ok(())
    }
}

fn truth(condition: bool) -> f64 {
    f64::from(u8::from(condition))
}

#[allow(clippy::float_cmp)] // == and ~= of the script mean exactly that
fn operation(operator: BinaryOperator, a: f64, b: f64) -> f64 {
    match operator {
        BinaryOperator::Add => a + b,
        BinaryOperator::Subtract => a - b,
        BinaryOperator::Multiply => a * b,
        BinaryOperator::Divide => a / b,
        BinaryOperator::Power => libm::pow(a, b),
        BinaryOperator::Less => truth(a < b),
        BinaryOperator::LessEqual => truth(a <= b),
        BinaryOperator::Greater => truth(a > b),
        BinaryOperator::GreaterEqual => truth(a >= b),
        BinaryOperator::Equal => truth(a == b),
        BinaryOperator::NotEqual => truth(a != b),
        BinaryOperator::And => truth(a != 0.0 && b != 0.0),
        BinaryOperator::Or => truth(a != 0.0 || b != 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gmat::parse;
    use crate::gmat::tree::StatementKind;

    fn value(formula: &str) -> Result<f64, FormulaError> {
        let text = format!("BeginMissionSequence\nx = {formula}\n");
        let tree = parse("formula", text.as_bytes()).unwrap_or_else(|problems| panic!("{problems}"));
        let StatementKind::Assign { value, .. } = &tree.mission[0].kind else { panic!("no assignment") };
        let mut input = |reference: &Reference| match reference.path().as_str() {
            "a" => Ok(0),
            "Sat.X" => Ok(1),
            path => Err(FormulaError { span: reference.span, message: format!("no {path}"), help: String::new() }),
        };
        Ok(Formula::new(value, &mut input)?.value(&mut |index| [5.0, 7.0][index], &mut Vec::new()))
    }

    #[test]
    fn val_formulas() {
        for (formula, expected) in [
            ("-2^2", -4.0),
            ("2^3^2", 64.0),
            ("a + Sat.X * 2", 19.0),
            ("(a - Sat.X) / -4", 0.5),
            ("mod(17, a)", 2.0),
            ("max(sqrt(16), abs(-3)) + min(1, 2)", 5.0),
            ("atan2(0, -1) - pi", 0.0),
        ] {
            assert!((value(formula).unwrap() - expected).abs() < 1e-15, "{formula} gives {:?}", value(formula));
        }
        for (formula, message) in [
            ("sin(1, 2)", "`sin` is given 2 numbers"),
            ("sim(1)", "`sim` is no function"),
            ("b + 1", "no b"),
            ("[1 2]", "texts, lists and matrices are no numbers"),
        ] {
            assert_eq!(value(formula).unwrap_err().message, message);
        }
    }
}

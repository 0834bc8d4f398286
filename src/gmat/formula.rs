//! Formulas of the script's language as flat programs for a stack: made once, evaluated without an
//! allocation once the stack has grown.
//!
//! Comparisons and logic give 1 or 0, as conditions want them. Functions are those of functions.rs; a name may begin
//! with a capital.

use super::collector::shorten;
use super::functions::{FUNCTIONS, FUNCTIONS_OF_TWO, OF_ANY_COUNT};
use super::tree::{BinaryOperator, Expression, ExpressionKind, Reference, UnaryOperator};
use crate::base::nearest::did_you_mean;
use crate::base::problem::Span;

/// A step of a flat program: numbers go onto a stack, operations take them off.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Number(f64),
    /// An input by its index.
    Input(usize),
    /// An element of an Array by the Array's index; one or two indices are taken off.
    Element {
        array: usize,
        indices: usize,
    },
    Minus,
    Not,
    /// A function by its place in [`FUNCTIONS`].
    One(usize),
    /// A function by its place in [`FUNCTIONS_OF_TWO`].
    Two(usize),
    Operator(BinaryOperator),
    /// Whether two texts are equal, by the numbers that stand for them.
    SameText,
    /// A random number, see [`Ask::Random`].
    Random {
        normal: bool,
    },
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

/// What a reference means in a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// An input by its index.
    Input(usize),
    /// An element of an Array, by the Array's index; the reference's indices are formulas.
    Element(usize),
    /// `rand()`, or `randn()` (normal).
    Random {
        /// Normally distributed, rather than evenly from 0 to 1.
        normal: bool,
    },
}

/// What a formula asks for while it is evaluated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ask<'s> {
    /// An input by its index.
    Input(usize),
    /// An element of an Array: its index, and one or two numbers that should be whole and inside.
    Element(usize, &'s [f64]),
    /// 1 if two texts are equal, else 0; by the numbers that stand for them.
    SameText(f64, f64),
    /// The next random number: evenly distributed from 0 to 1, or normally.
    Random {
        /// Normally.
        normal: bool,
    },
}

/// Where the names of a formula come from.
pub trait Scope {
    /// What a reference that is no function means.
    ///
    /// # Errors
    /// Where it means nothing.
    fn operand(&mut self, reference: &Reference) -> Result<Operand, FormulaError>;

    /// Whether a reference is an object of the scope although it has a function's name.
    fn hides(&self, _reference: &Reference) -> bool {
        false
    }

    /// The number that stands for a text in comparisons, where a reference or a literal is one.
    fn text(&mut self, expression: &Expression) -> Option<Formula>;
}

/// That a reference with arguments is no function; `arrays` are the names of Arrays.
pub fn no_function<'a>(reference: &Reference, arrays: impl Iterator<Item = &'a str>) -> FormulaError {
    let path = reference.path();
    let functions =
        FUNCTIONS.iter().map(|function| function.0).chain(FUNCTIONS_OF_TWO.iter().map(|function| function.0));
    let help = did_you_mean(&path, functions.chain(arrays));
    FormulaError { span: reference.span, message: format!("`{}` is no function", shorten(&path)), help }
}

impl Formula {
    /// The program of an expression.
    ///
    /// # Errors
    /// The first part that is no number: texts, lists, unknown functions, what the scope refuses.
    pub fn new(expression: &Expression, scope: &mut dyn Scope) -> Result<Formula, FormulaError> {
        let mut formula = Formula::default();
        formula.flatten(expression, scope)?;
        Ok(formula)
    }

    /// A number as a formula.
    pub fn number(number: f64) -> Formula {
        Formula { steps: vec![Step::Number(number)] }
    }

    /// A random number as a formula.
    pub fn random(normal: bool) -> Formula {
        Formula { steps: vec![Step::Random { normal }] }
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

    /// A function of this formula, if there is one of that name.
    pub fn under(mut self, name: &str) -> Option<Formula> {
        let function = FUNCTIONS.iter().position(|function| function.0 == name)?;
        self.steps.push(Step::One(function));
        Some(self)
    }

    /// The value; `inputs` gives what it asks for.
    pub fn value(&self, inputs: &mut dyn FnMut(Ask) -> f64, stack: &mut Vec<f64>) -> f64 {
        stack.clear();
        for step in &self.steps {
            if let Step::Element { array, indices } = *step {
                let from = stack.len().saturating_sub(indices);
                let value = inputs(Ask::Element(array, &stack[from..]));
                stack.truncate(from);
                stack.push(value);
                continue;
            }
            let mut pop = || stack.pop().unwrap_or(f64::NAN);
            let value = match *step {
                Step::Number(number) => number,
                Step::Input(index) => inputs(Ask::Input(index)),
                Step::Element { .. } => unreachable!("done above"),
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
                Step::SameText => {
                    let right = pop();
                    inputs(Ask::SameText(pop(), right))
                }
                Step::Random { normal } => inputs(Ask::Random { normal }),
            };
            stack.push(value);
        }
        stack.pop().unwrap_or(f64::NAN)
    }

    fn flatten(&mut self, expression: &Expression, scope: &mut dyn Scope) -> Result<(), FormulaError> {
        match &expression.kind {
            ExpressionKind::Number(number) => self.steps.push(Step::Number(*number)),
            ExpressionKind::Text(text) if text.trim().parse::<f64>().is_ok_and(f64::is_finite) => {
                self.steps.push(Step::Number(text.trim().parse().unwrap_or(f64::NAN)));
            }
            ExpressionKind::Reference(reference) => return self.reference(reference, scope),
            ExpressionKind::Unary(UnaryOperator::Plus, inner) => return self.flatten(inner, scope),
            ExpressionKind::Unary(operator @ (UnaryOperator::Minus | UnaryOperator::Not), inner) => {
                self.flatten(inner, scope)?;
                self.steps.push(if *operator == UnaryOperator::Minus { Step::Minus } else { Step::Not });
            }
            ExpressionKind::Binary(operator, left, right) => {
                let compares = matches!(operator, BinaryOperator::Equal | BinaryOperator::NotEqual);
                if let Some(texts) = compares.then(|| Some([scope.text(left)?, scope.text(right)?])).flatten() {
                    for text in texts {
                        self.steps.extend_from_slice(&text.steps);
                    }
                    self.steps.push(Step::SameText);
                    self.steps.extend((*operator == BinaryOperator::NotEqual).then_some(Step::Not));
                    return Ok(());
                }
                self.flatten(left, scope)?;
                self.flatten(right, scope)?;
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

    fn reference(&mut self, reference: &Reference, scope: &mut dyn Scope) -> Result<(), FormulaError> {
        let path = reference.path();
        let error = |message, help| FormulaError { span: reference.span, message, help };
        let mut name = path.clone();
        name.get_mut(..1).into_iter().for_each(str::make_ascii_lowercase);
        let any_count = OF_ANY_COUNT.contains(&name.as_str());
        let one = FUNCTIONS.iter().position(|function| function.0 == name).map(Step::One);
        let two = FUNCTIONS_OF_TWO.iter().position(|function| function.0 == name).map(Step::Two);
        let called = !reference.indices.is_empty() && !scope.hides(reference);
        let (step, takes) = match (one, two) {
            (Some(step), _) if called => (step, 1),
            (_, Some(step)) if called => (step, 2),
            _ => {
                let step = match scope.operand(reference) {
                    Ok(Operand::Input(index)) => Step::Input(index),
                    Ok(Operand::Element(array)) => {
                        for index in &reference.indices {
                            self.flatten(index, scope)?;
                        }
                        Step::Element { array, indices: reference.indices.len() }
                    }
                    Ok(Operand::Random { normal }) => Step::Random { normal },
                    Err(_) if path == "pi" && reference.indices.is_empty() => Step::Number(std::f64::consts::PI),
                    Err(error) => return Err(error),
                };
                self.steps.push(step);
                return Ok(());
            }
        };
        let given = reference.indices.len();
        if given != takes && !any_count {
            let numbers = if given == 1 { "number" } else { "numbers" };
            return Err(error(format!("`{path}` is given {given} {numbers}"), format!("{path} takes {takes}")));
        }
        for (number, argument) in reference.indices.iter().enumerate() {
            self.flatten(argument, scope)?;
            if any_count && number > 0 {
                self.steps.push(step);
            }
        }
        if !any_count {
            self.steps.push(step);
        }
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

    /// `a` is 5, `Sat.X` 7, `A` an Array whose element i, j is 10 i + j, `s` the text of number 3.
    struct Names;

    impl Scope for Names {
        fn operand(&mut self, reference: &Reference) -> Result<Operand, FormulaError> {
            match reference.path().as_str() {
                "a" => Ok(Operand::Input(0)),
                "Sat.X" => Ok(Operand::Input(1)),
                "A" => Ok(Operand::Element(0)),
                path => Err(FormulaError { span: reference.span, message: format!("no {path}"), help: String::new() }),
            }
        }

        fn text(&mut self, expression: &Expression) -> Option<Formula> {
            match &expression.kind {
                ExpressionKind::Text(text) => Some(Formula::number(text.len() as f64)),
                ExpressionKind::Reference(reference) if reference.path() == "s" => Some(Formula::number(3.0)),
                _ => None,
            }
        }
    }

    fn value(formula: &str) -> Result<f64, FormulaError> {
        let text = format!("BeginMissionSequence\nx = {formula}\n");
        let tree = parse("formula", text.as_bytes()).unwrap_or_else(|problems| panic!("{problems}"));
        let StatementKind::Assign { value, .. } = &tree.mission[0].kind else { panic!("no assignment") };
        let mut inputs = |ask: Ask| match ask {
            Ask::Input(index) => [5.0, 7.0][index],
            Ask::Element(_, indices) => 10.0 * indices[0] + indices.get(1).copied().unwrap_or(1.0),
            Ask::SameText(a, b) => truth(a.to_bits() == b.to_bits()),
            Ask::Random { .. } => f64::NAN,
        };
        Ok(Formula::new(value, &mut Names)?.value(&mut inputs, &mut Vec::new()))
    }

    #[test]
    fn val_formulas() {
        for (formula, expected) in [
            ("-2^2", -4.0),
            ("2^3^2", 64.0),
            ("a + Sat.X * 2", 19.0),
            ("(a - Sat.X) / -4", 0.5),
            ("mod(17, a)", 2.0),
            ("mod(-17, a) + mod(17, -5)", 0.0),
            ("DegToRad(180) / acos(-1) + Fix(-2.5) + sign(-a)", -2.0),
            ("max(sqrt(16), abs(-3)) + min(3, 1, 2)", 5.0),
            ("asin(1 + 1e-15) * 2 - pi", 0.0),
            ("atan2(0, -1) - pi", 0.0),
            ("1 + A(a - 3, A(1) / 11) * 2", 43.0),
            ("(s == 'abc') + 2 * (s ~= 'abcd') + 4 * ('a' == s)", 3.0),
        ] {
            assert!((value(formula).unwrap() - expected).abs() < 1e-15, "{formula} gives {:?}", value(formula));
        }
        for formula in ["sqrt(-1)", "log(0)", "log10(-1)", "asin(1.1)", "acos(-1 - 1e-15)", "mod(1, 0)", "0/0"] {
            assert!(value(formula).unwrap().is_nan(), "{formula} gives {:?}", value(formula));
        }
        for (formula, message) in [
            ("sin(1, 2)", "`sin` is given 2 numbers"),
            ("sim(1)", "no sim"),
            ("b + 1", "no b"),
            ("[1 2]", "texts, lists and matrices are no numbers"),
        ] {
            assert_eq!(value(formula).unwrap_err().message, message);
        }
    }
}

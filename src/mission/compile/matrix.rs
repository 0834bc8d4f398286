//! Arrays as a whole: every element of an array formula becomes a formula of its own.
//!
//! Their sizes are known while the script is compiled, so a run knows numbers only. What is computed from more than
//! names goes through numbers without a name, so that `A = A*B` reads the old A throughout.
//! Tests: `language_matrices` of tests/fly.rs.

use super::sequence::Sequence;
use crate::gmat::formula::Formula;
use crate::gmat::tree::{BinaryOperator, Expression, ExpressionKind, Reference, UnaryOperator};
use crate::mission::names::{Names, Shape, Value};
use crate::mission::program::{Command, DETERMINANT_MAX, INVERSE_MAX};

/// Functions of matrices.
const FUNCTIONS: [&str; 8] = ["inv", "transpose", "norm", "det", "cross", "diag", "rand", "randn"];

/// The most rows of a matrix of random numbers.
const RANDOM_MAX: f64 = 100.0;

/// The formulas of a matrix, row by row.
pub(super) struct Matrix {
    rows: usize,
    columns: usize,
    elements: Vec<Formula>,
}

impl Matrix {
    fn scalar(formula: Formula) -> Self {
        Matrix { rows: 1, columns: 1, elements: vec![formula] }
    }

    fn at(&self, row: usize, column: usize) -> &Formula {
        &self.elements[row * self.columns + column]
    }

    fn is_scalar(&self) -> bool {
        self.elements.len() == 1
    }

    fn size(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }
}

/// Whether an expression names an Array as a whole, or a function of matrices.
pub(super) fn has_matrices(value: &Expression, names: &Names) -> bool {
    match &value.kind {
        ExpressionKind::Reference(reference) => {
            is_array(reference, names)
                || is_function(reference, names)
                || reference.indices.iter().any(|index| has_matrices(index, names))
        }
        ExpressionKind::Unary(operator, inner) => *operator == UnaryOperator::Transpose || has_matrices(inner, names),
        ExpressionKind::Binary(_, left, right) => has_matrices(left, names) || has_matrices(right, names),
        ExpressionKind::List(_) => true,
        _ => false,
    }
}

fn is_array(reference: &Reference, names: &Names) -> bool {
    let array = |value: &Value| matches!(value.shape, Shape::Array { rows, columns } if rows * columns > 1);
    reference.indices.is_empty() && reference.parts.len() == 1 && names.value(&reference.path()).is_some_and(array)
}

fn is_function(reference: &Reference, names: &Names) -> bool {
    let known = FUNCTIONS.contains(&name_of(reference).as_str());
    known && !reference.indices.is_empty() && names.value(&reference.path()).is_none()
}

/// The name of a function, whose first letter may be a capital.
fn name_of(reference: &Reference) -> String {
    let mut name = reference.path();
    name.get_mut(..1).into_iter().for_each(str::make_ascii_lowercase);
    name
}

impl Sequence<'_, '_> {
    /// The index of the formula of an expression with matrices in it that is a number.
    pub(super) fn scalar(&mut self, value: &Expression) -> Option<usize> {
        let matrix = self.matrix(value)?;
        if !matrix.is_scalar() {
            let message = format!("a matrix of {} x {} stands where a number must", matrix.rows, matrix.columns);
            self.notes.refuse(value.span, message, "an element of it: A(1,2)");
            return None;
        }
        let formula = matrix.elements.into_iter().next()?;
        Some(self.mission.formulas.add(formula))
    }

    /// `A = matrix`.
    pub(super) fn assign_matrix(&mut self, array: &Value, size: (usize, usize), value: &Expression) {
        let Some(matrix) = self.matrix(value) else { return };
        if matrix.size() != size {
            let message = format!(
                "`{}` has {} x {} elements, the right side {} x {}",
                array.name, size.0, size.1, matrix.rows, matrix.columns
            );
            self.notes.refuse(value.span, message, "matrices of the same size");
            return;
        }
        let kept = self.kept(matrix);
        for (place, formula) in kept.elements.into_iter().enumerate() {
            self.set_value(array.slot + place, formula);
        }
    }

    /// The same matrix from numbers of its own, set here.
    fn kept(&mut self, matrix: Matrix) -> Matrix {
        let Matrix { rows, columns, elements } = matrix;
        let slot = self.kept_at(elements);
        self.at_slot(slot, rows, columns)
    }

    /// Numbers of their own, one after the other, set here; the place of the first.
    fn kept_at(&mut self, elements: Vec<Formula>) -> usize {
        let first = self.mission.pristine.values.len();
        for formula in elements {
            let slot = self.hidden();
            self.set_value(slot, formula);
        }
        first
    }

    /// A matrix of numbers that stand one after the other.
    fn at_slot(&mut self, slot: usize, rows: usize, columns: usize) -> Matrix {
        let elements = (0..rows * columns).map(|place| self.value_of(slot + place)).collect();
        Matrix { rows, columns, elements }
    }

    fn matrix(&mut self, value: &Expression) -> Option<Matrix> {
        if !has_matrices(value, &self.mission.names) {
            return self.flatten(value).map(Matrix::scalar);
        }
        match &value.kind {
            ExpressionKind::Reference(reference) if is_array(reference, &self.mission.names) => {
                let array = self.mission.names.value(&reference.path())?.clone();
                let Shape::Array { rows, columns } = array.shape else { return None };
                Some(self.at_slot(array.slot, rows, columns))
            }
            ExpressionKind::Reference(reference) if is_function(reference, &self.mission.names) => {
                self.matrix_function(value, reference)
            }
            ExpressionKind::Unary(operator, inner) => {
                let matrix = self.matrix(inner)?;
                Some(match operator {
                    UnaryOperator::Transpose => transposed(&matrix),
                    UnaryOperator::Minus => {
                        let minus = Formula::number(-1.0);
                        each(&matrix, |element| element.clone().with(BinaryOperator::Multiply, &minus))
                    }
                    UnaryOperator::Plus => matrix,
                    UnaryOperator::Not => return self.no_matrix(value, "~ of a matrix"),
                })
            }
            ExpressionKind::Binary(operator, left, right) => {
                let (left, right) = (self.matrix(left)?, self.matrix(right)?);
                let (left, right) = (self.kept_unless_scalar(left), self.kept_unless_scalar(right));
                self.binary(value, *operator, &left, &right)
            }
            ExpressionKind::List(rows) => self.literal(value, rows),
            // a function of numbers with a matrix function inside
            _ => self.no_matrix(value, "a matrix inside a function of numbers"),
        }
    }

    fn kept_unless_scalar(&mut self, matrix: Matrix) -> Matrix {
        if matrix.is_scalar() { matrix } else { self.kept(matrix) }
    }

    fn no_matrix(&mut self, value: &Expression, what: &str) -> Option<Matrix> {
        let help = "supported: + - * / of matrices, ', inv, transpose, norm, det, cross, diag, rand, randn, [1 2; 3 4]";
        self.notes.refuse(value.span, format!("{what} is not supported"), help);
        None
    }

    /// `[1 2; 3 4]`, `[1 2 3]`.
    fn literal(&mut self, value: &Expression, items: &[Expression]) -> Option<Matrix> {
        let row_of = |item: &Expression| match &item.kind {
            ExpressionKind::List(row) => Some(row.clone()),
            _ => None,
        };
        let nested: Option<Vec<Vec<Expression>>> = items.iter().map(row_of).collect();
        let rows = nested.unwrap_or_else(|| vec![items.to_vec()]);
        let columns = rows.first().map_or(0, Vec::len);
        if columns == 0 || rows.iter().any(|row| row.len() != columns) {
            return self.no_matrix(value, "a matrix with rows of several lengths");
        }
        let elements: Option<Vec<Formula>> = rows.iter().flatten().map(|item| self.flatten(item)).collect();
        Some(Matrix { rows: rows.len(), columns, elements: elements? })
    }

    fn binary(&mut self, value: &Expression, operator: BinaryOperator, a: &Matrix, b: &Matrix) -> Option<Matrix> {
        use BinaryOperator::{Add, Divide, Multiply, Power, Subtract};
        match operator {
            Power if a.rows == a.columns && b.is_scalar() && b.elements[0].as_number() == Some(-1.0) => {
                self.inverse(value, a)
            }
            _ if a.is_scalar() && b.is_scalar() => {
                Some(Matrix::scalar(a.elements[0].clone().with(operator, &b.elements[0])))
            }
            Multiply if a.is_scalar() => Some(each(b, |element| a.elements[0].clone().with(Multiply, element))),
            Add | Subtract | Multiply | Divide if b.is_scalar() => {
                Some(each(a, |element| element.clone().with(operator, &b.elements[0])))
            }
            Add | Subtract if a.is_scalar() => Some(each(b, |element| a.elements[0].clone().with(operator, element))),
            Add | Subtract if a.size() == b.size() => {
                let elements = a.elements.iter().zip(&b.elements).map(|(a, b)| a.clone().with(operator, b)).collect();
                Some(Matrix { rows: a.rows, columns: a.columns, elements })
            }
            Multiply if a.columns == b.rows => Some(product(a, b)),
            Divide if a.columns == b.rows && b.rows == b.columns => {
                let inverse = self.inverse(value, b)?;
                Some(product(a, &inverse))
            }
            _ => {
                let message = format!(
                    "matrices of {} x {} and {} x {} do not go together here",
                    a.rows, a.columns, b.rows, b.columns
                );
                self.notes.refuse(
                    value.span,
                    message,
                    "the same size for + and -, columns of the left = rows of the right for *",
                );
                None
            }
        }
    }

    fn matrix_function(&mut self, value: &Expression, reference: &Reference) -> Option<Matrix> {
        let name = name_of(reference);
        let takes = if name == "cross" { 2 } else { 1 };
        if reference.indices.len() != takes {
            let message = format!("`{name}` is given {} arguments", reference.indices.len());
            self.notes.refuse(value.span, message, format!("{name} takes {takes}"));
            return None;
        }
        if matches!(name.as_str(), "rand" | "randn") {
            return self.random(value, reference, name == "randn");
        }
        let argument = self.matrix(&reference.indices[0])?;
        let argument = self.kept_unless_scalar(argument);
        let square = argument.rows == argument.columns;
        match name.as_str() {
            "transpose" => Some(transposed(&argument)),
            "norm" if argument.rows == 1 || argument.columns == 1 => {
                let squares =
                    argument.elements.iter().map(|element| element.clone().with(BinaryOperator::Multiply, element));
                let sum = squares.reduce(|sum, square| sum.with(BinaryOperator::Add, &square))?;
                sum.under("sqrt").map(Matrix::scalar)
            }
            "det" if square && argument.rows <= DETERMINANT_MAX => {
                let rows = argument.rows;
                let from = self.kept_at(argument.elements);
                let to = self.hidden();
                self.push(Command::Determinant { to, from, rows });
                Some(self.at_slot(to, 1, 1))
            }
            "inv" if square => self.inverse(value, &argument),
            "diag" if argument.rows == 1 => Some(diagonal(&argument)),
            "cross" => {
                let other = self.matrix(&reference.indices[1])?;
                let other = self.kept_unless_scalar(other);
                if argument.elements.len() != 3 || other.elements.len() != 3 {
                    return self.no_matrix(value, "cross of anything but vectors of three");
                }
                let (a, b) = (&argument.elements, &other.elements);
                let term = |i: usize, j: usize| minor(&a[i], &b[j], &a[j], &b[i]);
                let elements = vec![term(1, 2), term(2, 0), term(0, 1)];
                Some(Matrix { rows: argument.rows, columns: argument.columns, elements })
            }
            "norm" => self.no_matrix(value, "norm of a matrix that is no vector"),
            _ => self.no_matrix(value, &format!("{name} of a matrix of {} x {}", argument.rows, argument.columns)),
        }
    }

    /// The inverse of a square matrix.
    fn inverse(&mut self, value: &Expression, matrix: &Matrix) -> Option<Matrix> {
        let rows = matrix.rows;
        if rows > INVERSE_MAX {
            return self.no_matrix(value, &format!("inv of a matrix of {rows} x {rows}"));
        }
        let from = self.kept_at(matrix.elements.clone());
        let to = self.kept_at(vec![Formula::number(0.0); rows * rows]);
        self.push(Command::Invert { to, from, rows });
        Some(self.at_slot(to, rows, rows))
    }

    /// `rand(3)`: a square matrix of random numbers.
    fn random(&mut self, value: &Expression, reference: &Reference, normal: bool) -> Option<Matrix> {
        if !self.seeded {
            let message = format!("`{}` gives other numbers in every flight without SetSeed", reference.path());
            self.notes.refuse(value.span, message, "SetSeed(1) above it");
            return None;
        }
        let size = match reference.indices[0].kind {
            ExpressionKind::Number(size) if size.fract() == 0.0 && (1.0..=RANDOM_MAX).contains(&size) => size as usize,
            _ => return self.no_matrix(value, "a random matrix of this size"),
        };
        let matrix = Matrix { rows: size, columns: size, elements: vec![Formula::random(normal); size * size] };
        Some(self.kept(matrix))
    }
}

/// The matrix with the elements of a row on its diagonal.
fn diagonal(row: &Matrix) -> Matrix {
    let n = row.columns;
    let element = |place: usize| {
        if place / n == place % n { row.elements[place % n].clone() } else { Formula::number(0.0) }
    };
    Matrix { rows: n, columns: n, elements: (0..n * n).map(element).collect() }
}

fn each(matrix: &Matrix, of: impl Fn(&Formula) -> Formula) -> Matrix {
    Matrix { rows: matrix.rows, columns: matrix.columns, elements: matrix.elements.iter().map(of).collect() }
}

fn transposed(matrix: &Matrix) -> Matrix {
    let (rows, columns) = (matrix.columns, matrix.rows);
    let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    Matrix { rows, columns, elements: places.map(|(row, column)| matrix.at(column, row).clone()).collect() }
}

/// c_ij = sum_k a_ik b_kj
fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let places = (0..a.rows).flat_map(|row| (0..b.columns).map(move |column| (row, column)));
    let element = |(row, column): (usize, usize)| {
        let terms = (0..a.columns).map(|k| a.at(row, k).clone().with(BinaryOperator::Multiply, b.at(k, column)));
        terms.reduce(|sum, term| sum.with(BinaryOperator::Add, &term)).unwrap_or_else(|| Formula::number(0.0))
    };
    Matrix { rows: a.rows, columns: b.columns, elements: places.map(element).collect() }
}

/// a b - c d
fn minor(a: &Formula, b: &Formula, c: &Formula, d: &Formula) -> Formula {
    let second = c.clone().with(BinaryOperator::Multiply, d);
    a.clone().with(BinaryOperator::Multiply, b).with(BinaryOperator::Subtract, &second)
}

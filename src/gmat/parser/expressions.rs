//! Formulas, conditions, lists, and references with indices or arguments.
//!
//! Binding as measured on GMAT R2026a: `-2^2` is -4, `2^3^2` is 64, `2^-1^2` is 0.25, and
//! `a | b & c` is `a | (b & c)`.

use super::cursor::Cursor;
use crate::gmat::collector::Fault;
use crate::gmat::lexer::{Token, TokenKind};
use crate::gmat::tree::{BinaryOperator, Expression, ExpressionKind, Name, Reference, UnaryOperator};
use crate::gmat::{MAX_NESTING, MAX_OPERATORS};

/// How strongly `+` and `-` bind; comparisons bind one less.
const SUM: u8 = 4;
/// How strongly `^` binds.
const POWER: u8 = 7;

/// What the items of a list or the arguments of a function are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    /// Formulas.
    Formula,
    /// Literals, perhaps without quotes; GMAT passes over empty ones, as in `{a, , b}`, and so do we.
    Literal,
}

const VALUE: &str = "a number, a name, 'text', a list or a parenthesis";

impl Cursor<'_> {
    /// An expression as long as it goes.
    pub(super) fn expression(&mut self) -> Result<Expression, Fault> {
        self.operators = 0;
        self.binary(0)
    }

    /// An expression without comparisons, `&` and `|`.
    pub(super) fn sum(&mut self) -> Result<Expression, Fault> {
        self.operators = 0;
        self.binary(SUM)
    }

    /// Operands joined by operators that bind at least that strongly.
    fn binary(&mut self, weakest: u8) -> Result<Expression, Fault> {
        let from = self.at;
        let mut left = self.operand(weakest)?;
        while let Some((operator, strength)) = self.peek(0).and_then(operator) {
            if strength < weakest || self.starts_item() {
                break;
            }
            self.count_operator()?;
            self.at += 1;
            let right = self.binary(strength + 1)?;
            let kind = ExpressionKind::Binary(operator, Box::new(left), Box::new(right));
            left = Expression { span: self.span_from(from), kind };
        }
        Ok(left)
    }

    /// In `[1 -2]` the sign begins the next item; in `[1 - 2]` and `[1-2]` it does not.
    fn starts_item(&self) -> bool {
        let sign = self.sees(0, '-') || self.sees(0, '+');
        let glued = |ahead: usize| self.peek(ahead).is_some_and(|token| token.glued);
        self.blanks_separate && sign && !glued(0) && glued(1)
    }

    fn count_operator(&mut self) -> Result<(), Fault> {
        self.count_operators(1)
    }

    /// Behind a list or arguments: the operators of its longest item are those of the expression as well, so that a tree is
    /// no deeper than it has operators.
    fn count_items(&mut self, (operators, most): (usize, usize)) -> Result<(), Fault> {
        let inside = std::mem::replace(&mut self.most, most);
        self.operators = operators;
        self.count_operators(inside)
    }

    fn count_operators(&mut self, more: usize) -> Result<(), Fault> {
        self.operators += more;
        if self.operators > MAX_OPERATORS {
            let help = format!("at most {MAX_OPERATORS}; use Variables for parts of it");
            return Err(Fault::new(self.here(), "the expression has too many operators", help));
        }
        Ok(())
    }

    fn here(&self) -> crate::base::problem::Span {
        self.peek(0).map_or(self.end_span(), Token::span)
    }

    /// One level deeper.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth >= MAX_NESTING {
            let help = format!("at most {MAX_NESTING} levels of parentheses, lists and signs");
            return Err(Fault::new(self.here(), "the expression is nested too deep", help));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// A value with its signs and transposes.
    fn operand(&mut self, weakest: u8) -> Result<Expression, Fault> {
        let from = self.at;
        let unary = match self.peek(0).map(|token| token.kind) {
            Some(TokenKind::Sign('-')) => UnaryOperator::Minus,
            Some(TokenKind::Sign('+')) => UnaryOperator::Plus,
            Some(TokenKind::Sign('~')) => UnaryOperator::Not,
            _ => return self.primary(),
        };
        self.at += 1;
        if let Some(number) = self.signed_number(unary, weakest) {
            self.at += 1;
            return Ok(Expression { span: self.span_from(from), kind: ExpressionKind::Number(number) });
        }
        let inner = self.nested(|cursor| cursor.binary(weakest.max(POWER)))?;
        Ok(Expression { span: self.span_from(from), kind: ExpressionKind::Unary(unary, Box::new(inner)) })
    }

    /// The number behind a sign, if the sign may belong to it: `-2^2` is `-(2^2)`.
    fn signed_number(&self, sign: UnaryOperator, weakest: u8) -> Option<f64> {
        let TokenKind::Number(number) = self.peek(0)?.kind else { return None };
        if self.sees(1, '\'') || weakest <= POWER && self.sees(1, '^') {
            return None;
        }
        match sign {
            UnaryOperator::Minus => Some(-number),
            UnaryOperator::Plus => Some(number),
            UnaryOperator::Not | UnaryOperator::Transpose => None,
        }
    }

    fn primary(&mut self) -> Result<Expression, Fault> {
        let from = self.at;
        let Some(token) = self.peek(0) else { return Err(self.unexpected(VALUE)) };
        let kind = match token.kind {
            TokenKind::Number(number) => {
                self.at += 1;
                ExpressionKind::Number(number)
            }
            TokenKind::Text(_) => ExpressionKind::Text(self.quoted().map_or(String::new(), |text| text.text)),
            TokenKind::Word => ExpressionKind::Reference(self.reference()?),
            TokenKind::Sign('(') => self.parenthesis()?,
            TokenKind::Sign('[' | '{') => ExpressionKind::List(self.list(Item::Formula)?),
            _ => return Err(self.unexpected(VALUE)),
        };
        let mut value = Expression { span: self.span_from(from), kind };
        while self.sees(0, '\'') && self.peek(0).is_some_and(|token| token.glued) {
            self.count_operator()?;
            self.at += 1;
            let kind = ExpressionKind::Unary(UnaryOperator::Transpose, Box::new(value));
            value = Expression { span: self.span_from(from), kind };
        }
        Ok(value)
    }

    /// `(a + b)`; the place of the node is that of the whole.
    fn parenthesis(&mut self) -> Result<ExpressionKind, Fault> {
        let open = self.at;
        self.at += 1;
        let blanks_separate = std::mem::take(&mut self.blanks_separate);
        let inner = self.nested(|cursor| cursor.binary(0))?;
        self.blanks_separate = blanks_separate;
        self.close(open, ')', "an operator or `)`")?;
        Ok(inner.kind)
    }

    /// The bracket that ends what the token `open` began.
    fn close(&mut self, open: usize, sign: char, allowed: &str) -> Result<(), Fault> {
        if self.done() {
            let (token, text) = (&self.tokens[open], self.text(&self.tokens[open]));
            let help = format!("`{sign}` is missing; `...` at the end of a line continues a statement");
            return Err(Fault::new(token.span(), format!("`{text}` is never closed"), help));
        }
        self.expect(sign, allowed)
    }

    /// `{a, b}`, `[1 2 3]`; the rows of `[1 2; 3 4]` become lists of their own.
    pub(super) fn list(&mut self, item: Item) -> Result<Vec<Expression>, Fault> {
        let open = self.at;
        let closing = if self.sees(0, '[') { ']' } else { '}' };
        self.at += 1;
        let outer = (self.operators, std::mem::take(&mut self.most));
        let blanks_separate = std::mem::replace(&mut self.blanks_separate, true);
        let items = self.nested(|cursor| cursor.rows(closing, item))?;
        self.blanks_separate = blanks_separate;
        self.count_items(outer)?;
        let allowed = format!("`,`, `{closing}` or an item");
        self.close(open, closing, &allowed)?;
        Ok(items)
    }

    fn rows(&mut self, closing: char, item: Item) -> Result<Vec<Expression>, Fault> {
        let allow_empty = item == Item::Literal;
        let mut rows = Vec::new();
        let mut items = Vec::new();
        let mut from = self.at;
        while !self.done() && !self.sees(0, closing) {
            if allow_empty && self.skip(',') {
                continue;
            }
            if self.sees(0, ',') {
                return Err(self.empty_item());
            }
            if self.skip(';') {
                if items.is_empty() && !allow_empty {
                    self.at -= 1;
                    return Err(self.empty_item());
                }
                let span = self.span(from, self.at - 1);
                rows.push(Expression { span, kind: ExpressionKind::List(std::mem::take(&mut items)) });
                from = self.at;
                continue;
            }
            items.push(self.read(item)?);
            if self.skip(',') && !allow_empty && (self.sees(0, closing) || self.sees(0, ';')) {
                self.at -= 1;
                return Err(self.empty_item());
            }
        }
        if rows.is_empty() {
            return Ok(items);
        }
        if !items.is_empty() {
            rows.push(Expression { span: self.span_from(from), kind: ExpressionKind::List(items) });
        }
        Ok(rows)
    }

    fn read(&mut self, item: Item) -> Result<Expression, Fault> {
        match item {
            Item::Formula => {
                self.operators = 0;
                let read = self.binary(0);
                self.most = self.most.max(self.operators);
                read
            }
            Item::Literal => self.item(),
        }
    }

    fn empty_item(&self) -> Fault {
        Fault::new(self.here(), "an item of the list is empty", "items are separated by one comma: {a, b}")
    }

    /// `Sat.Earth.SMA`, `A(1,2)`, `A[1,2]`, `mod(17, 5)`, `Python.module.function(x)`.
    pub(super) fn reference(&mut self) -> Result<Reference, Fault> {
        let from = self.at;
        let mut parts: Vec<Name> = vec![self.name("a name")?];
        while self.sees(0, '.') && self.peek(0).is_some_and(|token| token.glued) {
            self.at += 1;
            if !self.peek(0).is_some_and(|token| token.glued) {
                return Err(self.unexpected("a name directly behind the dot"));
            }
            parts.push(self.name("a name directly behind the dot")?);
        }
        let glued = self.peek(0).is_some_and(|token| token.glued);
        let closing = match self.peek(0).map(|token| token.kind) {
            Some(TokenKind::Sign('(')) if glued || !self.blanks_separate => Some(')'),
            Some(TokenKind::Sign('[')) if glued => Some(']'),
            _ => None,
        };
        let indices = closing.map(|closing| self.arguments(closing, Item::Formula)).transpose()?.unwrap_or_default();
        Ok(Reference { parts, indices, span: self.span_from(from) })
    }

    /// `(a, b)`, `[a, b]`, `()`.
    pub(super) fn arguments(&mut self, closing: char, item: Item) -> Result<Vec<Expression>, Fault> {
        let open = self.at;
        self.at += 1;
        let outer = (self.operators, std::mem::take(&mut self.most));
        let blanks_separate = std::mem::take(&mut self.blanks_separate);
        let mut arguments = Vec::new();
        if !self.sees(0, closing) && !self.done() {
            self.nested(|cursor| {
                loop {
                    arguments.push(cursor.read(item)?);
                    if !cursor.skip(',') {
                        return Ok(());
                    }
                }
            })?;
        }
        self.blanks_separate = blanks_separate;
        self.count_items(outer)?;
        self.close(open, closing, &format!("`,` or `{closing}`"))?;
        Ok(arguments)
    }
}

/// The operator that a token is, and how strongly it binds.
fn operator(token: &Token) -> Option<(BinaryOperator, u8)> {
    Some(match token.kind {
        TokenKind::Sign('|') => (BinaryOperator::Or, 1),
        TokenKind::Sign('&') => (BinaryOperator::And, 2),
        TokenKind::Sign('<') => (BinaryOperator::Less, 3),
        TokenKind::LessEqual => (BinaryOperator::LessEqual, 3),
        TokenKind::Sign('>') => (BinaryOperator::Greater, 3),
        TokenKind::GreaterEqual => (BinaryOperator::GreaterEqual, 3),
        TokenKind::EqualEqual => (BinaryOperator::Equal, 3),
        TokenKind::NotEqual => (BinaryOperator::NotEqual, 3),
        TokenKind::Sign('+') => (BinaryOperator::Add, SUM),
        TokenKind::Sign('-') => (BinaryOperator::Subtract, SUM),
        TokenKind::Sign('*') => (BinaryOperator::Multiply, 5),
        TokenKind::Sign('/') => (BinaryOperator::Divide, 5),
        TokenKind::Sign('^') => (BinaryOperator::Power, POWER),
        _ => return None,
    })
}

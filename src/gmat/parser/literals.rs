//! Right sides before `BeginMissionSequence`: literals, with or without quotes.

use super::cursor::Cursor;
use super::expressions::Item;
use crate::gmat::collector::Fault;
use crate::gmat::lexer::{Token, TokenKind};
use crate::gmat::tree::{Expression, ExpressionKind, UnaryOperator};

impl Cursor<'_> {
    /// The rest of the statement as a literal: a number, a text, a list, a name, `-name`, or else the
    /// text as written.
    pub(super) fn literal(&mut self) -> Result<Expression, Fault> {
        let value = self.simple()?;
        if self.done() {
            return Ok(value);
        }
        Err(self.unexpected("the end of the statement"))
    }

    /// An item of a list or an argument: what stands together up to a blank or a comma.
    pub(super) fn item(&mut self) -> Result<Expression, Fault> {
        let from = self.at;
        let Some(first) = self.peek(0) else { return self.simple() };
        let mut to = from + 1;
        let mut open = 0_usize;
        if !matches!(first.kind, TokenKind::Sign('[' | '{') | TokenKind::Text(_)) {
            while let Some(token) = self.tokens.get(to).filter(|token| token.glued || open > 0) {
                match token.kind {
                    TokenKind::Sign('(' | '[') => open += 1,
                    TokenKind::Sign(')' | ']') if open > 0 => open -= 1,
                    TokenKind::Sign(',' | ';' | ')' | ']' | '}') if open == 0 => break,
                    TokenKind::Text(_) => break,
                    _ => {}
                }
                to += 1;
            }
            let mut part = Cursor::new(self.source, &self.tokens[..to]);
            (part.at, part.depth, part.blanks_separate) = (from, self.depth, true);
            let item = part.simple()?;
            self.at = part.at;
            return Ok(item);
        }
        self.simple()
    }

    fn simple(&mut self) -> Result<Expression, Fault> {
        let from = self.at;
        let Some(first) = self.peek(0) else {
            return Err(self.unexpected("a number, a name, 'text' or a list"));
        };
        let alone = self.at + 1 == self.tokens.len();
        let kind = match first.kind {
            TokenKind::Text(_) => ExpressionKind::Text(self.quoted().map_or(String::new(), |text| text.text)),
            TokenKind::Sign('[' | '{') => ExpressionKind::List(self.list(Item::Literal)?),
            TokenKind::Number(number) if alone => {
                self.at += 1;
                ExpressionKind::Number(number)
            }
            TokenKind::Sign(sign @ ('-' | '+')) if self.at + 2 == self.tokens.len() => {
                return self.signed(sign);
            }
            TokenKind::Sign('-') if self.peek(1).is_some_and(|token| token.kind == TokenKind::Word) => {
                self.at += 1;
                match self.name_alone() {
                    Some(inner) => ExpressionKind::Unary(UnaryOperator::Minus, Box::new(inner)),
                    None => return self.raw(from),
                }
            }
            TokenKind::Word => match self.name_alone() {
                Some(name) => return Ok(name),
                None => return self.raw(from),
            },
            _ => return self.raw(from),
        };
        Ok(Expression { span: self.span_from(from), kind })
    }

    /// `-5`, `+5`, `-R`.
    fn signed(&mut self, sign: char) -> Result<Expression, Fault> {
        let from = self.at;
        let negative = sign == '-';
        match self.peek(1).map(|token| token.kind) {
            Some(TokenKind::Number(number)) => {
                self.at += 2;
                let kind = ExpressionKind::Number(if negative { -number } else { number });
                Ok(Expression { span: self.span_from(from), kind })
            }
            Some(TokenKind::Word) if negative => {
                self.at += 1;
                let inner = Box::new(self.primary_name()?);
                let kind = ExpressionKind::Unary(UnaryOperator::Minus, inner);
                Ok(Expression { span: self.span_from(from), kind })
            }
            _ => self.raw(from),
        }
    }

    fn primary_name(&mut self) -> Result<Expression, Fault> {
        let from = self.at;
        let reference = self.reference()?;
        Ok(Expression { span: self.span_from(from), kind: ExpressionKind::Reference(reference) })
    }

    /// A name with its dots, indices and arguments, if nothing stands behind it.
    fn name_alone(&mut self) -> Option<Expression> {
        let name = self.primary_name().ok()?;
        self.done().then_some(name)
    }

    /// The rest as written, if it can be a text without quotes.
    fn raw(&mut self, from: usize) -> Result<Expression, Fault> {
        self.at = from;
        let rest = &self.tokens[from..];
        let likely_number = |token: &&Token| {
            let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit() || "+-.eEdD".contains(c));
            token.kind == TokenKind::BadNumber && digits(&self.text(token))
        };
        let sign = usize::from(rest.len() == 2 && (rest[0].is('-') || rest[0].is('+')));
        if let Some(token) = rest.get(sign).filter(|_| rest.len() == sign + 1).filter(likely_number) {
            return Err(self.bad_number(token));
        }
        let mut open = Vec::new();
        for (i, token) in rest.iter().enumerate() {
            self.at = from + i;
            match token.kind {
                TokenKind::Text(_) | TokenKind::Sign('{' | '}' | '=') | TokenKind::EqualEqual => {
                    return Err(self.unexpected("a number, a name, a list, or 'text' in quotes"));
                }
                TokenKind::Sign('(' | '[') => open.push(token),
                TokenKind::Sign(sign @ (')' | ']')) => {
                    let opened = if sign == ')' { '(' } else { '[' };
                    if !open.pop().is_some_and(|token| token.is(opened)) {
                        return Err(self.unexpected(&format!("a value without a `{sign}` that nothing opened")));
                    }
                }
                _ => {}
            }
        }
        if let Some(token) = open.pop() {
            let message = format!("`{}` is never closed", self.text(token));
            return Err(Fault::new(token.span(), message, "close it, or put the text in quotes: 'text'"));
        }
        self.at = self.tokens.len();
        let kind = ExpressionKind::Raw(self.written(from, self.at));
        Ok(Expression { span: self.span_from(from), kind })
    }
}

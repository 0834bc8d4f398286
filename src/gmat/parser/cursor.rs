//! Walks over the tokens of one statement.

use crate::base::problem::Span;
use crate::gmat::collector::{Fault, shorten};
use crate::gmat::lexer::{Source, Token, TokenKind};
use crate::gmat::tree::{Name, Text};

/// A place among the tokens of one statement.
pub(super) struct Cursor<'a> {
    pub(super) source: &'a Source,
    pub(super) tokens: &'a [Token],
    /// The next token.
    pub(super) at: usize,
    /// Parentheses, lists and signs that are open.
    pub(super) depth: usize,
    /// Operators of this expression so far, with those of its longest item or argument.
    pub(super) operators: usize,
    /// The most operators of an item of this list, or of an argument.
    pub(super) most: usize,
    /// Blanks separate items here: inside a list and in `Report`.
    pub(super) blanks_separate: bool,
}

impl<'a> Cursor<'a> {
    /// Starts at the first token.
    pub(super) fn new(source: &'a Source, tokens: &'a [Token]) -> Self {
        Cursor { source, tokens, at: 0, depth: 0, operators: 0, most: 0, blanks_separate: false }
    }

    /// The token that many places ahead.
    pub(super) fn peek(&self, ahead: usize) -> Option<&'a Token> {
        self.tokens.get(self.at + ahead)
    }

    /// Whether the token that many places ahead is this sign.
    pub(super) fn sees(&self, ahead: usize, sign: char) -> bool {
        self.peek(ahead).is_some_and(|token| token.is(sign))
    }

    /// Whether the statement ends here.
    pub(super) fn done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// The token as written.
    pub(super) fn text(&self, token: &Token) -> String {
        self.source.text(token.start, token.end)
    }

    /// The word that many places ahead, if one stands there.
    pub(super) fn word(&self, ahead: usize) -> Option<String> {
        self.peek(ahead).filter(|token| token.kind == TokenKind::Word).map(|token| self.text(token))
    }

    /// Steps over a sign if it stands here.
    pub(super) fn skip(&mut self, sign: char) -> bool {
        let seen = self.sees(0, sign);
        self.at += usize::from(seen);
        seen
    }

    /// Steps over a word if it stands here.
    pub(super) fn skip_word(&mut self, word: &str) -> bool {
        let seen = self.word(0).is_some_and(|seen| seen == word);
        self.at += usize::from(seen);
        seen
    }

    /// Steps over a sign that must stand here.
    pub(super) fn expect(&mut self, sign: char, allowed: &str) -> Result<(), Fault> {
        if self.skip(sign) { Ok(()) } else { Err(self.unexpected(allowed)) }
    }

    /// A word that must stand here.
    pub(super) fn name(&mut self, allowed: &str) -> Result<Name, Fault> {
        match self.word(0) {
            Some(text) => {
                self.at += 1;
                Ok(Name { text, span: self.tokens[self.at - 1].span() })
            }
            None => Err(self.unexpected(allowed)),
        }
    }

    /// The quoted text that stands here, its place without the quotes.
    pub(super) fn quoted(&mut self) -> Option<Text> {
        let token = self.peek(0)?;
        let TokenKind::Text(quotes) = token.kind else { return None };
        self.at += 1;
        let span = token.span();
        let span = Span { column: span.column + quotes as u32, length: span.length - 2 * quotes as u32, ..span };
        Some(Text { text: self.source.text(token.start + quotes, token.end - quotes), span })
    }

    /// The tokens from one to another as written; where lines are continued, a blank joins them.
    pub(super) fn written(&self, from: usize, to: usize) -> String {
        let lines = self.tokens[from..to].chunk_by(|a, b| a.line == b.line);
        let lines = lines.map(|line| self.source.text(line[0].start, line[line.len() - 1].end));
        lines.collect::<Vec<_>>().join(" ")
    }

    /// The place of the tokens from one to another: that of their first line.
    pub(super) fn span(&self, from: usize, to: usize) -> Span {
        let Some(first) = self.tokens.get(from) else { return self.end_span() };
        let of_line = self.tokens[from..to.max(from + 1)].partition_point(|token| token.line == first.line);
        let last = &self.tokens[from + of_line - 1];
        Span { length: (last.end - first.start) as u32, ..first.span() }
    }

    /// The place of what was read since a token.
    pub(super) fn span_from(&self, from: usize) -> Span {
        self.span(from, self.at)
    }

    /// The place directly behind the last token read.
    pub(super) fn end_span(&self) -> Span {
        let Some(last) = self.at.min(self.tokens.len()).checked_sub(1).map(|i| self.tokens[i].span()) else {
            return Span { line: 1, column: 1, ..Span::default() };
        };
        Span { column: last.column + last.length, length: 0, ..last }
    }

    /// A fault at the next token, or behind the last one.
    pub(super) fn unexpected(&self, allowed: &str) -> Fault {
        match self.peek(0) {
            Some(token) if token.kind == TokenKind::BadNumber => self.bad_number(token),
            Some(token) => Fault::new(
                token.span(),
                format!("`{}` is not expected here", shorten(&self.text(token))),
                expected(allowed),
            ),
            None => {
                let last = self.tokens.last().map_or(String::new(), |token| shorten(&self.text(token)));
                let span = self.tokens.last().map_or(self.end_span(), Token::span);
                Fault::new(span, format!("the statement ends too early behind `{last}`"), expected(allowed))
            }
        }
    }

    /// A fault for a token that starts like a number and is none.
    pub(super) fn bad_number(&self, token: &Token) -> Fault {
        let text = self.text(token);
        let infinite = text.parse::<f64>().is_ok();
        let text = shorten(&text);
        let message =
            if infinite { format!("`{text}` is too large for a number") } else { format!("`{text}` is not a number") };
        let help = if infinite { "the largest is about 1.8e308" } else { "a number looks like 7000, 0.5, -1.5e-3" };
        Fault::new(token.span(), message, help)
    }

    /// The statement must end here.
    pub(super) fn finish(&self) -> Result<(), Fault> {
        if self.done() { Ok(()) } else { Err(self.unexpected("the end of the statement")) }
    }
}

fn expected(allowed: &str) -> String {
    format!("expected: {allowed}")
}

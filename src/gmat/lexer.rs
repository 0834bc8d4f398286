//! From characters to the words, numbers and signs of one statement at a time.
//!
//! A statement ends at the end of its line or at a `;` outside brackets and braces; `...` at the end of
//! a line continues it on the next. Comments and line ends never reach the parser.

use super::MAX_TOKENS;
use super::collector::{Collector, Fault, shorten};
use crate::base::problem::Span;

/// The characters of a script.
pub(super) struct Source {
    characters: Vec<char>,
    /// Which text it is: see [`Span::source`].
    number: u16,
}

impl Source {
    /// Splits a text into characters, since columns count characters.
    pub(super) fn new(text: &str, number: u16) -> Self {
        Source { characters: text.chars().collect(), number }
    }

    /// The text between two places.
    pub(super) fn text(&self, start: usize, end: usize) -> String {
        self.characters[start..end].iter().collect()
    }
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TokenKind {
    /// A letter or underscore, then letters, digits, underscores.
    Word,
    /// A finite number.
    Number(f64),
    /// Starts like a number and is none: `7000..5`, `1d3`, `1e999`, `3rd`.
    BadNumber,
    /// A text with that many quotes at either end.
    Text(usize),
    /// `<=`.
    LessEqual,
    /// `>=`.
    GreaterEqual,
    /// `==`.
    EqualEqual,
    /// `~=`.
    NotEqual,
    /// Any other sign.
    Sign(char),
}

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// What it is.
    pub(super) kind: TokenKind,
    /// Its first character, counted from the start of the text.
    pub(super) start: usize,
    /// Behind its last character.
    pub(super) end: usize,
    /// Which text it stands in.
    pub(super) source: u16,
    /// Line, from 1.
    pub(super) line: u32,
    /// Column, from 1.
    pub(super) column: u32,
    /// Nothing stands between it and the token before it.
    pub(super) glued: bool,
}

impl Token {
    /// Its place.
    pub(super) fn span(&self) -> Span {
        let length = (self.end - self.start) as u32;
        Span { source: self.source, line: self.line, column: self.column, length }
    }

    /// Whether it is this sign.
    pub(super) fn is(&self, sign: char) -> bool {
        self.kind == TokenKind::Sign(sign)
    }
}

/// Reads statement after statement.
pub(super) struct Lexer<'a> {
    characters: &'a [char],
    source: u16,
    at: usize,
    line: u32,
    line_start: usize,
    /// Brackets and braces that are open in this statement.
    open: usize,
    /// Something other than a comment stands on this line.
    code_on_line: bool,
}

impl<'a> Lexer<'a> {
    /// Starts at the beginning.
    pub(super) fn new(source: &'a Source) -> Self {
        let (characters, source) = (&source.characters[..], source.number);
        Lexer { characters, source, at: 0, line: 1, line_start: 0, open: 0, code_on_line: false }
    }

    /// Puts the next statement's tokens into `tokens`, never none: `Some(true)` where they are sound,
    /// `Some(false)` where a problem was added, `None` at the end of the text.
    pub(super) fn next_statement(&mut self, tokens: &mut Vec<Token>, collector: &mut Collector<'_>) -> Option<bool> {
        tokens.clear();
        self.open = 0;
        let mut sound = true;
        loop {
            let Some(c) = self.peek(0) else {
                return if tokens.is_empty() { None } else { Some(sound) };
            };
            let fault = match c {
                ' ' | '\t' | '\u{b}' | '\u{c}' => {
                    self.at += 1;
                    continue;
                }
                '\n' | '\r' => {
                    self.end_line();
                    if tokens.is_empty() {
                        continue;
                    }
                    return Some(sound);
                }
                ';' if self.open == 0 => {
                    self.at += 1;
                    self.code_on_line = true;
                    if tokens.is_empty() {
                        continue;
                    }
                    return Some(sound);
                }
                '%' => self.comment(),
                '.' if self.starts_ellipsis() => self.ellipsis(),
                _ if tokens.len() >= MAX_TOKENS => {
                    let fault =
                        self.fault(1, "the statement is too long", format!("at most {MAX_TOKENS} words and signs"));
                    self.skip_line();
                    Some(fault)
                }
                _ => {
                    self.code_on_line = true;
                    self.token(tokens)
                }
            };
            if let Some(fault) = fault {
                collector.add(fault);
                sound = false;
                if tokens.is_empty() {
                    // A statement without a single sound token is still one, so that it can be told apart from the end.
                    let here = Token {
                        source: self.source,
                        kind: TokenKind::Sign(' '),
                        start: 0,
                        end: 0,
                        line: self.line,
                        column: 1,
                        glued: false,
                    };
                    tokens.push(here);
                }
            }
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.at + ahead).copied()
    }

    fn column(&self) -> u32 {
        (self.at - self.line_start + 1) as u32
    }

    /// A fault at the next characters.
    fn fault(&self, length: usize, message: impl Into<String>, help: impl Into<String>) -> Fault {
        let span = Span { source: self.source, line: self.line, column: self.column(), length: length as u32 };
        Fault::new(span, message, help)
    }

    /// Steps over a line end of any kind.
    fn end_line(&mut self) {
        self.at += if self.peek(0) == Some('\r') && self.peek(1) == Some('\n') { 2 } else { 1 };
        self.line += 1;
        self.line_start = self.at;
        self.code_on_line = false;
    }

    /// Steps to the end of the line.
    fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|c| !is_line_end(c)) {
            self.at += 1;
        }
    }

    fn skip_blanks(&mut self) {
        while self.peek(0).is_some_and(is_blank) {
            self.at += 1;
        }
    }

    /// Steps over a comment. GMAT looks for `...` before it looks for comments, and so takes the next
    /// line into a comment behind a statement that ends with it.
    fn comment(&mut self) -> Option<Fault> {
        let start = self.at;
        let before = self.fault(1, "", "");
        self.skip_line();
        let comment = &self.characters[start..self.at];
        let kept = comment.len() - comment.iter().rev().take_while(|&&c| is_blank(c)).count();
        if !self.code_on_line || !comment[..kept].ends_with(&['.'; 3]) {
            return None;
        }
        let span = Span { length: kept as u32, ..before.span };
        Some(Fault::new(
            span,
            "a comment behind a statement ends with `...`: GMAT takes the next line into the comment",
            "put the comment on its own line, or end it with another character",
        ))
    }

    /// Whether `...` stands here.
    fn starts_ellipsis(&self) -> bool {
        self.peek(1) == Some('.') && self.peek(2) == Some('.')
    }

    /// Goes on behind `...` on the next line that is neither blank nor a comment.
    fn ellipsis(&mut self) -> Option<Fault> {
        self.code_on_line = true;
        self.at += 3;
        self.skip_blanks();
        let mut fault = None;
        if self.peek(0).is_some_and(|c| c != '%' && !is_line_end(c)) {
            let start = self.at;
            fault = Some(self.fault(1, "", ""));
            self.skip_line();
            if let Some(fault) = &mut fault {
                let rest: String = self.characters[start..self.at].iter().collect();
                fault.span.length = (self.at - start) as u32;
                fault.message = format!("`{}` stands behind `...`", shorten(&rest));
                "`...` must end its line; only a comment may follow".clone_into(&mut fault.help);
            }
        }
        self.skip_line();
        while self.peek(0).is_some_and(is_line_end) {
            self.end_line();
            self.skip_blanks();
            if self.peek(0) == Some('%') {
                self.skip_line();
            }
        }
        fault
    }

    /// Reads one token.
    fn token(&mut self, tokens: &mut Vec<Token>) -> Option<Fault> {
        let start = self.at;
        let (line, column) = (self.line, self.column());
        let c = self.peek(0)?;
        let glued = tokens.last().is_some_and(|token| token.end == start);
        let kind = match c {
            'A'..='Z' | 'a'..='z' | '_' => {
                while self.peek(0).is_some_and(is_word) {
                    self.at += 1;
                }
                TokenKind::Word
            }
            '0'..='9' => self.number(),
            '.' if self.peek(1).is_some_and(|c| c.is_ascii_digit()) => self.number(),
            '\'' if !(glued && tokens.last().is_some_and(is_operand)) => match self.quoted() {
                Ok(quotes) => TokenKind::Text(quotes),
                Err(fault) => return Some(fault),
            },
            '"' => {
                let length = self.characters[start + 1..].iter().position(|&c| c == '"' || is_line_end(c));
                let fault = self.fault(1, "a double quote `\"`", "GMAT takes texts in single quotes: 'text'");
                match length.filter(|&length| self.characters[start + 1 + length] == '"') {
                    Some(length) => self.at += length + 2,
                    None => self.skip_line(),
                }
                return Some(fault);
            }
            c if !c.is_ascii_graphic() => {
                let strange = |c: char| !c.is_ascii_graphic() && !is_blank(c) && !is_line_end(c);
                let length = self.characters[start..].iter().take_while(|&&c| strange(c)).count();
                let text: String = self.characters[start..start + length].iter().take(20).collect();
                let help = "outside comments and quoted texts a script is plain 7-bit text; write 'text' in quotes";
                let fault = self.fault(length, format!("`{text}` is not plain text"), help);
                self.at += length;
                return Some(fault);
            }
            _ => {
                let pair = match (c, self.peek(1)) {
                    ('<', Some('=')) => Some(TokenKind::LessEqual),
                    ('>', Some('=')) => Some(TokenKind::GreaterEqual),
                    ('=', Some('=')) => Some(TokenKind::EqualEqual),
                    ('~', Some('=')) => Some(TokenKind::NotEqual),
                    _ => None,
                };
                match c {
                    '[' | '{' => self.open += 1,
                    ']' | '}' => self.open = self.open.saturating_sub(1),
                    _ => {}
                }
                self.at += 1 + usize::from(pair.is_some());
                pair.unwrap_or(TokenKind::Sign(c))
            }
        };
        tokens.push(Token { kind, start, end: self.at, source: self.source, line, column, glued });
        None
    }

    /// A number, with whatever letters and dots hang on to it.
    fn number(&mut self) -> TokenKind {
        let start = self.at;
        while let Some(c) = self.peek(0) {
            let exponent_sign = (c == '+' || c == '-')
                && matches!(self.characters[self.at - 1], 'e' | 'E')
                && self.peek(1).is_some_and(|c| c.is_ascii_digit())
                && self.characters[start..self.at - 1].iter().all(|c| c.is_ascii_digit() || *c == '.');
            let ellipsis = c == '.' && self.starts_ellipsis();
            if ellipsis || !(is_word(c) || c == '.' || exponent_sign) {
                break;
            }
            self.at += 1;
        }
        let text: String = self.characters[start..self.at].iter().collect();
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => TokenKind::Number(number),
            _ => TokenKind::BadNumber,
        }
    }

    /// A text in single quotes, and how many quotes it has at either end. `''` within a text belongs to
    /// it, as in GMAT; `''` in front of a text is a doubled quote.
    fn quoted(&mut self) -> Result<usize, Fault> {
        let start = self.at;
        // `None` behind the end of the line, which is not looked for ahead: lines may be long.
        let character = |i: usize| self.characters.get(start + i).copied().filter(|&c| !is_line_end(c));
        let quote = |i: usize| character(i) == Some('\'');
        let ends = |i: usize| character(i).is_none_or(|c| is_blank(c) || ",;)]}%.'".contains(c));
        let quotes = if quote(1) && !ends(2) { 2 } else { 1 };
        let mut i = quotes;
        let closed = loop {
            let doubled = quote(i) && quote(i + 1);
            match character(i) {
                None => break false,
                Some('\'') if doubled == (quotes == 2) || i == 1 => break true,
                _ => i += 1 + usize::from(doubled),
            }
        };
        let length = if closed { i + quotes } else { i };
        let text = &self.characters[start..start + length];
        let fault = if !closed {
            let shown: String = text.iter().collect();
            let message = format!("the quote of `{}` is never closed", shorten(&shown));
            Some(self.fault(length, message, "close it on its line: 'text'"))
        } else if text.contains(&char::REPLACEMENT_CHARACTER) {
            let shown: String = text.iter().collect();
            Some(self.fault(length, format!("`{}` is not UTF-8", shorten(&shown)), "save the script as UTF-8"))
        } else {
            None
        };
        self.at += length;
        fault.map_or(Ok(quotes), Err)
    }
}

/// Whether a quote directly behind this token is a transpose.
fn is_operand(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Word | TokenKind::Number(_) | TokenKind::Sign(')' | ']' | '\''))
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{b}' | '\u{c}')
}

fn is_line_end(c: char) -> bool {
    c == '\n' || c == '\r'
}

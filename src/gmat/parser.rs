//! Puts statements together: what belongs to the resources, what to the mission, and what stands inside
//! which block. A bad statement is reported and the next one is read as if nothing had happened; blocks
//! are kept on a stack of our own, so that no input can exhaust the program's.

mod blocks;
mod commands;
mod cursor;
mod expressions;
mod literals;

use super::collector::{Collector, Fault};
use super::lexer::{Lexer, Source, TokenKind};
use super::tree::{Expression, ExpressionKind, Name, Reference, Script, Statement, StatementKind, Text};
use super::{Begun, MAX_SCRIPT_TOKENS, MAX_STATEMENTS};
use crate::base::problem::Span;
use blocks::{BLOCKS, Block};
use cursor::Cursor;

/// Reads a whole script.
pub(super) fn script(source: &Source, collector: &mut Collector<'_>, begun: Begun) -> Script {
    let before = begun == Begun::Before;
    let mut parser = Parser {
        collector,
        script: Script { resources: vec![], mission: vec![] },
        blocks: vec![],
        open: [0; BLOCKS.len()],
        begun: before,
        included: before,
        begins: begun != Begun::Never || has_begin(source),
        begin_on: if let Begun::OnLine(line) = begun { Some(line) } else { None },
    };
    let mut lexer = Lexer::new(source);
    let mut tokens = Vec::new();
    let (mut statements, mut all) = (0, 0);
    while let Some(sound) = lexer.next_statement(&mut tokens, parser.collector) {
        statements += 1;
        all += tokens.len();
        if statements > MAX_STATEMENTS || all > MAX_SCRIPT_TOKENS {
            let help = format!("at most {MAX_STATEMENTS} statements, and {MAX_SCRIPT_TOKENS} words and signs");
            parser.collector.add(Fault::new(tokens[0].span(), "the script is too long", help));
            break;
        }
        let result = parser.statement(&mut Cursor::new(source, &tokens), sound);
        if let Err(fault) = result {
            parser.collector.add(fault);
        }
    }
    parser.close_all();
    parser.script
}

/// Whether `BeginMissionSequence` stands anywhere.
pub(super) fn has_begin(source: &Source) -> bool {
    let (mut lexer, mut tokens, mut collector) = (Lexer::new(source), Vec::new(), Collector::new("", ""));
    while lexer.next_statement(&mut tokens, &mut collector).is_some() {
        let cursor = Cursor::new(source, &tokens);
        let first = usize::from(cursor.word(0).is_some_and(|word| word == "GMAT"));
        if cursor.word(first).is_some_and(|word| word == "BeginMissionSequence") {
            return true;
        }
    }
    false
}

struct Parser<'c, 'f> {
    collector: &'c mut Collector<'f>,
    script: Script,
    blocks: Vec<Block>,
    /// How many blocks of each kind are open.
    open: [usize; BLOCKS.len()],
    /// `BeginMissionSequence` has been read, or the file is included behind it.
    begun: bool,
    /// The file is included behind `BeginMissionSequence`.
    included: bool,
    /// `BeginMissionSequence` stands somewhere.
    begins: bool,
    /// The line of an `#Include` whose file holds it.
    begin_on: Option<u32>,
}

impl Parser<'_, '_> {
    fn statement(&mut self, cursor: &mut Cursor<'_>, sound: bool) -> Result<(), Fault> {
        if cursor.word(0).is_some_and(|word| word == "GMAT") && !cursor.sees(1, '=') && !cursor.sees(1, '.') {
            cursor.at += 1;
        }
        let mut label = if cursor.peek(1).is_some() { cursor.quoted() } else { None };
        let keyword_span = cursor.span(cursor.at, cursor.at + 1);
        let hash = cursor.sees(0, '#');
        let Some(word) = cursor.word(usize::from(hash)) else { return self.plain(cursor, label, sound) };
        if hash {
            if word != "Include" || !sound {
                return if sound { Err(cursor.unexpected("`#Include 'file'`")) } else { Ok(()) };
            }
            cursor.at += 2;
            let result = self.finish(cursor, label, commands::include);
            if self.begin_on == Some(keyword_span.line) {
                self.close_all();
                (self.begun, self.included) = (true, true);
            }
            return result;
        }
        // A name in front of `=` or a dot is no command.
        if cursor.sees(1, '=') || cursor.sees(1, '.') {
            return self.plain(cursor, label, sound);
        }
        let name = Name { text: word, span: keyword_span };
        cursor.at += 1;
        let label_ahead = |cursor: &mut Cursor<'_>| if label.is_none() { cursor.quoted() } else { None };
        if let Some(which) = BLOCKS.iter().position(|block| block.0 == name.text) {
            label = label_ahead(cursor).or(label);
            return self.open(cursor, label, which, keyword_span, sound);
        }
        if let Some(which) = BLOCKS.iter().position(|block| block.1 == name.text) {
            self.close(which, keyword_span);
            return if sound { no_rest(cursor) } else { Ok(()) };
        }
        match name.text.as_str() {
            "Else" | "ElseIf" => {
                label_ahead(cursor);
                return self.branch(cursor, &name, sound);
            }
            "BeginMissionSequence" => {
                self.begin(keyword_span);
                return if sound { no_rest(cursor) } else { Ok(()) };
            }
            _ if !sound => return Ok(()),
            "function" => {
                return Err(Fault::new(
                    keyword_span,
                    "`function`: this is the file of a function, not a mission script",
                    "give the script that calls it",
                ));
            }
            _ => {}
        }
        if let Some(read) = commands::simple(&name.text) {
            label = label_ahead(cursor).or(label);
            return self.finish(cursor, label, read);
        }
        let unknown = cursor.peek(0).is_some_and(|token| starts_rest(&token.kind));
        if commands::is_other(&name.text) || unknown && !has_equals(cursor) {
            if cursor.peek(1).is_some() {
                label = label_ahead(cursor).or(label);
            }
            return self.finish(cursor, label, |cursor| Ok(commands::other(cursor, name)));
        }
        cursor.at -= 1;
        self.plain(cursor, label, sound)
    }

    /// Reads the rest of a statement and puts it where it belongs.
    fn finish(
        &mut self,
        cursor: &mut Cursor<'_>,
        label: Option<Text>,
        read: impl FnOnce(&mut Cursor<'_>) -> Result<StatementKind, Fault>,
    ) -> Result<(), Fault> {
        let kind = read(cursor)?;
        cursor.finish()?;
        self.place(Statement { span: cursor.span(0, cursor.tokens.len()), label, kind });
        Ok(())
    }

    /// An assignment or a call of a function.
    fn plain(&mut self, cursor: &mut Cursor<'_>, label: Option<Text>, sound: bool) -> Result<(), Fault> {
        if !sound {
            return Ok(());
        }
        if cursor.sees(0, '[') {
            let start = cursor.at;
            let called = commands::call(cursor).and_then(|kind| cursor.finish().map(|()| kind));
            let kind = match called {
                // `[a] = f(x) + 1`: brackets around a single output may be left out.
                Err(fault) if cursor.tokens.get(start + 2).is_some_and(|token| token.is(']')) => {
                    cursor.at = start + 1;
                    let target = cursor.reference()?;
                    cursor.expect(']', "`]`")?;
                    cursor.expect('=', "`=` and a value")?;
                    let value = cursor.expression().map_err(|_| fault)?;
                    StatementKind::Assign { target, value }
                }
                called => called?,
            };
            return self.finish(cursor, label, |_| Ok(kind));
        }
        if !has_equals(cursor) {
            let read = if self.begun { commands::call } else { commands::method };
            return self.finish(cursor, label, read);
        }
        let target = cursor.reference()?;
        cursor.expect('=', "`=` and a value")?;
        if cursor.done() {
            return Err(cursor.unexpected("a value behind `=`"));
        }
        let value = self.value(cursor, &target)?;
        if !self.begun && !self.blocks.is_empty() && (self.begins || is_literal(&target, &value)) {
            return Err(Fault::new(
                cursor.span(0, cursor.tokens.len()),
                "an assignment inside a block in front of `BeginMissionSequence`: GMAT would carry it out while it reads the script",
                "write `BeginMissionSequence` in front of the mission",
            ));
        }
        self.finish(cursor, label, |_| Ok(StatementKind::Assign { target, value }))
    }

    /// A right side: a formula in the mission, a literal before it.
    fn value(&self, cursor: &mut Cursor<'_>, target: &Reference) -> Result<Expression, Fault> {
        if self.begun {
            return cursor.expression();
        }
        let start = cursor.at;
        let literal = cursor.literal();
        let bare = target.parts.len() == 1;
        let raw = literal.as_ref().is_ok_and(|value| matches!(value.kind, ExpressionKind::Raw(_)));
        let name = literal
            .as_ref()
            .is_ok_and(|value| matches!(value.kind, ExpressionKind::Reference(_) | ExpressionKind::Unary(..)));
        if !self.begins && (literal.is_err() || raw && (bare || has_spaced_operator(cursor, start)) || name && bare) {
            let end = std::mem::replace(&mut cursor.at, start);
            match cursor.expression() {
                Ok(formula) if cursor.done() => return Ok(formula),
                _ => cursor.at = end,
            }
        }
        literal
    }

    /// Puts a finished statement into the block, the mission or the resources.
    fn place(&mut self, statement: Statement) {
        if let Some(block) = self.blocks.last_mut() {
            block.body.push(statement);
        } else if self.begun || !is_resource(&statement.kind, self.begins, self.script.mission.is_empty()) {
            self.script.mission.push(statement);
        } else {
            self.script.resources.push(statement);
        }
    }

    fn begin(&mut self, span: Span) {
        self.close_all();
        if self.begun {
            let (message, help) = if self.included {
                ("`BeginMissionSequence` in a file that is included behind it", "write it once, in the main script")
            } else {
                ("`BeginMissionSequence` stands a second time", "write it once, in front of the mission")
            };
            self.collector.add(Fault::new(span, message, help));
        }
        self.begun = true;
    }
}

/// Nothing but a label may stand behind the word that ends a block.
fn no_rest(cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    cursor.quoted();
    cursor.finish()
}

/// Whether a token behind an unknown first word makes it a command rather than a value.
fn starts_rest(kind: &TokenKind) -> bool {
    matches!(kind, TokenKind::Word | TokenKind::Text(_) | TokenKind::Number(_) | TokenKind::BadNumber)
}

/// Whether `=` stands in the rest of the statement outside brackets.
fn has_equals(cursor: &Cursor<'_>) -> bool {
    let mut open = 0_usize;
    cursor.tokens[cursor.at..].iter().any(|token| {
        match token.kind {
            TokenKind::Sign('(' | '[' | '{') => open += 1,
            TokenKind::Sign(')' | ']' | '}') => open = open.saturating_sub(1),
            _ => {}
        }
        open == 0 && token.is('=')
    })
}

/// Whether an operator with blanks around it stands behind a token: part of a formula rather than of a path,
/// a date or a hyphenated word.
fn has_spaced_operator(cursor: &Cursor<'_>, from: usize) -> bool {
    cursor.tokens[from..].windows(2).any(|pair| {
        let operator = matches!(pair[0].kind, TokenKind::Sign('+' | '-' | '*' | '/' | '^'));
        operator && !pair[0].glued && !pair[1].glued
    })
}

/// Whether a statement in front of `BeginMissionSequence`, outside blocks, belongs to the resources.
fn is_resource(kind: &StatementKind, begins: bool, first: bool) -> bool {
    match kind {
        StatementKind::Create { .. } => true,
        StatementKind::Include { .. } => begins || first,
        StatementKind::Assign { target, value } => begins || is_literal(target, value),
        StatementKind::CallFunction { outputs, function, .. } => outputs.is_empty() && function.parts.len() > 1,
        _ => false,
    }
}

/// Whether a right side is a literal, and so carried out while the script is read.
fn is_literal(target: &Reference, value: &Expression) -> bool {
    match &value.kind {
        ExpressionKind::Number(_) | ExpressionKind::Text(_) | ExpressionKind::List(_) | ExpressionKind::Raw(_) => true,
        ExpressionKind::Reference(_) | ExpressionKind::Unary(..) => target.parts.len() > 1,
        ExpressionKind::Binary(..) => false,
    }
}

//! Blocks: what opens them, what ends them, and what stands inside.

use super::Parser;
use super::commands;
use super::cursor::Cursor;
use crate::base::problem::Span;
use crate::gmat::MAX_NESTING;
use crate::gmat::collector::Fault;
use crate::gmat::tree::{Name, Statement, StatementKind, Text};

/// The blocks, by the words that open and close them.
pub(super) const BLOCKS: [(&str, &str); 6] = [
    ("If", "EndIf"),
    ("While", "EndWhile"),
    ("For", "EndFor"),
    ("Target", "EndTarget"),
    ("Optimize", "EndOptimize"),
    ("BeginScript", "EndScript"),
];

/// A block whose end has not been read.
pub(super) struct Block {
    /// Which of `BLOCKS`.
    which: usize,
    /// Where its first word stands.
    keyword: Span,
    /// The statement; `None` where its first line is bad or it is nested too deep.
    statement: Option<Statement>,
    /// What stands inside, since the last `ElseIf` or `Else`.
    pub(super) body: Vec<Statement>,
    /// `Else` was read.
    has_else: bool,
}

impl Parser<'_, '_> {
    /// Begins a block.
    pub(super) fn open(
        &mut self,
        cursor: &mut Cursor<'_>,
        label: Option<Text>,
        which: usize,
        keyword: Span,
        sound: bool,
    ) -> Result<(), Fault> {
        let too_deep = self.blocks.len() >= MAX_NESTING;
        let mut result = Ok(());
        let mut statement = None;
        if self.blocks.len() == MAX_NESTING {
            let message = format!("`{}` is nested too deep", BLOCKS[which].0);
            result = Err(Fault::new(keyword, message, format!("at most {MAX_NESTING} blocks inside one another")));
        } else if let Some(read) = commands::opener(BLOCKS[which].0).filter(|_| sound && !too_deep) {
            match read(cursor).and_then(|kind| cursor.finish().map(|()| kind)) {
                Ok(kind) => statement = Some(Statement { span: cursor.span(0, cursor.tokens.len()), label, kind }),
                Err(fault) => result = Err(fault),
            }
        }
        self.blocks.push(Block { which, keyword, statement, body: vec![], has_else: false });
        self.open[which] += 1;
        result
    }

    /// `Else` or `ElseIf`.
    pub(super) fn branch(&mut self, cursor: &mut Cursor<'_>, keyword: &Name, sound: bool) -> Result<(), Fault> {
        let Some(block) = self.blocks.last_mut().filter(|block| block.which == 0) else {
            let message = format!("`{}` without `If`", keyword.text);
            return Err(Fault::new(keyword.span, message, "`If condition ... Else ... EndIf`"));
        };
        block.keep_branch();
        if block.has_else {
            let message = format!("`{}` behind `Else`", keyword.text);
            return Err(Fault::new(keyword.span, message, "`Else` is the last branch of an `If`"));
        }
        if keyword.text == "Else" {
            block.has_else = true;
            return if sound { cursor.finish() } else { Ok(()) };
        }
        if !sound {
            return Ok(());
        }
        let condition = cursor.condition()?;
        cursor.finish()?;
        if let Some(StatementKind::If { branches, .. }) = block.statement.as_mut().map(|statement| &mut statement.kind)
        {
            branches.push((condition, vec![]));
        }
        Ok(())
    }

    /// Ends the innermost block of a kind, and with a problem those inside it that were not ended.
    pub(super) fn close(&mut self, which: usize, span: Span) {
        let (opener, end) = BLOCKS[which];
        if self.open[which] == 0 {
            let message = format!("`{end}` without `{opener}`");
            self.collector.add(Fault::new(span, message, format!("remove it, or write `{opener}` above it")));
            return;
        }
        while let Some(found) = self.close_last(Some(which)) {
            if found == which {
                return;
            }
        }
    }

    /// Ends every open block with a problem.
    pub(super) fn close_all(&mut self) {
        while self.close_last(None).is_some() {}
    }

    /// Ends the innermost block, with a problem if it is not the expected one.
    fn close_last(&mut self, expected: Option<usize>) -> Option<usize> {
        let mut block = self.blocks.pop()?;
        self.open[block.which] -= 1;
        let (opener, end) = BLOCKS[block.which];
        if expected != Some(block.which) {
            let message = format!("`{opener}` is never ended");
            self.collector.add(Fault::new(block.keyword, message, format!("`{end}` is missing")));
        }
        block.keep_branch();
        if let Some(mut statement) = block.statement {
            match &mut statement.kind {
                StatementKind::While { body, .. }
                | StatementKind::For { body, .. }
                | StatementKind::Solve { body, .. }
                | StatementKind::Block(body) => *body = block.body,
                _ => {}
            }
            self.place(statement);
        }
        Some(block.which)
    }
}

impl Block {
    /// Moves what stands inside an `If` into its last branch.
    fn keep_branch(&mut self) {
        let Some(StatementKind::If { branches, otherwise }) = self.statement.as_mut().map(|s| &mut s.kind) else {
            return;
        };
        let body = std::mem::take(&mut self.body);
        if self.has_else {
            otherwise.extend(body);
        } else if let Some(branch) = branches.last_mut() {
            branch.1.extend(body);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_has_a_reader() {
        assert!(BLOCKS.iter().all(|block| commands::opener(block.0).is_some()));
    }
}

//! Which objects of a mission sequence become equal to which others: `Sat2 = Sat`.

use crate::gmat::tree::{ExpressionKind, Statement, StatementKind};

/// Pairs of names: what becomes equal to what.
pub(super) struct Copies(Vec<(String, String)>);

/// The copies of a mission sequence, those of other things than objects among them.
pub(super) fn of(commands: &[Statement]) -> Copies {
    let mut copies = Copies(Vec::new());
    copies.add(commands);
    copies
}

impl Copies {
    fn add(&mut self, commands: &[Statement]) {
        for statement in commands {
            match &statement.kind {
                StatementKind::Assign { target, value } => {
                    if let ExpressionKind::Reference(from) = &value.kind
                        && target.parts.len() == 1
                        && from.parts.len() == 1
                    {
                        self.0.push((target.path(), from.path()));
                    }
                }
                StatementKind::If { branches, otherwise } => {
                    for (_, body) in branches {
                        self.add(body);
                    }
                    self.add(otherwise);
                }
                StatementKind::While { body, .. }
                | StatementKind::For { body, .. }
                | StatementKind::Solve { body, .. }
                | StatementKind::Block(body) => self.add(body),
                _ => {}
            }
        }
    }

    /// The names of what an object can have been copied from, in one step or several.
    pub(super) fn sources<'a>(&'a self, name: &'a str) -> Vec<&'a str> {
        let mut sources = vec![name];
        let mut looked_at = 0;
        while let Some(&to) = sources.get(looked_at) {
            looked_at += 1;
            let from = self.0.iter().filter(|copy| copy.0 == to).map(|copy| copy.1.as_str());
            for from in from.collect::<Vec<_>>() {
                if !sources.contains(&from) {
                    sources.push(from);
                }
            }
        }
        sources.remove(0);
        sources
    }
}

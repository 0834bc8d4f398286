//! `#Include`: the statements of other files in the place of the line that names them.
//!
//! Names are relative to the folder of the main script, in nested files as well, as in GMAT. A file may stand in
//! several places, may hold `BeginMissionSequence`, and a block begins and ends in one file. A file that is not there is
//! refused, where GMAT goes on without it. Test: `includes_as_in_gmat` in tests/gmat_grammar.rs.

use super::collector::{Collector, Fault};
use super::lexer::Source;
use super::tree::{Script, Statement, StatementKind, Text};
use super::{Begun, MAX_BYTES, MAX_NESTING, decode, parser, read};
use crate::base::files::Files;
use crate::base::problem::{Problems, Span};
use std::collections::BTreeMap;

/// The most files that a script includes, counted each time.
const MAX_FILES: usize = 1000;

/// A file that a script includes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Included {
    /// Its path as written.
    pub file: String,
    /// Its text.
    pub text: String,
}

/// A script with the statements of the files that it includes.
#[derive(Clone, Debug, PartialEq)]
pub struct Expanded {
    /// The script.
    pub script: Script,
    /// The files, by [`Span::source`](crate::base::problem::Span::source) from 1.
    pub included: Vec<Included>,
}

/// Puts the statements of included files into a script; `text` is its text.
///
/// # Errors
/// What is wrong with an `#Include`, or with the file that it names.
pub fn expand(file: &str, text: &str, script: &Script, files: &dyn Files) -> Result<Expanded, Problems> {
    let (included, chain, looked) = (Vec::new(), Vec::new(), BTreeMap::new());
    let mut expansion = Expansion { main: file, files, included, bytes: 0, chain, blocks: 0, looked };
    let outcome = expansion.file(text, script.clone(), false, 0);
    let Expansion { included, .. } = expansion;
    match outcome {
        Ok(script) => Ok(Expanded { script, included }),
        Err(Trouble::Told(problems)) => Err(problems),
        Err(Trouble::Here(fault)) => {
            let mut collector = Collector::with_included(file, text, &included);
            collector.add(fault);
            Err(collector.finish().unwrap_or_default())
        }
    }
}

/// Why a script cannot be expanded.
enum Trouble {
    /// At an `#Include`.
    Here(Fault),
    /// In the file that one names.
    Told(Problems),
}

struct Expansion<'a> {
    /// The main script.
    main: &'a str,
    files: &'a dyn Files,
    included: Vec<Included>,
    /// The bytes of all included files, counted each time.
    bytes: usize,
    /// The files that are being expanded.
    chain: Vec<String>,
    /// The blocks around the statement, those of including files too.
    blocks: usize,
    /// Whether a file holds `BeginMissionSequence`.
    looked: BTreeMap<String, bool>,
}

impl Expansion<'_> {
    /// The statements of one file. Where an included one holds `BeginMissionSequence`, the rest is read as mission.
    fn file(&mut self, text: &str, mut script: Script, begun: bool, number: u16) -> Result<Script, Trouble> {
        if !begun {
            let mut includes = script.resources.iter();
            let line = includes.find_map(|statement| match &statement.kind {
                StatementKind::Include { path } if self.begins(path) => Some(statement.span.line),
                _ => None,
            });
            if let Some(line) = line {
                let name = self.chain.last().map_or(self.main, String::as_str).to_owned();
                script = read(&name, text.as_bytes(), Begun::OnLine(line), number).map_err(Trouble::Told)?;
            }
        }
        let mut expanded = Script { resources: Vec::new(), mission: Vec::new() };
        for statement in script.resources {
            let StatementKind::Include { path } = &statement.kind else {
                expanded.resources.push(statement);
                continue;
            };
            let inner = self.include(path, Begun::Never)?;
            expanded.resources.extend(inner.resources);
            expanded.mission.extend(inner.mission);
        }
        let mission = self.block(script.mission)?;
        expanded.mission.extend(mission);
        Ok(expanded)
    }

    fn block(&mut self, statements: Vec<Statement>) -> Result<Vec<Statement>, Trouble> {
        let mut expanded = Vec::with_capacity(statements.len());
        for mut statement in statements {
            match &mut statement.kind {
                StatementKind::Include { path } => {
                    expanded.extend(self.include(path, Begun::Before)?.mission);
                    continue;
                }
                StatementKind::If { branches, otherwise } => {
                    for (_, body) in branches {
                        *body = self.inner(std::mem::take(body), statement.span)?;
                    }
                    *otherwise = self.inner(std::mem::take(otherwise), statement.span)?;
                }
                StatementKind::While { body, .. }
                | StatementKind::For { body, .. }
                | StatementKind::Solve { body, .. }
                | StatementKind::Block(body) => *body = self.inner(std::mem::take(body), statement.span)?,
                _ => {}
            }
            expanded.push(statement);
        }
        Ok(expanded)
    }

    /// What stands inside a block.
    fn inner(&mut self, body: Vec<Statement>, block: Span) -> Result<Vec<Statement>, Trouble> {
        if self.blocks >= MAX_NESTING {
            let help = format!("at most {MAX_NESTING} blocks inside one another, those of including files counted");
            return Err(Trouble::Here(Fault::new(block, "the block is nested too deep", help)));
        }
        self.blocks += 1;
        let body = self.block(body);
        self.blocks -= 1;
        body
    }

    /// The statements of the file that an `#Include` names.
    fn include(&mut self, path: &Text, begun: Begun) -> Result<Script, Trouble> {
        let here = |message: String, help: &str| Err(Trouble::Here(Fault::new(path.span, message, help)));
        if self.chain.contains(&path.text) {
            return here(format!("`{}` includes itself", path.text), "a file may not stand in its own chain");
        }
        if self.chain.len() >= MAX_NESTING || self.included.len() >= MAX_FILES {
            return here(format!("`{}` is one file too many", path.text), "at most 1000 files, 100 in one another");
        }
        let bytes = match self.files.read(&path.text) {
            Ok(bytes) => bytes,
            Err(error) => {
                let help = "a path relative to the folder of the main script, or absolute";
                return here(format!("the file `{}` cannot be read: {error}", path.text), help);
            }
        };
        self.bytes += bytes.len();
        if self.bytes > MAX_BYTES {
            let help =
                format!("at most {MAX_BYTES} bytes in all included files, each counted as often as it is included");
            return here(format!("`{}` makes the script too long", path.text), &help);
        }
        let number = self.included.len() as u16 + 1;
        let script = read(&path.text, &bytes, begun, number).map_err(Trouble::Told)?;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
        self.included.push(Included { file: path.text.clone(), text: text.clone() });
        self.chain.push(path.text.clone());
        let expanded = self.file(&text, script, begun == Begun::Before, number);
        self.chain.pop();
        expanded
    }

    /// Whether a file holds `BeginMissionSequence`; what is wrong with it is told when it is included.
    fn begins(&mut self, path: &Text) -> bool {
        if let Some(begins) = self.looked.get(&path.text) {
            return *begins;
        }
        let Ok(bytes) = self.files.read(&path.text) else { return false };
        let begins = decode(&path.text, &bytes).is_ok_and(|text| parser::has_begin(&Source::new(&text, 0)));
        self.looked.insert(path.text.clone(), begins);
        begins
    }
}

//! `kind = "expression"`: outputs are formulas over the design's parameters, in the formula language of
//! mission scripts. For tests and sensitivity studies.
//!
//! ```toml
//! [workload]
//! kind = "expression"
//! outputs = { "r" = "Sat.SMA * (1 - Sat.ECC)", "s" = "sin(x)^2" }
//! ```
//!
//! Formulas are those of [`crate::gmat::formula`].

use std::fmt::Write as _;
use std::ops::Range;

use super::{ASK_EVERY, Column, Executor, Inputs, Kind, Workload, plain_parameters};
use crate::base::lanes::Vectors;
use crate::base::nearest::did_you_mean;
use crate::base::outcome::{Failure, Status};
use crate::base::problem::{Problem, Problems};
use crate::base::run::FinishedRun;
use crate::config::reader::{Reader, cut};
use crate::gmat;
use crate::gmat::formula::{self, Ask, Formula, FormulaError, Operand, Scope};
use crate::gmat::tree::{Expression, Reference, StatementKind};

pub(super) const KIND: Kind = Kind {
    name: "expression",
    summary: "outputs = { \"name\" = \"formula over the parameters\" }",
    keys: &["outputs"],
    build: |inputs| Ok(Box::new(Formulas::new(inputs)?)),
};

struct Formulas {
    parameters: Vec<Column>,
    outputs: Vec<Column>,
    /// One program an output.
    programs: Vec<Formula>,
    /// The formulas as written, for the hash.
    written: String,
}

impl Formulas {
    fn new(inputs: &Inputs) -> Result<Self, Problems> {
        let config = inputs.config;
        let mut problems = Vec::new();
        let parameters = plain_parameters(inputs, &mut problems);
        let mut reader = Reader::new(&config.file, config.text.clone());
        let table = &config.workload.table;
        let example = "outputs = { \"r\" = \"Sat.SMA * (1 - Sat.ECC)\" }";
        let mut formulas = Formulas { parameters, outputs: Vec::new(), programs: Vec::new(), written: String::new() };
        if let Some(value) = table.get("outputs") {
            if let Some(outputs) = reader.table("workload.outputs", value, &format!("a table such as {example}")) {
                if outputs.entries.is_empty() {
                    reader.refuse(&value.range, "`workload.outputs` names no output", format!("write: {example}"));
                }
                for (key, value) in outputs.entries.iter() {
                    let allowed = "a formula over the design's parameters";
                    let Some(formula) = reader.text_of(&format!("output {}", key.name), value, allowed) else {
                        continue;
                    };
                    match formulas.program(formula) {
                        Ok(program) => {
                            formulas.outputs.push(Column::number(&key.name, formula));
                            formulas.programs.push(program);
                            let _ = write!(formulas.written, "{:?}={formula:?};", key.name);
                        }
                        Err((message, help)) => reader.refuse(&value.range, message, help),
                    }
                }
            }
        } else {
            let message = "`outputs` is missing under [workload], an expression needs it";
            reader.refuse(&table.range, message, format!("write: {example}"));
        }
        problems.extend(reader.finish().1.0);
        if problems.is_empty() { Ok(formulas) } else { Err(Problems(problems)) }
    }

    /// The program of a formula, or what is wrong and what is meant.
    fn program(&self, formula: &str) -> Result<Formula, (String, String)> {
        // the script's own parser reads the formula as the right side of an assignment
        let script = format!("BeginMissionSequence\nx = {formula}\n");
        let fault = |problem: Option<&Problem>| {
            let message = problem.map_or("is no formula", |problem| &problem.message);
            (
                format!("`{}`: {message}", cut(formula)),
                "a formula as in a mission script: + - * / ^ ( ), numbers, parameters, functions".to_owned(),
            )
        };
        let tree = gmat::parse("formula", script.as_bytes()).map_err(|problems| fault(problems.0.first()))?;
        let [statement] = &tree.mission[..] else { return Err(fault(None)) };
        let StatementKind::Assign { value, .. } = &statement.kind else { return Err(fault(None)) };
        Formula::new(value, &mut Parameters(&self.parameters))
            .map_err(|error| (format!("`{}`: {}", cut(formula), error.message), error.help))
    }
}

/// The names of formulas: the parameters of the design.
struct Parameters<'a>(&'a [Column]);

impl Scope for Parameters<'_> {
    fn operand(&mut self, reference: &Reference) -> Result<Operand, FormulaError> {
        let path = reference.path();
        if !reference.indices.is_empty() {
            return Err(formula::no_function(reference, std::iter::empty()));
        }
        let place = self.0.iter().position(|column| column.path == path);
        place.map(Operand::Input).ok_or_else(|| FormulaError {
            span: reference.span,
            message: format!("the design has no parameter `{path}`"),
            help: did_you_mean(&path, self.0.iter().map(|column| column.path.as_str()).chain(["pi"])),
        })
    }

    fn text(&mut self, _: &Expression) -> Option<Formula> {
        None
    }
}

impl Workload for Formulas {
    fn kind(&self) -> &'static str {
        KIND.name
    }

    fn parameters(&self) -> &[Column] {
        &self.parameters
    }

    fn outputs(&self) -> &[Column] {
        &self.outputs
    }

    fn executor(&self, _vectors: Vectors) -> Box<dyn Executor + '_> {
        Box::new(Evaluator {
            formulas: self,
            parameters: vec![0.0; self.parameters.len()],
            outputs: vec![0.0; self.outputs.len()],
            stack: Vec::new(),
        })
    }

    fn side_by_side(&self, _vectors: Vectors) -> u64 {
        1
    }

    fn describe(&self) -> String {
        self.written.clone()
    }
}

struct Evaluator<'a> {
    formulas: &'a Formulas,
    parameters: Vec<f64>,
    outputs: Vec<f64>,
    stack: Vec<f64>,
}

impl Executor for Evaluator<'_> {
    fn execute(
        &mut self,
        runs: Range<u64>,
        values: &dyn Fn(u64, &mut [f64]),
        finished: &mut dyn FnMut(FinishedRun<'_>),
        goes_on: &dyn Fn() -> bool,
    ) {
        for run in runs {
            if run.is_multiple_of(ASK_EVERY) && !goes_on() {
                return;
            }
            values(run, &mut self.parameters);
            for (output, program) in self.outputs.iter_mut().zip(&self.formulas.programs) {
                *output = program.value(
                    &mut |ask| match ask {
                        Ask::Input(index) => self.parameters[index],
                        _ => f64::NAN, // the scope knows nothing else
                    },
                    &mut self.stack,
                );
            }
            let failure =
                if self.outputs.iter().all(|output| output.is_finite()) { None } else { Some(Failure::NotFinite) };
            if failure.is_some() {
                self.outputs.fill(f64::NAN);
            }
            finished(FinishedRun {
                run,
                status: failure.map_or(Status::Ok, Failure::status),
                failure,
                parameters: &self.parameters,
                outputs: &self.outputs,
                reports: &[],
                ephemerides: &[],
                steps: 0,
            });
        }
    }
}

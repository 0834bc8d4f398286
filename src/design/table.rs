//! `kind = "table"`: one row a run, written down column by column.

use super::points::Points;
use super::{Design, Kind, Parameter, parameter, parameters_of, path_of, rules};
use crate::config::DesignConfig;
use crate::config::reader::{Content, Reader, cut};
use serde_json::json;

pub(super) const KIND: Kind =
    Kind { name: "table", summary: "one row a run, written in the config column by column", keys: &["columns"], read };

struct Table {
    parameters: Vec<Parameter>,
    columns: Vec<Points>,
    runs: u64,
}

impl Design for Table {
    fn kind(&self) -> &'static str {
        KIND.name
    }

    fn runs(&self) -> u64 {
        self.runs
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn values(&self, run: u64, out: &mut [f64]) {
        assert!(run < self.runs, "run {run} of a table of {}", self.runs);
        assert_eq!(out.len(), self.columns.len(), "values of a table");
        for (column, out) in self.columns.iter().zip(out) {
            *out = column.value(run);
        }
    }

    fn canonical(&self) -> serde_json::Value {
        let columns: Vec<_> = self
            .parameters
            .iter()
            .zip(&self.columns)
            .map(|(parameter, column)| json!([parameter.path, column.canonical()]))
            .collect();
        json!({ "kind": KIND.name, "columns": columns })
    }
}

fn read(config: &DesignConfig, reader: &mut Reader) -> Option<Box<dyn Design>> {
    let table = parameters_of(config, "columns", "[7000.0, 7100.0]", reader)?;
    let mut parameters: Vec<Parameter> = Vec::new();
    let mut columns: Vec<Points> = Vec::new();
    for (key, value) in table.entries.iter() {
        let Some(path) = path_of(key, reader) else { continue };
        if let Content::Table(_) = value.content {
            let message = format!("the column `{}` cannot be a table", cut(&path));
            let help = "allowed: a list; a path with a dot stands in quotes, such as \"Sat.SMA\" = [7000.0]";
            reader.refuse(&value.range, message, help);
            continue;
        }
        let Some(column) = rules::read_list(&path, value, reader) else { continue };
        if let (Some(first), Some(parameter)) = (columns.first(), parameters.first())
            && first.count() != column.count()
        {
            let message = format!(
                "the column `{}` has length {}, the column `{}` has length {}",
                cut(&path),
                column.count(),
                cut(&parameter.path),
                first.count()
            );
            reader.refuse(&key.range, message, "allowed: columns of equal length");
        }
        parameters.push(parameter(key, path, &column, value, reader));
        columns.push(column);
    }
    let runs = columns.first()?.count();
    let complete = columns.len() == table.entries.len() && columns.iter().all(|column| column.count() == runs);
    complete.then(|| Box::new(Table { parameters, columns, runs }) as Box<dyn Design>)
}

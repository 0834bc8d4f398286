//! The design of a `[[stage]]`: every run starts from a run of an earlier sweep, or from some of them taken
//! together, and may vary more by a design of its own.
//!
//! The runs are parents times own runs, the own ones fastest: run i starts from parent i / n and has the
//! values of own run i mod n. What the parents left is known after the earlier sweep only; until
//! [`Results::fill`] every taken value is NaN.

use std::sync::OnceLock;

use serde_json::json;

use super::{Design, MAX_RUNS, Parameter};
use crate::base::nominal::Nominal;
use crate::config::{From, StageConfig};

/// The most numbers that a stage takes from the results before it; every rank keeps them: 4 GiB.
pub const VALUES_MAX: u64 = 1 << 29;

/// What a stage takes from the results of an earlier sweep.
pub struct Results {
    /// The datasets that values come from, one for each parameter that is taken.
    pub columns: Vec<String>,
    /// Which runs it starts from.
    pub from: From,
    /// The dataset that the best or worst run is chosen by.
    pub by: Option<String>,
    /// How many runs it starts from.
    parents: u64,
    /// The values, one row a parent; a row of NaN where there is none to start from.
    rows: OnceLock<Vec<f64>>,
}

impl Results {
    /// Sets the values, once, before the first run is flown.
    ///
    /// # Panics
    /// If they have another number than parents times columns.
    pub fn fill(&self, rows: Vec<f64>) {
        assert_eq!(rows.len() as u64, self.parents * self.columns.len() as u64, "values of a stage");
        let _ = self.rows.set(rows);
    }

    /// The parents' rows from those of all runs: `columns` and `by` along the runs, `ok` says which count.
    ///
    /// Sums in the order of the runs, so the mean has the same bits wherever it is computed.
    pub fn reduce(&self, columns: &[Vec<f64>], by: Option<&[f64]>, ok: &[bool]) -> Vec<f64> {
        let row = |run: usize| columns.iter().map(move |column| column[run]);
        let nothing = || vec![f64::NAN; columns.len()];
        match (&self.from, by) {
            (From::Each, _) => (0..ok.len())
                .flat_map(|run| row(run).map(move |value| if ok[run] { value } else { f64::NAN }))
                .collect(),
            (From::Mean, _) => {
                let count = ok.iter().filter(|ok| **ok).count() as f64;
                let sum = |column: &Vec<f64>| column.iter().zip(ok).filter(|(_, ok)| **ok).map(|(x, _)| x).sum::<f64>();
                columns.iter().map(|column| sum(column) / count).collect()
            }
            (From::Extreme { greatest, .. }, Some(by)) => {
                let mut best: Option<usize> = None;
                for run in (0..ok.len()).filter(|&run| ok[run] && !by[run].is_nan()) {
                    let better = |best: usize| if *greatest { by[run] > by[best] } else { by[run] < by[best] };
                    if best.is_none_or(better) {
                        best = Some(run);
                    }
                }
                best.map_or_else(nothing, |run| row(run).collect())
            }
            (From::Extreme { .. }, None) => nothing(),
        }
    }
}

/// The design of a stage.
pub struct FromResults {
    results: Results,
    own: Option<Box<dyn Design>>,
    parameters: Vec<Parameter>,
    runs: u64,
    /// The hash of the plan before, so that another plan before is another plan here.
    before: String,
}

impl FromResults {
    /// A stage after a sweep of `runs` runs whose plan has the hash `before`; `columns` and `by` are the
    /// datasets that the stage's names mean there.
    ///
    /// # Errors
    /// What is too many, or set twice.
    pub fn new(
        stage: &StageConfig,
        own: Option<Box<dyn Design>>,
        runs: u64,
        before: &str,
        columns: Vec<String>,
        by: Option<String>,
    ) -> Result<Self, String> {
        let parents = if stage.from == From::Each { runs } else { 1 };
        let taken = parents.checked_mul(columns.len() as u64).filter(|&taken| taken <= VALUES_MAX);
        let Some(_) = taken else {
            return Err(format!(
                "the stage takes {} values from {parents} runs, more than {VALUES_MAX} numbers in all",
                columns.len()
            ));
        };
        let own_runs = own.as_ref().map_or(1, |own| own.runs());
        let Some(runs) = parents.checked_mul(own_runs).filter(|&runs| runs <= MAX_RUNS) else {
            return Err(format!("{parents} x {own_runs} runs are more than {MAX_RUNS}"));
        };
        let set = stage.set.iter().map(|(path, _)| Parameter {
            path: path.value.clone(),
            span: path.span,
            text_values: None,
            text_spans: Vec::new(),
        });
        let mut parameters: Vec<Parameter> = set.collect();
        for parameter in own.iter().flat_map(|own| own.parameters()) {
            if parameters.iter().any(|set| set.path == parameter.path) {
                return Err(format!("`{}` is set by `set` and varied by the stage's design", parameter.path));
            }
            parameters.push(parameter.clone());
        }
        let results = Results { columns, from: stage.from.clone(), by, parents, rows: OnceLock::new() };
        Ok(FromResults { results, own, parameters, runs, before: before.to_owned() })
    }

    /// The taken values of a parent; none before they are known.
    fn row(&self, run: u64) -> Option<&[f64]> {
        let width = self.results.columns.len();
        let parent = (run / self.own.as_ref().map_or(1, |own| own.runs())) as usize;
        self.results.rows.get().map(|rows| &rows[parent * width..(parent + 1) * width])
    }
}

impl Design for FromResults {
    fn kind(&self) -> &'static str {
        "results"
    }

    fn runs(&self) -> u64 {
        self.runs
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn values(&self, run: u64, out: &mut [f64]) {
        assert!(run < self.runs, "run {run} of a stage of {}", self.runs);
        let (taken, varied) = out.split_at_mut(self.results.columns.len());
        match self.row(run) {
            Some(row) => taken.copy_from_slice(row),
            None => taken.fill(f64::NAN),
        }
        if let Some(own) = &self.own {
            own.values(run % own.runs(), varied);
        }
    }

    fn relate(&self, nominal: &dyn Fn(usize) -> Option<Nominal>) -> Result<(), usize> {
        let taken = self.results.columns.len();
        let Some(own) = &self.own else { return Ok(()) };
        own.relate(&|number| nominal(taken + number)).map_err(|number| taken + number)
    }

    fn is_missing(&self, run: u64) -> bool {
        self.row(run).is_some_and(|row| row.iter().any(|value| value.is_nan()))
    }

    fn results(&self) -> Option<&Results> {
        Some(&self.results)
    }

    fn canonical(&self) -> serde_json::Value {
        let set: Vec<_> =
            self.parameters.iter().zip(&self.results.columns).map(|(p, column)| json!([p.path, column])).collect();
        let from = match &self.results.from {
            From::Each => json!("each"),
            From::Mean => json!("mean"),
            From::Extreme { greatest, .. } => json!([if *greatest { "greatest" } else { "least" }, self.results.by]),
        };
        let own = self.own.as_ref().map(|own| own.canonical());
        json!({ "kind": "results", "before": self.before, "from": from, "set": set, "own": own })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::problem::Span;
    use crate::config::Located;

    fn located(text: &str) -> Located<String> {
        Located { value: text.to_owned(), span: Span { source: 0, line: 1, column: 1, length: 1 } }
    }

    fn design(from: From) -> FromResults {
        let set = ["a", "b"].map(|name| (located(name), located(name))).to_vec();
        let stage = StageConfig { name: located("s"), from, set, own_file: false };
        let by = Some("c".to_owned());
        FromResults::new(&stage, None, 4, "0", vec!["a".to_owned(), "b".to_owned()], by)
            .unwrap_or_else(|e| panic!("{e}"))
    }

    const A: [f64; 4] = [1.0, 2.0, 4.0, 8.0];
    const B: [f64; 4] = [10.0, 20.0, 40.0, 80.0];
    const BY: [f64; 4] = [3.0, 1.0, 0.0, 1.0];
    const OK: [bool; 4] = [true, true, false, true];

    fn reduced(from: From) -> Vec<f64> {
        design(from).results.reduce(&[A.to_vec(), B.to_vec()], Some(&BY), &OK)
    }

    #[test]
    fn val_reductions() {
        let by = located("c");
        assert_eq!(reduced(From::Mean), [11.0 / 3.0, 110.0 / 3.0]);
        assert_eq!(reduced(From::Extreme { by: by.clone(), greatest: false }), [2.0, 20.0], "the first of equals");
        assert_eq!(reduced(From::Extreme { by, greatest: true }), [1.0, 10.0]);
        let each = reduced(From::Each);
        assert_eq!((&each[..4], &each[6..]), (&[1.0, 10.0, 2.0, 20.0][..], &[8.0, 80.0][..]));
        assert!(each[4].is_nan() && each[5].is_nan());
    }

    #[test]
    fn runs_without_a_parent_are_missing() {
        let each = design(From::Each);
        assert!(!each.is_missing(2), "nothing is known yet");
        each.results.fill(reduced(From::Each));
        assert!((0..4).map(|run| each.is_missing(run)).eq([false, false, true, false]));
        let mut values = [0.0; 2];
        each.values(3, &mut values);
        assert_eq!(values.map(f64::to_bits), [8.0_f64, 80.0].map(f64::to_bits));
    }

    #[test]
    fn nothing_to_choose_from_is_missing() {
        let best = design(From::Extreme { by: located("c"), greatest: true });
        let none = best.results.reduce(&[A.to_vec(), B.to_vec()], Some(&BY), &[false; 4]);
        best.results.fill(none);
        assert!(best.is_missing(0));
    }
}

//! Each column of a result file in a few numbers.

use super::StoreError;
use super::reader::{ColumnInfo, Reader, VALUES_AT_ONCE, slabs};
use crate::base::outcome::STATUS_FLAGS;

/// A column over the runs that are ok.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnSummary {
    /// The dataset's name.
    pub name: String,
    /// The unit.
    pub units: String,
    /// How many runs are ok and have a number here (not NaN).
    pub count: u64,
    /// The least; NaN if there is none.
    pub min: f64,
    /// The mean; NaN if there is none.
    pub mean: f64,
    /// The greatest; NaN if there is none.
    pub max: f64,
}

impl Reader {
    /// Each parameter and output over the runs that are ok.
    pub fn column_summaries(&self) -> Result<Vec<ColumnSummary>, StoreError> {
        let ok = STATUS_FLAGS[1].0.code();
        let mut columns: Vec<(&ColumnInfo, Sums)> =
            self.parameters().iter().chain(self.outputs()).map(|column| (column, Sums::default())).collect();
        for (first, count) in slabs(self.runs(), VALUES_AT_ONCE) {
            let status = self.status(first, count)?;
            for (column, sums) in &mut columns {
                let values = self.values(column, first, count)?;
                values.iter().zip(&status).filter(|(_, status)| **status == ok).for_each(|(&value, _)| sums.add(value));
            }
        }
        Ok(columns.into_iter().map(|(column, sums)| sums.summary(column)).collect())
    }
}

/// Count, extremes, and a sum that carries its rounding error along (Neumaier).
struct Sums {
    count: u64,
    min: f64,
    max: f64,
    sum: f64,
    rest: f64,
}

impl Default for Sums {
    fn default() -> Sums {
        Sums { count: 0, min: f64::NAN, max: f64::NAN, sum: 0.0, rest: 0.0 }
    }
}

impl Sums {
    fn add(&mut self, value: f64) {
        if value.is_nan() {
            return;
        }
        self.count += 1;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        let sum = self.sum + value;
        let (large, small) = if self.sum.abs() >= value.abs() { (self.sum, value) } else { (value, self.sum) };
        self.rest += (large - sum) + small;
        self.sum = sum;
    }

    fn summary(&self, column: &ColumnInfo) -> ColumnSummary {
        // After an infinity the carried rest is NaN, and the sum says all.
        let sum = if self.sum.is_finite() { self.sum + self.rest } else { self.sum };
        let mean = if self.count == 0 { f64::NAN } else { sum / self.count as f64 };
        let (name, units) = (column.name.clone(), column.units.clone());
        ColumnSummary { name, units, count: self.count, min: self.min, mean, max: self.max }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::ColumnKind;

    #[test]
    fn val_sums_keep_small_numbers() {
        let mut sums = Sums::default();
        for value in [1e16, 1.0, f64::NAN, -1e16] {
            sums.add(value);
        }
        let kind = ColumnKind::Float;
        let (name, gmat_name, units, long_name) = Default::default();
        let summary = sums.summary(&ColumnInfo { name, gmat_name, units, long_name, kind });
        assert_eq!((summary.count, summary.mean * 3.0), (3, 1.0));
        assert_eq!((summary.min, summary.max), (-1e16, 1e16));
    }
}

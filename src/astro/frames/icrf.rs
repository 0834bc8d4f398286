//! From `MJ2000Eq` to ICRF, as GMAT has it.
//!
//! A rotation vector (some 1e-7 rad) is interpolated from a table by days of TAI: the polynomial through the 10 rows
//! that GMAT's search by halves picks. Domain: the table, 1972 to 2099. The stored vectors are rounded to 1e-13 rad.
//!
//! # References
//! GMAT's `ICRFFile` and data file `ICRF_Table.txt`. Test: `val_axes_of_gmat` in tests.rs.

use super::packed::Reader;
use super::rotation::Rotation;
use crate::astro::epoch::{Epoch, Scale};

/// The table as `scripts/make-eop` packed it.
const EMBEDDED: &[u8] = include_bytes!("../../../data/earth/icrf.bin");

/// Rows that a polynomial goes through, and those of them before the row that the search ends on.
const POINTS: usize = 10;
const POINTS_BEFORE: usize = 4;

/// The table of rotation vectors.
#[derive(Clone, Debug)]
pub struct IcrfTable {
    /// How many rows of GMAT's table come before the first one here.
    skipped: usize,
    /// GMAT's modified Julian date, TAI, and the vector in rad.
    rows: Vec<(f64, [f64; 3])>,
}

/// Why there is no rotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IcrfError {
    /// Outside the table.
    #[error("ICRF is known from 1972 to November 2099 only")]
    OutOfSpan,
}

impl Default for IcrfTable {
    /// The table that comes with the program.
    fn default() -> Self {
        Self::unpack(EMBEDDED).unwrap_or(IcrfTable { skipped: 0, rows: Vec::new() })
    }
}

impl IcrfTable {
    fn unpack(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes, *b"ICR1")?;
        let (skipped, count) = (reader.word()? as usize, reader.word()? as usize);
        let days = reader.column(count)?;
        let columns = [reader.column(count)?, reader.column(count)?, reader.column(count)?];
        let vector = |k: usize| std::array::from_fn(|axis| columns[axis][k] as f64 / 1e13);
        Some(IcrfTable { skipped, rows: (0..count).map(|k| (days[k] as f64, vector(k))).collect() })
    }

    /// From `MJ2000Eq` to ICRF; velocities turn with it and no faster.
    ///
    /// The axes are turned by |v| about v.
    pub fn rotation(&self, epoch: Epoch) -> Result<Rotation, IcrfError> {
        let v = self.vector(epoch.mjd(Scale::Tai))?;
        let angle = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
        let axis = v.map(|component| component / angle);
        let (sin, cos) = libm::sincos(angle);
        let turned = |i: usize, j: usize| axis[i] * axis[j] * (1.0 - cos);
        let [x, y, z] = axis.map(|component| component * sin);
        Ok(Rotation::fixed([
            [cos + turned(0, 0), turned(0, 1) + z, turned(0, 2) - y],
            [turned(1, 0) - z, cos + turned(1, 1), turned(1, 2) + x],
            [turned(2, 0) + y, turned(2, 1) - x, cos + turned(2, 2)],
        ]))
    }

    /// The vector at a modified Julian date of GMAT, TAI.
    fn vector(&self, mjd: f64) -> Result<[f64; 3], IcrfError> {
        let (Some(first), Some(last)) = (self.rows.first(), self.rows.last()) else {
            return Err(IcrfError::OutOfSpan);
        };
        if !(first.0..=last.0).contains(&mjd) {
            return Err(IcrfError::OutOfSpan);
        }
        let middle = self.row_of_search(mjd);
        let begin = middle.saturating_sub(POINTS_BEFORE).min(self.rows.len() - POINTS);
        let rows = &self.rows[begin..begin + POINTS];
        let mut sum = [0.0; 3];
        for (i, &(day, vector)) in rows.iter().enumerate() {
            let others = rows.iter().enumerate().filter(|&(j, _)| j != i);
            let weight: f64 = others.map(|(_, &(other, _))| (mjd - other) / (day - other)).product();
            for (sum, component) in sum.iter_mut().zip(vector) {
                *sum += weight * component;
            }
        }
        Ok(sum)
    }

    /// The row that a search by halves over GMAT's whole table looks at last.
    fn row_of_search(&self, mjd: f64) -> usize {
        let (mut below, mut above) = (0, self.skipped + self.rows.len() - 1);
        let mut middle = 0;
        while below + 1 < above {
            middle = usize::midpoint(below, above);
            // the rows left out are all earlier
            let is_later = middle < self.skipped || mjd > self.rows[middle - self.skipped].0;
            if is_later {
                below = middle;
            } else {
                above = middle;
            }
        }
        middle.saturating_sub(self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::astro::frames::J2000;

    #[test]
    fn val_rows_of_the_table() {
        // ICRF_Table.txt, last row: -1.121091091308e-007, 6.644870533951e-007, -7.874540772839e-010
        let table = IcrfTable::default();
        let last = table.vector(58_070.0).unwrap();
        for (got, expected) in
            last.into_iter().zip([-1.121_091_091_308e-7, 6.644_870_533_951e-7, -7.874_540_772_839e-10])
        {
            assert!((got - expected).abs() < 0.6e-13, "{got:e} {expected:e}");
        }
        assert_eq!(table.vector(58_070.5), Err(IcrfError::OutOfSpan));
        assert_eq!(table.vector(f64::NAN), Err(IcrfError::OutOfSpan));
        assert!(table.vector(J2000).is_ok());
        // 1972-01-01, the first epoch that can be
        assert!(table.vector(11_317.5).is_ok());
    }
}

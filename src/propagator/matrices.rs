//! Inverses and determinants of matrices whose elements stand in a row, row by row.
//!
//! The inverse by Gauss and Jordan with full pivots, each column of the inverse in the place of the one that it
//! eliminates; the determinant by its products up to three rows, and by the cofactors of the first row beyond.
//! Tests: `val_inverse`, `language_matrices` of tests/fly.rs.

/// The most rows of a matrix that is inverted.
pub(super) const INVERSE_MAX: usize = crate::mission::program::INVERSE_MAX;
/// The most rows of a determinant.
const DETERMINANT_MAX: usize = crate::mission::program::DETERMINANT_MAX;

/// A pivot of a matrix that is not diagonal must be as large as this, as in GMAT.
const PIVOT_MIN: f64 = 1e-12;

/// Turns a matrix into its inverse; false, and half turned, where it is singular.
pub(super) fn invert(a: &mut [f64], rows: usize) -> bool {
    let n = rows;
    let is_diagonal = a.iter().enumerate().all(|(place, &element)| place / n == place % n || element == 0.0);
    if is_diagonal {
        for i in 0..n {
            a[i * n + i] = 1.0 / a[i * n + i];
        }
        return (0..n).all(|i| a[i * n + i].is_finite());
    }
    let mut free = [true; INVERSE_MAX];
    let mut exchanged = [(0, 0); INVERSE_MAX];
    for exchange in &mut exchanged[..n] {
        let (mut pivot, mut at) = (0.0_f64, (0, 0));
        for i in (0..n).filter(|&i| free[i]) {
            for j in (0..n).filter(|&j| free[j]) {
                if a[i * n + j].abs() > pivot.abs() {
                    (pivot, at) = (a[i * n + j], (i, j));
                }
            }
        }
        if pivot.abs() < PIVOT_MIN {
            return false;
        }
        let (row, column) = at;
        *exchange = at;
        free[column] = false;
        a[row * n + column] = 1.0;
        for j in 0..n {
            a.swap(row * n + j, column * n + j);
            a[column * n + j] /= pivot;
        }
        for i in (0..n).filter(|&i| i != column) {
            let factor = std::mem::replace(&mut a[i * n + column], 0.0);
            for j in 0..n {
                a[i * n + j] -= a[column * n + j] * factor;
            }
        }
    }
    for &(row, column) in exchanged[..n].iter().rev() {
        for i in 0..n {
            a.swap(i * n + row, i * n + column);
        }
    }
    true
}

/// The determinant.
pub(super) fn determinant(a: &[f64], rows: usize) -> f64 {
    match rows {
        1 => a[0],
        2 => a[0] * a[3] - a[1] * a[2],
        3 => {
            a[0] * a[4] * a[8] + a[1] * a[5] * a[6] + a[2] * a[3] * a[7]
                - a[0] * a[5] * a[7]
                - a[1] * a[3] * a[8]
                - a[2] * a[4] * a[6]
        }
        n => {
            let mut minor = [0.0; DETERMINANT_MAX * DETERMINANT_MAX];
            let mut sum = 0.0;
            for column in 0..n {
                let others = (n..n * n).filter(|place| place % n != column);
                for (place, other) in others.enumerate() {
                    minor[place] = a[other];
                }
                let cofactor = determinant(&minor[..(n - 1) * (n - 1)], n - 1);
                sum += a[column] * if column % 2 == 1 { -cofactor } else { cofactor };
            }
            sum
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::printf;

    #[test]
    #[allow(clippy::float_cmp)] // the same digits as GMAT
    fn val_inverse() {
        let matrix = [2.0, 1.0, 0.0, 0.0, 0.0, 3.0, 0.0, -1.0, 0.3, 0.0, 1.7, 0.0, 1.0, 2.2, 0.0, 5.0];
        assert_eq!(determinant(&matrix, 4), 56.78);
        let mut inverse = matrix;
        assert!(invert(&mut inverse, 4));
        let gmat = "0.5149700598802396 -0.1497005988023952 0 -0.02994011976047905 \
                    -0.02994011976047905 0.2994011976047904 0 0.05988023952095809 \
                    -0.0908770693906305 0.02641775272983445 0.5882352941176471 0.00528355054596689 \
                    -0.08982035928143714 -0.1017964071856288 0 0.1796407185628743";
        for (ours, gmat) in inverse.iter().zip(gmat.split_whitespace()) {
            let mut written = String::new();
            printf::general(*ours, 16, false, &mut written);
            assert_eq!(written, gmat);
        }
        assert!(!invert(&mut [1.0, 2.0, 2.0, 4.0], 2) && !invert(&mut [1.0, 0.0, 0.0, 0.0], 2));
        assert!(!invert(&mut [1e-13, 1e-14, 0.0, 1e-13], 2), "as in GMAT");
    }
}

//! A gravity field made ready for the loop: its coefficients in the order of the walk, with all roots and
//! normalisations in them.
//!
//! The harmonics of order m are w^m B_n, n = m, m + 1, ..., with w = xi + i upsilon and
//!
//! B_m = 1, B_n = 2 zeta B_(n-1) - kappa_n eta B_(n-2), kappa_n = 4 ((n-1)^2 - m^2) / ((2n-1) (2n-3)),
//!
//! (xi, upsilon, zeta) = a r / |r|^2 and eta = a^2 / |r|^2. B is (a/r)^(n-m) A_nm(sin latitude) / sigma_nm, A the
//! normalised derived Legendre function of Pines; this sigma makes the factor of zeta the same for all terms, so the
//! loop needs one constant a term.
//!
//! # References
//! Pines, *AIAA Journal* 11 (1973) 1508. Lundberg, Schutz, *Journal of Guidance* 11 (1988) 31.

use super::field::Field;
use core::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// What the function B_n of a column adds to the sums, and the constant that leads to the next function.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Term {
    /// C and S of this order, for the potential.
    pub(super) value: [f64; 2],
    /// C and S of the order below, for the derivative of its potential by sin latitude.
    pub(super) slope: [f64; 2],
    /// -kappa of the next function of the column.
    pub(super) minus_kappa: f64,
}

/// Columns that are walked at once, so that one waits less for the other's last function.
pub(super) const ABREAST: usize = 2;

/// The terms, a few columns (orders) abreast, step by step; the shorter columns end with terms of zeros.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    terms: Vec<[Term; ABREAST]>,
    /// Where each column begins in `terms`, and at last where all end.
    starts: Vec<usize>,
}

impl Columns {
    /// The columns of the degrees 1 and more of a field; degree 0 is the caller's.
    pub(super) fn new(field: &Field) -> Self {
        let mut columns = Columns { terms: Vec::new(), starts: vec![0] };
        if field.degree == 0 {
            return columns;
        }
        let last_column = (field.order + 1).min(field.degree);
        for first in (0..=last_column).step_by(ABREAST) {
            let begin = columns.terms.len();
            columns.terms.resize(begin + field.degree + 1 - first, [Term::default(); ABREAST]);
            for way in 0..ABREAST.min(last_column + 1 - first) {
                let m = first + way;
                let mut sigma = sectoral(m);
                for n in m..=field.degree {
                    if n > m {
                        sigma *= half_slope(n, m);
                    }
                    columns.terms[begin + n - m][way] = term(field, n, m, sigma);
                }
            }
            columns.starts.push(columns.terms.len());
        }
        columns
    }

    /// The columns, by order, [`ABREAST`] at a time.
    #[inline(always)]
    pub(super) fn iter(&self) -> impl Iterator<Item = &[[Term; ABREAST]]> {
        self.starts.windows(2).map(|ends| &self.terms[ends[0]..ends[1]])
    }
}

/// The term of degree n in column m. Derivative of the order below:
/// dA_(n,m-1)/du = sqrt((n-m+1) (n+m) / (2 if m = 1)) A_nm
fn term(field: &Field, n: usize, m: usize, sigma: f64) -> Term {
    let minus_kappa = -((4 * (n - m) * (n + m)) as f64) / ((4 * n * n) as f64 - 1.0).max(1.0);
    if n == 0 {
        return Term { minus_kappa, ..Term::default() };
    }
    let scaled = |order: usize, factor: f64| {
        let (c, s) = field.coefficient(n, order);
        [c * factor, s * factor]
    };
    let slope = if m > 0 {
        let half = if m == 1 { FRAC_1_SQRT_2 } else { 1.0 };
        scaled(m - 1, sigma * half * (((n - m + 1) * (n + m)) as f64).sqrt())
    } else {
        [0.0; 2]
    };
    Term { value: scaled(m, sigma), slope, minus_kappa }
}

/// A_mm, which is a constant.
fn sectoral(m: usize) -> f64 {
    let product: f64 = (1..=m).map(|k| ((2 * k + 1) as f64 / (2 * k) as f64).sqrt()).product();
    if m == 0 { 1.0 } else { SQRT_2 * product }
}

/// Half the factor of u A_(n-1,m) in A_nm.
fn half_slope(n: usize, m: usize) -> f64 {
    0.5 * (((2 * n + 1) * (2 * n - 1)) as f64 / ((n - m) * (n + m)) as f64).sqrt()
}

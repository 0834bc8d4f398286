//! Solid tides of a body: the Sun and a large companion raise it, and what they raise attracts.
//!
//! dC_nm - i dS_nm = k_nm / (2n + 1) sum_j mu_j / mu (a / r_j)^(n+1) P_nm(sin latitude_j) e^(-i m longitude_j)
//!
//! for n = 2, 3, and the same with k+_m and the right side of n = 2, over 5, for dC_4m; j are the bodies that
//! raise the tide, in the axes of the body. The tide is a small field of degree 4 whose coefficients differ from
//! lane to lane. This is GMAT's `TideModel = Solid`: Love numbers are real and no permanent tide is taken away.
//!
//! Domain: r above the radius of the body. Fields cut below degree or order 4 cut the tide as well, as in GMAT.
//!
//! # References
//! IERS Conventions (2003), section 6.1, eq. 1 and 4, table 6.1.

use super::columns::Columns;
use super::field::{Field, index};
use super::{Place, series};
use crate::base::lanes::{Lanes, Real, Vectors};
use crate::lane_kernel;

/// The largest degree of the tide.
const DEGREE: usize = 4;

/// How much a body yields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoveNumbers {
    /// k of degree 2, orders 0 to 2.
    pub k2: [f64; 3],
    /// k of degree 3, orders 0 to 3.
    pub k3: [f64; 4],
    /// k+, what the tide of degree 2 changes at degree 4, orders 0 to 2.
    pub plus: [f64; 3],
}

impl LoveNumbers {
    /// The anelastic Earth, as GMAT has it: the real parts of the table.
    #[allow(clippy::approx_constant, reason = "a Love number is near the logarithm of 2")]
    pub const EARTH: Self = LoveNumbers {
        k2: [0.301_90, 0.298_30, 0.301_02],
        k3: [0.093, 0.093, 0.093, 0.094],
        plus: [-0.000_87, -0.000_79, -0.000_57],
    };
}

/// The solid tides of a body, ready to be computed for eight runs at once.
#[derive(Clone, Debug)]
pub struct SolidTides {
    columns: Columns,
    mu: f64,
    radius: f64,
    love: LoveNumbers,
}

impl SolidTides {
    /// The tides of the body of a field, cut to the degree and order of the field.
    pub fn new(field: &Field, love: LoveNumbers) -> Self {
        let degree = field.degree.min(DEGREE);
        let mut ones = Field::point(&field.name, field.mu_km3_s2, field.radius_km, degree, field.order);
        for n in 2..=degree {
            for m in 0..=n.min(ones.order) {
                (ones.c[index(n, m)], ones.s[index(n, m)]) = (1.0, 1.0);
            }
        }
        SolidTides { columns: Columns::new(&ones), mu: field.mu_km3_s2, radius: field.radius_km, love }
    }

    /// Adds the acceleration (km/s^2) of the tides at `r_fixed` (km). `bodies` are those that raise them: mu
    /// (km^3/s^2) and place (km). All are in the axes of the body. Test: `val_tides_of_gmat`.
    pub fn acceleration(
        &self,
        vectors: Vectors,
        bodies: &[(f64, [Lanes; 3])],
        r_fixed: &[Lanes; 3],
        a_fixed: &mut [Lanes; 3],
    ) {
        tides(vectors, self, bodies, r_fixed, a_fixed);
    }

    /// The Love numbers, for the hash of the plan; the rest is that of the field.
    pub fn describe(&self) -> String {
        format!("{:?}", self.love)
    }
}

lane_kernel!(fn tides(tides: &SolidTides, bodies: &[(f64, [Lanes; 3])], r: &[Lanes; 3], a: &mut [Lanes; 3])
    = add_tides);

#[inline(always)]
fn add_tides<T: Real>(
    first: usize,
    tides: &SolidTides,
    bodies: &[(f64, [Lanes; 3])],
    r: &[Lanes; 3],
    a: &mut [Lanes; 3],
) {
    let mut raised = [[[T::splat(0.0); 2]; 4]; 2];
    for (mu, p) in bodies {
        let place = [T::load(&p[0], first), T::load(&p[1], first), T::load(&p[2], first)];
        raise(&mut raised, mu / tides.mu, &Place::new(tides.radius, place));
    }
    // C and S by degree and order; a step past the last degree has a zero in its term
    let mut tide = [[[T::splat(0.0); 2]; DEGREE + 2]; DEGREE + 2];
    let LoveNumbers { k2, k3, plus } = &tides.love;
    for (n, source, numbers) in [(2, 0, &k2[..]), (3, 1, &k3[..]), (4, 0, &plus[..])] {
        let over = if source == 0 { 5.0 } else { 7.0 };
        for (m, number) in numbers.iter().enumerate() {
            let factor = T::splat(number / over);
            tide[n][m] = [factor * raised[source][m][0], factor * raised[source][m][1]];
        }
    }
    let place = Place::new(tides.radius, [T::load(&r[0], first), T::load(&r[1], first), T::load(&r[2], first)]);
    let (g, weighted) = series(&tides.columns, &place, |term, m, step| {
        let n = (m + step).min(DEGREE + 1);
        let (value, slope) = (tide[n][m.min(DEGREE + 1)], tide[n][m.saturating_sub(1)]);
        (
            [T::splat(term.value[0]) * value[0], T::splat(term.value[1]) * value[1]],
            [T::splat(term.slope[0]) * slope[0], T::splat(term.slope[1]) * slope[1]],
        )
    });
    let unit = tides.mu / (tides.radius * tides.radius);
    for (component, sum) in place.acceleration(unit, T::splat(0.0), g, weighted).into_iter().zip(a) {
        (T::load(sum, first) + component).store(sum, first);
    }
}

/// Adds mu_j / mu (a / r_j)^(n+1) P_nm (cos, sin) m longitude_j of one body for n = 2, 3.
#[inline(always)]
fn raise<T: Real>(raised: &mut [[[T; 2]; 4]; 2], mu_ratio: f64, place: &Place<T>) {
    let (zeta, eta) = (T::splat(0.5) * place.two_zeta, place.eta);
    let zeta_squared = zeta * zeta;
    // the normalised functions over cos^m, which is in the power: sqrt(5) (3 zeta^2 - eta) / 2, ...
    let functions = [
        [
            T::splat(0.5 * 5.0_f64.sqrt()) * zeta_squared.mul_add(T::splat(3.0), -eta),
            T::splat(15.0_f64.sqrt()) * zeta,
            T::splat(0.5 * 15.0_f64.sqrt()),
            T::splat(0.0),
        ],
        [
            T::splat(0.5 * 7.0_f64.sqrt()) * (zeta * zeta_squared.mul_add(T::splat(5.0), T::splat(-3.0) * eta)),
            T::splat(0.25 * 42.0_f64.sqrt()) * zeta_squared.mul_add(T::splat(5.0), -eta),
            T::splat(0.5 * 105.0_f64.sqrt()) * zeta,
            T::splat(0.25 * 70.0_f64.sqrt()),
        ],
    ];
    let mut power = [T::splat(mu_ratio) * eta.sqrt(), T::splat(0.0)];
    for m in 0..4 {
        for (degree, functions) in raised.iter_mut().zip(&functions) {
            for k in 0..2 {
                degree[m][k] = functions[m].mul_add(power[k], degree[m][k]);
            }
        }
        power = place.turned(power);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::lanes::{Isa, WIDTH};

    const GMAT: &str = include_str!("../../../tests/reference/gmat/gravity_tides.txt");

    fn rows() -> Vec<Vec<f64>> {
        let lines = GMAT.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect()).collect()
    }

    fn tides(degree: usize, order: usize) -> SolidTides {
        SolidTides::new(&Field::embedded("JGM2").unwrap().cut(degree, order).unwrap(), LoveNumbers::EARTH)
    }

    fn bodies(rows: &[Vec<f64>]) -> Vec<(f64, [Lanes; 3])> {
        rows.iter().map(|row| (row[0], [row[1], row[2], row[3]].map(Lanes::splat))).collect()
    }

    #[test]
    fn val_tides_of_gmat() {
        let rows = rows();
        let (matrix, bodies) = (&rows[0], bodies(&rows[1..3]));
        for row in &rows[3..] {
            let tides = tides(row[0] as usize, row[1] as usize);
            let fixed = [0, 1, 2].map(|i| (0..3).map(|k| matrix[3 * i + k] * row[2 + k]).sum()).map(Lanes::splat);
            let mut a = [Lanes::default(); 3];
            tides.acceleration(Vectors::new(Isa::best(), 8), &bodies, &fixed, &mut a);
            for k in 0..3 {
                let got: f64 = (0..3).map(|i| matrix[3 * i + k] * a[i].0[6]).sum();
                // GMAT's two accelerations are 8e-3 km/s^2 and less, with a rounding of 1.7e-18 each
                assert!((got - row[5 + k]).abs() < 4e-18, "{row:?}: {got:e}");
            }
        }
        assert_eq!(rows.len(), 3 + 16);
    }

    #[test]
    fn prop_same_bits_in_all_lanes_on_every_instruction_set() {
        let (tides, rows) = (tides(4, 4), rows());
        let mut bodies = bodies(&rows[1..3]);
        let mut r = [Lanes::splat(5000.0), Lanes::splat(-3000.0), Lanes::splat(4000.0)];
        for lane in 0..WIDTH {
            r[0].0[lane] += 100.0 * lane as f64;
            bodies[1].1[2].0[lane] -= 1e4 * lane as f64;
        }
        let mut expected = [Lanes::default(); 3];
        for lane in 0..WIDTH {
            add_tides::<f64>(lane, &tides, &bodies, &r, &mut expected);
        }
        for (isa, width) in Isa::available().into_iter().flat_map(|isa| [1, 4, 8].map(|width| (isa, width))) {
            let mut a = [Lanes::default(); 3];
            tides.acceleration(Vectors::new(isa, width), &bodies, &r, &mut a);
            for (lane, axis) in (0..width).flat_map(|lane| [0, 1, 2].map(|axis| (lane, axis))) {
                assert_eq!(a[axis].0[lane].to_bits(), expected[axis].0[lane].to_bits(), "{isa:?} {width} {lane}");
            }
        }
        assert!(expected[0].0[0].to_bits() != expected[0].0[7].to_bits());
    }

    #[test]
    fn prop_no_tide_without_degree_two() {
        let bodies = bodies(&rows()[1..3]);
        let mut a = [Lanes::default(); 3];
        for degree in [0, 1] {
            let r = [7000.0, 1.0, 2.0].map(Lanes::splat);
            tides(degree, degree).acceleration(Vectors::new(Isa::best(), 8), &bodies, &r, &mut a);
        }
        assert!(a.iter().all(|component| component.0.iter().all(|&number| number == 0.0)));
    }
}

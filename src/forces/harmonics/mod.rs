//! Gravity of a body that is not a sphere: spherical harmonics of any degree and order.
//!
//! Theory: a = grad U, with U as in [`field`]. U is written in the direction cosines of Pines, without
//! singularity at the poles, and with the powers of a/r inside the functions. Columns of one order are walked
//! by degree ([`columns`]): the functions and the sums stay in registers, and nothing is divided.
//!
//! The central term -mu r / |r|^3 is included.
//!
//! Domain: r at least about the radius of the body (the series may diverge below it) and degree at most
//! [`Harmonics::LARGEST_DEGREE`]; at r = 0 the acceleration is not finite and the run ends as diverged.
//!
//! # References
//! See [`columns`]. Tests: `val_gravity...`, `prop_acceleration_is_the_gradient_of_the_potential`.

use crate::base::lanes::{Lanes, Real, Vectors};
use crate::lane_kernel;
use columns::{ABREAST, Columns, Term};
pub use field::{Field, FieldError};

#[cfg(test)]
mod body_tests;
mod columns;
pub mod field;
mod file;
#[cfg(test)]
mod tests;
pub mod tides;

/// The gravity of a field, ready to be computed for eight runs at once.
#[derive(Clone, Debug)]
pub struct Harmonics {
    columns: Columns,
    /// mu / a^2, km/s^2.
    unit: f64,
    /// a, km.
    radius: f64,
    description: String,
}

impl Harmonics {
    /// The largest degree: at the pole the functions of a degree n grow as 2.4^n, and a double ends at 2^1024.
    pub const LARGEST_DEGREE: usize = 720;

    /// The gravity of a field to its degree and order; [`Field::cut`] it before for less.
    ///
    /// Errors: the degree is above [`Harmonics::LARGEST_DEGREE`].
    pub fn new(field: &Field) -> Result<Self, FieldError> {
        if field.degree > Self::LARGEST_DEGREE {
            let (name, held) = (field.name.clone(), Self::LARGEST_DEGREE);
            return Err(FieldError::TooHigh { name, what: "degree", asked: field.degree, held });
        }
        Ok(Harmonics {
            columns: Columns::new(field),
            unit: field.mu_km3_s2 / (field.radius_km * field.radius_km),
            radius: field.radius_km,
            description: field.describe(),
        })
    }

    /// Adds the acceleration (km/s^2), with its central term, at the place `r_fixed` (km), both in the axes
    /// of the body. Test: `val_gravity_of_orekit`.
    pub fn acceleration(&self, vectors: Vectors, r_fixed: &[Lanes; 3], a_fixed: &mut [Lanes; 3]) {
        fixed(vectors, self, r_fixed, a_fixed);
    }

    /// Adds the acceleration at `r` in inertial axes about the body's centre, R^T g(R r), where row i of
    /// `rotation` R is axis i of the body in inertial axes. Test: `prop_rotation_turns_the_field`.
    pub fn acceleration_inertial(
        &self,
        vectors: Vectors,
        rotation: &[[Lanes; 3]; 3],
        r: &[Lanes; 3],
        a: &mut [Lanes; 3],
    ) {
        // two kernels, since there are too few registers to keep the rotation over the loop
        let mut r_fixed = [Lanes::default(); 3];
        turn(vectors, rotation, r, &mut r_fixed);
        turn_back(vectors, self, rotation, &r_fixed, a);
    }

    /// The field and all its numbers, for the hash of the plan.
    pub fn describe(&self) -> &str {
        &self.description
    }
}

lane_kernel!(fn fixed(harmonics: &Harmonics, r: &[Lanes; 3], a: &mut [Lanes; 3]) = add_fixed);

#[inline(always)]
fn add_fixed<T: Real>(first: usize, harmonics: &Harmonics, r: &[Lanes; 3], a: &mut [Lanes; 3]) {
    let place = [T::load(&r[0], first), T::load(&r[1], first), T::load(&r[2], first)];
    for (component, sum) in gravity(harmonics, place).into_iter().zip(a) {
        (T::load(sum, first) + component).store(sum, first);
    }
}

lane_kernel!(fn turn(rotation: &[[Lanes; 3]; 3], r: &[Lanes; 3], turned: &mut [Lanes; 3]) = put_turned);

/// R r
#[inline(always)]
fn put_turned<T: Real>(first: usize, rotation: &[[Lanes; 3]; 3], r: &[Lanes; 3], turned: &mut [Lanes; 3]) {
    let [x, y, z] = [T::load(&r[0], first), T::load(&r[1], first), T::load(&r[2], first)];
    for (axis, component) in rotation.iter().zip(turned) {
        let [ax, ay, az] = [T::load(&axis[0], first), T::load(&axis[1], first), T::load(&axis[2], first)];
        ax.mul_add(x, ay.mul_add(y, az * z)).store(component, first);
    }
}

lane_kernel!(fn turn_back(harmonics: &Harmonics, rotation: &[[Lanes; 3]; 3], r: &[Lanes; 3], a: &mut [Lanes; 3])
    = add_turned_back);

/// a + R^T g(R r), given R r
#[inline(always)]
fn add_turned_back<T: Real>(
    first: usize,
    harmonics: &Harmonics,
    rotation: &[[Lanes; 3]; 3],
    r_fixed: &[Lanes; 3],
    a: &mut [Lanes; 3],
) {
    let place = [T::load(&r_fixed[0], first), T::load(&r_fixed[1], first), T::load(&r_fixed[2], first)];
    let [x, y, z] = gravity(harmonics, place);
    for (column, sum) in a.iter_mut().enumerate() {
        let [ax, ay] = [T::load(&rotation[0][column], first), T::load(&rotation[1][column], first)];
        let az = T::load(&rotation[2][column], first);
        (T::load(sum, first) + ax.mul_add(x, ay.mul_add(y, az * z))).store(sum, first);
    }
}

#[inline(always)]
fn gravity<T: Real>(harmonics: &Harmonics, r: [T; 3]) -> [T; 3] {
    let place = Place::new(harmonics.radius, r);
    let (g, weighted) = series(&harmonics.columns, &place, |term, _, _| {
        ([T::splat(term.value[0]), T::splat(term.value[1])], [T::splat(term.slope[0]), T::splat(term.slope[1])])
    });
    place.acceleration(harmonics.unit, T::splat(1.0), g, weighted)
}

/// A place by (xi, upsilon, zeta) = a r / |r|^2 and eta = a^2 / |r|^2, which hold all of it: there are just enough
/// registers for them and the loop.
struct Place<T> {
    xi: T,
    upsilon: T,
    two_zeta: T,
    eta: T,
}

impl<T: Real> Place<T> {
    #[inline(always)]
    fn new(radius: f64, [x, y, z]: [T; 3]) -> Self {
        let radius = T::splat(radius);
        let scale = radius / x.mul_add(x, y.mul_add(y, z * z));
        Place { xi: scale * x, upsilon: scale * y, two_zeta: scale * (z + z), eta: scale * radius }
    }

    /// w z, with w = xi + i upsilon
    #[inline(always)]
    fn turned(&self, z: [T; 2]) -> [T; 2] {
        [self.xi.mul_add(z[0], -(self.upsilon * z[1])), self.xi.mul_add(z[1], self.upsilon * z[0])]
    }

    /// a = -mu / a^2 (a / |r|) ((xi, upsilon, zeta) (central + R + (xi, upsilon, zeta) . g) - eta g)
    #[inline(always)]
    fn acceleration(&self, mu_over_a_squared: f64, central: T, g: [T; 3], weighted: T) -> [T; 3] {
        let zeta = T::splat(0.5) * self.two_zeta;
        let outward = central + self.xi.mul_add(g[0], self.upsilon.mul_add(g[1], zeta.mul_add(g[2], weighted)));
        let unit = T::splat(-mu_over_a_squared) * self.eta.sqrt();
        let component = |direction: T, g: T| unit * direction.mul_add(outward, -(self.eta * g));
        [component(self.xi, g[0]), component(self.upsilon, g[1]), component(zeta, g[2])]
    }
}

/// With V_m, D_m, N_m the sums over column m of C - i S times the functions (as they are, for the slope, and
/// times n + 1) and w = xi + i upsilon, the real parts of
///
/// g = sum_m w^(m-1) (m V_m, i m V_m, D_m) and R = sum_m w^m N_m.
///
/// `coefficients` gives C and S of the value and of the slope, from the term, its order and its step in the column.
#[inline(always)]
fn series<T: Real>(
    columns: &Columns,
    place: &Place<T>,
    coefficients: impl Fn(&Term, usize, usize) -> ([T; 2], [T; 2]),
) -> ([T; 3], T) {
    let (zero, one) = (T::splat(0.0), T::splat(1.0));
    // w^(m-1) and w^m
    let (mut before, mut power) = ([zero; 2], [one, zero]);
    let (mut g, mut weighted) = ([zero; 3], zero);
    for (group, columns) in columns.iter().enumerate() {
        let (mut last, mut function) = ([zero; ABREAST], [one; ABREAST]);
        let (mut value, mut slope, mut partial) = ([[zero; 2]; ABREAST], [[zero; 2]; ABREAST], [[zero; 2]; ABREAST]);
        for (step, terms) in columns.iter().enumerate() {
            for (way, term) in terms.iter().enumerate() {
                // B_(n+1) = 2 zeta B_n - kappa_(n+1) eta B_(n-1)
                let back = (T::splat(term.minus_kappa) * place.eta) * last[way];
                let next = place.two_zeta.mul_add(function[way], back);
                let (of_value, of_slope) = coefficients(term, group * ABREAST + way, step);
                for k in 0..2 {
                    value[way][k] = function[way].mul_add(of_value[k], value[way][k]);
                    slope[way][k] = function[way].mul_add(of_slope[k], slope[way][k]);
                    partial[way][k] = partial[way][k] + value[way][k];
                }
                (last[way], function[way]) = (function[way], next);
            }
        }
        for way in 0..ABREAST {
            let m = group * ABREAST + way;
            // a term of step j of l is l - j times in the partial sums, and its n + 1 is m + j + 1:
            // sum (n + 1) C B = (l + m + 1) sum C B - sum of the partial sums
            let all = T::splat((columns.len() + m + 1) as f64);
            for k in 0..2 {
                let times = all.mul_add(value[way][k], -partial[way][k]);
                weighted = times.mul_add(power[k], weighted);
                g[2] = slope[way][k].mul_add(before[k], g[2]);
            }
            let [vc, vs] = [T::splat(m as f64) * value[way][0], T::splat(m as f64) * value[way][1]];
            g[0] = vc.mul_add(before[0], vs.mul_add(before[1], g[0]));
            g[1] = vs.mul_add(before[0], g[1] - vc * before[1]);
            (before, power) = (power, place.turned(power));
        }
    }
    (g, weighted)
}

//! A rotation of axes and its time derivative.
//!
//! r' = A r, v' = A v + dA/dt r, where A takes coordinates from the old axes to the new ones.
//! Test: `prop_inverse_and_then`.

use crate::astro::elements::Cartesian;

/// Three rows of three numbers.
pub type Matrix = [[f64; 3]; 3];

/// The unit matrix.
const UNIT: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// A rotation from old axes to new ones: the matrix, and its derivative (1/s) by which velocities are taken over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation {
    /// Takes a vector from the old axes to the new ones.
    pub matrix: Matrix,
    /// d matrix / dt, 1/s; zero where GMAT neglects it.
    pub rate: Matrix,
}

impl Rotation {
    /// No rotation.
    pub const IDENTITY: Rotation = Rotation { matrix: UNIT, rate: [[0.0; 3]; 3] };

    /// A rotation that does not change with time.
    pub fn fixed(matrix: Matrix) -> Self {
        Rotation { matrix, rate: [[0.0; 3]; 3] }
    }

    /// A state (km, km/s) in the new axes.
    ///
    /// r' = A r, v' = A v + dA/dt r
    #[must_use]
    pub fn apply(&self, state: Cartesian) -> Cartesian {
        let turning = product_with_vector(&self.rate, state.r);
        let carried = product_with_vector(&self.matrix, state.v);
        Cartesian { r: self.apply_vector(state.r), v: std::array::from_fn(|i| turning[i] + carried[i]) }
    }

    /// A vector in the new axes.
    #[must_use]
    pub fn apply_vector(&self, vector: [f64; 3]) -> [f64; 3] {
        product_with_vector(&self.matrix, vector)
    }

    /// From the new axes back to the old ones.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Rotation { matrix: transposed(&self.matrix), rate: transposed(&self.rate) }
    }

    /// This rotation, and then another one from its axes on.
    ///
    /// (B A), d(B A)/dt = dB/dt A + B dA/dt
    #[must_use]
    pub fn then(&self, next: &Rotation) -> Self {
        let first = product(&next.rate, &self.matrix);
        let second = product(&next.matrix, &self.rate);
        Rotation {
            matrix: product(&next.matrix, &self.matrix),
            rate: std::array::from_fn(|i| std::array::from_fn(|j| first[i][j] + second[i][j])),
        }
    }
}

/// The matrix product a b.
pub(super) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j]))
}

/// The matrix with rows and columns exchanged.
pub(super) fn transposed(a: &Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

fn product_with_vector(a: &Matrix, x: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i][0] * x[0] + a[i][1] * x[1] + a[i][2] * x[2])
}

/// Axes turned by an angle (rad) about the first axis.
pub(super) fn about_x(angle: f64) -> Matrix {
    let (sin, cos) = libm::sincos(angle);
    [[1.0, 0.0, 0.0], [0.0, cos, sin], [0.0, -sin, cos]]
}

/// Axes turned by an angle (rad) about the second axis.
pub(super) fn about_y(angle: f64) -> Matrix {
    let (sin, cos) = libm::sincos(angle);
    [[cos, 0.0, -sin], [0.0, 1.0, 0.0], [sin, 0.0, cos]]
}

/// Axes turned by an angle (rad) about the third axis.
pub(super) fn about_z(angle: f64) -> Matrix {
    let (sin, cos) = libm::sincos(angle);
    [[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]]
}

/// d/dt of [`about_x`] for an angle that grows by `rate` (rad/s).
pub(super) fn about_x_rate(angle: f64, rate: f64) -> Matrix {
    let (sin, cos) = libm::sincos(angle);
    [[0.0; 3], [0.0, -rate * sin, rate * cos], [0.0, -rate * cos, -rate * sin]]
}

/// d/dt of [`about_z`] for an angle that grows by `rate` (rad/s).
pub(super) fn about_z_rate(angle: f64, rate: f64) -> Matrix {
    let (sin, cos) = libm::sincos(angle);
    [[-rate * sin, rate * cos, 0.0], [-rate * cos, -rate * sin, 0.0], [0.0; 3]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prop_inverse_and_then() {
        let (angle, rate) = (0.7, 7.3e-5);
        let turn = Rotation { matrix: about_z(angle), rate: about_z_rate(angle, rate) };
        let tilt = Rotation { matrix: about_x(-0.3), rate: about_x_rate(-0.3, 1e-6) };
        let both = turn.then(&tilt).then(&Rotation::fixed(about_y(1.1)));
        let state = Cartesian { r: [7000.0, -300.0, 1200.0], v: [1.0, 7.0, -2.0] };
        let back = both.inverse().apply(both.apply(state));
        for i in 0..3 {
            // a few roundings of 7000 km and of 7 km/s
            assert!((back.r[i] - state.r[i]).abs() < 1e-11);
            assert!((back.v[i] - state.v[i]).abs() < 1e-14);
        }
        // the rate is the derivative of the matrix: central difference over 2 s
        let later = product(&about_x(-0.3 + 1e-6), &about_z(angle + rate));
        let before = product(&about_x(-0.3 - 1e-6), &about_z(angle - rate));
        let rates = turn.then(&tilt).rate;
        for i in 0..3 {
            for j in 0..3 {
                assert!((rates[i][j] - (later[i][j] - before[i][j]) / 2.0).abs() < 1e-13);
            }
        }
    }
}

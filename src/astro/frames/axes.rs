//! Axes made from a relative position and velocity: GMAT's `ObjectReferenced`, and with it VNB and LVLH.
//!
//! Two of the three axes are named among R, V and N = R x V, or their opposites; the third completes a right-handed
//! set. The rate of the axes is that of straight motion: GMAT sets the relative acceleration to zero, so that only R
//! turns. V with R is right-angled only at an apsis; GMAT warns and goes on, and so does this.
//!
//! # References
//! GMAT Mathematical Specification, "Object referenced axes"; GMAT's `ObjectReferencedAxes`.
//! Tests: `val_moon_orbiter_of_gmat` in tests.rs, `prop_right_handed`.

use super::rotation::Rotation;
use crate::astro::elements::{Cartesian, cross, dot, norm};

/// A line that an axis can follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Position,
    Velocity,
    Normal,
}

/// A direction of an axis: R, V, N, or the opposite of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Direction {
    line: Line,
    reversed: bool,
}

impl Direction {
    /// Along the position of the second object from the first.
    pub const R: Direction = Direction { line: Line::Position, reversed: false };
    /// Along the relative velocity.
    pub const V: Direction = Direction { line: Line::Velocity, reversed: false };
    /// Along R x V.
    pub const N: Direction = Direction { line: Line::Normal, reversed: false };

    /// `R`, `-R`, `V`, `-V`, `N` or `-N`, in either case, as a script has it.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, reversed) = text.strip_prefix('-').map_or((text, false), |name| (name, true));
        let direction = match name {
            "R" | "r" => Direction::R,
            "V" | "v" => Direction::V,
            "N" | "n" => Direction::N,
            _ => return None,
        };
        Some(Direction { reversed, ..direction })
    }
}

/// Why there are no such axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AxesError {
    /// None, one or three of them.
    #[error("object referenced axes need exactly two of XAxis, YAxis and ZAxis")]
    NotTwo,
    /// R and -R, or R twice.
    #[error("the two axes lie on one line")]
    SameLine,
    /// A position or velocity of zero, or one along the other.
    #[error("the axes are undefined: the relative position or velocity is zero, or they lie on one line")]
    Undefined,
}

/// Two named axes of three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectAxes {
    axes: [Option<Direction>; 3],
}

impl ObjectAxes {
    /// Velocity, normal, and what completes them: the local axes of a burn.
    pub const VNB: ObjectAxes = ObjectAxes { axes: [Some(Direction::V), Some(Direction::N), None] };
    /// Position, what completes them, and normal: GMAT's `LVLH`.
    pub const LVLH: ObjectAxes = ObjectAxes { axes: [Some(Direction::R), None, Some(Direction::N)] };

    /// The x, y and z axes, of which one is left out.
    pub fn new(axes: [Option<Direction>; 3]) -> Result<Self, AxesError> {
        let ([Some(a), Some(b), None] | [Some(a), None, Some(b)] | [None, Some(a), Some(b)]) = axes else {
            return Err(AxesError::NotTwo);
        };
        if a.line == b.line { Err(AxesError::SameLine) } else { Ok(ObjectAxes { axes }) }
    }

    /// From the axes of `relative` to these: the state (km, km/s) of the second object relative to the first, in
    /// axes that do not turn.
    ///
    /// d(r/|r|)/dt = (v - (v . r/|r|) r/|r|) / |r|
    pub fn rotation(&self, relative: Cartesian) -> Result<Rotation, AxesError> {
        let Cartesian { r, v } = relative;
        let n = cross(r, v);
        let (distance, speed, momentum) = (norm(r), norm(v), norm(n));
        let usable = |length: f64| length > 0.0 && length.is_finite();
        if !(usable(distance) && usable(speed) && usable(momentum)) {
            return Err(AxesError::Undefined);
        }
        let position = r.map(|x| x / distance);
        let radial_speed = dot(position, v);
        let position_rate = std::array::from_fn(|i| (v[i] - radial_speed * position[i]) / distance);

        let mut axes = [[0.0; 3]; 3];
        let mut rates = [[0.0; 3]; 3];
        for (k, direction) in self.axes.iter().enumerate() {
            let Some(direction) = direction else { continue };
            let (axis, rate) = match direction.line {
                Line::Position => (position, position_rate),
                Line::Velocity => (v.map(|x| x / speed), [0.0; 3]),
                Line::Normal => (n.map(|x| x / momentum), [0.0; 3]),
            };
            let sign = if direction.reversed { -1.0 } else { 1.0 };
            axes[k] = axis.map(|x| sign * x);
            rates[k] = rate.map(|x| sign * x);
        }
        // x = y x z and on in turn; d(a x b)/dt = da/dt x b + a x db/dt
        if let Some(missing) = self.axes.iter().position(Option::is_none) {
            let (a, b) = ((missing + 1) % 3, (missing + 2) % 3);
            axes[missing] = cross(axes[a], axes[b]);
            let (first, second) = (cross(rates[a], axes[b]), cross(axes[a], rates[b]));
            rates[missing] = std::array::from_fn(|i| first[i] + second[i]);
        }
        Ok(Rotation { matrix: axes, rate: rates })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::astro::frames::rotation::{product, transposed};

    const STATE: Cartesian = Cartesian { r: [7000.0, -300.0, 1200.0], v: [1.0, 6.5, -2.0] };

    #[test]
    fn prop_right_handed() {
        let names = ["R", "-R", "V", "-V", "N", "-n"].map(Direction::parse);
        let mut seen = 0;
        for first in names {
            for second in names {
                for axes in [[first, second, None], [first, None, second], [None, first, second]] {
                    let Ok(axes) = ObjectAxes::new(axes) else { continue };
                    let rotation = axes.rotation(STATE).unwrap();
                    let [x, y, z] = rotation.matrix;
                    let third = axes.axes.iter().position(Option::is_none).unwrap();
                    let triple = [cross(y, z), cross(z, x), cross(x, y)][third];
                    assert!((0..3).all(|i| (triple[i] - rotation.matrix[third][i]).abs() < 1e-15));
                    // the rate is that of straight motion
                    let along =
                        |s: f64| Cartesian { r: std::array::from_fn(|i| STATE.r[i] + s * STATE.v[i]), v: STATE.v };
                    let (after, before) = (axes.rotation(along(1.0)).unwrap(), axes.rotation(along(-1.0)).unwrap());
                    for i in 0..3 {
                        for j in 0..3 {
                            let slope = (after.matrix[i][j] - before.matrix[i][j]) / 2.0;
                            assert!((rotation.rate[i][j] - slope).abs() < 1e-8, "{axes:?} {i} {j}");
                        }
                    }
                    seen += 1;
                }
            }
        }
        assert_eq!(seen, 3 * 24);
        let vnb = ObjectAxes::VNB.rotation(STATE).unwrap().matrix;
        assert!(dot(vnb[0], STATE.v) > 0.0 && dot(vnb[2], STATE.r) > 0.0, "the binormal of VNB is outwards");
        let unit = product(&vnb, &transposed(&vnb));
        assert!((unit[0][0] - 1.0).abs() < 1e-15 && unit[0][1].abs() < 1e-15);
        let lvlh = ObjectAxes::LVLH.rotation(STATE).unwrap().matrix;
        assert!(dot(lvlh[0], STATE.r) > 7000.0 && dot(lvlh[1], STATE.v) > 6.0);
    }

    #[test]
    fn every_wrong_pair_is_refused() {
        let [r, v, n] = [Some(Direction::R), Some(Direction::V), Some(Direction::N)];
        assert_eq!(ObjectAxes::new([r, v, n]), Err(AxesError::NotTwo));
        assert_eq!(ObjectAxes::new([r, None, None]), Err(AxesError::NotTwo));
        assert_eq!(ObjectAxes::new([r, Direction::parse("-R"), None]), Err(AxesError::SameLine));
        assert_eq!(Direction::parse("X"), None);
        let still = Cartesian { r: STATE.r, v: [0.0; 3] };
        assert_eq!(ObjectAxes::VNB.rotation(still), Err(AxesError::Undefined));
        let falling = Cartesian { r: STATE.r, v: STATE.r };
        assert_eq!(ObjectAxes::LVLH.rotation(falling), Err(AxesError::Undefined));
    }
}

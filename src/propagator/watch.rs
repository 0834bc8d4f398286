//! What ends a leg, as GMAT finds it: whether a step has passed a goal, and about when.
//!
//! Measured on GMAT and read in it. A condition is met by a step in which its value passes the goal, in either
//! direction, the ends included; an apsis in its own direction only. A condition that ended the last leg and
//! still stands at its goal is left alone for the first step, so that the same condition goes on to the next
//! one. Angles are counted in the half ranges on both sides of the goal.

use crate::astro::parameters::Cycle;

/// What a lane remembers of one condition of its leg.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watch {
    /// The value to reach.
    pub(super) goal: f64,
    /// The value after the last accepted step.
    pub(super) before: f64,
    /// Whether it is left alone for the first step.
    pub(super) resting: bool,
    /// How the value counts.
    pub(super) count: Count,
}

/// How the value of a condition counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Count {
    /// Time, in a unit of so many seconds: met exactly, never refined.
    Time { unit: f64 },
    /// An apsis: the sign of the value before the step that can pass it, 1 or -1.
    Apsis { from: f64 },
    /// A number, or an angle with its range.
    Plain(Cycle),
}

impl Watch {
    /// The value near the goal: for an angle within half a range on both sides; none where it is further than a
    /// quarter range away, so that no passing of the opposite end counts.
    pub(super) fn near(&self, value: f64) -> Option<f64> {
        let Count::Plain(cycle) = self.count else { return Some(value) };
        let Some((low, high)) = cycle.range() else { return Some(value) };
        let near = self.wrapped(value);
        ((self.goal - near).abs() < (high - low) / 4.0).then_some(near)
    }

    /// The value within half a range on both sides of the goal.
    pub(super) fn wrapped(&self, value: f64) -> f64 {
        let Count::Plain(cycle) = self.count else { return value };
        match cycle.range() {
            Some((low, high)) => {
                let range = high - low;
                value - range * ((value - self.goal) / range).round()
            }
            None => value,
        }
    }

    /// Whether the step to a value meets the condition; `first_tolerance` belongs to one that rests.
    ///
    /// Where it does not, the value is remembered.
    #[allow(clippy::float_cmp)] // GMAT compares so: a value that did not change meets nothing
    pub(super) fn is_met(&mut self, value: f64, first_tolerance: f64) -> bool {
        let before = self.before;
        let met = match self.count {
            Count::Time { .. } => passes(before, value, self.goal),
            Count::Apsis { from } => before * from >= 0.0 && before != value && passes(before, value, self.goal),
            Count::Plain(_) => match self.near(value) {
                None => false,
                Some(now) => {
                    let before = self.wrapped(before);
                    before != now && passes(before, now, self.goal)
                }
            },
        };
        let met = if self.resting {
            self.resting = false;
            let (before, now) = (self.wrapped(before), self.wrapped(value));
            let far = (self.goal - before).abs().min((self.goal - now).abs()) > first_tolerance;
            met && far && (before - self.goal) * (now - self.goal) < 0.0
        } else {
            met
        };
        if !met {
            self.before = value;
        }
        met
    }
}

fn passes(a: f64, b: f64, goal: f64) -> bool {
    a.min(b) <= goal && goal <= a.max(b)
}

/// Values along a step at five instants: where a goal is between them, the time of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ring {
    times: [f64; 5],
    values: [f64; 5],
    count: usize,
}

impl Ring {
    /// Takes an instant (s) and its value; the oldest of five leaves.
    pub(super) fn push(&mut self, time: f64, value: f64) {
        self.times.rotate_left(1);
        self.values.rotate_left(1);
        (self.times[4], self.values[4]) = (time, value);
        self.count += 1;
    }

    /// The time of a goal that lies between the values, s; none as long as there are fewer than five.
    ///
    /// Time as a function of the value, by the not-a-knot cubic spline through the five points.
    pub(super) fn time_of(&self, goal: f64) -> Option<f64> {
        if self.count < 5 {
            return None;
        }
        let (mut x, mut y) = (self.values, self.times);
        if x[0] > x[4] {
            x.reverse();
            y.reverse();
        }
        let ascending = x.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascending || !passes(x[0], x[4], goal) {
            return None;
        }
        let time = not_a_knot(&x, &y, goal);
        time.is_finite().then_some(time)
    }
}

/// The not-a-knot cubic spline through five points with ascending x: the third derivative does not jump at the
/// second and the fourth point. With h_i the distances, d_i the slopes and s_i the second derivatives:
///
/// (2 h1 + h0) s0 + (2 h0 + h1) s2 = 6 (d1 - d0), s1 = (h1 s0 + h0 s2) / (h0 + h1), the same from the other end,
/// and h1 s1 + 2 (h1 + h2) s2 + h2 s3 = 6 (d2 - d1).
fn not_a_knot(x: &[f64; 5], y: &[f64; 5], at: f64) -> f64 {
    let mut h = [0.0; 4];
    let mut d = [0.0; 4];
    for i in 0..4 {
        h[i] = x[i + 1] - x[i];
        d[i] = (y[i + 1] - y[i]) / h[i];
    }
    // s0 = a0 + b0 s2, s4 = a4 + b4 s2
    let (first, last) = (h[0] + 2.0 * h[1], 2.0 * h[2] + h[3]);
    let (a0, b0) = (6.0 * (d[1] - d[0]) / first, -(2.0 * h[0] + h[1]) / first);
    let (a4, b4) = (6.0 * (d[3] - d[2]) / last, -(2.0 * h[3] + h[2]) / last);
    // s1 and s3 from s0, s2, s4
    let left = h[0] + h[1];
    let right = h[2] + h[3];
    let (s1_a, s1_b) = (h[1] * a0 / left, (h[1] * b0 + h[0]) / left);
    let (s3_a, s3_b) = (h[2] * a4 / right, (h[2] * b4 + h[3]) / right);
    let s2 = (6.0 * (d[2] - d[1]) - h[1] * s1_a - h[2] * s3_a) / (h[1] * s1_b + 2.0 * (h[1] + h[2]) + h[2] * s3_b);
    let s = [a0 + b0 * s2, s1_a + s1_b * s2, s2, s3_a + s3_b * s2, a4 + b4 * s2];
    let i = (0..3).find(|&i| at <= x[i + 1]).unwrap_or(3);
    let (a, b) = ((x[i + 1] - at) / h[i], (at - x[i]) / h[i]);
    a * y[i] + b * y[i + 1] + ((a * a * a - a) * s[i] + (b * b * b - b) * s[i + 1]) * h[i] * h[i] / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn val_a_spline_of_five_points_is_exact_for_a_cubic() {
        let cubic = |x: f64| 1.0 + x * (-2.0 + x * (0.5 - 0.25 * x));
        let x = [-1.0, 0.5, 1.0, 2.5, 3.0];
        for at in [-0.9, 0.0, 0.7, 1.1, 2.0, 2.9] {
            assert!((not_a_knot(&x, &x.map(cubic), at) - cubic(at)).abs() < 1e-14, "{at}");
        }
    }

    fn plain(goal: f64, before: f64, cycle: Cycle) -> Watch {
        Watch { goal, before, resting: false, count: Count::Plain(cycle) }
    }

    #[test]
    fn a_goal_is_passed_in_either_direction_and_an_angle_only_nearby() {
        assert!(plain(5.0, 4.0, Cycle::None).is_met(6.0, 0.0));
        assert!(plain(5.0, 6.0, Cycle::None).is_met(5.0, 0.0));
        let mut watch = plain(5.0, 6.0, Cycle::None);
        assert!(!watch.is_met(7.0, 0.0));
        assert!((watch.before - 7.0).abs() == 0.0, "what is not met is remembered");
        // 350 to 20 degrees passes 5, and not 185
        assert!(plain(5.0, 350.0, Cycle::Turn).is_met(20.0, 0.0));
        assert!(!plain(185.0, 350.0, Cycle::Turn).is_met(20.0, 0.0));
        // an apoapsis is passed from positive to negative
        let apsis = |from: f64, before: f64| Watch { goal: 0.0, before, resting: false, count: Count::Apsis { from } };
        assert!(apsis(1.0, 0.5).is_met(-0.5, 0.0));
        assert!(!apsis(1.0, -0.5).is_met(0.5, 0.0));
        assert!(apsis(-1.0, -0.5).is_met(0.5, 0.0));
    }

    #[test]
    fn a_condition_that_rests_needs_to_pass_its_goal_from_afar() {
        let mut watch = plain(5.0, 5.0 - 1e-8, Cycle::None);
        watch.resting = true;
        assert!(!watch.is_met(6.0, 1e-6));
        assert!(watch.is_met(4.0, 1e-6), "and then it counts");
    }

    #[test]
    fn val_a_ring_gives_the_time_of_a_goal() {
        let mut ring = Ring::default();
        for step in 0..5 {
            let t = 10.0 * f64::from(step);
            assert_eq!(ring.time_of(0.5), None);
            ring.push(t, libm::sin(t * 0.03));
        }
        // a spline over 1.2 rad in four steps
        assert!((ring.time_of(0.5).unwrap() - libm::asin(0.5) / 0.03).abs() < 0.05);
        assert_eq!(ring.time_of(2.0), None);
    }
}

//! The states between which an ephemeris file of a fixed step is interpolated.
//!
//! Lagrange's polynomial through order + 1 states, the nearest in the middle, each component for itself; the newest
//! ten times order + 1 states are kept, 80 at most. The abscissa is seconds of GMAT's modified Julian date of A1 as
//! one double: it resolves 5e-7 s, so a state of a low orbit bears 4e-6 km of it, in GMAT as here.
//!
//! Domain: order 1 to 10; instants within the states that are kept. A value is refused while fewer than half of the
//! states that it needs lie behind the instant, unless it is forced.
//!
//! # References
//! Meeus, *Astronomical Algorithms*, chapter 3. Tests: `prop_polynomials_are_met` here, `val_files_of_gmat`.

use std::collections::VecDeque;

/// The most states that are kept.
const MOST: usize = 80;

/// How far an instant may lie outside of the states, s.
const OVERHANG: f64 = 1e-8;

/// Where an instant lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// There are not enough states yet.
    TooFew,
    /// Before the first state that is kept.
    Before,
    /// After the last.
    After,
    /// Among them.
    Within,
}

/// States in the order of flight.
#[derive(Debug)]
pub(super) struct Points {
    held: VecDeque<(f64, [f64; 6])>,
    count: usize,
    full_order: usize,
    order: usize,
    keep_lowered: bool,
    /// Whether a value is given where its instant cannot stand in the middle.
    pub(super) forced: bool,
}

impl Points {
    pub(super) fn new(order: usize) -> Self {
        Points { held: VecDeque::new(), count: 0, full_order: order, order, keep_lowered: false, forced: false }
    }

    /// How many states came since the segment began.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn clear(&mut self) {
        self.held.clear();
        self.count = 0;
        self.keep_lowered = false;
    }

    pub(super) fn add(&mut self, seconds: f64, state: [f64; 6]) {
        if self.held.len() == MOST.min(10 * (self.full_order + 1)) {
            self.held.pop_front();
        }
        self.held.push_back((seconds, state));
        self.count += 1;
    }

    /// Where an instant lies; takes back a lowered order that has been used.
    pub(super) fn reach(&mut self, seconds: f64) -> Reach {
        if !self.keep_lowered {
            self.order = self.full_order;
        }
        let (Some(&(one, _)), Some(&(other, _))) = (self.held.front(), self.held.back()) else { return Reach::TooFew };
        if self.count <= self.order {
            Reach::TooFew
        } else if seconds < one.min(other) && seconds <= one.min(other) - OVERHANG {
            Reach::Before
        } else if seconds > one.max(other) && seconds >= one.max(other) + OVERHANG {
            Reach::After
        } else {
            Reach::Within
        }
    }

    /// Lowers the order to what the states allow, for one value; false if there is nothing to lower.
    pub(super) fn lower_order(&mut self) -> bool {
        let lower = self.count > 1 && self.count <= self.order;
        if lower {
            self.order = self.count - 1;
            self.keep_lowered = true;
        }
        lower
    }

    /// The state at an instant, km, km/s.
    pub(super) fn at(&mut self, seconds: f64) -> Option<[f64; 6]> {
        let reach = self.reach(seconds);
        self.keep_lowered = false;
        if reach != Reach::Within {
            return None;
        }
        let (nearest, first) = self.window(seconds);
        if !self.forced && nearest + self.order.div_ceil(2) >= self.held.len() {
            return None;
        }
        let points = || self.held.range(first..=first + self.order);
        let mut value = [0.0; 6];
        for (i, &(t_i, state)) in points().enumerate() {
            // L_i = y_i prod_j (t - t_j) / (t_i - t_j), in GMAT's order of products and quotients
            let mut product = state;
            for (_, &(t_j, _)) in points().enumerate().filter(|&(j, _)| j != i) {
                for component in &mut product {
                    *component = *component * (seconds - t_j) / (t_i - t_j);
                }
            }
            for (sum, term) in value.iter_mut().zip(product) {
                *sum += term;
            }
        }
        Some(value)
    }

    /// The place of the nearest state, and of the first of those that the polynomial goes through.
    #[allow(clippy::manual_midpoint)] // the same bits as GMAT's
    fn window(&self, seconds: f64) -> (usize, usize) {
        let (size, needed) = (self.held.len(), self.order + 1);
        let time = |place: usize| self.held[place].0;
        let mut nearest = 0;
        for place in 1..size {
            if (time(place) - seconds).abs() < (time(nearest) - seconds).abs() {
                nearest = place;
            }
        }
        let behind = if needed.is_multiple_of(2) {
            let rising = time(size - 1) > time(size - 2);
            let passed = if rising { time(nearest) < seconds } else { time(nearest) > seconds };
            needed / 2 - usize::from(passed)
        } else {
            needed / 2
        };
        let first = nearest.saturating_sub(behind).min(size - needed);
        if first > 0 {
            return (nearest, first);
        }
        // at the beginning: the states whose middle is nearest
        let off = |place: usize| ((time(place + self.order) + time(place)) / 2.0 - seconds).abs();
        let mut best = 0;
        for place in 1..=self.order.min(size - needed) {
            if off(place) < off(best) {
                best = place;
            }
        }
        (nearest, best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prop_polynomials_are_met() {
        for order in 1..=10 {
            let curve = |t: f64| [1.0, t, t * t, t.powi(order), 3.0 - t, 2.0 * t].map(|x| x * 0.5);
            let degree = |component: usize| [0, 1, 2, order, 1, 1][component];
            let mut points = Points::new(order as usize);
            let mut t: f64 = 0.0;
            for step in 0..50 {
                points.add(t, curve(t));
                t += 0.1 + 0.03 * f64::from(step % 4);
            }
            points.forced = true;
            for place in 0..200 {
                let at = t * f64::from(place) / 210.0;
                let Some(value) = points.at(at) else { continue };
                for (component, (got, expected)) in value.into_iter().zip(curve(at)).enumerate() {
                    let close = (got - expected).abs() < 1e-7 * (1.0 + expected.abs());
                    assert!(close || degree(component) > order, "{order} {component} {got} {expected}");
                }
            }
        }
    }

    #[test]
    fn prop_the_same_forwards_and_backwards() {
        let (mut up, mut down) = (Points::new(7), Points::new(7));
        let state = |t: f64| [t, t * t, 1.0, -t, 2.0, t];
        for i in 0..40 {
            up.add(f64::from(i), state(f64::from(i)));
            down.add(f64::from(-i), state(f64::from(i)));
        }
        for place in [0.25, 3.4, 20.3, 34.8, 35.6, 38.7] {
            // the same states with the same weights, in the same order
            assert_eq!(up.at(place), down.at(-place), "{place}");
        }
        assert_eq!((up.reach(39.5), up.reach(-0.1), down.reach(0.5)), (Reach::After, Reach::Before, Reach::After));
    }

    #[test]
    fn an_order_is_lowered_for_one_value() {
        let mut points = Points::new(7);
        assert!(!points.lower_order());
        for t in [0.0, 1.0, 2.0] {
            points.add(t, [t * t; 6]);
        }
        points.forced = true;
        assert_eq!(points.reach(0.5), Reach::TooFew);
        assert!(points.lower_order());
        assert_eq!(points.at(0.5), Some([0.25; 6]));
        assert_eq!(points.at(0.5), None);
    }
}

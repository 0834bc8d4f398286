//! Which states of a flight go into an ephemeris file.
//!
//! At integrator steps: each state that comes, within the window. At a fixed step: a grid that starts at the first
//! state of each segment, or at the window's first epoch for the first segment. Its values are interpolated, also
//! where a state stands on the grid, as soon as the instant stands in the middle of the states; the rest when the
//! segment closes, and then the last state itself where the flight goes forwards and no last epoch is set.
//!
//! GMAT has no plan for its window: it asks at each state again, and what waits is written when next it looks. So a
//! window at integrator steps writes its first epoch late, after states that follow it, and the second segment of a
//! window loses its first state. Both are followed here, since a file is to be the same. Times are seconds of GMAT's
//! modified Julian date of A1, as one double, as in GMAT.
//!
//! Test: `val_files_of_gmat`.

use super::points::{Points, Reach};
use super::wanted::{Sample, Wanted};
use crate::astro::constants::DAY;

/// Epochs nearer than this are one, s.
const SAME: f64 = 1e-6;

/// After how long a state is written even off the grid: it asks what waits, s.
const LONG: f64 = 600.0;

/// Before any time.
const NEVER: f64 = f64::NEG_INFINITY;

/// The states that were chosen and what is remembered to choose the next.
#[allow(clippy::struct_excessive_bools)] // independent facts of its past
#[derive(Debug)]
pub(super) struct Selection {
    wanted: Wanted,
    pub(super) points: Points,
    /// Chosen for the open segment: A1 seconds, km, km/s.
    pub(super) rows: Vec<(f64, [f64; 6])>,
    /// Whether a state was ever due.
    pub(super) begun: bool,
    /// Whether the segment takes its start from its first row.
    pub(super) start_from_rows: bool,
    /// Whether the window's end is passed and written: nothing more comes.
    pub(super) done: bool,
    waiting: Vec<f64>,
    current: Option<Sample>,
    backwards: bool,
    /// Whether the end of a segment is looked for as of a backwards flight.
    closes_backwards: bool,
    previous: f64,
    processed: f64,
    written: f64,
    next: f64,
    request: f64,
    reach: Reach,
    new_segment: bool,
    past_last: bool,
    end_pending: bool,
    large_step: bool,
    may_lower: bool,
    forced: usize,
    waited: usize,
    beyond: usize,
}

impl Selection {
    pub(super) fn new(wanted: Wanted) -> Self {
        Selection {
            wanted,
            points: Points::new(wanted.order),
            rows: Vec::new(),
            begun: false,
            start_from_rows: false,
            done: false,
            waiting: Vec::new(),
            current: None,
            backwards: false,
            closes_backwards: false,
            previous: NEVER,
            processed: NEVER,
            written: NEVER,
            next: NEVER,
            request: NEVER,
            reach: Reach::TooFew,
            new_segment: true,
            past_last: false,
            end_pending: true,
            large_step: false,
            may_lower: false,
            forced: 0,
            waited: 0,
            beyond: 0,
        }
    }

    /// Whether any state is interpolated.
    pub(super) fn interpolates(&self) -> bool {
        self.wanted.step.is_some() || self.wanted.first.is_some() || self.wanted.last.is_some()
    }

    /// The first epoch of the window is the spacecraft's own: at integrator steps that is no window.
    pub(super) fn drop_first_at(&mut self, days: f64) {
        if self.wanted.step.is_none() && self.wanted.first.is_some_and(|first| first.to_bits() == days.to_bits()) {
            self.wanted.first = None;
        }
    }

    /// Starts again: nothing is known of what came before but the state that stands, if it is kept.
    pub(super) fn restart(&mut self, keep_state: bool) {
        if !keep_state {
            self.current = None;
        }
        self.points.clear();
        self.waiting.clear();
        (self.previous, self.processed, self.written) = (NEVER, NEVER, NEVER);
        (self.next, self.request) = (NEVER, NEVER);
        (self.forced, self.waited, self.beyond) = (0, 0, 0);
        self.may_lower = false;
        self.new_segment = true;
    }

    /// Whether a state came since the segment began.
    pub(super) fn has_state(&self) -> bool {
        self.current.is_some()
    }

    /// Notes a state and the direction of flight.
    pub(super) fn note(&mut self, sample: Sample, backwards: bool, closes_backwards: bool) {
        self.previous = self.current.map_or(NEVER, |held| held.seconds);
        self.current = Some(sample);
        self.backwards = backwards;
        self.closes_backwards = closes_backwards;
    }

    /// Whether the noted state has the time of the one before.
    pub(super) fn repeats(&self) -> bool {
        self.current.is_some_and(|held| held.seconds.to_bits() == self.previous.to_bits())
    }

    /// Takes the noted state.
    pub(super) fn take(&mut self) {
        let Some(now) = self.current else { return };
        if self.done {
            return;
        }
        let mut in_window = self.wanted.has(now.days);
        self.past_last = self.wanted.last.is_some_and(|last| now.days > last);
        if self.past_last && !self.done {
            self.beyond += 1;
            in_window = self.beyond <= self.wanted.order + 1;
        }
        let due = self.is_due(now) || now.seconds - self.processed > LONG;
        if due {
            self.processed = now.seconds;
        }
        if !(in_window && due) {
            return;
        }
        if self.new_segment && self.rows.is_empty() {
            self.start_from_rows = true;
        }
        self.write_due(now);
        self.begun = true;
        self.new_segment = false;
    }

    /// Whether something can be written now; puts what the grid asks for on the list of what waits.
    fn is_due(&mut self, now: Sample) -> bool {
        if !self.interpolates() {
            return true;
        }
        if now.seconds > self.previous || self.backwards {
            self.points.add(now.seconds, now.state);
        }
        if self.large_step || (self.past_last && self.end_pending) {
            self.waited += 1;
            if self.waited >= self.wanted.order / 2 {
                self.write_waiting(false);
                self.waited = 0;
                self.large_step = false;
                self.end_pending &= !self.past_last;
            }
        }
        if self.new_segment {
            self.next = now.seconds;
            if let (Some(first), false) = (self.wanted.first, self.begun) {
                self.next = first * DAY;
                self.wait_for(first * DAY);
            }
            self.request = self.next;
            return true;
        }
        if let Some(step) = self.wanted.step {
            return self.extend_grid(now, if self.backwards { -step } else { step });
        }
        if let Some(last) = self.wanted.last.filter(|last| now.seconds >= last * DAY) {
            self.next = last * DAY;
            self.request = self.next;
            self.wait_for(last * DAY);
        }
        true
    }

    /// Asks for the epochs of the grid up to the first after a state.
    fn extend_grid(&mut self, now: Sample, step: f64) -> bool {
        let backwards = self.backwards;
        let reached = |epoch: f64| if backwards { now.seconds <= epoch } else { now.seconds >= epoch };
        if !(self.end_pending && reached(self.next)) {
            return false;
        }
        self.next += step;
        self.wait_for(self.next);
        while reached(self.next) {
            let next = self.next + step;
            if next.to_bits() == self.next.to_bits() {
                break; // a step below the grain of time
            }
            self.wait_for(next);
            self.next = next;
        }
        true
    }

    /// Writes what is due at a state.
    fn write_due(&mut self, now: Sample) {
        if self.wanted.first.is_some() {
            self.write_at(now, self.request);
        }
        if self.wanted.step.is_some() || self.wanted.last.is_some_and(|last| now.days >= last) {
            self.write_at(now, self.request);
        } else {
            self.write(now.seconds, now.state);
        }
    }

    fn write_at(&mut self, now: Sample, epoch: f64) {
        if self.new_segment && self.wanted.first.is_none() {
            self.write(epoch, now.state);
        } else {
            self.write_waiting(false);
        }
    }

    fn write(&mut self, epoch: f64, state: [f64; 6]) {
        self.rows.push((epoch, state));
        self.written = epoch;
        self.done |= self.wanted.last.is_some_and(|last| epoch >= last * DAY);
    }

    /// Writes what waits as far as the states reach; when a segment closes, only what lies before its end.
    fn write_waiting(&mut self, closing: bool) {
        while let (Some(&epoch), Some(now)) = (self.waiting.first(), self.current) {
            let ahead = |end: f64, slack: f64| {
                if self.closes_backwards { epoch + slack < end } else { epoch + slack > end }
            };
            if closing && ahead(now.seconds, SAME) {
                break;
            }
            let after_last = |last: f64| if self.backwards { epoch < last * DAY } else { epoch > last * DAY };
            if self.past_last && self.wanted.last.is_some_and(after_last) {
                break;
            }
            self.reach = self.points.reach(epoch);
            if self.reach == Reach::TooFew && self.may_lower && self.points.lower_order() {
                self.reach = self.points.reach(epoch);
            }
            if self.reach != Reach::Within {
                self.large_step |= self.reach == Reach::After;
                break;
            }
            if let Some(state) = self.points.at(epoch) {
                self.write(epoch, state);
                self.forget(epoch);
            } else if self.forced <= self.wanted.order / 2 {
                // the first epochs of a segment cannot stand in the middle
                self.forced += 1;
                self.points.forced = true;
                self.write_waiting(false);
                self.points.forced = false;
            } else {
                break;
            }
        }
    }

    /// Writes what is left of a segment at a fixed step, at a lower order if need be and allowed.
    pub(super) fn close(&mut self, lower: bool, run_ends: bool) -> Result<(), TooFewStates> {
        if self.wanted.step.is_none() {
            return Ok(());
        }
        if lower && self.reach == Reach::TooFew {
            self.may_lower = true;
            self.write_waiting(false);
            self.may_lower = false;
            let days = self.current.map_or(NEVER, |now| now.days);
            if self.wanted.first.is_some_and(|first| days < first) && self.rows.is_empty() && !run_ends {
                return Ok(());
            }
            if self.reach == Reach::TooFew {
                return Err(TooFewStates { none: self.current.is_none() });
            }
        }
        self.force_waiting();
        let Some(now) = self.current else { return Ok(()) };
        if let [last] = self.waiting[..]
            && (last - now.seconds).abs() < SAME
        {
            self.waiting[0] = now.seconds;
            self.force_waiting();
        }
        if self.wanted.last.is_some() {
            self.write_waiting(false);
        } else if now.seconds > self.written + SAME {
            self.write(now.seconds, now.state);
        }
        Ok(())
    }

    fn force_waiting(&mut self) {
        self.points.forced = true;
        self.write_waiting(true);
        self.points.forced = false;
    }

    fn wait_for(&mut self, epoch: f64) {
        if !self.waiting.iter().any(|waits| (waits - epoch).abs() < SAME) {
            self.waiting.push(epoch);
            self.next = epoch;
        }
    }

    fn forget(&mut self, epoch: f64) {
        self.waiting.retain(|waits| (waits - epoch).abs() >= SAME);
    }
}

/// Too few states for any interpolation.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooFewStates {
    /// Whether no state came since the segment began.
    pub(super) none: bool,
}

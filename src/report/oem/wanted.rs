//! Which epochs an ephemeris file is to have.

/// The largest error of the window's ends in days, when both are set.
const WINDOW_SLACK: f64 = 1e-11;

/// Which epochs are asked for; A1 days.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) step: Option<f64>,
    pub(super) order: usize,
    pub(super) first: Option<f64>,
    pub(super) last: Option<f64>,
}

/// A state with its time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// A1 days.
    pub(super) days: f64,
    /// The same in seconds.
    pub(super) seconds: f64,
    /// km, km/s.
    pub(super) state: [f64; 6],
}

impl Wanted {
    /// Whether a state at A1 days lies in the window; its ends are sharp unless there are two.
    pub(super) fn has(&self, days: f64) -> bool {
        match (self.first, self.last) {
            (None, None) => true,
            (None, Some(last)) => days <= last,
            (Some(first), None) => days >= first,
            (Some(first), Some(last)) => days - first >= -WINDOW_SLACK && last - days >= -WINDOW_SLACK,
        }
    }
}

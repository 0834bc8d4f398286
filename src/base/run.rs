//! A finished run, as a workload hands it over.

use super::outcome::{Failure, Status};

/// A run that has ended; the slices belong to what executed it, valid until the next run.
#[derive(Clone, Copy, Debug)]
pub struct FinishedRun<'a> {
    /// Its number.
    pub run: u64,
    /// How it ended.
    pub status: Status,
    /// Why, if it is not ok.
    pub failure: Option<Failure>,
    /// The result file's parameter columns.
    pub parameters: &'a [f64],
    /// The final values; NaN where the run is not ok.
    pub outputs: &'a [f64],
    /// The rows of each report; none where the run is not ok.
    pub reports: &'a [ReportRows],
    /// What each ephemeris file is made from, where that was recorded.
    pub ephemerides: &'a [Vec<EphemerisEvent>],
    /// Steps it took, where that means something.
    pub steps: u64,
}

/// The rows of one report of one run.
#[derive(Clone, Debug, Default)]
pub struct ReportRows {
    /// How many rows the run had.
    pub rows: u64,
    /// The rows that are kept, one after the other: the first ones and, beyond the limit, the last.
    pub values: Vec<f64>,
    /// The kind of each of them, by its place in the report's kinds.
    pub kinds: Vec<u32>,
    /// Texts that stand in rows and are none of the script's: numbers in `values` mean them, behind those of the script.
    pub texts: Vec<String>,
    /// What changes in how the rows are written as texts, in the order of the rows.
    pub changes: Vec<Change>,
}

/// From some row on a report is written in another way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// How many kept rows stand before it.
    pub before: usize,
    /// Which setting.
    pub field: usize,
    /// Its value from there on.
    pub value: f64,
}

impl ReportRows {
    /// No rows.
    pub fn clear(&mut self) {
        self.rows = 0;
        self.values.clear();
        self.kinds.clear();
        self.texts.clear();
        self.changes.clear();
    }
}

/// What a run leaves for an ephemeris file, in the order of the flight. Days are GMAT's A1 modified Julian date.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EphemerisEvent {
    /// A state: at the start of a Propagate, at each accepted step.
    State {
        /// When.
        days: f64,
        /// km and km/s relative to the Earth in `MJ2000Eq` axes.
        state: [f64; 6],
        /// Flown towards the past.
        backwards: bool,
        /// The propagator, by its place in the mission.
        propagator: usize,
    },
    /// An impulsive burn.
    Impulse(f64),
    /// Thrusters are turned on, or off.
    Burn {
        /// When.
        days: f64,
        /// On.
        on: bool,
    },
    /// A field of the spacecraft was set.
    Changed {
        /// When.
        days: f64,
        /// The command, by its place in the mission's program.
        command: usize,
    },
    /// States go into the file from here, or not.
    Toggle(bool),
}

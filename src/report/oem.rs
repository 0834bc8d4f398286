//! GMAT's `EphemerisFile` of the form CCSDS-OEM, version 1.0: states in, text out, byte for byte as GMAT writes it.
//!
//! A file is a head and segments. A segment has its metadata, with the first and last time of its rows, and one row a
//! state: UTC to the millisecond, km and km/s with 16 digits. A new segment begins at a burn, at a change of the
//! spacecraft or of the propagator, where the flight turns, and after the file was off. Which states are written is
//! in [`selection`], how those of a fixed step are interpolated in [`points`].
//!
//! States come as the mission publishes them: at the start of each propagation, at each accepted step, at its end;
//! not during the passes of a solver, but in the last. They are relative to the Earth in `MJ2000Eq` axes, since GMAT
//! interpolates there; [`OemWriter`] turns what it writes into the file's coordinate system.
//!
//! What a propagator has recorded of a run becomes a file in [`text_of_run`].
//!
//! Domain: any flight; orders 1 to 10. Not here: covariances (`IncludeCovariance`), the other file formats.
//!
//! # References
//! CCSDS 502.0-B-1, *Orbit Data Messages*, 2004. Tests: `val_files_of_gmat`, `val_frame_of_the_earth`.

mod of_run;
mod points;
mod selection;
mod settings;
#[cfg(test)]
mod tests;
mod text;
mod wanted;

use std::fmt::Write as _;

pub use self::of_run::{now, text_of_run};
use self::selection::{Selection, TooFewStates};
pub use self::settings::{OemError, OemSettings, Steps, center_name};
use self::text::{calendar, two_digits, write_number};
use self::wanted::Sample;
use crate::astro::constants::DAY;
use crate::astro::epoch::{Epoch, Scale};

/// GMAT hands rows to its writer in parts of so many; the degree in the metadata is judged by the last part.
const PART: usize = 1000;

/// Why a segment ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break<'a> {
    /// `Maneuver`.
    Impulse,
    /// `BeginFiniteBurn`.
    BurnBegins,
    /// `EndFiniteBurn`.
    BurnEnds,
    /// A field of the spacecraft is set: the text of the assignment, `Sat.VX = Sat.VX + 0.001`. GMAT counts those
    /// of a solver's trial passes as well; `Vary` of a field is `Sat.X = 7100 in Vary command`.
    Setting(&'a str),
}

/// Turns a state of `EarthMJ2000Eq` (km, km/s) at an epoch into the file's coordinate system.
pub type Turn<'a> = Box<dyn FnMut(Epoch, [f64; 6]) -> [f64; 6] + 'a>;

/// An ephemeris file while its mission is flown.
#[allow(clippy::struct_excessive_bools)] // four independent facts of its past
pub struct OemWriter<'a> {
    settings: OemSettings,
    turn: Turn<'a>,
    head: String,
    text: String,
    comments: Vec<String>,
    start: String,
    selection: Selection,
    on: bool,
    opened: bool,
    received: bool,
    closed: bool,
    backwards: Option<bool>,
    propagator: String,
    noted_propagator: Option<String>,
}

impl<'a> OemWriter<'a> {
    /// A file in `EarthMJ2000Eq`; `creation_date` as `2026-11-30T21:33:06`, GMAT has the local time.
    pub fn new(settings: OemSettings, creation_date: &str, originator: &str) -> Self {
        OemWriter::turned(settings, creation_date, originator, Box::new(|_, state| state))
    }

    /// A file in another coordinate system. GMAT's originator is `GMAT USER`.
    pub fn turned(settings: OemSettings, creation_date: &str, originator: &str, turn: Turn<'a>) -> Self {
        OemWriter {
            turn,
            head: format!("CCSDS_OEM_VERS = 1.0\nCREATION_DATE  = {creation_date}\nORIGINATOR     = {originator}\n"),
            text: String::new(),
            comments: Vec::new(),
            start: String::new(),
            selection: Selection::new(settings.wanted()),
            on: settings.on,
            opened: false,
            received: false,
            closed: false,
            backwards: None,
            propagator: String::new(),
            noted_propagator: None,
            settings,
        }
    }

    /// The propagator of the states that follow; the segment ends if it is another one.
    pub fn propagator(&mut self, name: &str) {
        name.clone_into(&mut self.propagator);
    }

    /// A published state, relative to the Earth in `MJ2000Eq` axes, km, km/s.
    pub fn state(&mut self, epoch: Epoch, backwards: bool, state: [f64; 6]) -> Result<(), OemError> {
        if !self.on {
            return Ok(());
        }
        let days = epoch.mjd(Scale::A1);
        self.compare_propagators(days)?;
        if !self.opened {
            self.opened = true;
            self.selection.drop_first_at(days);
        }
        self.closed = false;
        let turned = self.backwards != Some(backwards);
        let turns = turned && self.backwards.is_some();
        self.backwards = Some(backwards);
        // at a turn GMAT looks for the end of the segment in the direction of before
        let closes_backwards = if turns { !backwards } else { backwards };
        self.selection.note(Sample { days, seconds: days * DAY, state }, backwards, closes_backwards);
        if turns && self.received {
            self.begin_segment(Some("This block begins after propagation direction change"), true)?;
        }
        if self.selection.repeats() || self.selection.done {
            return Ok(());
        }
        self.received = true;
        self.selection.take();
        if self.selection.begun && !self.head.is_empty() {
            self.text += &std::mem::take(&mut self.head);
        }
        Ok(())
    }

    /// Ends the segment at an epoch, for a reason.
    pub fn break_segment(&mut self, epoch: Epoch, reason: Break) -> Result<(), OemError> {
        let setting = matches!(reason, Break::Setting(_));
        if !self.on || self.selection.done || (setting && !self.has_data()) {
            return Ok(());
        }
        let time = calendar(epoch.mjd(Scale::A1));
        let comment = match reason {
            Break::Impulse => format!("ImpulsiveBurn at {time}"),
            Break::BurnBegins => format!("begin of finite maneuver at {time}"),
            Break::BurnEnds => format!("end of finite maneuver at {time}"),
            Break::Setting(text) => format!("spacecraft setting {text} at {time}"),
        };
        self.close(true, false)?;
        self.begin_segment(Some(&format!("This block begins after {comment}")), false)
    }

    /// `Toggle`: off ends the segment.
    pub fn toggle(&mut self, on: bool) -> Result<(), OemError> {
        let goes_off = self.on && !on;
        self.on = on;
        if goes_off { self.begin_segment(None, false) } else { Ok(()) }
    }

    /// The run is over: the text of the file, empty if no state was due.
    pub fn finish(mut self) -> String {
        if self.on && self.selection.begun {
            // what GMAT says of too few states is in the text
            let _ = self.close(true, true);
        }
        self.text
    }

    fn has_data(&self) -> bool {
        self.opened && (self.selection.begun || self.selection.has_state() || !self.selection.rows.is_empty())
    }

    /// Ends the segment if the propagator is another one than before; A1 days.
    fn compare_propagators(&mut self, days: f64) -> Result<(), OemError> {
        if self.selection.done || !self.has_data() || self.noted_propagator.as_ref() == Some(&self.propagator) {
            return Ok(());
        }
        let Some(before) = self.noted_propagator.replace(self.propagator.clone()) else { return Ok(()) };
        let change = format!("from {before} to {} at {}", self.propagator, calendar(days));
        self.close(true, false)?;
        self.begin_segment(Some(&format!("This block begins after propagator change {change}")), false)
    }

    fn begin_segment(&mut self, comment: Option<&str>, keep_state: bool) -> Result<(), OemError> {
        if self.selection.begun {
            self.close(false, false)?;
            self.comments.extend(comment.map(str::to_owned));
        }
        self.selection.restart(keep_state);
        Ok(())
    }

    /// Writes what the segment has; at its true end with a lower order if the states are few.
    fn close(&mut self, at_end: bool, run_ends: bool) -> Result<(), OemError> {
        if self.closed || !self.opened {
            return Ok(());
        }
        self.closed = at_end;
        if let Err(TooFewStates { none }) = self.selection.close(at_end, run_ends) {
            let reason = match self.settings.steps {
                // GMAT writes times that were never set
                Steps::Every(step) if none => format!(
                    ".  The data time span (-999.999 - -999.999) is less than the step size of {} seconds.",
                    two_digits(step)
                ),
                _ => " at the requested interpolation order or to temporarily reduce the order. There should be at \
                      least one data point more than interpolation order."
                    .to_owned(),
            };
            let what = "There is not enough data available to generate the current block of ephemeris";
            self.text.extend(["COMMENT  ", what, &reason, "\n\n"]);
            return Err(OemError::TooFewStates);
        }
        self.write_segment();
        Ok(())
    }

    fn write_segment(&mut self) {
        let rows = std::mem::take(&mut self.selection.rows);
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return };
        if std::mem::take(&mut self.selection.start_from_rows) {
            self.start = calendar(first.0 / DAY);
        }
        let (start, stop) = (&self.start, calendar(last.0 / DAY));
        let states =
            if self.selection.interpolates() { self.selection.points.count() } else { (rows.len() - 1) % PART + 1 };
        let order = self.settings.interpolation_order;
        let degree = if states <= order { states.saturating_sub(1).max(1) } else { order };
        self.text += "\nMETA_START\n";
        for comment in self.comments.drain(..) {
            self.text.extend(["COMMENT  ", &comment, "\n"]);
        }
        for (key, value) in [
            ("OBJECT_NAME", &self.settings.object_name),
            ("OBJECT_ID", &self.settings.object_id),
            ("CENTER_NAME", &self.settings.center_name),
            ("REF_FRAME", &self.settings.reference_frame),
            ("TIME_SYSTEM", &"UTC".to_owned()),
            ("START_TIME", start),
            ("USEABLE_START_TIME", start),
            ("USEABLE_STOP_TIME", &stop),
            ("STOP_TIME", &stop),
            ("INTERPOLATION", &self.settings.interpolator.to_uppercase()),
            ("INTERPOLATION_DEGREE", &format!("{degree:<2}")),
        ] {
            let _ = writeln!(self.text, "{key:<20} = {value}");
        }
        self.text += "META_STOP\n\n";
        for (seconds, state) in rows {
            let days = seconds / DAY;
            let state = Epoch::from_mjd(Scale::A1, days).map_or(state, |epoch| (self.turn)(epoch, state));
            self.text += &calendar(days);
            for component in state {
                self.text += "  ";
                write_number(&mut self.text, component);
            }
            self.text.push('\n');
        }
    }
}

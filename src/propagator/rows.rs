//! The rows of reports that a run leaves, and what changes in how they are written.

use super::Flight;
use super::lane::Lane;
use crate::base::run::{Change, ReportRows};
use crate::mission::report::ReportField;

impl Lane {
    /// The row at the start of a Propagate. GMAT leaves it out where the last row has the same date: the end
    /// of a Propagate and the start of the next one of the same spacecraft are one row, those of two
    /// spacecraft are two, unless their dates agree.
    pub(super) fn first_row(&mut self, flight: &Flight, spacecraft: usize) {
        let date = self.spacecraft[spacecraft].date();
        for number in 0..self.reports.len() {
            self.step_row(flight, number, date, true);
        }
    }

    /// Writes a row of every report that has columns by `Add`.
    pub(super) fn row(&mut self, flight: &Flight, date: f64) {
        for number in 0..self.reports.len() {
            self.step_row(flight, number, date, false);
        }
    }

    /// The row at the end of a Target.
    pub(super) fn last_row(&mut self, flight: &Flight, number: usize) {
        let date = self.date;
        if self.written[number] && !flight.mission.reports[number].kinds[0].is_empty() {
            self.reported[number] = date;
            self.add_row(flight, number, 0);
        }
    }

    /// A row of `Add` if the report takes it now; `unless_same`: not at the date of the row before.
    #[allow(clippy::float_cmp)] // the same date to the bit, as GMAT compares
    fn step_row(&mut self, flight: &Flight, number: usize, date: f64, unless_same: bool) {
        self.date = date;
        let report = &flight.mission.reports[number];
        if report.kinds[0].is_empty() || !self.written[number] || !self.takes_steps(flight, report.solver_rows) {
            return;
        }
        if !(unless_same && date == self.reported[number]) {
            self.reported[number] = date;
            self.add_row(flight, number, 0);
        }
    }

    /// A row of one kind, if the run keeps rows.
    pub(super) fn add_row(&mut self, flight: &Flight, number: usize, kind: usize) {
        let has_columns = !flight.mission.reports[number].kinds[kind].is_empty();
        if self.reports.get(number).is_some() && has_columns {
            self.reports[number].rows += 1;
            self.fill_row(flight, number, kind);
        }
    }

    /// The numbers of a row of one kind; beyond the limit the last kept row is written anew. Columns that the
    /// kind has not are NaN.
    fn fill_row(&mut self, flight: &Flight, number: usize, kind: usize) {
        let report = &flight.mission.reports[number];
        let width = report.columns.len();
        let mut first = self.reports[number].values.len();
        if first == flight.rows_max * width {
            first -= width;
            self.reports[number].kinds.pop();
        } else {
            self.reports[number].values.resize(first + width, f64::NAN);
        }
        self.reports[number].values[first..].fill(f64::NAN);
        self.reports[number].kinds.push(kind as u32);
        let mut seen = None;
        for &place in &report.kinds[kind] {
            let column = &report.columns[place];
            let mut value = self.value_beside(flight, column.source, &mut seen);
            if report.has_texts && column.is_text(&flight.mission.names) {
                value = self.keep_text(flight, number, value);
            }
            self.reports[number].values[first + place] = value;
        }
    }

    /// Keeps a text with a report's rows if it is none of the script's; the number that stands for it there.
    fn keep_text(&mut self, flight: &Flight, number: usize, place: f64) -> f64 {
        let texts = flight.mission.names.texts.len();
        if place < texts as f64 {
            return place;
        }
        let text = self.text_at(flight, place).to_owned();
        let kept = &mut self.reports[number].texts;
        kept.push(text);
        (texts + kept.len() - 1) as f64
    }

    /// A setting of a report changes before the next row; of several changes between two rows the last one counts.
    pub(super) fn change_report(&mut self, number: usize, field: ReportField, value: f64) {
        let Some(ReportRows { changes, kinds, .. }) = self.reports.get_mut(number) else { return };
        let before = kinds.len();
        changes.retain(|change| change.before < before || change.field != field as usize);
        changes.push(Change { before, field: field as usize, value });
    }
}

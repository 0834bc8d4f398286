//! TAI - UTC: whole leap seconds from 1972 on, offsets with rates from 1961 to 1971, 0 before, as GMAT.
//!
//! TAI - UTC = offset + rate (MJD_UTC - reference). Where UTC was set back (1961-08-01, 1968-02-01), the
//! part of UTC that came twice belongs to the time after the step, as in GMAT. The leap seconds come from
//! hifitime, the numbers before 1972 are those of the US Naval Observatory's tai-utc.dat.
//!
//! # References
//! maia.usno.navy.mil/ser7/tai-utc.dat. Tests: `val_before_1972`, `val_leap_second` in epoch.rs.

use std::sync::OnceLock;

use hifitime::leap_seconds::LatestLeapSeconds;

use super::constants::DAY;

/// GMAT's modified Julian date of 1900-01-01 00:00, from which hifitime counts.
const MJD_OF_1900: f64 = -14_979.5;
/// MJD (JD - 2400000.5) less GMAT's modified Julian date (JD - 2430000).
const MJD_LESS_GMAT: f64 = 29_999.5;

/// An instant this near before a step (s) is the step itself.
const ROUNDING: f64 = 1e-9;

/// From this UTC day on (GMAT's modified Julian date), TAI - UTC = offset + rate (MJD - reference).
struct Step {
    from: f64,
    offset: f64,
    reference: f64,
    rate: f64,
}

/// 1961 to 1971: MJD from which it holds, offset (s), reference MJD, rate (s/d).
const BEFORE_1972: [(f64, f64, f64, f64); 13] = [
    (37_300.0, 1.422_818_0, 37_300.0, 0.001_296),
    (37_512.0, 1.372_818_0, 37_300.0, 0.001_296),
    (37_665.0, 1.845_858_0, 37_665.0, 0.001_123_2),
    (38_334.0, 1.945_858_0, 37_665.0, 0.001_123_2),
    (38_395.0, 3.240_130_0, 38_761.0, 0.001_296),
    (38_486.0, 3.340_130_0, 38_761.0, 0.001_296),
    (38_639.0, 3.440_130_0, 38_761.0, 0.001_296),
    (38_761.0, 3.540_130_0, 38_761.0, 0.001_296),
    (38_820.0, 3.640_130_0, 38_761.0, 0.001_296),
    (38_942.0, 3.740_130_0, 38_761.0, 0.001_296),
    (39_004.0, 3.840_130_0, 38_761.0, 0.001_296),
    (39_126.0, 4.313_170_0, 39_126.0, 0.002_592),
    (39_887.0, 4.213_170_0, 39_126.0, 0.002_592),
];

fn steps() -> &'static [Step] {
    static TABLE: OnceLock<Vec<Step>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let before = BEFORE_1972.iter().map(|&(from, offset, reference, rate)| Step {
            from: from - MJD_LESS_GMAT,
            offset,
            reference: reference - MJD_LESS_GMAT,
            rate,
        });
        // the table counts UTC seconds from 1900 as if no leap second had ever been
        let since = LatestLeapSeconds::default().filter(|leap| leap.announced_by_iers).map(|leap| Step {
            from: MJD_OF_1900 + leap.timestamp_tai_s / DAY,
            offset: leap.delta_at,
            reference: 0.0,
            rate: 0.0,
        });
        before.chain(since).collect()
    })
}

/// The step that holds at a UTC day and seconds.
fn step_at(day: f64, seconds: f64) -> Option<&'static Step> {
    // every step is at a midnight, the middle of a day of GMAT
    let begun = if seconds >= 0.5 * DAY { day + 0.5 } else { day - 0.5 };
    steps().iter().rev().find(|step| begun >= step.from)
}

fn value(step: Option<&Step>, day: f64, seconds: f64) -> f64 {
    step.map_or(0.0, |step| step.offset + step.rate * ((day - step.reference) + seconds / DAY))
}

/// TAI - UTC (s) at a UTC day of GMAT's modified Julian date and the seconds into it.
pub(super) fn tai_minus_utc_at_utc(day: f64, seconds: f64) -> f64 {
    value(step_at(day, seconds), day, seconds)
}

/// The step that TAI read as UTC falls into, the UTC day and seconds by it, and the step that those fall into.
fn at_tai(day: f64, seconds: f64) -> (Option<&'static Step>, (f64, f64), Option<&'static Step>) {
    let first = step_at(day, seconds);
    let mut guess = (day, seconds);
    for _ in 0..2 {
        guess = shifted(day, seconds, -value(first, guess.0, guess.1)); // the second time for the rate: 1e-8 s
    }
    let (after, seconds_after) = shifted(guess.0, guess.1, ROUNDING);
    (first, guess, step_at(after, seconds_after))
}

/// TAI - UTC (s) at a TAI day of GMAT's modified Julian date and the seconds into it.
pub(super) fn tai_minus_utc_at_tai(day: f64, seconds: f64) -> f64 {
    let (_, guess, step) = at_tai(day, seconds);
    value(step, guess.0, guess.1)
}

/// Whether UTC stands at 23:59:60 at a TAI day and seconds.
pub(super) fn inserted_second(day: f64, seconds: f64) -> bool {
    let (first, guess, step) = at_tai(day, seconds);
    let utc = shifted(day, seconds, -value(step, guess.0, guess.1));
    let from = |step: Option<&Step>| step.map_or(f64::NEG_INFINITY, |step| step.from);
    from(first) > from(step) && from(step_at(utc.0, utc.1)) > from(step)
}

fn shifted(day: f64, seconds: f64, by: f64) -> (f64, f64) {
    let total = seconds + by;
    let days = (total / DAY).floor();
    (day + days, total - days * DAY)
}

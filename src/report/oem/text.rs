//! Times and numbers as an ephemeris file has them.
//!
//! Test: `val_numbers_of_c`.

use std::fmt::Write as _;

use crate::astro::epoch::{Epoch, Scale};

/// UTC of A1 days as `2026-01-01T00:00:00.000`.
pub(super) fn calendar(days: f64) -> String {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let Ok(epoch) = Epoch::from_mjd(Scale::A1, days) else { return "EpochError".to_owned() };
    let date = epoch.gregorian(Scale::Utc);
    let mut words = date.split(' ');
    let (day, month, year, time) = (words.next(), words.next(), words.next(), words.next());
    let month = month.and_then(|month| MONTHS.find(month)).unwrap_or(0) / 3 + 1;
    let [day, year, time] = [day, year, time].map(Option::unwrap_or_default);
    format!("{year}-{month:02}-{day}T{time}")
}

/// A number with 16 digits, a sign or a space before, an exponent of two digits or more: C's `% 1.15e`.
pub(super) fn write_number(text: &mut String, number: f64) {
    let digits = format!("{number:.15e}");
    let (mantissa, exponent) = digits.split_once('e').unwrap_or((&digits, "0"));
    let (sign, size) = exponent.strip_prefix('-').map_or(('+', exponent), |size| ('-', size));
    if !mantissa.starts_with('-') {
        text.push(' ');
    }
    let _ = write!(text, "{mantissa}e{sign}{size:0>2}");
}

/// A number above zero as C's `%#.2g`.
pub(super) fn two_digits(number: f64) -> String {
    let digits = format!("{number:.1e}");
    let (mantissa, exponent) = digits.split_once('e').unwrap_or((&digits, "0"));
    match exponent.parse().unwrap_or(0_i32) {
        1 => format!("{number:.0}."),
        exponent @ -4..=0 => format!("{number:.*}", 1 + exponent.unsigned_abs() as usize),
        exponent => format!("{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs()),
    }
}

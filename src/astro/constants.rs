//! Constants as GMAT has them.

/// Gravitational parameter of the Earth, km^3/s^2.
pub const EARTH_MU: f64 = 398_600.441_5;

/// Seconds in a day.
pub const DAY: f64 = 86_400.0;

/// A1 - TAI, s.
pub const A1_MINUS_TAI: f64 = 0.034_381_7;

/// TT - TAI, s.
pub const TT_MINUS_TAI: f64 = 32.184;

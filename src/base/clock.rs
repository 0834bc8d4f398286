//! The wall clock that journals and timing columns are written by.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now, s since 1970.
pub fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

//! Time scales, orbital elements and the parameters that a report can ask for.

pub mod constants;
pub mod elements;
pub mod epoch;
pub mod parameters;

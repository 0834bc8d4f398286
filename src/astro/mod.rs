//! Time scales, frames, ephemerides, states and the parameters that a report can ask for.

pub mod bodies;
pub mod constants;
pub mod coordinates;
pub mod elements;
pub mod ephemeris;
pub mod epoch;
pub mod frames;
pub mod gregorian;
pub mod leap_seconds;
pub mod parameters;
pub mod representations;
pub mod world;

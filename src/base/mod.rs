//! What every layer needs: problems with a place, names that are near.

pub mod lanes;
pub mod nearest;
pub mod problem;

//! What every layer needs: problems with a place, names that are near.

pub mod nearest;
pub mod problem;

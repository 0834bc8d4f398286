//! What every layer needs: lanes, problems with a place, names that are near, how a run ended.

pub mod clock;
pub mod files;
pub mod lanes;
pub mod nearest;
pub mod nominal;
pub mod outcome;
pub mod printf;
pub mod problem;
pub mod run;

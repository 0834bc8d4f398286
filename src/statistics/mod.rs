//! Statistics of many runs that do not depend on their order: the same bits for any number of ranks and threads,
//! and after a resume.
//!
//! What is kept are whole numbers, which any order adds up alike: sums of doubles as one wide fixed-point number
//! ([`ExactSum`]), counts. Two of them merge by adding.

mod exact_sum;
mod moments;

pub use exact_sum::ExactSum;
pub use moments::{Moments, covariance};

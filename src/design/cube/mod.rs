//! Points that fill the unit cube more evenly than random ones, each computed from its number alone.
//!
//! A coordinate depends on the key of its dimension, the number of the point and, where the kind has
//! them, the number of points and of the dimension: on no other point, key or dimension. So 2^53 points
//! cost no memory, in any order, on any rank.
//!
//! | kind | even at which numbers of points | more points later |
//! |---|---|---|
//! | [`Sobol`] | powers of 2, from the start | yes |
//! | [`Halton`] | any | yes |
//! | [`LatinHypercube`] | the one it is made for | no |

mod halton;
mod latin;
mod permutation;
mod sobol;
#[cfg(test)]
mod tests;

pub use halton::Halton;
pub use latin::LatinHypercube;
pub use permutation::Permutation;
pub use sobol::Sobol;

/// The most points, the skipped ones included.
pub const MAX_POINTS: u64 = 1 << 53;

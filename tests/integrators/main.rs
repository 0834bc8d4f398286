//! The integrators against GMAT's own steps, and against the laws that they must keep.

#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

mod driver;
#[path = "../earth/mod.rs"]
mod earth;
mod laws;
mod steps;
mod timing;

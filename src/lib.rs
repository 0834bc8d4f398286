//! sweep-mpi
pub mod astro;
pub mod base;
pub mod cli;
pub mod config;
pub mod design;
pub mod forces;
pub mod gmat;
pub mod integrators;
pub mod mission;
pub mod propagator;

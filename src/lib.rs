//! sweep-mpi
pub mod base;

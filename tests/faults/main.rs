//! Faults that are really done to the built program under `mpirun`: kills, system calls that fail on one rank, full disks,
//! places where no file can be. A job that does not end in time is a red test.
//!
//! docs/reliability.md tells which fault is promised what, and which test shows it.
#![allow(clippy::unwrap_used)] // helpers of tests

#[path = "../case/mod.rs"]
mod case;
#[path = "../launch/mod.rs"]
mod launch;

mod agreement;
mod disks;
mod kills;
mod panics;
mod places;
mod process;
mod shim;
mod table;

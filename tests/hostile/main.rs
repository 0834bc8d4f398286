//! Hostile input: thousands of mutants of every format that is read. Each gets an answer: it is accepted, or refused with a
//! message without control characters; never a panic, never more than 256 MiB, never more than some seconds.
//!
//! Every mutant is a function of its seed. An input that ends the process stays in a file of
//! `/dev/shm` or the temporary folder, `sweep-mpi-hostile-PROCESS-FORMAT.last`. `SWEEP_TEST_MUTANTS=50` makes 50 times as many.
#![allow(clippy::unwrap_used, unsafe_code)] // helpers of tests; an allocator is unsafe by its trait

mod memory;
mod mutator;
mod readers;
mod trial;

mod arguments;
mod config;
mod earth;
mod ephemeris;
mod gravity;
mod messages;
mod programs;
mod results;
mod script;
mod sizes;

#[global_allocator]
static COUNTING: memory::Counting = memory::Counting;

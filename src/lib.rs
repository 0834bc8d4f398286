//! Flies thousands to hundreds of millions of spacecraft missions: a parameter sweep over a GMAT
//! script, on a laptop or a cluster, into one HDF5 file.
//!
//! The map, in reading order; each layer imports those after it only:
//!
//! - [`sweep`]: the story, from the command line to the finished file; all collective calls;
//! - [`cli`], [`report`]: what a person types and sees;
//! - [`output`]: the place of the result file; [`plan`]: what runs there are, what each sets and leaves;
//! - [`schedule`]: the leader that hands out chunks, the worker that flies them;
//! - [`store`]: the result file;
//! - [`comm`]: the ranks of the job;
//! - [`workload`]: what a run is; [`statistics`]: what is kept of many;
//! - [`config`], [`design`]: what the user wrote, and how run i is computed from i;
//! - [`propagator`]: the hot loop, several runs side by side in lanes;
//! - [`mission`]: a script compiled to a small program; [`gmat`]: the script's language;
//! - [`solver`]: targeting; [`integrators`], [`forces`], [`propulsion`], [`astro`]: the physics;
//! - [`base`]: lanes, problems with a place, units of speech.

pub mod astro;
pub mod base;
pub mod cli;
pub mod comm;
pub mod config;
pub mod design;
pub mod forces;
pub mod gmat;
pub mod integrators;
pub mod mission;
pub mod output;
pub mod plan;
pub mod propagator;
pub mod propulsion;
pub mod report;
pub mod schedule;
pub mod solver;
pub mod statistics;
pub mod store;
pub mod sweep;
pub mod workload;

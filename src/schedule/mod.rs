//! Who flies which run: the leader hands out chunks, a worker flies them.
//!
//! The protocol on one page. Rank 0 leads, all others work; alone, rank 0 does both.
//!
//! ```text
//! leader -> worker   Order::fly(first, count)   two of them under way to each worker at a time
//! worker -> leader   Report                     after each chunk: counts and times, no rows
//! leader -> worker   Order::flush()             behind the chunks under way: all ranks enter a flush round
//! leader -> worker   Order::stop()              when no chunk is left; then comes the last flush round
//! leader -> worker   a word beside the orders   the job is to end: drop what is in hand
//! ```
//!
//! A worker takes orders in the order they were sent, so every rank enters the same flush rounds in the
//! same order, and since the next chunk is under way before the last is done, no worker waits for the
//! wire.

pub mod crew;
pub mod flush;
pub mod graph;
pub mod interrupt;
pub mod leader;
pub mod programs;
pub mod remaining;
pub mod simulation;
pub mod worker;

//! Solvers of the mission sequence: pure state machines that say with which values the commands between
//! `Target` and `EndTarget` are flown next.

pub mod differential_corrector;
mod iteration;
mod jacobian;
pub mod settings;
#[cfg(test)]
mod tests;

//! What a mission's script says of a number that a design varies.

/// The script's value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nominal {
    /// The value.
    pub value: f64,
    /// What a change of 1 is in units of the value: 1, but for epochs (d), which change by seconds.
    pub unit: f64,
}

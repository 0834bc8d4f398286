//! Finite burns: what the thrusters of a spacecraft do together, and how its tanks follow its mass.
//!
//! a = sum of T_i u_i / (1000 M), dM/dt = sum of mdot_i
//!
//! with the thrusts T_i (N) along the unit vectors u_i, and the total mass M (kg) of dry mass and all tanks. Only M is
//! a component of the state. When it is set, each firing thruster's tanks take the part of the change that its
//! mass flow has in all, by the flows before the change:
//!
//! dm_i = dM mdot_i / sum of mdot
//!
//! GMAT does so at every stage of every trial step. While the parts are constant (one tank, or regulated pressures)
//! the tank masses are a function of M; else they depend on the way, and this is GMAT's way.
//!
//! # References
//! GMAT Mathematical Specification, "Finite burns"; GMAT R2026a, `FiniteBurn`, `Spacecraft`, `ODEModel`.
//! Tests: `val_masses_of_gmat`, `val_stages_of_gmat`, `prop_rocket_equation`.

use super::METRES;
use super::tank::Tank;
use super::thruster::{Engine, FiringError, Output, Thruster};

/// The most thrusters of one spacecraft that can fire at once.
pub const FIRING_MAX: usize = 16;

/// Below this the mass flow of all thrusters counts as none, kg/s.
const FLOW_MIN: f64 = f64::EPSILON;
/// Change of the mass over a step below which its error is absolute, kg.
const THRESHOLD: f64 = 0.1;

/// What a burn does to a spacecraft.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Push {
    /// Acceleration, km/s^2, in the axes of the directions.
    pub acceleration: [f64; 3],
    /// dM/dt, kg/s: not above zero.
    pub mass_flow: f64,
    /// Sum of the thrusts, N: GMAT's `TotalThrust1` to 3, but where an electric thruster has too little power.
    pub thrust: [f64; 3],
}

/// Dry mass and all tanks, kg, added in the order of the spacecraft's tanks.
#[inline]
pub fn total_mass(dry: f64, tanks: &[Tank]) -> f64 {
    tanks.iter().fold(dry, |mass, tank| mass + tank.fuel())
}

/// Gives the tanks the change that takes the spacecraft to the total mass `mass` (kg).
///
/// `thrusters` are all of the spacecraft, in its order; where none fires, only the mass that there is can be set.
#[inline]
pub fn set_total_mass(dry: f64, tanks: &mut [Tank], thrusters: &[Thruster], mass: f64) -> Result<(), FiringError> {
    let change = mass - total_mass(dry, tanks);
    let mut flows = [0.0; FIRING_MAX];
    let (mut all, mut firing) = (0.0, 0);
    for thruster in thrusters.iter().filter(|thruster| thruster.firing) {
        let flow = flows.get_mut(firing).ok_or(FiringError::TooMany)?;
        *flow = thruster.output(tanks)?.mass_flow;
        all += *flow;
        firing += 1;
    }
    if firing == 0 {
        return if change == 0.0 { Ok(()) } else { Err(FiringError::NothingFires) };
    }
    if all.abs() < FLOW_MIN {
        return Ok(());
    }
    for (thruster, flow) in thrusters.iter().filter(|thruster| thruster.firing).zip(flows) {
        let draw = thruster.draw.as_ref().ok_or(FiringError::NoTank)?;
        let of_part = change * flow / all / draw.sum();
        for (place, part) in draw.tanks() {
            let tank = tanks.get_mut(place).ok_or(FiringError::WrongTank)?;
            tank.set_fuel(tank.fuel() + of_part * part)?;
        }
    }
    Ok(())
}

/// The push of a burn: its thrusters in its order, each with its direction (any length but zero) in inertial axes.
///
/// `mass` is the total mass, kg. Thrusters that do not fire add nothing, but must have a direction, as in GMAT.
#[inline]
pub fn fire<'a>(
    thrusters: impl Iterator<Item = (&'a Thruster, [f64; 3])>,
    tanks: &[Tank],
    mass: f64,
) -> Result<Push, FiringError> {
    let mut push = Push::default();
    for (thruster, direction) in thrusters {
        let [x, y, z] = direction;
        let length = (x * x + y * y + z * z).sqrt();
        if length == 0.0 {
            return Err(FiringError::NoDirection);
        }
        let Output { thrust, mass_flow, .. } = thruster.output(tanks)?;
        push.mass_flow += mass_flow;
        let over_mass = thrust / (mass * length * METRES);
        for (i, component) in direction.into_iter().enumerate() {
            push.acceleration[i] += component * over_mass;
            push.thrust[i] += component / length * thrust;
        }
    }
    Ok(push)
}

/// Shares power (kW) among the electric thrusters of a burn: GMAT's `MaxNumberOfThrusters`, its only logic.
///
/// As many of the first k as possible get power / k each: k goes down from all until that is more than the
/// MinimumUsablePower of thruster k (GMAT means the mean of all k, but takes this). The others get nothing.
/// `places` are the burn's thrusters in its order, as places in `thrusters`; all are electric.
pub fn allot(power_kw: f64, places: &[u8], thrusters: &mut [Thruster]) {
    let share = |count: usize| power_kw / count as f64;
    let enough = |count: usize, place: u8| match thrusters.get(usize::from(place)).map(|thruster| &thruster.engine) {
        Some(Engine::Electric(engine)) => share(count) > engine.min_power_kw,
        _ => false,
    };
    let count = (1..=places.len()).rev().find(|&count| enough(count, places[count - 1])).unwrap_or(0);
    for (order, &place) in places.iter().enumerate() {
        if let Some(thruster) = thrusters.get_mut(usize::from(place)) {
            thruster.power_kw = if order < count { share(count) } else { 0.0 };
        }
    }
}

/// The error of the mass in a step, which counts in the step control beside those of position and velocity.
///
/// With the error estimate `delta` (kg): abs(delta) / abs(new - old), or where the mass changed by not more than 0.1 kg,
/// abs(delta). So it is for every `ErrorControl` but `None`, which has no errors at all. NaN where one is NaN.
#[inline]
pub fn mass_error(old: f64, new: f64, delta: f64) -> f64 {
    let change = (new - old).abs();
    if change > THRESHOLD { delta.abs() / change } else { delta.abs() }
}

#[cfg(test)]
#[path = "burn_tests.rs"]
mod tests;

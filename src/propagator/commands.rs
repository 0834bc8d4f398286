//! The commands that change a run's objects at an instant: equations, copies, impulsive burns.

use super::Flight;
use super::lane::{Lane, Outcome};
use super::matrices;
use crate::astro::elements::Cartesian;
use crate::astro::ephemeris::Body;
use crate::astro::epoch::{Epoch, Scale};
use crate::astro::representations::Centre;
use crate::astro::representations::fields::Field;
use crate::astro::representations::state_input::StateInput;
use crate::base::outcome::Failure;
use crate::mission::burn::{BurnFrame, ImpulsiveBurn};
use crate::mission::names::Shape;
use crate::mission::numbers::Number;
use crate::mission::program::Command;
use crate::mission::settings::{Setting, Within};
use crate::propulsion::Thruster;
use crate::propulsion::impulsive::{Way, mass_change, take_back};

impl Lane {
    /// Carries a command out that takes no time.
    pub(super) fn carry_out(&mut self, flight: &Flight, command: &Command) -> Outcome {
        match *command {
            Command::Set { target, formula } => {
                let value = self.formula(flight, formula);
                self.assign(flight, target, value)
            }
            Command::SetElement { array, ref indices, formula } => {
                let mut numbers = std::mem::take(&mut self.indices);
                numbers.clear();
                for &index in indices {
                    numbers.push(self.formula(flight, index));
                }
                let slot = slot(flight, array, &numbers);
                self.indices = numbers;
                let value = self.formula(flight, formula);
                self.objects.values[slot.ok_or(Failure::IndexOutside)?] = value;
                Ok(())
            }
            Command::MakeText { slot, ref text } => self.make_text(flight, slot, text),
            Command::MeasureText { slot, measure } => self.measure_text(flight, slot, measure),
            Command::SetDate { spacecraft, scale, date } => self.set_date(flight, spacecraft, scale, date),
            Command::SetEpoch { spacecraft, date } => self.set_own_epoch(flight, spacecraft, date),
            Command::SetDateFormat { spacecraft, format } => self.set_date_format(flight, spacecraft, format),
            Command::SetSystem { spacecraft, system } => {
                self.objects.spacecraft[spacecraft].system = system;
                Ok(())
            }
            Command::Invert { to, from, rows } => {
                let count = rows * rows;
                self.objects.values.copy_within(from..from + count, to);
                let done = matrices::invert(&mut self.objects.values[to..to + count], rows);
                if done { Ok(()) } else { Err(Failure::FormulaUndefined) }
            }
            Command::Determinant { to, from, rows } => {
                self.objects.values[to] = matrices::determinant(&self.objects.values[from..from + rows * rows], rows);
                Ok(())
            }
            Command::SetSeed(formula) => {
                let seed = self.formula(flight, formula);
                self.random.seed(seed as u32);
                if seed.is_nan() { Err(Failure::FormulaUndefined) } else { Ok(()) }
            }
            Command::ChangeReport { report, field, formula } => {
                let number = self.formula(flight, formula);
                self.change_report(report, field, field.value(number).ok_or(Failure::FormulaUndefined)?);
                Ok(())
            }
            Command::CopyBurn { to, from } => {
                self.objects.burns[to] = self.objects.burns[from];
                Ok(())
            }
            Command::Copy { to, from } => {
                self.objects.spacecraft[to] = self.objects.spacecraft[from];
                self.spacecraft[to] = self.spacecraft[to].copied(self.spacecraft[from]);
                self.copy_hardware(flight, to, from);
                Ok(())
            }
            Command::Maneuver { burn, spacecraft, backwards } => self.maneuver(flight, burn, spacecraft, backwards),
            Command::FiniteBurn { firing, on } => self.set_firing(flight, firing, on),
            _ => Ok(()),
        }
    }

    /// Sets a number of an object in flight.
    pub(super) fn assign(&mut self, flight: &Flight, target: Setting, value: f64) -> Outcome {
        match target {
            Setting::Number(number) => {
                // a Variable may be plus infinity, as in GMAT
                let infinite = value == f64::INFINITY && matches!(number, Number::Value(_));
                if !value.is_finite() && !infinite {
                    return Err(Failure::FormulaUndefined);
                }
                self.objects.set(number, value)?;
            }
            Setting::Epoch { spacecraft, scale } => {
                let epoch = Epoch::from_mjd(scale, value).map_err(|_| Failure::EpochOutOfSpan)?;
                self.set_epoch(flight, spacecraft, epoch);
            }
            Setting::State { spacecraft, field, within, .. } => {
                let mission = &flight.mission;
                let live = self.spacecraft[spacecraft];
                let fleet = |other: usize| (self.spacecraft[other].state, self.spacecraft[other].center);
                let systems = &mission.names.systems;
                let own = self.objects.spacecraft[spacecraft].system;
                let system = match within {
                    Within::System(system) => system,
                    Within::Body(system) if systems[system].origin != systems[own].origin => system,
                    Within::Own | Within::Body(_) => own,
                };
                let system = &systems[system];
                let origin = system.origin.body().ok_or(Failure::StateUndefined)?;
                let centre = mission.bodies.of(origin);
                let state = system.of_inertial(&mission.world, live.state, live.center, live.now(), &fleet);
                let state = changed(state, &field, value, &centre)?.to_cartesian(&centre)?;
                let state = system.to_inertial(&mission.world, state, live.now());
                self.spacecraft[spacecraft].state = mission.world.moved(state, origin, live.center, live.now());
            }
        }
        Ok(())
    }

    /// A spacecraft is where it is, seen from the Earth in `MJ2000Eq`, at another epoch.
    pub(super) fn set_epoch(&mut self, flight: &Flight, spacecraft: usize, epoch: Epoch) {
        let live = &mut self.spacecraft[spacecraft];
        let seen = flight.mission.world.moved(live.state, live.center, Body::Earth, live.now());
        live.state = flight.mission.world.moved(seen, Body::Earth, live.center, epoch);
        live.epoch = epoch;
        live.t = 0.0;
        live.gmat_mjd = epoch.mjd(Scale::A1);
    }

    /// v <- v + R^T dv, and the fuel for it; or backwards, to the velocity before.
    fn maneuver(&mut self, flight: &Flight, burn: usize, spacecraft: usize, backwards: bool) -> Outcome {
        let ImpulsiveBurn { elements, isp, gravity, frame, .. } = self.objects.burns[burn];
        let BurnFrame { axes, decrements_mass, ref tanks, .. } = flight.mission.names.burns[frame];
        let live = self.spacecraft[spacecraft];
        let fleet = |other: usize| (self.spacecraft[other].state, self.spacecraft[other].center);
        let turned = |v: [f64; 3]| {
            let state = Cartesian { v, ..live.state };
            let change = axes.to_inertial(&flight.mission, elements, (state, live.center), live.now(), &fleet);
            if change.iter().all(|component| component.is_finite()) { Ok(change) } else { Err(Failure::AxesUndefined) }
        };
        let (way, before) = if backwards {
            (Way::Backward, take_back(live.state.v, elements, turned)?.velocity)
        } else {
            (Way::Forward, live.state.v)
        };
        let change = turned(before)?;
        self.objects.burns[burn].fired = Some((change, live.now()));
        self.spacecraft[spacecraft].state.v =
            if backwards { before } else { std::array::from_fn(|i| before[i] + change[i]) };
        if decrements_mass {
            let mut copies = flight.mission.names.tanks.iter();
            let tank = copies.position(|copy| copy.spacecraft == spacecraft && tanks.first() == Some(&copy.name));
            let tank = tank.ok_or(Failure::TankFields)?;
            let change = mass_change(way, self.total_mass(flight, spacecraft), elements, isp, gravity);
            let tank = &mut self.objects.tanks[tank];
            tank.set_fuel(tank.fuel() + change).map_err(|_| Failure::TankEmpty)?;
        }
        Ok(())
    }

    /// Tanks, thrusters and power systems of one name become equal.
    fn copy_hardware(&mut self, flight: &Flight, to: usize, from: usize) {
        let names = &flight.mission.names;
        let hardware = |spacecraft: usize| flight.mission.hardware[spacecraft].clone();
        let (to, from) = (hardware(to), hardware(from));
        if let (Some(to), Some(from)) = (to.power, from.power)
            && names.powers[to].copy.name == names.powers[from].copy.name
        {
            self.objects.powers[to] = self.objects.powers[from];
        }
        for place in to.tanks {
            let same = from.tanks.clone().find(|&other| names.tanks[other].name == names.tanks[place].name);
            if let Some(other) = same {
                self.objects.tanks[place] = self.objects.tanks[other];
            }
        }
        for place in to.thrusters {
            let same = from.thrusters.clone().find(|&other| names.thrusters[other].name == names.thrusters[place].name);
            if let Some(other) = same {
                // whether it fires, and the places of its tanks, are its own
                let Thruster { firing, draw, .. } = self.objects.thrusters[place].thruster;
                self.objects.thrusters[place] = self.objects.thrusters[other];
                let thruster = &mut self.objects.thrusters[place].thruster;
                (thruster.firing, thruster.draw) = (firing, draw);
            }
        }
    }

    /// An element of an Array; NaN where there is none.
    pub(super) fn element(&self, flight: &Flight, array: usize, indices: &[f64]) -> f64 {
        slot(flight, array, indices).map_or(f64::NAN, |slot| self.objects.values[slot])
    }
}

/// A state with another value of a field. As in GMAT, the semi-major axis takes the sign that the eccentricity wants.
fn changed(state: Cartesian, field: &Field, value: f64, centre: &Centre) -> Result<StateInput, Failure> {
    let value = if field.name == "ECC" { value.abs() } else { value };
    let mut input = StateInput::from(state);
    input.set(field, value, centre)?;
    if matches!(field.name, "SMA" | "ECC") {
        let [sma, ecc, ..] = input.numbers(centre)?;
        if sma * (1.0 - ecc) < 0.0 {
            let field =
                if field.name == "SMA" { *field } else { Field::find("SMA").map_err(|_| Failure::StateUndefined)? };
            input.set(&field, -sma, centre)?;
        }
    }
    Ok(input)
}

/// The place of an element of an Array by one or two numbers.
fn slot(flight: &Flight, array: usize, indices: &[f64]) -> Option<usize> {
    let value = &flight.mission.names.values[array];
    let Shape::Array { .. } = value.shape else { return None };
    let whole = |number: f64| if number.fract() == 0.0 && number >= 1.0 { number as usize } else { 0 };
    match *indices {
        [index] => value.element(&[whole(index)]),
        [row, column] => value.element(&[whole(row), whole(column)]),
        _ => None,
    }
}

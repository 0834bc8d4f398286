//! The commands that change a run's objects at an instant: equations, copies, impulsive burns.

use super::Flight;
use super::lane::{Lane, Outcome};
use crate::astro::elements::Cartesian;
use crate::astro::epoch::{Epoch, Scale};
use crate::astro::representations::state_input::StateInput;
use crate::base::outcome::Failure;
use crate::mission::burn::ImpulsiveBurn;
use crate::mission::names::Shape;
use crate::mission::numbers::Number;
use crate::mission::program::Command;
use crate::mission::settings::Setting;
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
            Command::SetDate { spacecraft, scale, formula } => {
                let text = self.formula(flight, formula) as usize;
                let text = flight.mission.names.texts.get(text).map_or("", String::as_str);
                let epoch = Epoch::from_gregorian(scale, text).map_err(|_| Failure::EpochOutOfSpan)?;
                self.set_epoch(spacecraft, epoch);
                Ok(())
            }
            Command::Copy { to, from } => {
                self.objects.spacecraft[to] = self.objects.spacecraft[from];
                self.spacecraft[to] = self.spacecraft[to].copied(self.spacecraft[from]);
                self.copy_hardware(flight, to, from);
                Ok(())
            }
            Command::Maneuver { burn, spacecraft, tank, backwards } => {
                self.maneuver(flight, (burn, tank), spacecraft, backwards)
            }
            Command::FiniteBurn { ref thrusters, on } => {
                for &thruster in thrusters {
                    self.objects.thrusters[thruster].thruster.firing = on;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Sets a number of an object in flight.
    pub(super) fn assign(&mut self, flight: &Flight, target: Setting, value: f64) -> Outcome {
        match target {
            Setting::Number(number) => {
                // a Variable may be infinite, as in GMAT
                if value.is_nan() || value.is_infinite() && !matches!(number, Number::Value(_)) {
                    return Err(Failure::FormulaUndefined);
                }
                self.objects.set(number, value)?;
            }
            Setting::Epoch { spacecraft, scale } => {
                let epoch = Epoch::from_mjd(scale, value).map_err(|_| Failure::EpochOutOfSpan)?;
                self.set_epoch(spacecraft, epoch);
            }
            Setting::State { spacecraft, field, centre, system } => {
                let mission = &flight.mission;
                let live = self.spacecraft[spacecraft];
                let fleet = |other: usize| (self.spacecraft[other].state, self.spacecraft[other].center);
                let system = &mission.names.systems[system];
                let state = system.of_inertial(&mission.world, live.state, live.center, live.now(), &fleet);
                let mut input = StateInput::from(state);
                input.set(&field, value, &centre)?;
                let state = system.to_inertial(&mission.world, input.to_cartesian(&centre)?, live.now());
                let origin = system.origin.body().ok_or(Failure::StateUndefined)?;
                self.spacecraft[spacecraft].state = mission.world.moved(state, origin, live.center, live.now());
            }
        }
        Ok(())
    }

    /// A spacecraft is where it is at another epoch.
    fn set_epoch(&mut self, spacecraft: usize, epoch: Epoch) {
        let live = &mut self.spacecraft[spacecraft];
        live.epoch = epoch;
        live.t = 0.0;
        live.gmat_mjd = epoch.mjd(Scale::A1);
    }

    /// v <- v + R^T dv, and the fuel for it; or backwards, to the velocity before.
    fn maneuver(
        &mut self,
        flight: &Flight,
        (burn, tank): (usize, Option<usize>),
        spacecraft: usize,
        backwards: bool,
    ) -> Outcome {
        let axes = flight.mission.names.burns[burn].axes;
        let ImpulsiveBurn { elements, isp, gravity } = self.objects.burns[burn];
        let live = self.spacecraft[spacecraft];
        let fleet = |other: usize| (self.spacecraft[other].state, self.spacecraft[other].center);
        let turned = |v: [f64; 3]| {
            let state = Cartesian { v, ..live.state };
            let change = axes.to_inertial(&flight.mission, elements, (state, live.center), live.now(), &fleet);
            if change.iter().all(|component| component.is_finite()) { Ok(change) } else { Err(Failure::AxesUndefined) }
        };
        let (way, velocity) = if backwards {
            (Way::Backward, take_back(live.state.v, elements, turned)?.velocity)
        } else {
            let change = turned(live.state.v)?;
            (Way::Forward, std::array::from_fn(|i| live.state.v[i] + change[i]))
        };
        self.spacecraft[spacecraft].state.v = velocity;
        if let Some(tank) = tank {
            let change = mass_change(way, self.total_mass(flight, spacecraft), elements, isp, gravity);
            let tank = &mut self.objects.tanks[tank];
            tank.set_fuel(tank.fuel() + change).map_err(|_| Failure::TankEmpty)?;
        }
        Ok(())
    }

    /// Tanks and thrusters of one name become equal.
    fn copy_hardware(&mut self, flight: &Flight, to: usize, from: usize) {
        let names = &flight.mission.names;
        let hardware = |spacecraft: usize| flight.mission.hardware[spacecraft].clone();
        let (to, from) = (hardware(to), hardware(from));
        for place in to.tanks {
            let same = from.tanks.clone().find(|&other| names.tanks[other].name == names.tanks[place].name);
            if let Some(other) = same {
                self.objects.tanks[place] = self.objects.tanks[other];
            }
        }
        for place in to.thrusters {
            let same = from.thrusters.clone().find(|&other| names.thrusters[other].name == names.thrusters[place].name);
            if let Some(other) = same {
                let firing = self.objects.thrusters[place].thruster.firing;
                self.objects.thrusters[place] = self.objects.thrusters[other];
                self.objects.thrusters[place].thruster.firing = firing;
            }
        }
    }

    /// An element of an Array; NaN where there is none.
    pub(super) fn element(&self, flight: &Flight, array: usize, indices: &[f64]) -> f64 {
        slot(flight, array, indices).map_or(f64::NAN, |slot| self.objects.values[slot])
    }
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

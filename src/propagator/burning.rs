//! Finite burns of the lanes: thrust and mass flow at every stage, and tanks that follow the mass.
//!
//! In GMAT the tanks are hidden state: they follow the mass of every stage, of rejected trials too. So do these, in
//! the same order, and no lane sees another one. Electric power is that of the epoch at the start of the step.

use super::Flight;
use super::bundle::Bundle;
use super::lane::{Lane, Outcome};
use crate::astro::coordinates::nobody;
use crate::astro::elements::Cartesian;
use crate::astro::ephemeris::Body;
use crate::astro::epoch::Epoch;
use crate::base::outcome::Failure;
use crate::mission::burn::BurnAxes;
use crate::mission::power::{PowerState, Sky};
use crate::mission::readings::Reading;
use crate::mission::{Mission, Objects};
use crate::propulsion::burn::{Push, allot, fire, set_total_mass, total_mass};
use crate::propulsion::{Engine, Tank, Thruster};

/// The hardware of a spacecraft that burns, in a lane of a bundle.
#[derive(Clone, Debug, Default)]
pub(super) struct Burning {
    /// Whether anything fires.
    pub(super) on: bool,
    dry: f64,
    pub(super) tanks: Vec<Tank>,
    thrusters: Vec<Thruster>,
    directions: Vec<([f64; 3], BurnAxes)>,
    /// The finite burns that are on, by their places in [`Mission::firings`], and what each did at the last stage.
    firings: Vec<(usize, Push)>,
    /// The power system by its place in the mission.
    power: Option<(usize, PowerState)>,
    sky: Sky,
}

/// A stage of a trial step.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    /// The instant of the stage.
    pub(super) epoch: Epoch,
    /// The instant at which its step starts.
    pub(super) start: Epoch,
    /// State relative to `center`.
    pub(super) state: Cartesian,
    pub(super) center: Body,
}

impl Burning {
    /// Nothing fires.
    pub(super) fn off(&mut self) {
        self.on = false;
    }

    /// The hardware of a spacecraft as it is now, with its tanks out of `tanks`.
    fn load(&mut self, mission: &Mission, objects: &Objects, tanks: &[Tank], spacecraft: usize) {
        let hardware = &mission.hardware[spacecraft];
        let thrusters = &objects.thrusters[hardware.thrusters.clone()];
        self.dry = objects.spacecraft[spacecraft].dry_mass;
        self.tanks.clear();
        self.tanks.extend_from_slice(&tanks[hardware.tanks.clone()]);
        self.thrusters.clear();
        self.directions.clear();
        for state in thrusters {
            self.thrusters.push(state.thruster);
            self.directions.push((state.direction, state.axes));
        }
        self.firings.clear();
        for (place, (firing, state)) in mission.firings.iter().zip(&objects.firings).enumerate() {
            if firing.spacecraft == spacecraft && state.on {
                self.firings.push((place, state.push));
            }
        }
        self.power = hardware.power.map(|power| (power, objects.powers[power]));
    }

    /// The tanks follow the mass.
    pub(super) fn follow(&mut self, mass: f64) -> Result<(), Failure> {
        Ok(set_total_mass(self.dry, &mut self.tanks, &self.thrusters, mass)?)
    }

    /// What all burns do at a stage.
    pub(super) fn push(&mut self, mission: &Mission, mass: f64, moment: Moment) -> Result<Push, Failure> {
        self.follow(mass)?;
        let mut all = Push::default();
        for place in 0..self.firings.len() {
            let push = self.push_of(mission, self.firings[place].0, mass, moment)?;
            self.firings[place].1 = push;
            for axis in 0..3 {
                all.acceleration[axis] += push.acceleration[axis];
            }
            all.mass_flow += push.mass_flow;
        }
        Ok(all)
    }

    /// What one burn does.
    fn push_of(&mut self, mission: &Mission, firing: usize, mass: f64, moment: Moment) -> Result<Push, Failure> {
        let Moment { epoch, start, state, center } = moment;
        let firing = &mission.firings[firing];
        if firing.electric {
            let (power, system) = self.power.ok_or(Failure::PowerFields)?;
            self.sky.turn_to(mission, power, start);
            let origin = self.sky.place(mission, center, epoch);
            let from_earth = std::array::from_fn(|i| state.r[i] + origin[i]);
            let power = mission.powers(power, &system, from_earth, &self.sky).thrust;
            if power.is_nan() {
                return Err(Failure::EphemerisSpan);
            }
            let usable = |place: &u8| match &self.thrusters[usize::from(*place)].engine {
                Engine::Electric(engine) => engine.min_power_kw < engine.max_power_kw,
                Engine::Chemical(_) => false,
            };
            if !firing.thrusters.iter().all(usable) {
                return Err(Failure::ThrusterFields);
            }
            allot(power, &firing.thrusters, &mut self.thrusters);
        }
        let mut defined = true;
        let directed = firing.thrusters.iter().map(|&place| {
            let (direction, axes) = self.directions[usize::from(place)];
            let inertial = axes.to_inertial(mission, direction, (state, center), epoch, &nobody);
            defined &= inertial.iter().all(|component| component.is_finite());
            (&self.thrusters[usize::from(place)], inertial)
        });
        let push = fire(directed, &self.tanks, mass);
        if defined { Ok(push?) } else { Err(Failure::AxesUndefined) }
    }
}

impl Lane {
    /// Whether a spacecraft burns.
    #[inline]
    pub(super) fn burns(&self, flight: &Flight, spacecraft: usize) -> bool {
        if self.objects.thrusters.is_empty() {
            return false;
        }
        let thrusters = flight.mission.hardware[spacecraft].thrusters.clone();
        self.objects.thrusters[thrusters].iter().any(|state| state.thruster.firing)
    }

    /// Whether that uses fuel.
    pub(super) fn depletes(&self, flight: &Flight, spacecraft: usize) -> bool {
        let thrusters = flight.mission.hardware[spacecraft].thrusters.clone();
        self.objects.thrusters[thrusters].iter().any(|state| state.thruster.decrement_mass)
    }

    /// Mass with fuel, kg.
    #[inline]
    pub(super) fn total_mass(&self, flight: &Flight, spacecraft: usize) -> f64 {
        if self.objects.tanks.is_empty() {
            return self.objects.spacecraft[spacecraft].dry_mass;
        }
        self.objects.total_mass(spacecraft, &flight.mission.hardware[spacecraft])
    }

    /// Begins or ends a finite burn; from its begin on it tells what it does.
    pub(super) fn set_firing(&mut self, flight: &Flight, place: usize, on: bool) -> Outcome {
        let mission = &flight.mission;
        let firing = &mission.firings[place];
        let first = mission.hardware[firing.spacecraft].thrusters.start;
        for &thruster in &firing.thrusters {
            self.objects.thrusters[first + usize::from(thruster)].thruster.firing = on;
        }
        self.objects.firings[place].on = on;
        self.objects.firings[place].push = Push::default();
        if !on {
            return Ok(());
        }
        let live = self.spacecraft[firing.spacecraft];
        let moment = Moment { epoch: live.now(), start: live.now(), state: live.state, center: live.center };
        let mass = self.total_mass(flight, firing.spacecraft);
        self.burning.load(mission, &self.objects, &self.objects.tanks, firing.spacecraft);
        self.objects.firings[place].push = self.burning.push_of(mission, place, mass, moment)?;
        for &thruster in &firing.thrusters {
            let power = self.burning.thrusters[usize::from(thruster)].power_kw;
            self.objects.thrusters[first + usize::from(thruster)].thruster.power_kw = power;
        }
        Ok(())
    }

    /// Loads a spacecraft into a lane of the bundle, with its tanks as the trials have left them; its mass, kg.
    pub(super) fn load(
        &self,
        flight: &Flight,
        bundle: &mut Bundle,
        index: usize,
        slot: usize,
        spacecraft: usize,
    ) -> f64 {
        let craft = &self.objects.spacecraft[spacecraft];
        let hardware = &flight.mission.hardware[spacecraft];
        let mass = total_mass(craft.dry_mass, &self.tanks[hardware.tanks.clone()]);
        bundle.load(index, slot, craft, mass);
        if self.burns(flight, spacecraft) {
            bundle.light(index, slot).load(&flight.mission, &self.objects, &self.tanks, spacecraft);
        }
        mass
    }

    /// Remembers the tanks where the trials of a part have led, and what the burns did there.
    #[inline]
    pub(super) fn keep_tanks(&mut self, flight: &Flight, bundle: &Bundle, index: usize) {
        if !bundle.burns() {
            return;
        }
        let part = self.leg.parts[self.leg.part];
        for slot in 0..part.count {
            if let Some(burning) = bundle.burning(index, slot) {
                let hardware = &flight.mission.hardware[self.leg.reached[part.first + slot].spacecraft];
                self.tanks[hardware.tanks.clone()].clone_from_slice(&burning.tanks);
                // these stay where a step is taken back, as in GMAT
                let states = &mut self.objects.thrusters[hardware.thrusters.clone()];
                for (state, thruster) in states.iter_mut().zip(&burning.thrusters) {
                    state.thruster.power_kw = thruster.power_kw;
                }
                for &(place, push) in &burning.firings {
                    self.objects.firings[place].push = push;
                }
            }
        }
    }

    /// What hardware or a burn tells of itself, now.
    pub(super) fn reading(&self, flight: &Flight, reading: Reading) -> f64 {
        let mission = &flight.mission;
        match reading {
            Reading::Thruster { thruster, what } => {
                let tanks = mission.hardware[mission.names.thrusters[thruster].spacecraft].tanks.clone();
                let output = self.objects.thrusters[thruster].thruster.output(&self.objects.tanks[tanks]);
                output.map_or(f64::NAN, |output| what.of(&output))
            }
            Reading::Power { power, what } => {
                let live = &self.spacecraft[mission.names.powers[power].copy.spacecraft];
                let mut sky = Sky::default();
                let origin = sky.place(mission, live.center, live.now());
                let from_earth = std::array::from_fn(|i| live.state.r[i] + origin[i]);
                sky.turn_to(mission, power, live.now());
                what.of(&mission.powers(power, &self.objects.powers[power], from_earth, &sky))
            }
            Reading::FiniteBurn { burn, what } => {
                // the last spacecraft that it pushes, as in GMAT
                let mut firings = mission.firings.iter().zip(&self.objects.firings).rev();
                let on = firings.find(|(firing, state)| firing.burn == burn && state.on);
                on.map_or(0.0, |(_, state)| what.of(&state.push))
            }
            Reading::Impulse { burn, system, axis } => {
                let fleet = |other: usize| (self.spacecraft[other].state, self.spacecraft[other].center);
                mission.last_impulse(&self.objects.burns[burn], system, axis, &fleet)
            }
        }
    }
}

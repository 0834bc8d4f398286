//! Finite burns of the lanes: thrust and mass flow at every stage, and tanks that follow the mass.
//!
//! In GMAT the tanks are hidden state: they follow the mass of every stage, of rejected trials too. So do these, in
//! the same order, and no lane sees another one.

use super::Flight;
use super::bundle::Bundle;
use super::lane::Lane;
use crate::astro::coordinates::nobody;
use crate::astro::elements::Cartesian;
use crate::astro::ephemeris::Body;
use crate::astro::epoch::Epoch;
use crate::base::outcome::Failure;
use crate::mission::Mission;
use crate::mission::burn::BurnAxes;
use crate::propulsion::burn::{Push, fire, set_total_mass, total_mass};
use crate::propulsion::{Tank, Thruster};

/// The hardware of a spacecraft that burns, in a lane of a bundle.
#[derive(Clone, Debug, Default)]
pub(super) struct Burning {
    /// Whether anything fires.
    pub(super) on: bool,
    dry: f64,
    pub(super) tanks: Vec<Tank>,
    thrusters: Vec<Thruster>,
    directions: Vec<([f64; 3], BurnAxes)>,
    inertial: Vec<[f64; 3]>,
}

impl Burning {
    /// Nothing fires.
    pub(super) fn off(&mut self) {
        self.on = false;
    }

    /// The tanks follow the mass.
    pub(super) fn follow(&mut self, mass: f64) -> Result<(), Failure> {
        Ok(set_total_mass(self.dry, &mut self.tanks, &self.thrusters, mass)?)
    }

    /// What the thrusters do at a stage.
    pub(super) fn push(
        &mut self,
        mission: &Mission,
        mass: f64,
        state: Cartesian,
        center: Body,
        epoch: Epoch,
    ) -> Result<Push, Failure> {
        self.follow(mass)?;
        self.inertial.clear();
        for (direction, axes) in &self.directions {
            let inertial = axes.to_inertial(mission, *direction, (state, center), epoch, &nobody);
            if !inertial.iter().all(|component| component.is_finite()) {
                return Err(Failure::AxesUndefined);
            }
            self.inertial.push(inertial);
        }
        let directed = self.thrusters.iter().zip(&self.inertial).map(|(thruster, direction)| (thruster, *direction));
        Ok(fire(directed.filter(|(thruster, _)| thruster.firing), &self.tanks, mass)?)
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
        if !self.burns(flight, spacecraft) {
            return mass;
        }
        let burning = bundle.light(index, slot);
        burning.dry = craft.dry_mass;
        burning.tanks.clear();
        burning.tanks.extend_from_slice(&self.tanks[hardware.tanks.clone()]);
        burning.thrusters.clear();
        burning.directions.clear();
        for state in &self.objects.thrusters[hardware.thrusters.clone()] {
            burning.thrusters.push(state.thruster);
            burning.directions.push((state.direction, state.axes));
        }
        mass
    }

    /// Remembers the tanks where the trials of a part have led.
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
            }
        }
    }
}

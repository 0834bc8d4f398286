//! `ImpulsiveBurn`: the axes of a burn, and its numbers.

use super::hardware::refuse_body_axes;
use super::notes::Notes;
use super::resources::{Assignment, Resource};
use super::sequence::Sequence;
use super::values::{items, shown, text_of};
use crate::astro::coordinates::CoordinateSystem;
use crate::astro::ephemeris::Body;
use crate::astro::frames::ObjectAxes;
use crate::base::nearest::did_you_mean;
use crate::gmat::tree::Name;
use crate::mission::burn::{BurnAxes, BurnFrame, ImpulsiveBurn};
use crate::mission::fields::BurnField;
use crate::mission::hardware::{Firing, FiringState};
use crate::mission::program::Command;

/// The axes that are local ones.
const LOCAL_AXES: [&str; 4] = ["VNB", "LVLH", "MJ2000Eq", "SpacecraftBody"];

/// The fields that are no numbers.
const OTHER_FIELDS: [&str; 6] = ["CoordinateSystem", "Origin", "Axes", "DecrementMass", "Tank", "VectorFormat"];

/// What the axes of a burn or of a thruster are, as far as the script says.
pub(super) struct AxesResource {
    /// None: `Local`.
    system: Option<Name>,
    origin: Body,
    axes: &'static str,
}

impl Default for AxesResource {
    fn default() -> Self {
        AxesResource { system: None, origin: Body::Earth, axes: "VNB" }
    }
}

impl AxesResource {
    /// Sets `CoordinateSystem`, `Origin` or `Axes`; whether it was one of them.
    pub(super) fn set(&mut self, assignment: &Assignment, notes: &mut Notes) -> bool {
        let Assignment { value, path, field, .. } = assignment;
        match field.as_str() {
            "CoordinateSystem" => {
                let text = text_of(value);
                self.system = (text != "Local").then_some(Name { text, span: value.span });
            }
            "Origin" => {
                if let Some(body) = Body::of_name(&text_of(value)) {
                    self.origin = body;
                } else {
                    let message = format!("`{path}` = `{}` is no body", shown(value));
                    notes.refuse(value.span, message, did_you_mean(&text_of(value), Body::all().map(Body::name)));
                }
            }
            "Axes" => self.axes = notes.word(value, path, LOCAL_AXES).unwrap_or(self.axes),
            _ => return false,
        }
        true
    }

    /// The axes, or nothing where they are refused.
    pub(super) fn build(
        &self,
        systems: &[CoordinateSystem],
        is_refused: impl Fn(&str) -> bool,
        notes: &mut Notes,
    ) -> Option<BurnAxes> {
        let Some(name) = &self.system else {
            return Some(match self.axes {
                "VNB" => BurnAxes::Local(ObjectAxes::VNB, self.origin),
                "LVLH" => BurnAxes::Local(ObjectAxes::LVLH, self.origin),
                "SpacecraftBody" => BurnAxes::Spacecraft,
                _ => BurnAxes::Inertial,
            });
        };
        let system = systems.iter().position(|system| system.name == name.text);
        if system.is_none() && !is_refused(&name.text) {
            let known = CoordinateSystem::names(systems).chain(["Local"]);
            let help = did_you_mean(&name.text, known);
            notes.refuse(name.span, format!("the script has no CoordinateSystem `{}`", name.text), help);
        }
        system.map(BurnAxes::System)
    }
}

/// An impulsive burn under construction.
#[derive(Default)]
pub(super) struct BurnResource {
    /// Its numbers so far.
    pub(super) burn: ImpulsiveBurn,
    axes: AxesResource,
    decrements_mass: bool,
    tanks: Vec<Name>,
}

impl BurnResource {
    /// Sets a field.
    pub(super) fn set(&mut self, assignment: &Assignment, notes: &mut Notes) {
        let Assignment { value, path, field, .. } = assignment;
        if let Some(number) = BurnField::find(field) {
            if let Some(value) = notes.number(value, path) {
                number.set(&mut self.burn, value);
            }
            return;
        }
        if self.axes.set(assignment, notes) {
            return;
        }
        match field.as_str() {
            "DecrementMass" => self.decrements_mass = notes.flag(value, path).unwrap_or(self.decrements_mass),
            "Tank" => {
                self.tanks = items(value).iter().map(|item| Name { text: text_of(item), span: item.span }).collect();
            }
            "VectorFormat" => {
                notes.word(value, path, ["Cartesian"]);
            }
            _ => {
                let numbers = BurnField::NAMES.iter().map(|(name, _)| *name);
                notes.unknown_field(assignment, "ImpulsiveBurn", numbers.chain(OTHER_FIELDS));
            }
        }
    }

    /// What is the same in every run, or nothing where it is refused.
    pub(super) fn build(
        &self,
        name: &str,
        systems: &[CoordinateSystem],
        is_refused: impl Fn(&str) -> bool,
        notes: &mut Notes,
    ) -> Option<BurnFrame> {
        Some(BurnFrame {
            name: name.to_owned(),
            axes: self.axes.build(systems, is_refused, notes)?,
            decrements_mass: self.decrements_mass,
            tanks: self.tanks.iter().map(|tank| tank.text.clone()).collect(),
        })
    }
}

impl Sequence<'_, '_> {
    /// `Maneuver burn(spacecraft)`.
    pub(super) fn maneuver(&mut self, burn: &Name, spacecraft: &[Name], backwards: bool) {
        let place = self.mission.names.burns.iter().position(|known| known.name == burn.text);
        if place.is_none() && !self.resources.is_refused(&burn.text) {
            let names: Vec<&str> = self.mission.names.burns.iter().map(|burn| burn.name.as_str()).collect();
            let help =
                if names.is_empty() { "the script makes none".to_owned() } else { did_you_mean(&burn.text, names) };
            self.notes.refuse(burn.span, format!("the script has no ImpulsiveBurn `{}`", burn.text), help);
        }
        for name in spacecraft {
            let spacecraft = self.object("Spacecraft", name);
            if let (Some(burn), Some(Resource::Spacecraft(craft))) = (place, self.resources.get(&name.text))
                && self.mission.names.burns[burn].axes == BurnAxes::Spacecraft
                && let Some(field) = &craft.turned
            {
                refuse_body_axes(name, field, self.notes);
                continue;
            }
            if let (Some(burn), Some(spacecraft)) = (place, spacecraft)
                && (self.copied_burns.contains(&burn) || self.has_fuel(burn, spacecraft, name))
            {
                self.push(Command::Maneuver { burn, spacecraft, backwards });
            }
        }
    }

    /// Whether a spacecraft has the tank that a burn takes its fuel from, if it uses any; else that is told.
    fn has_fuel(&mut self, burn: usize, spacecraft: usize, name: &Name) -> bool {
        let burn = &self.mission.names.burns[burn];
        if !burn.decrements_mass {
            return true;
        }
        let [tank] = &burn.tanks[..] else {
            let message = format!("`{}` uses fuel of {} tanks", burn.name, burn.tanks.len());
            self.notes.refuse(name.span, message, "one tank, as in GMAT; or DecrementMass = false");
            return false;
        };
        let copies = &self.mission.names.tanks;
        let has = copies.iter().any(|copy| copy.name == *tank && copy.spacecraft == spacecraft);
        if !has && !self.resources.is_refused(tank) {
            let message = format!("`{}` uses fuel of `{tank}`, which `{}` has not", burn.name, name.text);
            self.notes.refuse(name.span, message, format!("as in {}.Tanks = {{{tank}}}", name.text));
        }
        has
    }

    /// Whether a spacecraft names a thruster: where it has it not, that is told.
    fn names_thruster(&self, spacecraft: &Name, thruster: &str) -> bool {
        matches!(self.resources.get(&spacecraft.text), Some(Resource::Spacecraft(craft))
            if craft.thrusters.iter().any(|name| name.text == thruster))
    }

    /// `BeginFiniteBurn burn(spacecraft)`, `EndFiniteBurn burn(spacecraft)`.
    pub(super) fn finite_burn(&mut self, burn: &Name, spacecraft: &[Name], on: bool) {
        let known = &self.mission.names.finite_burns;
        let place = known.iter().position(|known| known.name == burn.text);
        let found = place.map(|place| known[place].clone());
        if found.is_none() && !self.resources.is_refused(&burn.text) {
            let names: Vec<&str> = known.iter().map(|burn| burn.name.as_str()).collect();
            let help =
                if names.is_empty() { "the script makes none".to_owned() } else { did_you_mean(&burn.text, names) };
            self.notes.refuse(burn.span, format!("the script has no FiniteBurn `{}`", burn.text), help);
        }
        for name in spacecraft {
            let spacecraft = self.object("Spacecraft", name);
            let (Some(found), Some(spacecraft)) = (&found, spacecraft) else { continue };
            let first = self.mission.hardware[spacecraft].thrusters.start;
            let mut thrusters = Vec::new();
            for thruster in &found.thrusters {
                let copies = &self.mission.names.thrusters;
                match copies.iter().position(|copy| copy.name == *thruster && copy.spacecraft == spacecraft) {
                    Some(place) => thrusters.push((place - first) as u8),
                    None if self.resources.is_refused(thruster) || self.names_thruster(name, thruster) => {}
                    None => {
                        let message = format!("`{}` fires `{thruster}`, which `{}` has not", burn.text, name.text);
                        self.notes.refuse(
                            name.span,
                            message,
                            format!("as in {}.Thrusters = {{{thruster}}}", name.text),
                        );
                    }
                }
            }
            let electric = |place: &u8| self.mission.names.thrusters[first + usize::from(*place)].electric;
            let electrics = thrusters.iter().filter(|place| electric(place)).count();
            if electrics > 0 && electrics < thrusters.len() {
                let message = format!("`{}` has chemical and electric thrusters", burn.text);
                self.notes.refuse(
                    burn.span,
                    message,
                    "thrusters of one kind, as in GMAT; another FiniteBurn for the others",
                );
                continue;
            }
            let electric = electrics > 0;
            let power = |resource: &Resource| matches!(resource, Resource::Spacecraft(craft) if craft.power.is_some());
            if electric && !self.resources.get(&name.text).is_some_and(power) {
                let message =
                    format!("`{}` fires electric thrusters, and `{}` has no power system", burn.text, name.text);
                self.notes.refuse(name.span, message, format!("as in {}.PowerSystem = P", name.text));
                continue;
            }
            let firing = Firing { burn: place.unwrap_or(0), spacecraft, thrusters, electric };
            let firings = &mut self.mission.firings;
            let firing = firings.iter().position(|known| *known == firing).unwrap_or_else(|| {
                firings.push(firing);
                self.mission.pristine.firings.push(FiringState::default());
                firings.len() - 1
            });
            self.push(Command::FiniteBurn { firing, on });
        }
    }
}

//! `SolarPowerSystem`, `NuclearPowerSystem`: power systems as a script makes them, and their copies in spacecraft.

use super::notes::Notes;
use super::resources::{Assignment, Resource, Resources};
use super::spacecraft::{SpacecraftResource, date_format, epoch};
use super::values::{items, shown, text_of};
use crate::astro::ephemeris::Body;
use crate::astro::epoch::Scale;
use crate::base::nearest::did_you_mean;
use crate::mission::hardware::Copy;
use crate::mission::power::{PowerCopy, PowerField, PowerState};
use crate::mission::{DateFormat, Mission};
use crate::propulsion::{PowerSource, PowerSystem};

/// The fields that are no numbers, and those of a `SolarPowerSystem` alone.
const OTHER_FIELDS: [&str; 2] = ["EpochFormat", "InitialEpoch"];
const SOLAR_FIELDS: [&str; 2] = ["ShadowModel", "ShadowBodies"];

/// A power system under construction.
pub(super) struct PowerResource {
    state: PowerState,
    format: DateFormat,
    shadow: bool,
    shadow_bodies: Vec<Body>,
}

impl PowerResource {
    /// GMAT's defaults.
    pub(super) fn new(source: PowerSource) -> Self {
        let state = PowerState { system: PowerSystem::of(source), initial_epoch: PowerSystem::DEFAULT_INITIAL_EPOCH };
        let format = DateFormat { scale: Scale::Utc, gregorian: true };
        PowerResource { state, format, shadow: true, shadow_bodies: vec![Body::Earth] }
    }

    fn is_solar(&self) -> bool {
        matches!(self.state.system.source, PowerSource::Solar(_))
    }

    /// Sets a field.
    pub(super) fn set(&mut self, assignment: &Assignment, notes: &mut Notes) {
        let Assignment { value, path, field, .. } = assignment;
        let solar = self.is_solar();
        if let Some(number) = PowerField::find(field, solar) {
            let Some(set) = notes.number(value, path) else { return };
            if number.set(&mut self.state.system, set).is_err() {
                let help = number.limits().unwrap_or("a number");
                notes.refuse(value.span, format!("`{path}` = {set} is out of range"), help);
            }
            return;
        }
        match field.as_str() {
            "EpochFormat" => self.format = date_format(value, path, notes).unwrap_or(self.format),
            "InitialEpoch" => {
                if let Some(epoch) = epoch(assignment, self.format, "EpochFormat", notes) {
                    self.state.initial_epoch = epoch.mjd(Scale::A1);
                }
            }
            "ShadowModel" if solar => {
                if let Some(word) = notes.word(value, path, ["DualCone", "None"]) {
                    self.shadow = word == "DualCone";
                }
            }
            "ShadowBodies" if solar => self.set_shadow_bodies(assignment, notes),
            _ => {
                let numbers = PowerField::names(solar).map(|(name, _)| name);
                let others = OTHER_FIELDS.into_iter().chain(SOLAR_FIELDS.into_iter().filter(|_| solar));
                notes.unknown_field(assignment, "power system", numbers.chain(others));
            }
        }
    }

    fn set_shadow_bodies(&mut self, assignment: &Assignment, notes: &mut Notes) {
        self.shadow_bodies.clear();
        for item in items(assignment.value) {
            match Body::of_name(&text_of(item)).filter(|body| *body != Body::Sun) {
                Some(body) if self.shadow_bodies.contains(&body) => {}
                Some(body) => self.shadow_bodies.push(body),
                None => {
                    let message = format!("`{}`: `{}` is no body that can hide the Sun", assignment.path, shown(item));
                    let bodies = Body::all().filter(|body| *body != Body::Sun).map(Body::name);
                    notes.refuse(item.span, message, did_you_mean(&text_of(item), bodies));
                }
            }
        }
    }
}

/// Gives a spacecraft its copy of the power system that it names; its place.
pub(super) fn link(
    spacecraft: &SpacecraftResource,
    place: usize,
    resources: &Resources,
    mission: &mut Mission,
    notes: &mut Notes,
) -> Option<usize> {
    let name = spacecraft.power.as_ref()?;
    let Some(Resource::Power(power)) = resources.get(&name.text) else {
        if !resources.is_refused(&name.text) {
            super::hardware::unknown("power system", name, resources, |r| matches!(r, Resource::Power(_)), notes);
        }
        return None;
    };
    let copy = Copy { name: name.text.clone(), spacecraft: place, electric: power.is_solar() };
    let shadow_bodies = if power.shadow { power.shadow_bodies.clone() } else { Vec::new() };
    mission.names.powers.push(PowerCopy { copy, shadow_bodies });
    mission.pristine.powers.push(power.state);
    Some(mission.pristine.powers.len() - 1)
}

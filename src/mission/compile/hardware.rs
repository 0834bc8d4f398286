//! `ChemicalTank`, `ChemicalThruster`, their electric kin, `FiniteBurn`: hardware as a script makes it, and its copies in spacecraft.

use super::burns::AxesResource;
use super::copies::Copies;
use super::notes::Notes;
use super::power;
use super::resources::{Assignment, Resource, Resources};
use super::spacecraft::SpacecraftResource;
use super::values::{items, text_of};
use crate::base::nearest::did_you_mean;
use crate::gmat::tree::Name;
use crate::mission::Mission;
use crate::mission::burn::BurnAxes;
use crate::mission::hardware::{Copy, FiniteBurn, Hardware, TankField, ThrusterField, ThrusterState};
use crate::propulsion::{ChemicalStore, Draw, ElectricEngine, Engine, Tank, ThrustModel, Thruster};

/// A tank under construction.
pub(super) struct TankResource {
    fuel: f64,
    may_be_negative: bool,
    store: Option<ChemicalStore>,
    place: crate::base::problem::Span,
}

impl TankResource {
    /// GMAT's defaults, made at a place.
    pub(super) fn chemical(place: crate::base::problem::Span) -> Self {
        TankResource { fuel: Tank::DEFAULT_FUEL, may_be_negative: false, store: Some(ChemicalStore::default()), place }
    }

    /// The same of an `ElectricTank`.
    pub(super) fn electric(place: crate::base::problem::Span) -> Self {
        TankResource { store: None, ..TankResource::chemical(place) }
    }

    /// Sets a field.
    pub(super) fn set(&mut self, assignment: &Assignment, notes: &mut Notes) {
        let Assignment { value, path, field, .. } = assignment;
        match (field.as_str(), &mut self.store) {
            ("FuelMass", _) => self.fuel = notes.number(value, path).unwrap_or(self.fuel),
            ("AllowNegativeFuelMass", _) => {
                self.may_be_negative = notes.flag(value, path).unwrap_or(self.may_be_negative);
            }
            ("FuelCenterOfMassX" | "FuelCenterOfMassY" | "FuelCenterOfMassZ", _) => notes.without_effect(assignment),
            ("PressureModel", Some(store)) => {
                if let Some(word) = notes.word(value, path, ["PressureRegulated", "BlowDown"]) {
                    store.blow_down = word == "BlowDown";
                }
            }
            (field, Some(store)) if TankField::find(field).is_some() => {
                let Some(number) = notes.number(value, path) else { return };
                match TankField::find(field) {
                    Some(TankField::Pressure) => store.pressure_kpa = number,
                    Some(TankField::Temperature) => store.temperature_c = number,
                    Some(TankField::RefTemperature) => store.reference_temperature_c = number,
                    Some(TankField::Volume) => store.volume_m3 = number,
                    _ => store.density = number,
                }
            }
            (_, store) => {
                let electric = store.is_none();
                let numbers = TankField::NAMES.iter().filter(|entry| entry.1.is_of(electric)).map(|entry| entry.0);
                let others = ["AllowNegativeFuelMass", "PressureModel"].into_iter().take(2 - usize::from(electric));
                notes.unknown_field(assignment, "tank", numbers.chain(others));
            }
        }
    }

    /// The tank, or nothing where its fields do not go together.
    fn build(&self, name: &str, notes: &mut Notes) -> Option<Tank> {
        let tank = match self.store {
            Some(store) => Tank::chemical(self.fuel, self.may_be_negative, store),
            None => Tank::electric(self.fuel, self.may_be_negative),
        };
        match tank {
            Ok(tank) => Some(tank),
            Err(error) => {
                notes.refuse(self.place, format!("`{name}`: {error}"), "see the fields of the tank");
                None
            }
        }
    }
}

/// A thruster under construction.
pub(super) struct ThrusterResource {
    state: ThrusterState,
    axes: AxesResource,
    tanks: Vec<Name>,
    mix: Vec<f64>,
    place: crate::base::problem::Span,
}

impl ThrusterResource {
    /// GMAT's defaults, made at a place.
    pub(super) fn chemical(place: crate::base::problem::Span) -> Self {
        let axes = BurnAxes::Inertial; // until the axes are built
        let state = ThrusterState { thruster: Thruster::default(), direction: [1.0, 0.0, 0.0], axes };
        ThrusterResource { state, axes: AxesResource::default(), tanks: Vec::new(), mix: Vec::new(), place }
    }

    /// The same of an `ElectricThruster`.
    pub(super) fn electric(place: crate::base::problem::Span) -> Self {
        let mut resource = ThrusterResource::chemical(place);
        resource.state.thruster.engine = Engine::Electric(ElectricEngine::default());
        resource
    }

    fn is_electric(&self) -> bool {
        matches!(self.state.thruster.engine, Engine::Electric(_))
    }

    /// Sets a field.
    pub(super) fn set(&mut self, assignment: &Assignment, notes: &mut Notes) {
        let Assignment { value, path, field, .. } = assignment;
        if let Some(number) = ThrusterField::find(field, self.is_electric()) {
            let Some(set) = notes.number(value, path) else { return };
            if number.set(&mut self.state, set).is_err() {
                let help = number.limits().unwrap_or("a number");
                notes.refuse(value.span, format!("`{path}` = {set} is out of range"), help);
            }
            return;
        }
        if let (Engine::Electric(engine), "ThrustModel") = (&mut self.state.thruster.engine, field.as_str()) {
            let word = notes.word(value, path, ThrustModel::NAMES.map(|(name, _)| name));
            let model = ThrustModel::NAMES.iter().find(|entry| word == Some(entry.0));
            engine.model = model.map_or(engine.model, |entry| entry.1);
            return;
        }
        if self.axes.set(assignment, notes) {
            return;
        }
        match field.as_str() {
            "DecrementMass" => {
                let decrement = &mut self.state.thruster.decrement_mass;
                *decrement = notes.flag(value, path).unwrap_or(*decrement);
            }
            "Tank" => {
                self.tanks = items(value).iter().map(|item| Name { text: text_of(item), span: item.span }).collect();
            }
            "MixRatio" => {
                self.mix = items(value).iter().map_while(|item| notes.number(item, path)).collect();
            }
            "HWOriginInBCSX" | "HWOriginInBCSY" | "HWOriginInBCSZ" => notes.without_effect(assignment),
            _ => {
                let electric = self.is_electric();
                let names: Vec<String> = ThrusterField::names(electric).collect();
                let others = ["CoordinateSystem", "Origin", "Axes", "DecrementMass", "Tank", "MixRatio", "ThrustModel"];
                let others = others.into_iter().take(6 + usize::from(electric));
                notes.unknown_field(assignment, "thruster", names.iter().map(String::as_str).chain(others));
            }
        }
    }
}

/// A finite burn under construction.
#[derive(Default)]
pub(super) struct FiniteBurnResource {
    thrusters: Vec<Name>,
}

impl FiniteBurnResource {
    /// Sets a field.
    pub(super) fn set(&mut self, assignment: &Assignment, notes: &mut Notes) {
        match assignment.field.as_str() {
            "Thrusters" => {
                let named = items(assignment.value).iter();
                self.thrusters = named.map(|item| Name { text: text_of(item), span: item.span }).collect();
            }
            "ThrottleLogicAlgorithm" => {
                notes.word(assignment.value, &assignment.path, ["MaxNumberOfThrusters"]);
            }
            _ => notes.unknown_field(assignment, "FiniteBurn", ["Thrusters", "ThrottleLogicAlgorithm"]),
        }
    }
}

/// Gives every spacecraft its copies of the tanks and thrusters that it names; and of those that it gets when it becomes
/// equal to another one: until then such tanks are empty.
pub(super) fn link(resources: &Resources, copies: &Copies, mission: &mut Mission, notes: &mut Notes) {
    let spacecraft = resources.iter().filter_map(|(name, resource)| match resource {
        Resource::Spacecraft(spacecraft) => Some((name, spacecraft)),
        _ => None,
    });
    for (place, (name, spacecraft)) in spacecraft.enumerate() {
        let (tanks, thrusters) = with_copied(name, spacecraft, resources, copies);
        let first_tank = mission.names.tanks.len();
        for (number, name) in tanks.into_iter().enumerate() {
            match resources.get(&name.text) {
                Some(Resource::Tank(tank)) => {
                    let fuel = if number < spacecraft.tanks.len() { tank.fuel } else { 0.0 };
                    if let Some(tank) = (TankResource { fuel, ..*tank }).build(&name.text, notes) {
                        let electric = tank.store().is_none();
                        mission.names.tanks.push(Copy { name: name.text.clone(), spacecraft: place, electric });
                        mission.pristine.tanks.push(tank);
                    }
                }
                Some(Resource::Refused) => {}
                _ => unknown("tank", name, resources, |resource| matches!(resource, Resource::Tank(_)), notes),
            }
        }
        let first_thruster = mission.names.thrusters.len();
        for name in thrusters {
            match resources.get(&name.text) {
                Some(Resource::Thruster(thruster)) => {
                    if let Some(state) = copy_of(thruster, name, (spacecraft, first_tank), resources, mission, notes) {
                        let electric = thruster.is_electric();
                        mission.names.thrusters.push(Copy { name: name.text.clone(), spacecraft: place, electric });
                        mission.pristine.thrusters.push(state);
                    }
                }
                Some(Resource::Refused) => {}
                _ => unknown("thruster", name, resources, |resource| matches!(resource, Resource::Thruster(_)), notes),
            }
        }
        let power = power::link(spacecraft, place, resources, mission, notes);
        mission.hardware.push(Hardware {
            power,
            tanks: first_tank..mission.names.tanks.len(),
            thrusters: first_thruster..mission.names.thrusters.len(),
        });
    }
    for (name, resource) in resources.iter() {
        if let Resource::FiniteBurn(burn) = resource {
            for thruster in &burn.thrusters {
                if !matches!(resources.get(&thruster.text), Some(Resource::Thruster(_) | Resource::Refused)) {
                    let thrusters = |resource: &Resource| matches!(resource, Resource::Thruster(_));
                    unknown("thruster", thruster, resources, thrusters, notes);
                }
            }
            let thrusters = burn.thrusters.iter().map(|thruster| thruster.text.clone()).collect();
            mission.names.finite_burns.push(FiniteBurn { name: name.to_owned(), thrusters });
        }
    }
}

/// The tanks and thrusters of a spacecraft, and behind them those of others that it becomes equal to.
fn with_copied<'r>(
    name: &str,
    spacecraft: &'r SpacecraftResource,
    resources: &'r Resources,
    copies: &Copies,
) -> (Vec<&'r Name>, Vec<&'r Name>) {
    let mut tanks: Vec<&Name> = spacecraft.tanks.iter().collect();
    let mut thrusters: Vec<&Name> = spacecraft.thrusters.iter().collect();
    for source in copies.sources(name) {
        if let Some(Resource::Spacecraft(source)) = resources.get(source) {
            for (all, names) in [(&mut tanks, &source.tanks), (&mut thrusters, &source.thrusters)] {
                for name in names {
                    if all.iter().all(|known| known.text != name.text) {
                        all.push(name);
                    }
                }
            }
        }
    }
    (tanks, thrusters)
}

/// A spacecraft's copy of a thruster, with its tanks among those of the spacecraft.
fn copy_of(
    thruster: &ThrusterResource,
    name: &Name,
    (spacecraft, first_tank): (&SpacecraftResource, usize),
    resources: &Resources,
    mission: &Mission,
    notes: &mut Notes,
) -> Option<ThrusterState> {
    let axes = thruster.axes.build(&mission.names.systems, |name| resources.get(name).is_some(), notes)?;
    if let BurnAxes::System(system) = axes
        && mission.names.systems[system].moves_with_spacecraft()
    {
        let name = &mission.names.systems[system].name;
        let message = format!("`{name}` moves with spacecraft: no thruster can point along it");
        notes.refuse(thruster.place, message, "supported: Local axes, coordinate systems of bodies");
        return None;
    }
    if let (BurnAxes::Spacecraft, Some(field)) = (axes, &spacecraft.turned) {
        refuse_body_axes(name, field, notes);
        return None;
    }
    if let Engine::Electric(engine) = &thruster.state.thruster.engine
        && engine.min_power_kw >= engine.max_power_kw
    {
        let message = format!("MinimumUsablePower of `{}` is not below its MaximumUsablePower", name.text);
        notes.refuse(thruster.place, message, format!("{} and {} kW", engine.min_power_kw, engine.max_power_kw));
        return None;
    }
    let own = &mission.names.tanks[first_tank..];
    let mut parts = Vec::new();
    for (number, name) in thruster.tanks.iter().enumerate() {
        if resources.is_refused(&name.text) {
            return None;
        }
        let Some(tank) = own.iter().position(|copy| copy.name == name.text) else {
            let message = format!("the spacecraft of the thruster has no tank `{}`", name.text);
            notes.refuse(name.span, message, format!("as in Sat.Tanks = {{{}}}", name.text));
            return None;
        };
        if own[tank].electric != thruster.is_electric() {
            let draws = if thruster.is_electric() { "an ElectricThruster" } else { "a ChemicalThruster" };
            let message = format!("{draws} cannot draw on the tank `{}`", name.text);
            let help = "an ElectricTank for an ElectricThruster, a ChemicalTank for a ChemicalThruster";
            notes.refuse(name.span, message, help);
            return None;
        }
        parts.push((tank as u8, thruster.mix.get(number).copied().unwrap_or(1.0)));
    }
    let draw = Draw::mixed(&parts);
    if draw.is_none() {
        let message =
            if parts.is_empty() { "the thruster has no tank" } else { "the thruster's tanks do not go together" };
        notes.refuse(thruster.place, message, "Tank = {...} with 1 to 8 tanks, MixRatio above 0");
    }
    Some(ThrusterState { thruster: Thruster { draw: Some(draw?), ..thruster.state.thruster }, axes, ..thruster.state })
}

/// Tells that the axes of a spacecraft are not known; `field` turns it.
pub(super) fn refuse_body_axes(place: &Name, field: &str, notes: &mut Notes) {
    let message = format!("the axes SpacecraftBody of `{}` are turned by `{field}`", place.text);
    notes.refuse(place.span, message, "supported: the default attitude, that of EarthMJ2000Eq; or other Axes");
}

pub(super) fn unknown(
    kind: &str,
    name: &Name,
    resources: &Resources,
    is: impl Fn(&Resource) -> bool,
    notes: &mut Notes,
) {
    let names: Vec<&str> = resources.iter().filter(|(_, resource)| is(resource)).map(|(name, _)| name).collect();
    let help = if names.is_empty() { "the script makes none".to_owned() } else { did_you_mean(&name.text, names) };
    notes.refuse(name.span, format!("the script has no {kind} `{}`", name.text), help);
}

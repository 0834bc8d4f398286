//! `Propagator`: integrator and step settings, and the force model that it flies.

use super::notes::Notes;
use super::resources::{Assignment, Resource, Resources};
use super::values::text_of;
use crate::astro::constants::EARTH_MU;
use crate::base::nearest::did_you_mean;
use crate::base::problem::Span;
use crate::forces::Force;
use crate::forces::point_mass::PointMass;
use crate::gmat::tree::Name;
use crate::integrators;
use crate::integrators::step_control::StepSettings;
use crate::mission::fields::{PROPAGATOR_WITHOUT_EFFECT, StepField};
use crate::mission::{Dynamics, Mission};

/// A propagator under construction.
pub(super) struct Propagator {
    /// As far as they are set.
    pub(super) steps: StepSettings,
    integrator: &'static str,
    force_model: Option<Name>,
    /// Where it is made.
    place: Span,
    /// Where `MinStep` or `MaxStep` is set last.
    limits_place: Span,
}

impl Propagator {
    /// GMAT's defaults, made at a place.
    pub(super) fn new(place: Span) -> Self {
        let steps = StepSettings::default();
        Propagator { steps, integrator: "RungeKutta89", force_model: None, place, limits_place: place }
    }

    /// Sets a field.
    pub(super) fn set(&mut self, assignment: &Assignment, notes: &mut Notes) {
        let Assignment { target, value, path, field } = assignment;
        if let Some(&step) = StepField::ALL.iter().find(|step| step.name() == field) {
            self.set_step(step, assignment, notes);
            return;
        }
        match field.as_str() {
            "Type" => {
                let names = integrators::REGISTRY.iter().map(|entry| entry.name);
                self.integrator = notes.word(value, path, names).unwrap_or(self.integrator);
                // As in GMAT, a new integrator comes with its defaults.
                if self.steps != StepSettings::default() {
                    notes.ignore(
                        target.span,
                        format_args!("`{path}` sets the step settings above it back to their defaults"),
                    );
                }
                self.steps = StepSettings::default();
            }
            "FM" => self.force_model = Some(Name { text: text_of(value), span: value.span }),
            "StopIfAccuracyIsViolated" => {
                let stop = &mut self.steps.stop_if_accuracy_is_violated;
                *stop = notes.flag(value, path).unwrap_or(*stop);
            }
            field if PROPAGATOR_WITHOUT_EFFECT.contains(&field) => notes.without_effect(assignment),
            _ => {
                let steps = StepField::ALL.iter().map(|field| field.name());
                notes.unknown_field(assignment, "Propagator", steps.chain(["Type", "FM", "StopIfAccuracyIsViolated"]));
            }
        }
    }

    fn set_step(&mut self, step: StepField, assignment: &Assignment, notes: &mut Notes) {
        let Assignment { target, value, path, .. } = assignment;
        let Some(number) = notes.number(value, path) else { return };
        let (allowed, help) = match step {
            StepField::MinStep => (number >= 0.0, "a number of seconds, 0 or more"),
            StepField::MaxStepAttempts => {
                (number.fract() == 0.0 && (1.0..1e9).contains(&number), "a whole number, 1 or more")
            }
            StepField::Accuracy => (number > 0.0, "a number above 0"),
            StepField::InitialStepSize | StepField::MaxStep => (number > 0.0, "a number of seconds above 0"),
        };
        if !allowed {
            notes.refuse(value.span, format!("`{path}` = {number} is out of range"), help);
            return;
        }
        step.set(&mut self.steps, number);
        if matches!(step, StepField::MinStep | StepField::MaxStep) {
            self.limits_place = target.span;
        }
    }

    /// Refuses settings that do not go together.
    fn check(&self, name: &str, notes: &mut Notes) {
        let StepSettings { min_step, max_step, .. } = self.steps;
        if min_step > max_step {
            let message = format!("`{name}.MinStep` = {min_step} is above `{name}.MaxStep` = {max_step}");
            notes.refuse(self.limits_place, message, "MinStep at most MaxStep");
        }
    }
}

/// Gives every propagator its dynamics; propagators of one force model and integrator share them. What a
/// propagator flies by is checked where it is `flown`.
pub(super) fn link(resources: &Resources, flown: &[bool], mission: &mut Mission, notes: &mut Notes) {
    let mut known: Vec<(&str, &str)> = Vec::new();
    let propagators = resources.iter().filter_map(|(name, resource)| match resource {
        Resource::Propagator(propagator) => Some((name, propagator)),
        _ => None,
    });
    for ((name, propagator), &flown) in propagators.zip(flown) {
        propagator.check(name, notes);
        mission.dynamics_of.push(0);
        let Some(force_model) = &propagator.force_model else {
            if flown {
                let message = format!("`{name}` has no FM: GMAT flies it with JGM2 4x4, which is not supported yet");
                let help = format!("supported: {name}.FM = a ForceModel of a point-mass Earth");
                notes.refuse(propagator.place, message, help);
            }
            continue;
        };
        let model = match resources.get(&force_model.text) {
            Some(Resource::ForceModel(model)) => model,
            Some(Resource::Refused) => continue,
            _ => {
                no_force_model(force_model, resources, notes);
                continue;
            }
        };
        if flown {
            model.check(&force_model.text, notes);
        }
        let key = (force_model.text.as_str(), propagator.integrator);
        let place = known.iter().position(|other| *other == key).unwrap_or(known.len());
        if let Some(dynamics_of) = mission.dynamics_of.last_mut() {
            *dynamics_of = place;
        }
        if place == known.len()
            && let Some(tableau) = integrators::find(propagator.integrator)
        {
            known.push(key);
            let forces: Vec<Box<dyn Force>> = vec![Box::new(PointMass::new(EARTH_MU))];
            mission.dynamics.push(Dynamics { tableau, forces, error_control: model.error_control });
        }
    }
}

fn no_force_model(name: &Name, resources: &Resources, notes: &mut Notes) {
    let models: Vec<&str> = resources
        .iter()
        .filter(|(_, resource)| matches!(resource, Resource::ForceModel(_)))
        .map(|(name, _)| name)
        .collect();
    let help = if models.is_empty() { "the script makes none".to_owned() } else { did_you_mean(&name.text, models) };
    notes.refuse(name.span, format!("the script has no ForceModel `{}`", name.text), help);
}

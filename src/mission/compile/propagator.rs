//! `Propagator`: integrator and step settings, and the force model that it flies.

use super::force_model::ForceModel;
use super::notes::Notes;
use super::resources::{Assignment, Resource, Resources};
use super::values::text_of;
use crate::base::nearest::did_you_mean;
use crate::base::problem::Span;
use crate::gmat::tree::Name;
use crate::integrators;
use crate::integrators::step_control::StepSettings;
use crate::mission::fields::StepField;
use crate::mission::{Dynamics, Mission};

/// GMAT's default accuracy of AdamsBashforthMoulton.
const MULTISTEP_ACCURACY: f64 = 1e-10;

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

    /// GMAT's name of its integrator.
    pub(super) fn integrator(&self) -> &'static str {
        self.integrator
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
                if self.integrator == "AdamsBashforthMoulton" {
                    self.steps.accuracy = MULTISTEP_ACCURACY;
                }
            }
            "FM" => self.force_model = Some(Name { text: text_of(value), span: value.span }),
            "StopIfAccuracyIsViolated" => {
                let stop = &mut self.steps.stop_if_accuracy_is_violated;
                *stop = notes.flag(value, path).unwrap_or(*stop);
            }
            "LowerError" => self.steps.lower_error = notes.not_negative(value, path).unwrap_or(self.steps.lower_error),
            "TargetError" => {
                self.steps.target_error = notes.not_negative(value, path).unwrap_or(self.steps.target_error);
            }
            _ => {
                let steps = StepField::ALL.iter().map(|field| field.name());
                notes.unknown_field(
                    assignment,
                    "Propagator",
                    steps.chain(["Type", "FM", "StopIfAccuracyIsViolated", "LowerError", "TargetError"]),
                );
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
        if self.integrator == "AdamsBashforthMoulton" && !self.steps.suits_multistep() {
            let message = format!("`{name}`: AdamsBashforthMoulton needs LowerError < TargetError < Accuracy");
            let StepSettings { lower_error, target_error, accuracy, .. } = self.steps;
            notes.refuse(self.limits_place, message, format!("{lower_error}, {target_error} and {accuracy} are given"));
        }
    }
}

/// Gives every propagator that is flown its dynamics; propagators of one force model and integrator share
/// them. One without a force model flies by GMAT's default one.
pub(super) fn link(resources: &Resources, flown: &[bool], mission: &mut Mission, notes: &mut Notes) {
    let mut known: Vec<(&str, &str)> = Vec::new();
    let propagators = resources.iter().filter_map(|(name, resource)| match resource {
        Resource::Propagator(propagator) => Some((name, propagator)),
        _ => None,
    });
    for ((name, propagator), &flown) in propagators.zip(flown) {
        propagator.check(name, notes);
        mission.dynamics_of.push(0);
        let default = ForceModel::new(propagator.place);
        let (model_name, model) = match &propagator.force_model {
            None => ("", &default),
            Some(model_name) => match resources.get(&model_name.text) {
                Some(Resource::ForceModel(model)) => (model_name.text.as_str(), model),
                Some(Resource::Refused) => continue,
                _ => {
                    no_force_model(model_name, resources, notes);
                    continue;
                }
            },
        };
        if !flown {
            continue;
        }
        let key = (model_name, propagator.integrator);
        let place = known.iter().position(|other| *other == key).unwrap_or(known.len());
        if let Some(dynamics_of) = mission.dynamics_of.last_mut() {
            *dynamics_of = place;
        }
        if place == known.len()
            && let Some(method) = integrators::find(propagator.integrator)
        {
            let built = model.build(if model_name.is_empty() { name } else { model_name }, &resources.bodies, notes);
            let Some(forces) = built else { continue };
            known.push(key);
            mission.dynamics.push(Dynamics { method, model: forces, error_control: model.error_control });
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

//! From a script's syntax tree to a mission, or to all that stands in the way.
//!
//! Every object, field, value and command is either supported, or has no effect on the numbers and is
//! ignored with a line in the log, or is refused by name with its place. Nothing is skipped in silence.

use std::collections::BTreeMap;

use super::fields::{
    CARTESIAN, GUI_COMMANDS, GUI_RESOURCES, IMPULSIVE_BURN, INERT, KEPLERIAN, PROPAGATOR_WITHOUT_EFFECT,
    REPORT_WITHOUT_EFFECT, SPACECRAFT_WITHOUT_EFFECT, StepField,
};
use super::{
    Command, DateFormat, Dynamics, Mission, Objects, Operand, Report, Source, Spacecraft, StateInput, columns,
};
use crate::astro::constants::{DAY, EARTH_MU};
use crate::astro::epoch::{Epoch, SCALES, Scale};
use crate::base::nearest::did_you_mean;
use crate::base::problem::{Problem, Problems, Span};
use crate::forces::point_mass::PointMass;
use crate::gmat::tree::{
    Expression, ExpressionKind, Name, Propagate, Reference, Script, Statement, StatementKind, UnaryOperator,
};
use crate::integrators;
use crate::integrators::step_control::{ErrorControl, StepSettings};

/// The resources that are supported.
const RESOURCES: &[&str] = &["Spacecraft", "ForceModel", "Propagator", "ReportFile", "Variable", "ImpulsiveBurn"];

/// The commands that are supported.
const COMMANDS: &str = "Propagate to ElapsedSecs or ElapsedDays";

/// The potential files whose gravitational parameter is the Earth's default, so that degree 0 needs no file.
const EARTH_POTENTIALS: &[&str] = &["JGM2.cof", "JGM3.cof", "EGM96.cof", "JGM2", "JGM3", "EGM96"];

/// GMAT's default epoch: TAI modified Julian date 21545.
const DEFAULT_TAI_MJD: f64 = 21_545.0;

/// Compiles a script; `file` and `text` are for the messages.
pub fn compile(file: &str, text: &str, script: &Script) -> Result<Mission, Problems> {
    let mut compiler =
        Compiler { file, text, problems: Vec::new(), objects: BTreeMap::new(), ignored: Vec::new(), order: Vec::new() };
    for statement in &script.resources {
        compiler.resource(statement);
    }
    let mission = compiler.link(&script.mission);
    match mission {
        Some(mission) if compiler.problems.is_empty() => Ok(mission),
        _ => {
            compiler.problems.sort_by_key(|problem| problem.span);
            Err(Problems(compiler.problems))
        }
    }
}

struct Compiler<'a> {
    file: &'a str,
    text: &'a str,
    problems: Vec<Problem>,
    objects: BTreeMap<String, Object>,
    order: Vec<String>,
    ignored: Vec<String>,
}

/// An object under construction.
enum Object {
    Spacecraft(Box<Spacecraft>),
    ForceModel(ForceModel),
    Propagator(Propagator),
    Report(ReportFile),
    Variable(f64),
    Burn,
    /// Of the graphical interface.
    Gui,
    /// Refused where it was made: its fields are not complained about again.
    Refused,
}

struct ForceModel {
    primary: bool,
    degree: f64,
    order: f64,
    point_mass: bool,
    error_control: ErrorControl,
    place: Span,
}

struct Propagator {
    steps: StepSettings,
    integrator: &'static str,
    force_model: Option<Name>,
    place: Span,
}

struct ReportFile {
    columns: Vec<Name>,
    written: bool,
}

impl Compiler<'_> {
    fn refuse(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(Problem::at(self.file, self.text, span, message).help(help));
    }

    fn resource(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Create { kind, objects } => {
                for object in objects {
                    self.create(kind, &object.name);
                }
            }
            StatementKind::Assign { target, value } => self.assign(target, value),
            StatementKind::Include { path } => {
                let message = format!("#Include '{}' is not supported yet", path.text);
                self.refuse(statement.span, message, "put the file's lines into the script");
            }
            _ => self.refuse(
                statement.span,
                "this stands before BeginMissionSequence",
                "Create and assignments of literals",
            ),
        }
    }

    fn create(&mut self, kind: &Name, name: &Name) {
        if self.objects.contains_key(&name.text) {
            self.ignored
                .push(format!("line {}: `{}` is made a second time: the first one counts", name.span.line, name.text));
            return;
        }
        let object = match kind.text.as_str() {
            "Spacecraft" => Object::Spacecraft(Box::new(default_spacecraft())),
            "ForceModel" => Object::ForceModel(ForceModel {
                primary: true,
                degree: 4.0,
                order: 4.0,
                point_mass: false,
                error_control: ErrorControl::RssStep,
                place: name.span,
            }),
            "Propagator" => Object::Propagator(Propagator {
                steps: StepSettings::default(),
                integrator: "RungeKutta89",
                force_model: None,
                place: name.span,
            }),
            "ReportFile" => Object::Report(ReportFile { columns: Vec::new(), written: true }),
            "Variable" => Object::Variable(0.0),
            "ImpulsiveBurn" => Object::Burn,
            gui if GUI_RESOURCES.contains(&gui) => {
                self.ignored.push(format!("line {}: {gui} `{}` (graphical interface)", name.span.line, name.text));
                Object::Gui
            }
            other => {
                let help = format!("supported: {}", RESOURCES.join(", "));
                self.refuse(kind.span, format!("resource `{other}` ({}) is not supported", name.text), help);
                Object::Refused
            }
        };
        self.order.push(name.text.clone());
        self.objects.insert(name.text.clone(), object);
    }

    fn assign(&mut self, target: &Reference, value: &Expression) {
        let owner = target.parts[0].text.clone();
        let field = target.parts[1..].iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(".");
        if owner == "SolarSystem" {
            self.ignored
                .push(format!("line {}: SolarSystem.{field} (no supported force uses an ephemeris)", target.span.line));
            return;
        }
        let Some(mut object) = self.objects.remove(&owner) else {
            let names: Vec<&str> = self.objects.keys().map(String::as_str).collect();
            let help =
                if names.is_empty() { "objects are made by Create".to_owned() } else { did_you_mean(&owner, names) };
            self.refuse(target.parts[0].span, format!("the script has no object `{owner}`"), help);
            return;
        };
        match &mut object {
            Object::Spacecraft(spacecraft) => self.spacecraft(spacecraft, target, &field, value),
            Object::ForceModel(model) => self.force_model(model, target, &field, value),
            Object::Propagator(propagator) => self.propagator(propagator, target, &field, value),
            Object::Report(report) => self.report(report, target, &field, value),
            Object::Variable(variable) => {
                if matches!(field.as_str(), "" | "Value") {
                    if let Some(number) = self.number(value, &owner) {
                        *variable = number;
                    }
                } else {
                    self.refuse(
                        target.span,
                        format!("`{}`: a Variable has no field `{field}`", target.path()),
                        "supported: Value",
                    );
                }
            }
            Object::Burn => {
                if !IMPULSIVE_BURN.contains(&field.as_str()) {
                    self.unknown_field(target, "ImpulsiveBurn", &field, IMPULSIVE_BURN.iter().copied());
                }
            }
            Object::Gui | Object::Refused => {}
        }
        self.objects.insert(owner, object);
    }

    fn unknown_field<'n>(&mut self, target: &Reference, kind: &str, field: &str, known: impl Iterator<Item = &'n str>) {
        let message = format!("field `{field}` of {kind} `{}` is not supported", target.parts[0].text);
        self.refuse(target.span, message, did_you_mean(field, known));
    }

    fn spacecraft(&mut self, spacecraft: &mut Spacecraft, target: &Reference, field: &str, value: &Expression) {
        if let Some(element) = KEPLERIAN.iter().position(|f| f.name == field) {
            if let Some(number) = self.number(value, &target.path()) {
                spacecraft.state.set_keplerian(element, number);
            }
            return;
        }
        if let Some(component) = CARTESIAN.iter().position(|f| f.name == field) {
            if let Some(number) = self.number(value, &target.path()) {
                spacecraft.state.set_cartesian(component, number);
            }
            return;
        }
        match field {
            "DateFormat" => {
                let formats = date_formats();
                if let Some(word) = self.word(value, &target.path(), formats.iter().map(|(name, _)| name.as_str())) {
                    spacecraft.date_format =
                        formats.iter().find(|(name, _)| *name == word).map_or(spacecraft.date_format, |f| f.1);
                }
            }
            "Epoch" => self.epoch(spacecraft, target, value),
            "CoordinateSystem" => {
                self.word(value, &target.path(), [columns::COORDINATE_SYSTEM]);
            }
            "DisplayStateType" | "StateType" => {
                self.word(value, &target.path(), ["Cartesian", "Keplerian"]);
            }
            "AnomalyType" | "DisplayAnomalyType" | "Anomaly" => {
                self.word(value, &target.path(), ["TA"]);
            }
            "DryMass" => {
                if let Some(mass) = self.number(value, &target.path()) {
                    spacecraft.dry_mass = mass;
                }
            }
            _ if INERT.iter().any(|f| f.name == field) => {
                self.number(value, &target.path());
            }
            _ if SPACECRAFT_WITHOUT_EFFECT.contains(&field) => self.without_effect(target),
            _ => {
                let known = KEPLERIAN.iter().chain(CARTESIAN).chain(INERT).map(|f| f.name);
                let others = ["DateFormat", "Epoch", "CoordinateSystem", "DisplayStateType", "DryMass"];
                self.unknown_field(target, "Spacecraft", field, known.chain(others));
            }
        }
    }

    fn epoch(&mut self, spacecraft: &mut Spacecraft, target: &Reference, value: &Expression) {
        let text = text_of(value);
        let scale = spacecraft.date_format.scale;
        let epoch = if spacecraft.date_format.gregorian {
            Epoch::from_gregorian(scale, &text)
        } else {
            match text.trim().parse::<f64>() {
                Ok(mjd) => Epoch::from_mjd(scale, mjd),
                Err(_) => {
                    let help = "DateFormat says ModJulian: a number of days, JD - 2430000; set DateFormat before Epoch for a calendar date";
                    self.refuse(value.span, format!("`{}` = '{text}' is no number", target.path()), help);
                    return;
                }
            }
        };
        match epoch {
            Ok(epoch) => spacecraft.epoch = epoch,
            Err(error) => {
                let name =
                    date_formats().into_iter().find(|f| f.1 == spacecraft.date_format).map_or(String::new(), |f| f.0);
                self.refuse(
                    value.span,
                    format!("`{}` = '{text}': {error}", target.path()),
                    format!("DateFormat is {name}"),
                );
            }
        }
    }

    fn force_model(&mut self, model: &mut ForceModel, target: &Reference, field: &str, value: &Expression) {
        let path = target.path();
        match field {
            "CentralBody" => {
                self.word(value, &path, [columns::ORIGIN]);
            }
            "PrimaryBodies" => model.primary = self.bodies(value, &path),
            "PointMasses" => model.point_mass = self.bodies(value, &path),
            "GravityField.Earth.Degree" | "GravityField.Earth.Order" => {
                if let Some(number) = self.number(value, &path) {
                    if number == 0.0 {
                        if field.ends_with("Degree") { model.degree = 0.0 } else { model.order = 0.0 }
                    } else {
                        self.refuse(
                            value.span,
                            format!("`{path}` = {number} is not supported yet"),
                            "supported: 0, a point mass",
                        );
                    }
                    // told here: not again where the model is used
                    if field.ends_with("Degree") { model.degree = 0.0 } else { model.order = 0.0 }
                }
            }
            "GravityField.Earth.PotentialFile" | "GravityField.Earth.Model" => {
                let file = text_of(value);
                let name = file.rsplit(['/', '\\']).next().unwrap_or("");
                if !EARTH_POTENTIALS.contains(&name) {
                    let help = format!("supported at degree 0: {}", EARTH_POTENTIALS.join(", "));
                    self.refuse(
                        value.span,
                        format!("`{path}` = '{file}': its gravitational parameter is not known"),
                        help,
                    );
                }
            }
            "GravityField.Earth.TideModel" | "GravityField.Earth.EarthTideModel" => {
                self.word(value, &path, ["None"]);
            }
            "GravityField.Earth.StmLimit" | "GravityField.Earth.TideFile" => self.without_effect(target),
            "Drag" | "Drag.AtmosphereModel" => {
                self.word(value, &path, ["None"]);
            }
            "SRP" | "RelativisticCorrection" => {
                self.word(value, &path, ["Off"]);
            }
            "ErrorControl" => {
                self.word(value, &path, ["RSSStep"]);
            }
            _ if field.starts_with("Drag.") || field.starts_with("SRP.") => self.without_effect(target),
            _ => {
                let known = [
                    "CentralBody",
                    "PrimaryBodies",
                    "PointMasses",
                    "GravityField.Earth.Degree",
                    "GravityField.Earth.Order",
                    "GravityField.Earth.PotentialFile",
                    "Drag",
                    "Drag.AtmosphereModel",
                    "SRP",
                    "RelativisticCorrection",
                    "ErrorControl",
                ];
                self.unknown_field(target, "ForceModel", field, known.into_iter());
            }
        }
    }

    /// Whether a list of bodies holds the Earth; every other body is refused.
    fn bodies(&mut self, value: &Expression, path: &str) -> bool {
        let mut earth = false;
        for item in items(value) {
            let body = text_of(item);
            if body == columns::ORIGIN {
                earth = true;
            } else {
                self.refuse(item.span, format!("`{path}`: body `{body}` is not supported yet"), "supported: Earth");
                earth = true; // told here: not again as a model without gravity
            }
        }
        earth
    }

    fn propagator(&mut self, propagator: &mut Propagator, target: &Reference, field: &str, value: &Expression) {
        let path = target.path();
        if let Some(step) = StepField::ALL.iter().find(|f| f.name() == field) {
            if let Some(number) = self.number(value, &path) {
                let mut steps = propagator.steps;
                step.set(&mut steps, number);
                let whole =
                    *step != StepField::MaxStepAttempts || (number.fract() == 0.0 && (1.0..1e9).contains(&number));
                let limit = if *step == StepField::MinStep { number >= 0.0 } else { number > 0.0 };
                if whole && limit {
                    propagator.steps = steps;
                } else {
                    let help = match step {
                        StepField::MinStep => "a number of seconds, 0 or more",
                        StepField::MaxStepAttempts => "a whole number, 1 or more",
                        _ => "a number above 0",
                    };
                    self.refuse(value.span, format!("`{path}` = {number} is out of range"), help);
                }
            }
            return;
        }
        match field {
            "Type" => {
                let names = integrators::REGISTRY.iter().map(|entry| entry.name);
                if let Some(word) = self.word(value, &path, names) {
                    propagator.integrator =
                        integrators::REGISTRY.iter().find(|e| e.name == word).map_or("", |e| e.name);
                }
                // as in GMAT, a new integrator comes with its defaults: what was set before is gone
                if propagator.steps != StepSettings::default() {
                    let line = target.span.line;
                    self.ignored
                        .push(format!("line {line}: `{path}` sets the step settings above it back to their defaults"));
                }
                propagator.steps = StepSettings::default();
            }
            "FM" => {
                propagator.force_model = Some(Name { text: text_of(value), span: value.span });
            }
            "StopIfAccuracyIsViolated" => {
                if let Some(flag) = self.flag(value, &path) {
                    propagator.steps.stop_if_accuracy_is_violated = flag;
                }
            }
            _ if PROPAGATOR_WITHOUT_EFFECT.contains(&field) => self.without_effect(target),
            _ => {
                let known = StepField::ALL.iter().map(|f| f.name());
                self.unknown_field(
                    target,
                    "Propagator",
                    field,
                    known.chain(["Type", "FM", "StopIfAccuracyIsViolated"]),
                );
            }
        }
    }

    fn report(&mut self, report: &mut ReportFile, target: &Reference, field: &str, value: &Expression) {
        match field {
            "Add" => {
                for item in items(value) {
                    let text = text_of(item);
                    if report.columns.iter().any(|column| column.text == text) {
                        self.ignored.push(format!(
                            "line {}: `{text}` stands twice in {}",
                            item.span.line,
                            target.path()
                        ));
                    } else {
                        report.columns.push(Name { text, span: item.span });
                    }
                }
            }
            "WriteReport" => {
                if let Some(flag) = self.flag(value, &target.path()) {
                    report.written = flag;
                }
            }
            _ if REPORT_WITHOUT_EFFECT.contains(&field) => {}
            _ => self.unknown_field(
                target,
                "ReportFile",
                field,
                REPORT_WITHOUT_EFFECT.iter().copied().chain(["Add", "WriteReport"]),
            ),
        }
    }

    fn without_effect(&mut self, target: &Reference) {
        self.ignored.push(format!("line {}: `{}` has no effect here", target.span.line, target.path()));
    }

    /// A finite number, perhaps in quotes.
    fn number(&mut self, value: &Expression, path: &str) -> Option<f64> {
        let number = match &value.kind {
            ExpressionKind::Unary(UnaryOperator::Minus, inner) => match inner.kind {
                ExpressionKind::Number(number) => Some(-number),
                _ => None,
            },
            ExpressionKind::Unary(UnaryOperator::Plus, inner) => match inner.kind {
                ExpressionKind::Number(number) => Some(number),
                _ => None,
            },
            ExpressionKind::Number(number) => Some(*number),
            ExpressionKind::Text(text) => text.trim().parse().ok(),
            _ => None,
        };
        let number = number.filter(|number| number.is_finite());
        if number.is_none() {
            self.refuse(
                value.span,
                format!("`{path}` = `{}` is no number", text_of(value)),
                "a finite number, such as 7000 or 1e-9",
            );
        }
        number
    }

    /// One of the supported words.
    fn word<'n>(
        &mut self,
        value: &Expression,
        path: &str,
        supported: impl IntoIterator<Item = &'n str>,
    ) -> Option<String> {
        let word = text_of(value);
        let supported: Vec<&str> = supported.into_iter().collect();
        if supported.contains(&word.as_str()) {
            return Some(word);
        }
        self.refuse(
            value.span,
            format!("`{path}` = `{word}` is not supported"),
            format!("supported: {}", supported.join(", ")),
        );
        None
    }

    /// true, false, On, Off in any case.
    fn flag(&mut self, value: &Expression, path: &str) -> Option<bool> {
        match text_of(value).to_ascii_lowercase().as_str() {
            "true" | "on" => Some(true),
            "false" | "off" => Some(false),
            word => {
                self.refuse(value.span, format!("`{path}` = `{word}` is no switch"), "supported: true, false, On, Off");
                None
            }
        }
    }

    /// Resolves names between objects and compiles the mission sequence.
    fn link(&mut self, commands: &[Statement]) -> Option<Mission> {
        let objects = std::mem::take(&mut self.objects);
        let order = std::mem::take(&mut self.order);
        let mut mission = Mission {
            pristine: Objects::default(),
            spacecraft: Vec::new(),
            propagators: Vec::new(),
            variables: Vec::new(),
            dynamics_of: Vec::new(),
            dynamics: Vec::new(),
            program: Vec::new(),
            reports: Vec::new(),
            ignored: Vec::new(),
        };
        for name in &order {
            match &objects[name] {
                Object::Spacecraft(spacecraft) => {
                    mission.spacecraft.push(name.clone());
                    mission.pristine.spacecraft.push(**spacecraft);
                }
                Object::Variable(value) => {
                    mission.variables.push(name.clone());
                    mission.pristine.variables.push(*value);
                }
                Object::Propagator(propagator) => {
                    mission.propagators.push(name.clone());
                    mission.pristine.steps.push(propagator.steps);
                    mission.dynamics_of.push(mission.dynamics.len());
                    if propagator.steps.min_step > propagator.steps.max_step {
                        self.refuse(
                            propagator.place,
                            format!("`{name}`: MinStep is above MaxStep"),
                            "MinStep at most MaxStep",
                        );
                    }
                }
                _ => {}
            }
        }
        let mut used = vec![false; mission.propagators.len()];
        self.commands(commands, &objects, &mut mission, &mut used);
        self.dynamics(&objects, &order, &mut mission, &used);
        for name in &order {
            if let Object::Report(report) = &objects[name] {
                self.link_report(name, report, &mut mission);
            }
        }
        mission.ignored = std::mem::take(&mut self.ignored);
        Some(mission)
    }

    fn dynamics(&mut self, objects: &BTreeMap<String, Object>, order: &[String], mission: &mut Mission, used: &[bool]) {
        let mut known: Vec<(String, &str)> = Vec::new();
        let propagators = order.iter().filter_map(|name| match &objects[name] {
            Object::Propagator(propagator) => Some((name, propagator)),
            _ => None,
        });
        for (index, (name, propagator)) in propagators.enumerate() {
            let Some(force_model) = &propagator.force_model else {
                if used[index] {
                    let message =
                        format!("`{name}` has no FM: GMAT would fly it with JGM2 4x4, which is not supported yet");
                    self.refuse(
                        propagator.place,
                        message,
                        format!("supported: {name}.FM = a ForceModel of a point-mass Earth"),
                    );
                }
                continue;
            };
            let model = match objects.get(&force_model.text) {
                Some(Object::ForceModel(model)) => model,
                Some(Object::Refused) => continue,
                _ => {
                    let models = objects
                        .iter()
                        .filter(|(_, o)| matches!(o, Object::ForceModel(_)))
                        .map(|(name, _)| name.as_str());
                    let help = did_you_mean(&force_model.text, models);
                    self.refuse(force_model.span, format!("the script has no ForceModel `{}`", force_model.text), help);
                    continue;
                }
            };
            if used[index] {
                self.check_model(&force_model.text, model);
            }
            let key = (force_model.text.clone(), propagator.integrator);
            mission.dynamics_of[index] = known.iter().position(|k| *k == key).unwrap_or(known.len());
            if mission.dynamics_of[index] == known.len() {
                known.push(key);
                if let Some(tableau) = integrators::find(propagator.integrator) {
                    let forces: Vec<Box<dyn crate::forces::Force>> = vec![Box::new(PointMass::new(EARTH_MU))];
                    mission.dynamics.push(Dynamics { tableau, forces, error_control: model.error_control });
                }
            }
        }
    }

    fn check_model(&mut self, name: &str, model: &ForceModel) {
        if model.primary && (model.degree, model.order) != (0.0, 0.0) {
            let message = format!("`{name}` has GMAT's default gravity field JGM2 4x4, which is not supported yet");
            let help =
                format!("supported: {name}.GravityField.Earth.Degree = 0 and {name}.GravityField.Earth.Order = 0");
            self.refuse(model.place, message, help);
        }
        match (model.primary, model.point_mass) {
            (true, true) => {
                self.refuse(
                    model.place,
                    format!("`{name}` has the Earth twice"),
                    "PrimaryBodies or PointMasses, not both",
                );
            }
            (false, false) => {
                let help = format!("{name}.PrimaryBodies = {{Earth}} or {name}.PointMasses = {{Earth}}");
                self.refuse(model.place, format!("`{name}` has no gravity"), help);
            }
            _ => {}
        }
    }

    fn link_report(&mut self, name: &str, report: &ReportFile, mission: &mut Mission) {
        if !report.written {
            self.ignored.push(format!("ReportFile `{name}`: WriteReport is off, no rows are kept"));
            return;
        }
        let mut linked = Vec::new();
        for column in &report.columns {
            match columns::resolve(&mission.spacecraft, &mission.variables, &column.text) {
                Ok(column) => linked.push(column),
                Err(error) => self.refuse(column.span, error.message, error.help),
            }
        }
        if !linked.is_empty() {
            mission.reports.push(Report { name: name.to_owned(), columns: linked });
        }
    }

    fn commands(
        &mut self,
        commands: &[Statement],
        objects: &BTreeMap<String, Object>,
        mission: &mut Mission,
        used: &mut [bool],
    ) {
        for statement in commands {
            match &statement.kind {
                StatementKind::Propagate(propagate) => {
                    if let Some(command) = self.propagate(statement, propagate, objects, mission, used) {
                        mission.program.push(command);
                    }
                }
                StatementKind::Block(body) => self.commands(body, objects, mission, used),
                StatementKind::Other { keyword, .. } if GUI_COMMANDS.contains(&keyword.text.as_str()) => {
                    self.ignored.push(format!("line {}: {} (graphical interface)", keyword.span.line, keyword.text));
                }
                StatementKind::Toggle { subscribers, .. }
                    if subscribers.iter().all(|name| matches!(objects.get(&name.text), Some(Object::Gui))) =>
                {
                    self.ignored.push(format!("line {}: Toggle (graphical interface)", statement.span.line));
                }
                other => {
                    let message = format!("command `{}` is not supported yet", keyword(other));
                    self.refuse(statement.span, message, format!("supported: {COMMANDS}"));
                }
            }
        }
    }

    fn propagate(
        &mut self,
        statement: &Statement,
        propagate: &Propagate,
        objects: &BTreeMap<String, Object>,
        mission: &Mission,
        used: &mut [bool],
    ) -> Option<Command> {
        let before = self.problems.len();
        if propagate.synchronized {
            self.refuse(statement.span, "`Synchronized` is not supported yet", "one propagator with one spacecraft");
        }
        if propagate.back_prop || propagate.propagators.iter().any(|call| call.backwards) {
            self.refuse(statement.span, "backwards propagation is not supported yet", "forwards, to a time above 0");
        }
        let [call] = &propagate.propagators[..] else {
            self.refuse(
                statement.span,
                "several propagators in one Propagate are not supported yet",
                "one propagator with one spacecraft",
            );
            return None;
        };
        let propagator = self.name(&call.propagator, "Propagator", &mission.propagators, objects);
        let spacecraft = if let [spacecraft] = &call.spacecraft[..] {
            self.name(spacecraft, "Spacecraft", &mission.spacecraft, objects)
        } else {
            self.refuse(
                call.propagator.span,
                "several spacecraft in one Propagate are not supported yet",
                "one spacecraft",
            );
            None
        };
        if let Some(propagator) = propagator {
            used[propagator] = true;
        }
        for option in &propagate.options {
            if !["OrbitColor", "StopTolerance"].contains(&option.name.text.as_str()) {
                let message = format!("option `{}` of Propagate is not supported", option.name.text);
                self.refuse(option.name.span, message, "supported: StopTolerance, OrbitColor");
            }
        }
        let [condition] = &propagate.conditions[..] else {
            let message =
                if propagate.conditions.is_empty() { "a single step (no condition)" } else { "several conditions" };
            self.refuse(
                statement.span,
                format!("Propagate with {message} is not supported yet"),
                format!("supported: {COMMANDS}"),
            );
            return None;
        };
        let parts: Vec<&str> = condition.parameter.parts.iter().map(|part| part.text.as_str()).collect();
        let unit = match parts[..] {
            [_, "ElapsedSecs"] => Some(1.0),
            [_, "ElapsedDays"] => Some(DAY),
            _ => None,
        };
        if unit.is_none() {
            let path = condition.parameter.path();
            self.refuse(
                condition.parameter.span,
                format!("stop condition `{path}` is not supported yet"),
                format!("supported: {COMMANDS}"),
            );
        } else if spacecraft.is_some_and(|index| mission.spacecraft[index] != parts[0]) {
            let help = format!("supported: {}.{}", mission.spacecraft[spacecraft.unwrap_or(0)], parts[1]);
            self.refuse(
                condition.parameter.span,
                format!("`{}` is not a time of the spacecraft that is flown", condition.parameter.path()),
                help,
            );
        }
        let duration = match &condition.value {
            Some(value) => self.duration(value, mission),
            None => {
                self.refuse(
                    condition.parameter.span,
                    "this condition needs a value",
                    "written as {Sat.ElapsedSecs = 60}",
                );
                None
            }
        };
        if self.problems.len() > before {
            return None;
        }
        Some(Command::Propagate { propagator: propagator?, spacecraft: spacecraft?, duration: duration?, unit: unit? })
    }

    fn duration(&mut self, value: &Expression, mission: &Mission) -> Option<Operand> {
        if let ExpressionKind::Reference(reference) = &value.kind {
            let path = reference.path();
            return match columns::resolve(&mission.spacecraft, &mission.variables, &path).map(|column| column.source) {
                Ok(Source::Variable(variable)) => Some(Operand::Variable(variable)),
                _ => {
                    let help = did_you_mean(&path, mission.variables.iter().map(String::as_str));
                    self.refuse(
                        value.span,
                        format!("`{path}` is no Variable of the script"),
                        format!("a number or a Variable; {help}"),
                    );
                    None
                }
            };
        }
        let number = self.number(value, "the condition's value")?;
        if number < 0.0 {
            self.refuse(value.span, format!("`{number}` lies behind: it is never met forwards"), "0 or more");
            return None;
        }
        Some(Operand::Number(number))
    }

    fn name(&mut self, name: &Name, kind: &str, names: &[String], objects: &BTreeMap<String, Object>) -> Option<usize> {
        let index = names.iter().position(|known| *known == name.text);
        if index.is_none() && !matches!(objects.get(&name.text), Some(Object::Refused)) {
            let help = if names.is_empty() {
                format!("the script makes no {kind}")
            } else {
                did_you_mean(&name.text, names.iter().map(String::as_str))
            };
            self.refuse(name.span, format!("the script has no {kind} `{}`", name.text), help);
        }
        index
    }
}

fn default_spacecraft() -> Spacecraft {
    let tai = DateFormat { scale: Scale::Tai, gregorian: false };
    // The literal date is inside the span that from_mjd accepts.
    let epoch = Epoch::from_mjd(Scale::Tai, DEFAULT_TAI_MJD).unwrap_or_else(|_| unreachable!("J2000 is an epoch"));
    Spacecraft {
        date_format: tai,
        epoch,
        state: StateInput::Cartesian([7100.0, 0.0, 1300.0, 0.0, 7.35, 1.0]),
        dry_mass: 850.0,
    }
}

fn date_formats() -> Vec<(String, DateFormat)> {
    [(true, "Gregorian"), (false, "ModJulian")]
        .into_iter()
        .flat_map(|(gregorian, format)| {
            SCALES.iter().map(move |&(scale, name)| (format!("{name}{format}"), DateFormat { scale, gregorian }))
        })
        .collect()
}

/// The text of a literal as it was written, without quotes.
fn text_of(value: &Expression) -> String {
    match &value.kind {
        ExpressionKind::Number(number) => number.to_string(),
        ExpressionKind::Text(text) | ExpressionKind::Raw(text) => text.clone(),
        ExpressionKind::Reference(reference) => reference.path(),
        ExpressionKind::List(items) => format!("{{{}}}", items.iter().map(text_of).collect::<Vec<_>>().join(", ")),
        ExpressionKind::Unary(UnaryOperator::Minus, inner) => format!("-{}", text_of(inner)),
        _ => "a formula".to_owned(),
    }
}

/// The items of a list, or a single value as the one item.
fn items(value: &Expression) -> &[Expression] {
    match &value.kind {
        ExpressionKind::List(items) => items,
        _ => std::slice::from_ref(value),
    }
}

/// A command's keyword, for messages.
fn keyword(kind: &StatementKind) -> &str {
    use crate::gmat::tree::{BurnAction, SolveAction};
    match kind {
        StatementKind::Create { .. } => "Create",
        StatementKind::Assign { .. } => "assignment",
        StatementKind::CallFunction { .. } => "call of a function",
        StatementKind::Include { .. } => "#Include",
        StatementKind::Propagate(_) => "Propagate",
        StatementKind::Burn { action: BurnAction::Maneuver, .. } => "Maneuver",
        StatementKind::Burn { action: BurnAction::Begin, .. } => "BeginFiniteBurn",
        StatementKind::Burn { action: BurnAction::End, .. } => "EndFiniteBurn",
        StatementKind::Report { .. } => "Report",
        StatementKind::Toggle { .. } => "Toggle",
        StatementKind::If { .. } => "If",
        StatementKind::While { .. } => "While",
        StatementKind::For { .. } => "For",
        StatementKind::Solve { action: SolveAction::Target, .. } => "Target",
        StatementKind::Solve { action: SolveAction::Optimize, .. } => "Optimize",
        StatementKind::Vary { .. } => "Vary",
        StatementKind::Achieve { .. } => "Achieve",
        StatementKind::Minimize { .. } => "Minimize",
        StatementKind::NonlinearConstraint { .. } => "NonlinearConstraint",
        StatementKind::Block(_) => "BeginScript",
        StatementKind::Stop => "Stop",
        StatementKind::Other { keyword, .. } => &keyword.text,
    }
}

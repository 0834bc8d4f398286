//! From a script's syntax tree to a mission, or to all that stands in the way.
//!
//! Every object, field, value and command is either supported, or has no effect on the numbers and is
//! ignored with a line in the log, or is refused by name with its place. Nothing is skipped in silence.
//!
//! First the resources are made and their fields set, line by line, as GMAT does while it reads; then
//! the mission sequence is compiled; at last the names between objects are resolved. A fault that lies
//! in one line is told at that line and not again where the object is used.

use std::sync::Arc;

use super::burn::ImpulsiveBurn;
use super::names::{Names, Shape};
use super::program::{Command, Formulas};
use super::report::{Item, Report};
use super::{Mission, Objects};
use crate::astro::coordinates::CoordinateSystem;
use crate::astro::ephemeris::Body;
use crate::astro::world::World;
use crate::base::files::{Files, Read};
use crate::base::problem::Problems;
use crate::gmat::include::{self, Expanded};
use crate::gmat::tree::{Name, Script};

mod assign;
mod burns;
mod coordinate_system;
mod copies;
mod ephemeris_file;
mod force_model;
mod gravity;
mod hardware;
mod leg;
mod matrix;
mod notes;
mod power;
mod propagator;
mod report_change;
mod report_file;
mod resources;
mod sequence;
mod spacecraft;
mod target;
mod text;
mod values;
mod variables;

use notes::Notes;
use report_file::ReportFile;
use resources::{Resource, Resources};
use sequence::{Reported, Sequence};

/// Compiles a script that names no files, in GMAT's own world; `file` and `text` are for the messages.
///
/// # Errors
/// All problems of the script in the order of their places, as many as the parser tells.
pub fn compile(file: &str, text: &str, script: &Script) -> Result<Mission, Problems> {
    compile_with(file, text, script, &Read::new(), World::gmat())
}

/// Compiles a script; the files that it names are taken from `files`.
///
/// # Errors
/// Those of [`compile`].
pub fn compile_with(
    file: &str,
    text: &str,
    script: &Script,
    files: &dyn Files,
    world: Arc<World>,
) -> Result<Mission, Problems> {
    let Compiled { outcome, ignored } = look(file, text, script, files, world);
    outcome.map(|mission| Mission { ignored, ..mission })
}

/// What compiling a script has come to.
pub struct Compiled {
    /// The mission, or all problems of the script.
    pub outcome: Result<Mission, Problems>,
    /// What the script says that has no effect on the numbers, a line each.
    pub ignored: Vec<String>,
}

/// Compiles a script, and tells what of it is ignored even where it is refused.
pub fn look(file: &str, text: &str, script: &Script, files: &dyn Files, world: Arc<World>) -> Compiled {
    let Expanded { script, included } = match include::expand(file, text, script, files) {
        Ok(expanded) => expanded,
        Err(problems) => return Compiled { outcome: Err(problems), ignored: Vec::new() },
    };
    let script = &script;
    let mut notes = Notes::new(file, text, &included, files);
    let mut resources = Resources::default();
    for statement in &script.resources {
        if notes.is_full() {
            break;
        }
        resources.statement(statement, &mut notes);
    }
    let mut mission = pristine(&resources, world, &mut notes);
    hardware::link(&resources, &copies::of(&script.mission), &mut mission, &mut notes);
    spacecraft::complete_states(&mut mission);
    for (name, resource) in resources.iter() {
        if let Resource::EphemerisFile(file) = resource {
            let file = file.build(name, &resources, &mission, &mut notes);
            mission.ephemerides.extend(file);
        }
    }
    let mut sequence = Sequence::new(&resources, &mut mission, &mut notes);
    sequence.commands(&script.mission);
    let Sequence { flown, reported, toggled, .. } = sequence;
    propagator::link(&resources, &flown, &mut mission, &mut notes);
    for (name, resource) in resources.iter() {
        if let Resource::ReportFile(report) = resource {
            let commands = reported.iter().filter(|command| command.file.text == name);
            link_report(name, report, commands, &resources, &mut mission, &mut notes);
        }
    }
    for (name, command) in toggled {
        let report = mission.reports.iter().position(|report| report.name == name);
        match (report, &mut mission.program[command]) {
            (Some(place), Command::Toggle { report, .. } | Command::ChangeReport { report, .. }) => *report = place,
            _ => mission.program[command] = Command::Goto(command + 1),
        }
    }
    let (problems, ignored) = notes.finish();
    Compiled { outcome: problems.map_or(Ok(mission), Err), ignored }
}

/// The objects as the resources leave them; nothing that flies them yet.
fn pristine(resources: &Resources, world: Arc<World>, notes: &mut Notes) -> Mission {
    let mut systems = CoordinateSystem::built_in();
    systems.extend(Body::all().filter(|body| *body != Body::Earth).map(CoordinateSystem::at));
    let spacecraft: Vec<&str> = resources
        .iter()
        .filter(|(_, resource)| matches!(resource, Resource::Spacecraft(_)))
        .map(|(name, _)| name)
        .collect();
    for (name, resource) in resources.iter() {
        if let Resource::CoordinateSystem(system) = resource {
            systems.extend(system.build(name, &spacecraft, notes));
        }
    }
    let mut mission = Mission {
        world,
        bodies: resources.bodies.clone(),
        names: Names { systems, ..Names::default() },
        hardware: Vec::new(),
        firings: Vec::new(),
        pristine: Objects::default(),
        dynamics_of: Vec::new(),
        dynamics: Vec::new(),
        program: Vec::new(),
        legs: Vec::new(),
        targets: Vec::new(),
        formulas: Formulas::default(),
        reports: Vec::new(),
        ephemerides: Vec::new(),
        ignored: Vec::new(),
    };
    let (names, objects) = (&mut mission.names, &mut mission.pristine);
    let refused = |name: &str| resources.get(name).is_some();
    for (name, resource) in resources.iter() {
        match resource {
            Resource::Spacecraft(resource) => {
                names.spacecraft.push(name.to_owned());
                objects.spacecraft.push(resource.link(&names.systems, refused, notes));
            }
            Resource::Propagator(propagator) => {
                names.propagators.push(name.to_owned());
                objects.steps.push(propagator.steps);
            }
            Resource::Value(value) => value.make(name, names, &mut objects.values),
            Resource::ImpulsiveBurn(burn) => {
                if let Some(frame) = burn.build(name, &names.systems, refused, notes) {
                    objects.burns.push(ImpulsiveBurn { frame: names.burns.len(), ..burn.burn });
                    names.burns.push(frame);
                }
            }
            Resource::DifferentialCorrector(_) => names.solvers.push(name.to_owned()),
            _ => {}
        }
    }
    mission
}

/// Resolves the columns of a report: those of `Add`, and those of the commands that write rows into it.
fn link_report<'r>(
    name: &str,
    report: &ReportFile,
    commands: impl Iterator<Item = &'r Reported>,
    resources: &Resources,
    mission: &mut Mission,
    notes: &mut Notes,
) {
    if !report.written {
        notes.ignored.push(format!("ReportFile `{name}`: WriteReport is off, no rows are kept"));
    }
    let mut linked = Report {
        name: name.to_owned(),
        columns: Vec::new(),
        kinds: Vec::new(),
        items: Vec::new(),
        has_texts: false,
        solver_rows: report.solver_rows,
        settings: report.text.clone(),
    };
    add_kind(&report.columns, &mut linked, resources, mission, notes);
    let index = mission.reports.len();
    let mut used = !linked.kinds[0].is_empty();
    for command in commands {
        let place = linked.kinds.len();
        add_kind(&command.columns, &mut linked, resources, mission, notes);
        used = true;
        mission.program[command.command] = if report.written {
            Command::Report { report: index, kind: place }
        } else {
            Command::Goto(command.command + 1)
        };
    }
    if used && report.written {
        mission.reports.push(linked);
    }
}

/// A kind of rows of a report, which gets the columns that it does not have; an Array is a column for each element.
fn add_kind(names: &[Name], report: &mut Report, resources: &Resources, mission: &Mission, notes: &mut Notes) {
    let (mut kind, mut items) = (Vec::new(), Vec::new());
    for name in names {
        if resources.is_told(&name.text, &mission.names.systems) {
            continue; // told where it is made
        }
        let (paths, size) = match mission.names.value(&name.text).map(|value| value.shape) {
            Some(Shape::Array { rows, columns }) => {
                let elements = (1..=rows).flat_map(|row| (1..=columns).map(move |column| (row, column)));
                let path = |(row, column)| format!("{}({row},{column})", name.text);
                (elements.map(path).collect(), Some((rows, columns)))
            }
            _ => (vec![name.text.clone()], None),
        };
        for path in &paths {
            match mission.column(path) {
                Ok(column) => {
                    let place = report.columns.iter().position(|known| known.path == column.path);
                    kind.push(place.unwrap_or(report.columns.len()));
                    if place.is_none() {
                        report.has_texts |= column.is_text(&mission.names);
                        report.columns.push(column);
                    }
                }
                Err(error) => notes.refuse(name.span, error.message, error.help),
            }
        }
        items.push(Item { name: name.text.clone(), size });
    }
    report.kinds.push(kind);
    report.items.push(items);
}

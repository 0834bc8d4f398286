//! From a script's syntax tree to a mission, or to all that stands in the way.
//!
//! Every object, field, value and command is either supported, or has no effect on the numbers and is
//! ignored with a line in the log, or is refused by name with its place. Nothing is skipped in silence.
//!
//! First the resources are made and their fields set, line by line, as GMAT does while it reads; then
//! the mission sequence is compiled; at last the names between objects are resolved. A fault that lies
//! in one line is told at that line and not again where the object is used.

use super::{Mission, Objects, Report, columns};
use crate::base::problem::Problems;
use crate::gmat::tree::Script;

mod force_model;
mod notes;
mod propagator;
mod report_file;
mod resources;
mod sequence;
mod spacecraft;
mod values;

use notes::Notes;
use report_file::ReportFile;
use resources::{Resource, Resources};
use sequence::Sequence;

/// Compiles a script; `file` and `text` are for the messages.
///
/// # Errors
/// All problems of the script in the order of their places, as many as the parser tells.
pub fn compile(file: &str, text: &str, script: &Script) -> Result<Mission, Problems> {
    let mut notes = Notes::new(file, text);
    let mut resources = Resources::default();
    for statement in &script.resources {
        resources.statement(statement, &mut notes);
    }
    let mut mission = pristine(&resources);
    let mut sequence = Sequence::new(&resources, &mut mission, &mut notes);
    sequence.commands(&script.mission);
    let flown = sequence.flown;
    propagator::link(&resources, &flown, &mut mission, &mut notes);
    for (name, resource) in resources.iter() {
        if let Resource::ReportFile(report) = resource {
            link_report(name, report, &resources, &mut mission, &mut notes);
        }
    }
    mission.ignored = notes.finish()?;
    Ok(mission)
}

/// The objects as the resources leave them; nothing that flies them yet.
fn pristine(resources: &Resources) -> Mission {
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
    for (name, resource) in resources.iter() {
        match resource {
            Resource::Spacecraft(resource) => {
                mission.spacecraft.push(name.to_owned());
                mission.pristine.spacecraft.push(resource.spacecraft);
            }
            Resource::Propagator(propagator) => {
                mission.propagators.push(name.to_owned());
                mission.pristine.steps.push(propagator.steps);
            }
            Resource::Variable(value) => {
                mission.variables.push(name.to_owned());
                mission.pristine.variables.push(*value);
            }
            _ => {}
        }
    }
    mission
}

/// Resolves the columns of a report.
fn link_report(name: &str, report: &ReportFile, resources: &Resources, mission: &mut Mission, notes: &mut Notes) {
    if !report.written {
        notes.ignored.push(format!("ReportFile `{name}`: WriteReport is off, no rows are kept"));
        return;
    }
    let mut linked = Vec::new();
    for column in &report.columns {
        let object = column.text.split(['.', '(']).next().unwrap_or_default();
        if resources.is_refused(object) {
            continue; // told where it is made
        }
        match columns::resolve(&mission.spacecraft, &mission.variables, &column.text) {
            Ok(column) => linked.push(column),
            Err(error) => notes.refuse(column.span, error.message, error.help),
        }
    }
    if !linked.is_empty() {
        mission.reports.push(Report { name: name.to_owned(), columns: linked });
    }
}

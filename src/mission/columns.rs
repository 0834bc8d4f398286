//! The columns that a run can leave: parameters of spacecraft, and variables.

use super::fields::BurnField;
use super::names::{Names, Shape};
use super::readings::BurnReading;
use super::settings::SettingError;
use super::target::SolverResult;
use super::{Column, Mission, Source};
use crate::astro::coordinates::CoordinateSystem;
use crate::astro::ephemeris::Body;
use crate::astro::parameters::{self, Dependence, REGISTRY};
use crate::base::nearest::did_you_mean;

/// What there is in a coordinate system at a spacecraft.
const CARTESIAN: [&str; 6] = ["X", "Y", "Z", "VX", "VY", "VZ"];

impl Names {
    /// The column of a path: a parameter of a spacecraft, or a number of an object.
    pub fn column(&self, path: &str) -> Result<Column, SettingError> {
        let error = |message: String, help: String| SettingError { message, help };
        let column = |source| Ok(Column { path: path.to_owned(), source });
        let parts: Vec<&str> = path.split('.').collect();
        let name = parts[0].split('(').next().unwrap_or("").trim_end();
        if let Some(reading) = self.reading(path) {
            return column(Source::Reading(reading));
        }
        if let Some(index) = self.spacecraft.iter().position(|known| known == name) {
            return self.parameter(index, path, &parts);
        }
        if let Some(number) = self.number(path) {
            return column(Source::Number(number));
        }
        if let Some(solver) = self.solvers.iter().position(|known| known == name) {
            let field = parts.get(1).copied().unwrap_or("");
            return match SolverResult::NAMES.iter().find(|(known, _)| *known == field) {
                Some(&(_, result)) => column(Source::Solver { solver, result }),
                None => Err(error(
                    format!("`{path}` is nothing that a run tells of the DifferentialCorrector `{name}`"),
                    did_you_mean(field, SolverResult::NAMES.map(|(name, _)| name)),
                )),
            };
        }
        if let Some(value) = self.value(name) {
            let shape = match value.shape {
                Shape::Number => format!("{name} or {name}.Value"),
                Shape::Text => name.to_owned(),
                Shape::Array { rows, columns } => format!("{name}(1,1) to {name}({rows},{columns})"),
            };
            return Err(error(format!("`{path}`: `{name}` has no such part"), format!("supported: {shape}")));
        }
        if self.burns.iter().any(|burn| burn.name == name) {
            let help = did_you_mean(parts.get(1).unwrap_or(&""), BurnField::NAMES.map(|(name, _)| name));
            return Err(error(format!("`{path}` is no number of the ImpulsiveBurn `{name}`"), help));
        }
        if self.finite_burns.iter().any(|burn| burn.name == name) {
            let help = did_you_mean(parts.get(1).unwrap_or(&""), BurnReading::NAMES.map(|(name, _)| name));
            return Err(error(format!("`{path}` is nothing that the FiniteBurn `{name}` tells"), help));
        }
        let objects = self.spacecraft.iter().map(String::as_str).chain(self.value_names());
        Err(error(
            format!("`{path}`: the script has no Spacecraft or Variable `{name}`"),
            did_you_mean(name, objects.chain(self.burns.iter().map(|burn| burn.name.as_str()))),
        ))
    }

    fn parameter(&self, index: usize, path: &str, parts: &[&str]) -> Result<Column, SettingError> {
        let error = |message: String, help: String| SettingError { message, help };
        let column = |source| Ok(Column { path: path.to_owned(), source });
        let systems = &self.systems;
        let (middle, name) = match parts[1..] {
            [name] => (None, name),
            [middle, name] => (Some(middle), name),
            _ => {
                return Err(error(
                    format!("`{path}` is no parameter"),
                    "written as Sat.X or Sat.EarthMJ2000Eq.X".to_owned(),
                ));
            }
        };
        let Some(parameter) = parameters::find(name) else {
            if let Some(number) = self.number(path) {
                return column(Source::Number(number));
            }
            return Err(error(
                format!("`{path}`: `{name}` is no parameter that is supported"),
                did_you_mean(name, REGISTRY.iter().map(|p| p.name)),
            ));
        };
        let of_body = |body: Body| systems.iter().position(|system| *system == CoordinateSystem::at(body));
        let system = match (parameter.dependence, middle) {
            (Dependence::None | Dependence::CoordinateSystem, None) => Some(0),
            (Dependence::None, Some(middle)) => {
                let message = format!("`{path}`: {name} depends on nothing, and `{middle}` stands before it");
                return Err(error(message, format!("supported: {}.{name}", parts[0])));
            }
            (Dependence::Origin, middle) => {
                let middle = middle.unwrap_or("Earth");
                let Some(body) = Body::of_name(middle) else {
                    let message = format!("`{path}`: {name} depends on a body, and `{middle}` is none");
                    return Err(error(message, did_you_mean(middle, Body::all().map(Body::name))));
                };
                of_body(body)
            }
            (Dependence::CoordinateSystem, Some(middle)) => {
                let Some(place) = systems.iter().position(|system| system.name == middle) else {
                    let message = format!("`{path}`: {name} depends on a coordinate system, and `{middle}` is none");
                    return Err(error(message, did_you_mean(middle, CoordinateSystem::names(systems))));
                };
                if systems[place].origin.body().is_none() && !CARTESIAN.contains(&parameter.name) {
                    let message = format!("`{path}`: {name} needs a body at the origin of `{middle}`");
                    return Err(error(message, format!("supported: {}", CARTESIAN.join(", "))));
                }
                Some(place)
            }
        };
        column(Source::Parameter { spacecraft: index, parameter, system: system.unwrap_or(0) })
    }
}

impl Column {
    /// Whether it holds the text of a String, as a place.
    pub fn is_text(&self, names: &Names) -> bool {
        matches!(self.source, Source::Number(number) if names.is_text(number))
    }

    /// Unit.
    pub fn units(&self) -> &'static str {
        match self.source {
            Source::Parameter { parameter, .. } => parameter.units,
            Source::Number(number) => number.units(),
            Source::Reading(reading) => reading.about().0,
            Source::Solver { .. } => "1",
        }
    }

    /// One line about it.
    pub fn long_name(&self) -> &'static str {
        match self.source {
            Source::Parameter { parameter, .. } => parameter.long_name,
            Source::Number(number) => number.long_name(),
            Source::Reading(reading) => reading.about().1,
            Source::Solver { result, .. } => result.long_name(),
        }
    }

    /// For dates: GMAT's names of the time scale and of the format.
    pub fn date(&self) -> Option<(&'static str, &'static str)> {
        match self.source {
            Source::Parameter { parameter, .. } => parameter.date,
            Source::Number(_) | Source::Reading(_) | Source::Solver { .. } => None,
        }
    }
}

impl Mission {
    /// The column of a path.
    pub fn column(&self, path: &str) -> Result<Column, SettingError> {
        self.names.column(path)
    }

    /// What is kept where the config does not say: the columns of all reports, each once, and what the solvers came to.
    pub fn default_columns(&self) -> Vec<Column> {
        let mut columns: Vec<Column> = Vec::new();
        for column in self.reports.iter().flat_map(|report| &report.columns) {
            if !column.is_text(&self.names) && columns.iter().all(|kept| kept.path != column.path) {
                columns.push(column.clone());
            }
        }
        columns.extend(self.solver_columns());
        columns
    }

    /// What the solvers came to, those that a Target uses.
    pub fn solver_columns(&self) -> Vec<Column> {
        let names = self.names.solvers.iter().enumerate();
        let used = names.filter(|(solver, _)| self.targets.iter().any(|target| target.solver == *solver));
        let paths = used.flat_map(|(_, name)| SolverResult::NAMES.map(|(what, _)| format!("{name}.{what}")));
        paths.filter_map(|path| self.column(&path).ok()).collect()
    }
}

//! The columns that a run can leave: parameters of spacecraft, and variables.

use super::settings::SettingError;
use super::{Column, Mission, Source};
use crate::astro::coordinates::CoordinateSystem;
use crate::astro::ephemeris::Body;
use crate::astro::parameters::{self, Dependence, REGISTRY};
use crate::base::nearest::did_you_mean;

/// What there is in a coordinate system at a spacecraft.
const CARTESIAN: [&str; 6] = ["X", "Y", "Z", "VX", "VY", "VZ"];

/// Finds the column of a path among a mission's objects.
pub fn resolve(
    spacecraft: &[String],
    variables: &[String],
    systems: &[CoordinateSystem],
    path: &str,
) -> Result<Column, SettingError> {
    let error = |message: String, help: String| SettingError { message, help };
    let parts: Vec<&str> = path.split('.').collect();
    let column = |source| Ok(Column { path: path.to_owned(), source });
    if let Some(variable) = variables.iter().position(|name| name == parts[0]) {
        return match parts[1..] {
            [] | ["Value"] => column(Source::Variable(variable)),
            _ => Err(error(format!("`{path}`: a Variable has no such part"), format!("supported: {}.Value", parts[0]))),
        };
    }
    let Some(index) = spacecraft.iter().position(|name| name == parts[0]) else {
        let objects = spacecraft.iter().chain(variables).map(String::as_str);
        return Err(error(
            format!("`{path}`: the script has no Spacecraft or Variable `{}`", parts[0]),
            did_you_mean(parts[0], objects),
        ));
    };
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

impl Column {
    /// Unit.
    pub fn units(&self) -> &'static str {
        match self.source {
            Source::Parameter { parameter, .. } => parameter.units,
            Source::Variable(_) => "1",
        }
    }

    /// One line about it.
    pub fn long_name(&self) -> &'static str {
        match self.source {
            Source::Parameter { parameter, .. } => parameter.long_name,
            Source::Variable(_) => "variable",
        }
    }

    /// For dates: GMAT's names of the time scale and of the format.
    pub fn date(&self) -> Option<(&'static str, &'static str)> {
        match self.source {
            Source::Parameter { parameter, .. } => parameter.date,
            Source::Variable(_) => None,
        }
    }
}

impl Mission {
    /// The column of a path.
    pub fn column(&self, path: &str) -> Result<Column, SettingError> {
        resolve(&self.spacecraft, &self.variables, &self.systems, path)
    }

    /// What is kept where the config does not say: the columns of all reports, each once.
    pub fn default_columns(&self) -> Vec<Column> {
        let mut columns: Vec<Column> = Vec::new();
        for column in self.reports.iter().flat_map(|report| &report.columns) {
            if columns.iter().all(|kept| kept.path != column.path) {
                columns.push(column.clone());
            }
        }
        columns
    }
}

//! Equations of the mission sequence: what stands on their left sides, and formulas over what stands on the right.

use super::matrix;
use super::resources::{Resource, Resources};
use super::sequence::Sequence;
use super::values::written;
use crate::astro::representations::fields::Field as StateField;
use crate::base::nearest::did_you_mean;
use crate::gmat::formula::{self, Formula, FormulaError, Operand, Scope};
use crate::gmat::tree::{Expression, ExpressionKind, Reference};
use crate::mission::Source;
use crate::mission::fields::SPACECRAFT_WITHOUT_EFFECT;
use crate::mission::names::{Names, Shape, Value};
use crate::mission::numbers::Number;
use crate::mission::program::{Command, Formulas};
use crate::mission::settings::{Setting, Within};

/// Where the names of formulas come from: a mission's objects.
struct ObjectScope<'a> {
    names: &'a mut Names,
    inputs: &'a mut Vec<Source>,
    resources: &'a Resources,
    /// Whether SetSeed stands above.
    seeded: bool,
    /// What is wrong has been told elsewhere.
    told: bool,
}

impl Scope for ObjectScope<'_> {
    fn operand(&mut self, reference: &Reference) -> Result<Operand, FormulaError> {
        let path = reference.path();
        let error = |message, help| Err(FormulaError { span: reference.span, message, help });
        if !reference.indices.is_empty() {
            match self.names.values.iter().position(|value| value.name == path) {
                None if self.resources.is_refused(&path) => {
                    self.told = true;
                    return error(String::new(), String::new());
                }
                None => return self.no_array(reference),
                Some(array) if constant_indices(reference).is_none() => {
                    return match (self.names.values[array].shape, reference.indices.len()) {
                        (Shape::Array { .. }, 2)
                        | (Shape::Array { rows: 1, .. } | Shape::Array { columns: 1, .. }, 1) => {
                            Ok(Operand::Element(array))
                        }
                        _ => error(
                            format!("`{path}` is given {} indices", reference.indices.len()),
                            shape_help(&self.names.values[array]),
                        ),
                    };
                }
                Some(_) => {}
            }
        }
        let normal = matches!(path.as_str(), "randn" | "Randn");
        if (normal || matches!(path.as_str(), "rand" | "Rand")) && !self.hides(reference) {
            if !self.seeded {
                let message = format!("`{path}` gives other numbers in every flight without SetSeed");
                return error(message, "SetSeed(1) above it".to_owned());
            }
            return Ok(Operand::Random { normal });
        }
        match self.names.column(&written(reference)) {
            Ok(column) => match column.source {
                Source::Number(number) if self.names.is_text(number) => {
                    error(format!("`{path}` is a String, and no number"), "it can be compared by == and ~=".to_owned())
                }
                source => Ok(Operand::Input(Formulas::place(self.inputs, source))),
            },
            Err(refused) => {
                self.told = self.resources.is_told(&path, &self.names.systems);
                error(refused.message, refused.help)
            }
        }
    }

    fn hides(&self, reference: &Reference) -> bool {
        self.names.value(&reference.path()).is_some()
    }

    fn text(&mut self, expression: &Expression) -> Option<Formula> {
        match &expression.kind {
            ExpressionKind::Text(text) => Some(Formula::number(self.names.text(text) as f64)),
            ExpressionKind::Reference(reference) => {
                let value = self.names.value(&reference.path()).filter(|value| value.shape == Shape::Text)?;
                let source = Source::Number(Number::Value(value.slot));
                Some(Formula::input(Formulas::place(self.inputs, source)))
            }
            _ => None,
        }
    }
}

impl ObjectScope<'_> {
    /// A reference with arguments that is no Array and no function of numbers.
    fn no_array(&self, reference: &Reference) -> Result<Operand, FormulaError> {
        let (message, help) = match super::text::function_of(reference) {
            None => return Err(formula::no_function(reference, self.names.value_names())),
            Some((name, true)) => (format!("`{name}` makes a text, and no number"), "a String takes it, alone"),
            Some((name, false)) => (format!("`{name}` stands alone on a right side"), "as in x = strlen(s)"),
        };
        Err(FormulaError { span: reference.span, message, help: help.to_owned() })
    }
}

/// The indices of a reference if all are numbers.
fn constant_indices(reference: &Reference) -> Option<Vec<f64>> {
    let number = |index: &Expression| match index.kind {
        ExpressionKind::Number(number) => Some(number),
        _ => None,
    };
    reference.indices.iter().map(number).collect()
}

fn shape_help(value: &Value) -> String {
    let name = &value.name;
    match value.shape {
        Shape::Array { rows, columns } => format!("{name}(1,1) to {name}({rows},{columns})"),
        Shape::Number | Shape::Text => format!("{name} takes none"),
    }
}

impl Sequence<'_, '_> {
    /// The formula of an expression; what is wrong with it is told.
    pub(super) fn flatten(&mut self, value: &Expression) -> Option<Formula> {
        let mut scope = ObjectScope {
            names: &mut self.mission.names,
            inputs: &mut self.mission.formulas.inputs,
            resources: self.resources,
            seeded: self.seeded,
            told: false,
        };
        match Formula::new(value, &mut scope) {
            Ok(formula) => Some(formula),
            Err(_) if scope.told => None,
            Err(error) => {
                self.notes.refuse(error.span, error.message, error.help);
                None
            }
        }
    }

    /// The index of the formula of an expression; what is wrong with it is told.
    pub(super) fn formula(&mut self, value: &Expression) -> Option<usize> {
        if matrix::has_matrices(value, &self.mission.names) {
            return self.scalar(value);
        }
        let formula = match self.measure_of(value) {
            Some((name, reference)) => {
                let slot = self.measure(&name, reference)?;
                self.value_of(slot)
            }
            None => self.flatten(value)?,
        };
        Some(self.mission.formulas.add(formula))
    }

    /// A number behind those that have names; its place.
    pub(super) fn hidden(&mut self) -> usize {
        self.mission.pristine.values.push(0.0);
        self.mission.pristine.values.len() - 1
    }

    /// The formula of a number's value.
    pub(super) fn value_of(&mut self, slot: usize) -> Formula {
        Formula::input(self.mission.formulas.input(Source::Number(Number::Value(slot))))
    }

    /// value(slot) = formula
    pub(super) fn set_value(&mut self, slot: usize, formula: Formula) {
        let formula = self.mission.formulas.add(formula);
        self.push(Command::Set { target: Setting::Number(Number::Value(slot)), formula });
    }

    /// `target = value`.
    pub(super) fn assign(&mut self, target: &Reference, value: &Expression) {
        let path = target.path();
        self.notes.refuse_misread(value);
        if let Some(place) = self.mission.names.values.iter().position(|known| known.name == path) {
            let known = self.mission.names.values[place].clone();
            return match known.shape {
                Shape::Text => self.assign_text(known.slot, value),
                Shape::Array { rows, columns } if target.indices.is_empty() && (rows, columns) != (1, 1) => {
                    self.assign_matrix(&known, (rows, columns), value);
                }
                _ if !target.indices.is_empty() && constant_indices(target).is_none() => {
                    let indices: Option<Vec<usize>> = target.indices.iter().map(|index| self.formula(index)).collect();
                    if let (Some(indices), Some(formula)) = (indices, self.formula(value)) {
                        self.push(Command::SetElement { array: place, indices, formula });
                    }
                }
                _ => self.assign_number(target, value),
            };
        }
        if target.parts.len() == 1 {
            return self.assign_whole(target, value);
        }
        self.assign_number(target, value);
    }

    /// A number of an object, or what is more than that.
    fn assign_number(&mut self, target: &Reference, value: &Expression) {
        let path = written(target);
        let object = &target.parts[0].text;
        if self.resources.is_refused(object) {
            return;
        }
        if matches!(self.resources.get(object), Some(Resource::Gui)) {
            return self.notes.ignore(target.span, format_args!("`{path}` (graphical interface)"));
        }
        if matches!(self.resources.get(object), Some(Resource::ReportFile(_))) && target.parts.len() > 1 {
            return self.change_report(target, value);
        }
        if let Some(spacecraft) = self.mission.names.spacecraft.iter().position(|known| known == object) {
            let field = match &target.parts[..] {
                // `Sat.Epoch.UTCGregorian`
                [_, epoch, format] if epoch.text == "Epoch" => Some(format),
                [_, field] => Some(field),
                _ => None,
            };
            if let Some(field) = field {
                let silent = ["DisplayStateType", "StateType"].contains(&field.text.as_str());
                if silent || SPACECRAFT_WITHOUT_EFFECT.contains(&field.text.as_str()) {
                    return self.notes.ignore(target.span, format_args!("`{path}` has no effect here"));
                }
                if self.assign_date(spacecraft, field, value) {
                    return;
                }
            }
        }
        let Some(setting) = self.setting(target) else { return };
        if let Some(formula) = self.formula(value) {
            self.push(Command::Set { target: setting, formula });
        }
    }

    /// What a left side sets; what is wrong with it is told.
    pub(super) fn setting(&mut self, target: &Reference) -> Option<Setting> {
        let path = written(target);
        if self.resources.is_refused(&target.parts[0].text) {
            return None;
        }
        let found = match &target.parts[..] {
            // `Sat.EarthMJ2000Eq.X`, `Sat.Earth.SMA`: the element in that system
            [spacecraft, system, field] => self.element(&spacecraft.text, &system.text, &field.text),
            _ => None,
        };
        let found = found.map_or_else(|| self.mission.setting(&path, None).map(|swept| swept.setting), Ok);
        match found {
            Ok(setting) => Some(setting),
            Err(_) if self.mission.names.column(&path).is_ok() => {
                let message = format!("`{path}` can be read, and not be set");
                self.notes.refuse(target.span, message, "set the state, the epoch, or a field");
                None
            }
            Err(error) => {
                let message = error.message.replace(" that can be swept", " that can be set");
                self.notes.refuse(target.span, message, error.help.replace(" that can be swept", " that can be set"));
                None
            }
        }
    }

    /// An element of the state in a coordinate system or about a body.
    fn element(&self, spacecraft: &str, system: &str, field: &str) -> Option<Setting> {
        use crate::astro::coordinates::CoordinateSystem;
        use crate::astro::ephemeris::Body;
        let names = &self.mission.names;
        let spacecraft = names.spacecraft.iter().position(|known| known == spacecraft)?;
        let field = StateField::find(field).ok()?;
        let of_body = Body::of_name(system).map(CoordinateSystem::at);
        let place = |known: &CoordinateSystem| known.name == system || Some(known) == of_body.as_ref();
        let system = names.systems.iter().position(place)?;
        let origin = names.systems[system].origin.body()?;
        let within = if of_body.is_some() { Within::Body(system) } else { Within::System(system) };
        Some(Setting::State { spacecraft, field, centre: self.mission.bodies.of(origin), within })
    }

    /// `Sat2 = Sat1`, `Burn2 = Burn1`, or an unknown name.
    fn assign_whole(&mut self, target: &Reference, value: &Expression) {
        let name = &target.parts[0];
        let names = &self.mission.names;
        let from = match &value.kind {
            ExpressionKind::Reference(from) if from.indices.is_empty() && from.parts.len() == 1 => {
                from.parts[0].text.as_str()
            }
            _ => "",
        };
        let spacecraft = |name: &str| names.spacecraft.iter().position(|known| known == name);
        let burn = |name: &str| names.burns.iter().position(|known| known.name == name);
        match (spacecraft(&name.text), spacecraft(from), burn(&name.text), burn(from)) {
            (Some(to), Some(from), ..) => self.push(Command::Copy { to, from }),
            (_, _, Some(to), Some(from)) => {
                self.copied_burns.push(to);
                self.push(Command::CopyBurn { to, from });
            }
            _ if self.resources.is_refused(&name.text) => {}
            _ if self.resources.get(&name.text).is_some() => {
                let message = format!("`{}` can not be set as a whole", name.text);
                self.notes.refuse(name.span, message, "supported: Sat2 = Sat1, or field by field");
            }
            _ => {
                self.variable(target);
                self.formula(value);
            }
        }
    }

    /// The index of a Variable on a left side.
    pub(super) fn variable(&mut self, target: &Reference) -> Option<usize> {
        let name = &target.parts[0];
        let number = self.mission.names.number(&written(target));
        if let Some(Number::Value(slot)) = number {
            return Some(slot);
        }
        if !self.resources.is_refused(&name.text) {
            let help = match self.mission.names.values[..] {
                [] => "the script makes none: Create Variable".to_owned(),
                _ => did_you_mean(&name.text, self.mission.names.value_names()),
            };
            self.notes.refuse(name.span, format!("the script has no Variable `{}`", name.text), help);
        }
        None
    }
}

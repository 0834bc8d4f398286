//! The objects of a mission by name: what is decided once, by the script, and is the same in every run.

use super::burn::BurnFrame;
use super::fields::{BurnField, CRAFT, StepField};
use super::hardware::{Copy, FiniteBurn, TankField, ThrusterField};
use super::numbers::Number;
use super::power::{PowerCopy, PowerField};
use super::readings::{BurnReading, PowerReading, Reading, ThrusterReading};
use crate::astro::coordinates::CoordinateSystem;

/// The names of the objects; an object's place in its list is its place in [`Objects`](super::Objects).
#[derive(Debug, Default)]
pub struct Names {
    /// Spacecraft.
    pub spacecraft: Vec<String>,
    /// Propagators.
    pub propagators: Vec<String>,
    /// Coordinate systems: GMAT's own, the script's, and those at the bodies that parameters name.
    pub systems: Vec<CoordinateSystem>,
    /// Variables, Arrays and Strings.
    pub values: Vec<Value>,
    /// Impulsive burns.
    pub burns: Vec<BurnFrame>,
    /// Tanks, each of one spacecraft.
    pub tanks: Vec<Copy>,
    /// Thrusters, each of one spacecraft.
    pub thrusters: Vec<Copy>,
    /// Power systems, each of one spacecraft; the electric ones are solar.
    pub powers: Vec<PowerCopy>,
    /// Finite burns.
    pub finite_burns: Vec<FiniteBurn>,
    /// Solvers.
    pub solvers: Vec<String>,
    /// The texts that Strings can hold, each once.
    pub texts: Vec<String>,
    /// The elements of Arrays that rows name by computed indices, `A(i,j)`, with the place of a number that each is
    /// found at before the row.
    pub elements: Vec<(String, usize)>,
}

/// A Variable, an Array or a String.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Its name.
    pub name: String,
    /// The place of its first number in [`Objects::values`](super::Objects::values).
    pub slot: usize,
    /// What it holds.
    pub shape: Shape,
}

/// What a [`Value`] holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A number.
    Number,
    /// Numbers, row by row.
    Array {
        /// Rows, 1 or more.
        rows: usize,
        /// Columns, 1 or more.
        columns: usize,
    },
    /// The place of a text in [`Names::texts`].
    Text,
}

impl Value {
    /// The place of an element of an Array, or of the number of a Variable without indices: row and column from 1; one
    /// index alone is a column of the first row.
    pub fn element(&self, indices: &[usize]) -> Option<usize> {
        match (self.shape, indices) {
            (Shape::Number | Shape::Text | Shape::Array { rows: 1, columns: 1 }, []) => Some(self.slot),
            (Shape::Array { columns, .. }, &[column]) => {
                (1..=columns).contains(&column).then(|| self.slot + column - 1)
            }
            (Shape::Array { rows, columns }, &[row, column]) => {
                let inside = (1..=rows).contains(&row) && (1..=columns).contains(&column);
                inside.then(|| self.slot + (row - 1) * columns + column - 1)
            }
            _ => None,
        }
    }
}

impl Names {
    /// The Variable, Array or String of a name.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.values.iter().find(|value| value.name == name)
    }

    /// The place of a text among those that Strings can hold, which get it if they have it not.
    pub fn text(&mut self, text: &str) -> usize {
        self.texts.iter().position(|known| known == text).unwrap_or_else(|| {
            self.texts.push(text.to_owned());
            self.texts.len() - 1
        })
    }

    /// Whether a number is the place of a String's text.
    pub fn is_text(&self, number: Number) -> bool {
        matches!(number, Number::Value(slot)
            if self.values.iter().any(|value| value.slot == slot && value.shape == Shape::Text))
    }

    /// The plain number that a path means: `Sat.DryMass`, `Prop.Accuracy`, `Burn.Element1`, `x`, `A(1,2)`.
    pub fn number(&self, path: &str) -> Option<Number> {
        if let Some((_, slot)) = self.elements.iter().find(|element| element.0 == path) {
            return Some(Number::Value(*slot));
        }
        let (path, indices) = split_indices(path)?;
        let (object, field) = path.split_once('.').map_or((path, None), |(object, field)| (object, Some(field)));
        if let Some(value) = self.value(object) {
            return matches!(field, None | Some("Value")).then(|| value.element(&indices).map(Number::Value)).flatten();
        }
        let field = field.filter(|_| indices.is_empty())?;
        if let Some(number) = self.hardware_number(object, field) {
            return Some(number);
        }
        if let Some(spacecraft) = place(&self.spacecraft, object) {
            let (_, field) = CRAFT.iter().find(|(known, _)| known.name == field)?;
            return Some(Number::Craft { spacecraft, field: *field });
        }
        if let Some(propagator) = place(&self.propagators, object) {
            let field = StepField::ALL.iter().copied().find(|known| known.name() == field)?;
            return Some(Number::Step { propagator, field });
        }
        let burn = self.burns.iter().position(|burn| burn.name == object)?;
        Some(Number::Burn { burn, field: BurnField::find(field)? })
    }

    /// `Sat.Tank.FuelMass`, `Sat.Thr.C1`, `Sat.Pow.Margin`; where one spacecraft alone has it, `Tank.FuelMass` as well.
    fn hardware_number(&self, object: &str, field: &str) -> Option<Number> {
        let (spacecraft, part, field) = match field.split_once('.') {
            Some((part, field)) => (Some(place(&self.spacecraft, object)?), part, field),
            None => (None, object, field),
        };
        if let Some((tank, copy)) = copy_of(self.tanks.iter(), spacecraft, part) {
            let field = TankField::find(field).filter(|field| field.is_of(copy.electric))?;
            return Some(Number::Tank { tank, field });
        }
        if let Some((thruster, copy)) = copy_of(self.thrusters.iter(), spacecraft, part) {
            return Some(Number::Thruster { thruster, field: ThrusterField::find(field, copy.electric)? });
        }
        let (power, copy) = copy_of(self.powers.iter().map(|power| &power.copy), spacecraft, part)?;
        Some(Number::Power { power, field: PowerField::find(field, copy.electric)? })
    }

    /// What a path reads: `Sat.Thr.ThrustMagnitude`, `Sat.Pow.RequiredBusPower`, `FB.TotalThrust1`, `DV.EarthFixed.V`.
    pub fn reading(&self, path: &str) -> Option<Reading> {
        match path.split('.').collect::<Vec<_>>()[..] {
            [burn, name] => {
                let what = BurnReading::NAMES.iter().find(|entry| entry.0 == name)?.1;
                let burn = self.finite_burns.iter().position(|known| known.name == burn)?;
                Some(Reading::FiniteBurn { burn, what })
            }
            [object, part, name] => {
                if let Some(burn) = self.burns.iter().position(|known| known.name == object) {
                    let system = self.systems.iter().position(|known| known.name == part)?;
                    let BurnField::Element(axis) = BurnField::find(name)? else { return None };
                    return Some(Reading::Impulse { burn, system, axis });
                }
                let spacecraft = Some(place(&self.spacecraft, object)?);
                if let Some((thruster, _)) = copy_of(self.thrusters.iter(), spacecraft, part) {
                    let what = ThrusterReading::NAMES.iter().find(|entry| entry.0 == name)?.1;
                    return Some(Reading::Thruster { thruster, what });
                }
                let (power, _) = copy_of(self.powers.iter().map(|power| &power.copy), spacecraft, part)?;
                let what = PowerReading::NAMES.iter().find(|entry| entry.0 == name)?.1;
                Some(Reading::Power { power, what })
            }
            _ => None,
        }
    }

    /// The names of Variables, Arrays and Strings.
    pub fn value_names(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|value| value.name.as_str())
    }
}

/// The copy of a name, of a spacecraft or of the only one that has it.
fn copy_of<'c>(
    copies: impl Iterator<Item = &'c Copy>,
    spacecraft: Option<usize>,
    name: &str,
) -> Option<(usize, &'c Copy)> {
    let is = |copy: &Copy| copy.name == name && spacecraft.is_none_or(|spacecraft| copy.spacecraft == spacecraft);
    let mut found = copies.enumerate().filter(|(_, copy)| is(copy));
    let first = found.next();
    first.filter(|_| found.next().is_none())
}

fn place(names: &[String], name: &str) -> Option<usize> {
    names.iter().position(|known| known == name)
}

/// `A(1, 2)` as `A` and its indices, 0 for one that is no whole number.
fn split_indices(path: &str) -> Option<(&str, Vec<usize>)> {
    let Some((name, indices)) = path.split_once('(') else { return Some((path, Vec::new())) };
    let indices = indices.strip_suffix(')')?.split(',').map(|index| index.trim().parse().unwrap_or(0)).collect();
    Some((name.trim_end(), indices))
}

//! Fields of a ReportFile that the mission sequence sets: from there on its rows are written in another way.

use super::sequence::Sequence;
use super::values::text_of;
use crate::gmat::formula::Formula;
use crate::gmat::tree::{Expression, ExpressionKind, Reference};
use crate::mission::fields::REPORT_WITHOUT_EFFECT;
use crate::mission::program::Command;
use crate::mission::report::ReportField;

impl Sequence<'_, '_> {
    /// `RF.Precision = value`.
    pub(super) fn change_report(&mut self, target: &Reference, value: &Expression) {
        let path = target.path();
        let name = path.split_once('.').map_or("", |(_, field)| field);
        let Some(&(_, field)) = ReportField::NAMES.iter().find(|(known, _)| *known == name) else {
            if name == "Filename" || REPORT_WITHOUT_EFFECT.contains(&name) {
                return self.notes.ignore(target.span, format_args!("`{path}` has no effect here"));
            }
            let message = format!("`{path}` can not be set in the mission sequence");
            let known = ReportField::NAMES.map(|(name, _)| name).join(", ");
            return self.notes.refuse(target.span, message, format!("supported: {known}"));
        };
        let formula = match &value.kind {
            _ if field.is_switch() => {
                let switch = self.notes.flag(value, &path);
                switch.map(|on| Formula::number(f64::from(u8::from(on))))
            }
            _ if field == ReportField::Delimiter => {
                let first = text_of(value).chars().next().unwrap_or(' ');
                Some(Formula::number(f64::from(u32::from(first))))
            }
            ExpressionKind::Number(number) if field.value(*number).is_none() => {
                self.notes.refuse(value.span, format!("`{path}` = {number} is out of range"), "1 to 1000");
                None
            }
            _ => self.flatten(value),
        };
        if let Some(formula) = formula {
            let formula = self.mission.formulas.add(formula);
            self.toggled.push((target.parts[0].text.clone(), self.mission.program.len()));
            self.push(Command::ChangeReport { report: usize::MAX, field, formula }); // linked with the reports
        }
    }
}

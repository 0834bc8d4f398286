//! `sweep-mpi list`: what can be written in a config or a script, from the registries.

use super::format::table;
use crate::astro::representations::fields::Field as StateField;
use crate::base::nearest::did_you_mean;
use crate::base::outcome::FAILURES;
use crate::base::problem::Problem;
use crate::mission::fields::{self, BurnField, CRAFT, StepField};
use crate::mission::hardware::{TankField, ThrusterField};
use crate::mission::power::PowerField;
use crate::mission::readings;
use crate::{astro::parameters, design, forces, integrators, workload};

/// A registry: its name, a title, its rows.
type Registry = (&'static str, &'static str, fn() -> Vec<Vec<String>>);

const REGISTRIES: &[Registry] = &[
    ("designs", "Designs: [design] kind = ...", designs),
    ("workloads", "Workloads: [workload] kind = ...", workloads),
    ("settings", "What can be swept or set: object.field", settings),
    ("parameters", "What can be kept or reported: spacecraft.[coordinate system or body.]name", columns),
    ("resources", "Resources of a script: Create ...", || pairs(fields::RESOURCES)),
    ("commands", "Commands of a mission sequence", || pairs(fields::COMMANDS)),
    ("integrators", "Integrators: Propagator.Type", integrators),
    ("forces", "Forces: ForceModel", forces),
    ("failures", "Why a run is not ok: error_code", failures),
];

/// The registries as text: one of them, or all.
pub fn text(what: Option<&str>) -> Result<String, Problem> {
    let chosen: Vec<&Registry> = REGISTRIES.iter().filter(|r| what.is_none_or(|what| r.0 == what)).collect();
    if let (Some(what), true) = (what, chosen.is_empty()) {
        let help = did_you_mean(what, REGISTRIES.iter().map(|registry| registry.0));
        return Err(Problem::of("list", format!("`{what}` is nothing that can be listed")).help(help));
    }
    let listed = chosen.iter().map(|(name, title, rows)| format!("{name}\n{title}\n\n{}", table(&rows())));
    Ok(listed.collect::<Vec<_>>().join("\n"))
}

fn row(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| format!("  {word}")).collect()
}

fn pairs(list: &[(&str, &str)]) -> Vec<Vec<String>> {
    list.iter().map(|(name, about)| row(&[name, about])).collect()
}

fn designs() -> Vec<Vec<String>> {
    design::DESIGNS.iter().map(|kind| row(&[kind.name, kind.summary])).collect()
}

fn workloads() -> Vec<Vec<String>> {
    workload::WORKLOADS.iter().map(|kind| row(&[kind.name, kind.summary])).collect()
}

fn settings() -> Vec<Vec<String>> {
    let spacecraft = |name: &str, units: &str, long_name: &str| row(&[&format!("Spacecraft.{name}"), units, long_name]);
    let mut rows: Vec<_> = StateField::all().map(|f| spacecraft(f.name, f.units, f.long_name)).collect();
    rows.extend(CRAFT.iter().map(|(f, _)| spacecraft(f.name, f.units, f.long_name)));
    rows.push(row(&[
        "Spacecraft.Epoch",
        "d",
        "epoch: a text such as '01 Jan 2026 00:00:00.000', or a modified Julian date",
    ]));
    rows.extend(StepField::ALL.iter().map(|f| row(&[&format!("Propagator.{}", f.name()), f.units(), f.long_name()])));
    let burns = BurnField::NAMES[..5].iter();
    rows.extend(burns.map(|(name, f)| row(&[&format!("ImpulsiveBurn.{name}"), f.units(), f.long_name()])));
    let tanks = TankField::NAMES.iter();
    rows.extend(tanks.map(|(name, _, units, about)| row(&[&format!("Spacecraft.Tank.{name}"), units, about])));
    let both = |name: &String| ThrusterField::find(name, true).is_some() && ThrusterField::find(name, false).is_some();
    for (kind, electric) in [("Thruster", true), ("ElectricThruster", true), ("ChemicalThruster", false)] {
        for name in ThrusterField::names(electric).filter(|name| both(name) == (kind == "Thruster")) {
            let (units, about) = ThrusterField::find(&name, electric).map_or(("", ""), ThrusterField::about);
            rows.push(row(&[&format!("Spacecraft.{kind}.{name}"), units, about]));
        }
    }
    let powers = PowerField::NAMES.iter();
    rows.extend(powers.map(|(name, _, units, about)| row(&[&format!("Spacecraft.PowerSystem.{name}"), units, about])));
    rows.push(row(&["Variable.Value", "1", "a variable of the script"]));
    rows
}

fn columns() -> Vec<Vec<String>> {
    let before = |dependence| match dependence {
        parameters::Dependence::None => "",
        parameters::Dependence::Origin => "a body",
        parameters::Dependence::CoordinateSystem => "a coordinate system",
    };
    let of_spacecraft = parameters::REGISTRY.iter();
    let mut rows: Vec<_> = of_spacecraft.map(|p| row(&[p.name, p.units, before(p.dependence), p.long_name])).collect();
    rows.extend(readings::all().map(|(object, name, (units, about))| row(&[name, units, object, about])));
    rows
}

fn integrators() -> Vec<Vec<String>> {
    integrators::REGISTRY.iter().map(|entry| row(&[entry.name, entry.about])).collect()
}

fn forces() -> Vec<Vec<String>> {
    forces::REGISTRY.iter().map(|entry| row(&[entry.name, entry.script, entry.about])).collect()
}

fn failures() -> Vec<Vec<String>> {
    FAILURES.iter().map(|(failure, name, about)| row(&[&failure.code().to_string(), name, about])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_one_or_all_and_knows_what_was_meant() {
        let all = text(None).unwrap();
        for part in ["grid", "Spacecraft.SMA", "UTCGregorian", "RungeKutta89", "point mass", "sma_zero"] {
            assert!(all.contains(part), "{part}");
        }
        let one = text(Some("integrators")).unwrap();
        assert!(one.contains("RungeKutta89") && !one.contains("grid"));
        assert!(text(Some("integrater")).unwrap_err().to_string().contains("did you mean `integrators`?"));
    }
}

//! Missions with a sequence: burns, targeting, several spacecraft. Row by row against GMAT's reports.

use std::fmt::Write as _;

use super::{flown, read};

/// A row of a report: of each column its name, our number and GMAT's.
struct Row {
    columns: Vec<(String, f64, f64)>,
}

/// How near the cases of a family must be: off the orbit (km), early or late on it (s), other numbers (relative, absolute
/// below 1). A case belongs to the first family whose name its own begins with.
struct Family {
    name: &'static str,
    cases: usize,
    off: f64,
    late: f64,
    others: f64,
}

const fn family(name: &'static str, cases: usize, off: f64, late: f64, others: f64) -> Family {
    Family { name, cases, off, late, others }
}

/// Beside what a family says, a row may be late by so much for each row before it: see cases.rs.
const MICROSECONDS: f64 = 0.5e-6;

const FAMILIES: &[Family] = &[
    // electric power is that of the start of each step, and at an accuracy of 1e-12 the steps are those of rounding noise,
    // up to 600 s apart: 1e-6 of the power, 8e-6 of the magnitude (0.03 N) where 90 % of it decay in a year
    family("burn_electric_efficiency", 1, 2e-6, 0.0, 3e-7),
    family("burn_electric_solar_lit", 1, 2e-5, 5e-6, 2e-6),
    family("burn_electric_", 4, 1e-6, 0.0, 2e-8),
    // rows at the steps: see several_
    family("burnsteps_", 6, 1e-6, 2e-2, 1e-4),
    // blow-down tanks share by their pressures, which depend on every trial step: 2e-10 in the longest
    family("burn_", 17, 1e-6, 0.0, 1e-9),
    // SMA after 6880 km of arithmetic with elements, each turned into a state and back
    family("control_flow", 1, 0.0, 0.0, 1e-12),
    // rows at the steps, whose lengths multiply rounding noise: 7 ms at 7.5 km/s
    family("target_steps", 1, 0.0, 0.0, 6e-3),
    // burns to 1e-10 km/s where 1e-6 is asked; with Variables alone the digits are the same
    family("target_", 12, 2e-6, 0.0, 1e-10),
    // an apsis of a nearly round orbit is found to 1 ms; durations of targeted burns are defined to 1e-6 s by their goals
    family("mission_", 16, 1e-4, 1e-3, 5e-8),
    // rows at the steps again
    family("several_", 4, 1e-4, 1e-1, 1e-10),
    // several spacecraft and propagators in every form, with steps of fixed length
    family("fixed_several_", 7, 1e-6, 0.0, 1e-12),
];

/// The rows of the first report of a case.
fn rows(name: &str) -> Vec<Row> {
    let flown = flown(&read(&format!("{name}.script")));
    let report = &flown.mission.reports[0];
    let text = read(&format!("{name}.txt"));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(flown.rows.len(), lines.len(), "{name}: rows");
    let mut rows = Vec::new();
    for ((kind, values), line) in flown.rows.iter().zip(lines) {
        let mut words = line.split_whitespace();
        let mut columns = Vec::new();
        for &place in &report.kinds[*kind] {
            let column = &report.columns[place];
            if column.is_text(&flown.mission.names) {
                break; // texts stand last
            }
            let gmat = words.next().unwrap_or("").parse().unwrap_or(f64::NAN);
            columns.push((column.path.clone(), values[place], gmat));
        }
        rows.push(Row { columns });
    }
    rows
}

#[derive(Default)]
struct Worst {
    off: f64,
    late: f64,
    others: f64,
    column: String,
}

fn worst(rows: &[Row]) -> Worst {
    let mut worst = Worst::default();
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    for (number, row) in rows.iter().enumerate() {
        let columns = &row.columns;
        let ends = |place: usize, end: &str| columns.get(place).is_some_and(|c| c.0.rsplit('.').next() == Some(end));
        let mut place = 0;
        while place < columns.len() {
            if ends(place, "X") && ends(place + 3, "VX") {
                let d: [f64; 3] = std::array::from_fn(|i| columns[place + i].1 - columns[place + i].2);
                let v: [f64; 3] = std::array::from_fn(|i| columns[place + 3 + i].2);
                let t = dot(d, v) / dot(v, v);
                let rest: [f64; 3] = std::array::from_fn(|i| d[i] - t * v[i]);
                let distance = dot(rest, rest).sqrt();
                worst.off = if distance.is_nan() { f64::NAN } else { worst.off.max(distance) };
                worst.late = worst.late.max(t.abs());
                place += 6;
                continue;
            }
            let (path, ours, gmat) = &columns[place];
            let difference = (ours - gmat).abs() / gmat.abs().max(1.0);
            // infinity is infinity
            let difference = if ours.to_bits() == gmat.to_bits() { 0.0 } else { difference };
            if difference.is_nan() || difference > worst.others {
                worst.others = difference;
                worst.column = format!("row {number} {path}: {ours} {gmat}");
            }
            place += 1;
        }
    }
    worst
}

/// Whether a script of the folder belongs here, or to the language, whose rows tests/fly.rs compares.
pub(super) fn is_here(name: &str) -> bool {
    FAMILIES.iter().any(|family| name.starts_with(family.name)) || name.starts_with("language_")
}

#[test]
fn val_missions_of_gmat() {
    let mut table = format!("{:32} {:>4} {:>9} {:>9} {:>9}\n", "case", "rows", "off, km", "late, s", "others");
    let (mut wrong, mut counts) = (Vec::new(), vec![0; FAMILIES.len()]);
    for name in super::names() {
        let Some(place) = FAMILIES.iter().position(|family| name.starts_with(family.name)) else { continue };
        counts[place] += 1;
        let family = &FAMILIES[place];
        let rows = rows(&name);
        let Worst { off, late, others, column } = worst(&rows);
        let _ = writeln!(table, "{name:32} {:4} {off:9.1e} {late:9.1e} {others:9.1e} {column}", rows.len());
        let allowed = family.late + MICROSECONDS * (rows.len() as f64 + 1.0);
        if !(off <= family.off && late <= allowed && others <= family.others) {
            wrong.push(name);
        }
    }
    println!("{table}");
    assert!(wrong.is_empty(), "{wrong:?} in\n{table}");
    let cases: Vec<usize> = FAMILIES.iter().map(|family| family.cases).collect();
    assert_eq!(counts, cases);
}

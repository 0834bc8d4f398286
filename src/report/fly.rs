//! `sweep-mpi fly`: one mission script, flown alone; its ReportFiles as GMAT writes them.

use std::path::Path;

use super::format::{say, table};
use super::oem::{self, OemError};
use super::report_text::{Cell, ReportWriter, RowSource};
use crate::astro::constants::DAY;
use crate::astro::epoch::{Epoch, SCALES};
use crate::astro::world::World;
use crate::base::clock;
use crate::base::files::Folder;
use crate::base::lanes::{Isa, Vectors};
use crate::base::problem::{Problem, Problems};
use crate::base::run::{Change, EphemerisEvent, ReportRows};
use crate::cli::{EXIT_OK, EXIT_SOME_NOT_OK, FlyArguments, Stop, machine, refused};
use crate::gmat;
use crate::mission::compile::compile_with;
use crate::mission::ephemeris::EphemerisFile;
use crate::mission::report::{Report, ReportField};
use crate::mission::{Column, Mission};
use crate::plan::{read_file, shown};
use crate::propagator::{Flight, Propagator};
use crate::workload::mission::set_overrides;

/// The most rows of a report.
const ROWS_MAX: usize = 10_000_000;
/// The most steps: as good as none.
const STEPS_MAX: u64 = 1 << 40;

/// Flies the script; its reports go to standard output or into files.
pub fn run(arguments: &FlyArguments) -> Result<u8, Stop> {
    let mission = read(arguments).map_err(refused)?;
    let reports = mission.reports.iter().map(|report| format!("{}.txt", report.name));
    let ephemerides = mission.ephemerides.iter().map(|file| format!("{}.oem", file.name));
    let files: Vec<String> = reports.chain(ephemerides).collect();
    if let Some(folder) = &arguments.reports {
        check("--reports", folder, files.iter().cloned(), arguments.overwrite).map_err(refused)?;
    } else {
        for file in &mission.ephemerides {
            eprintln!("{}: EphemerisFile `{}` is written with --reports", shown(&arguments.script), file.name);
        }
    }
    for line in &mission.ignored {
        eprintln!("{}: {line}", shown(&arguments.script));
    }
    let outputs = last_state(&mission);
    let flight =
        Flight { mission, swept: Vec::new(), outputs, rows_max: ROWS_MAX, steps_max: STEPS_MAX, wall_max: None };
    let mut texts = Vec::new();
    let mut failure = None;
    let mut last = String::new();
    let mut missed = Vec::new();
    let mut ephemerides = Ok(Vec::new());
    let mut propagator = Propagator::new(&flight, Vectors::new(Isa::best(), 1));
    if arguments.reports.is_some() {
        propagator = propagator.recording(&flight);
    }
    propagator.fly(
        &flight,
        0..1,
        |_, _| (),
        |run| {
            failure = run.failure;
            let reports = flight.mission.reports.iter().zip(run.reports);
            texts = reports.map(|(report, rows)| text(&flight.mission, report, rows)).collect();
            ephemerides = run_files(&flight.mission, run.ephemerides);
            last = state(&flight.outputs, run.outputs);
            missed = missed_goals(&flight.outputs, run.outputs);
        },
    );
    for solver in missed {
        eprintln!("{}: {solver} did not reach its goals", shown(&arguments.script));
    }
    if let Some(failure) = failure {
        eprintln!("{}: {}", shown(&arguments.script), flight.mission.sentence(failure));
        return Ok(EXIT_SOME_NOT_OK);
    }
    match ephemerides {
        Ok(more) => texts.extend(more),
        Err(message) => {
            eprintln!("{}: {message}", shown(&arguments.script));
            return Ok(EXIT_SOME_NOT_OK);
        }
    }
    match &arguments.reports {
        Some(folder) => {
            for (file, text) in files.iter().zip(&texts) {
                let path = folder.join(file);
                std::fs::write(&path, text).map_err(|error| machine(format!("{}: {error}", shown(&path))))?;
            }
            say(&last);
        }
        None if texts.is_empty() => say(&last),
        None => {
            for (report, text) in flight.mission.reports.iter().zip(&texts) {
                if texts.len() > 1 {
                    say(&format!("% {}\n", report.name));
                }
                say(text);
            }
        }
    }
    Ok(EXIT_OK)
}

fn read(arguments: &FlyArguments) -> Result<Mission, Problems> {
    let file = shown(&arguments.script);
    let bytes = read_file(&arguments.script, gmat::MAX_BYTES, &file)?;
    let tree = gmat::parse(&file, &bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let folder = arguments.script.parent().unwrap_or(Path::new("")).to_owned();
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut mission = compile_with(&file, text, &tree, &Folder::new(folder), World::gmat())?;
    let mut problems = Vec::new();
    set_overrides(&mut mission, &arguments.overrides, |_| false, &mut problems);
    if problems.is_empty() { Ok(mission) } else { Err(Problems(problems)) }
}

/// The folder that an argument names must be there, and the files must not.
pub(super) fn check(
    argument: &str,
    folder: &Path,
    files: impl Iterator<Item = String>,
    overwrite: bool,
) -> Result<(), Problem> {
    let name = shown(folder);
    if !folder.is_dir() {
        return Err(Problem::of(argument, format!("`{name}` is no folder")).help("make it, or give another one"));
    }
    for file in files {
        let path = folder.join(file);
        if path.symlink_metadata().is_ok() && !(overwrite && path.is_file()) {
            return Err(Problem::of(&shown(&path), "exists already").help("--overwrite replaces it"));
        }
    }
    Ok(())
}

/// The texts of the ephemeris files of a run, or which one cannot be written and why.
pub(super) fn run_files(mission: &Mission, recorded: &[Vec<EphemerisEvent>]) -> Result<Vec<String>, String> {
    let date = oem::now(clock::now() / DAY);
    let files = mission.ephemerides.iter().zip(recorded);
    let text = |(file, events): (&EphemerisFile, &Vec<EphemerisEvent>)| {
        let failed = |error: OemError| format!("EphemerisFile `{}`: {error}", file.name);
        oem::text_of_run(mission, file, events, &date).map_err(failed)
    };
    files.map(text).collect()
}

/// A report as GMAT writes it.
fn text(mission: &Mission, report: &Report, rows: &ReportRows) -> String {
    let mut writer = ReportWriter::new(report.settings.clone());
    let mut text = String::new();
    let mut changes = rows.changes.iter().peekable();
    let width = report.columns.len();
    for (number, (values, &kind)) in rows.values.chunks(width).zip(&rows.kinds).enumerate() {
        while let Some(change) = changes.next_if(|change| change.before <= number) {
            carry_out(*change, &mut writer);
        }
        let mut places = report.kinds[kind as usize].iter();
        let items = &report.items[kind as usize];
        let names: Vec<&str> = items.iter().map(|item| item.name.as_str()).collect();
        let cells: Vec<Cell> = (items.iter())
            .map(|item| match item.size {
                Some((lines, columns)) => Cell::Array {
                    elements: places.by_ref().take(lines * columns).map(|&place| values[place]).collect(),
                    columns,
                },
                None => places.next().map_or(Cell::Number(f64::NAN), |&place| {
                    let column = &report.columns[place];
                    if column.is_text(&mission.names) {
                        Cell::Text(text_of(mission, rows, values[place]))
                    } else {
                        cell(column, values[place])
                    }
                }),
            })
            .collect();
        let source = if kind == 0 { RowSource::Add } else { RowSource::Command(kind as usize) };
        debug_assert!(number < ROWS_MAX);
        writer.row(&names, &cells, source, &mut text);
    }
    text
}

/// The text that a number of a row stands for.
fn text_of(mission: &Mission, rows: &ReportRows, place: f64) -> String {
    let texts = &mission.names.texts;
    let place = place as usize;
    texts.get(place).or_else(|| rows.texts.get(place - texts.len())).cloned().unwrap_or_default()
}

/// Changes how the next rows are written.
fn carry_out(change: Change, writer: &mut ReportWriter) {
    let on = change.value != 0.0;
    let size = change.value as usize;
    let settings = writer.settings_mut();
    match ReportField::NAMES[change.field].1 {
        ReportField::Precision => settings.precision = size,
        ReportField::ColumnWidth => settings.width = size,
        ReportField::WriteHeaders => writer.set_headers(on),
        ReportField::LeftJustify => settings.left = on,
        ReportField::ZeroFill => settings.zero_fill = on,
        ReportField::FixedWidth => settings.fixed_width = on,
        ReportField::Delimiter => settings.delimiter = char::from_u32(change.value as u32).unwrap_or(' '),
    }
}

/// A value as a report shows it: dates as texts.
fn cell(column: &Column, value: f64) -> Cell {
    let scale = column.date().filter(|(_, format)| *format == "Gregorian").map(|(scale, _)| scale);
    let scale = SCALES.iter().find(|(_, name)| Some(*name) == scale).map(|(scale, _)| *scale);
    match scale.map(|scale| Epoch::from_mjd(scale, value).map(|epoch| epoch.gregorian(scale))) {
        Some(Ok(date)) => Cell::Date(date),
        _ => Cell::Number(value),
    }
}

/// What is told of a script without a report: where each spacecraft is at the end.
fn last_state(mission: &Mission) -> Vec<Column> {
    const NAMES: [&str; 9] = ["UTCGregorian", "ElapsedSecs", "X", "Y", "Z", "VX", "VY", "VZ", "TotalMass"];
    let paths = mission.names.spacecraft.iter().flat_map(|sat| NAMES.iter().map(move |name| format!("{sat}.{name}")));
    paths.filter_map(|path| mission.column(&path).ok()).chain(mission.solver_columns()).collect()
}

/// The solvers that did not converge, with their iterations.
fn missed_goals(columns: &[Column], values: &[f64]) -> Vec<String> {
    let of = |path: &str| columns.iter().position(|column| column.path == path).map(|place| values[place]);
    let solvers = columns.iter().filter_map(|column| column.path.strip_suffix(".Converged"));
    let missed = solvers.filter(|solver| of(&format!("{solver}.Converged")) == Some(0.0));
    missed
        .map(|solver| format!("{solver}, with {} iterations,", of(&format!("{solver}.Iterations")).unwrap_or(0.0)))
        .collect()
}

fn state(columns: &[Column], values: &[f64]) -> String {
    let rows: Vec<Vec<String>> = columns
        .iter()
        .zip(values)
        .map(|(column, &value)| {
            let value = match cell(column, value) {
                Cell::Date(text) | Cell::Text(text) => text,
                Cell::Number(number) => number.to_string(),
                Cell::Array { .. } => String::new(),
            };
            let units = if column.date().is_some() || column.units() == "1" { "" } else { column.units() };
            vec![column.path.clone(), value, units.to_owned()]
        })
        .collect();
    table(&rows)
}

//! The plan: what runs there are, what each of them sets and leaves, and what the result file holds.
//!
//! Made on every rank from the same bytes, so it is the same everywhere; it depends on no clock, no rank
//! and no file. Rank 0 reads the bytes.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::astro::ephemeris::{Ephemeris, Span};
use crate::astro::frames::{EarthOrientation, EarthTable};
use crate::astro::world::World;
use crate::base::files::{Files as _, Folder, Read};
use crate::base::nearest::did_you_mean;
use crate::base::outcome::{FAILURES, Failure};
use crate::base::problem::{Problem, Problems, printable};
use crate::cli::RunArguments;
use crate::config::overrides::Overrides;
use crate::config::reader::cut;
use crate::config::{self, Config, Data, From, Lanes, Located, StageConfig};
use crate::design::results::FromResults;
use crate::design::{self, Design};
use crate::gmat;
use crate::mission::compile::compile_with;
use crate::store::{Axis, Column, ColumnKind, DRIFT, DRIFT_BYTES, Layout, ReportLayout, TIMING, hdf5_name, hdf5_names};
use crate::workload::{self, Inputs, Workload};

mod difference;
mod slice;

pub use difference::differences;

/// The most runs that `/failures` lists.
pub const FAILURES_MAX: u64 = 1000;

/// The program's name and version, as the result file has it.
pub const SOURCE: &str = concat!("sweep-mpi ", env!("CARGO_PKG_VERSION"));

/// The bytes that a plan is made of.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The config's path as given.
    pub config_file: String,
    /// Its folder, absolute.
    pub folder: PathBuf,
    /// The config.
    pub config: Vec<u8>,
    /// The mission script of the sweep and of each stage; empty where runs are no missions.
    pub scripts: Vec<Vec<u8>>,
    /// The files that the scripts and `[data]` name, by their paths as written, for each of the scripts.
    pub files: Vec<Read>,
}

impl Sources {
    /// Reads the config and the script that it names.
    pub fn read(config: &Path) -> Result<Sources, Problems> {
        let config_file = config.display().to_string();
        let bytes = read_file(config, config::MAX_BYTES, &config_file)?;
        let absolute = std::path::absolute(config).map_err(|error| Problem::of(&config_file, error.to_string()))?;
        let folder = absolute.parent().map_or_else(|| PathBuf::from("/"), Path::to_path_buf);
        let sweeps = config::parse_stages(&config_file, &folder, &bytes, design::read)?;
        let mut sources = Sources { config_file, folder, config: bytes, scripts: Vec::new(), files: Vec::new() };
        for (parsed, _) in &sweeps {
            let script = read_script(parsed)?;
            sources.files.push(read_files(parsed, &script)?);
            sources.scripts.push(script);
        }
        Ok(sources)
    }
}

/// The name under which the digest of the ephemeris stands among the files.
const EPHEMERIS_DIGEST: &str = "[data] ephemeris, SHA-256";
/// The name under which the Earth orientation parameters stand among the files.
const EARTH_ORIENTATION: &str = "[data] earth_orientation";

/// Reads what a script and `[data]` name. What is wrong with the script is told when it is planned.
fn read_files(config: &Config, script: &[u8]) -> Result<Read, Problems> {
    let Some(mission) = &config.mission else { return Ok(Read::new()) };
    let script_file = shown(&mission.script.value);
    let folder = Folder::new(mission.script.value.parent().unwrap_or(Path::new("/")).to_owned());
    if let Ok(tree) = gmat::parse(&script_file, script) {
        let _ = compile_with(&script_file, "", &tree, &folder, World::gmat());
    }
    let mut read = folder.into_read();
    let trouble = |at: &Located<PathBuf>, error: String| {
        let message = format!("the file {} cannot be read: {error}", shown(&at.value));
        Problem::at(&config.file, &config.text, at.span, message).help("a path relative to this file, or absolute")
    };
    if let Some(at) = &config.data.earth_orientation {
        let folder = Folder::new(PathBuf::from("/"));
        let bytes = folder.read(&at.value.display().to_string()).map_err(|error| trouble(at, error))?;
        read.insert(EARTH_ORIENTATION.to_owned(), Ok(bytes));
    }
    if let Some(at) = &config.data.ephemeris {
        let digest = digest_of(&at.value).map_err(|error| trouble(at, error.to_string()))?;
        read.insert(EPHEMERIS_DIGEST.to_owned(), Ok(digest.as_bytes().into()));
    }
    Ok(read)
}

/// SHA-256 of a file of any size.
fn digest_of(path: &Path) -> std::io::Result<String> {
    let mut hasher = Sha256::new();
    let mut file = std::fs::File::open(path)?;
    let mut bytes = vec![0; 1 << 20];
    loop {
        match file.read(&mut bytes)? {
            0 => return Ok(hex(&hasher.finalize())),
            count => hasher.update(&bytes[..count]),
        }
    }
}

/// The world of a config: GMAT's, or with the data that it names. The ephemeris is opened by every rank, since it may
/// be large; all other files were read by the first one.
fn world(config: &Config, files: &Read) -> Result<Arc<World>, Problems> {
    let Data { ephemeris, earth_orientation } = &config.data;
    if ephemeris.is_none() && earth_orientation.is_none() {
        return Ok(World::gmat());
    }
    let at = |at: &Located<PathBuf>, message: String, help: &str| {
        let message = format!("{}: {message}", shown(&at.value));
        Problem::at(&config.file, &config.text, at.span, message).help(help)
    };
    let mut world = World::built_in();
    if let Some(path) = earth_orientation {
        let bytes = files.read(EARTH_ORIENTATION).map_err(|error| at(path, error, ""))?;
        let text = String::from_utf8_lossy(&bytes);
        let table = EarthTable::parse(&text);
        world.earth =
            EarthOrientation::new(table.map_err(|e| at(path, e.to_string(), "allowed: IERS C04 or finals2000A"))?);
    }
    if let Some(path) = ephemeris {
        world.ephemeris = Ephemeris::of_file(&path.value, Span::USUAL)
            .map_err(|e| at(path, e.to_string(), "allowed: an SPK kernel of type 2 or 3, or a JPL binary ephemeris"))?;
    }
    for (name, content) in files.iter().filter(|(name, _)| name.starts_with("[data]")) {
        let content = content.as_deref().unwrap_or_default();
        let _ = writeln!(world.data, "{name} {}", hex(&Sha256::digest(content)));
    }
    Ok(Arc::new(world))
}

fn read_script(config: &Config) -> Result<Vec<u8>, Problems> {
    let Some(mission) = &config.mission else { return Ok(Vec::new()) };
    let at = &mission.script;
    read_file(&at.value, gmat::MAX_BYTES, &shown(&at.value)).map_err(|problems| {
        let message = problems.0.first().map_or(String::new(), |problem| problem.message.clone());
        let message = format!("the mission script {}: {message}", shown(&at.value));
        let help = "a path relative to this file, or absolute";
        Problem::at(&config.file, &config.text, at.span, message).help(help).into()
    })
}

/// Reads a file of at most so many bytes; `name` is what messages call it.
pub fn read_file(path: &Path, most: usize, name: &str) -> Result<Vec<u8>, Problems> {
    let trouble = |error: &std::io::Error| Problem::of(name, format!("cannot be read: {error}"));
    let metadata = std::fs::metadata(path).map_err(|error| trouble(&error))?;
    if !metadata.is_file() {
        return Err(Problem::of(name, "cannot be read: it is not a file").into());
    }
    let too_long = |bytes| Problem::of(name, format!("has {bytes} bytes, more than the {most} that are read"));
    if metadata.len() > most as u64 {
        return Err(too_long(metadata.len()).into());
    }
    // a file may grow, and one of /proc does not tell its length
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(most as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|error| trouble(&error))?;
    if bytes.len() > most { Err(too_long(bytes.len() as u64).into()) } else { Ok(bytes) }
}

/// The files that a sweep is made from: the config, the script, and what either names.
fn inputs(config: &Config, files: &Read) -> Vec<PathBuf> {
    let script = config.mission.as_ref().map(|mission| mission.script.value.clone());
    let folder = script.as_deref().and_then(Path::parent).unwrap_or(&config.folder);
    let named =
        files.keys().filter(|name| !name.starts_with("[data]")).map(|name| folder.join(name)).collect::<Vec<_>>();
    let data = [&config.data.ephemeris, &config.data.earth_orientation];
    let data = data.into_iter().flatten().map(|data| data.value.clone());
    std::path::absolute(&config.file).into_iter().chain(script).chain(named).chain(data).collect()
}

/// A path as a person would write it from here; control characters become blanks.
pub fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let relative = here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_path_buf));
    let path = relative.filter(|path| !path.as_os_str().is_empty()).unwrap_or_else(|| path.to_path_buf());
    printable(&path.display().to_string())
}

/// What is to be flown and kept.
pub struct Plan {
    /// What the user wrote.
    pub config: Config,
    /// Which runs there are.
    pub design: Box<dyn Design>,
    /// What a run is.
    pub workload: Box<dyn Workload>,
    /// The result file.
    pub output: PathBuf,
    /// Every file that the plan was made from, none of which may be written to.
    pub inputs: Vec<PathBuf>,
    /// The layout of the result file.
    pub layout: Layout,
    /// Threads of each rank.
    pub threads: usize,
    /// Runs that a thread flies side by side.
    pub lanes: Lanes,
}

impl Plan {
    /// Makes the plans of the first sweep and of its stages, or tells all that stands in the way.
    pub fn all(sources: &Sources, arguments: &RunArguments) -> Result<Vec<Plan>, Problems> {
        let sweeps = config::parse_stages(&sources.config_file, &sources.folder, &sources.config, design::read)?;
        if arguments.slice.is_some() && sweeps.len() > 1 {
            let message = "a sweep with stages cannot be flown in slices: a stage needs the results of all runs before";
            return Err(Problem::of("--slice", message).help("leave out --slice, or the stages").into());
        }
        let mut plans: Vec<Plan> = Vec::new();
        let (nothing, no_files) = (Vec::new(), Read::new());
        for (number, (config, own)) in sweeps.into_iter().enumerate() {
            let mut overrides = arguments.overrides.clone();
            let design = if let (Some(before), Some(stage)) = (plans.last(), &config.stage) {
                let design = stage_design(&config, stage, own, before)?;
                // what a stage sets is not set by hand
                overrides.0.retain(|value| !design.parameters().iter().any(|parameter| parameter.path == value.path));
                design
            } else {
                own.ok_or_else(|| Problem::of(&config.file, "[design] is missing"))?
            };
            let output = match (&arguments.output, &config.stage) {
                (Some(path), None) => {
                    std::path::absolute(path).map_err(|error| Problem::of("--output", error.to_string()))?
                }
                (Some(_), Some(stage)) if !stage.own_file => config::stage_file(&plans[0].output, &stage.name.value),
                _ => config.output.file.value.clone(),
            };
            let output = match arguments.slice {
                Some(slice) => config::stage_file(&output, &slice.name()),
                None => output,
            };
            if plans.iter().any(|plan| plan.output == output) {
                let message = format!("{} is the result file of a stage", shown(&output));
                return Err(Problem::of("--output", message).help("a file of its own").into());
            }
            let script = sources.scripts.get(number).unwrap_or(&nothing);
            let files = sources.files.get(number).unwrap_or(&no_files);
            plans.push(Plan::new(sources, arguments, config, design, (script, files), &overrides, output)?);
        }
        Ok(plans)
    }

    /// Makes the plan of one sweep.
    fn new(
        sources: &Sources,
        arguments: &RunArguments,
        config: Config,
        design: Box<dyn Design>,
        (script, files): (&[u8], &Read),
        overrides: &Overrides,
        output: PathBuf,
    ) -> Result<Plan, Problems> {
        let world = world(&config, files)?;
        let script_file = config.mission.as_ref().map_or(String::new(), |mission| shown(&mission.script.value));
        let workload = workload::build(&Inputs {
            config: &config,
            design: design.as_ref(),
            script,
            script_file: &script_file,
            overrides,
            files,
            world,
        })?;
        design.relate(&|parameter| workload.nominal(parameter)).map_err(|parameter| {
            let parameter = &design.parameters()[parameter];
            let message = format!("`{}` is drawn relative to the script's value, which it has none of", parameter.path);
            let help = "a number of a mission's script; or without relative_to and scale";
            Problem::at(&config.file, &config.text, parameter.span, message).help(help)
        })?;
        let threads = arguments.threads.unwrap_or(config.schedule.threads);
        let lanes = arguments.lanes.unwrap_or(config.schedule.lanes);
        let of = if script_file.is_empty() { &sources.config_file } else { &script_file };
        let of = Path::new(of).file_name().map_or("", |name| name.to_str().unwrap_or(""));
        let title = match &config.stage {
            Some(stage) => format!("sweep of {of}, stage {}", stage.name.value),
            None => format!("sweep of {of}"),
        };
        let mut layout = layout(workload.as_ref(), design.as_ref(), title, config.output.timing);
        layout.plan_sha256 = hash(workload.as_ref(), design.as_ref());
        layout.sweep_id = layout.plan_sha256[..12].to_owned();
        layout.provenance = vec![
            ("config".to_owned(), String::from_utf8_lossy(&sources.config).into_owned()),
            ("mission".to_owned(), String::from_utf8_lossy(script).into_owned()),
            ("overrides".to_owned(), workload.overrides()),
            ("data".to_owned(), digests(files)),
            ("version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            ("git_hash".to_owned(), env!("SWEEP_MPI_GIT_HASH").to_owned()),
            ("libraries".to_owned(), crate::store::library_version()),
            (DRIFT.to_owned(), " ".repeat(DRIFT_BYTES)),
        ];
        if let Some(slice) = arguments.slice {
            slice::cut(&mut layout, slice)?;
        }
        layout.check().map_err(|error| Problem::of(&sources.config_file, format!("the result file: {error}")))?;
        let inputs = inputs(&config, files);
        Ok(Plan { config, design, workload, output, inputs, layout, threads, lanes })
    }

    /// The message of a run that is not ok: why, and what it was flown with.
    pub fn failure_message(&self, run: u64, failure: Failure) -> String {
        let mut message = self.workload.sentence(failure);
        for (number, (column, value)) in self.workload.parameters().iter().zip(self.parameters(run)).enumerate() {
            let before = if number == 0 { " (" } else { ", " };
            let _ = write!(message, "{before}{} = {value}", column.path);
        }
        message.push(')');
        message
    }

    /// The numbers of a run's parameter columns.
    pub fn parameters(&self, run: u64) -> Vec<f64> {
        let mut values = vec![0.0; self.workload.parameters().len()];
        self.design.values(run, &mut values);
        values.iter().enumerate().map(|(number, &value)| self.workload.column_value(number, value)).collect()
    }

    /// Bytes that one row takes in memory, at most.
    pub fn row_bytes(&self) -> u64 {
        let columns = (self.layout.parameters.len() + self.layout.outputs.len()) as u64;
        let rows = self.workload.reports().iter().map(|report| report.columns.len() as u64 * report.rows_max);
        24 + 8 * (columns + rows.sum::<u64>())
    }
}

/// The design of a stage after a sweep: its columns are looked up in the layout of that sweep's file.
fn stage_design(
    config: &Config,
    stage: &StageConfig,
    own: Option<Box<dyn Design>>,
    before: &Plan,
) -> Result<Box<dyn Design>, Problems> {
    let at = |span, message: String| Problem::at(&config.file, &config.text, span, message);
    let mut problems = Vec::new();
    let mut find = |name: &Located<String>| {
        let found = before.layout.column(&name.value).map(|column| column.name.clone());
        if found.is_none() {
            let message = format!("the results before the stage have no column `{}`", cut(&name.value));
            let columns = before.layout.outputs.iter().chain(&before.layout.parameters);
            let help = did_you_mean(&name.value, columns.map(|column| column.gmat_name.as_str()));
            problems.push(at(name.span, message).help(help));
        }
        found.unwrap_or_default()
    };
    let columns = stage.set.iter().map(|(_, column)| find(column)).collect();
    let by = if let From::Extreme { by, .. } = &stage.from { Some(find(by)) } else { None };
    if !problems.is_empty() {
        return Err(Problems(problems));
    }
    let design = FromResults::new(stage, own, before.layout.runs, &before.layout.plan_sha256, columns, by);
    Ok(Box::new(design.map_err(|message| at(stage.name.span, message))?))
}

/// SHA-256 of what decides the numbers: the workload and the design, not their spelling.
fn hash(workload: &dyn Workload, design: &dyn Design) -> String {
    let text = format!("{}\n{}\n{}", workload.kind(), workload.describe(), design.canonical());
    hex(&Sha256::digest(text.as_bytes()))
}

/// Each data file with its SHA-256, a line each.
fn digests(files: &Read) -> String {
    let mut text = String::new();
    for (name, content) in files {
        let content = content.as_deref().unwrap_or_default();
        let _ = writeln!(text, "{name} {}", hex(&Sha256::digest(content)));
    }
    text
}

fn hex(digest: &[u8]) -> String {
    digest.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn layout(workload: &dyn Workload, design: &dyn Design, title: String, timing: bool) -> Layout {
    let swept_paths: BTreeSet<&str> = workload.parameters().iter().map(|column| column.path.as_str()).collect();
    let output_paths = workload.outputs().iter().map(|column| {
        // the final value of something that is swept needs a name of its own
        if swept_paths.contains(column.path.as_str()) { format!("{}_final", column.path) } else { column.path.clone() }
    });
    let paths: Vec<String> =
        workload.parameters().iter().map(|column| column.path.clone()).chain(output_paths).collect();
    let mut names = hdf5_names(paths.iter().map(String::as_str)).into_iter();
    let parameters: Vec<Column> =
        workload.parameters().iter().zip(names.by_ref()).map(|(column, name)| stored(column, name)).collect();
    let mut outputs: Vec<Column> =
        workload.outputs().iter().zip(names).map(|(column, name)| stored(column, name)).collect();
    outputs.extend(TIMING.iter().filter(|_| timing).map(|&(name, units, about)| {
        stored(&workload::Column { units: units.to_owned(), ..workload::Column::number(name, about) }, name.to_owned())
    }));
    let reports = workload.reports().iter().map(|report| {
        let names = hdf5_names(report.columns.iter().map(|column| column.path.as_str()));
        let columns = report.columns.iter().zip(names).map(|(column, name)| stored(column, name)).collect();
        ReportLayout { name: hdf5_name(&report.name), max_steps: report.rows_max, columns }
    });
    let axes = design.axes().iter().enumerate().zip(&parameters).map(|((number, axis), column)| Axis {
        name: column.name.clone(),
        units: column.units.clone(),
        long_name: column.long_name.clone(),
        values: (0..axis.points.count()).map(|index| workload.column_value(number, axis.points.value(index))).collect(),
    });
    let error_codes = std::iter::once((0, "none".to_owned()))
        .chain(FAILURES.iter().map(|(failure, name, _)| (failure.code(), (*name).to_owned())));
    Layout {
        title,
        source: SOURCE.to_owned(),
        sweep_id: String::new(),
        plan_sha256: String::new(),
        runs: design.runs(),
        slice: None,
        reports: reports.collect(),
        axes: axes.collect(),
        parameters,
        outputs,
        timing,
        error_codes: error_codes.collect(),
        failures_max: design.runs().min(FAILURES_MAX),
        provenance: Vec::new(),
    }
}

/// A column as the result file has it.
fn stored(column: &workload::Column, name: String) -> Column {
    let attributes = column.date.iter().flat_map(|(scale, format)| {
        [("time_scale".to_owned(), scale.clone()), ("gmat_format".to_owned(), format.clone())]
    });
    Column {
        name,
        gmat_name: column.path.clone(),
        units: column.units.clone(),
        long_name: format!("{}, {}", column.path, column.long_name),
        kind: if column.integer { ColumnKind::Integer } else { ColumnKind::Float },
        attributes: attributes.collect(),
    }
}

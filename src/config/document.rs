//! The sections of a config, checked key by key. All problems are noted, not the first only.

use super::reader::{Content, Key, Reader, Table, Value, cut, read_toml};
use super::{
    Checkpoint, Chunk, Config, Data, DesignConfig, Lanes, Limits, Located, MAX_BYTES, MAX_THREADS, Mission, Output,
    Rows, Schedule, StageConfig, WorkloadConfig, stages,
};
use crate::base::nearest::{did_you_mean, nearest};
use crate::base::problem::{Problem, Problems};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Every section and its keys. Those of `[design]` and `[workload]` belong to their kinds, which read them;
/// they stand here so that a key in the wrong section can be sent home.
const SECTIONS: &[(&str, &[&str])] = &[
    ("mission", &["script"]),
    (
        "workload",
        &[
            "kind",
            "outputs",
            "task",
            "seconds",
            "flops",
            "bytes",
            "requests",
            "argv",
            "pre",
            "post",
            "env",
            "env_allow",
            "keep",
            "stdin",
            "stdout_max_bytes",
            "stderr_max_bytes",
            "wall_s",
            "grace_s",
            "retries",
            "backoff_s",
            "concurrent",
            "tasks",
            "levels",
            "total_ms",
            "data",
            "memory",
            "fast_compute",
            "carried_bytes",
        ],
    ),
    (
        "design",
        &[
            "kind",
            "repeat",
            "axes",
            "columns",
            "designs",
            "runs",
            "seed",
            "parameters",
            "correlated",
            "seed_contract",
            "centred",
            "scramble",
            "skip",
        ],
    ),
    ("output", &["file", "final", "rows", "timing"]),
    ("schedule", &["chunk", "threads", "lanes"]),
    ("checkpoint", &["interval_s", "rows", "sync"]),
    ("data", &["ephemeris", "earth_orientation"]),
    ("limits", &["steps", "wall_s"]),
    ("stage", &["name", "from", "by", "goal", "set"]),
];

/// The workload that a config has where it says nothing.
const MISSION: &str = "mission";

/// Reads a config without its design's own keys; `folder` is the absolute folder of the file.
pub fn parse(file: &str, folder: &Path, bytes: &[u8]) -> Result<Config, Problems> {
    parse_with(file, folder, bytes, |_, _| Some(())).map(|(config, ())| config)
}

/// Reads the first sweep of a config and its design, see [`parse_stages`].
pub fn parse_with<D>(
    file: &str,
    folder: &Path,
    bytes: &[u8],
    read_design: impl Fn(&DesignConfig, &mut Reader) -> Option<D>,
) -> Result<(Config, D), Problems> {
    let mut sweeps = parse_stages(file, folder, bytes, read_design)?;
    let (config, design) = sweeps.swap_remove(0);
    match design {
        Some(design) => Ok((config, design)),
        None => Err(Problem::of(file, "the design gave no runs and no reason").into()),
    }
}

/// Reads the sweeps of a config, the first and its stages, each with its design, and tells the problems
/// of all at once. Only a stage may have no design.
///
/// `read_design` is [`crate::design::read`]; it notes its problems in the reader and gives none.
pub fn parse_stages<D>(
    file: &str,
    folder: &Path,
    bytes: &[u8],
    read_design: impl Fn(&DesignConfig, &mut Reader) -> Option<D>,
) -> Result<Vec<(Config, Option<D>)>, Problems> {
    let mut reader = Reader::new(file, decode(file, bytes)?);
    let Some(root) = read_toml(&mut reader) else { return Err(reader.finish().1) };
    unknown_sections(&mut reader, &root);
    let mut sweeps: Vec<(Config, Option<D>)> = Vec::new();
    let first = sweep(&mut reader, &root, file, folder, None);
    let first_file = first.as_ref().map(|config| config.output.file.clone());
    let stages = stages::read(&mut reader, &root, first_file.as_ref());
    let mut configs = vec![first];
    for (table, stage, output) in stages {
        configs.push(sweep(&mut reader, &table, file, folder, Some((stage, output))));
    }
    for config in configs.into_iter().flatten() {
        let design = config.design.as_ref().and_then(|design| read_design(design, &mut reader));
        if design.is_none() && config.design.is_some() && !reader.has_problems() {
            reader.refuse_file("the design gave no runs and no reason", "");
        }
        let taken = sweeps.iter().find(|(other, _)| other.output.file.value == config.output.file.value);
        if let (Some((other, _)), Some(stage)) = (taken, &config.stage) {
            let earlier = other.stage.as_ref().map_or("the first sweep", |stage| &stage.name.value);
            let message = format!("the result file of the stage `{}` is that of {earlier}", cut(&stage.name.value));
            reader.refuse_at(config.output.file.span, message, "a file of its own");
        }
        sweeps.push((config, design));
    }
    if reader.has_problems() || sweeps.is_empty() {
        return Err(reader.finish().1);
    }
    let (text, _) = reader.finish();
    for (config, _) in &mut sweeps {
        config.text = Arc::clone(&text);
    }
    Ok(sweeps)
}

/// One sweep of a config, without its text; none where something it cannot do without is wrong.
fn sweep(
    reader: &mut Reader,
    root: &Table,
    file: &str,
    folder: &Path,
    stage: Option<(StageConfig, Located<PathBuf>)>,
) -> Option<Config> {
    let (stage, stage_file) = stage.map_or((None, None), |(stage, file)| (Some(stage), Some(file)));
    let mut document = Document { reader, root, file, folder };
    let workload = document.workload();
    let mission = document.mission(workload.as_ref());
    let output = document.output(stage_file);
    let schedule = document.schedule();
    let checkpoint = document.checkpoint();
    let limits = document.limits();
    let data = document.data();
    let design = if stage.is_some() && root.get("design").is_none() { None } else { Some(document.design()?) };
    document.output_is_no_input(mission.as_ref(), output.as_ref());
    let (file, folder) = (file.to_owned(), folder.to_owned());
    let (workload, output) = (workload?, output?);
    let text = Arc::from("");
    Some(Config { file, folder, text, workload, mission, stage, design, output, schedule, checkpoint, limits, data })
}

/// Bytes to text: UTF-8 with or without a byte order mark, nothing else.
fn decode(file: &str, bytes: &[u8]) -> Result<String, Problem> {
    const SAVE: &str = "allowed: TOML in UTF-8; save the file as UTF-8";
    if bytes.len() > MAX_BYTES {
        let message = format!("the file has {} bytes, more than a config may have", bytes.len());
        return Err(Problem::of(file, message).help(format!("allowed: {MAX_BYTES} bytes (4 MiB)")));
    }
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return Err(Problem::of(file, "the file is UTF-16").help(SAVE));
    }
    let bytes = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
    let valid = match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => return Ok(text.to_owned()),
        Ok(text) => text.find('\0').unwrap_or(0),
        Err(error) => error.valid_up_to(),
    };
    let message = match bytes[valid] {
        0 => "a zero byte: this is UTF-16 or no text at all".to_owned(),
        byte => format!("the byte 0x{byte:02X} is not UTF-8"),
    };
    let mut reader = Reader::new(file, String::from_utf8_lossy(&bytes[..valid]).into_owned());
    reader.refuse(&(valid..valid), message, SAVE);
    Err(reader.finish().1.0.swap_remove(0))
}

/// Notes a key that `section` does not have; `own` are those it has.
///
/// A key of another section is sent there, any other gets the nearest names.
pub fn unknown_key(reader: &mut Reader, section: &str, own: &[&str], key: &Key) {
    if reader.is_full() {
        return reader.refuse(&key.range, "", "");
    }
    let home: Vec<String> = SECTIONS
        .iter()
        .filter(|(name, keys)| *name != section && keys.contains(&key.name.as_str()))
        .map(|(name, _)| format!("[{name}]"))
        .collect();
    let others = || SECTIONS.iter().flat_map(|(name, keys)| keys.iter().map(move |key| (*name, *key)));
    let help = if !home.is_empty() {
        format!("belongs under {}", home.join(" or "))
    } else if !nearest(&key.name, own.iter().copied(), 1).is_empty() {
        did_you_mean(&key.name, own.iter().copied())
    } else if let Some(near) = nearest(&key.name, others().map(|(_, key)| key), 1).first() {
        let name = others().find(|(_, key)| key == near).map_or("", |(name, _)| name);
        format!("did you mean `{near}` under [{name}]? supported here: {}", own.join(", "))
    } else {
        format!("supported: {}", own.join(", "))
    };
    reader.refuse(&key.range, format!("`{}` is not a key of [{section}]", cut(&key.name)), help);
}

struct Document<'a> {
    reader: &'a mut Reader,
    root: &'a Table,
    file: &'a str,
    folder: &'a Path,
}

impl<'a> Document<'a> {
    /// A section, if it is there and is a table.
    fn section(&mut self, name: &str) -> Option<&'a Table> {
        let value = self.root.get(name)?;
        match &value.content {
            Content::List(_) => {
                self.reader.refuse(
                    &value.range,
                    format!("`{name}` cannot be a list of tables"),
                    format!("allowed: one section [{name}]"),
                );
                None
            }
            _ => self.reader.table(name, value, &format!("a section [{name}]")),
        }
    }

    /// Notes the keys of a section that it does not have.
    fn keys(&mut self, section: &str, table: &Table, own: &[&str]) {
        for (key, _) in table.entries.iter().filter(|(key, _)| !own.contains(&key.name.as_str())) {
            unknown_key(self.reader, section, own, key);
        }
    }

    /// The section with its keys checked, and one of them that must be there.
    fn mandatory(&mut self, section: &str, key: &str, example: &str) -> Option<(&'a Table, &'a Value)> {
        let help = format!("write: {key} = {example}");
        if self.root.get(section).is_none() {
            self.reader.refuse_file(format!("[{section}] is missing, and its `{key}`"), help);
            return None;
        }
        let table = self.section(section)?;
        let value = table.get(key);
        if value.is_none() {
            self.reader.refuse(&table.range, format!("`{key}` is missing under [{section}]"), help);
        }
        Some((table, value?))
    }

    /// What a run is; a mission where nothing is said.
    fn workload(&mut self) -> Option<WorkloadConfig> {
        let Some(value) = self.root.get("workload") else {
            let kind = self.reader.located(MISSION.to_owned(), &(0..0));
            return Some(WorkloadConfig { kind, table: Table::default() });
        };
        let table = self.section("workload")?;
        let Some(kind) = table.get("kind") else {
            self.reader.refuse(&value.range, "`kind` is missing under [workload]", "write: kind = \"mission\"");
            return None;
        };
        let name = self.reader.text_of("workload.kind", kind, "the name of a workload, such as \"mission\"")?;
        Some(WorkloadConfig { kind: self.reader.located(name.to_owned(), &kind.range), table: table.clone() })
    }

    /// The mission: there must be one where runs are missions, and none elsewhere.
    fn mission(&mut self, workload: Option<&WorkloadConfig>) -> Option<Mission> {
        let Some(kind) = workload.map(|workload| workload.kind.value.as_str()).filter(|kind| *kind != MISSION) else {
            return self.mission_section();
        };
        if let Some(section) = self.root.get("mission") {
            let message = format!("[mission] has no meaning for the workload `{}`", cut(kind));
            self.reader.refuse(&section.range, message, "leave it out, or [workload]");
        }
        None
    }

    fn mission_section(&mut self) -> Option<Mission> {
        let found = self.mandatory("mission", "script", "\"missions/name.script\"");
        if let Some(table) = found.map(|(table, _)| table).or_else(|| self.quietly("mission")) {
            self.keys("mission", table, keys_of("mission"));
        }
        let script = self.path("mission.script", found?.1)?;
        Some(Mission { script })
    }

    /// What is kept, and where; `stage_file` is where if a stage says nothing else.
    fn output(&mut self, stage_file: Option<Located<PathBuf>>) -> Option<Output> {
        let written = self.quietly("output").is_some_and(|table| table.get("file").is_some());
        let stage_file = stage_file.filter(|_| !written);
        let found = if stage_file.is_some() { None } else { self.mandatory("output", "file", "\"name.h5\"") };
        let table = found.map(|(table, _)| table).or_else(|| self.quietly("output"));
        if let Some(table) = table {
            self.keys("output", table, keys_of("output"));
        }
        let finals = table.and_then(|table| table.get("final")).and_then(|value| self.finals(value));
        let rows = table.and_then(|table| table.get("rows")).and_then(|value| self.rows(value));
        let timing = table.and_then(|table| table.get("timing")).and_then(|v| self.reader.flag("output.timing", v));
        let file = match stage_file {
            Some(file) => file,
            None => self.path("output.file", found?.1)?,
        };
        Some(Output { file, finals, rows, timing: timing.unwrap_or(false) })
    }

    fn design(&mut self) -> Option<DesignConfig> {
        let (table, kind) = self.mandatory("design", "kind", "\"grid\"")?;
        let name = self.reader.text_of("design.kind", kind, "the name of a design, such as \"grid\"")?;
        Some(DesignConfig { kind: self.reader.located(name.to_owned(), &kind.range), table: table.clone() })
    }

    fn schedule(&mut self) -> Schedule {
        let mut schedule = Schedule::default();
        let Some(table) = self.section("schedule") else { return schedule };
        self.keys("schedule", table, keys_of("schedule"));
        if let Some(value) = table.get("chunk") {
            match &value.content {
                Content::Text(text) if text == "auto" => {}
                Content::Integer(1..) => {
                    if let Some(runs) = self.reader.count("schedule.chunk", value, 1..=1 << 53) {
                        schedule.chunk = Chunk::Runs(runs);
                    }
                }
                Content::Refused => {}
                _ => self.reader.refuse_value("schedule.chunk", value, "\"auto\" or a number of runs, at least 1"),
            }
        }
        if let Some(threads) =
            table.get("threads").and_then(|v| self.reader.count("schedule.threads", v, 1..=MAX_THREADS))
        {
            schedule.threads = threads as usize;
        }
        if let Some(value) = table.get("lanes") {
            match &value.content {
                Content::Text(text) if text == "auto" => {}
                Content::Integer(1) => schedule.lanes = Lanes::One,
                Content::Integer(4) => schedule.lanes = Lanes::Four,
                Content::Integer(8) => schedule.lanes = Lanes::Eight,
                Content::Refused => {}
                _ => self.reader.refuse_value("schedule.lanes", value, "\"auto\", 1, 4 or 8"),
            }
        }
        schedule
    }

    fn checkpoint(&mut self) -> Checkpoint {
        const ALLOWED: &str = "seconds above 0, at most 1e9";
        let mut checkpoint = Checkpoint::default();
        let Some(table) = self.section("checkpoint") else { return checkpoint };
        self.keys("checkpoint", table, keys_of("checkpoint"));
        if let Some(value) = table.get("interval_s") {
            match self.reader.number("checkpoint.interval_s", value, ALLOWED) {
                Some(seconds) if seconds > 0.0 && seconds <= 1e9 => checkpoint.interval_s = seconds,
                Some(_) => self.reader.refuse_value("checkpoint.interval_s", value, ALLOWED),
                None => {}
            }
        }
        checkpoint.rows = table.get("rows").and_then(|v| self.reader.count("checkpoint.rows", v, 1..=u64::MAX));
        let sync = table.get("sync").and_then(|v| self.reader.flag("checkpoint.sync", v));
        checkpoint.sync = sync.unwrap_or(checkpoint.sync);
        checkpoint
    }

    fn limits(&mut self) -> Limits {
        let mut limits = Limits::default();
        let Some(table) = self.section("limits") else { return limits };
        self.keys("limits", table, keys_of("limits"));
        if let Some(steps) = table.get("steps").and_then(|v| self.reader.count("limits.steps", v, 1..=u64::MAX)) {
            limits.steps = steps;
        }
        if let Some(value) = table.get("wall_s") {
            const ALLOWED: &str = "seconds above 0 and at most 1e9";
            match self.reader.number("limits.wall_s", value, ALLOWED) {
                Some(wall) if wall > 0.0 && wall <= 1e9 => limits.wall_s = wall,
                Some(_) => self.reader.refuse_value("limits.wall_s", value, ALLOWED),
                None => {}
            }
        }
        limits
    }

    /// Data files instead of those that come with the program.
    fn data(&mut self) -> Data {
        let mut data = Data::default();
        let Some(table) = self.section("data") else { return data };
        self.keys("data", table, keys_of("data"));
        data.ephemeris = table.get("ephemeris").and_then(|value| self.path("data.ephemeris", value));
        data.earth_orientation =
            table.get("earth_orientation").and_then(|value| self.path("data.earth_orientation", value));
        data
    }

    fn finals(&mut self, value: &Value) -> Option<Vec<Located<String>>> {
        let items = self.reader.list("output.final", value, "a list of columns such as [\"Sat.SMA\"]")?;
        let mut seen = std::collections::HashMap::new();
        let mut finals = Vec::new();
        for item in items {
            let allowed = "the name of a parameter, such as \"Sat.EarthMJ2000Eq.X\"";
            let Some(text) = self.reader.text_of("output.final", item, allowed) else { continue };
            let located = self.reader.located(text.to_owned(), &item.range);
            if let Some(first) = seen.insert(text, located.span) {
                let message = format!("the column `{}` is listed twice in `output.final`", cut(text));
                let help = format!("first at line {}, column {}", first.line, first.column);
                self.reader.refuse(&item.range, message, help);
            }
            finals.push(located);
        }
        Some(finals)
    }

    fn rows(&mut self, value: &Value) -> Option<Rows> {
        const OWN: &[&str] = &["max"];
        let table = self.reader.table("output.rows", value, "a table such as { max = 1000 }")?;
        self.keys("output.rows", table, OWN);
        let Some(max) = table.get("max") else {
            self.reader.refuse(&table.range, "`max` is missing in `output.rows`", "write: rows = { max = 1000 }");
            return None;
        };
        // The file counts a run's rows as int32.
        Some(Rows { max: self.reader.count("output.rows.max", max, 2..=i32::MAX as u64)? })
    }

    /// A path as written, joined to the folder of the config: no `~`, no variables.
    fn path(&mut self, what: &str, value: &Value) -> Option<Located<PathBuf>> {
        let text = self.reader.text_of(what, value, "a path, relative to this file or absolute")?;
        let path: PathBuf = self.folder.join(text).components().collect();
        Some(self.reader.located(path, &value.range))
    }

    fn output_is_no_input(&mut self, mission: Option<&Mission>, output: Option<&Output>) {
        let Some(output) = output else { return };
        let config = Path::new(self.file).file_name().map(|name| self.folder.join(name));
        let input = if mission.is_some_and(|mission| mission.script.value == output.file.value) {
            "the mission script"
        } else if config.is_some_and(|config| config == output.file.value) {
            "this config"
        } else {
            return;
        };
        if let Some(value) = self.quietly("output").and_then(|table| table.get("file")) {
            self.reader.refuse_value("output.file", value, &format!("a file of its own; this one is {input}"));
        }
    }

    /// A section that was looked at before: its problems are noted already.
    fn quietly(&self, name: &str) -> Option<&'a Table> {
        match &self.root.get(name)?.content {
            Content::Table(table) => Some(table),
            _ => None,
        }
    }
}

fn unknown_sections(reader: &mut Reader, root: &Table) {
    for (key, _) in root.entries.iter() {
        if SECTIONS.iter().any(|(name, _)| *name == key.name) {
            continue;
        }
        if reader.is_full() {
            reader.refuse(&key.range, "", "");
            continue;
        }
        let name = key.name.as_str();
        let home: Vec<String> = SECTIONS
            .iter()
            .filter(|(_, keys)| keys.contains(&name))
            .map(|(section, _)| format!("[{section}]"))
            .collect();
        let help = match home.as_slice() {
            [] => did_you_mean(name, SECTIONS.iter().map(|(name, _)| *name)),
            home => format!("belongs under {}", home.join(" or ")),
        };
        reader.refuse(&key.range, format!("`{}` is not a section of a config", cut(name)), help);
    }
}

/// The keys that a section may have.
pub(super) fn keys_of(section: &str) -> &'static [&'static str] {
    SECTIONS.iter().find(|(name, _)| *name == section).map_or(&[], |(_, keys)| keys)
}

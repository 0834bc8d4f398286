//! `[workload] kind = "command"` as written in a config, and the settings made of it.

use super::settings::{FolderKeep, OutputSource, Settings, Source};
use crate::config::reader::{Reader, Table, Value};

/// The keys under `[workload]`, besides `kind`.
pub(super) const KEYS: &[&str] = &[
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
    "outputs",
];

const STEP: &str = "a list of texts, the program first: [\"program\", \"{Sat.SMA}\"]";

/// Reads the settings; `None` after a problem has been noted.
pub(super) fn read(table: &Table, parameters: &[String], reader: &mut Reader) -> Option<Settings> {
    let mut settings = Settings::default();
    let get = |key: &str| table.get(key);
    if let Some(value) = get("argv") {
        settings.argv = texts("argv", value, STEP, reader)?;
    } else {
        reader.refuse(
            &table.range,
            "`argv` is missing under [workload], a command needs it",
            format!("write: argv = {STEP}"),
        );
        return None;
    }
    for (key, steps) in [("pre", &mut settings.pre), ("post", &mut settings.post)] {
        if let Some(value) = get(key) {
            for step in
                reader.list(key, value, "a list of steps, each a list of texts: [[\"program\", \"argument\"]]")?
            {
                steps.push(texts(key, step, STEP, reader)?);
            }
        }
    }
    if let Some(value) = get("env") {
        for (key, value) in reader.table("env", value, "a table such as { NAME = \"value\" }")?.entries.iter() {
            let text = reader.text_of(&format!("env.{}", key.name), value, "a text")?;
            settings.env.push((key.name.clone(), text.to_owned()));
        }
    }
    if let Some(value) = get("env_allow") {
        settings.env_allow = texts("env_allow", value, "a list of names of variables", reader)?;
    }
    if let Some(value) = get("keep") {
        let allowed = "\"always\", \"on_failure\", \"never\" or \"shared\"";
        settings.folder = match reader.text_of("keep", value, allowed)? {
            "always" => FolderKeep::Always,
            "on_failure" => FolderKeep::OnFailure,
            "never" => FolderKeep::Never,
            "shared" => FolderKeep::Shared,
            _ => {
                reader.refuse_value("keep", value, allowed);
                return None;
            }
        };
    }
    if let Some(value) = get("stdin") {
        settings.stdin = Some(reader.text_of("stdin", value, "a path, relative to this file or absolute")?.to_owned());
    }
    for (key, bytes) in
        [("stdout_max_bytes", &mut settings.stdout_max_bytes), ("stderr_max_bytes", &mut settings.stderr_max_bytes)]
    {
        if let Some(value) = get(key) {
            *bytes = reader.count(key, value, 0..=1 << 40)?;
        }
    }
    if let Some(value) = get("wall_s") {
        settings.wall_s = Some(reader.number("wall_s", value, "seconds above 0")?);
    }
    for (key, seconds) in [("grace_s", &mut settings.grace_s), ("backoff_s", &mut settings.backoff_s)] {
        if let Some(value) = get(key) {
            *seconds = reader.number(key, value, "seconds, 0 or more")?;
        }
    }
    if let Some(value) = get("retries") {
        settings.retries = reader.count("retries", value, 0..=1000)? as u32;
    }
    if let Some(value) = get("concurrent") {
        settings.concurrent = reader.count("concurrent", value, 1..=100_000)? as usize;
    }
    if let Some(value) = get("outputs") {
        for (key, value) in reader.table("outputs", value, "a table such as { x = \"stdout\" }")?.entries.iter() {
            let from = source(&format!("outputs.{}", key.name), value, reader)?;
            settings.outputs.push(OutputSource { name: key.name.clone(), from });
        }
    }
    told(&settings, table, parameters, reader).then_some(settings)
}

/// Notes what the settings themselves find wrong, each at its key; whether all is well.
fn told(settings: &Settings, table: &Table, parameters: &[String], reader: &mut Reader) -> bool {
    let problems = settings.check(parameters);
    for problem in &problems {
        let name = problem.split('`').nth(1).unwrap_or_default();
        let key = name.split(['[', '.']).next().unwrap_or_default();
        let range = table.get(key).map_or(table.range.clone(), |value| value.range.clone());
        reader.refuse(&range, problem.clone(), "");
    }
    problems.is_empty()
}

fn texts(what: &str, value: &Value, allowed: &str, reader: &mut Reader) -> Option<Vec<String>> {
    let items = reader.list(what, value, allowed)?;
    items.iter().map(|item| reader.text_of(what, item, allowed).map(str::to_owned)).collect()
}

/// `"stdout"`, `{ csv = "file", column = "name" }` or `{ json = "file", pointer = "/a/0" }`.
fn source(what: &str, value: &Value, reader: &mut Reader) -> Option<Source> {
    let allowed = "\"stdout\", { csv = \"file\", column = \"name\" } or { json = \"file\", pointer = \"/name\" }";
    if let crate::config::reader::Content::Text(text) = &value.content {
        if text == "stdout" {
            return Some(Source::Stdout);
        }
        reader.refuse_value(what, value, allowed);
        return None;
    }
    let table = reader.table(what, value, allowed)?;
    let mut text = |key: &str| match table.get(key) {
        Some(value) => reader.text_of(&format!("{what}.{key}"), value, "a text").map(str::to_owned),
        None => None,
    };
    let keys: Vec<&str> = table.entries.iter().map(|(key, _)| key.name.as_str()).collect();
    let made = match keys[..] {
        ["csv", "column"] | ["column", "csv"] => Source::Csv { file: text("csv")?, column: text("column")? },
        ["json", "pointer"] | ["pointer", "json"] => Source::Json { file: text("json")?, pointer: text("pointer")? },
        _ => {
            reader.refuse_value(what, value, allowed);
            return None;
        }
    };
    Some(made)
}

//! `[[stage]]`: sweeps that start from the results of the sweep before them.
//!
//! What a stage does not say is what the config says: a stage is the config's tree with the sections of the
//! stage in the place of its own, and without the first sweep's design.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::document::{keys_of, unknown_key};
use super::reader::{Content, Key, Reader, Table, Value, cut};
use super::{From, Located, StageConfig};
use crate::base::nearest::did_you_mean;

/// The most stages of a config.
const STAGES_MAX: usize = 100;
/// The sections that a stage may have of its own.
const SECTIONS: [&str; 8] = ["mission", "workload", "design", "output", "schedule", "checkpoint", "limits", "data"];

/// A stage: its sections as a config's, what it starts from, and its result file if it names none.
pub(super) type Stage = (Table, StageConfig, Located<PathBuf>);

/// Reads all stages of a config; `first` is the first sweep's result file.
pub(super) fn read(reader: &mut Reader, root: &Table, first: Option<&Located<PathBuf>>) -> Vec<Stage> {
    let mut stages: Vec<Stage> = Vec::new();
    let Some(value) = root.get("stage") else { return stages };
    let allowed = "sections [[stage]], with two brackets";
    let Some(items) = reader.list("stage", value, allowed) else { return stages };
    if items.len() > STAGES_MAX {
        reader.refuse(&value.range, format!("{} stages", items.len()), format!("allowed: {STAGES_MAX}"));
        return stages;
    }
    for item in items {
        let Some(table) = reader.table("stage", item, allowed) else { continue };
        let Some(config) = read_stage(reader, item, table) else { continue };
        if let Some((_, other, _)) = stages.iter().find(|(_, other, _)| other.name.value == config.name.value) {
            let help = format!("the first is at line {}", other.name.span.line);
            reader.refuse_at(config.name.span, format!("a second stage `{}`", cut(&config.name.value)), help);
        }
        let Some(first) = first else { continue };
        let file = Located { value: file_of(&first.value, &config.name.value), span: config.name.span };
        stages.push((merged(root, table), config, file));
    }
    stages
}

/// `leo.h5` of a stage `refine` is `leo.refine.h5`.
pub fn file_of(first: &Path, name: &str) -> PathBuf {
    let stem = first.file_stem().unwrap_or_default().to_owned();
    let mut file = stem;
    file.push(".");
    file.push(name);
    if let Some(extension) = first.extension() {
        file.push(".");
        file.push(extension);
    }
    first.with_file_name(file)
}

fn read_stage(reader: &mut Reader, item: &Value, table: &Table) -> Option<StageConfig> {
    let own = keys_of("stage");
    for (key, _) in table.entries.iter() {
        if !own.contains(&key.name.as_str()) && !SECTIONS.contains(&key.name.as_str()) {
            unknown_key(reader, "stage", own, key);
        }
    }
    let name = name(reader, item, table);
    let from = from(reader, item, table);
    let set = set(reader, item, table);
    let own_file =
        matches!(table.get("output").map(|output| &output.content), Some(Content::Table(t)) if t.get("file").is_some());
    Some(StageConfig { name: name?, from: from?, set: set?, own_file })
}

fn name(reader: &mut Reader, item: &Value, table: &Table) -> Option<Located<String>> {
    let Some(value) = table.get("name") else {
        reader.refuse(&item.range, "`name` is missing under [[stage]]", "write: name = \"refine\"");
        return None;
    };
    let allowed = "letters, digits, - and _, at most 40";
    let name = reader.text_of("stage.name", value, allowed)?;
    if name.len() > 40 || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) {
        reader.refuse_value("stage.name", value, allowed);
        return None;
    }
    Some(reader.located(name.to_owned(), &value.range))
}

fn from(reader: &mut Reader, item: &Value, table: &Table) -> Option<From> {
    const WORDS: [&str; 4] = ["each", "best", "worst", "mean"];
    let allowed = "\"each\", \"best\", \"worst\" or \"mean\"";
    let word = match table.get("from") {
        None => "each",
        Some(value) => {
            let word = reader.text_of("stage.from", value, allowed)?;
            if !WORDS.contains(&word) {
                let message = format!("`stage.from` cannot be the text `{}`", cut(word));
                reader.refuse(&value.range, message, did_you_mean(word, WORDS));
                return None;
            }
            word
        }
    };
    let extreme = ["best", "worst"].contains(&word);
    for key in ["by", "goal"] {
        match table.get(key) {
            Some(value) if !extreme => {
                let help = format!("from = \"{word}\" has no `{key}`: leave it out");
                reader.refuse(&value.range, format!("`{key}` is not a key of this stage"), help);
            }
            None if extreme => {
                let at = table.get("from").map_or(&item.range, |from| &from.range);
                let help =
                    if key == "by" { "write: by = \"Sat.Earth.ECC\"" } else { "write: goal = \"min\" or \"max\"" };
                reader.refuse(at, format!("from = \"{word}\" needs `{key}`"), help);
            }
            _ => {}
        }
    }
    if !extreme {
        return Some(if word == "mean" { From::Mean } else { From::Each });
    }
    let (by, goal) = (table.get("by")?, table.get("goal")?);
    let column = reader.text_of("stage.by", by, "a column of the results before")?;
    let by = reader.located(column.to_owned(), &by.range);
    let max = match reader.text_of("stage.goal", goal, "\"min\" or \"max\"")? {
        "min" => false,
        "max" => true,
        _ => {
            reader.refuse_value("stage.goal", goal, "\"min\" or \"max\"");
            return None;
        }
    };
    Some(From::Extreme { by, greatest: max == (word == "best") })
}

fn set(reader: &mut Reader, item: &Value, table: &Table) -> Option<Vec<(Located<String>, Located<String>)>> {
    let example = "set = { \"Sat.SMA\" = \"Sat.SMA\" }";
    let Some(value) = table.get("set") else {
        reader.refuse(&item.range, "`set` is missing under [[stage]]", format!("write: {example}"));
        return None;
    };
    let set = reader.table("stage.set", value, &format!("a table such as {example}"))?;
    if set.entries.is_empty() {
        reader.refuse(&value.range, "`stage.set` sets nothing", format!("write: {example}"));
        return None;
    }
    let mut all = Vec::new();
    for (key, value) in set.entries.iter() {
        if key.name.trim().is_empty() || key.name.chars().any(char::is_control) {
            reader.refuse(&key.range, "`stage.set` has a key that is no parameter", format!("write: {example}"));
            continue;
        }
        let Some(column) = reader.text_of("stage.set", value, "a column of the results before") else { continue };
        all.push((reader.located(key.name.clone(), &key.range), reader.located(column.to_owned(), &value.range)));
    }
    Some(all)
}

/// The config with a stage's sections in place of its own. What runs are is said by [mission] and [workload]
/// together, so a stage that has one of them inherits neither, nor the columns that the first sweep keeps.
fn merged(root: &Table, stage: &Table) -> Table {
    let own = |name: &str| stage.get(name).is_some();
    let other_runs = own("mission") || own("workload");
    let is_mission = |value: &Value| matches!(&value.content, Content::Text(kind) if kind == "mission");
    let own_workload = stage.get("workload").and_then(|value| match &value.content {
        Content::Table(table) => table.get("kind"),
        _ => None,
    });
    let mut entries: Vec<(Key, Value)> = Vec::new();
    for (key, value) in root.entries.iter() {
        let inherited = match key.name.as_str() {
            "stage" | "design" => false,
            "mission" => !own("mission") && own_workload.is_none_or(is_mission),
            "workload" => !other_runs,
            "output" => {
                let output = without_file(value, other_runs);
                if !own("output") {
                    entries.push((key.clone(), output));
                }
                false
            }
            name => !own(name),
        };
        if inherited {
            entries.push((key.clone(), value.clone()));
        }
    }
    entries.extend(stage.entries.iter().filter(|(key, _)| SECTIONS.contains(&key.name.as_str())).cloned());
    Table { range: root.range.clone(), entries: Arc::new(entries) }
}

/// `[output]` as a stage inherits it.
fn without_file(output: &Value, other_runs: bool) -> Value {
    let mut output = output.clone();
    if let Content::Table(table) = &mut output.content {
        Arc::make_mut(&mut table.entries).retain(|(key, _)| key.name != "file" && !other_runs);
    }
    output
}

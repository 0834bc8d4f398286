//! In what a result file's plan differs from the plan of now: key by key of the config, line by line of the script,
//! value by value of `--set`, file by file of the data.

use std::collections::BTreeMap;

use super::Plan;
use crate::base::problem::printable;
use crate::config::MAX_BYTES;
use crate::config::reader::cut;

/// Keys of the config that decide no number.
const WITHOUT_EFFECT: [&str; 5] = ["output.file", "schedule.", "checkpoint.", "limits.wall_s", "mission.script"];

/// The differences between what a file keeps, by its names in `/provenance`, and a plan; for people, one a line.
pub fn differences(plan: &Plan, before: impl Fn(&str) -> String) -> Vec<String> {
    let now = |name: &str| {
        let found = plan.layout.provenance.iter().find(|text| text.0 == name);
        found.map_or(String::new(), |text| text.1.clone())
    };
    let mut all = changes("the config, ", &config(&before("config")), &config(&now("config")));
    all.extend(changes("the script, ", &script(&before("mission")), &script(&now("mission"))));
    all.extend(changes("--set ", &assignments(&before("overrides")), &assignments(&now("overrides"))));
    for (name, digest) in changed(&assignments(&before("data")), &assignments(&now("data"))) {
        let what = match digest {
            (Some(_), Some(_)) => "has other contents now",
            (Some(_), None) => "is not read any more",
            _ => "was not read for the file",
        };
        all.push(format!("the data file {name} {what}"));
    }
    let [version, git_hash] = ["version", "git_hash"].map(|name| (before(name), now(name)));
    if all.is_empty() && version != git_hash {
        all.push(format!(
            "the program: {} ({}) made the file, this is {} ({})",
            version.0, git_hash.0, version.1, git_hash.1
        ));
    }
    all.iter().map(|line| printable(line)).collect()
}

/// Two values of a key, each where there is one.
type Change<'a> = (Option<&'a String>, Option<&'a String>);

fn changed<'a>(
    before: &'a BTreeMap<String, String>,
    now: &'a BTreeMap<String, String>,
) -> BTreeMap<&'a str, Change<'a>> {
    let mut all: BTreeMap<&str, Change> = BTreeMap::new();
    for (key, value) in before {
        all.entry(key).or_default().0 = Some(value);
    }
    for (key, value) in now {
        all.entry(key).or_default().1 = Some(value);
    }
    all.retain(|_, (before, now)| before != now);
    all
}

fn changes(what: &str, before: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<String> {
    let word = |value: Option<&String>| value.map_or("nothing".to_owned(), |value| cut(value));
    let line = |(key, (before, now)): (&str, Change)| {
        format!("{what}{}: {} in the file, {} now", cut(key), word(before), word(now))
    };
    changed(before, now).into_iter().map(line).collect()
}

/// The keys of a config with their values; keys without effect are left out.
fn config(text: &str) -> BTreeMap<String, String> {
    let mut keys = BTreeMap::new();
    // the text is that of a result file, which may hold anything
    let text = if text.len() > MAX_BYTES { "" } else { text };
    match toml::from_str::<toml::Table>(text.trim_start_matches('\u{feff}')) {
        Ok(table) => flatten("", &toml::Value::Table(table), &mut keys),
        Err(_) => drop(keys.insert("the text".to_owned(), "no TOML".to_owned())),
    }
    keys.retain(|key, _| !WITHOUT_EFFECT.iter().any(|without| key.starts_with(without)));
    keys
}

fn flatten(path: &str, value: &toml::Value, keys: &mut BTreeMap<String, String>) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                flatten(&path, value, keys);
            }
        }
        toml::Value::Array(values) if values.iter().any(toml::Value::is_table) => {
            for (number, value) in values.iter().enumerate() {
                flatten(&format!("{path}[{number}]"), value, keys);
            }
        }
        value => drop(keys.insert(path.to_owned(), value.to_string())),
    }
}

/// The statements of a script: above the sequence what is left of `=` with what is right of it, each command with how
/// often it stands there.
fn script(text: &str) -> BTreeMap<String, String> {
    let mut statements: BTreeMap<String, String> = BTreeMap::new();
    let mut commands: BTreeMap<String, u64> = BTreeMap::new();
    let mut flown = false;
    for line in text.replace("...\r\n", " ").replace("...\n", " ").lines() {
        let line = line.split('%').next().unwrap_or_default().trim().trim_end_matches(';');
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = line.strip_prefix("GMAT ").unwrap_or(&line);
        flown |= line == "BeginMissionSequence";
        match line.split_once('=') {
            // above the sequence the last assignment counts, in it each line for itself
            Some((left, right)) if !flown => drop(statements.insert(left.trim().to_owned(), right.trim().to_owned())),
            _ if line.is_empty() => {}
            _ => *commands.entry(line.to_owned()).or_default() += 1,
        }
    }
    let times = |times: u64| if times == 1 { "once".to_owned() } else { format!("{times} times") };
    statements.extend(commands.into_iter().map(|(command, count)| (command, times(count))));
    statements
}

/// Lines `path = value` or `name value`.
fn assignments(text: &str) -> BTreeMap<String, String> {
    let pair = |line: &str| {
        let (left, right) = line.split_once(" = ").or_else(|| line.rsplit_once(' '))?;
        Some((left.to_owned(), right.to_owned()))
    };
    text.lines().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configs_differ_by_keys() {
        let before = "# a comment\n[design]\nkind = 'grid'\n[[design.axes]]\na = 1\n[[design.axes]]\na = [1, 2]\n\
                      [checkpoint]\ninterval_s = 3";
        let now = "[design]\nseed = 1\nkind = \"grid\"\n[[design.axes]]\na = 1\n[[design.axes]]\na = [1, 3]\n";
        assert_eq!(
            changes("", &config(before), &config(now)),
            ["design.axes[1].a: [1, 2] in the file, [1, 3] now", "design.seed: nothing in the file, 1 now"]
        );
        assert_eq!(changes("", &config("a ="), &config("")), ["the text: no TOML in the file, nothing now"]);
    }

    #[test]
    fn scripts_differ_by_statements() {
        let before = "Create Spacecraft Sat; % the first\nGMAT Sat.SMA = 7000;\nSat.ECC=0.1;\nBeginMissionSequence\n\
                      Propagate P(Sat) ...\n  {Sat.Periapsis};\nX = 1;\nX = 1;";
        let now = "%% all of it\nCreate Spacecraft Sat;\nSat.ECC = 0.1;\nSat.SMA  =  7100;\n\nBeginMissionSequence;\n\
                   Propagate P(Sat) {Sat.Apoapsis};\nX = 1;";
        assert_eq!(
            changes("", &script(before), &script(now)),
            [
                "Propagate P(Sat) {Sat.Apoapsis}: nothing in the file, once now",
                "Propagate P(Sat) {Sat.Periapsis}: once in the file, nothing now",
                "Sat.SMA: 7000 in the file, 7100 now",
                "X = 1: 2 times in the file, once now",
            ]
        );
    }

    #[test]
    fn values_of_set_and_data_files_differ_by_names() {
        let (before, now) = (assignments("Sat.ECC = 0.2\nSat.Epoch = '1 = 2'"), assignments("Sat.ECC = 0.3"));
        assert_eq!(
            changes("--set ", &before, &now),
            ["--set Sat.ECC: 0.2 in the file, 0.3 now", "--set Sat.Epoch: '1 = 2' in the file, nothing now"]
        );
        assert_eq!(assignments("my file.cof abc").get("my file.cof").map(String::as_str), Some("abc"));
    }
}

//! The config: every rule, every message, and no input that panics.

use proptest::prelude::*;
use std::path::Path;
use sweep_mpi::config::{self, Checkpoint, Chunk, Config, Lanes, Limits, Rows, Schedule};
use sweep_mpi::design::{self, Design};

const LEO: &str = r#"# configs/leo_basic.toml
[mission]
script = "missions/leo_basic.script"      # relative to this file

[design]
kind = "grid"
axes = { "Sat.SMA" = { linspace = [7000.0, 8000.0, 1000] } }

[output]
file = "leo_basic.h5"
final = ["Sat.EarthMJ2000Eq.X", "Sat.ECC"]
rows = { max = 1000 }

[schedule]
chunk = "auto"
threads = 1
[checkpoint]
interval_s = 30
"#;

type Read = (Config, Box<dyn Design>);

fn read(bytes: &[u8]) -> Result<Read, String> {
    config::parse_with("c.toml", Path::new("/home/you/configs"), bytes, design::read).map_err(|found| found.to_string())
}

fn good(text: &str) -> Read {
    read(text.as_bytes()).unwrap_or_else(|problems| panic!("{text}\n{problems}"))
}

fn refused(text: &str) -> String {
    match read(text.as_bytes()) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(problems) => problems,
    }
}

/// A config that is right but for what is added under one section.
fn with(section: &str, lines: &str) -> String {
    let mut text = String::new();
    for (name, own) in [
        ("mission", "script = \"a.script\""),
        ("output", "file = \"a.h5\""),
        ("design", "kind = \"grid\"\naxes = { \"A\" = { values = [1] } }"),
        ("schedule", ""),
        ("checkpoint", ""),
        ("limits", ""),
    ] {
        let added = if name == section { lines } else { "" };
        text.extend(["[", name, "]\n", own, "\n", added, "\n"]);
    }
    text
}

#[test]
fn the_example_of_the_readme() {
    let (config, design) = good(LEO);
    assert_eq!(config.file, "c.toml");
    assert_eq!(config.folder, Path::new("/home/you/configs"));
    assert_eq!(&*config.text, LEO);
    assert_eq!(config.mission.as_ref().unwrap().script.value, Path::new("/home/you/configs/missions/leo_basic.script"));
    let span = config.mission.as_ref().unwrap().script.span;
    assert_eq!((span.line, span.column, span.length), (3, 10, 27));
    assert_eq!(config.output.file.value, Path::new("/home/you/configs/leo_basic.h5"));
    let finals = config.output.finals.unwrap();
    assert_eq!(finals.iter().map(|f| f.value.as_str()).collect::<Vec<_>>(), ["Sat.EarthMJ2000Eq.X", "Sat.ECC"]);
    assert_eq!((finals[1].span.line, finals[1].span.column), (11, 33));
    assert_eq!(config.output.rows, Some(Rows { max: 1000 }));
    assert_eq!(config.schedule, Schedule { chunk: Chunk::Auto, threads: 1, lanes: Lanes::Auto });
    assert_eq!(config.checkpoint, Checkpoint { interval_s: 30.0, rows: None, sync: true });
    assert_eq!(config.limits, Limits { steps: 1_000_000, wall_s: 3600.0 });
    assert_eq!((design.kind(), design.runs()), ("grid", 1000));
    assert_eq!(design.parameters()[0].path, "Sat.SMA");
    assert_eq!((design.parameters()[0].span.line, design.parameters()[0].span.column), (7, 10));
}

#[test]
fn what_is_optional_has_defaults() {
    let (config, _) =
        good("mission.script='/abs/a.script'\ndesign={kind='table',columns={A=[]}}\noutput.file='../b.h5'");
    assert_eq!(config.mission.as_ref().unwrap().script.value, Path::new("/abs/a.script"));
    assert_eq!(config.output.file.value, Path::new("/home/you/configs/../b.h5"));
    assert_eq!((config.output.finals, config.output.rows), (None, None));
    assert_eq!(config.schedule, Schedule::default());
    assert_eq!(config.checkpoint, Checkpoint { interval_s: 30.0, rows: None, sync: true });
    assert_eq!(config.limits, Limits { steps: 1_000_000, wall_s: 3600.0 });
}

#[test]
fn every_optional_value_is_read() {
    let (config, _) = good(&with("schedule", "chunk = 12\nthreads = 1024\nlanes = 8"));
    assert_eq!(config.schedule, Schedule { chunk: Chunk::Runs(12), threads: 1024, lanes: Lanes::Eight });
    for (written, lanes) in [("\"auto\"", Lanes::Auto), ("1", Lanes::One), ("4", Lanes::Four)] {
        assert_eq!(good(&with("schedule", &format!("lanes = {written}"))).0.schedule.lanes, lanes);
    }
    let (config, _) = good(&with("checkpoint", "interval_s = 0.5\nrows = 100\nsync = false"));
    assert_eq!(config.checkpoint, Checkpoint { interval_s: 0.5, rows: Some(100), sync: false });
    assert_eq!(good(&with("limits", "steps = 1")).0.limits, Limits { steps: 1, wall_s: 3600.0 });
    assert_eq!(good(&with("output", "final = []\nrows.max = 2")).0.output.rows, Some(Rows { max: 2 }));
}

#[test]
fn paths_are_taken_as_written() {
    let (config, _) = good(&LEO.replace("missions/leo_basic", "~/$HOME/./é b"));
    assert_eq!(config.mission.as_ref().unwrap().script.value, Path::new("/home/you/configs/~/$HOME/é b.script"));
}

#[test]
fn a_byte_order_mark_and_crlf_change_nothing() {
    let (plain, design) = good(LEO);
    let crlf = LEO.replace('\n', "\r\n");
    for text in [format!("\u{FEFF}{LEO}"), crlf.clone(), format!("\u{FEFF}{crlf}")] {
        let (config, other) = good(&text);
        assert_eq!(config.mission, plain.mission);
        assert_eq!(config.output, plain.output);
        assert_eq!(other.parameters(), design.parameters());
        assert_eq!(other.canonical(), design.canonical());
        assert!(!config.text.starts_with('\u{FEFF}'));
    }
    let text = refused(&format!("\u{FEFF}{crlf}[output2]\r\n"));
    assert!(text.starts_with("c.toml:19:2: `output2`"), "{text}");
    assert!(refused("\u{FEFF}bad = 1\n").contains("c.toml:1:1: `bad` is not a section"));
}

#[test]
fn other_encodings_are_named() {
    let utf16 = |big: bool, mark: bool| -> Vec<u8> {
        let text = if mark { format!("\u{FEFF}{LEO}") } else { LEO.to_owned() };
        text.encode_utf16().flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    };
    for bytes in [utf16(false, true), utf16(true, true)] {
        let text = read(&bytes).err().unwrap();
        assert!(text.starts_with("c.toml: the file is UTF-16\n    allowed: TOML in UTF-8"), "{text}");
    }
    for (bytes, place) in [(utf16(false, false), "c.toml:1:2"), (utf16(true, false), "c.toml:1:1")] {
        let text = read(&bytes).err().unwrap();
        assert!(text.starts_with(&format!("{place}: a zero byte: this is UTF-16 or no text")), "{text}");
    }
    let mut latin1 = LEO.as_bytes().to_vec();
    let at = LEO.find("leo_basic.h5").unwrap();
    latin1[at] = 0xE9;
    let text = read(&latin1).err().unwrap();
    assert!(text.starts_with("c.toml:10:9: the byte 0xE9 is not UTF-8"), "{text}");
    assert!(text.contains("save the file as UTF-8"), "{text}");
}

#[test]
fn a_file_that_is_too_large_is_not_read() {
    let text = read(&vec![b'#'; config::MAX_BYTES + 1]).err().unwrap();
    assert!(text.starts_with("c.toml: the file has 4194305 bytes"), "{text}");
    assert!(text.contains("allowed: 4194304 bytes (4 MiB)"), "{text}");
}

#[test]
fn an_empty_file_lacks_three_things() {
    for text in ["", "\n# nothing\n", "\u{FEFF}"] {
        let text = refused(text);
        assert!(text.contains("c.toml: [mission] is missing, and its `script`\n    write: script = "), "{text}");
        assert!(text.contains("c.toml: [output] is missing, and its `file`\n    write: file = "), "{text}");
        assert!(text.contains("c.toml: [design] is missing, and its `kind`\n    write: kind = "), "{text}");
    }
    let text = refused("[mission]\n[design]\n[output]\n");
    assert!(text.contains("c.toml:1:1: `script` is missing under [mission]"), "{text}");
    assert!(text.contains("c.toml:2:1: `kind` is missing under [design]"), "{text}");
    assert!(text.contains("c.toml:3:1: `file` is missing under [output]"), "{text}");
}

#[test]
fn unknown_keys_get_the_nearest_name_or_their_section() {
    for (section, line, expected) in [
        (
            "mission",
            "scrpt = 1",
            "c.toml:3:1: `scrpt` is not a key of [mission]\n    scrpt = 1\n    ^^^^^\n    did you mean `script`?",
        ),
        (
            "mission",
            "file = \"x\"",
            "`file` is not a key of [mission]\n    file = \"x\"\n    ^^^^\n    belongs under [output]",
        ),
        ("schedule", "rows = 3", "belongs under [output] or [checkpoint]"),
        (
            "schedule",
            "interval = 3",
            "did you mean `interval_s` under [checkpoint]? supported here: chunk, threads, lanes",
        ),
        ("limits", "zzzzzzzzzz = 3", "supported: steps"),
        ("checkpoint", "Rows = 3", "did you mean `rows`?"),
        ("output", "rows = { max = 3, min = 2 }", "`min` is not a key of [output.rows]"),
        ("design", "threads = 3", "belongs under [schedule]"),
        (
            "limits",
            "[shedule]",
            "`shedule` is not a section of a config\n    [shedule]\n     ^^^^^^^\n    did you mean `schedule`?",
        ),
        (
            "limits",
            "[zzzzzzzzzz]",
            "supported: mission, workload, design, output, schedule, checkpoint, data, limits, stage",
        ),
    ] {
        let text = refused(&with(section, line));
        assert!(text.contains(expected), "{section} {line} gave\n{text}");
    }
    let text = refused(&format!("script = \"x\"\nrows = 3\n{LEO}"));
    assert!(text.contains("c.toml:1:1: `script` is not a section of a config"), "{text}");
    assert!(
        text.contains("belongs under [mission]") && text.contains("belongs under [output] or [checkpoint]"),
        "{text}"
    );
}

#[test]
fn wrong_values_are_shown_with_what_is_allowed() {
    for (section, line, message, allowed) in [
        ("schedule", "chunk = 0", "`schedule.chunk` cannot be the number `0`", "\"auto\" or a number of runs"),
        ("schedule", "chunk = \"big\"", "`schedule.chunk` cannot be the text `\"big\"`", "\"auto\""),
        ("schedule", "chunk = -5", "the number `-5`", "at least 1"),
        ("schedule", "chunk = 99999999999999999999", "the number `99999999999999999999`", "from 1 to 9007199254740992"),
        ("schedule", "threads = 0", "`schedule.threads` cannot be the number `0`", "a whole number from 1 to 1024"),
        ("schedule", "threads = 1025", "the number `1025`", "from 1 to 1024"),
        ("schedule", "threads = true", "the word `true`", "from 1 to 1024"),
        ("schedule", "lanes = 2", "`schedule.lanes` cannot be the number `2`", "\"auto\", 1, 4 or 8"),
        ("schedule", "lanes = [4]", "`schedule.lanes` cannot be a list", "\"auto\", 1, 4 or 8"),
        ("checkpoint", "interval_s = 0", "`checkpoint.interval_s` cannot be the number `0`", "above 0"),
        ("checkpoint", "interval_s = -0.0", "the number `-0.0`", "above 0"),
        ("checkpoint", "interval_s = 2e9", "the number `2e9`", "at most 1e9"),
        ("checkpoint", "interval_s = \"30\"", "the text `\"30\"`", "seconds above 0"),
        ("checkpoint", "interval_s = 10:00:00", "the unquoted date `10:00:00`", "seconds above 0"),
        ("checkpoint", "rows = 0", "`checkpoint.rows` cannot be the number `0`", "at least 1"),
        ("checkpoint", "sync = 1", "`checkpoint.sync` cannot be the number `1`", "true or false"),
        ("limits", "steps = 0", "`limits.steps` cannot be the number `0`", "at least 1"),
        ("limits", "steps = 1.5", "the number `1.5`", "a whole number"),
        ("output", "rows = { max = 1 }", "`output.rows.max` cannot be the number `1`", "from 2 to 2147483647"),
        ("output", "rows = 1000", "`output.rows` cannot be the number `1000`", "{ max = 1000 }"),
        ("output", "rows = {}", "`max` is missing in `output.rows`", "rows = { max = 1000 }"),
        ("output", "final = \"Sat.X\"", "`output.final` cannot be the text `\"Sat.X\"`", "a list of columns"),
        ("output", "final = [\"A\", 3]", "`output.final` cannot be the number `3`", "the name of a parameter"),
        ("output", "final = [\"A\", \"\"]", "`output.final` is empty", "the name of a parameter"),
        ("output", "final = [\"A\", \"B\", \"A\"]", "the column `A` is listed twice", "first at line 6, column 10"),
        ("output", "final = [\"A\\t\"]", "`output.final` has the control character \\u{9}", "the name of a parameter"),
    ] {
        let text = refused(&with(section, line));
        assert!(text.contains(message) && text.contains(allowed), "{section} {line} gave\n{text}");
        assert!(text.starts_with("c.toml:"), "{text}");
    }
}

#[test]
fn paths_that_are_none_are_refused() {
    for (from, to, message) in [
        ("\"leo_basic.h5\"", "\"\"", "c.toml:10:8: `output.file` is empty"),
        ("\"leo_basic.h5\"", "\"a\\u001Bb\"", "c.toml:10:8: `output.file` has the control character \\u{1b}"),
        ("\"leo_basic.h5\"", "7", "c.toml:10:8: `output.file` cannot be the number `7`"),
        ("\"missions/leo_basic.script\"", "\" \"", "c.toml:3:10: `mission.script` is empty"),
        ("\"missions/leo_basic.script\"", "[\"a\", \"b\"]", "c.toml:3:10: `mission.script` cannot be a list"),
        ("\"grid\"", "\"\"", "c.toml:6:8: `design.kind` is empty"),
        ("\"leo_basic.h5\"", "\"./missions/leo_basic.script\"", "this one is the mission script"),
        ("\"leo_basic.h5\"", "\"c.toml\"", "this one is this config"),
    ] {
        let text = refused(&LEO.replace(from, to));
        assert!(text.contains(message), "{to} gave\n{text}");
    }
}

#[test]
fn sections_that_are_no_tables_are_refused_once() {
    let text = refused("mission = 1\ndesign = \"grid\"\nschedule = []\n[[output]]\nfile = \"a\"\n[[checkpoint]]\n");
    assert!(text.contains("c.toml:1:11: `mission` cannot be the number `1`"), "{text}");
    assert!(text.contains("c.toml:2:10: `design` cannot be the text `\"grid\"`"), "{text}");
    assert!(text.contains("c.toml:3:12: `schedule` cannot be a list"), "{text}");
    assert!(text.contains("c.toml:4:1: `output` cannot be a list of tables"), "{text}");
    assert!(text.contains("allowed: one section [output]"), "{text}");
    assert_eq!(text.matches("c.toml:").count(), 5, "{text}");
}

#[test]
fn numbers_that_are_none_are_refused_wherever_they_stand() {
    for number in ["nan", "+inf", "-inf", "1e400", "-1e999"] {
        for line in [
            format!("[checkpoint]\ninterval_s = {number}"),
            format!("[limits]\nsteps = {number}"),
            format!("[elsewhere]\nvalue = [[{number}]]"),
            format!("[schedule]\nchunk = {number}\nlanes = 1"),
        ] {
            let text = refused(
                &LEO.replace("[schedule]\nchunk = \"auto\"\nthreads = 1\n[checkpoint]\ninterval_s = 30", &line),
            );
            let found = text.matches(&format!("the number `{number}` is")).count();
            assert!(found == 1 && text.contains("c.toml:15:"), "{line} gave\n{text}");
        }
        let text = refused(&LEO.replace("7000.0", number));
        assert!(text.contains(&format!("c.toml:7:36: the number `{number}` is")), "{text}");
        assert_eq!(text.matches("c.toml:").count(), 1, "{text}");
    }
}

#[test]
fn duplicates_and_broken_lines_have_a_place() {
    let text = refused(&LEO.replace("threads = 1", "threads = 1\nthreads = 2"));
    assert!(text.contains("c.toml:17:1: `threads` is given twice\n    threads = 2\n    ^^^^^^^"), "{text}");
    let text = refused(&LEO.replace("axes = {", "axes = { \"Sat.SMA\" = { values = [1] },"));
    assert!(
        text.contains("c.toml:7:41: `Sat.SMA` is given twice") || text.contains("`\"Sat.SMA\"` is given twice"),
        "{text}"
    );
    let text = refused(&LEO.replace("chunk = \"auto\"", "chunk = auto").replace("threads = 1", "threads = "));
    assert!(text.contains("c.toml:15:9: not valid TOML: "), "{text}");
    assert!(text.contains("c.toml:16:"), "both are told: {text}");
}

#[test]
fn all_problems_come_at_once_in_the_order_of_the_file() {
    let text = LEO
        .replace("script =", "scrip =")
        .replace("7000.0", "nan")
        .replace("max = 1000", "max = 1")
        .replace("threads = 1", "threads = 0")
        .replace("interval_s", "interval");
    let problems = config::parse_with("c.toml", Path::new("/"), text.as_bytes(), design::read).err().unwrap().0;
    let places: Vec<u32> = problems.iter().map(|problem| problem.span.unwrap().line).collect();
    assert_eq!(places, [2, 3, 7, 12, 16, 18]);
    let text = LEO.replace("linspace", "linspce").replace("max = 1000", "max = 1");
    let problems = config::parse_with("c.toml", Path::new("/"), text.as_bytes(), design::read).err().unwrap().0;
    assert_eq!(problems.len(), 2, "those of the design as well");
}

#[test]
fn hostile_files_are_read_in_a_moment() {
    let start = std::time::Instant::now();
    let size = config::MAX_BYTES - 1000;
    let many = |unit: &str| unit.repeat(size / unit.len());
    let keys: Vec<String> = (0..150_000).map(|i| format!("k{i} = nan")).collect();
    for text in [
        many("[["),
        many("a\n"),
        many("a."),
        many("\"\n"),
        many("[a]\n"),
        many("[[a]]\n"),
        many("é"),
        format!("a = {}", many("[")),
        format!("a = {}", many("{a=")),
        format!("a = [{}]", many("nan,")),
        format!("a.{} = 1", many("a.").trim_end_matches('.')),
        keys.join("\n"),
    ] {
        assert!(read(text.as_bytes()).is_err());
    }
    let values = many("1.5,");
    let text = format!("mission.script='a'\noutput.file='b'\ndesign={{kind='table',columns={{A=[{values}]}}}}");
    assert_eq!(good(&text).1.runs(), (size / 4) as u64);
    // Long words, long names and control characters reach no terminal.
    let text = refused(&format!("{LEO}\n[\"\\u001B[31m{}\"]\n", "x".repeat(100_000)));
    assert!(text.len() < 2000 && !text.contains('\u{1b}'), "{} bytes", text.len());
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Bytes of a good config changed, cut out or put in: an answer, never a panic, and what is
    /// refused has a message.
    #[test]
    fn prop_mutated_configs_never_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, any::<u8>(), 0..40usize), 1..8),
    ) {
        let tokens: [&[u8]; 12] = [
            b"nan", b"1e400", b"[", b"]", b"{", b"\"", b"'''", b"\r", b"\xEF\xBB\xBF", b"=", b"[a.b]\n", b"-9223372036854775808",
        ];
        let mut bytes = LEO.as_bytes().to_vec();
        for (index, edit, byte, length) in edits {
            if bytes.is_empty() { break; }
            let at = index.index(bytes.len());
            match edit {
                0 => bytes[at] = byte,
                1 => { bytes.drain(at..(at + length).min(bytes.len())); }
                2 => bytes.insert(at, byte),
                _ => { bytes.splice(at..at, tokens[length % tokens.len()].iter().copied()); }
            }
        }
        match read(&bytes) {
            Ok((_, design)) => {
                let mut values = vec![0.0; design.parameters().len()];
                if design.runs() > 0 {
                    design.values(0, &mut values);
                    design.values(design.runs() - 1, &mut values);
                    prop_assert!(values.iter().all(|value| value.is_finite()));
                }
            }
            Err(problems) => prop_assert!(problems.starts_with("c.toml:") && problems.len() > 12),
        }
    }

    /// Any text at all as `--set`.
    #[test]
    fn prop_set_never_panics(argument in "\\PC*") {
        let mut overrides = config::overrides::Overrides::default();
        let result = config::overrides::apply_set(&mut overrides, &argument);
        prop_assert_eq!(overrides.0.len(), usize::from(result.is_ok()));
    }
}

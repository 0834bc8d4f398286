//! Inputs of the largest size that is read, made to cost as much as they can: deep, long, many, and again and again.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::rc::Rc;

use sweep_mpi::astro::ephemeris::{Ephemeris, Span};
use sweep_mpi::astro::world::World;
use sweep_mpi::base::files::Read;
use sweep_mpi::mission::compile::compile_with;
use sweep_mpi::{config, gmat};

use crate::ephemeris::large_kernel;
use crate::readers::{self, Answer};
use crate::trial::Trial;

const BEGIN: &str = "BeginMissionSequence;\n";
/// Just what is read of scripts and configs.
const SIZE: usize = 4 << 20;

/// A piece as often as it fits.
fn many(piece: &str) -> String {
    piece.repeat((SIZE - 4000) / piece.len())
}

/// A numbered piece as often as it fits into some bytes.
fn numbered(size: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for number in 0.. {
        let next = piece(number);
        if text.len() + next.len() > size {
            break;
        }
        text.push_str(&next);
    }
    text
}

#[test]
fn prop_scripts_of_the_largest_size() {
    assert_eq!(gmat::MAX_BYTES, SIZE);
    let trial = Trial::new("script-sizes");
    let names = |size, piece: &str| numbered(size, |number| piece.replace('#', &number.to_string()));
    let long = "a".repeat(SIZE / 4);
    let deep_call = (0..90).fold("x".to_owned(), |inner, _| format!("abs({inner}{})", "+1".repeat(500)));
    let deep_list = (0..90).fold("x".to_owned(), |inner, _| format!("[{inner}{}]", "+1".repeat(500)));
    let texts = [
        ("operators inside calls", format!("Create Variable x;\n{BEGIN}x = {deep_call};\n")),
        ("operators inside lists", format!("Create Array x[1,1];\n{BEGIN}x = {deep_list};\n")),
        ("many Variables", format!("{}{BEGIN}", names(SIZE - 99, "Create Variable v#;\n"))),
        ("many spacecraft", format!("{}{BEGIN}", names(SIZE - 99, "Create Spacecraft v#;\n"))),
        ("many spacecraft in one line", format!("Create Spacecraft {};\n{BEGIN}", names(SIZE / 10, "v# "))),
        ("many Arrays", format!("{}{BEGIN}", names(SIZE - 99, "Create Array v#[1000,1000];\n"))),
        ("many force models", format!("{}{BEGIN}", names(SIZE - 99, "Create ForceModel v#;\n"))),
        ("many propagators", format!("{}{BEGIN}", names(SIZE - 99, "Create Propagator v#;\n"))),
        ("many coordinate systems", format!("{}{BEGIN}", names(SIZE - 99, "Create CoordinateSystem v#;\n"))),
        ("many reports", format!("{}{BEGIN}", names(SIZE - 99, "Create ReportFile v#;\n"))),
        (
            "unknown names among many",
            format!("{}{BEGIN}{}", names(SIZE / 2, "Create Variable v#;\n"), names(SIZE / 2 - 99, "w# = 1;\n")),
        ),
        (
            "unknown fields of many",
            format!("{}{}{BEGIN}", names(SIZE / 2, "Create Spacecraft v#;\n"), names(SIZE / 2 - 99, "v#.SMAA = 1;\n")),
        ),
        ("as many spacecraft as there may be", format!("{}{BEGIN}", names(230_000, "Create Spacecraft v#;\n"))),
        ("as many force models as there may be", format!("{}{BEGIN}", names(230_000, "Create ForceModel v#;\n"))),
        ("as many propagators as there may be", format!("{}{BEGIN}", names(230_000, "Create Propagator v#;\n"))),
        ("as many Arrays as there may be", format!("{}{BEGIN}", names(3_000, "Create Array v#[100,100];\n"))),
        (
            "unknown names among as many as there may be",
            format!("{}{BEGIN}{}", names(220_000, "Create Variable v#;\n"), names(800_000, "w# = 1;\n")),
        ),
        (
            "unknown fields of as many",
            format!("{}{}{BEGIN}", names(220_000, "Create Spacecraft v#;\n"), names(1_000_000, "v1.SMA#A = 1;\n")),
        ),
        ("unknown kinds", format!("{}{BEGIN}", names(SIZE - 99, "Create Spacecrafts v#;\n"))),
        ("two long names", format!("Create Variable {long};\n{BEGIN}{long}b = 1;\n")),
        ("a long field", format!("Create Spacecraft Sat;\nSat.{long} = 1;\n{BEGIN}")),
        ("a long text", format!("Create String s;\n{BEGIN}s = '{long}';\n")),
        (
            "a long report",
            format!("Create Spacecraft Sat;\nCreate ReportFile R;\nR.Add = {{{}}};\n{BEGIN}", "Sat.X ".repeat(90_000)),
        ),
        ("many assignments", format!("Create Variable x;\n{BEGIN}{}", many("x = x + 1;\n"))),
        ("many fields", format!("Create Spacecraft Sat;\n{}{BEGIN}", many("Sat.SMA = 7000;\n"))),
        ("many blocks", format!("Create Variable x;\n{BEGIN}{}", many("If x < 1\nEndIf\n"))),
        ("many problems", format!("{BEGIN}{}", many("EndIf\n"))),
        ("many branches", format!("Create Variable x;\n{BEGIN}If x < 1\n{}EndIf\n", many("ElseIf x < 2\n"))),
        ("many includes", format!("{BEGIN}{}", many("#Include 'part.script'\n"))),
        ("a list", format!("Create Variable x;\n{BEGIN}x = [{}];\n", "1 ".repeat(90_000))),
        ("a matrix", format!("Create Array A[100,100];\n{BEGIN}A = [{}];\n", "1 2 3 4 5;".repeat(8000))),
        ("a sum of texts", format!("Create String s;\n{BEGIN}s = strcat({} s);\n", "s, ".repeat(40_000))),
        (
            "comparisons",
            format!("Create String s;\nCreate Variable x;\n{BEGIN}If {} s == s\nEndIf\n", "s == ".repeat(900)),
        ),
        ("comments", many("% x\n")),
        ("continued", format!("A.B = {}1\n", many("...\n"))),
        ("semicolons", many(";")),
        ("quotes", many("'")),
        ("quotes by lines", many("'\n")),
        ("letters", many("a")),
        ("digits", format!("{BEGIN}x = {}\n", many("9"))),
        ("dots", format!("{BEGIN}x = a{}\n", many(".a"))),
        ("no text", many("é")),
        ("lines", many("\r")),
    ];
    for (name, text) in texts {
        assert!(text.len() <= SIZE, "{name}: {}", text.len());
        let _ = trial.one(text.as_bytes(), || name.to_owned(), &readers::script);
    }
}

/// Compiles a script that includes files.
fn including(script: &str, files: &[(String, String)]) -> Answer {
    let read: Read =
        files.iter().map(|(name, text)| (name.clone(), Ok(Rc::from(text.as_bytes())))).collect::<BTreeMap<_, _>>();
    let tree = gmat::parse("a.script", script.as_bytes()).map_err(|problems| problems.to_string())?;
    let mission = compile_with("a.script", script, &tree, &read, World::gmat());
    mission.map(drop).map_err(|problems| problems.to_string())
}

#[test]
fn prop_includes_of_the_largest_size() {
    let trial = Trial::new("includes");
    let large = many("% nothing\n");
    let again = "#Include 'a'\n".repeat(990);
    let begin_again = format!("{again}{BEGIN}");
    let in_blocks = |next: usize| format!("{}#Include 'f{next}'\n{}", "If x < 1\n".repeat(99), "EndIf\n".repeat(99));
    let chain: Vec<_> = (0..99)
        .map(|file| (format!("f{file}"), in_blocks(file + 1)))
        .chain([("f99".to_owned(), "x = 1;\n".to_owned())])
        .collect();
    let doubling: Vec<_> = (0..40)
        .map(|file| (format!("d{file}"), format!("#Include 'd{0}'\n#Include 'd{0}'\n", file + 1)))
        .chain([("d40".to_owned(), large.clone())])
        .collect();
    let a = |text: &str| vec![("a".to_owned(), text.to_owned())];
    for (name, script, files) in [
        ("a large file again and again", format!("{BEGIN}{again}"), a(&large)),
        ("the same before the mission", begin_again.clone(), a(&large)),
        ("the same without a mission", again, a(&large)),
        ("statements again and again", begin_again, a(&many("Create Variable a;\n"))),
        ("blocks in files in blocks", format!("Create Variable x;\n{BEGIN}{}", in_blocks(0)), chain),
        ("two of two of two", format!("{BEGIN}#Include 'd0'\n"), doubling),
    ] {
        let outcome = trial.one(script.as_bytes(), || name.to_owned(), &|bytes| {
            including(std::str::from_utf8(bytes).unwrap(), &files)
        });
        assert!(outcome.is_err(), "{name}");
    }
}

#[test]
fn prop_configs_of_the_largest_size() {
    assert_eq!(config::MAX_BYTES, SIZE);
    let trial = Trial::new("config-sizes");
    let rest = "mission.script='a'\noutput.file='b'\n";
    let grid = |axes: &str| format!("{rest}design={{kind='grid',axes={{{axes}}}}}\n");
    let stage = |number: usize| format!("[[stage]]\nname='s{number}'\nfrom='each'\nset={{A='A'}}\n");
    let stages: String = (0..100).map(stage).collect();
    let names = |size, piece: &str| numbered(size, |number| piece.replace('#', &number.to_string()));
    let long = "a".repeat(SIZE - 4000);
    let mut texts = vec![
        ("empty lists", format!("a=[{}]\n", many("[],"))),
        ("empty tables", format!("a=[{}]\n", many("{},"))),
        ("numbers", format!("a=[{}]\n", many("1,"))),
        ("texts", format!("a=[{}]\n", many("'',"))),
        ("sections", names(SIZE - 99, "[a#]\n")),
        ("stages", many("[[stage]]\n")),
        ("as many lists as there may be", format!("a=[{}]\n", "[],".repeat(99_990))),
        ("as many axes as there may be", grid(&names(200_000, "a#={values=[1]},"))),
        ("as many tables as there may be", grid(&names(1_100_000, "a#={values=[1]},"))),
        ("keys", names(SIZE - 99, "k#=1\n")),
        ("keys of a section", format!("[limits]\n{}", names(SIZE - 99, "k#=1\n"))),
        ("near keys of a section", format!("[limits]\n{}", names(SIZE - 99, "steps#=1\n"))),
        ("a long key", format!("[limits]\n{long}=1\n")),
        ("a long kind", format!("{rest}[design]\nkind='{long}'\n")),
        ("axes", grid(&names(SIZE - 999, "a#={values=[1]},"))),
        ("axes of two", grid(&names(SIZE - 999, "a#={values=[1,2]},"))),
        ("axes that are none", grid(&names(SIZE - 999, "a#=1,"))),
        ("rules that are none", grid(&format!("A={{{}}}", names(SIZE - 999, "a#=1,")))),
        ("texts of an axis", grid(&format!("A={{values=[{}]}}", names(SIZE - 999, "'#',")))),
        ("columns", format!("mission.script='a'\noutput={{file='b',final=[{}]}}\n", names(SIZE - 999, "'c#',"))),
        ("columns that are none", format!("mission.script='a'\noutput={{file='b',final=[{}]}}\n", many("'c',"))),
        ("set", format!("{rest}[[stage]]\nname='a'\nset={{{}}}\n", names(SIZE - 999, "a#='c',"))),
        (
            "a hundred stages of a long config",
            format!("{rest}{}[design]\nkind='table'\ncolumns={{A=[1]}}\n{stages}", "#\n".repeat(2_000_000)),
        ),
    ];
    let mut inherited = format!("{rest}[workload]\nkind='command'\nargv=['a'{}]\n", names(3_000_000, ",'#'"));
    write!(inherited, "[design]\nkind='table'\ncolumns={{A=[1]}}\n{stages}").unwrap();
    texts.push(("a hundred stages of a long section", inherited.replace("mission.script='a'\n", "")));
    for (name, text) in texts {
        assert!(text.len() <= SIZE, "{name}: {}", text.len());
        let _ = trial.one(text.as_bytes(), || name.to_owned(), &readers::config);
    }
}

/// What is read, its text, and its reader.
type Reading<'a> = (&'a str, String, Box<dyn Fn(&[u8]) -> Answer + 'a>);

#[test]
fn prop_data_files_of_the_largest_size() {
    let trial = Trial::new("data-sizes");
    let fill =
        |size: usize, head: &str, piece: &str| format!("{head}{}", piece.repeat((size - head.len()) / piece.len()));
    let eop = "2016 1 1 57753 0 0 0 0\n";
    let json = readers::place("large.json");
    let day = "2020 06 01 2540  3 67  3  7 57 10 37 60  3 244 111   2   3  67   4  22  80   2  36 0.8 4  10 118.6 0  98.1  99.1 122.1 100.1  99.1\n";
    let cof = "POTFIELD360360  1 3.98600441500000E+14 6.37813630000000E+06 1.0\n";
    let all: [Reading; 9] = [
        ("Earth orientation again and again", fill(32 << 20, "", eop), Box::new(readers::earth_orientation)),
        ("Earth orientation of no lines", fill(32 << 20, eop, "9"), Box::new(readers::earth_orientation)),
        ("weather", fill(64 << 20, "BEGIN OBSERVED\n", day), Box::new(readers::space_weather)),
        (
            "weather to come",
            fill(64 << 20, &format!("BEGIN OBSERVED\n{day}END OBSERVED\nBEGIN DAILY_PREDICTED\n"), day),
            Box::new(readers::space_weather),
        ),
        ("a field", fill(64 << 20, cof, "RECOEF    2  0  1\n"), Box::new(|bytes| readers::gravity("a.cof", bytes))),
        ("a field's head", fill(64 << 20, "", "max_degree 360\n"), Box::new(|bytes| readers::gravity("a.gfc", bytes))),
        ("JSON lists", fill(60 << 20, "{\"a\":[0,{\"x\":[", "[],"), Box::new(|bytes| readers::json(&json, bytes))),
        ("JSON numbers", fill(60 << 20, "[", "0,") + "0]", Box::new(|bytes| readers::json(&json, bytes))),
        (
            "JSON texts",
            fill(60 << 20, "{\"b\":\"", "a") + "\",\"a\":[0,{\"x\":1}]}",
            Box::new(|bytes| readers::json(&json, bytes)),
        ),
    ];
    for (name, text, read) in &all {
        let _ = trial.one(text.as_bytes(), || (*name).to_owned(), read);
    }
    assert_eq!(readers::json(&json, all[8].1.as_bytes()), Ok(()));
    std::fs::remove_file(&json).unwrap();
}

/// A file of holes costs its maker nothing and may promise any number of records.
#[test]
fn prop_an_ephemeris_of_holes() {
    let path = readers::place("holes.bsp");
    let trial = Trial::new("holes");
    for records in [10_000, 30_000, 100_000, 1_400_000] {
        let (head, pieces, length) = large_kernel(records);
        let file = File::create(&path).unwrap();
        file.set_len(length).unwrap();
        file.write_all_at(&head, 0).unwrap();
        for (place, piece) in pieces {
            file.write_all_at(&piece, place).unwrap();
        }
        let read = |_: &[u8]| {
            Ephemeris::of_file(Path::new(&path), Span { first: -1e9, end: 1e9 }).map(drop).map_err(|e| e.to_string())
        };
        let outcome = trial.one(&[], || format!("{records} records"), &read);
        assert!(outcome.is_err());
    }
    std::fs::remove_file(path).unwrap();
}

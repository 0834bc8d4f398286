//! `sweep-mpi check`: whether a mission script can be flown, all that stands in the way, and what of it is ignored.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::format::say;
use crate::astro::world::World;
use crate::base::files::Folder;
use crate::base::problem::{Problems, printable};
use crate::cli::{EXIT_OK, EXIT_REFUSED};
use crate::gmat;
use crate::mission::Mission;
use crate::mission::compile::{Compiled, look};
use crate::mission::program::Command;
use crate::plan::{read_file, shown};

/// Checks scripts; problems go to standard error, all else to standard output.
pub fn run(scripts: &[PathBuf]) -> u8 {
    let mut code = EXIT_OK;
    for script in scripts {
        let file = shown(script);
        let said = match check(script, &file) {
            Err(problems) => Some((problems, "not parsed")),
            Ok(Compiled { outcome, ignored }) => {
                for line in ignored {
                    say(&format!("{file}: ignored: {}\n", printable(&line)));
                }
                match outcome {
                    Ok(mission) => {
                        say(&format!("{file}: can be flown{}\n", contents(&mission)));
                        None
                    }
                    Err(problems) => Some((problems, "parsed, and refused")),
                }
            }
        };
        if let Some((problems, what)) = said {
            eprintln!("{problems}");
            let count = problems.0.len();
            say(&format!("{file}: {what}, {count} problem{}\n", if count == 1 { "" } else { "s" }));
            code = EXIT_REFUSED;
        }
    }
    code
}

/// What becomes of a script that can be parsed.
fn check(script: &Path, file: &str) -> Result<Compiled, Problems> {
    let bytes = read_file(script, gmat::MAX_BYTES, file)?;
    let tree = gmat::parse(file, &bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let folder = Folder::new(script.parent().unwrap_or(Path::new("")).to_owned());
    Ok(look(file, text, &tree, &folder, World::gmat()))
}

/// What a mission holds, in a few words.
fn contents(mission: &Mission) -> String {
    let mut text = String::new();
    let maneuvers = mission.program.iter().filter(|command| matches!(command, Command::Maneuver { .. })).count();
    for (number, word) in [
        (mission.names.spacecraft.len(), "spacecraft"),
        (mission.legs.len(), "Propagate"),
        (maneuvers, "Maneuver"),
        (mission.targets.len(), "Target"),
        (mission.reports.len(), "ReportFile"),
        (mission.ephemerides.len(), "EphemerisFile"),
    ] {
        if number > 0 {
            let _ = write!(text, "{} {number} {word}", if text.is_empty() { ":" } else { "," });
        }
    }
    text
}

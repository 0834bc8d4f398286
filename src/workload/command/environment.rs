//! What a program sees of the environment: names that are allowed, names that the config sets, and
//! `SWEEP_*`; nothing else. So the variables of the MPI launcher do not reach it, and a program that
//! uses MPI itself starts as if alone.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The names that are passed on unless the config says otherwise.
pub const ALLOWED: [&str; 5] = ["PATH", "HOME", "LANG", "TMPDIR", "LD_LIBRARY_PATH"];
/// Where programs are looked for if no PATH is passed on.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Whether a text can be the name of a variable.
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0', ' ', '*'])
}

/// The variable that carries a parameter: `Sat.SMA` is in `SWEEP_Sat_SMA`.
pub fn variable(parameter: &str) -> String {
    let name: String = parameter.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("SWEEP_{name}")
}

/// The variables of ours that are passed on.
pub fn allowed(ours: impl Iterator<Item = (OsString, OsString)>, env_allow: &[String]) -> Vec<(OsString, OsString)> {
    let is_allowed = |name: &OsStr| {
        env_allow.iter().any(|allowed| match allowed.strip_suffix('*') {
            Some(start) => name.as_bytes().starts_with(start.as_bytes()),
            None => name == OsStr::new(allowed),
        })
    };
    ours.filter(|(name, _)| is_allowed(name)).collect()
}

/// The file of a program: with `/` relative to `folder`, else the first executable file of that name
/// in `path`.
pub fn find_program(name: &OsStr, path: Option<&OsStr>, folder: &Path) -> Option<PathBuf> {
    if name.is_empty() {
        return None;
    }
    if name.as_bytes().contains(&b'/') {
        return Some(folder.join(name));
    }
    std::env::split_paths(path.unwrap_or(OsStr::new(PATH)))
        .map(|place| folder.join(place).join(name))
        .find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    let executable = rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok();
    executable && std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_allowed_is_passed_on() {
        let ours = ["PATH", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SECRET", "PATH2"];
        let pass = |allow: &[&str]| -> Vec<String> {
            let allow: Vec<String> = allow.iter().map(|name| (*name).to_owned()).collect();
            let ours = ours.iter().map(|name| (OsString::from(name), OsString::new()));
            allowed(ours, &allow).into_iter().map(|(name, _)| name.into_string().unwrap()).collect()
        };
        assert_eq!(pass(&ALLOWED), ["PATH"]);
        assert_eq!(pass(&["OMPI_*", "SECRET"]), ["OMPI_COMM_WORLD_RANK", "SECRET"]);
        assert_eq!(pass(&[]), Vec::<String>::new());
    }

    #[test]
    fn a_program_is_found_as_a_shell_finds_it() {
        let folder = Path::new("/usr");
        let find = |name: &str| find_program(OsStr::new(name), Some(OsStr::new("/nowhere:/bin")), folder);
        assert_eq!(find("sh"), Some(PathBuf::from("/bin/sh")));
        assert_eq!(find("bin/env"), Some(PathBuf::from("/usr/bin/env")));
        assert_eq!(find("no-such-program"), None);
        assert_eq!(find(""), None);
        assert_eq!(variable("Sat.SMA"), "SWEEP_Sat_SMA");
    }
}

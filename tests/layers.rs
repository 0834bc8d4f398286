//! The layers import downwards only, and what must stay in one file stays there.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::fs;
use std::path::{Path, PathBuf};

/// From the top to the bottom, as in src/lib.rs; a module may use what stands after it.
const LAYERS: [&str; 21] = [
    "sweep",
    "output",
    "report",
    "plan",
    "cli",
    "schedule",
    "workload",
    "propagator",
    "store",
    "comm",
    "statistics",
    "design",
    "config",
    "mission",
    "gmat",
    "solver",
    "integrators",
    "forces",
    "propulsion",
    "astro",
    "base",
];

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            all.push(path);
        }
    }
    all
}

/// The top module of a file under src.
fn layer_of(path: &Path) -> String {
    let first = path.strip_prefix("src").unwrap().components().next().unwrap();
    first.as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned()
}

#[test]
fn layers_import_downwards_only() {
    let rank = |layer: &str| LAYERS.iter().position(|name| *name == layer);
    let mut wrong = Vec::new();
    for path in files(Path::new("src")) {
        let layer = layer_of(&path);
        if ["main", "lib"].contains(&layer.as_str()) {
            continue;
        }
        let mine = rank(&layer).unwrap_or_else(|| panic!("src/{layer} has no place among the layers"));
        let text = fs::read_to_string(&path).unwrap();
        let code = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        for (number, line) in code {
            for part in line.split("crate::").skip(1) {
                let used: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if rank(&used).is_some_and(|theirs| theirs < mine) {
                    wrong.push(format!("{}:{}: {layer} uses {used}", path.display(), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn one_file_names_mpi_one_names_hdf5_and_unsafe_is_where_it_belongs() {
    for path in files(Path::new("src")) {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.display().to_string();
        let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let has = |word: &str| code.iter().any(|line| line.contains(word));
        assert!(name.starts_with("src/comm/mpi") || !has("mpi::ffi") && !has("mpi::topology"), "{name} names MPI");
        assert!(name == "src/store/raw.rs" || !has("hdf5::") && !has("hdf5_sys"), "{name} names HDF5");
        let unsafe_files = [
            "src/comm/mpi.rs",
            "src/comm/mpi/inbox.rs",
            "src/store/raw.rs",
            "src/base/lanes.rs",
            "src/workload/command/process.rs",
        ];
        assert!(unsafe_files.contains(&name.as_str()) || !has("unsafe "), "{name} is unsafe");
    }
}

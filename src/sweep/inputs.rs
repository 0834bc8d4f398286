//! What a sweep is made from: read by rank 0, broadcast as bytes; and what of it has no effect.

use std::path::PathBuf;

use super::together;
use crate::base::files::Read;
use crate::cli::{RunArguments, Stop, refused};
use crate::comm::World;
use crate::plan::{Plan, Sources, shown};

/// Rank 0 reads the config and the script; all get the bytes.
pub(super) fn load(world: &World, arguments: &RunArguments) -> Result<Sources, Stop> {
    let read = if world.rank() == 0 { Sources::read(&arguments.config) } else { Ok(Sources::default()) };
    let mut sources = together(world, "reading the config", read.map_err(refused))?;
    let mut texts = [
        sources.config_file.clone().into_bytes(),
        sources.folder.clone().into_os_string().into_encoded_bytes(),
        std::mem::take(&mut sources.config),
    ];
    let sweeps = world.all_reduce_max(sources.scripts.len() as u64);
    sources.scripts.resize(sweeps as usize, Vec::new());
    for bytes in texts.iter_mut().chain(&mut sources.scripts) {
        world.broadcast_bytes(bytes);
    }
    sources.files.resize(sweeps as usize, Read::new());
    for files in &mut sources.files {
        let mut bytes = encoded(files);
        world.broadcast_bytes(&mut bytes);
        *files = decoded(&bytes);
    }
    let [file, folder, config] = texts;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let (config_file, folder) = (text(file), PathBuf::from(text(folder)));
    Ok(Sources { config_file, folder, config, scripts: sources.scripts, files: sources.files })
}

/// Files as bytes: the lengths of name and content or error, which of these it is, then name and content, one file
/// after the other.
fn encoded(files: &Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, read) in files {
        let content = read.as_ref().map_or_else(String::as_bytes, |content| &content[..]);
        bytes.extend((name.len() as u64).to_le_bytes());
        bytes.extend((content.len() as u64).to_le_bytes());
        bytes.push(u8::from(read.is_ok()));
        bytes.extend(name.as_bytes());
        bytes.extend(content);
    }
    bytes
}

fn decoded(mut bytes: &[u8]) -> Read {
    let mut files = Read::new();
    while let Some((lengths, rest)) = bytes.split_first_chunk::<17>() {
        let [name, content] =
            [0, 8].map(|at| lengths[at..].first_chunk().map_or(0, |n| u64::from_le_bytes(*n)) as usize);
        let (name, rest) = rest.split_at(name.min(rest.len()));
        let (content, rest) = rest.split_at(content.min(rest.len()));
        let content =
            if lengths[16] == 1 { Ok(content.into()) } else { Err(String::from_utf8_lossy(content).into_owned()) };
        files.insert(String::from_utf8_lossy(name).into_owned(), content);
        bytes = rest;
    }
    files
}

/// What of the scripts has no effect on the numbers, each script once.
pub(super) fn tell_ignored(plans: &[Plan]) {
    let script = |plan: &Plan| plan.config.mission.as_ref().map(|mission| mission.script.value.clone());
    for (number, plan) in plans.iter().enumerate() {
        if !plans[..number].iter().any(|other| script(other) == script(plan)) {
            tell_ignored_of(plan);
        }
    }
}

/// What of the script has no effect on the numbers: the first lines in one, all of them with `-v`.
fn tell_ignored_of(plan: &Plan) {
    const SHOWN: usize = 3;
    let ignored = plan.workload.ignored();
    let script = plan.config.mission.as_ref().map_or(String::new(), |mission| shown(&mission.script.value));
    if let Some(more) = ignored.len().checked_sub(1) {
        let first = ignored[..ignored.len().min(SHOWN)].join("; ");
        let rest =
            if more >= SHOWN { format!("; and {} more (-v lists them)", ignored.len() - SHOWN) } else { String::new() };
        tracing::info!("{script}: without effect on the numbers: {first}{rest}");
    }
    for line in ignored {
        tracing::debug!("{script}: {line}");
    }
}

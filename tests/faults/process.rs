//! The processes of a job, found by the folder in which it was started.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use sweep_mpi::store::Reader;

use crate::case::PROGRAM;

/// The ranks that live, by their numbers.
pub(crate) fn ranks(folder: &Path) -> Vec<(usize, Pid)> {
    let folder = folder.canonicalize().unwrap();
    let rank_of = |entry: PathBuf| {
        if fs::read_link(entry.join("cwd")).ok()? != folder {
            return None;
        }
        let read = |name: &str| Some(String::from_utf8_lossy(&fs::read(entry.join(name)).ok()?).into_owned());
        if !read("cmdline")?.starts_with(PROGRAM) {
            return None;
        }
        let environment = read("environ")?;
        let rank = environment.split('\0').find_map(|variable| variable.strip_prefix("OMPI_COMM_WORLD_RANK="));
        let pid = entry.file_name()?.to_str()?.parse().ok()?;
        Some((rank.map_or(Some(0), |rank| rank.parse().ok())?, Pid::from_raw(pid)?))
    };
    let mut all: Vec<_> = fs::read_dir("/proc").unwrap().filter_map(|entry| rank_of(entry.unwrap().path())).collect();
    all.sort_by_key(|(rank, _)| *rank);
    all
}

/// Waits in the background until so many runs are ok in an unfinished file, then kills these ranks; when it did.
pub(crate) fn kill_after(folder: &Path, partial: &Path, ok: usize, who: &[usize]) -> JoinHandle<Option<Instant>> {
    let (folder, partial, who) = (folder.to_owned(), partial.to_owned(), who.to_vec());
    std::thread::spawn(move || {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(40) {
            std::thread::sleep(Duration::from_millis(5));
            let status = Reader::open(&partial).and_then(|reader| reader.status(0, reader.runs()));
            if status.is_ok_and(|status| status.iter().filter(|&&status| status == 1).count() >= ok) {
                for (_, pid) in ranks(&folder).into_iter().filter(|(rank, _)| who.contains(rank)) {
                    let _ = kill_process(pid, Signal::KILL);
                }
                return Some(Instant::now());
            }
        }
        None
    })
}

//! The folders that programs work in.
//!
//! A folder of each run's own would be made and removed once a run, which costs more than a short
//! program on many file systems (1 to 2 ms on ext4 with discard, more on a parallel one). So where not
//! all folders are kept, each program at a time has a place, `work.RANK.PLACE`, that is emptied from run
//! to run; the folder of a run that is kept gets the run's number as its name.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::settings::FolderKeep;

/// The folder of a run while it works there.
#[derive(Debug)]
pub(super) struct RunFolder {
    pub(super) path: PathBuf,
    place: Option<usize>,
}

/// All folders of a rank.
#[derive(Debug)]
pub(super) struct Folders {
    root: PathBuf,
    rank: usize,
    keep: FolderKeep,
    places: usize,
    free: Vec<usize>,
}

impl Folders {
    /// For a rank; makes the folder of all runs.
    pub(super) fn new(root: &Path, rank: usize, keep: FolderKeep) -> io::Result<Folders> {
        let root = std::path::absolute(root)?;
        std::fs::create_dir_all(&root)?;
        Ok(Folders { root, rank, keep, places: 0, free: Vec::new() })
    }

    /// The folder of all runs.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    fn place(&self, place: usize) -> PathBuf {
        self.root.join(format!("work.{}.{place}", self.rank))
    }

    /// An empty folder for an attempt of a run.
    pub(super) fn take(&mut self, run: u64) -> io::Result<RunFolder> {
        match self.keep {
            FolderKeep::Shared => Ok(RunFolder { path: self.root.clone(), place: None }),
            FolderKeep::Always => {
                let path = self.root.join(run.to_string());
                empty(&path)?;
                Ok(RunFolder { path, place: None })
            }
            FolderKeep::OnFailure | FolderKeep::Never => {
                let place = self.free.pop().unwrap_or_else(|| {
                    self.places += 1;
                    self.places - 1
                });
                let path = self.place(place);
                if let Err(error) = empty(&path) {
                    self.free.push(place);
                    return Err(error);
                }
                Ok(RunFolder { path, place: Some(place) })
            }
        }
    }

    /// The file of what a run prints, `stdout` or `stderr`.
    pub(super) fn printed(&self, run: u64, folder: &RunFolder, name: &str) -> PathBuf {
        match self.keep {
            FolderKeep::Shared => folder.path.join(format!("{run}.{name}")),
            _ => folder.path.join(name),
        }
    }

    /// Takes a folder back; that of a run that failed for good is kept under the run's number if the
    /// settings say so.
    pub(super) fn give_back(&mut self, run: u64, folder: RunFolder, failed: bool) {
        let RunFolder { path, place } = folder;
        let Some(place) = place else { return };
        self.free.push(place);
        if failed && self.keep == FolderKeep::OnFailure {
            let kept = self.root.join(run.to_string());
            let moved = std::fs::rename(&path, &kept).or_else(|_| {
                // one of an earlier sweep is there
                std::fs::remove_dir_all(&kept)?;
                std::fs::rename(&path, &kept)
            });
            if let Err(error) = moved {
                tracing::warn!("{}: {error}", kept.display());
            }
        }
    }
}

impl Drop for Folders {
    /// Removes the places, and the folder of all runs if nothing is kept in it.
    fn drop(&mut self) {
        for place in 0..self.places {
            let path = self.place(place);
            if std::fs::remove_dir(&path).is_err()
                && let Err(error) = std::fs::remove_dir_all(&path)
                && error.kind() != ErrorKind::NotFound
            {
                tracing::warn!("{}: {error}", path.display());
            }
        }
        let _ = std::fs::remove_dir(&self.root);
    }
}

/// Makes a folder, or removes all that is in it, so that no old output is taken for a new one.
fn empty(folder: &Path) -> io::Result<()> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return std::fs::create_dir_all(folder),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            std::fs::remove_dir_all(entry.path())?;
        } else {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_used_again_and_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("runs");
        let mut folders = Folders::new(&root, 3, FolderKeep::OnFailure).unwrap();
        let first = folders.take(0).unwrap();
        assert!(first.path.ends_with("work.3.0"));
        assert!(folders.take(1).unwrap().path.ends_with("work.3.1"));
        std::fs::create_dir_all(first.path.join("a/b")).unwrap();
        std::fs::write(first.path.join("c"), "c").unwrap();
        std::os::unix::fs::symlink("/etc", first.path.join("d")).unwrap();
        folders.give_back(0, first, false);
        let again = folders.take(2).unwrap();
        assert!(again.path.ends_with("work.3.0"));
        assert_eq!(std::fs::read_dir(&again.path).unwrap().count(), 0);
        assert!(Path::new("/etc/passwd").exists());
        // a folder of an earlier sweep is in the way
        std::fs::create_dir_all(root.join("2/old")).unwrap();
        std::fs::write(again.path.join("new"), "").unwrap();
        folders.give_back(2, again, true);
        assert!(root.join("2/new").exists() && !root.join("2/old").exists());
        drop(folders);
        assert_eq!(std::fs::read_dir(&root).unwrap().count(), 1);
    }

    #[test]
    fn nothing_is_left_where_nothing_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("runs");
        let mut folders = Folders::new(&root, 0, FolderKeep::Never).unwrap();
        let one = folders.take(5).unwrap();
        std::fs::write(one.path.join("x"), "").unwrap();
        folders.give_back(5, one, true);
        drop(folders);
        assert!(!root.exists());
    }
}

//! The lock that keeps two jobs off one result file: `OUT.lock` beside it.

use rustix::process::{Pid, test_kill_process};
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a process that is being killed may take to be gone: it waits for the disk.
const DYING_MAX: Duration = Duration::from_secs(30);
/// A lock file longer than this is not ours.
const LOCK_BYTES_MAX: u64 = 4096;

/// Who holds a lock; the lock file's JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockHolder {
    /// The machine's name.
    pub host: String,
    /// The process number of rank 0 there.
    pub pid: i32,
    /// The Slurm job (`SLURM_JOB_ID`), if there was one.
    pub job: Option<String>,
}

impl std::fmt::Display for LockHolder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let printable = crate::base::problem::printable;
        write!(f, "process {} on {}", self.pid, printable(&self.host))?;
        match &self.job {
            Some(job) => write!(f, " (Slurm job {})", printable(job)),
            None => Ok(()),
        }
    }
}

/// Why there is no lock.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another job is at work, or its end cannot be seen from here.
    #[error("{path} is held by {holder}; if that job is gone, remove the lock file")]
    Held {
        /// The lock file.
        path: String,
        /// Who holds it.
        holder: LockHolder,
    },
    /// The file is there but nobody can be read from it.
    #[error("{path} exists but does not say who holds it; if no job is at work, remove it")]
    Unreadable {
        /// The lock file.
        path: String,
    },
    /// The operating system's refusal.
    #[error("cannot make the lock file {path}: {error}")]
    Io {
        /// The lock file.
        path: String,
        /// Its words.
        error: std::io::Error,
    },
}

/// A held lock; dropping it removes the file.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    text: String,
    stale: Option<LockHolder>,
}

impl Lock {
    /// Takes the lock of a result file, on rank 0 alone.
    ///
    /// A lock of a process of this machine that no longer exists is taken over; see [`Lock::stale`].
    /// `host` is this machine's name, as `World::host` gives it.
    ///
    /// # Errors
    /// [`LockError::Held`] names host and process.
    pub fn take(result: &Path, host: &str) -> Result<Lock, LockError> {
        let mut name = result.as_os_str().to_owned();
        name.push(".lock");
        let path = PathBuf::from(name);
        let holder = LockHolder {
            host: host.to_owned(),
            pid: rustix::process::getpid().as_raw_nonzero().get(),
            job: std::env::var("SLURM_JOB_ID").ok(),
        };
        let shown = || path.display().to_string();
        let io = |error| LockError::Io { path: shown(), error };
        let text = serde_json::to_string(&holder).map_err(|error| io(error.into()))?;
        let mut stale = None;
        // The second turn is after a stale lock was removed; who comes third is refused.
        for _ in 0..2 {
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(mut file) => {
                    let lock = Lock { path: path.clone(), text, stale };
                    return match file.write_all(lock.text.as_bytes()).and_then(|()| file.sync_all()) {
                        Ok(()) => Ok(lock),
                        Err(error) => {
                            let _ = fs::remove_file(&path);
                            Err(io(error))
                        }
                    };
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    let Some(found) = read(&path) else {
                        return Err(LockError::Unreadable { path: shown() });
                    };
                    if found.host != host || stays_alive(found.pid) {
                        return Err(LockError::Held { path: shown(), holder: found });
                    }
                    // Moved aside and looked at again: another job may have taken it over meanwhile,
                    // and then its lock goes back.
                    let aside = path.with_extension(format!("lock.stale.{}", holder.pid));
                    fs::rename(&path, &aside).map_err(io)?;
                    let moved = read(&aside);
                    if moved.as_ref() != Some(&found) {
                        let _ = fs::hard_link(&aside, &path);
                    }
                    fs::remove_file(&aside).map_err(io)?;
                    if let Some(holder) = moved.filter(|moved| *moved != found) {
                        return Err(LockError::Held { path: shown(), holder });
                    }
                    stale = Some(found);
                }
                Err(error) => return Err(io(error)),
            }
        }
        match read(&path) {
            Some(holder) => Err(LockError::Held { path: shown(), holder }),
            None => Err(LockError::Unreadable { path: shown() }),
        }
    }

    /// Whose lock was taken over, for the log.
    pub fn stale(&self) -> Option<&LockHolder> {
        self.stale.as_ref()
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Somebody may have removed it by hand and another job may hold one now.
        if fs::read_to_string(&self.path).is_ok_and(|text| text == self.text) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn read(path: &Path) -> Option<LockHolder> {
    let mut text = String::new();
    fs::File::open(path).ok()?.take(LOCK_BYTES_MAX).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

/// Whether a process lives and is not about to end: one that is being killed is waited for.
fn stays_alive(pid: i32) -> bool {
    let start = Instant::now();
    while is_alive(pid) {
        match dying(pid) {
            Dying::Gone => return false,
            Dying::Yes if start.elapsed() < DYING_MAX => std::thread::sleep(Duration::from_millis(20)),
            _ => return true,
        }
    }
    false
}

/// How near a process is to its end.
enum Dying {
    No,
    /// SIGKILL waits for it, or it is exiting.
    Yes,
    /// Its exit code alone is left.
    Gone,
}

fn dying(pid: i32) -> Dying {
    const SIGKILL: u64 = 1 << 8;
    const PF_EXITING: u64 = 4;
    let read = |what: &str| fs::read_to_string(format!("/proc/{pid}/{what}")).unwrap_or_default();
    let status = read("status");
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim);
    let mask = |name: &str| field(name).and_then(|text| u64::from_str_radix(text, 16).ok()).unwrap_or(0);
    // the name of the program, in parentheses, may hold anything
    let stat = read("stat");
    let flags = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(6)?.parse::<u64>().ok());
    if field("State").is_some_and(|state| state.starts_with(['Z', 'X'])) {
        Dying::Gone
    } else if (mask("SigPnd") | mask("ShdPnd")) & SIGKILL != 0 || flags.is_some_and(|flags| flags & PF_EXITING != 0) {
        Dying::Yes
    } else {
        Dying::No
    }
}

/// A process of another user counts as alive.
fn is_alive(pid: i32) -> bool {
    let Some(pid) = Pid::from_raw(pid).filter(|_| pid > 0) else { return false };
    test_kill_process(pid) != Err(rustix::io::Errno::SRCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    fn write(path: &Path, host: &str, pid: i32) {
        let holder = LockHolder { host: host.into(), pid, job: Some("77".into()) };
        fs::write(path, serde_json::to_string(&holder).unwrap()).unwrap();
    }

    #[test]
    fn one_holder_at_a_time() {
        let folder = folder();
        let result = folder.path().join("out.h5");
        let lock = Lock::take(&result, "here").unwrap();
        assert!(lock.stale().is_none());
        let text = Lock::take(&result, "here").unwrap_err().to_string();
        assert!(text.contains(&format!("process {} on here", std::process::id())), "{text}");
        drop(lock);
        assert!(!folder.path().join("out.h5.lock").exists());
        Lock::take(&result, "here").unwrap();
    }

    #[test]
    fn a_dead_process_of_this_machine_holds_nothing() {
        let folder = folder();
        let (result, path) = (folder.path().join("out.h5"), folder.path().join("out.h5.lock"));
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let dead = child.id().cast_signed();
        child.wait().unwrap();
        write(&path, "here", dead);
        let lock = Lock::take(&result, "here").unwrap();
        assert_eq!(lock.stale().map(|holder| holder.pid), Some(dead));
        drop(lock);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        write(&path, "elsewhere", dead);
        let text = Lock::take(&result, "here").unwrap_err().to_string();
        assert!(text.contains("on elsewhere (Slurm job 77)"), "{text}");
    }

    #[test]
    fn a_process_that_was_killed_holds_nothing() {
        let folder = folder();
        let (result, path) = (folder.path().join("out.h5"), folder.path().join("out.h5.lock"));
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        write(&path, "here", child.id().cast_signed());
        assert!(matches!(Lock::take(&result, "here"), Err(LockError::Held { .. })), "it lives");
        child.kill().unwrap();
        // nobody has taken its exit code yet: it is dying, then a zombie
        assert!(Lock::take(&result, "here").is_ok());
        assert!(!child.wait().unwrap().success());
    }

    #[test]
    fn an_unreadable_lock_is_respected_and_a_foreign_one_not_removed() {
        let folder = folder();
        let (result, path) = (folder.path().join("out.h5"), folder.path().join("out.h5.lock"));
        fs::write(&path, "").unwrap();
        assert!(matches!(Lock::take(&result, "here"), Err(LockError::Unreadable { .. })));
        fs::remove_file(&path).unwrap();
        let lock = Lock::take(&result, "here").unwrap();
        write(&path, "elsewhere", 1);
        drop(lock);
        assert!(path.exists());
        let nowhere = Lock::take(&folder.path().join("no/out.h5"), "here");
        assert!(matches!(nowhere, Err(LockError::Io { .. })));
    }
}

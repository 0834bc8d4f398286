//! A program in a process group of its own: start, signal, reap.
//!
//! # Why the start is safe under MPI
//!
//! A `fork` in a process with MPI threads and pinned memory is not: the copy holds locks of threads it
//! does not have, MPI's handlers run in it, and all page tables are copied. [`spawn`] never forks. It
//! uses `std::process::Command` with nothing that needs code between start and exec (no `pre_exec`, no
//! user or group change; the file of the program is looked up before), and then std calls
//! `posix_spawn`. In the GNU C library 2.29 and later that is one `clone` with `CLONE_VM | CLONE_VFORK`:
//! no memory is copied, no `pthread_atfork` handler runs, all signals are blocked, and the child only
//! sets its process group, its folder and its three file descriptors before it executes the program.
//! With an older C library std would fork to change the folder.
//!
//! Every other descriptor of ours, and those of OpenMPI, is closed on exec.
//!
//! # No zombie
//!
//! [`Process`] is reaped by [`Process::reap`] or, at the latest, killed and reaped when it is dropped.
//! Until then its process number, and so its group's, cannot be given to another.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, PipeWriter};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

/// What is started.
#[derive(Debug)]
pub struct Launch<'a> {
    /// The program's file, absolute.
    pub program: &'a Path,
    /// The program's own name and its arguments.
    pub argv: &'a [OsString],
    /// Its whole environment.
    pub environment: &'a [(OsString, OsString)],
    /// Its working folder.
    pub folder: &'a Path,
    /// Its standard input; empty if there is none.
    pub stdin: Option<File>,
    /// Where its standard output goes; dropped if there is none.
    pub stdout: Option<PipeWriter>,
    /// Where its standard error goes; dropped if there is none.
    pub stderr: Option<PipeWriter>,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct End {
    /// The exit code, if it ended itself.
    pub exit_code: Option<i32>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// CPU time, user and system, of it and of the children it waited for, s.
    pub cpu_s: f64,
    /// The kernel's figure for its peak memory or that of a child it waited for, KiB. The kernel starts
    /// this figure at the starting process's own peak, so a smaller one cannot be seen.
    pub peak_kb: u64,
}

/// A program that was started and not yet reaped.
#[derive(Debug)]
pub struct Process {
    pid: Pid,
    pidfd: Option<OwnedFd>,
    reaped: bool,
}

/// Starts a program in its own process group.
pub fn spawn(launch: Launch) -> io::Result<Process> {
    let stdio = |pipe: Option<PipeWriter>| pipe.map_or_else(Stdio::null, Stdio::from);
    let mut command = Command::new(launch.program);
    if let [name, arguments @ ..] = launch.argv {
        command.arg0(name).args(arguments);
    }
    let child = command
        .env_clear()
        .envs(launch.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(launch.folder)
        .process_group(0)
        .stdin(launch.stdin.map_or_else(Stdio::null, Stdio::from))
        .stdout(stdio(launch.stdout))
        .stderr(stdio(launch.stderr))
        .spawn()?;
    let pid = Pid::from_raw(child.id().cast_signed()).ok_or(io::ErrorKind::InvalidData)?;
    let mut process = Process { pid, pidfd: None, reaped: false };
    process.pidfd = Some(pidfd_open(pid, PidfdFlags::empty())?);
    Ok(process)
}

impl Process {
    /// Its process number, which is also its group's.
    pub fn pid(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// A descriptor that is readable when the program has ended.
    pub fn pidfd(&self) -> Option<BorrowedFd<'_>> {
        self.pidfd.as_ref().map(AsFd::as_fd)
    }

    /// Sends a signal to all processes of its group; none left is not an error.
    pub fn signal(&self, signal: Signal) {
        let _ = kill_process_group(self.pid, signal);
    }

    /// How it ended, or nothing while it has not.
    pub fn reap(&mut self) -> io::Result<Option<End>> {
        self.wait(libc::WNOHANG)
    }

    #[allow(unsafe_code)]
    fn wait(&mut self, options: i32) -> io::Result<Option<End>> {
        let mut status = 0;
        let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
        let found = loop {
            // SAFETY: both pointers are to values of ours that live through the call; `rusage` is plain
            // numbers, so zeros are a value of it.
            let found = unsafe { libc::wait4(self.pid(), &raw mut status, options, usage.as_mut_ptr()) };
            let error = io::Error::last_os_error();
            if found >= 0 || error.kind() != io::ErrorKind::Interrupted {
                if found < 0 {
                    // not ours to wait for any more: SIGCHLD is ignored, or another part of the process reaped it
                    self.reaped = true;
                    return Err(error);
                }
                break found;
            }
        };
        if found == 0 {
            return Ok(None);
        }
        self.reaped = true;
        // SAFETY: zeroed above, and written by a `wait4` that found the process.
        let usage = unsafe { usage.assume_init() };
        let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
        Ok(Some(End {
            exit_code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
            signal: libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)),
            cpu_s: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            peak_kb: usage.ru_maxrss as u64,
        }))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.reaped {
            self.signal(Signal::KILL);
            let _ = self.wait(0);
        }
    }
}

/// The peak memory of this process so far, KiB.
#[allow(unsafe_code)]
pub fn own_peak_kb() -> u64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to a value of ours that lives through the call; zeros are a value of `rusage`.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init()
    };
    usage.ru_maxrss as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch<'a>(program: &'a str, argv: &'a [OsString]) -> Launch<'a> {
        Launch {
            program: Path::new(program),
            argv,
            environment: &[],
            folder: Path::new("/"),
            stdin: None,
            stdout: None,
            stderr: None,
        }
    }

    fn shell(text: &str) -> Vec<OsString> {
        ["sh", "-c", text].map(OsString::from).to_vec()
    }

    #[test]
    fn a_program_is_started_and_reaped() {
        let argv = shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 3");
        let mut process = spawn(launch("/bin/sh", &argv)).unwrap();
        let end = process.wait(0).unwrap().unwrap();
        assert_eq!((end.exit_code, end.signal), (Some(3), None));
        assert!(end.cpu_s > 0.0 && end.cpu_s < 10.0 && end.peak_kb > 0, "{end:?}");
    }

    #[test]
    fn a_signal_is_told() {
        let argv = shell("kill -9 $$");
        let end = spawn(launch("/bin/sh", &argv)).unwrap().wait(0).unwrap().unwrap();
        assert_eq!((end.exit_code, end.signal), (None, Some(9)));
    }

    #[test]
    fn what_is_dropped_is_gone() {
        let argv = shell("sleep 100 & sleep 100");
        let process = spawn(launch("/bin/sh", &argv)).unwrap();
        let pid = process.pid;
        drop(process);
        assert!(rustix::process::test_kill_process(pid).is_err());
    }

    #[test]
    fn what_cannot_be_executed_is_an_error() {
        let argv = shell("");
        assert_eq!(spawn(launch("/no/such", &argv)).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(spawn(launch("/etc/passwd", &argv)).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
    }
}

//! Disks that are full or not to be written: really mounted, which needs root; where that is not allowed, a line says so.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sweep_mpi::store::Reader;

use crate::case::Case;
use crate::launch::{self, Code, LIMIT};

/// A file system of its own, unmounted when it goes.
struct Mount {
    at: PathBuf,
}

impl Mount {
    /// Mounts with these arguments at a new folder; where that is not permitted, `None` and a line.
    fn new(at: PathBuf, arguments: &[&str]) -> Option<Mount> {
        fs::create_dir_all(&at).unwrap();
        let mut mount = Command::new("mount");
        let mounted = mount.args(arguments).arg(&at).stdout(Stdio::null()).stderr(Stdio::null()).status();
        if mounted.is_ok_and(|status| status.success()) {
            return Some(Mount { at });
        }
        println!("skipped: this user may not mount {arguments:?}");
        None
    }

    fn tmpfs(at: PathBuf, size: &str) -> Option<Mount> {
        Mount::new(at, &["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.at).status();
    }
}

/// Sleeping runs, so many; 1000 take about 70 kB with the list of failures, a million 37 MB.
fn case(runs: u64) -> Case {
    let axes = format!("x = {{ linspace = [0, 1, {runs}] }}");
    Case::of_workload("kind = \"mock\"\ntask = \"sleep\"\nseconds = 0.001", &axes)
}

#[test]
fn mpi_a_full_disk_is_noticed_before_the_first_run() {
    let case = case(1_000_000);
    let Some(disk) = Mount::tmpfs(case.path("disk"), "8m") else { return };
    for ranks in [1, 3] {
        let ended = case.mpirun(ranks, &["config.toml", "--output", "disk/out.h5"]);
        assert_eq!(ended.code, Code::Exit(3), "{}", ended.text);
        assert_eq!(ended.text.matches("bytes are needed").count(), 1, "{}", ended.text);
        assert_eq!(fs::read_dir(&disk.at).unwrap().count(), 0, "nothing is left");
    }
    // there is room for the numbers, but the disk is filled up while the file is made: it is taken at once
    fs::write(disk.at.join("other"), vec![1; 7 << 20]).unwrap();
    let small = "x = { linspace = [0, 1, 40_000] }";
    case.config(
        &fs::read_to_string(case.path("config.toml")).unwrap().replace("x = { linspace = [0, 1, 1000000] }", small),
    );
    let ended = case.mpirun(3, &["config.toml", "--output", "disk/out.h5"]);
    assert_eq!(ended.code, Code::Exit(3), "{}", ended.text);
    let told = ended.text.contains("bytes are needed") || ended.text.contains("No space left on device");
    assert!(told, "{}", ended.text);
    assert_eq!(fs::read_dir(&disk.at).unwrap().count(), 1, "nothing of it is left");
    fs::remove_file(disk.at.join("other")).unwrap();
    case.config(&fs::read_to_string(case.path("config.toml")).unwrap().replace("40_000", "2000"));
    case.flies(3, &["config.toml", "--output", "disk/out.h5", "-q"]);
}

#[test]
fn mpi_a_disk_that_fills_up_costs_no_flown_run() {
    let case = case(6000);
    let config = fs::read_to_string(case.path("config.toml")).unwrap();
    case.config(&(config + "[checkpoint]\nrows = 300\n"));
    case.flies(5, &["config.toml", "-q"]);
    let unbroken = case.sha256("out.h5");
    let Some(disk) = Mount::tmpfs(case.path("disk"), "2m") else { return };
    let arguments = ["config.toml", "--output", "disk/out.h5"];
    let interrupted = case.mpirun(3, &[&arguments[..], &["--max-time", "4"]].concat());
    assert_eq!(interrupted.code, Code::Exit(4), "{}", interrupted.text);
    let partial = disk.at.join("out.h5.partial");
    let ok = || Reader::open(&partial).unwrap().status_counts().unwrap().0[1];
    let before = ok();
    assert!(before > 0 && before < 6000, "{before}");
    // the space of rows that are not there yet is given back, as if it had never been taken, and another takes it
    let holes = Command::new("fallocate").arg("--dig-holes").arg(&partial).status().unwrap();
    assert!(holes.success());
    let mut other = fs::File::create(disk.at.join("other")).unwrap();
    while other.write_all(&[1; 4096]).is_ok() {}
    // but for the lock
    other.set_len(other.metadata().unwrap().len() - 8192).unwrap();
    let full = case.mpirun(3, &[&arguments[..], &["--resume"]].concat());
    assert_eq!(full.code, Code::Exit(3), "{}", full.text);
    assert_eq!(full.text.matches("disk/out.h5.partial: ").count(), 1, "{}", full.text);
    assert_eq!(full.text.lines().filter(|line| line.contains("cannot flush (rank ")).count(), 1, "{}", full.text);
    assert!(full.text.contains("--resume goes on from the last flush round"), "{}", full.text);
    assert!(ok() >= before);
    assert_eq!(Reader::open(&partial).unwrap().verify_row_crc().unwrap(), Vec::<u64>::new());
    let told = full.text.lines().find(|line| line.contains("cannot flush (rank ")).unwrap();
    assert!(told.contains("No space left on device") || told.contains(" bytes are free there"), "{}", full.text);
    drop(other);
    fs::remove_file(disk.at.join("other")).unwrap();
    case.flies(5, &[&arguments[..], &["--resume", "-q"]].concat());
    assert_eq!(case.sha256("disk/out.h5"), unbroken);
}

#[test]
fn mpi_a_folder_that_cannot_be_written_is_refused() {
    let case = case(100);
    fs::create_dir(case.path("real")).unwrap();
    let real = case.path("real").display().to_string();
    let Some(disk) = Mount::new(case.path("locked"), &["--bind", &real]) else { return };
    let read_only = Command::new("mount").args(["-o", "remount,bind,ro"]).arg(&disk.at).status().unwrap();
    assert!(read_only.success());
    for ranks in [0, 3] {
        case.refused(
            ranks,
            &["config.toml", "--output", "locked/out.h5"],
            &["cannot make the lock file", "Read-only file system"],
        );
    }
    assert_eq!(fs::read_dir(&real).unwrap().count(), 0);
}

#[test]
fn mpi_a_folder_of_another_user_is_refused() {
    let case = case(100);
    let folder = case.path("theirs");
    fs::create_dir(&folder).unwrap();
    let open = Command::new("chmod").args(["-R", "a+rX"]).arg(case.folder.path()).status().unwrap();
    assert!(open.success());
    let home = case.path("home");
    fs::create_dir(&home).unwrap();
    Command::new("chmod").arg("777").arg(&home).status().unwrap();
    // as nobody, who may read all and write nothing here
    let mut job = Command::new("setpriv");
    job.args(["--reuid=65534", "--regid=65534", "--clear-groups", "mpirun", "-n", "3", crate::case::PROGRAM]);
    job.args(["config.toml", "--output", "theirs/out.h5"]).current_dir(case.folder.path());
    launch::environment(&mut job, &home);
    job.env("HOME", &home);
    if !may_be_nobody() {
        println!("skipped: this user may not become another");
        return;
    }
    let ended = launch::finish(&mut job, &case.path("log"), LIMIT);
    assert_eq!(ended.code, Code::Exit(2), "{}", ended.text);
    for part in ["cannot make the lock file", "Permission denied"] {
        assert_eq!(ended.text.matches(part).count(), 1, "{}", ended.text);
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

/// Whether this user may become nobody, who then can start the program.
fn may_be_nobody() -> bool {
    let mut job = Command::new("setpriv");
    job.args(["--reuid=65534", "--regid=65534", "--clear-groups", crate::case::PROGRAM, "--version"]);
    let started = job.stdout(Stdio::null()).stderr(Stdio::null()).status();
    started.is_ok_and(|status| status.success()) && Path::new("/proc/self").exists()
}

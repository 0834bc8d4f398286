//! Runs as programs, with real ones: what they print, leave, ignore and break.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use sweep_mpi::base::outcome::{Failure, Status};
use sweep_mpi::workload::command::control::{self, Action, ControlReader};
use sweep_mpi::workload::command::journal::{self, JournalWriter};
use sweep_mpi::workload::command::{FolderKeep, OutputSource, Runner, Settings, Source, State, jobs::Jobs};
use tempfile::TempDir;

/// Times are measured, and zombies counted, one test after the other.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> std::sync::MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[derive(Clone, Debug)]
struct Done {
    status: Status,
    failure: Option<Failure>,
    values: Vec<f64>,
    outputs: Vec<f64>,
    exit_code: Option<i32>,
    signal: Option<i32>,
    cpu_s: f64,
    peak_kb: Option<u64>,
    created: f64,
    started: f64,
    ended: f64,
    attempts: u32,
}

struct Bench {
    folder: TempDir,
    parameters: Vec<String>,
}

impl Bench {
    fn new() -> Self {
        Bench { folder: tempfile::tempdir().unwrap(), parameters: vec!["Sat.SMA".to_owned()] }
    }

    fn output(&self) -> PathBuf {
        self.folder.path().join("o.h5")
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("o.h5.runs")
    }

    fn runner(&self, settings: &Settings) -> Runner {
        let settings = Settings { config_folder: self.folder.path().to_owned(), ..settings.clone() };
        assert_eq!(settings.check(&self.parameters), Vec::<String>::new());
        let journal = JournalWriter::open(&journal::path(&self.output(), 0), 0, "here").unwrap();
        let mut runner = Runner::new(&settings, &self.parameters, &self.root(), 0, journal).unwrap();
        runner.watch(ControlReader::new(control::path(&self.output())));
        runner
    }

    /// Runs them all and gives what came back.
    fn run(&self, settings: &Settings, runs: u64) -> BTreeMap<u64, Done> {
        let mut runner = self.runner(settings);
        let mut next = 0;
        let mut done = BTreeMap::new();
        let start = Instant::now();
        while next < runs || runner.running() > 0 {
            while next < runs && runner.room() > 0 {
                runner.submit(next, &[7000.5 + next as f64]);
                next += 1;
            }
            poll(&mut runner, &mut done, 1000);
            assert!(start.elapsed() < Duration::from_secs(120), "runs do not end");
        }
        done
    }
}

fn poll(runner: &mut Runner, done: &mut BTreeMap<u64, Done>, milliseconds: u64) {
    runner
        .poll(Duration::from_millis(milliseconds), |finished| {
            let one = Done {
                status: finished.status,
                failure: finished.failure,
                values: finished.values.to_vec(),
                outputs: finished.outputs.to_vec(),
                exit_code: finished.exit_code,
                signal: finished.signal,
                cpu_s: finished.cpu_s,
                peak_kb: finished.peak_kb,
                created: finished.created,
                started: finished.started,
                ended: finished.ended,
                attempts: finished.attempts,
            };
            assert!(done.insert(finished.run, one).is_none(), "run {} came back twice", finished.run);
        })
        .unwrap();
}

fn finish(runner: &mut Runner, done: &mut BTreeMap<u64, Done>) {
    let start = Instant::now();
    while runner.running() > 0 {
        poll(runner, done, 1000);
        assert!(start.elapsed() < Duration::from_secs(240), "runs do not end");
    }
}

fn until(what: &str, mut reached: impl FnMut() -> bool) {
    let start = Instant::now();
    while !reached() {
        assert!(start.elapsed() < Duration::from_secs(120), "{what}: never");
    }
}

fn argv(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn shell(text: &str) -> Settings {
    Settings { argv: argv(&["sh", "-c", text]), grace_s: 0.3, backoff_s: 0.01, ..Settings::default() }
}

fn stdout_x() -> Vec<OutputSource> {
    vec![OutputSource { name: "x".to_owned(), from: Source::Stdout }]
}

/// The state letter in `/proc/PID/stat` of a process, and its parent.
fn process_state(pid: &str) -> Option<(char, u32)> {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

fn children() -> Vec<(String, char)> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names
        .filter_map(|pid| process_state(&pid).map(|(state, parent)| (pid, state, parent)))
        .filter(|(_, _, parent)| *parent == std::process::id())
        .map(|(pid, state, _)| (pid, state))
        .collect()
}

fn is_gone(pid_file: &Path) -> bool {
    let pid = std::fs::read_to_string(pid_file).unwrap();
    process_state(pid.trim()).is_none_or(|(state, _)| state == 'Z')
}

fn seconds(done: &Done) -> f64 {
    done.ended - done.started
}

#[test]
fn numbers_go_in_and_come_out() {
    let _alone = alone();
    let bench = Bench::new();
    let output = |name: &str, from| OutputSource { name: name.to_owned(), from };
    let csv = Source::Csv { file: "o{run}.csv".to_owned(), column: "b".to_owned() };
    let json = Source::Json { file: "sub/o.json".to_owned(), pointer: "/deep/1".to_owned() };
    let settings = Settings {
        pre: vec![argv(&["mkdir", "{dir}/sub"])],
        post: vec![argv(&["sh", "-c", "echo post = $(cat made)"])],
        stdin: Some("in{run}.txt".to_owned()),
        env: vec![("CASE".to_owned(), "{run}{{".to_owned())],
        outputs: vec![
            output("x", Source::Stdout),
            output("in", Source::Stdout),
            output("post", Source::Stdout),
            output("b", csv),
            output("deep", json),
        ],
        folder: FolderKeep::Always,
        concurrent: 2,
        ..shell(
            "echo x = 1; echo x = $1; echo in = $(cat); echo $SWEEP_Sat_SMA > made; echo warning >&2
             printf 'a,b\n1,2\n3,%s\n' $SWEEP_RUN > o$SWEEP_RUN.csv
             echo '{{\"deep\": [0, 2.5]}}' > $SWEEP_DIR/sub/o.json; echo $CASE; pwd",
        )
    };
    let settings = Settings { argv: [settings.argv.clone(), argv(&["-", "{Sat.SMA}"])].concat(), ..settings };
    for run in 0..4 {
        std::fs::write(bench.folder.path().join(format!("in{run}.txt")), format!("{}\n", 100 + run)).unwrap();
    }
    let done = bench.run(&settings, 4);
    for run in 0..4_u64 {
        let one = &done[&run];
        assert_eq!((one.status, one.failure), (Status::Ok, None), "{one:?}");
        let sma = 7000.5 + run as f64;
        assert_eq!(one.values, [sma]);
        assert_eq!(one.outputs, [sma, 100.0 + run as f64, sma, run as f64, 2.5]);
        assert_eq!((one.exit_code, one.signal, one.attempts), (Some(0), None, 1));
        assert!(one.created <= one.started && one.started <= one.ended && one.cpu_s >= 0.0);
        let folder = bench.root().join(run.to_string());
        let printed = std::fs::read_to_string(folder.join("stdout")).unwrap();
        assert!(printed.contains(&format!("\n{run}{{\n{}\n", folder.display())), "{printed}");
        assert_eq!(std::fs::read_to_string(folder.join("stderr")).unwrap(), "warning\n");
    }
}

#[test]
fn the_environment_is_what_is_allowed() {
    let _alone = alone();
    let bench = Bench::new();
    // cargo sets its own variables for this process, and none of them is allowed
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let settings = Settings { argv: argv(&["env"]), folder: FolderKeep::Always, ..Settings::default() };
    bench.run(&settings, 1);
    let printed = std::fs::read_to_string(bench.root().join("0/stdout")).unwrap();
    let names: Vec<&str> = printed.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    let allowed = |name: &&str| name.starts_with("SWEEP_") || settings.env_allow.iter().any(|allow| allow == name);
    assert!(names.iter().all(allowed), "{names:?}");
    for name in ["PATH", "SWEEP_RUN", "SWEEP_DIR", "SWEEP_RANK", "SWEEP_ATTEMPT", "SWEEP_Sat_SMA"] {
        assert!(names.contains(&name), "{name}");
    }
    let more = Settings { env_allow: argv(&["CARGO_*"]), argv: argv(&["/usr/bin/env"]), ..settings };
    bench.run(&more, 1);
    let printed = std::fs::read_to_string(bench.root().join("0/stdout")).unwrap();
    assert!(printed.contains("CARGO_MANIFEST_DIR=") && !printed.contains("\nPATH="), "{printed}");
}

#[test]
fn a_program_that_ignores_term_is_killed() {
    let _alone = alone();
    let bench = Bench::new();
    let settings = Settings { wall_s: Some(0.3), ..shell("trap '' TERM; while :; do sleep 0.05; done") };
    let one = &bench.run(&settings, 1)[&0];
    assert_eq!((one.status, one.failure), (Status::Timeout, Some(Failure::WallLimit)));
    assert_eq!((one.signal, one.exit_code), (Some(9), None));
    assert!(seconds(one) > 0.55 && seconds(one) < 5.0, "{one:?}");

    // one that obeys ends before the grace is over
    let settings = Settings { wall_s: Some(0.2), grace_s: 20.0, ..shell("exec sleep 100") };
    let one = &bench.run(&settings, 1)[&0];
    assert_eq!((one.failure, one.signal), (Some(Failure::WallLimit), Some(15)));
    assert!(seconds(one) < 5.0, "{one:?}");
}

#[test]
fn a_grandchild_that_holds_the_pipe_does_not_hold_the_run() {
    let _alone = alone();
    let bench = Bench::new();
    // the first is killed with its group, the second has left it and is left alone
    let settings = Settings {
        outputs: stdout_x(),
        ..shell(
            "sleep 50 & echo $! > ../../grandchild; setsid sh -c 'while :; do echo y || exit; done' & sleep 0.1; echo x = 3",
        )
    };
    let one = &bench.run(&settings, 1)[&0];
    assert_eq!((one.status, one.outputs.as_slice()), (Status::Ok, [3.0].as_slice()), "{one:?}");
    assert!(seconds(one) < 5.0);
    until("the grandchild goes", || is_gone(&bench.folder.path().join("grandchild")));
}

fn own_rss_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_gigabyte_of_output_is_read_and_dropped() {
    let _alone = alone();
    let bench = Bench::new();
    let before = own_rss_kb();
    let settings = Settings {
        outputs: stdout_x(),
        folder: FolderKeep::Always,
        stdout_max_bytes: 10_000,
        ..shell("echo x = 1; head -c 1000000000 /dev/zero; echo; echo x = 2")
    };
    let one = &bench.run(&settings, 1)[&0];
    assert_eq!((one.status, one.outputs.as_slice()), (Status::Ok, [2.0].as_slice()), "{one:?}");
    assert_eq!(std::fs::metadata(bench.root().join("0/stdout")).unwrap().len(), 10_000);
    assert!(own_rss_kb() - before < 32 << 10, "memory grew from {before} to {} KiB", own_rss_kb());
}

#[test]
fn a_program_that_does_not_exist_is_named_and_not_tried_again() {
    let _alone = alone();
    let bench = Bench::new();
    for program in ["no-such-program", "/no/such/program", "/etc/passwd", "/etc", "{dir}"] {
        let settings = Settings { argv: argv(&[program]), retries: 3, ..Settings::default() };
        let one = &bench.run(&settings, 1)[&0];
        assert_eq!((one.failure, one.attempts), (Some(Failure::NoSuchProgram), 1), "{program}");
        assert_eq!(one.status, Status::Failed);
    }
}

#[test]
fn half_a_line_is_no_output() {
    let _alone = alone();
    let bench = Bench::new();
    let fails = |text: &str| {
        let one = bench.run(&Settings { outputs: stdout_x(), ..shell(text) }, 1)[&0].clone();
        assert!(one.outputs[0].is_nan());
        (one.failure, one.exit_code)
    };
    assert_eq!(fails("printf 'x = 7000.12'"), (Some(Failure::OutputMissing), Some(0)));
    assert_eq!(fails("echo x = 1; printf 'x = 2'"), (Some(Failure::OutputMissing), Some(0)));
    assert_eq!(fails("echo x = NaN"), (Some(Failure::OutputNotANumber), Some(0)));
    assert_eq!(fails("echo x = 1; exit 3"), (Some(Failure::ExitCodeNonzero), Some(3)));
}

#[test]
fn every_way_to_fail_has_its_code() {
    let _alone = alone();
    let bench = Bench::new();
    let failure = |settings: Settings| bench.run(&settings, 1)[&0].failure;
    let step = |text: &str| vec![argv(&["sh", "-c", text])];
    assert_eq!(failure(shell("kill -11 $$")), Some(Failure::KilledBySignal));
    assert_eq!(failure(Settings { pre: step("exit 1"), ..shell("true") }), Some(Failure::PreFailed));
    assert_eq!(failure(Settings { post: step("kill -9 $$"), ..shell("true") }), Some(Failure::PostFailed));
    let stdin = Some("no-such-file".to_owned());
    assert_eq!(failure(Settings { stdin, ..shell("true") }), Some(Failure::StdinMissing));
    assert_eq!(failure(Settings { post: step("touch ../../post"), ..shell("exit 1") }), Some(Failure::ExitCodeNonzero));
    assert!(!bench.folder.path().join("post").exists(), "no post step after a failure");
    std::fs::remove_dir_all(bench.root()).unwrap();
    std::fs::create_dir_all(bench.root()).unwrap();
    std::fs::write(bench.root().join("0"), "").unwrap();
    let settings = Settings { folder: FolderKeep::Always, ..shell("true") };
    assert_eq!(failure(settings), Some(Failure::FolderFailed));
}

#[test]
fn a_program_that_fails_twice_gets_a_third_attempt() {
    let _alone = alone();
    let bench = Bench::new();
    let text = "echo a >> ../../tries; echo x = 1; test -e old && exit 9; touch old
                [ $(wc -l < ../../tries) -eq $SWEEP_ATTEMPT ] && [ $SWEEP_ATTEMPT -eq 3 ]";
    let settings = Settings { retries: 5, backoff_s: 0.1, outputs: stdout_x(), ..shell(text) };
    let one = &bench.run(&settings, 1)[&0];
    assert_eq!((one.status, one.attempts, one.outputs.as_slice()), (Status::Ok, 3, [1.0].as_slice()), "{one:?}");
    // pauses of 0.1 and 0.2 s
    assert!(one.ended - one.created > 0.29 && one.ended - one.created < 10.0, "{one:?}");

    std::fs::remove_file(bench.folder.path().join("tries")).unwrap();
    let one = &bench.run(&Settings { retries: 1, ..settings }, 1)[&0];
    assert_eq!((one.failure, one.attempts), (Some(Failure::ExitCodeNonzero), 2));
}

#[test]
fn folders_are_kept_as_asked() {
    let _alone = alone();
    let left = |folder| {
        let bench = Bench::new();
        bench.run(
            &Settings { folder, concurrent: 3, ..shell("mkdir -p a/b; echo y > a/b/c; exit $((SWEEP_RUN % 2))") },
            4,
        );
        let Ok(entries) = std::fs::read_dir(bench.root()) else { return Vec::new() };
        let mut left: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        left.sort();
        left
    };
    assert_eq!(left(FolderKeep::Always), ["0", "1", "2", "3"]);
    assert_eq!(left(FolderKeep::OnFailure), ["1", "3"]);
    assert_eq!(left(FolderKeep::Never), Vec::<String>::new());
    assert_eq!(left(FolderKeep::Shared), ["a"]);

    let bench = Bench::new();
    bench.run(&Settings { folder: FolderKeep::Shared, concurrent: 3, ..shell("echo $SWEEP_RUN; echo e >&2") }, 2);
    let printed = |name: &str| std::fs::read_to_string(bench.root().join(name)).unwrap();
    assert_eq!(
        (printed("0.stdout"), printed("1.stdout"), printed("1.stderr")),
        ("0\n".into(), "1\n".into(), "e\n".into())
    );
}

#[test]
fn cpu_time_and_memory_are_counted() {
    let _alone = alone();
    let bench = Bench::new();
    let text = "x = bytearray(300 << 20)\nimport time\nwhile time.process_time() < 0.3: pass";
    let one = &bench.run(&Settings { argv: argv(&["python3", "-c", text]), ..Settings::default() }, 1)[&0];
    assert_eq!(one.status, Status::Ok);
    assert!(one.cpu_s >= 0.3 && one.cpu_s < 3.0, "{one:?}");
    assert!((300 << 10..400 << 10).contains(&one.peak_kb.unwrap()), "{one:?}");

    // the kernel starts the count at the peak of the process that starts the program: a smaller one is not known
    let ours = vec![1_u8; 64 << 20];
    assert_eq!(ours.iter().map(|byte| u64::from(*byte)).sum::<u64>(), 64 << 20);
    let one = &bench.run(&Settings { argv: argv(&["true"]), ..Settings::default() }, 1)[&0];
    assert_eq!((one.status, one.peak_kb), (Status::Ok, None));
}

#[test]
fn a_run_is_suspended_resumed_and_canceled() {
    let _alone = alone();
    let bench = Bench::new();
    let text = "echo $$ > ../../pid$SWEEP_RUN; i=0; while [ $i -lt 12 ]; do sleep 0.05; i=$((i+1)); done";
    let mut runner = bench.runner(&Settings { wall_s: Some(2.5), concurrent: 4, ..shell(text) });
    let mut done = BTreeMap::new();
    control::append(&bench.output(), Action::Cancel, "9").unwrap();
    poll(&mut runner, &mut done, 0);
    control::append(&bench.output(), Action::Suspend, "3").unwrap();
    for run in [0, 1, 2, 9] {
        runner.submit(run, &[1.0]);
    }
    until("all start", || {
        poll(&mut runner, &mut done, 10);
        (0..3).all(|run| {
            std::fs::read_to_string(bench.folder.path().join(format!("pid{run}"))).is_ok_and(|pid| pid.ends_with('\n'))
        })
    });
    let state = |run: u64| {
        let pid = std::fs::read_to_string(bench.folder.path().join(format!("pid{run}"))).unwrap();
        process_state(pid.trim()).map(|(state, _)| state)
    };
    control::append(&bench.output(), Action::Suspend, "0").unwrap();
    control::append(&bench.output(), Action::Cancel, "1-1").unwrap();
    let suspended = Instant::now();
    until("run 0 stops", || {
        poll(&mut runner, &mut done, 50);
        state(0) == Some('T')
    });
    // a run that comes when it is already suspended waits
    runner.submit(3, &[1.0]);
    // longer than the wall time limit, which does not count while suspended
    while suspended.elapsed() < Duration::from_secs(3) {
        poll(&mut runner, &mut done, 100);
    }
    assert_eq!(done.keys().copied().collect::<Vec<_>>(), [1, 2, 9]);
    assert_eq!(state(0), Some('T'));
    let jobs = Jobs::open(&bench.output()).unwrap();
    let states: Vec<State> = [0, 1, 2, 3, 9].iter().map(|run| jobs.run(*run).unwrap().state).collect();
    assert_eq!(states, [State::Suspended, State::Canceled, State::Done, State::Suspended, State::Canceled]);
    assert!(!bench.folder.path().join("pid3").exists());

    control::append(&bench.output(), Action::Resume, "all").unwrap();
    finish(&mut runner, &mut done);
    assert_eq!((done[&0].status, done[&3].status), (Status::Ok, Status::Ok), "{done:?}");
    assert_eq!((done[&1].failure, done[&1].signal), (Some(Failure::Canceled), Some(15)));
    assert_eq!((done[&9].failure, done[&9].attempts), (Some(Failure::Canceled), 0));
}

#[test]
fn what_is_canceled_or_dropped_leaves_nothing() {
    let _alone = alone();
    let bench = Bench::new();
    let settings = Settings { concurrent: 20, retries: 3, ..shell("sleep 100 & sleep 100") };
    let mut runner = bench.runner(&settings);
    let mut done = BTreeMap::new();
    for run in 0..30 {
        runner.submit(run, &[1.0]);
    }
    assert_eq!((runner.room(), runner.running()), (0, 30));
    until("20 start", || {
        poll(&mut runner, &mut done, 10);
        runner.started() == 20
    });
    runner.cancel_all();
    finish(&mut runner, &mut done);
    assert_eq!(done.len(), 30);
    assert!(done.values().all(|one| one.failure == Some(Failure::Canceled)), "{done:?}");

    for run in 30..40 {
        runner.submit(run, &[1.0]);
    }
    poll(&mut runner, &mut done, 100);
    drop(runner);
    assert_eq!(children(), Vec::new());
}

#[test]
fn a_thousand_programs_are_alive_together() {
    let _alone = alone();
    let bench = Bench::new();
    // each waits until someone writes into the pipe: however slow the machine is, all are there then
    let pipe = bench.output().with_extension("pipe").display().to_string();
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let settings = Settings { argv: argv(&["cat", &pipe]), concurrent: 1000, ..Settings::default() };
    let mut runner = bench.runner(&settings);
    assert_eq!(runner.concurrent(), 1000);
    let mut done = BTreeMap::new();
    let start = Instant::now();
    for run in 0..1000 {
        runner.submit(run, &[1.0]);
    }
    until("1000 start", || {
        poll(&mut runner, &mut done, 1);
        runner.started() == 1000
    });
    let submitted = start.elapsed();
    assert_eq!(children().len(), 1000);
    // each start is on disk
    let text = std::fs::read_to_string(journal::path(&bench.output(), 0)).unwrap();
    assert_eq!(text.lines().filter(|line| line.contains("\"state\":\"running\"")).count(), 1000);
    while runner.running() > 0 {
        // opened for writing and closed: those that read get the end of the file; nobody reads any more: an error
        drop(std::fs::OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK).open(&pipe));
        poll(&mut runner, &mut done, 10);
    }
    let all = start.elapsed();
    println!("1000 programs: started in {submitted:?}, all known to have ended after {all:?}");
    assert_eq!(done.values().filter(|one| one.status == Status::Ok).count(), 1000);
    assert_eq!(children(), Vec::new());
    drop(runner);
    let jobs = Jobs::open(&bench.output()).unwrap();
    assert_eq!(jobs.counts()[State::Done as usize], (State::Done, 1000));
}

#[test]
fn handed_out_is_what_comes_back() {
    let _alone = alone();
    let bench = Bench::new();
    let settings = Settings { concurrent: 8, retries: 1, ..shell("exit $((SWEEP_RUN % 3 == 0))") };
    let done = bench.run(&settings, 300);
    assert_eq!(done.len(), 300);
    for (run, one) in &done {
        assert_eq!(one.status == Status::Ok, run % 3 != 0, "{run}: {one:?}");
        assert_eq!(one.attempts, if run % 3 == 0 { 2 } else { 1 });
    }
    let jobs = Jobs::open(&bench.output()).unwrap();
    let counts = jobs.counts();
    assert_eq!((counts[State::Done as usize].1, counts[State::Failed as usize].1), (200, 100));
    assert!(jobs.all_ended());
    assert_eq!(children(), Vec::new());
}

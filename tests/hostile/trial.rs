//! Gives mutants to a reader and holds it to what is promised: an answer, in bounded memory and time.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::memory;
use crate::mutator::Corpus;
use crate::readers;

/// The most memory that an input may take, bytes.
pub(crate) const MEMORY_MAX: usize = 256 << 20;
/// The longest time that an input may take. The machine may be loaded: what is meant is "no hang".
pub(crate) const TIME_MAX: Duration = Duration::from_secs(20);
/// How much of an input is shown.
const SHOWN: usize = 3000;
/// How many smaller inputs are tried to show a small one.
const SHRINKS: usize = 400;

/// Mutants of one format: so many, times `SWEEP_TEST_MUTANTS` to look further.
pub(crate) fn mutants(format: &str, corpus: &Corpus, count: u64, read: impl Fn(&[u8]) -> Result<(), String>) {
    let trial = Trial::new(format);
    let count = count * std::env::var("SWEEP_TEST_MUTANTS").map_or(1, |times| times.parse().unwrap());
    let (mut good, mut bad) = (0, 0);
    for sample in &corpus.samples {
        trial
            .one(sample, || "a sample".to_owned(), &read)
            .unwrap_or_else(|why| panic!("{format}: a good input: {why}"));
    }
    for seed in 0..count {
        match trial.one(&corpus.mutant(seed), || format!("seed {seed}"), &read) {
            Ok(()) => good += 1,
            Err(_) => bad += 1,
        }
    }
    // else the mutants do not get far enough, or not deep enough
    assert!(good > count / 100 && bad > count / 100, "{format}: {good} were accepted and {bad} refused");
}

/// One format's inputs. The one that is being read stands in a file, so that one that ends the process is not lost.
pub(crate) struct Trial {
    format: String,
    last: PathBuf,
    /// When the input that is being read began; a thread of its own ends the test if it takes too long.
    began: Arc<Mutex<Option<Instant>>>,
}

impl Trial {
    pub(crate) fn new(format: &str) -> Trial {
        let last = readers::place(&format!("{format}.last"));
        let began = Arc::new(Mutex::new(None::<Instant>));
        let (weak, file) = (Arc::downgrade(&began), last.display().to_string());
        std::thread::spawn(move || {
            while let Some(began) = weak.upgrade() {
                if began.lock().unwrap().is_some_and(|began| began.elapsed() > TIME_MAX * 3) {
                    eprintln!("an input takes longer than {:?}: see {file}", TIME_MAX * 3);
                    std::process::abort();
                }
                drop(began);
                std::thread::sleep(Duration::from_millis(200));
            }
        });
        Trial { format: format.to_owned(), last, began }
    }

    /// Gives one input to a reader; an error is the reader's.
    pub(crate) fn one(
        &self,
        bytes: &[u8],
        name: impl Fn() -> String,
        read: &impl Fn(&[u8]) -> Result<(), String>,
    ) -> Result<(), String> {
        std::fs::write(&self.last, bytes).unwrap();
        *self.began.lock().unwrap() = Some(Instant::now());
        memory::start();
        let start = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| read(bytes)));
        let (took, peak) = (start.elapsed(), memory::peak());
        *self.began.lock().unwrap() = None;
        if std::env::var_os("SWEEP_TEST_COSTS").is_some() {
            eprintln!("{}, {}: {} MiB, {took:.3?}", self.format, name(), peak >> 20);
        }
        let about = || format!("{}, {}: {}", self.format, name(), dump(bytes));
        assert!(peak <= MEMORY_MAX, "{} MiB of memory for {} bytes\n{}", peak >> 20, bytes.len(), about());
        assert!(took <= TIME_MAX, "{took:?} for {} bytes\n{}", bytes.len(), about());
        let outcome = outcome.unwrap_or_else(|_| {
            let small = shrink(bytes, read);
            panic!("a panic at {}, {}; the smallest found: {}", self.format, name(), dump(&small));
        });
        if let Err(message) = &outcome {
            assert!(!message.trim().is_empty(), "an empty message\n{}", about());
            let control = message.chars().find(|&c| c.is_control() && c != '\n');
            assert!(control.is_none(), "{control:?} in the message {message:?}\n{}", about());
            assert!(message.len() < 200_000, "a message of {} bytes\n{}", message.len(), about());
        }
        outcome
    }
}

/// An input that has ended the process stays.
impl Drop for Trial {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_file(&self.last);
        }
    }
}

/// An input without what a panic does not need.
fn shrink(bytes: &[u8], read: &impl Fn(&[u8]) -> Result<(), String>) -> Vec<u8> {
    let fails = |bytes: &[u8]| catch_unwind(AssertUnwindSafe(|| read(bytes))).is_err();
    let (mut small, mut piece, mut tries) = (bytes.to_vec(), bytes.len() / 2, 0);
    while piece > 0 && tries < SHRINKS {
        let mut at = 0;
        while at < small.len() && tries < SHRINKS {
            let shorter = [&small[..at], &small[(at + piece).min(small.len())..]].concat();
            tries += 1;
            if fails(&shorter) {
                small = shorter;
            } else {
                at += piece;
            }
        }
        piece /= 2;
    }
    small
}

/// Bytes as a person can read them and put them into a test.
fn dump(bytes: &[u8]) -> String {
    let shown = bytes[..bytes.len().min(SHOWN)].escape_ascii().to_string();
    let mut text = format!("b\"{shown}\"");
    if bytes.len() > SHOWN {
        let _ = write!(text, "... ({} bytes)", bytes.len());
    }
    text
}

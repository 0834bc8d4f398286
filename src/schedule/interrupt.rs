//! A job whose runs are programs is told to end: SIGTERM or SIGINT.
//!
//! Programs stand in process groups of their own and would outlive the job, so each rank has to end its
//! own. A launcher that sees one rank end kills the others at once; therefore no rank ends before all have
//! had [`GRACE`].

use std::io;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// How long a rank stays after the signal; half of what mpirun leaves between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_millis(500);

/// Whether this process has been told to end.
#[derive(Debug)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on the signals are noted.
    ///
    /// # Errors
    /// The signals cannot be noted.
    pub fn noted() -> io::Result<Interrupt> {
        let told = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT] {
            signal_hook::flag::register(signal, Arc::clone(&told))?;
        }
        Ok(Interrupt(told))
    }

    /// Whether a signal has come.
    pub fn is_told(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A rank without programs ends with the others: from now on it stays for the grace after a signal
/// and ends with an exit code.
///
/// # Errors
/// The signals cannot be noted.
pub fn stay_for_others(code: u8) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGINT])?;
    thread::Builder::new().name("interrupt".into()).spawn(move || {
        if signals.forever().next().is_some() {
            end(code);
        }
    })?;
    Ok(())
}

/// Ends this rank with an exit code after the grace; rank 0, whose log is heard, tells the user.
pub fn end(code: u8) -> ! {
    tracing::warn!("interrupted: all programs of the sweep are ended");
    thread::sleep(GRACE);
    process::exit(i32::from(code))
}

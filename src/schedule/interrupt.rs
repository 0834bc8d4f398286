//! Whether the job has been told to end, and how soon.
//!
//! SIGUSR1 and SIGUSR2 ask to wind up: no new runs are begun, those in hand are finished. SIGTERM and SIGINT
//! leave little time (`mpirun` kills a second later): runs in hand are dropped. Either way the rows of finished runs
//! are written, and the sweep can be resumed. A second signal ends the process at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1, SIGUSR2};

/// The signals that end a job, with their names and what they ask for.
const SIGNALS: [(i32, &str, Urgency); 4] = [
    (SIGUSR1, "SIGUSR1", Urgency::WindUp),
    (SIGUSR2, "SIGUSR2", Urgency::WindUp),
    (SIGTERM, "SIGTERM", Urgency::Drop),
    (SIGINT, "SIGINT", Urgency::Drop),
];

/// How soon the job is to end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// Not at all: it goes on.
    #[default]
    None,
    /// No new runs; those in hand are finished.
    WindUp,
    /// Runs in hand are dropped.
    Drop,
}

/// What this process has been told; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    /// What a signal asked for: the place in [`SIGNALS`] plus 1.
    signal: Arc<AtomicUsize>,
    /// What anyone else asked for.
    urgency: Arc<AtomicUsize>,
}

impl Interrupt {
    /// From now on signals are noted; the second one ends the process with this exit code.
    ///
    /// # Errors
    /// The operating system does not let them be noted.
    pub fn listen(code: u8) -> io::Result<Interrupt> {
        let interrupt = Interrupt::default();
        let armed = Arc::new(AtomicBool::new(false));
        for (number, (signal, ..)) in SIGNALS.iter().enumerate() {
            // in this order: the first signal arms the second
            signal_hook::flag::register_conditional_shutdown(*signal, i32::from(code), Arc::clone(&armed))?;
            signal_hook::flag::register(*signal, Arc::clone(&armed))?;
            signal_hook::flag::register_usize(*signal, Arc::clone(&interrupt.signal), number + 1)?;
        }
        Ok(interrupt)
    }

    /// The job is to end, says the leader or the clock.
    pub fn tell(&self, urgency: Urgency) {
        self.urgency.fetch_max(urgency as usize, Ordering::Relaxed);
    }

    /// How soon the job is to end.
    pub fn urgency(&self) -> Urgency {
        let told = match self.urgency.load(Ordering::Relaxed) {
            0 => Urgency::None,
            1 => Urgency::WindUp,
            _ => Urgency::Drop,
        };
        told.max(self.noted().map_or(Urgency::None, |noted| noted.2))
    }

    /// The name of the signal that came, if one did.
    pub fn signal(&self) -> Option<&'static str> {
        self.noted().map(|noted| noted.1)
    }

    fn noted(&self) -> Option<&'static (i32, &'static str, Urgency)> {
        SIGNALS.get(self.signal.load(Ordering::Relaxed).checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_urgent_word_counts() {
        let interrupt = Interrupt::default();
        assert_eq!((interrupt.urgency(), interrupt.signal()), (Urgency::None, None));
        let other = interrupt.clone();
        other.tell(Urgency::Drop);
        interrupt.tell(Urgency::WindUp);
        assert_eq!(interrupt.urgency(), Urgency::Drop);
        let interrupt = Interrupt::default();
        interrupt.signal.store(1, Ordering::Relaxed);
        assert_eq!((interrupt.urgency(), interrupt.signal()), (Urgency::WindUp, Some("SIGUSR1")));
        interrupt.signal.store(3, Ordering::Relaxed);
        assert_eq!((interrupt.urgency(), interrupt.signal()), (Urgency::Drop, Some("SIGTERM")));
    }
}

//! A thread that acts when something has not come to an end in time.

use std::io;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::Builder;
use std::time::Duration;

/// Acts after its time, once, unless it is dropped before.
#[derive(Debug)]
pub struct Watch {
    /// The thread hears when it goes.
    _alive: Sender<()>,
}

impl Watch {
    /// Begins to wait.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub(super) fn new(limit: Duration, act: impl FnOnce() + Send + 'static) -> io::Result<Watch> {
        let (sender, receiver) = mpsc::channel::<()>();
        Builder::new().name("watch".to_owned()).spawn(move || {
            if receiver.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                act();
            }
        })?;
        Ok(Watch { _alive: sender })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_acts_if_it_is_not_dropped() {
        for (limit, drops) in [(Duration::from_millis(20), false), (Duration::from_secs(3600), true)] {
            let (sender, acted) = mpsc::channel();
            let watch = Watch::new(limit, move || sender.send(()).unwrap()).unwrap();
            let kept = (!drops).then_some(watch);
            assert_eq!(acted.recv_timeout(Duration::from_secs(60)).is_ok(), !drops);
            drop(kept);
        }
    }
}

//! A receive that is always posted, so that MPI puts a message of fixed length where it belongs as soon as it
//! comes: looking for one is a test of a request, without a probe and without making a request each time.

use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::time::{Duration, Instant};

use mpi::raw::AsRaw as _;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Equivalence as _;

/// How long after a message it looks for the next one without sleeping.
const ATTENTIVE: Duration = Duration::from_millis(2);
/// The longest sleep between two looks.
const NAP_MAX: Duration = Duration::from_millis(1);
/// Looks between two looks at the clock, which costs a tenth of a message.
const LOOKS: usize = 8;

/// A posted receive of so many 64-bit words.
pub(super) struct Inbox<const WORDS: usize> {
    /// Where MPI writes: reached through this pointer alone while the receive is posted.
    words: NonNull<[u64; WORDS]>,
    request: mpi::ffi::MPI_Request,
    /// Since when no message has come; `None`: one came at the last look.
    silent_since: Option<Instant>,
}

impl<const WORDS: usize> Inbox<WORDS> {
    /// For messages of any rank.
    pub(super) fn of_any(communicator: &SimpleCommunicator, tag: i32) -> Self {
        // SAFETY: a constant of the MPI library.
        Inbox::new(communicator, unsafe { mpi::ffi::RSMPI_ANY_SOURCE }, tag)
    }

    /// For messages of rank 0.
    pub(super) fn of_leader(communicator: &SimpleCommunicator, tag: i32) -> Self {
        Inbox::new(communicator, 0, tag)
    }

    fn new(communicator: &SimpleCommunicator, source: i32, tag: i32) -> Self {
        let words = NonNull::from(Box::leak(Box::new([0_u64; WORDS])));
        // SAFETY: `words` outlives the request, which `drop` takes back before it frees them; it has room for
        // what every message of this tag has.
        let request = unsafe {
            let mut request = mpi::ffi::RSMPI_REQUEST_NULL;
            mpi::ffi::MPI_Recv_init(
                words.as_ptr().cast(),
                WORDS as i32,
                u64::equivalent_datatype().as_raw(),
                source,
                tag,
                communicator.as_raw(),
                &raw mut request,
            );
            mpi::ffi::MPI_Start(&raw mut request);
            request
        };
        Inbox { words, request, silent_since: None }
    }

    /// The message that has come with its rank, if one has; the next receive is posted.
    fn test(&mut self) -> Option<(usize, [u64; WORDS])> {
        let mut done = 0;
        let mut status = MaybeUninit::<mpi::ffi::MPI_Status>::uninit();
        // SAFETY: a started persistent request and two places to write to.
        unsafe { mpi::ffi::MPI_Test(&raw mut self.request, &raw mut done, status.as_mut_ptr()) };
        // SAFETY: a complete receive has filled its status.
        (done != 0).then(|| self.take(unsafe { status.assume_init_ref() }))
    }

    /// Waits for a message as MPI does, which may hold a core; the next receive is posted.
    pub(super) fn wait(&mut self) -> (usize, [u64; WORDS]) {
        let mut status = MaybeUninit::<mpi::ffi::MPI_Status>::uninit();
        // SAFETY: a started persistent request and a place to write to, which the call fills.
        let status = unsafe {
            mpi::ffi::MPI_Wait(&raw mut self.request, status.as_mut_ptr());
            status.assume_init_ref()
        };
        self.take(status)
    }

    /// The next message if one comes within `patience`, else `None`; zero looks once.
    ///
    /// Until 2 ms after the last message it asks again after every `sched_yield`: a message is seen within a few
    /// microseconds on a free core. Later it sleeps in between, a twentieth of the silence but at most 1 ms; so a
    /// message after silence is seen within about 0.15 ms (after 2 ms) to 1.1 ms (after 20 ms). While messages come
    /// densely no clock is read.
    pub(super) fn wait_for(&mut self, patience: Duration) -> Option<(usize, [u64; WORDS])> {
        let found = self.test();
        if found.is_some() || patience.is_zero() {
            return found;
        }
        let start = Instant::now();
        let since = *self.silent_since.get_or_insert(start);
        let mut now = start;
        loop {
            let left = patience.checked_sub(now - start).filter(|left| !left.is_zero())?;
            let silence = now - since;
            if silence < ATTENTIVE {
                for _ in 0..LOOKS {
                    let found = self.test();
                    if found.is_some() {
                        return found;
                    }
                    std::thread::yield_now();
                }
            } else {
                std::thread::sleep((silence / 20).min(NAP_MAX).min(left));
            }
            let found = self.test();
            if found.is_some() {
                return found;
            }
            now = Instant::now();
        }
    }

    fn take(&mut self, status: &mpi::ffi::MPI_Status) -> (usize, [u64; WORDS]) {
        self.silent_since = None;
        // SAFETY: the receive is complete, so nobody else writes here until it is started again.
        let words = unsafe { self.words.read() };
        // SAFETY: a persistent request that is complete may be started.
        unsafe { mpi::ffi::MPI_Start(&raw mut self.request) };
        (status.MPI_SOURCE as usize, words)
    }
}

impl<const WORDS: usize> Drop for Inbox<WORDS> {
    fn drop(&mut self) {
        // SAFETY: the request is started and MPI not finalized (the world drops this first); a
        // cancelled receive completes, and then the words are nobody else's.
        unsafe {
            mpi::ffi::MPI_Cancel(&raw mut self.request);
            mpi::ffi::MPI_Wait(&raw mut self.request, mpi::ffi::RSMPI_STATUS_IGNORE);
            mpi::ffi::MPI_Request_free(&raw mut self.request);
            drop(Box::from_raw(self.words.as_ptr()));
        }
    }
}

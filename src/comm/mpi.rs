//! MPI: the only file that names it.
//!
//! All calls are from the main thread (`MPI_THREAD_FUNNELED`). A call marked *collective* must be
//! made by every rank, in the same order; an error of the MPI library itself ends the job, as is
//! MPI's default.
#![allow(unsafe_code)]

mod inbox;

use self::inbox::Inbox;
use super::catching::{is_caught, payload_text};
use super::watch::Watch;
use super::{CommError, Disagreement, Order, PANIC_EXIT_CODE, Report};
use mpi::collective::SystemOperation;
use mpi::datatype::{Partition, PartitionMut};
use mpi::point_to_point::MatchedReceiveVec as _;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{AsRaw, Communicator, CommunicatorCollectives, Destination, Equivalence, Root, Source};
use mpi::{Count, Rank, Threading};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt::Display;
use std::io::Write as _;
use std::sync::Once;
use std::time::Duration;

/// What HDF5's MPI driver asks for; valid while the [`World`] lives.
#[derive(Clone, Copy)]
pub struct RawCommunicator {
    /// All ranks.
    pub communicator: mpi::ffi::MPI_Comm,
    /// No hints.
    pub info: mpi::ffi::MPI_Info,
}

/// What collective calls can carry.
pub trait Element: Equivalence + Copy + Default {}
impl Element for u8 {}
impl Element for i8 {}
impl Element for i32 {}
impl Element for u32 {}
impl Element for i64 {}
impl Element for u64 {}
impl Element for f64 {}

/// Tags keep orders and reports apart.
const ORDER_TAG: i32 = 1;
const REPORT_TAG: i32 = 2;
/// The same for messages of any length.
const ORDER_BYTES_TAG: i32 = 3;
const REPORT_BYTES_TAG: i32 = 4;
/// What the leader says beside the orders.
const WORD_TAG: i32 = 5;

/// Bytes of one broadcast.
const BROADCAST_PART: usize = 1 << 30;

/// How long the other ranks leave a last word to rank 0.
const PATIENCE_WITH_THE_LEADER: Duration = Duration::from_secs(5);

/// Longest message that an agreement carries, bytes.
const MESSAGE_MAX: usize = 64 << 10;

/// All processes of the job. Dropping it finalizes MPI, which waits for every rank.
pub struct World {
    communicator: SimpleCommunicator,
    rank: usize,
    size: usize,
    /// The leader's receive for the next report; posted by the first wait for one.
    reports: RefCell<Option<Inbox<{ Report::WORDS }>>>,
    /// A worker's receive for the next order.
    orders: RefCell<Option<Inbox<{ Order::WORDS }>>>,
    _universe: mpi::environment::Universe,
}

impl World {
    /// Starts MPI for this process and makes panics end the whole job.
    ///
    /// Sets, where the user did not, `OMPI_MCA_mpi_yield_when_idle=1` (more ranks than cores wait
    /// without holding a core) and, without a launcher, `OMPI_MCA_ess_singleton_isolated=1` (starts
    /// 0.2 s sooner). Call it first thing in `main`, before any other thread exists.
    ///
    /// # Errors
    /// [`CommError::AlreadyStarted`] and [`CommError::NoThreads`].
    pub fn init() -> Result<World, CommError> {
        default_variable("OMPI_MCA_mpi_yield_when_idle", "1");
        let launched = ["OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"].iter().any(|v| std::env::var_os(v).is_some());
        if !launched {
            default_variable("OMPI_MCA_ess_singleton_isolated", "1");
        }
        let (universe, threading) =
            mpi::initialize_with_threading(Threading::Funneled).ok_or(CommError::AlreadyStarted)?;
        if threading < Threading::Funneled {
            return Err(CommError::NoThreads(format!("{threading:?}")));
        }
        let communicator = universe.world();
        let (rank, size) = (communicator.rank() as usize, communicator.size() as usize);
        install_hook(rank);
        Ok(World {
            communicator,
            rank,
            size,
            reports: RefCell::new(None),
            orders: RefCell::new(None),
            _universe: universe,
        })
    }

    /// This process's number, from 0; rank 0 is the leader.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many processes there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The name of the machine this process runs on.
    pub fn host(&self) -> String {
        mpi::environment::processor_name().unwrap_or_else(|_| "unknown".to_owned())
    }

    /// The communicator for HDF5's MPI driver, valid while `self` lives.
    pub fn raw(&self) -> RawCommunicator {
        // SAFETY: a constant of the MPI library.
        let info = unsafe { mpi::ffi::RSMPI_INFO_NULL };
        RawCommunicator { communicator: self.communicator.as_raw(), info }
    }

    /// Ends every rank with this message and exit code unless the watch is dropped in time: for a collective call of a
    /// library in which the others wait for ever if it fails on one rank. Rank 0 speaks, others where it cannot.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub fn watch(&self, limit: Duration, code: u8, message: String) -> std::io::Result<Watch> {
        let limit = if self.rank == 0 { limit } else { limit + PATIENCE_WITH_THE_LEADER };
        Watch::new(limit, move || {
            let _ = std::io::stderr().write_all(format!("{message}\n").as_bytes());
            end_all(code.into())
        })
    }

    /// Ends every rank at once with this exit code.
    pub fn abort(&self, code: i32) -> ! {
        self.communicator.abort(code)
    }

    /// Ends MPI; waits until every rank has come here (the same as dropping the world).
    pub fn finalize(self) {
        drop(self);
    }

    /// Waits until every rank has come here. Collective.
    pub fn barrier(&self) {
        self.communicator.barrier();
    }

    /// Gives every rank rank 0's bytes. Collective.
    pub fn broadcast_bytes(&self, bytes: &mut Vec<u8>) {
        let root = self.communicator.process_at_rank(0);
        let mut length = [bytes.len() as u64];
        root.broadcast_into(&mut length[..]);
        bytes.resize(length[0] as usize, 0);
        for part in bytes.chunks_mut(BROADCAST_PART) {
            root.broadcast_into(part);
        }
    }

    /// Ends a phase that may have failed on some rank: all ranks get `Ok` of their own value, or
    /// all get the message of the lowest rank that failed. Collective, one reduction if all is well.
    pub fn agree<T, E: Display>(&self, phase: &str, mine: Result<T, E>) -> Result<T, Disagreement> {
        let failed = if mine.is_err() { self.rank as u64 } else { u64::MAX };
        let first = self.all_reduce_min(failed);
        if first == u64::MAX
            && let Ok(value) = mine
        {
            return Ok(value);
        }
        let mut text = mine.err().map(|e| e.to_string().into_bytes()).unwrap_or_default();
        text.truncate(MESSAGE_MAX);
        let root = self.communicator.process_at_rank(first as Rank);
        let mut length = [text.len() as u64];
        root.broadcast_into(&mut length[..]);
        text.resize(length[0] as usize, 0);
        root.broadcast_into(&mut text[..]);
        Err(Disagreement {
            phase: phase.to_owned(),
            rank: first as usize,
            message: String::from_utf8_lossy(&text).into_owned(),
        })
    }

    /// The sum over all ranks, wrapping at 2^64. Collective.
    pub fn all_reduce_sum(&self, mine: u64) -> u64 {
        self.reduce(mine, SystemOperation::sum())
    }

    /// The least over all ranks. Collective.
    pub fn all_reduce_min(&self, mine: u64) -> u64 {
        self.reduce(mine, SystemOperation::min())
    }

    /// The greatest over all ranks. Collective.
    pub fn all_reduce_max(&self, mine: u64) -> u64 {
        self.reduce(mine, SystemOperation::max())
    }

    fn reduce(&self, mine: u64, operation: SystemOperation) -> u64 {
        let mut result = [0_u64];
        self.communicator.all_reduce_into(&[mine][..], &mut result[..], operation);
        result[0]
    }

    /// Everybody's value, by rank. Collective.
    pub fn all_gather(&self, mine: u64) -> Vec<u64> {
        self.all_gather_slice(&[mine])
    }

    /// Everybody's values, by rank; every rank gives the same number of them. Collective.
    ///
    /// `mine.len()` times the number of ranks must stay below 2^31.
    pub fn all_gather_slice(&self, mine: &[u64]) -> Vec<u64> {
        let mut all = vec![0; mine.len() * self.size];
        if !mine.is_empty() {
            self.communicator.all_gather_into(mine, &mut all[..]);
        }
        all
    }

    /// Brings everybody's elements to rank 0, in rank order, with the count of each rank. The other
    /// ranks get empty vectors. Collective.
    ///
    /// # Errors
    /// [`CommError::TooLong`] on all ranks if there are 2^31 elements or more in all.
    pub fn gather_varcount<T: Element>(&self, mine: &[T]) -> Result<(Vec<T>, Vec<usize>), CommError> {
        let lengths = self.all_gather(mine.len() as u64);
        check_total(lengths.iter().copied())?;
        let root = self.communicator.process_at_rank(0);
        if self.rank != 0 {
            root.gather_varcount_into(mine);
            return Ok((Vec::new(), Vec::new()));
        }
        let (counts, places) = counts_and_places(&lengths);
        let mut all = vec![T::default(); lengths.iter().sum::<u64>() as usize];
        let mut into = PartitionMut::new(&mut all[..], counts, &places[..]);
        root.gather_varcount_into_root(mine, &mut into);
        Ok((all, lengths.into_iter().map(|n| n as usize).collect()))
    }

    /// Sends every rank its part of `send`: the first `counts[0]` elements to rank 0, the next
    /// `counts[1]` to rank 1 and so on. Returns what the ranks sent here, in rank order, and how
    /// many elements each sent. Collective.
    ///
    /// # Errors
    /// [`CommError::TooLong`] on all ranks if one of them sends or receives 2^31 elements or more.
    ///
    /// # Panics
    /// If `counts` has not one entry a rank or does not add up to `send.len()`.
    pub fn all_to_all_varcount<T: Element>(
        &self,
        send: &[T],
        counts: &[usize],
    ) -> Result<(Vec<T>, Vec<usize>), CommError> {
        assert_eq!(counts.len(), self.size, "one count a rank");
        assert_eq!(counts.iter().sum::<usize>(), send.len(), "the counts cover what is sent");
        let out: Vec<u64> = counts.iter().map(|&n| n as u64).collect();
        let mut back = vec![0_u64; self.size];
        self.communicator.all_to_all_into(&out[..], &mut back[..]);
        let longest = (send.len() as u64).max(back.iter().sum());
        check_total([self.all_reduce_max(longest)])?;
        let (send_counts, send_places) = counts_and_places(&out);
        let (counts, places) = counts_and_places(&back);
        let mut received = vec![T::default(); back.iter().sum::<u64>() as usize];
        let from = Partition::new(send, send_counts, &send_places[..]);
        let mut into = PartitionMut::new(&mut received[..], counts, &places[..]);
        self.communicator.all_to_all_varcount_into(&from, &mut into);
        Ok((received, back.into_iter().map(|n| n as usize).collect()))
    }

    /// Sends a worker an order; returns at once (the message is short enough to be buffered).
    pub fn send_order(&self, worker: usize, order: &Order) {
        self.communicator.process_at_rank(worker as Rank).send_with_tag(&order.words()[..], ORDER_TAG);
    }

    /// Waits for the leader's next order, as MPI does, which may hold a core.
    pub fn receive_order(&self) -> Order {
        let mut inbox = self.orders.borrow_mut();
        Order::from_words(inbox.get_or_insert_with(|| Inbox::of_leader(&self.communicator, ORDER_TAG)).wait().1)
    }

    /// The leader's next order if one has come.
    pub fn try_receive_order(&self) -> Option<Order> {
        self.wait_for_order(Duration::ZERO)
    }

    /// The leader's next order if one comes within `patience`, else `None`; waits as
    /// [`World::try_receive_report`] does.
    pub fn wait_for_order(&self, patience: Duration) -> Option<Order> {
        let mut inbox = self.orders.borrow_mut();
        let inbox = inbox.get_or_insert_with(|| Inbox::of_leader(&self.communicator, ORDER_TAG));
        Some(Order::from_words(inbox.wait_for(patience)?.1))
    }

    /// Tells every worker something beside the orders; see [`World::word`].
    pub fn send_word(&self, word: u64) {
        for worker in 1..self.size {
            self.communicator.process_at_rank(worker as Rank).send_with_tag(&[word][..], WORD_TAG);
        }
    }

    /// What the leader has told this worker beside the orders, if it has: seen also while orders wait.
    pub fn word(&self) -> Option<u64> {
        let (message, _) = self.communicator.process_at_rank(0).immediate_matched_probe_with_tag(WORD_TAG)?;
        let mut word = [0];
        message.matched_receive_into(&mut word[..]);
        Some(word[0])
    }

    /// Tells the leader that a chunk is done.
    pub fn send_report(&self, report: &Report) {
        self.communicator.process_at_rank(0).send_with_tag(&report.words()[..], REPORT_TAG);
    }

    /// Sends a worker an order of any length, and takes in the reports that come meanwhile: a worker
    /// that is sending itself is never waited for.
    pub fn send_order_bytes(&self, worker: usize, order: &[u8], meanwhile: &mut VecDeque<(usize, Vec<u8>)>) {
        let process = self.communicator.process_at_rank(worker as Rank);
        mpi::request::scope(|scope| {
            let mut request = process.immediate_send_with_tag(scope, order, ORDER_BYTES_TAG);
            while let Err(again) = request.test() {
                request = again;
                match self.try_receive_report_bytes() {
                    Some(report) => meanwhile.push_back(report),
                    None => std::thread::yield_now(),
                }
            }
        });
    }

    /// Waits for the leader's next order of any length.
    pub fn receive_order_bytes(&self) -> Vec<u8> {
        self.communicator.process_at_rank(0).receive_vec_with_tag(ORDER_BYTES_TAG).0
    }

    /// Sends the leader a report of any length.
    pub fn send_report_bytes(&self, report: &[u8]) {
        self.communicator.process_at_rank(0).send_with_tag(report, REPORT_BYTES_TAG);
    }

    /// Waits for the next report of any length; returns its rank and the report.
    pub fn receive_report_bytes(&self) -> (usize, Vec<u8>) {
        let (bytes, status) = self.communicator.any_process().receive_vec_with_tag(REPORT_BYTES_TAG);
        (status.source_rank() as usize, bytes)
    }

    fn try_receive_report_bytes(&self) -> Option<(usize, Vec<u8>)> {
        let found = self.communicator.any_process().immediate_matched_probe_with_tag(REPORT_BYTES_TAG)?;
        let (bytes, status) = found.matched_receive_vec();
        Some((status.source_rank() as usize, bytes))
    }

    /// Waits for the next report of any worker; returns its rank and the report.
    ///
    /// Waits as MPI does, which may hold a core: for a leader with nothing else to watch.
    pub fn receive_report(&self) -> (usize, Report) {
        let mut inbox = self.reports.borrow_mut();
        let (rank, words) = inbox.get_or_insert_with(|| Inbox::of_any(&self.communicator, REPORT_TAG)).wait();
        (rank, Report::from_words(words))
    }

    /// The next report if one comes within `patience`, else `None`; zero looks once.
    ///
    /// Waits so that an idle leader leaves its core to the workers, see `Inbox::wait_for`.
    pub fn try_receive_report(&self, patience: Duration) -> Option<(usize, Report)> {
        let mut inbox = self.reports.borrow_mut();
        let inbox = inbox.get_or_insert_with(|| Inbox::of_any(&self.communicator, REPORT_TAG));
        inbox.wait_for(patience).map(|(rank, words)| (rank, Report::from_words(words)))
    }
}

/// MPI counts elements in an `int`.
fn check_total(lengths: impl IntoIterator<Item = u64>) -> Result<(), CommError> {
    let total = lengths.into_iter().fold(0_u64, u64::saturating_add);
    if total > Count::MAX as u64 { Err(CommError::TooLong(total)) } else { Ok(()) }
}

/// Lengths as MPI's counts and displacements; the total has been checked.
fn counts_and_places(lengths: &[u64]) -> (Vec<Count>, Vec<Count>) {
    let mut next = 0;
    lengths
        .iter()
        .map(|&n| {
            let place = next;
            next += n as Count;
            (n as Count, place)
        })
        .unzip()
}

fn default_variable(name: &str, value: &str) {
    if std::env::var_os(name).is_none() {
        // SAFETY: `World::init` is the first thing the program does, before it starts a thread, so
        // nobody reads the environment meanwhile; the tests start MPI in a process with one thread at work.
        unsafe { std::env::set_var(name, value) };
    }
}

/// Makes a panic that nobody catches print one line and end all ranks.
fn install_hook(rank: usize) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(move |info| {
            if is_caught(info) {
                return;
            }
            let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
            let text = payload_text(info.payload());
            // One write, so that lines of several ranks are not cut into each other.
            let line = format!("sweep-mpi: rank {rank}: panic at {place}: {text}\n");
            let _ = std::io::stderr().write_all(line.as_bytes());
            end_all(PANIC_EXIT_CODE);
        }));
    });
}

/// Ends all ranks, from any thread of a process that has started MPI.
fn end_all(code: i32) -> ! {
    if !mpi::environment::is_finalized() {
        // SAFETY: MPI was initialised before the hook or a watch that calls this was made, and is not finalized.
        // A thread other than the main one may come here, against the letter of Funneled;
        // the process ends in this call, and every MPI library supports that in practice.
        unsafe { mpi::ffi::MPI_Abort(mpi::ffi::RSMPI_COMM_WORLD, code) };
    }
    std::process::exit(code);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_would_wrap_are_refused() {
        assert_eq!(check_total([2_147_483_647]), Ok(()));
        assert_eq!(check_total([2_147_483_647, 1]), Err(CommError::TooLong(2_147_483_648)));
        assert_eq!(check_total([u64::MAX, 2]), Err(CommError::TooLong(u64::MAX)));
        assert_eq!(counts_and_places(&[2, 0, 5]), (vec![2, 0, 5], vec![0, 2, 2]));
    }
}

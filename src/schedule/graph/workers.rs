//! Who gets the next batch of a task graph, and how many tasks it has.

use std::collections::VecDeque;

use super::batch::TaskNumber;

/// How long a batch should take at most, s.
const BATCH_MOST: f64 = 1e-3;
/// How long a batch should take at least, s: about what a message and its answer cost.
const BATCH_LEAST: f64 = 5e-6;
/// No task is taken to be shorter than this, s.
const TASK_LEAST: f64 = 2e-8;
/// Tasks from here on are long, s: near the end they do not wait behind another one.
const TASK_LONG: f64 = 1e-4;
/// Tasks in a batch while nothing has been measured.
const FIRST_COUNT: usize = 4;
/// A batch has at most this many times the tasks of the largest one measured.
const GROWTH_MAX: usize = 8;
/// The mean duration of a task is that of about so many tasks.
const MEMORY_TASKS: f64 = 32.0;

#[derive(Debug, Default)]
struct Worker {
    /// The batches that it has, the oldest first.
    under_way: VecDeque<Vec<TaskNumber>>,
    /// For each number of batches, whether it stands in that list of [`Workers::idle`].
    listed: Vec<bool>,
}

/// The workers with the batches that are under way to them, and how long tasks take.
#[derive(Debug)]
pub(super) struct Workers {
    states: Vec<Worker>,
    /// Workers with room, by the number of batches they have; an entry may be out of date.
    idle: Vec<Vec<usize>>,
    /// Mean duration of a task, s.
    seconds_a_task: Option<f64>,
    largest_measured: usize,
}

impl Workers {
    /// So many workers, with at most so many batches each.
    pub(super) fn new(count: usize, under_way: usize) -> Self {
        let worker = || Worker { under_way: VecDeque::new(), listed: vec![false; under_way] };
        let states = (0..count).map(|_| worker()).collect();
        let mut all = Workers { states, idle: vec![Vec::new(); under_way], seconds_a_task: None, largest_measured: 1 };
        for worker in (0..count).rev() {
            all.list(worker);
        }
        all
    }

    /// The oldest batch of a worker.
    pub(super) fn oldest(&self, worker: usize) -> Option<&Vec<TaskNumber>> {
        self.states.get(worker)?.under_way.front()
    }

    /// A batch goes to a worker.
    pub(super) fn push(&mut self, worker: usize, batch: Vec<TaskNumber>) {
        self.states[worker].under_way.push_back(batch);
        self.list(worker);
    }

    /// The oldest batch of a worker is done.
    pub(super) fn pop(&mut self, worker: usize) {
        self.states[worker].under_way.pop_front();
        self.list(worker);
    }

    /// So many tasks took so long together.
    pub(super) fn measure(&mut self, count: usize, ns: u64) {
        self.largest_measured = self.largest_measured.max(count);
        let measured = ns as f64 * 1e-9 / count.max(1) as f64;
        let weight = count as f64 / (count as f64 + MEMORY_TASKS);
        self.seconds_a_task =
            Some(self.seconds_a_task.map_or(measured, |before| before + weight * (measured - before)));
    }

    /// The worker with the fewest batches that has room while so many tasks are ready; the one that
    /// reported last, so that few workers share what one could do alone.
    pub(super) fn next(&mut self, ready: usize) -> Option<usize> {
        let is_long = self.seconds_a_task.is_none_or(|seconds| seconds > TASK_LONG);
        let depths = if is_long && ready < self.states.len() { 1 } else { self.idle.len() };
        for depth in 0..depths {
            while let Some(worker) = self.idle[depth].pop() {
                let state = &mut self.states[worker];
                state.listed[depth] = false;
                if state.under_way.len() == depth {
                    return Some(worker);
                }
            }
        }
        None
    }

    /// How many of the ready tasks the next batch has: a fair share of half of them, but worth a message
    /// and not longer than [`BATCH_MOST`].
    pub(super) fn next_count(&self, ready: usize) -> usize {
        let share = ready.div_ceil(2 * self.states.len().max(1));
        let Some(seconds) = self.seconds_a_task else { return share.min(FIRST_COUNT) };
        let seconds = seconds.max(TASK_LEAST);
        let most = ((BATCH_MOST / seconds) as usize).clamp(1, GROWTH_MAX * self.largest_measured);
        let least = (BATCH_LEAST / seconds) as usize;
        share.max(least).min(most).min(ready)
    }

    /// Lists a worker under the number of its batches.
    fn list(&mut self, worker: usize) {
        let state = &mut self.states[worker];
        let depth = state.under_way.len();
        if depth < self.idle.len() && !std::mem::replace(&mut state.listed[depth], true) {
            self.idle[depth].push(worker);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_have_nothing_come_first() {
        let mut workers = Workers::new(3, 2);
        for expected in [0, 1, 2] {
            let worker = workers.next(100).unwrap();
            assert_eq!(worker, expected);
            workers.push(worker, Vec::new());
        }
        let mut second: Vec<usize> = Vec::new();
        workers.measure(1, 10); // short tasks wait behind others
        while let Some(worker) = workers.next(1) {
            workers.push(worker, Vec::new());
            second.push(worker);
        }
        second.sort_unstable();
        assert_eq!(second, [0, 1, 2]);
        workers.pop(1);
        workers.pop(1);
        assert_eq!((workers.next(1), workers.next(1)), (Some(1), None));
    }

    #[test]
    fn long_tasks_do_not_wait_near_the_end() {
        let mut workers = Workers::new(2, 2);
        workers.measure(1, 1_000_000_000);
        for _ in 0..2 {
            let worker = workers.next(1).unwrap();
            workers.push(worker, Vec::new());
        }
        assert_eq!(workers.next(1), None);
        assert!(workers.next(2).is_some());
    }

    #[test]
    fn counts_follow_the_time_of_a_task() {
        let mut workers = Workers::new(4, 2);
        assert_eq!((workers.next_count(1000), workers.next_count(3)), (FIRST_COUNT, 1));
        workers.measure(4, 4 * 1000);
        assert_eq!(workers.next_count(100_000), 32, "eight times what was measured");
        workers.measure(10_000, 10_000 * 1000);
        assert_eq!(workers.next_count(100_000), 1000, "a millisecond");
        assert_eq!(workers.next_count(80), 10, "half of a fair share");
        assert_eq!(workers.next_count(8), 5, "worth a message");
        assert_eq!(workers.next_count(2), 2);
    }
}

//! Task graphs of any shape, with failures, reported in any order by any number of workers.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use sweep_mpi::schedule::graph::local::{run_here, run_threads};
use sweep_mpi::schedule::graph::{
    Batch, BatchReport, Counts, GraphError, GraphLeader, GraphOrder, GraphSettings, TaskResult,
};
use sweep_mpi::workload::htcmock::tasks::Task;
use sweep_mpi::workload::htcmock::{HtcMock, Parameters};
use sweep_mpi::workload::task::{Bytes, Dependency, NewTask, TaskOutcome, TaskOutput};

/// Choices from a seed.
struct Choices(u64);

impl Choices {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % n.max(1)
    }
}

/// What the test knows of a task; its payload and its result are its place in the list.
#[derive(Clone, Debug, Default)]
struct Known {
    depends_on: Vec<usize>,
    /// Tries that fail before one does not.
    failures: u32,
    tries: u32,
    is_done: bool,
    heir: Option<usize>,
}

fn place(payload: &[u8]) -> usize {
    u64::from_le_bytes(payload.try_into().unwrap()) as usize
}

fn name(place: usize) -> Bytes {
    Bytes::from((place as u64).to_le_bytes())
}

/// The task whose result stands for that of another one, if it is there.
fn deliverer(tasks: &[Known], mut task: usize) -> Option<usize> {
    while let Some(heir) = tasks[task].heir {
        task = heir;
    }
    tasks[task].is_done.then_some(task)
}

/// Adds a few tasks to one that is done.
fn add_some(
    tasks: &mut Vec<Known>,
    parent: usize,
    choices: &mut Choices,
    new: impl Fn(&mut Choices) -> Known,
) -> Vec<NewTask> {
    let first = tasks.len();
    let count = choices.below(5);
    let heir = if choices.below(2) == 0 { Some(choices.below(count)) } else { None };
    let mut added = Vec::new();
    for i in 0..count {
        let mut known = new(choices);
        let mut depends_on = Vec::new();
        for _ in 0..choices.below(3) {
            if i > 0 {
                let other = choices.below(i);
                depends_on.push(Dependency::Added(other as u32));
                known.depends_on.push(first + other);
            } else if heir.is_none() {
                depends_on.push(Dependency::Own);
                known.depends_on.push(parent);
            }
        }
        let takes_over = heir == Some(i);
        if takes_over {
            tasks[parent].heir = Some(first + i);
        }
        added.push(NewTask { payload: name(first + i), depends_on, takes_over });
        tasks.push(known);
    }
    added
}

fn perform(
    tasks: &mut Vec<Known>,
    task: usize,
    inputs: &[Bytes],
    retries: u32,
    choices: &mut Choices,
    size: usize,
) -> TaskOutcome {
    let depends_on = tasks[task].depends_on.clone();
    let expected: Vec<Bytes> = depends_on.iter().map(|&d| name(deliverer(tasks, d).expect("done before"))).collect();
    assert_eq!(inputs, expected, "the results of what it depends on, in order");
    tasks[task].tries += 1;
    if tasks[task].tries <= tasks[task].failures {
        return TaskOutcome::Failed(task as u32);
    }
    assert_eq!(tasks[task].tries, tasks[task].failures + 1, "done once");
    tasks[task].is_done = true;
    let added =
        if tasks.len() < size { add_some(tasks, task, choices, |choices| plan(choices, retries)) } else { Vec::new() };
    TaskOutcome::Done(TaskOutput { result: name(task), added })
}

/// One in eight fails, now and then for good.
fn plan(choices: &mut Choices, retries: u32) -> Known {
    let failures = if choices.below(8) == 0 { 1 + choices.below(retries as usize + 1) as u32 } else { 0 };
    Known { failures, ..Known::default() }
}

fn encoded(order: &GraphOrder) -> Vec<u8> {
    let mut message = Vec::new();
    order.encode(&mut message);
    message
}

fn run_random_graph(seed: u64, workers: usize, under_way: usize, retries: u32, roots: usize) {
    let mut choices = Choices(seed);
    let settings = GraphSettings { under_way, retries, failures_max: 3, ..GraphSettings::new(workers) };
    let mut leader = GraphLeader::new(settings);
    let mut tasks: Vec<Known> = Vec::new();
    let mut numbers = Vec::new();
    for root in 0..roots {
        let mut known = plan(&mut choices, retries);
        for _ in 0..choices.below(4).min(root) {
            known.depends_on.push(choices.below(root));
        }
        let depends_on: Vec<_> = known.depends_on.iter().map(|&d| numbers[d]).collect();
        numbers.push(leader.add(name(root), &depends_on).unwrap());
        tasks.push(known);
    }
    let kept: HashSet<usize> = (0..roots / 3).map(|_| choices.below(roots)).collect();
    for &root in &kept {
        leader.keep(numbers[root]).unwrap();
    }

    let mut inboxes: Vec<VecDeque<Vec<u8>>> = vec![VecDeque::new(); workers];
    let mut stopped = vec![false; workers];
    let deliver = |sendings: Vec<(usize, GraphOrder)>, inboxes: &mut Vec<VecDeque<Vec<u8>>>| {
        for (rank, order) in sendings {
            inboxes[rank - 1].push_back(encoded(&order));
            assert!(inboxes[rank - 1].len() <= under_way.max(1));
        }
    };
    deliver(leader.start(), &mut inboxes);
    loop {
        let busy: Vec<usize> = (0..workers).filter(|&w| !inboxes[w].is_empty()).collect();
        if busy.is_empty() {
            break;
        }
        let worker = busy[choices.below(busy.len())];
        let message = inboxes[worker].pop_front().unwrap();
        match GraphOrder::decode(&message).unwrap() {
            GraphOrder::Stop => stopped[worker] = true,
            GraphOrder::Batch(Batch { tasks: batch }) => {
                assert!(!stopped[worker] && !batch.is_empty());
                let mut results = Vec::new();
                for task in batch {
                    let ns = 10_u64.pow(choices.below(8) as u32);
                    let outcome = perform(
                        &mut tasks,
                        place(task.payload.as_slice()),
                        &task.inputs,
                        retries,
                        &mut choices,
                        10 * roots,
                    );
                    results.push(TaskResult { task: task.task, outcome, ns });
                }
                let mut message = Vec::new();
                BatchReport { results }.encode(&mut message);
                let report = BatchReport::decode(&message).unwrap();
                deliver(leader.report(worker + 1, report).unwrap(), &mut inboxes);
            }
        }
    }
    assert!(leader.is_done() && stopped.iter().all(|&s| s), "the graph ends");
    check_the_end(&tasks, retries, &leader);

    for &root in &kept {
        assert_eq!(leader.take_result(numbers[root]), deliverer(&tasks, root).map(name));
        assert_eq!(leader.take_result(numbers[root]), None, "given up");
    }
    assert_eq!((leader.alive(), leader.counts().outputs, leader.counts().result_bytes), (0, 0, 0), "nothing is left");
}

/// Poison tasks took exactly those with them that depend on them.
fn check_the_end(tasks: &[Known], retries: u32, leader: &GraphLeader) {
    // a task is lost for its readers if it failed, was skipped, or its heir is lost; heirs and readers have
    // higher places, except that a reader of roots may have a lower place than an heir: repeat until nothing changes
    let mut skipped = vec![false; tasks.len()];
    let mut lost = vec![false; tasks.len()];
    loop {
        let before = (skipped.clone(), lost.clone());
        for (place, task) in tasks.iter().enumerate() {
            skipped[place] = task.depends_on.iter().any(|&d| lost[d]);
            lost[place] = skipped[place] || task.failures > retries || task.heir.is_some_and(|heir| lost[heir]);
        }
        if before == (skipped.clone(), lost.clone()) {
            break;
        }
    }
    let mut expected = Counts::default();
    for (place, task) in tasks.iter().enumerate() {
        let is_poison = task.failures > retries;
        let tries = if skipped[place] { 0 } else { task.failures.min(retries) + 1 };
        assert_eq!((task.tries, task.is_done), (tries, !skipped[place] && !is_poison), "task {place}");
        expected.added += 1;
        expected.skipped += u64::from(skipped[place]);
        expected.failed += u64::from(is_poison && !skipped[place]);
        expected.done += u64::from(task.is_done);
        expected.retried += u64::from(tries.saturating_sub(1));
    }
    let counts = leader.counts();
    let found = Counts {
        added: counts.added,
        done: counts.done,
        failed: counts.failed,
        skipped: counts.skipped,
        retried: counts.retried,
        ..Counts::default()
    };
    assert_eq!(found, expected);
    assert_eq!((counts.ready, counts.under_way), (0, 0));
    assert_eq!(leader.failures().len() as u64, expected.failed.min(3));
    for failure in leader.failures() {
        assert_eq!(failure.code as usize, place(failure.payload.as_slice()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn prop_every_task_runs_once_after_its_dependencies(
        seed in any::<u64>(), workers in 1_usize..=20, under_way in 1_usize..4, retries in 0_u32..3, roots in 1_usize..120,
    ) {
        run_random_graph(seed, workers, under_way, retries, roots);
    }
}

fn mock(tasks: u32, total_ms: u64, levels: u32) -> HtcMock {
    HtcMock::new(&Parameters { tasks, levels, total_ms, data: 1, memory: 1 }).unwrap()
}

const KNOWN: [(u32, u64, u32, u64); 4] =
    [(10_000, 10_000, 100, 14_973), (300, 10_000, 4, 421), (100, 100, 4, 139), (100, 100, 1, 102)];

#[test]
fn val_htcmock_gives_its_answer_in_all_known_sizes() {
    for (tasks, total_ms, levels, count) in KNOWN {
        let mock = mock(tasks, total_ms, levels);
        for (workers, carried, threads) in [(1, 0, false), (8, 0, false), (3, 100, false), (4, 0, true)] {
            let mut leader = GraphLeader::new(GraphSettings::new(workers));
            let root = leader.add(Task::ROOT.payload(carried), &[]).unwrap();
            leader.keep(root).unwrap();
            let perform = |payload: &[u8], inputs: &[Bytes]| mock.perform(payload, inputs, carried);
            if threads {
                run_threads(&mut leader, workers, &perform).unwrap();
            } else {
                run_here(&mut leader, &perform).unwrap();
            }
            assert_eq!(leader.counts().done, count);
            let result = leader.take_result(root).unwrap();
            assert!(mock.is_right(result.as_slice()), "{:?}", String::from_utf8_lossy(result.as_slice()));
            assert_eq!((leader.alive(), leader.counts().outputs), (0, 0));
        }
    }
}

#[test]
fn htcmock_with_a_wrong_task_has_no_answer() {
    let mock = mock(300, 10_000, 4);
    let mut leader = GraphLeader::new(GraphSettings { retries: 2, ..GraphSettings::new(2) });
    let root = leader.add(Task::ROOT.payload(0), &[]).unwrap();
    leader.keep(root).unwrap();
    let perform = |payload: &[u8], inputs: &[Bytes]| match Task::from_payload(payload) {
        Some(Task::Compute(70)) => panic!("poison"),
        _ => mock.perform(payload, inputs, 0),
    };
    run_here(&mut leader, &perform).unwrap();
    assert_eq!(leader.take_result(root), None);
    let counts = leader.counts();
    // node 70 has depth 2: it never adds its own tasks; lost are it and the aggregations above it
    assert_eq!((counts.failed, counts.retried, counts.skipped), (1, 2, 2));
    assert_eq!(leader.failures()[0].code, TaskOutcome::PANICKED);
    assert_eq!((leader.alive(), counts.outputs), (0, 0));
}

/// When the last task ends, ms, on workers that take the stated durations and no time for messages; the
/// clock is the test's, and the leader knows nothing of it.
fn makespan(mock: &HtcMock, workers: usize) -> u64 {
    let mut leader = GraphLeader::new(GraphSettings::new(workers));
    leader.add(Task::ROOT.payload(0), &[]).unwrap();
    let mut free_at = vec![0_u64; workers];
    let mut wire: Vec<(u64, usize, BatchReport)> = Vec::new();
    let mut now = 0;
    let mut sendings = leader.start();
    loop {
        for (rank, order) in sendings {
            let GraphOrder::Batch(batch) = order else { continue };
            let mut end = free_at[rank - 1].max(now);
            let results = batch.tasks.iter().map(|task| {
                let ms = u64::from(mock.task_ms(task.payload.as_slice()));
                end += ms;
                let outcome = mock.perform(task.payload.as_slice(), &task.inputs, 0);
                TaskResult { task: task.task, outcome, ns: ms * 1_000_000 }
            });
            let report = BatchReport { results: results.collect() };
            free_at[rank - 1] = end;
            wire.push((end, rank, report));
        }
        let Some(first) = (0..wire.len()).min_by_key(|&i| wire[i].0) else { break };
        let (end, rank, report) = wire.remove(first);
        now = end;
        sendings = leader.report(rank, report).unwrap();
    }
    assert!(leader.is_done());
    now
}

#[test]
fn val_durations_are_honoured_near_the_bound() {
    // No schedule ends before work/workers or the critical path, and one that never leaves a worker idle
    // beside a ready task ends before their sum (Graham, SIAM J. Appl. Math. 17 (1969) 416).
    for (mock, workers, share) in [
        (mock(10_000, 10_000, 100), 1, 1.0),
        (mock(10_000, 10_000, 100), 8, 0.95),
        (mock(10_000, 10_000, 100), 32, 0.75), // the tree is about 100 wide
        (mock(300, 10_000, 4), 2, 0.95),
        (mock(300, 10_000, 4), 8, 0.9),
    ] {
        let figures = mock.figures();
        let fair = figures.work_ms.div_ceil(workers as u64);
        let bound = fair.max(figures.critical_ms);
        let span = makespan(&mock, workers);
        assert!(span >= bound && span <= fair + figures.critical_ms, "{workers} workers: {span} ms, {figures:?}");
        assert!(span as f64 * share <= bound as f64, "{workers} workers: {span} ms, bound {bound} ms");
    }
}

#[test]
fn empty_tasks_of_a_deep_tree_share_messages() {
    let mock = mock(10_000, 10_000, 100);
    let mut leader = GraphLeader::new(GraphSettings::new(8));
    leader.add(Task::ROOT.payload(0), &[]).unwrap();
    let mut wire: VecDeque<_> = leader.start().into();
    while let Some((rank, order)) = wire.pop_front() {
        let GraphOrder::Batch(batch) = order else { continue };
        let results = batch.tasks.iter().map(|task| TaskResult {
            task: task.task,
            outcome: mock.perform(task.payload.as_slice(), &task.inputs, 0),
            ns: 50,
        });
        let results = results.collect();
        wire.extend(leader.report(rank, BatchReport { results }).unwrap());
    }
    let counts = leader.counts();
    assert_eq!(counts.done, 14_973);
    // 201 tasks stand one behind the other, so there are at least as many batches
    assert!((201..1500).contains(&counts.batches), "{} batches", counts.batches);
}

#[test]
fn empty_tasks_go_in_large_batches_and_long_ones_alone() {
    let batches = |ns: u64, tasks: usize| {
        let mut leader = GraphLeader::new(GraphSettings::new(4));
        for _ in 0..tasks {
            leader.add(Bytes::EMPTY, &[]).unwrap();
        }
        let mut sizes = Vec::new();
        let mut wire: VecDeque<_> = leader.start().into();
        while let Some((rank, order)) = wire.pop_front() {
            if let GraphOrder::Batch(batch) = order {
                sizes.push(batch.tasks.len());
                let result = |task: &_| TaskResult { task: *task, outcome: TaskOutcome::result(Bytes::EMPTY), ns };
                let results = batch.tasks.iter().map(|task| result(&task.task)).collect();
                wire.extend(leader.report(rank, BatchReport { results }).unwrap());
            }
        }
        assert_eq!(sizes.iter().sum::<usize>(), tasks);
        sizes
    };
    let empty = batches(20, 1_000_000);
    assert!(empty.len() < 150 && *empty.iter().max().unwrap() >= 10_000, "{} batches", empty.len());
    let long = batches(10_000_000, 200);
    assert!(long[8..].iter().all(|&size| size == 1), "{long:?}");
}

#[test]
fn reports_that_fit_nothing_are_refused_and_change_nothing() {
    let mut leader = GraphLeader::new(GraphSettings::new(2));
    let task = leader.add(Bytes::EMPTY, &[]).unwrap();
    let sendings = leader.start();
    assert_eq!(sendings.len(), 1);
    assert_eq!(leader.add(Bytes::EMPTY, &[]), Err(GraphError::Started));
    let done =
        |added| TaskResult { task, outcome: TaskOutcome::Done(TaskOutput { result: Bytes::EMPTY, added }), ns: 1 };
    let report = |results| BatchReport { results };
    let before = leader.counts();
    assert_eq!(leader.report(0, report(vec![done(vec![])])), Err(GraphError::NoBatch(0)));
    assert_eq!(leader.report(2, report(vec![done(vec![])])), Err(GraphError::NoBatch(2)));
    assert_eq!(leader.report(3, report(vec![])), Err(GraphError::NoBatch(3)));
    let other = GraphError::OtherBatch { worker: 1, reported: 2, expected: 1 };
    assert_eq!(leader.report(1, report(vec![done(vec![]), done(vec![])])), Err(other));
    let new = |depends_on: &[Dependency], takes_over| NewTask {
        payload: Bytes::EMPTY,
        depends_on: depends_on.to_vec(),
        takes_over,
    };
    for (added, place) in [
        (vec![new(&[Dependency::Added(0)], false)], 0),
        (vec![new(&[], true), new(&[], true)], 1),
        (vec![new(&[Dependency::Own], false), new(&[], true)], 1),
        (vec![new(&[], true), new(&[Dependency::Own], false)], 1),
    ] {
        let wrong = GraphError::WrongAddition { worker: 1, task, place };
        assert_eq!(leader.report(1, report(vec![done(added)])), Err(wrong));
    }
    assert_eq!(leader.counts(), before);
    let stop = vec![(1, GraphOrder::Stop), (2, GraphOrder::Stop)];
    assert_eq!(leader.report(1, report(vec![done(vec![])])), Ok(stop));
    assert_eq!(leader.report(1, report(vec![done(vec![])])), Err(GraphError::NoBatch(1)), "twice");
    assert!(leader.is_done());
}

#[test]
fn a_result_that_is_too_long_is_a_failure() {
    let settings = GraphSettings { result_bytes_max: 10, retries: 5, ..GraphSettings::new(1) };
    let mut leader = GraphLeader::new(settings);
    let first = leader.add(Bytes::EMPTY, &[]).unwrap();
    let long = leader.add(Bytes::EMPTY, &[first]).unwrap();
    leader.add(Bytes::EMPTY, &[long]).unwrap();
    let calls = AtomicU64::new(0);
    run_here(&mut leader, &|_, _| {
        let call = calls.fetch_add(1, Ordering::Relaxed);
        TaskOutcome::result(if call == 0 { Bytes::EMPTY } else { Bytes::from([0; 11]) })
    })
    .unwrap();
    assert_eq!((leader.counts().done, leader.counts().failed, leader.counts().skipped), (1, 1, 1));
    assert_eq!(leader.failures()[0].code, TaskOutcome::TOO_LARGE);
    assert_eq!((leader.alive(), leader.counts().outputs), (0, 0));
}

#[test]
fn no_tasks_stop_everyone() {
    let mut leader = GraphLeader::new(GraphSettings::new(2));
    assert_eq!(leader.start(), [(1, GraphOrder::Stop), (2, GraphOrder::Stop)]);
    assert!(leader.is_done());
}

#[test]
fn a_chain_holds_one_result_at_a_time() {
    let mut leader = GraphLeader::new(GraphSettings::new(3));
    let mut seen: HashMap<u64, u64> = HashMap::new();
    let mut last = leader.add(Bytes::from(0_u64.to_le_bytes()), &[]).unwrap();
    for i in 1..1000_u64 {
        last = leader.add(Bytes::from(i.to_le_bytes()), &[last]).unwrap();
    }
    let mut wire: VecDeque<_> = leader.start().into();
    while let Some((rank, order)) = wire.pop_front() {
        let GraphOrder::Batch(batch) = order else { continue };
        assert_eq!(batch.tasks.len(), 1);
        assert_eq!(leader.counts().result_bytes, 0, "handed out and freed");
        let task = &batch.tasks[0];
        let place = place(task.payload.as_slice()) as u64;
        assert_eq!(seen.insert(place, seen.len() as u64), None);
        let result = TaskResult { task: task.task, outcome: TaskOutcome::result(task.payload.clone()), ns: 50 };
        wire.extend(leader.report(rank, BatchReport { results: vec![result] }).unwrap());
    }
    assert!(seen.iter().all(|(place, turn)| place == turn) && seen.len() == 1000);
}

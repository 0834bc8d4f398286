//! What ranks send to each other in a task graph.

use sweep_mpi::schedule::graph::{Batch, BatchReport, BatchTask, GraphOrder, TaskNumber, TaskResult};
use sweep_mpi::workload::task::{Bytes, Dependency, NewTask, TaskOutcome, TaskOutput};

use crate::mutator::Corpus;
use crate::readers;
use crate::trial::mutants;

#[test]
fn prop_hostile_messages() {
    let bytes = |length: u8| Bytes::from(&(0..length).collect::<Vec<_>>()[..]);
    let task = |number| BatchTask {
        task: TaskNumber(number),
        payload: bytes(40),
        inputs: vec![bytes(3), bytes(0), bytes(200)],
    };
    let (mut order, mut stop, mut report) = (Vec::new(), Vec::new(), Vec::new());
    GraphOrder::Batch(Batch { tasks: (0..5).map(task).collect() }).encode(&mut order);
    GraphOrder::Stop.encode(&mut stop);
    let new = NewTask { payload: bytes(9), depends_on: vec![Dependency::Own, Dependency::Added(1)], takes_over: true };
    let done = TaskOutcome::Done(TaskOutput { result: bytes(20), added: vec![new.clone(), new] });
    let results = [done, TaskOutcome::Failed(3)].map(|outcome| TaskResult { task: TaskNumber(7), outcome, ns: 9 });
    BatchReport { results: results.to_vec() }.encode(&mut report);
    let corpus = Corpus { samples: vec![order, stop, report], words: &["\0\0\0\0", "\u{1}\0\0\0"], openings: &["\0"] };
    mutants("message", &corpus, 20_000, readers::message);
}

//! The messages of a task graph, and their layout as bytes.
//!
//! All numbers are little-endian; a length is a `u32`; nothing is padded.
//!
//! ```text
//! stop      0u32
//! batch     1u32  tasks  { number u64, inputs u32, bytes payload, inputs x bytes }
//! report    results { number u64, ns u64, 0u32, bytes result, added u32, added x new
//!                   | number u64, ns u64, 1u32, code u32 }
//! new       takes_over u32 (0 or 1), dependencies u32, bytes payload, dependencies x u32
//! bytes     length u32, the bytes
//! ```
//!
//! A dependency is the place of an added task, or `u32::MAX` for the task that adds. Decoding checks every
//! length against what is left of the message before it takes memory for it.

use crate::workload::task::{Bytes, Dependency, NewTask, TaskOutcome, TaskOutput};

/// The number of a task in its graph; it says nothing of what the task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskNumber(pub u64);

/// A ready task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchTask {
    /// Its number.
    pub task: TaskNumber,
    /// What the workload needs to know of it.
    pub payload: Bytes,
    /// The results of the tasks it depends on, in the order of its dependencies.
    pub inputs: Vec<Bytes>,
}

/// Tasks for one worker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The tasks, to be done and reported in this order.
    pub tasks: Vec<BatchTask>,
}

/// From the leader to a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphOrder {
    /// Do these tasks.
    Batch(Batch),
    /// No more batches will come.
    Stop,
}

/// How a task of a batch ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskResult {
    /// Its number.
    pub task: TaskNumber,
    /// How it ended.
    pub outcome: TaskOutcome,
    /// Nanoseconds that it took.
    pub ns: u64,
}

/// From a worker to the leader: a batch is done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchReport {
    /// One for each task of the batch, in its order.
    pub results: Vec<TaskResult>,
}

/// Bytes that are no message of this layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {at} of a message of the task graph")]
pub struct DecodeError {
    /// What is wrong.
    pub what: &'static str,
    /// How many bytes had been read.
    pub at: usize,
}

const STOP: u32 = 0;
const BATCH: u32 = 1;
const DONE: u32 = 0;
const FAILED: u32 = 1;
const OWN: u32 = u32::MAX;

impl GraphOrder {
    /// Appends the order to a buffer.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            GraphOrder::Stop => put(out, STOP),
            GraphOrder::Batch(batch) => {
                put(out, BATCH);
                put(out, batch.tasks.len() as u32);
                for task in &batch.tasks {
                    out.extend_from_slice(&task.task.0.to_le_bytes());
                    put(out, task.inputs.len() as u32);
                    put_bytes(out, &task.payload);
                    for input in &task.inputs {
                        put_bytes(out, input);
                    }
                }
            }
        }
    }

    /// Reads an order, which must fill the message.
    pub fn decode(message: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader { message, at: 0 };
        let order = match reader.word()? {
            STOP => GraphOrder::Stop,
            BATCH => {
                let count = reader.count(16)?;
                let mut tasks = Vec::with_capacity(count);
                for _ in 0..count {
                    let task = TaskNumber(reader.long()?);
                    let inputs = reader.word()?;
                    let payload = reader.bytes()?;
                    let inputs = reader.checked(inputs, 4)?;
                    let inputs = (0..inputs).map(|_| reader.bytes()).collect::<Result<_, _>>()?;
                    tasks.push(BatchTask { task, payload, inputs });
                }
                GraphOrder::Batch(Batch { tasks })
            }
            _ => return Err(reader.error("an unknown order")),
        };
        reader.end()?;
        Ok(order)
    }
}

impl BatchReport {
    /// Appends the report to a buffer.
    pub fn encode(&self, out: &mut Vec<u8>) {
        put(out, self.results.len() as u32);
        for result in &self.results {
            out.extend_from_slice(&result.task.0.to_le_bytes());
            out.extend_from_slice(&result.ns.to_le_bytes());
            match &result.outcome {
                TaskOutcome::Failed(code) => {
                    put(out, FAILED);
                    put(out, *code);
                }
                TaskOutcome::Done(output) => {
                    put(out, DONE);
                    put_bytes(out, &output.result);
                    put(out, output.added.len() as u32);
                    for new in &output.added {
                        put(out, u32::from(new.takes_over));
                        put(out, new.depends_on.len() as u32);
                        put_bytes(out, &new.payload);
                        for dependency in &new.depends_on {
                            match dependency {
                                Dependency::Own => put(out, OWN),
                                Dependency::Added(place) => put(out, *place),
                            }
                        }
                    }
                }
            }
        }
    }

    /// Reads a report, which must fill the message.
    pub fn decode(message: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader { message, at: 0 };
        let count = reader.count(24)?;
        let mut results = Vec::with_capacity(count);
        for _ in 0..count {
            let task = TaskNumber(reader.long()?);
            let ns = reader.long()?;
            let outcome = match reader.word()? {
                FAILED => TaskOutcome::Failed(reader.word()?),
                DONE => {
                    let result = reader.bytes()?;
                    let count = reader.count(12)?;
                    let added = (0..count).map(|_| reader.new_task()).collect::<Result<_, _>>()?;
                    TaskOutcome::Done(TaskOutput { result, added })
                }
                _ => return Err(reader.error("an unknown outcome")),
            };
            results.push(TaskResult { task, outcome, ns });
        }
        reader.end()?;
        Ok(BatchReport { results })
    }
}

fn put(out: &mut Vec<u8>, word: u32) {
    out.extend_from_slice(&word.to_le_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &Bytes) {
    let bytes = bytes.as_slice();
    put(out, bytes.len() as u32);
    out.extend_from_slice(bytes);
}

struct Reader<'a> {
    message: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn error(&self, what: &'static str) -> DecodeError {
        DecodeError { what, at: self.at }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let chunk = *self.message[self.at..].first_chunk().ok_or(self.error("the message ends too early"))?;
        self.at += N;
        Ok(chunk)
    }

    fn word(&mut self) -> Result<u32, DecodeError> {
        self.take().map(u32::from_le_bytes)
    }

    fn long(&mut self) -> Result<u64, DecodeError> {
        self.take().map(u64::from_le_bytes)
    }

    /// A count of things that take at least so many bytes each.
    fn count(&mut self, bytes_each: usize) -> Result<usize, DecodeError> {
        let count = self.word()?;
        self.checked(count, bytes_each)
    }

    fn checked(&self, count: u32, bytes_each: usize) -> Result<usize, DecodeError> {
        let left = self.message.len() - self.at;
        if count as usize > left / bytes_each {
            Err(self.error("a count passes the message"))
        } else {
            Ok(count as usize)
        }
    }

    fn bytes(&mut self) -> Result<Bytes, DecodeError> {
        let length = self.count(1)?;
        let bytes = Bytes::from(&self.message[self.at..self.at + length]);
        self.at += length;
        Ok(bytes)
    }

    fn new_task(&mut self) -> Result<NewTask, DecodeError> {
        let takes_over = match self.word()? {
            0 => false,
            1 => true,
            _ => return Err(self.error("a flag that is neither 0 nor 1")),
        };
        let dependencies = self.word()?;
        let payload = self.bytes()?;
        let dependencies = self.checked(dependencies, 4)?;
        let dependency = |word| if word == OWN { Dependency::Own } else { Dependency::Added(word) };
        let depends_on = (0..dependencies).map(|_| self.word().map(dependency)).collect::<Result<_, _>>()?;
        Ok(NewTask { payload, depends_on, takes_over })
    }

    fn end(&self) -> Result<(), DecodeError> {
        if self.at == self.message.len() { Ok(()) } else { Err(self.error("bytes behind the end")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes() -> impl Strategy<Value = Bytes> {
        proptest::collection::vec(any::<u8>(), 0..60).prop_map(|bytes| Bytes::from(&bytes[..]))
    }

    fn order() -> impl Strategy<Value = GraphOrder> {
        let task = (any::<u64>(), bytes(), proptest::collection::vec(bytes(), 0..4))
            .prop_map(|(number, payload, inputs)| BatchTask { task: TaskNumber(number), payload, inputs });
        let batch = proptest::collection::vec(task, 0..5).prop_map(|tasks| GraphOrder::Batch(Batch { tasks }));
        prop_oneof![Just(GraphOrder::Stop), batch]
    }

    fn report() -> impl Strategy<Value = BatchReport> {
        let dependency = prop_oneof![Just(Dependency::Own), (0..u32::MAX).prop_map(Dependency::Added)];
        let new = (bytes(), proptest::collection::vec(dependency, 0..4), any::<bool>())
            .prop_map(|(payload, depends_on, takes_over)| NewTask { payload, depends_on, takes_over });
        let outcome = prop_oneof![
            any::<u32>().prop_map(TaskOutcome::Failed),
            (bytes(), proptest::collection::vec(new, 0..4))
                .prop_map(|(result, added)| TaskOutcome::Done(TaskOutput { result, added })),
        ];
        let result = (any::<u64>(), outcome, any::<u64>()).prop_map(|(number, outcome, ns)| TaskResult {
            task: TaskNumber(number),
            outcome,
            ns,
        });
        proptest::collection::vec(result, 0..5).prop_map(|results| BatchReport { results })
    }

    proptest! {
        #[test]
        fn prop_messages_and_back(order in order(), report in report(), cut in any::<prop::sample::Index>()) {
            let (mut first, mut second) = (Vec::new(), Vec::new());
            order.encode(&mut first);
            report.encode(&mut second);
            prop_assert_eq!(GraphOrder::decode(&first), Ok(order));
            prop_assert_eq!(BatchReport::decode(&second), Ok(report));
            // nothing can be left out, and nothing can stand behind
            prop_assert!(GraphOrder::decode(&first[..cut.index(first.len())]).is_err());
            prop_assert!(BatchReport::decode(&second[..cut.index(second.len())]).is_err());
            first.push(0);
            second.push(0);
            prop_assert!(GraphOrder::decode(&first).is_err() && BatchReport::decode(&second).is_err());
        }

        #[test]
        fn prop_hostile_bytes_do_no_harm(
            report in report(), order in order(), place in any::<prop::sample::Index>(), word in any::<u32>(),
            noise in proptest::collection::vec(any::<u8>(), 0..200),
        ) {
            let _ = (GraphOrder::decode(&noise), BatchReport::decode(&noise));
            for mut message in [{ let mut m = Vec::new(); report.encode(&mut m); m }, { let mut m = Vec::new(); order.encode(&mut m); m }] {
                let at = place.index(message.len() / 4) * 4;
                message[at..at + 4].copy_from_slice(&word.to_le_bytes());
                let _ = (GraphOrder::decode(&message), BatchReport::decode(&message));
            }
        }
    }

    #[test]
    fn the_layout_is_as_written_above() {
        let task = BatchTask { task: TaskNumber(7), payload: Bytes::from([9]), inputs: vec![Bytes::from([1, 2])] };
        let mut message = Vec::new();
        GraphOrder::Batch(Batch { tasks: vec![task] }).encode(&mut message);
        let expected = [1, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9, 2, 0, 0, 0, 1, 2];
        assert_eq!(message, expected);
        let huge = [1, 0, 0, 0, 255, 255, 255, 255];
        assert_eq!(GraphOrder::decode(&huge), Err(DecodeError { what: "a count passes the message", at: 8 }));
    }
}

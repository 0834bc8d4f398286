//! What a task of HtcMock does.

use super::HtcMock;
use super::tree::Node;
use crate::workload::task::{Bytes, Dependency, NewTask, TaskOutcome, TaskOutput};

/// A compute task or an aggregation of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Gives "1", or adds the tasks of its children and their aggregation.
    Compute(Node),
    /// Adds up the results of the children.
    Aggregation(Node),
}

impl Task {
    /// The first task.
    pub const ROOT: Task = Task::Compute(0);

    /// As the payload of a task of the graph, with `carried` more bytes behind it.
    pub fn payload(self, carried: usize) -> Bytes {
        let word = match self {
            Task::Compute(node) => node << 1,
            Task::Aggregation(node) => node << 1 | 1,
        };
        padded(&word.to_le_bytes(), carried)
    }

    /// From a payload; `None` if it is too short.
    pub fn from_payload(payload: &[u8]) -> Option<Self> {
        let word = u32::from_le_bytes(*payload.first_chunk()?);
        Some(if word & 1 == 0 { Task::Compute(word >> 1) } else { Task::Aggregation(word >> 1) })
    }
}

impl HtcMock {
    /// The code of a task whose payload names no task of the tree.
    pub const UNKNOWN_TASK: u32 = 1;
    /// The code of an aggregation whose inputs are not the results of its node's children.
    pub const WRONG_INPUTS: u32 = 2;

    /// How long a task takes, ms; 0 for a payload that names no task.
    pub fn task_ms(&self, payload: &[u8]) -> u32 {
        let ms = match Task::from_payload(payload) {
            Some(Task::Compute(node)) => self.compute_ms(node),
            Some(Task::Aggregation(node)) => self.aggregation_ms(node),
            None => None,
        };
        ms.unwrap_or(0)
    }

    /// Does a task, in no time; its results and those of the tasks that it adds, and their payloads, are
    /// longer by `carried` bytes.
    pub fn perform(&self, payload: &[u8], inputs: &[Bytes], carried: usize) -> TaskOutcome {
        match Task::from_payload(payload) {
            Some(Task::Compute(node)) => self.compute(node, carried),
            Some(Task::Aggregation(node)) => {
                let children = self.tree.children(node).map_or(0, |children| children.len());
                if children == 0 || children != inputs.len() {
                    return TaskOutcome::Failed(HtcMock::WRONG_INPUTS);
                }
                match aggregate(inputs) {
                    Some(text) => TaskOutcome::result(padded(text.as_bytes(), carried)),
                    None => TaskOutcome::Failed(HtcMock::WRONG_INPUTS),
                }
            }
            None => TaskOutcome::Failed(HtcMock::UNKNOWN_TASK),
        }
    }

    /// Whether a result of the root is the right answer.
    pub fn is_right(&self, result: &[u8]) -> bool {
        text_of(result) == self.answer().as_bytes()
    }

    fn compute(&self, node: Node, carried: usize) -> TaskOutcome {
        let Some(children) = self.tree.children(node) else {
            return TaskOutcome::Failed(HtcMock::UNKNOWN_TASK);
        };
        if children.is_empty() {
            return TaskOutcome::result(padded(b"1", carried));
        }
        let count = children.len();
        let mut added = Vec::with_capacity(count + 1);
        added.extend(
            children.map(|child| NewTask { payload: Task::Compute(child).payload(carried), ..NewTask::default() }),
        );
        added.push(NewTask {
            payload: Task::Aggregation(node).payload(carried),
            depends_on: (0..count as u32).map(Dependency::Added).collect(),
            takes_over: true,
        });
        TaskOutcome::Done(TaskOutput { result: Bytes::EMPTY, added })
    }
}

/// A result as text: what stands before the first zero byte.
pub fn text_of(result: &[u8]) -> &[u8] {
    result.split(|&byte| byte == 0).next().unwrap_or(result)
}

/// "1." and the sums; `None` if an input is no list of numbers joined by points, or a sum passes 64 bits.
fn aggregate(inputs: &[Bytes]) -> Option<String> {
    let mut sums: Vec<u64> = Vec::new();
    for input in inputs {
        for (place, number) in text_of(input.as_slice()).split(|&byte| byte == b'.').enumerate() {
            let number: u64 = std::str::from_utf8(number).ok()?.parse().ok()?;
            match sums.get_mut(place) {
                Some(sum) => *sum = sum.checked_add(number)?,
                None => sums.push(number),
            }
        }
    }
    let mut text = "1".to_owned();
    for sum in sums {
        text.push('.');
        text.push_str(itoa(sum, &mut [0; 20]));
    }
    Some(text)
}

fn itoa(number: u64, digits: &mut [u8; 20]) -> &str {
    let mut start = digits.len();
    let mut rest = number;
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    std::str::from_utf8(&digits[start..]).unwrap_or_default()
}

fn padded(bytes: &[u8], carried: usize) -> Bytes {
    if carried == 0 {
        return Bytes::from(bytes);
    }
    let mut long = bytes.to_vec();
    long.resize(bytes.len() + carried, 0);
    Bytes::from(&long[..])
}

#[cfg(test)]
mod tests {
    use super::super::Parameters;
    use super::*;

    fn mock() -> HtcMock {
        HtcMock::new(&Parameters { tasks: 100, levels: 4, total_ms: 100, data: 1, memory: 1 }).unwrap()
    }

    fn texts(inputs: &[&str]) -> Vec<Bytes> {
        inputs.iter().map(|text| Bytes::from(text.as_bytes())).collect()
    }

    #[test]
    fn val_aggregation_adds_place_by_place() {
        assert_eq!(aggregate(&texts(&["1", "1", "1"])).unwrap(), "1.3");
        assert_eq!(aggregate(&texts(&["1", "1.2.3", "1.10"])).unwrap(), "1.3.12.3");
        for wrong in ["", "1.", ".1", "1.x", "1,2", "-1", "99999999999999999999"] {
            assert_eq!(aggregate(&texts(&[wrong])), None, "{wrong}");
        }
        assert_eq!(aggregate(&texts(&["18446744073709551615", "1"])), None);
    }

    #[test]
    fn payloads_and_back() {
        for task in [Task::ROOT, Task::Compute(77), Task::Aggregation(0), Task::Aggregation(1 << 30)] {
            assert_eq!(Task::from_payload(task.payload(0).as_slice()), Some(task));
            assert_eq!(Task::from_payload(task.payload(100).as_slice()), Some(task));
            assert_eq!(task.payload(100).len(), 104);
        }
        assert_eq!(Task::from_payload(&[1, 2, 3]), None);
    }

    #[test]
    fn the_root_adds_its_children_and_their_aggregation() {
        let mock = mock();
        let TaskOutcome::Done(output) = mock.perform(Task::ROOT.payload(0).as_slice(), &[], 0) else {
            panic!("the root fails");
        };
        assert_eq!(output.added.len(), 42);
        let last = output.added.last().unwrap();
        assert!(last.takes_over && last.depends_on.len() == 41);
        assert!(output.added[..41].iter().all(|task| !task.takes_over && task.depends_on.is_empty()));
    }

    #[test]
    fn what_names_no_task_fails() {
        let mock = mock();
        let perform = |task: Task, inputs: &[&str]| mock.perform(task.payload(0).as_slice(), &texts(inputs), 0);
        assert_eq!(mock.perform(&[], &[], 0), TaskOutcome::Failed(HtcMock::UNKNOWN_TASK));
        assert_eq!(perform(Task::Compute(10_000), &[]), TaskOutcome::Failed(HtcMock::UNKNOWN_TASK));
        assert_eq!(perform(Task::Aggregation(0), &["1"]), TaskOutcome::Failed(HtcMock::WRONG_INPUTS));
        assert_eq!(perform(Task::Aggregation(10_000), &[]), TaskOutcome::Failed(HtcMock::WRONG_INPUTS));
        assert_eq!(mock.task_ms(&[]), 0);
    }
}

//! `task = "payload"`: requests that carry bytes to a worker and bring as many back, each checked.
//!
//! A run is a task graph: the root adds groups, a group adds the requests and a check of what came back. A
//! request's bytes follow from its number; its answer is their complement, so an answer that is lost,
//! doubled, cut or mixed up shows.

use crate::base::outcome::Failure;
use crate::workload::task::{Bytes, Dependency, NewTask, TaskOutcome, TaskOutput};
use crate::workload::{Graph, Graphs};

/// Requests of a group: what one check reads at once.
const GROUP: u64 = 32;
/// The code of a task whose payload or inputs are not what they should be.
const WRONG: u32 = 1;

/// So many requests of so many bytes each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Payloads {
    /// Bytes of each request and of each answer.
    pub(super) bytes: usize,
    /// Requests of a run.
    pub(super) requests: u64,
}

/// What a task is; its payload begins with the kind and a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Root,
    Group,
    Request,
    Check,
    Sum,
}

const KINDS: [Kind; 5] = [Kind::Root, Kind::Group, Kind::Request, Kind::Check, Kind::Sum];

fn payload(kind: Kind, number: u64) -> Vec<u8> {
    let mut payload = vec![kind as u8];
    payload.extend(number.to_le_bytes());
    payload
}

/// Byte `place` of request `number`.
fn byte(number: u64, place: usize) -> u8 {
    (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8 ^ place as u8 ^ (place >> 8) as u8
}

impl Payloads {
    fn group(self, number: u64) -> std::ops::Range<u64> {
        number * GROUP..((number + 1) * GROUP).min(self.requests)
    }

    fn request(self, number: u64) -> NewTask {
        let mut payload = payload(Kind::Request, number);
        payload.extend((0..self.bytes).map(|place| byte(number, place)));
        NewTask { payload: Bytes::from(&payload[..]), ..NewTask::default() }
    }

    /// The tasks of these, and one behind them that reads all their results and takes over.
    fn behind(tasks: impl Iterator<Item = NewTask>, kind: Kind, number: u64) -> TaskOutcome {
        let mut added: Vec<NewTask> = tasks.collect();
        let depends_on = (0..added.len() as u32).map(Dependency::Added).collect();
        let payload = Bytes::from(&payload(kind, number)[..]);
        added.push(NewTask { payload, depends_on, takes_over: true });
        TaskOutcome::Done(TaskOutput { result: Bytes::EMPTY, added })
    }
}

impl Graph for Payloads {
    fn root(&self) -> Bytes {
        Bytes::from(&payload(Kind::Root, 0)[..])
    }

    fn perform(&self, payload: &[u8], inputs: &[Bytes]) -> TaskOutcome {
        let Some((&[kind, ref number @ ..], carried)) = payload.split_first_chunk::<9>() else {
            return TaskOutcome::Failed(WRONG);
        };
        let number = u64::from_le_bytes(*number);
        let count = |right: bool, count: u64| {
            if right { TaskOutcome::result(&count.to_le_bytes()[..]) } else { TaskOutcome::Failed(WRONG) }
        };
        match KINDS.get(usize::from(kind)) {
            Some(Kind::Root) => {
                let group = |number| NewTask {
                    payload: Bytes::from(&self::payload(Kind::Group, number)[..]),
                    ..NewTask::default()
                };
                Self::behind((0..self.requests.div_ceil(GROUP)).map(group), Kind::Sum, 0)
            }
            Some(Kind::Group) => {
                Self::behind(self.group(number).map(|number| self.request(number)), Kind::Check, number)
            }
            Some(Kind::Request) => {
                let answer: Vec<u8> = carried.iter().map(|byte| !byte).collect();
                TaskOutcome::result(&answer[..])
            }
            Some(Kind::Check) => {
                let group = self.group(number);
                let is_right = |(number, answer): (u64, &Bytes)| {
                    let answer = answer.as_slice();
                    answer.len() == self.bytes
                        && answer.iter().enumerate().all(|(place, &answer)| answer == !byte(number, place))
                };
                let requests = group.end - group.start;
                count(inputs.len() as u64 == requests && group.zip(inputs).all(is_right), requests)
            }
            Some(Kind::Sum) => {
                let counts = inputs.iter().map(|input| input.as_slice().try_into().map(u64::from_le_bytes));
                let sum = counts.sum::<Result<u64, _>>();
                count(sum.is_ok(), sum.unwrap_or(0))
            }
            None => TaskOutcome::Failed(WRONG),
        }
    }

    fn outputs(&self, _done: u64, result: Option<&[u8]>) -> Result<Vec<f64>, Failure> {
        let count = result.ok_or(Failure::TaskFailed)?.try_into().map(u64::from_le_bytes);
        if count.is_ok_and(|count| count == self.requests) {
            Ok(vec![self.requests as f64])
        } else {
            Err(Failure::WrongAnswer)
        }
    }
}

impl Graphs for Payloads {
    fn graph(&self, _values: &[f64]) -> Result<Box<dyn Graph>, Failure> {
        Ok(Box::new(*self))
    }

    fn retries(&self) -> u32 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::task::complete;

    #[test]
    fn every_request_comes_back_and_a_wrong_answer_shows() {
        for (bytes, requests) in [(0, 1), (1, 32), (1000, 33), (5, 100)] {
            let payloads = Payloads { bytes, requests };
            let mut done = 0;
            let perform = |payload: &[u8], inputs: &[Bytes]| payloads.perform(payload, inputs);
            let result = complete(&payloads.root(), &[], &perform, &mut done).unwrap();
            assert_eq!(payloads.outputs(done, Some(result.as_slice())), Ok(vec![requests as f64]));
            // root and sum, a group and its check for each 32, and the requests
            assert_eq!(done, 2 + 2 * requests.div_ceil(GROUP) + requests);
            if bytes > 0 {
                let flipped = |payload: &[u8], inputs: &[Bytes]| match payloads.perform(payload, inputs) {
                    TaskOutcome::Done(output) if payload[0] == Kind::Request as u8 && payload[1] == 0 => {
                        let mut bytes = output.result.as_slice().to_vec();
                        bytes[0] ^= 1;
                        TaskOutcome::result(&bytes[..])
                    }
                    other => other,
                };
                assert!(complete(&payloads.root(), &[], &flipped, &mut 0).is_err());
            }
        }
        assert_eq!(Payloads { bytes: 1, requests: 2 }.outputs(9, Some(&[0; 8])), Err(Failure::WrongAnswer));
        assert_eq!(Payloads { bytes: 1, requests: 2 }.outputs(9, None), Err(Failure::TaskFailed));
    }
}

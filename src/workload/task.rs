//! What a task of a graph is given and what it gives back; a workload speaks these words, and the
//! scheduler knows nothing else of a task.

use std::sync::Arc;

/// Bytes up to this many stand in the value itself.
const INLINE: usize = 22;

/// A few bytes that are cheap to copy: short ones stand in the value, long ones are shared.
#[derive(Clone, Debug)]
pub struct Bytes(Repr);

#[derive(Clone, Debug)]
enum Repr {
    Inline(u8, [u8; INLINE]),
    Shared(Arc<[u8]>),
}

impl Bytes {
    /// No bytes.
    pub const EMPTY: Bytes = Bytes(Repr::Inline(0, [0; INLINE]));

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        match &self.0 {
            Repr::Inline(length, bytes) => &bytes[..usize::from(*length)],
            Repr::Shared(bytes) => bytes,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        if bytes.len() > INLINE {
            return Bytes(Repr::Shared(bytes.into()));
        }
        let mut inline = [0; INLINE];
        inline[..bytes.len()].copy_from_slice(bytes);
        Bytes(Repr::Inline(bytes.len() as u8, inline))
    }
}

impl<const N: usize> From<[u8; N]> for Bytes {
    fn from(bytes: [u8; N]) -> Self {
        Bytes::from(&bytes[..])
    }
}

impl Default for Bytes {
    fn default() -> Self {
        Bytes::EMPTY
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Bytes {}

/// Whose output a task that is added now reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependency {
    /// That of the task which adds it; not if another task takes that output over.
    Own,
    /// That of an earlier one of the tasks added with it, by its place among them.
    Added(u32),
}

/// A task that another one adds when it is done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewTask {
    /// What the workload needs to know of it.
    pub payload: Bytes,
    /// Whose outputs it reads, in this order; it is ready when they are there.
    pub depends_on: Vec<Dependency>,
    /// Whether its output is that of the task which adds it; at most one of them.
    pub takes_over: bool,
}

/// What a task that did its work leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskOutput {
    /// Its result for the tasks that read it; not used if an added task takes over.
    pub result: Bytes,
    /// The tasks that it adds.
    pub added: Vec<NewTask>,
}

/// How one try of a task ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskOutcome {
    /// It did its work.
    Done(TaskOutput),
    /// It failed, with a code of the workload.
    Failed(u32),
}

impl TaskOutcome {
    /// The code of a task that panicked.
    pub const PANICKED: u32 = u32::MAX;
    /// The code of a task whose result is longer than the graph takes.
    pub const TOO_LARGE: u32 = u32::MAX - 1;

    /// Done with this result and no more tasks.
    pub fn result(result: impl Into<Bytes>) -> Self {
        TaskOutcome::Done(TaskOutput { result: result.into(), added: Vec::new() })
    }
}

/// Does a task and all that it adds, one after the other, on this thread; its output in the end.
///
/// A task that is added reads outputs of earlier ones only, so their order is an order of work.
///
/// # Errors
/// The code of the first task that fails.
pub fn complete(
    payload: &Bytes,
    inputs: &[Bytes],
    perform: &impl Fn(&[u8], &[Bytes]) -> TaskOutcome,
    done: &mut u64,
) -> Result<Bytes, u32> {
    let output = match perform(payload.as_slice(), inputs) {
        TaskOutcome::Done(output) => output,
        TaskOutcome::Failed(code) => return Err(code),
    };
    *done += 1;
    let mut results: Vec<Bytes> = Vec::with_capacity(output.added.len());
    let mut own = output.result.clone();
    for new in &output.added {
        let input = |dependency: &Dependency| match dependency {
            Dependency::Own => output.result.clone(),
            Dependency::Added(place) => results[*place as usize].clone(),
        };
        let inputs: Vec<Bytes> = new.depends_on.iter().map(input).collect();
        let result = complete(&new.payload, &inputs, perform, done)?;
        if new.takes_over {
            own = result.clone();
        }
        results.push(result);
    }
    Ok(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_bytes_are_the_same_to_read() {
        for length in [0, 1, INLINE, INLINE + 1, 1000] {
            let bytes: Vec<u8> = (0..length).map(|i| i as u8).collect();
            let value = Bytes::from(&bytes[..]);
            assert_eq!((value.as_slice(), value.len(), value.is_empty()), (&bytes[..], length, length == 0));
            assert_eq!(value.clone(), value);
        }
        assert_eq!(size_of::<Bytes>(), 24);
    }
}

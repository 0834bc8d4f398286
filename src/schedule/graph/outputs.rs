//! The outputs that tasks wait for or have still to read.

use crate::workload::task::Bytes;

use super::batch::TaskNumber;

/// The place of an output; free places are used again.
pub(super) type OutputId = u32;

#[derive(Debug)]
enum State {
    Free,
    Pending,
    Ready(Bytes),
    Failed,
}

#[derive(Debug)]
struct Output {
    state: State,
    /// Tasks that wait for it.
    waiting: Vec<TaskNumber>,
    /// Tasks that have still to read it, and one more if the caller wants it.
    readers: u32,
}

/// Outputs by place.
#[derive(Debug, Default)]
pub(super) struct Outputs {
    places: Vec<Output>,
    free: Vec<OutputId>,
    /// Bytes of the results that wait for readers.
    pub(super) bytes: u64,
}

impl Outputs {
    /// A new one that nobody reads yet.
    pub(super) fn open(&mut self) -> OutputId {
        if let Some(id) = self.free.pop() {
            self.places[id as usize].state = State::Pending;
            return id;
        }
        self.places.push(Output { state: State::Pending, waiting: Vec::new(), readers: 0 });
        self.places.len() as OutputId - 1
    }

    /// A task reads it, once it is there.
    pub(super) fn read_by(&mut self, id: OutputId, task: TaskNumber) {
        let output = &mut self.places[id as usize];
        output.readers += 1;
        output.waiting.push(task);
    }

    /// The caller wants it.
    pub(super) fn keep(&mut self, id: OutputId) {
        self.places[id as usize].readers += 1;
    }

    /// It is there: who waits for it now has it. Each of them must be read or released.
    pub(super) fn complete(&mut self, id: OutputId, result: Bytes) -> Vec<TaskNumber> {
        let output = &mut self.places[id as usize];
        self.bytes += result.len() as u64;
        output.state = State::Ready(result);
        let waiting = std::mem::take(&mut output.waiting);
        if output.readers == 0 {
            self.close(id);
        }
        waiting
    }

    /// It will never be there: who waits for it never runs.
    pub(super) fn fail(&mut self, id: OutputId) -> Vec<TaskNumber> {
        let output = &mut self.places[id as usize];
        output.state = State::Failed;
        let waiting = std::mem::take(&mut output.waiting);
        output.readers -= waiting.len() as u32;
        if output.readers == 0 {
            self.close(id);
        }
        waiting
    }

    /// A copy of a result that is there.
    pub(super) fn get(&self, id: OutputId) -> Option<&Bytes> {
        match &self.places[id as usize].state {
            State::Ready(result) => Some(result),
            _ => None,
        }
    }

    /// One reader of a result that is there, or the caller, has done with it.
    pub(super) fn release(&mut self, id: OutputId) {
        let output = &mut self.places[id as usize];
        output.readers -= 1;
        if output.readers == 0 {
            self.close(id);
        }
    }

    /// How many are in use.
    pub(super) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    fn close(&mut self, id: OutputId) {
        if let State::Ready(result) = std::mem::replace(&mut self.places[id as usize].state, State::Free) {
            self.bytes -= result.len() as u64;
        }
        self.free.push(id);
    }
}

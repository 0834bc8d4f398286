//! HtcMock: tasks with deep dependencies and a known answer, the benchmark of ArmoniK.
//!
//! Every rank makes the same [`HtcMock`] from the same [`Parameters`]; a task is then a node of the tree
//! and its kind, five bytes at most.
//!
//! ```text
//! durations   10 000 samples from a generator seeded by the parameters; its next number is the seed
//! tree        a walk over the bits of a fresh generator of that seed
//! compute     a leaf gives "1"; a node with c children adds c compute tasks and one aggregation, which
//!             reads the c results and whose output is the node's
//! aggregation "1." before the sums of its inputs, place by place
//! answer      "1." and the number of nodes at depth 1, 2, ... joined by points
//! ```

pub mod durations;
pub mod random;
pub mod tasks;
pub mod tree;
pub mod workload;

use std::ops::Range;

use durations::Durations;
use random::Random;
use tree::{IdChecksum, Node, Tree};

/// Samples in the table of durations.
const SAMPLES: usize = 10_000;
/// The most compute tasks.
const TASKS_MAX: u32 = 1 << 30;

/// What a user sets; names as in ArmoniK in brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// About how many compute tasks below the root [NTasks].
    pub tasks: u32,
    /// The most levels below the root [SubTasksLevels].
    pub levels: u32,
    /// What all durations add up to, about, ms [TotalCalculationTime].
    pub total_ms: u64,
    /// Enters the seed [DataSize].
    pub data: u32,
    /// Enters the seed [MemorySize].
    pub memory: u32,
}

/// Parameters that make no workload.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterProblem {
    /// Too many tasks.
    #[error("{0} tasks are too many: at most 1073741824 can be numbered")]
    Tasks(u32),
    /// The mean duration leaves no room between the least and the greatest one.
    #[error("{total_ms} ms for {tasks} tasks: the mean duration must be between 1/30 ms and 19 hours")]
    Duration {
        /// The total time, ms.
        total_ms: u64,
        /// For so many tasks.
        tasks: u32,
    },
}

/// Work and depth of a workload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Compute tasks, the root with them.
    pub compute: u64,
    /// Aggregation tasks.
    pub aggregation: u64,
    /// Compute tasks without children.
    pub leaves: u64,
    /// Tasks on the longest chain of dependencies.
    pub critical_tasks: u64,
    /// Durations of all tasks, ms.
    pub work_ms: u64,
    /// Durations along the chain for which they are longest, ms.
    pub critical_ms: u64,
}

/// The workload that some parameters make.
#[derive(Clone, Debug)]
pub struct HtcMock {
    first_seed: i32,
    seed: i32,
    /// ms
    samples: Vec<i32>,
    tree: Tree,
}

impl HtcMock {
    /// Draws the durations and grows the tree.
    pub fn new(parameters: &Parameters) -> Result<Self, ParameterProblem> {
        let &Parameters { tasks, levels, total_ms, .. } = parameters;
        if tasks > TASKS_MAX {
            return Err(ParameterProblem::Tasks(tasks));
        }
        let average = total_ms as f64 / (f64::from(tasks) + 1.0);
        if 30.0 * average < 1.0 || 30.0 * average >= f64::from(i32::MAX) {
            return Err(ParameterProblem::Duration { total_ms, tasks });
        }
        let (min, max) = ((average / 3.0) as i32, (30.0 * average) as i32);
        let first_seed = first_seed(parameters, min, max);
        let mut random = Random::new(first_seed);
        let durations = Durations::new(min, average, max);
        let samples = (0..SAMPLES).map(|_| durations.sample(&mut random)).collect();
        let seed = random.next_int();
        Ok(HtcMock { first_seed, seed, samples, tree: Tree::grow(seed, tasks, levels) })
    }

    /// The seed that the parameters make.
    pub fn first_seed(&self) -> i32 {
        self.first_seed
    }

    /// The seed of the tree.
    pub fn seed(&self) -> i32 {
        self.seed
    }

    /// The tree of compute tasks.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The right answer.
    pub fn answer(&self) -> String {
        let mut answer = "1".to_owned();
        for nodes in self.tree.shape() {
            answer.push('.');
            answer.push_str(&nodes.to_string());
        }
        answer
    }

    /// How long a compute task takes, ms.
    pub fn compute_ms(&self, node: Node) -> Option<u32> {
        self.tree.checksum(node).map(|checksum| self.sample(checksum))
    }

    /// How long the aggregation of a node takes, ms; its id is that of one more child.
    pub fn aggregation_ms(&self, node: Node) -> Option<u32> {
        let children = self.tree.children(node)?.len() as u32;
        self.tree.checksum(node).map(|checksum| self.sample(checksum.child(children)))
    }

    fn sample(&self, checksum: IdChecksum) -> u32 {
        self.samples[checksum.value() as usize % SAMPLES].unsigned_abs()
    }

    /// Counts, work and critical path.
    pub fn figures(&self) -> Figures {
        let tree = &self.tree;
        let mut figures = Figures { compute: u64::from(tree.len()), ..Figures::default() };
        // tasks and ms of the longest chain from a node to its output; children have higher numbers
        let mut chains = vec![(0_u64, 0_u64); tree.len() as usize];
        for node in (0..tree.len()).rev() {
            let children: Range<Node> = tree.children(node).unwrap_or_default();
            let mut ms = u64::from(self.compute_ms(node).unwrap_or(0));
            figures.work_ms += ms;
            let mut tasks = 1;
            if children.is_empty() {
                figures.leaves += 1;
            } else {
                figures.aggregation += 1;
                let below = &chains[children.start as usize..children.end as usize];
                tasks += 1 + below.iter().map(|chain| chain.0).max().unwrap_or(0);
                let last = u64::from(self.aggregation_ms(node).unwrap_or(0));
                figures.work_ms += last;
                ms += last + below.iter().map(|chain| chain.1).max().unwrap_or(0);
            }
            chains[node as usize] = (tasks, ms);
        }
        (figures.critical_tasks, figures.critical_ms) = chains[0];
        figures
    }
}

/// `int32(10^4 T) + 2N + 3D + 4M + 5L + 6 min + 7 max + 8*10000`, wrapping as 32-bit integers do.
fn first_seed(parameters: &Parameters, min: i32, max: i32) -> i32 {
    let ticks = parameters.total_ms.wrapping_mul(10_000) as i32;
    let terms = [
        (2, parameters.tasks as i32),
        (3, parameters.data as i32),
        (4, parameters.memory as i32),
        (5, parameters.levels as i32),
        (6, min),
        (7, max),
        (8, SAMPLES as i32),
    ];
    terms.iter().fold(ticks, |sum, &(factor, value)| sum.wrapping_add(value.wrapping_mul(factor)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mock(tasks: u32, total_ms: u64, levels: u32) -> HtcMock {
        HtcMock::new(&Parameters { tasks, levels, total_ms, data: 1, memory: 1 }).unwrap()
    }

    #[test]
    fn val_the_full_size() {
        let mock = mock(10_000, 10_000, 100);
        assert_eq!((mock.first_seed(), mock.seed()), (100_100_710, 316_582_249));
        let figures = mock.figures();
        assert_eq!((figures.compute, figures.aggregation, figures.leaves), (10_002, 4971, 5031));
        assert_eq!(figures.critical_tasks, 201);
        assert_eq!(mock.tree().children(0), Some(1..106));
        assert!(mock.answer().starts_with("1.105.106.113.141.143.103.95.103.101.93.95.88."));
        assert_eq!(mock.tree().shape().len(), 100);
    }

    #[test]
    fn val_the_small_ones() {
        let warm_up = mock(300, 10_000, 4);
        assert_eq!(warm_up.seed(), 553_304_899);
        for (mock, tasks, answer) in [
            (warm_up, 421, "1.65.75.79.81"),
            (mock(100, 100, 4), 139, "1.41.21.22.16"),
            (mock(100, 100, 1), 102, "1.100"),
        ] {
            let figures = mock.figures();
            assert_eq!((figures.compute + figures.aggregation, mock.answer().as_str()), (tasks, answer));
        }
    }

    #[test]
    fn prop_work_is_about_what_was_asked_for() {
        let mock = mock(300, 30_000, 4);
        let figures = mock.figures();
        let tasks = (figures.compute + figures.aggregation) as f64;
        // the samples' mean is 99.5 ms with a deviation of about 60 ms
        assert!((figures.work_ms as f64 / tasks - 99.2).abs() < 5.0 * 100.0 / tasks.sqrt());
        assert!(figures.critical_ms < figures.work_ms && figures.critical_ms > 0);
    }

    #[test]
    fn parameters_without_a_workload_are_refused() {
        let parameters = |tasks, total_ms| Parameters { tasks, levels: 3, total_ms, data: 1, memory: 1 };
        assert_eq!(HtcMock::new(&parameters(u32::MAX, 1000)).err(), Some(ParameterProblem::Tasks(u32::MAX)));
        let short = ParameterProblem::Duration { total_ms: 3, tasks: 100 };
        assert_eq!(HtcMock::new(&parameters(100, 3)).err(), Some(short));
        assert!(HtcMock::new(&parameters(100, u64::MAX)).is_err());
        assert_eq!(HtcMock::new(&parameters(0, 1000)).unwrap().answer(), "1");
    }
}

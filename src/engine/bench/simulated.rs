//! The bench on simulated cores: how the search scales, on any machine and repeatable to the node.

use std::fmt;

use super::tasks::{Task, tasks};
use super::{BenchLine, search};
use crate::eval::Evaluator;
use crate::rules::Position;
use crate::score::Question;
use crate::search::{Control, CoreUse, Goal, Limits, SearchOptions, Searcher, TableError};

/// Memory of the table in megabytes: that of a search by default.
const HASH_MB: usize = 256;

/// Plies of a midgame search of a position that is not the bench's own.
const DEPTH: u32 = 20;

/// What is searched on simulated cores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Simulated {
    /// The midgame, to so many plies; by default those of the bench's own searches, or 20.
    Midgame(Option<u32>),
    /// Solves; of the bench's own those with this question alone, if there is one.
    Solves(Option<Question>),
}

impl Simulated {
    /// The searches of these positions.
    pub fn of(self, positions: impl Iterator<Item = Position>) -> Vec<Task> {
        let limits = match self {
            Simulated::Midgame(depth) => Limits {
                depth: Some(depth.unwrap_or(DEPTH)),
                ..Limits::default()
            },
            Simulated::Solves(question) => Limits {
                goal: Goal::Solve(question.unwrap_or(Question::Exact)),
                ..Limits::default()
            },
        };
        positions
            .map(|position| (position, limits.clone()))
            .collect()
    }

    /// The bench's own searches of this kind.
    pub fn of_bench(self) -> Vec<Task> {
        let chosen = |(position, limits): Task| {
            let is_midgame = limits.depth.is_some();
            match self {
                Simulated::Midgame(depth) => is_midgame.then(|| {
                    let depth = depth.or(limits.depth);
                    (position, Limits { depth, ..limits })
                }),
                Simulated::Solves(question) => {
                    let is_asked = question.is_none_or(|asked| limits.goal == Goal::Solve(asked));
                    (!is_midgame && is_asked).then_some((position, limits))
                }
            }
        };
        tasks().filter_map(chosen).collect()
    }
}

/// A search on one simulated core, and the same on all of them.
#[derive(Clone, PartialEq, Debug)]
pub struct SimulatedLine {
    line: BenchLine,
    total: SimulatedTotal,
}

/// `bench 7 play depth 14 best d3 score +2.00 speed-up 5.31, nodes 126240`.
impl fmt::Display for SimulatedLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.line.fmt_result(f)?;
        write!(f, " {}", self.total)
    }
}

/// Searches on one simulated core, and the same on all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SimulatedTotal {
    /// Nodes of one core, which are its time as well.
    pub alone: u64,
    /// Nodes of all cores.
    pub nodes: u64,
    /// What all cores did.
    pub cores: CoreUse,
}

impl SimulatedTotal {
    fn add(&mut self, other: &SimulatedTotal) {
        self.alone += other.alone;
        self.nodes += other.nodes;
        self.cores += other.cores;
    }
}

/// `speed-up 5.50, nodes 24056070`.
impl fmt::Display for SimulatedTotal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let speed_up = self.alone as f64 / self.cores.time.max(1) as f64;
        write!(f, "speed-up {speed_up:.2}, nodes {}", self.nodes)
    }
}

/// Does each task on one simulated core, then on `threads` of them, as if each were the first; `report` sees
/// each result. `Ok(None)` if `control` stopped it, or not all threads can be started.
///
/// # Errors
/// If there is no memory for the tables.
pub fn run_simulated(
    tasks: &[Task],
    threads: usize,
    control: &Control,
    report: &mut dyn FnMut(&SimulatedLine),
) -> Result<Option<SimulatedTotal>, TableError> {
    let searcher = |threads| {
        let hash_mb = HASH_MB;
        Searcher::simulating(Evaluator::embedded(), SearchOptions { threads, hash_mb })
    };
    let (mut one, mut all) = (searcher(1)?, searcher(threads)?);
    let mut total = SimulatedTotal::default();
    if all.fewer_threads().is_some() {
        return Ok(None);
    }
    for (number, task) in (1..).zip(tasks) {
        let alone = search(&mut one, number, task, control);
        let line = search(&mut all, number, task, control);
        let Some((alone, line)) = alone.zip(line) else {
            return Ok(None);
        };
        let mut result = SimulatedTotal {
            alone: alone.nodes,
            nodes: line.nodes,
            cores: all.take_core_use().unwrap_or_default(),
        };
        if result.cores.time == 0 {
            // Few empties are solved by one thread.
            result.cores.time = line.nodes;
        }
        total.add(&result);
        report(&SimulatedLine {
            line,
            total: result,
        });
    }
    Ok(Some(total))
}

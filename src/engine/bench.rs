//! Fixed searches whose node count is the signature of the search's behaviour.

use std::fmt;
use std::time::Duration;

use crate::eval::Evaluator;
use crate::rules::Position;
use crate::search::{Control, Goal, Limits, SearchOptions, Searcher, TableError};

/// One search of the bench: the position, the goal, and the depth in plies
/// (`None`: to the end).
struct Task {
    position: &'static str,
    goal: Goal,
    depth: Option<u32>,
}

/// One thread, so that the node count is always the same.
const OPTIONS: SearchOptions = SearchOptions {
    threads: 1,
    hash_mb: 64,
};

/// The searches, in order.
const TASKS: [Task; 1] = [Task {
    position: "---------------------------OX------XO--------------------------- X",
    goal: Goal::Play,
    depth: Some(5),
}];

/// How one search of the bench went.
#[derive(Clone, Debug)]
pub struct Line {
    number: usize,
    goal: Goal,
    nodes: u64,
    time: Duration,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "position {} {:?} nodes {} time {:.3}",
            self.number,
            self.goal,
            self.nodes,
            self.time.as_secs_f64()
        )
    }
}

/// All searches of the bench together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Total {
    /// Nodes visited: the signature.
    pub nodes: u64,
    /// Time of the searches alone.
    pub time: Duration,
}

/// `signature N, M nodes/s`.
impl fmt::Display for Total {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let speed = self.nodes as f64 / self.time.as_secs_f64().max(1e-9);
        write!(f, "signature {}, {speed:.0} nodes/s", self.nodes)
    }
}

/// Searches every task with one thread and a fresh table; `report` sees each result.
/// `None` if `control` stopped it.
///
/// # Errors
/// If the table's memory cannot be had.
pub fn run(control: &Control, report: &mut dyn FnMut(&Line)) -> Result<Option<Total>, TableError> {
    let mut searcher = Searcher::new(Evaluator::embedded(), OPTIONS)?;
    let mut total = Total {
        nodes: 0,
        time: Duration::ZERO,
    };
    for (number, task) in (1..).zip(&TASKS) {
        let position: Position = task.position.parse().expect("the bench's own positions");
        let limits = Limits {
            goal: task.goal,
            depth: task.depth,
            ..Limits::default()
        };
        searcher.forget();
        let outcome = searcher.search(position.board, &limits, control, &mut |_| {});
        if control.is_stopped() {
            return Ok(None);
        }
        total.nodes += outcome.nodes;
        total.time += outcome.time;
        report(&Line {
            number,
            goal: task.goal,
            nodes: outcome.nodes,
            time: outcome.time,
        });
    }
    Ok(Some(total))
}

//! Fixed searches whose node count is the signature of the search's behaviour.
//!
//! The signature is the same in every run and every build: a change that must not
//! alter the search keeps it, and one that does alter it says so.

mod simulated;
mod tasks;

use std::fmt;
use std::time::Duration;

use crate::eval::Evaluator;
use crate::rules::Move;
use crate::score::Score;
use crate::search::{Control, Goal, SearchOptions, Searcher, TableError};
pub use simulated::{Simulated, SimulatedLine, SimulatedTotal, run_simulated};
pub use tasks::Task;
use tasks::tasks;

/// One thread, so that the node count is always the same.
const OPTIONS: SearchOptions = SearchOptions {
    threads: 1,
    hash_mb: 64,
};

/// The result of one search of the bench.
#[derive(Clone, PartialEq, Debug)]
pub struct BenchLine {
    number: usize,
    goal: Goal,
    depth: u32,
    best: Option<Move>,
    score: Score,
    nodes: u64,
    time: Duration,
}

/// `bench 7 play depth 14 best d3 score +2.00 nodes 126240 time 17`: the score in discs for
/// the side to move, the time in milliseconds.
impl fmt::Display for BenchLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_result(f)?;
        let milliseconds = self.time.as_millis();
        write!(f, " nodes {} time {milliseconds}", self.nodes)
    }
}

impl BenchLine {
    /// All but nodes and time.
    fn fmt_result(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let goal = match self.goal {
            Goal::Play => "play",
            Goal::EXACT => "exact",
            Goal::WLD => "wld",
            Goal::Solve(_) => "claim",
        };
        write!(f, "bench {} {goal} depth {}", self.number, self.depth)?;
        if let Some(best) = self.best {
            write!(f, " best {best}")?;
        }
        write!(f, " score {}", self.score)
    }
}

/// All searches of the bench together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BenchTotal {
    /// Nodes visited: the signature.
    pub nodes: u64,
    /// Time of the searches alone.
    pub time: Duration,
}

/// `signature N, M nodes/s`.
impl fmt::Display for BenchTotal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let speed = self.nodes as f64 / self.time.as_secs_f64().max(1e-9);
        write!(f, "signature {}, {speed:.0} nodes/s", self.nodes)
    }
}

/// The searcher of the bench, which may count what it does.
///
/// # Errors
/// If there is no memory for the table.
pub fn searcher(counts: bool) -> Result<Searcher, TableError> {
    let new = if counts {
        Searcher::counting
    } else {
        Searcher::new
    };
    new(Evaluator::embedded(), OPTIONS)
}

/// Searches every task with one thread, as if each were the first; `report` sees each
/// result. `None` if `control` stopped it.
pub fn run(
    searcher: &mut Searcher,
    control: &Control,
    report: &mut dyn FnMut(&BenchLine),
) -> Option<BenchTotal> {
    run_tasks(tasks(), searcher, control, report)
}

fn run_tasks(
    tasks: impl Iterator<Item = Task>,
    searcher: &mut Searcher,
    control: &Control,
    report: &mut dyn FnMut(&BenchLine),
) -> Option<BenchTotal> {
    let mut total = BenchTotal::default();
    for (number, task) in (1..).zip(tasks) {
        let line = search(searcher, number, &task, control)?;
        total.nodes += line.nodes;
        total.time += line.time;
        report(&line);
    }
    Some(total)
}

/// Does one task; `None` if `control` stopped it.
fn search(
    searcher: &mut Searcher,
    number: usize,
    (position, limits): &Task,
    control: &Control,
) -> Option<BenchLine> {
    searcher.forget();
    let outcome = searcher.search(position.board, limits, control, &mut |_| {});
    if control.is_stopped() {
        return None;
    }
    let last = outcome.lines.first();
    Some(BenchLine {
        number,
        goal: limits.goal,
        depth: last.map_or(0, |line| line.depth),
        best: outcome.best,
        score: last.map_or(Score::DRAW, |line| line.score),
        nodes: outcome.nodes,
        time: outcome.time,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A few quick tasks of each kind.
    fn quick_tasks() -> Vec<Task> {
        let (mut play, solve): (Vec<Task>, Vec<Task>) =
            tasks().partition(|(_, limits)| limits.depth.is_some());
        play.iter_mut().for_each(|task| task.1.depth = Some(6));
        let few_empties = |task: &Task| task.0.board.empty_count() <= 16;
        play.extend(solve.into_iter().filter(few_empties));
        play
    }

    #[test]
    fn every_task_is_a_position_with_moves_and_no_two_are_equal() {
        let mut seen = std::collections::HashSet::new();
        for (position, _) in tasks() {
            assert!(!position.board.legal_moves().is_empty(), "{position}");
            assert!(seen.insert(position.board.canonical()), "{position}");
        }
    }

    #[test]
    fn two_runs_have_one_signature() {
        let tasks = quick_tasks();
        let run = |searcher: Result<Searcher, TableError>| {
            let mut searcher = searcher.expect("memory");
            let mut lines = Vec::new();
            let mut report = |line: &BenchLine| {
                lines.push(BenchLine {
                    time: Duration::ZERO,
                    ..line.clone()
                });
            };
            let total = run_tasks(
                tasks.clone().into_iter(),
                &mut searcher,
                &Control::new(),
                &mut report,
            );
            let nodes = total.expect("it is not stopped").nodes;
            if let Some(counts) = searcher.take_counts() {
                assert_eq!(counts.nodes(), nodes);
            }
            (nodes, lines)
        };
        let (signature, lines) = run(searcher(false));
        assert_eq!(run(searcher(false)), (signature, lines.clone()));
        // Counters do not change it.
        assert_eq!(run(searcher(true)), (signature, lines.clone()));
        assert_eq!(lines.len(), tasks.len());
        assert_eq!(signature, lines.iter().map(|line| line.nodes).sum::<u64>());
    }

    #[test]
    fn a_stopped_bench_has_no_total() {
        let control = Control::new();
        let mut searcher = searcher(false).expect("memory");
        let total = run_tasks(tasks(), &mut searcher, &control, &mut |_| control.stop());
        assert_eq!(total, None);
        let again = run(&mut searcher, &control, &mut |_| panic!("already stopped"));
        assert_eq!(again, None);
    }

    #[test]
    fn the_total_prints_signature_and_speed() {
        let total = BenchTotal {
            nodes: 4_183_220,
            time: Duration::from_millis(2_000),
        };
        assert_eq!(total.to_string(), "signature 4183220, 2091610 nodes/s");
    }
}

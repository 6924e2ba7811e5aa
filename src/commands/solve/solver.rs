//! Solving one line: with the search, or with the reference solver.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use super::answer::{Answer, Fault, Solved};
use super::check;
use super::input::Task;
use super::{Job, Mode};
use crate::eval::Evaluator;
use crate::oracle::reference;
use crate::rules::{Board, Move};
use crate::search::{
    Control, GameValue, Goal, Info, Limits, Proof, SearchOptions, Searcher, TableError,
};

/// Solves positions one after the other.
pub(super) struct Solver {
    job: Job,
    evaluator: Arc<Evaluator>,
    searcher: Searcher,
}

/// What is found out about a board, in discs for its side to move.
struct Finding {
    value: GameValue,
    score: Option<i32>,
    /// What is known of the score: at least this for a winner, at most this for a loser.
    bound: i32,
    best: Option<Move>,
    pv: Vec<Move>,
    moves: Vec<(Move, i32)>,
    nodes: u64,
}

impl Solver {
    /// A solver that does `job` with a searcher of its own.
    ///
    /// # Errors
    /// If the searcher's table cannot be allocated.
    pub(super) fn new(
        job: Job,
        evaluator: &Arc<Evaluator>,
        options: SearchOptions,
    ) -> Result<Solver, TableError> {
        Ok(Solver {
            job,
            evaluator: Arc::clone(evaluator),
            searcher: Searcher::new(Arc::clone(evaluator), options)?,
        })
    }

    /// Solves a line. A fault inside the solver becomes the line's answer, and the next
    /// line gets a fresh searcher.
    pub(super) fn answer(&mut self, task: &Task) -> Answer {
        let start = Instant::now();
        let position = task.problem.position;
        let found = catch(|| self.find(position.board)).inspect_err(|_| self.renew());
        let finding = match found {
            Ok(finding) => finding,
            Err(reason) => return Answer::fault(task.line, Fault::Internal { position, reason }),
        };
        let mut solved = Solved {
            position,
            mode: self.job.mode,
            value: finding.value,
            score: finding.score,
            bound: self.job.score_bound.then_some(finding.bound),
            best: finding.best,
            pv: finding.pv,
            moves: self.job.all_moves.then_some(finding.moves),
            nodes: finding.nodes,
            time: start.elapsed(),
            verdict: None,
        };
        if self.job.check {
            solved.verdict = Some(check::compare(&task.problem, &solved));
        }
        Answer::solved(task.line, solved)
    }

    fn find(&mut self, board: Board) -> Result<Finding, String> {
        if board.is_over() {
            return Ok(ended(board, self.job.mode));
        }
        if self.job.reference {
            return Ok(by_reference(board, self.job));
        }
        self.by_search(board)
    }

    fn by_search(&mut self, board: Board) -> Result<Finding, String> {
        let limits = Limits {
            goal: match self.job.mode {
                Mode::Exact => Goal::Exact,
                Mode::Wld => Goal::Wld,
            },
            multipv: if self.job.all_moves { 64 } else { 1 },
            ..Limits::default()
        };
        // Node counts must not depend on what was solved before.
        self.searcher.forget();
        let outcome = self
            .searcher
            .search(board, &limits, &Control::new(), &mut |_| {});
        let line = outcome.lines.first().ok_or("the search found no line")?;
        let (value, score) = match line.proof {
            Proof::Exact(discs) => (GameValue::of_discs(discs), Some(discs)),
            Proof::Wld(value) => (value, None),
            Proof::None => return Err("the search proved nothing".to_owned()),
        };
        Ok(Finding {
            value,
            score: score.filter(|_| self.job.mode == Mode::Exact),
            bound: line.score.discs(),
            best: outcome.best,
            pv: line.pv.clone(),
            moves: outcome.lines.iter().filter_map(scored_move).collect(),
            nodes: outcome.nodes,
        })
    }

    /// Replaces a searcher that may have been left in disorder.
    fn renew(&mut self) {
        let options = self.searcher.options();
        match Searcher::new(Arc::clone(&self.evaluator), options) {
            Ok(fresh) => self.searcher = fresh,
            Err(error) => log::error!("{error}; going on with the old one"),
        }
    }
}

/// The first move of a line and its exact score.
fn scored_move(line: &Info) -> Option<(Move, i32)> {
    match line.proof {
        Proof::Exact(discs) => Some((*line.pv.first()?, discs)),
        _ => None,
    }
}

/// The result of a finished game.
fn ended(board: Board, mode: Mode) -> Finding {
    let score = board.final_score();
    Finding {
        value: GameValue::of_discs(score),
        score: (mode == Mode::Exact).then_some(score),
        bound: score,
        best: None,
        pv: Vec::new(),
        moves: Vec::new(),
        nodes: 0,
    }
}

fn by_reference(board: Board, job: Job) -> Finding {
    let solution = match job.mode {
        Mode::Exact => reference::solve(board),
        Mode::Wld => reference::solve_window(board, -1, 1),
    };
    Finding {
        value: GameValue::of_discs(solution.score),
        score: (job.mode == Mode::Exact).then_some(solution.score),
        bound: solution.score,
        best: solution.pv.first().copied(),
        pv: solution.pv,
        moves: if job.all_moves {
            reference::score_moves(board)
        } else {
            Vec::new()
        },
        nodes: solution.nodes,
    }
}

/// Runs `solve`, and turns a panic into its message.
fn catch<T>(solve: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    // The searcher may be left in disorder by a panic: the caller replaces it.
    let caught = catch_unwind(AssertUnwindSafe(solve));
    caught.unwrap_or_else(|panic| Err(message_of(panic.as_ref())))
}

/// What a panic said.
fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_message() {
        let caught: Result<(), String> = catch(|| panic!("no such square: {}", 65));
        assert_eq!(caught, Err("no such square: 65".to_owned()));
        assert_eq!(catch(|| Ok(1)), Ok(1));
    }
}

//! Solving one line: with the search, or with the reference solver.

use std::sync::Arc;
use std::time::Instant;

use super::answer::{Answer, Fault, Solved};
use super::check;
use super::input::Task;
use super::{Job, Mode};
use crate::eval::Evaluator;
use crate::rules::{Board, Move};
use crate::search::{
    Control, GameValue, Goal, Info, Limits, Proof, SearchOptions, Searcher, TableError,
};
use crate::training::reference;

/// Solves positions one after the other.
pub(super) struct Solver {
    job: Job,
    options: SearchOptions,
    /// Has one thread until there is something to solve.
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
            options,
            searcher: Searcher::new(
                Arc::clone(evaluator),
                SearchOptions {
                    threads: 1,
                    ..options
                },
            )?,
        })
    }

    /// Solves a line. A fault inside the solver becomes the line's answer.
    pub(super) fn answer(&mut self, task: &Task) -> Answer {
        let start = Instant::now();
        let position = task.problem.position;
        let job = self.job;
        let find = |searcher: &mut Searcher| find(searcher, job, position.board);
        let found = match self.start_threads() {
            Ok(()) => self.searcher.guarded(find).flatten(),
            Err(error) => Err(error.to_string()),
        };
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

    /// Only now: most of the searchers for many threads are never used.
    fn start_threads(&mut self) -> Result<(), TableError> {
        if self.searcher.options() == self.options {
            return Ok(());
        }
        self.searcher.set_options(self.options)
    }
}

fn find(searcher: &mut Searcher, job: Job, board: Board) -> Result<Finding, String> {
    if board.is_over() {
        return Ok(ended(board, job.mode));
    }
    if job.reference {
        return Ok(by_reference(board, job));
    }
    by_search(searcher, job, board)
}

fn by_search(searcher: &mut Searcher, job: Job, board: Board) -> Result<Finding, String> {
    let limits = Limits {
        goal: match job.mode {
            Mode::Exact => Goal::Exact,
            Mode::Wld => Goal::Wld,
        },
        multipv: if job.all_moves { 64 } else { 1 },
        ..Limits::default()
    };
    // Node counts must not depend on what was solved before.
    searcher.forget();
    let outcome = searcher.search(board, &limits, &Control::new(), &mut |_| {});
    let line = outcome.lines.first().ok_or("the search found no line")?;
    let (value, score) = match line.proof {
        Proof::Exact(discs) => (GameValue::of_discs(discs), Some(discs)),
        Proof::Wld(value) => (value, None),
        Proof::None => return Err("the search proved nothing".to_owned()),
    };
    Ok(Finding {
        value,
        score: score.filter(|_| job.mode == Mode::Exact),
        bound: line.score.discs(),
        best: outcome.best,
        pv: line.pv.clone(),
        moves: outcome.lines.iter().filter_map(scored_move).collect(),
        nodes: outcome.nodes,
    })
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

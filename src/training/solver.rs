//! Exact and estimated scores for training, by the engine's own search.

use std::sync::{Arc, Mutex, PoisonError};

use crate::eval::Evaluator;
use crate::rules::{Board, Move};
use crate::search::{
    Bound, Control, Goal, Info, Limits, Outcome, SearchOptions, Searcher, Selectivity, TableError,
};

/// Megabytes of transposition table: searches here are short, and a table that
/// stays in the caches serves them best.
const HASH_MB: usize = 4;

/// A searcher of one thread for many short searches.
pub struct Solver {
    searcher: Searcher,
    evaluator: Arc<Evaluator>,
}

impl Solver {
    /// A solver that orders moves by `evaluator`.
    ///
    /// # Errors
    /// If the memory for its table cannot be allocated.
    pub fn new(evaluator: Arc<Evaluator>) -> Result<Solver, TableError> {
        let options = SearchOptions {
            threads: 1,
            hash_mb: HASH_MB,
        };
        Ok(Solver {
            searcher: Searcher::new(Arc::clone(&evaluator), options)?,
            evaluator,
        })
    }

    /// What it orders moves by.
    pub fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    /// Forgets earlier searches, so that later ones do not depend on them.
    pub fn forget(&mut self) {
        self.searcher.forget();
    }

    /// The exact final disc difference of `board` for the side to move.
    pub fn solve(&mut self, board: Board) -> i32 {
        self.search(board, Goal::Exact, None).1
    }

    /// A line of best play from `board` to the end, and the score it leads to in
    /// discs; no move where the game is over.
    pub fn solve_line(&mut self, board: Board) -> (Vec<Move>, i32) {
        if board.is_over() {
            return (Vec::new(), board.final_score());
        }
        let outcome = self.outcome(board, Goal::Exact, None);
        let Some(line) = outcome.lines.first() else {
            return (outcome.best.into_iter().collect(), 0);
        };
        (line.pv.clone(), line.score.discs())
    }

    /// The best move of `board` by a search of `depth` plies, as selective as in play, and
    /// its score, rounded to discs; no move where the game is over.
    pub fn best_move(&mut self, board: Board, depth: u32) -> (Option<Move>, i32) {
        self.search(board, Goal::Play, Some(depth))
    }

    /// The score of `board` by a search of `depth` plies, as selective as in play, in discs
    /// for the side to move.
    pub fn estimate(&mut self, board: Board, depth: u32) -> f64 {
        if board.is_over() {
            return f64::from(board.final_score());
        }
        let outcome = self.outcome(board, Goal::Play, Some(depth));
        outcome
            .lines
            .first()
            .map_or(0.0, |line| line.score.to_f64())
    }

    /// The scores of `board` by searches of 1, 2, .. `depth` plies that prune nothing, in
    /// discs for the side to move. There are fewer of them where fewer squares are free, none
    /// where there is no legal move. Earlier searches do not affect them.
    pub fn full_width(&mut self, board: Board, depth: u32) -> Vec<i32> {
        let depth = depth.min(board.empty_count().saturating_sub(1));
        if depth == 0 || board.legal_moves().is_empty() {
            return Vec::new();
        }
        let limits = Limits {
            depth: Some(depth),
            selectivity: Selectivity::Full,
            ..Limits::default()
        };
        let mut scores = vec![0; depth as usize];
        let mut note = |info: &Info| {
            if info.bound == Bound::Exact
                && let Some(score) = scores.get_mut((info.depth as usize).wrapping_sub(1))
            {
                *score = info.score.discs();
            }
        };
        self.searcher.forget();
        self.searcher
            .search(board, &limits, &Control::new(), &mut note);
        scores
    }

    fn search(&mut self, board: Board, goal: Goal, depth: Option<u32>) -> (Option<Move>, i32) {
        if board.is_over() {
            return (None, board.final_score());
        }
        let outcome = self.outcome(board, goal, depth);
        let score = outcome.lines.first().map_or(0, |line| line.score.discs());
        (outcome.best, score)
    }

    fn outcome(&mut self, board: Board, goal: Goal, depth: Option<u32>) -> Outcome {
        let limits = Limits {
            goal,
            depth,
            ..Limits::default()
        };
        self.searcher
            .search(board, &limits, &Control::new(), &mut |_| {})
    }
}

/// Solvers of one evaluator for jobs on several threads: each job has a solver of its own.
pub struct Solvers {
    evaluator: Arc<Evaluator>,
    /// Those without a job now.
    idle: Mutex<Vec<Solver>>,
}

impl Solvers {
    /// None yet; they are made as they are needed.
    pub fn new(evaluator: Arc<Evaluator>) -> Solvers {
        Solvers {
            evaluator,
            idle: Mutex::default(),
        }
    }

    /// Does `job` with a solver that may have searched before.
    ///
    /// # Errors
    /// If the memory for another one cannot be allocated.
    pub fn with<T>(&self, job: impl FnOnce(&mut Solver) -> T) -> Result<T, TableError> {
        // A panic elsewhere leaves the list whole: it is only pushed to and popped from.
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = idle().pop();
        let mut solver = match waiting {
            Some(solver) => solver,
            None => Solver::new(Arc::clone(&self.evaluator))?,
        };
        let done = job(&mut solver);
        idle().push(solver);
        Ok(done)
    }
}

//! Short searches of single boards, as training needs them, and a pool of searchers for them.

use std::sync::{Arc, Mutex};

use super::{
    Bound, Control, Goal, HorizonSample, Info, Limits, SearchOptions, Searcher, Selectivity,
    TableError,
};
use crate::eval::Evaluator;
use crate::locks::lock;
use crate::rules::{Board, Move};

impl SearchOptions {
    /// One thread for many short searches: the table should stay in the caches.
    pub const SMALL: SearchOptions = SearchOptions {
        threads: 1,
        hash_mb: 4,
    };
}

impl Searcher {
    /// A searcher of one thread for many short searches.
    ///
    /// # Errors
    /// If the memory for its table cannot be allocated.
    pub fn small(evaluator: Arc<Evaluator>) -> Result<Searcher, TableError> {
        Searcher::new(evaluator, SearchOptions::SMALL)
    }

    /// The exact final disc difference of `board` for the side to move.
    pub fn solve(&mut self, board: Board) -> i32 {
        self.solve_line(board).1
    }

    /// A line of best play from `board` to the end, and the score it leads to in
    /// discs; no move where the game is over.
    pub fn solve_line(&mut self, board: Board) -> (Vec<Move>, i32) {
        let line = self.line(board, Goal::EXACT, None);
        let over = (Vec::new(), board.final_score());
        line.map_or(over, |line| (line.pv, line.minimax.discs()))
    }

    /// The best move of `board` by a search of `depth` plies, as selective as in play, and
    /// its score, rounded to discs; no move where the game is over.
    pub fn best_move(&mut self, board: Board, depth: u32) -> (Option<Move>, i32) {
        let line = self.line(board, Goal::Play, Some(depth));
        let over = (None, board.final_score());
        line.map_or(over, |line| {
            (line.pv.first().copied(), line.minimax.discs())
        })
    }

    /// The score of `board` by a search of `depth` plies, as selective as in play, in discs
    /// for the side to move.
    pub fn estimate(&mut self, board: Board, depth: u32) -> f64 {
        let line = self.line(board, Goal::Play, Some(depth));
        line.map_or(f64::from(board.final_score()), |line| line.minimax.to_f64())
    }

    /// A sample of the boards that a search of `board` of `depth` plies, as selective as in play,
    /// evaluates where its plies end, drawn as `sample` says; none if the searcher does not count.
    pub fn leaves(&mut self, board: Board, depth: u32, sample: HorizonSample) -> Vec<Board> {
        if let Some(on) = self.threads.observed() {
            on.horizon = sample;
            self.line(board, Goal::Play, Some(depth));
        }
        let on = self.threads.observed();
        on.map_or(Vec::new(), |on| {
            std::mem::take(&mut on.horizon).into_boards()
        })
    }

    /// The scores of `board` by searches of 1, 2, .. `depth` plies that prune nothing, in
    /// discs for the side to move. Fewer empty squares give fewer scores, and a board without a
    /// legal move none. Earlier searches do not affect them.
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
        let mut record = |info: &Info| {
            if info.bound == Bound::Exact
                && let Some(score) = scores.get_mut((info.depth as usize).wrapping_sub(1))
            {
                *score = info.minimax.discs();
            }
        };
        self.forget();
        self.search(board, &limits, &Control::new(), &mut record);
        scores
    }

    /// The best line; `None` where the game is over.
    fn line(&mut self, board: Board, goal: Goal, depth: Option<u32>) -> Option<Info> {
        if board.is_over() {
            return None;
        }
        let limits = Limits {
            goal,
            depth,
            ..Limits::default()
        };
        let outcome = self.search(board, &limits, &Control::new(), &mut |_| {});
        outcome.lines.into_iter().next()
    }
}

/// Searchers of one evaluator for jobs on several threads: each job has one of its own.
pub struct Searchers {
    evaluator: Arc<Evaluator>,
    /// Searchers without a job.
    idle: Mutex<Vec<Searcher>>,
}

impl Searchers {
    /// An empty pool; searchers are made when they are needed.
    pub fn new(evaluator: Arc<Evaluator>) -> Searchers {
        Searchers {
            evaluator,
            idle: Mutex::default(),
        }
    }

    /// Does `job` with a searcher that may have searched before.
    ///
    /// # Errors
    /// If the memory for another one cannot be allocated.
    pub fn with<T>(&self, job: impl FnOnce(&mut Searcher) -> T) -> Result<T, TableError> {
        // A panic elsewhere leaves the list valid: threads only push to it and pop from it.
        let waiting = lock(&self.idle).pop();
        let mut searcher = match waiting {
            Some(searcher) => searcher,
            None => Searcher::small(Arc::clone(&self.evaluator))?,
        };
        let done = job(&mut searcher);
        lock(&self.idle).push(searcher);
        Ok(done)
    }
}

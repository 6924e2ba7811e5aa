//! A node of the search above the last squares: a board, what evaluates it, and how it was reached.

use super::moves::{MoveEntry, NO_MOVE};
use crate::eval::Features;
use crate::rules::{Board, Square};
use crate::score::Units;

/// A board with its pattern indices.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) board: Board,
    pub(super) features: Features,
    /// The square of the move that led here; [`NO_MOVE`] at the root and after a pass.
    pub(super) moved: u8,
    /// Its static score, where it is known.
    pub(super) estimate: Option<Units>,
}

impl Node {
    pub(super) fn new(board: Board) -> Node {
        Node {
            board,
            features: Features::of(board),
            moved: NO_MOVE,
            estimate: None,
        }
    }

    /// The node after a move to `square` that leads to `child`.
    #[inline]
    pub(super) fn play(&self, square: usize, child: Board) -> Node {
        let flipped = child.player ^ self.board.opponent;
        Node {
            board: child,
            features: self.features.play(Square::wrapping(square as u32), flipped),
            moved: square as u8,
            estimate: None,
        }
    }

    /// The node after `mv`, with the static score that ordered it.
    #[inline]
    pub(super) fn follow(&self, mv: &MoveEntry) -> Node {
        Node {
            estimate: mv.estimate(),
            ..self.play(usize::from(mv.square), mv.board)
        }
    }

    pub(super) fn pass(&self) -> Node {
        Node {
            board: self.board.pass(),
            features: self.features.pass(),
            moved: NO_MOVE,
            estimate: None,
        }
    }
}

//! What a null window asks about a score, and what its answer says.
//!
//! All scores are discs for the side to move. Those of finished games are even, so an odd `alpha` in a search to
//! the end divides them: "better than `alpha`" means "at least `alpha + 1`".

use super::moves::NO_MOVE;
use crate::rules::Board;
use crate::score::Discs;

/// Worse than any score.
pub(super) const NONE: Discs = Discs::new(-127);

/// The best move of those that were searched, and its score.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    pub(super) score: Discs,
    /// [`NO_MOVE`] where none was searched.
    pub(super) square: u8,
}

impl Best {
    pub(super) const NONE: Best = Best {
        score: NONE,
        square: NO_MOVE,
    };

    /// Takes `other` where that is better; the first of equals stays.
    #[inline]
    pub(super) fn improve(&mut self, other: Best) {
        if other.score > self.score {
            *self = other;
        }
    }
}

/// The opponent's `alpha` for a null window at `alpha`; `END`: in a search to the end of the game.
#[inline]
pub(super) fn reply_alpha<const END: bool>(alpha: Discs) -> Discs {
    if END { -alpha } else { -alpha - Discs::ONE }
}

/// What the answer `score` to "better than `alpha`?" says of the true score: its lower and upper bound.
#[inline]
pub(super) fn bounds(score: Discs, alpha: Discs) -> (Discs, Discs) {
    if score > alpha {
        (score, Discs::MAX)
    } else {
        (Discs::MIN, score)
    }
}

/// The bound of those known that answers "better than `alpha`?", if one does.
#[inline]
pub(super) fn decides((lower, upper): (Discs, Discs), alpha: Discs) -> Option<Discs> {
    if lower > alpha {
        Some(lower)
    } else if upper <= alpha {
        Some(upper)
    } else {
        None
    }
}

/// The score of a game that ended with `board`.
#[inline]
pub(super) fn final_score(board: Board) -> Discs {
    Discs::new(board.final_score())
}

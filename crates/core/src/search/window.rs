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

/// A score lies in `lower..=upper` discs, in two bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Interval {
    lower: i8,
    upper: i8,
}

impl Interval {
    /// Those of all scores.
    pub(super) const ALL: Interval = Interval::new(Discs::MIN, Discs::MAX);

    #[inline]
    pub(super) const fn new(lower: Discs, upper: Discs) -> Interval {
        let (lower, upper) = (lower.get() as i8, upper.get() as i8);
        Interval { lower, upper }
    }

    /// What the answer `score` to "better than `alpha`?" says.
    #[inline]
    pub(super) fn by(score: Discs, alpha: Discs) -> Interval {
        if score > alpha {
            Interval::new(score, Discs::MAX)
        } else {
            Interval::new(Discs::MIN, score)
        }
    }

    pub(super) const fn pack(self) -> u16 {
        u16::from_le_bytes([self.lower as u8, self.upper as u8])
    }

    pub(super) const fn unpack(bytes: u16) -> Interval {
        let [lower, upper] = bytes.to_le_bytes();
        let (lower, upper) = (lower as i8, upper as i8);
        Interval { lower, upper }
    }

    #[inline]
    pub(super) fn lower(self) -> Discs {
        Discs::new(i32::from(self.lower))
    }

    #[inline]
    pub(super) fn upper(self) -> Discs {
        Discs::new(i32::from(self.upper))
    }

    /// What both say.
    #[inline]
    pub(super) fn and(self, other: Interval) -> Interval {
        Interval {
            lower: self.lower.max(other.lower),
            upper: self.upper.min(other.upper),
        }
    }

    /// The one that answers "better than `alpha`?", if one does.
    #[inline]
    pub(super) fn decides(self, alpha: Discs) -> Option<Discs> {
        if self.lower() > alpha {
            Some(self.lower())
        } else if self.upper() <= alpha {
            Some(self.upper())
        } else {
            None
        }
    }
}

/// The score of a game that ended with `board`.
#[inline]
pub(super) fn final_score(board: Board) -> Discs {
    Discs::new(board.final_score())
}

//! Cutoffs by stable discs: what can never turn bounds the final score.

use crate::rules::Board;
use crate::simd;

/// Discs that the opponent must have beyond the stable ones a cutoff needs,
/// before these are counted at all. Fewer would rarely do.
const SPARE_DISCS: i32 = 6;

/// An upper bound on the final score, if it shows that the score is not better than `alpha`.
///
/// `alpha` and the answer are discs for the side to move.
#[inline]
pub(super) fn cutoff(board: Board, alpha: i32) -> Option<i32> {
    // The score is at most 64 - 2 * stable, so this many are needed.
    let needed = (64 - alpha + 1) >> 1;
    if (board.opponent.count_ones() as i32) < needed + SPARE_DISCS {
        return None;
    }
    let stable = simd::stable_discs(board.opponent, board.player).count_ones() as i32;
    let bound = 64 - 2 * stable;
    (bound <= alpha).then_some(bound)
}

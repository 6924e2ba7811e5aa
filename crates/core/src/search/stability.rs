//! Cutoffs by stable discs: discs that can never be turned bound the final score.

use crate::rules::Board;
use crate::score::Discs;
use crate::simd;

/// The stable discs are only counted if a side has so many more discs than the stable ones that
/// a cutoff needs. With fewer a cutoff is rare.
const SPARE_DISCS: i32 = 10;

/// A bound on the final score by stable discs of either side, if it decides whether the
/// score is better than `alpha`.
///
/// `alpha` and the answer are scores for the side to move.
#[inline]
pub(super) fn cutoff(board: Board, alpha: Discs) -> Option<Discs> {
    if let Some(score) = opponent_cutoff(board.player, board.opponent, alpha) {
        return Some(score);
    }
    // The score is at least 2 * the own stable discs - 64.
    let alpha = alpha.get();
    // Counting one's own stable discs pays only where alpha is close to a draw.
    let needed = (64 + alpha + 2) >> 1;
    if alpha.abs() <= 1 && board.player.count_ones() as i32 >= needed + SPARE_DISCS {
        let stable = simd::stable_discs(board.player, board.opponent).count_ones() as i32;
        let bound = 2 * stable - 64;
        return (bound > alpha).then_some(Discs::new(bound));
    }
    None
}

/// An upper bound of at most alpha, by the opponent's stable discs alone.
#[inline]
pub(super) fn opponent_cutoff(player: u64, opponent: u64, alpha: Discs) -> Option<Discs> {
    // The score is at most 64 - 2 * the opponent's stable discs.
    let alpha = alpha.get();
    let needed = (64 - alpha + 1) >> 1;
    if (opponent.count_ones() as i32) < needed + SPARE_DISCS {
        return None;
    }
    let stable = simd::stable_discs(opponent, player).count_ones() as i32;
    let bound = 64 - 2 * stable;
    (bound <= alpha).then_some(Discs::new(bound))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks 1 to 4 are the player's, the rest but h8 the opponent's.
    const HALVES: Board = Board {
        player: 0x0000_0000_ffff_ffff,
        opponent: 0x7fff_ffff_0000_0000,
    };

    #[test]
    fn stable_discs_of_either_side_bound_the_score() {
        // One side has every square but h8, and none of its 63 discs can turn.
        assert_eq!(
            cutoff(
                Board {
                    player: u64::MAX >> 1,
                    opponent: 0
                },
                Discs::new(-1)
            ),
            Some(Discs::new(62))
        );
        assert_eq!(
            cutoff(
                Board {
                    player: 0,
                    opponent: u64::MAX >> 1
                },
                Discs::new(-1)
            ),
            Some(Discs::new(-62))
        );
    }

    #[test]
    fn an_even_board_is_not_decided() {
        assert_eq!(cutoff(HALVES, Discs::new(-1)), None);
    }
}

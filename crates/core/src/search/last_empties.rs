//! The last four empties, each count with a routine of its own.
//!
//! All scores are final disc differences for the side to move. `alpha` is odd:
//! final scores are even, so "better than `alpha`" means "at least `alpha + 1`",
//! and the opponent's question is "better than `-alpha`?".
//!
//! `player` and `opponent` are the discs; the squares named are the empties.

use super::observer::Observer;
use super::ordering::EndgameOrder;
use super::solver::EndgameSolver;
use super::stability;
use super::window::{NONE, final_score};
use crate::rules::Board;
use crate::score::Discs;
use crate::simd;

/// One of the 64 squares, as an index.
pub(super) type Sq = usize;

#[inline]
const fn bit(square: Sq) -> u64 {
    1 << square
}

/// Can a disc on `square` touch a disc of `opponent`? If not, it turns none.
#[inline]
fn touches(square: Sq, opponent: u64) -> bool {
    simd::neighbours(square) & opponent != 0
}

/// The discs turned by a move of the side that owns `player`, none if it is not legal.
#[inline]
fn flips(square: Sq, player: u64, opponent: u64) -> u64 {
    if touches(square, opponent) {
        simd::flips(square, player, opponent)
    } else {
        0
    }
}

/// The score with one empty left; all other squares but `player`'s are the opponent's.
#[inline]
pub(super) fn solve_1(player: u64, square: Sq) -> Discs {
    let discs = player.count_ones() as i32;
    let flipped = simd::count_last_flip(square, player) as i32;
    if flipped > 0 {
        return Discs::new(2 * (discs + flipped) - 62);
    }
    let opponent = !(player | bit(square));
    let flipped = simd::count_last_flip(square, opponent) as i32;
    if flipped > 0 {
        return Discs::new(2 * (discs - flipped) - 64);
    }
    // Nobody can play it: it goes to the winner.
    if discs >= 32 {
        Discs::new(2 * discs - 62)
    } else {
        Discs::new(2 * discs - 64)
    }
}

impl<O: Observer> EndgameSolver<O> {
    /// Takes back the visit of a pass: neither side can move, so it is no pass.
    #[inline(always)]
    fn unvisit(&mut self, empties: usize) {
        self.nodes -= 1;
        self.observer
            .count(|counts| counts.nodes_by_empties[empties] -= 1);
    }

    /// The score with two empties left.
    pub(super) fn solve_2(
        &mut self,
        player: u64,
        opponent: u64,
        alpha: Discs,
        a: Sq,
        b: Sq,
    ) -> Discs {
        let best = self.try_2(player, opponent, alpha, a, b);
        if best != NONE {
            return best;
        }
        self.visit(1, || 2);
        let reply = self.try_2(opponent, player, -alpha, a, b);
        if reply != NONE {
            return -reply;
        }
        self.unvisit(2);
        over(player, opponent)
    }

    /// The score of a board with two empties for a side that may be unable to move: then [`NONE`].
    #[inline]
    fn try_2(&mut self, player: u64, opponent: u64, alpha: Discs, a: Sq, b: Sq) -> Discs {
        let mut best = NONE;
        let flipped = flips(a, player, opponent);
        if flipped != 0 {
            self.visit(1, || 1);
            self.visit(1, || 0);
            best = -solve_1(opponent ^ flipped, b);
            if best > alpha {
                return best;
            }
        }
        let flipped = flips(b, player, opponent);
        if flipped != 0 {
            self.visit(1, || 1);
            self.visit(1, || 0);
            best = best.max(-solve_1(opponent ^ flipped, a));
        }
        best
    }

    /// The score with three empties left, played in the order given where possible.
    pub(super) fn solve_3(
        &mut self,
        player: u64,
        opponent: u64,
        alpha: Discs,
        order: [Sq; 3],
    ) -> Discs {
        let best = self.try_3(player, opponent, alpha, order);
        if best != NONE {
            return best;
        }
        self.visit(1, || 3);
        let reply = self.try_3(opponent, player, -alpha, order);
        if reply != NONE {
            return -reply;
        }
        self.unvisit(3);
        over(player, opponent)
    }

    #[inline]
    fn try_3(&mut self, player: u64, opponent: u64, alpha: Discs, [a, b, c]: [Sq; 3]) -> Discs {
        let mut best = NONE;
        for (square, x, y) in [(a, b, c), (b, a, c), (c, a, b)] {
            let flipped = flips(square, player, opponent);
            if flipped != 0 {
                self.visit(1, || 2);
                let (next, other) = (opponent ^ flipped, player ^ flipped | bit(square));
                best = best.max(-self.solve_2(next, other, -alpha, x, y));
                if best > alpha {
                    break;
                }
            }
        }
        best
    }

    /// The score with four empties left.
    pub(super) fn solve_4(&mut self, player: u64, opponent: u64, alpha: Discs) -> Discs {
        self.count(|layer| layer.stability_tries += 1);
        if let Some(score) = stability::opponent_cutoff(player, opponent, alpha) {
            self.count(|layer| layer.stability_cuts += 1);
            return score;
        }
        let best = self.try_4(player, opponent, alpha);
        if best != NONE {
            return best;
        }
        self.visit(1, || 4);
        let reply = self.try_4(opponent, player, -alpha);
        if reply != NONE {
            return -reply;
        }
        self.unvisit(4);
        over(player, opponent)
    }

    #[inline]
    fn try_4(&mut self, player: u64, opponent: u64, alpha: Discs) -> Discs {
        let empties = !(player | opponent);
        let mut best = NONE;
        for square in EndgameOrder::of(empties).squares(empties) {
            let flipped = flips(square, player, opponent);
            if flipped != 0 {
                self.visit(1, || 3);
                let (next, other) = (opponent ^ flipped, player ^ flipped | bit(square));
                let order = EndgameOrder::of(empties & !bit(square)).three();
                best = best.max(-self.solve_3(next, other, -alpha, order));
                if best > alpha {
                    break;
                }
            }
        }
        best
    }
}

/// The score where neither side can move.
#[inline]
fn over(player: u64, opponent: u64) -> Discs {
    final_score(Board { player, opponent })
}

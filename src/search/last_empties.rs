//! The last four empties, each count with a routine of its own.
//!
//! All scores are final disc differences for the side to move. `alpha` is odd:
//! final scores are even, so "better than `alpha`" means "at least `alpha + 1`",
//! and the opponent's question is "better than `-alpha`?".
//!
//! `player` and `opponent` are the discs; the squares named are the empties.

use super::counters::Counters;
use super::endgame::EndgameSolver;
use super::stability;
use crate::rules::Board;
use crate::score::Discs;
use crate::simd;

/// Worse than any score.
pub(super) const NONE: Discs = Discs::new(-127);

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

impl<C: Counters> EndgameSolver<C> {
    /// Takes back the visit of a pass: neither side can move, so it is no pass.
    #[inline(always)]
    fn unvisit(&mut self, empties: usize) {
        self.nodes -= 1;
        self.count(|counts| counts.nodes_by_empties[empties] -= 1);
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

    /// The same for a side that may be unable to move: then [`NONE`].
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

    /// The score with four empties left, odd regions first.
    pub(super) fn solve_4(&mut self, player: u64, opponent: u64, alpha: Discs) -> Discs {
        self.count(|counts| counts.solver.stability_tries += 1);
        if let Some(score) = stability::opponent_cutoff(player, opponent, alpha) {
            self.count(|counts| counts.solver.stability_cuts += 1);
            return score;
        }
        let orders = orders_of_four(!(player | opponent));
        let best = self.try_4(player, opponent, alpha, &orders);
        if best != NONE {
            return best;
        }
        self.visit(1, || 4);
        let reply = self.try_4(opponent, player, -alpha, &orders);
        if reply != NONE {
            return -reply;
        }
        self.unvisit(4);
        over(player, opponent)
    }

    #[inline]
    fn try_4(&mut self, player: u64, opponent: u64, alpha: Discs, orders: &[[Sq; 4]; 4]) -> Discs {
        let mut best = NONE;
        for &[square, x, y, z] in orders {
            let flipped = flips(square, player, opponent);
            if flipped != 0 {
                self.visit(1, || 3);
                let (next, other) = (opponent ^ flipped, player ^ flipped | bit(square));
                best = best.max(-self.solve_3(next, other, -alpha, [x, y, z]));
                if best > alpha {
                    break;
                }
            }
        }
        best
    }
}

/// The score of a game that ended with `board`.
#[inline]
pub(super) fn final_score(board: Board) -> Discs {
    Discs::new(board.final_score())
}

/// The score where neither side can move.
#[inline]
fn over(player: u64, opponent: u64) -> Discs {
    final_score(Board { player, opponent })
}

/// Squares of the quadrants that hold an odd number of empties. A side that
/// moves last in a region gains by it, so these regions are tried first.
#[inline]
pub(super) const fn odd_quadrants(empties: u64) -> u64 {
    let mut parity = empties ^ (empties >> 1);
    parity ^= parity >> 2;
    parity ^= parity >> 8;
    parity ^= parity >> 16;
    (parity & 0x0000_0011_0000_0011) * 0x0f0f_0f0f
}

/// The quadrant of `square`, as a set.
#[inline]
const fn quadrant(square: Sq) -> u64 {
    0x0f0f_0f0f << (square & 0x24)
}

#[inline]
fn take(set: &mut u64) -> Sq {
    let square = set.trailing_zeros() as Sq;
    *set &= set.wrapping_sub(1);
    square & 63
}

/// Each of four empties with the other three: the order to play them in, odd
/// quadrants first at each step.
#[inline]
fn orders_of_four(empties: u64) -> [[Sq; 4]; 4] {
    let odd = empties & odd_quadrants(empties);
    if odd == 0 {
        // Four in one quadrant, or two pairs: after one of a pair the other stands alone.
        let mut rest = empties;
        let a = take(&mut rest);
        let mut same = rest & quadrant(a);
        let b = take(&mut same);
        rest &= !bit(b);
        let c = take(&mut rest);
        let d = take(&mut rest);
        return [[a, b, c, d], [b, a, c, d], [c, d, a, b], [d, c, a, b]];
    }
    // Singles first; a triple has an odd count too, and its single comes before it.
    let mut first = odd;
    let mut last = empties & !odd;
    if last == 0 {
        // One and three, or four singles.
        let mut a = take(&mut first);
        while !is_alone(a, empties) {
            a = take(&mut first);
        }
        let mut others = empties & !bit(a);
        let b = take(&mut others);
        let c = take(&mut others);
        let d = take(&mut others);
        return [[a, b, c, d], [b, a, c, d], [c, a, b, d], [d, a, b, c]];
    }
    let a = take(&mut first);
    let b = take(&mut first);
    let c = take(&mut last);
    let d = take(&mut last);
    [[a, b, c, d], [b, a, c, d], [c, d, a, b], [d, c, a, b]]
}

/// Does no other empty share `square`'s quadrant?
#[inline]
const fn is_alone(square: Sq, empties: u64) -> bool {
    empties & quadrant(square) == bit(square)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_quadrants_are_those_with_an_odd_count() {
        let mut random = 0x1234_5678_9abc_def0_u64;
        for _ in 0..1000 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let slow = [0, 4, 32, 36]
                .into_iter()
                .map(quadrant)
                .filter(|quadrant| (random & quadrant).count_ones() % 2 == 1)
                .fold(0, |all, quadrant| all | quadrant);
            assert_eq!(odd_quadrants(random), slow, "{random:#x}");
        }
    }

    /// Squares a1 b1 a2 b2 of each quadrant: sets of four of them have every shape.
    fn four_empties() -> impl Iterator<Item = u64> {
        let squares: Vec<Sq> = [0, 4, 32, 36]
            .iter()
            .flat_map(|corner| [0, 1, 8, 9].map(|step| corner + step))
            .collect();
        (0_u32..1 << squares.len())
            .filter(|chosen| chosen.count_ones() == 4)
            .map(move |chosen| {
                let chosen = |&(n, _): &(usize, &Sq)| chosen >> n & 1 != 0;
                let chosen = squares.iter().enumerate().filter(chosen);
                chosen.fold(0, |set, (_, &square)| set | bit(square))
            })
    }

    #[test]
    fn each_of_four_empties_comes_first_once_and_the_others_follow() {
        for empties in four_empties() {
            let orders = orders_of_four(empties);
            let firsts = orders.iter().fold(0, |set, order| set | bit(order[0]));
            assert_eq!(firsts, empties, "{orders:?}");
            for order in orders {
                let set = order.iter().fold(0, |set, &square| set | bit(square));
                assert_eq!(set, empties, "{order:?}");
            }
        }
    }

    #[test]
    fn odd_quadrants_are_played_first_at_each_step() {
        for empties in four_empties() {
            let orders = orders_of_four(empties);
            let odd = |set: u64, square: Sq| odd_quadrants(set) & bit(square) != 0;
            let first_even = orders.iter().position(|order| !odd(empties, order[0]));
            for order in &orders[first_even.unwrap_or(4)..] {
                assert!(!odd(empties, order[0]), "{orders:?}");
            }
            for order in orders {
                let left = empties & !bit(order[0]);
                assert!(odd(left, order[1]), "{order:?}");
            }
        }
    }

    #[test]
    fn a_single_is_played_before_a_triple() {
        let threes = |empties: u64| empties.count_ones() == 3;
        for empties in four_empties() {
            let in_quadrants = [0, 4, 32, 36].map(|corner| empties & quadrant(corner));
            if in_quadrants.into_iter().any(threes) {
                assert!(is_alone(orders_of_four(empties)[0][0], empties));
            }
        }
    }
}

//! Moves that refuted other boards nearby: they are worth an early try.
//!
//! Killer moves did so on the last boards with as many empties: S. Akl and M. Newborn, "The
//! Principal Continuation and the Killer Heuristic", ACM Annual Conference 1977. Countermoves did so
//! after the same move of the opponent: J. Uiterwijk, "The Countermove Heuristic", ICCA Journal 15(1), 1992.

use super::moves::NO_MOVE;
use super::node::Node;

/// The last two different squares of one kind, the latest first.
type Latest = [u8; 2];

const NONE_YET: Latest = [NO_MOVE; 2];

/// Numbers of empties, and squares of moves with one for all that is none.
const ROWS: usize = 65;

/// What one thread remembers.
pub(super) struct Killers {
    /// By empties.
    killers: [Latest; ROWS],
    /// By the parity of the empties, which mostly tells the side, and by the opponent's move.
    countermoves: [[Latest; ROWS]; 2],
}

/// The squares to try on one board, the most promising first, [`NO_MOVE`] where fewer are known. They
/// need not be legal.
#[derive(Clone, Copy)]
pub(super) struct Candidates([u8; 4]);

impl Killers {
    pub(super) const NONE: Killers = Killers {
        killers: [NONE_YET; ROWS],
        countermoves: [[NONE_YET; ROWS]; 2],
    };

    #[inline]
    pub(super) fn candidates(&self, node: &Node) -> Candidates {
        let (empties, after) = rows(node);
        let ([killer, killer_before], [counter, counter_before]) =
            (self.killers[empties], self.countermoves[empties % 2][after]);
        Candidates([counter, killer, counter_before, killer_before])
    }

    /// Notes that the move to `square` refutes `node`.
    #[inline]
    pub(super) fn note(&mut self, node: &Node, square: u8) {
        let (empties, after) = rows(node);
        for latest in [
            &mut self.killers[empties],
            &mut self.countermoves[empties % 2][after],
        ] {
            if latest[0] != square {
                *latest = [square, latest[0]];
            }
        }
    }
}

#[inline]
fn rows(node: &Node) -> (usize, usize) {
    let empties = node.board.empty_count() as usize;
    (empties.min(ROWS - 1), usize::from(node.moved).min(ROWS - 1))
}

impl Candidates {
    /// The squares of `moves` among them, in order, and the others.
    #[inline]
    pub(super) fn split(self, moves: u64) -> (impl Iterator<Item = usize>, u64) {
        let mut others = moves;
        let legal = self.0.map(|square| {
            let bit = 1_u64.checked_shl(square.into()).unwrap_or(0) & others;
            others ^= bit;
            bit
        });
        let legal = legal.into_iter().filter(|&bit| bit != 0);
        (legal.map(|bit| bit.trailing_zeros() as usize), others)
    }

    /// How promising `square` is: 2 for the latest of either kind, 1 for those before, 0 for all others.
    #[inline]
    pub(super) fn promise(self, square: u8) -> i32 {
        match self.0.iter().position(|&candidate| candidate == square) {
            Some(0 | 1) => 2,
            Some(_) => 1,
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Board, Square};

    #[test]
    fn the_latest_killers_and_countermoves_come_first() {
        let start = Node::new(Board::START);
        let [d3, c4] = [19, 26].map(|square| {
            let child = Board::START.play(Square::wrapping(square));
            start.play(square as usize, child)
        });
        let mut killers = Killers::NONE;
        for square in [18, 20, 20, 34] {
            killers.note(&d3, square);
        }
        killers.note(&c4, 20);
        // After d3: e5 and, before it, e3; with as many empties: e3 and, before it, c5.
        let candidates = killers.candidates(&d3);
        let promises = [34, 20, 18].map(|square| candidates.promise(square));
        assert_eq!(promises, [2, 2, 0]);
        let (first, others) = candidates.split(1 << 18 | 1 << 20 | 1 << 34);
        assert_eq!((first.collect(), others), (vec![34, 20], 1 << 18));
        assert_eq!(killers.candidates(&start).promise(20), 0);
    }
}

//! The moves of one node, with the boards they lead to.

use crate::rules::{Board, Move, Square};
use crate::score::Units;
use crate::simd;

/// Room for the legal moves of any board: 33 are known to be reachable, 34 to be possible.
const MAX_MOVES: usize = 36;

/// The index of no square.
pub(super) const NO_MOVE: u8 = 64;

/// The move to the square of this index.
pub(super) fn place(square: u8) -> Move {
    Move::Place(Square::wrapping(u32::from(square)))
}

/// No estimate: those of boards lie within 63 discs.
const UNKNOWN: i16 = i16::MIN;

/// One legal move, with the board after it.
#[derive(Clone, Copy)]
pub(super) struct MoveEntry {
    /// The board after it, seen by the opponent.
    pub(super) board: Board,
    /// The legal moves on that board, where the solver's lower layers have computed them.
    pub(super) replies: u64,
    pub(super) square: u8,
    /// Its static score in 1/128 disc for its side to move, where ordering has computed it; else [`UNKNOWN`].
    estimate: i16,
    /// For sorting, larger is earlier.
    pub(super) value: i32,
}

impl MoveEntry {
    /// No move: room for one.
    pub(super) const NONE: MoveEntry = MoveEntry {
        board: Board {
            player: 0,
            opponent: 0,
        },
        replies: 0,
        square: NO_MOVE,
        estimate: UNKNOWN,
        value: i32::MIN,
    };

    /// A move to `square` that leads to `board`, without a value.
    pub(super) fn new(square: usize, board: Board) -> MoveEntry {
        MoveEntry {
            board,
            square: square as u8,
            ..MoveEntry::NONE
        }
    }

    /// The static score of the board after it for its side to move, where it is known.
    pub(super) fn estimate(&self) -> Option<Units> {
        (self.estimate != UNKNOWN).then(|| Units::new(i32::from(self.estimate)))
    }

    /// Remembers it.
    pub(super) fn set_estimate(&mut self, estimate: Units) {
        self.estimate = estimate.get() as i16;
    }
}

/// The legal moves of one board.
pub(super) struct MoveList {
    entries: [MoveEntry; MAX_MOVES],
    count: usize,
}

impl MoveList {
    /// All moves of `board` to the squares of `moves`, which must be legal. Inlined, since else the whole
    /// list would be copied to where it is wanted.
    #[inline(always)]
    pub(super) fn new(board: Board, moves: u64) -> MoveList {
        let mut list = MoveList {
            entries: [MoveEntry::NONE; MAX_MOVES],
            count: 0,
        };
        let mut moves = moves;
        while moves != 0 && list.count < MAX_MOVES {
            let square = moves.trailing_zeros() as usize;
            moves &= moves - 1;
            let flipped = simd::flips(square, board.player, board.opponent);
            let child = board.play_flips(1 << square, flipped);
            list.entries[list.count] = MoveEntry::new(square, child);
            list.count += 1;
        }
        list
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn as_slice(&self) -> &[MoveEntry] {
        &self.entries[..self.count]
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [MoveEntry] {
        &mut self.entries[..self.count]
    }

    /// A move that leaves the opponent without discs.
    #[inline]
    pub(super) fn wipe_out(&self) -> Option<MoveEntry> {
        let wipes_out = |entry: &&MoveEntry| entry.board.player == 0;
        self.as_slice().iter().find(wipes_out).copied()
    }

    /// Brings the move to `square` to the front, if it is there, and values it most.
    pub(super) fn bring_first(&mut self, square: u8) -> bool {
        self.move_up(square, 0);
        let is_first = self.count > 0 && self.entries[0].square == square;
        if is_first {
            self.entries[0].value = i32::MAX;
        }
        is_first
    }

    /// Brings the move to `square` to number `to`, where it is not before that.
    pub(super) fn move_up(&mut self, square: u8, to: usize) {
        let moves = &mut self.as_mut_slice()[to..];
        if let Some(at) = moves.iter().position(|entry| entry.square == square) {
            moves[..=at].rotate_right(1);
        }
    }

    /// Brings the move with the largest value of those from `next` on to `next`: the first of equals. The
    /// others keep their order, so that all moves in turn are picked as if they had been sorted.
    #[inline]
    pub(super) fn pick(&mut self, next: usize) -> MoveEntry {
        let moves = self.as_mut_slice();
        let best = most_promising(moves, next);
        let picked = moves[best];
        if best > next {
            moves.copy_within(next..best, next + 1);
            moves[next] = picked;
        }
        picked
    }

    /// Sorts the moves from `from` on, the largest value first; equals keep their order.
    pub(super) fn sort_from(&mut self, from: usize) {
        self.as_mut_slice()[from..].sort_by_key(|entry| std::cmp::Reverse(entry.value));
    }
}

/// Brings the most promising of `moves[next..]` to `next`, in exchange for the move that was there. Unlike with
/// [`MoveList::pick`], equals may change their order.
#[inline]
pub(super) fn pick_best(moves: &mut [MoveEntry], next: usize) -> MoveEntry {
    let best = most_promising(moves, next);
    moves.swap(next, best);
    moves[next]
}

/// The index of the largest value from `next` on, the first of equals.
#[inline]
fn most_promising(moves: &[MoveEntry], next: usize) -> usize {
    let mut best = next;
    for other in next + 1..moves.len() {
        if moves[other].value > moves[best].value {
            best = other;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn moves_are_picked_in_the_order_of_a_sort(values: [i8; 4], from in 0..4_usize) {
            // Few different values, so that some are equal.
            let list = || {
                let mut list = MoveList::new(Board::START, Board::START.legal_moves().0);
                for (mv, value) in list.as_mut_slice().iter_mut().zip(values) {
                    mv.value = i32::from(value % 3);
                }
                list
            };
            let squares = |list: &MoveList| -> Vec<u8> {
                list.as_slice().iter().map(|mv| mv.square).collect()
            };
            let (mut sorted, mut picked) = (list(), list());
            sorted.sort_from(from);
            for next in from..picked.len() {
                let mv = picked.pick(next);
                prop_assert_eq!(mv.square, picked.as_slice()[next].square);
            }
            prop_assert_eq!(squares(&sorted), squares(&picked));
        }
    }
}

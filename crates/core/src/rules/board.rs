//! A board as the side to move sees it.

use super::{Bitboard, Move, Square, Symmetry};
use crate::simd;

/// The discs of the side to move and of its opponent; the sets are disjoint.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Board {
    /// Discs of the side to move.
    pub player: u64,
    /// Discs of the other side.
    pub opponent: u64,
}

impl Board {
    /// The start position, black to move.
    pub const START: Board = Board {
        player: 0x0000_0008_1000_0000,
        opponent: 0x0000_0010_0800_0000,
    };

    /// A board of these discs, or `None` where a square would hold two.
    pub const fn new(player: u64, opponent: u64) -> Option<Board> {
        if player & opponent == 0 {
            Some(Board { player, opponent })
        } else {
            None
        }
    }

    /// The free squares, as bits.
    #[inline]
    pub const fn empties(self) -> u64 {
        !(self.player | self.opponent)
    }

    /// Number of free squares, 0..=64.
    #[inline]
    pub const fn empty_count(self) -> u32 {
        self.empties().count_ones()
    }

    /// Where the side to move may place a disc.
    #[inline]
    pub fn legal_moves(self) -> Bitboard {
        Bitboard(simd::legal_moves(self.player, self.opponent))
    }

    /// Discs that turn when the side to move plays `square`; none if the move is illegal.
    #[inline]
    pub fn flips(self, square: Square) -> Bitboard {
        if self.empties() & square.bit() == 0 {
            return Bitboard::EMPTY;
        }
        Bitboard(simd::flips(square.index(), self.player, self.opponent))
    }

    /// The board after a legal move, seen by the other side.
    #[inline]
    pub fn play(self, square: Square) -> Board {
        let flips = simd::flips(square.index(), self.player, self.opponent);
        debug_assert!(
            flips != 0 && self.empties() & square.bit() != 0,
            "illegal move {square}"
        );
        self.play_flips(square.bit(), flips)
    }

    /// The board after a disc on `bit` turned `flips`, seen by the other side.
    #[inline]
    pub const fn play_flips(self, bit: u64, flips: u64) -> Board {
        Board {
            player: self.opponent ^ flips,
            opponent: self.player ^ flips ^ bit,
        }
    }

    /// The board after a pass: the same discs, the other side to move.
    #[inline]
    pub const fn pass(self) -> Board {
        Board {
            player: self.opponent,
            opponent: self.player,
        }
    }

    /// Must the side to move pass: has it no legal move, but its opponent has one?
    pub fn must_pass(self) -> bool {
        self.legal_moves().is_empty() && !self.pass().legal_moves().is_empty()
    }

    /// The legal moves: squares in their order, or the pass where it is one.
    pub fn moves(self) -> impl Iterator<Item = Move> {
        let pass = self.must_pass().then_some(Move::Pass);
        self.legal_moves().map(Move::Place).chain(pass)
    }

    /// Can neither side move?
    pub fn is_over(self) -> bool {
        self.legal_moves().is_empty() && self.pass().legal_moves().is_empty()
    }

    /// Disc difference of a finished game, the empties counted for the winner:
    /// even, −64..=64, for the side to move.
    #[inline]
    pub const fn final_score(self) -> i32 {
        let difference = self.player.count_ones() as i32 - self.opponent.count_ones() as i32;
        difference + difference.signum() * self.empty_count() as i32
    }

    /// The board seen through `symmetry`.
    pub const fn transform(self, symmetry: Symmetry) -> Board {
        Board {
            player: symmetry.apply(self.player),
            opponent: symmetry.apply(self.opponent),
        }
    }

    /// The smallest of the eight symmetric boards: equal for all of them.
    pub fn canonical(self) -> Board {
        self.canonical_with_symmetry().0
    }

    /// [`Board::canonical`], and the symmetry that leads there: the first of those that do.
    pub fn canonical_with_symmetry(self) -> (Board, Symmetry) {
        let images = Symmetry::all().map(|symmetry| (self.transform(symmetry), symmetry));
        images
            .min_by_key(|&(image, _)| image)
            .unwrap_or((self, Symmetry::IDENTITY))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_has_four_first_moves() {
        let names: Vec<String> = Board::START
            .legal_moves()
            .map(|sq| sq.to_string())
            .collect();
        assert_eq!(names, ["d3", "c4", "f5", "e6"]);
    }

    #[test]
    fn moves_are_squares_or_the_pass() {
        let names = |board: Board| board.moves().map(Move::name).collect::<Vec<_>>();
        assert_eq!(names(Board::START), ["d3", "c4", "f5", "e6"]);
        let board = Board::new(0b010, 0b001).expect("disjoint");
        assert_eq!(
            (names(board), names(board.pass())),
            (vec!["pass"], vec!["c1"])
        );
        let ended = Board::new(0b1, 0).expect("disjoint");
        assert!(names(ended).is_empty());
    }

    #[test]
    fn a_pass_keeps_the_discs() {
        let passed = Board::START.pass();
        assert_eq!(passed.empties(), Board::START.empties());
        assert_eq!(passed.pass(), Board::START);
    }

    #[test]
    fn empties_go_to_the_winner() {
        let board = Board::new(0b111, 0).expect("disjoint");
        assert_eq!((board.final_score(), board.pass().final_score()), (64, -64));
        let tie = Board::new(0b001, 0b010).expect("disjoint");
        assert_eq!(tie.final_score(), 0);
    }

    #[test]
    fn symmetric_boards_have_one_canonical_form() {
        let board = Board::START
            .play(Square::wrapping(19))
            .play(Square::wrapping(18));
        for symmetry in Symmetry::all() {
            assert_eq!(board.transform(symmetry).canonical(), board.canonical());
        }
    }
}

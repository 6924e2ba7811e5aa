//! A set of squares, and the eight symmetries of the board.

use super::Square;

/// A set of squares; bit i is square i, A1 = bit 0, H8 = bit 63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// A1, H1, A8 and H8.
    pub const CORNERS: Bitboard = Bitboard(0x8100_0000_0000_0081);

    /// Number of squares in the set, 0..=64.
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Is the set empty?
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Is `square` in the set?
    pub const fn contains(self, square: Square) -> bool {
        self.0 & square.bit() != 0
    }

    /// The first square, in index order.
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 {
            None
        } else {
            Some(Square::wrapping(self.0.trailing_zeros()))
        }
    }
}

/// Squares in index order, A1 first.
impl Iterator for Bitboard {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let first = self.first()?;
        self.0 &= self.0 - 1;
        Some(first)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.count() as usize, Some(self.count() as usize))
    }
}

impl ExactSizeIterator for Bitboard {}

/// One of the eight rotations and reflections of the board.
///
/// Bit 0 mirrors left to right, bit 1 top to bottom, and bit 2 (applied last)
/// swaps files and ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Symmetry(u8);

impl Symmetry {
    /// The board as it is.
    pub const IDENTITY: Symmetry = Symmetry(0);

    /// All eight, the identity first.
    pub const ALL: [Symmetry; 8] = [
        Symmetry(0),
        Symmetry(1),
        Symmetry(2),
        Symmetry(3),
        Symmetry(4),
        Symmetry(5),
        Symmetry(6),
        Symmetry(7),
    ];

    /// All eight, the identity first.
    pub fn all() -> impl Iterator<Item = Symmetry> {
        Symmetry::ALL.into_iter()
    }

    /// The set of squares seen through this symmetry.
    pub const fn apply(self, squares: u64) -> u64 {
        let mut squares = squares;
        if self.0 & 1 != 0 {
            squares = mirror_files(squares);
        }
        if self.0 & 2 != 0 {
            squares = squares.swap_bytes();
        }
        if self.0 & 4 != 0 {
            squares = transpose(squares);
        }
        squares
    }

    /// Its place in [`Symmetry::ALL`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Where `square` goes.
    pub const fn apply_square(self, square: Square) -> Square {
        Square::wrapping(self.apply(square.bit()).trailing_zeros())
    }

    /// The symmetry that takes the board back.
    pub const fn inverse(self) -> Symmetry {
        if self.0 & 4 != 0 {
            Symmetry(4 | self.transposed_mirrors())
        } else {
            self
        }
    }

    /// What `first` and then this one do together.
    pub const fn after(self, first: Symmetry) -> Symmetry {
        let mirrors = if first.0 & 4 != 0 {
            self.transposed_mirrors()
        } else {
            self.0 & 3
        };
        Symmetry((self.0 & 4) ^ first.0 ^ mirrors)
    }

    /// The mirrors that do before a transposition what those of this symmetry do after one: it
    /// turns a left-right mirror into a top-bottom one.
    const fn transposed_mirrors(self) -> u8 {
        (self.0 & 1) << 1 | (self.0 & 2) >> 1
    }
}

/// Swaps file A with H, B with G, and so on.
const fn mirror_files(squares: u64) -> u64 {
    squares.reverse_bits().swap_bytes()
}

/// Swaps files with ranks (mirror at the diagonal A1-H8).
const fn transpose(squares: u64) -> u64 {
    const fn exchange(squares: u64, mask: u64, distance: u32) -> u64 {
        let moved = (squares ^ (squares >> distance)) & mask;
        squares ^ moved ^ (moved << distance)
    }
    let squares = exchange(squares, 0x00aa_00aa_00aa_00aa, 7);
    let squares = exchange(squares, 0x0000_cccc_0000_cccc, 14);
    exchange(squares, 0x0000_0000_f0f0_f0f0, 28)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The square b1, which all symmetries take elsewhere.
    const ASYMMETRIC: u64 = 0x0000_0000_0000_0002;

    #[test]
    fn each_symmetry_is_undone_by_its_inverse() {
        for symmetry in Symmetry::all() {
            for square in Square::all() {
                let there = symmetry.apply_square(square);
                assert_eq!(
                    symmetry.inverse().apply_square(there),
                    square,
                    "{symmetry:?}"
                );
            }
        }
    }

    #[test]
    fn two_symmetries_in_turn_are_one() {
        for first in Symmetry::all() {
            for second in Symmetry::all() {
                let both = second.after(first);
                assert_eq!(
                    both.apply(ASYMMETRIC),
                    second.apply(first.apply(ASYMMETRIC))
                );
                assert_eq!(Symmetry::ALL[both.index()], both);
            }
        }
    }

    #[test]
    fn the_eight_symmetries_differ() {
        let images: std::collections::BTreeSet<u64> = Symmetry::all()
            .map(|symmetry| symmetry.apply(ASYMMETRIC))
            .collect();
        assert_eq!(images.len(), 8);
    }

    #[test]
    fn transposing_swaps_file_and_rank() {
        for square in Square::all() {
            let image = Symmetry(4).apply_square(square);
            assert_eq!((image.file(), image.rank()), (square.rank(), square.file()));
        }
    }
}

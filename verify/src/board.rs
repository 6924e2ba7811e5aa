//! The rules, once more: legal moves, flips, the end of a game, the eight symmetries.
//!
//! Written for the checker alone, on plain words, the same operation for each of the four
//! lines through a square. Emilia's tests hold them to the rules of the engine, which they do not use.

use std::fmt;

/// A square, by its number in a file: 8 * (rank - 1) + file, a1 is 0 and h8 is 63.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Square(pub u8);

impl Square {
    /// The first of a set of squares.
    pub const fn of(set: u64) -> Square {
        Square(set.trailing_zeros() as u8)
    }

    /// The set of this square alone; of none if it is not on the board.
    pub fn bit(self) -> u64 {
        1_u64.checked_shl(u32::from(self.0)).unwrap_or(0)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = char::from(b'a' + self.0 % 8);
        write!(f, "{file}{}", self.0 / 8 + 1)
    }
}

/// A board as the side to move sees it. Bit 0 is a1, bit 7 is h1, bit 63 is h8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Board {
    /// Discs of the side to move.
    pub mover: u64,
    /// Discs of the other side.
    pub other: u64,
}

/// The distance between neighbours on each of the four lines through a square, and the
/// squares where a disc can have neighbours on both sides: a run must not go on from file h to a.
const LINES: [(u32, u64); 4] = [
    (1, 0x7e7e_7e7e_7e7e_7e7e),
    (7, 0x7e7e_7e7e_7e7e_7e7e),
    (8, u64::MAX),
    (9, 0x7e7e_7e7e_7e7e_7e7e),
];

/// The runs of squares in `between` that begin next to the squares `from`: those of one direction
/// of a line, and those of the other. A run has at most six squares: two single steps, then two
/// double ones, each over a pair of squares that are both in `between`.
fn runs(from: u64, between: u64, distance: u32) -> (u64, u64) {
    let (mut up, mut down) = (from << distance & between, from >> distance & between);
    up |= up << distance & between;
    down |= down >> distance & between;
    let (pairs_up, pairs_down) = (between & between << distance, between & between >> distance);
    for _ in 0..2 {
        up |= up << (2 * distance) & pairs_up;
        down |= down >> (2 * distance) & pairs_down;
    }
    (up, down)
}

impl Board {
    /// The free squares.
    pub const fn empties(self) -> u64 {
        !(self.mover | self.other)
    }

    /// Where the side to move may place a disc: next to a run of the other side's discs
    /// that begins at one of its own.
    pub fn legal_moves(self) -> u64 {
        let mut ends = 0;
        for (distance, inner) in LINES {
            let (up, down) = runs(self.mover, self.other & inner, distance);
            ends |= up << distance | down >> distance;
        }
        ends & self.empties()
    }

    /// The discs that turn when the side to move places one on the free `square`, given as a
    /// bit: the runs that begin there and end at its own discs. None if that is not legal.
    pub fn flips(self, square: u64) -> u64 {
        let mut flips = 0;
        for (distance, inner) in LINES {
            let (up, down) = runs(square, self.other & inner, distance);
            if (up << distance) & self.mover != 0 {
                flips |= up;
            }
            if (down >> distance) & self.mover != 0 {
                flips |= down;
            }
        }
        flips
    }

    /// The board after a disc on `square` turned `flips`, seen by the other side.
    pub const fn after(self, square: u64, flips: u64) -> Board {
        Board {
            mover: self.other ^ flips,
            other: self.mover ^ flips ^ square,
        }
    }

    /// The board after a pass: its discs, seen by the other side.
    pub const fn passed(self) -> Board {
        Board {
            mover: self.other,
            other: self.mover,
        }
    }

    /// The final score in discs for the side to move; the winner takes the free squares.
    pub const fn final_score(self) -> i32 {
        let difference = self.mover.count_ones() as i32 - self.other.count_ones() as i32;
        difference + difference.signum() * self.empties().count_ones() as i32
    }

    /// The smallest of the eight boards that are this one turned or mirrored: the same for all
    /// of them. Smaller is the one with the smaller `mover`, then with the smaller `other`.
    pub fn canonical(self) -> Board {
        let (mut smallest, mut image) = (self, self);
        for turn in 0..8 {
            // Mirroring and transposing by turns goes through all eight.
            let change = if turn % 2 == 0 {
                u64::swap_bytes
            } else {
                transpose
            };
            image = Board {
                mover: change(image.mover),
                other: change(image.other),
            };
            smallest = smallest.min(image);
        }
        smallest
    }

    /// The square of this board that is `square` on its [canonical](Board::canonical) one.
    pub fn turned_back(self, square: Square) -> Square {
        let canonical = self.canonical();
        for changes in 0..8 {
            let image = |set: u64| image(set, changes);
            if (image(self.mover), image(self.other)) == (canonical.mover, canonical.other) {
                let here = squares(u64::MAX).find(|&here| image(here) == square.bit());
                return here.map_or(square, Square::of);
            }
        }
        square
    }
}

/// The set seen through one of the eight symmetries: the bits of `changes` say which of three mirrors.
fn image(mut set: u64, changes: u32) -> u64 {
    if changes & 1 != 0 {
        set = set.reverse_bits().swap_bytes();
    }
    if changes & 2 != 0 {
        set = set.swap_bytes();
    }
    if changes & 4 != 0 {
        set = transpose(set);
    }
    set
}

/// The squares of a set, one bit each, a1 first.
pub fn squares(mut set: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let square = set & set.wrapping_neg();
        set ^= square;
        (square != 0).then_some(square)
    })
}

/// Mirrors at the diagonal a1-h8: swaps files and ranks.
fn transpose(squares: u64) -> u64 {
    let exchange = |squares: u64, mask: u64, distance: u32| {
        let changed = (squares ^ (squares >> distance)) & mask;
        squares ^ changed ^ (changed << distance)
    };
    let squares = exchange(squares, 0x00aa_00aa_00aa_00aa, 7);
    let squares = exchange(squares, 0x0000_cccc_0000_cccc, 14);
    exchange(squares, 0x0000_0000_f0f0_f0f0, 28)
}

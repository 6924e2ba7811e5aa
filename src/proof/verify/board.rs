//! The rules, once more: legal moves, flips, the end of a game, the eight symmetries.
//!
//! Written for the checker alone, on plain words, the same operation for each of the four
//! lines through a square. A property test holds them to [`crate::rules`], which they do not use.

/// A board as the side to move sees it. Bit 0 is a1, bit 7 is h1, bit 63 is h8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Board {
    /// Discs of the side to move.
    pub mover: u64,
    /// Discs of the other side.
    pub other: u64,
}

/// The files a, h and both, where a run of discs may not go on to the next rank.
const NOT_A_OR_H: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// The distance between neighbours on each of the four lines through a square, and the
/// squares where a disc can have neighbours on both sides.
const LINES: [(u32, u64); 4] = [
    (1, NOT_A_OR_H),
    (7, NOT_A_OR_H),
    (8, u64::MAX),
    (9, NOT_A_OR_H),
];

impl Board {
    /// The free squares.
    pub const fn empties(self) -> u64 {
        !(self.mover | self.other)
    }

    /// Where the side to move may place a disc: next to a run of the other side's discs
    /// that ends at one of its own.
    pub fn legal_moves(self) -> u64 {
        let mut ends = 0;
        for (distance, inner) in LINES {
            let between = self.other & inner;
            let mut up = (self.mover << distance) & between;
            let mut down = (self.mover >> distance) & between;
            for _ in 0..5 {
                up |= (up << distance) & between;
                down |= (down >> distance) & between;
            }
            ends |= up << distance | down >> distance;
        }
        ends & self.empties()
    }

    /// The discs that turn when the side to move places one on the free `square`, given as a
    /// bit; none if that is not legal.
    pub fn flips(self, square: u64) -> u64 {
        let mut flips = 0;
        for (distance, inner) in LINES {
            let between = self.other & inner;
            let mut up = (square << distance) & between;
            let mut down = (square >> distance) & between;
            for _ in 0..5 {
                up |= (up << distance) & between;
                down |= (down >> distance) & between;
            }
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

    /// The same discs, seen by the other side.
    pub const fn passed(self) -> Board {
        Board {
            mover: self.other,
            other: self.mover,
        }
    }

    /// The final score in discs for the side to move; the winner takes the free squares.
    pub const fn final_score(self) -> i32 {
        let mover = self.mover.count_ones() as i32;
        let other = self.other.count_ones() as i32;
        let free = 64 - mover - other;
        if mover > other {
            mover - other + free
        } else if mover < other {
            mover - other - free
        } else {
            0
        }
    }

    /// The smallest of the eight boards that are this one turned or mirrored: the same for all
    /// of them. Smaller is the one with the smaller `mover`, then with the smaller `other`.
    pub fn canonical(self) -> Board {
        let mut smallest = self;
        let mut image = self;
        for turn in 0..8 {
            // Mirroring and transposing by turns goes through all eight.
            image = if turn % 2 == 0 {
                image.map(u64::swap_bytes)
            } else {
                image.map(transpose)
            };
            smallest = smallest.min(image);
        }
        smallest
    }

    fn map(self, change: impl Fn(u64) -> u64) -> Board {
        Board {
            mover: change(self.mover),
            other: change(self.other),
        }
    }
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

//! Which squares form which pattern: the shape of the evaluation.
//!
//! A pattern class is a list of squares; its instances are the images of that
//! list under the eight symmetries of the board, and all of them share one
//! table. The list [`CLASSES`] is the only place to edit: sizes,
//! instances and offsets follow from it when compiling.
//!
//! Besides the patterns there is one feature for each pair of mobilities: how many legal
//! moves the side to move has, and how many its opponent would have.
//!
//! Pattern evaluation: M. Buro, "Experiments with Multi-ProbCut and a new
//! high-quality evaluation function for Othello", NECI technical report 96, 1997.

use crate::rules::{Board, Square, Symmetry};
use crate::simd;

/// Pattern instances that a board may have at most: lanes of a [`super::Features`].
pub const LANES: usize = 64;

/// Squares in one pattern at most, so that an index fits 16 bits.
pub const MAX_SQUARES: usize = 10;

/// The pattern classes, each by the squares of its first instance.
///
/// The order of the squares is the order of the base-3 digits of a configuration, the first one lowest, as
/// weight files number them. Tables in memory have the digits in another order: [`PatternClass::places`].
pub const CLASSES: [PatternClass; 15] = [
    PatternClass::parse("edge + 2X", "b2 a1 b1 c1 d1 e1 f1 g1 h1 g2"),
    PatternClass::parse("corner 2x5", "a1 b1 c1 d1 e1 a2 b2 c2 d2 e2"),
    PatternClass::parse("inner triangle", "b2 c2 d2 e2 b3 c3 d3 b4 c4 b5"),
    PatternClass::parse("corner 3x3", "a1 b1 c1 a2 b2 c2 a3 b3 c3"),
    PatternClass::parse("diagonal 7 + 2 corners", "a1 b1 c2 d3 e4 f5 g6 h7 h8"),
    PatternClass::parse("diagonal 8", "a1 b2 c3 d4 e5 f6 g7 h8"),
    PatternClass::parse("row 3", "a3 b3 c3 d3 e3 f3 g3 h3"),
    PatternClass::parse("diagonal 5 + 2X", "b2 d1 e2 f3 g4 h5 g7"),
    PatternClass::parse("edge + 2 inner", "c2 a1 b1 c1 d1 e1 f1 g1 h1 f2"),
    PatternClass::parse("corner + block", "a1 c1 d1 c2 d2 e2 f2 e1 f1 h1"),
    PatternClass::parse("triangle", "a1 b1 c1 d1 a2 b2 c2 a3 b3 a4"),
    PatternClass::parse("fish", "a1 b1 a2 b2 c2 d2 b3 c3 b4 d4"),
    PatternClass::parse("anvil", "c6 d6 d7 d8 c8 f8 e8 e7 e6 f6"),
    PatternClass::parse("kite", "b1 c1 d2 e3 g2 f4 g5 h6 h7"),
    PatternClass::parse("row 2", "a2 b2 c2 d2 e2 f2 g2 h2"),
];

/// Pattern instances on the board.
pub const INSTANCES: usize = LISTED.1;

/// Every instance, those that one symmetry gives side by side, in the order of [`CLASSES`].
pub const INSTANCE_LIST: [Instance; INSTANCES] =
    *LISTED.0.first_chunk().expect("no more than lanes");

/// The squares by how often they change between two boards that a search evaluates one after the
/// other, 8 for the most often: 18% of the time, a corner 1%.
const VOLATILITY: [u8; 64] =
    Square::table([[0, 1, 2, 4], [1, 3, 5, 6], [2, 5, 7, 8], [4, 6, 8, 7]]);

/// Configurations of all classes together.
pub const CONFIGURATIONS: usize = class_offset(CLASSES.len());

/// Numbers of legal moves that one side may have: 0..=34.
pub const MOBILITIES: u32 = 35;

/// Pairs of such numbers, the side to move and its opponent.
pub const MOBILITY_PAIRS: usize = (MOBILITIES * MOBILITIES) as usize;

/// The number of `board`'s mobility pair, less than [`MOBILITY_PAIRS`].
#[inline]
pub fn mobility_pair(board: Board) -> usize {
    let (player, opponent) = (board.player, board.opponent);
    let count = |moves: u64| moves.count_ones().min(MOBILITIES - 1);
    let own = count(simd::legal_moves(player, opponent));
    let others = count(simd::legal_moves(opponent, player));
    (own * MOBILITIES + others) as usize
}

/// A list of squares whose contents are looked up together.
#[derive(Clone, Copy, Debug)]
pub struct PatternClass {
    /// What it covers, for readers.
    pub name: &'static str,
    squares: [Square; MAX_SQUARES],
    len: usize,
}

impl PatternClass {
    /// A class from squares such as `a1 b1 c1`; a wrong name does not compile.
    const fn parse(name: &'static str, text: &str) -> PatternClass {
        let text = text.as_bytes();
        let mut squares = [Square::wrapping(0); MAX_SQUARES];
        let mut len = 0;
        while 3 * len < text.len() {
            let (file, rank) = (text[3 * len] - b'a', text[3 * len + 1] - b'1');
            assert!(file < 8 && rank < 8, "a square is a1 to h8");
            squares[len] = Square::wrapping(rank as u32 * 8 + file as u32);
            len += 1;
        }
        PatternClass { name, squares, len }
    }

    /// The squares of the first instance, lowest digit of a configuration first.
    pub const fn squares(&self) -> &[Square] {
        self.squares.split_at(self.len).0
    }

    /// Ways to fill the squares: 3 to the power of their number.
    pub const fn configurations(&self) -> usize {
        3usize.pow(self.len as u32)
    }

    /// The squares as a set, seen through `symmetry`.
    const fn mask(&self, symmetry: Symmetry) -> u64 {
        let mut mask = 0;
        let mut i = 0;
        while i < self.len {
            mask |= symmetry.apply_square(self.squares[i]).bit();
            i += 1;
        }
        mask
    }

    /// Does `Symmetry::ALL[n]` give a set of squares that no earlier symmetry gives?
    const fn is_new_instance(&self, n: usize) -> bool {
        let mask = self.mask(Symmetry::ALL[n]);
        let mut earlier = 0;
        while earlier < n {
            if self.mask(Symmetry::ALL[earlier]) == mask {
                return false;
            }
            earlier += 1;
        }
        true
    }

    /// For each square the place of its digit in an index, 0 the lowest: those that change most often
    /// come first, so that boards of one search find their weights in few lines of memory.
    pub const fn places(&self) -> [usize; MAX_SQUARES] {
        let mut places = [0; MAX_SQUARES];
        let mut i = 0;
        while i < self.len {
            let own = VOLATILITY[self.squares[i].index()];
            let mut other = 0;
            while other < self.len {
                let others = VOLATILITY[self.squares[other].index()];
                places[i] += (others > own || (others == own && other < i)) as usize;
                other += 1;
            }
            i += 1;
        }
        places
    }

    /// The index of each configuration.
    pub fn indices(&self) -> Vec<u16> {
        permuted_indices(&self.places()[..self.len])
    }

    /// The symmetries that map the squares onto themselves, each with the configuration that it makes
    /// of every configuration; the identity is the first.
    pub(super) fn self_maps(&self) -> impl Iterator<Item = (Symmetry, Vec<u16>)> + '_ {
        Symmetry::all().filter_map(|symmetry| {
            let digits = self.squares().iter().map(|&square| {
                let image = symmetry.apply_square(square);
                self.squares().iter().position(|&other| other == image)
            });
            let digits: Option<Vec<usize>> = digits.collect();
            digits.map(|digits| (symmetry, permuted_indices(&digits)))
        })
    }
}

/// For each configuration its index after digit `k` has become digit `map[k]`. The indices with
/// one digit more are computed from those before.
fn permuted_indices(map: &[usize]) -> Vec<u16> {
    let mut indices = vec![0];
    for &to in map {
        let known = indices.len();
        for digit in 1..3 {
            let step = digit * 3u16.pow(to as u32);
            indices.extend_from_within(..known);
            let new = indices.len() - known;
            indices[new..].iter_mut().for_each(|index| *index += step);
        }
    }
    indices
}

/// One placement of a class on the board.
#[derive(Clone, Copy, Debug)]
pub struct Instance {
    /// Number of its class in [`CLASSES`].
    pub class: usize,
    /// Where its class begins among the configurations of all classes.
    pub offset: usize,
    /// The symmetry that maps the squares of the class to those of this instance.
    pub symmetry: Symmetry,
}

impl Instance {
    /// The squares, lowest digit of a configuration first.
    pub fn squares(&self) -> impl Iterator<Item = Square> {
        let class = &CLASSES[self.class];
        let squares = class.squares.into_iter().take(class.len);
        squares.map(|square| self.symmetry.apply_square(square))
    }
}

/// Where class number `class` begins among the configurations of all classes.
pub const fn class_offset(class: usize) -> usize {
    let mut offset = 0;
    let mut i = 0;
    while i < class {
        offset += CLASSES[i].configurations();
        i += 1;
    }
    offset
}

/// The instances, and how many there are.
const LISTED: ([Instance; LANES], usize) = {
    let mut list = [Instance {
        class: 0,
        offset: 0,
        symmetry: Symmetry::IDENTITY,
    }; LANES];
    let mut count = 0;
    let mut n = 0;
    while n < Symmetry::ALL.len() {
        let mut class = 0;
        while class < CLASSES.len() {
            if CLASSES[class].is_new_instance(n) {
                list[count] = Instance {
                    class,
                    offset: class_offset(class),
                    symmetry: Symmetry::ALL[n],
                };
                count += 1;
            }
            class += 1;
        }
        n += 1;
    }
    (list, count)
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_has_as_many_instances_as_symmetry_allows() {
        let count = |name: &str| {
            let of_name = |i: &&Instance| CLASSES[i.class].name == name;
            INSTANCE_LIST.iter().filter(of_name).count()
        };
        assert_eq!(count("edge + 2X"), 4);
        assert_eq!(count("corner 3x3"), 4);
        assert_eq!(count("diagonal 8"), 2);
    }

    #[test]
    fn every_class_lists_its_squares_once() {
        for class in CLASSES {
            let mask = class.mask(Symmetry::IDENTITY);
            assert_eq!(mask.count_ones() as usize, class.len, "{}", class.name);
        }
    }

    #[test]
    fn a_row_of_squares_is_mapped_onto_itself_by_its_mirror() {
        let row = PatternClass::parse("row 2", "a2 b2 c2 d2 e2 f2 g2 h2");
        let maps: Vec<(Symmetry, Vec<u16>)> = row.self_maps().collect();
        let [(identity, _), (mirror, images)] = &maps[..] else {
            panic!("{} maps", maps.len());
        };
        assert_eq!(*identity, Symmetry::IDENTITY);
        assert_eq!(
            mirror.apply(Square::wrapping(8).bit()),
            Square::wrapping(15).bit()
        );
        let (player_on_a2, player_on_h2) = (1, 3u16.pow(7));
        assert_eq!(images[usize::from(player_on_a2)], player_on_h2);
        assert_eq!(images[usize::from(player_on_h2)], player_on_a2);
    }
}

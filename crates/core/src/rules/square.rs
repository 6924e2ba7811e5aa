//! Squares and moves, with their text forms.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Bitboard;

/// One of the 64 squares. A1 is 0, H1 is 7, H8 is 63; rank 1 is the top row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct Square(u8);

impl Square {
    /// The square of `index` 0..=63: 8 × (rank − 1) + file.
    pub const fn new(index: u32) -> Option<Square> {
        if index < 64 {
            Some(Square(index as u8))
        } else {
            None
        }
    }

    /// The square of a file 0..=7 (A..H) and a rank 0..=7 (1..8).
    pub const fn at(file: u32, rank: u32) -> Option<Square> {
        if file < 8 {
            Square::new(rank.saturating_mul(8).saturating_add(file))
        } else {
            None
        }
    }

    /// The square of the number 10 × rank + file, both from 1 on: 11 is a1, 18 is h1, 81 is a8.
    pub const fn of_digits(number: u32) -> Option<Square> {
        match (number % 10, number / 10) {
            (1.., 1..) => Square::at(number % 10 - 1, number / 10 - 1),
            _ => None,
        }
    }

    /// What all squares have that are alike up to a reflection, by their quarter of the board, A1..D1 first.
    pub const fn table(quarter: [[u8; 4]; 4]) -> [u8; 64] {
        let mut table = [0; 64];
        let mut square = 0;
        while square < 64 {
            let (file, rank) = (square & 7, square >> 3);
            let file = if file < 4 { file } else { 7 - file };
            let rank = if rank < 4 { rank } else { 7 - rank };
            table[square] = quarter[rank][file];
            square += 1;
        }
        table
    }

    /// The square of the low six bits of `index`.
    pub const fn wrapping(index: u32) -> Square {
        Square((index & 63) as u8)
    }

    /// 0..=63, A1 first, H8 last.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The set of this square alone, as bits.
    pub const fn bit(self) -> u64 {
        1 << self.0
    }

    /// 0..=7 for files A..H.
    pub const fn file(self) -> u32 {
        self.0 as u32 & 7
    }

    /// 0..=7 for ranks 1..8.
    pub const fn rank(self) -> u32 {
        self.0 as u32 >> 3
    }

    /// Its name in lower case: `f5`.
    pub fn name(self) -> &'static str {
        let first = 2 * self.index();
        &NAMES[first..first + 2]
    }

    /// All squares, A1 first.
    pub fn all() -> impl Iterator<Item = Square> {
        (0..64).map(Square)
    }
}

/// The names of all squares, one after the other.
const NAMES: &str = {
    const BYTES: [u8; 128] = {
        let mut bytes = [0; 128];
        let mut index = 0;
        while index < 64 {
            bytes[2 * index] = b'a' + index as u8 % 8;
            bytes[2 * index + 1] = b'1' + index as u8 / 8;
            index += 1;
        }
        bytes
    };
    match str::from_utf8(&BYTES) {
        Ok(names) => names,
        Err(_) => panic!("letters and digits"),
    }
};

impl From<Square> for Bitboard {
    fn from(square: Square) -> Bitboard {
        Bitboard(square.bit())
    }
}

/// Lower case: `f5`. The alternate form `{:#}` is upper case.
impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            f.write_str(&self.name().to_ascii_uppercase())
        } else {
            f.write_str(self.name())
        }
    }
}

/// Text that is neither a square nor a pass.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("expected a square a1..h8 or a pass, found {0:?}")]
pub struct ParseMoveError(pub String);

impl FromStr for Square {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<Square, ParseMoveError> {
        match text.as_bytes() {
            [file @ (b'a'..=b'h' | b'A'..=b'H'), rank @ b'1'..=b'8'] => {
                let file = file.to_ascii_lowercase() - b'a';
                Ok(Square(8 * (rank - b'1') + file))
            }
            _ => Err(ParseMoveError(text.to_owned())),
        }
    }
}

/// What a side does with its turn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Move {
    /// A disc on this square.
    Place(Square),
    /// A pass: there is no legal move.
    Pass,
}

impl Move {
    /// All spellings of a pass that are read, in lower case, longer ones first: words and
    /// their beginnings (transcripts, GGF, GTP), `--` (PGN, OBF), and the null moves of chess hosts.
    pub const PASSES: [&'static str; 8] = ["pass", "pas", "pa", "ps", "p", "--", "@@@@", "0000"];

    /// The square, if this is not a pass.
    pub const fn square(self) -> Option<Square> {
        match self {
            Move::Place(square) => Some(square),
            Move::Pass => None,
        }
    }

    /// `f5` or `pass`.
    pub fn name(self) -> &'static str {
        match self {
            Move::Place(square) => square.name(),
            Move::Pass => "pass",
        }
    }
}

impl From<Square> for Move {
    fn from(square: Square) -> Move {
        Move::Place(square)
    }
}

/// `f5` or `pass`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Place(square) => square.fmt(f),
            Move::Pass => f.write_str("pass"),
        }
    }
}

/// Reads a square in any case, or a pass in any of [`Move::PASSES`].
impl FromStr for Move {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<Move, ParseMoveError> {
        let mut passes = Move::PASSES.iter();
        match passes.any(|pass| text.eq_ignore_ascii_case(pass)) {
            true => Ok(Move::Pass),
            false => text.parse().map(Move::Place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_square_reads_back() {
        for square in Square::all() {
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(format!("{square:#}").parse(), Ok(square));
        }
    }

    #[test]
    fn squares_have_a_place_and_a_number() {
        for square in Square::all() {
            let (file, rank) = (square.file(), square.rank());
            assert_eq!(Square::at(file, rank), Some(square));
            assert_eq!(Square::of_digits(10 * rank + file + 11), Some(square));
        }
        for number in [0, 9, 10, 19, 20, 90, 91, 119, u32::MAX] {
            assert_eq!(Square::of_digits(number), None, "{number}");
        }
        assert_eq!((Square::at(8, 0), Square::at(0, 8)), (None, None));
        assert_eq!(Square::at(0, u32::MAX), None);
    }

    #[test]
    fn passes_are_read_in_every_spelling() {
        for text in ["pass", "PASS", "Ps", "PA", "--", "@@@@", "0000"] {
            assert_eq!(text.parse(), Ok(Move::Pass), "{text}");
        }
    }

    #[test]
    fn other_text_is_refused() {
        for text in ["", "a", "a0", "a9", "i1", "a11", "5f", "é1"] {
            assert!(text.parse::<Move>().is_err(), "{text}");
        }
    }
}

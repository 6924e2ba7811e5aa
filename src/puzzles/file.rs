//! A file of puzzles, which the page reads as well: `EMPUZZLE`, a byte for the version, and for each puzzle two boards of
//! eight bytes, kind, score, rating and themes (two bytes each), the number of moves and the moves, a byte each.
//! Numbers are little-endian; a pass is 64.

use thiserror::Error;

use super::{Kind, Puzzle, Themes};
use crate::files::FileKind;
use crate::human::Rating;
use crate::rules::{Board, Move, Square};

const MAGIC: &[u8; 8] = b"EMPUZZLE";
const VERSION: u8 = 1;

/// A file of puzzles.
pub const PUZZLES: FileKind = FileKind {
    name: "a file of puzzles",
    is: |head| head.starts_with(&MAGIC[..head.len().min(MAGIC.len())]),
};

const PASS: u8 = 64;
/// The bytes of a puzzle before its moves.
const HEAD: usize = 23;

/// Why bytes are no file of puzzles.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PuzzleFileError {
    /// It begins otherwise.
    #[error("not a file of puzzles")]
    NotPuzzles,
    /// A later version.
    #[error("version {0} is not known")]
    Version(u8),
    /// It ends too early, or holds what cannot be.
    #[error("puzzle {0} is damaged")]
    Damaged(usize),
}

/// The bytes of a file.
pub fn write(puzzles: &[Puzzle]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.push(VERSION);
    for puzzle in puzzles {
        bytes.extend(puzzle.board.player.to_le_bytes());
        bytes.extend(puzzle.board.opponent.to_le_bytes());
        bytes.push(puzzle.kind as u8);
        bytes.push((puzzle.score as i8).cast_unsigned());
        bytes.extend((puzzle.rating.elo() as u16).to_le_bytes());
        bytes.extend(puzzle.themes.0.to_le_bytes());
        bytes.push(puzzle.line.len() as u8);
        bytes.extend(
            puzzle
                .line
                .iter()
                .map(|mv| mv.square().map_or(PASS, |square| square.index() as u8)),
        );
    }
    bytes
}

/// The puzzles of a file.
///
/// # Errors
/// If it is none, or damaged; no puzzle of it is returned then.
pub fn read(bytes: &[u8]) -> Result<Vec<Puzzle>, PuzzleFileError> {
    let rest = bytes
        .strip_prefix(MAGIC)
        .ok_or(PuzzleFileError::NotPuzzles)?;
    let (&version, mut rest) = rest.split_first().ok_or(PuzzleFileError::NotPuzzles)?;
    if version != VERSION {
        return Err(PuzzleFileError::Version(version));
    }
    let mut puzzles = Vec::new();
    while !rest.is_empty() {
        let damaged = PuzzleFileError::Damaged(puzzles.len() + 1);
        let (puzzle, left) = one(rest).ok_or(damaged)?;
        puzzles.push(puzzle);
        rest = left;
    }
    Ok(puzzles)
}

/// The first puzzle, and the bytes behind it.
fn one(bytes: &[u8]) -> Option<(Puzzle, &[u8])> {
    let (head, rest) = bytes.split_at_checked(HEAD)?;
    let discs = |at: usize| head[at..at + 8].try_into().ok().map(u64::from_le_bytes);
    let short = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
    let (line, rest) = rest.split_at_checked(head[22].into())?;
    let line: Option<Vec<Move>> = line.iter().map(|&byte| move_of(byte)).collect();
    let puzzle = Puzzle {
        board: Board::new(discs(0)?, discs(8)?)?,
        kind: *Kind::ALL.get(usize::from(head[16]))?,
        score: head[17].cast_signed().into(),
        rating: Rating::new(short(18).into()),
        themes: Themes(short(20)),
        line: line?,
    };
    Some((puzzle, rest))
}

fn move_of(byte: u8) -> Option<Move> {
    match byte {
        PASS => Some(Move::Pass),
        _ => Square::new(byte.into()).map(Move::Place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_damage_is_named() {
        let puzzle = Puzzle {
            board: Board::START,
            kind: Kind::Best,
            score: -6,
            rating: Rating::new(1234.0),
            themes: Themes(9),
            line: vec!["f5".parse().unwrap(), Move::Pass],
        };
        let bytes = write(&[puzzle.clone(), puzzle.clone()]);
        assert_eq!(read(&bytes), Ok(vec![puzzle.clone(), puzzle]));
        assert_eq!(read(b"EMPUZZLE\x02"), Err(PuzzleFileError::Version(2)));
        assert_eq!(read(b"PUZZLE"), Err(PuzzleFileError::NotPuzzles));
        for end in 10..bytes.len() {
            let first = end < 9 + HEAD + 2;
            let found = read(&bytes[..end]);
            if end != 9 + HEAD + 2 {
                assert_eq!(
                    found,
                    Err(PuzzleFileError::Damaged(1 + usize::from(!first)))
                );
            }
        }
    }
}

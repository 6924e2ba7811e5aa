//! A file of puzzles, which the page reads as well: a sealed container `EMPUZZLE` whose header tells how many there are,
//! and whose one block has for each two boards of eight bytes, kind, score, rating and themes (two bytes each), the
//! number of moves and the moves, a byte each. Numbers are little-endian; a pass is 64.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Kind, Puzzle, Themes};
use crate::container::{ContainerError, ContainerFormat, ContainerReader, Sealer};
use crate::files::FileKind;
use crate::human::Rating;
use crate::rules::{Board, Move, Square};

const FORMAT: ContainerFormat = ContainerFormat {
    magic: *b"EMPUZZLE",
    version: 2,
    name: "a file of puzzles",
};

/// A file of puzzles.
pub const PUZZLES: FileKind = FileKind {
    name: FORMAT.name,
    is: |head| FORMAT.matches(head),
};

const PASS: u8 = 64;
/// The bytes of a puzzle before its moves.
const HEAD: usize = 23;

#[derive(Serialize, Deserialize)]
struct Header {
    puzzles: usize,
}

/// Why bytes are no file of puzzles.
#[derive(Debug, Error)]
pub enum PuzzleFileError {
    /// The container is not whole.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// It holds what cannot be.
    #[error("puzzle {0} is damaged")]
    Damaged(usize),
    /// It has fewer or more than it says.
    #[error("it has {found} puzzles, not {said}")]
    Count {
        /// Those that are there.
        found: usize,
        /// What the header tells.
        said: usize,
    },
}

/// The bytes of a file.
pub fn write(puzzles: &[Puzzle]) -> Vec<u8> {
    let mut bytes = Vec::new();
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
    let header = Header {
        puzzles: puzzles.len(),
    };
    let (mut sealer, head) = Sealer::new(&FORMAT, &header);
    [head, sealer.block(&bytes)].concat()
}

/// The puzzles of a file.
///
/// # Errors
/// If it is none, or damaged; no puzzle of it is returned then.
pub fn read(bytes: &[u8]) -> Result<Vec<Puzzle>, PuzzleFileError> {
    let (mut reader, header) = ContainerReader::new::<Header>(&FORMAT, bytes)?;
    let block = reader.block()?.unwrap_or_default();
    let mut rest = &block[..];
    let mut puzzles = Vec::new();
    while !rest.is_empty() {
        let damaged = PuzzleFileError::Damaged(puzzles.len() + 1);
        let (puzzle, left) = one(rest).ok_or(damaged)?;
        puzzles.push(puzzle);
        rest = left;
    }
    // Nothing may stand behind them.
    if reader.block()?.is_some() {
        return Err(PuzzleFileError::Damaged(puzzles.len() + 1));
    }
    let (found, said) = (puzzles.len(), header.puzzles);
    if found != said {
        return Err(PuzzleFileError::Count { found, said });
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
    fn the_puzzles_of_the_page_are_right_and_a_changed_one_is_not() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/web/puzzles.bin");
        let mut puzzles = read(&std::fs::read(path).expect("the file")).expect("puzzles");
        for puzzle in puzzles.iter_mut().take(40) {
            assert_eq!(super::super::check(puzzle), Ok(()));
            puzzle.score += 2;
            assert!(super::super::check(puzzle).is_err());
        }
    }

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
        assert_eq!(read(&bytes).unwrap(), [puzzle.clone(), puzzle]);
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(read(&changed).is_err(), "byte {at}");
            assert!(read(&bytes[..at]).is_err(), "{at} bytes");
        }
    }
}

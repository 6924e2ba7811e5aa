//! A piece of a file, or all of it, and the lines and columns of its errors.

use std::io::{self, BufRead, Read};

use super::{FoundGame, GamePlace};
use crate::formats::{BadGame, PlacedGame};
use crate::text::{TextError, latin1};

/// Longest file of a kind that is read whole, in bytes.
pub(super) const MAX_WHOLE: u64 = 1 << 28;

/// A piece of a file, and where it stands.
#[derive(Default)]
pub(super) struct Piece {
    /// The line of its first byte, and the bytes before it in that line.
    pub(super) line: u64,
    pub(super) column: usize,
    pub(super) bytes: Vec<u8>,
}

impl Piece {
    /// Line and column of byte `at` of its text.
    fn place(&self, text: &str, at: usize) -> (u64, usize) {
        let before = &text[..text.floor_char_boundary(at)];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let lines = before[..start].matches('\n').count() as u64;
        // Letters of Latin-1 are one byte in the file.
        let length = match text.len() == self.bytes.len() {
            true => before.len() - start,
            false => before[start..].chars().count(),
        };
        let first = if start == 0 { self.column } else { 0 };
        (self.line + lines, first + length + 1)
    }

    /// The games of a reader of whole texts.
    pub(super) fn games(&self, parse: impl Fn(&str) -> Vec<PlacedGame>) -> Vec<FoundGame> {
        let text = latin1(&self.bytes);
        let games = parse(&text).into_iter().map(|(column, game)| {
            let (line, _) = self.place(&text, column - 1);
            let place = GamePlace::Line(line);
            match game {
                Ok(game) => FoundGame::new(place, Ok(game)),
                Err(bad) => {
                    let (line, column) = self.place(&text, bad.error.column - 1);
                    let error = TextError::new(column, bad.error.reason);
                    let found = FoundGame::bad(line, BadGame { error, ..bad });
                    FoundGame { place, ..found }
                }
            }
        });
        games.collect()
    }
}

/// All bytes of a file of a kind that cannot be read in pieces.
pub(super) fn whole(reader: &mut dyn BufRead) -> io::Result<Piece> {
    let mut bytes = Vec::new();
    reader.take(MAX_WHOLE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_WHOLE {
        let reason = format!("a file of this kind is read up to {} MB", MAX_WHOLE >> 20);
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    Ok(Piece {
        line: 1,
        column: 0,
        bytes,
    })
}

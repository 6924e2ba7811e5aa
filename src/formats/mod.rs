//! Text and files that other programs write and read: problem lines (OBF), transcripts, opening lists,
//! WTHOR databases, games of GGF, SGF and PGN, tables, pasted pages and JSON; and our own records of self-play. [`detect`] says what a file
//! is, and [`games`] reads the games of all of them.
//!
//! Every text grammar is made of the words of [`crate::text`]. For any bytes, reading returns a
//! value or an error that names the column, and, for files, the line.
//!
//! ```
//! use emilia::formats::ggf::{self, GgfGame};
//! use emilia::formats::transcript::{self, Transcript};
//!
//! let line: Transcript = "F5 D6 C3 +4 a note".parse()?;
//! assert_eq!((line.game.transcript().as_str(), line.score), ("f5d6c3", Some(4)));
//! assert_eq!(transcript::parse_pasted("1. f5 d6\n2. c3 (a remark)")?, line.game);
//! let error = "f5 d6 a1".parse::<Transcript>().expect_err("illegal");
//! assert_eq!(error.to_string(), "column 7: illegal move a1");
//!
//! let mut game = GgfGame::new(line.game);
//! game.black.name = "Emilia".to_owned();
//! assert_eq!(ggf::parse_line(&game.to_string())?, [game]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod board;

pub mod obf;

pub mod opening_names;

pub mod transcript;

mod pasted;

mod drawn;

pub mod line;

pub mod openings;

mod facts;

pub mod ggf;

pub mod sgf;

pub mod pgn;

pub mod page;

mod table;

mod json;

pub mod wthor;

pub mod detect;

pub mod games;

#[cfg(feature = "program")]
pub mod records;

#[cfg(feature = "program")]
pub mod corpus;

#[cfg(test)]
mod fuzz;

use ggf::GgfGame;

use crate::text::TextError;

/// A game of a text, with the byte at which it begins (the first is 1), or why it cannot be read.
pub type PlacedGame = (usize, Result<GgfGame, BadGame>);

/// Why a game cannot be read, and what can be read of it.
#[derive(Clone, PartialEq, Debug)]
pub struct BadGame {
    /// What is wrong, and where.
    pub error: TextError,
    /// The game up to there, if what is wrong is an illegal move.
    pub before: Option<Box<GgfGame>>,
}

impl From<TextError> for BadGame {
    fn from(error: TextError) -> BadGame {
        let before = None;
        BadGame { error, before }
    }
}

impl BadGame {
    /// An error, and the moves before it, if there are some and it is an illegal move.
    pub(crate) fn after(before: GgfGame, error: TextError) -> BadGame {
        let is_cut = error.is_illegal_move() && !before.game.moves().is_empty();
        let before = is_cut.then(|| Box::new(before));
        BadGame { error, before }
    }

    /// The error of `text`. What stands before an illegal move is read by `read`.
    pub(crate) fn of<T>(
        error: TextError,
        text: &str,
        read: impl FnOnce(&str) -> Result<GgfGame, T>,
    ) -> BadGame {
        let text = text.get(..error.column - 1);
        let before = text.filter(|_| error.is_illegal_move()).map(read);
        match before {
            Some(Ok(before)) => BadGame::after(before, error),
            _ => error.into(),
        }
    }
}

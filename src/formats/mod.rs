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

use crate::text::TextError;

/// A game of a text, with the byte at which it begins (the first is 1), or why it cannot be read.
pub type PlacedGame = (usize, Result<ggf::GgfGame, TextError>);

//! The rules of Othello: squares, boards, positions, games and perft.
//!
//! Pure: no input or output, no clock, no randomness; only parsing can fail.
//! Below [`Position`] there are no colours, just the side to move and its opponent.

mod bitboard;
mod board;
mod game;
mod perft;
mod position;
mod square;

pub use bitboard::{Bitboard, Symmetry};
pub use board::Board;
pub use game::{Game, IllegalMove};
pub use perft::{PassRule, perft, perft_plain};
pub use position::{Color, Discs, ParseColorError, ParsePositionError, Position};
pub use square::{Move, ParseMoveError, Square};

//! The commands.

use crate::formats::ggf::{Annotation, GgfGame};
use crate::rules::Move;

/// The protocol's version.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Version {
    /// A move is sent without the word `move`, and clocks are ignored.
    One,
    /// The current version.
    Two,
}

/// One line of NBoard.
#[derive(Clone, PartialEq, Debug)]
pub enum NBoardCommand {
    /// `nboard N`
    Hello(Version),
    /// `set depth N`: plies of a midgame search.
    SetDepth(u32),
    /// `set game GGF`
    SetGame(Box<GgfGame>),
    /// `set contempt N`: what a draw is worth to black, −100..=100 hundredths of a disc.
    SetContempt(i32),
    /// `move F5/1.00/0.5`, or `F5` in version 1.
    Move(Move, Annotation),
    /// `ping N`
    Ping(i64),
    /// `hint N`: the N best moves.
    Hint(usize),
    /// `go`: choose a move, but do not play it.
    Go,
    /// `learn`: add the game to the book.
    Learn,
    /// `analyze`: search all positions of the game.
    Analyze,
    /// `quit`
    Quit,
}

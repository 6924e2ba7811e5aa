//! The Othello service of the Generic Game Server (M. Buro), on which programs and people meet.
//!
//! Here Emilia is the client: it connects, logs in, accepts or asks for matches, and plays. [`run`] joins the
//! connection, the engine and the person's interrupts; the `session` says what follows from a line, as in the other
//! protocols. What other users say is logged, and never carried out.

mod client;
mod game;
mod grammar;
pub mod kind;
pub mod message;
mod notes;
mod reply;
mod session;
pub mod settings;
mod telnet;
#[cfg(test)]
mod tests;

use crate::formats::ggf::GgfGame;

pub use client::run;
pub use grammar::parse;
pub use settings::Settings;

/// What happens.
#[derive(Clone, PartialEq, Debug)]
pub enum Report {
    /// A line for the person, without control characters.
    Note(String),
    /// A game that has ended, or was cut off.
    Game {
        /// The game.
        game: Box<GgfGame>,
        /// Did we play?
        is_ours: bool,
    },
}

/// How a conversation ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The first interrupt: all games are over.
    Left,
    /// The second interrupt: games were adjourned.
    Interrupted,
    /// The server refused the login, for this reason.
    Refused(String),
}

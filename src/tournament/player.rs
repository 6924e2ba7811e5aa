//! What the arbiter knows of an engine: it is asked for a move, and answers or fails.

use std::time::Duration;

use thiserror::Error;

use super::builtin::{Baseline, Internal};
use super::gtp::Gtp;
use super::nboard::NBoard;
use super::ugi::Ugi;
use super::{Clock, Entrant, Kind, MoveRecord, Protocol};
use crate::rules::{Color, Game, Move};

/// Something that plays.
pub trait Player {
    /// Gets ready for a new game.
    ///
    /// # Errors
    /// If the engine does not answer as it should; it is of no use any more.
    fn new_game(&mut self) -> Result<(), Fault>;

    /// Chooses a move for the side to move, which has at least one legal square.
    /// Whether the move is legal is for the arbiter to see.
    ///
    /// # Errors
    /// If the engine does not answer as it should; it is of no use any more.
    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, Fault>;
}

/// What a player sees when it is its turn.
#[derive(Debug)]
pub struct Turn<'a> {
    /// The game so far.
    pub game: &'a Game,
    /// What is kept of its moves, one for each.
    pub records: &'a [MoveRecord],
    /// The clock of the first player.
    pub black: Clock,
    /// The clock of the second player.
    pub white: Clock,
}

impl Turn<'_> {
    /// The clock of the side to move.
    pub const fn clock(&self) -> Clock {
        match self.game.position().side {
            Color::Black => self.black,
            Color::White => self.white,
        }
    }
}

/// What a player does with its turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// It plays a move, legal or not.
    Play(Move),
    /// It gives up.
    Resign,
}

/// A player's answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// What it does.
    pub action: Action,
    /// Time from the question to the answer.
    pub time: Duration,
    /// The player's own estimate in discs for itself, if it tells.
    pub score: Option<f64>,
    /// Plies searched, if it tells.
    pub depth: Option<u32>,
}

/// What an engine did instead of answering.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// It ended, could not be started, or closed its output.
    #[error("crash: {0}")]
    Crash(String),
    /// It said nothing for too long.
    #[error("hang: {0}")]
    Hang(String),
    /// It said what makes no sense.
    #[error("garbage: {0}")]
    Garbage(String),
}

/// Starts an engine.
///
/// # Errors
/// If its process cannot be started, or it does not answer the first questions.
pub fn start(entrant: &Entrant, patience: Duration) -> Result<Box<dyn Player>, Fault> {
    match &entrant.kind {
        Kind::Internal => Ok(Box::new(Internal::new(&entrant.settings)?)),
        Kind::Mobility => Ok(Box::new(Baseline)),
        Kind::Process { protocol, command } => match protocol {
            Protocol::Uci | Protocol::Ugi => {
                let ugi = Ugi::start(*protocol, command, &entrant.settings, patience)?;
                Ok(Box::new(ugi))
            }
            Protocol::NBoard => Ok(Box::new(NBoard::start(command, entrant, patience)?)),
            Protocol::Gtp => Ok(Box::new(Gtp::start(command, entrant, patience)?)),
        },
    }
}

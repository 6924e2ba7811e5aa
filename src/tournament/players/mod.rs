//! Players: who is entered with which settings, what each may spend, and how a move is
//! had from it, in this process or through a protocol from another one.

mod budget;

mod entrant;

mod builtin;

mod cpu;

mod process;

mod external;

mod ugi;

mod gtp;

mod nboard;

use std::time::Duration;

use thiserror::Error;

use super::MoveRecord;
use crate::rules::{Color, Game, Move};

pub use budget::{Budget, Clock};
pub use entrant::{Entrant, Kind, MARGIN, PassStyle, Protocol, Seconds, Settings};

/// Something that plays.
pub trait Player: Send {
    /// Gets ready for a new game.
    ///
    /// # Errors
    /// If the engine does not answer as it should; it cannot be used any more.
    fn new_game(&mut self) -> Result<(), Fault>;

    /// Chooses a move for the side to move, which has at least one legal square, and gives the
    /// time from the question to the answer. The arbiter checks whether the move is legal.
    ///
    /// # Errors
    /// If the engine does not answer as it should; it cannot be used any more.
    fn choose(&mut self, turn: &Turn<'_>) -> Result<(Choice, Duration), Fault>;

    /// CPU time of all games so far; `None` where the system does not tell.
    fn cpu_time(&self) -> Option<Duration>;
}

/// What a player sees when it is its turn.
#[derive(Debug)]
pub struct Turn<'a> {
    /// The game so far.
    pub game: &'a Game,
    /// What is kept of its moves, one for each.
    pub records: &'a [MoveRecord],
    /// The clocks, the first player's first.
    pub clocks: [Clock; 2],
}

impl Turn<'_> {
    /// The clock of this side.
    pub const fn clock_of(&self, color: Color) -> Clock {
        self.clocks[color as usize]
    }

    /// The clock of the side to move.
    pub const fn clock(&self) -> Clock {
        self.clock_of(self.game.position().side)
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
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice {
    /// What it does.
    pub action: Action,
    /// The player's own estimate in discs for itself, if it sends one.
    pub score: Option<f64>,
    /// Plies searched, if it sends them.
    pub depth: Option<u32>,
}

impl Choice {
    /// A choice about which nothing else is known.
    const fn of(action: Action) -> Choice {
        Choice {
            action,
            score: None,
            depth: None,
        }
    }
}

/// What an engine did instead of answering.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// It ended, or closed its output.
    #[error("crash: {0}")]
    Crash(String),
    /// It did not answer in time.
    #[error("hang: {0}")]
    Hang(String),
    /// It sent something that cannot be understood.
    #[error("garbage: {0}")]
    Garbage(String),
}

/// An engine that cannot be started, or does not complete its handshake.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("engine {name:?} cannot be started: {reason}")]
pub struct StartError {
    name: String,
    reason: String,
}

/// Starts an engine that may spend `budget`, and completes the handshake of its protocol.
/// `patience` bounds the handshake, and later each silence beyond the time for thinking.
///
/// # Errors
/// If its process cannot be started, or does not complete the handshake in time, or it
/// cannot be told the budget.
pub fn start(
    entrant: &Entrant,
    budget: Budget,
    patience: Duration,
) -> Result<Box<dyn Player>, StartError> {
    player(entrant, budget, patience).map_err(|fault| StartError {
        name: entrant.name.clone(),
        reason: match fault {
            Fault::Crash(reason) | Fault::Hang(reason) | Fault::Garbage(reason) => reason,
        },
    })
}

fn player(entrant: &Entrant, budget: Budget, patience: Duration) -> Result<Box<dyn Player>, Fault> {
    let settings = &entrant.settings;
    entrant.check_budget(budget).map_err(Fault::Garbage)?;
    let (protocol, command) = match &entrant.kind {
        Kind::Internal => return Ok(Box::new(builtin::Builtin::search(settings)?)),
        Kind::Mobility => return Ok(Box::new(builtin::Builtin::baseline())),
        Kind::Process { protocol, command } => (*protocol, command),
    };
    let process = process::Process::start(command, settings.dir.as_deref(), patience)?;
    Ok(match protocol {
        Protocol::Uci | Protocol::Ugi => {
            external::start(process, ugi::Ugi::new(protocol, settings))?
        }
        Protocol::NBoard => external::start(process, nboard::NBoard::new(entrant))?,
        Protocol::Gtp => external::start(process, gtp::Gtp::new(settings, budget))?,
    })
}

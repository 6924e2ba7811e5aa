//! Players: their settings and budgets, and how they are asked for a move, in this process or by
//! a protocol in another one.

mod budget;

mod entrant;

mod builtin;

mod cpu;

mod process;

mod stop;

mod external;

mod ugi;

mod gtp;

mod nboard;

use std::time::Duration;

use thiserror::Error;

use self::builtin::Builtin;
use self::external::Dialect;
use self::process::Process;
use super::MoveRecord;
use crate::rules::{Color, Game, Move};

pub use budget::{Budget, Clock};
pub use entrant::{Entrant, Kind, MARGIN, PassStyle, Protocol, Seconds, Settings};
pub use stop::Stop;

/// Something that plays.
pub trait Player: Send {
    /// Gets ready for the game of this number.
    ///
    /// # Errors
    /// If the engine does not answer as it should; it cannot be used any more.
    fn new_game(&mut self, number: u64) -> Result<(), Fault>;

    /// Chooses a move for the side to move, which has at least one legal square, and returns the
    /// time from the question to the answer. The arbiter checks whether the move is legal.
    ///
    /// # Errors
    /// If the engine does not answer as it should; it cannot be used any more.
    fn choose(&mut self, turn: &Turn<'_>) -> Result<(Choice, Duration), Fault>;

    /// CPU time of all games so far; `None` where the system does not tell.
    fn cpu_time(&self) -> Option<Duration>;
}

/// The input of a player at its turn.
#[derive(Debug)]
pub struct Turn<'a> {
    /// The game so far.
    pub game: &'a Game,
    /// The records of its moves.
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

/// The action of a player at its turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// It plays a move, legal or not.
    Play(Move),
    /// It resigns.
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
    /// A choice without score and depth.
    const fn of(action: Action) -> Choice {
        Choice {
            action,
            score: None,
            depth: None,
        }
    }
}

/// A fault of an engine that did not answer correctly.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// It ended, or closed its output.
    #[error("crash: {0}")]
    Crash(String),
    /// It did not answer in time.
    #[error("hang: {0}")]
    Hang(String),
    /// It sent something that cannot be read.
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
/// `patience` bounds the handshake, and later each silence beyond the time for thinking; `stop` ends it.
///
/// # Errors
/// If its process cannot be started, or does not complete the handshake in time, or its
/// budget cannot be sent to it.
pub fn start(
    entrant: &Entrant,
    budget: Budget,
    patience: Duration,
    stop: &Stop,
) -> Result<Box<dyn Player>, StartError> {
    let settings = &entrant.settings;
    let start = || -> Result<Box<dyn Player>, Fault> {
        entrant.check_budget(budget).map_err(Fault::Garbage)?;
        match &entrant.kind {
            Kind::Internal => Ok(Box::new(Builtin::search(settings, stop)?)),
            Kind::Mobility => Ok(Box::new(Builtin::baseline())),
            Kind::Process { protocol, command } => {
                let process = Process::start(command, settings.dir.as_deref(), patience, stop)?;
                external::start(process, dialect(*protocol, entrant, budget))
            }
        }
    };
    start().map_err(|fault| StartError {
        name: entrant.name.clone(),
        reason: match fault {
            Fault::Crash(reason) | Fault::Hang(reason) | Fault::Garbage(reason) => reason,
        },
    })
}

fn dialect(protocol: Protocol, entrant: &Entrant, budget: Budget) -> Box<dyn Dialect> {
    match protocol {
        Protocol::Uci | Protocol::Ugi => Box::new(ugi::Ugi::new(protocol, &entrant.settings)),
        Protocol::NBoard => Box::new(nboard::NBoard::new(entrant)),
        Protocol::Gtp => Box::new(gtp::Gtp::new(&entrant.settings, budget)),
    }
}

/// Reads `lines` as an engine's answers to the question for a move, for tests of the readers. An
/// answer that cannot be read is an error.
pub fn read_choices<'l>(
    protocol: Protocol,
    lines: impl Iterator<Item = &'l str>,
) -> Vec<Result<Choice, String>> {
    let entrant = Entrant {
        name: String::new(),
        kind: Kind::Internal,
        settings: Settings::default(),
    };
    let mut dialect = dialect(protocol, &entrant, Budget::Untimed);
    lines.filter_map(|line| dialect.read(line)).collect()
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_protocol_has_its_answer() {
        for (protocol, text) in [
            (Protocol::Uci, "info depth 9 score cp -150\nbestmove f5"),
            (
                Protocol::Ugi,
                "info depth 9 score cp -150\nbestmove f5 ponder d6",
            ),
            (Protocol::Gtp, "=7 F5\n\n"),
            (Protocol::NBoard, "status thinking\n=== F5/-1.50/0.25"),
        ] {
            let choices = read_choices(protocol, text.split('\n'));
            let [Ok(choice)] = &choices[..] else {
                panic!("{protocol:?}: {choices:?}");
            };
            assert_eq!(choice.action, Action::Play("f5".parse().expect("a move")));
            let score = (protocol != Protocol::Gtp).then_some(-1.5);
            assert_eq!(choice.score, score, "{protocol:?}");
        }
    }

    proptest! {
        #[test]
        fn any_lines_are_read(lines in prop::collection::vec("[=?]?[0-9]* ?\\PC{0,20}", 0..5)) {
            for &protocol in Protocol::value_variants() {
                let _ = read_choices(protocol, lines.iter().map(String::as_str));
            }
        }
    }
}

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

pub use budget::{Budget, PlayerClock};
pub use entrant::{EngineProtocol, Entrant, EntrantKind, MARGIN, PassStyle, Seconds, Settings};
pub use stop::Stop;

/// Something that plays.
pub trait Player: Send {
    /// Gets ready for the game of this number.
    ///
    /// # Errors
    /// If the engine does not answer as it should; it cannot be used any more.
    fn new_game(&mut self, number: u64) -> Result<(), PlayerFault>;

    /// Chooses a move for the side to move, which has at least one legal square, and returns the
    /// time from the question to the answer. The arbiter checks whether the move is legal.
    ///
    /// # Errors
    /// If the engine does not answer as it should; it cannot be used any more.
    fn choose(&mut self, turn: &PlayerTurn<'_>) -> Result<(ChosenMove, Duration), PlayerFault>;

    /// CPU time of all games so far; `None` where the system does not tell.
    fn cpu_time(&self) -> Option<Duration>;
}

/// The input of a player at its turn.
#[derive(Debug)]
pub struct PlayerTurn<'a> {
    /// The game so far.
    pub game: &'a Game,
    /// The records of its moves.
    pub records: &'a [MoveRecord],
    /// The clocks, the first player's first.
    pub clocks: [PlayerClock; 2],
}

impl PlayerTurn<'_> {
    /// The clock of this side.
    pub const fn clock_of(&self, color: Color) -> PlayerClock {
        self.clocks[color as usize]
    }

    /// The clock of the side to move.
    pub const fn clock(&self) -> PlayerClock {
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
pub struct ChosenMove {
    /// What it does.
    pub action: Action,
    /// The player's own estimate in discs for itself, if it sends one.
    pub score: Option<f64>,
    /// Plies searched, if it sends them.
    pub depth: Option<u32>,
}

impl ChosenMove {
    /// A choice without score and depth.
    const fn of(action: Action) -> ChosenMove {
        ChosenMove {
            action,
            score: None,
            depth: None,
        }
    }
}

/// A fault of an engine that did not answer correctly.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PlayerFault {
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
    let start = || -> Result<Box<dyn Player>, PlayerFault> {
        entrant.check_budget(budget).map_err(PlayerFault::Garbage)?;
        match &entrant.kind {
            EntrantKind::Internal => Ok(Box::new(Builtin::search(settings, stop)?)),
            EntrantKind::Mobility => Ok(Box::new(Builtin::baseline())),
            EntrantKind::Process { protocol, command } => {
                let process = Process::start(command, settings.dir.as_deref(), patience, stop)?;
                external::start(process, dialect(*protocol, entrant, budget))
            }
        }
    };
    start().map_err(|fault| StartError {
        name: entrant.name.clone(),
        reason: match fault {
            PlayerFault::Crash(reason)
            | PlayerFault::Hang(reason)
            | PlayerFault::Garbage(reason) => reason,
        },
    })
}

fn dialect(protocol: EngineProtocol, entrant: &Entrant, budget: Budget) -> Box<dyn Dialect> {
    match protocol {
        EngineProtocol::Uci | EngineProtocol::Ugi => {
            Box::new(ugi::Ugi::new(protocol, &entrant.settings))
        }
        EngineProtocol::NBoard => Box::new(nboard::NBoardPlayer::new(entrant)),
        EngineProtocol::Gtp => Box::new(gtp::GtpPlayer::new(&entrant.settings, budget)),
    }
}

/// Reads `lines` as an engine's answers to the question for a move, for tests of the readers. An
/// answer that cannot be read is an error.
pub fn read_choices<'l>(
    protocol: EngineProtocol,
    lines: impl Iterator<Item = &'l str>,
) -> Vec<Result<ChosenMove, String>> {
    let entrant = Entrant {
        name: String::new(),
        kind: EntrantKind::Internal,
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
            (
                EngineProtocol::Uci,
                "info depth 9 score cp -150\nbestmove f5",
            ),
            (
                EngineProtocol::Ugi,
                "info depth 9 score cp -150\nbestmove f5 ponder d6",
            ),
            (EngineProtocol::Gtp, "=7 F5\n\n"),
            (EngineProtocol::NBoard, "status thinking\n=== F5/-1.50/0.25"),
        ] {
            let choices = read_choices(protocol, text.split('\n'));
            let [Ok(choice)] = &choices[..] else {
                panic!("{protocol:?}: {choices:?}");
            };
            assert_eq!(choice.action, Action::Play("f5".parse().expect("a move")));
            let score = (protocol != EngineProtocol::Gtp).then_some(-1.5);
            assert_eq!(choice.score, score, "{protocol:?}");
        }
    }

    proptest! {
        #[test]
        fn any_lines_are_read(lines in prop::collection::vec("[=?]?[0-9]* ?\\PC{0,20}", 0..5)) {
            for &protocol in EngineProtocol::value_variants() {
                let _ = read_choices(protocol, lines.iter().map(String::as_str));
            }
        }
    }
}

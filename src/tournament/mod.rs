//! Tournaments between engines: who plays whom from which opening, the games, what
//! happens when an engine misbehaves, and what the results mean.
//!
//! [`players`] choose moves, in this process or in others; the arbiter ([`play_game`]) keeps
//! the clocks and the rules; the schedule numbers all games in advance, so that a tournament
//! that was interrupted can be resumed; [`statistics`] evaluates the finished games.

pub mod players;

mod record;

mod arbiter;

mod schedule;

mod runner;

pub mod archive;

pub mod statistics;

pub use arbiter::{Arbiter, Seat, play_game};
pub use players::{
    Budget, EngineProtocol, Entrant, EntrantKind, PassStyle, PlayerClock, Settings, Stop,
};
pub use record::{GameEnding, GameRecord, MoveRecord};
pub use runner::{Plan, run};
pub use schedule::{Fixture, MatchFormat, Schedule};

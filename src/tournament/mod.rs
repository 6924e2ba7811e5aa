//! Tournaments between engines: who plays whom from which opening, the games, what
//! becomes of engines that misbehave, and what the results say.
//!
//! A [`Player`] chooses moves, in this process or through a protocol in another one;
//! the arbiter ([`play_game`]) keeps the clocks and the rules; the schedule numbers all
//! games in advance, so that a tournament that was cut off goes on where it was.

mod budget;

mod entrant;

mod player;

mod builtin;

mod process;

mod ugi;

mod gtp;

mod nboard;

mod record;

mod arbiter;

mod schedule;

mod runner;

mod date;

pub mod archive;

pub mod clock_use;

pub mod ratings;

pub mod elo;

pub mod sprt;

pub mod standings;

pub mod summary;

pub mod chart;

pub use arbiter::{Arbiter, Seat, play_game};
pub use budget::{Budget, Clock};
pub use entrant::{Entrant, Kind, PassStyle, Protocol, Seconds, Settings};
pub use player::{Action, Choice, Fault, Player, Turn, start};
pub use record::{Ending, GameRecord, MoveRecord, Side};
pub use runner::{Next, Plan, run};
pub use schedule::{Fixture, Format, Schedule};

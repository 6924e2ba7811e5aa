//! The Go Text Protocol, version 2 (G. Farnebäck, 2002), as Othello hosts speak it:
//! Quarry, the GoGui tools, and the match runners of other engines.
//!
//! PROTOCOL.md describes each command. Commands are carried out in their order; hosts differ in
//! how they send passes (`host_game`) and time (`clock`).

mod clock;
mod command;
mod grammar;
mod host_game;
mod reply;
mod session;
#[cfg(test)]
mod tests;

use super::Protocol;
use super::conversation::Conversation;

pub use clock::{Clocks, Precision, TimeLeft, TimeSettings};
pub use command::{GtpCommand, RulesQuestion};
pub use grammar::{GtpLine, Numbered, parse};
pub use host_game::{HostGame, Refusal};

/// The version of GTP.
pub const VERSION: u32 = 2;

/// GTP.
pub const PROTOCOL: Protocol = Protocol {
    begins: grammar::begins,
    converse: |preferences| Box::new(Conversation::new(session::Gtp::new(preferences))),
};

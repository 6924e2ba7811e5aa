//! The Go Text Protocol, version 2 (G. Farnebäck, 2002), as Othello hosts speak it:
//! Quarry, the GoGui tools, and the match runners of other engines.
//!
//! What each command does stands in PROTOCOL.md. Commands are answered one after the
//! other, in their order; hosts differ in how they tell of a pass (`table`) and of
//! time (`clock`).

mod clock;
mod command;
mod grammar;
mod reply;
mod session;
mod table;
#[cfg(test)]
mod tests;

pub use clock::{Clocks, TimeLeft, TimeSettings};
pub use command::{Command, RulesQuestion};
pub use grammar::{Heard, Inquiry, begins, parse};
pub use session::Session;
pub use table::{Refusal, Table};

/// The version of GTP.
pub const VERSION: u32 = 2;

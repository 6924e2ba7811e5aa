//! The native protocol: the words of UGI and UCI, and some for Othello. PROTOCOL.md
//! is its description; [`Command`]'s variants stand there in the same order.

mod command;
mod error;
mod grammar;
mod reply;
mod session;
#[cfg(test)]
mod tests;

pub use command::{Clock, Command, Go, Query, Setting};
pub use error::CommandError;
pub use grammar::parse;
pub use session::Session;

/// The version of the protocol: grows when an answer changes that a host may rely on.
pub const VERSION: u32 = 1;

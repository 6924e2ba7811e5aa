//! The native protocol: the commands of UGI and UCI, and some for Othello. PROTOCOL.md
//! describes it, and lists the variants of [`NativeCommand`] in the same order.

mod command;
mod grammar;
mod reply;
mod session;
#[cfg(test)]
mod tests;

use super::Protocol;
use super::conversation::Conversation;

pub use command::{Clock, Go, NativeCommand, Query, Setting};
use grammar::LAST_OPTIONS;
pub use grammar::parse;

/// The version of the protocol: grows when an answer changes that a host may rely on.
pub const VERSION: u32 = 1;

/// The protocol of all hosts that no other protocol recognises.
pub const PROTOCOL: Protocol = Protocol {
    begins: |line| !line.is_blank(),
    converse: |preferences| Box::new(Conversation::new(session::Native::new(preferences))),
};

//! The protocol of NBoard, versions 1 and 2 (C. Welty).
//!
//! Requests are done one after the other; a `ping` drops all of them, so that no answer to an
//! earlier request follows its `pong`. A line that cannot be read is logged and changes nothing.

mod command;
mod grammar;
mod hints;
mod reply;
mod session;
#[cfg(test)]
mod tests;

use super::Protocol;
use super::conversation::Conversation;

pub use command::{NBoardCommand, Version};
pub use grammar::parse;

/// NBoard.
pub const PROTOCOL: Protocol = Protocol {
    begins: grammar::begins,
    converse: |preferences| Box::new(Conversation::new(session::NBoard::new(preferences))),
};

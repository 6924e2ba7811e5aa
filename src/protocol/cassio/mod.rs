//! The Othello Engine Protocol of Cassio (S. Nicolet, M. Causse, R. Delorme, 2009).
//!
//! Every command is a line `ENGINE-PROTOCOL ..`, answered by results and a last line
//! `ready.`. Searches are done one after the other; `stop`, `get-search-infos` and an
//! empty line are answered at once.

mod grammar;
mod reply;
mod session;
#[cfg(test)]
mod tests;

use super::Protocol;
use super::conversation::Conversation;

pub use grammar::{CassioCommand, SearchCommand, parse};

/// Cassio.
pub const PROTOCOL: Protocol = Protocol {
    begins: grammar::begins,
    converse: |preferences| {
        let cassio = session::Cassio::new(preferences.player);
        Box::new(Conversation::new(cassio))
    },
};

//! The Othello Engine Protocol of Cassio (S. Nicolet, M. Causse, R. Delorme, 2009).
//!
//! Every command is a line `ENGINE-PROTOCOL ..`, answered by results and a last line
//! `ready.`. Searches run one after the other; `stop`, `get-search-infos` and an
//! empty line are answered at once.

mod grammar;
mod reply;
mod session;
#[cfg(test)]
mod tests;

pub use grammar::{Command, Depth, Order, begins, parse};
pub use session::Session;

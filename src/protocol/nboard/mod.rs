//! The protocol of NBoard, versions 1 and 2 (C. Welty).
//!
//! Requests run one after the other; a `ping` ends all of them, and nothing that
//! belongs to the time before it is said behind its `pong`. A line that is not
//! understood is logged and changes nothing.

mod command;
mod grammar;
mod hints;
mod reply;
mod session;
#[cfg(test)]
mod tests;

pub use command::{Command, Version};
pub use grammar::{begins, parse};
pub use session::Session;

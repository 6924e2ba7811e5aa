//! The client of the Generic Game Server, over a connection to this machine.

mod mock;
mod script;
mod slow;
mod traps;

//! Proofs of claims about a position.
//!
//! - `verify` is the checker, a crate of its own that knows nothing of this one; its walk from a root to
//!   the leaves serves all others here too;
//! - `make` walks with the engine, `draft` keeps what it finds, `file` writes the proof;
//! - `strategy` looks the engine's positions up in a proof in memory, `parts` makes proofs of others.

mod draft;
mod file;
pub mod make;
pub mod parts;
pub mod strategy;

pub use draft::{draft_bytes, draft_of};
pub use emilia_verify as verify;
pub use file::{PROOF, header_bytes, write};

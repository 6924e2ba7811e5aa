//! Proofs of claims about a position, and the checker that needs nothing else of this crate.

pub mod cut;
mod file;
pub mod make;
pub mod strategy;
pub mod verify;

pub use file::is_another_file;

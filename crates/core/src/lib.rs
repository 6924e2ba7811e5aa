//! The core of Emilia, an Othello engine: the rules, what a board is worth, and the search for the best move.
//!
//! It reads and writes no text but that of boards, moves, scores and questions, knows no protocol, no book and no
//! command, and its only file is that of the weights. The crate `emilia`, which programs embed, has its modules
//! under the same names. It is a crate of its own so that it can be built, tested and understood alone, and since its
//! loops need one code generation unit and full optimisation where the rest of the program does not.
//!
//! Modules stand in layers; each uses only those above it in this list. To begin: [`rules::Board`], then
//! [`eval::Evaluator`], then [`search::Searcher`] and the story that [`search`] tells.

#[doc(hidden)]
pub mod simd;

pub mod host;

#[doc(hidden)]
pub mod tier;

#[doc(hidden)]
pub mod faults;

#[doc(hidden)]
pub mod locks;

#[doc(hidden)]
pub mod lazy;

#[doc(hidden)]
pub mod reserve;

#[doc(hidden)]
pub mod threads;

#[doc(hidden)]
pub mod random;

#[doc(hidden)]
pub mod linear;

#[doc(hidden)]
pub mod checksum;

#[doc(hidden)]
pub mod file_kind;

#[doc(hidden)]
pub mod embedded;

#[doc(hidden)]
pub mod container;

pub mod score;

pub mod rules;

#[doc(hidden)]
pub mod oracle;

pub mod eval;

pub mod search;

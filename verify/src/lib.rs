//! The checker: is a file a proof of what it claims?
//!
//! It is made to be read in one sitting and to be believed. It has its own rules of the game
//! and knows no engine: no search, table or evaluation. `FORMAT.md` beside its sources
//! describes the files and says why what is checked here suffices. In reading order:
//!
//! - [`board`]: legal moves, flips, the end of a game, the eight symmetries;
//! - [`leaf`]: playing out the last few squares;
//! - [`mod@file`]: the bytes of a proof;
//! - [`walk`]: all positions that a strategy leads to, whatever the opponent does;
//! - [`layer`]: sorted sets that spill to disk, where there is one;
//! - [`scan`]: the walk with the moves of a file;
//! - [`check`]: the scan that plays out all leaves, which is [`verify`].
//!
//! What else can be done with a proof: [`strategy`] looks positions up in it.
//!
//! An error says why something is no proof.

#![expect(
    clippy::missing_errors_doc,
    reason = "each error says why something is no proof"
)]

pub mod board;
pub mod check;
pub mod file;
pub mod layer;
pub mod leaf;
pub mod scan;
pub mod strategy;
pub mod walk;

pub use check::{Progress, Report, verify, verify_file};

/// The example of the page is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

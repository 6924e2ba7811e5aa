//! Slow and simple twins that prove and measure the engine: a second opinion on endgames, and a
//! player that never changes.
//!
//! They share nothing with the evaluation and the search.

pub mod reference;

pub mod baseline;

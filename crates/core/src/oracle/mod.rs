//! Slow and simple counterparts of the engine, to check and to measure it: a second opinion on
//! endgames, and a player that never changes.
//!
//! They share nothing with the evaluation and the search.

pub mod reference;

pub mod baseline;

//! Rules, searches and solves against known numbers.

mod endgame;
#[cfg(feature = "program")]
mod ggs;
mod lopsided;
mod perft;
mod rules;
mod search;
mod simulated;

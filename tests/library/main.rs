//! Rules, searches and solves against known numbers.

mod endgame;
mod lopsided;
mod perft;
mod rules;
mod search;
mod simulated;

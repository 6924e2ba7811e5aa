//! The errors of shallow searches: measured, fitted, and checked.
//!
//! [`study`] searches positions of games at every depth, at full width; [`fit`] makes the
//! model of them that Multi-ProbCut uses; [`report`] prints the two side by side;
//! [`growth`] says how much too near to a draw searches are;
//! [`check`] counts on other positions how often a cut would be wrong.

pub mod study;

pub mod fit;

pub mod growth;

pub mod report;

pub mod check;

use emilia::eval::probcut::Horizon;

/// One error of a shallow search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pair {
    /// Free squares.
    pub empties: u32,
    /// Plies of the shallow search; 0 is the static evaluation.
    pub probe: u32,
    /// What it is compared with.
    pub horizon: Horizon,
    /// Deep minus shallow score, in discs for the side to move.
    pub error: f64,
}

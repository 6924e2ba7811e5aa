//! The search: a board and limits go in, an outcome comes out, with reports on the way.
//!
//! It knows no text and prints nothing.

mod control;
mod limits;
mod report;
mod searcher;

mod clock;
mod deepening;
mod endgame;
mod last_empties;
mod midgame;
mod selectivity;

mod cache;
mod moves;
mod ordering;
mod parallel;
mod stability;
mod table;
mod worker;

pub use control::Control;
pub use limits::{Goal, Limits, Selectivity, TimeLimit};
pub use report::{Bound, GameValue, Info, Outcome, Proof};
pub use searcher::{SearchOptions, Searcher, TableError};

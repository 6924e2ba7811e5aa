//! The search: a board and limits go in, an outcome comes out, with reports on the way.
//!
//! It knows no text and prints nothing.

mod control;
mod limits;
mod report;
mod searcher;

pub use control::Control;
pub use limits::{Goal, Limits, Selectivity, TimeLimit};
pub use report::{Bound, GameValue, Info, Outcome, Proof};
pub use searcher::{SearchOptions, Searcher, TableError};

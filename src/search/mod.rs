//! The search: a board and limits go in, an outcome comes out, with reports on the way.
//!
//! It prints nothing. The files, from the outside in:
//!
//! - `searcher` is the interface; `limits` and `control` are its inputs, `report` its output;
//! - `budget`, with what `lag` has seen, and `deepening` decide which depth, selectivity and window come next;
//! - `midgame` has the nodes above the last squares, with `selectivity` for what it leaves
//!   out; `endgame` and `last_empties` solve the last squares, `few_empties` whole positions of them;
//! - `moves`, `ordering`, `stability`, `table` and `cache` are steps of a node;
//! - `worker` is one thread; `helpers` is how others join it and leave, `parallel` how they share
//!   a node; `winning_moves` is other work that they share, and `wins` what it takes from a search;
//! - `counters` say what a search did, and `horizon` is a sample of what it evaluated.

mod control;
mod limits;
mod options;
mod report;
mod searcher;
mod short_searches;

mod winning_moves;

mod budget;
mod deepening;
mod endgame;
mod few_empties;
mod killers;
mod lag;
mod last_empties;
mod midgame;
pub mod selectivity;

mod cache;
mod counters;
mod helpers;
mod horizon;
mod moves;
mod node;
mod ordering;
mod parallel;
mod stability;
mod table;
mod window;
mod wins;
mod worker;

pub use control::Control;
pub use counters::{Counts, LayerCounts, RANKS};
pub use helpers::FewerThreads;
pub use horizon::HorizonSample;
pub use limits::{Goal, Limits, Selectivity, TimeLimit};
pub use options::{SearchOptions, TableError, parse_hash_mb};
pub use report::{Bound, GameValue, Info, Outcome, Proof};
pub use searcher::Searcher;
pub use short_searches::Searchers;
pub use winning_moves::{Questions, Reply};

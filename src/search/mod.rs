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

mod searcher;
mod short_searches;
mod winning_moves;

mod search_threads;

mod helpers;

mod deepening;
mod midgame;
mod parallel;
mod probcut;
mod shallow;

mod worker;

mod control;
mod join;
mod shared;

mod few_empties;

mod endgame;

mod last_empties;

mod budget;
mod clock;
mod lag;
mod pool;
mod questions;
mod signals;
mod solver;

mod killers;
mod node;
mod ordering;

mod cache;
pub mod selectivity;
mod stability;
mod table;
mod wins;

mod counters;
mod horizon;
mod limits;
mod moves;
mod observer;
mod options;
mod report;
mod window;

pub use control::Control;
pub use counters::{Counts, LayerCounts, RANKS};
pub use helpers::FewerThreads;
pub use horizon::HorizonSample;
pub use limits::{Goal, Limits, Selectivity, TimeLimit};
pub use options::{SearchOptions, TableError, parse_hash_mb};
pub use questions::{Questions, Reply};
pub use report::{Bound, GameValue, Info, Outcome, Proof};
pub use searcher::Searcher;
pub use short_searches::Searchers;

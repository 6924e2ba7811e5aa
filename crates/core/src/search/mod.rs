//! The search: a board and limits go in, an outcome comes out, with reports on the way.
//!
//! It prints nothing. The files from the outside in; none uses one above it, the chapters of `Worker` aside:
//!
//! - `searcher` is the interface, with [`SearchOptions`], [`Limits`] and [`Control`] as its inputs and [`Outcome`] as
//!   its output; `short_searches` and `winning_moves` are what training and proofs ask of it;
//! - `search_threads` are its threads at work: `deepening` decides which depth, selectivity and window come next, with
//!   `root_tests` where threads are many, while `helpers` join it;
//! - `worker` is one thread of a search, and the functions of its `Worker` are one recursive thing: a node asks for
//!   its children, and any of them may be shared, pruned or solved. The files are its chapters, to be read in this
//!   order: `midgame` has the nodes above the last squares, `probcut` what it leaves out, `shallow` the last plies
//!   before the horizon, `parallel` how threads share a node, `ahead` what they do without one, `winning_moves` what
//!   they find for a proof;
//! - `shared` is what the threads of one search have in common: its `clock`, with a `budget` and what `lag` has seen,
//!   its `signals`, its `pool` of nodes and its `goal_queries`; at a `join` point they come and go; `cores` says what
//!   they do at a lock, a wait and a wake, and `simulation` gives each a core of its own where there are too few;
//! - `few_empties`, `endgame` and `last_empties` solve the last squares with the `solver` of one thread;
//! - `ordering`, with `killers`, says which move comes first; `table`, which grows by its `extent`, `cache`,
//!   `stability`, `selectivity` and `wins` are what else a `node` is asked for;
//! - `effort` says how deep to look and from where to solve, for those who ask about more than one position;
//! - `counters` and `horizon` are what an `observer` keeps; `window` and `moves` are what all others count with.

mod searcher;
mod short_searches;
mod winning_moves;

mod deepening;
mod helpers;
mod root_tests;
mod search_threads;

mod ahead;
mod midgame;
mod parallel;
mod probcut;
mod shallow;
mod worker;

mod budget;
mod clock;
mod control;
mod cores;
mod goal_queries;
mod join;
mod lag;
mod pool;
mod shared;
mod signals;
mod simulation;

mod endgame;
mod few_empties;
mod last_empties;
mod solver;

mod cache;
mod extent;
mod killers;
mod node;
mod ordering;
pub mod selectivity;
mod stability;
mod table;
mod wins;

mod counters;
mod effort;
mod horizon;
mod limits;
mod moves;
mod observer;
mod options;
mod report;
mod window;

pub use control::Control;
pub use counters::{Counts, LayerCounts, RANKS};
pub use effort::{Effort, Stage};
pub use goal_queries::{GoalQueries, Reply};
pub use helpers::FewerThreads;
pub use horizon::HorizonSample;
pub use limits::{Goal, Limits, Selectivity, TimeLimit};
pub use options::{SearchOptions, TableError, parse_hash_mb};
pub use report::{Bound, Info, Outcome, Proof};
pub use searcher::Searcher;
pub use short_searches::Searchers;
pub use simulation::CoreUse;

//! Solving many positions: what is asked about each, on all threads, in order, and remembered.
//!
//! [`solve_all`] is the whole in one call: each [`Problem`] comes back with its [`Solution`]. Behind it a
//! `queue` hands tasks to the threads of a pool, which solve them; what a solve is expected to cost is one
//! model ([`estimate`]), and what was found is remembered (`memo`).
//!
//! The program does the same with files. `emilia solve` reads lines (`input`) and writes answers (`run`), which
//! `--resume`, `--retry` and `emilia batch` read again (`answer`). Runs of several machines are parts of one
//! input (`shard`) and are put together (`merge`); what is proven may be kept in a file (`cache`), and one
//! hard claim becomes many lines (`split`). What the proof of many claims costs is estimated by `probe`.

pub mod estimate;

pub(crate) mod problem;

pub(crate) mod memo;

pub(crate) mod solver;

pub(crate) mod pool;

mod all;

#[cfg(feature = "program")]
pub(crate) mod shard;

#[cfg(feature = "program")]
pub(crate) mod cache;

#[cfg(feature = "program")]
pub(crate) mod answer;

#[cfg(feature = "program")]
pub(crate) mod resume;

#[cfg(feature = "program")]
pub(crate) mod merge;

#[cfg(feature = "program")]
pub(crate) mod split;

#[cfg(feature = "program")]
pub(crate) mod probe;

#[cfg(feature = "program")]
pub(crate) mod input;

#[cfg(feature = "program")]
pub(crate) mod run;

pub use crate::pool::PoolError;
pub use all::{Cancel, Solutions, SolveOptions, solve_all};
pub use problem::{MoveValue, Place, Problem, Solution, Status};

//! Emilia, an Othello (Reversi) engine: rules, evaluation, search, exact and
//! win/loss/draw endgame solving, and the protocols that hosts speak.
//!
//! # Inside other programs
//!
//! ```toml
//! emilia = { path = "../emilia", default-features = false }
//! ```
//!
//! The crate is not in a registry: name the folder of its repository, or with `git = ".."` its address.
//! Build with `--release`: without optimisation a search takes many times as long.
//!
//! The default feature `program` is the command line and what only it needs. Without it the library
//! has no dependency on a terminal, a file system or C code, and builds for WebAssembly too. The
//! weights of the evaluation are inside: 8 MB.
//!
//! | to do | use |
//! |---|---|
//! | read, print and play positions and games | [`Position`](rules::Position), [`Game`](rules::Game) |
//! | read and write files of positions and games | [`formats`] |
//! | estimate a position without a search | [`Evaluator`](eval::Evaluator) |
//! | find the best move, or solve, within limits | [`Searcher`](search::Searcher) |
//! | solve many positions on all threads | [`solve_all`](batch::solve_all) |
//! | stop a search | [`Control`](search::Control); where there is one thread, [`host`] |
//! | comment on a game | [`analysis`] |
//! | offer all that to another language | [`binding`] |
//! | speak a protocol, line by line | [`Direct`](protocol::Direct) |
//!
//! ```
//! use emilia::eval::Evaluator;
//! use emilia::rules::Position;
//! use emilia::search::{Control, Limits, SearchOptions, Searcher};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let position = Position::START.play("f5".parse()?).ok_or("illegal")?;
//! let moves: Vec<String> = position.board.legal_moves().map(|move_| move_.to_string()).collect();
//! assert_eq!(moves, ["f4", "d6", "f6"]);
//!
//! let options = SearchOptions { threads: 1, hash_mb: 16 };
//! let mut searcher = Searcher::new(Evaluator::embedded(), options)?;
//! let limits = Limits { depth: Some(6), ..Limits::default() };
//! let outcome = searcher.search(position.board, &limits, &Control::new(), &mut |info| {
//!     println!("depth {}: {} discs", info.depth, info.score);
//! });
//! let best = outcome.best.ok_or("the game is over")?;
//! assert!(position.play(best).is_some());
//! # Ok(())
//! # }
//! ```
//!
//! Text that cannot be read, memory or threads that are not there and moves that are not legal are
//! errors, or `None`, and never a panic. Functions that check nothing, for speed, say what they
//! expect: [`Board::play`](rules::Board::play) a legal move, [`Score::from_discs`](score::Score::from_discs)
//! at most 64 discs.
//!
//! Versions follow [semantic versioning](https://semver.org) as cargo reads it: until 1.0 a new minor
//! version (0.2) may rename or remove what is public, and a patch (0.1.1) may not. Node counts and
//! scores of searches may change with every version, and so may what this page does not show.
//!
//! # Layers
//!
//! Modules stand in layers; each uses only those above it in this list.

#[doc(hidden)]
pub use emilia_core::{
    checksum, container, faults, lazy, linear, locks, oracle, random, reserve, simd, threads, tier,
};
pub use emilia_core::{eval, host, rules, score, search};

#[cfg(feature = "book")]
mod file_lock;

#[cfg(feature = "book")]
mod part_file;

#[cfg(feature = "program")]
pub mod files;

#[doc(hidden)]
pub mod embedded;

#[doc(hidden)]
pub mod pool;

#[doc(hidden)]
pub mod text;

pub mod formats;

pub mod human;

pub mod analysis;

#[cfg(feature = "book")]
pub mod book;

pub mod engine;

pub mod protocol;

#[cfg(feature = "program")]
pub mod proof;

#[cfg(feature = "program")]
pub mod tournament;

#[cfg(feature = "program")]
pub mod puzzles;

pub mod batch;

pub mod binding;

#[cfg(feature = "program")]
pub mod commands;

#[cfg(feature = "program")]
pub mod logging;

#[cfg(feature = "program")]
pub mod cli;

#[cfg(feature = "program")]
pub mod launcher;

/// Its Rust program is a test.
#[cfg(doctest)]
#[doc = include_str!("../docs/EMBED.md")]
struct EmbedPage;

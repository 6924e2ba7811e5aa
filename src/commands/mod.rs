//! The subcommands of `emilia`, one file each.
//!
//! Each has `Arguments` (read by clap) and `run`, which returns how the process ends ([`Exit`]).

pub mod serve;

pub mod play;

pub mod ggs;

pub mod board;

pub mod solve;

pub mod proof;

pub mod verify;

pub mod batch;

pub mod book;

pub mod analyze;

pub mod match_;

pub mod report;

pub mod openings;

pub mod positions;

pub mod puzzles;

pub mod perft;

pub mod bench;

mod exit;

#[doc(hidden)]
pub mod files;

mod interrupt;

#[doc(hidden)]
pub mod progress;

pub use exit::Exit;

#[doc(hidden)]
pub use crate::text::values::at_least_one;

//! The subcommands of `emilia`, one file each.
//!
//! Each has `Arguments` (read by clap) and `run`, which returns how the process ends ([`Exit`]).

use std::num::NonZeroUsize;

pub mod play;

pub mod board;

pub mod solve;

pub mod proof;

pub mod verify;

pub mod batch;

pub mod analyze;

pub mod match_;

pub mod report;

pub mod openings;

pub mod positions;

pub mod perft;

pub mod bench;

pub mod selfplay;

pub mod games;

pub mod dataset;

pub mod train;

pub mod tune;

pub mod evaltest;

mod exit;

mod files;

mod progress;

pub use exit::Exit;

/// A number of threads, games or lines: `0` is none.
fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse::<NonZeroUsize>();
    number.map_err(|_| "expected a whole number, 1 or more".to_owned())
}

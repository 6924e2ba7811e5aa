//! The subcommands of `emilia`, one file each.
//!
//! Each has `Arguments` (read by clap) and `run`, which returns how the process ends ([`Exit`]).

pub mod play;

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

pub mod perft;

pub mod bench;

pub mod selfplay;

pub mod games;

pub mod dataset;

pub mod train;

pub mod tune;

pub mod human;

pub mod evaltest;

mod exit;

mod files;

mod interrupt;

mod progress;

pub use exit::Exit;

use crate::text::values::at_least_one;

//! `emilia perft`: counts lines of play from the start; a pass is a ply.

use std::io::{self, Write};
use std::time::Instant;

use clap::Args;

use super::Exit;
use crate::rules::{Board, PassRule, perft};

/// The arguments of `emilia perft`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Plies to count, 0 to 60
    #[arg(value_parser = clap::value_parser!(u32).range(0..=60))]
    depth: u32,
}

/// Prints `perft N nodes N time N`, the time in milliseconds, for each depth up to the one asked for.
///
/// # Errors
/// If standard output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let mut out = io::stdout().lock();
    for depth in 0..=arguments.depth {
        let start = Instant::now();
        let nodes = perft(Board::START, depth, PassRule::IsAPly);
        let time = start.elapsed().as_millis();
        writeln!(out, "perft {depth} nodes {nodes} time {time}")?;
        out.flush()?;
    }
    Ok(Exit::SUCCESS)
}

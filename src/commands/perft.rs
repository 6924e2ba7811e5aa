//! `emilia perft`: counts lines of play.

use std::io::{self, Write};
use std::time::Instant;

use clap::Args;

use super::Exit;
use crate::rules::{PassRule, Position, perft};

/// The arguments of `emilia perft`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Plies to count, 0 to 60
    #[arg(value_parser = clap::value_parser!(u32).range(0..=60))]
    depth: u32,
    /// 64 cells of X O - and the side to move; the start position if left out
    #[arg(long, value_name = "CELLS SIDE", allow_hyphen_values = true)]
    position: Option<Position>,
    /// Do not count a pass as a ply
    #[arg(long)]
    free_passes: bool,
}

/// Prints `perft N nodes N time N`, the time in milliseconds, for each depth up to the one asked for.
///
/// # Errors
/// If standard output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let position = arguments.position.unwrap_or(Position::START);
    let rule = if arguments.free_passes {
        PassRule::IsFree
    } else {
        PassRule::IsAPly
    };
    let mut out = io::stdout().lock();
    for depth in 0..=arguments.depth {
        let start = Instant::now();
        let nodes = perft(position.board, depth, rule);
        let time = start.elapsed().as_millis();
        writeln!(out, "perft {depth} nodes {nodes} time {time}")?;
        out.flush()?;
    }
    Ok(Exit::SUCCESS)
}

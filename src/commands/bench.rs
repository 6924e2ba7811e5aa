//! `emilia bench`: the fingerprint of the search's behaviour, and its speed.

use std::io::{self, Write};

use clap::Args;

use super::Exit;
use crate::engine::bench;
use crate::search::Control;

/// The arguments of `emilia bench`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Also count what the search does at its nodes; the counts go to standard error
    #[arg(long)]
    counters: bool,
}

/// Prints a line for each position, and finally `signature N, M nodes/s`.
///
/// # Errors
/// If standard output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let mut searcher = bench::searcher(arguments.counters)?;
    let mut out = io::stdout().lock();
    let mut written = Ok(());
    let total = bench::run(&mut searcher, &Control::new(), &mut |line| {
        if written.is_ok() {
            written = writeln!(out, "{line}").and_then(|()| out.flush());
        }
    });
    written?;
    if let Some(total) = total {
        writeln!(out, "{total}")?;
    }
    if let Some(counts) = searcher.take_counts() {
        writeln!(io::stderr(), "{counts}")?;
    }
    Ok(Exit::SUCCESS)
}

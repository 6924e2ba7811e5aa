//! `emilia bench`: the fingerprint of the search's behaviour, its speed, and how it scales.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::Args;

use super::{Exit, files};
use crate::engine::bench::{self, Simulated};
use crate::score::Question;
use crate::search::{Control, SearchOptions};

/// The arguments of `emilia bench`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Also count what the search does at its nodes; the counts go to standard error
    #[arg(long)]
    counters: bool,
    /// Simulate so many cores, on which as many threads run in turn: how the search scales, repeatable to the node
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=SearchOptions::MAX_THREADS as i64), conflicts_with = "counters")]
    simulated_threads: Option<u16>,
    /// Simulate solves, not midgame searches; of the bench's own those with this question (exact or wld) alone
    #[arg(
        long,
        value_name = "QUESTION",
        num_args = 0..=1,
        require_equals = true,
        requires = "simulated_threads"
    )]
    solve: Option<Option<Question>>,
    /// Plies of simulated midgame searches [default: those of the bench's own searches, 20 for a file]
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=60), requires = "simulated_threads", conflicts_with = "solve")]
    depth: Option<u32>,
    /// Simulate searches of the positions of this file
    #[arg(value_name = "FILE", requires = "simulated_threads")]
    file: Option<PathBuf>,
}

/// Prints a line for each position, and finally `signature N, M nodes/s`, or `speed-up X, nodes N`.
///
/// # Errors
/// If standard output cannot be written, a file cannot be read, or there is no memory or no thread.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    if let Some(threads) = arguments.simulated_threads {
        return run_simulated(arguments, usize::from(threads));
    }
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

/// Prints a line for each search, what the cores did, and finally `speed-up X, nodes N`.
fn run_simulated(arguments: &Arguments, threads: usize) -> anyhow::Result<Exit> {
    let kind = match arguments.solve {
        Some(question) => Simulated::Solves(question),
        None => Simulated::Midgame(arguments.depth),
    };
    let tasks = match &arguments.file {
        Some(path) => {
            let games = files::read_openings(path)?;
            kind.of(games.iter().map(|game| game.position()))
        }
        None => kind.of_bench(),
    };
    ensure!(!tasks.is_empty(), "the bench has no search of this kind");
    let mut out = io::stdout().lock();
    let mut written = Ok(());
    let control = Control::new();
    let total = bench::run_simulated(&tasks, threads, &control, &mut |line| {
        if written.is_ok() {
            written = writeln!(out, "{line}").and_then(|()| out.flush());
        }
    })?;
    written?;
    let total = total.context("not all threads can be started")?;
    let more = 100.0 * (total.nodes as f64 / total.alone.max(1) as f64 - 1.0);
    writeln!(out, "cores {}", total.cores)?;
    writeln!(
        out,
        "one thread searches {} nodes, all together {more:+.1}%",
        total.alone
    )?;
    writeln!(out, "{total}")?;
    Ok(Exit::SUCCESS)
}

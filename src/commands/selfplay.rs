//! `emilia selfplay`: games for training, one a line.

use std::fs::OpenOptions;
use std::io::{BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, ensure};
use clap::Args;
use rayon::prelude::*;

use super::files;
use crate::eval::Evaluator;
use crate::formats::{openings, read_all};
use crate::rules::Game;
use crate::training::selfplay::{self, PlayOptions};
use crate::training::solver::Solver;

/// Games that each thread plays before all are written.
const GAMES_PER_THREAD: u64 = 64;

/// The arguments of `emilia selfplay`.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// Games in all, those already in the file included
    #[arg(long)]
    games: u64,
    /// The same seed gives the same games, with any number of threads
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Depth of the search for each move
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    /// Empties from which on play is exact
    #[arg(long, value_name = "EMPTIES", default_value_t = 12)]
    exact: u32,
    /// Random plies from the start position: 0 to this
    #[arg(long, value_name = "PLIES", default_value_t = 52)]
    random: u32,
    /// Random plies after an opening: 1 to this
    #[arg(long, value_name = "PLIES", default_value_t = 4)]
    deviation: u32,
    /// Begin every other game from a position of these transcripts
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Weights to play with instead of the embedded ones
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Where the games go; one that was broken off is continued
    output: PathBuf,
}

const AFTER_HELP: &str = "\
Each line of the output is one game: its moves, the final score for black, and `random R
exact E`: the first R plies were drawn at random, and from E empties on play was perfect.";

/// Plays the games that the output still lacks.
///
/// # Errors
/// If a file cannot be read or written, or memory is short.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let evaluator = match &arguments.weights {
        Some(path) => Arc::new(Evaluator::load(path)?),
        None => Evaluator::embedded(),
    };
    let openings = match &arguments.openings {
        Some(path) => read_all(files::open(path)?, openings::parse_line)
            .with_context(|| format!("cannot read {}", path.display()))?,
        None => Vec::new(),
    };
    let done = complete_lines(&arguments.output)?;
    let output = OpenOptions::new().append(true).open(&arguments.output);
    let output = output.with_context(|| format!("cannot open {}", arguments.output.display()))?;
    play_all(
        arguments,
        &evaluator,
        &openings,
        done,
        BufWriter::new(output),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// The number of whole lines in the file at `path`, which is made if it is
/// missing; a last line without an end is cut off.
fn complete_lines(path: &Path) -> anyhow::Result<u64> {
    let failed = || format!("cannot open {}", path.display());
    let file = OpenOptions::new().create(true).append(true).open(path);
    let file = file.with_context(failed)?;
    let bytes = std::fs::read(path).with_context(failed)?;
    let whole = bytes
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    file.set_len(whole as u64).with_context(failed)?;
    Ok(bytes[..whole].iter().filter(|&&byte| byte == b'\n').count() as u64)
}

/// Plays games `done..arguments.games` and writes them in order.
fn play_all(
    arguments: &Arguments,
    evaluator: &Arc<Evaluator>,
    openings: &[Game],
    done: u64,
    mut output: impl Write,
) -> anyhow::Result<()> {
    ensure!(
        done <= arguments.games,
        "the output holds {done} games already"
    );
    let options = PlayOptions {
        depth: arguments.depth,
        exact: arguments.exact,
        max_random: arguments.random,
        max_deviation: arguments.deviation,
    };
    let threads = arguments
        .threads
        .map_or_else(rayon::current_num_threads, NonZeroUsize::get);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let solver = |_| Solver::new(Arc::clone(evaluator));
    let mut solvers: Vec<Solver> = (0..threads).map(solver).collect::<Result<_, _>>()?;
    let bar = files::progress_bar(arguments.games, "games");
    bar.set_position(done);
    let mut next = done;
    while next < arguments.games {
        let batch = (threads as u64 * GAMES_PER_THREAD).min(arguments.games - next);
        let play = |(thread, solver): (usize, &mut Solver)| -> Vec<String> {
            (next + thread as u64..next + batch)
                .step_by(threads)
                .map(|number| {
                    bar.inc(1);
                    selfplay::play(solver, &options, openings, arguments.seed, number).to_string()
                })
                .collect()
        };
        let played: Vec<Vec<String>> =
            pool.install(|| solvers.par_iter_mut().enumerate().map(play).collect());
        for number in 0..batch as usize {
            writeln!(output, "{}", played[number % threads][number / threads])?;
        }
        output.flush()?;
        next += batch;
    }
    bar.finish_and_clear();
    Ok(())
}

//! `emilia selfplay`: games for training.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use clap::Args;
use indicatif::ProgressBar;
use rayon::prelude::*;

use super::files;
use crate::checksum::fnv1a;
use crate::eval::Evaluator;
use crate::formats::{read_all, transcript};
use crate::rules::Game;
use crate::search::TableError;
use crate::training::records::{self, RecordError, RecordHeader, RecordReader};
use crate::training::selfplay::{self, PlayOptions, PlayedGame};
use crate::training::solver::{Solver, Solvers};

/// Games of a block of the file: those that a kill can cost.
const BLOCK: u64 = 256;

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
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    /// Empties from which on play is exact
    #[arg(long, value_name = "EMPTIES", default_value_t = 18, value_parser = clap::value_parser!(u32).range(..=30))]
    exact: u32,
    /// Fewest plies at the start that chance has a hand in
    #[arg(long, value_name = "PLIES", default_value_t = 10, value_parser = clap::value_parser!(u32).range(..=50))]
    min_random: u32,
    /// Most plies at the start that chance has a hand in; of two draws the smaller counts
    #[arg(long, value_name = "PLIES", default_value_t = 40, value_parser = clap::value_parser!(u32).range(..=50))]
    max_random: u32,
    /// Begin every other game with one of these transcripts
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
`emilia games` shows what is in the output. Of the random plies of a game, drawn between the two
bounds, the first are those of an opening; the rest are moves that seem best when all estimates are
blurred, by an amount drawn for the game, up to moves drawn evenly.";

/// Plays the games that the output still lacks.
///
/// # Errors
/// If a file cannot be read or written, holds games made otherwise, or memory is short.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    ensure!(
        arguments.min_random <= arguments.max_random,
        "--min-random is larger than --max-random"
    );
    let evaluator = match &arguments.weights {
        Some(path) => Arc::new(Evaluator::load(path)?),
        None => Evaluator::embedded(),
    };
    let openings = match &arguments.openings {
        Some(path) => read_all(files::open(path)?, transcript::parse_line)
            .with_context(|| format!("cannot read {}", path.display()))?,
        None => Vec::new(),
    };
    let openings: Vec<Game> = openings.into_iter().map(|opening| opening.game).collect();
    let header = arguments.header(&evaluator, &openings);
    let done = resume(&arguments.output, &header)?;
    let output = OpenOptions::new().append(true).open(&arguments.output);
    let output = output.with_context(|| format!("cannot open {}", arguments.output.display()))?;
    ensure!(
        done <= arguments.games,
        "the output holds {done} games already"
    );
    let table = Table {
        openings,
        header,
        solvers: Solvers::new(evaluator),
    };
    play_all(arguments, &table, done, output)?;
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn header(&self, evaluator: &Evaluator, openings: &[Game]) -> RecordHeader {
        let list: String = openings.iter().map(Game::transcript).collect();
        let hash = |hash: u64| format!("{hash:016x}");
        RecordHeader {
            seed: self.seed,
            options: PlayOptions {
                depth: self.depth,
                exact: self.exact,
                min_random: self.min_random,
                max_random: self.max_random,
            },
            weights: hash(evaluator.fingerprint()),
            openings: match openings {
                [] => String::new(),
                _ => hash(fnv1a(list.as_bytes())),
            },
            version: env!("CARGO_PKG_VERSION").to_owned(),
            rules: selfplay::RULES,
            packed: false,
        }
    }
}

/// The number of games in the file at `path`, which is made if it is missing or empty;
/// a block that the file ends in is cut off.
fn resume(path: &Path, header: &RecordHeader) -> anyhow::Result<u64> {
    let failed = || format!("cannot open {}", path.display());
    let mut options = OpenOptions::new();
    let mut file = options
        .create(true)
        .append(true)
        .open(path)
        .with_context(failed)?;
    let bytes = records::header(header);
    if is_beginning(path, &bytes).with_context(failed)? {
        file.set_len(0).with_context(failed)?;
        file.write_all(&bytes).with_context(failed)?;
        return Ok(0);
    }
    let read = BufReader::new(File::open(path).with_context(failed)?);
    let mut reader = RecordReader::new(read).with_context(failed)?;
    if reader.header() != header {
        bail!(
            "{} holds games made otherwise: {}",
            path.display(),
            serde_json::to_string(reader.header())?
        );
    }
    let (mut done, mut whole) = (0, reader.position());
    loop {
        match reader.block() {
            Ok(Some(block)) => {
                let games = block.games.len() as u64;
                ensure!(
                    block.first == done && games <= BLOCK,
                    "{} is no run's own file: its games are numbered anew",
                    path.display()
                );
                done += games;
                whole = reader.position();
            }
            Ok(None) => break,
            Err(RecordError::Cut(_)) => {
                // Standard error may be closed.
                let name = path.display();
                let _ = writeln!(
                    io::stderr(),
                    "{name}: half a block after game {done} is cut off"
                );
                break;
            }
            Err(error) => return Err(error).with_context(|| format!("in {}", path.display())),
        }
    }
    file.set_len(whole).with_context(failed)?;
    Ok(done)
}

/// Is the file at `path` empty, or no more than the beginning of `header`?
fn is_beginning(path: &Path, header: &[u8]) -> io::Result<bool> {
    let length = std::fs::metadata(path)?.len();
    Ok(length < header.len() as u64 && header.starts_with(&std::fs::read(path)?))
}

/// What all games need.
struct Table {
    openings: Vec<Game>,
    header: RecordHeader,
    solvers: Solvers,
}

impl Table {
    fn play(&self, number: u64) -> Result<PlayedGame, TableError> {
        let RecordHeader { seed, options, .. } = &self.header;
        let game =
            |solver: &mut Solver| selfplay::play(solver, options, &self.openings, *seed, number);
        self.solvers.with(game)
    }

    fn play_block(&self, first: u64, games: u64, bar: &ProgressBar) -> anyhow::Result<Vec<u8>> {
        let play = |index| {
            let played = self.play(first + index as u64);
            bar.inc(1);
            played
        };
        let games: Vec<PlayedGame> = (0..games as usize)
            .into_par_iter()
            .with_max_len(1)
            .map(play)
            .collect::<Result<_, TableError>>()?;
        Ok(records::block(first, &games)?)
    }
}

/// Plays games `done..arguments.games` and writes them in order.
fn play_all(
    arguments: &Arguments,
    table: &Table,
    done: u64,
    mut output: impl Write + Send,
) -> anyhow::Result<()> {
    let pool = files::thread_pool(arguments.threads)?;
    let bar = files::progress_bar(arguments.games, "games");
    bar.set_position(done);
    bar.reset_eta();
    let mut next = done;
    while next < arguments.games {
        let games = BLOCK.min(arguments.games - next);
        let block = pool.install(|| table.play_block(next, games, &bar))?;
        output.write_all(&block)?;
        output.flush()?;
        next += games;
    }
    bar.finish_and_clear();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_gone_on_with_after_its_last_whole_block() {
        let arguments = |games| Arguments {
            games,
            seed: 3,
            depth: 1,
            exact: 4,
            min_random: 40,
            max_random: 50,
            openings: None,
            weights: None,
            threads: None,
            output: std::env::temp_dir().join(format!("emilia-resume-{}", std::process::id())),
        };
        let path = arguments(0).output;
        run(&arguments(BLOCK + 3)).expect("a writable place");
        let whole = std::fs::read(&path).expect("the file");
        let header = arguments(0).header(&Evaluator::embedded(), &[]);
        std::fs::write(&path, &whole[..whole.len() - 1]).expect("a writable place");
        assert_eq!(resume(&path, &header).expect("a good file"), BLOCK);
        run(&arguments(BLOCK + 3)).expect("a writable place");
        assert!(std::fs::read(&path).expect("the file") == whole);

        // Damage is no end of the file: nothing is thrown away.
        let mut damaged = whole.clone();
        damaged[whole.len() / 2] ^= 1;
        std::fs::write(&path, &damaged).expect("a writable place");
        let error = resume(&path, &header).expect_err("damaged").to_string();
        assert!(error.starts_with("in "), "{error}");
        assert!(std::fs::read(&path).expect("the file") == damaged);

        std::fs::write(&path, &whole).expect("a writable place");
        let packed = RecordHeader {
            packed: true,
            ..header
        };
        assert!(resume(&path, &packed).is_err(), "made otherwise");
        std::fs::remove_file(&path).expect("the file");
    }
}

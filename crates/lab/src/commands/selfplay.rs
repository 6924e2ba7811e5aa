//! `emilia-lab selfplay`: games for training.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use clap::Args;
use rayon::prelude::*;

use crate::training::selfplay;
use emilia::checksum::checksum;
use emilia::commands::Exit;
use emilia::commands::files;
use emilia::commands::progress::Progress;
use emilia::container::ContainerError;
use emilia::eval::Evaluator;
use emilia::files::{GrowingFile, UsedFiles};
use emilia::formats::records::{
    self, PlayOptions, PlayedGame, RecordError, RecordHeader, RecordReader, RecordWriter,
};
use emilia::rules::{Game, Position};
use emilia::search::Searchers;

/// Games of a block of the file: a killed run loses at most this many.
const BLOCK: u64 = 256;

/// The arguments of `emilia-lab selfplay`.
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
    /// Fewest plies at the start that are drawn at random
    #[arg(long, value_name = "PLIES", default_value_t = 10, value_parser = clap::value_parser!(u32).range(..=50))]
    min_random: u32,
    /// Most plies at the start that are drawn at random; the smaller of two draws is used
    #[arg(long, value_name = "PLIES", default_value_t = 40, value_parser = clap::value_parser!(u32).range(..=50))]
    max_random: u32,
    /// Start half of the games with one of these transcripts
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Weights to play with instead of the embedded ones
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = emilia::commands::at_least_one)]
    threads: Option<NonZeroUsize>,
    /// File for the games; if it has some of them, it is continued
    output: PathBuf,
}

const AFTER_HELP: &str = "\
`emilia-lab games` shows what is in the output. Of the random plies of a game, drawn between the two
bounds, the first are those of an opening; the rest are moves that seem best when all estimates are
blurred, by an amount drawn for the game, up to moves drawn evenly.";

/// Plays the games that are missing in the output.
///
/// # Errors
/// If a file cannot be read or written, holds games that were played with other options, or there is not enough memory.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    ensure!(
        arguments.min_random <= arguments.max_random,
        "--min-random is larger than --max-random"
    );
    let evaluator = files::evaluator(arguments.weights.as_deref())?;
    let openings = arguments.openings.as_deref().map(files::read_openings);
    let openings = openings.transpose()?.unwrap_or_default();
    ensure!(
        openings.iter().all(|game| game.start() == Position::START),
        "openings of self-play begin at the start of the game"
    );
    let header = arguments.header(&evaluator, &openings);
    let mut used = UsedFiles::reading(arguments.openings.iter().chain(&arguments.weights));
    let file = used.growing(&arguments.output, records::KIND)?;
    let mut output = GamesFile::open(file, &header)?;
    ensure!(
        output.games <= arguments.games,
        "{} holds {} games already",
        arguments.output.display(),
        output.games
    );
    let solvers = Searchers::new(evaluator);
    let pool = files::working_pool(arguments.threads)?;
    let progress = Progress::new(arguments.games, "games", output.games);
    let play = |number| {
        let RecordHeader { seed, options, .. } = &header;
        let played =
            solvers.with(|solver| selfplay::play(solver, options, &openings, *seed, number));
        progress.step();
        played
    };
    while output.games < arguments.games {
        let end = arguments.games.min(output.games + BLOCK);
        let numbers: Vec<u64> = (output.games..end).collect();
        let numbers = numbers.into_par_iter().with_max_len(1);
        let games: Result<Vec<_>, _> = pool.install(|| numbers.map(play).collect());
        output.add(&games?)?;
    }
    Ok(Exit::SUCCESS)
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
                _ => hash(checksum(list.as_bytes())),
            },
            version: env!("CARGO_PKG_VERSION").to_owned(),
            rules: selfplay::RULES,
            packed: false,
        }
    }
}

/// The file of games while it is written.
struct GamesFile {
    file: GrowingFile,
    writer: RecordWriter,
    /// Games in it.
    games: u64,
}

impl GamesFile {
    /// Continues `file`, or starts it if it is empty. A block that the file ends in is cut off.
    fn open(mut file: GrowingFile, header: &RecordHeader) -> anyhow::Result<GamesFile> {
        let name = file.path().display().to_string();
        let found = read(&mut file, header).with_context(|| format!("cannot continue {name}"))?;
        let (writer, games) = if let Some((writer, whole, games)) = found {
            file.truncate(whole)?;
            (writer, games)
        } else {
            let (writer, head) = RecordWriter::new(header);
            file.truncate(0)?;
            file.append(&head)?;
            (writer, 0)
        };
        Ok(GamesFile {
            file,
            writer,
            games,
        })
    }

    /// Adds games. When this returns, they are safe.
    fn add(&mut self, games: &[PlayedGame]) -> anyhow::Result<()> {
        let block = self.writer.block(self.games, games)?;
        self.file.append(&block)?;
        self.games += games.len() as u64;
        Ok(())
    }
}

/// What makes the blocks that follow those in `file`, where the last whole one ends, and the
/// number of games; `None` if the file is empty or was cut off within its header.
fn read(
    file: &mut GrowingFile,
    header: &RecordHeader,
) -> anyhow::Result<Option<(RecordWriter, u64, u64)>> {
    if file.is_empty()? {
        return Ok(None);
    }
    let mut reader = match RecordReader::new(file.reader()?) {
        Err(RecordError::Container(ContainerError::ShortHeader)) => return Ok(None),
        reader => reader?,
    };
    if reader.header() != header {
        let found = serde_json::to_string(reader.header())?;
        bail!("its games were played with other options: {found}; write to a new file");
    }
    let (mut games, mut whole) = (0, reader.position());
    loop {
        match reader.block() {
            Ok(Some(block)) => {
                let count = block.games.len() as u64;
                ensure!(
                    block.first == games && count <= BLOCK,
                    "its games were renumbered, so that no run can continue it; write to a new file"
                );
                games += count;
                whole = reader.position();
            }
            Ok(None) => break,
            Err(RecordError::Container(ContainerError::Truncated(_))) => {
                log::warn!("an unfinished block after game {games} is cut off");
                break;
            }
            Err(error) => return Err(error.into()),
        }
    }
    let writer = reader.into_writer();
    let writer = writer.context("it is of version 1; write to a new file")?;
    Ok(Some((writer, whole, games)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_continues_after_its_last_whole_block() {
        let folder = tempfile::tempdir().expect("a writable place");
        let path = folder.path().join("games");
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
            output: path.clone(),
        };
        let resume = |header: &RecordHeader| {
            let file = UsedFiles::default().growing(&path, records::KIND)?;
            GamesFile::open(file, header).map(|output| output.games)
        };
        run(&arguments(BLOCK + 3)).expect("a writable place");
        let whole = std::fs::read(&path).expect("the file");
        let header = arguments(0).header(&Evaluator::embedded(), &[]);
        for cut in [1, 3, 20] {
            std::fs::write(&path, &whole[..cut]).expect("a writable place");
            assert_eq!(resume(&header).expect("the start of a header"), 0);
        }
        std::fs::write(&path, &whole[..whole.len() - 1]).expect("a writable place");
        assert_eq!(resume(&header).expect("a good file"), BLOCK);
        run(&arguments(BLOCK + 3)).expect("a writable place");
        assert!(std::fs::read(&path).expect("the file") == whole);

        // Damage is no end of the file: nothing is thrown away.
        let mut damaged = whole.clone();
        damaged[whole.len() / 2] ^= 1;
        std::fs::write(&path, &damaged).expect("a writable place");
        let error = format!("{:#}", resume(&header).expect_err("damaged"));
        assert!(error.ends_with("block 0 is damaged"), "{error}");
        assert!(std::fs::read(&path).expect("the file") == damaged);

        std::fs::write(&path, &whole).expect("a writable place");
        let packed = RecordHeader {
            packed: true,
            ..header
        };
        assert!(resume(&packed).is_err(), "played otherwise");
    }
}

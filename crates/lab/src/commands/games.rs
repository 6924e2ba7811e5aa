//! `emilia-lab games`: prints, counts and packs the games of self-play.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use emilia::commands::Exit;
use emilia::files::UsedFiles;
use emilia::formats::records::PlayedGame;
use emilia::formats::records::{self, RecordHeader, RecordReader, RecordWriter};
use emilia::rules::{Board, Game, Position, Square, Symmetry};

/// Games of a block of a packed file.
const BLOCK: usize = 4096;

/// The arguments of `emilia-lab games`.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// Only count: games, and games that are distinct up to symmetry
    #[arg(long)]
    count: bool,
    /// Write the games of the one FILE here, without duplicates, in fewer bytes
    #[arg(long, value_name = "PACKED", conflicts_with = "count")]
    pack: Option<PathBuf>,
    /// Leave the scores of the searches out of what --pack writes
    #[arg(long, requires = "pack")]
    drop_scores: bool,
    /// Files that `emilia-lab selfplay` wrote
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

const AFTER_HELP: &str = "\
Each game is a line: its moves, the final score for black, and `random R exact E`: the
first R plies were drawn at random, and from E empties on play was perfect. Every game is replayed
while it is read.";

/// Prints, counts or packs games.
///
/// # Errors
/// If a file cannot be read or written, is damaged, or holds a game that is not legal.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    match &arguments.pack {
        Some(packed) => pack(arguments, packed)?,
        None if arguments.count => count(&arguments.files)?,
        None => print(&arguments.files)?,
    }
    Ok(Exit::SUCCESS)
}

fn print(paths: &[PathBuf]) -> anyhow::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for path in paths {
        read(path, |games| {
            games.iter().try_for_each(|game| writeln!(out, "{game}"))
        })?;
    }
    Ok(out.flush()?)
}

fn count(paths: &[PathBuf]) -> anyhow::Result<()> {
    let (mut all, mut distinct) = (0_usize, Distinct::new());
    for path in paths {
        read(path, |games| {
            all += games.len();
            games.iter().for_each(|game| {
                distinct.insert(&game.game);
            });
            Ok(())
        })?;
    }
    let mut out = io::stdout().lock();
    writeln!(out, "games {all} distinct {}", distinct.seen.len())?;
    Ok(())
}

fn pack(arguments: &Arguments, packed: &Path) -> anyhow::Result<()> {
    let [path] = &arguments.files[..] else {
        anyhow::bail!("--pack takes one file of games");
    };
    let output = UsedFiles::reading([path]).output(packed, records::KIND)?;
    let (mut distinct, mut kept) = (Distinct::new(), Vec::new());
    let header = read(path, |games| {
        kept.extend(games.into_iter().filter(|game| distinct.insert(&game.game)));
        Ok(())
    })?;
    if arguments.drop_scores {
        kept.iter_mut().for_each(|game| game.scores.clear());
    }
    let (mut writer, mut bytes) = RecordWriter::new(&RecordHeader {
        packed: true,
        ..header
    });
    for (index, games) in kept.chunks(BLOCK).enumerate() {
        bytes.extend(writer.block((index * BLOCK) as u64, games)?);
    }
    let written = output.write(|file| file.write_all(&bytes));
    let mut out = io::stdout().lock();
    writeln!(out, "games {} bytes {}", kept.len(), bytes.len())?;
    Ok(written?)
}

/// Gives `take` the games of a file, block after block; returns its header.
fn read(
    path: &Path,
    mut take: impl FnMut(Vec<PlayedGame>) -> io::Result<()>,
) -> anyhow::Result<RecordHeader> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let context = || format!("in {}", path.display());
    let mut reader = RecordReader::new(BufReader::new(file)).with_context(context)?;
    while let Some(block) = reader.block().with_context(context)? {
        take(block.games)?;
    }
    Ok(reader.header().clone())
}

/// The games seen so far, up to symmetry.
struct Distinct {
    seen: HashSet<Vec<Square>>,
    /// Those that leave the start position as it is.
    symmetries: Vec<Symmetry>,
}

impl Distinct {
    fn new() -> Distinct {
        let fixed = |symmetry: &Symmetry| Board::START.transform(*symmetry) == Board::START;
        Distinct {
            seen: HashSet::new(),
            symmetries: Symmetry::all().filter(fixed).collect(),
        }
    }

    /// Adds a game from the start position; says whether it is new.
    fn insert(&mut self, game: &Game) -> bool {
        debug_assert!(game.start() == Position::START);
        let squares = || game.moves().iter().filter_map(|mv| mv.square());
        let image = |symmetry: &Symmetry| -> Vec<Square> {
            squares().map(|sq| symmetry.apply_square(sq)).collect()
        };
        let least = self.symmetries.iter().map(image).min();
        least.is_some_and(|least| self.seen.insert(least))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use emilia::formats::transcript;

    #[test]
    fn mirrored_games_are_the_same_game() {
        let game = |moves| {
            let read = transcript::parse_line(moves).expect("legal moves");
            read.expect("a game").game
        };
        let mut distinct = Distinct::new();
        assert_eq!(distinct.symmetries.len(), 4);
        assert!(distinct.insert(&game("f5d6c3")));
        assert!(!distinct.insert(&game("e6f4c3"))); // mirrored at the diagonal a1-h8
        assert!(!distinct.insert(&game("c4e3f6")));
        assert!(distinct.insert(&game("f5d6c5")));
    }
}

//! `emilia puzzles`: makes puzzles for the page, checks them by a second solver, shows them.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Subcommand};
use serde_json::json;

use super::Exit;
use super::progress::Progress;
use crate::eval::Evaluator;
use crate::files::UsedFiles;
use crate::human::players_model;
use crate::puzzles::make::{Maker, counted};
use crate::puzzles::{Kind, PUZZLES, Puzzle, check, read, write};
use crate::rules::{Color, Position};
use crate::search::{SearchOptions, Searcher};
use crate::text;

/// The arguments of `emilia puzzles`.
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Make puzzles from games of the model of people with itself, one of each game at most
    Make {
        /// Games to play
        #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
        games: u64,
        /// Draw the games from this seed
        #[arg(long, value_name = "SEED", default_value_t = 1)]
        seed: u64,
        /// Keep so many puzzles of best moves and of counting at most; of only moves all are kept
        #[arg(long, value_name = "N")]
        most: Option<usize>,
        /// The new file
        #[arg(long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Prove again, by the reference solver, that each has one answer and no two are alike
    Check {
        /// A file of puzzles
        file: PathBuf,
    },
    /// Print the puzzles of a file
    Show {
        /// A file of puzzles
        file: PathBuf,
        /// One object a line
        #[arg(long)]
        json: bool,
    },
}

/// Makes, checks or shows.
///
/// # Errors
/// If a file cannot be read or written, or there is no memory for a search.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    match &arguments.command {
        Command::Make {
            games,
            seed,
            most,
            output,
        } => make(*games, *seed, *most, output),
        Command::Check { file } => check_all(&read_file(file)?),
        Command::Show { file, json } => show(&read_file(file)?, *json),
    }
}

fn read_file(path: &Path) -> anyhow::Result<Vec<Puzzle>> {
    let bytes = fs::read(path).with_context(|| format!("cannot open {}", path.display()))?;
    read(&bytes).with_context(|| format!("in {}", path.display()))
}

fn make(games: u64, seed: u64, most: Option<usize>, output: &Path) -> anyhow::Result<Exit> {
    let options = SearchOptions {
        threads: 1,
        hash_mb: 32,
    };
    let output = UsedFiles::reading::<&Path>([]).new_output(output, PUZZLES)?;
    let searcher = Searcher::new(Evaluator::embedded(), options)?;
    let mut maker = Maker::new(searcher, players_model()?, seed);
    let progress = Progress::new(games, "games", 0);
    let mut puzzles: Vec<Puzzle> = Vec::new();
    let mut others = 0;
    for _ in 0..games {
        let found = maker.next_puzzle();
        progress.step();
        let Some(puzzle) = found else { continue };
        if !puzzle.kind.is_only_move() {
            if most.is_some_and(|most| others >= most) {
                continue;
            }
            others += 1;
        }
        puzzles.push(puzzle);
    }
    puzzles.sort_by_key(|puzzle| puzzle.rating.elo() as u16);
    output.write(|file| file.write_all(&write(&puzzles)))?;
    tell(&puzzles)?;
    Ok(Exit::SUCCESS)
}

/// How many there are of each kind.
fn tell(puzzles: &[Puzzle]) -> io::Result<()> {
    let kinds = Kind::ALL.iter().zip(counted(puzzles));
    let kinds: Vec<_> = kinds
        .map(|(kind, n)| format!("{n} {}", kind.name()))
        .collect();
    writeln!(
        io::stdout(),
        "{}: {}",
        text::counted(puzzles.len(), "puzzle"),
        kinds.join(", ")
    )
}

fn check_all(puzzles: &[Puzzle]) -> anyhow::Result<Exit> {
    let mut faults = 0;
    let mut boards = std::collections::HashSet::new();
    for (number, puzzle) in puzzles.iter().enumerate() {
        let alike = (!boards.insert(puzzle.board)).then(|| "it is there twice".to_owned());
        if let Some(fault) = alike.or_else(|| check(puzzle).err()) {
            faults += 1;
            writeln!(io::stdout(), "puzzle {}: {fault}", number + 1)?;
        }
    }
    tell(puzzles)?;
    Ok(if faults == 0 {
        Exit::SUCCESS
    } else {
        Exit::FAILURE
    })
}

fn show(puzzles: &[Puzzle], as_json: bool) -> anyhow::Result<Exit> {
    let mut out = io::stdout().lock();
    for (number, puzzle) in puzzles.iter().enumerate() {
        let position = Position {
            board: puzzle.board,
            side: Color::Black,
        };
        let line: Vec<_> = puzzle.line.iter().map(ToString::to_string).collect();
        if as_json {
            let themes: Vec<_> = puzzle.themes.names().collect();
            let kind = puzzle.kind.name();
            let rating = puzzle.rating.elo();
            let object = json!({
                "board": position.to_string(), "kind": kind, "score": puzzle.score,
                "rating": rating, "themes": themes, "line": line,
            });
            writeln!(out, "{object}")?;
        } else {
            let head = format!(
                "{}. {} {:+}, rating {}",
                number + 1,
                puzzle.kind.name(),
                puzzle.score,
                puzzle.rating
            );
            let words = [head, line.join(" "), puzzle.themes.to_string()];
            let words: Vec<_> = words
                .into_iter()
                .filter(|words| !words.is_empty())
                .collect();
            writeln!(out, "{}\n{}\n", words.join("; "), position.diagram())?;
        }
    }
    Ok(Exit::SUCCESS)
}

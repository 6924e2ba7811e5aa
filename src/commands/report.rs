//! `emilia report`: ratings out of the files that matches leave, and charts.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::Args;

use crate::tournament::standings::Standings;
use crate::tournament::{GameRecord, archive, chart, summary};

/// The arguments of `emilia report`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Games: JSON lines of `emilia match --save`, or GGF where the name ends in .ggf
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print the table alone
    #[arg(long)]
    brief: bool,
    /// Draw the ratings to this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Draw the game of this number of the first file to the file of --graph
    #[arg(long, value_name = "N", requires = "graph")]
    game: Option<u64>,
    /// Draw the scores and times of a game to this SVG file [game: the first one]
    #[arg(long, value_name = "FILE")]
    graph: Option<PathBuf>,
}

/// Prints the standings after all games of the files.
///
/// # Errors
/// If a file cannot be read or written, holds no game, or lacks the game to draw.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut files = Vec::new();
    for path in &arguments.files {
        files.push(archive::load(path)?);
    }
    let standings = standings(&files);
    ensure!(standings.games() > 0, "there are no games in these files");
    if let Some(path) = &arguments.svg {
        write_file(path, &chart::ratings(&standings))?;
    }
    if let Some(path) = &arguments.graph {
        let number = arguments.game;
        let is_wanted = |record: &&GameRecord| number.is_none_or(|number| record.game == number);
        let record = files.iter().flatten().find(is_wanted);
        let record = record.with_context(|| format!("there is no game {}", number.unwrap_or(1)))?;
        write_file(path, &chart::game(record))?;
    }
    let text = if arguments.brief {
        summary::table(&standings)
    } else {
        summary::full(&standings)
    };
    let mut out = io::stdout().lock();
    write!(out, "{text}")?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Games of different files are never pairs.
fn standings(files: &[Vec<GameRecord>]) -> Standings {
    let mut standings = Standings::default();
    let mut base = 0;
    for records in files {
        let last = records.iter().map(|record| record.game).max().unwrap_or(0);
        for record in records {
            let mut record = record.clone();
            record.game = record.game.saturating_add(base);
            standings.add(&record);
        }
        base = base.saturating_add(last.next_multiple_of(2));
    }
    standings
}

fn write_file(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

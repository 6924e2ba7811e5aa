//! `emilia report`: ratings from the files that matches save, and charts.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, ensure};
use clap::Args;

use super::Exit;
use super::files::MaybeOutput;
use crate::files::{self, FileKind, UsedFiles};
use crate::logging;
use crate::tournament::GameRecord;
use crate::tournament::archive::{self, Loaded};
use crate::tournament::statistics::sprt::Sprt;
use crate::tournament::statistics::standings::Standings;
use crate::tournament::statistics::{chart, summary};

/// The arguments of `emilia report`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Games: JSON lines of `emilia match --save`, GGF, SGF, PGN, or any other kind that `analyze` reads
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print only the table
    #[arg(long)]
    brief: bool,
    /// Show for each two players what this sequential test says, such as 'elo0=0 elo1=5'
    #[arg(long, value_name = "KEY=VALUE..", conflicts_with = "brief")]
    sprt: Option<Sprt>,
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
/// If a file cannot be read or written, has no game, or lacks the game to draw. A game that cannot be read
/// is named, and the others are counted.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let mut used = UsedFiles::reading(&arguments.files);
    let ratings_file = MaybeOutput::open(&mut used, arguments.svg.as_ref(), FileKind::SVG)?;
    let game_file = MaybeOutput::open(&mut used, arguments.graph.as_ref(), FileKind::SVG)?;
    let (files, has_bad) = load_all(&files::different(&arguments.files))?;
    let mut files = without_copies(files);
    tell_apart(&mut files);
    let standings = standings(&files);
    ensure!(standings.games() > 0, "there are no games in these files");
    let text = if arguments.brief {
        summary::table(&standings)
    } else {
        summary::full(&standings, arguments.sprt)
    };
    let number = arguments.game;
    let is_wanted = |record: &&GameRecord| number.is_none_or(|number| record.game == number);
    let drawn = files.iter().flatten().find(is_wanted);

    // Whichever of them fails, the others are done.
    let mut out = io::stdout().lock();
    let printed = write!(out, "{text}").and_then(|()| out.flush());
    let ratings = || chart::ratings(&standings);
    let ratings_drawn = ratings_file.write(|file| file.write_all(ratings().as_bytes()));
    if arguments.graph.is_some() {
        let missing = || format!("there is no game {}", number.unwrap_or(1));
        let svg = chart::game(drawn.with_context(missing)?);
        game_file.write(|file| file.write_all(svg.as_bytes()))?;
    }
    ratings_drawn?;
    printed?;
    Ok(if has_bad {
        Exit::FAILURE
    } else {
        Exit::SUCCESS
    })
}

/// What each file holds, and whether there are games that cannot be read: those are named.
fn load_all(paths: &[&Path]) -> anyhow::Result<(Vec<Loaded>, bool)> {
    let (mut files, mut has_bad) = (Vec::new(), false);
    for path in paths {
        let loaded = load(path)?;
        let name = path.display();
        for error in &loaded.bad {
            logging::error(&anyhow!("in {name}, {error}"));
        }
        for warning in &loaded.warnings {
            logging::warning(&format!("in {name}, {warning}"));
        }
        has_bad |= !loaded.bad.is_empty();
        files.push(loaded);
    }
    Ok((files, has_bad))
}

/// The games of a file. A match leaves a drawing beside them, whose name is easily given instead.
fn load(path: &Path) -> anyhow::Result<Loaded> {
    let name = path.display();
    ensure!(
        !is_drawing(path),
        "{name} is a drawing and has no games: give FILE.jsonl or FILE.ggf of `emilia match --save FILE`"
    );
    archive::load(path)
}

fn is_drawing(path: &Path) -> bool {
    let head = File::open(path).and_then(|mut file| {
        let mut head = [0; FileKind::HEAD];
        let length = file.read(&mut head)?;
        Ok((FileKind::SVG.is)(&head[..length]))
    });
    head.unwrap_or(false)
}

/// The games of each file. A match saves each game in two files, of which that with all facts counts.
fn without_copies(files: Vec<Loaded>) -> Vec<Vec<GameRecord>> {
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by_key(|&at| !files[at].is_of_match);
    let mut all: Vec<_> = files.into_iter().map(|file| file.records).collect();
    let mut seen = HashSet::new();
    let mut copies = 0;
    for at in order {
        let records = &mut all[at];
        // Players without chance may play a game several times, in one file.
        let own: Vec<String> = records.iter().filter_map(identity).collect();
        let before = records.len();
        records.retain(|record| identity(record).is_none_or(|game| !seen.contains(&game)));
        copies += before - records.len();
        seen.extend(own);
    }
    if copies > 0 {
        logging::warning(&format!("{copies} games are in two files, and count once"));
    }
    all
}

/// By what a game is found again in another file; `None`: nobody knows when it was played.
fn identity(record: &GameRecord) -> Option<String> {
    let moves: String = record.moves.iter().map(|mv| mv.name.as_str()).collect();
    let GameRecord {
        date,
        black,
        white,
        start,
        score,
        ..
    } = record;
    (!date.is_empty()).then(|| format!("{date:?} {black:?} {white:?} {start} {moves} {score}"))
}

/// Players of one name and different budgets are different players: their budget becomes part of the name.
fn tell_apart(files: &mut [Vec<GameRecord>]) {
    let mut budgets: HashMap<String, HashSet<String>> = HashMap::new();
    for (name, budget) in files.iter_mut().flatten().flat_map(players) {
        let of_name = budgets.entry(name.clone()).or_default();
        of_name.extend((!budget.is_empty()).then(|| budget.clone()));
    }
    for (name, budget) in files.iter_mut().flatten().flat_map(players) {
        if budgets[name].len() > 1 && !budget.is_empty() {
            *name = format!("{name} {budget}");
        }
    }
}

/// The names of both players and what they could spend.
fn players(record: &mut GameRecord) -> [(&mut String, &String); 2] {
    [
        (&mut record.black, &record.black_budget),
        (&mut record.white, &record.white_budget),
    ]
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

//! `emilia analyze`: what went wrong in games.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;

use super::files;
use super::progress::Progress;
use crate::analysis::page::{GameReport, page};
use crate::analysis::summary::Summary;
use crate::analysis::table::{result_text, table};
use crate::analysis::{Effort, Verdict, analyze};
use crate::eval::Evaluator;
use crate::files::{FileKind, OutputFile, UsedFiles};
use crate::formats::ggf::GgfGame;
use crate::formats::transcript::{self, Transcript};
use crate::formats::{ggf, sgf, wthor};
use crate::search::{SearchOptions, Searcher, parse_hash_mb};
use crate::text::words::{seconds, whole};
use crate::text::{Lines, TextError};
use crate::threads::{self, Stack};

/// A page of HTML.
const HTML: FileKind = FileKind {
    name: "an HTML page",
    is: |head| head.trim_ascii_start().starts_with(b"<!doctype html>"),
};

/// Games in GGF.
const GGF: FileKind = FileKind {
    name: "a file of GGF games",
    is: |head| head.trim_ascii_start().starts_with(b"(;GM"),
};

/// The arguments of `emilia analyze`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Files (GGF, SGF, WTHOR by `.wtb`, transcripts; `.gz` is unpacked), or transcripts [default: standard input]
    #[arg(value_name = "GAME")]
    games: Vec<String>,
    /// Time for a game in seconds: what cannot be solved within it is estimated [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    time: Option<Duration>,
    /// Plies to search where scores are estimated
    #[arg(long, default_value_t = Effort::default().depth, value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    /// Most empty squares of positions with exact scores
    #[arg(long, value_name = "N", default_value_t = Effort::default().exact)]
    exact: u32,
    /// Most empty squares of positions for which win, draw or loss is proven
    #[arg(long, value_name = "N", default_value_t = Effort::default().wld)]
    wld: u32,
    /// Print a JSON object for each game instead of tables
    #[arg(long)]
    json: bool,
    /// Write one page with graphs and boards to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the games with the scores of their moves, as NBoard shows them, to this file
    #[arg(long, value_name = "FILE")]
    ggf: Option<PathBuf>,
    /// Print how the players did in all games, instead of each game
    #[arg(long, conflicts_with = "json")]
    summary: bool,
    /// Only games of players whose name contains this
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Only games of this year, of WTHOR files and of those that name a date
    #[arg(long)]
    year: Option<u16>,
    /// The list of players of WTHOR files, WTHOR.JOU
    #[arg(long, value_name = "FILE")]
    players: Option<PathBuf>,
    /// Threads: a game each, or all for one game [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Memory of all hash tables in MB
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = parse_hash_mb)]
    hash: usize,
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let found = whole(text, seconds);
    found.ok_or_else(|| "expected seconds".to_owned())
}

/// A game and what its file says about it.
struct Found {
    source: String,
    game: GgfGame,
}

/// Prints the analysis of each game, in order.
///
/// # Errors
/// If there is no game, a file cannot be read or written, or the search cannot be started. A game
/// that makes no sense is named, and the others are analysed.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let inputs = arguments.games.iter().map(Path::new);
    let mut used = UsedFiles::reading(inputs.chain(arguments.players.as_deref()));
    let html = arguments.html.as_ref();
    let html = html.map(|path| used.output(path, HTML)).transpose()?;
    let ggf = arguments.ggf.as_ref();
    let ggf = ggf.map(|path| used.output(path, GGF)).transpose()?;

    let mut reader = Reader::new(arguments)?;
    for name in &arguments.games {
        reader.read(name);
    }
    if arguments.games.is_empty() {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().read_to_end(&mut bytes);
        read.context("cannot read standard input")?;
        reader.read_text("standard input", &bytes);
    }
    let Reader { games, bad, .. } = reader;
    for error in &bad {
        let _ = writeln!(io::stderr(), "error: {error:#}");
    }
    ensure!(!games.is_empty(), "there is no game to analyse");

    let mut results = Results::new(arguments, games.len());
    analyze_all(arguments, &games, |number, verdicts| {
        results.take(&games[number], verdicts)
    })?;
    results.finish(html, ggf)?;
    Ok(if bad.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Analyses the games, several at once, and hands the verdicts over in order.
fn analyze_all(
    arguments: &Arguments,
    games: &[Found],
    mut take: impl FnMut(usize, Vec<Verdict>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let all = arguments.threads.map_or(cores, NonZeroUsize::get);
    let workers = all.min(games.len());
    let options = SearchOptions {
        threads: (all / workers).min(SearchOptions::MAX_THREADS),
        hash_mb: (arguments.hash / workers).max(1),
    };
    let effort = Effort {
        depth: arguments.depth,
        exact: arguments.exact,
        wld: arguments.wld,
        time: arguments.time,
    };
    let evaluator = Evaluator::embedded();
    let searchers = (0..workers).map(|_| Searcher::new(evaluator.clone(), options));
    let searchers = searchers.collect::<Result<Vec<_>, _>>()?;
    let next = AtomicUsize::new(0);
    let work = |mut searcher: Searcher, done: Sender<(usize, Vec<Verdict>)>| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(found) = games.get(number) else {
                break;
            };
            let verdicts = analyze(&mut searcher, &found.game.game, &effort);
            if done.send((number, verdicts)).is_err() {
                break;
            }
        }
    };
    let progress = Progress::new(games.len() as u64, "games", 0);
    thread::scope(|scope| {
        let (done, results) = channel();
        for searcher in searchers {
            let done = done.clone();
            threads::spawn_scoped(scope, "analyze", Stack::Search, || work(searcher, done))
                .context("cannot start a thread")?;
        }
        drop(done);
        // Those that came before their turn.
        let mut waiting = BTreeMap::new();
        let mut turn = 0;
        for (number, verdicts) in results {
            waiting.insert(number, verdicts);
            while let Some(verdicts) = waiting.remove(&turn) {
                progress.suspend(|| take(turn, verdicts))?;
                turn += 1;
            }
            progress.step();
        }
        ensure!(turn == games.len(), "a thread has failed");
        Ok(())
    })
}

/// What becomes of the verdicts.
struct Results<'a> {
    arguments: &'a Arguments,
    /// How many games there are.
    count: usize,
    done: usize,
    summary: Summary,
    /// For the page.
    reports: Vec<GameReport>,
    /// For GGF.
    annotated: Vec<GgfGame>,
}

impl Results<'_> {
    fn new(arguments: &Arguments, count: usize) -> Results<'_> {
        Results {
            arguments,
            count,
            done: 0,
            summary: Summary::default(),
            reports: Vec::new(),
            annotated: Vec::new(),
        }
    }

    fn take(&mut self, found: &Found, verdicts: Vec<Verdict>) -> anyhow::Result<()> {
        self.done += 1;
        let game = &found.game;
        let names = [
            name(&game.black.name, "Black"),
            name(&game.white.name, "White"),
        ];
        self.summary.add(names, &verdicts);
        let report = GameReport {
            source: found.source.clone(),
            black: names[0].to_owned(),
            white: names[1].to_owned(),
            result: result_text(game.game.position().result_for_black()),
            moves: verdicts.iter().map(Into::into).collect(),
        };
        let mut out = io::stdout().lock();
        if self.arguments.json {
            serde_json::to_writer(&mut out, &report)?;
            writeln!(out)?;
        } else if !self.arguments.summary {
            if self.count > 1 {
                writeln!(out, "Game {}: {}", self.done, report.source)?;
            }
            writeln!(
                out,
                "{} - {}: {}",
                report.black, report.white, report.result
            )?;
            writeln!(out, "{}", table(&verdicts))?;
        }
        out.flush()?;
        if self.arguments.html.is_some() {
            self.reports.push(report);
        }
        if self.arguments.ggf.is_some() {
            self.annotated.push(annotate(game, &verdicts));
        }
        Ok(())
    }

    fn finish(self, html: Option<OutputFile>, ggf: Option<OutputFile>) -> anyhow::Result<()> {
        if self.arguments.summary {
            write!(io::stdout().lock(), "{}", self.summary.table())?;
        }
        if let Some(file) = html {
            let page = page(&self.reports)?;
            file.write(|out| out.write_all(page.as_bytes()))?;
        }
        if let Some(file) = ggf {
            file.write(|out| {
                self.annotated
                    .iter()
                    .try_for_each(|game| writeln!(out, "{game}"))
            })?;
        }
        Ok(())
    }
}

fn name<'a>(name: &'a str, otherwise: &'a str) -> &'a str {
    if name.is_empty() { otherwise } else { name }
}

/// The game with the score of each move beside it.
fn annotate(game: &GgfGame, verdicts: &[Verdict]) -> GgfGame {
    let mut game = game.clone();
    let mut verdicts = verdicts.iter();
    for (mv, note) in game.game.moves().iter().zip(&mut game.notes) {
        if mv.square().is_some() {
            note.evaluation = verdicts.next().map(|verdict| verdict.after.score.to_f64());
        }
    }
    game
}

/// The games that were asked for.
struct Reader<'a> {
    arguments: &'a Arguments,
    players: Vec<String>,
    games: Vec<Found>,
    /// What cannot be read.
    bad: Vec<anyhow::Error>,
}

impl Reader<'_> {
    fn new(arguments: &Arguments) -> anyhow::Result<Reader<'_>> {
        let mut players = Vec::new();
        if let Some(path) = &arguments.players {
            let mut bytes = Vec::new();
            let read = files::open(path)?.read_to_end(&mut bytes);
            read.with_context(|| format!("cannot read {}", path.display()))?;
            let names = wthor::parse_players(&bytes);
            players = names.with_context(|| format!("in {}", path.display()))?;
        }
        Ok(Reader {
            arguments,
            players,
            games: Vec::new(),
            bad: Vec::new(),
        })
    }

    /// Reads a file, if there is one of this name, else a transcript.
    fn read(&mut self, name: &str) {
        let path = Path::new(name);
        if !path.exists() {
            let transcript = name.parse::<Transcript>();
            match transcript.with_context(|| format!("neither a file nor a transcript: {name:?}")) {
                Ok(transcript) => self.add(String::new(), GgfGame::new(transcript.game)),
                Err(error) => self.bad.push(error),
            }
            return;
        }
        let mut bytes = Vec::new();
        let read = files::open(path).and_then(|mut file| Ok(file.read_to_end(&mut bytes)?));
        if let Err(error) = read.with_context(|| format!("cannot read {name}")) {
            self.bad.push(error);
            return;
        }
        if wthor::is_database(path) {
            self.read_wthor(name, &bytes);
        } else {
            self.read_text(name, &bytes);
        }
    }

    fn read_wthor(&mut self, name: &str, bytes: &[u8]) {
        let database = match wthor::parse(bytes).with_context(|| format!("in {name}")) {
            Ok(database) => database,
            Err(error) => return self.bad.push(error),
        };
        for (number, found) in database.games.into_iter().enumerate() {
            let mut game = GgfGame::new(found.game);
            game.black.name = self.player(found.black);
            game.white.name = self.player(found.white);
            game.date = database.year.to_string();
            self.add(format!("{name}, game {}", number + 1), game);
        }
    }

    fn player(&self, number: u16) -> String {
        let name = self.players.get(usize::from(number));
        name.map_or_else(|| format!("player {number}"), Clone::clone)
    }

    /// Reads SGF, or lines of GGF and transcripts.
    fn read_text(&mut self, name: &str, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        if sgf::is_sgf(&text) {
            match sgf::parse(&text).with_context(|| format!("in {name}")) {
                Ok(games) => {
                    for (number, found) in games.into_iter().enumerate() {
                        let mut game = GgfGame::new(found.game);
                        game.black.name = found.black;
                        game.white.name = found.white;
                        game.date = found.date;
                        self.add(format!("{name}, game {}", number + 1), game);
                    }
                }
                Err(error) => self.bad.push(error),
            }
            return;
        }
        let mut lines = Lines::new(bytes);
        // Bytes in memory can always be read.
        while let Ok(Some(line)) = lines.next_line() {
            let source = format!("{name}, line {}", line.number);
            let games = line.text().and_then(games_of_line);
            match games.with_context(|| format!("in {source}")) {
                Ok(games) => {
                    for game in games {
                        self.add(source.clone(), game);
                    }
                }
                Err(error) => self.bad.push(error),
            }
        }
    }

    /// Keeps a game if it is one of those asked for.
    fn add(&mut self, source: String, game: GgfGame) {
        let has_player = self.arguments.player.as_ref().is_none_or(|wanted| {
            let wanted = wanted.to_lowercase();
            [&game.black.name, &game.white.name]
                .into_iter()
                .any(|name| name.to_lowercase().contains(&wanted))
        });
        let has_year = self
            .arguments
            .year
            .is_none_or(|wanted| game.date.contains(&wanted.to_string()));
        if has_player && has_year {
            self.games.push(Found { source, game });
        }
    }
}

/// The games of a line of GGF or of a transcript; none if it is blank or a comment.
fn games_of_line(line: &str) -> Result<Vec<GgfGame>, TextError> {
    if ggf::is_ggf(line) {
        return ggf::parse_line(line);
    }
    let found = transcript::parse_line(line)?;
    Ok(found
        .into_iter()
        .map(|found| GgfGame::new(found.game))
        .collect())
}

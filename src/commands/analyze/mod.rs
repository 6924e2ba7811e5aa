//! `emilia analyze`: what went wrong in games.
//!
//! Games are analysed several at once and reported in their order. With `--output` a run that was killed can be continued,
//! as one of `solve` can.

mod games;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;

use games::{GameReader, NamedGame};

use super::Exit;
use super::progress::Progress;
use crate::analysis::page::{GameReport, MoveReport, page};
use crate::analysis::people::{People, PeopleVerdicts};
use crate::analysis::summary::GameSummary;
use crate::analysis::table::{people_text, result_text, table};
use crate::analysis::{Verdict, analyze};
use crate::batch::resume::{Done, InputHash, Milestones, Run};
use crate::batch::run::Output;
use crate::cli::is_broken_pipe;
use crate::eval::Evaluator;
use crate::files::{FileKind, OutputFile, UsedFiles};
use crate::formats::ggf::GgfGame;
use crate::formats::opening_names;
use crate::host::Instant;
use crate::human::{ModelError, Rating};
use crate::logging;
use crate::pool::{self, Team};
use crate::rules::{Color, Game};
use crate::search::{Control, Effort, SearchOptions, Searcher, parse_hash_mb};
use crate::text::printable;
use crate::text::values::seconds;
use crate::threads;

const HTML: FileKind = FileKind {
    name: "an HTML page",
    is: |head| head.trim_ascii_start().starts_with(b"<!doctype html>"),
};

/// The arguments of `emilia analyze`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Files (GGF, SGF, PGN, WTHOR, JSON, tables, pages, transcripts; packed with gzip or not), or transcripts pasted from anywhere; `-` is standard input, as is nothing
    #[arg(value_name = "GAME")]
    games: Vec<String>,
    /// Time for a game in seconds: what cannot be solved within it is estimated [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
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
    /// Say what players of this rating (1 to 3000, on the scale of docs/HUMAN.md) find: how likely the moves are, hard
    /// positions, common mistakes, and how strong the players look
    #[arg(long, value_name = "R")]
    rating: Option<Rating>,
    /// The rating for black's moves [default: that of --rating]
    #[arg(long, value_name = "R")]
    rating_black: Option<Rating>,
    /// The rating for white's moves [default: that of --rating]
    #[arg(long, value_name = "R")]
    rating_white: Option<Rating>,
    /// Print a JSON object for each game instead of tables
    #[arg(long)]
    json: bool,
    /// Write a JSON object for each game to this file instead, and beside it FILE.run: how far the run is
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    output: Option<PathBuf>,
    /// Continue the file of --output where a killed run has stopped: each game is analysed once
    #[arg(long, requires = "output")]
    resume: bool,
    /// Write one page with graphs and boards to this file, with --summary also its plot
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the games with the scores of their moves, as NBoard shows them, to this file
    #[arg(long, value_name = "FILE")]
    ggf: Option<PathBuf>,
    /// Print how the players did in all games, by phase, instead of each game
    #[arg(long, conflicts_with = "json")]
    summary: bool,
    /// The side to move on boards that do not say it
    #[arg(long, value_name = "COLOR")]
    side: Option<Color>,
    /// Only games of players whose name contains this; names of WTHOR files need --players
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Only games of tournaments whose name contains this; names of WTHOR files need --tournaments
    #[arg(long, value_name = "NAME")]
    tournament: Option<String>,
    /// Only games of this year, of WTHOR files and of those that name a date
    #[arg(long)]
    year: Option<u16>,
    /// The list of players of WTHOR files, WTH.JOU
    #[arg(long, value_name = "FILE")]
    players: Option<PathBuf>,
    /// The list of tournaments of WTHOR files, WTH.TRN
    #[arg(long, value_name = "FILE")]
    tournaments: Option<PathBuf>,
    /// Threads: a game each, or all for one game [default: one for each core]. Several for one game find estimates that
    /// differ a little from run to run; with 1 every run finds the same
    #[arg(long, value_name = "N", value_parser = super::at_least_one)]
    threads: Option<NonZeroUsize>,
    /// Memory of all hash tables in MB
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = parse_hash_mb)]
    hash: usize,
}

/// The share of the time of a game in which it is analysed where players of a rating are asked for: they have the rest.
const ANALYSIS_SHARE: f64 = 0.8;

impl Arguments {
    /// The ratings of black and white.
    fn ratings(&self) -> [Option<Rating>; 2] {
        [self.rating_black, self.rating_white].map(|rating| rating.or(self.rating))
    }

    /// Players of these ratings, if there are any.
    fn people(&self) -> Result<Option<People>, ModelError> {
        let ratings = self.ratings();
        let has_ratings = ratings.iter().any(Option::is_some);
        has_ratings.then(|| People::new(ratings)).transpose()
    }

    fn effort(&self) -> Effort {
        Effort {
            depth: self.depth,
            exact: self.exact,
            wld: self.wld,
            time: self.time,
        }
    }

    /// What the analyses of the run depend on.
    fn run(&self, evaluator: &Evaluator) -> Run {
        let mut options = BTreeMap::new();
        let mut add = |name: &str, value: String| options.insert(name.to_owned(), value);
        add("depth", self.depth.to_string());
        add("exact", self.exact.to_string());
        add("wld", self.wld.to_string());
        if let Some(time) = self.time {
            add("time", time.as_secs_f64().to_string());
        }
        let names = ["rating-black", "rating-white"];
        for (name, rating) in names.into_iter().zip(self.ratings()) {
            if let Some(rating) = rating {
                add(name, rating.to_string());
            }
        }
        Run::new(evaluator, options)
    }
}

/// Prints the analysis of each game, in order.
///
/// # Errors
/// If there is no game, a file cannot be read or written, or the search cannot be started. A game
/// that makes no sense is named, and the others are analysed.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let inputs = arguments.games.iter().map(Path::new);
    let inputs: Vec<&Path> = inputs
        .chain(arguments.players.as_deref())
        .chain(arguments.tournaments.as_deref())
        .collect();
    let mut used = UsedFiles::reading(&inputs);
    let html = arguments.html.as_ref();
    let html = html.map(|path| used.output(path, HTML)).transpose()?;
    let ggf = arguments.ggf.as_ref();
    let ggf = ggf
        .map(|path| used.output(path, FileKind::GGF))
        .transpose()?;

    let GameReader {
        games, others, bad, ..
    } = GameReader::read(arguments)?;
    for error in &bad {
        logging::error(error);
    }
    ensure!(
        !games.is_empty() || others == 0,
        "none of {others} games is of this player, tournament and year"
    );
    ensure!(!games.is_empty(), "there is no game to analyse");

    let mut results = Results::new(arguments, games.len());
    let mut done = 0;
    if let Some(path) = &arguments.output {
        done = results.continue_file(path, &mut used, &games)?;
    }
    analyze_all(arguments, &games, done, |number, analysis| {
        results.take(&games[number], &analysis)
    })?;
    results.finish(html, ggf)?;
    Ok(Exit::failed_if(!bad.is_empty()))
}

/// How far the analysis is, in positions: a long game is many of them.
fn progress(games: &[NamedGame], before: usize) -> Progress {
    let positions = |games: &[NamedGame]| -> u64 {
        let positions = games
            .iter()
            .map(|found| found.game.game.moves().len() as u64 + 1);
        positions.sum()
    };
    let progress = Progress::new(positions(games), "positions", positions(&games[..before]));
    note_games(&progress, before, games.len());
    progress
}

fn note_games(progress: &Progress, done: usize, all: usize) {
    if all > 1 {
        progress.note(&format!("{done} of {all} games"));
    }
}

/// What is found out about a game.
struct Analysis {
    verdicts: Vec<Verdict>,
    people: Option<PeopleVerdicts>,
}

/// What the threads know together.
struct Analyses<'a> {
    games: &'a [NamedGame],
    effort: Effort,
    people: Option<People>,
    /// Where the results cannot be written, no more are needed.
    control: Control,
    progress: Progress,
    done: AtomicUsize,
}

impl Analyses<'_> {
    /// Analyses the game of this number; `None` if no more results are needed.
    fn analyze_turn(&self, searcher: &mut Searcher, number: usize) -> Option<Analysis> {
        let analysis = self.analyze(searcher, &self.games[number].game.game)?;
        let done = 1 + self.done.fetch_add(1, Ordering::Relaxed);
        note_games(&self.progress, done, self.games.len());
        Some(analysis)
    }

    /// Analyses a game; `None` if no more results are needed.
    fn analyze(&self, searcher: &mut Searcher, game: &Game) -> Option<Analysis> {
        let deadline = self
            .effort
            .time
            .and_then(|time| Instant::now().checked_add(time));
        let mut effort = self.effort;
        if self.people.is_some() {
            effort.time = effort.time.map(|time| time.mul_f64(ANALYSIS_SHARE));
        }
        let mut step = |_| self.progress.step();
        let verdicts = analyze(searcher, game, &effort, &self.control, &mut step)?;
        let people = match &self.people {
            Some(people) => Some(people.judge(searcher, &verdicts, deadline, &self.control)?),
            None => None,
        };
        Some(Analysis { verdicts, people })
    }
}

/// Analyses the games, several at once, and hands the analyses over in order. The first `before` are done.
fn analyze_all(
    arguments: &Arguments,
    games: &[NamedGame],
    before: usize,
    mut take: impl FnMut(usize, Analysis) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    if before == games.len() {
        return Ok(());
    }
    let all = arguments.threads.unwrap_or_else(threads::cores).get();
    let workers = all.min(games.len() - before);
    let options = SearchOptions {
        threads: (all / workers).min(SearchOptions::MAX_THREADS),
        hash_mb: (arguments.hash / workers).max(1),
    };
    let analyses = Analyses {
        games,
        effort: arguments.effort(),
        people: arguments.people()?,
        control: Control::new(),
        progress: progress(games, before),
        done: AtomicUsize::new(before),
    };
    let team = Team {
        name: "analyze",
        threads: workers,
        ordered: true,
    };
    let make = || Ok(Searcher::new(Evaluator::embedded(), options)?);
    let work = |searcher: &mut Searcher, number| analyses.analyze_turn(searcher, number);
    pool::run(team, before..games.len(), make, work, |found| {
        let taken = (before..).zip(found).try_for_each(|(turn, analysis)| {
            let analysis = analysis?;
            analyses.progress.suspend(|| take(turn, analysis))
        });
        analyses.control.stop();
        taken
    })
}

/// What becomes of the verdicts.
struct Results<'a> {
    arguments: &'a Arguments,
    /// How many games there are.
    count: usize,
    done: usize,
    output: Option<Output>,
    milestones: Milestones,
    summary: GameSummary,
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
            output: None,
            milestones: Milestones::default(),
            summary: GameSummary::default(),
            reports: Vec::new(),
            annotated: Vec::new(),
        }
    }

    /// Opens the file of the results, and takes what an earlier run has left there: so many of the games.
    fn continue_file(
        &mut self,
        path: &Path,
        used: &mut UsedFiles,
        games: &[NamedGame],
    ) -> anyhow::Result<usize> {
        let run = self.arguments.run(&Evaluator::embedded());
        let (output, Done { answers, noted }) =
            Output::open(path, self.arguments.resume, run, used)?;
        self.output = Some(output);
        let name = path.display();
        let mut hash = InputHash::default();
        for (number, found) in (1..).zip(games) {
            hash.add(number, identity(&found.game).as_bytes());
            self.milestones.note(number, hash);
            let has_changed = number == noted.answers && hash.value() != noted.input;
            ensure!(
                !has_changed,
                "{name} cannot be continued: the games have changed"
            );
        }
        let done = answers as usize;
        ensure!(
            done <= games.len(),
            "{name} cannot be continued: it has {done} games, and there are {}",
            games.len()
        );
        if done == 0 {
            return Ok(0);
        }
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
        for (number, (found, line)) in (1..).zip(games[..done].iter().zip(text.lines())) {
            let report = serde_json::from_str(line);
            let report: GameReport = report.with_context(|| format!("in {name}, line {number}"))?;
            let is_own = report.is_of(&found.game.game)
                && report.black == self::name(&found.game.black.name, "Black")
                && report.white == self::name(&found.game.white.name, "White");
            ensure!(
                is_own,
                "{name} cannot be continued: its line {number} is about another game than {}",
                found.source
            );
            self.done += 1;
            self.keep(&found.game, report);
        }
        Ok(done)
    }

    fn take(&mut self, found: &NamedGame, analysis: &Analysis) -> anyhow::Result<()> {
        self.done += 1;
        let game = &found.game;
        let verdicts = &analysis.verdicts;
        let mut report = GameReport {
            source: found.source.clone(),
            black: name(&game.black.name, "Black").to_owned(),
            white: name(&game.white.name, "White").to_owned(),
            result: result_text(game.game.position().result_for_black()),
            opening: opening_names::of_game(&game.game).map(Into::into),
            black_strength: None,
            white_strength: None,
            moves: verdicts.iter().map(Into::into).collect(),
        };
        if let Some(people) = &analysis.people {
            report.note_people(verdicts, people);
        }
        if let Some(output) = &mut self.output {
            let mut line = serde_json::to_vec(&report)?;
            line.push(b'\n');
            output.write(&line, 1, &self.milestones)?;
        } else if let Err(error) = self.print(&report, verdicts) {
            let has_files = self.arguments.html.is_some() || self.arguments.ggf.is_some();
            // The files are wanted, also where nobody reads what is printed.
            if !(has_files && is_broken_pipe(&error)) {
                return Err(error);
            }
        }
        self.keep(game, report);
        Ok(())
    }

    fn print(&self, report: &GameReport, verdicts: &[Verdict]) -> anyhow::Result<()> {
        let mut out = io::stdout().lock();
        if self.arguments.json {
            serde_json::to_writer(&mut out, report).map_err(io::Error::from)?;
            writeln!(out)?;
        } else if !self.arguments.summary {
            if self.count > 1 {
                writeln!(out, "Game {}: {}", self.done, printable(&report.source))?;
            }
            let (black, white) = (printable(&report.black), printable(&report.white));
            writeln!(out, "{black} - {white}: {}", report.result)?;
            if let Some(opening) = &report.opening {
                writeln!(out, "Opening: {}", printable(opening))?;
            }
            writeln!(out, "{}", table(verdicts, &report.moves))?;
            let people = people_text(report);
            if !people.is_empty() {
                writeln!(out, "{people}")?;
            }
        }
        out.flush()?;
        Ok(())
    }

    /// Keeps what is written at the end.
    fn keep(&mut self, game: &GgfGame, report: GameReport) {
        if self.arguments.summary {
            self.summary.add(&report);
        }
        if self.arguments.ggf.is_some() {
            self.annotated.push(annotate(game, &report));
        }
        if self.arguments.html.is_some() {
            self.reports.push(report);
        }
    }

    fn finish(mut self, html: Option<OutputFile>, ggf: Option<OutputFile>) -> anyhow::Result<()> {
        if let Some(output) = &mut self.output {
            output.finish()?;
        }
        if let Some(file) = html {
            let summary = self.arguments.summary.then_some(&self.summary);
            let page = page(&self.reports, summary)?;
            file.write(|out| out.write_all(page.as_bytes()))?;
        }
        if let Some(file) = ggf {
            file.write(|out| {
                self.annotated
                    .iter()
                    .try_for_each(|game| writeln!(out, "{game}"))
            })?;
        }
        if self.arguments.summary {
            write!(io::stdout().lock(), "{}", self.summary.table())?;
        }
        Ok(())
    }
}

fn name<'a>(name: &'a str, otherwise: &'a str) -> &'a str {
    if name.is_empty() { otherwise } else { name }
}

/// What tells a game from others.
fn identity(game: &GgfGame) -> String {
    let (start, moves) = (game.game.start(), game.game.transcript());
    format!("{start} {moves} {} {}", game.black.name, game.white.name)
}

/// The game with its result, and the score of each move beside it.
fn annotate(game: &GgfGame, report: &GameReport) -> GgfGame {
    let mut game = game.clone();
    game.result = game.outcome();
    let mut moves = report.moves.iter();
    for (mv, note) in game.game.moves().iter().zip(&mut game.notes) {
        if mv.square().is_some() {
            note.evaluation = moves.next().map(MoveReport::after);
        }
    }
    game
}

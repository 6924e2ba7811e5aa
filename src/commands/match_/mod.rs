//! `emilia match`: games between engines from an opening list, each opening with both
//! colours, saved as they end, until they are played or a test has decided.

mod arguments;
mod resume;

use std::collections::HashSet;
use std::io::{self, Write};
use std::ops::ControlFlow;

use anyhow::{Context, ensure};
use indicatif::{ProgressBar, ProgressStyle};

use super::Exit;
use super::interrupt::Interrupt;
use crate::commands::files::MaybeOutput;
use crate::files::{FileKind, UsedFiles};
use crate::logging;
use crate::text::printable;
use crate::tournament::archive::Archive;
use crate::tournament::statistics::sprt::{Decision, Sprt};
use crate::tournament::statistics::standings::Standings;
use crate::tournament::statistics::{chart, summary};
use crate::tournament::{self, GameRecord, Plan};

pub use arguments::Arguments;

/// Plays the match; prints a line for each game and the result at the end. While it runs,
/// the table stands on standard error if that is a terminal.
///
/// # Errors
/// If there are not enough engines or openings, an engine cannot be started, a file cannot be
/// read or written, or the saved games are those of another match.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let plan = arguments.plan()?;
    let sprt = arguments.sequential_test(plan.entrants.len())?;
    let mut played = Played::new(&plan, sprt);
    let mut used = UsedFiles::reading(arguments.inputs(&plan));
    let svg = MaybeOutput::open(&mut used, arguments.svg.as_ref(), FileKind::SVG)?;
    let mut archive = None;
    if let Some(stem) = &arguments.save {
        let (opened, records) = Archive::open(&mut used, stem, arguments.resume)?;
        for record in &records {
            check_same_match(&plan, record)
                .with_context(|| format!("cannot resume {}", stem.display()))?;
            played.count(record);
        }
        if !records.is_empty() {
            let (there, all, stem) = (records.len(), plan.schedule.games(), stem.display());
            let text = format!("{there} of {all} games are in {stem}.jsonl already");
            logging::tell(&text);
        }
        archive = Some(opened);
    }
    let stop = plan.stop.clone();
    let interrupt = Interrupt::watch(move || stop.all()).context("cannot watch for signals")?;
    let ended = play_rest(&plan, &mut played, archive.as_mut());
    played.bar.finish_and_clear();
    let status = interrupt.status();
    if status.is_some() {
        logging::tell(&how_to_go_on(arguments, &played));
    }
    // A stopped match ends with errors of its engines.
    let ended = status.map_or(ended, |_| Ok(()));
    let status = status.map_or(Exit::SUCCESS, Exit::from);
    if played.standings.games() == 0 {
        return ended.map(|()| status);
    }
    // What was played is printed and drawn, also after an error.
    let mut out = io::stdout().lock();
    let printed = write!(out, "{}", played.summary()).and_then(|()| out.flush());
    let ratings = || chart::ratings(&played.standings);
    let drawn = svg.write(|file| file.write_all(ratings().as_bytes()));
    ended?;
    drawn?;
    printed?;
    Ok(status)
}

/// What a match that was interrupted says at its end.
fn how_to_go_on(arguments: &Arguments, played: &Played) -> String {
    let games = played.games.len();
    let how = match &arguments.save {
        Some(_) => {
            let command = resume::command_to_resume(std::env::args_os());
            format!(", which are saved; continue with: {command}")
        }
        None => "; with --save FILE a match can be continued later".to_owned(),
    };
    format!("interrupted after {games} games{how}")
}

/// Plays the games that are not played yet.
fn play_rest(
    plan: &Plan,
    played: &mut Played,
    mut archive: Option<&mut Archive>,
) -> anyhow::Result<()> {
    let done = played.games.clone();
    let mut games = (1..=plan.schedule.games()).filter(|game| !done.contains(game));
    if played.decision != Decision::PlayOn || games.clone().next().is_none() {
        return Ok(());
    }
    tournament::run(plan, &mut games, |record| {
        if let Some(archive) = &mut archive {
            archive.add(&record)?;
        }
        played.count(&record);
        played.show(&record)?;
        Ok(match played.decision {
            Decision::PlayOn => ControlFlow::Continue(()),
            Decision::AcceptH0 | Decision::AcceptH1 => ControlFlow::Break(()),
        })
    })
}

/// What is played of a match, and what it shows so far.
struct Played {
    standings: Standings,
    games: HashSet<u64>,
    sprt: Option<Sprt>,
    /// What the test has decided; games that were still being played do not change it.
    decision: Decision,
    bar: ProgressBar,
}

impl Played {
    fn new(plan: &Plan, sprt: Option<Sprt>) -> Played {
        let names = plan.entrants.iter().map(|entrant| entrant.name.clone());
        let style = ProgressStyle::with_template("{msg}{pos} of {len} games in {elapsed}");
        Played {
            standings: Standings::new(names),
            games: HashSet::new(),
            sprt,
            decision: Decision::PlayOn,
            bar: ProgressBar::new(plan.schedule.games()).with_style(style.expect("a template")),
        }
    }

    fn count(&mut self, record: &GameRecord) {
        self.games.insert(record.game);
        self.standings.add(record);
        if let (Some(sprt), Decision::PlayOn) = (self.sprt, self.decision) {
            self.decision = sprt.decide(&self.standings.duel(0, 1).pairs);
        }
    }

    /// Prints the game, and brings the table up to date.
    fn show(&self, record: &GameRecord) -> io::Result<()> {
        self.bar.suspend(|| {
            let mut out = io::stdout().lock();
            writeln!(out, "{}", game_line(record))?;
            out.flush()
        })?;
        if !self.bar.is_hidden() {
            let table = summary::table(&self.standings);
            self.bar.set_message(format!("{table}{}", self.test_line()));
            self.bar.set_position(self.standings.games());
        }
        Ok(())
    }

    fn test_line(&self) -> String {
        let pairs = &self.standings.duel(0, 1).pairs;
        let text = |sprt: Sprt| sprt.text(pairs, self.decision);
        self.sprt.map(text).unwrap_or_default()
    }

    fn summary(&self) -> String {
        summary::full(&self.standings, None) + &self.test_line()
    }
}

/// Is that record a game of this match?
fn check_same_match(plan: &Plan, record: &GameRecord) -> anyhow::Result<()> {
    let (game, games) = (record.game, plan.schedule.games());
    ensure!(
        game <= games,
        "game {game} is beyond the {games} of this match"
    );
    let fixture = plan.schedule.fixture(game);
    let [black, white] = [fixture.black, fixture.white].map(|i| &plan.entrants[i]);
    let opening = &plan.openings[fixture.opening];
    let budgets = [black, white].map(|entrant| plan.budget_of(entrant).to_string());
    let names = record.moves.iter().map(|mv| mv.name.as_str());
    let given = opening.moves().iter().map(|mv| mv.name());
    let is_same = record.black == black.name
        && record.white == white.name
        && budgets == [record.black_budget.as_str(), &record.white_budget]
        && record.start == opening.start().to_string()
        && names.take(given.len()).eq(given);
    ensure!(
        is_same,
        "game {game} was played by other engines, from another opening, or with another budget"
    );
    Ok(())
}

/// One game in a line, tab-separated: number, black, white, discs for black, ending, opening.
fn game_line(record: &GameRecord) -> String {
    let texts = [&record.black, &record.white, &record.note];
    let [black, white, note] = texts.map(|text| printable(text));
    let (game, score, ending) = (record.game, record.score, record.ending);
    let opening = record.opening;
    format!("{game}\t{black}\t{white}\t{score:+}\t{ending}\t{opening}\t{note}")
}

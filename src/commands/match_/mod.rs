//! `emilia match`: games between engines from an opening list, each opening with both
//! colours, saved as they end, until they are played or a test has decided.

mod arguments;

use std::collections::HashSet;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use indicatif::{ProgressBar, ProgressStyle};

use crate::files::{FileKind, UsedFiles};
use crate::rules::Move;
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
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let plan = arguments.plan()?;
    let sprt = arguments.sequential_test(plan.entrants.len())?;
    let mut played = Played::new(&plan, sprt);
    let mut used = UsedFiles::reading(arguments.inputs(&plan));
    let svg = arguments.svg.as_ref();
    let svg = svg
        .map(|path| used.output(path, FileKind::SVG))
        .transpose()?;
    let mut archive = None;
    if let Some(stem) = &arguments.save {
        let (opened, records) = Archive::open(&mut used, stem, arguments.resume)?;
        for record in &records {
            check_same_match(&plan, record)
                .with_context(|| format!("cannot resume {}", stem.display()))?;
            played.count(record);
        }
        log::info!("{} games are played already", records.len());
        archive = Some(opened);
    }
    let ended = play_rest(&plan, &mut played, archive.as_mut());
    played.bar.finish_and_clear();
    if played.standings.games() == 0 {
        ended?;
        return Ok(ExitCode::SUCCESS);
    }
    // What was played is printed and drawn, also after an error.
    let mut out = io::stdout().lock();
    let printed = write!(out, "{}", played.summary()).and_then(|()| out.flush());
    let drawn = svg.map_or(Ok(()), |file| {
        file.write(|file| file.write_all(chart::ratings(&played.standings).as_bytes()))
    });
    ended?;
    drawn?;
    printed?;
    Ok(ExitCode::SUCCESS)
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
        let bar = ProgressBar::new(plan.schedule.games());
        let template = "{msg}{pos} of {len} games in {elapsed}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Played {
            standings: Standings::new(names),
            games: HashSet::new(),
            sprt,
            decision: Decision::PlayOn,
            bar,
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
        let text = |sprt: Sprt| format!("{}, {}\n", sprt.text(pairs), self.decision);
        self.sprt.map(text).unwrap_or_default()
    }

    fn summary(&self) -> String {
        summary::full(&self.standings) + &self.test_line()
    }
}

/// Is that record a game of this match?
fn check_same_match(plan: &Plan, record: &GameRecord) -> anyhow::Result<()> {
    ensure!(
        record.game <= plan.schedule.games(),
        "game {} is beyond the {} of this match",
        record.game,
        plan.schedule.games()
    );
    let fixture = plan.schedule.fixture(record.game);
    let [black, white] = [fixture.black, fixture.white].map(|i| &plan.entrants[i]);
    let opening = &plan.openings[fixture.opening];
    let budgets = [black, white].map(|entrant| plan.budget_of(entrant).to_string());
    let is_same = record.black == black.name
        && record.white == white.name
        && budgets == [record.black_budget.as_str(), &record.white_budget]
        && record.start == opening.start().to_string()
        && begins_with(record, opening.moves());
    ensure!(
        is_same,
        "game {} was played by other engines, from another opening, or with another budget",
        record.game
    );
    Ok(())
}

fn begins_with(record: &GameRecord, moves: &[Move]) -> bool {
    let names = record.moves.iter().map(|mv| mv.name.as_str());
    names
        .take(moves.len())
        .eq(moves.iter().map(Move::to_string))
}

/// One game in a line, tab-separated: number, black, white, discs for black, ending, opening.
fn game_line(record: &GameRecord) -> String {
    let GameRecord {
        game,
        black,
        white,
        score,
        ending,
        opening,
        note,
        ..
    } = record;
    format!("{game}\t{black}\t{white}\t{score:+}\t{ending}\t{opening}\t{note}")
}

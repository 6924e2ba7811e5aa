//! `emilia match`: games between engines from an opening list, each opening with both colours.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};

use crate::formats::{self, ReadError, openings};
use crate::random::SplitMix64;
use crate::rules::Game;
use crate::tournament::standings::Standings;
use crate::tournament::{self, Budget, Entrant, Format, GameRecord, Next, Plan, Schedule};

/// The arguments of `emilia match`.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// An engine, `name|protocol|command|settings`; twice or more
    #[arg(long = "engine", value_name = "ENTRY")]
    engines: Vec<Entrant>,
    /// Play Emilia's own search against `mobility`, or against this UGI command line
    #[arg(long, value_name = "OPPONENT", conflicts_with = "engines")]
    opponent: Option<String>,
    /// Openings, one a line: transcripts (XOT lists) or positions (OBF); `.gz` is unpacked
    #[arg(long, value_name = "FILE")]
    openings: PathBuf,
    /// Play the openings in an order drawn from this seed
    #[arg(long, value_name = "SEED")]
    shuffle: Option<u64>,
    /// Games [default: each opening with both colours in every meeting]
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// What everyone may spend whose entry does not say: depth=N, nodes=N, st=S, tc=S+S
    #[arg(long, value_name = "BUDGET", default_value = "depth=6")]
    each: Budget,
    /// Games played at once
    #[arg(long, value_name = "N", default_value = "1")]
    concurrency: NonZeroUsize,
    /// Who meets whom
    #[arg(long, value_enum, default_value_t = Meetings::RoundRobin)]
    format: Meetings,
    /// Seconds of silence, beyond its time for thinking, after which an engine hangs
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    patience: u64,
    /// End games at this many empties by an exact solve
    #[arg(long, value_name = "EMPTIES", value_parser = clap::value_parser!(u32).range(0..=24))]
    adjudicate: Option<u32>,
}

const AFTER_HELP: &str = "\
An entry is `name|protocol|command|settings`. The protocol is uci or ugi, or, without a
command, internal (Emilia's own search) or mobility (a fixed simple player). Settings are
words such as depth=8, nodes=100000, st=1 (seconds a move), tc=60+0.5 (seconds a game and
added after each move), passes=implied, option.Threads=2, init='a line', margin=50 (ms),
and, for internal, threads=2 and hash=64.
Example: emilia match --engine 'new|ugi|./emilia ugi|option.Hash=64' --engine 'old|ugi|./old ugi' \\
         --openings xot.txt --each tc=10+0.1 --games 200 --concurrency 2";

/// Who meets whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Meetings {
    /// Everyone meets everyone
    RoundRobin,
    /// The first engine meets each of the others
    Gauntlet,
}

/// Plays the match; prints a line for each game and the result at the end.
///
/// # Errors
/// If there are not enough engines or openings, or a file cannot be read or written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let plan = arguments.plan()?;
    let names = plan.entrants.iter().map(|entrant| entrant.name.clone());
    let mut standings = Standings::new(names.collect());
    let mut out = io::stdout().lock();
    tournament::run(&plan, 1..=plan.schedule.games(), |record| {
        standings.add(&plan.schedule, &record);
        writeln!(out, "{}", game_line(&record))?;
        out.flush()?;
        Ok(Next::Continue)
    })?;
    writeln!(out, "{}", standings.duel_text())?;
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn plan(&self) -> anyhow::Result<Plan> {
        let entrants = self.entrants()?;
        let openings = self.read_openings()?;
        let format = match self.format {
            Meetings::RoundRobin => Format::RoundRobin,
            Meetings::Gauntlet => Format::Gauntlet,
        };
        let meetings = Schedule::new(format, entrants.len(), 1, 0).meetings().len();
        let games = self.games.unwrap_or((2 * meetings * openings.len()) as u64);
        Ok(Plan {
            schedule: Schedule::new(format, entrants.len(), openings.len(), games),
            entrants,
            openings,
            budget: self.each,
            patience: Duration::from_secs(self.patience),
            adjudicate: self.adjudicate,
            at_once: self.concurrency.get(),
        })
    }

    fn entrants(&self) -> anyhow::Result<Vec<Entrant>> {
        let mut entrants = self.engines.clone();
        if let Some(opponent) = &self.opponent {
            entrants.push("emilia|internal".parse()?);
            entrants.push(match opponent.as_str() {
                "mobility" => "mobility|mobility".parse()?,
                command => format!("opponent|ugi|{command}").parse()?,
            });
        }
        ensure!(
            entrants.len() >= 2,
            "a match needs two engines: see --engine and --opponent"
        );
        for (i, entrant) in entrants.iter().enumerate() {
            let is_new = entrants[..i].iter().all(|other| other.name != entrant.name);
            ensure!(is_new, "two engines have the name {:?}", entrant.name);
        }
        Ok(entrants)
    }

    fn read_openings(&self) -> anyhow::Result<Vec<Game>> {
        let mut openings = read_openings(&self.openings)?;
        openings.retain(|opening| !opening.position().board.is_over());
        ensure!(
            !openings.is_empty(),
            "{} holds no opening",
            self.openings.display()
        );
        if let Some(seed) = self.shuffle {
            SplitMix64::new(seed).shuffle(&mut openings);
        }
        Ok(openings)
    }
}

fn read_openings(path: &Path) -> anyhow::Result<Vec<Game>> {
    formats::open(path)
        .map_err(ReadError::from)
        .and_then(|file| formats::read_all(file, openings::parse_line))
        .with_context(|| format!("cannot read {}", path.display()))
}

/// One game in a line, tab-separated: number, black, white, discs for black, ending, opening.
fn game_line(record: &GameRecord) -> String {
    let GameRecord {
        game,
        black,
        white,
        score,
        opening,
        ..
    } = record;
    let ending = record.ending.name();
    format!(
        "{game}\t{black}\t{white}\t{score:+}\t{ending}\t{opening}\t{}",
        record.note
    )
}

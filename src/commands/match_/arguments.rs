//! What `emilia match` is asked for.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail, ensure};
use clap::Args;

use crate::commands::files;
use crate::random::SplitMix64;
use crate::rules::{Game, Position};
use crate::text::{self, ReadError, TextError, values};
use crate::tournament::statistics::sprt::Sprt;
use crate::tournament::{Budget, EngineProtocol, Entrant, MatchFormat, Plan, Schedule, Stop};

/// The arguments of `emilia match`.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// An engine, `name|protocol|command|settings`; twice or more
    #[arg(long = "engine", value_name = "ENTRY")]
    engines: Vec<Entrant>,
    /// A file with one such entry a line, besides those of --engine; blank lines and lines that begin with # are skipped
    #[arg(long = "engines", value_name = "FILE")]
    list: Option<PathBuf>,
    /// Play Emilia's own search against `mobility`, or against this UGI command line
    #[arg(long, value_name = "OPPONENT", conflicts_with_all = ["engines", "list"])]
    opponent: Option<String>,
    /// Openings: transcripts (XOT lists) or positions (OBF), one a line, or a file of games of any kind that `analyze` reads
    #[arg(long, value_name = "FILE")]
    openings: PathBuf,
    /// Play the openings in an order drawn from this seed
    #[arg(long, value_name = "SEED")]
    shuffle: Option<u64>,
    /// Games [default: each opening with both colours in every meeting]
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Budget of each engine whose entry has none: depth=N, nodes=N, st=S, tc=S+S, untimed
    #[arg(long, value_name = "BUDGET", default_value = "depth=6")]
    each: Budget,
    /// Games played at once
    #[arg(long, value_name = "N", default_value = "1", value_parser = crate::commands::at_least_one)]
    concurrency: NonZeroUsize,
    /// Which engines play each other
    #[arg(long, value_enum, default_value_t = MatchFormat::RoundRobin)]
    format: MatchFormat,
    /// Seconds beyond its time for thinking after which an engine that does not answer counts as
    /// hung
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = values::seconds)]
    patience: Duration,
    /// Stop as soon as a sequential probability ratio test of the first engine against the
    /// second decides: elo0=0 elo1=5 alpha=0.05 beta=0.05 (the defaults)
    #[arg(long, value_name = "KEY=VALUE", num_args = 0..=4)]
    sprt: Option<Vec<String>>,
    /// Save every game as it ends, to FILE.jsonl and FILE.ggf
    #[arg(long, value_name = "FILE")]
    pub(super) save: Option<PathBuf>,
    /// Continue the games in the files of --save, if there are any
    #[arg(long, requires = "save")]
    pub(super) resume: bool,
    /// At the end draw the ratings to this SVG file
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,
    /// End games at this many empties by an exact solve
    #[arg(long, value_name = "EMPTIES", value_parser = clap::value_parser!(u32).range(0..=24))]
    adjudicate: Option<u32>,
}

const AFTER_HELP: &str = "\
An entry is `name|protocol|command|settings`. The protocol is uci, ugi, nboard or gtp, or,
without a command, internal (Emilia's own search) or mobility (a fixed simple player).
Settings are words such as depth=8, nodes=100000, st=1 (seconds a move), tc=60+0.5 (seconds
a game and added after each move), untimed (an engine that plays at a level of its own),
passes=implied (no passes are sent), seconds=decimal (for GTP engines that read decimals),
option.Threads=2, init='a line', dir=PATH, margin=50 (ms too late that are forgiven; 20), and,
for internal, threads=2, hash=64 and simulated-threads=8 (with depth or nodes).
One line a game is printed: number, black, white, discs for black, ending, opening, note.
Examples:
  emilia match --engine 'new|ugi|./emilia ugi|option.Hash=64' --engine 'old|ugi|./old ugi' \\
      --openings xot.txt --each tc=10+0.1 --sprt elo0=0 elo1=5 --save games --resume
  emilia match --engine 'emilia|gtp|./emilia gtp' --engine 'rhino|gtp|gtp-rhino -l 3|passes=implied' \\
      --openings xot.txt --each tc=60 --games 20 --concurrency 2";

impl Arguments {
    /// The match that is asked for.
    pub(super) fn plan(&self) -> anyhow::Result<Plan> {
        let entrants = self.entrants()?;
        let openings = self.read_openings()?;
        let games = self.games.unwrap_or_else(|| {
            let meetings = Schedule::new(self.format, entrants.len(), 1, 0);
            (2 * meetings.meetings().len() * openings.len()) as u64
        });
        for entrant in &entrants {
            let check = entrant.check_budget(entrant.budget_or(self.each));
            check.map_err(|reason| anyhow!("engine {:?}: {reason}", entrant.name))?;
        }
        check_starts(&entrants, &openings)?;
        Ok(Plan {
            schedule: Schedule::new(self.format, entrants.len(), openings.len(), games),
            entrants,
            openings,
            budget: self.each,
            patience: self.patience,
            adjudicate: self.adjudicate,
            at_once: self.concurrency.get(),
            stop: Stop::default(),
        })
    }

    /// The files that the match of this plan reads.
    pub(super) fn inputs<'a>(&'a self, plan: &'a Plan) -> Vec<&'a Path> {
        let programs = plan.entrants.iter().filter_map(Entrant::process);
        let lists = self.list.iter().chain([&self.openings]);
        let programs = programs.map(|(_, program)| program);
        programs.chain(lists.map(PathBuf::as_path)).collect()
    }

    /// The test that may end the match early.
    pub(super) fn sequential_test(&self, entrants: usize) -> anyhow::Result<Option<Sprt>> {
        let test = self.sprt.as_ref().map(|words| words.join(" ").parse());
        ensure!(
            test.is_none() || entrants == 2,
            "--sprt is for two engines, not for {entrants}"
        );
        test.transpose().map_err(anyhow::Error::msg)
    }

    fn entrants(&self) -> anyhow::Result<Vec<Entrant>> {
        let mut entrants = self.engines.clone();
        if let Some(path) = &self.list {
            entrants.extend(read_entrants(path)?);
        }
        if let Some(opponent) = &self.opponent {
            entrants.push("emilia|internal".parse()?);
            entrants.push(match opponent.as_str() {
                "mobility" => "mobility|mobility".parse()?,
                command => format!("opponent|ugi|{command}").parse()?,
            });
        }
        ensure!(
            entrants.len() >= 2,
            "a match needs two engines: see --engine, --engines and --opponent"
        );
        for (i, entrant) in entrants.iter().enumerate() {
            let is_new = entrants[..i].iter().all(|other| other.name != entrant.name);
            ensure!(is_new, "two engines have the name {:?}", entrant.name);
        }
        Ok(entrants)
    }

    fn read_openings(&self) -> anyhow::Result<Vec<Game>> {
        let mut openings = files::read_openings(&self.openings)?;
        openings.retain(|opening| !opening.position().board.is_over());
        ensure!(
            !openings.is_empty(),
            "{} has no opening: positions in which the game goes on, or moves that lead to one",
            self.openings.display()
        );
        if let Some(seed) = self.shuffle {
            SplitMix64::new(seed).shuffle(&mut openings);
        }
        Ok(openings)
    }
}

/// GTP cannot set up a position, so its engines have to begin at the start.
fn check_starts(entrants: &[Entrant], openings: &[Game]) -> anyhow::Result<()> {
    let is_gtp = |entrant: &&Entrant| matches!(entrant.process(), Some((EngineProtocol::Gtp, _)));
    let other_start = openings.iter().any(|game| game.start() != Position::START);
    match entrants.iter().find(is_gtp) {
        Some(entrant) if other_start => {
            let name = &entrant.name;
            bail!("{name} speaks GTP, which cannot set up a position: give openings as moves")
        }
        _ => Ok(()),
    }
}

/// Reads a file with an engine a line.
fn read_entrants(path: &Path) -> anyhow::Result<Vec<Entrant>> {
    text::open(path)
        .map_err(ReadError::from)
        .and_then(|file| text::read_all(file, entrant_line))
        .with_context(|| format!("cannot read {}", path.display()))
}

/// An engine; `None` for a blank line or a comment.
fn entrant_line(line: &str) -> Result<Option<Entrant>, TextError> {
    let text = line.trim_start();
    let is_entry = !text.is_empty() && !text.starts_with('#');
    is_entry.then(|| line.parse()).transpose()
}

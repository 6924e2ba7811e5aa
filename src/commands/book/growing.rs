//! `emilia book grow` and `deepen`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Args;
use indicatif::HumanDuration;

use super::{BookFile, counted, game, ply_of, root, say};
use crate::book::grow::{Again, Grown, Rules, deepen as deepen_book};
use crate::book::{BookWriter, Expansion, LeafSearch, PlayedGames, Tree, grow as grow_book};
use crate::commands::Exit;
use crate::commands::files::read_good_games;
use crate::commands::interrupt::Interrupt;
use crate::commands::progress::Progress;
use crate::formats::corpus::SourceGame;
use crate::rules::Color;
use crate::search::Control;
use crate::text::values;
use crate::threads;

/// How leaves are searched.
#[derive(Args, Debug)]
pub(super) struct SearchArguments {
    /// Depth of the searches, in plies; the end is solved from about twice as far. A book helps only where it is deeper than the player searches: at 0.1 s a move that is some 24
    #[arg(long, value_name = "N", default_value_t = 26, value_parser = clap::value_parser!(u32).range(1..=40), conflicts_with_all = ["nodes", "seconds"])]
    depth: u32,
    /// Nodes of each search, instead
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "seconds")]
    nodes: Option<u64>,
    /// Seconds of each search, instead: at least ten times as long as the player has for a move
    #[arg(long, value_name = "SECONDS", value_parser = values::some_seconds)]
    seconds: Option<Duration>,
    /// Positions searched at once [default: one for each core]
    #[arg(long, value_name = "N", value_parser = values::at_least_one)]
    threads: Option<NonZeroUsize>,
    /// Megabytes of the hash table of each search
    #[arg(long, value_name = "MB", default_value_t = 32, value_parser = crate::search::parse_hash_mb)]
    hash: usize,
    /// Stop after so many seconds; what lost its best move outside the book is searched then
    #[arg(long, value_name = "SECONDS", value_parser = values::some_seconds)]
    time: Option<Duration>,
}

impl SearchArguments {
    fn rules(&self) -> Rules {
        let nodes = self.nodes.map(LeafSearch::Nodes);
        let search = nodes.or(self.seconds.map(LeafSearch::Time));
        Rules {
            search: search.unwrap_or(LeafSearch::Depth(self.depth)),
            threads: self.threads.unwrap_or_else(threads::cores),
            hash_mb: self.hash,
            time: self.time,
            ..Rules::default()
        }
    }
}

/// Which positions come first.
#[derive(Args, Debug)]
pub(super) struct Preferences {
    /// Games whose positions are preferred, of any kind; their results and counts do not enter the book
    #[arg(long, value_name = "FILE", num_args = 1..)]
    games: Vec<PathBuf>,
    /// Discs that both sides together may give up along a line; where games reach a position, the sum begins anew
    #[arg(long, value_name = "DISCS", default_value_t = Expansion::default().max_error, allow_negative_numbers = true, value_parser = values::discs, conflicts_with = "until_error")]
    error: f64,
    /// End when each line is in the book along which each side gives up at most so many discs; instead of --error, and whatever games played
    #[arg(long, value_name = "DISCS", allow_negative_numbers = true, value_parser = values::discs)]
    until_error: Option<f64>,
    /// Obey the repertoire of this side alone [default: of both]
    #[arg(long, value_name = "COLOR")]
    side: Option<Color>,
    /// Grow below this position: moves from the start, or a board [default: the start position]
    #[arg(long, value_name = "MOVES | POSITION")]
    root: Option<String>,
    /// Add no position after so many plies
    #[arg(long, value_name = "PLIES", default_value_t = 60, value_parser = clap::value_parser!(u32).range(0..=60))]
    max_ply: u32,
    /// What a disc that is given up costs, in plies: less makes the book wider
    #[arg(long, value_name = "PLIES", default_value_t = Expansion::default().weight, allow_negative_numbers = true, value_parser = values::plies)]
    weight: f64,
    /// What it costs that half as many games reached a position, in plies: less prefers what games played
    #[arg(long, value_name = "PLIES", default_value_t = Expansion::default().halving, allow_negative_numbers = true, value_parser = values::plies)]
    halving: f64,
}

impl Preferences {
    pub(super) fn expansion(&self) -> anyhow::Result<Expansion> {
        let (root, root_side) = root(self.root.as_deref().unwrap_or_default())?;
        let (ply, most) = (ply_of(root), self.max_ply);
        ensure!(
            ply <= most,
            "the root is after {ply} plies, and --max-ply is {most}"
        );
        Ok(Expansion {
            weight: self.weight,
            halving: self.halving,
            max_error: self.error,
            until_error: self.until_error,
            root,
            root_side,
            side: self.side,
            least_empties: 60 - self.max_ply,
        })
    }

    /// The games of the files.
    pub(super) fn games(&self) -> anyhow::Result<Vec<SourceGame>> {
        Ok(read_good_games(&self.games)?.0)
    }
}

/// Where games went: those of files, and those that the book has counted.
pub(super) fn played(tree: &Tree, games: Vec<SourceGame>) -> PlayedGames {
    let mut played = PlayedGames::of(tree);
    let left_out = games.iter().filter(|game| !played.add(&game.game)).count();
    if left_out > 0 {
        log::warn!(
            "left out, with another start position: {}",
            counted(left_out, "game")
        );
    }
    played
}

/// The arguments of `emilia book grow`.
#[derive(Args, Debug)]
pub(super) struct Grow {
    #[command(flatten)]
    file: BookFile,
    #[command(flatten)]
    search: SearchArguments,
    #[command(flatten)]
    preferences: Preferences,
    /// Stop when the book has so many positions
    #[arg(long, value_name = "N")]
    positions: Option<NonZeroUsize>,
}

pub(super) fn grow(arguments: &Grow) -> anyhow::Result<Exit> {
    let games = arguments.preferences.games()?;
    let expansion = arguments.preferences.expansion()?;
    let asked = game(
        arguments.preferences.root.as_deref().unwrap_or_default(),
        None,
    )?;
    let is_after_pass = asked.position().side != expansion.root_side;
    let control = Control::new();
    let interrupt = watch(&control)?;
    let mut writer = BookWriter::open(&arguments.file.book)?;
    let played = played(&Tree::load(writer.book())?, games);
    let rules = Rules {
        positions: arguments.positions.map(NonZeroUsize::get),
        expansion,
        ..arguments.search.rules()
    };
    let shown = Shown::new(&rules);
    // For the side whose turn it is at the root, also if it must pass there.
    let of_root = |grown: &Grown| Grown {
        score: grown
            .score
            .map(|score| if is_after_pass { -score } else { score }),
        ..*grown
    };
    let grown = grow_book(&mut writer, &rules, &played, &control, &mut |grown| {
        shown.update(&of_root(grown));
    })?;
    drop(shown);
    writer.compact()?;
    tell("", &of_root(&grown));
    Ok(interrupt.status().map_or(Exit::SUCCESS, Exit::from))
}

/// A signal ends the work at once; all that was found stays.
pub(super) fn watch(control: &Control) -> anyhow::Result<Interrupt> {
    let control = control.clone();
    Interrupt::watch(move || control.stop()).context("cannot watch for signals")
}

/// Says on standard error how far it has come, in one line.
struct Shown {
    start: Instant,
    time: Option<Duration>,
    positions: Option<usize>,
    progress: Progress,
}

impl Shown {
    fn new(rules: &Rules) -> Shown {
        Shown {
            start: Instant::now(),
            time: rules.time,
            positions: rules.positions,
            progress: Progress::in_words(),
        }
    }

    fn update(&self, grown: &Grown) {
        self.progress.show(|| self.line(grown));
    }

    /// `1,200 of 2,000 positions, 310 searches, 12.4 searches/s, ..`
    fn line(&self, grown: &Grown) -> String {
        let of = |length: Option<usize>| length.map(|length| format!(" of {length}"));
        let wanted = of(grown.wanted).unwrap_or_default();
        let positions = of(self.positions).unwrap_or_default();
        let rate = grown.searches as f64 / self.start.elapsed().as_secs_f64().max(1e-3);
        let mut line = format!(
            "{}{positions} positions, {}{wanted} searches, {rate:.1} searches/s",
            grown.positions, grown.searches
        );
        if let Some(score) = grown.score {
            line += &format!(", the root is worth {score}");
        }
        if let Some(time) = self.time {
            let left = time.saturating_sub(self.start.elapsed());
            line += &format!(", it ends in {}", HumanDuration(left));
        }
        line
    }
}

/// Says what was done, behind what was done before.
fn tell(before: &str, grown: &Grown) {
    let score = grown
        .score
        .map(|score| format!("; the root is worth {score}"));
    say(format_args!(
        "{before}{}, {}{}{}",
        counted(grown.positions, "position"),
        counted(grown.searches, "search"),
        score.unwrap_or_default(),
        left(grown.unsearched)
    ));
}

/// What a book still lacks, if it does.
pub(super) fn left(unsearched: usize) -> String {
    match unsearched {
        0 => String::new(),
        _ => format!(
            "; moves of {} are not searched: grow and deepen do that first",
            counted(unsearched, "position")
        ),
    }
}

/// The arguments of `emilia book deepen`.
#[derive(Args, Debug)]
pub(super) struct Deepen {
    #[command(flatten)]
    file: BookFile,
    #[command(flatten)]
    search: SearchArguments,
    /// Only what lines reach along which both sides together lose at most so many discs
    #[arg(long, value_name = "DISCS", allow_negative_numbers = true, value_parser = values::discs)]
    error: Option<f64>,
    /// Only where the two best moves are at most so many discs apart: in the book, or by a search of 10 plies
    #[arg(long, value_name = "DISCS", allow_negative_numbers = true, value_parser = values::discs)]
    close: Option<f64>,
    /// Only positions after so many plies or more
    #[arg(long, value_name = "PLIES", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=60))]
    min_ply: u32,
}

pub(super) fn deepen(arguments: &Deepen) -> anyhow::Result<Exit> {
    let control = Control::new();
    let interrupt = watch(&control)?;
    let mut writer = BookWriter::open_existing(&arguments.file.book)?;
    let search = &arguments.search;
    let again = Again {
        error: arguments.error.unwrap_or(Again::ALL.error),
        close: arguments.close.unwrap_or(Again::ALL.close),
        min_ply: arguments.min_ply,
    };
    search_again(&mut writer, search, Some(again), "", &control)?;
    Ok(interrupt.status().map_or(Exit::SUCCESS, Exit::from))
}

/// Searches what was never searched, or also what was searched less deeply.
pub(super) fn search_again(
    writer: &mut BookWriter,
    search: &SearchArguments,
    again: Option<Again>,
    before: &str,
    control: &Control,
) -> anyhow::Result<()> {
    let rules = search.rules();
    let shown = Shown::new(&rules);
    let grown = deepen_book(writer, &rules, again, control, &mut |grown| {
        shown.update(grown);
    })?;
    drop(shown);
    writer.compact()?;
    tell(before, &grown);
    Ok(())
}

//! `emilia book grow` and `deepen`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::BookFile;
use super::keeping::take_games;
use crate::book::grow::{Again, Grown, LeafSearch, Rules, deepen as deepen_book};
use crate::book::{BookWriter, Tree, grow as grow_book};
use crate::commands::Exit;
use crate::commands::files::read_games;
use crate::search::Control;
use crate::threads;

/// How leaves are searched.
#[derive(Args, Debug)]
pub(super) struct Effort {
    /// Depth of the searches, in plies; the end is solved from about twice as far
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=40), conflicts_with = "nodes")]
    depth: u32,
    /// Nodes of each search, instead
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Positions searched at once [default: one for each core]
    #[arg(long, value_name = "N", value_parser = super::super::at_least_one)]
    threads: Option<NonZeroUsize>,
    /// Megabytes of the hash table of each search
    #[arg(long, value_name = "MB", default_value_t = 32, value_parser = crate::search::parse_hash_mb)]
    hash: usize,
    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS")]
    time: Option<u64>,
}

impl Effort {
    fn rules(&self) -> Rules {
        Rules {
            search: self
                .nodes
                .map_or(LeafSearch::Depth(self.depth), LeafSearch::Nodes),
            threads: self.threads.unwrap_or_else(threads::cores),
            hash_mb: self.hash,
            time: self.time.map(Duration::from_secs),
            ..Rules::default()
        }
    }
}

/// The arguments of `emilia book grow`.
#[derive(Args, Debug)]
pub(super) struct Grow {
    #[command(flatten)]
    file: BookFile,
    #[command(flatten)]
    effort: Effort,
    /// Games whose moves are preferred, of any kind
    #[arg(long, value_name = "FILE", num_args = 1..)]
    games: Vec<PathBuf>,
    /// Stop when the book has so many positions
    #[arg(long, value_name = "N")]
    positions: Option<usize>,
    /// Discs that one move may give up; moves that give up more are not looked into
    #[arg(long, value_name = "DISCS", default_value_t = 4.0, value_parser = super::discs)]
    error: f64,
    /// What a disc that is given up costs, in plies: less makes the book wider
    #[arg(long, value_name = "PLIES", default_value_t = 1.5, value_parser = super::discs)]
    weight: f64,
}

pub(super) fn grow(arguments: &Grow) -> anyhow::Result<Exit> {
    let games = read_games(&arguments.games)?;
    let mut writer = BookWriter::open(&arguments.file.book)?;
    let rules = Rules {
        positions: arguments.positions,
        max_error: arguments.error,
        weight: arguments.weight,
        ..arguments.effort.rules()
    };
    if !games.is_empty() {
        take_games(&mut writer, &games)?;
    }
    let grown = grow_book(&mut writer, &rules, &Control::new(), &mut report())?;
    writer.compact()?;
    log::info!("{} positions", grown.positions);
    Ok(Exit::SUCCESS)
}

/// Says on standard error how far it has come, now and then.
fn report() -> impl FnMut(Grown) {
    const EVERY: Duration = Duration::from_secs(10);
    let start = std::time::Instant::now();
    let mut last = None;
    move |grown: Grown| {
        let now = start.elapsed();
        if last.is_none_or(|last| now >= last + EVERY) {
            last = Some(now);
            let speed = grown.searches as f64 / now.as_secs_f64().max(1e-3);
            log::info!(
                "{} positions, {} searches, {speed:.2} a second, lines that cost {:.1}",
                grown.positions,
                grown.searches,
                grown.cost
            );
        }
    }
}

/// The arguments of `emilia book deepen`.
#[derive(Args, Debug)]
pub(super) struct Deepen {
    #[command(flatten)]
    file: BookFile,
    #[command(flatten)]
    effort: Effort,
}

pub(super) fn deepen(arguments: &Deepen) -> anyhow::Result<Exit> {
    let mut writer = BookWriter::open(&arguments.file.book)?;
    search_again(&mut writer, &arguments.effort, Again::Yes)?;
    writer.compact()?;
    Ok(Exit::SUCCESS)
}

/// Searches what was never searched, or also what was searched less deeply.
pub(super) fn search_again(
    writer: &mut BookWriter,
    effort: &Effort,
    again: Again,
) -> anyhow::Result<()> {
    let mut tree = Tree::load(writer.book())?;
    let searched = deepen_book(&mut tree, writer, &effort.rules(), again, &Control::new())?;
    log::info!("{searched} positions searched");
    Ok(())
}

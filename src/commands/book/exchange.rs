//! `emilia book import` and `export`.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use anyhow::{Context, anyhow, ensure};
use clap::Args;

use super::growing::left;
use super::{BookFile, check_new, counted, say};
use crate::book::exchange::{self, ExchangeFormat, Losses};
use crate::book::{LeafSearch, LeafSearcher, NewBook, Tree};
use crate::commands::Exit;
use crate::files::{FileKind, UsedFiles};
use crate::search::Control;
use crate::text::values;

/// The arguments of `emilia book import`.
#[derive(Args, Debug)]
pub(super) struct Import {
    /// Whose format it is: book.dat of Edax (version 4), .egbk3 of Egaroucid, or text as Edax exports it
    #[arg(long)]
    format: ExchangeFormat,
    /// The book of the other program
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The new book; it must not exist
    #[arg(value_name = "BOOK")]
    book: PathBuf,
}

pub(super) fn import(arguments: &Import) -> anyhow::Result<Exit> {
    check_new(&arguments.book, [&arguments.input])?;
    let path = arguments.input.display();
    let file = File::open(&arguments.input).with_context(|| format!("cannot open {path}"))?;
    let new = NewBook::create(&arguments.book)?;
    let reader = BufReader::with_capacity(1 << 20, file);
    let imported = exchange::import(arguments.format, reader);
    let (tree, losses) = imported.with_context(|| format!("cannot read {path}"))?;
    ensure!(!tree.is_empty(), "{path} has no position");
    tell(losses.iter());
    let (positions, left) = (tree.len(), left(tree.unsearched()));
    tree.write(new)?;
    say(counted(positions, "position") + &left);
    Ok(Exit::SUCCESS)
}

/// Discs that a leaf may lose to be written, all or none of them too.
fn leaves(text: &str) -> Result<f64, String> {
    match text {
        "best" => Ok(f64::INFINITY),
        "none" => Ok(-1.0),
        _ => values::discs(text).map_err(|reason| format!("{reason}, or best or none")),
    }
}

/// The arguments of `emilia book export`.
#[derive(Args, Debug)]
pub(super) struct Export {
    /// Whose format it is; for scripts: json has a line for each position, csv a row for each of its moves
    #[arg(long)]
    format: ExchangeFormat,
    #[command(flatten)]
    file: BookFile,
    /// The book for the other program; it must not exist
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// Best moves that leave the book: `best` of each position, `none`, or those that lose at most so many discs against the best move; a book of Edax needs them all
    #[arg(long, value_name = "WHICH", default_value = "best", allow_negative_numbers = true, value_parser = leaves)]
    leaves: f64,
    /// Depth of the searches that complete positions of which some moves are not searched, in plies
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=40))]
    depth: u32,
}

pub(super) fn export(arguments: &Export) -> anyhow::Result<Exit> {
    const ANY: FileKind = FileKind {
        name: "a book",
        is: |_| true,
    };
    /// Megabytes of the table.
    const HASH_MB: usize = 32;
    let format = arguments.format;
    let has_all = arguments.leaves.is_infinite();
    ensure!(
        has_all || format != ExchangeFormat::Edax,
        "a book of Edax needs the leaf of each position: --leaves best"
    );
    let mut used = UsedFiles::reading([&arguments.file.book]);
    let out = used.new_output(&arguments.out, ANY)?;
    let mut tree = Tree::load_whole(&arguments.file.book)?;
    let before = tree.len();
    let has_rule = |(board, _): &(_, _)| tree.allowed(*board).is_some();
    let rules = tree.iter().filter(has_rule).count() as u64;
    let searcher = LeafSearcher::new(LeafSearch::Depth(arguments.depth), HASH_MB);
    let mut searcher = searcher.map_err(|reason| anyhow!(reason))?;
    let control = Control::new();
    let completed = exchange::complete(format, &mut tree, |board, moves| {
        searcher.best_of(board, moves, &control)
    });
    exchange::remove_leaves(&mut tree, arguments.leaves);
    tree.sort();
    let mut losses = Losses::default();
    out.write(|out| {
        losses = exchange::export(format, &tree, out)?;
        Ok(())
    })?;
    let rules = Some(("positions of the repertoire", rules)).filter(|(_, rules)| *rules > 0);
    tell(losses.iter().chain(rules));
    let mut text = counted(tree.len(), "position");
    for (count, what) in [
        (before - tree.len(), "left out: they are not searched"),
        (completed, "completed by a search"),
    ] {
        if count > 0 {
            text += &format!(", {count} {what}");
        }
    }
    say(text);
    Ok(Exit::SUCCESS)
}

/// Says what could not be carried over.
fn tell(losses: impl Iterator<Item = (&'static str, u64)>) {
    for (what, count) in losses {
        log::warn!("not carried over as it is: {what}: {count}");
    }
}

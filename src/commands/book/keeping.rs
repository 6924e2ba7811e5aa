//! `emilia book learn`, `prune` and `merge`.

use std::path::PathBuf;

use anyhow::ensure;
use clap::Args;

use super::growing::{SearchArguments, search_again};
use super::{BookFile, check_new};
use crate::book::grow::Again;
use crate::book::{Book, BookWriter, NewBook, Tree, learn_game};
use crate::commands::Exit;
use crate::commands::files::read_games;
use crate::formats::corpus::SourceGame;
use crate::text::values;

/// The arguments of `emilia book learn`.
#[derive(Args, Debug)]
pub(super) struct Learn {
    #[command(flatten)]
    file: BookFile,
    /// Games of any kind
    #[arg(value_name = "GAMES", required = true)]
    games: Vec<PathBuf>,
    #[command(flatten)]
    search: SearchArguments,
}

pub(super) fn learn(arguments: &Learn) -> anyhow::Result<Exit> {
    let games = read_games(&arguments.games)?;
    let mut writer = BookWriter::open(&arguments.file.book)?;
    take_games(&mut writer, &games)?;
    search_again(&mut writer, &arguments.search, Again::No)
}

/// Takes the positions of games that begin with the usual start, and counts the results of those that are over.
fn take_games(writer: &mut BookWriter, games: &[SourceGame]) -> anyhow::Result<()> {
    let mut new = 0;
    for game in games {
        new += learn_game(writer, &game.game)?;
    }
    writer.commit()?;
    log::info!("{} games with {new} new positions", games.len());
    Ok(())
}

/// The arguments of `emilia book prune`.
#[derive(Args, Debug)]
pub(super) struct Prune {
    #[command(flatten)]
    file: BookFile,
    /// The smaller book; it must not exist
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// Discs that both sides together may give up along a line; what only worse lines reach is left out
    #[arg(long, value_name = "DISCS", value_parser = values::discs)]
    error: f64,
}

pub(super) fn prune(arguments: &Prune) -> anyhow::Result<Exit> {
    check_new(&arguments.out)?;
    let mut tree = arguments.file.load()?;
    let before = tree.len();
    let new = NewBook::create(&arguments.out)?;
    tree.negamax();
    crate::book::grade::prune(&mut tree, arguments.error);
    log::info!("{} of {before} positions", tree.len());
    ensure!(!tree.is_empty(), "the start position is not in the book");
    tree.write(new)?;
    Ok(Exit::SUCCESS)
}

/// The arguments of `emilia book merge`.
#[derive(Args, Debug)]
pub(super) struct Merge {
    /// The book of all; it must not exist
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// The books; of a position in several of them, the deepest leaf is kept, and the largest counts
    #[arg(value_name = "BOOK", required = true)]
    books: Vec<PathBuf>,
}

pub(super) fn merge(arguments: &Merge) -> anyhow::Result<Exit> {
    check_new(&arguments.out)?;
    let mut tree = Tree::default();
    let new = NewBook::create(&arguments.out)?;
    for path in &arguments.books {
        let damaged = Book::open(path)?.for_each(|board, entry| tree.merge(board, entry))?;
        for damage in damaged {
            log::warn!("{} is damaged: {damage}", path.display());
        }
    }
    tree.negamax();
    log::info!("{} positions", tree.len());
    tree.write(new)?;
    Ok(Exit::SUCCESS)
}

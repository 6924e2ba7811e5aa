//! `emilia book learn`, `prune` and `merge`.

use std::path::PathBuf;

use anyhow::ensure;
use clap::Args;

use super::{BookFile, check_new};
use crate::book::{Book, BookWriter, Entry, NewBook, Tree};
use crate::commands::Exit;
use crate::commands::files::read_games;
use crate::rules::{Board, Color, Game};
use crate::training::corpus::SourceGame;

/// The arguments of `emilia book learn`.
#[derive(Args, Debug)]
pub(super) struct Learn {
    #[command(flatten)]
    file: BookFile,
    /// Games of any kind
    #[arg(value_name = "GAMES", required = true)]
    games: Vec<PathBuf>,
}

pub(super) fn learn(arguments: &Learn) -> anyhow::Result<Exit> {
    let games = read_games(&arguments.games)?;
    let mut writer = BookWriter::open(&arguments.file.book)?;
    let taken = take_games(&mut writer, &games)?;
    log::info!(
        "{} games with {} new positions; `emilia book grow` searches them",
        taken.games, taken.positions
    );
    Ok(Exit::SUCCESS)
}

/// What was taken of games.
pub(super) struct Taken {
    pub(super) games: usize,
    /// New ones.
    pub(super) positions: usize,
}

/// Games that enter the book go to this number of empties.
const LAST_EMPTIES: u32 = 30;

/// Takes the positions of games that begin with the usual start, and counts the results of those that are over.
pub(super) fn take_games(writer: &mut BookWriter, games: &[SourceGame]) -> anyhow::Result<Taken> {
    let mut taken = Taken { games: 0, positions: 0 };
    for game in games.iter().map(|found| &found.game) {
        if game.start().board.canonical() != Board::START.canonical() {
            continue;
        }
        taken.games += 1;
        taken.positions += take_game(writer, game)?;
    }
    writer.commit()?;
    let mut tree = Tree::load(writer.book())?;
    let changed = tree.negamax();
    tree.tell(&changed, writer);
    writer.commit()?;
    Ok(taken)
}

fn take_game(writer: &mut BookWriter, game: &Game) -> anyhow::Result<usize> {
    let result = game.position().result_for_black();
    let mut new = 0;
    for position in game.positions() {
        let board = position.board;
        if board.empty_count() < LAST_EMPTIES {
            break;
        }
        if board.legal_moves().is_empty() {
            continue;
        }
        let known = writer.get(board)?;
        new += usize::from(known.is_none());
        let mut entry = known.unwrap_or(Entry { depth: Entry::UNKNOWN_DEPTH, ..Entry::default() });
        if let Some(discs) = result {
            let own = if position.side == Color::Black { discs } else { -discs };
            entry.counts.add_game(own);
        }
        writer.set(board, Some(entry));
    }
    Ok(new)
}

/// The arguments of `emilia book prune`.
#[derive(Args, Debug)]
pub(super) struct Prune {
    #[command(flatten)]
    file: BookFile,
    /// The smaller book; it must not exist
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// Discs that one move may give up; what only worse moves reach is left out
    #[arg(long, value_name = "DISCS", value_parser = super::discs)]
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

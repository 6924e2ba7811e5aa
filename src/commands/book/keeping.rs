//! `emilia book learn`, `prune` and `merge`.

use std::path::PathBuf;

use anyhow::ensure;
use clap::{ArgGroup, Args};

use super::growing::{SearchArguments, left, search_again, watch};
use super::{BookFile, check_new, counted, root, say};
use crate::book::{BookWriter, LearnedGame, NewBook, Rescue, Tree, learn_game, rescue};
use crate::commands::Exit;
use crate::commands::files::read_good_games;
use crate::formats::corpus::SourceGame;
use crate::search::Control;
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
    let (games, bad) = read_good_games(&arguments.games)?;
    let control = Control::new();
    let interrupt = watch(&control)?;
    let mut writer = BookWriter::open(&arguments.file.book)?;
    let taken = take_games(&mut writer, &games, bad)?;
    let search = &arguments.search;
    search_again(&mut writer, search, None, &taken, &control)?;
    let status = Exit::failed_if(bad > 0);
    Ok(interrupt.status().map_or(status, Exit::from))
}

/// Takes the positions of games that begin with the usual start, and counts the results of those that are over. Says
/// what became of the games, and how many are `bad`.
fn take_games(writer: &mut BookWriter, games: &[SourceGame], bad: usize) -> anyhow::Result<String> {
    let mut positions = 0;
    let mut learned = Vec::new();
    for game in games {
        let (game, new) = learn_game(writer, &game.game)?;
        positions += new;
        learned.push(game);
    }
    writer.commit()?;
    let count = |kind| learned.iter().filter(|&&game| game == kind).count();
    let (positions, games) = (
        counted(positions, "new position"),
        counted(count(LearnedGame::Counted), "game"),
    );
    let mut text = format!("{positions}, {games} counted");
    for (kind, what) in [
        (LearnedGame::Known, "left out: counted before"),
        (LearnedGame::OtherStart, "left out: another start position"),
        (LearnedGame::Unfinished, "without a count: not finished"),
    ] {
        let count = count(kind);
        if count > 0 {
            text += &format!(", {count} {what}");
        }
    }
    if bad > 0 {
        text += &format!(", {bad} left out: cannot be read");
    }
    Ok(text + "; ")
}

/// The arguments of `emilia book prune`.
#[derive(Args, Debug)]
#[command(group = ArgGroup::new("kept").required(true).multiple(true))]
pub(super) struct Prune {
    #[command(flatten)]
    file: BookFile,
    /// The smaller book; it must not exist
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// Discs that both sides together may give up along a line; what only worse lines reach is left out
    #[arg(long, value_name = "DISCS", group = "kept", allow_negative_numbers = true, value_parser = values::discs)]
    error: Option<f64>,
    /// Keep what is below this position: moves from the start, or a board [default: the start position, or where the book lacks it those that no move leads to]
    #[arg(long, value_name = "MOVES | POSITION", group = "kept")]
    root: Option<String>,
}

pub(super) fn prune(arguments: &Prune) -> anyhow::Result<Exit> {
    /// More than any line gives up.
    const ALL: f64 = f64::MAX;
    check_new(&arguments.out, [&arguments.file.book])?;
    let root = arguments.root.as_deref().map(root).transpose()?;
    let mut tree = Tree::load_whole(&arguments.file.book)?;
    let before = tree.len();
    let new = NewBook::create(&arguments.out)?;
    tree.negamax();
    let roots = match root {
        Some((root, _)) => tree.find(root).into_iter().collect(),
        None => tree.roots(),
    };
    ensure!(!roots.is_empty(), "this position is not in the book");
    crate::book::grade::prune(&mut tree, &roots, arguments.error.unwrap_or(ALL));
    let (positions, left) = (tree.len(), left(tree.unsearched()));
    tree.write(new)?;
    say(format_args!("{positions} of {before} positions{left}"));
    Ok(Exit::SUCCESS)
}

/// The arguments of `emilia book merge`.
#[derive(Args, Debug)]
pub(super) struct Merge {
    /// The book of all; it must not exist
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// The books; of a position in several of them, the deepest leaf is kept, and the counts of different games are added
    #[arg(value_name = "BOOK", required = true)]
    books: Vec<PathBuf>,
}

pub(super) fn merge(arguments: &Merge) -> anyhow::Result<Exit> {
    check_new(&arguments.out, &arguments.books)?;
    let mut tree = Tree::default();
    let new = NewBook::create(&arguments.out)?;
    let (mut differ, mut miscounted) = (0, 0);
    for path in &arguments.books {
        let merged = tree.merge_all(Tree::load_whole(path)?);
        differ += merged.differ;
        miscounted += merged.miscounted;
    }
    tree.negamax();
    let (positions, left) = (tree.len(), left(tree.unsearched()));
    tree.write(new)?;
    let mut text = format!(
        "{} of {}",
        counted(positions, "position"),
        counted(arguments.books.len(), "book")
    );
    if differ > 0 {
        text += &format!("; repertoires differ in {differ}, where the first book decides");
    }
    if miscounted > 0 {
        text += &format!(
            "; counts of games are too low: in two books, of which each has others, are {miscounted}"
        );
    }
    say(text + &left);
    Ok(Exit::SUCCESS)
}

/// The arguments of `emilia book repair`.
#[derive(Args, Debug)]
pub(super) struct Repair {
    /// The damaged book, which stays as it is
    #[arg(value_name = "IN")]
    book: PathBuf,
    /// The new book; it must not exist
    #[arg(value_name = "OUT")]
    out: PathBuf,
}

pub(super) fn repair(arguments: &Repair) -> anyhow::Result<Exit> {
    check_new(&arguments.out, [&arguments.book])?;
    let new = NewBook::create(&arguments.out)?;
    let path = arguments.book.display();
    let Rescue { tree, moved, lost } = rescue(&arguments.book)?;
    ensure!(!tree.is_empty(), "nothing of {path} can be read");
    for damage in &lost {
        say(format_args!("lost: {damage}"));
    }
    let (positions, left) = (tree.len(), left(tree.unsearched()));
    tree.write(new)?;
    say(format_args!(
        "{} saved; blocks that were not in their place: {moved}, lost: {}{left}",
        counted(positions, "position"),
        lost.len()
    ));
    Ok(Exit::SUCCESS)
}

//! The searches that a book wants, for other machines.

use std::collections::BTreeMap;

use super::entry::{BookEntry, BookLeaf};
use super::expansion::Expansion;
use super::played::PlayedGames;
use super::record::{Key, pack};
use super::store::BookError;
use super::tree::Tree;
use super::writer::BookWriter;
use crate::rules::{Bitboard, Board};

/// A search that a book wants: which of these moves is the best?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookJob {
    /// The position, in its canonical form.
    pub board: Board,
    /// The moves that leave the book.
    pub moves: Bitboard,
}

/// The searches that [`grow`](super::grow()) would do next, at most so many.
pub fn jobs(
    tree: &mut Tree,
    expansion: &Expansion,
    played: &PlayedGames,
    count: usize,
) -> Vec<BookJob> {
    tree.negamax();
    if tree.find(expansion.root).is_none() {
        tree.insert(expansion.root, BookEntry::UNSEARCHED);
    }
    let wishes = expansion.wishes(tree, played, count, usize::MAX);
    let job = |board| BookJob {
        board,
        moves: tree.outside(board),
    };
    wishes.into_iter().map(|wish| job(wish.board)).collect()
}

/// Takes the results of jobs into a book. Returns how many were taken: those that are of a book which has changed
/// since, and those that are known better, are left out.
///
/// # Errors
/// If the book cannot be read or written.
pub fn take(writer: &mut BookWriter, results: &[(BookJob, BookLeaf)]) -> Result<usize, BookError> {
    let mut tree = Tree::load(writer.book())?;
    // As the jobs, about the book before any result.
    let mut entries: BTreeMap<Key, (Board, BookEntry)> = BTreeMap::new();
    let mut taken = 0;
    for (job, leaf) in results {
        let key = pack(job.board.canonical());
        let before = entries.get(&key).map(|&(_, entry)| entry);
        let before = before.or_else(|| tree.get(job.board));
        let before = before.unwrap_or(BookEntry::UNSEARCHED);
        let is_better = before
            .leaf
            .is_none_or(|before| leaf.rank() >= before.rank() && *leaf != before);
        if is_better && tree.outside(job.board) == job.moves {
            entries.insert(key, (job.board, before.with_leaf(Some(*leaf))));
            taken += 1;
        }
    }
    for &(board, entry) in entries.values() {
        tree.insert(board, entry);
        writer.set(board, Some(entry));
    }
    let changed = tree.negamax();
    tree.tell(&changed, writer);
    writer.commit()?;
    Ok(taken)
}

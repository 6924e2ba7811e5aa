//! The searches that a book wants, for other machines.

use super::entry::{Entry, Leaf};
use super::expansion::Expansion;
use super::played::Played;
use super::store::BookError;
use super::tree::{Tree, known_depth};
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
pub fn jobs(tree: &mut Tree, expansion: &Expansion, played: &Played, count: usize) -> Vec<BookJob> {
    tree.negamax();
    if tree.find(Board::START).is_none() {
        tree.insert(Board::START, Entry::UNSEARCHED);
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
pub fn take(writer: &mut BookWriter, results: &[(BookJob, Leaf)]) -> Result<usize, BookError> {
    let mut tree = Tree::load(writer.book())?;
    // As the jobs, about the book before any result.
    let mut entries = Vec::new();
    for (job, leaf) in results {
        let before = tree.get(job.board).unwrap_or(Entry::UNSEARCHED);
        let rank = |leaf: &Leaf| (leaf.certainty, known_depth(leaf.depth));
        let is_better = before.leaf.is_none_or(|before| rank(leaf) >= rank(&before));
        if is_better && tree.outside(job.board) == job.moves {
            entries.push((job.board, before.with_leaf(Some(*leaf))));
        }
    }
    for &(board, entry) in &entries {
        tree.insert(board, entry);
        writer.set(board, Some(entry));
    }
    let changed = tree.negamax();
    tree.tell(&changed, writer);
    writer.commit()?;
    Ok(entries.len())
}

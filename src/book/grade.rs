//! Smaller and better books: what only bad moves reach, and how far a book can be trusted.

use std::cmp::Reverse;

use super::entry::{BookEntry, BookLeaf, Certainty};
use super::tree::Tree;

/// Which positions lines from these ones reach. `give_up` says how much a line has given up after one more move, from what
/// it has given up before and what the move loses, in discs; `None`: the line is left out. What a repertoire allows loses
/// nothing.
fn reached(tree: &Tree, roots: &[usize], give_up: impl Fn(f64, f64) -> Option<f64>) -> Vec<bool> {
    let mut given_up = vec![f64::INFINITY; tree.len()];
    for &root in roots {
        given_up[root] = 0.0;
    }
    for number in tree.by_empties().into_iter().rev().flatten() {
        let (board, entry) = tree.at(number);
        let allowed = tree.allowed(board);
        for (square, reply, link) in tree.all_links(board) {
            let next = tree.at(link).1;
            let is_free = allowed.is_some_and(|allowed| allowed.contains(square));
            let score = if next.is_known() && !is_free {
                reply.own(next.score)
            } else {
                entry.score
            };
            let loss = entry.score.to_f64() - score.to_f64();
            if given_up[number].is_finite()
                && let Some(after) = give_up(given_up[number], loss)
            {
                given_up[link] = given_up[link].min(after);
            }
        }
    }
    given_up.into_iter().map(f64::is_finite).collect()
}

/// Which positions lines from these ones reach along which both sides together lose at most so many discs.
pub(super) fn within(tree: &Tree, roots: &[usize], error: f64) -> Vec<bool> {
    reached(tree, roots, |before, loss| {
        Some(before + loss).filter(|&after| after <= error)
    })
}

/// The leaf of a position whose moves to some of its links become leaves: the best of them, of equal ones the first.
pub(super) fn best_leaf(
    tree: &Tree,
    number: usize,
    is_cut: impl Fn(usize) -> bool,
) -> Option<BookLeaf> {
    let (board, entry) = tree.at(number);
    let cut = tree.links(board).filter(|&(_, _, link)| is_cut(link));
    let cut = cut.map(|(square, reply, link)| {
        let link = tree.at(link).1;
        BookLeaf {
            square,
            score: reply.own(link.score),
            certainty: link.certainty,
            depth: link.searched_depth().unwrap_or(BookEntry::UNKNOWN_DEPTH),
        }
    });
    cut.chain(entry.leaf)
        .min_by_key(|leaf| (Reverse(leaf.score), leaf.square.index()))
}

/// Removes what is not below these positions, and what only lines from there reach along which both sides together lose more
/// discs than this. A move that is no link any more is a leaf again where it is the best one.
pub fn prune(tree: &mut Tree, roots: &[usize], error: f64) {
    let kept = within(tree, roots, error);
    for number in (0..tree.len()).filter(|&number| kept[number]) {
        // Where some moves are not searched, the best of the others is not known.
        if !tree.is_unsearched(number) {
            tree.entry_mut(number).leaf = best_leaf(tree, number, |link| !kept[link]);
        }
    }
    tree.retain(|number| kept[number]);
    tree.negamax();
}

/// How far a book can be trusted where both sides lose less than 2 discs with each move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grade {
    /// `A` to `F`.
    pub letter: char,
    /// Ends of such lines.
    pub ends: usize,
    /// Of them it is proven who wins.
    pub proven: usize,
    /// Of them the score is proven.
    pub exact: usize,
}

/// A loss that such lines do not have, in discs.
const TOO_MUCH: f64 = 2.0;

/// Grades what follows these positions, such as [`Tree::roots`].
pub fn grade(tree: &Tree, roots: &[usize]) -> Grade {
    let reached = reached(tree, roots, |_, loss| (loss < TOO_MUCH).then_some(0.0));
    let reached = reached.iter().enumerate().filter(|(_, reached)| **reached);
    Grade::of_ends(reached.filter_map(|(number, _)| {
        let (_, entry) = tree.at(number);
        let is_good = |leaf: &BookLeaf| entry.score.to_f64() - leaf.score.to_f64() < TOO_MUCH;
        entry.leaf.filter(is_good).map(|leaf| leaf.certainty)
    }))
}

impl Grade {
    /// `A`: the scores of all ends are proven; `B`: of all ends it is proven who wins, and of some the score; `C`: of all
    /// it is proven who wins; `D`: some scores are; `E`: of some it is who wins; `F`: none.
    pub fn of_ends(certainties: impl IntoIterator<Item = Certainty>) -> Grade {
        let (mut ends, mut proven, mut exact) = (0, 0, 0);
        for certainty in certainties {
            ends += 1;
            proven += usize::from(certainty.is_proven());
            exact += usize::from(certainty == Certainty::Exact);
        }
        let letter = match () {
            () if ends == 0 => 'F',
            () if exact == ends => 'A',
            () if proven == ends && exact > 0 => 'B',
            () if proven == ends => 'C',
            () if exact > 0 => 'D',
            () if proven > 0 => 'E',
            () => 'F',
        };
        Grade {
            letter,
            ends,
            proven,
            exact,
        }
    }

    /// What it rests on.
    pub fn reason(&self) -> String {
        let Grade {
            ends,
            proven,
            exact,
            ..
        } = self;
        format!(
            "ends of the book where each move loses less than 2 discs: {ends}; with a proven winner: {proven}, with a proven score: {exact}"
        )
    }
}
